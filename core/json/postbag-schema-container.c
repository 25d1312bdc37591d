/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Objects and arrays: their members and entries, each judged at most once by every keyword. */

#include "json/postbag-schema-evaluation-private.h"

#include <string.h>

#include "base/postbag-limits.h"

/* How far names for "did you mean" are looked for in applicators. */
#define MAX_NAME_DEPTH 4

/* --- objects --- */

static gboolean
check_required (const PostbagEvaluation *context, JsonArray *names, JsonObject *object,
                const char *because)
{
  gboolean valid = TRUE;

  for (guint i = 0; names != NULL && i < json_array_get_length (names); i++)
    {
      const char *name = json_array_get_string_element (names, i);
      PostbagPlace place = { .parent = context->place, .name = name };

      if (json_object_has_member (object, name))
        continue;
      if (because == NULL)
        postbag_problems_add (context->problems, &place, "required, but missing");
      else
        postbag_problems_add (context->problems, &place, "required together with “%s”, but missing",
                              because);
      valid = FALSE;
    }
  return valid;
}

static gboolean
check_dependent_required (const PostbagEvaluation *context, const PostbagSubschema *schema,
                          JsonObject *object)
{
  gboolean valid = TRUE;
  JsonObjectIter iter;
  const char *name;
  JsonNode *names;

  if (schema->dependent_required == NULL)
    return TRUE;
  json_object_iter_init_ordered (&iter, schema->dependent_required);
  while (json_object_iter_next_ordered (&iter, &name, &names))
    {
      if (json_object_has_member (object, name))
        valid = check_required (context, json_node_get_array (names), object, name) && valid;
    }
  return valid;
}

static void
collect_names (const PostbagSubschema *schema, guint depth, GPtrArray *names)
{
  const GPtrArray *lists[] = { schema->all_of, schema->any_of, schema->one_of };
  const PostbagSubschema *others[] = { schema->reference, schema->then_schema,
                                       schema->else_schema };
  GHashTableIter iter;
  gpointer name;

  if (schema->properties != NULL)
    {
      g_hash_table_iter_init (&iter, schema->properties);
      while (g_hash_table_iter_next (&iter, &name, NULL))
        g_ptr_array_add (names, name);
    }
  if (depth == MAX_NAME_DEPTH)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      if (others[i] != NULL)
        collect_names (others[i], depth + 1, names);
    }
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      for (guint j = 0; lists[i] != NULL && j < lists[i]->len; j++)
        collect_names (g_ptr_array_index (lists[i], j), depth + 1, names);
    }
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static void
report_unknown (const PostbagEvaluation *context, const PostbagSubschema *schema, const char *name)
{
  g_autoptr (GPtrArray) known = g_ptr_array_new ();
  g_autofree char *text = NULL;

  if (context->problems == NULL)
    return;
  collect_names (schema, 0, known);
  g_ptr_array_sort (known, compare_names);
  text = postbag_problems_describe_unknown (context->place, name, known);
  postbag_problems_add (context->problems, context->place, "%s", text);
}

/* A member that `additionalProperties` or `unevaluatedProperties` (@rest) decides about. */
static gboolean
check_rest_member (const PostbagEvaluation *context, const PostbagSubschema *schema,
                   const PostbagSubschema *rest, const char *name, JsonNode *value)
{
  if (rest->always != 0)
    return postbag_evaluate_member (context, rest, name, value);
  report_unknown (context, schema, name);
  return FALSE;
}

static gboolean
check_member (const PostbagEvaluation *context, const PostbagSubschema *schema, const char *name,
              JsonNode *value, PostbagMarks *marks)
{
  const PostbagSubschema *property =
      schema->properties != NULL ? g_hash_table_lookup (schema->properties, name) : NULL;
  gboolean valid = property == NULL || postbag_evaluate_member (context, property, name, value);
  gboolean known = property != NULL;

  for (guint i = 0; schema->pattern_properties != NULL && i < schema->pattern_properties->len; i++)
    {
      const PostbagPatternProperty *pattern =
          &g_array_index (schema->pattern_properties, PostbagPatternProperty, i);

      if (!postbag_evaluation_matches (context, pattern->regex, name))
        continue;
      known = TRUE;
      valid = postbag_evaluate_member (context, pattern->schema, name, value) && valid;
    }
  if (!known && schema->additional_properties != NULL)
    {
      known = TRUE;
      valid = check_rest_member (context, schema, schema->additional_properties, name, value);
    }
  if (known)
    postbag_marks_add_name (marks, name);
  return valid;
}

static gboolean
check_member_name (const PostbagEvaluation *context, const PostbagSubschema *schema,
                   const char *name)
{
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *quoted = NULL;

  if (schema->property_names == NULL)
    return TRUE;
  node = json_node_init_string (json_node_alloc (), name);
  if (postbag_evaluate_aside (context, schema->property_names, node, NULL, NULL))
    return TRUE;
  quoted = postbag_problems_quote (name);
  postbag_problems_add (context->problems, context->place, "the name “%s” is not allowed here",
                        quoted);
  return FALSE;
}

static gboolean
check_members (const PostbagEvaluation *context, const PostbagSubschema *schema, JsonObject *object,
               PostbagMarks *marks)
{
  gboolean valid = TRUE;
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;

  if (schema->properties == NULL && schema->pattern_properties == NULL
      && schema->additional_properties == NULL && schema->property_names == NULL)
    return TRUE;
  json_object_iter_init_ordered (&iter, object);
  while (postbag_evaluation_goes_on (context, valid)
         && json_object_iter_next_ordered (&iter, &name, &value))
    {
      valid = check_member_name (context, schema, name) && valid;
      valid = check_member (context, schema, name, value, marks) && valid;
    }
  return valid;
}

