/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Where something is drawn (ISO 32000-1, 8.3). */

typedef struct
{
  double a, b, c, d, e, f;
} PostbagPdfMatrix;

typedef struct
{
  double x1, y1, x2, y2;
} PostbagPdfBox;

/* First @one, then @other. */
PostbagPdfMatrix postbag_pdf_matrix_multiply (const PostbagPdfMatrix *one,
                                              const PostbagPdfMatrix *other);
void postbag_pdf_matrix_map (const PostbagPdfMatrix *matrix, double *x, double *y);
/* Whether boxes stay boxes. */
gboolean postbag_pdf_matrix_is_straight (const PostbagPdfMatrix *matrix);
PostbagPdfBox postbag_pdf_matrix_map_box (const PostbagPdfMatrix *matrix, double x, double y,
                                          double width, double height);

PostbagPdfBox postbag_pdf_box_intersect (const PostbagPdfBox *one, const PostbagPdfBox *other);
gboolean postbag_pdf_box_contains (const PostbagPdfBox *box, double x, double y);

G_END_DECLS
