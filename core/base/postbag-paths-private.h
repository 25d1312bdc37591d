/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* Where the installed pieces are; in a build tree, where they were built (the file
 * `postbag.uninstalled` beside the program lists that). Each: (transfer none), computed once. */

/* The folders with plugins below them, in search order, $POSTBAG_PLUGIN_PATH first.
 * @user_plugins: the user's data folder too. (transfer full) (array zero-terminated=1) */
POSTBAG_API char **postbag_paths_dup_plugin_dirs (gboolean user_plugins);
POSTBAG_API const char *postbag_paths_get_schema_dir (void);  /* holds <toolset>/<tool>.json */
POSTBAG_API const char *postbag_paths_get_data_dir (void);    /* holds demo/, ... */
POSTBAG_API const char *postbag_paths_get_library_dir (void); /* private libraries */

G_END_DECLS
