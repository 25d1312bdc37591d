/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/postbag-schema.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "json/postbag-json.h"

static JsonNode *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagJsonDocument) document =
      postbag_json_parse (text, strlen (text), 16 * 1024 * 1024, POSTBAG_JSON_DEFAULT, &error);

  g_assert_no_error (error);
  return json_node_ref (postbag_json_document_get_root (document));
}

static PostbagSchema *
compile (const char *text)
{
  g_autoptr (JsonNode) root = parse (text);
  g_autoptr (GError) error = NULL;
  PostbagSchema *schema = postbag_schema_compile (root, POSTBAG_SCHEMA_ASSERT_FORMAT, &error);

  g_assert_no_error (error);
  return schema;
}

static void
assert_refused (const char *text, const char *words)
{
  g_autoptr (JsonNode) root = parse (text);
  g_autoptr (GError) error = NULL;

  g_assert_null (postbag_schema_compile (root, POSTBAG_SCHEMA_DEFAULT, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA);
  if (strstr (error->message, words) == NULL)
    g_error ("“%s” is not in “%s”", words, error->message);
}

/* %NULL: valid */
static void
assert_problems (PostbagSchema *schema, const char *text, const char *problems)
{
  g_autoptr (JsonNode) value = parse (text);
  g_autoptr (GError) error = NULL;
  gboolean valid = postbag_schema_validate (schema, value, &error);

  g_assert_true (valid == (error == NULL));
  if (error != NULL)
    g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
  g_assert_cmpstr (error != NULL ? error->message : NULL, ==, problems);
}

static void
test_refused (void)
{
  assert_refused ("{\"properties\":{\"a/b\":{\"minimun\":1}}}",
                  "at /properties/a~1b/minimun is a keyword we do not know");
  assert_refused ("{\"dependencies\":{}}", "at /dependencies");
  assert_refused ("{\"type\":\"int\"}", "at /type there is no such type");
  assert_refused ("{\"type\":[]}", "no type is listed");
  assert_refused ("{\"maxLength\":-1}", "a count is expected");
  assert_refused ("{\"maxLength\":1.5}", "a count is expected");
  assert_refused ("{\"multipleOf\":0}", "greater than 0");
  assert_refused ("{\"pattern\":\"(\"}", "at /pattern");
  assert_refused ("{\"pattern\":\"\\\\a\"}", "no such escape");
  assert_refused ("{\"items\":[{}]}", "/items is not a schema");
  assert_refused ("{\"allOf\":[]}", "a list of schemas is expected");
  assert_refused ("{\"required\":[1]}", "a list of names");
  assert_refused ("{\"$ref\":\"#/$defs/a\"}", "at /$ref something outside");
  assert_refused ("{\"$ref\":\"other.json\"}", "nothing is fetched");
  assert_refused ("{\"$schema\":\"http://json-schema.org/draft-07/schema#\"}", "2020-12");
  assert_refused ("5", "is not a schema");
}

static void
test_annotations (void)
{
  g_autoptr (PostbagSchema) schema =
      compile ("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"t\","
               "\"description\":\"d\",\"default\":1,\"examples\":[],\"$comment\":\"c\","
               "\"deprecated\":true,\"readOnly\":true,\"writeOnly\":true,"
               "\"contentEncoding\":\"base64\",\"x-anything\":{}}");

  assert_problems (schema, "1", NULL);
}

#define ARGUMENTS                                                                                  \
  "{\"type\":\"object\",\"required\":[\"mailbox\"],\"additionalProperties\":false,"                \
  "\"properties\":{"                                                                               \
  "\"mailbox\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":5},"                             \
  "\"from\":{\"type\":\"string\",\"format\":\"email\"},"                                           \
  "\"since\":{\"type\":\"string\",\"format\":\"date\"},"                                           \
  "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":200},"                                \
  "\"mode\":{\"enum\":[\"text\",\"html\",null]},"                                                  \
  "\"id\":{\"type\":\"string\",\"pattern\":\"^[0-9]+$\"},"                                         \
  "\"uids\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"minItems\":1,\"maxItems\":3,"   \
  "\"uniqueItems\":true},"                                                                         \
  "\"filter\":{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"a~b/c\"],"       \
  "\"properties\":{\"a~b/c\":{\"const\":1}}},"                                                     \
  "\"who\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"integer\",\"minimum\":5}]},"              \
  "\"either\":{\"oneOf\":[{\"type\":\"integer\"},{\"minimum\":3}]}"                                \
  "}}"

