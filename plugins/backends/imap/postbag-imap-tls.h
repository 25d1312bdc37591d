/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * postbag_imap_tls_start:
 * @base: a connection on which nothing was said yet, or the last was STARTTLS
 * @insecure: takes any certificate, saying so in the log
 * @ca_file: (nullable): PEM with the only authorities to trust instead of the system's
 *
 * Shakes hands, verifies the certificate for @host, and refuses less than TLS 1.2.
 *
 * Returns: (transfer full) (nullable): the encrypted stream, or %NULL with an error that says which
 *   fault the certificate has and what to do
 */
GIOStream *postbag_imap_tls_start (GIOStream *base, const char *host, guint port, gboolean insecure,
                                   const char *ca_file, GCancellable *cancellable, GError **error);

/* What is wrong with a certificate, in words: (transfer full) */
char *postbag_imap_tls_explain (GTlsCertificate *certificate, GTlsCertificateFlags faults,
                                const char *host);

/* What was agreed on and the peer's certificate, for a person: (transfer full) */
char *postbag_imap_tls_describe (GTlsConnection *connection);

G_END_DECLS
