/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "json/postbag-schema-private.h"

G_BEGIN_DECLS

/* What the two files of the compiler share: postbag-schema-keywords.c reads the keywords of one
 * subschema, postbag-schema-compile.c has the graph around them. */

typedef struct
{
  JsonNode *node;
  PostbagSubschema *subschema;
} PostbagSchemaWaiting;

/* A `$ref` or `$dynamicRef` that is resolved at the end. */
typedef struct
{
  PostbagSubschema *subschema;
  const char *reference;
  gboolean is_dynamic;
} PostbagSchemaLink;

typedef struct
{
  PostbagSchema *schema;
  GHashTable *by_node;   /* JsonNode -> PostbagSubschema */
  GHashTable *resources; /* URI -> PostbagSchemaResource */
  GHashTable *documents; /* (nullable): URI -> JsonNode */
  GArray *queue;         /* PostbagSchemaWaiting */
  GArray *links;         /* PostbagSchemaLink */
  GError **error;
} PostbagSchemaCompiler;

/* Sets the error. Returns: %FALSE */
gboolean postbag_schema_compiler_fail (PostbagSchemaCompiler *self, const PostbagSubschema *schema,
                                       const char *keyword, const char *problem);
/* The subschema that stands at @keyword of @schema, and there at @token (or %NULL).
 * Returns: (transfer none) (nullable) */
PostbagSubschema *postbag_schema_compiler_add (PostbagSchemaCompiler *self,
                                               PostbagSubschema *schema, const char *keyword,
                                               const char *token, JsonNode *node);
/* Returns: (transfer none) (nullable): @value if it is a string, else an error */
const char *postbag_schema_compiler_read_text (PostbagSchemaCompiler *self,
                                               PostbagSubschema *schema, const char *name,
                                               JsonNode *value);
gboolean postbag_schema_compiler_read_keyword (PostbagSchemaCompiler *self,
                                               PostbagSubschema *schema, const char *name,
                                               JsonNode *value);

G_END_DECLS
