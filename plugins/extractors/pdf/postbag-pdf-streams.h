/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "extract/postbag-extractor.h"

G_BEGIN_DECLS

/* What was noticed on the way. @draws_outside: text seems to be drawn outside all pages. @hidden:
 * runs of text that are drawn, and not seen */
typedef struct
{
  gboolean draws_outside;
  gint64 hidden;
} PostbagPdfFindings;

/**
 * postbag_pdf_streams_check:
 * @findings: (out)
 *
 * Unpacks every stream of a document, pictures apart, before the library does so without a bound.
 *
 * Returns: %FALSE with %POSTBAG_EXTRACT_TOO_LARGE when one becomes longer than
 *   POSTBAG_LIMIT_PDF_STREAM_BYTES, or all of them than POSTBAG_LIMIT_PDF_STREAMS_BYTES
 */
gboolean postbag_pdf_streams_check (const guint8 *data, gsize length, PostbagPdfFindings *findings,
                                    GError **error);

G_END_DECLS
