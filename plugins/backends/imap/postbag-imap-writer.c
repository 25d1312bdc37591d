/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-writer.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "postbag-imap-io.h"
#include "safety/postbag-clean.h"

#include <string.h>

struct _PostbagImapWriter
{
  gatomicrefcount references; /* the timer holds one */
  PostbagImapPool *pool;
  const PostbagImapTimes *times;

  GMutex lock; /* never held while the network is waited for: @is_taken and @idle_timer */
  GCond freed;
  gboolean is_taken;     /* from begin to end: everything below is that call's */
  PostbagImapWire *wire; /* (nullable) */
  PostbagImapFeatures *features;
  gboolean is_fresh;         /* nothing was sent on it yet */
  gboolean is_alone;         /* the server allows no other beside it */
  gint64 left_at;            /* when it was last closed */
  GCancellable *cancellable; /* (nullable): of the call */
  GSource *idle_timer;       /* (nullable) */
  GError *refusal;           /* (nullable): of the last login */
  gint64 quiet_until;
};

void
postbag_imap_outcome_free (PostbagImapOutcome *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->status, postbag_imap_status_free);
  g_ptr_array_unref (self->replies);
  g_free (self);
}

static PostbagImapOutcome *
create_outcome (void)
{
  PostbagImapOutcome *self = g_new0 (PostbagImapOutcome, 1);

  self->replies = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_imap_reply_unref);
  return self;
}

const PostbagImapStatus *
postbag_imap_outcome_find_code (const PostbagImapOutcome *self, const char *code)
{
  if (self->status != NULL && g_strcmp0 (self->status->code, code) == 0)
    return self->status;
  for (guint i = self->replies->len; i > 0; i--)
    {
      const PostbagImapReply *reply = g_ptr_array_index (self->replies, i - 1);

      if (reply->kind == POSTBAG_IMAP_REPLY_STATUS && g_strcmp0 (reply->status->code, code) == 0)
        return reply->status;
    }
  return NULL;
}

/* --- the connection --- */

/* The socket itself: a goodbye in TLS would wait for a peer that may have stalled. */
static void
close_socket (PostbagImapWire *wire)
{
  g_autoptr (GIOStream) base = NULL;

  if (G_IS_TLS_CONNECTION (wire->stream))
    g_object_get (wire->stream, "base-io-stream", &base, NULL);
  else
    base = g_object_ref (wire->stream);
  if (G_IS_SOCKET_CONNECTION (base))
    g_socket_close (g_socket_connection_get_socket (G_SOCKET_CONNECTION (base)), NULL);
}

static void
drop (PostbagImapWriter *self)
{
  if (self->wire == NULL)
    return;
  close_socket (self->wire);
  g_clear_pointer (&self->wire, postbag_imap_wire_free);
  g_clear_pointer (&self->features, postbag_imap_features_free);
  self->left_at = g_get_monotonic_time ();
}

/* A call that reads gets no connection: after the change that is under way it has this one's place.
 * Also just after it was left: servers take a moment to notice. */
static gboolean
yield_place (gpointer data)
{
  PostbagImapWriter *self = data;
  gint64 deadline = g_get_monotonic_time () + (gint64)self->times->request * 1000;
  gboolean is_free = FALSE;

  g_mutex_lock (&self->lock);
  while (self->is_taken && g_cond_wait_until (&self->freed, &self->lock, deadline))
    ;
  if (!self->is_taken)
    {
      drop (self);
      is_free = self->left_at != 0 && g_get_monotonic_time () - self->left_at < G_USEC_PER_SEC;
    }
  g_mutex_unlock (&self->lock);
  return is_free;
}

PostbagImapWriter *
postbag_imap_writer_new (PostbagImapPool *pool, const PostbagImapTimes *times)
{
  PostbagImapWriter *self = g_new0 (PostbagImapWriter, 1);

  g_atomic_ref_count_init (&self->references);
  self->pool = pool;
  self->times = times;
  g_mutex_init (&self->lock);
  g_cond_init (&self->freed);
  postbag_imap_pool_add_yield (pool, yield_place, self);
  return self;
}

