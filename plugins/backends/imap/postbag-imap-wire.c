/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-imap"

#include "postbag-imap-wire.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "postbag-imap-parser.h"
#include "safety/postbag-clean.h"

#define READ_BYTES 8192
/* Untagged replies to one command before login: a greeting's worth. */
#define REPLIES 1000

PostbagImapWire *
postbag_imap_wire_new (GIOStream *stream, const char *place, GCancellable *cancellable)
{
  PostbagImapWire *self = g_new0 (PostbagImapWire, 1);

  self->stream = g_object_ref (stream);
  self->framer = postbag_imap_framer_new (POSTBAG_LIMIT_IMAP_LINE_BYTES);
  self->input = g_byte_array_new ();
  self->place = g_strdup (place);
  self->cancellable = g_object_ref (cancellable);
  return self;
}

void
postbag_imap_wire_free (PostbagImapWire *self)
{
  if (self == NULL)
    return;
  g_clear_object (&self->stream);
  postbag_imap_framer_free (self->framer);
  g_byte_array_unref (self->input);
  g_free (self->place);
  g_clear_object (&self->cancellable);
  g_strfreev (self->capabilities);
  g_free (self->challenge);
  g_free (self);
}

/* Takes a frame out of what was read. */
static PostbagImapFrame *
frame_input (PostbagImapWire *self, GError **error)
{
  const guint8 *data = self->input->data;
  gsize length = self->input->len;
  PostbagImapFrame *frame;

  if (length == 0)
    return NULL;
  frame = postbag_imap_framer_read (self->framer, &data, &length, error);
  g_byte_array_remove_range (self->input, 0, (guint)(self->input->len - length));
  return frame;
}

static gboolean
read_more (PostbagImapWire *self, GError **error)
{
  GInputStream *input = g_io_stream_get_input_stream (self->stream);
  guint8 buffer[READ_BYTES];
  gssize count = g_input_stream_read (input, buffer, sizeof buffer, self->cancellable, error);

  if (count > 0)
    {
      g_byte_array_append (self->input, buffer, (guint)count);
      return TRUE;
    }
  if (count == 0)
    postbag_set_fault (
        error, POSTBAG_ERROR_OFFLINE, POSTBAG_FAULT_CLOSED,
        "The mail server %s closed the connection before it was ready%s", self->place,
        self->has_greeted ? ", without a word. Call again later; it may allow no more connections "
                            "for now."
                          : ". Check host, port and TLS mode, or call again later.");
  return FALSE;
}

static void
take_notice (PostbagImapWire *self, const PostbagImapReply *reply)
{
  char *const *words = NULL;

  if (reply->kind == POSTBAG_IMAP_REPLY_CAPABILITY)
    words = reply->words;
  else if (reply->kind == POSTBAG_IMAP_REPLY_STATUS
           && g_strcmp0 (reply->status->code, "CAPABILITY") == 0)
    words = reply->status->words;
  else if (reply->kind == POSTBAG_IMAP_REPLY_ENABLED)
    for (char **word = reply->words; *word != NULL; word++)
      self->utf8 |= g_ascii_strcasecmp (*word, "UTF8=ACCEPT") == 0
                    || g_ascii_strcasecmp (*word, "IMAP4rev2") == 0;
  if (words == NULL)
    return;
  g_strfreev (self->capabilities);
  self->capabilities = g_strdupv ((char **)words);
}

/* The parser keeps what a person may read of a text; a challenge is needed to its last byte. */
static void
keep_challenge (PostbagImapWire *self, const PostbagImapFrame *frame)
{
  const GString *text = frame->text;
  gsize start = text->len > 1 && text->str[1] == ' ' ? 2 : 1;

  g_clear_pointer (&self->challenge, g_free);
  if (!frame->truncated && frame->literals->len == 0 && strlen (text->str) == text->len)
    self->challenge = g_strdup (text->str + start);
}

PostbagImapReply *
postbag_imap_wire_read (PostbagImapWire *self, GError **error)
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
      if (frame != NULL)
        {
          PostbagImapReply *reply = postbag_imap_parse (frame, FALSE, error);

          if (reply != NULL)
            take_notice (self, reply);
          if (reply != NULL && reply->kind == POSTBAG_IMAP_REPLY_CONTINUATION)
            keep_challenge (self, frame);
          return reply;
        }
      if (!read_more (self, error))
        return NULL;
    }
}

gboolean
postbag_imap_wire_write (PostbagImapWire *self, const char *bytes, gsize length, GError **error)
{
  return g_output_stream_write_all (g_io_stream_get_output_stream (self->stream), bytes, length,
                                    NULL, self->cancellable, error);
}

