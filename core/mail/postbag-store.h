/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-api.h"
#include "mail/postbag-account.h"
#include "mail/postbag-effect.h"
#include "mail/postbag-mail-types.h"

G_BEGIN_DECLS

/* Where mail lives. Calls are mailbox-scoped, without a visible "open", so that a backend can send
 * EXAMINE and FETCH in one write; they block, may be called from any thread, and are cancellable.
 * Reading never changes anything: no message is marked read. Everything is by UID. */

#define POSTBAG_TYPE_STORE (postbag_store_get_type ())
POSTBAG_API G_DECLARE_FINAL_TYPE (PostbagStore, postbag_store, POSTBAG, STORE, GObject)

    /* Writes the bytes of one part as they come. Returns %FALSE with an error to stop. */
    typedef gboolean (*PostbagSinkFunc) (const guint8 *data, gsize length, gpointer user_data,
                                         GError **error);

/* Told on an arbitrary thread that @mailbox changed; the callee only schedules. */
typedef void (*PostbagChangeFunc) (const char *mailbox, gpointer user_data);

/* Told of one thing that was looked at and is fine: @step: a word ("tls"), @facts: what was found,
 * cleaned, one line. */
typedef void (*PostbagStepFunc) (const char *step, const char *facts, gpointer user_data);

/* Progress of a long search: 0..1. Nullable everywhere. */
typedef void (*PostbagProgressFunc) (double fraction, gpointer user_data);

typedef struct
{
  gint64 offset; /* matches to skip, newest first */
  guint limit;   /* at most this many summaries; 0: only count */
  PostbagProgressFunc progress;
  gpointer progress_data;
} PostbagPage;

/**
 * PostbagStoreImplementation:
 *
 * What a store plugin provides; @self is what @open returned. An unset slot means "cannot": the
 * caller gets %POSTBAG_ERROR_NOT_SUPPORTED.
 */
typedef struct
{
  guint32 size;
  /* Cheap, touches no network: a wrong configuration fails here, an unreachable server later.
   * @state_dir: (nullable): the store's own folder in the state folder, existing, 0700. */
  gpointer (*open) (const PostbagAccount *account, const char *state_dir, GError **error);
  void (*close) (gpointer self);
  /* (element-type PostbagMailbox), at most POSTBAG_LIMIT_MAILBOXES; @total: how many there are */
  GPtrArray *(*list_mailboxes) (gpointer self, gboolean with_status, gint64 *total,
                                GCancellable *cancellable, GError **error);
  PostbagMailboxState *(*get_state) (gpointer self, const char *mailbox, GCancellable *cancellable,
                                     GError **error);
  PostbagSearchPage *(*search) (gpointer self, const char *mailbox, const PostbagSearch *search,
                                const PostbagPage *page, GCancellable *cancellable, GError **error);
  /* @max_source: at most so much of it. For a prefix (POSTBAG_LIMIT_PREFIX_BYTES) a store may stop
   * where it knows the text to end: then it is not complete, and comes with its structure. */
  PostbagFetchedMessage *(*fetch_message) (gpointer self, const char *mailbox, guint32 uid,
                                           gsize max_source, GCancellable *cancellable,
                                           GError **error);
  PostbagPart *(*fetch_structure) (gpointer self, const char *mailbox, guint32 uid,
                                   GCancellable *cancellable, GError **error);
  /* The part's octets as they stand in the message (still transfer-encoded); @number "0" is the
   * whole message. */
  gboolean (*fetch_part) (gpointer self, const char *mailbox, guint32 uid, const char *number,
                          PostbagSinkFunc sink, gpointer user_data, GCancellable *cancellable,
                          GError **error);
  /* (transfer full) (array zero-terminated=1): what the server announced, unsorted */
  char **(*get_capabilities) (gpointer self, GCancellable *cancellable, GError **error);
  guint (*watch) (gpointer self, const char *mailbox, PostbagChangeFunc changed, gpointer user_data,
                  GError **error);
  void (*unwatch) (gpointer self, guint id);
  /* Changes. Only ever called by the effect layer. */
  PostbagEffectReport *(*apply) (gpointer self, const PostbagEffect *effect,
                                 GCancellable *cancellable, GError **error);
  /* Goes the way to the mail afresh, step by step, telling each one that worked; the first that
   * does not is the error, with its cure. */
  gboolean (*diagnose) (gpointer self, PostbagStepFunc told, gpointer user_data,
                        GCancellable *cancellable, GError **error);
  /* What @fetch_part gives, or the part's content with its transfer encoding undone, where that is
   * cheaper to come by; @is_decoded: (out): which, set before the first byte. */
  gboolean (*fetch_content) (gpointer self, const char *mailbox, guint32 uid, const char *number,
                             gboolean *is_decoded, PostbagSinkFunc sink, gpointer user_data,
                             GCancellable *cancellable, GError **error);
  /* Whether @apply would refuse @effect for something that can be seen beforehand, so that nobody
   * is asked for it. Changes nothing; @apply looks again. */
  gboolean (*check) (gpointer self, const PostbagEffect *effect, GCancellable *cancellable,
                     GError **error);
} PostbagStoreImplementation;

/* --- for toolsets: the same calls, checked --- */

POSTBAG_API const PostbagAccount *postbag_store_get_account (PostbagStore *self);
POSTBAG_API GPtrArray *postbag_store_list_mailboxes (PostbagStore *self, gboolean with_status,
                                                     gint64 *total, GCancellable *cancellable,
                                                     GError **error);
POSTBAG_API PostbagMailboxState *postbag_store_get_state (PostbagStore *self, const char *mailbox,
                                                          GCancellable *cancellable,
                                                          GError **error);
