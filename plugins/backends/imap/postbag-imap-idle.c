/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Waiting for news of one mailbox (RFC 2177). IDLE is ended and issued anew in time, so that no
 * server takes us for gone, and a connection that died quietly is noticed. Whatever the server
 * sends, it is told as one change after a pause; a server that sends without end is left. */

#include "postbag-imap-idle.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "postbag-imap-parser.h"
#include "safety/postbag-clean.h"

#define READ_BYTES 8192

gboolean
postbag_imap_marks_differ (const PostbagImapMarks *left, const PostbagImapMarks *right)
{
#define DIFFERS(member, unknown)                                                                   \
  (left->member != (unknown) && right->member != (unknown) && left->member != right->member)
  return DIFFERS (messages, -1) || DIFFERS (unseen, -1) || DIFFERS (uid_next, 0)
         || DIFFERS (uid_validity, 0) || DIFFERS (modseq, 0);
#undef DIFFERS
}

/* --- waiting --- */

static gboolean
wake_on_time (gpointer data)
{
  *(gboolean *)data = TRUE;
  return G_SOURCE_REMOVE;
}

static gboolean
wake (gpointer object, gpointer data)
{
  return wake_on_time (data);
}

static void
wake_context (GCancellable *cancellable, gpointer data)
{
  g_main_context_wakeup (data);
}

void
postbag_imap_idle_wait (GMainContext *context, GPollableInputStream *stream,
                        GCancellable *cancellable, gint64 until)
{
  gint64 left = MAX (until - g_get_monotonic_time (), 0) / 1000 + 1;
  g_autoptr (GSource) timer = g_timeout_source_new ((guint)MIN (left, G_MAXINT));
  g_autoptr (GSource) source =
      stream != NULL ? g_pollable_input_stream_create_source (stream, NULL) : NULL;
  gboolean is_awake = FALSE;
  /* No source of the cancellable: GLib 2.74 loses one that goes while another thread cancels. */
  gulong handler = g_cancellable_connect (cancellable, G_CALLBACK (wake_context), context, NULL);

  g_source_set_callback (timer, wake_on_time, &is_awake, NULL);
  g_source_attach (timer, context);
  if (source != NULL)
    {
      g_source_set_callback (source, G_SOURCE_FUNC (wake), &is_awake, NULL);
      g_source_attach (source, context);
    }
  while (!is_awake && !g_cancellable_is_cancelled (cancellable))
    g_main_context_iteration (context, TRUE);
  g_cancellable_disconnect (cancellable, handler);
  g_source_destroy (timer);
  if (source != NULL)
    g_source_destroy (source);
}

/* --- reading --- */

static PostbagImapFrame *
frame_input (PostbagImapIdle *self, GError **error)
{
  GByteArray *input = self->wire->input;
  const guint8 *data = input->data;
  gsize length = input->len;
  PostbagImapFrame *frame;

  if (length == 0)
    return NULL;
  frame = postbag_imap_framer_read (self->wire->framer, &data, &length, error);
  g_byte_array_remove_range (input, 0, (guint)(input->len - length));
  return frame;
}

static gboolean
fail_flooded (PostbagImapIdle *self, GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "The mail server %s sends news without end; the connection was closed.",
               self->wire->place);
  return FALSE;
}

/* Whatever there is to read; waits for it until @until at most. */
static gboolean
fill_input (PostbagImapIdle *self, gint64 until, GError **error)
{
  GPollableInputStream *stream =
      G_POLLABLE_INPUT_STREAM (g_io_stream_get_input_stream (self->wire->stream));
  g_autoptr (GError) local_error = NULL;
  guint8 buffer[READ_BYTES];
  gssize count = g_pollable_input_stream_read_nonblocking (stream, buffer, sizeof buffer,
                                                           self->cancellable, &local_error);

  if (g_error_matches (local_error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK))
    {
      postbag_imap_idle_wait (self->context, stream, self->cancellable, until);
      return TRUE;
    }
  if (count > 0)
    {
      self->bytes += (gsize)count;
      g_byte_array_append (self->wire->input, buffer, (guint)count);
      return self->bytes <= POSTBAG_LIMIT_IMAP_WATCH_BYTES || fail_flooded (self, error);
    }
  if (count == 0)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                 "The mail server %s closed the connection.", self->wire->place);
  else
    g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}

/* The next reply, or %NULL without an error at @until. */
static PostbagImapReply *
read_reply (PostbagImapIdle *self, gint64 until, GError **error)
{
  for (;;)
    {
      g_autoptr (GError) local_error = NULL;
      g_autoptr (PostbagImapFrame) frame = frame_input (self, &local_error);

      if (local_error != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&local_error));
          return NULL;
        }
      if (frame != NULL && ++self->replies > POSTBAG_LIMIT_IMAP_UNASKED)
        {
          fail_flooded (self, error);
          return NULL;
        }
      if (frame != NULL)
        return postbag_imap_parse (frame, self->wire->utf8, error);
      if (g_get_monotonic_time () >= until || !fill_input (self, until, error))
        return NULL;
    }
}