static void
test_problems (void)
{
  static const char *const cases[][2] = {
    { "{\"mailbox\":\"INBOX\"}", NULL },
    { "{}", "mailbox: required, but missing" },
    { "[]", "expected object, found array" },
    { "{\"mailbox\":5}", "mailbox: expected string, found integer 5" },
    { "{\"mailbox\":\"\"}", "mailbox: expected at least 1 character, found 0" },
    { "{\"mailbox\":\"ééééé\"}", NULL },
    { "{\"mailbox\":\"éééééé\"}", "mailbox: expected at most 5 characters, found 6" },
    { "{\"mailbox\":\"a\",\"limit\":500}", "limit: expected at most 200, found 500" },
    { "{\"mailbox\":\"a\",\"limit\":0.5}", "limit: expected integer, found number 0.5" },
    { "{\"mailbox\":\"a\",\"limit\":200.0}", NULL },
    { "{\"mailbox\":\"a\",\"limit\":true}", "limit: expected integer, found boolean true" },
    { "{\"mailbox\":\"a\",\"limit\":null}", "limit: expected integer, found null" },
    { "{\"mailbox\":\"a\",\"frm\":\"x\"}", "unknown argument “frm”; did you mean “from”?" },
    { "{\"mailbox\":\"a\",\"from\":\"x\"}",
      "from: expected one mail address like name@example.org, found string \"x\"" },
    { "{\"mailbox\":\"a\",\"since\":\"2023-02-29\"}",
      "since: expected a calendar day as YYYY-MM-DD, found string \"2023-02-29\"" },
    { "{\"mailbox\":\"a\",\"mode\":\"txt\"}",
      "mode: expected one of \"text\", \"html\" or null, found string \"txt\"" },
    { "{\"mailbox\":\"a\",\"id\":\"1\\n\"}",
      "id: expected text that matches ^[0-9]+$, found string \"1\\u000A\"" },
    { "{\"mailbox\":\"a\",\"uids\":[]}", "uids: expected at least 1 entry, found 0" },
    { "{\"mailbox\":\"a\",\"uids\":[1,2,3,4]}", "uids: expected at most 3 entries, found 4" },
    { "{\"mailbox\":\"a\",\"uids\":[1,2,1.0]}",
      "uids: entries 0 and 2 are equal; give each only once" },
    { "{\"mailbox\":\"a\",\"uids\":[1,2,\"x\"]}", "/uids/2: expected integer, found string \"x\"" },
    { "{\"mailbox\":\"a\",\"filter\":{\"b\":1}}",
      "/filter/a~0b~1c: required, but missing\n"
      "filter: unknown member “b”; the known ones are: a~b/c" },
    { "{\"mailbox\":\"a\",\"filter\":{\"a~b/c\":2}}",
      "/filter/a~0b~1c: expected 1, found integer 2" },
    { "{\"mailbox\":\"a\",\"who\":3}", "who: expected at least 5, found 3" },
    { "{\"mailbox\":\"a\",\"who\":[]}",
      "who: none of the 2 allowed forms fits: (who: expected string, found array) or "
      "(who: expected integer, found array)" },
    { "{\"mailbox\":\"a\",\"either\":4}",
      "either: exactly one of the 2 allowed forms has to fit, but numbers 1 and 2 do" },
    { "{\"limit\":0,\"mode\":1}",
      "mailbox: required, but missing\n"
      "limit: expected at least 1, found 0\n"
      "mode: expected one of \"text\", \"html\" or null, found integer 1" },
  };
  g_autoptr (PostbagSchema) schema = compile (ARGUMENTS);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_problems (schema, cases[i][0], cases[i][1]);
}

