/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-call-private.h"

#include <math.h>
#include <string.h>

#include "base/postbag-limits.h"
#include "mcp/postbag-jsonrpc-private.h"

/* Doubles hold every integer up to here. */
#define LARGEST_EXACT_INTEGER 9007199254740992.0

static void
free_answer (gpointer data)
{
  PostbagAnswer *answer = data;

  g_free (answer->key);
  g_free (answer->target_digest);
  g_clear_pointer (&answer->content, json_object_unref);
  g_free (answer);
}

static void
free_pending (PostbagPending *pending)
{
  while (pending != NULL)
    {
      PostbagPending *next = pending->next;

      g_free (pending->key);
      g_free (pending->message);
      g_free (pending->params);
      g_free (pending->target_digest);
      g_free (pending);
      pending = next;
    }
}

PostbagCall *
postbag_call_new (PostbagEngine *engine, PostbagTool *tool, PostbagRevision revision,
                  const char *id, const char *principal)
{
  PostbagCall *self = postbag_call_new_operation (
      engine, &postbag_operation_tool, NULL, postbag_tool_get_name (tool), revision, id, principal);

  self->tool = tool;
  self->toolset = postbag_tool_get_toolset (tool);
  return self;
}

PostbagCall *
postbag_call_new_operation (PostbagEngine *engine, const PostbagOperation *operation, gpointer data,
                            const char *subject, PostbagRevision revision, const char *id,
                            const char *principal)
{
  PostbagCall *self = g_new0 (PostbagCall, 1);

  g_atomic_ref_count_init (&self->references);
  self->engine = postbag_engine_ref (engine);
  self->cancellable = g_cancellable_new ();
  self->operation = operation;
  self->data = data;
  self->subject = g_strdup (subject);
  self->revision = revision;
  self->id = g_strdup (id);
  self->principal = g_strdup (principal);
  self->log_level = -1;
  self->answers = g_ptr_array_new_with_free_func (free_answer);
  self->waiting_to_tell = g_array_new (FALSE, FALSE, sizeof (PostbagTelling));
  g_mutex_init (&self->lock);
  return self;
}

PostbagCall *
postbag_call_ref (PostbagCall *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
postbag_call_unref (PostbagCall *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_clear_pointer (&self->document, postbag_json_document_unref);
  g_clear_pointer (&self->pending, free_pending);
  g_clear_pointer (&self->response, g_bytes_unref);
  g_ptr_array_unref (self->answers);
  postbag_call_tell (self, FALSE);
  g_array_unref (self->waiting_to_tell);
  if (self->operation->free_data != NULL)
    g_clear_pointer (&self->data, self->operation->free_data);
  g_free (self->subject);
  g_free (self->arguments_digest);
  g_free (self->request_state);
  g_clear_error (&self->bad_state);
  g_free (self->progress_token);
  g_free (self->principal);
  g_free (self->id);
  g_object_unref (self->cancellable);
  g_mutex_clear (&self->lock);
  postbag_engine_unref (self->engine);
  g_free (self);
}

const char *
postbag_call_get_tool (PostbagCall *self)
{
  return self->tool != NULL ? postbag_tool_get_name (self->tool) : "";
}

const char *
postbag_call_get_principal (PostbagCall *self)
{
  return self->principal;
}

GCancellable *
postbag_call_get_cancellable (PostbagCall *self)
{
  return self->cancellable;
}

PostbagClock *
postbag_call_get_clock (PostbagCall *self)
{
  return self->engine->clock;
}

PostbagSettings *
postbag_call_get_settings (PostbagCall *self)
{
  return postbag_toolset_get_settings (self->toolset);
}

gboolean
postbag_call_has_tool (PostbagCall *self, const char *name)
{
  return postbag_surface_find_tool (self->engine->surface, name) != NULL;
}

gpointer
postbag_call_get_service (PostbagCall *self, GType type)
{
  return postbag_surface_get_service (self->engine->surface, type);
}

/* --- when the answer has left --- */

void
postbag_call_when_told (PostbagCall *self, PostbagToldFunc told, gpointer user_data)
{
  PostbagTelling telling = { told, user_data };

  g_array_append_val (self->waiting_to_tell, telling);
}

void
postbag_call_tell (PostbagCall *self, gboolean was_told)
{
  for (guint i = 0; i < self->waiting_to_tell->len; i++)
    {
      const PostbagTelling *telling = &g_array_index (self->waiting_to_tell, PostbagTelling, i);

      telling->told (telling->user_data, was_told && !self->is_replaced);
    }
  g_array_set_size (self->waiting_to_tell, 0);
}

/* --- the way back to the main thread --- */

typedef struct
{
  PostbagCall *call;
  GBytes *notification; /* (nullable): %NULL when the run is over */
} Handover;

static void
free_handover (gpointer data)
{
  Handover *handover = data;

  g_atomic_int_add (&handover->call->engine->handovers, -1);
  postbag_call_unref (handover->call);
  g_clear_pointer (&handover->notification, g_bytes_unref);
  g_free (handover);
}

static gboolean
deliver (gpointer data)
{
  Handover *handover = data;
  PostbagCall *call = handover->call;

  if (handover->notification == NULL)
    {
      call->running = FALSE;
      call->done (call, call->user_data);
    }
  else if (!call->finished)
    call->notify (call, handover->notification, call->user_data);
  return G_SOURCE_REMOVE;
}

/* Sources of one priority are dispatched in the order in which they were attached: progress leaves
 * before the answer that follows it. Not g_main_context_invoke(), which may run on this thread. */
static void
hand_over (PostbagCall *self, GBytes *notification)
{
  g_autoptr (GSource) source = g_idle_source_new ();
  Handover *handover = g_new0 (Handover, 1);

  g_atomic_int_inc (&self->engine->handovers);
  handover->call = postbag_call_ref (self);
  handover->notification = notification;
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, deliver, handover, free_handover);
  g_source_attach (source, NULL);
}

