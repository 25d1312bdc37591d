/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "json/postbag-json.h"
#include "json/postbag-result.h"
#include "mcp/postbag-call.h"
#include "mcp/postbag-engine-private.h"
#include "mcp/postbag-input.h"
#include "mcp/postbag-jsonrpc-private.h"
#include "mcp/postbag-revision-private.h"
#include "mcp/postbag-tool-private.h"
#include "mcp/postbag-transport.h"

G_BEGIN_DECLS

/* One request that a toolset answers (tools/call, resources/read, ...) from its arrival to its
 * answer. The main thread makes it, a worker runs it (perhaps several times, see
 * postbag_call_ask()), the main thread sends what the worker made.
 * Worker and main thread never touch it at the same moment but for what is marked. */

typedef struct _PostbagBatch PostbagBatch;

/* What waits for a client that may not read, in bytes. Both are atomic: workers look at them. */
typedef struct
{
  gsize queued; /* in the transport */
  gsize handed; /* made by workers, not sent yet */
} PostbagOutput;

/* How the person behind this client can be reached. */
typedef enum
{
  POSTBAG_ASK_TOKEN,          /* not at all: the two-call token */
  POSTBAG_ASK_ELICITATION,    /* legacy: a request of ours */
  POSTBAG_ASK_INPUT_REQUIRED, /* 2026-07-28: a result that asks for a retry */
} PostbagAskWay;

typedef enum
{
  POSTBAG_ANSWER_ACCEPTED,
  POSTBAG_ANSWER_DECLINED,
  POSTBAG_ANSWER_EXPIRED,
  POSTBAG_ANSWER_FAILED, /* the client could not ask */
} PostbagAnswerKind;

typedef struct
{
  char *key;
  char *target_digest;
  PostbagAnswerKind kind;
  JsonObject *content; /* (nullable): of an accepted input */
} PostbagAnswer;

/* Whom to tell what became of the answer. */
typedef struct
{
  PostbagToldFunc told;
  gpointer user_data;
} PostbagTelling;

/* What the handler asked and nobody answered yet. */
typedef struct _PostbagPending PostbagPending;
struct _PostbagPending
{
  PostbagPending *next; /* (nullable): asked in the same run */
  gboolean is_input;    /* of @kind; else a yes-or-no question */
  PostbagInputKind kind;
  char *key;
  char *message; /* of a yes-or-no question */
  char *params;  /* of an input: JSON text */
  char *target_digest;
};

/* Main thread: the answer of @call's run is there, see `response` and `pending`. */
typedef void (*PostbagCallDoneFunc) (PostbagCall *call, gpointer user_data);
/* Main thread: one notification of @call. */
typedef void (*PostbagCallNotifyFunc) (PostbagCall *call, GBytes *message, gpointer user_data);

/**
 * PostbagOperation:
 * @produce: worker thread: the message that answers; %NULL with `pending` set, or where @settle
 *   keeps the call open
 * @settle: (nullable): main thread, after each run, also of a call that was dropped meanwhile
 *   (`finished`); %TRUE: the call stays open without an answer
 * @end: (nullable): main thread: a call that stayed open is dropped
 * @free_data: (nullable)
 *
 * What kind of request a call answers.
 */
typedef struct
{
  GBytes *(*produce) (PostbagCall *call);
  gboolean (*settle) (PostbagCall *call, PostbagSession *session);
  void (*end) (PostbagCall *call, PostbagSession *session);
  GDestroyNotify free_data;
} PostbagOperation;

struct _PostbagCall
{
  gatomicrefcount references;
  PostbagEngine *engine;
  GCancellable *cancellable;

