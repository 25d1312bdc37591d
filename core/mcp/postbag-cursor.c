/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-mcp"

#include "mcp/postbag-cursor-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "json/postbag-json.h"

static char *
compute_generation (const PostbagCursorList *list)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

  for (guint i = 0; list->is_fixed && i < list->keys->len; i++)
    {
      const char *key = list->keys->pdata[i];

      g_checksum_update (checksum, (const guchar *)key, (gssize)strlen (key) + 1);
    }
  return g_strdup (g_checksum_get_string (checksum));
}

static char *
make_cursor (const PostbagCursorList *list, guint last)
{
  g_autofree char *generation = compute_generation (list);
  g_autofree char *text = g_strconcat (generation, " ", list->keys->pdata[last], NULL);
  g_autoptr (GBytes) plain = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  char *cursor = postbag_seal_close (list->engine->seal, list->purpose, list->principal,
                                     POSTBAG_LIMIT_CURSOR_SECONDS, plain, &error);

  if (cursor == NULL)
    g_message ("cannot make a cursor: %s", error->message);
  return cursor;
}

static gboolean
open_cursor (const PostbagCursorList *list, const char *cursor, guint *first)
{
  g_autoptr (GBytes) plain =
      postbag_seal_open (list->engine->seal, list->purpose, list->principal, cursor, NULL);
  g_autofree char *generation = NULL;
  g_autofree char *text = NULL;
  gsize length;
  const char *bytes;

  if (plain == NULL)
    return FALSE;
  bytes = g_bytes_get_data (plain, &length);
  text = g_strndup (bytes, length);
  generation = compute_generation (list);
  if (!g_str_has_prefix (text, generation) || text[strlen (generation)] != ' ')
    return FALSE;
  for (guint i = 0; i < list->keys->len; i++)
    {
      if (strcmp (list->keys->pdata[i], text + strlen (generation) + 1) != 0)
        continue;
      *first = i + 1;
      return TRUE;
    }
  return FALSE;
}

gboolean
postbag_cursor_read (const PostbagCursorList *list, JsonObject *params, guint *first)
{
  const char *cursor = NULL;

  *first = 0;
  if (params == NULL || !json_object_has_member (params, "cursor"))
    return TRUE;
  return postbag_json_get_string (params, "cursor", &cursor) && open_cursor (list, cursor, first);
}

guint
postbag_cursor_get_end (const PostbagCursorList *list, guint first)
{
  return MIN (list->keys->len, first + list->engine->page_size);
}

void
postbag_cursor_write_next (const PostbagCursorList *list, guint end, PostbagJsonWriter *writer)
{
  g_autofree char *cursor = NULL;

  if (end >= list->keys->len)
    return;
  cursor = make_cursor (list, end - 1);
  if (cursor == NULL)
    return;
  postbag_json_writer_key (writer, "nextCursor");
  postbag_json_writer_string (writer, cursor);
}
