/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the streams of a document draw, as far as it tells whether somebody sees the text: the
 * library that reads it knows neither what is behind a letter nor what it is drawn through. */

typedef struct _PostbagPdfDrawn PostbagPdfDrawn;

/* @farthest: of the pages' boxes; 0: nobody knows */
PostbagPdfDrawn *postbag_pdf_drawn_new (double farthest);
void postbag_pdf_drawn_free (PostbagPdfDrawn *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagPdfDrawn, postbag_pdf_drawn_free)

/* A page may be drawn by several streams, which are one for who draws. */
typedef enum
{
  POSTBAG_PDF_DRAWN_ANYWHERE, /* nobody knows behind what, as with a form */
  POSTBAG_PDF_DRAWN_BEGINS,   /* a page: behind it is paper */
  POSTBAG_PDF_DRAWN_GOES_ON,  /* with what was looked at last */
} PostbagPdfDrawnPlace;

/* The next stream of the document, unpacked. Returns: whether it may be one that draws */
gboolean postbag_pdf_drawn_look (PostbagPdfDrawn *self, PostbagPdfDrawnPlace place,
                                 const guint8 *data, gsize length);

/* Whether something is drawn that may be beyond all boxes: what asks for the second reading of
 * postbag-pdf-outside.h. */
gboolean postbag_pdf_drawn_is_outside (const PostbagPdfDrawn *self);
/* Runs of text in the colour of what is behind them, or outside of what shows through; where the
 * document has no pictures also those that are drawn without ink: a scan has its text so. */
gint64 postbag_pdf_drawn_count_hidden (const PostbagPdfDrawn *self, gboolean has_pictures);

/* Runs of text that a graphics state makes transparent. @document: the bytes whose streams these
 * were
 */
gint64 postbag_pdf_drawn_count_transparent (const PostbagPdfDrawn *self, const guint8 *document,
                                            gsize length);

G_END_DECLS
