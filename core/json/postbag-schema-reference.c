/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/postbag-schema-private.h"

#include <string.h>

#include "base/postbag-text.h"

PostbagSchemaResource *
postbag_schema_resource_new (char *uri, JsonNode *root)
{
  PostbagSchemaResource *self = g_new0 (PostbagSchemaResource, 1);

  self->uri = uri;
  self->root = root;
  self->anchors = g_hash_table_new (g_str_hash, g_str_equal);
  self->dynamic_anchors = g_hash_table_new (g_str_hash, g_str_equal);
  return self;
}

void
postbag_schema_resource_free (PostbagSchemaResource *self)
{
  g_free (self->uri);
  g_hash_table_unref (self->anchors);
  g_hash_table_unref (self->dynamic_anchors);
  g_free (self);
}

char *
postbag_schema_resolve_uri (const char *base, const char *reference, char **fragment)
{
  const char *hash = strchrnul (reference, '#');
  g_autofree char *uri = g_strndup (reference, (gsize)(hash - reference));
  char *unescaped = g_uri_unescape_string (*hash == '#' ? hash + 1 : hash, NULL);

  if (unescaped == NULL)
    return NULL;
  *fragment = unescaped;
  /* Not by the library: it would have to know that `urn:` has no hierarchy. */
  if (*uri == '\0')
    return g_strdup (base);
  return g_uri_resolve_relative (base, uri, G_URI_FLAGS_ENCODED, NULL);
}

/* One token of RFC 6901, unescaped. */
static char *
unescape_token (const char *token, gsize length)
{
  GString *text = g_string_new_len (token, (gssize)length);

  g_string_replace (text, "~1", "/", 0);
  g_string_replace (text, "~0", "~", 0);
  return g_string_free (text, FALSE);
}

static JsonNode *
follow_token (JsonNode *node, const char *token)
{
  gint64 index;

  if (JSON_NODE_HOLDS_OBJECT (node))
    return json_object_get_member (json_node_get_object (node), token);
  if (JSON_NODE_HOLDS_ARRAY (node)
      && postbag_text_parse_int (
          token, 0, (gint64)json_array_get_length (json_node_get_array (node)) - 1, &index))
    return json_array_get_element (json_node_get_array (node), (guint)index);
  return NULL;
}

JsonNode *
postbag_schema_follow_pointer (JsonNode *root, const char *pointer)
{
  JsonNode *node = root;

  while (node != NULL && *pointer == '/')
    {
      const char *token = pointer + 1;
      g_autofree char *name = NULL;

      pointer = strchrnul (token, '/');
      name = unescape_token (token, (gsize)(pointer - token));
      node = follow_token (node, name);
    }
  return *pointer == '\0' ? node : NULL;
}

char *
postbag_schema_extend_pointer (const char *pointer, const char *token)
{
  GString *text = g_string_new (token);

  g_string_replace (text, "~", "~0", 0);
  g_string_replace (text, "/", "~1", 0);
  g_string_prepend_c (text, '/');
  g_string_prepend (text, pointer);
  return g_string_free (text, FALSE);
}
