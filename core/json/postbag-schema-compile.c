/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From the source of a schema to its graph of subschemas: JSON Schema 2020-12, the core,
 * applicator, unevaluated, validation and format vocabularies. One table says for each keyword how
 * it is read; what is not in it is refused, since a keyword that is ignored lets through what its
 * author wanted kept out.
 *
 * Subschemas wait in a queue while their keywords are read, so that nesting costs no stack.
 * References are resolved when all anchors are known. */

#include "json/postbag-schema-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "json/postbag-json.h"

#define DIALECT "https://json-schema.org/draft/2020-12/schema"
/* Base of what has no `$id`: relative references have something to be relative to. */
#define DEFAULT_BASE "schema:///"

typedef struct
{
  JsonNode *node;
  PostbagSubschema *subschema;
} Waiting;

/* A `$ref` or `$dynamicRef` that is resolved at the end. */
typedef struct
{
  PostbagSubschema *subschema;
  const char *reference;
  gboolean is_dynamic;
} Link;

typedef struct
{
  PostbagSchema *schema;
  GHashTable *by_node;   /* JsonNode -> PostbagSubschema */
  GHashTable *resources; /* URI -> PostbagSchemaResource */
  GHashTable *documents; /* (nullable): URI -> JsonNode */
  GArray *queue;         /* Waiting */
  GArray *links;         /* Link */
  GError **error;
} Compiler;

typedef struct
{
  const char *name;
  gboolean (*read) (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
                    gsize offset);
  gsize offset; /* of the field in PostbagSubschema that the value goes to */
} Keyword;

static gboolean
fail (Compiler *self, const PostbagSubschema *schema, const char *keyword, const char *problem)
{
  g_autofree char *pointer = postbag_schema_extend_pointer (schema->pointer, keyword);
  g_autofree char *clean = postbag_problems_quote (pointer);

  g_set_error (self->error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "This JSON Schema cannot be used: at %s %s", clean, problem);
  return FALSE;
}

#define FIELD(schema, offset, type) (*(type *)G_STRUCT_MEMBER_P (schema, offset))

/* --- subschemas --- */

static gboolean
is_schema (JsonNode *node)
{
  return JSON_NODE_HOLDS_OBJECT (node)
         || (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_BOOLEAN);
}

/* The subschema of @node, which stands at @pointer; a new one waits in the queue.
 * Returns: (transfer none) (nullable) */
static PostbagSubschema *
intern (Compiler *self, JsonNode *node, const PostbagSchemaResource *resource, char *pointer)
{
  PostbagSubschema *subschema = g_hash_table_lookup (self->by_node, node);
  Waiting waiting;

  if (subschema != NULL)
    {
      g_free (pointer);
      return subschema;
    }
  subschema = postbag_subschema_new ();
  g_ptr_array_add (self->schema->subschemas, subschema);
  subschema->resource = resource;
  subschema->pointer = pointer;
  if (!is_schema (node) || self->schema->subschemas->len > POSTBAG_LIMIT_SCHEMA_NODES)
    {
      g_set_error (self->error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
                   "This JSON Schema cannot be used: %s %s", pointer,
                   is_schema (node) ? "is one schema too many" : "is not a schema");
      return NULL;
    }
  if (JSON_NODE_HOLDS_VALUE (node))
    subschema->always = json_node_get_boolean (node);
  g_hash_table_insert (self->by_node, node, subschema);
  waiting = (Waiting){ node, subschema };
  g_array_append_val (self->queue, waiting);
  return subschema;
}

static PostbagSubschema *
intern_child (Compiler *self, PostbagSubschema *schema, const char *keyword, const char *token,
              JsonNode *node)
{
  g_autofree char *pointer = postbag_schema_extend_pointer (schema->pointer, keyword);

  if (token == NULL)
    return intern (self, node, schema->resource, g_steal_pointer (&pointer));
  return intern (self, node, schema->resource, postbag_schema_extend_pointer (pointer, token));
}

static gboolean
read_schema (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
             gsize offset)
{
  PostbagSubschema *child = intern_child (self, schema, name, NULL, value);

  FIELD (schema, offset, PostbagSubschema *) = child;
  return child != NULL;
}

