/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-definition-private.h"

#include "base/postbag-error.h"
#include "json/postbag-json.h"

#define OWN_PREFIX "x-postbag"

struct _PostbagDefinition
{
  char *tool;
  JsonObject *root; /* conditions applied; our own keywords still inside */
  PostbagSchema *input;
  PostbagSchema *output; /* (nullable) */
  GBytes *json[POSTBAG_REVISION_N];
};

static gboolean
check_shape (PostbagDefinition *self, GError **error)
{
  const char *name = NULL, *type = NULL;
  JsonObject *input = NULL;

  if (postbag_json_get_string (self->root, "name", &name) && g_str_equal (name, self->tool)
      && postbag_json_get_object (self->root, "inputSchema", &input)
      && postbag_json_get_string (input, "type", &type) && g_str_equal (type, "object"))
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "The definition of “%s” has another name or no inputSchema of type “object”. "
               "Reinstall Postbag.",
               self->tool);
  return FALSE;
}

gboolean
postbag_definition_holds (JsonObject *condition, PostbagSettings *settings)
{
  const char *setting = NULL, *wanted = NULL, *value = NULL;

  if (!postbag_json_get_string (condition, "setting", &setting)
      || !postbag_json_get_string (condition, "is", &wanted))
    return FALSE;
  if (settings != NULL && postbag_settings_is_known (settings, setting))
    value = postbag_settings_get_string (settings, setting);
  if (g_str_equal (wanted, "set"))
    return value != NULL;
  if (g_str_equal (wanted, "unset"))
    return value == NULL;
  return g_strcmp0 (value, wanted) == 0;
}

/* An object is laid over the one that is there, member by member; anything else takes its place.
 * Definitions are ours and were read with a bound on depth. */
static void
apply_overlay (JsonObject *root, const char *name, JsonNode *value)
{
  JsonObject *below = NULL;
  JsonObjectIter iter;
  const char *member;
  JsonNode *node;

  if (!JSON_NODE_HOLDS_OBJECT (value) || !postbag_json_get_object (root, name, &below))
    {
      json_object_set_member (root, name, json_node_copy (value));
      return;
    }
  json_object_iter_init_ordered (&iter, json_node_get_object (value));
  while (json_object_iter_next_ordered (&iter, &member, &node))
    apply_overlay (below, member, node);
}

static void
apply_condition (JsonObject *root, JsonObject *condition)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;

  json_object_iter_init_ordered (&iter, condition);
  while (json_object_iter_next_ordered (&iter, &name, &value))
    {
      if (!g_str_equal (name, "setting") && !g_str_equal (name, "is"))
        apply_overlay (root, name, value);
    }
}

static void
apply_conditions (JsonObject *root, PostbagSettings *settings)
{
  JsonObject *own = NULL;
  JsonArray *conditions = NULL;

  if (!postbag_json_get_object (root, OWN_PREFIX, &own)
      || !postbag_json_get_array (own, "when", &conditions))
    return;
  for (guint i = 0; i < json_array_get_length (conditions); i++)
    {
      JsonNode *node = json_array_get_element (conditions, i);

      if (JSON_NODE_HOLDS_OBJECT (node)
          && postbag_definition_holds (json_node_get_object (node), settings))
        apply_condition (root, json_node_get_object (node));
    }
}

PostbagDefinition *
postbag_definition_load (const char *schema_dir, const char *tool, PostbagSettings *settings,
                         GError **error)
{
  g_autoptr (PostbagDefinition) self = g_new0 (PostbagDefinition, 1);
  g_autofree char *file = g_strconcat (tool, ".json", NULL);
  g_autofree char *path = g_build_filename (schema_dir, file, NULL);

  self->tool = g_strdup (tool);
  self->root = postbag_definition_read_file (path, error);
  if (self->root == NULL || !check_shape (self, error))
    return NULL;
  apply_conditions (self->root, settings);
  return g_steal_pointer (&self);
}

void
postbag_definition_free (PostbagDefinition *self)
{
  g_free (self->tool);
  g_clear_pointer (&self->root, json_object_unref);
  g_clear_pointer (&self->input, postbag_schema_unref);
  g_clear_pointer (&self->output, postbag_schema_unref);
  for (int i = 0; i < POSTBAG_REVISION_N; i++)
    g_clear_pointer (&self->json[i], g_bytes_unref);
  g_free (self);
}

static void
write_arguments (PostbagJsonWriter *writer, JsonArray *arguments, PostbagRevision revision)
{
  postbag_json_writer_begin_array (writer);
  for (guint i = 0; i < json_array_get_length (arguments); i++)
    postbag_definition_write_object (writer, json_array_get_object_element (arguments, i),
                                     POSTBAG_OBJECT_PROMPT_ARGUMENT, revision);
  postbag_json_writer_end_array (writer);
}

void
postbag_definition_write_object (PostbagJsonWriter *writer, JsonObject *object,
                                 PostbagRevisionObject kind, PostbagRevision revision)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;

  postbag_json_writer_begin_object (writer);
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &value))
    {
      if (!postbag_revision_has_member (revision, kind, name))
        continue;
      postbag_json_writer_key (writer, name);
      if (kind == POSTBAG_OBJECT_PROMPT && JSON_NODE_HOLDS_ARRAY (value)
          && g_str_equal (name, "arguments"))
        write_arguments (writer, json_node_get_array (value), revision);
      else
        postbag_json_writer_node_without (writer, value, OWN_PREFIX);
    }
  postbag_json_writer_end_object (writer);
}

GBytes *
postbag_definition_get_json (PostbagDefinition *self, PostbagRevision revision)
{
  g_autoptr (PostbagJsonWriter) writer = NULL;

  if (self->json[revision] != NULL)
    return self->json[revision];
  writer = postbag_json_writer_new ();
  postbag_definition_write_object (writer, self->root, POSTBAG_OBJECT_TOOL, revision);
  self->json[revision] = postbag_json_writer_finish (writer);
  return self->json[revision];
}

static PostbagSchema *
compile_member (PostbagDefinition *self, const char *name, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  PostbagSchema *schema = postbag_schema_compile (json_object_get_member (self->root, name),
                                                  POSTBAG_SCHEMA_ASSERT_FORMAT, &local_error);

  if (schema == NULL)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
                 "The %s of “%s” is not usable: %s Reinstall Postbag.", name, self->tool,
                 local_error->message);
  return schema;
}

gboolean
postbag_definition_get_schemas (PostbagDefinition *self, PostbagSchema **input,
                                PostbagSchema **output, GError **error)
{
  if (self->input == NULL)
    self->input = compile_member (self, "inputSchema", error);
  if (self->input == NULL)
    return FALSE;
  if (self->output == NULL && json_object_has_member (self->root, "outputSchema"))
    {
      self->output = compile_member (self, "outputSchema", error);
      if (self->output == NULL)
        return FALSE;
    }
  *input = self->input;
  if (output != NULL)
    *output = self->output;
  return TRUE;
}
