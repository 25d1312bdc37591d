/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config-fixture.h"

#include "base/postbag-error.h"

#include <string.h>

#define READ POSTBAG_MAY_READ
#define WRITE (POSTBAG_MAY_READ | POSTBAG_MAY_ORGANISE | POSTBAG_MAY_DRAFT)
#define PURGE (WRITE | POSTBAG_MAY_PURGE)

/* Who may do what: the file's account, the environment's switch, the command line. */
static void
test_policy (ConfigFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *in_account;
    const char *variable;
    gboolean allow_write;
    gboolean allow_purge;
    guint may;
    const char *toolset_read_only;
  } cases[] = {
    { "", "", FALSE, FALSE, READ, "true" },
    { "", "IMAP_READ_ONLY=false", FALSE, FALSE, WRITE, "false" },
    { "", "IMAP_READ_ONLY=true", FALSE, FALSE, READ, "true" },
    { "read-only=false\n", "", FALSE, FALSE, WRITE, "false" },
    { "read-only=false\n", "IMAP_READ_ONLY=true", FALSE, FALSE, READ, "true" },
    { "read-only=false\n", "IMAP_READ_ONLY=flase", FALSE, FALSE, READ, "true" },
    { "read-only=true\n", "IMAP_READ_ONLY=false", FALSE, FALSE, READ, "false" },
    { "", "", TRUE, FALSE, WRITE, "false" },
    { "read-only=true\n", "IMAP_READ_ONLY=true", TRUE, FALSE, WRITE, "false" },
    { "", "", FALSE, TRUE, READ, "true" },
    { "", "IMAP_READ_ONLY=false", FALSE, TRUE, PURGE, "false" },
    { "", "", TRUE, TRUE, PURGE, "false" },
    { "purge=true\n", "", FALSE, FALSE, READ, "true" },
    { "purge=true\n", "IMAP_READ_ONLY=false", FALSE, FALSE, PURGE, "false" },
    { "purge=true\nread-only=false\n", "", FALSE, FALSE, PURGE, "false" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      PostbagConfigOptions options = { .allow_write = cases[i].allow_write,
                                       .allow_purge = cases[i].allow_purge };
      g_autofree char *text = g_strdup_printf ("[account a]\npath=/tmp\n%s", cases[i].in_account);

      config_fixture_write (fixture, text);
      config_fixture_load (fixture, cases[i].variable, &options);
      g_assert_no_error (fixture->error);
      g_assert_cmpuint (config_fixture_get_account (fixture, 0)->may, ==, cases[i].may);
      g_assert_cmpstr (config_fixture_get (fixture, "read-only"), ==, cases[i].toolset_read_only);
    }
}

/* Without the toolset, its switch decides nothing. */
static void
test_policy_of_other_toolset (ConfigFixture *fixture, gconstpointer data)
{
  config_fixture_write (fixture, "[account a]\npath=/tmp\n[account b]\npath=/usr\nread-only=false\n"
                                 "[toolset guarded]\nread-only=false\n");
  config_fixture_accept (fixture, "POSTBAG_TOOLSET=words\nIMAP_READ_ONLY=false");
  g_assert_cmpuint (config_fixture_get_account (fixture, 0)->may, ==, READ);
  g_assert_cmpuint (config_fixture_get_account (fixture, 1)->may, ==, WRITE);
}

static void
test_one_writable_of_two (ConfigFixture *fixture, gconstpointer data)
{
  config_fixture_write (fixture,
                        "[account a]\npath=/tmp\n[account b]\npath=/usr\nread-only=false\n");
  config_fixture_accept (fixture, NULL);
  g_assert_cmpstr (config_fixture_get (fixture, "read-only"), ==, "false");
  g_assert_cmpuint (config_fixture_get_account (fixture, 0)->may, ==, READ);
  g_assert_cmpuint (config_fixture_get_account (fixture, 1)->may, ==, WRITE);
}

