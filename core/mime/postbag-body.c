/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From the bytes of a text part to text: charset, HTML, line ends, flowed paragraphs. */

#include "mime/postbag-message.h"
#include "mime/postbag-charset.h"
#include "mime/postbag-mime-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "safety/postbag-html.h"

void
postbag_body_free (PostbagBody *self)
{
  if (self == NULL)
    return;
  g_free (self->text);
  g_free (self->part);
  postbag_html_report_free (self->report);
  g_strfreev (self->warnings);
  g_free (self);
}

/* CRLF and bare CR become LF, in place. */
static void
normalise_line_ends (char *text)
{
  char *out = text;

  for (const char *p = text; *p != '\0'; p++)
    {
      if (*p != '\r')
        *out++ = *p;
      else if (p[1] != '\n')
        *out++ = '\n';
    }
  *out = '\0';
}

/* Quote depth of a line: its leading `>`. */
static gsize
measure_quotes (const char *line)
{
  return strspn (line, ">");
}

/* RFC 3676 section 4: a line that ends in a blank goes on in the next one of the same quote depth;
 * the signature line `-- ` is never joined; a blank stuffed in front goes. */
char *
postbag_body_unflow (const char *text, gboolean delete_sp)
{
  GString *out = g_string_sized_new (strlen (text) + 1);
  gboolean open = FALSE; /* the line before ended in a blank */
  gsize open_depth = 0;

  for (const char *line = text, *next; line != NULL; line = next)
    {
      const char *end = strchrnul (line, '\n');
      gsize depth = measure_quotes (line);
      const char *start = line + depth;
      gboolean signature;

      next = *end == '\n' ? end + 1 : NULL;
      if (start < end && *start == ' ')
        start++;
      signature = end - start == 3 && memcmp (start, "-- ", 3) == 0;
      if (open && (depth != open_depth || signature))
        open = FALSE;
      if (!open)
        {
          if (line != text)
            g_string_append_c (out, '\n');
          g_string_append_len (out, line, (gssize)depth);
          if (depth > 0 && start < end)
            g_string_append_c (out, ' ');
        }
      open = !signature && end > start && end[-1] == ' ' && next != NULL;
      open_depth = depth;
      g_string_append_len (out, start, end - start - (open && delete_sp ? 1 : 0));
    }
  return g_string_free (out, FALSE);
}

static PostbagBody *
convert_html (const char *bytes, gsize length, const char *charset, PostbagWarnings *warnings)
{
  PostbagBody *self = g_new0 (PostbagBody, 1);
  g_autofree char *sniffed = charset == NULL ? postbag_charset_sniff_html (bytes, length) : NULL;
  g_autofree char *html = NULL;

  self->complete = length <= POSTBAG_LIMIT_HTML_BYTES;
  length = MIN (length, POSTBAG_LIMIT_HTML_BYTES);
  html = postbag_charset_convert (bytes, length, charset != NULL ? charset : sniffed, warnings);
  self->report = postbag_html_report_new ();
  self->text = postbag_html_to_text (html, strlen (html), self->report);
  self->is_html = TRUE;
  if (self->report->cut)
    postbag_warnings_add (warnings, POSTBAG_WARNING_LIMIT_HTML);
  return self;
}

PostbagBody *
postbag_body_read (GBytes *bytes, const char *type, const char *charset, PostbagWarnings *warnings)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  PostbagBody *self;

  if (data == NULL)
    data = ""; /* of no bytes GLib has none */
  if (g_strcmp0 (type, "text/html") == 0 || g_strcmp0 (type, "application/xhtml+xml") == 0)
    return convert_html (data, length, charset, warnings);
  self = g_new0 (PostbagBody, 1);
  self->text = postbag_charset_convert (data, length, charset, warnings);
  self->complete = TRUE;
  normalise_line_ends (self->text);
  self->report = postbag_html_report_new ();
  postbag_html_report_count_invisible (self->report, self->text);
  return self;
}

PostbagBody *
postbag_mime_text_from_bytes (GBytes *bytes, const char *type, const char *charset)
{
  PostbagWarnings warnings = 0;
  PostbagBody *self = postbag_body_read (bytes, type, charset, &warnings);

  self->warnings = postbag_warnings_to_codes (warnings);
  return self;
}
