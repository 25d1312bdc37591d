/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-imap"

#include "postbag-imap-connection-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "postbag-imap-io.h"

#define READ_BYTES 32768
/* Reads in a row before another connection gets its turn. */
#define READS 16

const PostbagImapTimes postbag_imap_times = {
  .connect = POSTBAG_LIMIT_IMAP_CONNECT_MS,
  .silence = POSTBAG_LIMIT_IMAP_SILENCE_MS,
  .request = POSTBAG_LIMIT_IMAP_REQUEST_MS,
  .idle = POSTBAG_LIMIT_IMAP_IDLE_MS,
};

/* --- pending commands --- */

static void
free_pending (PostbagImapPending *pending)
{
  postbag_imap_request_unref (pending->request);
  g_ptr_array_unref (pending->segments);
  g_free (pending->tag);
  g_free (pending);
}

static void
finish_request (PostbagImapConnection *self, PostbagImapRequest *request, GError *error)
{
  g_atomic_int_add (&self->load, -1);
  request->uid_validity = self->uid_validity;
  request->uid_next = self->uid_next;
  request->messages = self->messages;
  if (self->permanent_flags != NULL && request->permanent_flags == NULL)
    request->permanent_flags = g_strdupv (self->permanent_flags);
  if (request->generation != 0 && request->generation == self->failed_generation)
    {
      PostbagImapStatus *copy = g_new0 (PostbagImapStatus, 1);

      copy->condition = self->failure->condition;
      copy->code = g_strdup (self->failure->code);
      copy->text = g_strdup (self->failure->text);
      g_clear_pointer (&request->refused, postbag_imap_status_free);
      request->refused = copy;
    }
  postbag_imap_request_finish (request, error);
  postbag_imap_request_unref (request);
}

void
postbag_imap_connection_end_pending (PostbagImapConnection *self, PostbagImapPending *pending)
{
  PostbagImapRequest *request = pending->request;

  g_queue_remove (&self->pending, pending);
  if (self->blocked == pending)
    self->blocked = NULL;
  request->pending--;
  /* The answer to the whole request, while the mailbox it asked about is still the selected one. */
  if (request->pending == 0)
    finish_request (self, postbag_imap_request_ref (request), NULL);
  free_pending (pending);
}

/* --- closing --- */

static void
clear_source (GSource **source)
{
  if (*source != NULL)
    g_source_destroy (*source);
  g_clear_pointer (source, g_source_unref);
}

/* Closes the socket itself: saying goodbye in TLS would wait for a peer that may have stalled. */
static void
close_stream (PostbagImapConnection *self)
{
  g_autoptr (GIOStream) base = NULL;

  clear_source (&self->read_source);
  clear_source (&self->write_source);
  clear_source (&self->timer);
  if (G_IS_TLS_CONNECTION (self->stream))
    g_object_get (self->stream, "base-io-stream", &base, NULL);
  else
    base = g_object_ref (self->stream);
  if (G_IS_SOCKET_CONNECTION (base))
    g_socket_close (g_socket_connection_get_socket (G_SOCKET_CONNECTION (base)), NULL);
  else
    g_io_stream_close_async (base, G_PRIORITY_LOW, NULL, NULL, NULL);
}

/* Every request that is pending, once; and those that were never written. */
static GPtrArray *
steal_requests (PostbagImapConnection *self)
{
  GPtrArray *requests = g_ptr_array_new ();
  PostbagImapPending *pending;
  PostbagImapRequest *request;

  while ((pending = g_queue_pop_head (&self->pending)) != NULL)
    {
      if (--pending->request->pending == 0)
        g_ptr_array_add (requests, postbag_imap_request_ref (pending->request));
      free_pending (pending);
    }
  while ((request = g_queue_pop_head (&self->waiting)) != NULL)
    g_ptr_array_add (requests, request);
  return requests;
}

