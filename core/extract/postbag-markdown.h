/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extractor.h"

G_BEGIN_DECLS

/**
 * PostbagMarkdown:
 *
 * Writes the Markdown of a document block by block: the same layout for every format, so that
 * offsets hold. Blocks are paragraphs, headings, list items and tables; blank ones leave nothing.
 * Text is not escaped, but for `|` in a cell: a model reads `snake_case` better than `snake\_case`,
 * and what could act is defused where all foreign text is.
 *
 * A table inside a cell becomes words of that cell. Memory is bounded: a long paragraph leaves in
 * pieces, a cell is cut at POSTBAG_LIMIT_CELL_CHARS.
 */
typedef struct _PostbagMarkdown PostbagMarkdown;

POSTBAG_API PostbagMarkdown *postbag_markdown_new (PostbagExtractOutput *output);
/* Ends what is open first. */
POSTBAG_API void postbag_markdown_free (PostbagMarkdown *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMarkdown, postbag_markdown_free)

/* Whether the output limit was reached: what follows is dropped, so stop. */
POSTBAG_API gboolean postbag_markdown_is_full (PostbagMarkdown *self);
/* Cells that were cut, so far. */
POSTBAG_API guint postbag_markdown_get_cut_cells (PostbagMarkdown *self);

/* Text of the open block or cell. @text: any bytes, made well-formed here; @length -1: up to NUL.
 * Line ends in it are kept in a block and become blanks in a cell. */
POSTBAG_API void postbag_markdown_text (PostbagMarkdown *self, const char *text, gssize length);
/* A line end inside the block: a blank in a cell. */
POSTBAG_API void postbag_markdown_break (PostbagMarkdown *self);

/* Ends the open block; the next text begins a paragraph. In a cell: a blank. */
POSTBAG_API void postbag_markdown_end_block (PostbagMarkdown *self);
/* Ends the open block; the next one is a heading. @level: from 1, kept within 1..6 */
POSTBAG_API void postbag_markdown_begin_heading (PostbagMarkdown *self, guint level);
/* Ends the open block; the next one is an item. @depth: from 0. @marker: "-", "1.", ... */
POSTBAG_API void postbag_markdown_begin_item (PostbagMarkdown *self, guint depth,
                                              const char *marker);

POSTBAG_API void postbag_markdown_begin_table (PostbagMarkdown *self);
POSTBAG_API void postbag_markdown_begin_row (PostbagMarkdown *self);
POSTBAG_API void postbag_markdown_begin_cell (PostbagMarkdown *self);
POSTBAG_API void postbag_markdown_end_cell (PostbagMarkdown *self);
/* Empty cells at the end of a row are dropped, and rows of empty cells with them. */
POSTBAG_API void postbag_markdown_end_row (PostbagMarkdown *self);
POSTBAG_API void postbag_markdown_end_table (PostbagMarkdown *self);

G_END_DECLS