static void
clear_timer (PostbagImapWriter *self)
{
  if (self->idle_timer != NULL)
    g_source_destroy (self->idle_timer);
  g_clear_pointer (&self->idle_timer, g_source_unref);
}

static void
unref_writer (gpointer data)
{
  PostbagImapWriter *self = data;

  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_error (&self->refusal);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->freed);
  g_free (self);
}

void
postbag_imap_writer_free (PostbagImapWriter *self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->lock);
  clear_timer (self);
  drop (self);
  g_mutex_unlock (&self->lock);
  unref_writer (self);
}

/* Refused logins are remembered, so that a wrong password does not lock an account. */
static gboolean
dial (PostbagImapWriter *self, GError **error)
{
  g_autoptr (GError) local_error = NULL;

  if (self->refusal != NULL && g_get_monotonic_time () < self->quiet_until)
    {
      g_propagate_error (error, g_error_copy (self->refusal));
      return FALSE;
    }
  g_clear_error (&self->refusal);
  self->wire = postbag_imap_pool_dial_with_room (self->pool, self, &self->is_alone,
                                                 self->cancellable, &local_error);
  if (self->wire != NULL)
    self->features = postbag_imap_wire_get_features (self->wire, &local_error);
  if (self->features != NULL)
    {
      self->features->utf8 = self->wire->utf8;
      self->is_fresh = TRUE;
      return TRUE;
    }
  drop (self);
  self->refusal = g_error_copy (local_error);
  self->quiet_until = g_error_matches (local_error, POSTBAG_ERROR, POSTBAG_ERROR_LOGIN_REFUSED)
                          ? g_get_monotonic_time () + POSTBAG_LIMIT_IMAP_REFUSED_MS * 1000
                          : 0;
  g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}

static void
wake (GCancellable *cancellable, gpointer data)
{
  PostbagImapWriter *self = data;

  g_mutex_lock (&self->lock);
  g_cond_broadcast (&self->freed);
  g_mutex_unlock (&self->lock);
}

/* Waits until no other call changes anything over this connection. */
static gboolean
take (PostbagImapWriter *self, GCancellable *cancellable, GError **error)
{
  gulong handler =
      cancellable != NULL ? g_cancellable_connect (cancellable, G_CALLBACK (wake), self, NULL) : 0;
  gboolean taken;

  g_mutex_lock (&self->lock);
  while (self->is_taken && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait (&self->freed, &self->lock);
  taken = !self->is_taken && !g_cancellable_is_cancelled (cancellable);
  if (taken)
    {
      self->is_taken = TRUE;
      clear_timer (self);
    }
  g_mutex_unlock (&self->lock);
  g_cancellable_disconnect (cancellable, handler);
  if (!taken)
    g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED,
                         "Cancelled before anything was sent. Nothing was changed.");
  return taken;
}

static void
give_back (PostbagImapWriter *self)
{
  g_mutex_lock (&self->lock);
  self->is_taken = FALSE;
  g_cond_broadcast (&self->freed);
  g_mutex_unlock (&self->lock);
}

gboolean
postbag_imap_writer_begin (PostbagImapWriter *self, GCancellable *cancellable, GError **error)
{
  /* Reading has its own memory of refused logins: asked first, it answers from there. */
  g_autoptr (PostbagImapFeatures) known =
      postbag_imap_pool_get_features (self->pool, cancellable, error);

  if (known == NULL)
    return FALSE;
  if (!take (self, cancellable, error))
    return FALSE;
  self->cancellable = cancellable;
  if (self->wire != NULL || dial (self, error))
    return TRUE;
  self->cancellable = NULL;
  give_back (self);
  return FALSE;
}

/* On the I/O thread. */
static gboolean
leave (gpointer data)
{
  PostbagImapWriter *self = data;

  g_mutex_lock (&self->lock);
  if (!self->is_taken && !g_source_is_destroyed (g_main_current_source ()))
    drop (self);
  g_mutex_unlock (&self->lock);
  return G_SOURCE_REMOVE;
}

