/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-sheet.h"

#include "postbag-xlsx-cells.h"

G_BEGIN_DECLS

/* What the sheets of a workbook have in common, and what was noticed in them. */
typedef struct
{
  PostbagZip *zip;
  PostbagMarkdown *markdown;
  PostbagXlsxCells *cells;
  gboolean epoch_1904;

  PostbagSheetFacts facts;
  gboolean has_drawings, has_lost_texts, was_damaged;
} PostbagXlsxBook;

/* The table of one sheet, then its links and its comments. @state: (nullable): "hidden", ... */
gboolean postbag_xlsx_sheet_read (PostbagXlsxBook *book, const char *part, const char *name,
                                  const char *state, GError **error);

G_END_DECLS
