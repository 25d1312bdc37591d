/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Mending of arguments. A value that fits is left alone; one of the wrong type is replaced only by
 * something that says the same and then fits its subschema. An answer of consent is what the caller
 * wrote, or nothing. */

#include "json/postbag-schema-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "json/postbag-json.h"

static JsonNode *mend (const PostbagSubschema *schema, JsonNode *value, guint depth);

/* --- what a subschema says --- */

/* Behind `$ref`; sets @exact when one on the way is. */
static const PostbagSubschema *
follow (const PostbagSubschema *schema, gboolean *exact)
{
  *exact = schema->exact;
  for (guint i = 0; schema->reference != NULL && schema->types == 0; i++)
    {
      if (i == POSTBAG_LIMIT_SCHEMA_DEPTH)
        break;
      schema = schema->reference;
      *exact |= schema->exact;
    }
  return schema;
}

static guint
collect_constant_types (const PostbagSubschema *schema)
{
  guint types = 0;

  if (schema->constant != NULL)
    return postbag_value_get_types (schema->constant);
  for (guint i = 0; schema->enumeration != NULL && i < json_array_get_length (schema->enumeration);
       i++)
    types |= postbag_value_get_types (json_array_get_element (schema->enumeration, i));
  return types;
}

static guint
collect_branch_types (const GPtrArray *branches)
{
  guint types = 0;

  for (guint i = 0; branches != NULL && i < branches->len; i++)
    {
      gboolean exact;
      const PostbagSubschema *branch = follow (g_ptr_array_index (branches, i), &exact);
      guint own = branch->types != 0 ? branch->types : collect_constant_types (branch);

      if (own == 0 || exact)
        return 0;
      types |= own;
    }
  return types;
}

/* The types that @schema takes, 0 where it does not say. */
static guint
collect_types (const PostbagSubschema *schema)
{
  if (schema->types != 0)
    return schema->types;
  if (schema->any_of != NULL)
    return collect_branch_types (schema->any_of);
  if (schema->one_of != NULL)
    return collect_branch_types (schema->one_of);
  return collect_constant_types (schema);
}

