/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-zip.h"

G_BEGIN_DECLS

/* A presentation (ECMA-376 part 1, 19): each slide in its order under its title, then its notes. */
gboolean postbag_pptx_read (PostbagZip *zip, PostbagExtractOutput *output, GError **error);

G_END_DECLS
