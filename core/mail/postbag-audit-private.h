/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-effect.h"

G_BEGIN_DECLS

/* (transfer full): one line about a change: operation, account, mailbox, uids, counts, outcome;
 * never a subject, sender or body. @error: (nullable): how it ended. */
char *postbag_audit_format (const PostbagAccount *account, const PostbagEffect *effect,
                            const PostbagEffectReport *report, const GError *error);

/* Writes it to stderr, with the time. */
void postbag_audit_write (const PostbagAccount *account, const PostbagEffect *effect,
                          const PostbagEffectReport *report, const GError *error);

G_END_DECLS
