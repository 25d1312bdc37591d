/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-imap"

#include "postbag-imap-watcher.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

/* After so many failures in a row there is no IDLE for a while. */
#define FAILURES 3

const PostbagImapWatchTimes postbag_imap_watch_times = {
  .pause = POSTBAG_LIMIT_IMAP_WATCH_PAUSE_MS,
  .gap = POSTBAG_LIMIT_IMAP_WATCH_GAP_MS,
  .round = POSTBAG_LIMIT_IMAP_WATCH_ROUND_MS,
  .silence = POSTBAG_LIMIT_IMAP_SILENCE_MS,
  .poll = POSTBAG_LIMIT_IMAP_WATCH_POLL_MS,
  .steady = POSTBAG_LIMIT_IMAP_WATCH_STEADY_MS,
  .retry = POSTBAG_LIMIT_IMAP_WATCH_RETRY_MS,
  .longest = POSTBAG_LIMIT_IMAP_WATCH_RETRY_MOST_MS,
  .rest = POSTBAG_LIMIT_IMAP_WATCH_REST_MS,
};

typedef struct
{
  guint id;
  PostbagChangeFunc changed;
  gpointer user_data;
} Listener;

struct _PostbagImapWatcher
{
  PostbagImapStore *store;
  const PostbagImapWatchTimes *times;

  /* Recursive, and held while telling, so that removing means: not told any more. */
  GRecMutex lock;
  GPtrArray *watches; /* with lock: Watch, owned by their threads */
  guint last_id;      /* with lock */

  GMutex idle_lock; /* never held while telling */
  GCond idle_left;
  guint idling;        /* with idle_lock: connections that wait, or are being opened for that */
  gint64 single_until; /* with idle_lock: the server gives no connection beside another one */

  GMutex threads_lock;
  GCond ended;
  guint threads; /* with threads_lock */
};

typedef struct
{
  PostbagImapWatcher *watcher;
  char *mailbox;
  GArray *listeners; /* with the watcher's lock: Listener */
  GCancellable *cancellable;
  GCancellable *idle_cancellable; /* (nullable): with idle_lock: ends IDLE, and not the watch */

  /* --- the thread's own --- */
  GMainContext *context;
  PostbagImapMarks marks; /* when it was last looked at */
  gboolean is_stale;      /* something was told since */
  guint failures;         /* in a row */
  gint64 polled_until;    /* no IDLE before */
} Watch;

static Watch *
create_watch (PostbagImapWatcher *self, const char *mailbox)
{
  static const PostbagImapMarks unknown = POSTBAG_IMAP_MARKS_UNKNOWN;
  Watch *watch = g_new0 (Watch, 1);

  watch->watcher = self;
  watch->mailbox = g_strdup (mailbox);
  watch->listeners = g_array_new (FALSE, FALSE, sizeof (Listener));
  watch->cancellable = g_cancellable_new ();
  watch->context = g_main_context_new ();
  watch->marks = unknown;
  /* What a caller saw before it began to watch, so that nothing in between is lost. */
  watch->marks.messages = postbag_imap_store_recall_count (self->store, mailbox);
  return watch;
}

static void
free_watch (Watch *watch)
{
  g_free (watch->mailbox);
  g_array_unref (watch->listeners);
  g_object_unref (watch->cancellable);
  g_main_context_unref (watch->context);
  g_free (watch);
}

static void
tell (gpointer data)
{
  Watch *watch = data;

  g_rec_mutex_lock (&watch->watcher->lock);
  /* Backwards: the callee may remove itself. */
  for (guint i = watch->listeners->len; i > 0; i--)
    if (i <= watch->listeners->len)
      {
        Listener listener = g_array_index (watch->listeners, Listener, i - 1);

        listener.changed (watch->mailbox, listener.user_data);
      }
  g_rec_mutex_unlock (&watch->watcher->lock);
}

/* The mailbox was looked at: tells when it is not what it was. */
static void
take_marks (Watch *watch, const PostbagImapMarks *marks)
{
  gboolean has_changed = watch->is_stale || postbag_imap_marks_differ (&watch->marks, marks);

  watch->marks = *marks;
  watch->is_stale = FALSE;
  if (has_changed)
    tell (watch);
}

/* --- by IDLE --- */

/* Whether this watch may have a connection now. The only one there is goes round between the calls
 * and one mailbox; with several, all are asked about. */
static gboolean
may_idle (Watch *watch, gboolean is_single)
{
  PostbagImapWatcher *self = watch->watcher;
  gboolean is_alone;

  if (g_get_monotonic_time () < watch->polled_until)
    return FALSE;
  if (!is_single)
    return TRUE;
  g_rec_mutex_lock (&self->lock);
  is_alone = self->watches->len == 1;
  g_rec_mutex_unlock (&self->lock);
  return is_alone && postbag_imap_pool_make_room (self->store->pool, self->times->rest);
}