  /* of the request */
  const PostbagOperation *operation;
  gpointer data;           /* (nullable): the operation's own */
  char *subject;           /* what is called: a sealed state belongs to it */
  PostbagTool *tool;       /* (nullable): of tools/call */
  PostbagToolset *toolset; /* (nullable): whose handler runs */
  PostbagRevision revision;
  char *id; /* (nullable): JSON text; %NULL: only the result object is made */
  char *principal;
  char *progress_token;          /* (nullable): JSON text */
  PostbagJsonDocument *document; /* (nullable): owns the nodes */
  gsize weight;                  /* bytes that the request holds, its share of a batch */
  JsonObject *params;            /* (nullable): as they came */
  JsonNode *arguments;           /* (nullable): an object, as it came */
  PostbagAskWay ask_way;
  guint can_ask;               /* bits of PostbagInputKind: what the client declared */
  int log_level;               /* PostbagLogLevel from which messages leave; -1: none do */
  gboolean asking_is_off;      /* by configuration, not for want of a client that can */
  JsonObject *input_responses; /* (nullable) */
  char *request_state;         /* (nullable) */
  GError *bad_state;           /* (nullable): why `request_state` is none of ours */

  /* of the runs */
  GPtrArray *answers;             /* PostbagAnswer */
  GArray *waiting_to_tell;        /* PostbagTelling */
  PostbagPending *pending;        /* (nullable) */
  const char *missing_capability; /* (nullable): JSON text: what the client would have to declare */
  char *arguments_digest;         /* (nullable): made at first need */
  GBytes *response;               /* (nullable): the message that ends the call */
  gboolean has_output;            /* the tool has an outputSchema */
  gboolean is_error;              /* `response` tells of a failure */
  gboolean is_replaced;           /* of another one than what the handler told */
  gboolean postponed;             /* not run: the client does not read */
  gboolean prepared;              /* the sealed state of an earlier round was looked at */
  gboolean needs_state;           /* the handler asked for what `bad_state` should have held */

  GMutex lock;
  double last_progress;    /* with lock */
  gint64 last_progress_us; /* with lock; 0: none yet */
  gint64 log_second;       /* with lock: in which messages were counted */
  guint log_count;         /* with lock */

  /* main thread */
  PostbagOutput *output; /* (nullable): no run begins while it is full */
  PostbagBatch *batch;   /* (nullable): that the answer is part of */
  PostbagCallDoneFunc done;
  PostbagCallNotifyFunc notify;
  gpointer user_data;
  gboolean running;  /* a worker has it, or will */
  gboolean open;     /* settled, and stays without an answer */
  gboolean finished; /* answered or dropped: nothing more leaves */
};

POSTBAG_API PostbagCall *postbag_call_new (PostbagEngine *engine, PostbagTool *tool,
                                           PostbagRevision revision, const char *id,
                                           const char *principal);
/* @data: (transfer full) (nullable): freed with the operation's function */
POSTBAG_API PostbagCall *postbag_call_new_operation (PostbagEngine *engine,
                                                     const PostbagOperation *operation,
                                                     gpointer data, const char *subject,
                                                     PostbagRevision revision, const char *id,
                                                     const char *principal);
POSTBAG_API PostbagCall *postbag_call_ref (PostbagCall *self);
POSTBAG_API void postbag_call_unref (PostbagCall *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagCall, postbag_call_unref)

/* Main thread, also where nobody asked to be told. */
POSTBAG_API void postbag_call_tell (PostbagCall *self, gboolean was_told);
/* Main thread: hands the call to the pool; @done follows on the main thread. */
POSTBAG_API void postbag_call_start (PostbagCall *self);
extern const PostbagOperation postbag_operation_tool;
/* Worker thread: one run, from arguments to `response` or `pending`. The pool's function. */
POSTBAG_API void postbag_call_run (gpointer call);

/* Main thread: the person's answer to `pending`; then postbag_call_start() again. */
POSTBAG_API void postbag_call_answer (PostbagCall *self, PostbagAnswerKind kind,
                                      JsonObject *content);
/* @content: (nullable) */
POSTBAG_API void postbag_call_add_answer (PostbagCall *self, const char *key,
                                          const char *target_digest, PostbagAnswerKind kind,
                                          JsonObject *content);
/* (transfer none) (nullable): the last one */
POSTBAG_API const PostbagAnswer *postbag_call_find_answer (PostbagCall *self, const char *key,
                                                           const char *target_digest);
