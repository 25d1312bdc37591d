/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-account.h"
#include "postbag-imap-wire.h"

G_BEGIN_DECLS

/* Proves who we are: by SCRAM or CRAM-MD5 where announced, else AUTHENTICATE PLAIN (RFC 4616), else
 * LOGIN unless that is disabled. Errors: POSTBAG_ERROR_LOGIN_REFUSED, _BUSY (the server says
 * later), _NOT_SUPPORTED. Neither an error nor a log line ever holds the password. */
gboolean postbag_imap_login (PostbagImapWire *wire, const PostbagAccount *account, GError **error);

G_END_DECLS
