/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/**
 * PostbagSchema:
 *
 * A JSON Schema 2020-12, compiled once, immutable, usable from any thread.
 */
typedef struct _PostbagSchema PostbagSchema;

typedef enum
{
  POSTBAG_SCHEMA_DEFAULT = 0,
  POSTBAG_SCHEMA_ASSERT_FORMAT = 1 << 0, /* `format` is an assertion, as in our own schemas */
} PostbagSchemaFlags;

/**
 * postbag_schema_compile:
 * @root: the schema; `$ref` inside it only, nothing is ever fetched
 *
 * Returns: (transfer full) (nullable): the schema, or %NULL with %POSTBAG_ERROR_BAD_DATA (a
 *   keyword we do not know how to honour is refused, never ignored, naming its JSON pointer)
 */
POSTBAG_API PostbagSchema *postbag_schema_compile (JsonNode *root, PostbagSchemaFlags flags,
                                                   GError **error);

/**
 * postbag_schema_compile_with_documents:
 * @documents: (element-type utf8 JsonNode): other schemas, by the absolute URI (without a fragment)
 *   under which a `$ref` may name them; one with an `$id` is known by that too, once it is used
 *
 * Like postbag_schema_compile(), for a schema in several files. Still nothing is fetched.
 */
POSTBAG_API PostbagSchema *postbag_schema_compile_with_documents (JsonNode *root,
                                                                  GHashTable *documents,
                                                                  PostbagSchemaFlags flags,
                                                                  GError **error);
POSTBAG_API PostbagSchema *postbag_schema_ref (PostbagSchema *self);
POSTBAG_API void postbag_schema_unref (PostbagSchema *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagSchema, postbag_schema_unref)

/**
 * postbag_schema_validate:
 *
 * Returns: whether @value is valid; else %FALSE with %POSTBAG_ERROR_INVALID_ARGUMENT, whose message
 *   lists up to POSTBAG_LIMIT_SCHEMA_PROBLEMS problems, one a line: the JSON pointer (or the
 *   argument's name at the top level), what was expected, what was found; an unknown member comes
 *   with the nearest known name. Foreign text in it is cleaned and cut.
 */
POSTBAG_API gboolean postbag_schema_validate (PostbagSchema *self, JsonNode *value, GError **error);

/**
 * postbag_schema_mend:
 * @value: an object of arguments; not changed
 *
 * What models often get slightly wrong, mended where nothing is lost: "5" for 5, "true" for true,
 * one value for a list of it, 5.0 for 5, null for an absent optional member, a JSON-encoded string
 * for an object or array. A property marked `"x-postbag-exact": true` (an answer of consent) is
 * never mended.
 *
 * Returns: (transfer full): @value itself (a new reference) where nothing was to mend, else a copy
 */
POSTBAG_API JsonNode *postbag_schema_mend (PostbagSchema *self, JsonNode *value);

G_END_DECLS
