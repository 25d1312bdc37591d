/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From a request to the call that answers it: what all of them take from the session and the
 * request, whatever they are about. */

#include "mcp/postbag-catalog-private.h"
#include "mcp/postbag-session-private.h"

#include "base/postbag-limits.h"

/* A toolset may have a setting `elicitation`; false turns asking through the client off. */
static gboolean
is_asking_off (PostbagToolset *toolset)
{
  PostbagSettings *settings = toolset != NULL ? postbag_toolset_get_settings (toolset) : NULL;

  return settings != NULL && postbag_settings_is_known (settings, "elicitation")
         && !postbag_settings_get_boolean (settings, "elicitation");
}

static guint
read_can_ask (PostbagSession *self, const PostbagRequest *request)
{
  if (request->client_capabilities != NULL)
    return postbag_input_read_capabilities (request->client_capabilities, request->revision);
  return self->initialized ? self->can_ask : 0;
}

static int
choose_log_level (PostbagSession *self, const PostbagRequest *request)
{
  if (!postbag_surface_get_catalog (self->engine->surface)->logs)
    return -1;
  return request->client_capabilities != NULL ? request->log_level : self->log_level;
}

static PostbagAskWay
choose_ask_way (PostbagSession *self, const PostbagRequest *request)
{
  if ((read_can_ask (self, request) & (1u << POSTBAG_INPUT_FORM)) == 0)
    return POSTBAG_ASK_TOKEN;
  return request->client_capabilities != NULL ? POSTBAG_ASK_INPUT_REQUIRED
                                              : POSTBAG_ASK_ELICITATION;
}

static gboolean
read_retry (PostbagCall *call, const PostbagRequest *request)
{
  const char *state = NULL;
  JsonNode *node;

  if (!postbag_revision_get_facts (request->revision)->modern)
    return TRUE;
  node = json_object_get_member (request->params, "requestState");
  if (json_object_has_member (request->params, "inputResponses")
      && !postbag_json_get_object (request->params, "inputResponses", &call->input_responses))
    return FALSE;
  if (node == NULL)
    return TRUE;
  if (!postbag_json_get_string (request->params, "requestState", &state)
      || postbag_json_document_is_flagged (request->document, node))
    return FALSE;
  call->request_state = g_strdup (state);
  return TRUE;
}

/* The calls of a batch share its document. */
static gsize
weigh (PostbagJsonDocument *document)
{
  JsonNode *root = postbag_json_document_get_root (document);
  gsize weight = postbag_json_document_get_weight (document);

  if (!JSON_NODE_HOLDS_ARRAY (root))
    return weight;
  return weight / MAX (json_array_get_length (json_node_get_array (root)), 1);
}

gboolean
postbag_session_prepare_call (PostbagSession *self, const PostbagRequest *request,
                              PostbagCall *call)
{
  if (g_hash_table_contains (self->calls, request->id))
    {
      postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_REQUEST, NULL,
                                  "A request with this id is still running.");
      return FALSE;
    }
  call->document = postbag_json_document_ref (request->document);
  call->weight = weigh (request->document);
  call->params = request->params;
  call->progress_token = g_strdup (request->progress_token);
  call->can_ask = read_can_ask (self, request);
  call->log_level = choose_log_level (self, request);
  call->asking_is_off = is_asking_off (call->toolset);
  call->ask_way = call->asking_is_off ? POSTBAG_ASK_TOKEN : choose_ask_way (self, request);
  if (read_retry (call, request))
    return TRUE;
  postbag_session_send_error (
      self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, NULL,
      "inputResponses must be an object, requestState the string that came.");
  return FALSE;
}

PostbagCall *
postbag_session_make_call (PostbagSession *self, const PostbagRequest *request,
                           const PostbagOperation *operation, gpointer data, const char *subject,
                           PostbagToolset *toolset)
{
  g_autoptr (PostbagCall) call = postbag_call_new_operation (
      self->engine, operation, data, subject, request->revision, request->id, self->principal);

  call->toolset = toolset;
  return postbag_session_prepare_call (self, request, call) ? g_steal_pointer (&call) : NULL;
}

void
postbag_session_submit_call (PostbagSession *self, PostbagCall *call)
{
  static const char busy[] =
      "Too many calls are running at once. Wait for some of them, then call again.";
  g_autoptr (PostbagCall) owned = call;

  if (self->in_flight < POSTBAG_LIMIT_CALLS_IN_FLIGHT
      && self->weight + call->weight <= POSTBAG_LIMIT_REQUEST_BYTES)
    postbag_session_add_call (self, g_steal_pointer (&owned));
  else if (call->tool != NULL)
    postbag_session_send_answer (self, postbag_call_make_error_result (call, busy));
  else
    postbag_session_send_error (self, call->id, POSTBAG_JSONRPC_INTERNAL_ERROR, NULL, "%s", busy);
}
