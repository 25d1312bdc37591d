/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/postbag-args.h"

#include <string.h>

#include "json/postbag-json.h"

static PostbagArgs *
parse (const char *text)
{
  g_autoptr (PostbagJsonDocument) document =
      postbag_json_parse (text, strlen (text), 4096, POSTBAG_JSON_DEFAULT, NULL);

  return postbag_args_new (json_node_get_object (postbag_json_document_get_root (document)));
}

static void
test_getters (void)
{
  g_autoptr (PostbagArgs) args = parse ("{\"mailbox\":\"INBOX\",\"limit\":50.0,\"unread\":true,"
                                        "\"from\":null,\"names\":[\"a\",\"b\"],\"uids\":[1,2.0]}");
  g_autofree const char **names = postbag_args_dup_strings (args, "names");
  g_autoptr (GArray) uids = postbag_args_dup_ints (args, "uids");

  g_assert_cmpstr (postbag_args_get_string (args, "mailbox"), ==, "INBOX");
  g_assert_cmpint (postbag_args_get_int (args, "limit", 7), ==, 50);
  g_assert_true (postbag_args_get_boolean (args, "unread", FALSE));
  g_assert_cmpuint (g_strv_length ((char **)names), ==, 2);
  g_assert_cmpstr (names[1], ==, "b");
  g_assert_cmpuint (uids->len, ==, 2);
  g_assert_cmpint (g_array_index (uids, gint64, 1), ==, 2);
  g_assert_cmpuint (json_object_get_size (postbag_args_get_object (args)), ==, 6);
}

static void
test_absent (void)
{
  g_autoptr (PostbagArgs) args = parse ("{\"from\":null}");
  static const char *const absent[] = { "from", "nothing" };

  for (guint i = 0; i < G_N_ELEMENTS (absent); i++)
    {
      g_assert_false (postbag_args_has (args, absent[i]));
      g_assert_null (postbag_args_get_string (args, absent[i]));
      g_assert_cmpint (postbag_args_get_int (args, absent[i], -3), ==, -3);
      g_assert_true (postbag_args_get_boolean (args, absent[i], TRUE));
      g_assert_null (postbag_args_dup_strings (args, absent[i]));
      g_assert_null (postbag_args_dup_ints (args, absent[i]));
    }
}

static void
test_wrong_type (void)
{
  g_autoptr (PostbagArgs) args = parse ("{\"limit\":\"5\",\"uids\":[\"1\"]}");

  g_test_expect_message (NULL, G_LOG_LEVEL_CRITICAL, "*“limit” is string, not an integer*");
  g_assert_cmpint (postbag_args_get_int (args, "limit", 9), ==, 9);
  g_test_expect_message (NULL, G_LOG_LEVEL_CRITICAL, "*“uids” is array, not an array of integers*");
  g_assert_null (postbag_args_dup_ints (args, "uids"));
  g_test_assert_expected_messages ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/args/getters", test_getters);
  g_test_add_func ("/args/absent", test_absent);
  g_test_add_func ("/args/wrong-type", test_wrong_type);
  return g_test_run ();
}
