/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-zip.h"

G_BEGIN_DECLS

/* A text document (ECMA-376 part 1, 17): headers, the body in its order, footers, then notes and
 * comments, which stand where they belong as `[note 1]` and `[comment 1]`. */
gboolean postbag_docx_read (PostbagZip *zip, PostbagExtractOutput *output, GError **error);

G_END_DECLS
