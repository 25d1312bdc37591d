/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Asking the person behind a legacy client: a request of ours on the same connection. The call
 * stays open and no thread waits; when the answer comes, or the time is over, its handler is run
 * again and finds the answer. */

#include "mcp/postbag-session-private.h"

#include <string.h>

#include "base/postbag-limits.h"

typedef struct
{
  PostbagSession *session; /* not owned: the call keeps it */
  PostbagCall *call;       /* not owned: in the session's table as long as this is */
  char *id;                /* JSON text of our request's id */
  gint64 deadline_us;
  guint timer;
} PostbagAsking;

/* Takes it out of the session. */
static void
free_asking (PostbagAsking *asking)
{
  g_hash_table_remove (asking->session->askings, asking->id);
  g_clear_handle_id (&asking->timer, g_source_remove);
  g_free (asking->id);
  g_free (asking);
}

static void
settle (PostbagAsking *asking, PostbagAnswerKind kind, JsonObject *content)
{
  PostbagSession *session = asking->session;
  PostbagCall *call = asking->call;

  free_asking (asking);
  postbag_call_answer (call, kind, content);
  postbag_session_start_call (session, call);
}

static void
send_cancelled (PostbagAsking *asking, const char *reason)
{
  PostbagJsonWriter *writer = postbag_jsonrpc_begin_message (NULL, "notifications/cancelled");

  postbag_json_writer_key (writer, "requestId");
  postbag_json_writer_raw (writer, asking->id, strlen (asking->id));
  postbag_json_writer_key (writer, "reason");
  postbag_json_writer_string (writer, reason);
  postbag_session_send (asking->session, postbag_jsonrpc_end (writer));
}

void
postbag_session_check_deadlines (PostbagSession *self)
{
  g_autoptr (GList) askings = g_hash_table_get_values (self->askings);
  gint64 now = postbag_clock_get_monotonic_us (self->engine->clock);

  for (GList *link = askings; link != NULL; link = link->next)
    {
      PostbagAsking *asking = link->data;

      if (now < asking->deadline_us)
        continue;
      send_cancelled (asking, "Nobody answered in time.");
      settle (asking, POSTBAG_ANSWER_EXPIRED, NULL);
    }
}

static gboolean
on_timer (gpointer user_data)
{
  PostbagAsking *asking = user_data;
  g_autoptr (PostbagSession) session = postbag_session_ref (asking->session);

  postbag_session_check_deadlines (session);
  return G_SOURCE_CONTINUE; /* a settled asking has removed it */
}

void
postbag_session_elicit (PostbagSession *self, PostbagCall *call)
{
  PostbagAsking *asking;
  PostbagJsonWriter *writer;

  if (self->input_ended)
    {
      postbag_call_answer (call, POSTBAG_ANSWER_FAILED, NULL);
      postbag_session_start_call (self, call);
      return;
    }
  asking = g_new0 (PostbagAsking, 1);
  asking->session = self;
  asking->call = call;
  asking->id = g_strdup_printf ("\"ask-%u\"", ++self->next_id);
  asking->deadline_us = postbag_clock_get_monotonic_us (self->engine->clock)
                        + POSTBAG_LIMIT_QUESTION_SECONDS * G_USEC_PER_SEC;
  asking->timer = g_timeout_add_seconds (POSTBAG_LIMIT_QUESTION_SECONDS + 1, on_timer, asking);
  g_hash_table_insert (self->askings, asking->id, asking);
  if (call->pending->is_input)
    {
      postbag_session_send (self, postbag_jsonrpc_make_request (
                                      asking->id, postbag_input_get_method (call->pending->kind),
                                      call->pending->params));
      return;
    }
  writer = postbag_jsonrpc_begin_message (asking->id, "elicitation/create");
  postbag_call_write_form (writer, call->pending->message,
                           call->revision >= POSTBAG_REVISION_2025_11_25);
  postbag_session_send (self, postbag_jsonrpc_end (writer));
}

void
postbag_session_take_response (PostbagSession *self, const PostbagIncoming *incoming)
{
  PostbagAsking *asking =
      incoming->id != NULL ? g_hash_table_lookup (self->askings, incoming->id) : NULL;

  const PostbagPending *pending;
  JsonObject *content = NULL;
  PostbagAnswerKind kind = POSTBAG_ANSWER_FAILED;

  if (asking == NULL)
    return;
  pending = asking->call->pending;
  if (incoming->result != NULL && pending->is_input)
    kind =
        postbag_input_read_answer (pending->kind, incoming->document, incoming->result, &content);
  else if (incoming->result != NULL)
    kind = postbag_call_read_form (incoming->document, incoming->result);
  settle (asking, kind, content);
}

void
postbag_session_give_up_asking (PostbagSession *self)
{
  g_autoptr (GList) askings = g_hash_table_get_values (self->askings);

  for (GList *link = askings; link != NULL; link = link->next)
    settle (link->data, POSTBAG_ANSWER_FAILED, NULL);
}

void
postbag_session_withdraw (PostbagSession *self, PostbagCall *call)
{
  g_autoptr (GList) askings = g_hash_table_get_values (self->askings);

  for (GList *link = askings; link != NULL; link = link->next)
    {
      PostbagAsking *asking = link->data;

      if (asking->call != call)
        continue;
      send_cancelled (asking, "The call was cancelled.");
      free_asking (asking);
    }
}