static gboolean
is_required (const PostbagSubschema *schema, const char *name)
{
  for (guint i = 0; schema->required != NULL && i < json_array_get_length (schema->required); i++)
    {
      if (strcmp (json_array_get_string_element (schema->required, i), name) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Whether an answer of consent is a member of what @schema describes. */
static gboolean
has_exact_member (const PostbagSubschema *schema)
{
  GHashTableIter iter;
  gpointer property;

  if (schema->properties == NULL)
    return FALSE;
  g_hash_table_iter_init (&iter, schema->properties);
  while (g_hash_table_iter_next (&iter, NULL, &property))
    {
      gboolean exact;

      follow (property, &exact);
      if (exact)
        return TRUE;
    }
  return FALSE;
}

/* --- one value: each returns (transfer full) (nullable), NULL where there is nothing to mend ---
 */

static JsonNode *
mend_number (JsonNode *value, guint types)
{
  gint64 number;

  if (json_node_get_value_type (value) != G_TYPE_DOUBLE || (types & POSTBAG_VALUE_INTEGER) == 0
      || (types & POSTBAG_VALUE_NUMBER) != 0 || !postbag_json_node_get_int (value, &number))
    return NULL;
  return json_node_init_int (json_node_alloc (), number);
}

/* Takes the mended candidate if it fits. */
static JsonNode *
accept (const PostbagSubschema *schema, JsonNode *candidate, guint depth)
{
  g_autoptr (JsonNode) mended = mend (schema, candidate, depth + 1);
  JsonNode *result = mended != NULL ? mended : candidate;

  return postbag_subschema_validate (schema, result, NULL) ? json_node_ref (result) : NULL;
}

/* "5", "true", "[1,2]": JSON that was wrapped in a string. */
static JsonNode *
mend_string (const PostbagSubschema *schema, JsonNode *value, guint types, guint depth)
{
  const char *text = json_node_get_string (value);
  g_autoptr (PostbagJsonDocument) document = postbag_json_parse (
      text, strlen (text), POSTBAG_LIMIT_LINE_BYTES, POSTBAG_JSON_DEFAULT, NULL);
  JsonNode *root;

  if (document == NULL)
    return NULL;
  root = postbag_json_document_get_root (document);
  if ((postbag_value_get_types (root) & types) == 0
      || postbag_json_document_has_flagged (document, root)
      || (JSON_NODE_HOLDS_OBJECT (root) && has_exact_member (schema)))
    return NULL;
  return accept (schema, root, depth);
}

static JsonNode *
mend_to_list (const PostbagSubschema *schema, JsonNode *value, guint depth)
{
  g_autoptr (JsonNode) list = json_node_alloc ();
  JsonArray *array = json_array_new ();

  json_array_add_element (array, json_node_ref (value));
  json_node_init (list, JSON_NODE_ARRAY);
  json_node_take_array (list, array);
  return accept (schema, list, depth);
}

static JsonNode *
mend_array (const PostbagSubschema *schema, JsonArray *array, guint depth)
{
  g_autoptr (JsonArray) copy = json_array_new ();
  gboolean changed = FALSE;
  JsonNode *node;

  if (schema->items == NULL || schema->prefix_items != NULL)
    return NULL;
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *entry = json_array_get_element (array, i);
      JsonNode *mended = mend (schema->items, entry, depth + 1);

      changed |= mended != NULL;
      json_array_add_element (copy, mended != NULL ? mended : json_node_ref (entry));
    }
  if (!changed)
    return NULL;
  node = json_node_alloc ();
  return json_node_init_array (node, copy);
}

/* Whether a null member @name says "absent". */
static gboolean
is_left_out (const PostbagSubschema *schema, const PostbagSubschema *property, const char *name,
             JsonNode *value)
{
  gboolean exact;

  if (!JSON_NODE_HOLDS_NULL (value) || is_required (schema, name))
    return FALSE;
  follow (property, &exact);
  return !exact && !postbag_subschema_validate (property, value, NULL);
}

static JsonNode *
mend_object (const PostbagSubschema *schema, JsonObject *object, guint depth)
{
  g_autoptr (JsonObject) copy = json_object_new ();
  gboolean changed = FALSE;
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;

  if (schema->properties == NULL)
    return NULL;
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &member))
    {
      const PostbagSubschema *property = g_hash_table_lookup (schema->properties, name);
      JsonNode *mended = NULL;

      if (property != NULL && is_left_out (schema, property, name, member))
        {
          changed = TRUE;
          continue;
        }
      if (property != NULL)
        mended = mend (property, member, depth + 1);
      changed |= mended != NULL;
      json_object_set_member (copy, name, mended != NULL ? mended : json_node_ref (member));
    }
  return changed ? json_node_init_object (json_node_alloc (), copy) : NULL;
}

static JsonNode *
mend_wrong_type (const PostbagSubschema *schema, JsonNode *value, guint types, guint depth)
{
  JsonNode *mended = NULL;

  if (postbag_value_get_types (value) == POSTBAG_VALUE_STRING)
    mended = mend_string (schema, value, types, depth);
  if (mended == NULL && (types & POSTBAG_VALUE_ARRAY) != 0 && !JSON_NODE_HOLDS_NULL (value)
      && !JSON_NODE_HOLDS_ARRAY (value))
    mended = mend_to_list (schema, value, depth);
  return mended;
}

/* Returns: (transfer full) (nullable): what to put in the place of @value; %NULL: leave it */
static JsonNode *
mend (const PostbagSubschema *schema, JsonNode *value, guint depth)
{
  gboolean exact;
  guint types;

  schema = follow (schema, &exact);
  if (exact || depth > POSTBAG_LIMIT_SCHEMA_DEPTH)
    return NULL;
  types = collect_types (schema);
  if (types != 0 && (types & postbag_value_get_types (value)) == 0)
    return mend_wrong_type (schema, value, types, depth);
  if (JSON_NODE_HOLDS_OBJECT (value))
    return mend_object (schema, json_node_get_object (value), depth);
  if (JSON_NODE_HOLDS_ARRAY (value))
    return mend_array (schema, json_node_get_array (value), depth);
  return JSON_NODE_HOLDS_VALUE (value) ? mend_number (value, types) : NULL;
}

JsonNode *
postbag_schema_mend (PostbagSchema *self, JsonNode *value)
{
  JsonNode *mended = JSON_NODE_HOLDS_OBJECT (value) ? mend (self->top, value, 0) : NULL;

  return mended != NULL ? mended : json_node_ref (value);
}
