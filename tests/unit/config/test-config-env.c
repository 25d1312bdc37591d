/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config-fixture.h"

#include "base/postbag-error.h"

#include <string.h>

/* A block of memory as the kernel lays it out: entries one after the other, and a vector of
 * pointers into it. */
typedef struct
{
  char block[256];
  char *entries[8];
} Block;

static void
add_entry (Block *block, gsize index, gsize offset, const char *entry)
{
  memcpy (block->block + offset, entry, strlen (entry) + 1);
  block->entries[index] = block->block + offset;
}

static gboolean
holds (const Block *block, const char *word)
{
  return memmem (block->block, sizeof (block->block), word, strlen (word)) != NULL;
}

/* The password goes from the block itself, from the vector, and from every repetition, whether or
 * not the configuration is any good. */
static void
check_wiped (ConfigFixture *fixture, const char *toolset, gboolean fails)
{
  PostbagConfigOptions options = { 0 };
  Block block = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagConfig) config = NULL;

  add_entry (&block, 0, 0, "HOME=/root");
  add_entry (&block, 1, 32, "IMAP_PASSWORD=hunter2hunter2");
  add_entry (&block, 2, 96, fails ? "IMAP_PORT=nonsense" : "IMAP_HOST=mail.example.org");
  add_entry (&block, 3, 144, "IMAP_PASSWORD=another-one");
  add_entry (&block, 4, 192, "IMAP_USER=me");
  add_entry (&block, 5, 224, toolset);
  config = postbag_config_load (&options, block.entries, NULL, &error);
  g_assert_cmpint (config == NULL, ==, fails);
  g_assert_false (holds (&block, "hunter2"));
  g_assert_false (holds (&block, "another-one"));
  g_assert_true (holds (&block, "IMAP_USER=me"));
  g_assert_cmpstr (block.entries[0], ==, "HOME=/root");
  g_assert_true (g_str_has_prefix (block.entries[1], fails ? "IMAP_PORT" : "IMAP_HOST"));
  g_assert_cmpstr (block.entries[2], ==, "IMAP_USER=me");
  g_assert_cmpstr (block.entries[3], ==, toolset);
  g_assert_null (block.entries[4]);
}

static void
test_wiped (ConfigFixture *fixture, gconstpointer data)
{
  check_wiped (fixture, "POSTBAG_TOOLSET=guarded", FALSE);
  check_wiped (fixture, "POSTBAG_TOOLSET=guarded", TRUE);
  check_wiped (fixture, "POSTBAG_TOOLSET=words", FALSE);
}

static void
test_first_counts (ConfigFixture *fixture, gconstpointer data)
{
  config_fixture_accept (fixture, "IMAP_HOST=a.org\nIMAP_HOST=b.org\nIMAP_USER=me\n"
                                  "IMAP_PASSWORD=one\nIMAP_PASSWORD=two");
  g_assert_cmpstr (config_fixture_get_account (fixture, 0)->host, ==, "a.org");
  g_assert_cmpstr (config_fixture_get_account (fixture, 0)->password, ==, "one");
}

static void
test_removed (ConfigFixture *fixture, gconstpointer data)
{
  config_fixture_refuse (fixture, "IMAP_ALLOW_WRITE=true", "IMAP_READ_ONLY");
  config_fixture_refuse (fixture, "IMAP_ALLOW_WRITE=", "IMAP_ALLOW_WRITE");
  config_fixture_accept (fixture, "IMAP_ALLOW_WRITE=true\nPOSTBAG_TOOLSET=words");
}

/* Another toolset's process does not care what the guarded dialect says. */
static void
test_dialect_not_loaded (ConfigFixture *fixture, gconstpointer data)
{
  config_fixture_accept (fixture, "POSTBAG_TOOLSET=words\nIMAP_PORT=nonsense\nIMAP_HOST=a.org\n"
                                  "IMAP_USER=me\nIMAP_PASSWORD=x\nIMAP_READ_ONLY=false\n"
                                  "ELICITATION=perhaps");
  g_assert_cmpuint (postbag_config_get_accounts (fixture->config)->len, ==, 0);
}

static void
test_user_alone (ConfigFixture *fixture, gconstpointer data)
{
  config_fixture_accept (fixture, "USER=root\nUSERNAME=root\nHOST=here\nPASSWORD=x");
  g_assert_cmpuint (postbag_config_get_accounts (fixture->config)->len, ==, 0);
}

static void
test_misspelt (ConfigFixture *fixture, gconstpointer data)
{
  config_fixture_accept (fixture, "IMAP_READONLY=false\nPOSTBAG_MAIL_DIR=/x\nIMAP_SOMETHING=1\n"
                                  "POSTBAG_SUITES=/x\nIMAP_HOST\n");
  g_assert_true (config_fixture_has_warning (fixture, "IMAP_READONLY is not read; did you mean "
                                                      "IMAP_READ_ONLY?"));
  g_assert_true (config_fixture_has_warning (fixture, "POSTBAG_MAIL_DIR is not read; did you mean "
                                                      "POSTBAG_MAILDIR?"));
  g_assert_false (config_fixture_has_warning (fixture, "IMAP_SOMETHING"));
  g_assert_false (config_fixture_has_warning (fixture, "POSTBAG_SUITES"));
  config_fixture_accept (fixture, "POSTBAG_TOOLSET=words\nIMAP_READONLY=false");
  g_assert_false (config_fixture_has_warning (fixture, "IMAP_READONLY"));
}

static void
test_password (ConfigFixture *fixture, gconstpointer data)
{
  const char *rest = "IMAP_HOST=a.org\nIMAP_USER=me\nIMAP_PASSWORD=";
  g_autofree char *blanks = g_strconcat (rest, "  with = and blanks \\ ", NULL);
  g_autofree char *bytes = g_strconcat (rest, "p\xe4ss", NULL);
  g_autofree char *lines = g_strconcat (rest, "pass\rword", NULL);

  config_fixture_accept (fixture, blanks);
  g_assert_cmpstr (config_fixture_get_account (fixture, 0)->password, ==,
                   "  with = and blanks \\ ");
  config_fixture_accept (fixture, bytes);
  g_assert_cmpstr (config_fixture_get_account (fixture, 0)->password, ==, "p\xe4ss");
  config_fixture_refuse (fixture, lines, "IMAP_PASSWORD has to be one line");
}

#define ADD(path, function)                                                                        \
  g_test_add (path, ConfigFixture, NULL, config_fixture_set_up, function, config_fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/config/env/wiped", test_wiped);
  ADD ("/config/env/first-counts", test_first_counts);
  ADD ("/config/env/removed", test_removed);
  ADD ("/config/env/dialect-not-loaded", test_dialect_not_loaded);
  ADD ("/config/env/user-alone", test_user_alone);
  ADD ("/config/env/misspelt", test_misspelt);
  ADD ("/config/env/password", test_password);
  return g_test_run ();
}
