/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp-fixture.h"

#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "base/postbag-error.h"
#include "folder.h"

#define WAIT_US (10 * G_USEC_PER_SEC)

/* --- the toolset --- */

static GMutex slow_lock;
static GCond slow_changed;
static guint n_slow;          /* with slow_lock */
static gboolean slow_is_open; /* with slow_lock */
static int n_changes;         /* atomic */
static int change_target;     /* atomic */

static guint n_told[2]; /* not written, written */

static void
note_told (gpointer user_data, gboolean was_told)
{
  n_told[was_told]++;
}

guint
mcp_fixture_count_told (gboolean was_told)
{
  return n_told[was_told];
}

static gboolean
echo (PostbagCall *call, const PostbagArgs *args, PostbagResult *result, GError **error)
{
  postbag_call_when_told (call, note_told, NULL);
  postbag_result_string (result, "text", postbag_args_get_string (args, "text"));
  postbag_result_int (result, "times", postbag_args_get_int (args, "times", 1));
  return TRUE;
}

static void
on_cancelled (GCancellable *cancellable, gpointer user_data)
{
  g_mutex_lock (&slow_lock);
  g_cond_broadcast (&slow_changed);
  g_mutex_unlock (&slow_lock);
}

static gboolean
slow (PostbagCall *call, const PostbagArgs *args, PostbagResult *result, GError **error)
{
  GCancellable *cancellable = postbag_call_get_cancellable (call);
  gint64 reports = postbag_args_get_int (args, "reports", 0);
  gulong handler = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), NULL, NULL);

  for (gint64 i = 0; i < reports; i++)
    {
      postbag_clock_advance (postbag_call_get_clock (call), 100000);
      postbag_call_report_progress (call, (double)(i + 1), (double)reports, "working");
      postbag_call_report_progress (call, (double)(i + 1) + 0.5, (double)reports, "too soon");
    }
  g_mutex_lock (&slow_lock);
  n_slow++;
  g_cond_broadcast (&slow_changed);
  while (!slow_is_open && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait (&slow_changed, &slow_lock);
  n_slow--;
  g_cond_broadcast (&slow_changed);
  g_mutex_unlock (&slow_lock);
  g_cancellable_disconnect (cancellable, handler);
  postbag_result_boolean (result, "released", TRUE);
  return TRUE;
}

static gboolean
fail (PostbagCall *call, const PostbagArgs *args, PostbagResult *result, GError **error)
{
  gint64 code = postbag_args_get_int (args, "code", 0);
  const char *message = postbag_args_get_string (args, "message");

  postbag_result_string (result, "half", "written");
  if (code < 0)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FAILED, message);
  else
    g_set_error_literal (error, POSTBAG_ERROR, (int)code, message);
  return FALSE;
}

static gboolean
change (PostbagCall *call, const PostbagArgs *args, PostbagResult *result, GError **error)
{
  g_autoptr (GArray) uids = postbag_args_dup_ints (args, "uids");
  g_autoptr (GString) target = g_string_new ("change");
  PostbagQuestion question = { .key = "confirm",
                               .message = "Change the messages?",
                               .token = postbag_args_get_string (args, "confirm_token"),
                               .token_only = postbag_args_get_boolean (args, "light", FALSE) };
  PostbagQuestion second = { .key = "really", .message = "Really?" };

  for (guint i = 0; i < uids->len; i++)
    g_string_append_printf (target, " %" G_GINT64_FORMAT, g_array_index (uids, gint64, i));
  g_string_append_printf (target, " of %d", g_atomic_int_get (&change_target));
  question.target = target->str;
  second.target = target->str;
  if (!postbag_call_ask (call, &question, error))
    return FALSE;
  if (postbag_args_get_boolean (args, "again", FALSE) && !postbag_call_ask (call, &second, error))
    return FALSE;
  postbag_result_boolean (result, "changed", TRUE);
  postbag_result_int (result, "runs", g_atomic_int_add (&n_changes, 1) + 1);
  return TRUE;
}

static gboolean
big (PostbagCall *call, const PostbagArgs *args, PostbagResult *result, GError **error)
{
  g_autofree char *text = g_strnfill ((gsize)postbag_args_get_int (args, "bytes", 0), 'x');

  postbag_result_string (result, "text", text);
  return TRUE;
}

