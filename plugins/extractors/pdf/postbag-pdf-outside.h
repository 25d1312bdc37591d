/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <poppler.h>

G_BEGIN_DECLS

/* Text outside its page: the library leaves it out without a word, since nobody sees it. That it is
 * there is worth knowing, so it is counted, in a second reading whose pages are large; and since
 * that costs as much as the first one, only where numbers of the document ask for it. */

/* The largest number of all boxes of pages that are told in plain; 0 where there are none. */
double postbag_pdf_outside_find_farthest (const guint8 *data, gsize length);

/**
 * postbag_pdf_outside_count:
 * @document: of the same bytes
 *
 * Returns: runs of letters outside their pages; 0 where boxes are not told in plain (in object
 *   streams, or encrypted)
 */
gint64 postbag_pdf_outside_count (PopplerDocument *document, const guint8 *data, gsize length);

G_END_DECLS
