/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PostbagImapHints:
 *
 * How many of a large message's first bytes hold its text, remembered from when it was listed, so
 * that reading it fetches nothing of the attachments behind. Never more than a hint: whatever a
 * server said, a text that goes on behind what was fetched is fetched as a part. Thread-safe.
 */
typedef struct _PostbagImapHints PostbagImapHints;

PostbagImapHints *postbag_imap_hints_new (void);
void postbag_imap_hints_free (PostbagImapHints *self);

/* @replies: (element-type PostbagImapReply): whatever came of a FETCH in @mailbox */
void postbag_imap_hints_learn (PostbagImapHints *self, const char *mailbox,
                               const GPtrArray *replies);
/* How much to ask for where @wanted bytes at most are wanted. */
gsize postbag_imap_hints_apply (PostbagImapHints *self, const char *mailbox, guint32 uid,
                                gsize wanted);

G_END_DECLS
