/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CallToolResult, written on the worker thread as the whole message that leaves. */

#include "mcp/postbag-call-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "json/postbag-result-private.h"
#include "mcp/postbag-content-private.h"
#include "mcp/postbag-jsonrpc-private.h"
#include "mcp/postbag-uri-template-private.h"
#include "safety/postbag-clean.h"

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

/* The JSON copy of the structured content, unless the handler laid the text out itself, or gave
 * nothing but other blocks. */
static void
write_text (PostbagJsonWriter *writer, PostbagResult *result, gboolean is_empty)
{
  const char *text = postbag_result_get_text (result);
  gsize length;
  const char *json = g_bytes_get_data (postbag_result_get_structured (result), &length);

  if (text != NULL)
    postbag_content_write_text (writer, text, strlen (text));
  else if (!is_empty || postbag_result_get_n_blocks (result) == 0)
    postbag_content_write_text (writer, json, length);
}

static void
write_content (PostbagCall *self, PostbagJsonWriter *writer, PostbagResult *result,
               gboolean is_empty)
{
  postbag_json_writer_key (writer, "content");
  postbag_json_writer_begin_array (writer);
  write_text (writer, result, is_empty);
  for (guint i = 0; i < postbag_result_get_n_blocks (result); i++)
    postbag_content_write_block (writer, self->revision, postbag_result_get_block (result, i));
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

void
postbag_call_write_tail (PostbagCall *self, PostbagJsonWriter *writer, JsonObject *meta)
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

static gboolean
has_structured (PostbagCall *self, gboolean is_empty)
{
  return postbag_revision_get_facts (self->revision)->structured_content
         && (!is_empty || self->has_output);
}

GBytes *
postbag_call_make_result (PostbagCall *self, PostbagResult *result)
{
  PostbagJsonWriter *writer;
  gsize length;
  const char *json = g_bytes_get_data (postbag_result_get_structured (result), &length);
  gboolean is_empty = length == strlen ("{}");

  if (postbag_result_is_failed (result))
    {
      const char *text = postbag_result_get_text (result);

      return postbag_call_make_error_result (self, text != NULL ? text : json);
    }
  writer = postbag_call_begin_response (self);
  write_content (self, writer, result, is_empty);
  if (has_structured (self, is_empty))
    {
      postbag_json_writer_key (writer, "structuredContent");
      postbag_json_writer_raw (writer, json, length);
    }
  postbag_call_write_tail (self, writer, postbag_result_get_meta (result));
  if (postbag_json_writer_get_length (writer) <= POSTBAG_LIMIT_ANSWER_BYTES)
    return postbag_call_end_response (self, writer);
  postbag_json_writer_free (writer);
  self->is_replaced = TRUE;
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
  postbag_content_write_text (writer, text, strlen (text));
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
  /* what it quotes, from a caller or a server, may have come out of a mail */
  g_autofree char *message = postbag_clean (error != NULL ? error->message : "no reason was given",
                                            POSTBAG_CLEAN_TEXT, POSTBAG_LIMIT_ERROR_CHARS, NULL);

  if (!is_ours)
    return g_strdup_printf ("%s: %s. %s", facts->text, message, facts->next);
  if (says_what_to_do (message))
    return g_steal_pointer (&message);
  return g_strconcat (message, g_str_has_suffix (message, ".") ? " " : ". ", facts->next, NULL);
}

/* What the client can mend is "invalid params"; a resource that is not there has its own code up to
 * 2025-11-25. */
static int
choose_code (PostbagCall *self, const GError *error, const char *uri)
{
  if (error->domain != POSTBAG_ERROR)
    return POSTBAG_JSONRPC_INTERNAL_ERROR;
  switch (error->code)
    {
    case POSTBAG_ERROR_NOT_FOUND:
      return uri != NULL && !postbag_revision_get_facts (self->revision)->modern
                 ? POSTBAG_JSONRPC_RESOURCE_NOT_FOUND
                 : POSTBAG_JSONRPC_INVALID_PARAMS;
    case POSTBAG_ERROR_INVALID_ARGUMENT:
    case POSTBAG_ERROR_NOT_ALLOWED:
    case POSTBAG_ERROR_TOO_LARGE:
    case POSTBAG_ERROR_NOT_SUPPORTED:
      return POSTBAG_JSONRPC_INVALID_PARAMS;
    default:
      return POSTBAG_JSONRPC_INTERNAL_ERROR;
    }
}

char *
postbag_call_describe_uri (const char *uri)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();
  g_autofree char *shown = postbag_clean_escape (uri, POSTBAG_LIMIT_QUOTE_CHARS);

  /* Byte for byte where it is a URI at all; else only what may be shown of it. */
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "uri");
  postbag_json_writer_string (writer, postbag_resource_uri_is_well_formed (uri) ? uri : shown);
  postbag_json_writer_end_object (writer);
  return g_strdup (postbag_json_writer_peek (writer));
}

GBytes *
postbag_call_make_protocol_error (PostbagCall *self, const GError *error, const char *uri)
{
  g_autofree char *text = postbag_call_describe_error (error);
  g_autofree char *data = uri != NULL ? postbag_call_describe_uri (uri) : NULL;

  if (postbag_call_misses_capability (self, error))
    return postbag_call_make_missing_capability (self, error);
  self->is_error = TRUE;
  return postbag_jsonrpc_make_error (self->id, choose_code (self, error, uri), text, data);
}
