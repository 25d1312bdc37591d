/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One table says for each keyword of JSON Schema 2020-12 (core, applicator, unevaluated,
 * validation and format vocabularies) how it is read. What is not in it is refused, since a keyword
 * that is ignored lets through what its author wanted kept out. */

#include "json/postbag-schema-compiler-private.h"

#include <string.h>

#include "json/postbag-json.h"

typedef struct
{
  const char *name;
  gboolean (*read) (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
                    JsonNode *value, gsize offset);
  gsize offset;     /* of the field in PostbagSubschema that the value goes to */
  gboolean asserts; /* it is of the validation vocabulary, which a dialect may leave out */
} Keyword;

#define FIELD(schema, offset, type) (*(type *)G_STRUCT_MEMBER_P (schema, offset))

/* --- subschemas --- */

static gboolean
read_schema (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
             JsonNode *value, gsize offset)
{
  PostbagSubschema *child = postbag_schema_compiler_add (self, schema, name, NULL, value);

  FIELD (schema, offset, PostbagSubschema *) = child;
  return child != NULL;
}

static gboolean
read_schema_list (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
                  JsonNode *value, gsize offset)
{
  GPtrArray *children = g_ptr_array_new ();
  JsonArray *array;

  FIELD (schema, offset, GPtrArray *) = children;
  if (!JSON_NODE_HOLDS_ARRAY (value) || json_array_get_length (json_node_get_array (value)) == 0)
    return postbag_schema_compiler_fail (self, schema, name, "a list of schemas is expected");
  array = json_node_get_array (value);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      g_autofree char *token = g_strdup_printf ("%u", i);
      PostbagSubschema *child = postbag_schema_compiler_add (self, schema, name, token,
                                                             json_array_get_element (array, i));

      if (child == NULL)
        return FALSE;
      g_ptr_array_add (children, child);
    }
  return TRUE;
}

static gboolean
read_schema_map (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
                 JsonNode *value, gsize offset)
{
  GHashTable *children = g_hash_table_new (g_str_hash, g_str_equal);
  JsonObjectIter iter;
  const char *member;
  JsonNode *node;

  FIELD (schema, offset, GHashTable *) = children;
  if (!JSON_NODE_HOLDS_OBJECT (value))
    return postbag_schema_compiler_fail (self, schema, name, "an object of schemas is expected");
  json_object_iter_init_ordered (&iter, json_node_get_object (value));
  while (json_object_iter_next_ordered (&iter, &member, &node))
    {
      PostbagSubschema *child = postbag_schema_compiler_add (self, schema, name, member, node);

      if (child == NULL)
        return FALSE;
      g_hash_table_insert (children, (gpointer)member, child);
    }
  return TRUE;
}

/* `$defs`: only what is referred to there is used, but all of it is checked. */
static gboolean
read_definitions (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
                  JsonNode *value, gsize offset)
{
  JsonObjectIter iter;
  const char *member;
  JsonNode *node;

  if (!JSON_NODE_HOLDS_OBJECT (value))
    return postbag_schema_compiler_fail (self, schema, name, "an object of schemas is expected");
  json_object_iter_init_ordered (&iter, json_node_get_object (value));
  while (json_object_iter_next_ordered (&iter, &member, &node))
    {
      if (postbag_schema_compiler_add (self, schema, name, member, node) == NULL)
        return FALSE;
    }
  return TRUE;
}

static void
clear_pattern_property (gpointer data)
{
  g_regex_unref (((PostbagPatternProperty *)data)->regex);
}

static GRegex *
compile_pattern (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
                 const char *pattern)
{
  g_autoptr (GError) error = NULL;
  GRegex *regex = postbag_schema_pattern_new (pattern, &error);

  if (regex == NULL)
    postbag_schema_compiler_fail (self, schema, name, error->message);
  return regex;
}

static gboolean
read_pattern_properties (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
                         JsonNode *value, gsize offset)
{
  JsonObjectIter iter;
  const char *member;
  JsonNode *node;

  schema->pattern_properties = g_array_new (FALSE, FALSE, sizeof (PostbagPatternProperty));
  g_array_set_clear_func (schema->pattern_properties, clear_pattern_property);
  if (!JSON_NODE_HOLDS_OBJECT (value))
    return postbag_schema_compiler_fail (self, schema, name, "an object of schemas is expected");
  json_object_iter_init_ordered (&iter, json_node_get_object (value));
  while (json_object_iter_next_ordered (&iter, &member, &node))
    {
      PostbagPatternProperty property = { .regex = compile_pattern (self, schema, name, member) };

      if (property.regex == NULL)
        return FALSE;
      property.schema = postbag_schema_compiler_add (self, schema, name, member, node);
      g_array_append_val (schema->pattern_properties, property);
      if (property.schema == NULL)
        return FALSE;
    }
  return TRUE;
}

/* --- assertions --- */

