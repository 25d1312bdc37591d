/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From the source of a schema to its graph of subschemas. They wait in a queue while their keywords
 * are read, so that nesting costs no stack. References are resolved when all anchors are known. */

#include "json/postbag-schema-compiler-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "json/postbag-json.h"

#define DIALECT "https://json-schema.org/draft/2020-12/schema"
#define VOCABULARY "https://json-schema.org/draft/2020-12/vocab/"
/* Base of what has no `$id`: relative references have something to be relative to. */
#define DEFAULT_BASE "schema:///"

gboolean
postbag_schema_compiler_fail (PostbagSchemaCompiler *self, const PostbagSubschema *schema,
                              const char *keyword, const char *problem)
{
  g_autofree char *pointer = postbag_schema_extend_pointer (schema->pointer, keyword);
  g_autofree char *clean = postbag_problems_quote (pointer);

  g_set_error (self->error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
               "This JSON Schema cannot be used: at %s %s", clean, problem);
  return FALSE;
}

const char *
postbag_schema_compiler_read_text (PostbagSchemaCompiler *self, PostbagSubschema *schema,
                                   const char *name, JsonNode *value)
{
  if (postbag_value_get_types (value) == POSTBAG_VALUE_STRING)
    return json_node_get_string (value);
  postbag_schema_compiler_fail (self, schema, name, "a string is expected");
  return NULL;
}

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
intern (PostbagSchemaCompiler *self, JsonNode *node, const PostbagSchemaResource *resource,
        char *pointer)
{
  PostbagSubschema *subschema = g_hash_table_lookup (self->by_node, node);
  PostbagSchemaWaiting waiting;

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
  waiting = (PostbagSchemaWaiting){ node, subschema };
  g_array_append_val (self->queue, waiting);
  return subschema;
}

PostbagSubschema *
postbag_schema_compiler_add (PostbagSchemaCompiler *self, PostbagSubschema *schema,
                             const char *keyword, const char *token, JsonNode *node)
{
  g_autofree char *pointer = postbag_schema_extend_pointer (schema->pointer, keyword);

  if (token == NULL)
    return intern (self, node, schema->resource, g_steal_pointer (&pointer));
  return intern (self, node, schema->resource, postbag_schema_extend_pointer (pointer, token));
}

/* --- resources --- */

static PostbagSchemaResource *
add_resource (PostbagSchemaCompiler *self, char *uri, JsonNode *root)
{
  PostbagSchemaResource *resource = postbag_schema_resource_new (uri, root);

  g_ptr_array_add (self->schema->resources, resource);
  g_hash_table_insert (self->resources, resource->uri, resource);
  return resource;
}

/* `$id`: a resource begins here. */
static gboolean
read_id (PostbagSchemaCompiler *self, PostbagSubschema *schema, JsonNode *node, JsonNode *id)
{
  const char *text = postbag_schema_compiler_read_text (self, schema, "$id", id);
  const PostbagSchemaResource *outer = schema->resource;
  g_autofree char *fragment = NULL;
  g_autofree char *uri = NULL;
  PostbagSchemaResource *resource;

  if (text == NULL)
    return FALSE;
  uri = postbag_schema_resolve_uri (outer->uri, text, &fragment);
  if (uri == NULL || *fragment != '\0')
    return postbag_schema_compiler_fail (self, schema, "$id",
                                         "a URI without a fragment is expected");
  resource = g_hash_table_lookup (self->resources, uri);
  if (resource != NULL && resource->root != node)
    return postbag_schema_compiler_fail (self, schema, "$id",
                                         "the same URI is given for a second time");
  if (resource == NULL)
    resource = add_resource (self, g_steal_pointer (&uri), node);
  resource->no_assertions = outer->no_assertions;
  schema->resource = resource;
  return TRUE;
}

/* The vocabularies of a dialect that is not the standard one (2020-12 core, 8.1.2). */
static gboolean
read_vocabularies (PostbagSchemaCompiler *self, PostbagSubschema *schema,
                   PostbagSchemaResource *resource, JsonObject *vocabularies)
{
  static const char *const known[] = { "core",      "applicator", "unevaluated",       "validation",
                                       "meta-data", "content",    "format-annotation", NULL };
  JsonObjectIter iter;
  const char *uri;
  JsonNode *needed;

  resource->no_assertions = !json_object_has_member (vocabularies, VOCABULARY "validation");
  json_object_iter_init_ordered (&iter, vocabularies);
  while (json_object_iter_next_ordered (&iter, &uri, &needed))
    {
      if (g_str_has_prefix (uri, VOCABULARY) && g_strv_contains (known, uri + strlen (VOCABULARY)))
        continue;
      if (postbag_value_get_types (needed) != POSTBAG_VALUE_BOOLEAN
          || json_node_get_boolean (needed))
        return postbag_schema_compiler_fail (self, schema, "$schema",
                                             "the dialect needs a vocabulary we do not know");
    }
  return TRUE;
}