void
postbag_imap_connection_fail (PostbagImapConnection *self, gboolean is_broken, GError *error)
{
  g_autoptr (GPtrArray) requests = NULL;

  if (self->is_closed)
    {
      g_error_free (error);
      return;
    }
  self->is_closed = TRUE;
  self->blocked = NULL;
  g_debug ("%s: %s", self->place, error->message);
  close_stream (self);
  if (self->closed != NULL)
    self->closed (self, self->user_data);
  requests = steal_requests (self);
  for (guint i = 0; i < requests->len; i++)
    {
      PostbagImapRequest *request = g_ptr_array_index (requests, i);

      request->is_broken = is_broken;
      finish_request (self, request, g_error_copy (error));
    }
  g_error_free (error);
  postbag_imap_connection_unref (self);
}

static void
fail_broken (PostbagImapConnection *self, const char *why)
{
  GError *error = NULL;

  if (self->farewell != NULL)
    error = g_error_new (POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                         "The mail server %s closed the connection: %s. Call again.", self->place,
                         self->farewell);
  else
    error = g_error_new (POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                         "The connection to the mail server %s broke: %s. Call again.", self->place,
                         why);
  postbag_imap_connection_fail (self, TRUE, error);
}

/* --- time --- */

static gint64
get_next_time (PostbagImapConnection *self)
{
  gint64 next = self->last_heard + (gint64)self->times.idle * 1000;

  if (self->pending.length > 0)
    next = self->last_heard + (gint64)self->times.silence * 1000;
  for (GList *link = self->pending.head; link != NULL; link = link->next)
    next = MIN (next, ((PostbagImapPending *)link->data)->request->deadline);
  for (GList *link = self->waiting.head; link != NULL; link = link->next)
    next = MIN (next, ((PostbagImapRequest *)link->data)->deadline);
  return next;
}

static void
schedule (PostbagImapConnection *self)
{
  if (!self->is_closed)
    g_source_set_ready_time (self->timer, get_next_time (self));
}

static void
say_goodbye (PostbagImapConnection *self)
{
  GOutputStream *output = g_io_stream_get_output_stream (self->stream);

  if (self->output->len == 0)
    g_pollable_output_stream_write_nonblocking (G_POLLABLE_OUTPUT_STREAM (output), "z LOGOUT\r\n",
                                                10, NULL, NULL);
}

static gboolean
check_time (gpointer data)
{
  PostbagImapConnection *self = data;

  if (g_get_monotonic_time () < get_next_time (self))
    {
      schedule (self);
      return G_SOURCE_CONTINUE;
    }
  if (self->pending.length > 0 || self->waiting.length > 0)
    postbag_imap_connection_fail (
        self, TRUE,
        g_error_new (
            POSTBAG_ERROR, POSTBAG_ERROR_TIMED_OUT,
            "The mail server %s did not answer in time. Call again later, or ask for less.",
            self->place));
  else
    {
      say_goodbye (self);
      postbag_imap_connection_fail (self, TRUE,
                                    g_error_new (POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                                                 "The connection to %s was not used for a while.",
                                                 self->place));
    }
  return G_SOURCE_REMOVE;
}

static gboolean
dispatch_timer (GSource *source, GSourceFunc callback, gpointer data)
{
  return callback (data);
}

static GSource *
create_timer (PostbagImapConnection *self)
{
  static GSourceFuncs functions = { NULL, NULL, dispatch_timer, NULL, NULL, NULL };
  GSource *timer = g_source_new (&functions, sizeof (GSource));

  g_source_set_callback (timer, check_time, self, NULL);
  g_source_attach (timer, postbag_imap_io_get_context ());
  return timer;
}

/* --- writing --- */

static gboolean flush_output (PostbagImapConnection *self);

static gboolean
on_writable (GObject *stream, gpointer data)
{
  PostbagImapConnection *self = data;
  g_autoptr (PostbagImapConnection) alive = postbag_imap_connection_ref (self);

  clear_source (&self->write_source);
  if (flush_output (self))
    postbag_imap_connection_write (self);
  return G_SOURCE_REMOVE;
}

static void
wait_writable (PostbagImapConnection *self)
{
  GOutputStream *output = g_io_stream_get_output_stream (self->stream);

  if (self->write_source != NULL)
    return;
  self->write_source =
      g_pollable_output_stream_create_source (G_POLLABLE_OUTPUT_STREAM (output), NULL);
  g_source_set_callback (self->write_source, G_SOURCE_FUNC (on_writable), self, NULL);
  g_source_attach (self->write_source, postbag_imap_io_get_context ());
}

