/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/**
 * PostbagJsonWriter:
 *
 * The one writer of JSON: compact, always valid RFC 8259 UTF-8 in one line (control characters,
 * U+2028 and U+2029 are escaped), shortest round-trip numbers, never `inf` or `nan` (written as
 * null). Text that is not well-formed UTF-8 is repaired, never passed through.
 */
typedef struct _PostbagJsonWriter PostbagJsonWriter;

POSTBAG_API PostbagJsonWriter *postbag_json_writer_new (void);
POSTBAG_API void postbag_json_writer_free (PostbagJsonWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagJsonWriter, postbag_json_writer_free)

POSTBAG_API void postbag_json_writer_begin_object (PostbagJsonWriter *self);
POSTBAG_API void postbag_json_writer_end_object (PostbagJsonWriter *self);
POSTBAG_API void postbag_json_writer_begin_array (PostbagJsonWriter *self);
POSTBAG_API void postbag_json_writer_end_array (PostbagJsonWriter *self);
/* The name of the next value; only inside an object. */
POSTBAG_API void postbag_json_writer_key (PostbagJsonWriter *self, const char *name);
/* %NULL is written as null. */
POSTBAG_API void postbag_json_writer_string (PostbagJsonWriter *self, const char *value);
POSTBAG_API void postbag_json_writer_string_length (PostbagJsonWriter *self, const char *value,
                                                    gsize length);
POSTBAG_API void postbag_json_writer_int (PostbagJsonWriter *self, gint64 value);
POSTBAG_API void postbag_json_writer_double (PostbagJsonWriter *self, double value);
POSTBAG_API void postbag_json_writer_boolean (PostbagJsonWriter *self, gboolean value);
POSTBAG_API void postbag_json_writer_null (PostbagJsonWriter *self);
/* A tree of json-glib's. Bounded depth (POSTBAG_LIMIT_JSON_DEPTH). */
POSTBAG_API void postbag_json_writer_node (PostbagJsonWriter *self, JsonNode *node);
/* The same, without the members of objects whose name begins with @hidden (nullable). */
POSTBAG_API void postbag_json_writer_node_without (PostbagJsonWriter *self, JsonNode *node,
                                                   const char *hidden);
/* @json must be one valid JSON value in one line: what this writer or the reader's raw bytes gave.
 */
POSTBAG_API void postbag_json_writer_raw (PostbagJsonWriter *self, const char *json, gsize length);
/* Base64 of @data as a string value, encoded in place (no second copy). */
POSTBAG_API void postbag_json_writer_base64 (PostbagJsonWriter *self, const guint8 *data,
                                             gsize length);

/* Bytes and characters (code points) written so far. */
POSTBAG_API gsize postbag_json_writer_get_length (PostbagJsonWriter *self);
POSTBAG_API gsize postbag_json_writer_get_chars (PostbagJsonWriter *self);

/* A point to go back to: everything written after the mark is dropped by rollback. */
typedef struct
{
  gsize length;
  gsize chars;
  guint depth;
  guint state;
} PostbagJsonMark;
POSTBAG_API PostbagJsonMark postbag_json_writer_mark (PostbagJsonWriter *self);
POSTBAG_API void postbag_json_writer_rollback (PostbagJsonWriter *self,
                                               const PostbagJsonMark *mark);

/* (transfer full): the document; the writer is empty afterwards. All containers must be closed. */
POSTBAG_API GBytes *postbag_json_writer_finish (PostbagJsonWriter *self);
/* (transfer none): what is written so far, valid until the next call. */
POSTBAG_API const char *postbag_json_writer_peek (PostbagJsonWriter *self);

G_END_DECLS
