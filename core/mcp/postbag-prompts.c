/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* prompts/list and prompts/get. Most prompts are text of a data file with arguments put in; one
 * without text is made by its toolset, on the pool. */

#include "mcp/postbag-prompt-text-private.h"
#include "mcp/postbag-session-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "mcp/postbag-content-private.h"
#include "mcp/postbag-cursor-private.h"
#include "safety/postbag-clean.h"

static const PostbagCatalog *
get_catalog (PostbagSession *self)
{
  return postbag_surface_get_catalog (self->engine->surface);
}

/* --- prompts/list --- */

static GPtrArray *
collect_names (GPtrArray *prompts)
{
  GPtrArray *names = g_ptr_array_sized_new (prompts->len);

  for (guint i = 0; i < prompts->len; i++)
    g_ptr_array_add (names, (gpointer)((const PostbagPrompt *)prompts->pdata[i])->name);
  return names;
}

static void
handle_list (PostbagSession *self, const PostbagRequest *request)
{
  GPtrArray *prompts = get_catalog (self)->prompts;
  g_autoptr (GPtrArray) names = collect_names (prompts);
  PostbagCursorList list = { self->engine, self->principal, "prompts-cursor", names, TRUE };
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
  postbag_json_writer_key (writer, "prompts");
  postbag_json_writer_begin_array (writer);
  for (guint i = first; i < end; i++)
    postbag_definition_write_object (writer, ((const PostbagPrompt *)prompts->pdata[i])->object,
                                     POSTBAG_OBJECT_PROMPT, request->revision);
  postbag_json_writer_end_array (writer);
  postbag_cursor_write_next (&list, end, writer);
  postbag_revision_write_cache_hints (request->revision, writer);
  postbag_session_end_result (self, request, writer);
}

/* --- arguments --- */

static gboolean G_GNUC_PRINTF (2, 3) refuse (GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT, text);
  return FALSE;
}

/* (transfer full) (array zero-terminated=1) */
static char **
dup_argument_names (const PostbagPrompt *prompt)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  JsonArray *array = NULL;

  postbag_json_get_array (prompt->object, "arguments", &array);
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      const char *name = NULL;

      if (postbag_json_get_string (json_array_get_object_element (array, i), "name", &name))
        g_strv_builder_add (builder, name);
    }
  return g_strv_builder_end (builder);
}

static gboolean
check_required (const PostbagPrompt *prompt, JsonObject *arguments, GError **error)
{
  JsonArray *array = NULL;

  postbag_json_get_array (prompt->object, "arguments", &array);
  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      JsonObject *argument = json_array_get_object_element (array, i);
      gboolean required = FALSE;
      const char *name = NULL;

      if (!postbag_json_get_boolean (argument, "required", &required) || !required
          || !postbag_json_get_string (argument, "name", &name))
        continue;
      if (!json_object_has_member (arguments, name))
        return refuse (error, "The prompt “%s” needs the argument “%s”.", prompt->name, name);
    }
  return TRUE;
}

static gboolean
check_argument (const PostbagRequest *request, const char *const *names, const char *name,
                JsonNode *value, GError **error)
{
  if (!g_strv_contains (names, name))
    {
      const char *nearest = postbag_text_nearest (name, names);
      g_autofree char *shown = postbag_clean_quote (name);

      if (nearest == NULL)
        return refuse (error, "The prompt has no argument %s.", shown);
      return refuse (error, "The prompt has no argument %s. Did you mean “%s”?", shown, nearest);
    }
  if (!JSON_NODE_HOLDS_VALUE (value) || json_node_get_value_type (value) != G_TYPE_STRING
      || postbag_json_document_has_flagged (request->document, value))
    return refuse (error, "The argument “%s” of a prompt must be a string.", name);
  if (g_utf8_strlen (json_node_get_string (value), -1) > POSTBAG_LIMIT_PROMPT_ARGUMENT_CHARS)
    return refuse (error, "The argument “%s” is longer than %d characters.", name,
                   POSTBAG_LIMIT_PROMPT_ARGUMENT_CHARS);
  return TRUE;
}

static gboolean
check_schema (const PostbagPrompt *prompt, JsonObject *arguments, GError **error)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);

  json_node_set_object (node, arguments);
  return prompt->schema == NULL || postbag_schema_validate (prompt->schema, node, error);
}