static gboolean
read_schema_list (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
                  gsize offset)
{
  GPtrArray *children = g_ptr_array_new ();
  JsonArray *array;

  FIELD (schema, offset, GPtrArray *) = children;
  if (!JSON_NODE_HOLDS_ARRAY (value) || json_array_get_length (json_node_get_array (value)) == 0)
    return fail (self, schema, name, "a list of schemas is expected");
  array = json_node_get_array (value);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      g_autofree char *token = g_strdup_printf ("%u", i);
      PostbagSubschema *child =
          intern_child (self, schema, name, token, json_array_get_element (array, i));

      if (child == NULL)
        return FALSE;
      g_ptr_array_add (children, child);
    }
  return TRUE;
}

static gboolean
read_schema_map (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
                 gsize offset)
{
  GHashTable *children = g_hash_table_new (g_str_hash, g_str_equal);
  JsonObjectIter iter;
  const char *member;
  JsonNode *node;

  FIELD (schema, offset, GHashTable *) = children;
  if (!JSON_NODE_HOLDS_OBJECT (value))
    return fail (self, schema, name, "an object of schemas is expected");
  json_object_iter_init_ordered (&iter, json_node_get_object (value));
  while (json_object_iter_next_ordered (&iter, &member, &node))
    {
      PostbagSubschema *child = intern_child (self, schema, name, member, node);

      if (child == NULL)
        return FALSE;
      g_hash_table_insert (children, (gpointer)member, child);
    }
  return TRUE;
}

