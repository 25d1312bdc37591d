/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-api.h"
#include "mail/postbag-account.h"

G_BEGIN_DECLS

/* What an account logs in with, fetched anew for each login: a password that stands in the
 * configuration, or the first line of a file or of what a command prints. */

typedef enum
{
  POSTBAG_SECRET_NONE, /* nothing is configured */
  POSTBAG_SECRET_PASSWORD,
  POSTBAG_SECRET_TOKEN, /* an OAuth 2 access token */
} PostbagSecretKind;

/* What @account has, without fetching it. */
POSTBAG_API PostbagSecretKind postbag_secret_get_kind (const PostbagAccount *account);

/**
 * postbag_secret_fetch:
 * @account: its kind is not %POSTBAG_SECRET_NONE
 *
 * A command runs without a shell, for at most POSTBAG_LIMIT_SECRET_COMMAND_MS. Its words come from
 * the owner's configuration file and from nowhere else; its standard input is empty, its standard
 * error is ours. A file must not be writable by others, nor a file of ours readable for them.
 *
 * Returns: (transfer full) (nullable): the secret, for postbag_secret_free(); or %NULL with
 *   %POSTBAG_ERROR_NEEDS_LOGIN, %POSTBAG_ERROR_TIMED_OUT, %POSTBAG_ERROR_CANCELLED; no error ever
 *   holds what was read
 */
POSTBAG_API char *postbag_secret_fetch (const PostbagAccount *account, GCancellable *cancellable,
                                        GError **error);
/* Overwrites @secret, then frees it. */
POSTBAG_API void postbag_secret_free (char *secret);

G_END_DECLS
