/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mcp/postbag-toolset.h"
#include "toolset/postbag-mail-call.h"

G_BEGIN_DECLS

/* The resources and completions that schemas/guarded/resources.json and prompts/ name. */

#define POSTBAG_GUARDED_ATTACHMENT_URI "imap://message/{uid}/part/{partId}"
#define POSTBAG_GUARDED_MAILBOX_URI "imap://{account}/mailbox/{name}"

/* --- one attachment of a message of the default mailbox (contract 3) --- */

gboolean postbag_guarded_read_attachment (PostbagCall *call, const PostbagResourceUri *uri,
                                          PostbagContents *contents, GError **error);

/* --- a mailbox: its counts and newest messages --- */

/* (transfer full) (nullable): the account and the mailbox that @uri names */
PostbagMailCall *postbag_guarded_open_mailbox (PostbagCall *call, const PostbagResourceUri *uri,
                                               GError **error);

gboolean postbag_guarded_read_mailbox (PostbagCall *call, const PostbagResourceUri *uri,
                                       PostbagContents *contents, GError **error);
gboolean postbag_guarded_list_mailbox_resources (PostbagCall *call, PostbagResourceList *list,
                                                 GError **error);
gpointer postbag_guarded_watch_mailbox (PostbagCall *call, const PostbagResourceUri *uri,
                                        PostbagSubscription *subscription, GError **error);
void postbag_guarded_unwatch_mailbox (gpointer watch);

/* --- names of accounts and mailboxes, as they are typed --- */

gboolean postbag_guarded_complete (PostbagCall *call, const PostbagCompletion *completion,
                                   PostbagCompletionList *list, GError **error);

G_END_DECLS
