/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "json/postbag-result.h"
#include "mime/postbag-message.h"
#include "toolset/postbag-mail-call.h"

G_BEGIN_DECLS

/* The other messages of a conversation, found by their ids (contract 1.6). */

/* (transfer full) (nullable): newest first, without the message itself */
PostbagSearchPage *postbag_guarded_find_thread (PostbagMailCall *mail, guint32 uid,
                                                PostbagMessage *message, GError **error);

/* Whether an id holds nothing that cleaning would change. */
gboolean postbag_guarded_is_clean_id (const char *id);

G_END_DECLS
