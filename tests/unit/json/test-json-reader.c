/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/postbag-json.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

#define MAX_BYTES (4 * 1024 * 1024)

static PostbagJsonDocument *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  PostbagJsonDocument *document =
      postbag_json_parse (text, strlen (text), MAX_BYTES, POSTBAG_JSON_DEFAULT, &error);

  g_assert_no_error (error);
  g_assert_nonnull (document);
  return document;
}

static void
assert_refused (const char *text, gsize length, int code, const char *words)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (postbag_json_parse (text, length, MAX_BYTES, POSTBAG_JSON_DEFAULT, &error));
  g_assert_error (error, POSTBAG_ERROR, code);
  if (strstr (error->message, words) == NULL)
    g_error ("“%s” is not in “%s”", words, error->message);
}

/* --- the public suite: y_ is accepted, n_ refused, i_ either --- */

static void
run_suite_file (const char *folder, const char *name, guint *counts)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagJsonDocument) document = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  document = postbag_json_parse (text, length, MAX_BYTES, POSTBAG_JSON_ALLOW_DUPLICATES, &error);
  g_assert_true ((document == NULL) == (error != NULL));
  if (name[0] == 'y' && document == NULL)
    g_error ("%s must be accepted: %s", name, error->message);
  if (name[0] == 'n' && document != NULL)
    g_error ("%s must be refused", name);
  counts[(guchar)name[0]]++;
}

static void
test_suite (void)
{
  const char *suites = g_getenv ("POSTBAG_SUITES");
  g_autofree char *folder = NULL;
  g_autoptr (GDir) dir = NULL;
  guint counts[256] = { 0 };
  const char *name;

  if (suites == NULL)
    {
      g_test_skip ("POSTBAG_SUITES is not set");
      return;
    }
  folder = g_build_filename (suites, "json-parsing", "test_parsing", NULL);
  dir = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    run_suite_file (folder, name, counts);
  g_assert_cmpuint (counts['y'], ==, 95);
  g_assert_cmpuint (counts['n'], ==, 188);
  g_assert_cmpuint (counts['i'], ==, 35);
}

/* --- values --- */

static void
test_values (void)
{
  g_autoptr (PostbagJsonDocument) document =
      parse (" {\"a\":[1,-2,3.5,1e3,true,false,null,{}],\"b\":\"\\u00e9\\n\\ud83d\\ude00\\/\"} ");
  JsonObject *root = json_node_get_object (postbag_json_document_get_root (document));
  JsonArray *array = json_object_get_array_member (root, "a");

  g_assert_cmpuint (json_object_get_size (root), ==, 2);
  g_assert_cmpuint (json_array_get_length (array), ==, 8);
  g_assert_cmpint (json_array_get_int_element (array, 0), ==, 1);
  g_assert_cmpint (json_array_get_int_element (array, 1), ==, -2);
  g_assert_cmpfloat (json_array_get_double_element (array, 2), ==, 3.5);
  g_assert_cmpfloat (json_array_get_double_element (array, 3), ==, 1000.0);
  g_assert_true (json_array_get_boolean_element (array, 4));
  g_assert_false (json_array_get_boolean_element (array, 5));
  g_assert_true (json_array_get_null_element (array, 6));
  g_assert_cmpuint (json_object_get_size (json_array_get_object_element (array, 7)), ==, 0);
  g_assert_cmpstr (json_object_get_string_member (root, "b"), ==, "é\n\360\237\230\200/");
  g_assert_false (
      postbag_json_document_has_flagged (document, postbag_json_document_get_root (document)));
}

