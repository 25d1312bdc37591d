/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One message file, read and laid out. */

#include "mime/postbag-read-private.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "json/postbag-json-writer.h"
#include "mime/postbag-message-security.h"
#include "mime/postbag-message.h"
#include "mime/postbag-mime-private.h"
#include "safety/postbag-attachment-policy-private.h"
#include "safety/postbag-clean.h"

static void
write_clean (PostbagJsonWriter *writer, const char *key, const char *text, gsize max_chars)
{
  g_autofree char *clean =
      text != NULL ? postbag_clean (text, POSTBAG_CLEAN_LINE, max_chars, NULL) : NULL;

  postbag_json_writer_key (writer, key);
  postbag_json_writer_string (writer, clean);
}

static void
write_addresses (PostbagJsonWriter *writer, const char *key, GPtrArray *addresses)
{
  postbag_json_writer_key (writer, key);
  postbag_json_writer_begin_array (writer);
  for (guint i = 0; i < addresses->len; i++)
    {
      const PostbagAddress *address = g_ptr_array_index (addresses, i);

      postbag_json_writer_begin_object (writer);
      write_clean (writer, "name", address->name, POSTBAG_LIMIT_NAME_CHARS);
      write_clean (writer, "address", address->address, POSTBAG_LIMIT_NAME_CHARS);
      postbag_json_writer_end_object (writer);
    }
  postbag_json_writer_end_array (writer);
}

/* One message on its way, and the codes of all that was met. */
typedef struct
{
  PostbagMessage *message;
  PostbagBody *body;
  char *text;       /* cleaned */
  GPtrArray *codes; /* char *: each once */
} Reading;

static void
clear_reading (Reading *self)
{
  g_clear_pointer (&self->message, postbag_message_free);
  g_clear_pointer (&self->body, postbag_body_free);
  g_clear_pointer (&self->text, g_free);
  g_clear_pointer (&self->codes, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reading, clear_reading)

static void
add_codes (Reading *self, const char *const *codes)
{
  for (; codes != NULL && *codes != NULL; codes++)
    if (!g_ptr_array_find_with_equal_func (self->codes, *codes, g_str_equal, NULL))
      g_ptr_array_add (self->codes, g_strdup (*codes));
}

static void
start_reading (Reading *self, GBytes *source)
{
  self->message = postbag_message_parse (source);
  self->codes = g_ptr_array_new_with_free_func (g_free);
  self->body = postbag_message_choose_body (self->message);
  self->text = postbag_clean (self->body->text, POSTBAG_CLEAN_TEXT, POSTBAG_LIMIT_BODY_CHARS, NULL);
  add_codes (self, postbag_message_get_warnings (self->message));
  add_codes (self, (const char *const *)self->body->warnings);
}

/* Shown inside the text: neither attached on purpose nor without a place there. */
static gboolean
is_inline (const PostbagPart *part)
{
  if (part->disposition != NULL)
    return strcmp (part->disposition, "inline") == 0;
  return part->content_id != NULL;
}

/* Bytes of a leaf or of a forwarded message, decoded. */
static void
write_content (PostbagJsonWriter *writer, Reading *self, const PostbagPart *part)
{
  PostbagWarnings met = 0;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *digest = NULL;
  g_auto (GStrv) codes = NULL;

  if (part->number != NULL)
    bytes =
        postbag_message_decode_part_noting (self->message, part->number, G_MAXUINT32, &met, NULL);
  if (bytes == NULL)
    return;
  codes = postbag_warnings_to_codes (met);
  add_codes (self, (const char *const *)codes);
  digest = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  postbag_json_writer_key (writer, "size");
  postbag_json_writer_int (writer, (gint64)g_bytes_get_size (bytes));
  postbag_json_writer_key (writer, "sha256");
  postbag_json_writer_string (writer, digest);
}

static void
write_attachment (PostbagJsonWriter *writer, Reading *self, const PostbagAttachment *attachment)
{
  g_autofree char *name = postbag_attachment_dup_name (attachment);
  g_autofree char *shown = postbag_clean_filename (name);
  g_autofree char *saved = postbag_save_make_name (name);
  const char *other = attachment->part->other_filename;

  postbag_json_writer_begin_object (writer);
  write_clean (writer, "part", attachment->part->number, POSTBAG_LIMIT_NAME_CHARS);
  write_clean (writer, "filename", shown, POSTBAG_LIMIT_NAME_CHARS);
  if (other != NULL)
    {
      g_autofree char *clean = postbag_clean_filename (other);

      write_clean (writer, "other_filename", clean, POSTBAG_LIMIT_NAME_CHARS);
    }
  write_clean (writer, "type", attachment->content_type, POSTBAG_LIMIT_NAME_CHARS);
  write_content (writer, self, attachment->part);
  postbag_json_writer_key (writer, "inline");
  postbag_json_writer_boolean (writer, is_inline (attachment->part));
  postbag_json_writer_key (writer, "saved_name");
  postbag_json_writer_string (writer, saved);
  postbag_json_writer_end_object (writer);
}

static void
write_attachments (PostbagJsonWriter *writer, Reading *self)
{
  g_autoptr (GPtrArray) attachments =
      postbag_attachments_walk (postbag_message_get_structure (self->message), NULL);

  postbag_json_writer_key (writer, "attachments");
  postbag_json_writer_begin_array (writer);
  for (guint i = 0; i < attachments->len; i++)
    write_attachment (writer, self, g_ptr_array_index (attachments, i));
  postbag_json_writer_end_array (writer);
}

/* Every part, flat, in order. */
static void
write_structure (PostbagJsonWriter *writer, Reading *self)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  postbag_json_writer_key (writer, "structure");
  postbag_json_writer_begin_array (writer);
  g_ptr_array_add (stack, (gpointer)postbag_message_get_structure (self->message));
  while (stack->len > 0)
    {
      const PostbagPart *part = g_ptr_array_steal_index (stack, stack->len - 1);

      postbag_json_writer_begin_object (writer);
      postbag_json_writer_key (writer, "part");
      postbag_json_writer_string (writer, part->number);
      write_clean (writer, "type", part->type, POSTBAG_LIMIT_NAME_CHARS);
      write_content (writer, self, part);
      postbag_json_writer_end_object (writer);
      for (guint i = part->children != NULL ? part->children->len : 0; i > 0; i--)
        g_ptr_array_add (stack, g_ptr_array_index (part->children, i - 1));
    }
  postbag_json_writer_end_array (writer);
}

