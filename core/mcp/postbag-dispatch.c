/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From a message to the function that handles it: which era it belongs to, whether its envelope is
 * complete (2026-07-28: params._meta names version and capabilities in each request), and the table
 * of methods. */

#define G_LOG_DOMAIN "postbag-mcp"

#include "mcp/postbag-session-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-clean.h"

#define KEY_PREFIX "io.modelcontextprotocol/"
#define VERSION_KEY KEY_PREFIX "protocolVersion"
#define CAPABILITIES_KEY KEY_PREFIX "clientCapabilities"
#define CLIENT_INFO_KEY KEY_PREFIX "clientInfo"
#define LOG_LEVEL_KEY KEY_PREFIX "logLevel"

static const PostbagFeature *const features[] = {
  &postbag_feature_lifecycle,  &postbag_feature_tools,   &postbag_feature_resources,
  &postbag_feature_subscribe,  &postbag_feature_listen,  &postbag_feature_prompts,
  &postbag_feature_completion, &postbag_feature_logging,
};

static gboolean
is_there (PostbagSession *self, const PostbagFeature *feature)
{
  return feature->is_there == NULL || feature->is_there (self);
}

void
postbag_session_write_capabilities (PostbagSession *self, PostbagRevision revision,
                                    PostbagJsonWriter *writer)
{
  postbag_json_writer_begin_object (writer);
  for (gsize i = 0; i < G_N_ELEMENTS (features); i++)
    {
      if (features[i]->write_capability != NULL && is_there (self, features[i]))
        features[i]->write_capability (self, revision, writer);
    }
  postbag_json_writer_end_object (writer);
}

static const PostbagMethod *
find_method (const PostbagMethod *methods, gsize n_methods, const char *name)
{
  for (gsize i = 0; i < n_methods; i++)
    {
      if (strcmp (methods[i].name, name) == 0)
        return &methods[i];
    }
  return NULL;
}

static const PostbagMethod *
find_request_method (PostbagSession *self, const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (features); i++)
    {
      const PostbagMethod *method =
          find_method (features[i]->methods, features[i]->n_methods, name);

      if (method != NULL)
        return is_there (self, features[i]) ? method : NULL;
    }
  return NULL;
}

static const PostbagMethod *
find_notification_method (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (features); i++)
    {
      const PostbagMethod *method =
          find_method (features[i]->notifications, features[i]->n_notifications, name);

      if (method != NULL)
        return method;
    }
  return NULL;
}

/* --- the modern envelope --- */

static gboolean
has_envelope (JsonObject *meta)
{
  return meta != NULL
         && (json_object_has_member (meta, VERSION_KEY)
             || json_object_has_member (meta, CAPABILITIES_KEY)
             || json_object_has_member (meta, CLIENT_INFO_KEY));
}

static void
refuse_envelope (PostbagSession *self, const PostbagRequest *request, const char *key,
                 gboolean missing)
{
  g_autofree char *data = g_strdup_printf ("{\"envelope\":{\"key\":\"%s\",\"problem\":\"%s\"}}",
                                           key, missing ? "missing" : "wrong type");

  postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, data,
                              "The member “%s” of params._meta %s.", key,
                              missing ? "is missing" : "has the wrong type");
}

static void
refuse_version (PostbagSession *self, const PostbagRequest *request, const char *requested)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();

  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "supported");
  postbag_revision_write_supported (writer);
  postbag_json_writer_key (writer, "requested");
  postbag_json_writer_raw (writer, requested, strlen (requested));
  postbag_json_writer_end_object (writer);
  postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_UNSUPPORTED_VERSION,
                              postbag_json_writer_peek (writer),
                              "This protocol version is not served in requests of its own. Older "
                              "versions up to 2025-11-25 begin with “initialize”.");
}

static gboolean
read_version (PostbagSession *self, PostbagRequest *request, JsonObject *meta)
{
  JsonNode *node = json_object_get_member (meta, VERSION_KEY);
  const char *date = NULL;
  g_autofree char *text = NULL;

  if (!postbag_json_get_string (meta, VERSION_KEY, &date))
    {
      refuse_envelope (self, request, VERSION_KEY, node == NULL);
      return FALSE;
    }
  text = postbag_jsonrpc_dup_id (request->document, node);
  if (text == NULL)
    {
      refuse_envelope (self, request, VERSION_KEY, FALSE);
      return FALSE;
    }
  request->revision = postbag_json_document_is_flagged (request->document, node)
                          ? POSTBAG_REVISION_NONE
                          : postbag_revision_from_date (date);
  if (postbag_revision_get_facts (request->revision)->modern)
    return TRUE;
  refuse_version (self, request, text);
  return FALSE;
}