void
postbag_imap_writer_end (PostbagImapWriter *self)
{
  self->cancellable = NULL;
  if (self->is_alone)
    drop (self);
  g_mutex_lock (&self->lock);
  self->is_taken = FALSE;
  if (self->wire != NULL)
    {
      self->idle_timer = g_timeout_source_new (self->times->idle);
      g_atomic_ref_count_inc (&self->references);
      g_source_set_callback (self->idle_timer, leave, self, unref_writer);
      g_source_attach (self->idle_timer, postbag_imap_io_get_context ());
    }
  g_cond_broadcast (&self->freed);
  g_mutex_unlock (&self->lock);
}

gboolean
postbag_imap_writer_is_open (PostbagImapWriter *self)
{
  return self->wire != NULL;
}

gboolean
postbag_imap_writer_renew (PostbagImapWriter *self, GError **error)
{
  if (self->is_fresh)
    return TRUE;
  drop (self);
  return dial (self, error);
}

/* --- what the server can do --- */

gboolean
postbag_imap_writer_has (PostbagImapWriter *self, const char *word)
{
  for (char **next = self->features->words; *next != NULL; next++)
    if (g_ascii_strcasecmp (*next, word) == 0)
      return TRUE;
  return (self->features->has & POSTBAG_IMAP_HAS_REV2) != 0
         && (strcmp (word, "MOVE") == 0 || strcmp (word, "UIDPLUS") == 0);
}

const char *
postbag_imap_writer_get_value (PostbagImapWriter *self, const char *word)
{
  gsize length = strlen (word);

  for (char **next = self->features->words; *next != NULL; next++)
    if (g_ascii_strncasecmp (*next, word, length) == 0 && (*next)[length] == '=')
      return *next + length + 1;
  return NULL;
}

gboolean
postbag_imap_writer_is_utf8 (PostbagImapWriter *self)
{
  return self->features->utf8;
}

/* --- time --- */

/* Ends blocking reads and writes: after a silence, and in any case after the longest a command may
 * take. The call's own cancelling does not: half a command is worse than a late answer. */
typedef struct
{
  GCancellable *cancellable;
  GSource *source;
  guint silence;
  gint64 end;
} Watchdog;

static gboolean
bark (gpointer data)
{
  g_cancellable_cancel (data);
  return G_SOURCE_REMOVE;
}

static void
feed_watchdog (Watchdog *self)
{
  gint64 next = g_get_monotonic_time () + (gint64)self->silence * 1000;

  g_source_set_ready_time (self->source, MIN (next, self->end));
}

static gboolean
dispatch_watchdog (GSource *source, GSourceFunc callback, gpointer data)
{
  return callback (data);
}

static void
start_watchdog (Watchdog *self, PostbagImapWriter *writer)
{
  static GSourceFuncs functions = { NULL, NULL, dispatch_watchdog, NULL, NULL, NULL };

  self->cancellable = g_cancellable_new ();
  self->silence = writer->times->silence;
  self->end = g_get_monotonic_time () + (gint64)writer->times->request * 1000;
  self->source = g_source_new (&functions, sizeof (GSource));
  g_source_set_callback (self->source, bark, g_object_ref (self->cancellable), g_object_unref);
  feed_watchdog (self);
  g_source_attach (self->source, postbag_imap_io_get_context ());
  g_set_object (&writer->wire->cancellable, self->cancellable);
}

static void
stop_watchdog (Watchdog *self)
{
  g_source_destroy (self->source);
  g_source_unref (self->source);
  g_clear_object (&self->cancellable);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Watchdog, stop_watchdog)

/* --- one command --- */

