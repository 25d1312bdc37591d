/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extractor.h"

G_BEGIN_DECLS

/**
 * postbag_csv_read:
 * @text: well-formed UTF-8
 * @separator: or NUL to find it
 *
 * Separated values (RFC 4180) as one Markdown table. A quotation mark that is never closed is an
 * ordinary character.
 */
void postbag_csv_read (const char *text, char separator, PostbagExtractOutput *output);

G_END_DECLS
