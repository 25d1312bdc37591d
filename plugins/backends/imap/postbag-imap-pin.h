/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Pinned keys: an account may name the keys that its server may have, in addition to what
 * certificates have to fulfil (RFC 7469 section 2.4 describes the digest). */

/* `sha256:` and the base64 of the SHA-256 of the SubjectPublicKeyInfo: (transfer full) (nullable):
 * %NULL when the certificate cannot be read */
char *postbag_imap_pin_of (GTlsCertificate *certificate);

/**
 * postbag_imap_pin_check:
 * @pins: (nullable): separated by commas; %NULL: any key will do
 * @certificate: (nullable): the server's own
 *
 * Returns: whether its key is one of @pins; else %POSTBAG_ERROR_OFFLINE, which says which came
 */
gboolean postbag_imap_pin_check (const char *pins, const char *host, GTlsCertificate *certificate,
                                 GError **error);

G_END_DECLS