/* --- news --- */

static void
note_change (PostbagImapIdle *self)
{
  gint64 now = g_get_monotonic_time ();

  self->has_changed = TRUE;
  if (self->due == 0)
    self->due = MAX (now + (gint64)self->times->pause * 1000,
                     self->last_told + (gint64)self->times->gap * 1000);
}

static void
tell_changes (PostbagImapIdle *self)
{
  self->due = 0;
  self->last_told = g_get_monotonic_time ();
  self->tell (self->user_data);
}

/* Some servers repeat the number of messages, which is no news. */
static void
take_count (PostbagImapIdle *self, gint64 messages)
{
  if (self->is_selected && messages != self->marks.messages)
    note_change (self);
  self->marks.messages = messages;
}

static gboolean
take_status (PostbagImapIdle *self, const PostbagImapStatus *status, GError **error)
{
  g_autofree char *text = NULL;

  if (g_strcmp0 (status->code, "UIDVALIDITY") == 0)
    {
      if (self->is_selected && self->marks.uid_validity != (gint64)status->number)
        note_change (self);
      self->marks.uid_validity = (gint64)status->number;
    }
  else if (g_strcmp0 (status->code, "UIDNEXT") == 0 && !self->is_selected)
    self->marks.uid_next = (gint64)status->number;
  else if (g_strcmp0 (status->code, "HIGHESTMODSEQ") == 0 && !self->is_selected)
    self->marks.modseq = status->number;
  if (status->condition != POSTBAG_IMAP_BYE)
    return TRUE;
  text = postbag_clean_quote_server (status->text);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
               "The mail server %s closed the connection: %s.", self->wire->place, text);
  return FALSE;
}

static gboolean
take_news (PostbagImapIdle *self, const PostbagImapReply *reply, GError **error)
{
  switch (reply->kind)
    {
    case POSTBAG_IMAP_REPLY_STATUS:
      return take_status (self, reply->status, error);
    case POSTBAG_IMAP_REPLY_EXISTS:
      take_count (self, reply->number);
      return TRUE;
    case POSTBAG_IMAP_REPLY_EXPUNGE:
      take_count (self, MAX (self->marks.messages - 1, 0));
      return TRUE;
    case POSTBAG_IMAP_REPLY_VANISHED:
      take_count (self, -1);
      return TRUE;
    case POSTBAG_IMAP_REPLY_FETCH:
      if (self->is_selected)
        note_change (self);
      return TRUE;
    default:
      return TRUE;
    }
}

/* Reads, and tells, until the reply tagged @tag, or a continuation where one is wanted; %NULL
 * without an error at @until. */
static PostbagImapReply *
await (PostbagImapIdle *self, const char *tag, gboolean or_continuation, gint64 until,
       GError **error)
{
  g_autoptr (GError) local_error = NULL;

  for (;;)
    {
      gint64 step = self->due != 0 ? MIN (self->due, until) : until;
      g_autoptr (PostbagImapReply) reply = read_reply (self, step, &local_error);

      if (reply != NULL
          && (g_strcmp0 (reply->tag, tag) == 0
              || (or_continuation && reply->kind == POSTBAG_IMAP_REPLY_CONTINUATION)))
        return g_steal_pointer (&reply);
      if (local_error != NULL || (reply != NULL && !take_news (self, reply, &local_error)))
        {
          g_propagate_error (error, g_steal_pointer (&local_error));
          return NULL;
        }
      if (self->due != 0 && g_get_monotonic_time () >= self->due)
        tell_changes (self);
      if (g_get_monotonic_time () >= until)
        return NULL;
    }
}

/* The same within the time for an answer: %NULL is an error. */
static PostbagImapReply *
await_answer (PostbagImapIdle *self, const char *tag, gboolean or_continuation, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  PostbagImapReply *reply =
      await (self, tag, or_continuation,
             g_get_monotonic_time () + (gint64)self->times->silence * 1000, &local_error);

  if (reply == NULL && local_error == NULL)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TIMED_OUT,
                 "The mail server %s did not answer in time.", self->wire->place);
  else if (reply == NULL)
    g_propagate_error (error, g_steal_pointer (&local_error));
  return reply;
}

/* --- commands --- */

