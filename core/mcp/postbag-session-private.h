/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mcp/postbag-call-private.h"
#include "mcp/postbag-engine-private.h"
#include "mcp/postbag-jsonrpc-private.h"
#include "mcp/postbag-throttle-private.h"
#include "mcp/postbag-transport.h"

G_BEGIN_DECLS

/* One connection. Everything here happens on the main thread. The era is decided for each message:
 * only what the legacy handshake settled is kept, and no modern request looks at it. */

/* That a list changed, not told more often than clients bear. */
typedef struct
{
  PostbagSession *session;
  PostbagListKind kind;
  PostbagThrottle throttle;
} PostbagListNews;

struct _PostbagSession
{
  gatomicrefcount references;
  PostbagEngine *engine;
  char *principal;
  PostbagSendFunc send;
  gpointer user_data;
  gboolean closed;
  gboolean input_ended;

  PostbagRevision legacy;    /* negotiated by initialize */
  PostbagRevision last_seen; /* of the latest message that had one */
  gboolean initialized;      /* notifications/initialized came */
  guint can_ask;             /* bits of PostbagInputKind: what the legacy client declared */
  int log_level;             /* PostbagLogLevel that the legacy client wants messages from */

  GHashTable *calls;   /* id -> PostbagCall: received, not answered */
  GHashTable *askings; /* our id -> PostbagAsking: questions of ours, not answered */
  GHashTable *watches; /* URI -> PostbagWatch, not owned by the table */
  PostbagListNews news[POSTBAG_LIST_N];
  GPtrArray *untold; /* (nullable) PostbagCall: answered, but not all of it has left */
  GQueue held;       /* PostbagCall: not started because the client does not read */
  guint in_flight;   /* calls received and not over, dropped ones whose worker goes on included */
  gsize weight;      /* bytes that their requests hold */
  gsize batched;     /* bytes of answers that wait for the rest of their batch */
  guint next_id;
  PostbagBatch *batch; /* (nullable): the one that is being received */
  PostbagOutput output;
  gsize queued; /* bytes that the transport could not write yet */
};

/* The answers to one batch (postbag-batch.c). Main thread. */
POSTBAG_API PostbagBatch *postbag_batch_ref (PostbagBatch *self);
POSTBAG_API void postbag_batch_unref (PostbagBatch *self);
/* (transfer full) @answer. It leaves together with the others. */
POSTBAG_API void postbag_batch_add (PostbagBatch *self, GBytes *answer);
/* The response of @call, which hears of it when the batch has left. */
POSTBAG_API void postbag_batch_add_call (PostbagBatch *self, PostbagCall *call);
/* One more answer will come; it came, or will not come after all. */
POSTBAG_API void postbag_batch_expect (PostbagBatch *self);
POSTBAG_API void postbag_batch_settle (PostbagBatch *self);

/* A request under way through the method table. */
typedef struct
{
  PostbagRevision revision;
  const char *id;
  const char *method;
  PostbagJsonDocument *document;
  JsonObject *params;              /* (nullable) */
  JsonObject *client_capabilities; /* (nullable): of the modern envelope */
  char *progress_token;            /* (nullable): JSON text */
  int log_level;                   /* of the modern envelope; -1: none */
} PostbagRequest;

POSTBAG_API PostbagSession *postbag_session_ref (PostbagSession *self);
POSTBAG_API void postbag_session_unref (PostbagSession *self);

POSTBAG_API PostbagSession *postbag_session_new (PostbagEngine *engine, const char *principal,
                                                 PostbagSendFunc send, gpointer user_data);

/* One message, however it came; a batch of them. */
POSTBAG_API void postbag_session_take_incoming (PostbagSession *self,
                                                const PostbagIncoming *incoming);
POSTBAG_API void postbag_session_take_batch (PostbagSession *self, const PostbagIncoming *incoming);

/* (transfer full) @message. Nothing leaves a closed session. */
POSTBAG_API void postbag_session_send (PostbagSession *self, GBytes *message);
/* (transfer full) @answer: to the message that is being received: part of its batch, if it has
 * one. */
POSTBAG_API void postbag_session_send_answer (PostbagSession *self, GBytes *answer);
/* @id: (nullable): then nothing is sent unless the client's revision knows errors without id */
POSTBAG_API void postbag_session_send_error (PostbagSession *self, const char *id, int code,
                                             const char *data, const char *format, ...)
    G_GNUC_PRINTF (5, 6);
/* A result of the request's revision: write its members, then end it. */
POSTBAG_API PostbagJsonWriter *postbag_session_begin_result (PostbagSession *self,
                                                             const PostbagRequest *request);
POSTBAG_API void postbag_session_end_result (PostbagSession *self, const PostbagRequest *request,
                                             PostbagJsonWriter *writer);

/* --- calls (postbag-session-calls.c) --- */

/* Fills a new @call from session and request; %FALSE after an error was sent: its id is one that
 * still runs, or its params are wrong. */
