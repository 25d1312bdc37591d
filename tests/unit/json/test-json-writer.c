/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/postbag-json-writer.h"

#include <math.h>
#include <string.h>

#include "json/postbag-json.h"

static void
assert_written (PostbagJsonWriter *writer, const char *expected)
{
  g_autoptr (GBytes) bytes = NULL;
  gsize chars = postbag_json_writer_get_chars (writer);
  gsize length;
  const char *text;

  g_assert_cmpstr (postbag_json_writer_peek (writer), ==, expected);
  bytes = postbag_json_writer_finish (writer);
  text = g_bytes_get_data (bytes, &length);
  g_assert_cmpmem (text, (gint)length, expected, (gint)strlen (expected));
  g_assert_cmpuint (chars, ==, g_utf8_strlen (expected, -1));
  g_assert_cmpuint (postbag_json_writer_get_length (writer), ==, 0);
  g_assert_cmpuint (postbag_json_writer_get_chars (writer), ==, 0);
}

/* Expected values: shortest decimal that reads back as the same double, as Python's repr() has
 * them up to the spelling of the exponent. */
static void
test_doubles (void)
{
  static const struct
  {
    double value;
    const char *text;
  } cases[] = {
    { 0.1, "0.1" },
    { 1e22, "1e+22" },
    { 5.0, "5.0" },
    { 0.0, "0.0" },
    { -0.0, "-0.0" },
    { 1.0 / 3.0, "0.3333333333333333" },
    { 0.1 + 0.2, "0.30000000000000004" },
    { 5e-324, "4.94065645841247e-324" },
    { 1.7976931348623157e308, "1.7976931348623157e+308" },
    { 123456789.125, "123456789.125" },
    { 9007199254740993.0, "9007199254740992.0" },
    { NAN, "null" },
    { INFINITY, "null" },
    { -INFINITY, "null" },
  };
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      postbag_json_writer_double (writer, cases[i].value);
      assert_written (writer, cases[i].text);
    }
}

static void
test_ints (void)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();

  postbag_json_writer_begin_array (writer);
  postbag_json_writer_int (writer, G_MAXINT64);
  postbag_json_writer_int (writer, G_MININT64);
  postbag_json_writer_int (writer, 0);
  postbag_json_writer_end_array (writer);
  assert_written (writer, "[9223372036854775807,-9223372036854775808,0]");
}

static void
test_strings (void)
{
  static const char *const cases[][2] = {
    { "", "\"\"" },
    { "a\"b\\c/d", "\"a\\\"b\\\\c/d\"" },
    { "\b\f\n\r\t\001\037\177", "\"\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f\"" },
    { "\302\205\302\237\302\240", "\"\\u0085\\u009f\302\240\"" },
    { "a\342\200\250b\342\200\251c\342\200\252", "\"a\\u2028b\\u2029c\342\200\252\"" },
    { "é€\360\237\230\200", "\"é€\360\237\230\200\"" },
    { "a\xff"
      "b\xed\xa0\x80",
      "\"a\357\277\275b\357\277\275\357\277\275\357\277\275\"" },
    { "x\342\200", "\"x\357\277\275\"" },
  };
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      postbag_json_writer_string (writer, cases[i][0]);
      assert_written (writer, cases[i][1]);
    }
  postbag_json_writer_string (writer, NULL);
  assert_written (writer, "null");
  postbag_json_writer_string_length (writer, "a\0b", 3);
  assert_written (writer, "\"a\357\277\275b\"");
  postbag_json_writer_string_length (writer, "abc", 2);
  assert_written (writer, "\"ab\"");
}

static void
test_structure (void)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();

  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "a\"");
  postbag_json_writer_begin_array (writer);
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_end_object (writer);
  postbag_json_writer_begin_array (writer);
  postbag_json_writer_end_array (writer);
  postbag_json_writer_boolean (writer, TRUE);
  postbag_json_writer_boolean (writer, FALSE);
  postbag_json_writer_null (writer);
  postbag_json_writer_end_array (writer);
  postbag_json_writer_key (writer, "é");
  postbag_json_writer_raw (writer, "{\"é\":1.0}", strlen ("{\"é\":1.0}"));
  postbag_json_writer_key (writer, "z");
  postbag_json_writer_int (writer, 1);
  postbag_json_writer_end_object (writer);
  assert_written (writer, "{\"a\\\"\":[{},[],true,false,null],\"é\":{\"é\":1.0},\"z\":1}");
}

