/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* Loads the conversion tables that a reader may ask for later: in the cage nothing can be opened.
 * From the prepare() of each reader that decodes bytes; the second time it costs nothing. */
POSTBAG_API void postbag_charset_tables_load (void);
/* The same, as the prepare() of a reader that needs nothing else. Returns: %TRUE */
POSTBAG_API gboolean postbag_charset_tables_prepare (GError **error);

G_END_DECLS