/* Writes what it can without blocking; %FALSE when the connection broke. */
static gboolean
flush_output (PostbagImapConnection *self)
{
  GOutputStream *output = g_io_stream_get_output_stream (self->stream);

  while (self->written < self->output->len)
    {
      g_autoptr (GError) error = NULL;
      gssize count = g_pollable_output_stream_write_nonblocking (
          G_POLLABLE_OUTPUT_STREAM (output), self->output->data + self->written,
          self->output->len - self->written, NULL, &error);

      if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK))
        {
          wait_writable (self);
          return TRUE;
        }
      if (count < 0)
        {
          fail_broken (self, error->message);
          return FALSE;
        }
      self->written += (gsize)count;
    }
  g_byte_array_set_size (self->output, 0);
  self->written = 0;
  return TRUE;
}

/* Appends segments of @pending up to the first after which the server has to say `+`. */
static void
write_segments (PostbagImapConnection *self, PostbagImapPending *pending)
{
  self->blocked = NULL;
  while (pending->segment < pending->segments->len)
    {
      const PostbagImapSegment *segment = g_ptr_array_index (pending->segments, pending->segment++);
      gsize length;
      gconstpointer data = g_bytes_get_data (segment->bytes, &length);

      g_byte_array_append (self->output, data, (guint)length);
      if (segment->wait)
        {
          self->blocked = pending;
          return;
        }
    }
}

/* No value of a string is shown. */
static void
log_command (const char *place, const char *tag, PostbagImapCommand *command)
{
  g_autofree char *shown = postbag_imap_command_describe (command);

  g_debug ("%s: %s %s", place, tag, shown);
}

/* Puts a command on the wire's queue. %FALSE when one of its values is refused. */
static gboolean
add_pending (PostbagImapConnection *self, PostbagImapRequest *request, int index,
             PostbagImapCommand *command, GQueue *added, GError **error)
{
  g_autofree char *tag = g_strdup_printf ("p%u", self->next_tag + 1);
  GPtrArray *segments = postbag_imap_command_serialize (
      command, tag, postbag_imap_features_get_literals (self->features), error);
  PostbagImapPending *pending;

  if (segments == NULL)
    return FALSE;
  self->next_tag++;
  log_command (self->place, tag, command);
  pending = g_new0 (PostbagImapPending, 1);
  pending->request = postbag_imap_request_ref (request);
  pending->index = index;
  pending->tag = g_steal_pointer (&tag);
  pending->segments = segments;
  g_queue_push_tail (added, pending);
  return TRUE;
}

/* EXAMINE, where another mailbox or none is selected, or NOOP. */
static gboolean
add_selection (PostbagImapConnection *self, PostbagImapRequest *request, GQueue *added,
               GError **error)
{
  g_autoptr (PostbagImapCommand) command = NULL;

  request->was_selected = g_strcmp0 (request->mailbox, self->selecting) == 0;
  if (request->was_selected && !request->reselect)
    {
      if (!request->refresh)
        return TRUE;
      command = postbag_imap_command_new ("NOOP");
      return add_pending (self, request, POSTBAG_IMAP_PENDING_REFRESHES, command, added, error);
    }
  command = postbag_imap_command_new ("EXAMINE");
  if (request->raw_mailbox != NULL)
    postbag_imap_command_add_raw_mailbox (command, request->raw_mailbox);
  else
    postbag_imap_command_add_mailbox (command, request->mailbox, self->features->utf8);
  return add_pending (self, request, POSTBAG_IMAP_PENDING_SELECTS, command, added, error);
}

static gboolean
add_all (PostbagImapConnection *self, PostbagImapRequest *request, GQueue *added, GError **error)
{
  if (request->mailbox != NULL && !add_selection (self, request, added, error))
    return FALSE;
  for (guint i = 0; i < request->commands->len; i++)
    {
      g_ptr_array_add (request->statuses, NULL);
      if (!add_pending (self, request, (int)i, g_ptr_array_index (request->commands, i), added,
                        error))
        return FALSE;
    }
  return TRUE;
}

