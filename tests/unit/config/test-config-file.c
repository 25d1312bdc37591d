/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config-fixture.h"

#include "base/postbag-error.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define WORK "[account work]\nhost=mail.example.org\nuser=me@example.org\npassword=geheim\n"

static void
test_read (ConfigFixture *fixture, gconstpointer data)
{
  const PostbagAccount *account;

  config_fixture_write (fixture,
                        "# mine\n[postbag]\nvalidate-results=true\n\n" WORK
                        "tls=starttls\nmailbox=INBOX/Inner\nread-only=false\n"
                        "[account old mail]\npath=/nonexistent/mail\npurge=true\n"
                        "[toolset guarded]\nmax-messages=7\nattachment-types=text/plain\n");
  config_fixture_accept (fixture, NULL);
  g_assert_true (postbag_settings_get_boolean (postbag_config_get_core_settings (fixture->config),
                                               "validate-results"));
  g_assert_cmpstr (config_fixture_get (fixture, "max-messages"), ==, "7");
  g_assert_cmpstr (config_fixture_get (fixture, "attachment-types"), ==, "text/plain");
  g_assert_cmpuint (postbag_config_get_accounts (fixture->config)->len, ==, 2);
  account = config_fixture_get_account (fixture, 0);
  g_assert_cmpstr (account->name, ==, "work");
  g_assert_cmpstr (account->backend, ==, "imap");
  g_assert_cmpstr (account->password, ==, "geheim");
  g_assert_cmpstr (account->mailbox, ==, "INBOX/Inner");
  g_assert_cmpuint (account->port, ==, 143);
  account = config_fixture_get_account (fixture, 1);
  g_assert_cmpstr (account->name, ==, "old mail");
  g_assert_cmpstr (account->backend, ==, "maildir");
  g_assert_cmpstr (account->path, ==, "/nonexistent/mail");
  g_assert_cmpint (account->may, ==, POSTBAG_MAY_READ);
  g_assert_true (config_fixture_has_warning (fixture, "“old mail”"));
}