static void
test_maildir_wins (ConfigFixture *fixture, gconstpointer data)
{
  PostbagConfigOptions options = { .maildir = "/usr" };
  const PostbagAccount *account;

  config_fixture_write (fixture, "[account work]\npath=/tmp\n[account local]\nmailbox=Inner\n");
  config_fixture_accept (fixture, "POSTBAG_MAILDIR=/tmp/\nIMAP_HOST=a.org\nIMAP_PORT=1\n"
                                  "IMAP_READ_ONLY=false");
  g_assert_cmpuint (postbag_config_get_accounts (fixture->config)->len, ==, 1);
  account = config_fixture_get_account (fixture, 0);
  g_assert_cmpstr (account->name, ==, "local");
  g_assert_cmpstr (account->backend, ==, "maildir");
  g_assert_cmpstr (account->path, ==, "/tmp");
  g_assert_cmpstr (account->mailbox, ==, "Inner");
  g_assert_null (account->host);
  g_assert_cmpuint (account->port, ==, 0);
  g_assert_cmpuint (account->may, ==, WRITE);
  g_assert_cmpuint (fixture->warnings->len, ==, 0);
  config_fixture_load (fixture, "POSTBAG_MAILDIR=/tmp", &options);
  g_assert_cmpstr (config_fixture_get_account (fixture, 0)->path, ==, "/usr");
}

/* A missing folder is no reason not to start: calls say so. */
static void
test_maildir_missing (ConfigFixture *fixture, gconstpointer data)
{
  g_autofree char *home = g_build_filename (g_get_home_dir (), "no-such-mail", NULL);

  config_fixture_accept (fixture, "POSTBAG_MAILDIR=/nonexistent/Mail");
  g_assert_cmpstr (config_fixture_get_account (fixture, 0)->path, ==, "/nonexistent/Mail");
  g_assert_true (config_fixture_has_warning (fixture, "named by POSTBAG_MAILDIR, is"));
  config_fixture_accept (fixture, "POSTBAG_MAILDIR=/etc/passwd");
  g_assert_true (config_fixture_has_warning (fixture, "is not there"));
  config_fixture_accept (fixture, "POSTBAG_MAILDIR=~/no-such-mail");
  g_assert_cmpstr (config_fixture_get_account (fixture, 0)->path, ==, home);
}

static void
test_incomplete (ConfigFixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *variables;
    const char *warning;
  } cases[] = {
    { "", "No mail account is configured" },
    { "IMAP_HOST=a.org", "IMAP_USER, IMAP_PASSWORD not set" },
    { "IMAP_USER=me\nIMAP_PASSWORD=x\nIMAP_HOST=", "IMAP_HOST not set" },
    { "IMAP_PASSWORD=x", "IMAP_HOST, IMAP_USER not set" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      config_fixture_accept (fixture, cases[i].variables);
      g_assert_cmpuint (postbag_config_get_accounts (fixture->config)->len, ==, 0);
      g_assert_cmpuint (fixture->warnings->len, ==, 1);
      g_assert_true (config_fixture_has_warning (fixture, cases[i].warning));
    }
}

/* The environment's account completes and overrides the file's of that name, and comes first. */
static void
test_environment_over_file (ConfigFixture *fixture, gconstpointer data)
{
  const PostbagAccount *account;

  config_fixture_write (fixture, "[account work]\npath=/tmp\n"
                                 "[account default]\nhost=file.org\nuser=file\ntls=starttls\n");
  config_fixture_accept (fixture, "IMAP_HOST=env.org\nIMAP_PASSWORD=x");
  g_assert_cmpuint (postbag_config_get_accounts (fixture->config)->len, ==, 2);
  account = config_fixture_get_account (fixture, 0);
  g_assert_cmpstr (account->name, ==, "default");
  g_assert_cmpstr (account->host, ==, "env.org");
  g_assert_cmpstr (account->user, ==, "file");
  g_assert_cmpint (account->tls, ==, POSTBAG_TLS_STARTTLS);
  g_assert_cmpstr (config_fixture_get_account (fixture, 1)->name, ==, "work");
}

static void
test_chosen (ConfigFixture *fixture, gconstpointer data)
{
  PostbagConfigOptions options = { .account = "b" };

  config_fixture_write (fixture, "[account a]\npath=/tmp\n[account b]\npath=/usr\n"
                                 "[account c]\npath=/etc\n");
  config_fixture_load (fixture, NULL, &options);
  g_assert_cmpuint (postbag_config_get_accounts (fixture->config)->len, ==, 1);
  g_assert_cmpstr (config_fixture_get_account (fixture, 0)->name, ==, "b");
  options.account = "d";
  config_fixture_load (fixture, NULL, &options);
  g_assert_error (fixture->error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (fixture->error->message, "Configured: a, b, c."));
}

