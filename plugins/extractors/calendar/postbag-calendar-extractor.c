/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Content lines (RFC 5545 section 3.1, RFC 6350 section 3.2): NAME;PARAMETERS:VALUE. */

#include "postbag-calendar-extractor.h"

#include <string.h>

#include "extract/postbag-charset-tables.h"
#include "extract/postbag-markdown.h"
#include "mime/postbag-charset.h"
#include "mime/postbag-message.h"

typedef struct
{
  PostbagMarkdown *markdown;
  guint components;
  guint zones; /* open ones, with what is in them: nobody reads their rules */
  gboolean is_named;
  gboolean has_files; /* whose bytes stand in it */
  char *name;         /* (nullable): in parts, for a card without the whole one */
} Reader;

typedef struct
{
  char *name;       /* upper case */
  char *parameters; /* as they were written */
  char *value;
} Property;

static gboolean
is_left_out (const char *name)
{
  /* What only programs read, and what is no text. */
  static const char *const names[] = { "VERSION", "PRODID", "UID",   "DTSTAMP",  "SEQUENCE",
                                       "PHOTO",   "LOGO",   "KEY",   "SOUND",    "REV",
                                       "SOURCE",  "TZID",   "CLASS", "CALSCALE", NULL };

  return g_strv_contains (names, name) || g_str_has_prefix (name, "X-");
}

/* (transfer full) (nullable): the value of a parameter; quotation marks gone */
static char *
find_parameter (const Property *property, const char *name)
{
  gsize length = strlen (name);
  const char *at = property->parameters;

  while (at != NULL)
    {
      const char *end = at;
      gboolean quoted = FALSE;

      for (; *end != '\0' && (quoted || *end != ';'); end++)
        quoted ^= *end == '"';
      if (g_ascii_strncasecmp (at, name, length) == 0 && at[length] == '=')
        {
          char *value = g_strndup (at + length + 1, (gsize)(end - at) - length - 1);

          return g_strstrip (g_strdelimit (value, "\"", ' '));
        }
      at = *end == ';' ? end + 1 : NULL;
    }
  return NULL;
}

/* The bytes of a file: in base64, as three generations of cards and calendars say it. */
static gboolean
is_file (const Property *property)
{
  g_autofree char *encoding = find_parameter (property, "ENCODING");
  g_autofree char *value = find_parameter (property, "VALUE");
  g_auto (GStrv) bare =
      g_strsplit (property->parameters != NULL ? property->parameters : "", ";", 32);

  if (encoding != NULL
      && (g_ascii_strcasecmp (encoding, "BASE64") == 0 || g_ascii_strcasecmp (encoding, "B") == 0))
    return TRUE;
  if (value != NULL && g_ascii_strcasecmp (value, "BINARY") == 0)
    return TRUE;
  return g_strv_contains ((const char *const *)bare, "BASE64")
         || g_ascii_strncasecmp (property->value, "data:", 5) == 0;
}

/* Of vCard 2.1, where it may stand without its name, too. */
static gboolean
is_quoted_printable (const char *line, gsize length)
{
  const char *colon = memchr (line, ':', length);
  const char *found =
      g_strstr_len (line, colon != NULL ? colon - line : (gssize)length, "QUOTED-PRINTABLE");

  return found != NULL;
}

/* (transfer full): lines joined that begin with a blank, or stand behind a soft line end */
static char *
unfold (const char *text)
{
  GString *out = g_string_sized_new (strlen (text));
  gsize start = 0;
  gboolean is_soft = FALSE; /* what the first soft line end of this line was */

  for (const char *at = text; *at != '\0'; at++)
    {
      if (*at == '\r')
        continue;
      if (at[0] == '\n' && (at[1] == ' ' || at[1] == '\t'))
        {
          at++;
          continue;
        }
      if (*at == '\n' && out->len > start && out->str[out->len - 1] == '='
          && (is_soft || is_quoted_printable (out->str + start, out->len - start)))
        {
          is_soft = TRUE;
          g_string_truncate (out, out->len - 1);
          continue;
        }
      g_string_append_c (out, *at);
      if (*at != '\n')
        continue;
      start = out->len;
      is_soft = FALSE;
    }
  return g_string_free (out, FALSE);
}

/* (transfer full) */
static char *
decode_quoted_printable (const Property *property)
{
  g_autofree char *charset = find_parameter (property, "CHARSET");
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  for (const char *at = property->value; *at != '\0'; at++)
    {
      guint8 byte = (guint8)*at;

      if (*at == '=' && g_ascii_isxdigit (at[1]) && g_ascii_isxdigit (at[2]))
        {
          byte = (guint8)(g_ascii_xdigit_value (at[1]) * 16 + g_ascii_xdigit_value (at[2]));
          at += 2;
        }
      g_byte_array_append (bytes, &byte, 1);
    }
  return postbag_mime_to_utf8 ((const char *)bytes->data, bytes->len,
                               charset != NULL ? charset : "utf-8");
}

