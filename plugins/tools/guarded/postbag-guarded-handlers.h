/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mcp/postbag-toolset.h"

G_BEGIN_DECLS

/* The handlers, one file a tool. What each accepts and returns stands in
 * schemas/guarded/<tool>.json. */

gboolean postbag_guarded_get_server_info (PostbagCall *call, const PostbagArgs *args,
                                          PostbagResult *result, GError **error);
gboolean postbag_guarded_list_mailboxes (PostbagCall *call, const PostbagArgs *args,
                                         PostbagResult *result, GError **error);
gboolean postbag_guarded_list_messages (PostbagCall *call, const PostbagArgs *args,
                                        PostbagResult *result, GError **error);
gboolean postbag_guarded_get_message (PostbagCall *call, const PostbagArgs *args,
                                      PostbagResult *result, GError **error);
gboolean postbag_guarded_get_attachments (PostbagCall *call, const PostbagArgs *args,
                                          PostbagResult *result, GError **error);

G_END_DECLS