static gboolean
liar (PostbagCall *call, const PostbagArgs *args, PostbagResult *result, GError **error)
{
  postbag_result_string (result, "number", "seven");
  return TRUE;
}

static gboolean
media (PostbagCall *call, const PostbagArgs *args, PostbagResult *result, GError **error)
{
  g_autoptr (GBytes) data = g_bytes_new_static ("RIFF", 4);

  postbag_result_add_audio (result, data, "audio/wav");
  postbag_result_add_link (result, "test://note", "Note", "text/plain", 7);
  postbag_result_add_resource (result, "test://a", "text/plain", "A", NULL);
  postbag_result_add_resource (result, "test://b", NULL, NULL, data);
  return TRUE;
}

static gboolean
refuse (PostbagCall *call, const PostbagArgs *args, PostbagResult *result, GError **error)
{
  postbag_result_string (result, "code", "no");
  postbag_result_set_failed (result);
  return TRUE;
}

static gboolean
picture (PostbagCall *call, const PostbagArgs *args, PostbagResult *result, GError **error)
{
  g_autoptr (GBytes) data = g_bytes_new_static ("\x89PNG", 4);

  postbag_result_string (result, "kind", "picture");
  postbag_result_take_text (result, g_strdup ("A picture.\nLook."));
  postbag_result_add_image (result, data, "image/png");
  postbag_result_meta_string (result, "note", "drawn");
  return TRUE;
}

static const PostbagToolEntry entries[] = {
  { "echo", echo },       { "slow", slow },   { "fail", fail },
  { "change", change },   { "big", big },     { "liar", liar },
  { "picture", picture }, { "media", media }, { "refuse", refuse },
};

/* --- its resources --- */

static GMutex watch_lock;
static PostbagSubscription *subscription; /* with watch_lock: of the box watched first */
static guint n_watches;                   /* with watch_lock */

static gboolean
read_note (PostbagCall *call, const PostbagResourceUri *uri, PostbagContents *contents,
           GError **error)
{
  g_autoptr (GBytes) data = g_bytes_new_static ("\0\1", 2);

  postbag_contents_add_text (contents, NULL, "text/plain", "A note.");
  postbag_contents_add_blob (contents, "test://note/attachment", "image/png", data);
  postbag_contents_meta_string (contents, "untrusted", "true");
  return TRUE;
}

static gboolean
read_box (PostbagCall *call, const PostbagResourceUri *uri, PostbagContents *contents,
          GError **error)
{
  const char *owner = postbag_resource_uri_get_variable (uri, "owner");
  const char *name = postbag_resource_uri_get_variable (uri, "name");
  g_autofree char *text = g_strdup_printf ("%s/%s", owner, name);

  if (g_str_equal (name, "missing"))
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND, "There is no box of that name.");
  else if (g_str_equal (name, "offline"))
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE, "The box is far away.");
  else if (g_str_equal (name, "secret"))
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED, "The box is not for you.");
  else if (!g_str_equal (name, "empty"))
    postbag_contents_add_text (contents, NULL, NULL, text);
  return *error == NULL;
}

static gboolean
list_boxes (PostbagCall *call, PostbagResourceList *list, GError **error)
{
  for (int i = 1; i <= 5; i++)
    {
      g_autofree char *name = g_strdup_printf ("b/%d", i);
      const char *const values[] = { "owner", "me", "name", name, NULL };
      g_autofree char *uri = postbag_resource_uri_expand ("test://{owner}/box/{name}", values);
      PostbagResourceFacts facts = { .uri = uri, .name = name, .title = "Box", .size = -1 };

      if (!postbag_resource_list_add (list, &facts))
        break;
    }
  return TRUE;
}

static gpointer
watch_box (PostbagCall *call, const PostbagResourceUri *uri, PostbagSubscription *told,
           GError **error)
{
  if (g_str_equal (postbag_resource_uri_get_variable (uri, "name"), "missing"))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND, "There is no box of that name.");
      return NULL;
    }
  g_mutex_lock (&watch_lock);
  if (n_watches++ == 0)
    {
      g_clear_pointer (&subscription, postbag_subscription_unref);
      subscription = postbag_subscription_ref (told);
    }
  g_mutex_unlock (&watch_lock);
  return postbag_subscription_ref (told);
}

