/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-session-private.h"

#include "base/postbag-limits.h"

PostbagSession *
postbag_session_new (PostbagEngine *engine, const char *principal, PostbagSendFunc send,
                     gpointer user_data)
{
  PostbagSession *self = g_new0 (PostbagSession, 1);

  g_atomic_ref_count_init (&self->references);
  self->engine = postbag_engine_ref (engine);
  self->principal = g_strdup (principal);
  self->send = send;
  self->user_data = user_data;
  self->calls =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify)postbag_call_unref);
  self->askings = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, NULL);
  self->watches = g_hash_table_new (g_str_hash, g_str_equal);
  postbag_session_init_news (self);
  g_queue_init (&self->held);
  g_ptr_array_add (engine->sessions, self);
  return self;
}

PostbagSession *
postbag_session_ref (PostbagSession *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
postbag_session_unref (PostbagSession *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_hash_table_unref (self->calls);
  g_hash_table_unref (self->askings);
  g_hash_table_unref (self->watches);
  g_free (self->principal);
  postbag_engine_unref (self->engine);
  g_free (self);
}

/* --- sending --- */

static void
tell_all (PostbagSession *self, gboolean was_told)
{
  g_autoptr (GPtrArray) calls = g_steal_pointer (&self->untold);

  for (guint i = 0; calls != NULL && i < calls->len; i++)
    postbag_call_tell (calls->pdata[i], was_told);
}

/* An answer in the transport's queue has not left: the client may be gone before it does. */
void
postbag_session_tell_call (PostbagSession *self, PostbagCall *call)
{
  if (self->closed || self->queued == 0 || call->waiting_to_tell->len == 0)
    {
      postbag_call_tell (call, !self->closed);
      return;
    }
  if (self->untold == NULL)
    self->untold = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_call_unref);
  g_ptr_array_add (self->untold, postbag_call_ref (call));
}

void
postbag_session_close (PostbagSession *self)
{
  postbag_session_end_listens (self);
  self->closed = TRUE;
  tell_all (self, FALSE);
  postbag_session_drop_calls (self, FALSE);
  postbag_session_drop_subscriptions (self);
  postbag_session_clear_news (self);
  g_ptr_array_remove (self->engine->sessions, self);
  postbag_session_unref (self);
}

void
postbag_session_send (PostbagSession *self, GBytes *message)
{
  if (!self->closed)
    self->send (message, self->user_data);
  g_bytes_unref (message);
}

void
postbag_session_send_answer (PostbagSession *self, GBytes *answer)
{
  if (self->batch != NULL)
    postbag_batch_add (self->batch, answer);
  else
    postbag_session_send (self, answer);
}

void
postbag_session_send_error (PostbagSession *self, const char *id, int code, const char *data,
                            const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (id == NULL && !postbag_revision_get_facts (self->last_seen)->answers_without_id)
    return;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  postbag_session_send_answer (self, postbag_jsonrpc_make_error (id, code, text, data));
}

PostbagJsonWriter *
postbag_session_begin_result (PostbagSession *self, const PostbagRequest *request)
{
  return postbag_jsonrpc_begin_result (request->id);
}

void
postbag_session_end_result (PostbagSession *self, const PostbagRequest *request,
                            PostbagJsonWriter *writer)
{
  postbag_revision_write_result_tail (request->revision, writer, "complete");
  postbag_session_send_answer (self, postbag_jsonrpc_end (writer));
}

/* --- receiving --- */

void
postbag_session_take_incoming (PostbagSession *self, const PostbagIncoming *incoming)
{
  switch (incoming->kind)
    {
    case POSTBAG_MESSAGE_REQUEST:
    case POSTBAG_MESSAGE_NOTIFICATION:
      postbag_session_dispatch (self, incoming);
      break;
    case POSTBAG_MESSAGE_RESPONSE:
      postbag_session_take_response (self, incoming);
      break;
    case POSTBAG_MESSAGE_BATCH:
      postbag_session_take_batch (self, incoming);
      break;
    case POSTBAG_MESSAGE_INVALID:
      postbag_session_send_error (self, incoming->id, incoming->code, NULL, "%s",
                                  incoming->problem);
      break;
    default:
      g_assert_not_reached ();
    }
}

void
postbag_session_receive (PostbagSession *self, const char *bytes, gsize length)
{
  g_autoptr (PostbagSession) keep = postbag_session_ref (self);
  g_autoptr (PostbagIncoming) incoming = NULL;

  if (self->closed || self->engine->pool == NULL)
    return;
  incoming = postbag_incoming_read (bytes, length);
  postbag_session_take_incoming (keep, incoming);
}

void
postbag_session_receive_oversized (PostbagSession *self)
{
  postbag_session_send_error (self, NULL, POSTBAG_JSONRPC_INVALID_REQUEST, NULL,
                              "The message is longer than %d bytes and was skipped.",
                              POSTBAG_LIMIT_LINE_BYTES);
}