static void
test_refused (ConfigFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *text;
    const char *part;
  } cases[] = {
    { "[postbag]\ntool=guarded\n", "unknown key “tool” in [postbag]. Known are: toolset" },
    { "[postbag]\ntoolsets=guarded\n", "unknown key in [postbag]; did you mean “toolset”?" },
    { "[postbag]\nplugin-path=/x\n", "unknown key “plugin-path”" },
    { "[account a]\nhst=x\n", "did you mean “host”?" },
    { "[account a]\nread_only=false\n", "did you mean “read-only”?" },
    { "[toolset guarded]\nhost=x\n", "unknown key “host” in [toolset guarded]" },
    { "[postbagg]\n", "did you mean [postbag]?" },
    { "[toolset gaurded]\n", "did you mean [toolset guarded]?" },
    { "[accounts work]\n", "did you mean [account]?" },
    { "[something else]\n", "unknown group. Known are: [postbag]" },
    { "[account ]\n", "whose name is empty" },
    { "[account message]\n", "whose name is empty, “message”" },
    { "[account a/b]\n", "or holds a slash" },
    { "[postbag]\nthis line is wrong\n", "line 2 is neither" },
    { "toolset=guarded\n", "line 1 is neither" },
    { "[postbag]\ntoolset=gu\\arded\n", "single backslash" },
    { "[postbag]\ntoolset=\xff\xfe\n", "“toolset” in [postbag]" },
    { "[account a]\nuser=me\n", "not complete: “host”, “password” missing" },
    { "[account default]\nuser=me\n", "not complete: “host”, “password” missing" },
    { "[account a]\nbackend=maildir\n", "has no “path”" },
    { "[account a]\nbackend=pop/3\n", "a letter, then letters" },
    { "[account a]\npath=/x\nhost=y\n", "both a “path” and a “host”" },
    { "[account a]\nport=99999\n", "“port” in [account a] of" },
    { "[account a]\npurge=maybe\n", "“true” or “false”" },
    { WORK "tls=none\n", "POSTBAG_ALLOW_CLEARTEXT" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      config_fixture_write (fixture, cases[i].text);
      config_fixture_refuse (fixture, NULL, cases[i].part);
      g_assert_error (fixture->error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
    }
}

/* A password on a line of its own, in the place of a key, of a number or of a group. */
static void
test_no_leak (ConfigFixture *fixture, gconstpointer data)
{
  static const char *const cases[] = {
    "[account a]\nHunter2-Hunter2\n",
    "[account a]\nHunter2 Hunter2=x\n",
    "[account a]\nport=Hunter2Hunter\n",
    "[Hunter2]\n",
    "Hunter2\n",
    "[account a]\npassword=Hunter2\\x\n",
    "[account a]\nHunter2=\n",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      config_fixture_write (fixture, cases[i]);
      config_fixture_load (fixture, NULL, NULL);
      g_assert_nonnull (fixture->error);
      g_assert_null (strstr (fixture->error->message, "Hunter2"));
    }
}

static void
test_modes (ConfigFixture *fixture, gconstpointer data)
{
  static const int open_modes[] = { 0640, 0604, 0660, 0644, 0610 };
  const char *without = "[account work]\npath=/tmp\n";

  for (gsize i = 0; i < G_N_ELEMENTS (open_modes); i++)
    {
      config_fixture_write (fixture, WORK);
      g_assert_cmpint (g_chmod (fixture->path, open_modes[i]), ==, 0);
      config_fixture_refuse (fixture, NULL, "holds a password, but others may read it");
    }
  config_fixture_write (fixture, without);
  g_assert_cmpint (g_chmod (fixture->path, 0644), ==, 0);
  config_fixture_accept (fixture, NULL);
  g_assert_cmpint (g_chmod (fixture->path, 0646), ==, 0);
  config_fixture_refuse (fixture, NULL, "may be changed by everybody");
  config_fixture_write (fixture, WORK);
  g_assert_cmpint (g_chmod (fixture->path, 0400), ==, 0);
  config_fixture_accept (fixture, NULL);
}

static void
test_not_a_file (ConfigFixture *fixture, gconstpointer data)
{
  PostbagConfigOptions options = { .config_file = "/nonexistent/postbag.conf" };
  g_autofree char *large = g_strnfill (1024 * 1024 + 1, '\n');

  config_fixture_load (fixture, NULL, &options);
  g_assert_error (fixture->error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
  config_fixture_refuse (fixture, "POSTBAG_CONFIG=/nonexistent/postbag.conf",
                         "/nonexistent/postbag.conf");
  config_fixture_refuse (fixture, "POSTBAG_CONFIG=/dev/zero", "no ordinary file");
  config_fixture_refuse (fixture, "POSTBAG_CONFIG=/tmp", "no ordinary file");
  config_fixture_write (fixture, large);
  config_fixture_refuse (fixture, NULL, "larger than 1048576 bytes");
  config_fixture_write (fixture, "");
  config_fixture_accept (fixture, NULL);
}

static void
test_many_accounts (ConfigFixture *fixture, gconstpointer data)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (int i = 0; i < 65; i++)
    g_string_append_printf (text, "[account a%d]\npath=/tmp\n", i);
  config_fixture_write (fixture, text->str);
  config_fixture_refuse (fixture, NULL, "more than 64 accounts");
}

#define ADD(path, function)                                                                        \
  g_test_add (path, ConfigFixture, NULL, config_fixture_set_up, function, config_fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/config/file/read", test_read);
  ADD ("/config/file/refused", test_refused);
  ADD ("/config/file/no-leak", test_no_leak);
  ADD ("/config/file/modes", test_modes);
  ADD ("/config/file/not-a-file", test_not_a_file);
  ADD ("/config/file/many-accounts", test_many_accounts);
  return g_test_run ();
}
