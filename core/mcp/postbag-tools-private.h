/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mcp/postbag-session-private.h"

G_BEGIN_DECLS

/* The methods of the feature "tools". */

POSTBAG_API void postbag_tools_handle_list (PostbagSession *self, const PostbagRequest *request);
/* The member `tools` with the definitions [@first, @end). */
POSTBAG_API void postbag_tools_write_page (PostbagJsonWriter *writer, GPtrArray *tools, guint first,
                                           guint end, PostbagRevision revision);
/* (transfer full): what to say of a name that no tool has. */
POSTBAG_API char *postbag_tools_describe_unknown (PostbagSurface *surface, const char *name);

G_END_DECLS
