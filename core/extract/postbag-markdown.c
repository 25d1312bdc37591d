/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-markdown.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"

/* A paragraph longer than this leaves in pieces. */
#define PIECE_BYTES (64 * 1024)
#define DEEPEST_ITEM 8

typedef enum
{
  NOTHING,
  BLOCK,
  ITEM,
} Kind;

struct _PostbagMarkdown
{
  PostbagExtractOutput *output;
  gboolean full;

  GString *block; /* of the open block, not yet written */
  GString *prefix;
  Kind kind;            /* of the open block */
  Kind last;            /* of the one before */
  gboolean has_started; /* some of the open block was written */

  guint tables; /* open ones */
  guint rows;   /* of the outermost table */
  gboolean in_cell;
  GString *cell;
  gsize cell_chars;
  gboolean cell_cut;
  guint cut_cells;
  GString *row;
  gsize row_end;       /* of the last cell with text */
  guint columns;       /* begun in this row */
  guint shown_columns; /* up to the last one with text */
};

PostbagMarkdown *
postbag_markdown_new (PostbagExtractOutput *output)
{
  PostbagMarkdown *self = g_new0 (PostbagMarkdown, 1);

  self->output = output;
  self->block = g_string_new (NULL);
  self->prefix = g_string_new (NULL);
  self->cell = g_string_new (NULL);
  self->row = g_string_new (NULL);
  self->kind = BLOCK;
  return self;
}

void
postbag_markdown_free (PostbagMarkdown *self)
{
  while (self->tables > 0)
    postbag_markdown_end_table (self);
  postbag_markdown_end_block (self);
  g_string_free (self->block, TRUE);
  g_string_free (self->prefix, TRUE);
  g_string_free (self->cell, TRUE);
  g_string_free (self->row, TRUE);
  g_free (self);
}

gboolean
postbag_markdown_is_full (PostbagMarkdown *self)
{
  return self->full;
}

guint
postbag_markdown_get_cut_cells (PostbagMarkdown *self)
{
  return self->cut_cells;
}

static void
write_out (PostbagMarkdown *self, const char *text, gsize length)
{
  if (!self->full && length > 0)
    self->full = !self->output->append (self->output, text, length);
}

static void
write_words (PostbagMarkdown *self, const char *text)
{
  write_out (self, text, strlen (text));
}

/* --- blocks --- */

static gsize
skip_blanks (const char *text)
{
  return strspn (text, " \t\n");
}

/* What stands between two blocks: items of a list stay together. */
static void
start_block (PostbagMarkdown *self)
{
  if (self->last == ITEM && self->kind == ITEM)
    write_words (self, "\n");
  else if (self->last != NOTHING)
    write_words (self, "\n\n");
  write_out (self, self->prefix->str, self->prefix->len);
  self->has_started = TRUE;
}

/* Blanks in front of the first word say nothing, but for those that indent a line of code. */
static gsize
find_start (const GString *block)
{
  gsize start = skip_blanks (block->str);

  while (start > 0 && block->str[start - 1] != '\n')
    start--;
  return start;
}

static void
write_block (PostbagMarkdown *self, gsize length)
{
  gsize start = 0;

  if (!self->has_started)
    {
      start = self->prefix->len > 0 ? skip_blanks (self->block->str) : find_start (self->block);
      if (skip_blanks (self->block->str) >= length)
        return;
      start_block (self);
    }
  write_out (self, self->block->str + start, length - start);
  g_string_erase (self->block, 0, (gssize)length);
}

static gsize
measure_without_end_blanks (const GString *text)
{
  gsize length = text->len;

  while (length > 0 && strchr (" \t\n", text->str[length - 1]) != NULL)
    length--;
  return length;
}

static void
finish_block (PostbagMarkdown *self)
{
  write_block (self, measure_without_end_blanks (self->block));
  if (self->has_started)
    self->last = self->kind;
  g_string_truncate (self->block, 0);
  g_string_truncate (self->prefix, 0);
  self->kind = BLOCK;
  self->has_started = FALSE;
}

static void
open_block (PostbagMarkdown *self, Kind kind)
{
  if (self->tables > 0)
    {
      postbag_markdown_break (self);
      return;
    }
  finish_block (self);
  self->kind = kind;
}

void
postbag_markdown_end_block (PostbagMarkdown *self)
{
  open_block (self, BLOCK);
}

void
postbag_markdown_begin_heading (PostbagMarkdown *self, guint level)
{
  open_block (self, BLOCK);
  if (self->tables > 0)
    return;
  for (guint i = 0; i < CLAMP (level, 1, 6); i++)
    g_string_append_c (self->prefix, '#');
  g_string_append_c (self->prefix, ' ');
}

