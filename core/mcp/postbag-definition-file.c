/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads a definition file and flattens it: `{"$ref": "../shared/uid.json"}` becomes what that file
 * holds, so that what clients see and what the validator compiles is one document. The files are
 * installed ones, so nothing is confined here, but loops and sizes are bounded all the same. */

#include "mcp/postbag-definition-private.h"

#include <gio/gio.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "json/postbag-json.h"

typedef struct
{
  guint files;   /* opened so far, the outermost included */
  GError *error; /* first failure */
} Flattening;

static JsonNode *flatten_node (Flattening *state, JsonNode *node, const char *path);

static PostbagJsonDocument *
parse_file (const char *path, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  g_autofree char *text = NULL;
  PostbagJsonDocument *document;
  gsize length;

  if (!g_file_get_contents (path, &text, &length, &local_error))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
                   "Cannot read a tool definition: %s. Reinstall Postbag.", local_error->message);
      return NULL;
    }
  document = postbag_json_parse (text, length, POSTBAG_LIMIT_SCHEMA_BYTES, POSTBAG_JSON_DEFAULT,
                                 &local_error);
  if (document == NULL)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
                 "The tool definition “%s” is not usable: %s Reinstall Postbag.", path,
                 local_error->message);
  return document;
}

/* (transfer full) (nullable): the value of the file that @reference names, flattened. */
static JsonNode *
load_reference (Flattening *state, const char *reference, const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *target = g_canonicalize_filename (reference, folder);
  g_autoptr (PostbagJsonDocument) document = NULL;

  if (++state->files > POSTBAG_LIMIT_SCHEMA_DEPTH)
    {
      g_set_error (&state->error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
                   "The tool definition “%s” refers to too many files. Reinstall Postbag.", path);
      return NULL;
    }
  document = parse_file (target, &state->error);
  if (document == NULL)
    return NULL;
  return flatten_node (state, postbag_json_document_get_root (document), target);
}

static void
merge_members (Flattening *state, JsonObject *from, JsonObject *into, const char *path)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;

  json_object_iter_init_ordered (&iter, from);
  while (state->error == NULL && json_object_iter_next_ordered (&iter, &name, &value))
    {
      JsonNode *flat;

      if (g_str_equal (name, "$ref") && !JSON_NODE_HOLDS_NULL (value)
          && json_node_get_value_type (value) == G_TYPE_STRING
          && json_node_get_string (value)[0] != '#')
        continue;
      flat = flatten_node (state, value, path);
      if (flat != NULL)
        json_object_set_member (into, name, flat);
    }
}

static JsonNode *
flatten_object (Flattening *state, JsonObject *object, const char *path)
{
  g_autoptr (JsonNode) target = NULL;
  g_autoptr (JsonObject) flat = json_object_new ();
  const char *reference = NULL;
  JsonNode *node;

  if (postbag_json_get_string (object, "$ref", &reference) && reference[0] != '#')
    {
      target = load_reference (state, reference, path);
      if (target == NULL)
        return NULL;
      if (!JSON_NODE_HOLDS_OBJECT (target))
        return g_steal_pointer (&target);
      g_clear_pointer (&flat, json_object_unref);
      flat = json_node_dup_object (target);
    }
  merge_members (state, object, flat, path);
  node = json_node_new (JSON_NODE_OBJECT);
  json_node_set_object (node, flat);
  return node;
}

static JsonNode *
flatten_array (Flattening *state, JsonArray *array, const char *path)
{
  g_autoptr (JsonArray) flat = json_array_new ();
  guint length = json_array_get_length (array);
  JsonNode *node;

  for (guint i = 0; i < length && state->error == NULL; i++)
    {
      JsonNode *element = flatten_node (state, json_array_get_element (array, i), path);

      if (element != NULL)
        json_array_add_element (flat, element);
    }
  node = json_node_new (JSON_NODE_ARRAY);
  json_node_set_array (node, flat);
  return node;
}

/* Depth is bounded by the reader's and by the number of files. */
static JsonNode *
flatten_node (Flattening *state, JsonNode *node, const char *path)
{
  if (state->error != NULL)
    return NULL;
  if (JSON_NODE_HOLDS_OBJECT (node))
    return flatten_object (state, json_node_get_object (node), path);
  if (JSON_NODE_HOLDS_ARRAY (node))
    return flatten_array (state, json_node_get_array (node), path);
  return json_node_copy (node);
}

JsonObject *
postbag_definition_read_file (const char *path, GError **error)
{
  Flattening state = { .files = 1 };
  g_autoptr (PostbagJsonDocument) document = parse_file (path, error);
  g_autoptr (JsonNode) flat = NULL;

  if (document == NULL)
    return NULL;
  flat = flatten_node (&state, postbag_json_document_get_root (document), path);
  if (state.error != NULL)
    {
      g_propagate_error (error, state.error);
      return NULL;
    }
  if (!JSON_NODE_HOLDS_OBJECT (flat))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
                   "The tool definition “%s” is not an object. Reinstall Postbag.", path);
      return NULL;
    }
  return json_node_dup_object (flat);
}
