/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-jsonrpc-private.h"

#include <math.h>
#include <string.h>

#include "base/postbag-limits.h"

/* Doubles hold every integer up to here; beyond it 1e300 would be an "integer" nobody meant. */
#define LARGEST_EXACT_INTEGER 9007199254740992.0

static gboolean
is_integer_text (const char *raw)
{
  const char *digits = raw[0] == '-' ? raw + 1 : raw;
  double value;

  if (strspn (digits, "0123456789") == strlen (digits))
    return TRUE;
  value = g_ascii_strtod (raw, NULL);
  return isfinite (value) && fabs (value) <= LARGEST_EXACT_INTEGER && value == trunc (value);
}

static char *
dup_string_literal (const char *text)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();

  postbag_json_writer_string (writer, text);
  return g_strdup (postbag_json_writer_peek (writer));
}

char *
postbag_jsonrpc_dup_id (PostbagJsonDocument *document, JsonNode *node)
{
  const char *raw = postbag_json_document_get_raw (document, node);

  if (!JSON_NODE_HOLDS_VALUE (node))
    return NULL;
  if (raw != NULL && strlen (raw) > POSTBAG_LIMIT_ID_BYTES)
    return NULL;
  if (json_node_get_value_type (node) == G_TYPE_STRING)
    {
      const char *text = json_node_get_string (node);

      if (raw != NULL)
        return g_strdup (raw);
      return strlen (text) <= POSTBAG_LIMIT_ID_BYTES ? dup_string_literal (text) : NULL;
    }
  if (raw == NULL || json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    return NULL;
  return is_integer_text (raw) ? g_strdup (raw) : NULL;
}

/* A notification is never answered, not even a malformed one. */
static gboolean
is_notification (JsonObject *root)
{
  return json_object_has_member (root, "method") && !json_object_has_member (root, "id");
}

static PostbagIncoming *
refuse (PostbagIncoming *self, int code, const char *problem)
{
  self->kind = POSTBAG_MESSAGE_INVALID;
  self->code = code;
  g_free (self->problem);
  self->problem = g_strdup (problem);
  return self;
}

/* A response is never answered, so what is wrong with one only makes it match no question. */
static PostbagIncoming *
read_response (PostbagIncoming *self, JsonObject *root)
{
  self->kind = POSTBAG_MESSAGE_RESPONSE;
  if (!json_object_has_member (root, "error"))
    postbag_json_get_object (root, "result", &self->result);
  return self;
}

static PostbagIncoming *
read_call (PostbagIncoming *self, JsonObject *root, gboolean has_id)
{
  JsonNode *params = json_object_get_member (root, "params");

  if (has_id && self->id == NULL)
    return refuse (self, POSTBAG_JSONRPC_INVALID_REQUEST, "The id must be a string or an integer.");
  self->kind = has_id ? POSTBAG_MESSAGE_REQUEST : POSTBAG_MESSAGE_NOTIFICATION;
  if (!postbag_json_get_string (root, "method", &self->method)
      || postbag_json_document_is_flagged (self->document, json_object_get_member (root, "method")))
    return refuse (self, POSTBAG_JSONRPC_INVALID_REQUEST, "The method must be a string.");
  if (params != NULL && !postbag_json_get_object (root, "params", &self->params))
    return refuse (self, POSTBAG_JSONRPC_INVALID_PARAMS, "The params must be an object.");
  return self;
}

static PostbagIncoming *
classify_object (PostbagIncoming *self, JsonObject *root)
{
  JsonNode *id = json_object_get_member (root, "id");
  const char *version = NULL;
  gboolean has_method = json_object_has_member (root, "method");

  if (id != NULL)
    self->id = postbag_jsonrpc_dup_id (self->document, id);
  if (!has_method
      && (json_object_has_member (root, "result") || json_object_has_member (root, "error")))
    return read_response (self, root);
  if (!postbag_json_get_string (root, "jsonrpc", &version) || strcmp (version, "2.0") != 0)
    return refuse (self, POSTBAG_JSONRPC_INVALID_REQUEST, "The member “jsonrpc” must be \"2.0\".");
  if (!has_method)
    return refuse (self, POSTBAG_JSONRPC_INVALID_REQUEST, "A message needs a method.");
  return read_call (self, root, id != NULL);
}

static PostbagIncoming *
read_object (PostbagIncoming *self, JsonObject *root)
{
  classify_object (self, root);
  if (self->kind == POSTBAG_MESSAGE_INVALID && is_notification (root))
    {
      self->kind = POSTBAG_MESSAGE_NOTIFICATION;
      self->method = ""; /* which none is called */
      self->code = 0;
    }
  return self;
}

static PostbagIncoming *
read_node (PostbagIncoming *self, JsonNode *node)
{
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return refuse (self, POSTBAG_JSONRPC_INVALID_REQUEST, "A message must be a JSON object.");
  return read_object (self, json_node_get_object (node));
}

PostbagIncoming *
postbag_incoming_read_element (PostbagJsonDocument *document, JsonNode *node)
{
  PostbagIncoming *self = g_new0 (PostbagIncoming, 1);

  self->document = postbag_json_document_ref (document);
  return read_node (self, node);
}

PostbagIncoming *
postbag_incoming_read (const char *bytes, gsize length)
{
  PostbagIncoming *self = g_new0 (PostbagIncoming, 1);
  g_autoptr (GError) error = NULL;
  JsonNode *root;

  self->document =
      postbag_json_parse (bytes, length, POSTBAG_LIMIT_LINE_BYTES, POSTBAG_JSON_DEFAULT, &error);
  if (self->document == NULL)
    return refuse (self, POSTBAG_JSONRPC_PARSE_ERROR, error->message);
  root = postbag_json_document_get_root (self->document);
  if (!JSON_NODE_HOLDS_ARRAY (root))
    return read_node (self, root);
  self->kind = POSTBAG_MESSAGE_BATCH;
  return self;
}

void
postbag_incoming_free (PostbagIncoming *self)
{
  g_clear_pointer (&self->document, postbag_json_document_unref);
  g_free (self->id);
  g_free (self->problem);
  g_free (self);
}

static PostbagJsonWriter *
begin_envelope (const char *id)
{
  PostbagJsonWriter *writer = postbag_json_writer_new ();

  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "jsonrpc");
  postbag_json_writer_string (writer, "2.0");
  if (id == NULL)
    return writer;
  postbag_json_writer_key (writer, "id");
  postbag_json_writer_raw (writer, id, strlen (id));
  return writer;
}

