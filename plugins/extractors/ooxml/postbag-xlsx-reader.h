/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-zip.h"

G_BEGIN_DECLS

/* A workbook (ECMA-376 part 1, 18): each sheet in its order as a table, values as they are shown.
 */
gboolean postbag_xlsx_read (PostbagZip *zip, PostbagExtractOutput *output, GError **error);

G_END_DECLS
