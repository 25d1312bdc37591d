/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an account may log in with, and how. */

#include "config-fixture.h"

#include "base/postbag-error.h"

#include <glib/gstdio.h>
#include <string.h>

#define HEAD "[account work]\nhost=mail.example.org\nuser=me\n"
/* printf abc | openssl dgst -sha256 -binary | base64, and the same of `def` */
#define PIN "sha256:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
#define OTHER_PIN "sha256:y4N5rCCYqhZQKeOTilHaC87PwAj9Z5X0AReGR/lsWzQ="

static void
test_account (ConfigFixture *fixture, gconstpointer data)
{
  const PostbagAccount *account;

  config_fixture_write (fixture, HEAD "password-command = pass show 'my mail'\n"
                                      "auth = scram-sha-256\npin = " PIN ", " OTHER_PIN "\n"
                                      "client-certificate = /etc/passwd\n");
  config_fixture_accept (fixture, NULL);
  account = config_fixture_get_account (fixture, 0);
  g_assert_cmpstr (account->password_command, ==, "pass show 'my mail'");
  g_assert_cmpstr (account->auth, ==, "scram-sha-256");
  g_assert_cmpstr (account->pins, ==, PIN "," OTHER_PIN);
  g_assert_cmpstr (account->client_certificate, ==, "/etc/passwd");
  g_assert_null (account->password);

  config_fixture_write (fixture, HEAD "token-file = /run/token\n");
  config_fixture_accept (fixture, NULL);
  account = config_fixture_get_account (fixture, 0);
  g_assert_cmpstr (account->token_file, ==, "/run/token");
  g_assert_null (account->auth);
  g_assert_null (account->pins);
}

static void
test_refused (ConfigFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *lines;
    const char *words;
  } cases[] = {
    { "", "“password” missing" },
    { "auth = external\n", "“client-certificate”" },
    { "password=x\npassword-file=/y\n", "both a “password” and a “password-file”" },
    { "password-command=x\ntoken-command=y\n", "both a “password-command” and a “token-command”" },
    { "password=x\nauth=xoauth2\n", "“token-command” or “token-file”" },
    { "token-file=/x\nauth=plain\n", "OAuth token" },
    { "password=x\nauth=ntlm\n", "“scram-sha-256”" },
    { "password-command = pass 'open\n", "every quotation mark closed" },
    { "password-command = '\n", "every quotation mark closed" },
    { "password=x\npin = " PIN ",sha1:abc\n", "entry number 2" },
    { "password=x\npin = sha256:AAAA\n", "entry number 1" },
    { "password=x\npin = sha256:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0=\n", "entry number 1" },
    { "password=x\npin = ,\n", "at least one key" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strconcat (HEAD, cases[i].lines, NULL);

      config_fixture_write (fixture, text);
      config_fixture_refuse (fixture, NULL, cases[i].words);
    }
}

/* The environment wins, and what the file has is not used beside it. */
static void
test_environment (ConfigFixture *fixture, gconstpointer data)
{
  const PostbagAccount *account;

  config_fixture_write (fixture, "[account default]\ntoken-command = get-token\nuser=me\n");
  config_fixture_accept (fixture, "IMAP_HOST=mail.example.org\nIMAP_PASSWORD=secret");
  account = config_fixture_get_account (fixture, 0);
  g_assert_cmpstr (account->password, ==, "secret");
  g_assert_null (account->token_command);
  config_fixture_accept (fixture, "IMAP_HOST=mail.example.org");
  account = config_fixture_get_account (fixture, 0);
  g_assert_cmpstr (account->token_command, ==, "get-token");
}

/* Whoever may write a command has us run it. */
static void
test_mode (ConfigFixture *fixture, gconstpointer data)
{
  config_fixture_write (fixture, HEAD "password-command = pass mail\n");
  g_assert_cmpint (g_chmod (fixture->path, 0644), ==, 0);
  config_fixture_accept (fixture, NULL);
  g_assert_cmpint (g_chmod (fixture->path, 0620), ==, 0);
  config_fixture_refuse (fixture, NULL, "command to run");
}

#define ADD(path, function)                                                                        \
  g_test_add (path, ConfigFixture, NULL, config_fixture_set_up, function, config_fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/config/login/account", test_account);
  ADD ("/config/login/refused", test_refused);
  ADD ("/config/login/environment", test_environment);
  ADD ("/config/login/mode", test_mode);
  return g_test_run ();
}
