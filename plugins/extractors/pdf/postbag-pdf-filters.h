/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The filters of PDF that make streams longer or stand before one that does (ISO 32000-1, 7.4); not
 * the codecs of pictures. */

/* As it is written in a dictionary, or its short form: "FlateDecode", "Fl". */
gboolean postbag_pdf_filter_is_known (const char *name);

/**
 * postbag_pdf_filter_decode:
 * @early_change: of LZW: codes grow one code early, as is usual
 * @out: emptied first; what came out before a fault stays in it
 *
 * Returns: %FALSE when more than @most bytes come out
 */
gboolean postbag_pdf_filter_decode (const char *name, const guint8 *data, gsize length,
                                    gboolean early_change, gsize most, GByteArray *out);

G_END_DECLS