/* All that was serialized goes to the wire's queue: from here on it is sent. */
static void
commit_pending (PostbagImapConnection *self, PostbagImapRequest *request, GQueue *added)
{
  PostbagImapPending *pending;

  while ((pending = g_queue_pop_head (added)) != NULL)
    {
      if (pending->index == POSTBAG_IMAP_PENDING_SELECTS)
        {
          pending->generation = ++self->generation;
          g_free (self->selecting);
          self->selecting = g_strdup (request->mailbox);
        }
      request->pending++;
      g_queue_push_tail (&self->pending, pending);
      if (self->blocked == NULL)
        write_segments (self, pending);
    }
  if (request->deselects)
    {
      g_clear_pointer (&self->selecting, g_free);
      g_clear_pointer (&self->permanent_flags, g_strfreev);
    }
  request->generation = request->mailbox != NULL ? self->generation : 0;
  self->is_exclusive = request->exclusive;
}

static void
write_request (PostbagImapConnection *self, PostbagImapRequest *request)
{
  GQueue added = G_QUEUE_INIT;
  GError *error = NULL;

  if (g_atomic_int_get (&request->cancelled))
    {
      finish_request (self, request,
                      g_error_new (POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED, "Cancelled."));
      return;
    }
  if (!add_all (self, request, &added, &error))
    {
      g_queue_clear_full (&added, (GDestroyNotify)free_pending);
      finish_request (self, request, error);
      return;
    }
  if (self->pending.length == 0)
    self->last_heard = g_get_monotonic_time ();
  commit_pending (self, request, &added);
  if (request->pending == 0)
    finish_request (self, postbag_imap_request_ref (request), NULL);
  postbag_imap_request_unref (request);
}

/* Whether the next request may join those on the wire. */
static gboolean
may_write (PostbagImapConnection *self)
{
  const PostbagImapRequest *request = g_queue_peek_head (&self->waiting);

  if (self->is_closed || request == NULL || self->blocked != NULL)
    return FALSE;
  if (self->pending.length == 0)
    return TRUE;
  return !request->exclusive && !self->is_exclusive
         && self->pending.length < POSTBAG_LIMIT_IMAP_PIPELINE;
}

/* Commands behind the blocked one were serialized, but could not be written yet. */
static void
write_unblocked (PostbagImapConnection *self)
{
  for (GList *link = self->pending.head; link != NULL && self->blocked == NULL; link = link->next)
    {
      PostbagImapPending *pending = link->data;

      if (pending->segment < pending->segments->len)
        write_segments (self, pending);
    }
}

void
postbag_imap_connection_write (PostbagImapConnection *self)
{
  if (self->is_closed)
    return;
  write_unblocked (self);
  while (may_write (self))
    write_request (self, g_queue_pop_head (&self->waiting));
  if (flush_output (self))
    schedule (self);
}

/* --- reading --- */

static gboolean
on_readable (GObject *stream, gpointer data)
{
  PostbagImapConnection *self = data;
  g_autoptr (PostbagImapConnection) alive = postbag_imap_connection_ref (self);
  g_autofree guint8 *buffer = g_malloc (READ_BYTES);

  for (guint i = 0; i < READS && !self->is_closed; i++)
    {
      g_autoptr (GError) error = NULL;
      gssize count = g_pollable_input_stream_read_nonblocking (G_POLLABLE_INPUT_STREAM (stream),
                                                               buffer, READ_BYTES, NULL, &error);

      if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK))
        break;
      if (count <= 0)
        {
          fail_broken (self, error != NULL ? error->message : "it was closed by the other side");
          return G_SOURCE_REMOVE;
        }
      self->last_heard = g_get_monotonic_time ();
      if (!postbag_imap_connection_take (self, buffer, (gsize)count))
        return G_SOURCE_REMOVE;
    }
  postbag_imap_connection_write (self);
  return G_SOURCE_CONTINUE;
}

static gboolean
start (gpointer data)
{
  PostbagImapConnection *self = data;
  GInputStream *input = g_io_stream_get_input_stream (self->stream);
  g_autoptr (GBytes) rest = g_steal_pointer (&self->rest);

  self->timer = create_timer (self);
  self->last_heard = g_get_monotonic_time ();
  schedule (self);
  self->read_source = g_pollable_input_stream_create_source (G_POLLABLE_INPUT_STREAM (input), NULL);
  g_source_set_callback (self->read_source, G_SOURCE_FUNC (on_readable), self, NULL);
  g_source_attach (self->read_source, postbag_imap_io_get_context ());
  if (rest != NULL)
    {
      gsize length;
      const guint8 *bytes = g_bytes_get_data (rest, &length);

      postbag_imap_connection_take (self, bytes, length);
    }
  return G_SOURCE_REMOVE;
}

