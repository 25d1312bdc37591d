/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "config/postbag-config-group-private.h"
#include "config/postbag-config-private.h"

G_BEGIN_DECLS

/* From groups to accounts: completeness, defaults that depend on each other, and policy. */

typedef struct
{
  const PostbagConfigOptions *options;
  PostbagConfigGroup *core;
  PostbagConfigGroup *guarded;
  gboolean guarded_loaded;
  GPtrArray *accounts; /* PostbagConfigGroup; incomplete ones from the environment are removed */
  GPtrArray *warnings;
  gboolean incomplete; /* one was removed, with its own warning */
} PostbagConfigPlan;

/* Settles what the groups leave open: the toolset's read-only switch, each account's policy,
 * mailboxes, ports. The groups hold what is effective afterwards. */
gboolean postbag_config_settle_accounts (PostbagConfigPlan *plan, GError **error);
/* (transfer full): from a settled group */
PostbagAccount *postbag_config_make_account (const PostbagConfigGroup *group,
                                             const PostbagConfigGroup *core);

/* --- how it logs in (postbag-config-login.c) --- */

/* One secret an account. The environment wins over the file. */
gboolean postbag_config_settle_secrets (PostbagConfigGroup *account, GError **error);
/* Whether there is something to log in with: EXTERNAL takes the certificate for it. */
gboolean postbag_config_has_secret (const PostbagConfigGroup *account);
/* Whether the way fits: a token is no password, and the other way round. */
gboolean postbag_config_check_auth (const PostbagConfigGroup *account, GError **error);
void postbag_config_set_login (PostbagAccount *account, const PostbagConfigGroup *group);

G_END_DECLS