static gboolean
read_log_level (PostbagSession *self, PostbagRequest *request, JsonObject *meta)
{
  const char *word = NULL;

  if (!json_object_has_member (meta, LOG_LEVEL_KEY))
    return TRUE;
  if (postbag_json_get_string (meta, LOG_LEVEL_KEY, &word))
    request->log_level = postbag_log_level_from_word (word);
  if (request->log_level >= 0)
    return TRUE;
  refuse_envelope (self, request, LOG_LEVEL_KEY, FALSE);
  return FALSE;
}

static gboolean
read_envelope (PostbagSession *self, PostbagRequest *request, JsonObject *meta)
{
  JsonObject *info = NULL;

  if (!read_version (self, request, meta))
    return FALSE;
  if (!postbag_json_get_object (meta, CAPABILITIES_KEY, &request->client_capabilities))
    {
      refuse_envelope (self, request, CAPABILITIES_KEY,
                       !json_object_has_member (meta, CAPABILITIES_KEY));
      return FALSE;
    }
  if (json_object_has_member (meta, CLIENT_INFO_KEY)
      && !postbag_json_get_object (meta, CLIENT_INFO_KEY, &info))
    {
      refuse_envelope (self, request, CLIENT_INFO_KEY, FALSE);
      return FALSE;
    }
  return read_log_level (self, request, meta);
}

/* --- requests --- */

static gboolean
read_meta (PostbagSession *self, PostbagRequest *request, JsonObject **meta)
{
  JsonNode *token;

  *meta = NULL;
  if (request->params == NULL || !json_object_has_member (request->params, "_meta"))
    return TRUE;
  if (!postbag_json_get_object (request->params, "_meta", meta))
    {
      postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, NULL,
                                  "The member “_meta” of the params must be an object.");
      return FALSE;
    }
  token = json_object_get_member (*meta, "progressToken");
  if (token == NULL)
    return TRUE;
  request->progress_token = postbag_jsonrpc_dup_id (request->document, token);
  if (request->progress_token != NULL)
    return TRUE;
  postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, NULL,
                              "The progressToken must be a string or an integer.");
  return FALSE;
}

static gboolean
read_era (PostbagSession *self, PostbagRequest *request)
{
  JsonObject *meta;

  if (!read_meta (self, request, &meta))
    return FALSE;
  if (!has_envelope (meta))
    {
      request->revision = self->legacy;
      return TRUE;
    }
  if (self->batch != NULL)
    {
      postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_REQUEST, NULL,
                                  "A request of 2026-07-28 must not be part of a batch.");
      return FALSE;
    }
  return read_envelope (self, request, meta);
}

static void
refuse_unknown (PostbagSession *self, const PostbagRequest *request)
{
  g_autofree char *name = postbag_clean_escape (request->method, POSTBAG_LIMIT_NAME_CHARS);

  postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_METHOD_NOT_FOUND, NULL,
                              "There is no method “%s” in the protocol version in use.", name);
}

static void
refuse_early (PostbagSession *self, const PostbagRequest *request)
{
  postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS,
                              "{\"envelope\":{\"key\":\"" VERSION_KEY
                              "\",\"problem\":\"missing\"}}",
                              "The request has no “" VERSION_KEY "” in params._meta (2026-07-28), "
                              "and no “initialize” came before it (up to 2025-11-25).");
}

static void
dispatch_request (PostbagSession *self, PostbagRequest *request)
{
  const PostbagMethod *method = find_request_method (self, request->method);
  PostbagEras era = POSTBAG_ERA_LEGACY | POSTBAG_ERA_EARLY;

  if (!read_era (self, request))
    return;
  if (request->revision == POSTBAG_REVISION_NONE)
    era = POSTBAG_ERA_EARLY;
  else if (postbag_revision_get_facts (request->revision)->modern)
    era = POSTBAG_ERA_MODERN;
  if (request->revision != POSTBAG_REVISION_NONE)
    self->last_seen = request->revision;
  if (method != NULL && (method->eras & era) != 0)
    method->handle (self, request);
  else if (request->revision == POSTBAG_REVISION_NONE)
    refuse_early (self, request);
  else
    refuse_unknown (self, request);
}

static void
dispatch_notification (PostbagSession *self, PostbagRequest *request)
{
  const PostbagMethod *method = find_notification_method (request->method);

  if (method != NULL)
    method->handle (self, request);
}

void
postbag_session_dispatch (PostbagSession *self, const PostbagIncoming *incoming)
{
  PostbagRequest request = { .id = incoming->id,
                             .method = incoming->method,
                             .document = incoming->document,
                             .params = incoming->params,
                             .log_level = -1 };

  g_debug ("%s %s", incoming->kind == POSTBAG_MESSAGE_REQUEST ? "request" : "notification",
           incoming->method);
  if (incoming->kind == POSTBAG_MESSAGE_REQUEST)
    dispatch_request (self, &request);
  else
    dispatch_notification (self, &request);
  g_free (request.progress_token);
}
