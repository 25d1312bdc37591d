/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-ole-readers.h"

G_BEGIN_DECLS

/* Whether the library may open it: else %FALSE with "corrupt" or "too many parts". Linear in the
 * length of the file. */
gboolean postbag_ole_check_structure (const PostbagOleBytes *file, GError **error);

G_END_DECLS
