/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-mail-types.h"
#include "postbag-imap-command.h"
#include "postbag-imap-reply.h"

G_BEGIN_DECLS

/* From FETCH replies to the values of the mail layer. Header fields are decoded by the same code
 * that reads whole messages, so that both stores say the same of the same mail. */

/* `\Seen` and the like into bits, the rest into keywords: (transfer full) */
char **postbag_imap_flags_split (char *const *flags, PostbagFlags *bits);

/* The items of FETCH that a summary needs; @with_structure: to know of attachments. */
void postbag_imap_summary_add_items (PostbagImapCommand *command, gboolean with_structure);

/* (transfer full) (element-type PostbagSummary): of all messages that @replies say enough about,
 * and of @uids (nullable: all) only; highest UID first */
GPtrArray *postbag_imap_summary_collect (const GPtrArray *replies, const GArray *uids);

/* Decodes the names of files in place. */
void postbag_imap_structure_decode (PostbagPart *part);

G_END_DECLS
