/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * PostbagImapSasl:
 *
 * One exchange of a mechanism in which the password itself does not travel: SCRAM (RFC 5802, 7677)
 * with channel binding where the server offers it, CRAM-MD5. The work is libgsasl's; what it does
 * not bound is bounded here: the server's iteration count, with which it could keep us busy for
 * minutes.
 */
typedef struct _PostbagImapSasl PostbagImapSasl;

/* The best of @offered that is known here, in our order, or %NULL: (transfer none) (nullable).
 * @stream: bound to where it is TLS */
const char *postbag_imap_sasl_choose (const char *const *offered, GIOStream *stream);

/* (transfer full) (nullable) */
PostbagImapSasl *postbag_imap_sasl_new (const char *mechanism, const char *user,
                                        const char *password, GIOStream *stream, GError **error);
void postbag_imap_sasl_free (PostbagImapSasl *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagImapSasl, postbag_imap_sasl_free)

/* What the client says first: (transfer full) (nullable): %NULL when the server begins */
GBytes *postbag_imap_sasl_begin (PostbagImapSasl *self);
/* The answer to a challenge; a PostbagImapRespondFunc with @self as its data. */
GBytes *postbag_imap_sasl_respond (GBytes *challenge, gpointer self, GError **error);
/* Whether the exchange has come to its end, the server's own proof included: without it an OK is
 * worth nothing. */
gboolean postbag_imap_sasl_is_complete (const PostbagImapSasl *self);

/* Whether the `i=` of a SCRAM server's first message is one to work with. */
gboolean postbag_imap_sasl_check_iterations (GBytes *challenge, GError **error);

G_END_DECLS