static gboolean
enter_idle (Watch *watch)
{
  PostbagImapWatcher *self = watch->watcher;
  gboolean is_single, may;

  g_mutex_lock (&self->idle_lock);
  is_single = g_get_monotonic_time () < self->single_until;
  g_mutex_unlock (&self->idle_lock);
  if (!may_idle (watch, is_single))
    return FALSE;
  g_mutex_lock (&self->idle_lock);
  may = self->idling < POSTBAG_LIMIT_IMAP_WATCH_CONNECTIONS;
  self->idling += may ? 1 : 0;
  if (may)
    watch->idle_cancellable = g_cancellable_new ();
  g_mutex_unlock (&self->idle_lock);
  return may;
}

static void
leave_idle (Watch *watch)
{
  PostbagImapWatcher *self = watch->watcher;

  g_mutex_lock (&self->idle_lock);
  self->idling--;
  g_clear_object (&watch->idle_cancellable);
  g_cond_broadcast (&self->idle_left);
  g_mutex_unlock (&self->idle_lock);
}

static void
cancel_idle (Watch *watch)
{
  g_autoptr (GCancellable) cancellable = NULL;

  g_mutex_lock (&watch->watcher->idle_lock);
  if (watch->idle_cancellable != NULL)
    cancellable = g_object_ref (watch->idle_cancellable);
  g_mutex_unlock (&watch->watcher->idle_lock);
  if (cancellable != NULL)
    g_cancellable_cancel (cancellable);
}

static void
note_single (PostbagImapWatcher *self)
{
  g_mutex_lock (&self->idle_lock);
  self->single_until = g_get_monotonic_time () + (gint64)self->times->longest * 1000;
  g_mutex_unlock (&self->idle_lock);
}

/* A call gets no connection: whoever waits with one gives it back. */
static gboolean
yield_connections (gpointer data)
{
  PostbagImapWatcher *self = data;
  gint64 deadline = g_get_monotonic_time () + (gint64)POSTBAG_LIMIT_IMAP_WATCH_YIELD_MS * 1000;
  gboolean any;

  g_mutex_lock (&self->idle_lock);
  any = self->idling > 0;
  g_mutex_unlock (&self->idle_lock);
  if (!any)
    return FALSE;
  note_single (self);
  g_rec_mutex_lock (&self->lock);
  for (guint i = 0; i < self->watches->len; i++)
    cancel_idle (g_ptr_array_index (self->watches, i));
  g_rec_mutex_unlock (&self->lock);
  g_mutex_lock (&self->idle_lock);
  while (self->idling > 0 && g_cond_wait_until (&self->idle_left, &self->idle_lock, deadline))
    ;
  any = self->idling == 0;
  g_mutex_unlock (&self->idle_lock);
  return any;
}

/* Over @wire until it breaks. */
static void
wait_for_news (Watch *watch, PostbagImapWire *wire, gboolean *is_refused, GError **error)
{
  PostbagImapWatcher *self = watch->watcher;
  g_autoptr (PostbagImapCommand) command = postbag_imap_command_new ("EXAMINE");
  PostbagImapIdle idle = { .wire = wire,
                           .context = watch->context,
                           .cancellable = watch->idle_cancellable,
                           .times = self->times,
                           .tell = tell,
                           .user_data = watch };

  /* The dialer's ends with its deadline. */
  g_set_object (&wire->cancellable, watch->idle_cancellable);
  postbag_imap_store_add_mailbox (self->store, command, watch->mailbox, wire->utf8);
  if (postbag_imap_idle_select (&idle, command, error))
    {
      take_marks (watch, &idle.marks);
      postbag_imap_idle_run (&idle, error);
      watch->is_stale |= idle.has_changed;
    }
  *is_refused = idle.is_refused;
  postbag_imap_idle_leave (&idle);
}

/* How long to wait after a failure, milliseconds. */
static guint
get_retry (const Watch *watch, const GError *error)
{
  const PostbagImapWatchTimes *times = watch->watcher->times;
  guint64 wait = (guint64)times->retry << MIN (watch->failures, 20);

  /* Accounts are locked over logins that are refused again and again. */
  if (g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_LOGIN_REFUSED)
      || g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_LOGIN))
    return times->longest;
  return (guint)MIN (wait, times->longest);
}