static gboolean
fail_closed (PostbagImapWire *self, const char *text, GError **error)
{
  g_autofree char *quoted = postbag_clean_quote_server (text);

  postbag_set_fault (error, POSTBAG_ERROR_OFFLINE, POSTBAG_FAULT_CLOSED,
                     "The mail server %s closed the connection: %s. Call again later.", self->place,
                     quoted);
  return FALSE;
}

/* Reads until the reply tagged @tag, or a continuation. */
static PostbagImapReply *
read_answer (PostbagImapWire *self, const char *tag, GError **error)
{
  for (guint i = 0; i < REPLIES; i++)
    {
      g_autoptr (PostbagImapReply) reply = postbag_imap_wire_read (self, error);

      if (reply == NULL)
        return NULL;
      if (reply->kind == POSTBAG_IMAP_REPLY_CONTINUATION || g_strcmp0 (reply->tag, tag) == 0)
        return g_steal_pointer (&reply);
      if (reply->kind == POSTBAG_IMAP_REPLY_STATUS && reply->status->condition == POSTBAG_IMAP_BYE)
        {
          fail_closed (self, reply->status->text, error);
          return NULL;
        }
      if (reply->tag != NULL)
        break;
    }
  postbag_set_fault (error, POSTBAG_ERROR_BAD_DATA, POSTBAG_FAULT_GARBLED,
                     "The mail server %s sent what was not asked for. Check host and port.",
                     self->place);
  return NULL;
}

static PostbagImapStatus *
steal_status (PostbagImapReply *reply)
{
  reply->kind = POSTBAG_IMAP_REPLY_UNKNOWN;
  return g_steal_pointer (&reply->status);
}

PostbagImapStatus *
postbag_imap_wire_run (PostbagImapWire *self, PostbagImapCommand *command, GError **error)
{
  g_autofree char *tag = g_strdup_printf ("c%u", ++self->next_tag);
  g_autoptr (GPtrArray) segments =
      postbag_imap_command_serialize (command, tag, POSTBAG_IMAP_LITERALS_WAIT, error);
  g_autoptr (PostbagImapReply) reply = NULL;

  if (segments == NULL)
    return NULL;
  for (guint i = 0; i < segments->len; i++)
    {
      const PostbagImapSegment *segment = g_ptr_array_index (segments, i);
      gsize length;
      const char *bytes = g_bytes_get_data (segment->bytes, &length);

      if (!postbag_imap_wire_write (self, bytes, length, error))
        return NULL;
      g_clear_pointer (&reply, postbag_imap_reply_unref);
      reply = read_answer (self, tag, error);
      if (reply == NULL)
        return NULL;
      if (reply->kind == POSTBAG_IMAP_REPLY_STATUS)
        return steal_status (reply);
      if (!segment->wait)
        break;
    }
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "The mail server %s asked for more than there was to send.", self->place);
  return NULL;
}

static gboolean
write_base64 (PostbagImapWire *self, GBytes *bytes, GError **error)
{
  gsize length;
  gconstpointer data = g_bytes_get_data (bytes, &length);
  g_autofree char *base64 = g_base64_encode (data, length);
  g_autofree char *line = g_strconcat (base64, "\r\n", NULL);
  gboolean written = postbag_imap_wire_write (self, line, strlen (line), error);

  explicit_bzero (base64, strlen (base64));
  explicit_bzero (line, strlen (line));
  return written;
}

/* The bytes of a challenge; nothing is guessed of one that is not base64. */
static GBytes *
decode_challenge (const PostbagImapWire *self, GError **error)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *text = self->challenge;
  gsize length = text != NULL ? strlen (text) : 0;
  gsize digit_count = text != NULL ? strspn (text, digits) : 0;
  gsize padding = text != NULL ? strspn (text + digit_count, "=") : 0;
  guchar *data;

  if (text == NULL || length % 4 != 0 || digit_count + padding != length || padding > 2)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
                   "The mail server %s sent something in the login that is no base64, or longer "
                   "than %d bytes. The login was broken off.",
                   self->place, POSTBAG_LIMIT_IMAP_LINE_BYTES);
      return NULL;
    }
  data = g_base64_decode (text, &length);
  return g_bytes_new_take (data, length);
}

static void
wipe (GBytes *bytes)
{
  gsize length;
  gconstpointer data = g_bytes_get_data (bytes, &length);

  if (length > 0)
    explicit_bzero ((gpointer)data, length);
}

/* Answers one challenge, or cancels the exchange with `*` (RFC 9051 section 6.2.2). */
static gboolean
answer_challenge (PostbagImapWire *self, GBytes **initial, PostbagImapRespondFunc respond,
                  gpointer user_data, GError **refused, GError **error)
{
  g_autoptr (GBytes) challenge = NULL;
  g_autoptr (GBytes) answer = NULL;
  gboolean written;

  if (*initial != NULL)
    return write_base64 (self, g_steal_pointer (initial), error);
  if (*refused == NULL)
    challenge = decode_challenge (self, refused);
  if (challenge != NULL)
    answer = respond (challenge, user_data, refused);
  if (answer == NULL)
    return postbag_imap_wire_write (self, "*\r\n", 3, error);
  written = write_base64 (self, answer, error);
  wipe (answer);
  return written;
}

