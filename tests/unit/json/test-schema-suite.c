/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The official JSON Schema 2020-12 suite: every group of tests/draft2020-12 must be judged as the
 * suite says, and of its optional ones what we claim to support. */

#include "json/postbag-schema.h"

#include <string.h>

#include "base/postbag-error.h"
#include "json/postbag-json.h"

#define MAX_BYTES (4 * 1024 * 1024)

/* Judged wrong: PCRE2 10.42 has no lookbehind of variable width. */
static const char *const wrong_tests[] = { "a variable-width lookbehind (ES2018)", NULL };

typedef struct
{
  const char *file;
  GHashTable *documents;
  PostbagSchemaFlags flags;
  guint groups;
  guint tests;
  guint wrong;
} Counts;

/* --- other documents --- */

static JsonNode *
load (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagJsonDocument) document = NULL;
  g_autofree char *text = NULL;
  gsize length;

  g_file_get_contents (path, &text, &length, &error);
  g_assert_no_error (error);
  document = postbag_json_parse (text, length, MAX_BYTES, POSTBAG_JSON_DEFAULT, &error);
  g_assert_no_error (error);
  return json_node_ref (postbag_json_document_get_root (document));
}

static void
load_folder (GHashTable *documents, const char *folder, const char *base)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *uri = g_strconcat (base, name, NULL);

      if (g_str_has_suffix (name, ".json"))
        {
          g_hash_table_insert (documents, g_steal_pointer (&uri), load (path));
        }
      else if (g_file_test (path, G_FILE_TEST_IS_DIR))
        {
          g_autofree char *deeper = g_strconcat (uri, "/", NULL);

          load_folder (documents, path, deeper);
        }
    }
}

/* What the suite expects at its address, and the metaschema. */
static GHashTable *
load_documents (void)
{
  GHashTable *documents =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)json_node_unref);
  g_autofree char *remotes = g_build_filename (g_getenv ("POSTBAG_SUITES"), "json-schema",
                                               "remotes", "draft2020-12", NULL);
  g_autofree char *meta = g_test_build_filename (G_TEST_DIST, "data", "json-schema-2020-12", NULL);
  g_autoptr (GHashTable) parts =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)json_node_unref);
  GHashTableIter iter;
  gpointer part;

  load_folder (documents, remotes, "http://localhost:1234/draft2020-12/");
  load_folder (parts, meta, "");
  g_hash_table_iter_init (&iter, parts);
  while (g_hash_table_iter_next (&iter, NULL, &part))
    g_hash_table_insert (
        documents, g_strdup (json_object_get_string_member (json_node_get_object (part), "$id")),
        json_node_ref (part));
  return documents;
}

/* --- groups --- */

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
  g_autoptr (PostbagSchema) schema = postbag_schema_compile_with_documents (
      json_object_get_member (object, "schema"), counts->documents, counts->flags, &error);

  counts->groups++;
  if (schema == NULL)
    {
      counts->wrong++;
      g_test_message ("%s: %s: %s", counts->file, group, error->message);
      return;
    }
  for (guint i = 0; i < json_array_get_length (tests); i++)
    run_test (counts, schema, group, json_array_get_object_element (tests, i));
}

static void
run_file (const char *folder, const char *file, PostbagSchemaFlags flags, Counts *total)
{
  g_autoptr (GHashTable) documents = load_documents ();
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (JsonNode) groups = load (path);
  Counts counts = { .file = file, .documents = documents, .flags = flags };

  json_array_foreach_element (json_node_get_array (groups), run_group, &counts);
  total->groups += counts.groups;
  total->tests += counts.tests;
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
  g_test_message ("%u groups, %u tests, %u wrong", total.groups, total.tests, total.wrong);
  g_assert_cmpuint (total.groups, ==, 383);
  g_assert_cmpuint (total.tests, ==, 1299);
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