/* --- for everybody --- */

PostbagImapConnection *
postbag_imap_connection_new (GIOStream *stream, PostbagImapFramer *framer, GBytes *rest,
                             const PostbagImapFeatures *features, const PostbagImapTimes *times,
                             const char *place, PostbagImapClosedFunc closed, gpointer user_data)
{
  PostbagImapConnection *self = g_new0 (PostbagImapConnection, 1);

  g_atomic_ref_count_init (&self->references);
  self->stream = g_object_ref (stream);
  self->framer = framer;
  self->rest = rest != NULL ? g_bytes_ref (rest) : NULL;
  self->features = postbag_imap_features_copy (features);
  self->times = *times;
  self->place = g_strdup (place);
  self->closed = closed;
  self->user_data = user_data;
  self->output = g_byte_array_new ();
  g_queue_init (&self->waiting);
  g_queue_init (&self->pending);
  /* The I/O thread holds one reference until the connection is closed. */
  postbag_imap_io_invoke (start, postbag_imap_connection_ref (self), NULL);
  return self;
}

PostbagImapConnection *
postbag_imap_connection_ref (PostbagImapConnection *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
postbag_imap_connection_unref (PostbagImapConnection *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_object (&self->stream);
  postbag_imap_framer_free (self->framer);
  g_clear_pointer (&self->rest, g_bytes_unref);
  postbag_imap_features_free (self->features);
  g_byte_array_unref (self->output);
  g_strfreev (self->permanent_flags);
  postbag_imap_status_free (self->failure);
  g_free (self->farewell);
  g_free (self->selecting);
  g_free (self->place);
  g_free (self);
}

typedef struct
{
  PostbagImapConnection *connection;
  PostbagImapRequest *request;
} Submission;

static gboolean
accept_request (gpointer data)
{
  Submission *submission = data;
  PostbagImapConnection *self = submission->connection;
  PostbagImapRequest *request = g_steal_pointer (&submission->request);

  request->deadline = g_get_monotonic_time () + (gint64)self->times.request * 1000;
  if (self->is_closed)
    {
      request->is_broken = TRUE;
      finish_request (self, request,
                      g_error_new (POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                                   "The connection to the mail server %s was closed. Call again.",
                                   self->place));
      return G_SOURCE_REMOVE;
    }
  g_queue_push_tail (&self->waiting, request);
  postbag_imap_connection_write (self);
  return G_SOURCE_REMOVE;
}

static void
free_submission (gpointer data)
{
  Submission *submission = data;

  postbag_imap_request_unref (submission->request);
  postbag_imap_connection_unref (submission->connection);
  g_free (submission);
}

void
postbag_imap_connection_submit (PostbagImapConnection *self, PostbagImapRequest *request)
{
  Submission *submission = g_new0 (Submission, 1);

  submission->connection = postbag_imap_connection_ref (self);
  submission->request = postbag_imap_request_ref (request);
  g_atomic_int_inc (&self->load);
  postbag_imap_io_invoke (accept_request, submission, free_submission);
}

static gboolean
close_now (gpointer data)
{
  PostbagImapConnection *self = data;

  if (!self->is_closed)
    {
      say_goodbye (self);
      postbag_imap_connection_fail (self, FALSE,
                                    g_error_new (POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                                                 "The connection to %s was closed by us.",
                                                 self->place));
    }
  return G_SOURCE_REMOVE;
}

void
postbag_imap_connection_close (PostbagImapConnection *self)
{
  postbag_imap_io_invoke (close_now, postbag_imap_connection_ref (self),
                          (GDestroyNotify)postbag_imap_connection_unref);
}

guint
postbag_imap_connection_get_load (PostbagImapConnection *self)
{
  return (guint)MAX (g_atomic_int_get (&self->load), 0);
}
