/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "safety/postbag-attachment-policy.h"

G_BEGIN_DECLS

/* Whether a document's extension stands before the last one: `invoice.pdf.scr`. */
gboolean postbag_filename_has_double_extension (const char *filename);

G_END_DECLS
