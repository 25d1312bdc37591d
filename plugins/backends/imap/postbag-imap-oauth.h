/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The two mechanisms that carry an OAuth 2 access token; libgsasl has neither. */

/* `n,a=USER,^Ahost=HOST^Aport=PORT^Aauth=Bearer TOKEN^A^A` (RFC 7628 section 3.1) or
 * `user=USER^Aauth=Bearer TOKEN^A^A` (XOAUTH2): (transfer full) (nullable): %NULL, with
 * %POSTBAG_ERROR_NEEDS_LOGIN, when user or token have characters that cannot stand there */
GBytes *postbag_imap_oauth_bearer (const char *user, const char *host, guint port,
                                   const char *token, GError **error);
GBytes *postbag_imap_oauth_xoauth2 (const char *user, const char *token, GError **error);

/* The only challenge there is holds what is wrong; this answers it, so that the server ends the
 * exchange (RFC 7628 section 3.2.3; XOAUTH2 wants an empty line): (transfer full) */
GBytes *postbag_imap_oauth_acknowledge (gboolean is_bearer);

G_END_DECLS
