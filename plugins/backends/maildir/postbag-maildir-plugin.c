/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-store.h"

#include "plugin/postbag-plugin.h"

POSTBAG_PLUGIN_EXPORT (STORE, "maildir", &postbag_maildir_store_implementation)