gboolean
postbag_check_object (const PostbagEvaluation *context, const PostbagSubschema *schema,
                      JsonNode *value, PostbagMarks *marks)
{
  JsonObject *object;
  gboolean valid;

  if (!JSON_NODE_HOLDS_OBJECT (value))
    return TRUE;
  object = json_node_get_object (value);
  valid = postbag_check_count (context, schema->min_properties, schema->max_properties,
                               json_object_get_size (object), "member", "members");
  valid = check_required (context, schema->required, object, NULL) && valid;
  valid = check_dependent_required (context, schema, object) && valid;
  return check_members (context, schema, object, marks) && valid;
}

/* --- arrays --- */

static gboolean
check_entries (const PostbagEvaluation *context, const PostbagSubschema *schema, JsonArray *array,
               PostbagMarks *marks)
{
  guint length = json_array_get_length (array);
  guint prefix = schema->prefix_items != NULL ? MIN (schema->prefix_items->len, length) : 0;
  gboolean valid = TRUE;

  for (guint i = 0; i < prefix && postbag_evaluation_goes_on (context, valid); i++)
    valid = postbag_evaluate_entry (context, g_ptr_array_index (schema->prefix_items, i), i,
                                    json_array_get_element (array, i))
            && valid;
  postbag_marks_add_items (marks, prefix);
  if (schema->items == NULL)
    return valid;
  for (guint i = prefix; i < length && postbag_evaluation_goes_on (context, valid); i++)
    valid = postbag_evaluate_entry (context, schema->items, i, json_array_get_element (array, i))
            && valid;
  postbag_marks_add_items (marks, length);
  return valid;
}

static gboolean
check_contains (const PostbagEvaluation *context, const PostbagSubschema *schema, JsonArray *array,
                PostbagMarks *marks)
{
  gint64 found = 0;

  if (schema->contains == NULL)
    return TRUE;
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      if (!postbag_evaluate_aside (context, schema->contains, json_array_get_element (array, i),
                                   NULL, NULL))
        continue;
      found++;
      postbag_marks_add_index (marks, i);
    }
  return postbag_check_count (context, schema->min_contains >= 0 ? schema->min_contains : 1,
                              schema->max_contains, found, "entry of the kind that is asked for",
                              "entries of the kind that is asked for");
}

static gboolean
check_unique (const PostbagEvaluation *context, const PostbagSubschema *schema, JsonArray *array)
{
  guint first, second;

  if (!schema->unique_items || !postbag_value_find_equal (array, &first, &second))
    return TRUE;
  postbag_problems_add (context->problems, context->place,
                        "entries %u and %u are equal; give each only once", first, second);
  return FALSE;
}

gboolean
postbag_check_array (const PostbagEvaluation *context, const PostbagSubschema *schema,
                     JsonNode *value, PostbagMarks *marks)
{
  JsonArray *array;
  gboolean valid;

  if (!JSON_NODE_HOLDS_ARRAY (value))
    return TRUE;
  array = json_node_get_array (value);
  /* A list that is too long is not looked into. */
  if (!postbag_check_count (context, schema->min_items, schema->max_items,
                            json_array_get_length (array), "entry", "entries"))
    return FALSE;
  valid = check_entries (context, schema, array, marks);
  if (postbag_evaluation_goes_on (context, valid))
    valid = check_contains (context, schema, array, marks) && valid;
  return postbag_evaluation_goes_on (context, valid) && check_unique (context, schema, array)
         && valid;
}

/* --- what nobody has judged yet --- */

static gboolean
check_unevaluated_members (const PostbagEvaluation *context, const PostbagSubschema *schema,
                           JsonObject *object, PostbagMarks *marks)
{
  gboolean valid = TRUE;
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;

  json_object_iter_init_ordered (&iter, object);
  while (postbag_evaluation_goes_on (context, valid)
         && json_object_iter_next_ordered (&iter, &name, &value))
    {
      if (marks->names != NULL && g_hash_table_contains (marks->names, name))
        continue;
      valid =
          check_rest_member (context, schema, schema->unevaluated_properties, name, value) && valid;
      postbag_marks_add_name (marks, name);
    }
  return valid;
}

static gboolean
check_unevaluated_entries (const PostbagEvaluation *context, const PostbagSubschema *schema,
                           JsonArray *array, PostbagMarks *marks)
{
  guint length = json_array_get_length (array);
  gboolean valid = TRUE;

  for (guint i = marks->items; i < length && postbag_evaluation_goes_on (context, valid); i++)
    {
      if (marks->indices != NULL && g_hash_table_contains (marks->indices, GUINT_TO_POINTER (i)))
        continue;
      valid = postbag_evaluate_entry (context, schema->unevaluated_items, i,
                                      json_array_get_element (array, i))
              && valid;
    }
  postbag_marks_add_items (marks, length);
  return valid;
}

gboolean
postbag_check_unevaluated (const PostbagEvaluation *context, const PostbagSubschema *schema,
                           JsonNode *value, PostbagMarks *marks)
{
  if (schema->unevaluated_properties != NULL && JSON_NODE_HOLDS_OBJECT (value))
    return check_unevaluated_members (context, schema, json_node_get_object (value), marks);
  if (schema->unevaluated_items != NULL && JSON_NODE_HOLDS_ARRAY (value))
    return check_unevaluated_entries (context, schema, json_node_get_array (value), marks);
  return TRUE;
}
