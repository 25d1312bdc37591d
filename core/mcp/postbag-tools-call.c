/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tools/call: reads the request into a PostbagCall and hands it to the pool. */

#include "mcp/postbag-tools-private.h"

#include "base/postbag-limits.h"
#include "base/postbag-text.h"

static void
refuse_params (PostbagSession *self, const PostbagRequest *request, const char *problem)
{
  postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, NULL, "%s",
                              problem);
}

char *
postbag_tools_describe_unknown (PostbagSurface *surface, const char *name)
{
  g_auto (GStrv) names = postbag_surface_dup_tool_names (surface);
  g_autofree char *shown = postbag_text_cut (name, POSTBAG_LIMIT_QUOTE_CHARS, NULL);
  const char *nearest = postbag_text_nearest (name, (const char *const *)names);

  if (nearest == NULL)
    return g_strdup_printf ("There is no tool “%s”. List the tools to see which there are.", shown);
  return g_strdup_printf ("There is no tool “%s”. Did you mean “%s”?", shown, nearest);
}

/* (nullable): after an error was sent */
static PostbagTool *
find_tool (PostbagSession *self, const PostbagRequest *request)
{
  const char *name = NULL;
  g_autofree char *problem = NULL;
  PostbagTool *tool;

  if (request->params == NULL || !postbag_json_get_string (request->params, "name", &name)
      || postbag_json_document_is_flagged (request->document,
                                           json_object_get_member (request->params, "name")))
    {
      refuse_params (self, request, "“tools/call” needs the name of a tool.");
      return NULL;
    }
  tool = postbag_surface_find_tool (self->engine->surface, name);
  if (tool != NULL)
    return tool;
  problem = postbag_tools_describe_unknown (self->engine->surface, name);
  refuse_params (self, request, problem);
  return NULL;
}

/* Arguments may be left out altogether; null counts as left out. */
static gboolean
read_arguments (PostbagCall *call, const PostbagRequest *request)
{
  JsonNode *node = json_object_get_member (request->params, "arguments");

  if (node == NULL || JSON_NODE_HOLDS_NULL (node))
    return TRUE;
  call->arguments = node;
  return JSON_NODE_HOLDS_OBJECT (node);
}

static gboolean
read_retry (PostbagCall *call, const PostbagRequest *request)
{
  const char *state = NULL;
  JsonNode *node = json_object_get_member (request->params, "requestState");

  if (!postbag_revision_get_facts (request->revision)->modern)
    return TRUE;
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

/* A toolset may have a setting `elicitation`; false turns asking through the client off. */
static gboolean
is_asking_off (PostbagTool *tool)
{
  PostbagSettings *settings = postbag_tool_get_settings (tool);

  return settings != NULL && postbag_settings_is_known (settings, "elicitation")
         && !postbag_settings_get_boolean (settings, "elicitation");
}

static PostbagAskWay
choose_ask_way (PostbagSession *self, const PostbagRequest *request)
{
  if (request->client_capabilities != NULL)
    return postbag_capabilities_have_form (request->client_capabilities)
               ? POSTBAG_ASK_INPUT_REQUIRED
               : POSTBAG_ASK_TOKEN;
  return self->can_elicit && self->initialized ? POSTBAG_ASK_ELICITATION : POSTBAG_ASK_TOKEN;
}

/* (transfer full) (nullable): after an error was sent */
static PostbagCall *
make_call (PostbagSession *self, const PostbagRequest *request, PostbagTool *tool)
{
  g_autoptr (PostbagCall) call =
      postbag_call_new (self->engine, tool, request->revision, request->id, self->principal);

  call->document = postbag_json_document_ref (request->document);
  call->progress_token = g_strdup (request->progress_token);
  call->asking_is_off = is_asking_off (tool);
  call->ask_way = call->asking_is_off ? POSTBAG_ASK_TOKEN : choose_ask_way (self, request);
  if (!read_arguments (call, request))
    {
      refuse_params (self, request, "The arguments of a tool must be an object.");
      return NULL;
    }
  if (!read_retry (call, request))
    {
      refuse_params (self, request,
                     "inputResponses must be an object, requestState the string that came.");
      return NULL;
    }
  return g_steal_pointer (&call);
}

static void
handle_call (PostbagSession *self, const PostbagRequest *request)
{
  g_autoptr (PostbagCall) call = NULL;
  PostbagTool *tool;

  if (g_hash_table_contains (self->calls, request->id))
    {
      postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_REQUEST, NULL,
                                  "A request with this id is still running.");
      return;
    }
  tool = find_tool (self, request);
  if (tool == NULL)
    return;
  call = make_call (self, request, tool);
  if (call == NULL)
    return;
  if (self->in_flight < POSTBAG_LIMIT_CALLS_IN_FLIGHT)
    postbag_session_add_call (self, g_steal_pointer (&call));
  else
    postbag_session_send (self, postbag_call_make_error_result (
                                    call, "Too many calls are running at once. Wait for some of "
                                          "them, then call again."));
}

static void
write_capability (PostbagSession *session, PostbagRevision revision, PostbagJsonWriter *writer)
{
  postbag_json_writer_key (writer, "tools");
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_end_object (writer);
}

static const PostbagMethod methods[] = {
  { "tools/list", POSTBAG_ERA_LEGACY | POSTBAG_ERA_MODERN, postbag_tools_handle_list },
  { "tools/call", POSTBAG_ERA_LEGACY | POSTBAG_ERA_MODERN, handle_call },
};

const PostbagFeature postbag_feature_tools = {
  .methods = methods,
  .n_methods = G_N_ELEMENTS (methods),
  .write_capability = write_capability,
};