/* @question: (nullable) */
POSTBAG_API void postbag_call_set_pending (PostbagCall *self, const PostbagQuestion *question);
POSTBAG_API void postbag_call_add_pending (PostbagCall *self, PostbagInputKind kind,
                                           const char *key, const char *params,
                                           const char *target_digest);
/* Worker thread, (transfer full) @message: a notification that belongs to the call. */
POSTBAG_API void postbag_call_notify (PostbagCall *self, GBytes *message);
/* (transfer full): what an answer is bound to: the question's key and target, hashed */
POSTBAG_API char *postbag_call_digest_target (const PostbagQuestion *question);
/* Worker thread: what a run gives that needs a person's answer: %NULL where the main thread asks.
 */
POSTBAG_API GBytes *postbag_call_answer_with_question (PostbagCall *self);
/* Worker thread: the run is over, @done is called on the main thread. */
POSTBAG_API void postbag_call_hand_over (PostbagCall *self);

/* --- the response (postbag-call-response.c), worker thread --- */

POSTBAG_API GBytes *postbag_call_make_result (PostbagCall *self, PostbagResult *result);
POSTBAG_API GBytes *postbag_call_make_error_result (PostbagCall *self, const char *text);
/* The answer to a request whose failures are protocol errors. @uri: (nullable): the resource that
 * it is about */
POSTBAG_API GBytes *postbag_call_make_protocol_error (PostbagCall *self, const GError *error,
                                                      const char *uri);
/* (transfer full): JSON text: an error's data that names @uri */
POSTBAG_API char *postbag_call_describe_uri (const char *uri);
/* `_meta` of a result: the members of @meta, which may be %NULL, and the revision's own. */
POSTBAG_API void postbag_call_write_tail (PostbagCall *self, PostbagJsonWriter *writer,
                                          JsonObject *meta);
/* A writer inside the object of this call's result, and the message it becomes. */
POSTBAG_API PostbagJsonWriter *postbag_call_begin_response (PostbagCall *self);
POSTBAG_API GBytes *postbag_call_end_response (PostbagCall *self, PostbagJsonWriter *writer);
/* The text of a handler's error: what happened, and what to do next where it does not say. */
POSTBAG_API char *postbag_call_describe_error (const GError *error);

/* --- asking in 2026-07-28 (postbag-call-state.c), worker thread --- */

/* Looks at what the client sent back: fills `answers` from a sealed state that is ours, `bad_state`
 * when it is not. %FALSE when we cannot tell. */
POSTBAG_API gboolean postbag_call_read_state (PostbagCall *self, GError **error);
/* The result that asks for a retry. */
POSTBAG_API GBytes *postbag_call_make_input_required (PostbagCall *self, GError **error);

/* What a client is to show for a yes-or-no question: the members of elicitation/create's params.
 */
POSTBAG_API void postbag_call_write_form (PostbagJsonWriter *writer, const char *message,
                                          gboolean with_mode);
/* What a client's ElicitResult says; anything that is not a clear yes is none. */
POSTBAG_API PostbagAnswerKind postbag_call_read_form (PostbagJsonDocument *document,
                                                      JsonObject *result);

/* -1 for a word that is no level. */
POSTBAG_API int postbag_log_level_from_word (const char *word);

/* --- inputs (postbag-input.c) --- */

/* Bits of PostbagInputKind. @capabilities: (nullable): a client's, of either era */
POSTBAG_API guint postbag_input_read_capabilities (JsonObject *capabilities,
                                                   PostbagRevision revision);
POSTBAG_API const char *postbag_input_get_method (PostbagInputKind kind);
/* What the client's result says. @content: (out) (transfer none): of an accepted one */
POSTBAG_API PostbagAnswerKind postbag_input_read_answer (PostbagInputKind kind,
                                                         PostbagJsonDocument *document,
                                                         JsonObject *result, JsonObject **content);
/* Whether @error means that this client of 2026-07-28 would need a capability. */
POSTBAG_API gboolean postbag_call_misses_capability (PostbagCall *self, const GError *error);
/* The error that names the capability the client would need (2026-07-28). */
POSTBAG_API GBytes *postbag_call_make_missing_capability (PostbagCall *self, const GError *error);

G_END_DECLS
