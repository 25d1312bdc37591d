/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-markdown.h"

G_BEGIN_DECLS

/**
 * PostbagSheet:
 *
 * One sheet of a workbook as Markdown, the same for every format: a heading, a table whose columns
 * keep their places, behind it a line that says which rows and columns are hidden. Bounded by
 * POSTBAG_LIMIT_SHEET_ROWS (rows with text) and POSTBAG_LIMIT_SHEET_COLUMNS.
 */
typedef struct _PostbagSheet PostbagSheet;

/* What was noticed in all sheets of a workbook. @hidden: sheets, rows and columns, and cells whose
 * text nobody sees */
typedef struct
{
  gint64 hidden;
  gboolean has_wide_rows, has_more_rows, has_unseen_cells, has_unshown_cells;
} PostbagSheetFacts;

/* A cell has text in the colour of what is behind it, or too small. */
void postbag_sheet_facts_count_unseen (PostbagSheetFacts *self, const char *text);
/* A cell has a number format that shows nothing: it is left out. */
void postbag_sheet_facts_count_unshown (PostbagSheetFacts *self);

/* Counts, and remarks that hold for every format. @declared, @told: sheets. @has_drawings: pictures
 * or charts */
void postbag_sheet_facts_tell (const PostbagSheetFacts *self, PostbagMarkdown *markdown,
                               PostbagExtractOutput *output, guint declared, guint told,
                               gboolean has_drawings);

/* @state: (nullable): "hidden", ... */
PostbagSheet *postbag_sheet_new (PostbagMarkdown *markdown, PostbagSheetFacts *facts,
                                 const char *name, const char *state);
/* Ends the table and says what is hidden. */
void postbag_sheet_free (PostbagSheet *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagSheet, postbag_sheet_free)

/* To the last one that there can be (16384): a sheet that ends there, unless something is in them.
 */
void postbag_sheet_hide_columns (PostbagSheet *self, gint64 first, gint64 last);
/* @row: from 1. Returns %FALSE when no more rows are shown: leave it out. */
gboolean postbag_sheet_begin_row (PostbagSheet *self, gint64 row, gboolean is_hidden);
/* @column: from 1, after the one before. Blank text is no cell. */
void postbag_sheet_add_cell (PostbagSheet *self, gint64 column, const char *text);
/* Whether it has text; one that has none takes no room. */
gboolean postbag_sheet_end_row (PostbagSheet *self);
/* Ends the table, so that what follows stands behind it. */
void postbag_sheet_end_table (PostbagSheet *self);

G_END_DECLS
