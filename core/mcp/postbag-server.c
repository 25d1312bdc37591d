/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-server-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "mcp/postbag-session-private.h"
#include "mcp/postbag-tools-private.h"

struct _PostbagTransportHost
{
  PostbagServer *server; /* not owned: it holds the host */
};

struct _PostbagServer
{
  GObject parent_instance;

  PostbagEngine *engine;
  PostbagSeal *own_seal; /* (nullable): where the options brought none */
  PostbagTransportHost host;
  GPtrArray *transports; /* PostbagTransportImplementation, started */
  GMainLoop *loop;       /* (nullable): while running */
  guint n_finished;
  int status;
  gboolean is_stuck;      /* a handler outlived the shut-down */
  PostbagCall *last_call; /* (nullable): of postbag_server_call_tool(), until it was told */
};

G_DEFINE_FINAL_TYPE (PostbagServer, postbag_server, G_TYPE_OBJECT)

PostbagEngine *
postbag_engine_ref (PostbagEngine *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
postbag_engine_unref (PostbagEngine *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_object_unref (self->surface);
  g_object_unref (self->clock);
  g_ptr_array_unref (self->sessions);
  g_free (self);
}

static void
postbag_server_finalize (GObject *object)
{
  PostbagServer *self = POSTBAG_SERVER (object);

  postbag_server_shut_down (self);
  postbag_server_tell (self, FALSE);
  g_clear_pointer (&self->engine, postbag_engine_unref);
  g_clear_pointer (&self->own_seal, postbag_seal_free);
  g_ptr_array_unref (self->transports);
  G_OBJECT_CLASS (postbag_server_parent_class)->finalize (object);
}

static void
postbag_server_class_init (PostbagServerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = postbag_server_finalize;
}

static void
postbag_server_init (PostbagServer *self)
{
  self->host.server = self;
  self->transports = g_ptr_array_new ();
}

PostbagServer *
postbag_server_new (const PostbagServerOptions *options)
{
  PostbagServer *self = g_object_new (POSTBAG_TYPE_SERVER, NULL);
  PostbagEngine *engine = g_new0 (PostbagEngine, 1);
  guint max_threads = options->max_threads > 0 ? options->max_threads : POSTBAG_LIMIT_CALL_THREADS;

  if (options->seal == NULL)
    self->own_seal = postbag_seal_new (NULL, options->clock);
  g_atomic_ref_count_init (&engine->references);
  engine->surface = g_object_ref (options->surface);
  engine->clock = g_object_ref (options->clock);
  engine->seal = options->seal != NULL ? options->seal : self->own_seal;
  engine->pool = postbag_pool_new (max_threads, postbag_call_run);
  engine->sessions = g_ptr_array_new ();
  engine->page_size = POSTBAG_LIMIT_TOOLS_PAGE;
  engine->validate_results = options->validate_results;
  engine->require_person = options->require_person;
  self->engine = engine;
  return self;
}

PostbagEngine *
postbag_server_get_engine (PostbagServer *self)
{
  return self->engine;
}

/* --- transports --- */

PostbagTransportHost *
postbag_server_get_transport_host (PostbagServer *self)
{
  return &self->host;
}

gboolean
postbag_server_start_transport (PostbagServer *self,
                                const PostbagTransportImplementation *transport, GError **error)
{
  if (!transport->start (&self->host, error))
    return FALSE;
  g_ptr_array_add (self->transports, (gpointer)transport);
  return TRUE;
}

PostbagSession *
postbag_transport_host_open_session (PostbagTransportHost *host, const char *principal,
                                     PostbagSendFunc send, gpointer user_data)
{
  return postbag_session_new (host->server->engine, principal, send, user_data);
}

static gboolean
is_finished (PostbagServer *self)
{
  return self->n_finished >= MAX (self->transports->len, 1);
}

void
postbag_transport_host_finished (PostbagTransportHost *host, int status)
{
  PostbagServer *self = host->server;

  self->n_finished++;
  self->status = MAX (self->status, status);
  if (self->loop != NULL && is_finished (self))
    g_main_loop_quit (self->loop);
}

int
postbag_server_run (PostbagServer *self)
{
  if (!is_finished (self))
    {
      self->loop = g_main_loop_new (NULL, FALSE);
      g_main_loop_run (self->loop);
      g_clear_pointer (&self->loop, g_main_loop_unref);
    }
  return self->status;
}

static void
stop_transports (PostbagServer *self)
{
  for (guint i = 0; i < self->transports->len; i++)
    {
      const PostbagTransportImplementation *transport = self->transports->pdata[i];

      if (transport->stop != NULL)
        transport->stop ();
    }
}

/* What workers handed over after the loop ended still holds its call. */
static void
dispatch_what_is_left (PostbagServer *self)
{
  while (g_atomic_int_get (&self->engine->handovers) > 0)
    g_main_context_iteration (NULL, TRUE);
}

gboolean
postbag_server_shut_down (PostbagServer *self)
{
  if (self->engine->pool == NULL)
    return !self->is_stuck;
  stop_transports (self);
  for (guint i = 0; i < self->engine->sessions->len; i++)
    postbag_session_drop_calls (self->engine->sessions->pdata[i], FALSE);
  self->is_stuck = !postbag_pool_shut_down (self->engine->pool,
                                            POSTBAG_LIMIT_SHUT_DOWN_SECONDS * G_USEC_PER_SEC);
  if (self->is_stuck)
    {
      /* The handler keeps what it uses: nothing is pulled away. */
      g_message ("a tool call did not end in time");
      self->own_seal = NULL;
    }
  self->engine->pool = NULL;
  dispatch_what_is_left (self);
  return !self->is_stuck;
}

/* --- without a client --- */

static void
mark_done (PostbagCall *call, gpointer user_data)
{
  gboolean *done = user_data;

  *done = TRUE;
}

static void
ignore_notification (PostbagCall *call, GBytes *message, gpointer user_data)
{
}

static GBytes *
run_to_end (PostbagCall *call)
{
  gboolean done = FALSE;

  call->done = mark_done;
  call->notify = ignore_notification;
  call->user_data = &done;
  postbag_call_start (call);
  while (!done)
    g_main_context_iteration (NULL, TRUE);
  return g_steal_pointer (&call->response);
}

static gboolean
parse_arguments (PostbagCall *call, GBytes *arguments, GError **error)
{
  gsize length;
  const char *text;

  if (arguments == NULL)
    return TRUE;
  text = g_bytes_get_data (arguments, &length);
  call->document =
      postbag_json_parse (text, length, POSTBAG_LIMIT_LINE_BYTES, POSTBAG_JSON_DEFAULT, error);
  if (call->document == NULL)
    return FALSE;
  call->arguments = postbag_json_document_get_root (call->document);
  if (JSON_NODE_HOLDS_OBJECT (call->arguments))
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
               "The arguments of a tool must be a JSON object, e.g. {\"mailbox\": \"INBOX\"}.");
  return FALSE;
}