/* What the caller chose is shown, but not obeyed: nothing invisible, no line break, bounded. */
static void
test_foreign_text (void)
{
  g_autoptr (PostbagSchema) schema =
      compile ("{\"properties\":{\"n\":{\"type\":\"integer\"}},\"additionalProperties\":false}");
  g_autofree char *filler = g_strnfill (300, 'x');
  g_autofree char *value = g_strdup_printf ("{\"n\":\"%s\"}", filler);
  g_autofree char *expected =
      g_strdup_printf ("n: expected integer, found string \"%.200s…\"", filler);

  assert_problems (schema, value, expected);
  assert_problems (schema, "{\"n\":\"a\\u200b\\u202e\\n\\udb40\\udc41é\"}",
                   "n: expected integer, found string \"a\\u200B\\u202E\\u000A\\uDB40\\uDC41é\"");
  assert_problems (schema, "{\"x\\u2028y\":1}",
                   "unknown argument “x\\u2028y”; the known ones are: n");
}

static void
test_problem_count (void)
{
  g_autoptr (PostbagSchema) schema = compile ("{\"items\":{\"type\":\"string\"}}");
  g_autoptr (JsonNode) value = parse ("[1,2,3,4,5,6,7,8,9,10]");
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) lines = NULL;

  g_assert_false (postbag_schema_validate (schema, value, &error));
  lines = g_strsplit (error->message, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, POSTBAG_LIMIT_SCHEMA_PROBLEMS + 1);
  g_assert_cmpstr (lines[7], ==, "/7: expected string, found integer 8");
  g_assert_cmpstr (lines[8], ==, "… and more, once these are mended");
}

static void
test_multiples (void)
{
  static const struct
  {
    const char *divisor;
    const char *value;
    gboolean valid;
  } cases[] = {
    { "0.1", "0.3", TRUE },
    { "0.1", "1.1", TRUE },
    { "0.01", "19.99", TRUE },
    { "0.01", "19.995", FALSE },
    { "0.0001", "0.0075", TRUE },
    { "0.0001", "0.00751", FALSE },
    { "3", "9223372036854775807", FALSE },
    { "7", "9223372036854775807", TRUE },
    { "1e-8", "12391239123", TRUE },
    { "3", "1e300", FALSE },
    { "2", "1e300", TRUE },
    { "1e300", "5", FALSE },
    { "1.5", "-4.5", TRUE },
    { "1.5", "0", TRUE },
    { "2", "-9223372036854775808", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf ("{\"multipleOf\":%s}", cases[i].divisor);
      g_autoptr (PostbagSchema) schema = compile (text);
      g_autoptr (JsonNode) value = parse (cases[i].value);

      if (postbag_schema_validate (schema, value, NULL) != cases[i].valid)
        g_error ("%s as a multiple of %s", cases[i].value, cases[i].divisor);
    }
}

/* 2^53 + 1 and its neighbours: a comparison as doubles cannot tell them apart. */
static void
test_exact_bounds (void)
{
  g_autoptr (PostbagSchema) schema = compile ("{\"maximum\":9007199254740992.0}");
  g_autoptr (PostbagSchema) constant = compile ("{\"const\":9007199254740993}");

  assert_problems (schema, "9007199254740992", NULL);
  assert_problems (schema, "9007199254740993",
                   "expected at most 9007199254740992.0, found 9007199254740993");
  assert_problems (constant, "9007199254740993", NULL);
  assert_problems (constant, "9007199254740992",
                   "expected 9007199254740993, found integer 9007199254740992");
}

/* --- bounds --- */

#define DEEP "it is nested too deeply to be checked; send a flatter value"

static void
test_cycles (void)
{
  g_autoptr (PostbagSchema) self = compile ("{\"$ref\":\"#\"}");
  g_autoptr (PostbagSchema) pair =
      compile ("{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"allOf\":[{\"$ref\":\"#/$defs/b\"},"
               "{\"$ref\":\"#/$defs/b\"}]},\"b\":{\"allOf\":[{\"$ref\":\"#/$defs/a\"},"
               "{\"$ref\":\"#/$defs/a\"}]}}}");
  g_autoptr (PostbagSchema) negated = compile ("{\"not\":{\"$ref\":\"#\"}}");

  assert_problems (self, "1", DEEP);
  assert_problems (pair, "1", DEEP);
  assert_problems (negated, "1", DEEP);
}

static void
test_depth (void)
{
  g_autoptr (PostbagSchema) schema = compile ("{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}");
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < 20; i++)
    g_string_append_c (text, '[');
  for (guint i = 0; i < 20; i++)
    g_string_append_c (text, ']');
  assert_problems (schema, text->str, NULL);
  g_string_truncate (text, 0);
  for (guint i = 0; i < 100; i++)
    g_string_append_c (text, '[');
  for (guint i = 0; i < 100; i++)
    g_string_append_c (text, ']');
  assert_problems (schema, text->str, DEEP);
}