static void
unwatch_box (gpointer watch)
{
  g_mutex_lock (&watch_lock);
  n_watches--;
  g_mutex_unlock (&watch_lock);
  postbag_subscription_unref (watch);
}

guint
mcp_fixture_count_watches (void)
{
  guint count;

  g_mutex_lock (&watch_lock);
  count = n_watches;
  g_mutex_unlock (&watch_lock);
  return count;
}

void
mcp_fixture_change_box (void)
{
  g_mutex_lock (&watch_lock);
  postbag_subscription_tell (subscription);
  g_mutex_unlock (&watch_lock);
}

static const PostbagResourceEntry resources[] = {
  { .name = "note", .read = read_note },
  { .name = "box",
    .read = read_box,
    .list = list_boxes,
    .watch = watch_box,
    .unwatch = unwatch_box },
};

/* --- its prompts and completions --- */

static gboolean
make_prompt (PostbagCall *call, const PostbagArgs *args, PostbagPromptMessages *messages,
             GError **error)
{
  PostbagQuestion question = { .key = "confirm", .message = "Make it?" };

  if (!postbag_call_ask (call, &question, error))
    return FALSE;
  postbag_prompt_messages_add_text (messages, "user", "Made.");
  return TRUE;
}

static const PostbagPromptEntry prompts[] = { { "made", make_prompt } };

static gboolean
complete (PostbagCall *call, const PostbagCompletion *completion, PostbagCompletionList *list,
          GError **error)
{
  const char *owner = postbag_args_get_string (completion->context, "owner");

  if (g_str_equal (completion->value, "fail"))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE, "Nothing can be suggested.");
      return FALSE;
    }
  for (int i = 0; i < 150; i++)
    {
      g_autofree char *value =
          g_strdup_printf ("%s %s %s%03d %s", completion->name, completion->argument,
                           completion->value, i, owner != NULL ? owner : "nobody");

      postbag_completion_list_add (list, value);
    }
  return TRUE;
}

static const PostbagToolsetImplementation implementation = {
  .size = sizeof (PostbagToolsetImplementation),
  .tools = entries,
  .n_tools = G_N_ELEMENTS (entries),
  .resources = resources,
  .n_resources = G_N_ELEMENTS (resources),
  .complete = complete,
  .prompts = prompts,
  .n_prompts = G_N_ELEMENTS (prompts),
};

static const PostbagToolsetImplementation *
load_fixture (const char *toolset, gpointer user_data, GError **error)
{
  return &implementation;
}

guint
mcp_fixture_count_slow (void)
{
  guint count;

  g_mutex_lock (&slow_lock);
  count = n_slow;
  g_mutex_unlock (&slow_lock);
  return count;
}

void
mcp_fixture_wait_slow (guint n)
{
  gint64 deadline = g_get_monotonic_time () + WAIT_US;

  g_mutex_lock (&slow_lock);
  while (n_slow != n)
    g_assert_true (g_cond_wait_until (&slow_changed, &slow_lock, deadline));
  g_mutex_unlock (&slow_lock);
}

void
mcp_fixture_release_slow (void)
{
  g_mutex_lock (&slow_lock);
  slow_is_open = TRUE;
  g_cond_broadcast (&slow_changed);
  g_mutex_unlock (&slow_lock);
}

guint
mcp_fixture_count_changes (void)
{
  return (guint)g_atomic_int_get (&n_changes);
}

void
mcp_fixture_set_target (int target)
{
  g_atomic_int_set (&change_target, target);
}

/* --- what went over the wire, for check-lines.py --- */

static void
record (const char *direction, const char *bytes, gsize length)
{
  static FILE *file;
  const char *path = g_getenv ("POSTBAG_RECORD");

  if (path == NULL)
    return;
  if (file == NULL)
    file = fopen (path, "ae");
  g_assert_nonnull (file);
  fprintf (file, "%s %" G_GSIZE_FORMAT "\n", direction, length);
  fwrite (bytes, 1, length, file);
  fputc ('\n', file);
  fflush (file);
}

/* --- the server and its session --- */

