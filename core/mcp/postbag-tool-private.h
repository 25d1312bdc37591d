/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mcp/postbag-definition-private.h"
#include "mcp/postbag-surface-private.h"

G_BEGIN_DECLS

/* A tool of a surface: where its definition stands and who runs it, both looked up at first need.
 * Owned by the surface; usable from any thread. */

typedef struct _PostbagTool PostbagTool;
typedef struct _PostbagToolset PostbagToolset;

POSTBAG_API PostbagToolset *postbag_toolset_new (const char *name, const char *schema_dir,
                                                 PostbagSettings *settings,
                                                 PostbagToolsetLoadFunc load, gpointer user_data);
POSTBAG_API void postbag_toolset_free (PostbagToolset *self);
POSTBAG_API const char *postbag_toolset_get_name (PostbagToolset *self);
POSTBAG_API const char *postbag_toolset_get_schema_dir (PostbagToolset *self);
/* (nullable) */
POSTBAG_API PostbagSettings *postbag_toolset_get_settings (PostbagToolset *self);
/* (transfer none) (nullable): opens and starts it at first need: on a worker thread only */
POSTBAG_API const PostbagToolsetImplementation *
postbag_toolset_get_implementation (PostbagToolset *self, GError **error);

POSTBAG_API PostbagTool *postbag_tool_new (PostbagToolset *toolset, const char *name);
POSTBAG_API void postbag_tool_free (PostbagTool *self);
POSTBAG_API const char *postbag_tool_get_name (PostbagTool *self);
POSTBAG_API PostbagToolset *postbag_tool_get_toolset (PostbagTool *self);
/* (nullable) */
POSTBAG_API PostbagSettings *postbag_tool_get_settings (PostbagTool *self);
/* (transfer full) (nullable): the Tool object of that revision */
POSTBAG_API GBytes *postbag_tool_dup_json (PostbagTool *self, PostbagRevision revision,
                                           GError **error);
/* @output: (out) (nullable) */
POSTBAG_API gboolean postbag_tool_get_schemas (PostbagTool *self, PostbagSchema **input,
                                               PostbagSchema **output, GError **error);
/* Opens and starts the toolset at first need: on a worker thread only. */
POSTBAG_API PostbagToolHandler postbag_tool_get_handler (PostbagTool *self, GError **error);

/* --- of the surface, inside core/mcp --- */

/* (transfer none) (nullable) */
POSTBAG_API PostbagTool *postbag_surface_find_tool (PostbagSurface *self, const char *name);
/* (transfer none) (element-type PostbagToolset) */
POSTBAG_API GPtrArray *postbag_surface_get_toolsets (PostbagSurface *self);
/* (transfer none) (element-type PostbagTool): in listing order */
POSTBAG_API GPtrArray *postbag_surface_get_tools (PostbagSurface *self);
/* (nullable) */
POSTBAG_API const char *postbag_surface_get_instructions (PostbagSurface *self);
/* (transfer none) (nullable) */
POSTBAG_API gpointer postbag_surface_get_service (PostbagSurface *self, GType type);

G_END_DECLS
