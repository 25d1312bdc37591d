/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* Links of documents: the words stay as they are, where they lead stands behind them. */

/* (transfer full) (nullable): ` (https://host/...)`, %NULL where @target leads nowhere outside */
POSTBAG_API char *postbag_link_dup_shown (const char *target);
/* (transfer full) (nullable): where a field of Word leads, as its instruction says:
 * ` HYPERLINK "https://host/..." \o "hint"` */
POSTBAG_API char *postbag_link_dup_field_target (const char *instruction);

G_END_DECLS
