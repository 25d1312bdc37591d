/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What pictures become, by what they say of themselves: nobody unpacks one to measure it. Read are
 * only those that the library unpacks although it looks for text: what stands in the middle of a
 * page's content, and what hides content in the codec of a picture. */

/* As it is written in a dictionary, or its short form: "DCTDecode", "DCT". */
gboolean postbag_pdf_picture_is_codec (const char *filter);

/* The bytes that a stream in that codec becomes; G_MAXUINT64 where its head does not tell. */
guint64 postbag_pdf_picture_measure (const char *filter, const guint8 *data, gsize length);

/**
 * postbag_pdf_picture_measure_inline:
 * @data: what a page draws
 * @most: of one
 *
 * The bytes of all pictures that stand in the content itself (ISO 32000-1, 8.9.7), which are read
 * to find where they end; G_MAXUINT64 where one is larger than @most.
 */
guint64 postbag_pdf_picture_measure_inline (const guint8 *data, gsize length, guint64 most);

G_END_DECLS
