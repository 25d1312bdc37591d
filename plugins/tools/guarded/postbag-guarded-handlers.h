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

/* --- that change mail --- */

gboolean postbag_guarded_list_new_messages (PostbagCall *call, const PostbagArgs *args,
                                            PostbagResult *result, GError **error);
gboolean postbag_guarded_set_message_flags (PostbagCall *call, const PostbagArgs *args,
                                            PostbagResult *result, GError **error);
gboolean postbag_guarded_move_messages (PostbagCall *call, const PostbagArgs *args,
                                        PostbagResult *result, GError **error);
gboolean postbag_guarded_delete_messages (PostbagCall *call, const PostbagArgs *args,
                                          PostbagResult *result, GError **error);
gboolean postbag_guarded_manage_mailbox (PostbagCall *call, const PostbagArgs *args,
                                         PostbagResult *result, GError **error);
gboolean postbag_guarded_save_draft (PostbagCall *call, const PostbagArgs *args,
                                     PostbagResult *result, GError **error);

G_END_DECLS
