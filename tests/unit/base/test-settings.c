/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-settings.h"

static void
test_values (void)
{
  g_autoptr (PostbagSettings) settings = postbag_settings_new ();
  const char *const *list;

  postbag_settings_set (settings, "max-messages", "100");
  postbag_settings_set (settings, "types", " a/b, ,c/d ,");
  postbag_settings_set (settings, "directory", NULL);
  postbag_settings_set (settings, "on", "true");

  g_assert_cmpint (postbag_settings_get_int (settings, "max-messages"), ==, 100);
  g_assert_null (postbag_settings_get_string (settings, "directory"));
  g_assert_true (postbag_settings_is_known (settings, "directory"));
  g_assert_false (postbag_settings_is_known (settings, "nothing"));
  g_assert_true (postbag_settings_get_boolean (settings, "on"));
  g_assert_false (postbag_settings_get_boolean (settings, "directory"));
  list = postbag_settings_get_list (settings, "types");
  g_assert_cmpstr (list[0], ==, "a/b");
  g_assert_cmpstr (list[1], ==, "c/d");
  g_assert_null (list[2]);
  g_assert_null (postbag_settings_get_list (settings, "directory")[0]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/settings/values", test_values);
  return g_test_run ();
}