void
postbag_call_notify (PostbagCall *self, GBytes *message)
{
  hand_over (self, message);
}

void
postbag_call_hand_over (PostbagCall *self)
{
  hand_over (self, NULL);
}

/* The argument by which all toolsets say whose server a call is about; "" is the default one. */
static const char *
get_group (PostbagCall *self)
{
  JsonObject *arguments = self->arguments != NULL && JSON_NODE_HOLDS_OBJECT (self->arguments)
                              ? json_node_get_object (self->arguments)
                              : NULL;
  JsonNode *account = arguments != NULL ? json_object_get_member (arguments, "account") : NULL;

  return account != NULL && json_node_get_value_type (account) == G_TYPE_STRING
             ? json_node_get_string (account)
             : "";
}

void
postbag_call_start (PostbagCall *self)
{
  self->running = TRUE;
  postbag_pool_push (self->engine->pool, postbag_call_ref (self), get_group (self));
}

/* --- lists that changed --- */

typedef struct
{
  PostbagEngine *engine;
  PostbagListKind kind;
} Announcement;

static gboolean
announce (gpointer data)
{
  Announcement *announcement = data;

  postbag_engine_tell_list_changed (announcement->engine, announcement->kind);
  return G_SOURCE_REMOVE;
}

static void
free_announcement (gpointer data)
{
  Announcement *announcement = data;

  g_atomic_int_add (&announcement->engine->handovers, -1);
  postbag_engine_unref (announcement->engine);
  g_free (announcement);
}

void
postbag_call_announce_change (PostbagCall *self, PostbagListKind kind)
{
  g_autoptr (GSource) source = g_idle_source_new ();
  Announcement *announcement = g_new0 (Announcement, 1);

  g_atomic_int_inc (&self->engine->handovers);
  announcement->engine = postbag_engine_ref (self->engine);
  announcement->kind = kind;
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, announce, announcement, free_announcement);
  g_source_attach (source, NULL);
}

/* --- progress --- */

/* Whether this report may leave now; remembers it then. */
static gboolean
admit_progress (PostbagCall *self, double progress)
{
  gint64 now = postbag_clock_get_monotonic_us (self->engine->clock);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (self->last_progress_us != 0
      && (progress <= self->last_progress
          || now - self->last_progress_us < POSTBAG_LIMIT_PROGRESS_INTERVAL_US))
    return FALSE;
  self->last_progress = progress;
  self->last_progress_us = MAX (now, 1);
  return TRUE;
}

static void
write_number (PostbagJsonWriter *writer, const char *name, double value)
{
  postbag_json_writer_key (writer, name);
  if (value == trunc (value) && fabs (value) < LARGEST_EXACT_INTEGER)
    postbag_json_writer_int (writer, (gint64)value);
  else
    postbag_json_writer_double (writer, value);
}

void
postbag_call_report_progress (PostbagCall *self, double progress, double total, const char *message)
{
  PostbagJsonWriter *writer;

  if (self->progress_token == NULL || !isfinite (progress) || !isfinite (total)
      || !admit_progress (self, progress))
    return;
  writer = postbag_jsonrpc_begin_message (NULL, "notifications/progress");
  postbag_json_writer_key (writer, "progressToken");
  postbag_json_writer_raw (writer, self->progress_token, strlen (self->progress_token));
  write_number (writer, "progress", progress);
  if (total > 0)
    write_number (writer, "total", total);
  if (message != NULL && self->revision >= POSTBAG_REVISION_2025_03_26)
    {
      postbag_json_writer_key (writer, "message");
      postbag_json_writer_string (writer, message);
    }
  hand_over (self, postbag_jsonrpc_end (writer));
}

