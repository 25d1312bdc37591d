/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-ooxml-package.h"

G_BEGIN_DECLS

/* What the cells of all sheets refer to: texts and number formats. */
typedef struct _PostbagXlsxCells PostbagXlsxCells;

/* (transfer full): @relations of the workbook; what is missing is empty */
PostbagXlsxCells *postbag_xlsx_cells_read (PostbagZip *zip, PostbagRelations *relations);
void postbag_xlsx_cells_free (PostbagXlsxCells *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagXlsxCells, postbag_xlsx_cells_free)

/* (transfer none) (nullable): a shared text */
const char *postbag_xlsx_cells_get_text (PostbagXlsxCells *self, const char *index);
/* (transfer none) (nullable): the number format of a cell's style */
const char *postbag_xlsx_cells_get_format (PostbagXlsxCells *self, gint64 style);
/* Whether that format shows nothing of a text (ECMA-376 part 1, 18.8.31): `;;;`. */
gboolean postbag_xlsx_cells_hides_text (PostbagXlsxCells *self, gint64 style);
/* Whether a cell's style makes its text white on white, or too small to be seen. */
gboolean postbag_xlsx_cells_is_unseen (PostbagXlsxCells *self, gint64 style);
/* Whether there are more texts than are kept. */
gboolean postbag_xlsx_cells_is_cut (PostbagXlsxCells *self);
/* (transfer full): @text with `_x000A_` and its kin resolved (ECMA-376 part 1, 22.9.2.19) */
char *postbag_xlsx_unescape (const char *text);

G_END_DECLS
