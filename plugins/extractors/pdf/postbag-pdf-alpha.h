/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether the graphics state that a document calls @name makes what is filled wholly transparent
 * (ISO 32000-1, 8.4.5): in each place that tells in plain what @name is, and there is one. */
gboolean postbag_pdf_alpha_is_nought (const guint8 *data, gsize length, const char *name);

G_END_DECLS