static void
write_ids (PostbagJsonWriter *writer, PostbagMessage *message)
{
  const char *const *references = postbag_message_get_references (message);
  const char *reply = postbag_message_get_header (message, "In-Reply-To", 0);

  write_clean (writer, "message_id", postbag_message_get_message_id (message),
               POSTBAG_LIMIT_MESSAGE_ID_CHARS);
  write_clean (writer, "in_reply_to", reply, POSTBAG_LIMIT_MESSAGE_ID_CHARS);
  postbag_json_writer_key (writer, "references");
  postbag_json_writer_begin_array (writer);
  for (guint i = 0; references[i] != NULL; i++)
    {
      g_autofree char *id =
          postbag_clean (references[i], POSTBAG_CLEAN_LINE, POSTBAG_LIMIT_MESSAGE_ID_CHARS, NULL);

      postbag_json_writer_string (writer, id);
    }
  postbag_json_writer_end_array (writer);
}

/* The codes, and what each means. */
static void
write_warnings (PostbagJsonWriter *writer, const Reading *self)
{
  postbag_json_writer_key (writer, "warnings");
  postbag_json_writer_begin_array (writer);
  for (guint i = 0; i < self->codes->len; i++)
    postbag_json_writer_string (writer, g_ptr_array_index (self->codes, i));
  postbag_json_writer_end_array (writer);
  postbag_json_writer_key (writer, "notices");
  postbag_json_writer_begin_array (writer);
  for (guint i = 0; i < self->codes->len; i++)
    postbag_json_writer_string (writer,
                                postbag_mime_explain_warning (g_ptr_array_index (self->codes, i)));
  postbag_json_writer_end_array (writer);
}

/* (transfer full): what get_message tells, without what only a mailbox knows */
static PostbagMessageSecurity *
examine (const Reading *self)
{
  const PostbagMessageContext context = { 0 };

  return postbag_message_examine (self->message, self->body, &context);
}

/* The member `security` as get_message has it. */
static void
write_security (PostbagJsonWriter *writer, const Reading *self)
{
  g_autoptr (PostbagMessageSecurity) security = examine (self);
  g_autoptr (PostbagResult) result = postbag_result_new (POSTBAG_LIMIT_RESULT_CHARS);
  g_autofree char *json = NULL;
  const char *object;

  postbag_message_security_write (security, result);
  json = postbag_result_dup_json (result);
  object = strchr (json, ':') + 1; /* of {"security":{...}} */
  postbag_json_writer_key (writer, "security");
  postbag_json_writer_raw (writer, object, strlen (object) - 1);
}

