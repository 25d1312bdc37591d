/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-secret.h"

G_BEGIN_DECLS

/**
 * PostbagImapMechanism:
 * @name: as announced behind `AUTH=`
 * @secret: what it needs
 * @binds: to the TLS connection, so that nobody can sit in between
 * @client_first: has an initial response (RFC 4959)
 * @proves: the server proves that it knows the password, too
 * @by_choice: only where configured
 *
 * A SASL mechanism we speak.
 */
typedef struct
{
  const char *name;
  PostbagSecretKind secret;
  gboolean binds;
  gboolean client_first;
  gboolean proves;
  gboolean by_choice;
} PostbagImapMechanism;

/**
 * postbag_imap_mechanism_choose:
 * @capabilities: (array zero-terminated=1): what the server announced
 * @auth: (nullable): the one that is configured, in any letter case
 * @secret: what there is to log in with
 * @can_bind: there is TLS, and something to bind to
 *
 * Returns: (transfer none) (nullable): the strongest announced one that fits. It is the only one
 *   that is tried: a refusal never leads to a weaker one with the same password.
 */
const PostbagImapMechanism *postbag_imap_mechanism_choose (const char *const *capabilities,
                                                           const char *auth,
                                                           PostbagSecretKind secret,
                                                           gboolean can_bind);

/* (nullable): of any letter case */
const PostbagImapMechanism *postbag_imap_mechanism_find (const char *name);

/* What is announced, for an error: (transfer full) */
char *postbag_imap_mechanism_describe_offer (const char *const *capabilities);

G_END_DECLS
