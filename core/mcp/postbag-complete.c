/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* completion/complete, for the arguments of prompts and the variables of resource templates that
 * their files say it of; for the others the answer is that there is nothing to suggest. */

#include "mcp/postbag-catalog-private.h"
#include "mcp/postbag-session-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

struct _PostbagCompletionList
{
  GPtrArray *values;
  guint total;
};

void
postbag_completion_list_add (PostbagCompletionList *self, const char *value)
{
  self->total++;
  if (self->values->len < POSTBAG_LIMIT_COMPLETIONS)
    g_ptr_array_add (self->values, g_strdup (value));
}

typedef struct
{
  PostbagToolset *toolset;
  PostbagCompletion completion; /* its texts belong to the request's document */
  JsonObject *context;
} Completing;

static void
free_completing (gpointer data)
{
  Completing *completing = data;

  json_object_unref (completing->context);
  g_free (completing);
}

static void
write_result (PostbagJsonWriter *writer, GPtrArray *values, guint total)
{
  postbag_json_writer_key (writer, "completion");
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "values");
  postbag_json_writer_begin_array (writer);
  for (guint i = 0; i < values->len; i++)
    postbag_json_writer_string (writer, values->pdata[i]);
  postbag_json_writer_end_array (writer);
  postbag_json_writer_key (writer, "total");
  postbag_json_writer_int (writer, total);
  postbag_json_writer_key (writer, "hasMore");
  postbag_json_writer_boolean (writer, total > values->len);
  postbag_json_writer_end_object (writer);
}

static GBytes *
produce_completion (PostbagCall *call)
{
  Completing *completing = call->data;
  g_autoptr (GPtrArray) values = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PostbagArgs) context = postbag_args_new (completing->context);
  g_autoptr (GError) error = NULL;
  const PostbagToolsetImplementation *implementation =
      postbag_toolset_get_implementation (completing->toolset, &error);
  PostbagCompletionList list = { values, 0 };
  PostbagJsonWriter *writer;

  if (implementation == NULL)
    return postbag_call_make_protocol_error (call, error, NULL);
  completing->completion.context = context;
  if (implementation->size >= G_STRUCT_OFFSET (PostbagToolsetImplementation, prompts)
      && implementation->complete != NULL
      && !implementation->complete (call, &completing->completion, &list, &error))
    return postbag_call_make_protocol_error (call, error, NULL);
  writer = postbag_call_begin_response (call);
  write_result (writer, values, list.total);
  postbag_call_write_tail (call, writer, NULL);
  return postbag_call_end_response (call, writer);
}

static const PostbagOperation complete_operation = { .produce = produce_completion,
                                                     .free_data = free_completing };

/* --- the request --- */

typedef struct
{
  PostbagToolset *toolset;
  JsonObject *object;
  const char *name;
  gboolean is_prompt;
} Reference;

static gboolean
read_reference (PostbagSession *self, JsonObject *params, Reference *reference)
{
  const PostbagCatalog *catalog = postbag_surface_get_catalog (self->engine->surface);
  const PostbagPrompt *prompt = NULL;
  const PostbagResourceRow *row = NULL;
  const char *type = NULL, *name = NULL;
  JsonObject *ref = NULL;

  if (!postbag_json_get_object (params, "ref", &ref)
      || !postbag_json_get_string (ref, "type", &type))
    return FALSE;
  if (strcmp (type, "ref/prompt") == 0 && postbag_json_get_string (ref, "name", &name))
    prompt = postbag_catalog_find_prompt (catalog, name);
  else if (strcmp (type, "ref/resource") == 0 && postbag_json_get_string (ref, "uri", &name))
    row = postbag_catalog_find_template (catalog, name);
  if (prompt != NULL)
    *reference = (Reference){ prompt->toolset, prompt->object, prompt->name, TRUE };
  else if (row != NULL)
    *reference = (Reference){ row->toolset, row->object, row->name, FALSE };
  return prompt != NULL || row != NULL;
}

static gboolean
read_argument (const PostbagRequest *request, PostbagCompletion *completion)
{
  JsonObject *argument = NULL;

  return postbag_json_get_object (request->params, "argument", &argument)
         && postbag_json_get_string (argument, "name", &completion->argument)
         && postbag_json_get_string (argument, "value", &completion->value)
         && !postbag_json_document_has_flagged (
             request->document, json_object_get_member (request->params, "argument"))
         && strlen (completion->value) <= POSTBAG_LIMIT_URI_BYTES;
}

/* (transfer full): the settled arguments that are strings (2025-06-18) */
static JsonObject *
read_context (const PostbagRequest *request)
{
  JsonObject *context = NULL, *arguments = NULL;
  JsonObject *kept = json_object_new ();
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;

  if (request->revision < POSTBAG_REVISION_2025_06_18
      || !postbag_json_get_object (request->params, "context", &context)
      || !postbag_json_get_object (context, "arguments", &arguments))
    return kept;
  json_object_iter_init_ordered (&iter, arguments);
  while (json_object_iter_next_ordered (&iter, &name, &value))
    {
      const char *text = NULL;

      if (postbag_json_get_string (arguments, name, &text)
          && !postbag_json_document_has_flagged (request->document, value))
        json_object_set_string_member (kept, name, text);
    }
  return kept;
}

static void
answer_nothing (PostbagSession *self, const PostbagRequest *request)
{
  g_autoptr (GPtrArray) none = g_ptr_array_new ();
  PostbagJsonWriter *writer = postbag_session_begin_result (self, request);

  write_result (writer, none, 0);
  postbag_session_end_result (self, request, writer);
}

static void
handle_complete (PostbagSession *self, const PostbagRequest *request)
{
  PostbagCompletion completion = { 0 };
  Reference reference = { 0 };
  Completing *completing;
  PostbagCall *call;

  if (request->params == NULL || !read_reference (self, request->params, &reference)
      || !read_argument (request, &completion))
    {
      postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, NULL,
                                  "“completion/complete” needs a ref to a prompt or template that "
                                  "is listed, and an argument with name and value.");
      return;
    }
  if (!postbag_catalog_completes (reference.object, completion.argument))
    {
      answer_nothing (self, request);
      return;
    }
  completing = g_new0 (Completing, 1);
  completing->toolset = reference.toolset;
  completing->completion = completion;
  completing->completion.name = reference.name;
  completing->completion.is_prompt = reference.is_prompt;
  completing->context = read_context (request);
  call = postbag_session_make_call (self, request, &complete_operation, completing,
                                    "completion/complete", reference.toolset);
  if (call != NULL)
    postbag_session_submit_call (self, call);
}

/* --- the feature --- */

static gboolean
has_completions (PostbagSession *self)
{
  return postbag_surface_get_catalog (self->engine->surface)->has_completions;
}

/* 2024-11-05 has the method and no word for it. */
static void
write_capability (PostbagSession *self, PostbagRevision revision, PostbagJsonWriter *writer)
{
  if (revision < POSTBAG_REVISION_2025_03_26)
    return;
  postbag_json_writer_key (writer, "completions");
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_end_object (writer);
}

static const PostbagMethod methods[] = {
  { "completion/complete", POSTBAG_ERA_LEGACY | POSTBAG_ERA_MODERN, handle_complete },
};

const PostbagFeature postbag_feature_completion = {
  .is_there = has_completions,
  .methods = methods,
  .n_methods = G_N_ELEMENTS (methods),
  .write_capability = write_capability,
};
