/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "mail/postbag-account.h"

G_BEGIN_DECLS

/**
 * postbag_imap_tls_start:
 * @base: a connection on which nothing was said yet, or the last was STARTTLS
 * @account: whose host the certificate has to name, whose authorities and keys are trusted, whose
 *   certificate is shown to a server that asks
 *
 * Shakes hands, verifies the certificate, then the account's pinned keys, and refuses less than TLS
 * 1.2; nothing was sent inside by then. With insecure_tls any certificate will do, saying so in the
 * log, but pinned keys still count.
 *
 * Returns: (transfer full) (nullable): the encrypted stream, or %NULL with an error that says which
 *   fault the certificate has and what to do
 */
GIOStream *postbag_imap_tls_start (GIOStream *base, const PostbagAccount *account,
                                   GCancellable *cancellable, GError **error);

/* Everything that is wrong with a certificate, and what to do, in words: (transfer full) */
char *postbag_imap_tls_explain (GTlsCertificate *certificate, GTlsCertificateFlags faults,
                                const char *host);

/* What was agreed on and the peer's certificate, for a person: (transfer full) */
char *postbag_imap_tls_describe (GTlsConnection *connection);

G_END_DECLS
