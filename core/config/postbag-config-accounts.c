/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Policy belongs to the account. An account may be changed where the command line says so; else
 * where its own group or the toolset's switch says so and neither says the opposite. What cannot be
 * undone needs its own word on top. */

#include "config/postbag-config-accounts-private.h"

#include "base/postbag-error.h"
#include "base/postbag-text.h"

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

static void G_GNUC_PRINTF (2, 3) warn (PostbagConfigPlan *plan, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (plan->warnings, g_strdup_vprintf (format, args));
  va_end (args);
}

static gboolean
is (const PostbagConfigGroup *group, const char *key, const char *value)
{
  return g_strcmp0 (postbag_config_group_get (group, key), value) == 0;
}

static gboolean
is_given (const PostbagConfigGroup *group, const char *key)
{
  return postbag_config_group_get_source (group, key) != NULL;
}

static void
inherit (PostbagConfigGroup *to, const char *to_key, const PostbagConfigGroup *from,
         const char *from_key)
{
  if (!is_given (to, to_key) && is_given (from, from_key))
    postbag_config_group_set (to, to_key, postbag_config_group_get (from, from_key),
                              postbag_config_group_get_source (from, from_key));
}

/* --- policy --- */

static void
settle_read_only (PostbagConfigPlan *plan, PostbagConfigGroup *account)
{
  PostbagConfigGroup *guarded = plan->guarded;
  gboolean locked =
      plan->guarded_loaded && is_given (guarded, "read-only") && is (guarded, "read-only", "true");

  if (plan->options->allow_write)
    postbag_config_group_set (account, "read-only", "false", "--allow-write");
  else if (locked)
    postbag_config_group_set (account, "read-only", "true",
                              postbag_config_group_get_source (guarded, "read-only"));
  else if (plan->guarded_loaded)
    inherit (account, "read-only", guarded, "read-only");
}

static void
settle_purge (PostbagConfigPlan *plan, PostbagConfigGroup *account)
{
  if (plan->options->allow_purge)
    postbag_config_group_set (account, "purge", "true", "--allow-purge");
  if (is (account, "purge", "true") && is (account, "read-only", "true"))
    warn (plan, "The account “%s” may purge, but is read-only: nothing can be changed there.",
          account->name);
}

/* Tools that change mail are offered as soon as one account may be changed. */
static void
settle_toolset (PostbagConfigPlan *plan)
{
  PostbagConfigGroup *guarded = plan->guarded;

  if (plan->options->allow_write)
    postbag_config_group_set (guarded, "read-only", "false", "--allow-write");
  for (guint i = 0; i < plan->accounts->len; i++)
    {
      const PostbagConfigGroup *account = g_ptr_array_index (plan->accounts, i);

      if (is (account, "read-only", "false"))
        inherit (guarded, "read-only", account, "read-only");
    }
  /* The toolset knows one account only: the first. */
  if (plan->accounts->len > 0)
    {
      inherit (guarded, "mailbox", g_ptr_array_index (plan->accounts, 0), "mailbox");
      inherit (guarded, "drafts-mailbox", g_ptr_array_index (plan->accounts, 0), "drafts-mailbox");
    }
}

/* --- one account --- */

static gboolean
settle_backend (PostbagConfigGroup *account, GError **error)
{
  gboolean has_path = postbag_config_group_get (account, "path") != NULL;
  gboolean has_host = postbag_config_group_get (account, "host") != NULL;

  if (!is_given (account, "backend"))
    postbag_config_group_set (account, "backend", has_path ? "maildir" : "imap", NULL);
  if (has_path && has_host
      && (is (account, "backend", "maildir") || is (account, "backend", "imap")))
    return refuse (error,
                   "The account “%s” has both a “path” and a “host”. Keep the one that is meant.",
                   account->name);
  return TRUE;
}

static gboolean
settle_maildir (PostbagConfigPlan *plan, PostbagConfigGroup *account, GError **error)
{
  const char *path = postbag_config_group_get (account, "path");

  if (path == NULL)
    return refuse (error, "The account “%s” is a Maildir, but has no “path”. Name its folder.",
                   account->name);
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    warn (plan, "The folder of the account “%s”, named by %s, is not there; calls will say so.",
          account->name, postbag_config_group_get_source (account, "path"));
  return TRUE;
}