void
postbag_markdown_begin_item (PostbagMarkdown *self, guint depth, const char *marker)
{
  open_block (self, ITEM);
  if (self->tables > 0)
    return;
  for (guint i = 0; i < MIN (depth, DEEPEST_ITEM); i++)
    g_string_append (self->prefix, "  ");
  g_string_append_printf (self->prefix, "%s ", marker);
}

/* --- text --- */

static void
append_to_cell (PostbagMarkdown *self, const char *text)
{
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      if (self->cell_chars >= POSTBAG_LIMIT_CELL_CHARS)
        {
          self->cell_cut = TRUE;
          return;
        }
      if (*at == '|')
        g_string_append (self->cell, "\\|");
      else if (strchr ("\t\n", *at) != NULL)
        g_string_append_c (self->cell, ' ');
      else
        g_string_append_len (self->cell, at, g_utf8_next_char (at) - at);
      self->cell_chars++;
    }
}

static void
append_to_block (PostbagMarkdown *self, const char *text)
{
  for (const char *at = text; *at != '\0' && !self->full;)
    {
      gsize run = strcspn (at, "\r");
      gsize piece = MIN (run, PIECE_BYTES);

      while (piece < run && piece > 0 && ((guchar)at[piece] & 0xc0) == 0x80)
        piece--;
      g_string_append_len (self->block, at, (gssize)piece);
      at += piece;
      if (*at == '\r')
        {
          g_string_append_c (self->block, '\n');
          at += at[1] == '\n' ? 2 : 1;
        }
      if (self->block->len >= PIECE_BYTES)
        write_block (self, measure_without_end_blanks (self->block));
      /* A megabyte of blanks is no text either. */
      if (self->block->len >= 2 * PIECE_BYTES)
        g_string_truncate (self->block, PIECE_BYTES);
    }
}

void
postbag_markdown_text (PostbagMarkdown *self, const char *text, gssize length)
{
  g_autofree char *valid = postbag_text_make_valid (text, length);

  if (self->in_cell)
    append_to_cell (self, valid);
  else if (self->tables == 0)
    append_to_block (self, valid);
}

void
postbag_markdown_break (PostbagMarkdown *self)
{
  if (self->in_cell)
    append_to_cell (self, "\n");
  else if (self->tables == 0)
    g_string_append_c (self->block, '\n');
}

/* --- tables --- */

void
postbag_markdown_begin_table (PostbagMarkdown *self)
{
  if (self->tables == 0)
    {
      finish_block (self);
      self->rows = 0;
    }
  self->tables++;
}

void
postbag_markdown_begin_row (PostbagMarkdown *self)
{
  if (self->tables != 1)
    return;
  postbag_markdown_end_row (self);
  self->columns = self->shown_columns = 0;
}

void
postbag_markdown_begin_cell (PostbagMarkdown *self)
{
  if (self->tables != 1)
    return;
  postbag_markdown_end_cell (self);
  self->in_cell = TRUE;
}

void
postbag_markdown_end_cell (PostbagMarkdown *self)
{
  gsize start, end;

  if (self->tables > 1)
    {
      postbag_markdown_break (self);
      return;
    }
  if (!self->in_cell)
    return;
  start = skip_blanks (self->cell->str);
  end = MAX (measure_without_end_blanks (self->cell), start);
  g_string_append_c (self->row, ' ');
  g_string_append_len (self->row, self->cell->str + start, (gssize)(end - start));
  g_string_append (self->row, end > start ? " |" : "|");
  if (end > start)
    {
      self->row_end = self->row->len;
      self->shown_columns = self->columns + 1;
    }
  self->columns++;
  self->cut_cells += self->cell_cut;
  self->in_cell = self->cell_cut = FALSE;
  self->cell_chars = 0;
  g_string_truncate (self->cell, 0);
}

static void
write_rule (PostbagMarkdown *self)
{
  write_words (self, "\n|");
  for (guint i = 0; i < self->shown_columns; i++)
    write_words (self, " --- |");
}

void
postbag_markdown_end_row (PostbagMarkdown *self)
{
  if (self->tables != 1)
    return;
  postbag_markdown_end_cell (self);
  if (self->row_end > 0)
    {
      if (self->rows == 0 && self->last != NOTHING)
        write_words (self, "\n\n");
      else if (self->rows > 0)
        write_words (self, "\n");
      write_words (self, "|");
      write_out (self, self->row->str, self->row_end);
      if (self->rows == 0)
        write_rule (self);
      self->rows++;
    }
  g_string_truncate (self->row, 0);
  self->row_end = 0;
}

void
postbag_markdown_end_table (PostbagMarkdown *self)
{
  if (self->tables == 0)
    return;
  postbag_markdown_end_row (self);
  self->tables--;
  if (self->tables == 0 && self->rows > 0)
    self->last = BLOCK;
}
