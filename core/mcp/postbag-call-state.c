/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Multi round-trip requests (2026-07-28): what was asked and answered so far travels through the
 * client, sealed, and comes back with the retry; any process with the same key can go on. The seal
 * binds principal and expiry, its content binds tool and arguments; a question is answered once.
 *
 * A state that has expired, was used, or belongs to other arguments counts as no answer: the person
 * is asked afresh. So does one that is not ours where a tool wants a yes; where it wants an input,
 * and of any other request, it is a protocol error, since what the state should have held is lost.
 * Not being able to note that an answer was used is neither: asking again would never end. */

#include "mcp/postbag-call-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "mcp/postbag-jsonrpc-private.h"

#define PURPOSE "input-required"
/* The kind of a pending question that is no input. */
#define YES_OR_NO (-1)

static int
compare_strings (gconstpointer a, gconstpointer b)
{
  return strcmp (a, b);
}

/* Members sorted: a client may put them in another order in its retry. */
static void
write_sorted (PostbagJsonWriter *writer, JsonNode *node)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    {
      JsonObject *object = json_node_get_object (node);
      g_autoptr (GList) names = g_list_sort (json_object_get_members (object), compare_strings);

      postbag_json_writer_begin_object (writer);
      for (GList *name = names; name != NULL; name = name->next)
        {
          postbag_json_writer_key (writer, name->data);
          write_sorted (writer, json_object_get_member (object, name->data));
        }
      postbag_json_writer_end_object (writer);
    }
  else if (JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);

      postbag_json_writer_begin_array (writer);
      for (guint i = 0; i < json_array_get_length (array); i++)
        write_sorted (writer, json_array_get_element (array, i));
      postbag_json_writer_end_array (writer);
    }
  else
    postbag_json_writer_node (writer, node);
}

static const char *
get_arguments_digest (PostbagCall *self)
{
  g_autoptr (PostbagJsonWriter) writer = NULL;

  if (self->arguments_digest != NULL)
    return self->arguments_digest;
  writer = postbag_json_writer_new ();
  if (self->arguments != NULL)
    write_sorted (writer, self->arguments);
  self->arguments_digest =
      g_compute_checksum_for_string (G_CHECKSUM_SHA256, postbag_json_writer_peek (writer),
                                     (gssize)postbag_json_writer_get_length (writer));
  return self->arguments_digest;
}

static void
write_entry (PostbagJsonWriter *writer, const char *key, const char *digest, int kind,
             JsonObject *content)
{
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "key");
  postbag_json_writer_string (writer, key);
  postbag_json_writer_key (writer, "target");
  postbag_json_writer_string (writer, digest);
  postbag_json_writer_key (writer, "kind");
  postbag_json_writer_int (writer, kind);
  if (content != NULL)
    {
      g_autoptr (JsonNode) node = json_node_new (JSON_NODE_OBJECT);

      json_node_set_object (node, content);
      postbag_json_writer_key (writer, "content");
      postbag_json_writer_node (writer, node);
    }
  postbag_json_writer_end_object (writer);
}

/* (transfer full) (nullable): the sealed state with `answers` and `pending` */
static char *
seal_state (PostbagCall *self, GError **error)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();
  g_autoptr (GBytes) plain = NULL;

  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "subject");
  postbag_json_writer_string (writer, self->subject);
  postbag_json_writer_key (writer, "arguments");
  postbag_json_writer_string (writer, get_arguments_digest (self));
  postbag_json_writer_key (writer, "answers");
  postbag_json_writer_begin_array (writer);
  for (guint i = 0; i < self->answers->len; i++)
    {
      const PostbagAnswer *answer = self->answers->pdata[i];

      write_entry (writer, answer->key, answer->target_digest, (int)answer->kind, answer->content);
    }
  postbag_json_writer_end_array (writer);
  postbag_json_writer_key (writer, "pending");
  postbag_json_writer_begin_array (writer);
  for (const PostbagPending *pending = self->pending; pending != NULL; pending = pending->next)
    write_entry (writer, pending->key, pending->target_digest,
                 pending->is_input ? (int)pending->kind : YES_OR_NO, NULL);
  postbag_json_writer_end_array (writer);
  postbag_json_writer_end_object (writer);
  plain = postbag_json_writer_finish (writer);
  return postbag_seal_close (self->engine->seal, PURPOSE, self->principal,
                             POSTBAG_LIMIT_REQUEST_STATE_SECONDS, plain, error);
}

static void
write_request (PostbagJsonWriter *writer, const PostbagPending *pending)
{
  postbag_json_writer_key (writer, pending->key);
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "method");
  postbag_json_writer_string (writer, pending->is_input ? postbag_input_get_method (pending->kind)
                                                        : "elicitation/create");
  postbag_json_writer_key (writer, "params");
  if (pending->is_input)
    postbag_json_writer_raw (writer, pending->params, strlen (pending->params));
  else
    {
      postbag_json_writer_begin_object (writer);
      postbag_call_write_form (writer, pending->message, TRUE);
      postbag_json_writer_end_object (writer);
    }
  postbag_json_writer_end_object (writer);
}