static gboolean
allows_cleartext (const PostbagConfigPlan *plan, const char *host)
{
  const char *list = postbag_config_group_get (plan->core, "allow-cleartext");
  g_auto (GStrv) hosts = g_strsplit (list != NULL ? list : "", ",", -1);

  if (postbag_config_is_loopback (host))
    return TRUE;
  for (char **allowed = hosts; *allowed != NULL; allowed++)
    {
      if (g_ascii_strcasecmp (*allowed, host) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Of IMAP, and of any other backend that has a host. */
static gboolean
settle_server (PostbagConfigPlan *plan, PostbagConfigGroup *account, GError **error)
{
  gboolean implicit = is (account, "tls", "implicit");

  if (!postbag_config_check_auth (account, error))
    return FALSE;
  if (is (account, "tls", "none")
      && !allows_cleartext (plan, postbag_config_group_get (account, "host")))
    return refuse (error,
                   "The account “%s” would send its password without TLS (%s). Use TLS, or name "
                   "the host in POSTBAG_ALLOW_CLEARTEXT when that network is yours alone.",
                   account->name, postbag_config_group_get_source (account, "tls"));
  if (!is_given (account, "port"))
    postbag_config_group_set (account, "port", implicit ? "993" : "143", NULL);
  if (is (account, "insecure-tls", "true"))
    warn (plan,
          "The account “%s” does not check the server's certificate (%s): anybody on the way can "
          "read the password and the mail.",
          account->name, postbag_config_group_get_source (account, "insecure-tls"));
  return TRUE;
}

static gboolean
settle_account (PostbagConfigPlan *plan, PostbagConfigGroup *account, GError **error)
{
  if (is (account, "backend", "maildir"))
    {
      if (!settle_maildir (plan, account, error))
        return FALSE;
    }
  else if (postbag_config_group_get (account, "host") != NULL)
    {
      if (!settle_server (plan, account, error))
        return FALSE;
    }
  if (plan->guarded_loaded)
    {
      inherit (account, "mailbox", plan->guarded, "mailbox");
      inherit (account, "drafts-mailbox", plan->guarded, "drafts-mailbox");
    }
  if (plan->accounts->len == 1 || account->in_environment)
    {
      inherit (account, "address", plan->core, "address");
      inherit (account, "trash-mailbox", plan->core, "trash-mailbox");
    }
  settle_read_only (plan, account);
  settle_purge (plan, account);
  return TRUE;
}

/* --- completeness --- */

/* (transfer full) (nullable): what an IMAP account lacks, as a list of @names */
static char *
list_missing (const PostbagConfigGroup *account, const char *const names[3])
{
  static const char *const keys[] = { "host", "user", "password" };
  g_autoptr (GString) missing = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      if (i == 2 ? !postbag_config_has_secret (account)
                 : postbag_config_group_get (account, keys[i]) == NULL)
        g_string_append_printf (missing, "%s%s", missing->len > 0 ? ", " : "", names[i]);
    }
  return missing->len > 0 ? g_string_free (g_steal_pointer (&missing), FALSE) : NULL;
}

/* Whether @account stays; a wrong file is an error, a wrong environment only a warning, because
 * clients start servers before their user has filled in anything. */
static gboolean
check_complete (PostbagConfigPlan *plan, const PostbagConfigGroup *account, gboolean *stays,
                GError **error)
{
  static const char *const keys[] = { "“host”", "“user”", "“password”" };
  static const char *const variables[] = { "IMAP_HOST", "IMAP_USER", "IMAP_PASSWORD" };
  g_autofree char *missing = NULL;

  *stays = TRUE;
  if (!is (account, "backend", "imap"))
    return TRUE;
  missing = list_missing (account, account->in_environment ? variables : keys);
  if (missing == NULL)
    return TRUE;
  if (!account->in_environment)
    return refuse (error, "The account “%s” is not complete: %s missing in its group.",
                   account->name, missing);
  *stays = FALSE;
  plan->incomplete = TRUE;
  warn (plan, "The mail account is not complete: %s not set. Every call will say how to mend that.",
        missing);
  return TRUE;
}

static gboolean
drop_incomplete (PostbagConfigPlan *plan, GError **error)
{
  guint i = 0;

  while (i < plan->accounts->len)
    {
      PostbagConfigGroup *account = g_ptr_array_index (plan->accounts, i);
      gboolean stays;

      if (!settle_backend (account, error) || !postbag_config_settle_secrets (account, error)
          || !check_complete (plan, account, &stays, error))
        return FALSE;
      if (stays)
        i++;
      else
        g_ptr_array_remove_index (plan->accounts, i);
    }
  return TRUE;
}

static gboolean
keep_chosen (PostbagConfigPlan *plan, GError **error)
{
  const char *chosen = plan->options->account;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *list = NULL;
  gboolean found = FALSE;

  for (guint i = plan->accounts->len; i > 0 && chosen != NULL; i--)
    {
      PostbagConfigGroup *account = g_ptr_array_index (plan->accounts, i - 1);

      g_ptr_array_insert (names, 0, account->name);
      found = found || strcmp (account->name, chosen) == 0;
    }
  if (chosen == NULL)
    return TRUE;
  g_ptr_array_add (names, NULL);
  list = g_strjoinv (", ", (char **)names->pdata);
  if (!found)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
                   "There is no account of the name given with --account. Configured: %s.",
                   *list != '\0' ? list : "none");
      return FALSE;
    }
  for (guint i = plan->accounts->len; i > 0; i--)
    {
      if (strcmp (names->pdata[i - 1], chosen) != 0)
        g_ptr_array_remove_index (plan->accounts, i - 1);
    }
  return TRUE;
}

