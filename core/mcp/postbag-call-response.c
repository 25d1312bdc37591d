/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CallToolResult, written on the worker thread as the whole message that leaves. */

#include "mcp/postbag-call-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "json/postbag-result-private.h"
#include "mcp/postbag-jsonrpc-private.h"

PostbagJsonWriter *
postbag_call_begin_response (PostbagCall *self)
{
  PostbagJsonWriter *writer;

  if (self->id != NULL)
    return postbag_jsonrpc_begin_result (self->id);
  writer = postbag_json_writer_new ();
  postbag_json_writer_begin_object (writer);
  return writer;
}

GBytes *
postbag_call_end_response (PostbagCall *self, PostbagJsonWriter *writer)
{
  GBytes *message;

  if (self->id != NULL)
    return postbag_jsonrpc_end (writer);
  postbag_json_writer_end_object (writer);
  message = postbag_json_writer_finish (writer);
  postbag_json_writer_free (writer);
  return message;
}

static void
write_text_block (PostbagJsonWriter *writer, const char *text, gsize length)
{
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "type");
  postbag_json_writer_string (writer, "text");
  postbag_json_writer_key (writer, "text");
  postbag_json_writer_string_length (writer, text, length);
  postbag_json_writer_end_object (writer);
}

static void
write_image_block (PostbagJsonWriter *writer, const PostbagResultImage *image)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (image->data, &length);

  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "type");
  postbag_json_writer_string (writer, "image");
  postbag_json_writer_key (writer, "data");
  postbag_json_writer_base64 (writer, data, length);
  postbag_json_writer_key (writer, "mimeType");
  postbag_json_writer_string (writer, image->mime_type);
  postbag_json_writer_end_object (writer);
}

static void
write_content (PostbagJsonWriter *writer, PostbagResult *result)
{
  const char *text = postbag_result_get_text (result);

  postbag_json_writer_key (writer, "content");
  postbag_json_writer_begin_array (writer);
  if (text != NULL)
    write_text_block (writer, text, strlen (text));
  else
    {
      gsize length;
      const char *json = g_bytes_get_data (postbag_result_get_structured (result), &length);

      write_text_block (writer, json, length);
    }
  for (guint i = 0; i < postbag_result_get_n_images (result); i++)
    write_image_block (writer, postbag_result_get_image (result, i));
  postbag_json_writer_end_array (writer);
}

static void
write_own_meta (PostbagJsonWriter *writer, JsonObject *meta)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;

  json_object_iter_init_ordered (&iter, meta);
  while (json_object_iter_next_ordered (&iter, &name, &value))
    {
      postbag_json_writer_key (writer, name);
      postbag_json_writer_node (writer, value);
    }
}

static void
write_tail (PostbagCall *self, PostbagJsonWriter *writer, JsonObject *meta)
{
  if (meta == NULL)
    {
      postbag_revision_write_result_tail (self->revision, writer, "complete");
      return;
    }
  postbag_revision_write_result_type (self->revision, writer, "complete");
  postbag_json_writer_key (writer, "_meta");
  postbag_json_writer_begin_object (writer);
  write_own_meta (writer, meta);
  postbag_revision_write_meta_members (self->revision, writer);
  postbag_json_writer_end_object (writer);
}

GBytes *
postbag_call_make_result (PostbagCall *self, PostbagResult *result)
{
  PostbagJsonWriter *writer = postbag_call_begin_response (self);
  GBytes *structured = postbag_result_get_structured (result);
  gsize length;
  const char *json = g_bytes_get_data (structured, &length);

  write_content (writer, result);
  if (postbag_revision_get_facts (self->revision)->structured_content)
    {
      postbag_json_writer_key (writer, "structuredContent");
      postbag_json_writer_raw (writer, json, length);
    }
  write_tail (self, writer, postbag_result_get_meta (result));
  if (postbag_json_writer_get_length (writer) <= POSTBAG_LIMIT_ANSWER_BYTES)
    return postbag_call_end_response (self, writer);
  postbag_json_writer_free (writer);
  return postbag_call_make_error_result (
      self, "The result is larger than the 8 MiB that clients take in one answer. Ask for less: "
            "fewer entries, a smaller range, or save the file instead.");
}

GBytes *
postbag_call_make_error_result (PostbagCall *self, const char *text)
{
  PostbagJsonWriter *writer = postbag_call_begin_response (self);

  self->is_error = TRUE;
  postbag_json_writer_key (writer, "content");
  postbag_json_writer_begin_array (writer);
  write_text_block (writer, text, strlen (text));
  postbag_json_writer_end_array (writer);
  postbag_json_writer_key (writer, "isError");
  postbag_json_writer_boolean (writer, TRUE);
  postbag_revision_write_result_tail (self->revision, writer, "complete");
  return postbag_call_end_response (self, writer);
}

/* Our messages say the way out in their last sentence; one clause alone does not. */
static gboolean
says_what_to_do (const char *message)
{
  return strstr (message, ". ") != NULL || strstr (message, ".\n") != NULL
         || strchr (message, '\n') != NULL;
}

char *
postbag_call_describe_error (const GError *error)
{
  gboolean is_ours = error != NULL && error->domain == POSTBAG_ERROR;
  const PostbagErrorFacts *facts =
      postbag_error_get_facts (is_ours ? error->code : POSTBAG_ERROR_INTERNAL);
  g_autofree char *valid =
      postbag_text_make_valid (error != NULL ? error->message : "no reason was given", -1);
  g_autofree char *message = postbag_text_cut (g_strchomp (valid), POSTBAG_LIMIT_ERROR_CHARS, NULL);

  if (!is_ours)
    return g_strdup_printf ("%s: %s. %s", facts->text, message, facts->next);
  if (says_what_to_do (message))
    return g_steal_pointer (&message);
  return g_strconcat (message, g_str_has_suffix (message, ".") ? " " : ". ", facts->next, NULL);
}
