/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages of ours, as a GMime object. Everything in a header is ASCII without control characters
 * before it is given to GMime, and given raw, so that folding is ours and the only line end there:
 * GMime's own formatters would fold and encode otherwise, and read addresses again. No foreign
 * header, parameter or part is written again: nothing here serialises what a parser read. */

#include "mime/postbag-compose.h"

#include <gmime/gmime.h>
#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

/* RFC 2047 section 2: an encoded word has at most 75 characters. */
#define WORD_BYTES 45
#define LINE_CHARS 76
#define REFERENCES 20

/* The cleanups that GMime lacks. */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GMimeMessage, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GMimePart, g_object_unref)

static void
start_gmime (void)
{
  static gsize started;

  if (g_once_init_enter (&started))
    {
      g_mime_init ();
      g_once_init_leave (&started, 1);
    }
}

/* --- addresses --- */

static gboolean
refuse_address (const char *why, GError **error)
{
  g_set_error (
      error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
      "An address cannot be written: %s. Give bare addresses like ada@example.org, without "
      "a name.",
      why);
  return FALSE;
}

static gboolean
check_local_part (const char *local, GError **error)
{
  if (*local == '\0')
    return refuse_address ("there is nothing before the “@”", error);
  for (const char *next = local; *next != '\0'; next++)
    if (*next <= ' ' || *next >= 0x7f || strchr ("()<>[]:;,\\\"@", *next) != NULL)
      return refuse_address ("only letters, digits and .!#$%&'*+-/=?^_`{|}~ may stand before the "
                             "“@”",
                             error);
  /* It may not be one (RFC 2047 section 5), and programs that read it all the same would show, and
   * perhaps write to, somebody else. */
  if (strstr (local, "=?") != NULL)
    return refuse_address ("what stands before the “@” looks like an encoded word", error);
  return TRUE;
}

/* The quotes around a local part are not of it. */
static char *
unquote (const char *local, gsize length)
{
  if (length > 2 && local[0] == '"' && local[length - 1] == '"')
    return g_strndup (local + 1, length - 2);
  return g_strndup (local, length);
}

/* A dot at an end, or two in a row, is no dot-atom (RFC 5322 section 3.2.3), and yet such
 * addresses are in use. */
static gboolean
needs_quotes (const char *local)
{
  return *local == '.' || g_str_has_suffix (local, ".") || strstr (local, "..") != NULL;
}

static gboolean
check_domain (const char *domain, GError **error)
{
  const char *dot = strchr (domain, '.');

  if (dot == NULL || dot == domain || domain[strlen (domain) - 1] == '.'
      || strstr (domain, "..") != NULL)
    return refuse_address ("what stands behind the “@” is no domain", error);
  for (const char *next = domain; *next != '\0'; next++)
    if (!g_ascii_isalnum (*next) && *next != '-' && *next != '.')
      return refuse_address ("what stands behind the “@” is no domain", error);
  return TRUE;
}

char *
postbag_compose_check_address (const char *address, GError **error)
{
  const char *at = strchr (address, '@');
  g_autofree char *local = NULL;
  g_autofree char *domain = NULL;
  g_autofree char *written = NULL;
  const char *quote;

  if (at == NULL || strchr (at + 1, '@') != NULL)
    {
      refuse_address ("it has not exactly one “@”", error);
      return NULL;
    }
  local = unquote (address, (gsize)(at - address));
  if (!check_local_part (local, error))
    return NULL;
  domain = g_utf8_validate (at + 1, -1, NULL) ? g_hostname_to_ascii (at + 1) : NULL;
  if (domain == NULL)
    {
      refuse_address ("what stands behind the “@” is no domain", error);
      return NULL;
    }
  if (!check_domain (domain, error))
    return NULL;
  quote = needs_quotes (local) ? "\"" : "";
  written = g_strconcat (quote, local, quote, "@", domain, NULL);
  if (strlen (written) <= POSTBAG_LIMIT_ADDRESS_BYTES)
    return g_steal_pointer (&written);
  refuse_address ("it is longer than 254 bytes", error);
  return NULL;
}

/* --- fields --- */