static void
test_errors (void)
{
  static const struct
  {
    const char *text;
    const char *words;
  } cases[] = {
    { "", "at byte 0 expected a value, found the end" },
    { "  ", "at byte 2 expected a value, found the end" },
    { "{\"a\":1,}", "at byte 7 expected a member name in quotes, found “}”" },
    { "[1 2]", "at byte 3 expected “,” or “]”, found “2”" },
    { "[1,]", "at byte 3 expected a value, found “]”" },
    { "{\"a\" 1}", "at byte 5 expected “:”, found “1”" },
    { "{'a':1}", "found “'”" },
    { "1 2", "at byte 2 expected nothing after the end of the document, found “2”" },
    { "\357\273\2771", "at byte 0 expected no byte order mark, found U+FEFF" },
    { "\"\xff\"", "at byte 1 expected well-formed UTF-8, found the byte 0xFF" },
    { "\"\xed\xa0\x80\"", "at byte 1 expected well-formed UTF-8" },
    { "\"a\tb\"", "at byte 2 expected an escape for this control character, found U+0009" },
    { "\"\\x\"", "found “x”" },
    { "\"\\u12g4\"", "at byte 2 expected four hexadecimal digits" },
    { "01", "at byte 1 expected nothing after the end" },
    { "-", "at byte 1 expected a digit" },
    { "1.", "expected a digit after the decimal point" },
    { "1e", "expected a digit in the exponent" },
    { "[", "at byte 1 expected the rest of the document, found the end" },
    { "\"a", "found the end" },
    { "nul", "at byte 0 expected a value" },
    { "NaN", "at byte 0 expected a value" },
    { "/*x*/1", "at byte 0 expected a value" },
    { "{\"a\":1,\"\\u0061\":2}", "the same member name twice in one object, at byte 7" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_refused (cases[i].text, strlen (cases[i].text), POSTBAG_ERROR_BAD_DATA, cases[i].words);
  assert_refused (NULL, 0, POSTBAG_ERROR_BAD_DATA, "at byte 0 expected a value");
  assert_refused ("1\0", 2, POSTBAG_ERROR_BAD_DATA, "at byte 1");
  assert_refused ("[\"\0\"]", 5, POSTBAG_ERROR_BAD_DATA, "at byte 2");
}

/* Every prefix of a document is refused, none reads past its end (the copy has no spare byte). */
static void
test_prefixes (void)
{
  static const char text[] = "{\"a\\u00e9\\ud83d\\ude00\":[-1.5e+3,true,null,\"x\\n\"]}";

  for (gsize length = 0; length < sizeof text - 1; length++)
    {
      g_autofree char *copy = length > 0 ? g_memdup2 (text, length) : g_strdup ("");

      assert_refused (copy, length, POSTBAG_ERROR_BAD_DATA, "expected");
    }
}

/* --- bounds --- */

static char *
repeat (const char *first, const char *more, guint count, const char *last)
{
  GString *text = g_string_new (first);

  for (guint i = 0; i < count; i++)
    g_string_append (text, more);
  g_string_append (text, last);
  return g_string_free (text, FALSE);
}

static void
test_depth (void)
{
  g_autofree char *open = repeat ("", "[", POSTBAG_LIMIT_JSON_DEPTH, "");
  g_autofree char *deepest = repeat (open, "]", POSTBAG_LIMIT_JSON_DEPTH, "");
  g_autofree char *deeper = repeat ("[", deepest, 1, "]");
  g_autofree char *brackets = repeat ("", "[{\"\":", 100000, "");
  g_autoptr (PostbagJsonDocument) document = parse (deepest);

  g_assert_nonnull (document);
  assert_refused (deeper, strlen (deeper), POSTBAG_ERROR_TOO_LARGE, "deeper nesting than 128");
  assert_refused (brackets, strlen (brackets), POSTBAG_ERROR_TOO_LARGE, "deeper nesting");
}

static void
test_counts (void)
{
  g_autofree char *most = repeat ("[0", ",0", POSTBAG_LIMIT_JSON_VALUES - 2, "]");
  g_autofree char *more = repeat ("[0", ",0", POSTBAG_LIMIT_JSON_VALUES - 1, "]");
  g_autoptr (PostbagJsonDocument) document = parse (most);
  g_autoptr (GString) members = g_string_new ("{");
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (document);
  assert_refused (more, strlen (more), POSTBAG_ERROR_TOO_LARGE, "more values than 200000");
  for (guint i = 0; i <= POSTBAG_LIMIT_JSON_MEMBERS; i++)
    g_string_append_printf (members, "%s\"%u\":0", i > 0 ? "," : "", i);
  g_string_append_c (members, '}');
  assert_refused (members->str, members->len, POSTBAG_ERROR_TOO_LARGE, "members than 500");
  g_assert_null (postbag_json_parse ("[10]", 4, 3, POSTBAG_JSON_DEFAULT, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE);
}

/* --- what json-glib cannot hold --- */

static void
test_raw_numbers (void)
{
  static const char *const numbers[] = {
    "0",      "-0",   "1.0", "9007199254740993", "9223372036854775807", "-9223372036854775808",
    "1e-400", "0.10", "1E5", "12345678901.50"
  };
  g_autoptr (GString) text = g_string_new ("[");
  g_autoptr (PostbagJsonDocument) document = NULL;
  JsonArray *array;

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " , " : "", numbers[i]);
  document = parse (g_string_append (text, "]")->str);
  array = json_node_get_array (postbag_json_document_get_root (document));
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      g_assert_cmpstr (postbag_json_document_get_raw (document, node), ==, numbers[i]);
      g_assert_false (postbag_json_document_is_flagged (document, node));
    }
  g_assert_cmpint (json_array_get_int_element (array, 4), ==, G_MAXINT64);
  g_assert_cmpint (json_array_get_int_element (array, 5), ==, G_MININT64);
}

static void
test_flagged_values (void)
{
  static const char *const values[] = {
    "9223372036854775808", "-9223372036854775809", "1e400",        "123456789012345678901234567890",
    "\"a\\u0000b\"",       "\"\\ud800\"",          "\"\\udc00x\"", "\"\\ud800\\ud800\\udc00\"",
    "\"\\ud800\\u0041\"",  "\"\\uD834\\\\uDD1E\""
  };

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autofree char *text = g_strdup_printf ("{\"x\":[\"ok\",%s]}", values[i]);
      g_autoptr (PostbagJsonDocument) document = parse (text);
      JsonNode *root = postbag_json_document_get_root (document);
      JsonArray *array = json_object_get_array_member (json_node_get_object (root), "x");
      JsonNode *node = json_array_get_element (array, 1);
      JsonNode *neighbour = json_array_get_element (array, 0);

      g_assert_true (postbag_json_document_is_flagged (document, node));
      g_assert_true (postbag_json_document_has_flagged (document, root));
      g_assert_false (postbag_json_document_is_flagged (document, root));
      g_assert_false (postbag_json_document_has_flagged (document, neighbour));
      g_assert_cmpstr (postbag_json_document_get_raw (document, node), ==, values[i]);
      g_assert_null (postbag_json_document_get_raw (document, neighbour));
      g_assert_null (postbag_json_document_get_raw (document, root));
    }
}

