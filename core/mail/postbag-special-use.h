/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/**
 * postbag_special_use_guess:
 * @paths: (element-type utf8): of all mailboxes
 * @delimiter: between their levels; 0: none
 *
 * What mailboxes are for (RFC 6154), where nobody says so, by the names that mail programs and
 * providers give them in several languages: at the top, beneath INBOX or beneath Gmail's own
 * folder. Of several that would do, the name that stands first in our list.
 *
 * Returns: (transfer container) (element-type utf8): beside @paths: "\\Sent", ..., or %NULL;
 *   constants
 */
POSTBAG_API GPtrArray *postbag_special_use_guess (const GPtrArray *paths, char delimiter);

G_END_DECLS