/* The last lock: whatever was checked before, a field that is none is not written. */
static gboolean
append_field (GMimeHeaderList *out, const char *name, const char *value, GError **error)
{
  g_autofree char *raw = g_strdup_printf (" %s\n", value);

  for (const char *next = value; *next != '\0'; next++)
    {
      gboolean folds = next[0] == '\n' && next[1] == ' ';

      if (!folds && (*next < ' ' || *next >= 0x7f))
        {
          g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                       "The field “%s” would hold a line end or another character that may not "
                       "stand in a header. Nothing was saved; leave it out.",
                       name);
          return FALSE;
        }
    }
  g_mime_header_list_append (out, name, "", NULL);
  g_mime_header_set_raw_value (
      g_mime_header_list_get_header_at (out, g_mime_header_list_get_count (out) - 1), raw);
  return TRUE;
}

/* Values one after the other, each on a line of its own where they do not fit one. */
static char *
fold (const char *name, const GPtrArray *values, const char *separator)
{
  GString *out = g_string_new (NULL);
  gsize line = strlen (name) + 2;

  for (guint i = 0; i < values->len; i++)
    {
      const char *value = g_ptr_array_index (values, i);

      if (i > 0)
        {
          gboolean fits = line + strlen (separator) + strlen (value) + 1 <= LINE_CHARS;

          g_string_append (out, separator);
          g_string_append (out, fits ? " " : "\n ");
          line = fits ? line + strlen (separator) + 1 : 1;
        }
      g_string_append (out, value);
      line += strlen (value);
    }
  return g_string_free (out, FALSE);
}

static gboolean
append_addresses (GMimeHeaderList *out, const char *name, const char *const *addresses,
                  GError **error)
{
  g_autoptr (GPtrArray) written = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *value = NULL;

  for (; addresses != NULL && *addresses != NULL; addresses++)
    {
      char *address = postbag_compose_check_address (*addresses, error);

      if (address == NULL)
        return FALSE;
      g_ptr_array_add (written, address);
    }
  if (written->len == 0)
    return TRUE;
  value = fold (name, written, ",");
  return append_field (out, name, value, error);
}

/* --- the subject --- */

/* What could be taken for an encoded word has to be one. */
static gboolean
is_plain (const char *text)
{
  gsize length = strlen (text);

  for (const char *next = text; *next != '\0'; next++)
    if (*next < ' ' || *next >= 0x7f)
      return FALSE;
  return strstr (text, "=?") == NULL
         && (length == 0 || (text[0] != ' ' && text[length - 1] != ' '));
}

/* RFC 2047: words of at most WORD_BYTES of text, cut between characters. */
static char *
encode_words (const char *text)
{
  GString *out = g_string_new (NULL);

  while (*text != '\0')
    {
      const char *end = text;
      g_autofree char *base64 = NULL;

      while (*end != '\0' && g_utf8_next_char (end) - text <= WORD_BYTES)
        end = g_utf8_next_char (end);
      base64 = g_base64_encode ((const guchar *)text, (gsize)(end - text));
      g_string_append_printf (out, "%s=?UTF-8?B?%s?=", out->len > 0 ? "\n " : "", base64);
      text = end;
    }
  return g_string_free (out, FALSE);
}

static gboolean
append_subject (GMimeHeaderList *out, const char *subject, GError **error)
{
  g_autofree char *value = NULL;

  if (strpbrk (subject, "\r\n") != NULL || !g_utf8_validate (subject, -1, NULL))
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                           "The subject is not one line of UTF-8. Nothing was saved.");
      return FALSE;
    }
  value = is_plain (subject) ? g_strdup (subject) : encode_words (subject);
  return append_field (out, "Subject", value, error);
}

/* --- ids --- */

/* `<...>`, 1..255 printable ASCII characters inside, no blanks and no angles */
static gboolean
is_id (const char *id)
{
  gsize length = id != NULL ? strlen (id) : 0;

  if (length < 3 || length > 257 || id[0] != '<' || id[length - 1] != '>')
    return FALSE;
  for (gsize i = 1; i < length - 1; i++)
    if (id[i] <= ' ' || id[i] >= 0x7f || id[i] == '<' || id[i] == '>')
      return FALSE;
  return TRUE;
}

static gboolean
append_references (GMimeHeaderList *out, const char *const *references, GError **error)
{
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  g_autofree char *value = NULL;

  for (; references != NULL && *references != NULL; references++)
    if (is_id (*references)
        && !g_ptr_array_find_with_equal_func (ids, *references, g_str_equal, NULL))
      g_ptr_array_add (ids, (gpointer)*references);
  if (ids->len > REFERENCES)
    g_ptr_array_remove_range (ids, 0, ids->len - REFERENCES);
  if (ids->len == 0)
    return TRUE;
  value = fold ("References", ids, "");
  return append_field (out, "References", value, error);
}

