/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/postbag-schema.h"

#include <string.h>

#include "json/postbag-json-writer.h"
#include "json/postbag-json.h"

#define SCHEMA                                                                                     \
  "{\"type\":\"object\",\"required\":[\"needed\"],\"properties\":{"                                \
  "\"text\":{\"type\":\"string\"},"                                                                \
  "\"limit\":{\"type\":\"integer\",\"maximum\":200},"                                              \
  "\"score\":{\"type\":\"number\"},"                                                               \
  "\"seen\":{\"type\":\"boolean\"},"                                                               \
  "\"needed\":{\"type\":\"integer\"},"                                                             \
  "\"maybe\":{\"type\":[\"integer\",\"null\"]},"                                                   \
  "\"uids\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"}},"                                \
  "\"names\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"                                \
  "\"either\":{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]},"                           \
  "\"level\":{\"enum\":[1,2]},"                                                                    \
  "\"filter\":{\"$ref\":\"#/$defs/filter\"},"                                                      \
  "\"deal\":{\"type\":\"object\",\"properties\":{\"confirm\":{\"$ref\":\"#/$defs/yes\"}}},"        \
  "\"confirm\":{\"type\":\"boolean\",\"x-postbag-exact\":true},"                                   \
  "\"confirms\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/yes\"}},"                        \
  "\"agree\":{\"$ref\":\"#/$defs/yes\"}},"                                                         \
  "\"$defs\":{\"filter\":{\"type\":\"object\",\"properties\":{\"days\":{\"type\":\"integer\"}}},"  \
  "\"yes\":{\"type\":\"boolean\",\"x-postbag-exact\":true}}}"

static JsonNode *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagJsonDocument) document =
      postbag_json_parse (text, strlen (text), 65536, POSTBAG_JSON_DEFAULT, &error);

  g_assert_no_error (error);
  return json_node_ref (postbag_json_document_get_root (document));
}

static char *
write_node (JsonNode *node)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();

  postbag_json_writer_node (writer, node);
  return g_strdup (postbag_json_writer_peek (writer));
}

/* @after %NULL: nothing is mended, and the value itself comes back. */
static void
assert_mended (const char *before, const char *after)
{
  g_autoptr (JsonNode) root = parse (SCHEMA);
  g_autoptr (PostbagSchema) schema = postbag_schema_compile (root, POSTBAG_SCHEMA_DEFAULT, NULL);
  g_autoptr (JsonNode) value = parse (before);
  g_autofree char *untouched = write_node (value);
  g_autoptr (JsonNode) mended = postbag_schema_mend (schema, value);
  g_autofree char *text = write_node (mended);
  g_autofree char *still = write_node (value);

  g_assert_cmpstr (text, ==, after != NULL ? after : untouched);
  g_assert_true ((mended == value) == (after == NULL));
  g_assert_cmpstr (still, ==, untouched);
}

static void
test_mended (void)
{
  static const char *const cases[][2] = {
    { "{\"limit\":\"5\"}", "{\"limit\":5}" },
    { "{\"limit\":\" -5 \"}", "{\"limit\":-5}" },
    { "{\"limit\":\"5.0\"}", "{\"limit\":5}" },
    { "{\"limit\":5.0}", "{\"limit\":5}" },
    { "{\"score\":\"0.5\"}", "{\"score\":0.5}" },
    { "{\"seen\":\"true\"}", "{\"seen\":true}" },
    { "{\"seen\":\"false\",\"text\":\"true\"}", "{\"seen\":false,\"text\":\"true\"}" },
    { "{\"limit\":null,\"text\":\"x\"}", "{\"text\":\"x\"}" },
    { "{\"uids\":7}", "{\"uids\":[7]}" },
    { "{\"uids\":\"7\"}", "{\"uids\":[7]}" },
    { "{\"uids\":\"[1, 2]\"}", "{\"uids\":[1,2]}" },
    { "{\"uids\":[\"1\",2,3.0]}", "{\"uids\":[1,2,3]}" },
    { "{\"names\":\"a\"}", "{\"names\":[\"a\"]}" },
    { "{\"names\":\"[1]\"}", "{\"names\":[\"[1]\"]}" },
    { "{\"names\":\"[\\\"a\\\",\\\"b\\\"]\"}", "{\"names\":[\"a\",\"b\"]}" },
    { "{\"filter\":\"{\\\"days\\\":\\\"3\\\"}\"}", "{\"filter\":{\"days\":3}}" },
    { "{\"filter\":{\"days\":\"3\",\"other\":\"4\"}}",
      "{\"filter\":{\"days\":3,\"other\":\"4\"}}" },
    { "{\"filter\":{\"days\":null}}", "{\"filter\":{}}" },
    { "{\"either\":\"3\"}", "{\"either\":3}" },
    { "{\"level\":\"2\"}", "{\"level\":2}" },
    { "{\"text\":\"a\",\"limit\":\"5\",\"x\":1}", "{\"text\":\"a\",\"limit\":5,\"x\":1}" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_mended (cases[i][0], cases[i][1]);
}

static void
test_left_alone (void)
{
  static const char *const cases[] = {
    "{\"limit\":5,\"text\":\"5\",\"seen\":true,\"uids\":[1],\"maybe\":null,\"score\":5.0}",
    "{\"limit\":\"five\"}",
    "{\"limit\":\"5x\"}",
    "{\"limit\":\"0x5\"}",
    "{\"limit\":\"05\"}",
    "{\"limit\":\"\"}",
    "{\"limit\":5.5}",
    "{\"limit\":\"201\"}",
    "{\"limit\":\"9223372036854775808\"}",
    "{\"limit\":[5]}",
    "{\"seen\":\"yes\"}",
    "{\"seen\":1}",
    "{\"needed\":null}",
    "{\"text\":5}",
    "{\"uids\":\"x\"}",
    "{\"uids\":\"[1,\\\"x\\\"]\"}",
    "{\"level\":\"3\"}",
    "{\"unknown\":\"5\"}",
    "{\"filter\":\"[1]\"}",
    "[\"limit\"]",
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_mended (cases[i], NULL);
}

/* Consent is what the caller wrote. */
static void
test_consent (void)
{
  static const char *const cases[] = {
    "{\"confirm\":\"true\"}",
    "{\"confirm\":null}",
    "{\"agree\":\"true\"}",
    "{\"confirms\":[\"true\"]}",
    "{\"confirms\":\"true\"}",
    "{\"deal\":{\"confirm\":\"true\"}}",
    "{\"deal\":\"{\\\"confirm\\\":true}\"}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_mended (cases[i], NULL);
  assert_mended ("{\"confirm\":\"true\",\"limit\":\"5\"}", "{\"confirm\":\"true\",\"limit\":5}");
}

/* JSON in JSON in JSON ends at the bound of depth, not of the stack. */
static void
test_nested_strings (void)
{
  g_autoptr (JsonNode) root =
      parse ("{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/list\"}},"
             "\"$defs\":{\"list\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/list\"}}}}");
  g_autoptr (PostbagSchema) schema = postbag_schema_compile (root, POSTBAG_SCHEMA_DEFAULT, NULL);
  g_autoptr (JsonNode) value = parse ("{\"a\":\"x\"}");
  g_autoptr (JsonNode) mended = postbag_schema_mend (schema, value);

  g_assert_true (mended == value);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schema-mend/mended", test_mended);
  g_test_add_func ("/schema-mend/left-alone", test_left_alone);
  g_test_add_func ("/schema-mend/consent", test_consent);
  g_test_add_func ("/schema-mend/nested-strings", test_nested_strings);
  return g_test_run ();
}
