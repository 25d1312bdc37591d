/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Logging in at a Dovecot that offers MECHANISMS and stores passwords by SCHEME: CHOSEN has to be
 * the way, with a password that has quotes, a
 * backslash, a blank and a letter that is not ASCII. */

#include <string.h>

#include "base/postbag-error.h"
#include "postbag-imap-store.h"
#include "server.h"

static Server *server;

static char **
try_login (PostbagAccount *account, GError **error)
{
  gpointer store = postbag_imap_store.open (account, NULL, NULL);
  char **capabilities = postbag_imap_store.get_capabilities (store, NULL, error);

  postbag_imap_store.close (store);
  postbag_account_free (account);
  return capabilities;
}

/* Another process of Dovecot writes its log, when it comes to it. */
static gboolean
is_logged (const char *words)
{
  for (int i = 0; i < 250; i++)
    {
      g_autofree char *log = NULL;

      g_assert_true (g_file_get_contents (server->log, &log, NULL, NULL));
      if (strstr (log, words) != NULL)
        return TRUE;
      g_usleep (20000);
    }
  return FALSE;
}

static void
test_right (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) capabilities =
      try_login (server_create_account (server, POSTBAG_TLS_IMPLICIT), &error);

  g_assert_no_error (error);
  g_assert_true (g_strv_contains ((const char *const *)capabilities, "UIDPLUS"));
  g_assert_true (is_logged ("method=" CHOSEN ","));
}

/* The password from a command, in a line of its own. */
static void
test_command (void)
{
  PostbagAccount *account = server_create_account (server, POSTBAG_TLS_IMPLICIT);
  g_autofree char *quoted = g_shell_quote (account->password);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) capabilities = NULL;

  account->password_command = g_strconcat ("printf '%s\\nuser: nora\\n' ", quoted, NULL);
  g_clear_pointer (&account->password, g_free);
  capabilities = try_login (account, &error);
  g_assert_no_error (error);
  g_assert_nonnull (capabilities);
}

static void
test_pin (void)
{
  PostbagAccount *account = server_create_account (server, POSTBAG_TLS_STARTTLS);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) capabilities = NULL;

  account->pins = g_strdup (server->pin);
  capabilities = try_login (account, &error);
  g_assert_no_error (error);
  g_assert_nonnull (capabilities);
  account = server_create_account (server, POSTBAG_TLS_IMPLICIT);
  account->pins = g_strdup ("sha256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
  g_assert_null (try_login (account, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE);
  g_assert_nonnull (strstr (error->message, server->pin));
}

static void
test_wrong (void)
{
  PostbagAccount *account = server_create_account (server, POSTBAG_TLS_STARTTLS);
  g_autoptr (GError) error = NULL;

  g_free (account->password);
  account->password = g_strdup ("another");
  g_assert_null (try_login (account, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_LOGIN_REFUSED);
}

static void
skip_all (void)
{
  g_test_skip ("there is no Dovecot: apt-get install dovecot-imapd");
}

int
main (int argc, char **argv)
{
  static const char *const arguments[] = { "--mechanisms", MECHANISMS, "--scheme", SCHEME,
                                           "--messages",   "1",        NULL };
  int status;

  g_test_init (&argc, &argv, NULL);
  server = server_start (arguments);
  if (server == NULL)
    {
      g_test_add_func ("/imap/login", skip_all);
      return g_test_run ();
    }
  g_test_add_func ("/imap/login/right", test_right);
  g_test_add_func ("/imap/login/wrong", test_wrong);
  g_test_add_func ("/imap/login/command", test_command);
  g_test_add_func ("/imap/login/pin", test_pin);
  status = g_test_run ();
  server_stop (server);
  return status;
}
