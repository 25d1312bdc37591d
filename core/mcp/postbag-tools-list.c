/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tools/list, page by page. A cursor is sealed: it holds the name of the last tool shown and a hash
 * of all names, so that one of another server, another configuration or another list is refused
 * instead of skipping tools. */

#define G_LOG_DOMAIN "postbag-mcp"

#include "mcp/postbag-tools-private.h"

#include <string.h>

#include "base/postbag-limits.h"

#define PURPOSE "tools-cursor"

static char *
compute_generation (GPtrArray *tools)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

  for (guint i = 0; i < tools->len; i++)
    {
      const char *name = postbag_tool_get_name (tools->pdata[i]);

      g_checksum_update (checksum, (const guchar *)name, (gssize)strlen (name) + 1);
    }
  return g_strdup (g_checksum_get_string (checksum));
}

static char *
make_cursor (PostbagSession *self, GPtrArray *tools, guint last)
{
  g_autofree char *generation = compute_generation (tools);
  g_autofree char *text =
      g_strconcat (generation, " ", postbag_tool_get_name (tools->pdata[last]), NULL);
  g_autoptr (GBytes) plain = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  char *cursor = postbag_seal_close (self->engine->seal, PURPOSE, self->principal,
                                     POSTBAG_LIMIT_CURSOR_SECONDS, plain, &error);

  if (cursor == NULL)
    g_message ("cannot make a cursor: %s", error->message);
  return cursor;
}

/* Index of the first tool after the cursor's. */
static gboolean
read_cursor (PostbagSession *self, GPtrArray *tools, const char *cursor, guint *first)
{
  g_autoptr (GBytes) plain =
      postbag_seal_open (self->engine->seal, PURPOSE, self->principal, cursor, NULL);
  g_autofree char *generation = NULL;
  g_autofree char *text = NULL;
  gsize length;
  const char *bytes;

  if (plain == NULL)
    return FALSE;
  bytes = g_bytes_get_data (plain, &length);
  text = g_strndup (bytes, length);
  generation = compute_generation (tools);
  if (!g_str_has_prefix (text, generation) || text[strlen (generation)] != ' ')
    return FALSE;
  for (guint i = 0; i < tools->len; i++)
    {
      if (strcmp (postbag_tool_get_name (tools->pdata[i]), text + strlen (generation) + 1) != 0)
        continue;
      *first = i + 1;
      return TRUE;
    }
  return FALSE;
}

static gboolean
find_first (PostbagSession *self, const PostbagRequest *request, GPtrArray *tools, guint *first)
{
  const char *cursor = NULL;

  *first = 0;
  if (request->params == NULL || !json_object_has_member (request->params, "cursor"))
    return TRUE;
  if (postbag_json_get_string (request->params, "cursor", &cursor)
      && read_cursor (self, tools, cursor, first))
    return TRUE;
  postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, NULL,
                              "The cursor is not one of this list, or too old. List again without "
                              "a cursor.");
  return FALSE;
}

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

void
postbag_tools_handle_list (PostbagSession *self, const PostbagRequest *request)
{
  GPtrArray *tools = postbag_surface_get_tools (self->engine->surface);
  PostbagJsonWriter *writer;
  guint first, end;

  if (!find_first (self, request, tools, &first))
    return;
  end = MIN (tools->len, first + self->engine->page_size);
  writer = postbag_session_begin_result (self, request);
  postbag_tools_write_page (writer, tools, first, end, request->revision);
  if (end < tools->len)
    {
      g_autofree char *cursor = make_cursor (self, tools, end - 1);

      if (cursor != NULL)
        {
          postbag_json_writer_key (writer, "nextCursor");
          postbag_json_writer_string (writer, cursor);
        }
    }
  postbag_revision_write_cache_hints (request->revision, writer);
  postbag_session_end_result (self, request, writer);
}