static gboolean
read_types (PostbagSchemaCompiler *self, PostbagSubschema *schema, JsonNode *value)
{
  static const char *const names[] = { "null",   "boolean", "integer", "number",
                                       "string", "array",   "object" };

  if (!JSON_NODE_HOLDS_VALUE (value) || json_node_get_value_type (value) != G_TYPE_STRING)
    return postbag_schema_compiler_fail (self, schema, "type", "the name of a type is expected");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      if (strcmp (json_node_get_string (value), names[i]) != 0)
        continue;
      schema->types |= 1u << i;
      return TRUE;
    }
  return postbag_schema_compiler_fail (self, schema, "type", "there is no such type");
}

static gboolean
read_type (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
           gsize offset)
{
  JsonArray *array;

  if (!JSON_NODE_HOLDS_ARRAY (value))
    return read_types (self, schema, value);
  array = json_node_get_array (value);
  if (json_array_get_length (array) == 0)
    return postbag_schema_compiler_fail (self, schema, name, "no type is listed");
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      if (!read_types (self, schema, json_array_get_element (array, i)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_enumeration (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
                  JsonNode *value, gsize offset)
{
  if (!JSON_NODE_HOLDS_ARRAY (value))
    return postbag_schema_compiler_fail (self, schema, name, "a list is expected");
  schema->enumeration = json_node_get_array (value);
  return TRUE;
}

static gboolean
read_constant (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
               JsonNode *value, gsize offset)
{
  schema->constant = value;
  return TRUE;
}

static gboolean
read_number (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
             JsonNode *value, gsize offset)
{
  if ((postbag_value_get_types (value) & POSTBAG_VALUE_NUMBER) == 0)
    return postbag_schema_compiler_fail (self, schema, name, "a number is expected");
  if (offset == G_STRUCT_OFFSET (PostbagSubschema, multiple_of)
      && json_node_get_double (value) <= 0)
    return postbag_schema_compiler_fail (self, schema, name, "a number greater than 0 is expected");
  FIELD (schema, offset, JsonNode *) = value;
  return TRUE;
}

static gboolean
read_count (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
            JsonNode *value, gsize offset)
{
  gint64 count;

  if (!postbag_json_node_get_int (value, &count) || count < 0)
    return postbag_schema_compiler_fail (self, schema, name, "a count is expected");
  FIELD (schema, offset, gint64) = count;
  return TRUE;
}

static gboolean
read_boolean (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
              JsonNode *value, gsize offset)
{
  if (postbag_value_get_types (value) != POSTBAG_VALUE_BOOLEAN)
    return postbag_schema_compiler_fail (self, schema, name, "true or false is expected");
  FIELD (schema, offset, gboolean) = json_node_get_boolean (value);
  return TRUE;
}

static gboolean
read_pattern (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
              JsonNode *value, gsize offset)
{
  const char *pattern = postbag_schema_compiler_read_text (self, schema, name, value);

  if (pattern != NULL)
    schema->pattern = compile_pattern (self, schema, name, pattern);
  schema->pattern_text = pattern;
  return schema->pattern != NULL;
}

static gboolean
read_format (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
             JsonNode *value, gsize offset)
{
  const char *format = postbag_schema_compiler_read_text (self, schema, name, value);

  if (format != NULL && (self->schema->flags & POSTBAG_SCHEMA_ASSERT_FORMAT) != 0)
    schema->format = postbag_schema_find_format (format);
  return format != NULL;
}

static gboolean
is_list_of_strings (JsonNode *value)
{
  JsonArray *array;

  if (!JSON_NODE_HOLDS_ARRAY (value))
    return FALSE;
  array = json_node_get_array (value);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      if (postbag_value_get_types (json_array_get_element (array, i)) != POSTBAG_VALUE_STRING)
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_required (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
               JsonNode *value, gsize offset)
{
  if (!is_list_of_strings (value))
    return postbag_schema_compiler_fail (self, schema, name, "a list of names is expected");
  schema->required = json_node_get_array (value);
  return TRUE;
}

static gboolean
read_dependent_required (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
                         JsonNode *value, gsize offset)
{
  JsonObjectIter iter;
  JsonNode *names;

  if (!JSON_NODE_HOLDS_OBJECT (value))
    return postbag_schema_compiler_fail (self, schema, name,
                                         "an object of lists of names is expected");
  json_object_iter_init (&iter, json_node_get_object (value));
  while (json_object_iter_next (&iter, NULL, &names))
    {
      if (!is_list_of_strings (names))
        return postbag_schema_compiler_fail (self, schema, name,
                                             "an object of lists of names is expected");
    }
  schema->dependent_required = json_node_get_object (value);
  return TRUE;
}

/* --- names and references --- */

static gboolean
read_reference (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
                JsonNode *value, gsize offset)
{
  PostbagSchemaLink link = { .subschema = schema, .is_dynamic = strcmp (name, "$dynamicRef") == 0 };

  link.reference = postbag_schema_compiler_read_text (self, schema, name, value);
  g_array_append_val (self->links, link);
  return link.reference != NULL;
}

static gboolean
read_anchor (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
             JsonNode *value, gsize offset)
{
  const char *anchor = postbag_schema_compiler_read_text (self, schema, name, value);

  if (anchor == NULL)
    return FALSE;
  if (g_hash_table_contains (schema->resource->anchors, anchor))
    return postbag_schema_compiler_fail (self, schema, name,
                                         "the same anchor is set for a second time");
  g_hash_table_insert (schema->resource->anchors, (gpointer)anchor, schema);
  if (strcmp (name, "$dynamicAnchor") == 0)
    g_hash_table_insert (schema->resource->dynamic_anchors, (gpointer)anchor, schema);
  return TRUE;
}

/* `$id` and `$schema` are read in front of all others, by enter_resource(). */
static gboolean
skip_annotation (PostbagSchemaCompiler *self, PostbagSubschema *schema, const char *name,
                 JsonNode *value, gsize offset)
{
  return TRUE;
}

#define IN(field) G_STRUCT_OFFSET (PostbagSubschema, field)

static const Keyword keywords[] = {
  { "$id", skip_annotation, 0 },
  { "$schema", skip_annotation, 0 },
  { "$anchor", read_anchor, 0 },
  { "$dynamicAnchor", read_anchor, 0 },
  { "$ref", read_reference, 0 },
  { "$dynamicRef", read_reference, 0 },
  { "$defs", read_definitions, 0 },
  { "definitions", read_definitions, 0 },
  /* Says what a metaschema's own users may say; for its values it is nothing. */
  { "$vocabulary", skip_annotation, 0 },
  { "$comment", skip_annotation, 0 },
  { "title", skip_annotation, 0 },
  { "description", skip_annotation, 0 },
  { "default", skip_annotation, 0 },
  { "examples", skip_annotation, 0 },
  { "deprecated", skip_annotation, 0 },
  { "readOnly", skip_annotation, 0 },
  { "writeOnly", skip_annotation, 0 },
  { "contentEncoding", skip_annotation, 0 },
  { "contentMediaType", skip_annotation, 0 },
  { "contentSchema", skip_annotation, 0 },
  { "type", read_type, 0, TRUE },
  { "enum", read_enumeration, 0, TRUE },
  { "const", read_constant, 0, TRUE },
  { "minimum", read_number, IN (minimum), TRUE },
  { "maximum", read_number, IN (maximum), TRUE },
  { "exclusiveMinimum", read_number, IN (exclusive_minimum), TRUE },
  { "exclusiveMaximum", read_number, IN (exclusive_maximum), TRUE },
  { "multipleOf", read_number, IN (multiple_of), TRUE },
  { "minLength", read_count, IN (min_length), TRUE },
  { "maxLength", read_count, IN (max_length), TRUE },
  { "pattern", read_pattern, 0, TRUE },
  { "format", read_format, 0 },
  { "minItems", read_count, IN (min_items), TRUE },
  { "maxItems", read_count, IN (max_items), TRUE },
  { "uniqueItems", read_boolean, IN (unique_items), TRUE },
  { "minContains", read_count, IN (min_contains), TRUE },
  { "maxContains", read_count, IN (max_contains), TRUE },
  { "minProperties", read_count, IN (min_properties), TRUE },
  { "maxProperties", read_count, IN (max_properties), TRUE },
  { "required", read_required, 0, TRUE },
  { "dependentRequired", read_dependent_required, 0, TRUE },
  { "dependentSchemas", read_schema_map, IN (dependent_schemas) },
  { "properties", read_schema_map, IN (properties) },
  { "patternProperties", read_pattern_properties, 0 },
  { "additionalProperties", read_schema, IN (additional_properties) },
  { "propertyNames", read_schema, IN (property_names) },
  { "unevaluatedProperties", read_schema, IN (unevaluated_properties) },
  { "prefixItems", read_schema_list, IN (prefix_items) },
  { "items", read_schema, IN (items) },
  { "contains", read_schema, IN (contains) },
  { "unevaluatedItems", read_schema, IN (unevaluated_items) },
  { "allOf", read_schema_list, IN (all_of) },
  { "anyOf", read_schema_list, IN (any_of) },
  { "oneOf", read_schema_list, IN (one_of) },
  { "not", read_schema, IN (negated) },
  { "if", read_schema, IN (condition) },
  { "then", read_schema, IN (then_schema) },
  { "else", read_schema, IN (else_schema) },
  { "x-postbag-exact", read_boolean, IN (exact) },
};

gboolean
postbag_schema_compiler_read_keyword (PostbagSchemaCompiler *self, PostbagSubschema *schema,
                                      const char *name, JsonNode *value)
{
  for (guint i = 0; i < G_N_ELEMENTS (keywords); i++)
    {
      if (strcmp (keywords[i].name, name) != 0)
        continue;
      return (keywords[i].asserts && schema->resource->no_assertions)
             || keywords[i].read (self, schema, name, value, keywords[i].offset);
    }
  return g_str_has_prefix (name, "x-")
         || postbag_schema_compiler_fail (self, schema, name, "is a keyword we do not know");
}
