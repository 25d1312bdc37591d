/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-sheet.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-story.h"

#define MOST_RANGES 20
#define LAST_COLUMN 16384 /* XFD */

/* Numbers of rows or columns, written as ranges: "3, 5-7", "A-C". */
typedef struct
{
  GString *text;
  gint64 first, last; /* of the range that is growing; 0: none */
  guint count;
  gboolean are_columns;
} Ranges;

struct _PostbagSheet
{
  PostbagMarkdown *markdown;
  PostbagSheetFacts *facts;
  gint64 rows; /* with text */
  gint64 row;
  gboolean row_hidden, row_has_text, has_ended;
  gint64 filled;        /* cells written in this row */
  gint64 widest;        /* the last column with text */
  gint64 hidden_to_end; /* the first of the columns that are hidden up to the last; 0: none */
  Ranges hidden_rows, hidden_columns;
};

static void
append_place (GString *out, gint64 number, gboolean is_column)
{
  char letters[16];
  gsize at = sizeof letters;

  if (!is_column)
    {
      g_string_append_printf (out, "%" G_GINT64_FORMAT, number);
      return;
    }
  letters[--at] = '\0';
  for (; number > 0 && at > 0; number = (number - 1) / 26)
    letters[--at] = (char)('A' + (number - 1) % 26);
  g_string_append (out, letters + at);
}

static void
finish_range (Ranges *self)
{
  if (self->first == 0)
    return;
  if (self->count == MOST_RANGES)
    g_string_append (self->text, ", ...");
  if (self->count < MOST_RANGES)
    {
      if (self->text->len > 0)
        g_string_append (self->text, ", ");
      append_place (self->text, self->first, self->are_columns);
      if (self->last > self->first)
        {
          g_string_append_c (self->text, '-');
          append_place (self->text, self->last, self->are_columns);
        }
    }
  self->count = MIN (self->count + 1, MOST_RANGES + 1);
  self->first = 0;
}

static void
add_range (Ranges *self, gint64 first, gint64 last)
{
  if (self->first > 0 && first == self->last + 1)
    {
      self->last = last;
      return;
    }
  finish_range (self);
  self->first = first;
  self->last = last;
}

static gboolean
is_blank (const char *text)
{
  return text[strspn (text, " \t\r\n")] == '\0';
}

void
postbag_sheet_facts_count_unseen (PostbagSheetFacts *self, const char *text)
{
  if (is_blank (text))
    return;
  self->hidden++;
  self->has_unseen_cells = TRUE;
}

void
postbag_sheet_facts_count_unshown (PostbagSheetFacts *self)
{
  self->hidden++;
  self->has_unshown_cells = TRUE;
}

void
postbag_sheet_facts_tell (const PostbagSheetFacts *self, PostbagMarkdown *markdown,
                          PostbagExtractOutput *output, guint declared, guint told,
                          gboolean has_drawings)
{
  g_autofree char *note =
      g_strdup_printf ("The workbook declares %u sheets; the first %u are read.", declared, told);

  output->count (output, "sheet_count", told);
  output->count (output, "hidden_runs", self->hidden);
  postbag_story_note_if (output, declared > told, note);
  postbag_story_note_if (output, self->has_unseen_cells, POSTBAG_STORY_UNSEEN);
  postbag_story_note_if (output, self->has_unshown_cells,
                         "Some cells have a number format that shows nothing; they were left out.");
  postbag_story_note_if (output, self->has_more_rows, "Some sheets have more rows than are shown.");
  postbag_story_note_if (output, self->has_wide_rows,
                         "Some rows have more columns than are shown.");
  postbag_story_note_if (output, postbag_markdown_get_cut_cells (markdown) > 0,
                         "Some long cells were cut.");
  postbag_story_note_if (output, has_drawings,
                         "The workbook has pictures or charts; they are not read.");
}