/* Keeps what callers look at. */
static gboolean
keep_reply (PostbagImapWriter *self, PostbagImapOutcome *outcome, PostbagImapReply *reply,
            GError **error)
{
  gboolean is_wanted =
      reply->kind == POSTBAG_IMAP_REPLY_FETCH || reply->kind == POSTBAG_IMAP_REPLY_EXPUNGE
      || reply->kind == POSTBAG_IMAP_REPLY_MAILBOX_STATUS || reply->kind == POSTBAG_IMAP_REPLY_LIST
      || reply->kind == POSTBAG_IMAP_REPLY_STATUS;

  if (!is_wanted)
    return TRUE;
  if (outcome->replies->len < POSTBAG_LIMIT_IMAP_REPLIES)
    {
      g_ptr_array_add (outcome->replies, postbag_imap_reply_ref (reply));
      return TRUE;
    }
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "The mail server %s sent too much that nobody asked for. The connection was closed.",
               self->wire->place);
  return FALSE;
}

/* An untagged BAD or NO while the server owes a go-ahead: it will not come (case: a literal over
 * the server's limit). BYE: the end. */
static gboolean
check_untagged (PostbagImapWriter *self, const PostbagImapReply *reply, gboolean is_waiting,
                GError **error)
{
  const PostbagImapStatus *status = reply->status;
  g_autofree char *text = NULL;

  if (reply->kind != POSTBAG_IMAP_REPLY_STATUS || reply->tag != NULL)
    return TRUE;
  if (status->condition != POSTBAG_IMAP_BYE
      && (!is_waiting || status->condition == POSTBAG_IMAP_OK))
    return TRUE;
  text = postbag_clean_quote_server (status->text);
  if (status->condition == POSTBAG_IMAP_BYE)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                 "The mail server %s closed the connection: %s.", self->wire->place, text);
  else
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED,
                 "The mail server %s refused the data: %s.", self->wire->place, text);
  return FALSE;
}

static gboolean
fail_unexpected (PostbagImapWriter *self, GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "The mail server %s sent what was not asked for. The connection was closed.",
               self->wire->place);
  return FALSE;
}

/* Reads up to the answer tagged @tag, or to a go-ahead where @is_waiting. */
static gboolean
read_answer (PostbagImapWriter *self, Watchdog *watchdog, const char *tag, gboolean is_waiting,
             PostbagImapOutcome *outcome, GError **error)
{
  for (;;)
    {
      g_autoptr (PostbagImapReply) reply = postbag_imap_wire_read (self->wire, error);

      if (reply == NULL)
        return FALSE;
      feed_watchdog (watchdog);
      if (reply->kind == POSTBAG_IMAP_REPLY_CONTINUATION)
        return is_waiting || fail_unexpected (self, error);
      if (g_strcmp0 (reply->tag, tag) == 0 && reply->kind == POSTBAG_IMAP_REPLY_STATUS)
        {
          reply->kind = POSTBAG_IMAP_REPLY_UNKNOWN;
          outcome->status = g_steal_pointer (&reply->status);
          return TRUE;
        }
      if (reply->tag != NULL)
        return fail_unexpected (self, error);
      if (!check_untagged (self, reply, is_waiting, error)
          || !keep_reply (self, outcome, reply, error))
        return FALSE;
    }
}

static GPtrArray *
serialize (PostbagImapWriter *self, PostbagImapCommand *command, char **tag, GError **error)
{
  self->is_fresh = FALSE;
  *tag = g_strdup_printf ("w%u", ++self->wire->next_tag);
  return postbag_imap_command_serialize (
      command, *tag, postbag_imap_features_get_literals (self->features), error);
}

static gboolean
write_segment (PostbagImapWriter *self, const PostbagImapSegment *segment, GError **error)
{
  gsize length;
  const char *bytes = g_bytes_get_data (segment->bytes, &length);

  return postbag_imap_wire_write (self->wire, bytes, length, error);
}

/* Segment by segment; after a tagged answer nothing more is sent (RFC 9051 section 4.3). */
static gboolean
run_segments (PostbagImapWriter *self, Watchdog *watchdog, const GPtrArray *segments,
              const char *tag, PostbagImapOutcome *outcome, GError **error)
{
  for (guint i = 0; i < segments->len && outcome->status == NULL; i++)
    {
      const PostbagImapSegment *segment = g_ptr_array_index (segments, i);

      outcome->was_sent = !segment->wait;
      if (!write_segment (self, segment, error))
        return FALSE;
      feed_watchdog (watchdog);
      if (!read_answer (self, watchdog, tag, segment->wait, outcome, error))
        return FALSE;
    }
  return TRUE;
}

