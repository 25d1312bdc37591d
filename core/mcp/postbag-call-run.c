/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One run of a call on a worker thread: arguments mended and validated, the handler, and what it
 * gave turned into the message that answers. Everything a model could correct comes as a result
 * with `isError`, since a protocol error never reaches it. */

#define G_LOG_DOMAIN "postbag-mcp"

#include "mcp/postbag-call-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "json/postbag-result-private.h"
#include "mcp/postbag-jsonrpc-private.h"

static JsonNode *
make_empty_arguments (void)
{
  JsonNode *node = json_node_new (JSON_NODE_OBJECT);

  json_node_take_object (node, json_object_new ());
  return node;
}

static gboolean
refuse_flagged (PostbagCall *self, GError **error)
{
  if (self->arguments == NULL
      || !postbag_json_document_has_flagged (self->document, self->arguments))
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
               "An argument of “%s” holds U+0000, half a surrogate pair or an integer beyond 64 "
               "bits, which no mail has. Correct it and call again.",
               postbag_call_get_tool (self));
  return FALSE;
}

/* (transfer full) (nullable) */
static PostbagArgs *
check_arguments (PostbagCall *self, PostbagSchema *schema, GError **error)
{
  g_autoptr (JsonNode) given = NULL;
  g_autoptr (JsonNode) mended = NULL;
  g_autoptr (GError) local_error = NULL;

  if (!refuse_flagged (self, error))
    return NULL;
  given = self->arguments != NULL ? json_node_ref (self->arguments) : make_empty_arguments ();
  mended = postbag_schema_mend (schema, given);
  if (postbag_schema_validate (schema, mended, &local_error))
    return postbag_args_new (json_node_get_object (mended));
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
               "The arguments of “%s” are not usable:\n%s\nCorrect them and call again.",
               postbag_call_get_tool (self), local_error->message);
  return NULL;
}

static gboolean
validate_result (PostbagCall *self, PostbagSchema *schema, PostbagResult *result, GError **error)
{
  GBytes *bytes = postbag_result_get_structured (result);
  g_autoptr (PostbagJsonDocument) document = NULL;
  g_autoptr (GError) local_error = NULL;
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);

  if (schema == NULL)
    return TRUE;
  document = postbag_json_parse (text, length, POSTBAG_LIMIT_ANSWER_BYTES, POSTBAG_JSON_DEFAULT,
                                 &local_error);
  if (document != NULL
      && postbag_schema_validate (schema, postbag_json_document_get_root (document), &local_error))
    return TRUE;
  /* The problems may quote what a sender wrote, so they stay out of the log. */
  g_message ("the result of %s does not fit its output schema", postbag_call_get_tool (self));
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INTERNAL,
               "Postbag made a mistake: the result of “%s” does not fit its own description. "
               "Please report this.",
               postbag_call_get_tool (self));
  return FALSE;
}

static GBytes *
answer_with_error (PostbagCall *self, const GError *error)
{
  g_autofree char *text = postbag_call_describe_error (error);

  return postbag_call_make_error_result (self, text);
}

static gboolean
is_waiting (PostbagCall *self, const GError *error)
{
  return self->pending != NULL && g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_INPUT);
}

gboolean
postbag_call_misses_capability (PostbagCall *self, const GError *error)
{
  return self->missing_capability != NULL && postbag_revision_get_facts (self->revision)->modern
         && g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED);
}

GBytes *
postbag_call_make_missing_capability (PostbagCall *self, const GError *error)
{
  g_autofree char *data =
      g_strdup_printf ("{\"requiredCapabilities\":%s}", self->missing_capability);

  self->is_error = TRUE;
  return postbag_jsonrpc_make_error (self->id, POSTBAG_JSONRPC_MISSING_CAPABILITY, error->message,
                                     data);
}

GBytes *
postbag_call_answer_with_question (PostbagCall *self)
{
  g_autoptr (GError) error = NULL;
  GBytes *response;

  if (!postbag_revision_get_facts (self->revision)->modern)
    return NULL;
  response = postbag_call_make_input_required (self, &error);
  if (response != NULL)
    return response;
  return self->tool != NULL ? answer_with_error (self, error)
                            : postbag_call_make_protocol_error (self, error, NULL);
}

static GBytes *
run_handler (PostbagCall *self, PostbagArgs *args, PostbagSchema *output)
{
  g_autoptr (PostbagResult) result = postbag_result_new (POSTBAG_LIMIT_RESULT_CHARS);
  g_autoptr (GError) error = NULL;
  PostbagToolHandler handler = postbag_tool_get_handler (self->tool, &error);

  if (handler != NULL && handler (self, args, result, &error))
    {
      if (!self->engine->validate_results || postbag_result_is_failed (result)
          || validate_result (self, output, result, &error))
        return postbag_call_make_result (self, result);
      self->is_replaced = TRUE;
      return answer_with_error (self, error);
    }
  if (self->needs_state)
    return postbag_call_make_protocol_error (self, self->bad_state, NULL);
  if (is_waiting (self, error))
    return postbag_call_answer_with_question (self);
  postbag_call_set_pending (self, NULL);
  if (postbag_call_misses_capability (self, error))
    return postbag_call_make_missing_capability (self, error);
  return answer_with_error (self, error);
}

static GBytes *
produce_tool_response (PostbagCall *self)
{
  g_autoptr (PostbagArgs) args = NULL;
  g_autoptr (GError) error = NULL;
  PostbagSchema *input = NULL, *output = NULL;

  if (!postbag_tool_get_schemas (self->tool, &input, &output, &error))
    return answer_with_error (self, error);
  self->has_output = output != NULL;
  args = check_arguments (self, input, &error);
  if (args == NULL)
    return answer_with_error (self, error);
  postbag_call_set_pending (self, NULL);
  return run_handler (self, args, output);
}

const PostbagOperation postbag_operation_tool = { .produce = produce_tool_response };

static GBytes *
produce_response (PostbagCall *self)
{
  g_autoptr (GError) error = NULL;

  if (!self->prepared && !postbag_call_read_state (self, &error))
    return self->tool != NULL ? answer_with_error (self, error)
                              : postbag_call_make_protocol_error (self, error, NULL);
  if (self->bad_state != NULL && self->tool == NULL)
    return postbag_call_make_protocol_error (self, self->bad_state, NULL);
  return self->operation->produce (self);
}

static gboolean
is_output_full (PostbagCall *self)
{
  return self->output != NULL
         && (gsize)g_atomic_pointer_get (&self->output->queued)
                    + (gsize)g_atomic_pointer_get (&self->output->handed)
                > POSTBAG_LIMIT_OUTPUT_QUEUE_BYTES;
}

void
postbag_call_run (gpointer call)
{
  g_autoptr (PostbagCall) self = call;

  self->postponed = is_output_full (self);
  if (!self->postponed && !g_cancellable_is_cancelled (self->cancellable))
    self->response = produce_response (self);
  if (self->response != NULL && self->output != NULL)
    g_atomic_pointer_add (&self->output->handed, (gssize)g_bytes_get_size (self->response));
  postbag_call_hand_over (self);
}
