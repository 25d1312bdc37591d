/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/postbag-json-private.h"

#include <math.h>

PostbagJsonDocument *
postbag_json_document_new (void)
{
  PostbagJsonDocument *self = g_new0 (PostbagJsonDocument, 1);

  g_atomic_ref_count_init (&self->references);
  g_mutex_init (&self->mutex);
  self->raw = g_string_new (NULL);
  self->raw_entries = g_array_new (FALSE, FALSE, sizeof (PostbagJsonRaw));
  return self;
}

PostbagJsonDocument *
postbag_json_document_ref (PostbagJsonDocument *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
postbag_json_document_unref (PostbagJsonDocument *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_pointer (&self->root, json_node_unref);
  g_clear_pointer (&self->displaced, g_ptr_array_unref);
  g_clear_pointer (&self->flagged, g_hash_table_unref);
  g_clear_pointer (&self->index, g_hash_table_unref);
  g_array_unref (self->raw_entries);
  g_string_free (self->raw, TRUE);
  g_mutex_clear (&self->mutex);
  g_free (self);
}

JsonNode *
postbag_json_document_get_root (PostbagJsonDocument *self)
{
  return self->root;
}

gsize
postbag_json_document_get_weight (PostbagJsonDocument *self)
{
  return self->weight;
}

void
postbag_json_document_flag (PostbagJsonDocument *self, JsonNode *node)
{
  if (self->flagged == NULL)
    self->flagged = g_hash_table_new (NULL, NULL);
  g_hash_table_add (self->flagged, node);
}

static GHashTable *
build_index (PostbagJsonDocument *self)
{
  GHashTable *index = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < self->raw_entries->len; i++)
    {
      const PostbagJsonRaw *entry = &g_array_index (self->raw_entries, PostbagJsonRaw, i);

      g_hash_table_insert (index, entry->node, GSIZE_TO_POINTER (entry->offset));
    }
  return index;
}

static gboolean
is_number (JsonNode *node)
{
  GType type = json_node_get_value_type (node);

  return JSON_NODE_HOLDS_VALUE (node) && (type == G_TYPE_INT64 || type == G_TYPE_DOUBLE);
}

const char *
postbag_json_document_get_raw (PostbagJsonDocument *self, JsonNode *node)
{
  gpointer offset;
  gboolean found;

  if (!JSON_NODE_HOLDS_VALUE (node))
    return NULL;
  if (!is_number (node) && !postbag_json_document_is_flagged (self, node))
    return NULL;
  g_mutex_lock (&self->mutex);
  if (self->index == NULL)
    self->index = build_index (self);
  found = g_hash_table_lookup_extended (self->index, node, NULL, &offset);
  g_mutex_unlock (&self->mutex);
  return found ? self->raw->str + GPOINTER_TO_SIZE (offset) : NULL;
}

gboolean
postbag_json_document_is_flagged (PostbagJsonDocument *self, JsonNode *node)
{
  return self->flagged != NULL && g_hash_table_contains (self->flagged, node);
}

static void
push_children (GPtrArray *stack, JsonNode *node)
{
  JsonObjectIter iter;
  JsonNode *child;

  if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);

      for (guint i = 0; i < json_array_get_length (array); i++)
        g_ptr_array_add (stack, json_array_get_element (array, i));
    }
  else if (JSON_NODE_HOLDS_OBJECT (node))
    {
      json_object_iter_init (&iter, json_node_get_object (node));
      while (json_object_iter_next (&iter, NULL, &child))
        g_ptr_array_add (stack, child);
    }
}

gboolean
postbag_json_document_has_flagged (PostbagJsonDocument *self, JsonNode *node)
{
  g_autoptr (GPtrArray) stack = NULL;

  if (self->flagged == NULL)
    return FALSE;
  stack = g_ptr_array_new ();
  g_ptr_array_add (stack, node);
  while (stack->len > 0)
    {
      JsonNode *next = g_ptr_array_remove_index_fast (stack, stack->len - 1);

      if (postbag_json_document_is_flagged (self, next))
        return TRUE;
      push_children (stack, next);
    }
  return FALSE;
}

/* --- accessors --- */

static JsonNode *
find_value (JsonObject *object, const char *name, GType type)
{
  JsonNode *node = json_object_get_member (object, name);

  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != type)
    return NULL;
  return node;
}

gboolean
postbag_json_get_string (JsonObject *object, const char *name, const char **value)
{
  JsonNode *node = find_value (object, name, G_TYPE_STRING);

  if (node == NULL)
    return FALSE;
  *value = json_node_get_string (node);
  return TRUE;
}

static gboolean
is_integral (double number)
{
  return number >= -0x1p63 && number < 0x1p63 && trunc (number) == number;
}

gboolean
postbag_json_node_get_int (JsonNode *node, gint64 *value)
{
  if (!is_number (node))
    return FALSE;
  if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
    {
      if (!is_integral (json_node_get_double (node)))
        return FALSE;
      *value = (gint64)json_node_get_double (node);
      return TRUE;
    }
  *value = json_node_get_int (node);
  return TRUE;
}

gboolean
postbag_json_get_int (JsonObject *object, const char *name, gint64 *value)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && postbag_json_node_get_int (node, value);
}

gboolean
postbag_json_get_double (JsonObject *object, const char *name, double *value)
{
  JsonNode *node = json_object_get_member (object, name);

  if (node == NULL || !is_number (node))
    return FALSE;
  *value = json_node_get_double (node);
  return TRUE;
}

gboolean
postbag_json_get_boolean (JsonObject *object, const char *name, gboolean *value)
{
  JsonNode *node = find_value (object, name, G_TYPE_BOOLEAN);

  if (node == NULL)
    return FALSE;
  *value = json_node_get_boolean (node);
  return TRUE;
}

gboolean
postbag_json_get_object (JsonObject *object, const char *name, JsonObject **value)
{
  JsonNode *node = json_object_get_member (object, name);

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return FALSE;
  *value = json_node_get_object (node);
  return TRUE;
}

gboolean
postbag_json_get_array (JsonObject *object, const char *name, JsonArray **value)
{
  JsonNode *node = json_object_get_member (object, name);

  if (node == NULL || !JSON_NODE_HOLDS_ARRAY (node))
    return FALSE;
  *value = json_node_get_array (node);
  return TRUE;
}

const char *
postbag_json_type_name (JsonNode *node)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    return "object";
  if (JSON_NODE_HOLDS_ARRAY (node))
    return "array";
  if (!JSON_NODE_HOLDS_VALUE (node))
    return "null";
  switch (json_node_get_value_type (node))
    {
    case G_TYPE_BOOLEAN:
      return "boolean";
    case G_TYPE_INT64:
      return "integer";
    case G_TYPE_DOUBLE:
      return is_integral (json_node_get_double (node)) ? "integer" : "number";
    default:
      return "string";
    }
}
