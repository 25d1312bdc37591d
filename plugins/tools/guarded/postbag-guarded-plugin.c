/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The guarded toolset: the descriptor and its tables. */

#include "plugin/postbag-plugin.h"

#include "postbag-guarded-handlers.h"
#include "postbag-guarded-resources.h"

static const PostbagToolEntry tools[] = {
  { "get_server_info", postbag_guarded_get_server_info },
  { "list_mailboxes", postbag_guarded_list_mailboxes },
  { "list_messages", postbag_guarded_list_messages },
  { "get_message", postbag_guarded_get_message },
  { "get_attachments", postbag_guarded_get_attachments },
  { "list_new_messages", postbag_guarded_list_new_messages },
  { "set_message_flags", postbag_guarded_set_message_flags },
  { "move_messages", postbag_guarded_move_messages },
  { "delete_messages", postbag_guarded_delete_messages },
  { "manage_mailbox", postbag_guarded_manage_mailbox },
  { "save_draft", postbag_guarded_save_draft },
};

static const PostbagResourceEntry resources[] = {
  { .name = "attachment", .read = postbag_guarded_read_attachment },
  { .name = "mailbox",
    .read = postbag_guarded_read_mailbox,
    .list = postbag_guarded_list_mailbox_resources,
    .watch = postbag_guarded_watch_mailbox,
    .unwatch = postbag_guarded_unwatch_mailbox },
};

static const PostbagToolsetImplementation toolset = {
  .size = sizeof (PostbagToolsetImplementation),
  .tools = tools,
  .n_tools = G_N_ELEMENTS (tools),
  .resources = resources,
  .n_resources = G_N_ELEMENTS (resources),
  .complete = postbag_guarded_complete,
};

POSTBAG_PLUGIN_EXPORT (TOOLSET, "guarded", &toolset)