POSTBAG_API gboolean postbag_session_prepare_call (PostbagSession *self,
                                                   const PostbagRequest *request,
                                                   PostbagCall *call);
/* When @call's answer has left, or it is certain that it will not: those who wait for that are
 * told.
 */
void postbag_session_tell_call (PostbagSession *self, PostbagCall *call);
/* (transfer full) (nullable): a new call, prepared; %NULL after an error was sent.
 * @data: (transfer full) (nullable). @toolset: (nullable): whose handler will run */
POSTBAG_API PostbagCall *postbag_session_make_call (PostbagSession *self,
                                                    const PostbagRequest *request,
                                                    const PostbagOperation *operation,
                                                    gpointer data, const char *subject,
                                                    PostbagToolset *toolset);
/* (transfer full) @call: starts it, or refuses it where too many run already. */
POSTBAG_API void postbag_session_submit_call (PostbagSession *self, PostbagCall *call);
/* (transfer full) @call: takes part in the session until it is answered or dropped. */
POSTBAG_API void postbag_session_add_call (PostbagSession *self, PostbagCall *call);
/* Cancels it; nothing more is sent for it. */
POSTBAG_API void postbag_session_drop_call (PostbagSession *self, PostbagCall *call);
/* Drops all calls, or the legacy ones only. */
POSTBAG_API void postbag_session_drop_calls (PostbagSession *self, gboolean legacy_only);
/* Runs it (again), or holds it back while the client does not read. */
POSTBAG_API void postbag_session_start_call (PostbagSession *self, PostbagCall *call);

/* --- questions of ours (postbag-elicitation.c) --- */

POSTBAG_API void postbag_session_elicit (PostbagSession *self, PostbagCall *call);
POSTBAG_API void postbag_session_take_response (PostbagSession *self,
                                                const PostbagIncoming *incoming);
/* Withdraws the question of @call, if there is one. */
POSTBAG_API void postbag_session_withdraw (PostbagSession *self, PostbagCall *call);
/* No answer can come any more: each question counts as one the client could not ask. */
POSTBAG_API void postbag_session_give_up_asking (PostbagSession *self);
/* Ends questions whose time is over. Called by their timers; by tests after moving the clock. */
POSTBAG_API void postbag_session_check_deadlines (PostbagSession *self);

/* --- subscriptions (postbag-subscriptions.c) --- */

POSTBAG_API void postbag_session_init_news (PostbagSession *self);
POSTBAG_API void postbag_session_clear_news (PostbagSession *self);
/* Ends every subscriptions/listen, telling the client. */
POSTBAG_API void postbag_session_end_listens (PostbagSession *self);
/* Forgets what a legacy client subscribed to. */
POSTBAG_API void postbag_session_drop_subscriptions (PostbagSession *self);
/* `_meta` of a notification that belongs to a listen. @listen_id: (nullable): JSON text of its
 * id; nothing is written without */
POSTBAG_API void postbag_session_write_subscription_id (PostbagJsonWriter *writer,
                                                        const char *listen_id);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagSession, postbag_session_unref)

/* --- the method table (postbag-dispatch.c) --- */

typedef enum
{
  POSTBAG_ERA_LEGACY = 1 << 0,
  POSTBAG_ERA_MODERN = 1 << 1,
  POSTBAG_ERA_EARLY = 1 << 2, /* legacy, and also before initialize */
} PostbagEras;

typedef void (*PostbagMethodFunc) (PostbagSession *session, const PostbagRequest *request);

typedef struct
{
  const char *name;
  PostbagEras eras;
  PostbagMethodFunc handle;
} PostbagMethod;

/**
 * PostbagFeature:
 * @is_there: (nullable): whether anything on this surface stands behind it; without it the methods
 *   are unknown and nothing is announced
 * @write_capability: (nullable): writes the feature's member of the server's capabilities
 *
 * What a part of the protocol adds: its methods, the notifications it takes, its capability. A new
 * part is one more such table in postbag-dispatch.c.
 */
typedef struct
{
  gboolean (*is_there) (PostbagSession *session);
  const PostbagMethod *methods;
  gsize n_methods;
  const PostbagMethod *notifications;
  gsize n_notifications;
  void (*write_capability) (PostbagSession *session, PostbagRevision revision,
                            PostbagJsonWriter *writer);
} PostbagFeature;

extern const PostbagFeature postbag_feature_lifecycle;
extern const PostbagFeature postbag_feature_tools;
extern const PostbagFeature postbag_feature_resources;
extern const PostbagFeature postbag_feature_subscribe;
extern const PostbagFeature postbag_feature_listen;
extern const PostbagFeature postbag_feature_prompts;
extern const PostbagFeature postbag_feature_completion;
extern const PostbagFeature postbag_feature_logging;

POSTBAG_API void postbag_session_dispatch (PostbagSession *self, const PostbagIncoming *incoming);
POSTBAG_API void postbag_session_write_capabilities (PostbagSession *self, PostbagRevision revision,
                                                     PostbagJsonWriter *writer);

G_END_DECLS
