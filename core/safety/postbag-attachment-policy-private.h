/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "safety/postbag-attachment-policy.h"

G_BEGIN_DECLS

/* Whether a document's extension stands before the last one: `invoice.pdf.scr`. */
gboolean postbag_filename_has_double_extension (const char *filename);

/* (transfer full): the name on disk of what a sender called @filename (nullable): one component,
 * never hidden, at most POSTBAG_LIMIT_FILENAME_BYTES, the extension kept */
POSTBAG_API char *postbag_save_make_name (const char *filename);

G_END_DECLS