/* A deadline, in our words. */
static void
explain_loss (PostbagImapWriter *self, GError *lost, GError **error)
{
  if (g_error_matches (lost, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      || g_error_matches (lost, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED))
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TIMED_OUT,
                 "The mail server %s did not answer in time.", self->wire->place);
  else if (lost->domain != POSTBAG_ERROR)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                 "The connection to the mail server %s broke: %s.", self->wire->place,
                 lost->message);
  else
    g_propagate_error (error, g_error_copy (lost));
}

PostbagImapOutcome *
postbag_imap_writer_change (PostbagImapWriter *self, PostbagImapCommand *command, GError **error)
{
  PostbagImapOutcome *outcome = create_outcome ();
  g_auto (Watchdog) watchdog = { 0 };
  g_autoptr (GError) lost = NULL;
  g_autoptr (GPtrArray) segments = NULL;
  g_autofree char *tag = NULL;

  start_watchdog (&watchdog, self);
  segments = serialize (self, command, &tag, error);
  if (segments == NULL || run_segments (self, &watchdog, segments, tag, outcome, &lost))
    return outcome;
  explain_loss (self, lost, error);
  g_clear_pointer (&outcome->status, postbag_imap_status_free);
  drop (self);
  return outcome;
}

/* --- looking --- */

static GPtrArray *
look_once (PostbagImapWriter *self, GPtrArray *commands, GError **error)
{
  g_autoptr (GPtrArray) outcomes =
      g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_imap_outcome_free);
  g_autoptr (GPtrArray) tags = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_auto (Watchdog) watchdog = { 0 };

  start_watchdog (&watchdog, self);
  /* One write; only the first may hold a literal that the server has to ask for. */
  for (guint i = 0; i < commands->len; i++)
    {
      char *tag;
      g_autoptr (GPtrArray) segments =
          serialize (self, g_ptr_array_index (commands, i), &tag, error);
      PostbagImapOutcome *outcome = create_outcome ();
      const PostbagImapSegment *segment;
      gsize length;
      gconstpointer data;

      g_ptr_array_add (tags, tag);
      g_ptr_array_add (outcomes, outcome);
      if (segments == NULL)
        return NULL;
      if (segments->len > 1)
        {
          if (!run_segments (self, &watchdog, segments, tag, outcome, error))
            return NULL;
          continue;
        }
      segment = g_ptr_array_index (segments, 0);
      data = g_bytes_get_data (segment->bytes, &length);
      g_byte_array_append (bytes, data, (guint)length);
    }
  if (!postbag_imap_wire_write (self->wire, (const char *)bytes->data, bytes->len, error))
    return NULL;
  for (guint i = 0; i < outcomes->len; i++)
    {
      PostbagImapOutcome *outcome = g_ptr_array_index (outcomes, i);

      if (outcome->status == NULL
          && !read_answer (self, &watchdog, g_ptr_array_index (tags, i), FALSE, outcome, error))
        return NULL;
    }
  return g_steal_pointer (&outcomes);
}

GPtrArray *
postbag_imap_writer_look (PostbagImapWriter *self, GPtrArray *commands, GError **error)
{
  for (guint attempt = 0;; attempt++)
    {
      g_autoptr (GError) lost = NULL;
      GPtrArray *outcomes = look_once (self, commands, &lost);

      if (outcomes != NULL)
        return outcomes;
      if (g_error_matches (lost, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT))
        {
          g_propagate_error (error, g_steal_pointer (&lost));
          return NULL;
        }
      if (attempt > 0 || g_error_matches (lost, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        {
          explain_loss (self, lost, error);
          drop (self);
          return NULL;
        }
      drop (self);
      if (!dial (self, error))
        return NULL;
    }
}

GPtrArray *
postbag_imap_writer_look_here (PostbagImapWriter *self, GPtrArray *commands)
{
  GPtrArray *outcomes = look_once (self, commands, NULL);

  if (outcomes == NULL)
    drop (self);
  return outcomes;
}