/* Tools take days as YYYY-MM-DD, so that nobody has to know today's. */
static void
add_days (const PostbagPrompt *prompt, JsonObject *arguments, PostbagClock *clock)
{
  g_autoptr (GDateTime) now =
      g_date_time_new_from_unix_utc (postbag_clock_get_real_us (clock) / G_USEC_PER_SEC);
  JsonObjectIter iter;
  const char *name;
  JsonNode *days;

  if (prompt->days_ago == NULL)
    return;
  json_object_iter_init_ordered (&iter, prompt->days_ago);
  while (json_object_iter_next_ordered (&iter, &name, &days))
    {
      g_autoptr (GDateTime) day = g_date_time_add_days (now, -(int)json_node_get_int (days));
      g_autofree char *text = g_date_time_format (day, "%Y-%m-%d");

      if (!json_object_has_member (arguments, name))
        json_object_set_string_member (arguments, name, text);
    }
}

/* (transfer full) (nullable): the arguments that are not empty */
static JsonObject *
read_arguments (const PostbagPrompt *prompt, const PostbagRequest *request, PostbagClock *clock,
                GError **error)
{
  g_auto (GStrv) names = dup_argument_names (prompt);
  g_autoptr (JsonObject) arguments = json_object_new ();
  g_autoptr (JsonObject) none = json_object_new ();
  JsonObject *given = none;
  JsonObjectIter iter;
  const char *name;
  JsonNode *value;

  if (json_object_has_member (request->params, "arguments")
      && !postbag_json_get_object (request->params, "arguments", &given))
    {
      refuse (error, "The arguments of a prompt must be an object.");
      return NULL;
    }
  json_object_iter_init_ordered (&iter, given);
  while (json_object_iter_next_ordered (&iter, &name, &value))
    {
      if (!check_argument (request, (const char *const *)names, name, value, error))
        return NULL;
      if (*json_node_get_string (value) != '\0')
        json_object_set_member (arguments, name, json_node_copy (value));
    }
  if (!check_required (prompt, arguments, error) || !check_schema (prompt, arguments, error))
    return NULL;
  add_days (prompt, arguments, clock);
  return g_steal_pointer (&arguments);
}

/* --- prompts/get --- */

static void
write_description (PostbagJsonWriter *writer, const PostbagPrompt *prompt)
{
  const char *description = NULL;

  if (!postbag_json_get_string (prompt->object, "description", &description))
    return;
  postbag_json_writer_key (writer, "description");
  postbag_json_writer_string (writer, description);
}

static void
answer_from_file (PostbagSession *self, const PostbagRequest *request, const PostbagPrompt *prompt,
                  JsonObject *arguments)
{
  PostbagJsonWriter *writer = postbag_session_begin_result (self, request);

  write_description (writer, prompt);
  postbag_json_writer_key (writer, "messages");
  postbag_prompt_write_messages (prompt, arguments, request->revision, writer);
  postbag_session_end_result (self, request, writer);
}

struct _PostbagPromptMessages
{
  PostbagJsonWriter *writer; /* inside the array */
};

void
postbag_prompt_messages_add_text (PostbagPromptMessages *self, const char *role, const char *text)
{
  postbag_json_writer_begin_object (self->writer);
  postbag_json_writer_key (self->writer, "role");
  postbag_json_writer_string (self->writer, role);
  postbag_json_writer_key (self->writer, "content");
  postbag_content_write_text (self->writer, text, strlen (text));
  postbag_json_writer_end_object (self->writer);
}

typedef struct
{
  const PostbagPrompt *prompt;
  JsonObject *arguments;
} Making;

static void
free_making (gpointer data)
{
  Making *making = data;

  json_object_unref (making->arguments);
  g_free (making);
}

/* (nullable) */
static const PostbagPromptEntry *
find_entry (const PostbagPrompt *prompt, GError **error)
{
  const PostbagToolsetImplementation *implementation =
      postbag_toolset_get_implementation (prompt->toolset, error);

  if (implementation == NULL)
    return NULL;
  for (gsize i = 0; implementation->size >= sizeof (PostbagToolsetImplementation)
                    && i < implementation->n_prompts;
       i++)
    {
      if (strcmp (implementation->prompts[i].name, prompt->name) == 0)
        return &implementation->prompts[i];
    }
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INTERNAL,
               "The prompt “%s” has neither messages nor a handler. Reinstall Postbag.",
               prompt->name);
  return NULL;
}

