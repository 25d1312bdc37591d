/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-settings.h"
#include "mcp/postbag-toolset.h"

G_BEGIN_DECLS

/* What one client sees: a set of tools with unique names, instructions, the server's identity. A
 * stdio process has one surface, an HTTP server one a path. Frozen before the first session. */

#define POSTBAG_TYPE_SURFACE (postbag_surface_get_type ())
POSTBAG_API G_DECLARE_FINAL_TYPE (PostbagSurface, postbag_surface, POSTBAG, SURFACE, GObject)

    /* Gets a toolset's handlers at the first call of one of its tools (opens the module). */
    typedef const PostbagToolsetImplementation *(*PostbagToolsetLoadFunc) (const char *toolset,
                                                                           gpointer user_data,
                                                                           GError **error);

POSTBAG_API PostbagSurface *postbag_surface_new (void);

/**
 * postbag_surface_add_toolset:
 * @tools: names in listing order, filters already applied
 * @schema_dir: holds `<tool>.json`: a whole tool definition each; read at the first tools/list or
 *   call, not before
 * @settings: also decide the definitions' `x-postbag` conditions
 *
 * Returns: %FALSE with %POSTBAG_ERROR_CONFLICT naming both toolsets when a name is taken
 */
POSTBAG_API gboolean postbag_surface_add_toolset (PostbagSurface *self, const char *toolset,
                                                  const char *const *tools, const char *schema_dir,
                                                  PostbagSettings *settings,
                                                  PostbagToolsetLoadFunc load, gpointer user_data,
                                                  GError **error);
/* @instructions: (nullable): an empty text counts as none */
POSTBAG_API void postbag_surface_set_instructions (PostbagSurface *self, const char *instructions);
/* What postbag_call_get_service() finds. (transfer full) @object. */
POSTBAG_API void postbag_surface_add_service (PostbagSurface *self, GType type, gpointer object);
/* (transfer full) (array zero-terminated=1) */
/* A tool that is not offered: whoever asks for it hears why. It stays as absent as any other. */
POSTBAG_API void postbag_surface_add_absent (PostbagSurface *self, const char *tool,
                                             const char *reason);
/* (transfer none) (nullable) */
POSTBAG_API const char *postbag_surface_explain_absent (PostbagSurface *self, const char *tool);
POSTBAG_API char **postbag_surface_dup_tool_names (PostbagSurface *self);

/* SHA-256, hex, of all definition files in @schema_dirs in a fixed order: (transfer full). */
POSTBAG_API char *postbag_surface_compute_digest (const char *const *schema_dirs, GError **error);

G_END_DECLS