/* A connection for IDLE ended with @error: how long to wait before the next step. */
static guint
settle_failure (Watch *watch, gint64 start, gboolean is_refused, const GError *error)
{
  PostbagImapWatcher *self = watch->watcher;
  guint wait;

  if (g_get_monotonic_time () - start > (gint64)self->times->steady * 1000)
    watch->failures = 0;
  wait = get_retry (watch, error);
  watch->failures++;
  if (is_refused)
    watch->polled_until = G_MAXINT64;
  else if (watch->failures >= FAILURES)
    watch->polled_until = g_get_monotonic_time () + (gint64)self->times->longest * 1000;
  else if (g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_BUSY))
    note_single (self);
  return wait;
}

/* One connection; returns how long to wait before the next step. */
static guint
run_idle (Watch *watch)
{
  PostbagImapWatcher *self = watch->watcher;
  gint64 start = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;
  gboolean is_refused = FALSE;
  gboolean has_yielded;
  g_autoptr (PostbagImapWire) wire =
      postbag_imap_pool_dial (self->store->pool, watch->idle_cancellable, &error);

  if (wire != NULL)
    wait_for_news (watch, wire, &is_refused, &error);
  has_yielded = g_cancellable_is_cancelled (watch->idle_cancellable);
  leave_idle (watch);
  if (g_cancellable_is_cancelled (watch->cancellable))
    return 0;
  if (has_yielded)
    return self->times->retry;
  g_debug ("%s: %s", watch->mailbox, error->message);
  return settle_failure (watch, start, is_refused, error);
}

/* --- by STATUS --- */

static PostbagImapRequest *
create_request (Watch *watch)
{
  PostbagImapRequest *request = postbag_imap_store_create_request (
      watch->watcher->store, NULL, 1u << POSTBAG_IMAP_REPLY_MAILBOX_STATUS);

  request->in_background = TRUE;
  return request;
}

static PostbagImapRequest *
create_question (Watch *watch, const PostbagImapFeatures *features)
{
  PostbagImapRequest *request = create_request (watch);
  PostbagImapCommand *command = postbag_imap_request_add (request, "STATUS");

  postbag_imap_store_add_mailbox (watch->watcher->store, command, watch->mailbox, features->utf8);
  postbag_imap_command_add_words (command, (features->has & POSTBAG_IMAP_HAS_CONDSTORE) != 0
                                               ? "(MESSAGES UNSEEN UIDNEXT UIDVALIDITY "
                                                 "HIGHESTMODSEQ)"
                                               : "(MESSAGES UNSEEN UIDNEXT UIDVALIDITY)");
  return request;
}

/* NOOP first, and answered: of the mailbox that is selected a server may know nothing new before,
 * and it may put off looking while another command waits behind. */
static gboolean
ask (Watch *watch, const PostbagImapFeatures *features, GError **error)
{
  PostbagImapStore *store = watch->watcher->store;
  g_autoptr (PostbagImapRequest) refresh = create_request (watch);
  g_autoptr (PostbagImapRequest) request = create_question (watch, features);

  postbag_imap_request_add (refresh, "NOOP");
  if (!postbag_imap_store_run (store, refresh, watch->cancellable, error)
      || !postbag_imap_store_run (store, request, watch->cancellable, error))
    return FALSE;
  for (guint i = 0; i < request->replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (request->replies, i);
      const PostbagImapMailboxStatus *status = reply->mailbox_status;
      PostbagImapMarks marks = { status->messages, status->unseen, MAX (status->uid_next, 0),
                                 MAX (status->uid_validity, 0), (guint64)MAX (status->modseq, 0) };

      if (postbag_mailbox_is_same (status->name, watch->mailbox))
        take_marks (watch, &marks);
    }
  return TRUE;
}

static guint
run_poll (Watch *watch, const PostbagImapFeatures *features)
{
  PostbagImapWatcher *self = watch->watcher;
  g_autoptr (GError) error = NULL;
  guint wait = self->times->poll;

  if (!ask (watch, features, &error))
    {
      wait = MAX (wait, get_retry (watch, error));
      watch->failures++;
      return wait;
    }
  /* Failures of IDLE are forgotten only by IDLE. */
  if (watch->polled_until == G_MAXINT64)
    watch->failures = 0;
  return wait;
}

/* --- the thread --- */

static guint
run_step (Watch *watch)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagImapFeatures) features =
      postbag_imap_pool_get_features (watch->watcher->store->pool, watch->cancellable, &error);

  if (features == NULL)
    {
      guint wait = get_retry (watch, error);

      watch->failures++;
      return wait;
    }
  if ((features->has & POSTBAG_IMAP_HAS_IDLE) != 0 && enter_idle (watch))
    return run_idle (watch);
  return run_poll (watch, features);
}