PostbagSheet *
postbag_sheet_new (PostbagMarkdown *markdown, PostbagSheetFacts *facts, const char *name,
                   const char *state)
{
  PostbagSheet *self = g_new0 (PostbagSheet, 1);
  g_autofree char *heading = state != NULL ? g_strdup_printf ("Sheet: %s (%s)", name, state)
                                           : g_strdup_printf ("Sheet: %s", name);

  self->markdown = markdown;
  self->facts = facts;
  self->hidden_rows.text = g_string_new (NULL);
  self->hidden_columns.text = g_string_new (NULL);
  self->hidden_columns.are_columns = TRUE;
  facts->hidden += state != NULL;
  postbag_markdown_begin_heading (markdown, 2);
  postbag_markdown_text (markdown, heading, -1);
  postbag_markdown_end_block (markdown);
  postbag_markdown_begin_table (markdown);
  return self;
}

void
postbag_sheet_hide_columns (PostbagSheet *self, gint64 first, gint64 last)
{
  if (first < 1 || last < first)
    return;
  if (last >= LAST_COLUMN)
    {
      self->hidden_to_end = self->hidden_to_end > 0 ? MIN (first, self->hidden_to_end) : first;
      return;
    }
  add_range (&self->hidden_columns, first, last);
  self->facts->hidden++;
}

gboolean
postbag_sheet_begin_row (PostbagSheet *self, gint64 row, gboolean is_hidden)
{
  if (self->rows >= POSTBAG_LIMIT_SHEET_ROWS)
    {
      self->facts->has_more_rows = TRUE;
      return FALSE;
    }
  self->row = row;
  self->row_hidden = is_hidden;
  self->row_has_text = FALSE;
  self->filled = 0;
  postbag_markdown_begin_row (self->markdown);
  return TRUE;
}

void
postbag_sheet_add_cell (PostbagSheet *self, gint64 column, const char *text)
{
  if (is_blank (text))
    return;
  self->widest = MAX (self->widest, column);
  if (column > POSTBAG_LIMIT_SHEET_COLUMNS)
    {
      self->facts->has_wide_rows = TRUE;
      return;
    }
  for (; self->filled < column - 1; self->filled++)
    {
      postbag_markdown_begin_cell (self->markdown);
      postbag_markdown_end_cell (self->markdown);
    }
  postbag_markdown_begin_cell (self->markdown);
  postbag_markdown_text (self->markdown, text, -1);
  postbag_markdown_end_cell (self->markdown);
  self->filled++;
  self->row_has_text = TRUE;
}

gboolean
postbag_sheet_end_row (PostbagSheet *self)
{
  postbag_markdown_end_row (self->markdown);
  self->rows += self->row_has_text;
  if (self->row_hidden && self->row_has_text)
    {
      self->facts->hidden++;
      add_range (&self->hidden_rows, self->row, self->row);
    }
  return self->row_has_text;
}

void
postbag_sheet_end_table (PostbagSheet *self)
{
  g_autofree char *text = NULL;
  const char *rows = self->hidden_rows.text->str;
  const char *columns = self->hidden_columns.text->str;

  if (self->has_ended)
    return;
  self->has_ended = TRUE;
  postbag_markdown_end_table (self->markdown);
  if (self->hidden_to_end > 0 && self->hidden_to_end <= self->widest)
    {
      add_range (&self->hidden_columns, self->hidden_to_end, LAST_COLUMN);
      self->facts->hidden++;
    }
  finish_range (&self->hidden_rows);
  finish_range (&self->hidden_columns);
  rows = self->hidden_rows.text->str;
  columns = self->rows > 0 ? self->hidden_columns.text->str : "";
  if (*rows == '\0' && *columns == '\0')
    return;
  text = g_strdup_printf ("[hidden: %s%s%s%s%s]", *rows != '\0' ? "rows " : "", rows,
                          *rows != '\0' && *columns != '\0' ? "; " : "",
                          *columns != '\0' ? "columns " : "", columns);
  postbag_markdown_text (self->markdown, text, -1);
  postbag_markdown_end_block (self->markdown);
}

void
postbag_sheet_free (PostbagSheet *self)
{
  postbag_sheet_end_table (self);
  postbag_markdown_end_block (self->markdown);
  g_string_free (self->hidden_rows.text, TRUE);
  g_string_free (self->hidden_columns.text, TRUE);
  g_free (self);
}
