/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "json/postbag-json-writer.h"
#include "json/postbag-json.h"

G_BEGIN_DECLS

/* JSON-RPC 2.0 as MCP uses it: what one message is, and how answers are framed. Ids travel as the
 * JSON text they came as, so that `1`, `"1"` and `9007199254740993` are echoed with the same type
 * and value. */

#define POSTBAG_JSONRPC_PARSE_ERROR (-32700)
#define POSTBAG_JSONRPC_INVALID_REQUEST (-32600)
#define POSTBAG_JSONRPC_METHOD_NOT_FOUND (-32601)
#define POSTBAG_JSONRPC_INVALID_PARAMS (-32602)
#define POSTBAG_JSONRPC_INTERNAL_ERROR (-32603)
#define POSTBAG_JSONRPC_RESOURCE_NOT_FOUND (-32002) /* up to 2025-11-25 */
#define POSTBAG_JSONRPC_MISSING_CAPABILITY (-32021)
#define POSTBAG_JSONRPC_UNSUPPORTED_VERSION (-32022)

typedef enum
{
  POSTBAG_MESSAGE_REQUEST,
  POSTBAG_MESSAGE_NOTIFICATION,
  POSTBAG_MESSAGE_RESPONSE,
  POSTBAG_MESSAGE_BATCH,   /* an array: the document's root */
  POSTBAG_MESSAGE_INVALID, /* to be answered with @code and @problem */
} PostbagMessageKind;

/**
 * PostbagIncoming:
 * @document: (nullable): %NULL when it is not JSON
 * @id: (nullable): JSON text of a readable id
 * @method: (nullable): of a request or notification
 * @params: (nullable): of a request or notification
 * @result: (nullable): of a response; %NULL there means: an error
 *
 * One message from a client.
 */
typedef struct
{
  PostbagMessageKind kind;
  PostbagJsonDocument *document;
  char *id;
  const char *method;
  JsonObject *params;
  JsonObject *result;
  int code;
  char *problem;
} PostbagIncoming;

/* (transfer full): never fails; what cannot be read is POSTBAG_MESSAGE_INVALID. */
POSTBAG_API PostbagIncoming *postbag_incoming_read (const char *bytes, gsize length);
/* (transfer full): one element of a batch, @node of @document; never a batch itself. */
POSTBAG_API PostbagIncoming *postbag_incoming_read_element (PostbagJsonDocument *document,
                                                            JsonNode *node);
POSTBAG_API void postbag_incoming_free (PostbagIncoming *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagIncoming, postbag_incoming_free)

/* (transfer full) (nullable): JSON text of a string or an integer, as it came; %NULL for any other
 * value. */
POSTBAG_API char *postbag_jsonrpc_dup_id (PostbagJsonDocument *document, JsonNode *node);

/* (transfer full): a writer that stands inside the result's object. */
POSTBAG_API PostbagJsonWriter *postbag_jsonrpc_begin_result (const char *id);
/* (transfer full): a writer that stands inside the params' object. @id: (nullable): JSON text,
 * %NULL for a notification. */
POSTBAG_API PostbagJsonWriter *postbag_jsonrpc_begin_message (const char *id, const char *method);
/* (transfer full): a request of ours. @id, @params: JSON text */
POSTBAG_API GBytes *postbag_jsonrpc_make_request (const char *id, const char *method,
                                                  const char *params);
/* (transfer full): closes both objects. Frees @writer. */
POSTBAG_API GBytes *postbag_jsonrpc_end (PostbagJsonWriter *writer);
/* (transfer full): @id: (nullable): left out then, never null. @data: (nullable): JSON text. */
POSTBAG_API GBytes *postbag_jsonrpc_make_error (const char *id, int code, const char *message,
                                                const char *data);

G_END_DECLS
