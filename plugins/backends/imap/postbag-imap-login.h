/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-account.h"
#include "postbag-imap-wire.h"

G_BEGIN_DECLS

/**
 * postbag_imap_login:
 * @secret: (nullable): what postbag_secret_fetch() gave
 *
 * Proves who we are: by the strongest SASL mechanism that is announced and fits what the account
 * has, or by the one that is configured; else by LOGIN unless that is disabled.
 *
 * Returns: whether we are in; else %POSTBAG_ERROR_LOGIN_REFUSED, _BUSY (the server says later),
 *   _NOT_SUPPORTED, _NEEDS_LOGIN, _BAD_DATA (the server's part is wrong). Neither an error nor a
 * log line ever holds the secret.
 */
gboolean postbag_imap_login (PostbagImapWire *wire, const PostbagAccount *account,
                             const char *secret, GError **error);

G_END_DECLS
