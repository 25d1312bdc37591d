/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Batches, which only 2025-03-26 has: a line with an array of messages is answered by a line with
 * the array of their answers, once the last is there. Where that array, or what all batches of the
 * session hold back, would grow beyond what clients take in one line it leaves in several; a client
 * matches them by id.
 *
 * Elsewhere a batch is refused: by one error without an id where the revision knows such, else by
 * an error for each request in it, so that its sender does not wait forever. */

#include "mcp/postbag-session-private.h"

#include <string.h>

#include "base/postbag-limits.h"

struct _PostbagBatch
{
  PostbagSession *session; /* not owned: calls and the dispatch that fill it keep it */
  guint references;
  guint waiting;    /* answers to come; the dispatch itself counts as one */
  GString *text;    /* what is there of them, without brackets */
  GPtrArray *calls; /* PostbagCall: whose answers are in it */
};

PostbagBatch *
postbag_batch_ref (PostbagBatch *self)
{
  self->references++;
  return self;
}

void
postbag_batch_unref (PostbagBatch *self)
{
  if (--self->references > 0)
    return;
  g_string_free (self->text, TRUE);
  g_ptr_array_unref (self->calls);
  g_free (self);
}

static void
flush (PostbagBatch *self)
{
  if (self->text->len == 0)
    return;
  self->session->batched -= self->text->len;
  g_string_prepend_c (self->text, '[');
  g_string_append_c (self->text, ']');
  postbag_session_send (self->session, g_string_free_to_bytes (self->text));
  self->text = g_string_new (NULL);
  for (guint i = 0; i < self->calls->len; i++)
    postbag_session_tell_call (self->session, g_ptr_array_index (self->calls, i));
  g_ptr_array_set_size (self->calls, 0);
}

void
postbag_batch_add (PostbagBatch *self, GBytes *answer)
{
  gsize length, before;
  const char *text = g_bytes_get_data (answer, &length);

  if (self->text->len + length > POSTBAG_LIMIT_ANSWER_BYTES)
    flush (self);
  before = self->text->len;
  if (before > 0)
    g_string_append_c (self->text, ',');
  g_string_append_len (self->text, text, (gssize)length);
  self->session->batched += self->text->len - before;
  g_bytes_unref (answer);
  if (self->session->batched > POSTBAG_LIMIT_ANSWER_BYTES)
    flush (self);
}

void
postbag_batch_add_call (PostbagBatch *self, PostbagCall *call)
{
  postbag_batch_add (self, g_steal_pointer (&call->response));
  g_ptr_array_add (self->calls, postbag_call_ref (call));
}

void
postbag_batch_expect (PostbagBatch *self)
{
  self->waiting++;
}

void
postbag_batch_settle (PostbagBatch *self)
{
  if (--self->waiting == 0)
    flush (self);
}

/* --- receiving --- */

static void
refuse_element (PostbagSession *self, const PostbagIncoming *element, const char *problem)
{
  if (element->kind == POSTBAG_MESSAGE_REQUEST)
    postbag_session_send_error (self, element->id, POSTBAG_JSONRPC_INVALID_REQUEST, NULL, "%s",
                                problem);
}

static void
refuse_batch (PostbagSession *self, const PostbagIncoming *incoming, const char *problem)
{
  JsonArray *array = json_node_get_array (postbag_json_document_get_root (incoming->document));
  guint length = MIN (json_array_get_length (array), POSTBAG_LIMIT_BATCH);

  if (postbag_revision_get_facts (self->last_seen)->answers_without_id)
    {
      postbag_session_send_error (self, NULL, POSTBAG_JSONRPC_INVALID_REQUEST, NULL, "%s", problem);
      return;
    }
  for (guint i = 0; self->last_seen != POSTBAG_REVISION_NONE && i < length; i++)
    {
      g_autoptr (PostbagIncoming) element =
          postbag_incoming_read_element (incoming->document, json_array_get_element (array, i));

      refuse_element (self, element, problem);
    }
}

static void
take_elements (PostbagSession *self, const PostbagIncoming *incoming)
{
  JsonArray *array = json_node_get_array (postbag_json_document_get_root (incoming->document));

  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      g_autoptr (PostbagIncoming) element =
          postbag_incoming_read_element (incoming->document, json_array_get_element (array, i));

      postbag_session_take_incoming (self, element);
    }
}

void
postbag_session_take_batch (PostbagSession *self, const PostbagIncoming *incoming)
{
  JsonArray *array = json_node_get_array (postbag_json_document_get_root (incoming->document));
  PostbagBatch *batch;

  if (!postbag_revision_get_facts (self->legacy)->batches)
    {
      refuse_batch (self, incoming,
                    "Batches are not part of this protocol revision; send one message a line.");
      return;
    }
  if (json_array_get_length (array) > POSTBAG_LIMIT_BATCH)
    {
      refuse_batch (self, incoming,
                    "A batch may hold at most " G_STRINGIFY (POSTBAG_LIMIT_BATCH) " messages.");
      return;
    }
  batch = g_new0 (PostbagBatch, 1);
  batch->session = self;
  batch->references = 1;
  batch->waiting = 1;
  batch->text = g_string_new (NULL);
  batch->calls = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_call_unref);
  self->batch = batch;
  take_elements (self, incoming);
  self->batch = NULL;
  postbag_batch_settle (batch);
  postbag_batch_unref (batch);
}