/* --- log messages --- */

static const char *const log_levels[] = {
  [POSTBAG_LOG_DEBUG] = "debug",   [POSTBAG_LOG_INFO] = "info",
  [POSTBAG_LOG_NOTICE] = "notice", [POSTBAG_LOG_WARNING] = "warning",
  [POSTBAG_LOG_ERROR] = "error",   [POSTBAG_LOG_CRITICAL] = "critical",
  [POSTBAG_LOG_ALERT] = "alert",   [POSTBAG_LOG_EMERGENCY] = "emergency",
};

int
postbag_log_level_from_word (const char *word)
{
  for (gsize i = 0; i < G_N_ELEMENTS (log_levels); i++)
    {
      if (strcmp (log_levels[i], word) == 0)
        return (int)i;
    }
  return -1;
}

static gboolean
admit_log (PostbagCall *self)
{
  gint64 second = postbag_clock_get_monotonic_us (self->engine->clock) / G_USEC_PER_SEC;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (self->log_second != second)
    self->log_count = 0;
  self->log_second = second;
  return self->log_count++ < POSTBAG_LIMIT_LOG_MESSAGES;
}

void
postbag_call_log (PostbagCall *self, PostbagLogLevel level, const char *logger, const char *text)
{
  PostbagJsonWriter *writer;

  if (self->log_level < 0 || (int)level < self->log_level || !admit_log (self))
    return;
  writer = postbag_jsonrpc_begin_message (NULL, "notifications/message");
  postbag_json_writer_key (writer, "level");
  postbag_json_writer_string (writer, log_levels[level]);
  if (logger != NULL)
    {
      postbag_json_writer_key (writer, "logger");
      postbag_json_writer_string (writer, logger);
    }
  postbag_json_writer_key (writer, "data");
  postbag_json_writer_string (writer, text);
  hand_over (self, postbag_jsonrpc_end (writer));
}

/* --- answers --- */

void
postbag_call_add_answer (PostbagCall *self, const char *key, const char *target_digest,
                         PostbagAnswerKind kind, JsonObject *content)
{
  PostbagAnswer *answer = g_new0 (PostbagAnswer, 1);

  answer->key = g_strdup (key);
  answer->target_digest = g_strdup (target_digest);
  answer->kind = kind;
  answer->content = content != NULL ? json_object_ref (content) : NULL;
  g_ptr_array_add (self->answers, answer);
}

void
postbag_call_answer (PostbagCall *self, PostbagAnswerKind kind, JsonObject *content)
{
  postbag_call_add_answer (self, self->pending->key, self->pending->target_digest, kind, content);
  g_clear_pointer (&self->pending, free_pending);
}

/* An earlier answer to the question called @key, about another target, counts no longer. */
static void
drop_answers (PostbagCall *self, const char *key)
{
  for (guint i = self->answers->len; i > 0; i--)
    {
      const PostbagAnswer *answer = self->answers->pdata[i - 1];

      if (g_str_equal (answer->key, key))
        g_ptr_array_remove_index (self->answers, i - 1);
    }
}

void
postbag_call_set_pending (PostbagCall *self, const PostbagQuestion *question)
{
  g_clear_pointer (&self->pending, free_pending);
  if (question == NULL)
    return;
  drop_answers (self, question->key);
  self->pending = g_new0 (PostbagPending, 1);
  self->pending->key = g_strdup (question->key);
  self->pending->message = g_strdup (question->message);
  self->pending->target_digest = postbag_call_digest_target (question);
}

void
postbag_call_add_pending (PostbagCall *self, PostbagInputKind kind, const char *key,
                          const char *params, const char *target_digest)
{
  PostbagPending **last = &self->pending;
  PostbagPending *pending = g_new0 (PostbagPending, 1);

  pending->is_input = TRUE;
  pending->kind = kind;
  pending->key = g_strdup (key);
  pending->params = g_strdup (params);
  pending->target_digest = g_strdup (target_digest);
  while (*last != NULL)
    last = &(*last)->next;
  *last = pending;
}

const PostbagAnswer *
postbag_call_find_answer (PostbagCall *self, const char *key, const char *target_digest)
{
  for (guint i = self->answers->len; i > 0; i--)
    {
      const PostbagAnswer *answer = self->answers->pdata[i - 1];

      if (g_str_equal (answer->key, key) && g_str_equal (answer->target_digest, target_digest))
        return answer;
    }
  return NULL;
}