/* Each level is evaluated twice: without a count of all steps a value of 40 bytes takes 2^20. */
static void
test_steps (void)
{
  g_autoptr (PostbagSchema) schema =
      compile ("{\"items\":{\"allOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}}");
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < 20; i++)
    g_string_append_c (text, '[');
  for (guint i = 0; i < 20; i++)
    g_string_append_c (text, ']');
  assert_problems (schema, text->str, "it is too large to be checked; send a smaller value");
}

static void
test_patterns (void)
{
  g_autoptr (PostbagSchema) hostile = compile ("{\"pattern\":\"^(a+)+$\"}");
  g_autoptr (PostbagSchema) unicode = compile ("{\"pattern\":\"^\\\\p{Letter}.$\"}");
  g_autoptr (PostbagSchema) brackets = compile ("{\"pattern\":\"^[^\\\\s[:-]+[]$|^[^]x[\\\\d]\"}");
  g_autofree char *text = g_strnfill (5000, 'a');
  g_autofree char *value = g_strdup_printf ("\"%s!\"", text);

  assert_problems (hostile, "\"aaaa\"", NULL);
  assert_problems (hostile, value,
                   "a text is too long or too intricate for its pattern; shorten it");
  assert_problems (unicode, "\"é€\"", NULL);
  assert_problems (unicode, "\"1€\"",
                   "expected text that matches ^\\p{Letter}.$, found string \"1€\"");
  assert_problems (brackets, "\"\\nx7\"", NULL);
}

static void
test_unevaluated (void)
{
  g_autoptr (PostbagSchema) schema = compile ("{\"allOf\":[{\"properties\":{\"limit\":true}}],"
                                              "\"unevaluatedProperties\":false}");

  assert_problems (schema, "{\"limit\":1}", NULL);
  assert_problems (schema, "{\"limt\":1}", "unknown argument “limt”; did you mean “limit”?");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schema/refused", test_refused);
  g_test_add_func ("/schema/annotations", test_annotations);
  g_test_add_func ("/schema/problems", test_problems);
  g_test_add_func ("/schema/foreign-text", test_foreign_text);
  g_test_add_func ("/schema/problem-count", test_problem_count);
  g_test_add_func ("/schema/multiples", test_multiples);
  g_test_add_func ("/schema/exact-bounds", test_exact_bounds);
  g_test_add_func ("/schema/cycles", test_cycles);
  g_test_add_func ("/schema/depth", test_depth);
  g_test_add_func ("/schema/steps", test_steps);
  g_test_add_func ("/schema/patterns", test_patterns);
  g_test_add_func ("/schema/unevaluated", test_unevaluated);
  return g_test_run ();
}
