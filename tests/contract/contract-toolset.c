/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a toolset has to be: a definition for each tool that a client can use, and a handler. That
 * manifest and module list the same tools is checked when the module is opened. */

#include "contract.h"

#include "base/postbag-limits.h"
#include "json/postbag-json.h"
#include "json/postbag-schema.h"

#include <string.h>

typedef struct
{
  const ContractPlugin *plugin;
  const char *tool;
  JsonObject *root;
} Definition;

typedef void (*DefinitionFunc) (const Definition *definition);

/* (transfer full) (nullable) */
static PostbagJsonDocument *
read_definition (const ContractPlugin *plugin, const char *file)
{
  g_autofree char *path = g_build_filename (plugin->manifest->schema_dir, file, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  PostbagJsonDocument *document = NULL;
  gsize length;

  if (g_file_get_contents (path, &text, &length, &error))
    document =
        postbag_json_parse (text, length, POSTBAG_LIMIT_SCHEMA_BYTES, POSTBAG_JSON_DEFAULT, &error);
  if (document == NULL)
    contract_problem (plugin, "%s: %s", file, error->message);
  return document;
}

static void
each_tool (const ContractPlugin *plugin, DefinitionFunc function)
{
  for (char **tool = plugin->manifest->tools; *tool != NULL; tool++)
    {
      g_autofree char *file = g_strconcat (*tool, ".json", NULL);
      g_autoptr (PostbagJsonDocument) document = read_definition (plugin, file);
      JsonNode *root = document != NULL ? postbag_json_document_get_root (document) : NULL;
      Definition definition = { plugin, *tool, NULL };

      if (root == NULL)
        continue;
      if (!JSON_NODE_HOLDS_OBJECT (root))
        {
          contract_problem (plugin, "%s is no object", file);
          continue;
        }
      definition.root = json_node_get_object (root);
      function (&definition);
    }
}

static void G_GNUC_PRINTF (2, 3) problem (const Definition *definition, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  contract_problem (definition->plugin, "%s: %s", definition->tool, text);
}

/* --- the members --- */

static void
check_words (const Definition *definition)
{
  const char *name = NULL, *text = NULL;

  if (!postbag_json_get_string (definition->root, "name", &name)
      || strcmp (name, definition->tool) != 0)
    problem (definition, "“name” is not the file's");
  /* Several clients refuse other names. */
  if (!g_regex_match_simple ("^[A-Za-z][A-Za-z0-9_]{0,39}$", definition->tool, 0, 0))
    problem (definition, "the name has another shape than a letter, letters, digits and “_”");
  if (!postbag_json_get_string (definition->root, "description", &text) || strlen (text) < 20)
    problem (definition, "“description” is missing or says too little for a model");
  if (json_object_has_member (definition->root, "title")
      && (!postbag_json_get_string (definition->root, "title", &text) || *text == '\0'))
    problem (definition, "“title” is no text");
}

static void
check_members (const Definition *definition)
{
  static const char *const known[] = { "name",        "title",       "description",
                                       "icons",       "inputSchema", "outputSchema",
                                       "annotations", "_meta",       "x-postbag",
                                       NULL };
  g_autoptr (GList) members = json_object_get_members (definition->root);

  for (GList *member = members; member != NULL; member = member->next)
    {
      if (!g_strv_contains (known, member->data))
        problem (definition, "a tool has no member “%s”", (const char *)member->data);
    }
}

static void
check_annotations (const Definition *definition)
{
  static const char *const hints[] = { "readOnlyHint", "destructiveHint", "idempotentHint",
                                       "openWorldHint" };
  JsonObject *annotations = NULL;
  gboolean read_only = FALSE, destructive = FALSE;

  if (!postbag_json_get_object (definition->root, "annotations", &annotations))
    {
      problem (definition, "“annotations” is missing");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (hints); i++)
    {
      gboolean value;

      if (!postbag_json_get_boolean (annotations, hints[i], &value))
        problem (definition, "the annotation “%s” is missing or not true or false", hints[i]);
    }
  if (postbag_json_get_boolean (annotations, "readOnlyHint", &read_only) && read_only
      && postbag_json_get_boolean (annotations, "destructiveHint", &destructive) && destructive)
    problem (definition, "a tool that only reads cannot be destructive");
}

static void
check_schema (const Definition *definition, const char *member, gboolean required)
{
  JsonObject *schema = NULL;
  const char *type = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagSchema) compiled = NULL;

  if (!required && !json_object_has_member (definition->root, member))
    return;
  if (!postbag_json_get_object (definition->root, member, &schema)
      || !postbag_json_get_string (schema, "type", &type) || strcmp (type, "object") != 0)
    {
      problem (definition, "“%s” is missing or not of type “object”", member);
      return;
    }
  compiled = postbag_schema_compile (json_object_get_member (definition->root, member),
                                     POSTBAG_SCHEMA_ASSERT_FORMAT, &error);
  if (compiled == NULL)
    problem (definition, "%s: %s", member, error->message);
}