static gboolean
append_ids (GMimeHeaderList *out, const PostbagDraft *draft, GError **error)
{
  g_autofree char *uuid = g_uuid_string_random ();
  g_autofree char *id = g_strdup_printf ("<%s@postbag.invalid>", uuid);

  if (!append_field (out, "Message-ID", id, error))
    return FALSE;
  if (is_id (draft->in_reply_to) && !append_field (out, "In-Reply-To", draft->in_reply_to, error))
    return FALSE;
  return append_references (out, draft->references, error);
}

/* --- the rest --- */

/* In English whatever the locale. */
static gboolean
append_date (GMimeHeaderList *out, gint64 date, GError **error)
{
  static const char *const days[] = { "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun" };
  static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
  g_autoptr (GDateTime) time = g_date_time_new_from_unix_utc (date);
  g_autofree char *value = NULL;

  g_return_val_if_fail (time != NULL, FALSE);

  value = g_strdup_printf (
      "%s, %d %s %d %02d:%02d:%02d +0000", days[g_date_time_get_day_of_week (time) - 1],
      g_date_time_get_day_of_month (time), months[g_date_time_get_month (time) - 1],
      g_date_time_get_year (time), g_date_time_get_hour (time), g_date_time_get_minute (time),
      g_date_time_get_second (time));
  return append_field (out, "Date", value, error);
}

/* (transfer full): line ends become CRLF, the canonical form of text (RFC 2046 section 4.1.1) */
static char *
canonicalize (const char *text)
{
  GString *out = g_string_sized_new (strlen (text) + 64);

  for (; *text != '\0'; text++)
    {
      if (text[0] == '\r' && text[1] == '\n')
        text++;
      if (*text == '\n' || *text == '\r')
        g_string_append (out, "\r\n");
      else
        g_string_append_c (out, *text);
    }
  return g_string_free (out, FALSE);
}

/* (transfer full) */
static GMimePart *
create_part (const char *body)
{
  GMimePart *part = g_mime_part_new_with_type ("text", "plain");
  g_autofree char *text = canonicalize (body);
  GMimeStream *stream = g_mime_stream_mem_new_with_buffer (text, strlen (text));
  GMimeDataWrapper *content =
      g_mime_data_wrapper_new_with_stream (stream, GMIME_CONTENT_ENCODING_DEFAULT);

  g_mime_object_set_content_type_parameter (GMIME_OBJECT (part), "charset", "utf-8");
  g_mime_part_set_content_encoding (part, GMIME_CONTENT_ENCODING_BASE64);
  g_mime_part_set_content (part, content);
  g_object_unref (content);
  g_object_unref (stream);
  return part;
}

/* (transfer full): with CRLF line ends */
static GBytes *
write_message (GMimeMessage *message)
{
  GMimeFormatOptions *options = g_mime_format_options_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  GMimeStream *stream = g_mime_stream_mem_new_with_byte_array (bytes);

  g_mime_stream_mem_set_owner (GMIME_STREAM_MEM (stream), FALSE);
  g_mime_format_options_set_newline_format (options, GMIME_NEWLINE_FORMAT_DOS);
  g_mime_object_write_to_stream (GMIME_OBJECT (message), options, stream);
  g_object_unref (stream);
  g_mime_format_options_free (options);
  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

static gboolean
append_all (GMimeHeaderList *out, const PostbagDraft *draft, GError **error)
{
  const char *from[] = { draft->from, NULL };

  return append_date (out, draft->date, error) && append_addresses (out, "From", from, error)
         && append_addresses (out, "To", draft->to, error)
         && append_addresses (out, "Cc", draft->cc, error)
         && append_addresses (out, "Bcc", draft->bcc, error)
         && append_subject (out, draft->subject, error) && append_ids (out, draft, error)
         && append_field (out, "MIME-Version", "1.0", error);
}

GBytes *
postbag_compose (const PostbagDraft *draft, GError **error)
{
  g_autoptr (GMimeMessage) message = NULL;
  g_autoptr (GMimePart) part = NULL;

  if (!g_utf8_validate (draft->body, -1, NULL))
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                           "The body is not UTF-8. Nothing was saved.");
      return NULL;
    }
  start_gmime ();
  message = g_mime_message_new (FALSE);
  if (!append_all (g_mime_object_get_header_list (GMIME_OBJECT (message)), draft, error))
    return NULL;
  part = create_part (draft->body);
  g_mime_message_set_mime_part (message, GMIME_OBJECT (part));
  return write_message (message);
}