POSTBAG_API PostbagSearchPage *postbag_store_search (PostbagStore *self, const char *mailbox,
                                                     const PostbagSearch *search,
                                                     const PostbagPage *page,
                                                     GCancellable *cancellable, GError **error);
POSTBAG_API PostbagFetchedMessage *
postbag_store_fetch_message (PostbagStore *self, const char *mailbox, guint32 uid, gsize max_source,
                             GCancellable *cancellable, GError **error);
POSTBAG_API PostbagPart *postbag_store_fetch_structure (PostbagStore *self, const char *mailbox,
                                                        guint32 uid, GCancellable *cancellable,
                                                        GError **error);
POSTBAG_API gboolean postbag_store_fetch_part (PostbagStore *self, const char *mailbox, guint32 uid,
                                               const char *number, PostbagSinkFunc sink,
                                               gpointer user_data, GCancellable *cancellable,
                                               GError **error);

/**
 * postbag_store_fetch_content:
 * @number: of a leaf
 * @is_decoded: (out): whether what came is content, else it is octets as they stand in the message;
 *   set before @sink is called first
 *
 * Like postbag_store_fetch_part(), but lets the store choose the shorter form (RFC 3516).
 */
POSTBAG_API gboolean postbag_store_fetch_content (PostbagStore *self, const char *mailbox,
                                                  guint32 uid, const char *number,
                                                  gboolean *is_decoded, PostbagSinkFunc sink,
                                                  gpointer user_data, GCancellable *cancellable,
                                                  GError **error);
POSTBAG_API char **postbag_store_get_capabilities (PostbagStore *self, GCancellable *cancellable,
                                                   GError **error);
POSTBAG_API guint postbag_store_watch (PostbagStore *self, const char *mailbox,
                                       PostbagChangeFunc changed, gpointer user_data,
                                       GError **error);
POSTBAG_API void postbag_store_unwatch (PostbagStore *self, guint id);

/* Where the backend cannot tell its steps, there is none and it is fine. */
POSTBAG_API gboolean postbag_store_diagnose (PostbagStore *self, PostbagStepFunc told,
                                             gpointer user_data, GCancellable *cancellable,
                                             GError **error);

/**
 * postbag_store_apply:
 *
 * The effect layer, the only way to change mail: mask, STOP switch, bounds, consent, journal,
 * backend, audit line.
 *
 * Returns: (transfer full) (nullable): what happened; set beside @error too, where something did
 */
POSTBAG_API PostbagEffectReport *postbag_store_apply (PostbagStore *self,
                                                      const PostbagEffect *effect,
                                                      GCancellable *cancellable, GError **error);

/* Whether @effect would pass the effect layer, consent apart: before a person is asked for it. */
POSTBAG_API gboolean postbag_store_check (PostbagStore *self, const PostbagEffect *effect,
                                          GCancellable *cancellable, GError **error);

/* How an interrupted change turned out, as far as looking tells. */
typedef enum
{
  POSTBAG_OUTCOME_UNKNOWN,
  POSTBAG_OUTCOME_DONE,
  POSTBAG_OUTCOME_NOT_DONE,
  POSTBAG_OUTCOME_PARTLY, /* of a rename: there are mailboxes of both names */
} PostbagOutcome;

/**
 * PostbagInterrupted:
 * @kind, @mailbox, @destination: what was under way
 * @time: when it began, seconds since 1970
 * @outcome: of what is no change of messages
 * @uids: (element-type guint32): the messages that it was about
 * @still: (element-type guint32): of a move or purge, those that are still where they were
 * @gone: (element-type guint32): of a move or purge, those that are not there any more
 * @unseen: how many of them could not be looked for
 * @receipt: (nullable): stolen by who tells of it; closed as not told with it
 *
 * A change during which Postbag ended, or the connection was lost: written down before it began.
 */
typedef struct
{
  PostbagEffectKind kind;
  char *mailbox;
  char *destination; /* (nullable) */
  gint64 time;
  PostbagOutcome outcome;
  GArray *uids;
  GArray *still;
  GArray *gone;
  guint unseen;
  PostbagReceipt *receipt;
} PostbagInterrupted;

POSTBAG_API void postbag_interrupted_free (PostbagInterrupted *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagInterrupted, postbag_interrupted_free)

/**
 * postbag_store_take_interrupted:
 *
 * What was interrupted on this account, resolved by looking. Whoever takes one tells of it and
 * closes its receipt; until then nobody else gets it.
 *
 * Returns: (transfer full) (element-type PostbagInterrupted): oldest first, mostly empty
 */
POSTBAG_API GPtrArray *postbag_store_take_interrupted (PostbagStore *self,
                                                       GCancellable *cancellable);

/**
 * postbag_store_withdraw_marks:
 * @keyword: a toolset's own
 *
 * Takes @keyword from the messages of @mailbox that got it for an answer which nobody got: the
 * client left, or the process ended. What cannot be taken back now is tried again next time.
 */
POSTBAG_API void postbag_store_withdraw_marks (PostbagStore *self, const char *mailbox,
                                               const char *keyword, GCancellable *cancellable);

/**
 * postbag_store_was_interrupted:
 * @was_interrupted: (out)
 *
 * Whether a change that was interrupted, and not told of yet, may have done some of what @effect
 * would do again: another copy of a message, or a draft twice. Nothing is looked at but the
 * journal. One that another call or process is just telling of counts, too.
 *
 * Returns: %FALSE with @error where the journal cannot be seen: then @effect must not be applied
 */
POSTBAG_API gboolean postbag_store_was_interrupted (PostbagStore *self, const PostbagEffect *effect,
                                                    gboolean *was_interrupted, GError **error);

G_END_DECLS
