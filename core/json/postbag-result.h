/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/**
 * PostbagResult:
 *
 * The one writer of tool results, aware of the result budget (POSTBAG_LIMIT_RESULT_CHARS). It
 * starts inside the root object of the structured content. A list is written item by item; an item
 * that does not fit is taken back whole, so that what a handler then says in `returned`,
 * `next_offset` and `truncated` is true by construction. The text block is the same JSON, compact,
 * unless the handler lays it out itself with postbag_result_take_text().
 *
 * Strings handed in are written as they are (repaired when not UTF-8): cleaning them is the
 * handler's duty, with core/safety.
 */
typedef struct _PostbagResult PostbagResult;

POSTBAG_API PostbagResult *postbag_result_new (gsize budget_chars);
POSTBAG_API void postbag_result_free (PostbagResult *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagResult, postbag_result_free)

/* @name: the member's name inside an object, %NULL inside an array. %NULL strings are null. */
POSTBAG_API void postbag_result_string (PostbagResult *self, const char *name, const char *value);
POSTBAG_API void postbag_result_int (PostbagResult *self, const char *name, gint64 value);
POSTBAG_API void postbag_result_double (PostbagResult *self, const char *name, double value);
POSTBAG_API void postbag_result_boolean (PostbagResult *self, const char *name, gboolean value);
POSTBAG_API void postbag_result_null (PostbagResult *self, const char *name);
POSTBAG_API void postbag_result_strings (PostbagResult *self, const char *name,
                                         const char *const *values);
POSTBAG_API void postbag_result_base64 (PostbagResult *self, const char *name, GBytes *data);
POSTBAG_API void postbag_result_begin_object (PostbagResult *self, const char *name);
POSTBAG_API void postbag_result_end_object (PostbagResult *self);
POSTBAG_API void postbag_result_begin_array (PostbagResult *self, const char *name);
POSTBAG_API void postbag_result_end_array (PostbagResult *self);

/* Inside an array: one entry, as an object. */
POSTBAG_API void postbag_result_begin_item (PostbagResult *self);
/* Returns: whether the entry fits the budget; if not it has been taken back, and the handler stops
 * adding entries to this array. */
POSTBAG_API gboolean postbag_result_end_item (PostbagResult *self);

/* Until called again, entries must also end within the first @chars characters of the result: for a
 * block of members with a budget of its own. 0: only the result's budget bounds them. */
POSTBAG_API void postbag_result_set_item_limit (PostbagResult *self, gsize chars);

/* Characters still free, the reserve for trailing members already taken off. */
POSTBAG_API gsize postbag_result_get_remaining (PostbagResult *self);

/* (transfer full): what was written so far as one JSON object, for a text block that holds the
 * same facts. Only the root object may be open. */
POSTBAG_API char *postbag_result_dup_json (PostbagResult *self);

/* (transfer full): the text block instead of the JSON copy. */
POSTBAG_API void postbag_result_take_text (PostbagResult *self, char *text);
/* An image block after the text; @mime_type is checked against the allow-list by the caller. */
POSTBAG_API void postbag_result_add_image (PostbagResult *self, GBytes *data,
                                           const char *mime_type);
/* The same of sound; a client whose protocol version has none gets a line of text. */
POSTBAG_API void postbag_result_add_audio (PostbagResult *self, GBytes *data,
                                           const char *mime_type);
/**
 * postbag_result_add_link:
 * @name: shown to the person; cleaned by the caller
 * @mime_type: (nullable)
 * @size: bytes; -1 when unknown
 *
 * A resource that can be read with resources/read: for what is too large for a result. A client
 * whose protocol version has no links gets name and URI as text.
 */
POSTBAG_API void postbag_result_add_link (PostbagResult *self, const char *uri, const char *name,
                                          const char *mime_type, gint64 size);
/* A resource with its contents: of @text and @data one is %NULL. @mime_type: (nullable) */
POSTBAG_API void postbag_result_add_resource (PostbagResult *self, const char *uri,
                                              const char *mime_type, const char *text,
                                              GBytes *data);
/* The call failed, and the text says how in the contract's own layout: the result is an error
 * result with that text alone, without structured content. */
POSTBAG_API void postbag_result_set_failed (PostbagResult *self);
/* A member of the result's `_meta`; @key without a prefix: `postbag/` is added. */
POSTBAG_API void postbag_result_meta_string (PostbagResult *self, const char *key,
                                             const char *value);

G_END_DECLS
