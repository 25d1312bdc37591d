/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-ppt-table.h"

#include "base/postbag-limits.h"
#include "extract/postbag-story.h"

typedef struct
{
  gint32 left, top;
  char *text;
} Cell;

struct _PostbagPptTable
{
  GArray *cells; /* (element-type Cell) */
  gsize *budget;
  gboolean was_cut;
};

static void
clear_cell (gpointer data)
{
  g_free (((Cell *)data)->text);
}

PostbagPptTable *
postbag_ppt_table_new (gsize *budget)
{
  PostbagPptTable *self = g_new0 (PostbagPptTable, 1);

  self->cells = g_array_new (FALSE, FALSE, sizeof (Cell));
  g_array_set_clear_func (self->cells, clear_cell);
  self->budget = budget;
  return self;
}

void
postbag_ppt_table_free (PostbagPptTable *self)
{
  g_array_unref (self->cells);
  g_free (self);
}

void
postbag_ppt_table_add (PostbagPptTable *self, gint32 left, gint32 top, const PostbagPptText *text,
                       GHashTable *links)
{
  PostbagStory *story;
  Cell cell = { left, top, NULL };

  if (self->cells->len >= POSTBAG_LIMIT_DOCUMENT_ROWS)
    {
      self->was_cut = TRUE;
      return;
    }
  story = postbag_story_new (self->budget);
  postbag_ppt_text_write (text, POSTBAG_PPT_AS_PLAIN, links, postbag_story_get_markdown (story));
  cell.text = postbag_story_finish (story, &self->was_cut);
  g_array_append_val (self->cells, cell);
}

static gint
compare_lefts (gconstpointer one, gconstpointer other)
{
  gint32 a = *(const gint32 *)one, b = *(const gint32 *)other;

  return (a > b) - (a < b);
}

static gint
compare_cells (gconstpointer one, gconstpointer other)
{
  const Cell *a = one, *b = other;
  gint rows = (a->top > b->top) - (a->top < b->top);

  return rows != 0 ? rows : (a->left > b->left) - (a->left < b->left);
}

/* (transfer full) (element-type gint32): where columns begin, in order */
static GArray *
list_columns (const PostbagPptTable *self)
{
  GArray *lefts = g_array_new (FALSE, FALSE, sizeof (gint32));
  guint count = 0;

  for (guint i = 0; i < self->cells->len; i++)
    g_array_append_val (lefts, g_array_index (self->cells, Cell, i).left);
  g_array_sort (lefts, compare_lefts);
  for (guint i = 0; i < lefts->len; i++)
    if (count == 0 || g_array_index (lefts, gint32, count - 1) != g_array_index (lefts, gint32, i))
      g_array_index (lefts, gint32, count++) = g_array_index (lefts, gint32, i);
  g_array_set_size (lefts, MIN (count, POSTBAG_LIMIT_SHEET_COLUMNS));
  return lefts;
}

/* @column: (inout): the next one of this row */
static void
write_cell (const Cell *cell, GArray *columns, guint *column, PostbagMarkdown *markdown)
{
  for (; *column < columns->len && g_array_index (columns, gint32, *column) < cell->left;
       (*column)++)
    {
      postbag_markdown_begin_cell (markdown);
      postbag_markdown_end_cell (markdown);
    }
  postbag_markdown_begin_cell (markdown);
  postbag_markdown_text (markdown, cell->text, -1);
  postbag_markdown_end_cell (markdown);
  (*column)++;
}

gboolean
postbag_ppt_table_write (PostbagPptTable *self, PostbagMarkdown *markdown)
{
  g_autoptr (GArray) columns = list_columns (self);
  guint column = 0;

  g_array_sort (self->cells, compare_cells);
  postbag_markdown_begin_table (markdown);
  for (guint i = 0; i < self->cells->len; i++)
    {
      const Cell *cell = &g_array_index (self->cells, Cell, i);

      if (i == 0 || cell->top != g_array_index (self->cells, Cell, i - 1).top)
        {
          if (i > 0)
            postbag_markdown_end_row (markdown);
          postbag_markdown_begin_row (markdown);
          column = 0;
        }
      if (cell->left <= g_array_index (columns, gint32, columns->len - 1))
        write_cell (cell, columns, &column, markdown);
      else
        self->was_cut = TRUE;
    }
  if (self->cells->len > 0)
    postbag_markdown_end_row (markdown);
  postbag_markdown_end_table (markdown);
  return self->was_cut;
}
