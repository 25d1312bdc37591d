/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-content-private.h"

#include <string.h>

#include "json/postbag-json.h"

static void
begin_block (PostbagJsonWriter *writer, const char *type)
{
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "type");
  postbag_json_writer_string (writer, type);
}

/* Nothing for %NULL. */
static void
write_string (PostbagJsonWriter *writer, const char *name, const char *value)
{
  if (value == NULL)
    return;
  postbag_json_writer_key (writer, name);
  postbag_json_writer_string (writer, value);
}

static void
write_base64 (PostbagJsonWriter *writer, const char *name, GBytes *data)
{
  gsize length;
  const guint8 *bytes = g_bytes_get_data (data, &length);

  postbag_json_writer_key (writer, name);
  postbag_json_writer_base64 (writer, bytes, length);
}

void
postbag_content_write_text (PostbagJsonWriter *writer, const char *text, gsize length)
{
  begin_block (writer, "text");
  postbag_json_writer_key (writer, "text");
  postbag_json_writer_string_length (writer, text, length);
  postbag_json_writer_end_object (writer);
}

static void G_GNUC_PRINTF (2, 3) write_instead (PostbagJsonWriter *writer, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  postbag_content_write_text (writer, text, strlen (text));
}

static gboolean
has_type (PostbagRevision revision, const char *type)
{
  if (strcmp (type, "audio") == 0)
    return revision >= POSTBAG_REVISION_2025_03_26;
  if (strcmp (type, "resource_link") == 0)
    return revision >= POSTBAG_REVISION_2025_06_18;
  return TRUE;
}

/* --- of a result --- */

static void
write_media (PostbagJsonWriter *writer, PostbagRevision revision, const char *type,
             const PostbagResultBlock *block)
{
  if (!has_type (revision, type))
    {
      write_instead (writer,
                     "There is sound here (%s, %" G_GSIZE_FORMAT
                     " bytes) that this protocol version cannot carry.",
                     block->mime_type, g_bytes_get_size (block->data));
      return;
    }
  begin_block (writer, type);
  write_base64 (writer, "data", block->data);
  write_string (writer, "mimeType", block->mime_type);
  postbag_json_writer_end_object (writer);
}

static void
write_link (PostbagJsonWriter *writer, PostbagRevision revision, const PostbagResultBlock *block)
{
  if (!has_type (revision, "resource_link"))
    {
      write_instead (writer, "%s: %s", block->name, block->uri);
      return;
    }
  begin_block (writer, "resource_link");
  write_string (writer, "uri", block->uri);
  write_string (writer, "name", block->name);
  write_string (writer, "mimeType", block->mime_type);
  if (block->size >= 0)
    {
      postbag_json_writer_key (writer, "size");
      postbag_json_writer_int (writer, block->size);
    }
  postbag_json_writer_end_object (writer);
}

static void
write_resource (PostbagJsonWriter *writer, const PostbagResultBlock *block)
{
  begin_block (writer, "resource");
  postbag_json_writer_key (writer, "resource");
  postbag_json_writer_begin_object (writer);
  write_string (writer, "uri", block->uri);
  write_string (writer, "mimeType", block->mime_type);
  if (block->data != NULL)
    write_base64 (writer, "blob", block->data);
  else
    write_string (writer, "text", block->text != NULL ? block->text : "");
  postbag_json_writer_end_object (writer);
  postbag_json_writer_end_object (writer);
}

void
postbag_content_write_block (PostbagJsonWriter *writer, PostbagRevision revision,
                             const PostbagResultBlock *block)
{
  switch (block->kind)
    {
    case POSTBAG_BLOCK_IMAGE:
      write_media (writer, revision, "image", block);
      break;
    case POSTBAG_BLOCK_AUDIO:
      write_media (writer, revision, "audio", block);
      break;
    case POSTBAG_BLOCK_LINK:
      write_link (writer, revision, block);
      break;
    case POSTBAG_BLOCK_RESOURCE:
      write_resource (writer, block);
      break;
    default:
      g_assert_not_reached ();
    }
}

/* --- of a data file --- */

void
postbag_content_write_object (PostbagJsonWriter *writer, PostbagRevision revision,
                              JsonObject *block)
{
  g_autoptr (JsonNode) node = NULL;
  const char *type = "", *name = "", *uri = "";

  postbag_json_get_string (block, "type", &type);
  if (has_type (revision, type))
    {
      node = json_node_new (JSON_NODE_OBJECT);
      json_node_set_object (node, block);
      postbag_json_writer_node (writer, node);
      return;
    }
  postbag_json_get_string (block, "name", &name);
  postbag_json_get_string (block, "uri", &uri);
  if (*uri != '\0')
    write_instead (writer, "%s: %s", name, uri);
  else
    write_instead (writer, "There is sound here that this protocol version cannot carry.");
}