PostbagJsonWriter *
postbag_jsonrpc_begin_result (const char *id)
{
  PostbagJsonWriter *writer = begin_envelope (id);

  postbag_json_writer_key (writer, "result");
  postbag_json_writer_begin_object (writer);
  return writer;
}

PostbagJsonWriter *
postbag_jsonrpc_begin_message (const char *id, const char *method)
{
  PostbagJsonWriter *writer = begin_envelope (id);

  postbag_json_writer_key (writer, "method");
  postbag_json_writer_string (writer, method);
  postbag_json_writer_key (writer, "params");
  postbag_json_writer_begin_object (writer);
  return writer;
}

GBytes *
postbag_jsonrpc_make_request (const char *id, const char *method, const char *params)
{
  PostbagJsonWriter *writer = begin_envelope (id);
  GBytes *message;

  postbag_json_writer_key (writer, "method");
  postbag_json_writer_string (writer, method);
  postbag_json_writer_key (writer, "params");
  postbag_json_writer_raw (writer, params, strlen (params));
  postbag_json_writer_end_object (writer);
  message = postbag_json_writer_finish (writer);
  postbag_json_writer_free (writer);
  return message;
}

GBytes *
postbag_jsonrpc_end (PostbagJsonWriter *writer)
{
  GBytes *message;

  postbag_json_writer_end_object (writer);
  postbag_json_writer_end_object (writer);
  message = postbag_json_writer_finish (writer);
  postbag_json_writer_free (writer);
  return message;
}

GBytes *
postbag_jsonrpc_make_error (const char *id, int code, const char *message, const char *data)
{
  PostbagJsonWriter *writer = begin_envelope (id);

  postbag_json_writer_key (writer, "error");
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "code");
  postbag_json_writer_int (writer, code);
  postbag_json_writer_key (writer, "message");
  postbag_json_writer_string (writer, message);
  if (data != NULL)
    {
      postbag_json_writer_key (writer, "data");
      postbag_json_writer_raw (writer, data, strlen (data));
    }
  return postbag_jsonrpc_end (writer);
}