static void
capture (GBytes *message, gpointer user_data)
{
  McpFixture *self = user_data;
  gsize length;
  const char *bytes = g_bytes_get_data (message, &length);

  if (!self->is_lazy) /* much, and all alike */
    record ("out", bytes, length);
  g_ptr_array_add (self->lines, g_bytes_ref (message));
  self->unread += length;
  if (self->is_lazy)
    postbag_session_set_queued (self->session, self->unread);
}

void
mcp_fixture_reconnect (McpFixture *self)
{
  g_clear_pointer (&self->session, postbag_session_close);
  record ("session", "", 0);
  self->session = postbag_transport_host_open_session (
      postbag_server_get_transport_host (self->server), "local", capture, self);
}

static void
make_surface (McpFixture *self, const McpFixtureOptions *options)
{
  static const char *const tools[] = { "echo", "slow",    "fail",  "change", "big",
                                       "liar", "picture", "media", "refuse", NULL };
  g_autofree char *schema_dir =
      options->schema_dir != NULL
          ? g_strdup (options->schema_dir)
          : g_test_build_filename (G_TEST_DIST, "unit", "mcp", "schemas", "fixture", NULL);
  g_autoptr (GError) error = NULL;

  self->settings = postbag_settings_new ();
  postbag_settings_set (self->settings, "loud", options->loud);
  if (options->elicitation != NULL)
    postbag_settings_set (self->settings, "elicitation", options->elicitation);
  self->surface = postbag_surface_new ();
  postbag_surface_add_toolset (self->surface, "fixture", tools, schema_dir, self->settings,
                               load_fixture, NULL, &error);
  g_assert_no_error (error);
  postbag_surface_set_instructions (self->surface, "Only for tests.");
}

McpFixture *
mcp_fixture_new (const McpFixtureOptions *options)
{
  static const McpFixtureOptions defaults = { 0 };
  McpFixture *self = g_new0 (McpFixture, 1);
  PostbagServerOptions server_options = { 0 };

  if (options == NULL)
    options = &defaults;
  slow_is_open = FALSE;
  g_atomic_int_set (&n_changes, 0);
  g_atomic_int_set (&change_target, 0);
  memset (n_told, 0, sizeof n_told);
  self->lines = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  self->clock = postbag_clock_new_manual (G_GINT64_CONSTANT (1800000000) * G_USEC_PER_SEC);
  self->state_dir = g_dir_make_tmp ("postbag-test-XXXXXX", NULL);
  self->seal = postbag_seal_new (self->state_dir, self->clock);
  make_surface (self, options);
  server_options.surface = self->surface;
  server_options.clock = self->clock;
  server_options.seal = self->seal;
  server_options.max_threads = options->max_threads;
  server_options.validate_results = !options->trust_results;
  server_options.require_person = options->require_person;
  self->server = postbag_server_new (&server_options);
  mcp_fixture_reconnect (self);
  return self;
}

void
mcp_fixture_free (McpFixture *self)
{
  g_clear_pointer (&self->session, postbag_session_close);
  g_clear_pointer (&subscription, postbag_subscription_unref);
  postbag_server_shut_down (self->server);
  g_object_unref (self->server);
  g_object_unref (self->surface);
  postbag_settings_unref (self->settings);
  postbag_seal_free (self->seal);
  g_object_unref (self->clock);
  g_ptr_array_unref (self->lines);
  remove_tree (self->state_dir);
  g_free (self->state_dir);
  g_free (self);
}

void
mcp_fixture_send_bytes (McpFixture *self, const char *bytes, gsize length)
{
  record ("in", bytes, length);
  postbag_session_receive (self->session, bytes, length);
}

void
mcp_fixture_send (McpFixture *self, const char *line)
{
  mcp_fixture_send_bytes (self, line, strlen (line));
}

void
mcp_fixture_sendf (McpFixture *self, const char *format, ...)
{
  g_autofree char *line = NULL;
  va_list args;

  va_start (args, format);
  line = g_strdup_vprintf (format, args);
  va_end (args);
  mcp_fixture_send (self, line);
}

void
mcp_fixture_initialize (McpFixture *self, const char *capabilities)
{
  mcp_fixture_initialize_as (self, "2025-11-25", capabilities);
}

