/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config-fixture.h"

#include "json/postbag-json.h"

#include <string.h>

#define VARIABLES "IMAP_HOST=mail.example.org\nIMAP_USER=me\nIMAP_PASSWORD=hunter2\nIMAP_PORT=1143"

static void
assert_line (const char *text, const char *line)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  if (!g_strv_contains ((const char *const *)lines, line))
    g_error ("no line “%s” in:\n%s", line, text);
}

static void
test_text (ConfigFixture *fixture, gconstpointer data)
{
  PostbagConfigOptions options = { .allow_write = TRUE };
  g_autofree char *text = NULL;
  g_autofree char *in_file = NULL;

  config_fixture_write (fixture, "[toolset guarded]\nmax-messages=5\n");
  config_fixture_load (fixture, VARIABLES, &options);
  text = postbag_config_show (fixture->config, FALSE);
  in_file = g_strdup_printf ("max-messages = 5   # %s", fixture->path);
  assert_line (text, "[postbag]");
  assert_line (text, "toolset = guarded   # default");
  assert_line (text, "# ca-file is not set");
  assert_line (text, "[account default]");
  assert_line (text, "host = mail.example.org   # IMAP_HOST");
  assert_line (text, "port = 1143   # IMAP_PORT");
  assert_line (text, "password = (set)   # IMAP_PASSWORD");
  assert_line (text, "backend = imap   # default");
  assert_line (text, "[toolset guarded]");
  assert_line (text, "read-only = false   # --allow-write");
  assert_line (text, in_file);
  g_assert_null (strstr (text, "hunter2"));
}

static JsonObject *
get_member (JsonObject *object, const char *name)
{
  JsonObject *member = NULL;

  if (!postbag_json_get_object (object, name, &member))
    g_error ("no member “%s”", name);
  return member;
}

static void
test_json (ConfigFixture *fixture, gconstpointer data)
{
  g_autofree char *text = NULL;
  g_autoptr (PostbagJsonDocument) document = NULL;
  g_autoptr (GError) error = NULL;
  JsonObject *groups;
  JsonObject *value;

  config_fixture_accept (fixture, VARIABLES "\nIMAP_SEEN_KEYWORD=");
  text = postbag_config_show (fixture->config, TRUE);
  document = postbag_json_parse (text, strlen (text), 1000000, POSTBAG_JSON_DEFAULT, &error);
  g_assert_no_error (error);
  groups = get_member (json_node_get_object (postbag_json_document_get_root (document)), "groups");
  value = get_member (get_member (groups, "account default"), "password");
  g_assert_cmpstr (json_object_get_string_member (value, "value"), ==, "(set)");
  g_assert_cmpstr (json_object_get_string_member (value, "source"), ==, "IMAP_PASSWORD");
  value = get_member (get_member (groups, "account default"), "user");
  g_assert_cmpstr (json_object_get_string_member (value, "value"), ==, "me");
  value = get_member (get_member (groups, "toolset guarded"), "seen-keyword");
  g_assert_true (json_object_get_null_member (value, "value"));
  g_assert_cmpstr (json_object_get_string_member (value, "source"), ==, "IMAP_SEEN_KEYWORD");
  g_assert_null (strstr (text, "hunter2"));
}

/* What was not read is not shown. */
static void
test_not_loaded (ConfigFixture *fixture, gconstpointer data)
{
  g_autofree char *text = NULL;

  config_fixture_accept (fixture, VARIABLES "\nPOSTBAG_TOOLSET=words");
  text = postbag_config_show (fixture->config, FALSE);
  g_assert_null (strstr (text, "mail.example.org"));
  g_assert_null (strstr (text, "[toolset guarded]"));
}

#define ADD(path, function)                                                                        \
  g_test_add (path, ConfigFixture, NULL, config_fixture_set_up, function, config_fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/config/show/text", test_text);
  ADD ("/config/show/json", test_json);
  ADD ("/config/show/not-loaded", test_not_loaded);
  return g_test_run ();
}
