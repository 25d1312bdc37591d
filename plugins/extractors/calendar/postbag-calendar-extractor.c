/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Content lines (RFC 5545 section 3.1, RFC 6350 section 3.2): NAME;PARAMETERS:VALUE. */

#include "postbag-calendar-extractor.h"

#include <string.h>

#include "base/postbag-text.h"
#include "extract/postbag-markdown.h"

typedef struct
{
  PostbagMarkdown *markdown;
  guint components;
} Reader;

static gboolean
is_left_out (const char *name)
{
  /* What only programs read, and what is no text. */
  static const char *const names[] = { "VERSION",  "PRODID", "UID", "DTSTAMP", "SEQUENCE",
                                       "PHOTO",    "LOGO",   "KEY", "SOUND",   "REV",
                                       "CALSCALE", "TZID",   NULL };

  return g_strv_contains (names, name) || g_str_has_prefix (name, "X-");
}

/* (transfer full): lines joined that begin with a blank */
static char *
unfold (const char *text)
{
  GString *out = g_string_sized_new (strlen (text));

  for (const char *at = text; *at != '\0'; at++)
    {
      if (*at == '\r')
        continue;
      if (at[0] == '\n' && (at[1] == ' ' || at[1] == '\t'))
        at++;
      else
        g_string_append_c (out, *at);
    }
  return g_string_free (out, FALSE);
}

/* RFC 5545 section 3.3.11 */
static void
write_unescaped (Reader *reader, const char *value)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (const char *at = value; *at != '\0'; at++)
    {
      if (*at != '\\' || at[1] == '\0')
        g_string_append_c (out, *at);
      else if (*++at == 'n' || *at == 'N')
        g_string_append_c (out, '\n');
      else
        g_string_append_c (out, *at);
    }
  postbag_markdown_text (reader->markdown, out->str, -1);
}

static gboolean
are_digits (const char *text, gsize count)
{
  for (gsize i = 0; i < count; i++)
    if (!g_ascii_isdigit (text[i]))
      return FALSE;
  return TRUE;
}

/* 20240305T093000Z: (transfer full) (nullable) "2024-03-05 09:30 UTC" (section 3.3.5) */
static char *
format_date (const char *value)
{
  gsize length = strlen (value);
  gboolean utc = length == 16 && value[15] == 'Z';

  if (length == 8 && are_digits (value, 8))
    return g_strdup_printf ("%.4s-%.2s-%.2s", value, value + 4, value + 6);
  if ((length != 15 && !utc) || !are_digits (value, 8) || value[8] != 'T'
      || !are_digits (value + 9, 6))
    return NULL;
  return g_strdup_printf ("%.4s-%.2s-%.2s %.2s:%.2s%s", value, value + 4, value + 6, value + 9,
                          value + 11, utc ? " UTC" : "");
}

/* "SUMMARY" is shown as "Summary". */
static void
write_name (Reader *reader, const char *name)
{
  g_autofree char *lower = g_ascii_strdown (name, -1);

  *lower = g_ascii_toupper (*lower);
  postbag_markdown_text (reader->markdown, lower, -1);
}

static void
begin_component (Reader *reader, const char *value)
{
  reader->components++;
  postbag_markdown_begin_heading (reader->markdown, 2);
  write_name (reader, *value == 'V' || *value == 'v' ? value + 1 : value);
  postbag_markdown_end_block (reader->markdown);
}

static void
write_property (Reader *reader, const char *name, const char *parameters, const char *value)
{
  g_autofree char *date = format_date (value);

  postbag_markdown_begin_item (reader->markdown, 0, "-");
  write_name (reader, name);
  if (*parameters != '\0')
    {
      g_autofree char *shown = g_strconcat (" (", parameters, ")", NULL);

      postbag_markdown_text (reader->markdown, shown, -1);
    }
  postbag_markdown_text (reader->markdown, ": ", 2);
  write_unescaped (reader, date != NULL ? date : value);
}

/* The colon that ends the parameters stands outside quotation marks. */
static char *
find_value (char *line)
{
  gboolean quoted = FALSE;

  for (; *line != '\0'; line++)
    {
      if (*line == '"')
        quoted = !quoted;
      else if (*line == ':' && !quoted)
        return line;
    }
  return NULL;
}

static void
read_line (Reader *reader, char *line)
{
  char *value = find_value (line);
  char *parameters;
  const char *name = line;

  if (value == NULL || value == line)
    return;
  *value++ = '\0';
  parameters = strchr (line, ';');
  if (parameters != NULL)
    *parameters++ = '\0';
  if (strrchr (name, '.') != NULL) /* "item1.TEL": a group of vCard */
    name = strrchr (name, '.') + 1;
  if (g_ascii_strcasecmp (name, "BEGIN") == 0)
    begin_component (reader, value);
  else if (g_ascii_strcasecmp (name, "END") != 0)
    {
      g_autofree char *upper = g_ascii_strup (name, -1);

      if (!is_left_out (upper) && *value != '\0' && *upper != '\0')
        write_property (reader, upper, parameters != NULL ? parameters : "", value);
    }
}

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  g_autofree char *text =
      postbag_text_make_valid ((const char *)input->data, (gssize)input->length);
  g_autofree char *lines = unfold (text);
  g_autoptr (PostbagMarkdown) markdown = postbag_markdown_new (output);
  Reader reader = { .markdown = markdown };
  char *next;

  for (char *line = lines; line != NULL && !postbag_markdown_is_full (markdown); line = next)
    {
      next = strchr (line, '\n');
      if (next != NULL)
        *next++ = '\0';
      read_line (&reader, line);
    }
  if (reader.components > 0)
    return TRUE;
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_NOT_A_DOCUMENT,
                       "It has no BEGIN line.");
  return FALSE;
}

const PostbagExtractorImplementation postbag_calendar_extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .extract = extract,
};