/* --- calls --- */

/* The call is over for this session: its place is free. */
static void
release_call (PostbagSession *self, PostbagCall *call)
{
  self->in_flight--;
  self->weight -= call->weight;
  if (call->batch != NULL)
    postbag_batch_settle (call->batch);
  g_clear_pointer (&call->batch, postbag_batch_unref);
  postbag_call_unref (call);
  postbag_session_unref (self);
}

static void
finish_call (PostbagSession *self, PostbagCall *call)
{
  call->finished = TRUE;
  g_hash_table_remove (self->calls, call->id);
}

static void
settle_run (PostbagSession *self, PostbagCall *call)
{
  if (call->operation->settle != NULL && (call->finished || !call->postponed)
      && call->operation->settle (call, self))
    {
      call->open = TRUE;
      return;
    }
  if (call->finished)
    {
      release_call (self, call);
      return;
    }
  if (call->postponed)
    {
      postbag_session_start_call (self, call);
      return;
    }
  if (call->response == NULL)
    {
      postbag_session_elicit (self, call);
      return;
    }
  finish_call (self, call);
  if (call->batch != NULL)
    postbag_batch_add_call (call->batch, call);
  else
    {
      postbag_session_send (self, g_steal_pointer (&call->response));
      postbag_session_tell_call (self, call);
    }
  release_call (self, call);
}

static void
take_run (PostbagCall *call, gpointer user_data)
{
  g_autoptr (PostbagSession) self = postbag_session_ref (user_data);
  gsize length = call->response != NULL ? g_bytes_get_size (call->response) : 0;

  settle_run (self, call);
  /* Sent, and counted by the transport, or dropped. */
  g_atomic_pointer_add (&self->output.handed, -(gssize)length);
}

static void
send_notification (PostbagCall *call, GBytes *message, gpointer user_data)
{
  PostbagSession *self = user_data;

  /* Progress is worth nothing to a client that is far behind in reading. */
  if (self->queued < POSTBAG_LIMIT_OUTPUT_QUEUE_BYTES)
    postbag_session_send (self, g_bytes_ref (message));
}

void
postbag_session_add_call (PostbagSession *self, PostbagCall *call)
{
  call->done = take_run;
  call->notify = send_notification;
  call->user_data = postbag_session_ref (self);
  call->output = &self->output;
  self->in_flight++;
  self->weight += call->weight;
  if (self->batch != NULL)
    {
      call->batch = postbag_batch_ref (self->batch);
      postbag_batch_expect (call->batch);
    }
  g_hash_table_insert (self->calls, call->id, postbag_call_ref (call));
  postbag_session_start_call (self, call);
}

void
postbag_session_start_call (PostbagSession *self, PostbagCall *call)
{
  if (self->queued > POSTBAG_LIMIT_OUTPUT_QUEUE_BYTES)
    g_queue_push_tail (&self->held, call);
  else
    postbag_call_start (call);
}

void
postbag_session_drop_call (PostbagSession *self, PostbagCall *call)
{
  g_cancellable_cancel (call->cancellable);
  postbag_session_withdraw (self, call);
  g_queue_remove (&self->held, call);
  if (call->open && call->operation->end != NULL)
    call->operation->end (call, self);
  finish_call (self, call);
  if (call->batch != NULL)
    postbag_batch_settle (call->batch);
  g_clear_pointer (&call->batch, postbag_batch_unref);
  if (!call->running)
    release_call (self, call);
}

void
postbag_session_drop_calls (PostbagSession *self, gboolean legacy_only)
{
  g_autoptr (GList) calls = g_hash_table_get_values (self->calls);

  for (GList *link = calls; link != NULL; link = link->next)
    {
      PostbagCall *call = link->data;

      if (!legacy_only || !postbag_revision_get_facts (call->revision)->modern)
        postbag_session_drop_call (self, call);
    }
}

guint
postbag_session_get_running (PostbagSession *self)
{
  return g_hash_table_size (self->calls);
}

void
postbag_session_end_input (PostbagSession *self)
{
  g_autoptr (PostbagSession) keep = postbag_session_ref (self);

  keep->input_ended = TRUE;
  postbag_session_end_listens (keep);
  postbag_session_give_up_asking (keep);
}

/* --- back-pressure --- */

gboolean
postbag_session_wants_input (PostbagSession *self)
{
  return self->queued <= POSTBAG_LIMIT_OUTPUT_QUEUE_BYTES;
}

void
postbag_session_set_queued (PostbagSession *self, gsize bytes)
{
  PostbagCall *call;

  self->queued = bytes;
  g_atomic_pointer_set (&self->output.queued, bytes);
  if (bytes == 0)
    tell_all (self, TRUE);
  if (!postbag_session_wants_input (self))
    return;
  while ((call = g_queue_pop_head (&self->held)) != NULL)
    postbag_call_start (call);
}
