/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* The one door for JSON from outside: a strict RFC 8259 reader that builds JsonNode trees itself.
 * json-glib's own parser takes comments, single quotes and two documents in a row, wraps big
 * integers, cuts strings at U+0000 and overflows the stack on deep nesting. */

typedef enum
{
  POSTBAG_JSON_DEFAULT = 0,
  /* Accept duplicate member names (the last one wins) instead of refusing the document. */
  POSTBAG_JSON_ALLOW_DUPLICATES = 1 << 0,
} PostbagJsonFlags;

/**
 * PostbagJsonDocument:
 *
 * A parsed document: its tree, and which of its values json-glib cannot hold exactly. Such a value
 * (a string with U+0000 or a lone surrogate escape, an integer beyond int64) keeps its source
 * bytes: never cut, never wrapped.
 */
typedef struct _PostbagJsonDocument PostbagJsonDocument;

/**
 * postbag_json_parse:
 * @text: the bytes, need not end in NUL
 * @length: how many
 * @max_bytes: refused when longer
 *
 * Depth, number of values and UTF-8 are checked while reading, without recursion.
 *
 * Returns: (transfer full) (nullable): the document, or %NULL with %POSTBAG_ERROR_BAD_DATA (the
 *   message names the byte offset, what was expected and what was found) or
 *   %POSTBAG_ERROR_TOO_LARGE
 */
POSTBAG_API PostbagJsonDocument *postbag_json_parse (const char *text, gsize length,
                                                     gsize max_bytes, PostbagJsonFlags flags,
                                                     GError **error);
POSTBAG_API PostbagJsonDocument *postbag_json_document_ref (PostbagJsonDocument *self);
POSTBAG_API void postbag_json_document_unref (PostbagJsonDocument *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagJsonDocument, postbag_json_document_unref)

/* (transfer none): the root value; any JSON type. */
POSTBAG_API JsonNode *postbag_json_document_get_root (PostbagJsonDocument *self);

/* How many bytes of memory the document takes, about. */
POSTBAG_API gsize postbag_json_document_get_weight (PostbagJsonDocument *self);

/**
 * postbag_json_document_get_raw:
 * @node: a value of this document
 *
 * Returns: (transfer none) (nullable): the source bytes of @node when it is a number or a flagged
 *   string (then json-glib's value is not to be used), else %NULL. Numbers always keep their
 *   source bytes, so that an id like `1.0` or `9007199254740993` is echoed as it came.
 */
POSTBAG_API const char *postbag_json_document_get_raw (PostbagJsonDocument *self, JsonNode *node);

/* Whether @node itself cannot be represented exactly by its JsonNode. */
POSTBAG_API gboolean postbag_json_document_is_flagged (PostbagJsonDocument *self, JsonNode *node);

/* Whether any key or value in the subtree of @node is flagged. */
POSTBAG_API gboolean postbag_json_document_has_flagged (PostbagJsonDocument *self, JsonNode *node);

/* --- typed accessors: never a critical, never a default for a value of the wrong type --- */

/* Each returns whether @object has member @name of that type, and then sets @value. A boolean is
 * not an integer, 5.0 is an integer (JSON Schema 2020-12, 6.1.1), 5.5 is not. (transfer none). */
POSTBAG_API gboolean postbag_json_get_string (JsonObject *object, const char *name,
                                              const char **value);
POSTBAG_API gboolean postbag_json_get_int (JsonObject *object, const char *name, gint64 *value);
POSTBAG_API gboolean postbag_json_get_double (JsonObject *object, const char *name, double *value);
POSTBAG_API gboolean postbag_json_get_boolean (JsonObject *object, const char *name,
                                               gboolean *value);
POSTBAG_API gboolean postbag_json_get_object (JsonObject *object, const char *name,
                                              JsonObject **value);
POSTBAG_API gboolean postbag_json_get_array (JsonObject *object, const char *name,
                                             JsonArray **value);

/* The same for a value by itself, e.g. an array's entry. */
POSTBAG_API gboolean postbag_json_node_get_int (JsonNode *node, gint64 *value);

/* "null", "boolean", "integer", "number", "string", "array" or "object" */
POSTBAG_API const char *postbag_json_type_name (JsonNode *node);

G_END_DECLS