static void
check_schemas (const Definition *definition)
{
  check_schema (definition, "inputSchema", TRUE);
  check_schema (definition, "outputSchema", FALSE);
}

/* --- x-postbag --- */

static void
check_condition (const Definition *definition, JsonNode *node)
{
  static const char *const replaced[] = { "setting",      "is",          "title",
                                          "description",  "annotations", "inputSchema",
                                          "outputSchema", NULL };
  g_autoptr (GList) members = NULL;
  const char *text = NULL;

  if (!JSON_NODE_HOLDS_OBJECT (node)
      || !postbag_json_get_string (json_node_get_object (node), "setting", &text)
      || !postbag_json_get_string (json_node_get_object (node), "is", &text))
    {
      problem (definition, "a condition of “when” needs “setting” and “is”");
      return;
    }
  members = json_object_get_members (json_node_get_object (node));
  for (GList *member = members; member != NULL; member = member->next)
    {
      if (!g_strv_contains (replaced, member->data))
        problem (definition, "a condition cannot change “%s”", (const char *)member->data);
    }
}

static void
check_conditions (const Definition *definition, JsonObject *extension)
{
  JsonArray *conditions = NULL;

  if (!json_object_has_member (extension, "when"))
    return;
  if (!postbag_json_get_array (extension, "when", &conditions))
    {
      problem (definition, "“when” of x-postbag is no list");
      return;
    }
  for (guint i = 0; i < json_array_get_length (conditions); i++)
    check_condition (definition, json_array_get_element (conditions, i));
}

static void
check_extension (const Definition *definition)
{
  static const char *const effects[] = { "organise", "draft", "send", "purge", NULL };
  g_autoptr (GList) members = NULL;
  JsonObject *extension = NULL;
  const char *effect = NULL;

  if (!json_object_has_member (definition->root, "x-postbag"))
    return;
  if (!postbag_json_get_object (definition->root, "x-postbag", &extension))
    {
      problem (definition, "“x-postbag” is no object");
      return;
    }
  members = json_object_get_members (extension);
  for (GList *member = members; member != NULL; member = member->next)
    {
      if (strcmp (member->data, "when") != 0 && strcmp (member->data, "effect") != 0)
        problem (definition, "“x-postbag” has no member “%s”", (const char *)member->data);
    }
  if (json_object_has_member (extension, "effect")
      && (!postbag_json_get_string (extension, "effect", &effect)
          || !g_strv_contains (effects, effect)))
    problem (definition, "“effect” is not organise, draft, send or purge");
  check_conditions (definition, extension);
}

/* --- the folder --- */

/* A definition that no manifest lists is never published: a forgotten line in Tools. */
static void
check_orphan (const ContractPlugin *plugin, const char *file)
{
  g_autoptr (PostbagJsonDocument) document = read_definition (plugin, file);
  g_autofree char *tool = g_strndup (file, strlen (file) - strlen (".json"));
  JsonNode *root = document != NULL ? postbag_json_document_get_root (document) : NULL;

  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root)
      || !json_object_has_member (json_node_get_object (root), "inputSchema"))
    return;
  if (!g_strv_contains ((const char *const *)plugin->manifest->tools, tool))
    contract_problem (plugin, "%s defines a tool that the manifest does not list", file);
}

static void
check_folder (gconstpointer data)
{
  const ContractPlugin *plugin = data;
  g_autoptr (GDir) dir = g_dir_open (plugin->manifest->schema_dir, 0, NULL);
  const char *name;

  g_assert_nonnull (dir);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      if (g_str_has_suffix (name, ".json"))
        check_orphan (plugin, name);
    }
}

static void
check_each_words (gconstpointer plugin)
{
  each_tool (plugin, check_words);
}

static void
check_each_members (gconstpointer plugin)
{
  each_tool (plugin, check_members);
}

static void
check_each_annotations (gconstpointer plugin)
{
  each_tool (plugin, check_annotations);
}

static void
check_each_schemas (gconstpointer plugin)
{
  each_tool (plugin, check_schemas);
}

static void
check_each_extension (gconstpointer plugin)
{
  each_tool (plugin, check_extension);
}

static void
check_start (gconstpointer data)
{
  const PostbagToolsetImplementation *toolset = contract_load (data);
  g_autoptr (GError) error = NULL;

  if (toolset->start != NULL && !toolset->start (&error))
    contract_problem (data, "it cannot start: %s",
                      error != NULL ? error->message : "no reason was given");
}

int
main (int argc, char **argv)
{
  static const ContractCheck checks[] = {
    { "words", check_each_words },
    { "members", check_each_members },
    { "annotations", check_each_annotations },
    { "schemas", check_each_schemas },
    { "x-postbag", check_each_extension },
    { "folder", check_folder },
    { "start", check_start },
  };

  return contract_run (argc, argv, POSTBAG_PLUGIN_TOOLSET, checks, G_N_ELEMENTS (checks));
}