/* `$defs`: only what is referred to there is used, but all of it is checked. */
static gboolean
read_definitions (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
                  gsize offset)
{
  JsonObjectIter iter;
  const char *member;
  JsonNode *node;

  if (!JSON_NODE_HOLDS_OBJECT (value))
    return fail (self, schema, name, "an object of schemas is expected");
  json_object_iter_init_ordered (&iter, json_node_get_object (value));
  while (json_object_iter_next_ordered (&iter, &member, &node))
    {
      if (intern_child (self, schema, name, member, node) == NULL)
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
compile_pattern (Compiler *self, PostbagSubschema *schema, const char *name, const char *pattern)
{
  g_autoptr (GError) error = NULL;
  GRegex *regex = postbag_schema_pattern_new (pattern, &error);

  if (regex == NULL)
    fail (self, schema, name, error->message);
  return regex;
}

static gboolean
read_pattern_properties (Compiler *self, PostbagSubschema *schema, const char *name,
                         JsonNode *value, gsize offset)
{
  JsonObjectIter iter;
  const char *member;
  JsonNode *node;

  schema->pattern_properties = g_array_new (FALSE, FALSE, sizeof (PostbagPatternProperty));
  g_array_set_clear_func (schema->pattern_properties, clear_pattern_property);
  if (!JSON_NODE_HOLDS_OBJECT (value))
    return fail (self, schema, name, "an object of schemas is expected");
  json_object_iter_init_ordered (&iter, json_node_get_object (value));
  while (json_object_iter_next_ordered (&iter, &member, &node))
    {
      PostbagPatternProperty property = { .regex = compile_pattern (self, schema, name, member) };

      if (property.regex == NULL)
        return FALSE;
      property.schema = intern_child (self, schema, name, member, node);
      g_array_append_val (schema->pattern_properties, property);
      if (property.schema == NULL)
        return FALSE;
    }
  return TRUE;
}

/* --- assertions --- */

static gboolean
read_types (Compiler *self, PostbagSubschema *schema, JsonNode *value)
{
  static const char *const names[] = { "null",   "boolean", "integer", "number",
                                       "string", "array",   "object" };

  if (!JSON_NODE_HOLDS_VALUE (value) || json_node_get_value_type (value) != G_TYPE_STRING)
    return fail (self, schema, "type", "the name of a type is expected");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      if (strcmp (json_node_get_string (value), names[i]) != 0)
        continue;
      schema->types |= 1u << i;
      return TRUE;
    }
  return fail (self, schema, "type", "there is no such type");
}

static gboolean
read_type (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
           gsize offset)
{
  JsonArray *array;

  if (!JSON_NODE_HOLDS_ARRAY (value))
    return read_types (self, schema, value);
  array = json_node_get_array (value);
  if (json_array_get_length (array) == 0)
    return fail (self, schema, name, "no type is listed");
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      if (!read_types (self, schema, json_array_get_element (array, i)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_enumeration (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
                  gsize offset)
{
  if (!JSON_NODE_HOLDS_ARRAY (value))
    return fail (self, schema, name, "a list is expected");
  schema->enumeration = json_node_get_array (value);
  return TRUE;
}

static gboolean
read_constant (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
               gsize offset)
{
  schema->constant = value;
  return TRUE;
}

static gboolean
read_number (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
             gsize offset)
{
  if ((postbag_value_get_types (value) & POSTBAG_VALUE_NUMBER) == 0)
    return fail (self, schema, name, "a number is expected");
  if (offset == G_STRUCT_OFFSET (PostbagSubschema, multiple_of)
      && json_node_get_double (value) <= 0)
    return fail (self, schema, name, "a number greater than 0 is expected");
  FIELD (schema, offset, JsonNode *) = value;
  return TRUE;
}

static gboolean
read_count (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
            gsize offset)
{
  gint64 count;

  if (!postbag_json_node_get_int (value, &count) || count < 0)
    return fail (self, schema, name, "a count is expected");
  FIELD (schema, offset, gint64) = count;
  return TRUE;
}

static gboolean
read_boolean (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
              gsize offset)
{
  if (postbag_value_get_types (value) != POSTBAG_VALUE_BOOLEAN)
    return fail (self, schema, name, "true or false is expected");
  FIELD (schema, offset, gboolean) = json_node_get_boolean (value);
  return TRUE;
}

static const char *
read_text (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value)
{
  if (postbag_value_get_types (value) == POSTBAG_VALUE_STRING)
    return json_node_get_string (value);
  fail (self, schema, name, "a string is expected");
  return NULL;
}

static gboolean
read_pattern (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
              gsize offset)
{
  const char *pattern = read_text (self, schema, name, value);

  if (pattern != NULL)
    schema->pattern = compile_pattern (self, schema, name, pattern);
  schema->pattern_text = pattern;
  return schema->pattern != NULL;
}

static gboolean
read_format (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
             gsize offset)
{
  const char *format = read_text (self, schema, name, value);

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
read_required (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
               gsize offset)
{
  if (!is_list_of_strings (value))
    return fail (self, schema, name, "a list of names is expected");
  schema->required = json_node_get_array (value);
  return TRUE;
}

static gboolean
read_dependent_required (Compiler *self, PostbagSubschema *schema, const char *name,
                         JsonNode *value, gsize offset)
{
  JsonObjectIter iter;
  JsonNode *names;

  if (!JSON_NODE_HOLDS_OBJECT (value))
    return fail (self, schema, name, "an object of lists of names is expected");
  json_object_iter_init (&iter, json_node_get_object (value));
  while (json_object_iter_next (&iter, NULL, &names))
    {
      if (!is_list_of_strings (names))
        return fail (self, schema, name, "an object of lists of names is expected");
    }
  schema->dependent_required = json_node_get_object (value);
  return TRUE;
}

/* --- names and references --- */

static gboolean
read_dialect (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
              gsize offset)
{
  const char *dialect = read_text (self, schema, name, value);

  if (dialect == NULL)
    return FALSE;
  return strcmp (dialect, DIALECT) == 0
         || fail (self, schema, name, "only JSON Schema 2020-12 is understood");
}

static gboolean
read_reference (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
                gsize offset)
{
  Link link = { .subschema = schema, .is_dynamic = strcmp (name, "$dynamicRef") == 0 };

  link.reference = read_text (self, schema, name, value);
  g_array_append_val (self->links, link);
  return link.reference != NULL;
}

static gboolean
read_anchor (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
             gsize offset)
{
  const char *anchor = read_text (self, schema, name, value);

  if (anchor == NULL)
    return FALSE;
  if (g_hash_table_contains (schema->resource->anchors, anchor))
    return fail (self, schema, name, "the same anchor is set for a second time");
  g_hash_table_insert (schema->resource->anchors, (gpointer)anchor, schema);
  if (strcmp (name, "$dynamicAnchor") == 0)
    g_hash_table_insert (schema->resource->dynamic_anchors, (gpointer)anchor, schema);
  return TRUE;
}

/* `$id` is read in front of all others, by enter_resource(). */
static gboolean
skip_annotation (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value,
                 gsize offset)
{
  return TRUE;
}

#define IN(field) G_STRUCT_OFFSET (PostbagSubschema, field)

static const Keyword keywords[] = {
  { "$id", skip_annotation, 0 },
  { "$schema", read_dialect, 0 },
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
  { "type", read_type, 0 },
  { "enum", read_enumeration, 0 },
  { "const", read_constant, 0 },
  { "minimum", read_number, IN (minimum) },
  { "maximum", read_number, IN (maximum) },
  { "exclusiveMinimum", read_number, IN (exclusive_minimum) },
  { "exclusiveMaximum", read_number, IN (exclusive_maximum) },
  { "multipleOf", read_number, IN (multiple_of) },
  { "minLength", read_count, IN (min_length) },
  { "maxLength", read_count, IN (max_length) },
  { "pattern", read_pattern, 0 },
  { "format", read_format, 0 },
  { "minItems", read_count, IN (min_items) },
  { "maxItems", read_count, IN (max_items) },
  { "uniqueItems", read_boolean, IN (unique_items) },
  { "minContains", read_count, IN (min_contains) },
  { "maxContains", read_count, IN (max_contains) },
  { "minProperties", read_count, IN (min_properties) },
  { "maxProperties", read_count, IN (max_properties) },
  { "required", read_required, 0 },
  { "dependentRequired", read_dependent_required, 0 },
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

static gboolean
read_keyword (Compiler *self, PostbagSubschema *schema, const char *name, JsonNode *value)
{
  for (guint i = 0; i < G_N_ELEMENTS (keywords); i++)
    {
      if (strcmp (keywords[i].name, name) == 0)
        return keywords[i].read (self, schema, name, value, keywords[i].offset);
    }
  return g_str_has_prefix (name, "x-") || fail (self, schema, name, "is a keyword we do not know");
}

/* --- resources --- */

static PostbagSchemaResource *
add_resource (Compiler *self, char *uri, JsonNode *root)
{
  PostbagSchemaResource *resource = postbag_schema_resource_new (uri, root);

  g_ptr_array_add (self->schema->resources, resource);
  g_hash_table_insert (self->resources, resource->uri, resource);
  return resource;
}

static gboolean
enter_resource (Compiler *self, PostbagSubschema *schema, JsonNode *node)
{
  JsonNode *id = json_object_get_member (json_node_get_object (node), "$id");
  const PostbagSchemaResource *known;
  g_autofree char *fragment = NULL;
  g_autofree char *uri = NULL;
  const char *text;

  if (id == NULL)
    return TRUE;
  text = read_text (self, schema, "$id", id);
  if (text == NULL)
    return FALSE;
  uri = postbag_schema_resolve_uri (schema->resource->uri, text, &fragment);
  if (uri == NULL || *fragment != '\0')
    return fail (self, schema, "$id", "a URI without a fragment is expected");
  known = g_hash_table_lookup (self->resources, uri);
  if (known != NULL && known->root != node)
    return fail (self, schema, "$id", "the same URI is given for a second time");
  schema->resource = known != NULL ? known : add_resource (self, g_steal_pointer (&uri), node);
  return TRUE;
}

static gboolean
read_subschema (Compiler *self, const Waiting *waiting)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;

  if (!JSON_NODE_HOLDS_OBJECT (waiting->node))
    return TRUE;
  if (!enter_resource (self, waiting->subschema, waiting->node))
    return FALSE;
  json_object_iter_init_ordered (&iter, json_node_get_object (waiting->node));
  while (json_object_iter_next_ordered (&iter, &name, &value))
    {
      if (!read_keyword (self, waiting->subschema, name, value))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_waiting (Compiler *self)
{
  while (self->queue->len > 0)
    {
      Waiting waiting = g_array_index (self->queue, Waiting, self->queue->len - 1);

      g_array_set_size (self->queue, self->queue->len - 1);
      if (!read_subschema (self, &waiting))
        return FALSE;
    }
  return TRUE;
}

/* --- references --- */

/* Returns: (transfer none) (nullable): what @fragment names in @resource */
static PostbagSubschema *
find_fragment (Compiler *self, const PostbagSchemaResource *resource, const char *fragment)
{
  JsonNode *node;

  if (*fragment != '\0' && *fragment != '/')
    return g_hash_table_lookup (resource->anchors, fragment);
  node = postbag_schema_follow_pointer (resource->root, fragment);
  if (node == NULL || !is_schema (node))
    return NULL;
  return intern (self, node, resource, g_strdup (fragment));
}

/* Reads the document that is known by @uri. */
static gboolean
add_document (Compiler *self, const char *uri)
{
  JsonNode *node = self->documents != NULL ? g_hash_table_lookup (self->documents, uri) : NULL;
  PostbagSchemaResource *resource;
  PostbagSubschema *top;

  if (node == NULL)
    return TRUE;
  g_ptr_array_add (self->schema->documents, json_node_ref (node));
  resource = add_resource (self, g_strdup (uri), node);
  top = intern (self, node, resource, g_strdup (uri));
  if (top == NULL || !read_waiting (self))
    return FALSE;
  /* Its `$id` may say something else. */
  g_hash_table_insert (self->resources, resource->uri, (gpointer)top->resource);
  return TRUE;
}

/* Returns: (transfer none) (nullable): what the link leads to, its place set as well */
static PostbagSubschema *
find_target (Compiler *self, const Link *link, const PostbagSchemaResource **resource,
             char **fragment)
{
  g_autofree char *uri =
      postbag_schema_resolve_uri (link->subschema->resource->uri, link->reference, fragment);

  if (uri == NULL)
    return NULL;
  if (!g_hash_table_contains (self->resources, uri) && !add_document (self, uri))
    return NULL;
  *resource = g_hash_table_lookup (self->resources, uri);
  return *resource != NULL ? find_fragment (self, *resource, *fragment) : NULL;
}

static gboolean
resolve_link (Compiler *self, const Link *link)
{
  PostbagSubschema *schema = link->subschema;
  const PostbagSchemaResource *resource = NULL;
  g_autofree char *fragment = NULL;
  PostbagSubschema *target = find_target (self, link, &resource, &fragment);

  if (target == NULL)
    return *self->error == NULL
           && fail (self, schema, link->is_dynamic ? "$dynamicRef" : "$ref",
                    "something outside of this schema is referred to, and nothing is fetched");
  if (!link->is_dynamic)
    {
      schema->reference = target;
      return TRUE;
    }
  schema->dynamic_reference = target;
  if (g_hash_table_contains (resource->dynamic_anchors, fragment))
    schema->dynamic_name = g_strdup (fragment);
  return TRUE;
}

/* A reference may lead to a place that no keyword led to: then that is read too. */
static gboolean
resolve_links (Compiler *self)
{
  for (guint i = 0; i < self->links->len; i++)
    {
      Link link = g_array_index (self->links, Link, i);

      if (!resolve_link (self, &link) || !read_waiting (self))
        return FALSE;
    }
  return TRUE;
}

static gboolean
compile (Compiler *self, JsonNode *root)
{
  PostbagSchemaResource *resource = add_resource (self, g_strdup (DEFAULT_BASE), root);

  self->schema->top = intern (self, root, resource, g_strdup (""));
  if (self->schema->top == NULL || !read_waiting (self) || !resolve_links (self))
    return FALSE;
  for (guint i = 0; i < self->schema->subschemas->len; i++)
    {
      PostbagSubschema *subschema = g_ptr_array_index (self->schema->subschemas, i);

      g_clear_pointer (&subschema->pointer, g_free);
    }
  return TRUE;
}

PostbagSchema *
postbag_schema_compile (JsonNode *root, PostbagSchemaFlags flags, GError **error)
{
  return postbag_schema_compile_with_documents (root, NULL, flags, error);
}

PostbagSchema *
postbag_schema_compile_with_documents (JsonNode *root, GHashTable *documents,
                                       PostbagSchemaFlags flags, GError **error)
{
  g_autoptr (PostbagSchema) schema = g_new0 (PostbagSchema, 1);
  g_autoptr (GError) problem = NULL;
  Compiler compiler = { .schema = schema, .documents = documents, .error = &problem };
  gboolean compiled;

  g_atomic_ref_count_init (&schema->references);
  schema->root = json_node_ref (root);
  schema->flags = flags;
  schema->subschemas = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_subschema_free);
  schema->resources = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_schema_resource_free);
  schema->documents = g_ptr_array_new_with_free_func ((GDestroyNotify)json_node_unref);
  compiler.by_node = g_hash_table_new (NULL, NULL);
  compiler.resources = g_hash_table_new (g_str_hash, g_str_equal);
  compiler.queue = g_array_new (FALSE, FALSE, sizeof (Waiting));
  compiler.links = g_array_new (FALSE, FALSE, sizeof (Link));
  compiled = compile (&compiler, root);
  g_hash_table_unref (compiler.by_node);
  g_hash_table_unref (compiler.resources);
  g_array_unref (compiler.queue);
  g_array_unref (compiler.links);
  if (compiled)
    return g_steal_pointer (&schema);
  g_propagate_error (error, g_steal_pointer (&problem));
  return NULL;
}