static gpointer
run_watch (gpointer data)
{
  Watch *watch = data;
  PostbagImapWatcher *self = watch->watcher;

  while (!g_cancellable_is_cancelled (watch->cancellable))
    {
      guint wait = run_step (watch);

      postbag_imap_idle_wait (watch->context, NULL, watch->cancellable,
                              g_get_monotonic_time () + (gint64)wait * 1000);
    }
  /* Whoever cancelled it is done with it. */
  g_rec_mutex_lock (&self->lock);
  g_rec_mutex_unlock (&self->lock);
  free_watch (watch);
  g_mutex_lock (&self->threads_lock);
  self->threads--;
  g_cond_signal (&self->ended);
  g_mutex_unlock (&self->threads_lock);
  return NULL;
}

static void
end_watch (PostbagImapWatcher *self, guint index)
{
  Watch *watch = g_ptr_array_index (self->watches, index);

  g_ptr_array_remove_index_fast (self->watches, index);
  /* Under the lock: the thread frees it behind that. */
  g_cancellable_cancel (watch->cancellable);
  cancel_idle (watch);
}

/* --- from outside --- */

PostbagImapWatcher *
postbag_imap_watcher_new (PostbagImapStore *store, const PostbagImapWatchTimes *times)
{
  PostbagImapWatcher *self = g_new0 (PostbagImapWatcher, 1);

  self->store = store;
  self->times = times;
  self->watches = g_ptr_array_new ();
  g_rec_mutex_init (&self->lock);
  g_mutex_init (&self->idle_lock);
  g_cond_init (&self->idle_left);
  g_mutex_init (&self->threads_lock);
  g_cond_init (&self->ended);
  postbag_imap_pool_add_yield (store->pool, yield_connections, self);
  return self;
}

void
postbag_imap_watcher_free (PostbagImapWatcher *self)
{
  g_rec_mutex_lock (&self->lock);
  while (self->watches->len > 0)
    {
      g_array_set_size (((Watch *)g_ptr_array_index (self->watches, 0))->listeners, 0);
      end_watch (self, 0);
    }
  g_rec_mutex_unlock (&self->lock);
  g_mutex_lock (&self->threads_lock);
  while (self->threads > 0)
    g_cond_wait (&self->ended, &self->threads_lock);
  g_mutex_unlock (&self->threads_lock);
  g_ptr_array_unref (self->watches);
  g_rec_mutex_clear (&self->lock);
  g_mutex_clear (&self->idle_lock);
  g_cond_clear (&self->idle_left);
  g_mutex_clear (&self->threads_lock);
  g_cond_clear (&self->ended);
  g_free (self);
}

static Watch *
find_watch (PostbagImapWatcher *self, const char *mailbox)
{
  for (guint i = 0; i < self->watches->len; i++)
    {
      Watch *watch = g_ptr_array_index (self->watches, i);

      if (postbag_mailbox_is_same (watch->mailbox, mailbox))
        return watch;
    }
  return NULL;
}

static Watch *
start_watch (PostbagImapWatcher *self, const char *mailbox)
{
  Watch *watch = create_watch (self, mailbox);

  g_ptr_array_add (self->watches, watch);
  g_mutex_lock (&self->threads_lock);
  self->threads++;
  g_mutex_unlock (&self->threads_lock);
  g_thread_unref (g_thread_new ("postbag-imap-watch", run_watch, watch));
  return watch;
}

guint
postbag_imap_watcher_add (PostbagImapWatcher *self, const char *mailbox, PostbagChangeFunc changed,
                          gpointer user_data, GError **error)
{
  Listener listener = { 0, changed, user_data };
  Watch *watch;

  g_rec_mutex_lock (&self->lock);
  watch = find_watch (self, mailbox);
  if (watch == NULL && self->watches->len < POSTBAG_LIMIT_IMAP_WATCHES)
    watch = start_watch (self, mailbox);
  if (watch != NULL && watch->listeners->len < POSTBAG_LIMIT_IMAP_LISTENERS)
    {
      listener.id = ++self->last_id;
      g_array_append_val (watch->listeners, listener);
    }
  g_rec_mutex_unlock (&self->lock);
  if (listener.id == 0)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BUSY,
                 "Already %d mailboxes of this account are watched. Stop watching one first.",
                 POSTBAG_LIMIT_IMAP_WATCHES);
  return listener.id;
}

void
postbag_imap_watcher_remove (PostbagImapWatcher *self, guint id)
{
  g_rec_mutex_lock (&self->lock);
  for (guint i = 0; i < self->watches->len; i++)
    {
      Watch *watch = g_ptr_array_index (self->watches, i);

      for (guint j = 0; j < watch->listeners->len; j++)
        if (g_array_index (watch->listeners, Listener, j).id == id)
          {
            g_array_remove_index (watch->listeners, j);
            if (watch->listeners->len == 0)
              end_watch (self, i);
            g_rec_mutex_unlock (&self->lock);
            return;
          }
    }
  g_rec_mutex_unlock (&self->lock);
}
