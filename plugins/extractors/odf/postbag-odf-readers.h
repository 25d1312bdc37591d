/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-zip.h"

G_BEGIN_DECLS

/* A text (OpenDocument 1.3 part 3, 5): headers, the body in its order, footers, then notes and
 * comments, which stand where they belong as `[note 1]` and `[comment 1]`. */
gboolean postbag_odt_read (PostbagZip *zip, PostbagExtractOutput *output, GError **error);
/* A presentation (10): each slide in its order under its title, then its notes. */
gboolean postbag_odp_read (PostbagZip *zip, PostbagExtractOutput *output, GError **error);
/* A spreadsheet (9): each sheet in its order as a table, cells as the program displayed them. */
gboolean postbag_ods_read (PostbagZip *zip, PostbagExtractOutput *output, GError **error);

G_END_DECLS
