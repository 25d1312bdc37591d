/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/postbag-json.h"

#include <string.h>

#define TEXT                                                                                       \
  "{\"string\":\"x\",\"integer\":5,\"whole\":5.0,\"fraction\":5.5,\"huge\":1e300,"                 \
  "\"edge\":9223372036854775808.0,\"low\":-9223372036854775808.0,"                                 \
  "\"boolean\":true,\"null\":null,\"array\":[],\"object\":{}}"

static PostbagJsonDocument *
parse (void)
{
  return postbag_json_parse (TEXT, strlen (TEXT), 4096, POSTBAG_JSON_DEFAULT, NULL);
}

static void
test_int (void)
{
  g_autoptr (PostbagJsonDocument) document = parse ();
  JsonObject *root = json_node_get_object (postbag_json_document_get_root (document));
  gint64 value = 0;

  g_assert_true (postbag_json_get_int (root, "integer", &value));
  g_assert_cmpint (value, ==, 5);
  value = 0;
  g_assert_true (postbag_json_get_int (root, "whole", &value));
  g_assert_cmpint (value, ==, 5);
  g_assert_true (postbag_json_get_int (root, "low", &value));
  g_assert_cmpint (value, ==, G_MININT64);
  g_assert_false (postbag_json_get_int (root, "fraction", &value));
  g_assert_false (postbag_json_get_int (root, "huge", &value));
  g_assert_false (postbag_json_get_int (root, "edge", &value));
  g_assert_false (postbag_json_get_int (root, "boolean", &value));
  g_assert_false (postbag_json_get_int (root, "string", &value));
  g_assert_false (postbag_json_get_int (root, "object", &value));
  g_assert_false (postbag_json_get_int (root, "null", &value));
  g_assert_false (postbag_json_get_int (root, "missing", &value));
  g_assert_cmpint (value, ==, G_MININT64);
}

static void
test_others (void)
{
  g_autoptr (PostbagJsonDocument) document = parse ();
  JsonObject *root = json_node_get_object (postbag_json_document_get_root (document));
  const char *string = NULL;
  double number = 0;
  gboolean boolean = FALSE;
  JsonObject *object = NULL;
  JsonArray *array = NULL;

  g_assert_true (postbag_json_get_string (root, "string", &string));
  g_assert_cmpstr (string, ==, "x");
  g_assert_false (postbag_json_get_string (root, "integer", &string));
  g_assert_true (postbag_json_get_double (root, "integer", &number));
  g_assert_cmpfloat (number, ==, 5.0);
  g_assert_true (postbag_json_get_double (root, "fraction", &number));
  g_assert_cmpfloat (number, ==, 5.5);
  g_assert_false (postbag_json_get_double (root, "boolean", &number));
  g_assert_true (postbag_json_get_boolean (root, "boolean", &boolean));
  g_assert_true (boolean);
  g_assert_false (postbag_json_get_boolean (root, "integer", &boolean));
  g_assert_true (postbag_json_get_object (root, "object", &object));
  g_assert_nonnull (object);
  g_assert_false (postbag_json_get_object (root, "array", &object));
  g_assert_true (postbag_json_get_array (root, "array", &array));
  g_assert_nonnull (array);
  g_assert_false (postbag_json_get_array (root, "object", &array));
  g_assert_false (postbag_json_get_array (root, "missing", &array));
}

static void
test_type_names (void)
{
  static const char *const names[][2] = { { "string", "string" },   { "integer", "integer" },
                                          { "whole", "integer" },   { "fraction", "number" },
                                          { "boolean", "boolean" }, { "null", "null" },
                                          { "array", "array" },     { "object", "object" } };
  g_autoptr (PostbagJsonDocument) document = parse ();
  JsonObject *root = json_node_get_object (postbag_json_document_get_root (document));

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_cmpstr (postbag_json_type_name (json_object_get_member (root, names[i][0])), ==,
                     names[i][1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json/int", test_int);
  g_test_add_func ("/json/others", test_others);
  g_test_add_func ("/json/type-names", test_type_names);
  return g_test_run ();
}