GBytes *
postbag_call_make_input_required (PostbagCall *self, GError **error)
{
  g_autofree char *state = seal_state (self, error);
  PostbagJsonWriter *writer;

  if (state == NULL)
    return NULL;
  writer = postbag_call_begin_response (self);
  postbag_json_writer_key (writer, "inputRequests");
  postbag_json_writer_begin_object (writer);
  for (const PostbagPending *pending = self->pending; pending != NULL; pending = pending->next)
    write_request (writer, pending);
  postbag_json_writer_end_object (writer);
  postbag_json_writer_key (writer, "requestState");
  postbag_json_writer_string (writer, state);
  postbag_revision_write_result_tail (self->revision, writer, "input_required");
  return postbag_call_end_response (self, writer);
}

/* --- the way back --- */

static gboolean
read_entry (JsonObject *entry, const char **key, const char **digest, gint64 *kind)
{
  return postbag_json_get_string (entry, "key", key)
         && postbag_json_get_string (entry, "target", digest)
         && postbag_json_get_int (entry, "kind", kind);
}

static void
restore_answers (PostbagCall *self, JsonArray *entries)
{
  for (guint i = 0; i < json_array_get_length (entries); i++)
    {
      JsonObject *entry = json_array_get_object_element (entries, i);
      const char *key = NULL, *digest = NULL;
      JsonObject *content = NULL;
      gint64 kind = 0;

      postbag_json_get_object (entry, "content", &content);
      if (read_entry (entry, &key, &digest, &kind))
        postbag_call_add_answer (self, key, digest, (PostbagAnswerKind)kind, content);
    }
}

/* Adds the retry's answer to one that was pending, if it has one. A question is answered once: a
 * yes counts only where the state was not used before, and none can follow a no. */
static gboolean
take_response (PostbagCall *self, JsonObject *pending, GError **error)
{
  const char *key = NULL, *digest = NULL;
  JsonObject *response = NULL, *content = NULL;
  PostbagAnswerKind answer;
  gint64 kind = YES_OR_NO;

  if (self->input_responses == NULL || !read_entry (pending, &key, &digest, &kind)
      || !postbag_json_get_object (self->input_responses, key, &response))
    return TRUE;
  answer = kind == YES_OR_NO ? postbag_call_read_form (self->document, response)
                             : postbag_input_read_answer ((PostbagInputKind)kind, self->document,
                                                          response, &content);
  if (answer == POSTBAG_ANSWER_FAILED)
    return TRUE;
  if (kind == YES_OR_NO && answer == POSTBAG_ANSWER_ACCEPTED)
    {
      if (!postbag_seal_use_once (self->engine->seal, self->request_state, error))
        return FALSE;
    }
  else if (kind == YES_OR_NO)
    postbag_seal_use_once (self->engine->seal, self->request_state, NULL);
  postbag_call_add_answer (self, key, digest, answer, content);
  return TRUE;
}

static gboolean
take_responses (PostbagCall *self, JsonArray *pending, GError **error)
{
  for (guint i = 0; i < json_array_get_length (pending); i++)
    {
      if (!take_response (self, json_array_get_object_element (pending, i), error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
take_answers (PostbagCall *self, JsonArray *answers, JsonArray *pending, GError **error)
{
  g_autoptr (GError) local_error = NULL;

  restore_answers (self, answers);
  if (take_responses (self, pending, &local_error))
    return TRUE;
  g_ptr_array_set_size (self->answers, 0);
  if (g_error_matches (local_error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}

static gboolean
read_plain_state (PostbagCall *self, JsonObject *state, GError **error)
{
  const char *subject = NULL, *arguments = NULL;
  JsonArray *answers = NULL;
  JsonArray *pending = NULL;

  if (!postbag_json_get_string (state, "subject", &subject)
      || !postbag_json_get_string (state, "arguments", &arguments)
      || !postbag_json_get_array (state, "answers", &answers)
      || !postbag_json_get_array (state, "pending", &pending)
      || !g_str_equal (subject, self->subject))
    {
      g_set_error (&self->bad_state, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                   "The requestState belongs to another request. Call again without it.");
      return TRUE;
    }
  return !g_str_equal (arguments, get_arguments_digest (self))
         || take_answers (self, answers, pending, error);
}

/* (transfer full) (nullable): what was sealed; %NULL without @error where there is no answer in it
 */
static GBytes *
open_state (PostbagCall *self, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  GBytes *plain = postbag_seal_open (self->engine->seal, PURPOSE, self->principal,
                                     self->request_state, &local_error);

  if (plain != NULL || g_error_matches (local_error, POSTBAG_ERROR, POSTBAG_ERROR_TIMED_OUT))
    return plain;
  if (g_error_matches (local_error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT))
    g_set_error (&self->bad_state, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                 "The requestState cannot be used: %s Call again without it.",
                 local_error->message);
  else
    g_propagate_error (error, g_steal_pointer (&local_error));
  return NULL;
}

gboolean
postbag_call_read_state (PostbagCall *self, GError **error)
{
  g_autoptr (PostbagJsonDocument) document = NULL;
  g_autoptr (GBytes) plain = NULL;
  g_autoptr (GError) local_error = NULL;
  gsize length;
  const char *text;

  self->prepared = TRUE;
  if (self->request_state == NULL)
    return TRUE;
  plain = open_state (self, &local_error);
  if (local_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  if (plain == NULL)
    return TRUE;
  text = g_bytes_get_data (plain, &length);
  document =
      postbag_json_parse (text, length, POSTBAG_LIMIT_SEALED_BYTES, POSTBAG_JSON_DEFAULT, error);
  return document != NULL
         && read_plain_state (
             self, json_node_get_object (postbag_json_document_get_root (document)), error);
}
