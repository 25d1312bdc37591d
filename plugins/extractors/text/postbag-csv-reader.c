/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-csv-reader.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-markdown.h"

/* Lines that are looked at to find the separator. */
#define SAMPLE_BYTES 8192

typedef struct
{
  const char *at;
  char separator;
  PostbagMarkdown *markdown;
  const char *last_quote; /* of the whole text: nothing behind it can close a field */
  guint column;
  gboolean is_wide;
} Reader;

static char
find_separator (const char *text)
{
  static const char candidates[] = ",;\t|";
  gsize counts[sizeof candidates] = { 0 };
  gsize best = 0;
  gboolean quoted = FALSE;

  for (gsize i = 0; i < SAMPLE_BYTES && text[i] != '\0'; i++)
    {
      const char *found = strchr (candidates, text[i]);

      if (text[i] == '"')
        quoted = !quoted;
      else if (!quoted && found != NULL)
        counts[found - candidates]++;
    }
  for (gsize i = 1; i < strlen (candidates); i++)
    if (counts[i] > counts[best])
      best = i;
  return candidates[best];
}

/* A first line "sep=;" is a word of the spreadsheet to itself. */
static const char *
skip_declaration (const char *text, char *separator)
{
  gsize line = 5;

  if (g_ascii_strncasecmp (text, "sep=", 4) != 0 || text[4] == '\0')
    return text;
  if (text[line] == '\r')
    line++;
  if (text[line] != '\n')
    return text;
  *separator = text[4];
  return text + line + 1;
}

static void
take (Reader *reader, const char *text, gsize length)
{
  if (reader->column < POSTBAG_LIMIT_SHEET_COLUMNS)
    postbag_markdown_text (reader->markdown, text, (gssize)length);
}

/* Behind the opening quotation mark. */
static void
read_quoted (Reader *reader)
{
  for (;;)
    {
      gsize run = strcspn (reader->at, "\"");

      take (reader, reader->at, run);
      reader->at += run;
      if (reader->at[0] != '"' || reader->at[1] != '"')
        break;
      take (reader, "\"", 1);
      reader->at += 2;
    }
  if (*reader->at == '"')
    reader->at++;
}

static void
read_field (Reader *reader)
{
  const char stops[] = { reader->separator, '\r', '\n', '\0' };
  gsize run;

  if (reader->column < POSTBAG_LIMIT_SHEET_COLUMNS)
    postbag_markdown_begin_cell (reader->markdown);
  else
    reader->is_wide = TRUE;
  if (*reader->at == '"' && reader->at < reader->last_quote)
    {
      reader->at++;
      read_quoted (reader);
    }
  run = strcspn (reader->at, stops);
  take (reader, reader->at, run);
  reader->at += run;
  if (reader->column < POSTBAG_LIMIT_SHEET_COLUMNS)
    postbag_markdown_end_cell (reader->markdown);
  reader->column++;
}

static void
read_row (Reader *reader)
{
  postbag_markdown_begin_row (reader->markdown);
  reader->column = 0;
  for (;;)
    {
      read_field (reader);
      if (*reader->at != reader->separator)
        break;
      reader->at++;
    }
  postbag_markdown_end_row (reader->markdown);
  if (*reader->at == '\r')
    reader->at++;
  if (*reader->at == '\n')
    reader->at++;
}

void
postbag_csv_read (const char *text, char separator, PostbagExtractOutput *output)
{
  g_autoptr (PostbagMarkdown) markdown = postbag_markdown_new (output);
  Reader reader = { .markdown = markdown };

  reader.at = skip_declaration (text, &separator);
  reader.separator = separator != '\0' ? separator : find_separator (reader.at);
  reader.last_quote = strrchr (text, '"');
  if (reader.last_quote == NULL)
    reader.last_quote = text;
  postbag_markdown_begin_table (markdown);
  while (*reader.at != '\0' && !postbag_markdown_is_full (markdown))
    read_row (&reader);
  postbag_markdown_end_table (markdown);
  if (reader.is_wide)
    output->note (output, "Some rows have more columns than are shown.");
  if (postbag_markdown_get_cut_cells (markdown) > 0)
    output->note (output, "Some long cells were cut.");
}
