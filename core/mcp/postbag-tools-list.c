/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tools/list, page by page. */

#define G_LOG_DOMAIN "postbag-mcp"

#include "mcp/postbag-cursor-private.h"
#include "mcp/postbag-tools-private.h"

void
postbag_tools_write_page (PostbagJsonWriter *writer, GPtrArray *tools, guint first, guint end,
                          PostbagRevision revision)
{
  postbag_json_writer_key (writer, "tools");
  postbag_json_writer_begin_array (writer);
  for (guint i = first; i < end; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) json = postbag_tool_dup_json (tools->pdata[i], revision, &error);
      gsize length;
      const char *text;

      if (json == NULL)
        {
          g_message ("a tool is not listed: %s", error->message);
          continue;
        }
      text = g_bytes_get_data (json, &length);
      postbag_json_writer_raw (writer, text, length);
    }
  postbag_json_writer_end_array (writer);
}

static GPtrArray *
collect_names (GPtrArray *tools)
{
  GPtrArray *names = g_ptr_array_sized_new (tools->len);

  for (guint i = 0; i < tools->len; i++)
    g_ptr_array_add (names, (gpointer)postbag_tool_get_name (tools->pdata[i]));
  return names;
}

void
postbag_tools_handle_list (PostbagSession *self, const PostbagRequest *request)
{
  GPtrArray *tools = postbag_surface_get_tools (self->engine->surface);
  g_autoptr (GPtrArray) names = collect_names (tools);
  PostbagCursorList list = { self->engine, self->principal, "tools-cursor", names, TRUE };
  PostbagJsonWriter *writer;
  guint first, end;

  if (!postbag_cursor_read (&list, request->params, &first))
    {
      postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, NULL,
                                  POSTBAG_CURSOR_REFUSAL);
      return;
    }
  end = postbag_cursor_get_end (&list, first);
  writer = postbag_session_begin_result (self, request);
  postbag_tools_write_page (writer, tools, first, end, request->revision);
  postbag_cursor_write_next (&list, end, writer);
  postbag_revision_write_cache_hints (request->revision, writer);
  postbag_session_end_result (self, request, writer);
}