/* Sends @command; *@tag is its tag. Returns the first answer that is not about a literal of it. */
static PostbagImapReply *
send_command (PostbagImapIdle *self, PostbagImapCommand *command, gboolean or_continuation,
              char **tag, GError **error)
{
  g_autoptr (GPtrArray) segments = NULL;
  g_autoptr (PostbagImapReply) reply = NULL;

  *tag = g_strdup_printf ("w%u", ++self->next_tag);
  segments = postbag_imap_command_serialize (command, *tag, POSTBAG_IMAP_LITERALS_WAIT, error);
  if (segments == NULL)
    return NULL;
  for (guint i = 0; i < segments->len; i++)
    {
      const PostbagImapSegment *segment = g_ptr_array_index (segments, i);
      gsize length;
      const char *bytes = g_bytes_get_data (segment->bytes, &length);

      if (!postbag_imap_wire_write (self->wire, bytes, length, error))
        return NULL;
      g_clear_pointer (&reply, postbag_imap_reply_unref);
      reply = await_answer (self, *tag, segment->wait || or_continuation, error);
      if (reply == NULL || reply->kind == POSTBAG_IMAP_REPLY_STATUS)
        break;
    }
  return g_steal_pointer (&reply);
}

static gboolean
check_answer (PostbagImapIdle *self, const PostbagImapReply *reply, const char *what, int code,
              GError **error)
{
  g_autofree char *text = NULL;

  if (reply->kind == POSTBAG_IMAP_REPLY_STATUS && reply->status->condition == POSTBAG_IMAP_OK)
    return TRUE;
  text = reply->kind == POSTBAG_IMAP_REPLY_STATUS ? postbag_clean_quote_server (reply->status->text)
                                                  : g_strdup ("no");
  g_set_error (error, POSTBAG_ERROR, code, "The mail server %s refused %s: %s.", self->wire->place,
               what, text);
  return FALSE;
}

gboolean
postbag_imap_idle_select (PostbagImapIdle *self, PostbagImapCommand *command, GError **error)
{
  static const PostbagImapMarks unknown = POSTBAG_IMAP_MARKS_UNKNOWN;
  g_autofree char *tag = NULL;
  g_autoptr (PostbagImapReply) reply = NULL;

  self->marks = unknown;
  reply = send_command (self, command, FALSE, &tag, error);
  if (reply == NULL
      || !check_answer (self, reply, "the mailbox", POSTBAG_ERROR_REMOTE_REFUSED, error))
    return FALSE;
  self->is_selected = TRUE;
  return TRUE;
}

/* From IDLE to the answer to DONE. */
static gboolean
run_round (PostbagImapIdle *self, GError **error)
{
  g_autoptr (PostbagImapCommand) command = postbag_imap_command_new ("IDLE");
  g_autofree char *tag = NULL;
  g_autoptr (PostbagImapReply) reply = send_command (self, command, TRUE, &tag, error);
  g_autoptr (PostbagImapReply) early = NULL;
  g_autoptr (PostbagImapReply) last = NULL;
  g_autoptr (GError) local_error = NULL;

  if (reply == NULL)
    return FALSE;
  if (reply->kind != POSTBAG_IMAP_REPLY_CONTINUATION)
    {
      self->is_refused = reply->status->condition != POSTBAG_IMAP_OK;
      check_answer (self, reply, "IDLE", POSTBAG_ERROR_NOT_SUPPORTED, &local_error);
    }
  else
    {
      self->is_inside = TRUE;
      early = await (self, tag, FALSE, g_get_monotonic_time () + (gint64)self->times->round * 1000,
                     &local_error);
    }
  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  self->is_inside = FALSE;
  if (early != NULL || reply->kind != POSTBAG_IMAP_REPLY_CONTINUATION)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                   "The mail server %s does not wait for news any more.", self->wire->place);
      return FALSE;
    }
  if (!postbag_imap_wire_write (self->wire, "DONE\r\n", 6, error))
    return FALSE;
  last = await_answer (self, tag, FALSE, error);
  return last != NULL;
}

void
postbag_imap_idle_run (PostbagImapIdle *self, GError **error)
{
  do
    {
      self->replies = 0;
      self->bytes = 0;
    }
  while (run_round (self, error));
  /* What came before the break is told all the same. */
  if (self->due != 0 && !g_cancellable_is_cancelled (self->cancellable))
    tell_changes (self);
}

void
postbag_imap_idle_leave (PostbagImapIdle *self)
{
  const char *words = self->is_inside ? "DONE\r\nz LOGOUT\r\n" : "z LOGOUT\r\n";
  GOutputStream *output = g_io_stream_get_output_stream (self->wire->stream);
  g_autoptr (GIOStream) base = NULL;

  g_pollable_output_stream_write_nonblocking (G_POLLABLE_OUTPUT_STREAM (output), words,
                                              strlen (words), NULL, NULL);
  if (G_IS_TLS_CONNECTION (self->wire->stream))
    g_object_get (self->wire->stream, "base-io-stream", &base, NULL);
  else
    base = g_object_ref (self->wire->stream);
  if (G_IS_SOCKET_CONNECTION (base))
    g_socket_close (g_socket_connection_get_socket (G_SOCKET_CONNECTION (base)), NULL);
}