/* RFC 4648, section 10. */
static void
test_base64 (void)
{
  static const char *const cases[][2] = { { "", "\"\"" },
                                          { "f", "\"Zg==\"" },
                                          { "fo", "\"Zm8=\"" },
                                          { "foo", "\"Zm9v\"" },
                                          { "foob", "\"Zm9vYg==\"" },
                                          { "fooba", "\"Zm9vYmE=\"" },
                                          { "foobar", "\"Zm9vYmFy\"" } };
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      postbag_json_writer_base64 (writer, (const guint8 *)cases[i][0], strlen (cases[i][0]));
      assert_written (writer, cases[i][1]);
    }
}

static void
test_rollback (void)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();
  PostbagJsonMark empty, filled;

  postbag_json_writer_begin_array (writer);
  empty = postbag_json_writer_mark (writer);
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "é");
  postbag_json_writer_begin_array (writer);
  postbag_json_writer_rollback (writer, &empty);
  g_assert_cmpstr (postbag_json_writer_peek (writer), ==, "[");
  postbag_json_writer_int (writer, 1);
  filled = postbag_json_writer_mark (writer);
  postbag_json_writer_string (writer, "dropped é");
  postbag_json_writer_rollback (writer, &filled);
  postbag_json_writer_int (writer, 2);
  postbag_json_writer_end_array (writer);
  assert_written (writer, "[1,2]");
}

/* --- random trees come back equal --- */

static char *
make_string (void)
{
  static const gunichar pool[] = { 'a',    'Z',    '"',    '\\',   '/',     '\n',
                                   1,      0x1f,   0x7f,   0x85,   0xe9,    0x2028,
                                   0x2029, 0x20ac, 0xfffd, 0xfeff, 0x1f600, 0x10ffff };
  GString *text = g_string_new (NULL);

  for (gint i = g_test_rand_int_range (0, 12); i > 0; i--)
    g_string_append_unichar (text, pool[g_test_rand_int_range (0, G_N_ELEMENTS (pool))]);
  return g_string_free (text, FALSE);
}

static double
make_double (void)
{
  guint64 bits = (guint64)(guint32)g_test_rand_int () << 32 | (guint32)g_test_rand_int ();
  double value;

  memcpy (&value, &bits, sizeof value);
  return isfinite (value) ? value : 0.5;
}

static JsonNode *
make_scalar (void)
{
  JsonNode *node = json_node_alloc ();
  g_autofree char *string = make_string ();

  switch (g_test_rand_int_range (0, 5))
    {
    case 0:
      return json_node_init_null (node);
    case 1:
      return json_node_init_boolean (node, g_test_rand_int_range (0, 2));
    case 2:
      return json_node_init_int (node, (gint64)((guint64)(guint32)g_test_rand_int () << 32)
                                           + g_test_rand_int ());
    case 3:
      return json_node_init_double (node, make_double ());
    default:
      return json_node_init_string (node, string);
    }
}

static JsonNode *
make_tree (guint depth)
{
  gint kind = depth > 0 ? g_test_rand_int_range (0, 3) : 2;
  gint count = g_test_rand_int_range (0, 6);
  JsonNode *node;

  if (kind == 0)
    {
      JsonArray *array = json_array_new ();

      while (count-- > 0)
        json_array_add_element (array, make_tree (depth - 1));
      node = json_node_init_array (json_node_alloc (), array);
      json_array_unref (array);
      return node;
    }
  if (kind == 1)
    {
      JsonObject *object = json_object_new ();

      while (count-- > 0)
        {
          g_autofree char *name = make_string ();

          json_object_set_member (object, name, make_tree (depth - 1));
        }
      node = json_node_init_object (json_node_alloc (), object);
      json_object_unref (object);
      return node;
    }
  return make_scalar ();
}