/* Of one account from wherever; of several each has its own, or none. */
static void
test_trash_mailbox (ConfigFixture *fixture, gconstpointer data)
{
  config_fixture_accept (fixture, "IMAP_HOST=h.example\nIMAP_USER=u\nIMAP_PASSWORD=p\n"
                                  "POSTBAG_TRASH_MAILBOX=Bin");
  g_assert_cmpstr (config_fixture_get_account (fixture, 0)->trash_mailbox, ==, "Bin");
  config_fixture_write (fixture, "[account a]\npath=/tmp\ntrash-mailbox=T\n"
                                 "[account b]\npath=/usr\n");
  config_fixture_accept (fixture, "POSTBAG_TRASH_MAILBOX=Bin");
  g_assert_cmpstr (config_fixture_get_account (fixture, 0)->trash_mailbox, ==, "T");
  g_assert_null (config_fixture_get_account (fixture, 1)->trash_mailbox);
}

/* One default mailbox for one account, wherever it was written. */
static void
test_mailboxes (ConfigFixture *fixture, gconstpointer data)
{
  config_fixture_write (fixture, "[account a]\npath=/tmp\nmailbox=One\ndrafts-mailbox=D\n"
                                 "[account b]\npath=/usr\n");
  config_fixture_accept (fixture, NULL);
  g_assert_cmpstr (config_fixture_get (fixture, "mailbox"), ==, "One");
  g_assert_cmpstr (config_fixture_get (fixture, "drafts-mailbox"), ==, "D");
  g_assert_cmpstr (config_fixture_get_account (fixture, 1)->mailbox, ==, "INBOX");
  config_fixture_accept (fixture, "IMAP_MAILBOX=Two");
  g_assert_cmpstr (config_fixture_get (fixture, "mailbox"), ==, "Two");
  g_assert_cmpstr (config_fixture_get_account (fixture, 0)->mailbox, ==, "One");
  g_assert_cmpstr (config_fixture_get_account (fixture, 1)->mailbox, ==, "Two");
}

/* A stranger's store gets what the file says and no rule of ours but the one on clear text. */
static void
test_other_backend (ConfigFixture *fixture, gconstpointer data)
{
  const PostbagAccount *account;

  config_fixture_write (fixture, "[account a]\nbackend=jmap\nhost=jmap.org\npath=/x\nuser=me\n"
                                 "[account b]\nbackend=memory\n");
  config_fixture_accept (fixture, NULL);
  account = config_fixture_get_account (fixture, 0);
  g_assert_cmpstr (account->backend, ==, "jmap");
  g_assert_cmpstr (account->host, ==, "jmap.org");
  g_assert_cmpstr (account->path, ==, "/x");
  g_assert_cmpstr (account->user, ==, "me");
  g_assert_null (account->password);
  g_assert_cmpstr (config_fixture_get_account (fixture, 1)->backend, ==, "memory");
  config_fixture_write (fixture, "[account a]\nbackend=jmap\nhost=jmap.org\ntls=none\n");
  config_fixture_refuse (fixture, NULL, "POSTBAG_ALLOW_CLEARTEXT");
}

#define ADD(path, function)                                                                        \
  g_test_add (path, ConfigFixture, NULL, config_fixture_set_up, function, config_fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/config/accounts/policy", test_policy);
  ADD ("/config/accounts/policy-of-other-toolset", test_policy_of_other_toolset);
  ADD ("/config/accounts/one-writable-of-two", test_one_writable_of_two);
  ADD ("/config/accounts/maildir-wins", test_maildir_wins);
  ADD ("/config/accounts/maildir-missing", test_maildir_missing);
  ADD ("/config/accounts/incomplete", test_incomplete);
  ADD ("/config/accounts/environment-over-file", test_environment_over_file);
  ADD ("/config/accounts/chosen", test_chosen);
  ADD ("/config/accounts/other-backend", test_other_backend);
  ADD ("/config/accounts/mailboxes", test_mailboxes);
  ADD ("/config/accounts/trash-mailbox", test_trash_mailbox);
  return g_test_run ();
}