static GBytes *
answer_with_error (PostbagCall *call, const GError *error)
{
  if (call->pending != NULL && g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_INPUT))
    return postbag_call_answer_with_question (call);
  postbag_call_set_pending (call, NULL);
  return postbag_call_make_protocol_error (call, error, NULL);
}

static GBytes *
produce_prompt (PostbagCall *call)
{
  Making *making = call->data;
  g_autoptr (PostbagArgs) args = postbag_args_new (making->arguments);
  g_autoptr (GError) error = NULL;
  const PostbagPromptEntry *entry = find_entry (making->prompt, &error);
  PostbagPromptMessages messages;

  if (entry == NULL)
    return answer_with_error (call, error);
  postbag_call_set_pending (call, NULL);
  messages.writer = postbag_call_begin_response (call);
  write_description (messages.writer, making->prompt);
  postbag_json_writer_key (messages.writer, "messages");
  postbag_json_writer_begin_array (messages.writer);
  if (!entry->get (call, args, &messages, &error))
    {
      postbag_json_writer_free (messages.writer);
      return answer_with_error (call, error);
    }
  postbag_json_writer_end_array (messages.writer);
  postbag_call_write_tail (call, messages.writer, NULL);
  return postbag_call_end_response (call, messages.writer);
}

static const PostbagOperation get_operation = { .produce = produce_prompt,
                                                .free_data = free_making };

static void
submit (PostbagSession *self, const PostbagRequest *request, const PostbagPrompt *prompt,
        JsonObject *arguments)
{
  g_autofree char *subject = g_strconcat ("prompts/get ", prompt->name, NULL);
  Making *making = g_new0 (Making, 1);
  PostbagCall *call;

  making->prompt = prompt;
  making->arguments = json_object_ref (arguments);
  call =
      postbag_session_make_call (self, request, &get_operation, making, subject, prompt->toolset);
  if (call == NULL)
    return;
  call->arguments = json_object_get_member (request->params, "arguments");
  postbag_session_submit_call (self, call);
}

static void
handle_get (PostbagSession *self, const PostbagRequest *request)
{
  g_autoptr (JsonObject) arguments = NULL;
  g_autoptr (GError) error = NULL;
  const PostbagPrompt *prompt = NULL;
  const char *name = NULL;

  if (request->params != NULL && postbag_json_get_string (request->params, "name", &name)
      && !postbag_json_document_is_flagged (request->document,
                                            json_object_get_member (request->params, "name")))
    prompt = postbag_catalog_find_prompt (get_catalog (self), name);
  if (prompt == NULL)
    {
      postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, NULL,
                                  "There is no prompt of that name. List the prompts to see which "
                                  "there are.");
      return;
    }
  arguments = read_arguments (prompt, request, self->engine->clock, &error);
  if (arguments == NULL)
    postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, NULL, "%s",
                                error->message);
  else if (prompt->messages != NULL)
    answer_from_file (self, request, prompt, arguments);
  else
    submit (self, request, prompt, arguments);
}

/* --- the feature --- */

static gboolean
has_prompts (PostbagSession *self)
{
  return get_catalog (self)->prompts->len > 0;
}

static void
write_capability (PostbagSession *self, PostbagRevision revision, PostbagJsonWriter *writer)
{
  postbag_json_writer_key (writer, "prompts");
  postbag_json_writer_begin_object (writer);
  if (get_catalog (self)->list_changes[POSTBAG_LIST_PROMPTS])
    {
      postbag_json_writer_key (writer, "listChanged");
      postbag_json_writer_boolean (writer, TRUE);
    }
  postbag_json_writer_end_object (writer);
}

static const PostbagMethod methods[] = {
  { "prompts/list", POSTBAG_ERA_LEGACY | POSTBAG_ERA_MODERN, handle_list },
  { "prompts/get", POSTBAG_ERA_LEGACY | POSTBAG_ERA_MODERN, handle_get },
};

const PostbagFeature postbag_feature_prompts = {
  .is_there = has_prompts,
  .methods = methods,
  .n_methods = G_N_ELEMENTS (methods),
  .write_capability = write_capability,
};
