/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config-fixture.h"

#include "config/postbag-config-table-private.h"

#include <string.h>

/* Command line over environment over file over default. */
static void
test_precedence (ConfigFixture *fixture, gconstpointer data)
{
  const char *const toolsets[] = { "guarded", "words", NULL };
  PostbagConfigOptions options = { .toolset = "guarded,words" };

  config_fixture_accept (fixture, NULL);
  g_assert_true (g_strv_equal (postbag_config_get_toolsets (fixture->config),
                               (const char *const[]){ "guarded", NULL }));
  config_fixture_write (fixture, "[postbag]\ntoolset=one\n[toolset guarded]\nmax-messages=5\n"
                                 "max-download-bytes=5\n");
  config_fixture_accept (fixture, NULL);
  g_assert_cmpstr (postbag_config_get_toolsets (fixture->config)[0], ==, "one");
  config_fixture_accept (fixture, "POSTBAG_TOOLSET=two, guarded\nIMAP_MAX_MESSAGES=6");
  g_assert_cmpstr (postbag_config_get_toolsets (fixture->config)[0], ==, "two");
  g_assert_cmpstr (postbag_config_get_toolsets (fixture->config)[1], ==, "guarded");
  g_assert_cmpstr (config_fixture_get (fixture, "max-messages"), ==, "6");
  g_assert_cmpstr (config_fixture_get (fixture, "max-download-bytes"), ==, "5");
  config_fixture_load (fixture, "POSTBAG_TOOLSET=two", &options);
  g_assert_true (g_strv_equal (postbag_config_get_toolsets (fixture->config), toolsets));
}

static void
test_which_file (ConfigFixture *fixture, gconstpointer data)
{
  PostbagConfigOptions options = { 0 };
  g_autofree char *variable = g_strconcat ("POSTBAG_CONFIG=", fixture->path, NULL);
  g_autoptr (PostbagConfig) config = NULL;
  char *environment[] = { variable, NULL };

  config_fixture_write (fixture, "[toolset guarded]\nmax-messages=5\n");
  config = postbag_config_load (&options, environment, NULL, NULL);
  g_assert_cmpint (
      postbag_settings_get_int (postbag_config_get_settings (config, "guarded"), "max-messages"),
      ==, 5);
  config_fixture_accept (fixture, "POSTBAG_CONFIG=/nonexistent"); /* --config wins */
  g_assert_cmpstr (
      postbag_settings_get_string (postbag_config_get_core_settings (fixture->config), "config"),
      ==, fixture->path);
}

/* A client hands both over as they were written, without a shell in between. */
static void
test_file_at_home (ConfigFixture *fixture, gconstpointer data)
{
  PostbagConfigOptions options = { .config_file = "~/no-such.conf" };
  g_autofree char *missing = g_build_filename (g_get_home_dir (), "no-such.conf", NULL);

  config_fixture_refuse (fixture, "POSTBAG_CONFIG=~/no-such.conf", missing);
  config_fixture_load (fixture, NULL, &options);
  g_assert_nonnull (strstr (fixture->error->message, missing));
}

static void
test_core_settings (ConfigFixture *fixture, gconstpointer data)
{
  static const char *const names[] = {
    "toolset",          "maildir",        "state-dir",     "ca-file",     "allow-cleartext",
    "validate-results", "require-person", "debug",         "plugin-path", "config",
    "poll-seconds",     "address",        "trash-mailbox",
  };
  PostbagConfigOptions options = { .require_person = TRUE };
  PostbagSettings *settings;

  config_fixture_load (fixture,
                       "POSTBAG_STATE_DIR=/x/../y\nPOSTBAG_DEBUG=imap\n"
                       "POSTBAG_CA_FILE=/etc/passwd\nPOSTBAG_VALIDATE_RESULTS=TRUE",
                       &options);
  settings = postbag_config_get_core_settings (fixture->config);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_true (postbag_settings_is_known (settings, names[i]));
  g_assert_cmpstr (postbag_settings_get_string (settings, "state-dir"), ==, "/y");
  g_assert_cmpstr (postbag_settings_get_string (settings, "ca-file"), ==, "/etc/passwd");
  g_assert_cmpstr (postbag_settings_get_string (settings, "debug"), ==, "imap");
  g_assert_true (postbag_settings_get_boolean (settings, "validate-results"));
  g_assert_true (postbag_settings_get_boolean (settings, "require-person"));
  config_fixture_accept (fixture, NULL);
  settings = postbag_config_get_core_settings (fixture->config);
  g_assert_null (postbag_settings_get_string (settings, "state-dir"));
  g_assert_false (postbag_settings_get_boolean (settings, "require-person"));
}

static void
test_unknown_toolset (ConfigFixture *fixture, gconstpointer data)
{
  PostbagSettings *settings;

  config_fixture_accept (fixture, "POSTBAG_TOOLSET=words");
  settings = postbag_config_get_settings (fixture->config, "words");
  g_assert_nonnull (settings);
  g_assert_false (postbag_settings_is_known (settings, "max-messages"));
}

static void
test_elicitation_is_told (ConfigFixture *fixture, gconstpointer data)
{
  config_fixture_accept (fixture, "ELICITATION=false\nPOSTBAG_MAILDIR=/tmp");
  g_assert_cmpuint (fixture->warnings->len, ==, 1);
  g_assert_true (config_fixture_has_warning (fixture, "ELICITATION"));
}

/* The table itself: every row can be told to a person, no key or variable is there twice. */
static void
test_table (void)
{
  guint size = postbag_config_table_get_size ();

  for (guint i = 0; i < size; i++)
    {
      const PostbagConfigRow *row = postbag_config_table_get_row (i);
      guint found;

      g_assert_cmpuint (strlen (row->description), >, 10);
      g_assert_true (postbag_config_table_find (row->scope, row->key, &found));
      g_assert_cmpuint (found, ==, i);
      g_assert_cmpint (row->type == POSTBAG_CONFIG_WORD, ==, row->words != NULL);
      g_assert_cmpint (row->type == POSTBAG_CONFIG_INTEGER, ==, row->maximum > 0);
      for (guint j = 0; j < i && row->variable != NULL; j++)
        g_assert_cmpstr (postbag_config_table_get_row (j)->variable, !=, row->variable);
    }
}

#define ADD(path, function)                                                                        \
  g_test_add (path, ConfigFixture, NULL, config_fixture_set_up, function, config_fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/config/precedence", test_precedence);
  ADD ("/config/which-file", test_which_file);
  ADD ("/config/file-at-home", test_file_at_home);
  ADD ("/config/core-settings", test_core_settings);
  ADD ("/config/unknown-toolset", test_unknown_toolset);
  ADD ("/config/elicitation-is-told", test_elicitation_is_told);
  g_test_add_func ("/config/table", test_table);
  return g_test_run ();
}
