/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Text out of blocks: line ends and blanks are owed until the next visible character, so none are
 * left at an end. Every line of a quotation starts with `> `. */

#include "safety/postbag-html-private.h"

#include <string.h>

/* Deeper levels look like these: the prefix of a line stays short, whatever the nesting. */
#define MAX_SHOWN_LEVELS 8
#define MAX_LISTS 64
/* Line ends in a row that fill a window. */
#define WINDOW_LINES 40

struct _PostbagHtmlWriter
{
  GString *out;
  guint newlines; /* owed */
  gboolean blank; /* owed */
  gboolean cell;  /* a cell's separator is owed */
  gboolean item;  /* a list item's mark is owed */
  gsize breaks;   /* asked for in a row */
  gsize lost;
  guint pre;
  guint quotes;
  guint n_lists;
  int lists[MAX_LISTS]; /* the number of the next item, -1: dashes */
};

PostbagHtmlWriter *
postbag_html_writer_new (void)
{
  PostbagHtmlWriter *self = g_new0 (PostbagHtmlWriter, 1);

  self->out = g_string_new (NULL);
  return self;
}

char *
postbag_html_writer_finish (PostbagHtmlWriter *self)
{
  char *text = g_string_free (self->out, FALSE);

  g_free (self);
  return text;
}

static void
append_item_mark (PostbagHtmlWriter *self)
{
  guint level = MIN (self->n_lists, MAX_LISTS);
  int *number = level > 0 ? &self->lists[level - 1] : NULL;

  for (guint i = 1; i < MIN (level, MAX_SHOWN_LEVELS); i++)
    g_string_append (self->out, "  ");
  if (number == NULL || *number < 0)
    g_string_append (self->out, "- ");
  else
    g_string_append_printf (self->out, "%d. ", (*number)++);
  self->item = FALSE;
}

static void
append_line_start (PostbagHtmlWriter *self)
{
  for (guint i = 0; i < MIN (self->quotes, MAX_SHOWN_LEVELS); i++)
    g_string_append (self->out, "> ");
  if (self->item)
    append_item_mark (self);
}

/* Writes what is owed before a visible character. */
static void
settle (PostbagHtmlWriter *self)
{
  gboolean start = self->out->len == 0;

  self->lost += self->breaks > WINDOW_LINES ? self->breaks : 0;
  self->breaks = 0;
  if (!start)
    for (guint i = 0; i < self->newlines; i++)
      g_string_append_c (self->out, '\n');
  if (start || self->newlines > 0)
    append_line_start (self);
  else if (self->cell)
    g_string_append (self->out, " | ");
  else if (self->blank)
    g_string_append_c (self->out, ' ');
  self->newlines = 0;
  self->blank = FALSE;
  self->cell = FALSE;
}

static void
append_pre (PostbagHtmlWriter *self, const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    {
      if (text[i] == '\n')
        postbag_html_writer_break (self);
      else if (text[i] != '\r')
        {
          settle (self);
          g_string_append_c (self->out, text[i]);
        }
    }
}

void
postbag_html_writer_text (PostbagHtmlWriter *self, const char *text, gsize length)
{
  if (self->pre > 0)
    {
      append_pre (self, text, length);
      return;
    }
  for (gsize i = 0; i < length; i++)
    {
      if (g_ascii_isspace (text[i]))
        {
          self->blank = TRUE;
          continue;
        }
      if (self->newlines > 0 || self->blank || self->cell || self->item || self->breaks > 0
          || self->out->len == 0)
        settle (self);
      g_string_append_c (self->out, text[i]);
    }
}

void
postbag_html_writer_block (PostbagHtmlWriter *self, guint newlines)
{
  self->newlines = MAX (self->newlines, newlines);
  self->blank = FALSE;
}

void
postbag_html_writer_break (PostbagHtmlWriter *self)
{
  self->newlines = MIN (self->newlines + 1, 3);
  self->breaks++;
  self->blank = FALSE;
}

void
postbag_html_writer_cell (PostbagHtmlWriter *self)
{
  self->cell = self->out->len > 0 && self->newlines == 0;
}

void
postbag_html_writer_quote (PostbagHtmlWriter *self, int change)
{
  postbag_html_writer_block (self, 2);
  self->quotes = (guint)MAX ((int)self->quotes + change, 0);
}

void
postbag_html_writer_pre (PostbagHtmlWriter *self, int change)
{
  postbag_html_writer_block (self, 1);
  self->pre = (guint)MAX ((int)self->pre + change, 0);
}

void
postbag_html_writer_begin_list (PostbagHtmlWriter *self, int start)
{
  postbag_html_writer_block (self, 1);
  if (self->n_lists < MAX_LISTS)
    self->lists[self->n_lists] = start;
  self->n_lists++;
}

void
postbag_html_writer_end_list (PostbagHtmlWriter *self)
{
  postbag_html_writer_block (self, 1);
  if (self->n_lists > 0)
    self->n_lists--;
}

void
postbag_html_writer_item (PostbagHtmlWriter *self)
{
  postbag_html_writer_block (self, 1);
  self->item = TRUE;
}

gsize
postbag_html_writer_mark (PostbagHtmlWriter *self)
{
  return self->out->len;
}

const char *
postbag_html_writer_since (PostbagHtmlWriter *self, gsize mark)
{
  return self->out->str + MIN (mark, self->out->len);
}

gsize
postbag_html_writer_count_lost (PostbagHtmlWriter *self)
{
  return self->lost;
}