void
mcp_fixture_initialize_as (McpFixture *self, const char *revision, const char *capabilities)
{
  mcp_fixture_sendf (self,
                     "{\"jsonrpc\":\"2.0\",\"id\":\"init\",\"method\":\"initialize\",\"params\":{"
                     "\"protocolVersion\":\"%s\",\"capabilities\":%s,"
                     "\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}}",
                     revision, capabilities);
  json_object_unref (mcp_fixture_take (self));
  mcp_fixture_send (self, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

void
mcp_fixture_settle (McpFixture *self)
{
  PostbagEngine *engine = postbag_server_get_engine (self->server);
  gint64 deadline = g_get_monotonic_time () + WAIT_US;

  while (postbag_pool_get_active (engine->pool) > mcp_fixture_count_slow ()
         || g_atomic_int_get (&engine->handovers) > 0 || g_main_context_pending (NULL))
    {
      g_main_context_iteration (NULL, FALSE);
      g_assert_cmpint (g_get_monotonic_time (), <, deadline);
      g_thread_yield ();
    }
}

char *
mcp_fixture_take_text (McpFixture *self)
{
  gint64 deadline = g_get_monotonic_time () + WAIT_US;
  g_autoptr (GBytes) line = NULL;
  gsize length;
  const char *bytes;

  while (self->lines->len == 0)
    {
      g_main_context_iteration (NULL, FALSE);
      g_assert_cmpint (g_get_monotonic_time (), <, deadline);
      g_thread_yield ();
    }
  line = g_ptr_array_steal_index (self->lines, 0);
  bytes = g_bytes_get_data (line, &length);
  g_assert_null (memchr (bytes, '\n', length));
  return g_strndup (bytes, length);
}

JsonObject *
mcp_fixture_take (McpFixture *self)
{
  g_autofree char *text = mcp_fixture_take_text (self);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) node = json_from_string (text, &error);

  g_assert_no_error (error);
  g_assert_true (JSON_NODE_HOLDS_OBJECT (node));
  return json_node_dup_object (node);
}

void
mcp_fixture_assert_silent (McpFixture *self)
{
  mcp_fixture_settle (self);
  if (self->lines->len > 0)
    {
      g_autofree char *text = mcp_fixture_take_text (self);

      g_error ("not silent: %s", text);
    }
}

/* --- reading answers --- */

JsonObject *
mcp_get_object (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  g_assert_nonnull (node);
  g_assert_true (JSON_NODE_HOLDS_OBJECT (node));
  return json_node_get_object (node);
}

const char *
mcp_get_string (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  g_assert_nonnull (node);
  g_assert_true (JSON_NODE_HOLDS_VALUE (node));
  g_assert_cmpint (json_node_get_value_type (node), ==, G_TYPE_STRING);
  return json_node_get_string (node);
}

gint64
mcp_get_int (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  g_assert_nonnull (node);
  g_assert_cmpint (json_node_get_value_type (node), ==, G_TYPE_INT64);
  return json_node_get_int (node);
}

JsonObject *
mcp_get_result (JsonObject *message)
{
  g_assert_false (json_object_has_member (message, "error"));
  g_assert_cmpstr (mcp_get_string (message, "jsonrpc"), ==, "2.0");
  return mcp_get_object (message, "result");
}

void
mcp_assert_error (JsonObject *message, int code)
{
  JsonObject *error = mcp_get_object (message, "error");

  g_assert_false (json_object_has_member (message, "result"));
  g_assert_cmpint (mcp_get_int (error, "code"), ==, code);
  g_assert_cmpstr (mcp_get_string (error, "message"), !=, "");
}

const char *
mcp_get_text (JsonObject *message, gboolean is_error)
{
  JsonObject *result = mcp_get_result (message);
  JsonArray *content = json_object_get_array_member (result, "content");
  JsonObject *block = json_array_get_object_element (content, 0);

  g_assert_cmpint (json_object_get_boolean_member_with_default (result, "isError", FALSE), ==,
                   is_error);
  if (is_error)
    g_assert_false (json_object_has_member (result, "structuredContent"));
  g_assert_cmpstr (mcp_get_string (block, "type"), ==, "text");
  return mcp_get_string (block, "text");
}