static char *
lay_out_json (Reading *self)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();
  PostbagMessage *message = self->message;
  g_autofree char *date = postbag_date_to_string (postbag_message_get_date (message));
  g_autoptr (GBytes) json = NULL;

  postbag_json_writer_begin_object (writer);
  write_clean (writer, "subject", postbag_message_get_subject (message),
               POSTBAG_LIMIT_SUBJECT_CHARS);
  postbag_json_writer_key (writer, "date");
  postbag_json_writer_string (writer, date);
  write_ids (writer, message);
  write_addresses (writer, "from", postbag_message_get_addresses (message, "From"));
  write_addresses (writer, "to", postbag_message_get_addresses (message, "To"));
  write_addresses (writer, "cc", postbag_message_get_addresses (message, "Cc"));
  postbag_json_writer_key (writer, "text");
  postbag_json_writer_string (writer, self->text);
  write_attachments (writer, self);
  write_structure (writer, self);
  write_warnings (writer, self);
  write_security (writer, self);
  postbag_json_writer_end_object (writer);
  json = postbag_json_writer_finish (writer);
  return g_strdup_printf ("%.*s\n", (int)g_bytes_get_size (json),
                          (const char *)g_bytes_get_data (json, NULL));
}

/* --- for people --- */

static void
append_line (GString *out, const char *label, const char *text)
{
  g_autofree char *clean = NULL;

  if (text == NULL || *text == '\0')
    return;
  clean = postbag_clean (text, POSTBAG_CLEAN_LINE, POSTBAG_LIMIT_SUBJECT_CHARS, NULL);
  g_string_append_printf (out, "%s: %s\n", label, clean);
}

static void
append_addresses (GString *out, PostbagMessage *message, const char *field)
{
  GPtrArray *addresses = postbag_message_get_addresses (message, field);
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < addresses->len; i++)
    {
      const PostbagAddress *address = g_ptr_array_index (addresses, i);

      g_string_append (list, i > 0 ? ", " : "");
      if (address->name != NULL)
        g_string_append_printf (list, "%s <%s>", address->name, address->address);
      else
        g_string_append (list, address->address);
    }
  append_line (out, field, list->str);
}

static void
append_attachments (GString *out, PostbagMessage *message)
{
  g_autoptr (GPtrArray) attachments =
      postbag_attachments_walk (postbag_message_get_structure (message), NULL);

  if (attachments->len > 0)
    g_string_append (out, "\nAttachments:\n");
  for (guint i = 0; i < attachments->len; i++)
    {
      const PostbagAttachment *attachment = g_ptr_array_index (attachments, i);
      g_autofree char *name = postbag_attachment_dup_name (attachment);
      g_autofree char *shown = postbag_clean_filename (name);

      g_string_append_printf (out, "  %s  %s (%s, about %" G_GINT64_FORMAT " bytes)\n",
                              attachment->part->number, shown, attachment->content_type,
                              attachment->size);
      for (guint n = 0; n < attachment->notes->len; n++)
        g_string_append_printf (out, "     %s\n",
                                (const char *)g_ptr_array_index (attachment->notes, n));
    }
}

static void
append_warning (GString *out, const char *code)
{
  const char *sentence = postbag_mime_explain_warning (code);

  g_string_append_printf (out, "Warning (%s)%s%s\n", code, sentence != NULL ? ": " : "",
                          sentence != NULL ? sentence : "");
}

static void
append_list (GString *out, const char *label, GPtrArray *words)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (guint i = 0; i < words->len; i++)
    g_string_append_printf (list, "%s%s", i > 0 ? ", " : "",
                            (const char *)g_ptr_array_index (words, i));
  append_line (out, label, list->str);
}

static gboolean
has_verdict (const PostbagSecurity *security)
{
  return strcmp (security->spf, "unknown") != 0 || strcmp (security->dkim, "unknown") != 0
         || strcmp (security->dmarc, "unknown") != 0;
}

