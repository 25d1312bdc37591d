/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The official JSON Schema 2020-12 suite: every group of tests/draft2020-12 must be judged as the
 * suite says, but for the list below; a group of the list that does compile fails as well, so that
 * the list shrinks. */

#include "json/postbag-schema.h"

#include <string.h>

#include "base/postbag-error.h"
#include "json/postbag-json.h"

#define MAX_BYTES (4 * 1024 * 1024)

/* Refused when compiled: each for its reason. */
static const struct
{
  const char *file;
  const char *group; /* NULL: all */
} refused[] = {
  /* other documents, which are never fetched */
  { "refRemote.json", NULL },
  { "dynamicRef.json", "strict-tree schema, guards against misspelled properties" },
  { "dynamicRef.json", "tests for implementation dynamic anchor and reference link" },
  { "dynamicRef.json", "$ref and $dynamicAnchor are independent of order - $defs first" },
  { "dynamicRef.json", "$ref and $dynamicAnchor are independent of order - $ref first" },
  { "dynamicRef.json", "$ref to $dynamicRef finds detached $dynamicAnchor" },
  { "ref.json", "remote ref, containing refs itself" },
  { "defs.json", "validate definition against metaschema" },
  /* a dialect of its own */
  { "vocabulary.json", NULL },
};

/* Judged wrong: PCRE2 10.42 has no lookbehind of variable width. */
static const char *const wrong_tests[] = { "a variable-width lookbehind (ES2018)", NULL };

typedef struct
{
  const char *file;
  PostbagSchemaFlags flags;
  guint groups;
  guint tests;
  guint refused;
  guint wrong;
} Counts;

static gboolean
is_refused (const char *file, const char *group)
{
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      if (strcmp (refused[i].file, file) == 0
          && (refused[i].group == NULL || strcmp (refused[i].group, group) == 0))
        return TRUE;
    }
  return FALSE;
}

static void
run_test (Counts *counts, PostbagSchema *schema, const char *group, JsonObject *test)
{
  g_autoptr (GError) error = NULL;
  const char *description;
  gboolean expected;
  gboolean valid = postbag_schema_validate (schema, json_object_get_member (test, "data"), &error);

  counts->tests++;
  g_assert_true (valid == (error == NULL));
  description = json_object_get_string_member (test, "description");
  expected =
      json_object_get_boolean_member (test, "valid") != g_strv_contains (wrong_tests, description);
  if (valid == expected)
    return;
  counts->wrong++;
  g_test_message ("%s: %s: %s: must be %s%s%s", counts->file, group, description,
                  valid ? "invalid" : "valid", valid ? "" : ": ", valid ? "" : error->message);
}

static void
run_group (JsonArray *groups, guint index, JsonNode *node, gpointer data)
{
  Counts *counts = data;
  JsonObject *object = json_node_get_object (node);
  const char *group = json_object_get_string_member (object, "description");
  JsonArray *tests = json_object_get_array_member (object, "tests");
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagSchema) schema =
      postbag_schema_compile (json_object_get_member (object, "schema"), counts->flags, &error);

  counts->groups++;
  if (schema == NULL)
    g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA);
  if ((schema == NULL) != is_refused (counts->file, group))
    {
      counts->wrong++;
      g_test_message ("%s: %s: %s", counts->file, group,
                      schema == NULL ? error->message : "is not refused any more");
    }
  if (schema == NULL)
    {
      counts->refused++;
      return;
    }
  for (guint i = 0; i < json_array_get_length (tests); i++)
    run_test (counts, schema, group, json_array_get_object_element (tests, i));
}

static void
run_file (const char *folder, const char *file, PostbagSchemaFlags flags, Counts *total)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autofree char *text = NULL;
  g_autoptr (PostbagJsonDocument) document = NULL;
  Counts counts = { .file = file, .flags = flags };
  gsize length;

  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  document = postbag_json_parse (text, length, MAX_BYTES, POSTBAG_JSON_DEFAULT, NULL);
  g_assert_nonnull (document);
  json_array_foreach_element (json_node_get_array (postbag_json_document_get_root (document)),
                              run_group, &counts);
  total->groups += counts.groups;
  total->tests += counts.tests;
  total->refused += counts.refused;
  total->wrong += counts.wrong;
}

static char *
find_folder (void)
{
  const char *suites = g_getenv ("POSTBAG_SUITES");

  if (suites != NULL)
    return g_build_filename (suites, "json-schema", "tests", "draft2020-12", NULL);
  g_test_skip ("POSTBAG_SUITES is not set");
  return NULL;
}

static void
test_required (void)
{
  g_autofree char *folder = find_folder ();
  g_autoptr (GDir) dir = NULL;
  Counts total = { 0 };
  const char *file;

  if (folder == NULL)
    return;
  dir = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (dir);
  while ((file = g_dir_read_name (dir)) != NULL)
    {
      if (g_str_has_suffix (file, ".json"))
        run_file (folder, file, POSTBAG_SCHEMA_DEFAULT, &total);
    }
  g_test_message ("%u groups, %u of them refused, %u tests, %u wrong", total.groups, total.refused,
                  total.tests, total.wrong);
  g_assert_cmpuint (total.groups, >, 300);
  g_assert_cmpuint (total.wrong, ==, 0);
}

static void
test_optional (void)
{
  static const char *const files[] = {
    "anchor.json",         "bignum.json",        "dynamicRef.json", "ecmascript-regex.json",
    "float-overflow.json", "non-bmp-regex.json", "no-schema.json",
  };
  g_autofree char *folder = find_folder ();
  g_autofree char *optional = folder != NULL ? g_build_filename (folder, "optional", NULL) : NULL;
  Counts total = { 0 };

  for (guint i = 0; folder != NULL && i < G_N_ELEMENTS (files); i++)
    run_file (optional, files[i], POSTBAG_SCHEMA_DEFAULT, &total);
  g_assert_cmpuint (total.wrong, ==, 0);
}

static void
test_formats (void)
{
  static const char *const files[] = {
    "date.json",
    "date-time.json",
    "email.json",
    "ipv4.json",
    "ipv6.json",
    "json-pointer.json",
    "regex.json",
    "time.json",
    "unknown.json",
    "uri.json",
    "uri-reference.json",
    "uuid.json",
    "ecmascript-regex.json",
  };
  g_autofree char *folder = find_folder ();
  g_autofree char *formats =
      folder != NULL ? g_build_filename (folder, "optional", "format", NULL) : NULL;
  Counts total = { 0 };

  for (guint i = 0; folder != NULL && i < G_N_ELEMENTS (files); i++)
    run_file (formats, files[i], POSTBAG_SCHEMA_ASSERT_FORMAT, &total);
  g_assert_cmpuint (total.wrong, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schema-suite/required", test_required);
  g_test_add_func ("/schema-suite/optional", test_optional);
  g_test_add_func ("/schema-suite/formats", test_formats);
  return g_test_run ();
}