GBytes *
postbag_server_call_tool (PostbagServer *self, const char *name, GBytes *arguments,
                          gboolean *is_error, GError **error)
{
  PostbagTool *tool = postbag_surface_find_tool (self->engine->surface, name);
  g_autoptr (PostbagCall) call = NULL;
  GBytes *response;

  if (tool == NULL)
    {
      g_autofree char *problem = postbag_tools_describe_unknown (self->engine->surface, name);

      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND, problem);
      return NULL;
    }
  call = postbag_call_new (self->engine, tool, POSTBAG_REVISION_2025_11_25, NULL, "local");
  if (!parse_arguments (call, arguments, error))
    return NULL;
  response = run_to_end (call);
  if (is_error != NULL)
    *is_error = call->is_error;
  g_clear_pointer (&self->last_call, postbag_call_unref);
  self->last_call = g_steal_pointer (&call);
  return response;
}

void
postbag_server_tell (PostbagServer *self, gboolean was_told)
{
  if (self->last_call != NULL)
    postbag_call_tell (self->last_call, was_told);
  g_clear_pointer (&self->last_call, postbag_call_unref);
}

GBytes *
postbag_server_list_tools (PostbagServer *self)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();
  GPtrArray *tools = postbag_surface_get_tools (self->engine->surface);

  postbag_json_writer_begin_object (writer);
  postbag_tools_write_page (writer, tools, 0, tools->len, POSTBAG_REVISION_2025_11_25);
  postbag_json_writer_end_object (writer);
  return postbag_json_writer_finish (writer);
}
