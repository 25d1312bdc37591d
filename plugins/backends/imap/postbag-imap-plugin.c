/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "plugin/postbag-plugin.h"
#include "postbag-imap-store.h"

POSTBAG_PLUGIN_EXPORT (STORE, "imap", &postbag_imap_store)
