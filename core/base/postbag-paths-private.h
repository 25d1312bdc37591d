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
POSTBAG_API const char *postbag_paths_get_libexec_dir (void); /* programs for the program */

/**
 * postbag_paths_find_marker:
 * @directory: absolute: where the program is
 *
 * Looks for the build tree's marker in @directory and the folders above it. One that somebody else
 * could have put or changed is passed over, and so is one that was copied from elsewhere.
 *
 * Returns: (transfer full) (nullable): its contents
 */
POSTBAG_API GKeyFile *postbag_paths_find_marker (const char *directory);

/**
 * postbag_paths_check_trusted:
 * @path: a file or folder whose contents will be trusted like the program itself
 *
 * Returns: whether only root, we and whoever owns the program can change it; else %FALSE with
 *   %POSTBAG_ERROR_NOT_ALLOWED, or the error of looking at it
 */
POSTBAG_API gboolean postbag_paths_check_trusted (const char *path, GError **error);

G_END_DECLS