/* What gives the message away, but for the codes that were told already. */
static void
append_security (GString *out, const Reading *self, const PostbagSecurity *security)
{
  for (guint i = 0; i < security->warnings->len; i++)
    {
      const char *code = g_ptr_array_index (security->warnings, i);

      if (!g_ptr_array_find_with_equal_func (self->codes, code, g_str_equal, NULL))
        append_warning (out, code);
    }
  append_list (out, "Tries to steer a reader", security->suspicious);
  append_list (out, "Words of mixed alphabets", security->script_mix);
  if (has_verdict (security)) /* without an account there is no server whose word is trusted */
    {
      g_autofree char *verdicts =
          g_strdup_printf ("spf=%s dkim=%s dmarc=%s (anybody can have written this)", security->spf,
                           security->dkim, security->dmarc);

      append_line (out, "Authentication", verdicts);
    }
}

/* What is kept from the eyes of a reader. */
static void
append_hidden (GString *out, const PostbagHtmlReport *report)
{
  for (guint i = 0; i < report->hidden->len; i++)
    {
      const PostbagHiddenText *row = &g_array_index (report->hidden, PostbagHiddenText, i);

      g_string_append_printf (out, "Hidden text left out (%s): %" G_GSIZE_FORMAT " characters\n",
                              row->reason, row->chars);
    }
  for (guint i = 0; i < report->mismatches->len; i++)
    {
      const PostbagLinkMismatch *link = g_ptr_array_index (report->mismatches, i);

      append_line (out, "Link with the text", link->text);
      append_line (out, "  leads to", link->host);
    }
  if (report->tracking_images > 0)
    g_string_append_printf (out, "Tracking images: %u\n", report->tracking_images);
}

static char *
lay_out_text (Reading *self)
{
  GString *out = g_string_new (NULL);
  PostbagMessage *message = self->message;
  g_autofree char *date = postbag_date_to_string (postbag_message_get_date (message));
  g_autoptr (PostbagMessageSecurity) security = examine (self);

  append_addresses (out, message, "From");
  append_addresses (out, message, "To");
  append_addresses (out, message, "Cc");
  append_line (out, "Date", date);
  append_line (out, "Subject", postbag_message_get_subject (message));
  for (guint i = 0; i < self->codes->len; i++)
    append_warning (out, g_ptr_array_index (self->codes, i));
  append_security (out, self, security->security);
  append_hidden (out, security->report);
  g_string_append_printf (out, "\n%s\n", *self->text != '\0' ? self->text : "(no text)");
  append_attachments (out, message);
  return g_string_free (out, FALSE);
}

char *
postbag_read_message_bytes (GBytes *source, gboolean json)
{
  g_auto (Reading) reading = { 0 };

  start_reading (&reading, source);
  return json ? lay_out_json (&reading) : lay_out_text (&reading);
}

#define BLOCK_BYTES (64 * 1024)

static gboolean
is_device (const char *path)
{
  GStatBuf info;

  return g_stat (path, &info) == 0 && (S_ISCHR (info.st_mode) || S_ISBLK (info.st_mode));
}

/* (transfer full) (nullable): with errno. Bounded as it is read: a pipe has no size. */
static GBytes *
read_file (const char *path)
{
  FILE *file;
  GByteArray *bytes;
  gsize length = 0;
  int saved_errno;

  if (is_device (path))
    {
      errno = EINVAL; /* /dev/zero has no end */
      return NULL;
    }
  file = g_fopen (path, "rbe");
  if (file == NULL)
    return NULL;
  bytes = g_byte_array_new ();
  do
    {
      g_byte_array_set_size (bytes, (guint)length + BLOCK_BYTES);
      length += fread (bytes->data + length, 1, BLOCK_BYTES, file);
    }
  while (length == bytes->len && length <= POSTBAG_LIMIT_MESSAGE_FILE_BYTES);
  saved_errno = ferror (file) ? errno : 0;
  if (length > POSTBAG_LIMIT_MESSAGE_FILE_BYTES)
    saved_errno = EFBIG;
  fclose (file);
  g_byte_array_set_size (bytes, (guint)length);
  if (saved_errno == 0)
    return g_byte_array_free_to_bytes (bytes);
  g_byte_array_unref (bytes);
  errno = saved_errno;
  return NULL;
}

char *
postbag_read_message_file (const char *path, gboolean json, GError **error)
{
  g_autoptr (GBytes) source = read_file (path);

  if (source != NULL)
    return postbag_read_message_bytes (source, json);
  if (errno == EFBIG)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
                 "The file has more than %lld bytes; it is not read.",
                 POSTBAG_LIMIT_MESSAGE_FILE_BYTES);
  else
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
                 "Cannot read the message file “%s”: %s. Check the path.", path,
                 g_strerror (errno));
  return NULL;
}