/* RFC 5545 section 3.3.11 */
static void
append_unescaped (GString *out, const char *value, gsize length)
{
  for (const char *at = value; at < value + length; at++)
    {
      if (*at != '\\' || at + 1 == value + length)
        g_string_append_c (out, *at);
      else if (*++at == 'n' || *at == 'N')
        g_string_append_c (out, '\n');
      else
        g_string_append_c (out, *at);
    }
}

/* (transfer full): the parts of a name or an address, empty ones left out */
static char *
join_parts (const char *value)
{
  GString *out = g_string_new (NULL);

  while (*value != '\0')
    {
      gsize length = 0;

      while (value[length] != '\0' && value[length] != ';')
        length += value[length] == '\\' && value[length + 1] != '\0' ? 2 : 1;
      if (length > 0 && out->len > 0)
        g_string_append (out, ", ");
      append_unescaped (out, value, length);
      value += length + (value[length] == ';');
    }
  return g_string_free (out, FALSE);
}

static gboolean
is_date (const Property *property)
{
  static const char *const names[] = { "DTSTART",       "DTEND",        "DUE",
                                       "COMPLETED",     "CREATED",      "LAST-MODIFIED",
                                       "RECURRENCE-ID", "EXDATE",       "RDATE",
                                       "TRIGGER",       "ACKNOWLEDGED", "BDAY",
                                       "ANNIVERSARY",   "DEATHDATE",    NULL };
  g_autofree char *kind = find_parameter (property, "VALUE");

  return g_strv_contains (names, property->name)
         || (kind != NULL && g_ascii_strncasecmp (kind, "DATE", 4) == 0);
}

static gboolean
are_digits (const char *text, gsize count)
{
  for (gsize i = 0; i < count; i++)
    if (!g_ascii_isdigit (text[i]))
      return FALSE;
  return TRUE;
}

/* Two digits of at most @most. */
static gboolean
are_up_to (const char *digits, int least, int most)
{
  int number = (digits[0] - '0') * 10 + digits[1] - '0';

  return number >= least && number <= most;
}

/* 20240305T093000Z: (transfer full) (nullable) "2024-03-05 09:30 UTC" (section 3.3.5) */
static char *
format_date (const char *value)
{
  gsize length = strlen (value);
  gboolean utc = length == 16 && value[15] == 'Z';

  if (length < 8 || !are_digits (value, 8) || !are_up_to (value + 4, 1, 12)
      || !are_up_to (value + 6, 1, 31))
    return NULL;
  if (length == 8)
    return g_strdup_printf ("%.4s-%.2s-%.2s", value, value + 4, value + 6);
  if ((length != 15 && !utc) || value[8] != 'T' || !are_digits (value + 9, 6)
      || !are_up_to (value + 9, 0, 23) || !are_up_to (value + 11, 0, 59))
    return NULL;
  return g_strdup_printf ("%.4s-%.2s-%.2s %.2s:%.2s%s", value, value + 4, value + 6, value + 9,
                          value + 11, utc ? " UTC" : "");
}

/* "SUMMARY" is shown as "Summary", what is short for a word as that word. */
static void
write_name (Reader *reader, const char *name)
{
  static const char *const words[][2] = {
    { "ADR", "Address" },   { "ALARM", "Reminder" }, { "BDAY", "Birthday" },
    { "DTEND", "End" },     { "DTSTART", "Start" },  { "EXDATE", "Not on" },
    { "FN", "Name" },       { "IMPP", "Messages" },  { "ORG", "Organization" },
    { "RDATE", "Also on" }, { "RRULE", "Repeats" },  { "TEL", "Phone" },
    { "TRIGGER", "When" },  { "TZ", "Time zone" },   { "URL", "Web" },
  };
  g_autofree char *lower = g_ascii_strdown (name, -1);
  const char *shown = lower;

  *lower = g_ascii_toupper (*lower);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_ascii_strcasecmp (words[i][0], name) == 0)
      shown = words[i][1];
  postbag_markdown_text (reader->markdown, shown, -1);
}

static void
begin_component (Reader *reader, const char *value)
{
  reader->components++;
  if (reader->zones > 0 || g_ascii_strcasecmp (value, "VTIMEZONE") == 0)
    {
      reader->zones++;
      return;
    }
  reader->is_named = FALSE;
  g_clear_pointer (&reader->name, g_free);
  postbag_markdown_begin_heading (reader->markdown, 2);
  write_name (reader, *value == 'V' || *value == 'v' ? value + 1 : value);
  postbag_markdown_end_block (reader->markdown);
}

