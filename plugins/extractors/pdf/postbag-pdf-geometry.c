/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-pdf-geometry.h"

PostbagPdfMatrix
postbag_pdf_matrix_multiply (const PostbagPdfMatrix *one, const PostbagPdfMatrix *other)
{
  return (PostbagPdfMatrix){ one->a * other->a + one->b * other->c,
                             one->a * other->b + one->b * other->d,
                             one->c * other->a + one->d * other->c,
                             one->c * other->b + one->d * other->d,
                             one->e * other->a + one->f * other->c + other->e,
                             one->e * other->b + one->f * other->d + other->f };
}

void
postbag_pdf_matrix_map (const PostbagPdfMatrix *matrix, double *x, double *y)
{
  double old = *x;

  *x = old * matrix->a + *y * matrix->c + matrix->e;
  *y = old * matrix->b + *y * matrix->d + matrix->f;
}

gboolean
postbag_pdf_matrix_is_straight (const PostbagPdfMatrix *matrix)
{
  return (matrix->b == 0 && matrix->c == 0) || (matrix->a == 0 && matrix->d == 0);
}

PostbagPdfBox
postbag_pdf_matrix_map_box (const PostbagPdfMatrix *matrix, double x, double y, double width,
                            double height)
{
  double x2 = x + width, y2 = y + height;

  postbag_pdf_matrix_map (matrix, &x, &y);
  postbag_pdf_matrix_map (matrix, &x2, &y2);
  return (PostbagPdfBox){ MIN (x, x2), MIN (y, y2), MAX (x, x2), MAX (y, y2) };
}

PostbagPdfBox
postbag_pdf_box_intersect (const PostbagPdfBox *one, const PostbagPdfBox *other)
{
  return (PostbagPdfBox){ MAX (one->x1, other->x1), MAX (one->y1, other->y1),
                          MIN (one->x2, other->x2), MIN (one->y2, other->y2) };
}

gboolean
postbag_pdf_box_contains (const PostbagPdfBox *box, double x, double y)
{
  return x >= box->x1 && x <= box->x2 && y >= box->y1 && y <= box->y2;
}