static void
test_round_trip (void)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();

  for (guint i = 0; i < 500; i++)
    {
      g_autoptr (JsonNode) tree = make_tree (6);
      g_autoptr (PostbagJsonDocument) document = NULL;
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (GError) error = NULL;
      JsonNode *root;
      const char *text;
      gsize length;

      postbag_json_writer_node (writer, tree);
      bytes = postbag_json_writer_finish (writer);
      text = g_bytes_get_data (bytes, &length);
      g_assert_null (memchr (text, '\n', length));
      document = postbag_json_parse (text, length, length, POSTBAG_JSON_DEFAULT, &error);
      g_assert_no_error (error);
      root = postbag_json_document_get_root (document);
      g_assert_true (json_node_equal (tree, root));
      g_assert_false (postbag_json_document_has_flagged (document, root));
    }
}

/* However deep they stand, and only where they are names of members. */
static void
test_hidden_members (void)
{
  static const char text[] =
      "{\"x-own\":1,\"a\":[{\"x-own-too\":{},\"b\":\"x-own\"},\"x-own\"],\"x-other\":{}}";
  g_autoptr (PostbagJsonDocument) document =
      postbag_json_parse (text, strlen (text), G_MAXSIZE, POSTBAG_JSON_DEFAULT, NULL);
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();

  postbag_json_writer_node_without (writer, postbag_json_document_get_root (document), "x-own");
  g_assert_cmpstr (postbag_json_writer_peek (writer), ==,
                   "{\"a\":[{\"b\":\"x-own\"},\"x-own\"],\"x-other\":{}}");
}

/* What lies deeper than the bound is null; nothing recurses. */
static void
test_deep_tree (void)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();
  g_autoptr (JsonNode) node = json_node_init_int (json_node_alloc (), 1);
  g_autoptr (GBytes) bytes = NULL;
  const char *text;

  for (guint i = 0; i < 1000; i++)
    {
      JsonArray *array = json_array_new ();

      json_array_add_element (array, node);
      node = json_node_init_array (json_node_alloc (), array);
      json_array_unref (array);
    }
  postbag_json_writer_node (writer, node);
  bytes = postbag_json_writer_finish (writer);
  text = g_bytes_get_data (bytes, NULL);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, 128 + 4 + 128);
  g_assert_cmpint (memcmp (text + 128, "null", 4), ==, 0);
}

/* Text is looked at eight bytes at a time: what is escaped is escaped wherever it stands. */
static void
test_escapes_anywhere (void)
{
  static const struct
  {
    const char *text;
    const char *escaped;
  } cases[] = {
    { "\"", "\\\"" },
    { "\\", "\\\\" },
    { "\n", "\\n" },
    { "\x1f", "\\u001f" },
    { "\x7f", "\\u007f" },
    { "\xc2\x80", "\\u0080" },
    { "\xc2\xa0", "\xc2\xa0" },
    { "\xe2\x80\xa8", "\\u2028" },
    { "~", "~" },
    { "\xe2\x82\xac", "\xe2\x82\xac" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (int before = 0; before < 20; before++)
      {
        g_autofree char *text =
            g_strdup_printf ("%.*s%s#[]!", before, "aaaaaaaaaaaaaaaaaaaa", cases[i].text);
        g_autofree char *expected =
            g_strdup_printf ("\"%.*s%s#[]!\"", before, "aaaaaaaaaaaaaaaaaaaa", cases[i].escaped);
        g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();

        postbag_json_writer_string (writer, text);
        g_assert_cmpstr (postbag_json_writer_peek (writer), ==, expected);
        g_assert_cmpuint (postbag_json_writer_get_chars (writer), ==, g_utf8_strlen (expected, -1));
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json-writer/doubles", test_doubles);
  g_test_add_func ("/json-writer/ints", test_ints);
  g_test_add_func ("/json-writer/strings", test_strings);
  g_test_add_func ("/json-writer/escapes-anywhere", test_escapes_anywhere);
  g_test_add_func ("/json-writer/structure", test_structure);
  g_test_add_func ("/json-writer/base64", test_base64);
  g_test_add_func ("/json-writer/rollback", test_rollback);
  g_test_add_func ("/json-writer/round-trip", test_round_trip);
  g_test_add_func ("/json-writer/deep-tree", test_deep_tree);
  g_test_add_func ("/json-writer/hidden-members", test_hidden_members);
  return g_test_run ();
}
