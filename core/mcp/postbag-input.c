/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-input.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "json/postbag-schema.h"
#include "mcp/postbag-call-private.h"

static const struct
{
  const char *method;
  const char *capability; /* what a client would have to declare */
  const char *words;
} kinds[] = {
  [POSTBAG_INPUT_FORM] = { "elicitation/create", "{\"elicitation\":{\"form\":{}}}", "show forms" },
  [POSTBAG_INPUT_URL] = { "elicitation/create", "{\"elicitation\":{\"url\":{}}}", "open pages" },
  [POSTBAG_INPUT_SAMPLING] = { "sampling/createMessage", "{\"sampling\":{}}", "ask its model" },
  [POSTBAG_INPUT_ROOTS] = { "roots/list", "{\"roots\":{}}", "list its folders" },
};

/* --- what a client can --- */

guint
postbag_input_read_capabilities (JsonObject *capabilities, PostbagRevision revision)
{
  JsonObject *elicitation = NULL;
  guint can = 0;

  if (capabilities == NULL)
    return 0;
  if (revision >= POSTBAG_REVISION_2025_06_18
      && postbag_json_get_object (capabilities, "elicitation", &elicitation))
    {
      /* An empty object means: forms. */
      if (json_object_has_member (elicitation, "form")
          || !json_object_has_member (elicitation, "url"))
        can |= 1u << POSTBAG_INPUT_FORM;
      if (json_object_has_member (elicitation, "url") && revision >= POSTBAG_REVISION_2025_11_25)
        can |= 1u << POSTBAG_INPUT_URL;
    }
  if (json_object_has_member (capabilities, "sampling"))
    can |= 1u << POSTBAG_INPUT_SAMPLING;
  if (json_object_has_member (capabilities, "roots"))
    can |= 1u << POSTBAG_INPUT_ROOTS;
  return can;
}

gboolean
postbag_call_can_ask (PostbagCall *self, PostbagInputKind kind)
{
  gboolean is_elicitation = kind == POSTBAG_INPUT_FORM || kind == POSTBAG_INPUT_URL;

  return (self->can_ask & (1u << kind)) != 0 && !(is_elicitation && self->asking_is_off);
}

/* --- asking --- */

static char *
digest_input (PostbagInputKind kind, const char *key, const char *params)
{
  g_autofree char *text = g_strdup_printf ("%d %s %s", (int)kind, key, params);

  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
}

static gboolean
report (PostbagAnswerKind kind, GError **error)
{
  static const char *const reasons[] = {
    [POSTBAG_ANSWER_DECLINED] = "The person said no. Do not ask again unless they want it.",
    [POSTBAG_ANSWER_EXPIRED] = "Nobody answered in time. Call again when the person is there.",
    [POSTBAG_ANSWER_FAILED] = "The client gave no usable answer. Try again, or go on without it.",
  };

  if (kind == POSTBAG_ANSWER_ACCEPTED)
    return TRUE;
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED, reasons[kind]);
  return FALSE;
}

/* (transfer none) (nullable): the content of the answer that is there. @params: JSON text */
static JsonObject *
ask (PostbagCall *self, PostbagInputKind kind, const char *key, const char *params, GError **error)
{
  g_autofree char *digest = digest_input (kind, key, params);
  const PostbagAnswer *answer = postbag_call_find_answer (self, key, digest);

  if (answer != NULL)
    return report (answer->kind, error) ? answer->content : NULL;
  if (!postbag_call_can_ask (self, kind))
    {
      self->missing_capability = kinds[kind].capability;
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                   "This needs a client that can %s. Use one, or go on without it.",
                   kinds[kind].words);
      return NULL;
    }
  if (self->bad_state != NULL)
    {
      self->needs_state = TRUE;
      if (error != NULL)
        *error = g_error_copy (self->bad_state);
      return NULL;
    }
  postbag_call_add_pending (self, kind, key, params, digest);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_INPUT, "The client has to answer first.");
  return NULL;
}

/* What the form asks, as the revision writes it. */
static char *
make_form (PostbagCall *self, const char *message, const char *schema)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();

  postbag_json_writer_begin_object (writer);
  if (self->revision >= POSTBAG_REVISION_2025_11_25)
    {
      postbag_json_writer_key (writer, "mode");
      postbag_json_writer_string (writer, "form");
    }
  postbag_json_writer_key (writer, "message");
  postbag_json_writer_string (writer, message);
  postbag_json_writer_key (writer, "requestedSchema");
  postbag_json_writer_raw (writer, schema, strlen (schema));
  postbag_json_writer_end_object (writer);
  return g_strdup (postbag_json_writer_peek (writer));
}

/* The older form of choices has titles in a keyword that says nothing about what is valid. */
static void
drop_titles (JsonNode *schema)
{
  JsonObject *properties = NULL;
  JsonObjectIter iter;
  JsonNode *field;

  if (!postbag_json_get_object (json_node_get_object (schema), "properties", &properties))
    return;
  json_object_iter_init (&iter, properties);
  while (json_object_iter_next (&iter, NULL, &field))
    {
      if (JSON_NODE_HOLDS_OBJECT (field)
          && json_object_has_member (json_node_get_object (field), "enumNames"))
        json_object_remove_member (json_node_get_object (field), "enumNames");
    }
}