/* The replacement stands where the value cannot; nothing is cut or wrapped. */
static void
test_flagged_content (void)
{
  g_autoptr (PostbagJsonDocument) document =
      parse ("{\"s\":\"a\\u0000b\\ud800\",\"i\":18446744073709551616}");
  JsonObject *root = json_node_get_object (postbag_json_document_get_root (document));
  gint64 value = 7;

  g_assert_cmpstr (json_object_get_string_member (root, "s"), ==, "a\357\277\275b\357\277\275");
  g_assert_false (postbag_json_get_int (root, "i", &value));
  g_assert_cmpint (value, ==, 7);
}

static void
test_flagged_name (void)
{
  g_autoptr (PostbagJsonDocument) document = parse ("[{\"a\":{\"x\\u0000\":1,\"x\":2}},{}]");
  JsonNode *root = postbag_json_document_get_root (document);
  JsonArray *array = json_node_get_array (root);
  JsonNode *inner =
      json_object_get_member (json_node_get_object (json_array_get_element (array, 0)), "a");

  g_assert_true (postbag_json_document_has_flagged (document, root));
  g_assert_true (postbag_json_document_is_flagged (document, inner));
  g_assert_false (postbag_json_document_has_flagged (document, json_array_get_element (array, 1)));
  g_assert_cmpuint (json_object_get_size (json_node_get_object (inner)), ==, 2);
}

static void
test_duplicates (void)
{
  static const char text[] =
      "{\"a\":{\"n\":[1,2,\"\\u0000\"]},\"b\":1,\"a\":\"x\",\"b\":22,\"b\":[3]}";
  g_autoptr (PostbagJsonDocument) document =
      postbag_json_parse (text, strlen (text), MAX_BYTES, POSTBAG_JSON_ALLOW_DUPLICATES, NULL);
  JsonNode *root = postbag_json_document_get_root (document);
  JsonObject *object = json_node_get_object (root);

  g_assert_cmpuint (json_object_get_size (object), ==, 2);
  g_assert_cmpstr (json_object_get_string_member (object, "a"), ==, "x");
  g_assert_cmpint (json_array_get_int_element (json_object_get_array_member (object, "b"), 0), ==,
                   3);
  g_assert_null (postbag_json_document_get_raw (document, json_object_get_member (object, "a")));
  g_assert_null (postbag_json_document_get_raw (document, json_object_get_member (object, "b")));
  g_assert_false (postbag_json_document_has_flagged (document, root));
}

/* The tree outlives its document, the document its creator's reference. */
static void
test_lifetime (void)
{
  PostbagJsonDocument *document = parse ("[[1],{\"a\":2}]");
  JsonNode *root = json_node_ref (postbag_json_document_get_root (document));

  g_assert_true (postbag_json_document_ref (document) == document);
  postbag_json_document_unref (document);
  g_assert_nonnull (postbag_json_document_get_root (document));
  postbag_json_document_unref (document);
  g_assert_cmpuint (json_array_get_length (json_node_get_array (root)), ==, 2);
  json_node_unref (root);
}

static void
test_speed (void)
{
  g_autofree char *text =
      repeat ("[0", ",{\"subject\":\"Minutes of the meeting\",\"uid\":123456,\"size\":12.5}",
              1024 * 1024 / 60, "]");
  gint64 start = g_get_monotonic_time ();
  g_autoptr (PostbagJsonDocument) document = parse (text);

  g_test_message ("%" G_GSIZE_FORMAT " bytes read in %" G_GINT64_FORMAT " µs", strlen (text),
                  g_get_monotonic_time () - start);
  g_assert_nonnull (document);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-reader/suite", test_suite);
  g_test_add_func ("/json-reader/values", test_values);
  g_test_add_func ("/json-reader/errors", test_errors);
  g_test_add_func ("/json-reader/prefixes", test_prefixes);
  g_test_add_func ("/json-reader/depth", test_depth);
  g_test_add_func ("/json-reader/counts", test_counts);
  g_test_add_func ("/json-reader/raw-numbers", test_raw_numbers);
  g_test_add_func ("/json-reader/flagged-values", test_flagged_values);
  g_test_add_func ("/json-reader/flagged-content", test_flagged_content);
  g_test_add_func ("/json-reader/flagged-name", test_flagged_name);
  g_test_add_func ("/json-reader/duplicates", test_duplicates);
  g_test_add_func ("/json-reader/lifetime", test_lifetime);
  g_test_add_func ("/json-reader/speed", test_speed);
  return g_test_run ();
}
