/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How a connection begins and what keeps it going: initialize and ping (legacy), server/discover
 * (2026-07-28), cancellation (both). */

#include "mcp/postbag-session-private.h"

static void
write_instructions (PostbagSession *self, PostbagJsonWriter *writer)
{
  const char *instructions = postbag_surface_get_instructions (self->engine->surface);

  if (instructions == NULL)
    return;
  postbag_json_writer_key (writer, "instructions");
  postbag_json_writer_string (writer, instructions);
}

static void
answer_initialize (PostbagSession *self, const PostbagRequest *request)
{
  PostbagJsonWriter *writer = postbag_session_begin_result (self, request);

  postbag_json_writer_key (writer, "protocolVersion");
  postbag_json_writer_string (writer, postbag_revision_get_facts (request->revision)->date);
  postbag_json_writer_key (writer, "capabilities");
  postbag_session_write_capabilities (self, request->revision, writer);
  postbag_json_writer_key (writer, "serverInfo");
  postbag_revision_write_server_info (request->revision, writer);
  write_instructions (self, writer);
  postbag_session_end_result (self, request, writer);
}

/* A second one negotiates again: what runs belongs to a client that is no longer there. */
static void
handle_initialize (PostbagSession *self, const PostbagRequest *request)
{
  PostbagRequest negotiated = *request;
  JsonObject *capabilities = NULL;
  const char *version = NULL;

  if (self->batch != NULL)
    {
      postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_REQUEST, NULL,
                                  "“initialize” must not be part of a batch.");
      return;
    }
  if (request->params == NULL
      || !postbag_json_get_string (request->params, "protocolVersion", &version)
      || (json_object_has_member (request->params, "capabilities")
          && !postbag_json_get_object (request->params, "capabilities", &capabilities)))
    {
      postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, NULL,
                                  "“initialize” needs a protocolVersion (a string) and "
                                  "capabilities (an object).");
      return;
    }
  postbag_session_drop_calls (self, TRUE);
  postbag_session_drop_subscriptions (self);
  self->legacy = postbag_revision_negotiate (version);
  self->last_seen = self->legacy;
  self->initialized = FALSE;
  self->can_ask = postbag_input_read_capabilities (capabilities, self->legacy);
  self->log_level = POSTBAG_LOG_INFO;
  negotiated.revision = self->legacy;
  answer_initialize (self, &negotiated);
}

static void
handle_ping (PostbagSession *self, const PostbagRequest *request)
{
  postbag_session_end_result (self, request, postbag_session_begin_result (self, request));
}

static void
handle_discover (PostbagSession *self, const PostbagRequest *request)
{
  PostbagJsonWriter *writer = postbag_session_begin_result (self, request);

  postbag_json_writer_key (writer, "supportedVersions");
  postbag_revision_write_supported (writer);
  postbag_json_writer_key (writer, "capabilities");
  postbag_session_write_capabilities (self, request->revision, writer);
  write_instructions (self, writer);
  postbag_revision_write_cache_hints (request->revision, writer);
  postbag_revision_write_discover_tail (request->revision, writer);
  postbag_session_send_answer (self, postbag_jsonrpc_end (writer));
}

static void
handle_initialized (PostbagSession *self, const PostbagRequest *request)
{
  self->initialized = self->legacy != POSTBAG_REVISION_NONE;
}

/* Unknown, finished or malformed ids are ignored: the answer may have crossed this on its way. */
static void
handle_cancelled (PostbagSession *self, const PostbagRequest *request)
{
  g_autofree char *id = NULL;
  PostbagCall *call;
  JsonNode *node;

  node = request->params != NULL ? json_object_get_member (request->params, "requestId") : NULL;
  if (node == NULL)
    return;
  id = postbag_jsonrpc_dup_id (request->document, node);
  if (id == NULL)
    return;
  call = g_hash_table_lookup (self->calls, id);
  if (call != NULL)
    postbag_session_drop_call (self, call);
}

static const PostbagMethod methods[] = {
  { "initialize", POSTBAG_ERA_EARLY, handle_initialize },
  { "ping", POSTBAG_ERA_EARLY, handle_ping },
  { "server/discover", POSTBAG_ERA_MODERN, handle_discover },
};

static const PostbagMethod notifications[] = {
  { "notifications/initialized", POSTBAG_ERA_EARLY, handle_initialized },
  { "notifications/cancelled", POSTBAG_ERA_EARLY | POSTBAG_ERA_MODERN, handle_cancelled },
};

const PostbagFeature postbag_feature_lifecycle = {
  .methods = methods,
  .n_methods = G_N_ELEMENTS (methods),
  .notifications = notifications,
  .n_notifications = G_N_ELEMENTS (notifications),
};
