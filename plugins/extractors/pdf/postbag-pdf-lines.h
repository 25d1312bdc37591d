/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <poppler.h>

G_BEGIN_DECLS

/**
 * postbag_pdf_lines_arrange:
 * @text: of a page, as the library orders it
 * @letters: where each of its characters stands
 *
 * Puts blanks between cells that the library runs together, and the cells of a row, a number or
 * bullet and its item on one line. Columns of running text stay in their order.
 *
 * Returns: (transfer full)
 */
char *postbag_pdf_lines_arrange (const char *text, const PopplerRectangle *letters,
                                 guint n_letters);

G_END_DECLS
