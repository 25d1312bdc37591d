/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Schemas in files: those of our tools, by the metaschema; the protocol's own. */

#include "json/postbag-schema.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "json/postbag-json.h"

#define GOOD "{\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"resultType\":\"complete\"}"
#define BAD "{\"content\":[{\"type\":\"text\"}],\"resultType\":\"complete\"}"
#define META "https://json-schema.org/draft/2020-12/schema"

static JsonNode *
parse (const char *text, gsize length)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagJsonDocument) document =
      postbag_json_parse (text, length, POSTBAG_LIMIT_SCHEMA_BYTES, POSTBAG_JSON_DEFAULT, &error);

  g_assert_no_error (error);
  return json_node_ref (postbag_json_document_get_root (document));
}

static JsonNode *
load (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gsize length;

  g_file_get_contents (path, &text, &length, &error);
  g_assert_no_error (error);
  return parse (text, length);
}

/* A schema that is one reference into @documents. */
static PostbagSchema *
compile_reference (GHashTable *documents, const char *uri)
{
  g_autofree char *text = g_strdup_printf ("{\"$ref\":\"%s\"}", uri);
  g_autoptr (JsonNode) root = parse (text, strlen (text));
  g_autoptr (GError) error = NULL;
  PostbagSchema *schema =
      postbag_schema_compile_with_documents (root, documents, POSTBAG_SCHEMA_ASSERT_FORMAT, &error);

  g_assert_no_error (error);
  return schema;
}

static GHashTable *
make_documents (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)json_node_unref);
}

static PostbagSchema *
compile_metaschema (void)
{
  g_autofree char *folder =
      g_test_build_filename (G_TEST_DIST, "data", "json-schema-2020-12", NULL);
  g_autoptr (GHashTable) documents = make_documents ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      JsonNode *node = g_str_has_suffix (name, ".json") ? load (path) : NULL;

      if (node != NULL)
        g_hash_table_insert (
            documents,
            g_strdup (json_object_get_string_member (json_node_get_object (node), "$id")), node);
    }
  return compile_reference (documents, META);
}

static void
check_schema (PostbagSchema *meta, const char *path, JsonObject *tool, const char *member)
{
  JsonNode *source = json_object_get_member (tool, member);
  g_autoptr (PostbagSchema) schema = NULL;
  g_autoptr (GError) error = NULL;

  if (source == NULL)
    return;
  if (!postbag_schema_validate (meta, source, &error))
    g_error ("%s: %s: %s", path, member, error->message);
  schema = postbag_schema_compile (source, POSTBAG_SCHEMA_ASSERT_FORMAT, &error);
  if (schema == NULL)
    g_error ("%s: %s: %s", path, member, error->message);
}

static void
check_folder (PostbagSchema *meta, const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autoptr (JsonNode) node = NULL;

      if (!g_str_has_suffix (name, ".json"))
        continue;
      node = load (path);
      check_schema (meta, path, json_node_get_object (node), "inputSchema");
      check_schema (meta, path, json_node_get_object (node), "outputSchema");
    }
}

static void
test_tools (void)
{
  const char *source = g_getenv ("POSTBAG_SOURCE_DIR");
  g_autofree char *folder = NULL;
  g_autoptr (PostbagSchema) meta = NULL;
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (source == NULL)
    {
      g_test_skip ("POSTBAG_SOURCE_DIR is not set");
      return;
    }
  meta = compile_metaschema ();
  folder = g_build_filename (source, "schemas", NULL);
  dir = g_dir_open (folder, 0, NULL);
  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *toolset = g_build_filename (folder, name, NULL);

      check_folder (meta, toolset);
    }
}

static void
assert_metaschema (PostbagSchema *meta, const char *text, gboolean valid)
{
  g_autoptr (JsonNode) value = parse (text, strlen (text));

  g_assert_true (postbag_schema_validate (meta, value, NULL) == valid);
}

static void
test_metaschema (void)
{
  g_autoptr (PostbagSchema) meta = compile_metaschema ();

  assert_metaschema (meta, "{\"properties\":{\"a\":{\"items\":{\"minLength\":1}}}}", TRUE);
  assert_metaschema (meta, "{\"properties\":{\"a\":{\"items\":{\"minLength\":-1}}}}", FALSE);
  assert_metaschema (meta, "{\"required\":[\"a\",\"a\"]}", FALSE);
  assert_metaschema (meta, "5", FALSE);
}

static void
test_protocol (void)
{
  static const char *const revisions[] = { "2025-11-25.json", "2026-07-28.json" };
  const char *suites = g_getenv ("POSTBAG_SUITES");

  if (suites == NULL)
    {
      g_test_skip ("POSTBAG_SUITES is not set");
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (revisions); i++)
    {
      g_autofree char *path = g_build_filename (suites, "mcp-schema", revisions[i], NULL);
      g_autoptr (GHashTable) documents = make_documents ();
      g_autoptr (PostbagSchema) schema = NULL;
      g_autoptr (JsonNode) good = parse (GOOD, strlen (GOOD));
      g_autoptr (JsonNode) bad = parse (BAD, strlen (BAD));

      g_hash_table_insert (documents, g_strdup ("mcp:schema"), load (path));
      schema = compile_reference (documents, "mcp:schema#/$defs/CallToolResult");
      g_assert_true (postbag_schema_validate (schema, good, NULL));
      g_assert_false (postbag_schema_validate (schema, bad, NULL));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/schema-files/metaschema", test_metaschema);
  g_test_add_func ("/schema-files/tools", test_tools);
  g_test_add_func ("/schema-files/protocol", test_protocol);
  return g_test_run ();
}
