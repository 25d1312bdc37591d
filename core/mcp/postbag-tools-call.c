/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tools/call: reads the request into a PostbagCall and hands it to the pool. */

#include "mcp/postbag-catalog-private.h"
#include "mcp/postbag-tools-private.h"

#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "safety/postbag-clean.h"

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
  g_autofree char *shown = postbag_clean_escape (name, POSTBAG_LIMIT_QUOTE_CHARS);
  const char *nearest = postbag_text_nearest (name, (const char *const *)names);
  const char *reason = postbag_surface_explain_absent (surface, name);

  if (reason != NULL)
    return g_strdup_printf ("The tool “%s” is not offered. %s", shown, reason);
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

static void
handle_call (PostbagSession *self, const PostbagRequest *request)
{
  g_autoptr (PostbagCall) call = NULL;
  PostbagTool *tool = find_tool (self, request);

  if (tool == NULL)
    return;
  call = postbag_call_new (self->engine, tool, request->revision, request->id, self->principal);
  if (!postbag_session_prepare_call (self, request, call))
    return;
  if (read_arguments (call, request))
    postbag_session_submit_call (self, g_steal_pointer (&call));
  else
    refuse_params (self, request, "The arguments of a tool must be an object.");
}

static void
write_capability (PostbagSession *session, PostbagRevision revision, PostbagJsonWriter *writer)
{
  postbag_json_writer_key (writer, "tools");
  postbag_json_writer_begin_object (writer);
  if (postbag_surface_get_catalog (session->engine->surface)->list_changes[POSTBAG_LIST_TOOLS])
    {
      postbag_json_writer_key (writer, "listChanged");
      postbag_json_writer_boolean (writer, TRUE);
    }
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