static gboolean
check_form (const char *schema, JsonObject *content, GError **error)
{
  g_autoptr (PostbagJsonDocument) document = postbag_json_parse (
      schema, strlen (schema), POSTBAG_LIMIT_SCHEMA_BYTES, POSTBAG_JSON_DEFAULT, error);
  g_autoptr (PostbagSchema) compiled = NULL;
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);

  if (document == NULL)
    return FALSE;
  drop_titles (postbag_json_document_get_root (document));
  compiled = postbag_schema_compile (postbag_json_document_get_root (document),
                                     POSTBAG_SCHEMA_ASSERT_FORMAT, error);
  json_node_set_object (node, content);
  return compiled != NULL && postbag_schema_validate (compiled, node, error);
}

PostbagArgs *
postbag_call_ask_form (PostbagCall *self, const char *key, const char *message, const char *schema,
                       GError **error)
{
  g_autofree char *params = make_form (self, message, schema);
  JsonObject *content = ask (self, POSTBAG_INPUT_FORM, key, params, error);

  if (content == NULL || !check_form (schema, content, error))
    return NULL;
  return postbag_args_new (content);
}

static char *
make_elicitation_id (PostbagCall *self, const char *key)
{
  g_autofree char *text =
      g_strdup_printf ("%s %s %s", self->principal, self->id != NULL ? self->id : "", key);
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);

  return g_strndup (digest, 32);
}

static char *
make_visit (PostbagCall *self, const char *key, const char *message, const char *url)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();
  g_autofree char *id = make_elicitation_id (self, key);

  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "mode");
  postbag_json_writer_string (writer, "url");
  postbag_json_writer_key (writer, "message");
  postbag_json_writer_string (writer, message);
  postbag_json_writer_key (writer, "url");
  postbag_json_writer_string (writer, url);
  if (self->revision == POSTBAG_REVISION_2025_11_25)
    {
      postbag_json_writer_key (writer, "elicitationId");
      postbag_json_writer_string (writer, id);
    }
  postbag_json_writer_end_object (writer);
  return g_strdup (postbag_json_writer_peek (writer));
}

gboolean
postbag_call_ask_url (PostbagCall *self, const char *key, const char *message, const char *url,
                      GError **error)
{
  g_autofree char *params = make_visit (self, key, message, url);

  return ask (self, POSTBAG_INPUT_URL, key, params, error) != NULL;
}

void
postbag_call_complete_url (PostbagCall *self, const char *key)
{
  g_autofree char *id = make_elicitation_id (self, key);
  PostbagJsonWriter *writer;

  if (self->revision != POSTBAG_REVISION_2025_11_25)
    return;
  writer = postbag_jsonrpc_begin_message (NULL, "notifications/elicitation/complete");
  postbag_json_writer_key (writer, "elicitationId");
  postbag_json_writer_string (writer, id);
  postbag_call_notify (self, postbag_jsonrpc_end (writer));
}

JsonObject *
postbag_call_ask_sampling (PostbagCall *self, const char *key, const char *params, GError **error)
{
  JsonObject *result = ask (self, POSTBAG_INPUT_SAMPLING, key, params, error);

  return result != NULL ? json_object_ref (result) : NULL;
}

JsonObject *
postbag_call_ask_roots (PostbagCall *self, const char *key, GError **error)
{
  JsonObject *result = ask (self, POSTBAG_INPUT_ROOTS, key, "{}", error);

  return result != NULL ? json_object_ref (result) : NULL;
}

/* --- requests and answers --- */

const char *
postbag_input_get_method (PostbagInputKind kind)
{
  return kinds[kind].method;
}

static PostbagAnswerKind
read_elicited (PostbagInputKind kind, JsonObject *result, JsonObject **content)
{
  const char *action = NULL;

  if (!postbag_json_get_string (result, "action", &action))
    return POSTBAG_ANSWER_FAILED;
  if (strcmp (action, "decline") == 0 || strcmp (action, "cancel") == 0)
    return POSTBAG_ANSWER_DECLINED;
  if (strcmp (action, "accept") != 0)
    return POSTBAG_ANSWER_FAILED;
  if (kind == POSTBAG_INPUT_URL)
    *content = result;
  else if (!postbag_json_get_object (result, "content", content))
    return POSTBAG_ANSWER_FAILED;
  return POSTBAG_ANSWER_ACCEPTED;
}

PostbagAnswerKind
postbag_input_read_answer (PostbagInputKind kind, PostbagJsonDocument *document, JsonObject *result,
                           JsonObject **content)
{
  g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);
  const char *role = NULL;
  JsonArray *roots = NULL;

  json_node_set_object (node, result);
  if (postbag_json_document_has_flagged (document, node))
    return POSTBAG_ANSWER_FAILED;
  if (kind == POSTBAG_INPUT_FORM || kind == POSTBAG_INPUT_URL)
    return read_elicited (kind, result, content);
  *content = result;
  if (kind == POSTBAG_INPUT_SAMPLING)
    return postbag_json_get_string (result, "role", &role)
                   && json_object_has_member (result, "content")
               ? POSTBAG_ANSWER_ACCEPTED
               : POSTBAG_ANSWER_FAILED;
  return postbag_json_get_array (result, "roots", &roots) ? POSTBAG_ANSWER_ACCEPTED
                                                          : POSTBAG_ANSWER_FAILED;
}
