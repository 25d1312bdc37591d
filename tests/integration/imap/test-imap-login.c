/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Logging in at a Dovecot that offers only MECHANISMS, with a password that has quotes, a
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

static void
test_right (void)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) capabilities =
      try_login (server_create_account (server, POSTBAG_TLS_IMPLICIT), &error);

  if (server == NULL)
    return;
  g_assert_no_error (error);
  g_assert_true (g_strv_contains ((const char *const *)capabilities, "UIDPLUS"));
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
  static const char *const arguments[] = { "--mechanisms", MECHANISMS, "--messages", "1", NULL };
  int status;

  g_test_init (&argc, &argv, NULL);
  server = server_start (arguments);
  if (server == NULL)
    {
      g_test_add_func ("/imap/login", skip_all);
      return g_test_run ();
    }
  g_test_add_func ("/imap/login/" MECHANISMS "/right", test_right);
  g_test_add_func ("/imap/login/" MECHANISMS "/wrong", test_wrong);
  status = g_test_run ();
  server_stop (server);
  return status;
}
