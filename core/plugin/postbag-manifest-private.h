/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plugin/postbag-registry-private.h"

G_BEGIN_DECLS

/**
 * postbag_manifest_read:
 * @path: absolute path of a file NAME.plugin
 * @error: why the plugin cannot be used
 *
 * Never fails to return a manifest: what could be read before the problem is filled in, the name is
 * the file's when it has no usable one, and the lists are empty rather than %NULL.
 *
 * Returns: (transfer full): @error is set when it describes no usable plugin
 */
PostbagManifest *postbag_manifest_read (const char *path, GError **error);
void postbag_manifest_free (PostbagManifest *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagManifest, postbag_manifest_free)

/* Opens the module and checks its descriptor and table against @manifest. (transfer none)
 * (nullable): the table; the module stays for good. */
gconstpointer postbag_loader_open (const PostbagManifest *manifest, GError **error);
/* Whether postbag_loader_open() would succeed, found out in a child process: a module that crashes,
 * exits or never returns is an error. */
gboolean postbag_loader_try (const PostbagManifest *manifest, GError **error);

G_END_DECLS