static gboolean
start_authentication (PostbagImapWire *self, const char *tag, const char *mechanism,
                      GBytes *initial, GError **error)
{
  g_autofree char *line =
      g_strdup_printf ("%s AUTHENTICATE %s%s", tag, mechanism, initial != NULL ? " " : "\r\n");

  if (!postbag_imap_wire_write (self, line, strlen (line), error))
    return FALSE;
  if (initial == NULL)
    return TRUE;
  /* An empty initial response is `=` (RFC 4959). */
  if (g_bytes_get_size (initial) == 0)
    return postbag_imap_wire_write (self, "=\r\n", 3, error);
  return write_base64 (self, initial, error);
}

/* From the first answer to the last; @refused: why we broke it off. */
static PostbagImapStatus *
run_exchange (PostbagImapWire *self, const char *tag, GBytes *left, PostbagImapRespondFunc respond,
              gpointer user_data, GError **refused, GError **error)
{
  for (guint i = 0; i <= POSTBAG_LIMIT_IMAP_CHALLENGES; i++)
    {
      g_autoptr (PostbagImapReply) reply = read_answer (self, tag, error);

      if (reply == NULL)
        return NULL;
      if (reply->kind == POSTBAG_IMAP_REPLY_STATUS)
        return steal_status (reply);
      if (!answer_challenge (self, &left, respond, user_data, refused, error))
        return NULL;
    }
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "The mail server %s does not come to an end with the login.", self->place);
  return NULL;
}

PostbagImapStatus *
postbag_imap_wire_authenticate (PostbagImapWire *self, const char *mechanism, GBytes *initial,
                                gboolean in_one, PostbagImapRespondFunc respond, gpointer user_data,
                                GError **error)
{
  g_autofree char *tag = g_strdup_printf ("c%u", ++self->next_tag);
  g_autoptr (GError) refused = NULL;
  g_autoptr (GError) local_error = NULL;
  g_autoptr (PostbagImapStatus) status = NULL;

  if (!start_authentication (self, tag, mechanism, in_one ? initial : NULL, error))
    return NULL;
  status =
      run_exchange (self, tag, in_one ? NULL : initial, respond, user_data, &refused, &local_error);
  if (refused != NULL)
    g_propagate_error (error, g_steal_pointer (&refused));
  else if (status == NULL)
    g_propagate_error (error, g_steal_pointer (&local_error));
  else
    return g_steal_pointer (&status);
  return NULL;
}

PostbagImapStatus *
postbag_imap_wire_read_greeting (PostbagImapWire *self, GError **error)
{
  g_autoptr (PostbagImapReply) reply = postbag_imap_wire_read (self, error);

  if (reply == NULL)
    return NULL;
  if (reply->kind != POSTBAG_IMAP_REPLY_STATUS || reply->tag != NULL
      || (reply->status->condition != POSTBAG_IMAP_OK
          && reply->status->condition != POSTBAG_IMAP_PREAUTH))
    {
      if (reply->kind == POSTBAG_IMAP_REPLY_STATUS && reply->tag == NULL)
        fail_closed (self, reply->status->text, error);
      else
        postbag_set_fault (
            error, POSTBAG_ERROR_BAD_DATA, POSTBAG_FAULT_GARBLED,
            "The server %s does not greet like an IMAP server. Check host, port and TLS "
            "mode.",
            self->place);
      return NULL;
    }
  self->has_greeted = TRUE;
  return steal_status (reply);
}

PostbagImapFeatures *
postbag_imap_wire_get_features (PostbagImapWire *self, GError **error)
{
  if (self->capabilities == NULL)
    {
      g_autoptr (PostbagImapCommand) command = postbag_imap_command_new ("CAPABILITY");
      g_autoptr (PostbagImapStatus) status = postbag_imap_wire_run (self, command, error);

      if (status == NULL)
        return NULL;
    }
  return postbag_imap_features_new ((const char *const *)self->capabilities);
}

gboolean
postbag_imap_wire_switch (PostbagImapWire *self, GIOStream *stream, GError **error)
{
  if (self->input->len > 0 || postbag_imap_framer_is_inside (self->framer))
    {
      postbag_set_fault (
          error, POSTBAG_ERROR_BAD_DATA, POSTBAG_FAULT_TAMPERED,
          "The mail server %s, or somebody in between, sent data in clear text behind "
          "its answer to STARTTLS. The connection was closed; use implicit TLS (port "
          "993).",
          self->place);
      return FALSE;
    }
  g_set_object (&self->stream, stream);
  g_clear_pointer (&self->capabilities, g_strfreev);
  return TRUE;
}