static gboolean
read_dialect (PostbagSchemaCompiler *self, PostbagSubschema *schema, JsonNode *value)
{
  const char *dialect = postbag_schema_compiler_read_text (self, schema, "$schema", value);
  PostbagSchemaResource *resource = g_hash_table_lookup (self->resources, schema->resource->uri);
  JsonObject *vocabularies;
  JsonNode *meta;

  if (dialect == NULL)
    return FALSE;
  resource->no_assertions = FALSE;
  if (strcmp (dialect, DIALECT) == 0)
    return TRUE;
  meta = self->documents != NULL ? g_hash_table_lookup (self->documents, dialect) : NULL;
  if (meta == NULL || !JSON_NODE_HOLDS_OBJECT (meta)
      || !postbag_json_get_object (json_node_get_object (meta), "$vocabulary", &vocabularies))
    return postbag_schema_compiler_fail (self, schema, "$schema",
                                         "only JSON Schema 2020-12 is understood");
  return read_vocabularies (self, schema, resource, vocabularies);
}

static gboolean
enter_resource (PostbagSchemaCompiler *self, PostbagSubschema *schema, JsonNode *node)
{
  JsonNode *id = json_object_get_member (json_node_get_object (node), "$id");
  JsonNode *dialect = json_object_get_member (json_node_get_object (node), "$schema");

  return (id == NULL || read_id (self, schema, node, id))
         && (dialect == NULL || read_dialect (self, schema, dialect));
}

static gboolean
read_subschema (PostbagSchemaCompiler *self, const PostbagSchemaWaiting *waiting)
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
      if (!postbag_schema_compiler_read_keyword (self, waiting->subschema, name, value))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_waiting (PostbagSchemaCompiler *self)
{
  while (self->queue->len > 0)
    {
      PostbagSchemaWaiting waiting =
          g_array_index (self->queue, PostbagSchemaWaiting, self->queue->len - 1);

      g_array_set_size (self->queue, self->queue->len - 1);
      if (!read_subschema (self, &waiting))
        return FALSE;
    }
  return TRUE;
}

/* --- references --- */

/* Returns: (transfer none) (nullable): what @fragment names in @resource */
static PostbagSubschema *
find_fragment (PostbagSchemaCompiler *self, const PostbagSchemaResource *resource,
               const char *fragment)
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
add_document (PostbagSchemaCompiler *self, const char *uri)
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
find_target (PostbagSchemaCompiler *self, const PostbagSchemaLink *link,
             const PostbagSchemaResource **resource, char **fragment)
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
resolve_link (PostbagSchemaCompiler *self, const PostbagSchemaLink *link)
{
  PostbagSubschema *schema = link->subschema;
  const PostbagSchemaResource *resource = NULL;
  g_autofree char *fragment = NULL;
  PostbagSubschema *target = find_target (self, link, &resource, &fragment);

  if (target == NULL)
    return *self->error == NULL
           && postbag_schema_compiler_fail (
               self, schema, link->is_dynamic ? "$dynamicRef" : "$ref",
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
resolve_links (PostbagSchemaCompiler *self)
{
  for (guint i = 0; i < self->links->len; i++)
    {
      PostbagSchemaLink link = g_array_index (self->links, PostbagSchemaLink, i);

      if (!resolve_link (self, &link) || !read_waiting (self))
        return FALSE;
    }
  return TRUE;
}

static gboolean
compile (PostbagSchemaCompiler *self, JsonNode *root)
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
  PostbagSchemaCompiler compiler = { .schema = schema, .documents = documents, .error = &problem };
  gboolean compiled;

  g_atomic_ref_count_init (&schema->references);
  schema->root = json_node_ref (root);
  schema->flags = flags;
  schema->subschemas = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_subschema_free);
  schema->resources = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_schema_resource_free);
  schema->documents = g_ptr_array_new_with_free_func ((GDestroyNotify)json_node_unref);
  compiler.by_node = g_hash_table_new (NULL, NULL);
  compiler.resources = g_hash_table_new (g_str_hash, g_str_equal);
  compiler.queue = g_array_new (FALSE, FALSE, sizeof (PostbagSchemaWaiting));
  compiler.links = g_array_new (FALSE, FALSE, sizeof (PostbagSchemaLink));
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
