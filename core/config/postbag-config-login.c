/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How an account logs in: what it proves itself with, and whether that fits the way. */

#include "config/postbag-config-accounts-private.h"

#include "base/postbag-error.h"

#include <string.h>

static gboolean G_GNUC_PRINTF (2, 3) refuse (GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT, text);
  return FALSE;
}

static const char *const secret_keys[] = { "password", "password-command", "password-file",
                                           "token-command", "token-file" };

gboolean
postbag_config_settle_secrets (PostbagConfigGroup *account, GError **error)
{
  const char *found = NULL;
  gboolean in_environment =
      g_strcmp0 (postbag_config_group_get_source (account, "password"), "IMAP_PASSWORD") == 0;

  for (gsize i = 0; i < G_N_ELEMENTS (secret_keys); i++)
    {
      if (postbag_config_group_get (account, secret_keys[i]) == NULL)
        continue;
      if (found != NULL && in_environment)
        postbag_config_group_set (account, secret_keys[i], NULL, NULL);
      else if (found != NULL)
        return refuse (error,
                       "The account “%s” has both a “%s” and a “%s”. Keep the one that is meant.",
                       account->name, found, secret_keys[i]);
      else
        found = secret_keys[i];
    }
  return TRUE;
}

gboolean
postbag_config_has_secret (const PostbagConfigGroup *account)
{
  for (gsize i = 0; i < G_N_ELEMENTS (secret_keys); i++)
    {
      if (postbag_config_group_get (account, secret_keys[i]) != NULL)
        return TRUE;
    }
  return g_strcmp0 (postbag_config_group_get (account, "auth"), "external") == 0;
}

static gboolean
uses_token (const PostbagConfigGroup *account)
{
  return postbag_config_group_get (account, "token-command") != NULL
         || postbag_config_group_get (account, "token-file") != NULL;
}

gboolean
postbag_config_check_auth (const PostbagConfigGroup *account, GError **error)
{
  const char *auth = postbag_config_group_get (account, "auth");
  gboolean wants_token = strcmp (auth, "oauthbearer") == 0 || strcmp (auth, "xoauth2") == 0;

  if (strcmp (auth, "external") == 0
      && postbag_config_group_get (account, "client-certificate") == NULL)
    return refuse (error,
                   "The account “%s” logs in with “auth = external”, but has no "
                   "“client-certificate”. Name its file.",
                   account->name);
  if (wants_token && !uses_token (account))
    return refuse (error,
                   "The account “%s” logs in with “auth = %s”, but has no “token-command” or "
                   "“token-file”.",
                   account->name, auth);
  if (!wants_token && uses_token (account) && strcmp (auth, "auto") != 0)
    return refuse (error,
                   "The account “%s” has an OAuth token, which “auth = %s” cannot use. Say “auth = "
                   "oauthbearer” or “xoauth2”, or leave it out.",
                   account->name, auth);
  return TRUE;
}

void
postbag_config_set_login (PostbagAccount *account, const PostbagConfigGroup *group)
{
  if (strcmp (postbag_config_group_get (group, "auth"), "auto") != 0)
    account->auth = g_strdup (postbag_config_group_get (group, "auth"));
  account->password_command = g_strdup (postbag_config_group_get (group, "password-command"));
  account->password_file = g_strdup (postbag_config_group_get (group, "password-file"));
  account->token_command = g_strdup (postbag_config_group_get (group, "token-command"));
  account->token_file = g_strdup (postbag_config_group_get (group, "token-file"));
  account->pins = g_strdup (postbag_config_group_get (group, "pin"));
  account->client_certificate = g_strdup (postbag_config_group_get (group, "client-certificate"));
}
