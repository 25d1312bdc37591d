/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-mcp"

#include "mcp/postbag-catalog-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "json/postbag-json.h"
#include "mcp/postbag-uri-template-private.h"

#define OWN_KEY "x-postbag"

static const char *const list_words[POSTBAG_LIST_N] = { "tools", "prompts", "resources" };

static void
free_row (gpointer data)
{
  PostbagResourceRow *row = data;

  json_object_unref (row->object);
  g_free (row);
}

static void
free_prompt (gpointer data)
{
  PostbagPrompt *prompt = data;

  g_clear_pointer (&prompt->schema, postbag_schema_unref);
  json_object_unref (prompt->object);
  g_free (prompt);
}

/* (nullable) */
static JsonArray *
get_own_array (JsonObject *object, const char *name)
{
  JsonObject *own = NULL;
  JsonArray *array = NULL;

  if (postbag_json_get_object (object, OWN_KEY, &own))
    postbag_json_get_array (own, name, &array);
  return array;
}

static gboolean
get_own_boolean (JsonObject *object, const char *name)
{
  JsonObject *own = NULL;
  gboolean value = FALSE;

  return postbag_json_get_object (object, OWN_KEY, &own)
         && postbag_json_get_boolean (own, name, &value) && value;
}

static gboolean
holds_string (JsonArray *array, const char *text)
{
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      if (g_strcmp0 (json_array_get_string_element (array, i), text) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Whether all tools that it names are on the surface. */
static gboolean
has_tools (PostbagSurface *surface, JsonObject *object)
{
  JsonArray *tools = get_own_array (object, "tools");

  for (guint i = 0; tools != NULL && i < json_array_get_length (tools); i++)
    {
      if (postbag_surface_find_tool (surface, json_array_get_string_element (tools, i)) == NULL)
        return FALSE;
    }
  return TRUE;
}

/* (transfer full) (nullable): %NULL when there is none, or, with a warning, none that is usable */
static JsonObject *
read_file (PostbagToolset *toolset, const char *name)
{
  g_autofree char *path = g_build_filename (postbag_toolset_get_schema_dir (toolset), name, NULL);
  g_autoptr (GError) error = NULL;
  JsonObject *object;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    return NULL;
  object = postbag_definition_read_file (path, &error);
  if (object == NULL)
    g_warning ("%s", error->message);
  return object;
}

/* --- resources --- */

static void
add_row (PostbagCatalog *self, PostbagToolset *toolset, JsonObject *object, const char *uri_key,
         GPtrArray *rows)
{
  PostbagResourceRow *row = g_new0 (PostbagResourceRow, 1);

  row->toolset = toolset;
  row->object = json_object_ref (object);
  if (!postbag_json_get_string (object, "name", &row->name)
      || !postbag_json_get_string (object, uri_key, &row->uri))
    {
      g_warning ("A resource of “%s” has no name or no %s. Reinstall Postbag.",
                 postbag_toolset_get_name (toolset), uri_key);
      free_row (row);
      return;
    }
  row->lists = get_own_boolean (object, "list");
  row->watches = get_own_boolean (object, "watch");
  self->has_lists |= row->lists;
  self->has_watches |= row->watches;
  self->has_completions |= get_own_array (object, "complete") != NULL;
  g_ptr_array_add (rows, row);
}

static void
add_rows (PostbagCatalog *self, PostbagSurface *surface, PostbagToolset *toolset, JsonObject *file,
          const char *member, const char *uri_key, GPtrArray *rows)
{
  JsonArray *array = NULL;

  if (!postbag_json_get_array (file, member, &array))
    return;
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *node = json_array_get_element (array, i);

      if (JSON_NODE_HOLDS_OBJECT (node) && has_tools (surface, json_node_get_object (node)))
        add_row (self, toolset, json_node_get_object (node), uri_key, rows);
    }
}

static void
read_resources (PostbagCatalog *self, PostbagSurface *surface, PostbagToolset *toolset)
{
  g_autoptr (JsonObject) file = read_file (toolset, "resources.json");

  if (file == NULL)
    return;
  add_rows (self, surface, toolset, file, "resources", "uri", self->resources);
  add_rows (self, surface, toolset, file, "resourceTemplates", "uriTemplate", self->templates);
}

/* --- prompts --- */

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* (transfer full) (element-type utf8): sorted */
static GPtrArray *
list_prompt_files (PostbagToolset *toolset)
{
  g_autofree char *folder =
      g_build_filename (postbag_toolset_get_schema_dir (toolset), "prompts", NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && names->len < POSTBAG_LIMIT_MANIFEST_ENTRIES
         && (name = g_dir_read_name (dir)) != NULL)
    {
      if (g_str_has_suffix (name, ".json"))
        g_ptr_array_add (names, g_build_filename ("prompts", name, NULL));
    }
  g_ptr_array_sort (names, compare_names);
  return names;
}

/* Takes away the arguments that are not there with the toolset's settings: those whose `x-postbag`
 * is a condition that does not hold. */
static void
choose_arguments (PostbagToolset *toolset, JsonObject *prompt)
{
  PostbagSettings *settings = postbag_toolset_get_settings (toolset);
  JsonArray *array = NULL;

  if (!postbag_json_get_array (prompt, "arguments", &array))
    return;
  for (guint i = json_array_get_length (array); i > 0; i--)
    {
      JsonNode *node = json_array_get_element (array, i - 1);
      JsonObject *condition = NULL;

      if (JSON_NODE_HOLDS_OBJECT (node)
          && postbag_json_get_object (json_node_get_object (node), OWN_KEY, &condition)
          && !postbag_definition_holds (condition, settings))
        json_array_remove_element (array, i - 1);
    }
}

/* What its arguments have to be, and what stands for one that is left out. */
static void
read_rules (PostbagPrompt *prompt)
{
  JsonObject *own = NULL, *schema = NULL;
  g_autoptr (GError) error = NULL;

  if (!postbag_json_get_object (prompt->object, OWN_KEY, &own))
    return;
  postbag_json_get_object (own, "days_ago", &prompt->days_ago);
  if (!postbag_json_get_object (own, "schema", &schema))
    return;
  prompt->schema = postbag_schema_compile (json_object_get_member (own, "schema"),
                                           POSTBAG_SCHEMA_ASSERT_FORMAT, &error);
  if (prompt->schema == NULL)
    g_warning ("The schema of the prompt “%s” is broken: %s. Reinstall Postbag.", prompt->name,
               error->message);
}

static void
add_prompt (PostbagCatalog *self, PostbagToolset *toolset, JsonObject *object)
{
  PostbagPrompt *prompt = g_new0 (PostbagPrompt, 1);

  prompt->toolset = toolset;
  prompt->object = json_object_ref (object);
  if (!postbag_json_get_string (object, "name", &prompt->name)
      || postbag_catalog_find_prompt (self, prompt->name) != NULL)
    {
      g_warning ("A prompt of “%s” has no name of its own. Reinstall Postbag.",
                 postbag_toolset_get_name (toolset));
      free_prompt (prompt);
      return;
    }
  choose_arguments (toolset, object);
  prompt->messages = get_own_array (object, "messages");
  read_rules (prompt);
  self->has_completions |= get_own_array (object, "complete") != NULL;
  g_ptr_array_add (self->prompts, prompt);
}

static void
read_prompts (PostbagCatalog *self, PostbagSurface *surface, PostbagToolset *toolset)
{
  g_autoptr (GPtrArray) names = list_prompt_files (toolset);

  for (guint i = 0; i < names->len; i++)
    {
      g_autoptr (JsonObject) object = read_file (toolset, names->pdata[i]);

      if (object != NULL && has_tools (surface, object))
        add_prompt (self, toolset, object);
    }
}

static void
read_features (PostbagCatalog *self, PostbagToolset *toolset)
{
  g_autoptr (JsonObject) file = read_file (toolset, "features.json");
  JsonArray *lists = NULL;
  gboolean logs = FALSE;

  if (file == NULL)
    return;
  self->logs |= postbag_json_get_boolean (file, "logging", &logs) && logs;
  postbag_json_get_array (file, "listChanged", &lists);
  for (int i = 0; i < POSTBAG_LIST_N; i++)
    self->list_changes[i] |= holds_string (lists, list_words[i]);
}

/* --- the whole --- */

PostbagCatalog *
postbag_catalog_load (PostbagSurface *surface)
{
  PostbagCatalog *self = g_new0 (PostbagCatalog, 1);
  GPtrArray *toolsets = postbag_surface_get_toolsets (surface);

  self->resources = g_ptr_array_new_with_free_func (free_row);
  self->templates = g_ptr_array_new_with_free_func (free_row);
  self->prompts = g_ptr_array_new_with_free_func (free_prompt);
  for (guint i = 0; i < toolsets->len; i++)
    {
      read_resources (self, surface, toolsets->pdata[i]);
      read_prompts (self, surface, toolsets->pdata[i]);
      read_features (self, toolsets->pdata[i]);
    }
  return self;
}

void
postbag_catalog_free (PostbagCatalog *self)
{
  g_ptr_array_unref (self->resources);
  g_ptr_array_unref (self->templates);
  g_ptr_array_unref (self->prompts);
  g_free (self);
}

const PostbagPrompt *
postbag_catalog_find_prompt (const PostbagCatalog *self, const char *name)
{
  for (guint i = 0; i < self->prompts->len; i++)
    {
      const PostbagPrompt *prompt = self->prompts->pdata[i];

      if (strcmp (prompt->name, name) == 0)
        return prompt;
    }
  return NULL;
}

const PostbagResourceRow *
postbag_catalog_find_template (const PostbagCatalog *self, const char *uri_template)
{
  for (guint i = 0; i < self->templates->len; i++)
    {
      const PostbagResourceRow *row = self->templates->pdata[i];

      if (strcmp (row->uri, uri_template) == 0)
        return row;
    }
  return NULL;
}

static const PostbagResourceRow *
match_rows (GPtrArray *rows, const char *uri, PostbagResourceUri **match)
{
  for (guint i = 0; i < rows->len; i++)
    {
      const PostbagResourceRow *row = rows->pdata[i];
      g_autoptr (PostbagResourceUri) found = postbag_resource_uri_match (uri, row->uri);

      if (found == NULL)
        continue;
      if (match != NULL)
        *match = g_steal_pointer (&found);
      return row;
    }
  return NULL;
}

const PostbagResourceRow *
postbag_catalog_match (const PostbagCatalog *self, const char *uri, PostbagResourceUri **match)
{
  const PostbagResourceRow *row = match_rows (self->resources, uri, match);

  return row != NULL ? row : match_rows (self->templates, uri, match);
}

gboolean
postbag_catalog_completes (JsonObject *object, const char *argument)
{
  return holds_string (get_own_array (object, "complete"), argument);
}