gboolean
postbag_config_settle_accounts (PostbagConfigPlan *plan, GError **error)
{
  if (!drop_incomplete (plan, error) || !keep_chosen (plan, error))
    return FALSE;
  for (guint i = 0; i < plan->accounts->len; i++)
    {
      if (!settle_account (plan, g_ptr_array_index (plan->accounts, i), error))
        return FALSE;
    }
  settle_toolset (plan);
  if (plan->accounts->len == 0 && !plan->incomplete)
    warn (plan, "No mail account is configured. Every call will say how to do that.");
  return TRUE;
}

/* --- the account --- */

static PostbagMay
get_policy (const PostbagConfigGroup *group)
{
  PostbagMay may = POSTBAG_MAY_READ;

  if (!is (group, "read-only", "false"))
    return may;
  may |= POSTBAG_MAY_ORGANISE | POSTBAG_MAY_DRAFT;
  return is (group, "purge", "true") ? may | POSTBAG_MAY_PURGE : may;
}

static PostbagTls
get_tls (const PostbagConfigGroup *group)
{
  if (is (group, "tls", "none"))
    return POSTBAG_TLS_NONE;
  return is (group, "tls", "starttls") ? POSTBAG_TLS_STARTTLS : POSTBAG_TLS_IMPLICIT;
}

PostbagAccount *
postbag_config_make_account (const PostbagConfigGroup *group, const PostbagConfigGroup *core)
{
  const char *backend = postbag_config_group_get (group, "backend");
  const char *mailbox = postbag_config_group_get (group, "mailbox");
  PostbagAccount *account = postbag_account_new (group->name, backend);
  gint64 port = 0, poll_s = 0;

  if (mailbox != NULL)
    {
      g_free (account->mailbox);
      account->mailbox = g_strdup (mailbox);
    }
  account->address = g_strdup (postbag_config_group_get (group, "address"));
  account->drafts_mailbox = g_strdup (postbag_config_group_get (group, "drafts-mailbox"));
  account->trash_mailbox = g_strdup (postbag_config_group_get (group, "trash-mailbox"));
  account->may = get_policy (group);
  account->tls = get_tls (group);
  account->path = g_strdup (postbag_config_group_get (group, "path"));
  account->host = g_strdup (postbag_config_group_get (group, "host"));
  if (account->host == NULL)
    {
      account->tls = POSTBAG_TLS_NONE;
      return account;
    }
  postbag_text_parse_int (postbag_config_group_get (group, "port"), 1, 65535, &port);
  account->port = (guint)port;
  account->insecure_tls = is (group, "insecure-tls", "true");
  account->cleartext_hosts = g_strdup (postbag_config_group_get (core, "allow-cleartext"));
  account->ca_file = g_strdup (postbag_config_group_get (core, "ca-file"));
  postbag_text_parse_int (postbag_config_group_get (core, "poll-seconds"), 1, 3600, &poll_s);
  account->poll_s = (guint)poll_s;
  account->user = g_strdup (postbag_config_group_get (group, "user"));
  account->password = g_strdup (postbag_config_group_get (group, "password"));
  postbag_config_set_login (account, group);
  return account;
}