static void
end_component (Reader *reader)
{
  if (reader->zones > 0)
    reader->zones--;
  else if (!reader->is_named && reader->name != NULL)
    {
      postbag_markdown_begin_item (reader->markdown, 0, "-");
      postbag_markdown_text (reader->markdown, "Name: ", -1);
      postbag_markdown_text (reader->markdown, reader->name, -1);
    }
  g_clear_pointer (&reader->name, g_free);
}

/* (transfer full) (nullable): of vCard 2.1, where TYPE= may be missing: "HOME", "WORK" */
static char *
find_bare_kinds (const Property *property)
{
  static const char *const others[] = { "QUOTED-PRINTABLE", "BASE64", "7BIT", "8BIT",
                                        "INTERNET",         NULL };
  g_auto (GStrv) parameters =
      g_strsplit (property->parameters != NULL ? property->parameters : "", ";", 32);
  GString *out = g_string_new (NULL);

  for (gsize i = 0; parameters[i] != NULL; i++)
    if (strpbrk (parameters[i], "=\"") == NULL && !g_strv_contains (others, parameters[i]))
      g_string_append_printf (out, "%s%s", out->len > 0 ? ", " : "", parameters[i]);
  return g_string_free (out, out->len == 0);
}

/* What kind of number it is, who is meant, in which time zone. */
static void
write_parameters (Reader *reader, const Property *property)
{
  static const char *const names[] = { "CN", "PARTSTAT", "TYPE", "TZID", NULL };
  gboolean any = FALSE;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *value =
          names[i] != NULL ? find_parameter (property, names[i]) : find_bare_kinds (property);

      if (value == NULL || *value == '\0')
        continue;
      postbag_markdown_text (reader->markdown, any ? ", " : " (", -1);
      postbag_markdown_text (reader->markdown, value, -1);
      any = TRUE;
    }
  if (any)
    postbag_markdown_text (reader->markdown, ")", 1);
}

/* (transfer full) */
static char *
dup_shown (const Property *property)
{
  static const char *const in_parts[] = { "N", "ADR", "ORG", NULL };
  g_autofree char *date = is_date (property) ? format_date (property->value) : NULL;
  GString *out;

  if (date != NULL)
    return g_steal_pointer (&date);
  if (g_strv_contains (in_parts, property->name))
    return join_parts (property->value);
  out = g_string_new (NULL);
  if (g_ascii_strncasecmp (property->value, "mailto:", 7) == 0)
    append_unescaped (out, property->value + 7, strlen (property->value + 7));
  else
    append_unescaped (out, property->value, strlen (property->value));
  return g_string_free (out, FALSE);
}

static void
write_property (Reader *reader, const Property *property)
{
  g_autofree char *shown = dup_shown (property);

  reader->is_named |= strcmp (property->name, "FN") == 0;
  if (strcmp (property->name, "N") == 0)
    {
      g_free (reader->name);
      reader->name = g_steal_pointer (&shown);
      return;
    }
  postbag_markdown_begin_item (reader->markdown, 0, "-");
  write_name (reader, property->name);
  write_parameters (reader, property);
  postbag_markdown_text (reader->markdown, ": ", 2);
  postbag_markdown_text (reader->markdown, shown, -1);
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
read_property (Reader *reader, Property *property)
{
  g_autofree char *decoded = NULL;

  if (strcmp (property->name, "BEGIN") == 0)
    begin_component (reader, property->value);
  else if (strcmp (property->name, "END") == 0)
    end_component (reader);
  else if (reader->zones == 0 && *property->name != '\0' && *property->value != '\0'
           && !is_left_out (property->name))
    {
      if (is_file (property))
        {
          reader->has_files = TRUE;
          return;
        }
      if (property->parameters != NULL
          && is_quoted_printable (property->parameters, strlen (property->parameters)))
        property->value = decoded = decode_quoted_printable (property);
      write_property (reader, property);
    }
}

static void
read_line (Reader *reader, char *line)
{
  char *value = find_value (line);
  const char *name = line;
  Property property = { 0 };
  g_autofree char *upper = NULL;

  if (value == NULL || value == line)
    return;
  *value++ = '\0';
  property.value = value;
  property.parameters = strchr (line, ';');
  if (property.parameters != NULL)
    *property.parameters++ = '\0';
  if (strrchr (name, '.') != NULL) /* "item1.TEL": a group of vCard */
    name = strrchr (name, '.') + 1;
  property.name = upper = g_ascii_strup (name, -1);
  read_property (reader, &property);
}

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  g_autofree char *text =
      postbag_charset_decode_file ((const char *)input->data, input->length, input->charset);
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
  g_free (reader.name);
  if (reader.has_files)
    output->note (output, "Files whose bytes stand in it were left out.");
  if (reader.components > 0)
    return TRUE;
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_NOT_A_DOCUMENT,
                       "It has no BEGIN line.");
  return FALSE;
}

const PostbagExtractorImplementation postbag_calendar_extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .prepare = postbag_charset_tables_prepare,
  .extract = extract,
};
