/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-account.h"
#include "mail/postbag-store.h"
#include "postbag-imap-connection.h"
#include "postbag-imap-wire.h"

G_BEGIN_DECLS

/* What is needed to reach an account's server. @told (nullable) hears of each step that worked:
 * name, tcp, tls, login, capabilities. */
typedef struct
{
  const PostbagAccount *account;
  PostbagImapTimes times;
  PostbagStepFunc told;
  gpointer told_data;
} PostbagImapDialer;

/**
 * postbag_imap_dial:
 *
 * Connects, starts TLS, logs in, asks what the server can do. Blocks, at most @dialer's connect
 * time; no more than POSTBAG_LIMIT_IMAP_CONNECTING of these run at once in the process.
 *
 * Returns: (transfer full) (nullable): a logged-in wire whose capabilities are known
 */
PostbagImapWire *postbag_imap_dial (const PostbagImapDialer *dialer, GCancellable *cancellable,
                                    GError **error);

G_END_DECLS
