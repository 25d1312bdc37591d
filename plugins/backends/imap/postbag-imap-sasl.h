/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "postbag-imap-mechanism.h"

G_BEGIN_DECLS

/**
 * PostbagImapSasl:
 *
 * One exchange of a mechanism (RFC 4422). The work is libgsasl's, but for the two of OAuth; what it
 * does not bound is bounded here: the server's iteration count, with which it could keep us busy
 * for minutes, or make the password cheap to guess.
 */
typedef struct _PostbagImapSasl PostbagImapSasl;

/* What there is to know for an exchange. */
typedef struct
{
  const char *user;
  const char *secret; /* (nullable): a password or a token */
  const char *host;
  guint port;
  GIOStream *stream; /* (nullable): bound to where it is TLS */
} PostbagImapSaslFacts;

/* Whether @stream is TLS with something that mechanisms can be bound to. */
gboolean postbag_imap_sasl_can_bind (GIOStream *stream);

/* (transfer full) (nullable) */
PostbagImapSasl *postbag_imap_sasl_new (const PostbagImapMechanism *mechanism,
                                        const PostbagImapSaslFacts *facts, GError **error);
/* Overwrites what libgsasl kept of the password. */
void postbag_imap_sasl_free (PostbagImapSasl *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagImapSasl, postbag_imap_sasl_free)

/* What the client says first: (transfer full) (nullable): %NULL without @error when the server
 * begins */
GBytes *postbag_imap_sasl_begin (PostbagImapSasl *self, GError **error);
/* The answer to a challenge; a PostbagImapRespondFunc with @self as its data. */
GBytes *postbag_imap_sasl_respond (GBytes *challenge, gpointer self, GError **error);
/* Whether the exchange has come to its end, the server's own proof included: without it an OK is
 * worth nothing. */
gboolean postbag_imap_sasl_is_complete (const PostbagImapSasl *self);
/* What the server said is wrong, inside the exchange: (transfer none) (nullable) */
const char *postbag_imap_sasl_get_complaint (const PostbagImapSasl *self);

/* Overwrites what @bytes hold. */
void postbag_imap_sasl_wipe (GBytes *bytes);

/* Whether a SCRAM server's first message is one to work with: `r=…,s=…,i=…`, with an `i` that is
 * neither too low nor too high. */
gboolean postbag_imap_sasl_check_first (GBytes *challenge, GError **error);

G_END_DECLS
