/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-imap-reply.h"

G_BEGIN_DECLS

/* Appends one line with everything a reply says, so that two ways to read the same bytes can be
 * compared. */
void describe_reply (const PostbagImapReply *reply, GString *out);

G_END_DECLS
