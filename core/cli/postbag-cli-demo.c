/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A real conversation: this program is started once more as a server, over pipes, and spoken to
 * like any client does, on the sample Maildir. */

#include "cli/postbag-cli-private.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-paths-private.h"
#include "json/postbag-json.h"

typedef struct
{
  GSubprocess *server;
  GOutputStream *input;
  GDataInputStream *output;
  gint64 next_id;
  gboolean color;
} Conversation;

static const char *
pick (const Conversation *self, const char *escape)
{
  return self->color ? escape : "";
}

static int
say (const Conversation *self, const char *who, const char *text)
{
  g_autofree char *line =
      g_strdup_printf ("%s%s%s %s\n", pick (self, "\033[1m"), who, pick (self, "\033[0m"), text);

  return postbag_cli_print (line);
}

static const char initialized[] =
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";

/* Sends one request and waits for the answer with its id. */
static PostbagJsonDocument *
request (Conversation *self, const char *method, const char *params, GError **error)
{
  gint64 id = self->next_id++;
  g_autofree char *line = g_strdup_printf ("{\"jsonrpc\":\"2.0\",\"id\":%" G_GINT64_FORMAT
                                           ",\"method\":\"%s\",\"params\":%s}\n",
                                           id, method, params);

  if (!g_output_stream_write_all (self->input, line, strlen (line), NULL, NULL, error))
    return NULL;
  for (;;)
    {
      gsize length = 0;
      g_autofree char *answer = g_data_input_stream_read_line (self->output, &length, NULL, error);
      g_autoptr (PostbagJsonDocument) document = NULL;
      gint64 answered;

      if (answer == NULL)
        {
          if (error != NULL && *error == NULL)
            g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INTERNAL,
                         "The server ended without an answer to “%s”.", method);
          return NULL;
        }
      document = postbag_json_parse (answer, length, POSTBAG_LIMIT_ANSWER_BYTES * 2,
                                     POSTBAG_JSON_DEFAULT, error);
      if (document == NULL)
        return NULL;
      if (postbag_json_get_int (json_node_get_object (postbag_json_document_get_root (document)),
                                "id", &answered)
          && answered == id)
        return g_steal_pointer (&document);
    }
}

static JsonObject *
get_result (PostbagJsonDocument *document)
{
  JsonObject *result = NULL;

  postbag_json_get_object (json_node_get_object (postbag_json_document_get_root (document)),
                           "result", &result);
  return result;
}

/* Calls a tool and tells what was asked. Returns its document, or NULL when it failed. */
static PostbagJsonDocument *
call (Conversation *self, const char *tool, const char *arguments, GError **error)
{
  g_autofree char *params = g_strdup_printf ("{\"name\":\"%s\",\"arguments\":%s}", tool, arguments);
  g_autofree char *asked = g_strdup_printf ("%s %s", tool, arguments);
  g_autoptr (PostbagJsonDocument) document = NULL;
  JsonObject *result;
  gboolean is_error = FALSE;

  postbag_cli_print ("\n");
  say (self, "client >", asked);
  document = request (self, "tools/call", params, error);
  if (document == NULL)
    return NULL;
  result = get_result (document);
  if (result == NULL || (postbag_json_get_boolean (result, "isError", &is_error) && is_error))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INTERNAL, "The call “%s” failed.", tool);
      return NULL;
    }
  return g_steal_pointer (&document);
}

static JsonObject *
get_structured (PostbagJsonDocument *document)
{
  JsonObject *structured = NULL;

  postbag_json_get_object (get_result (document), "structuredContent", &structured);
  return structured;
}

typedef void (*ShowEntryFunc) (JsonObject *entry, GString *text);

static void
show_entries (PostbagJsonDocument *document, const char *list, ShowEntryFunc show)
{
  JsonObject *structured = get_structured (document);
  g_autoptr (GString) text = g_string_new (NULL);
  JsonArray *entries = NULL;

  if (structured != NULL)
    postbag_json_get_array (structured, list, &entries);
  for (guint i = 0; entries != NULL && i < json_array_get_length (entries); i++)
    show (json_array_get_object_element (entries, i), text);
  postbag_cli_print (text->str);
}

static void
show_mailbox (JsonObject *entry, GString *text)
{
  const char *name = "", *use = "";
  gint64 messages = 0, unseen = 0;

  postbag_json_get_string (entry, "display_name", &name);
  postbag_json_get_string (entry, "specialUse", &use);
  postbag_json_get_int (entry, "messages", &messages);
  postbag_json_get_int (entry, "unseen", &unseen);
  g_string_append_printf (
      text, "  %-20s %4" G_GINT64_FORMAT " messages, %" G_GINT64_FORMAT " unread  %s\n", name,
      messages, unseen, use);
}

static void
show_message (JsonObject *entry, GString *text)
{
  const char *subject = "", *from = "", *date = "";
  gint64 uid = 0;
  gboolean seen = FALSE, attachments = FALSE;

  postbag_json_get_int (entry, "uid", &uid);
  postbag_json_get_string (entry, "subject", &subject);
  postbag_json_get_string (entry, "from", &from);
  postbag_json_get_string (entry, "date", &date);
  postbag_json_get_boolean (entry, "seen", &seen);
  postbag_json_get_boolean (entry, "hasAttachments", &attachments);
  g_string_append_printf (text, "  %4" G_GINT64_FORMAT " %s %s%s\n         %.10s  %s\n", uid,
                          seen ? " " : "*", subject, attachments ? "  [attachments]" : "", date,
                          from);
}

static void
show_attachment (JsonObject *entry, GString *text)
{
  const char *part = "", *filename = "", *type = "";
  gboolean allowed = FALSE;

  postbag_json_get_string (entry, "part_id", &part);
  postbag_json_get_string (entry, "filename", &filename);
  postbag_json_get_string (entry, "content_type", &type);
  postbag_json_get_boolean (entry, "allowed", &allowed);
  g_string_append_printf (text, "  part %-4s %-28s %s%s\n", part, filename, type,
                          allowed ? "" : "  (refused by policy)");
}

/* The text block of a result, as a model gets it. */
static void
show_text (PostbagJsonDocument *document)
{
  JsonArray *content = NULL;
  const char *body = "";

  if (postbag_json_get_array (get_result (document), "content", &content)
      && json_array_get_length (content) > 0)
    postbag_json_get_string (json_array_get_object_element (content, 0), "text", &body);
  postbag_cli_print (body);
  postbag_cli_print ("\n");
}

/* The UID of the first message that @filter finds, 0 when there is none. */
static gint64
find_uid (PostbagJsonDocument *document)
{
  JsonObject *structured = get_structured (document);
  JsonArray *messages = NULL;
  gint64 uid = 0;

  if (structured != NULL && postbag_json_get_array (structured, "messages", &messages)
      && json_array_get_length (messages) > 0)
    postbag_json_get_int (json_array_get_object_element (messages, 0), "uid", &uid);
  return uid;
}

static gboolean
greet (Conversation *self, GError **error)
{
  g_autoptr (PostbagJsonDocument) greeting = NULL;
  g_autoptr (PostbagJsonDocument) list = NULL;
  g_autofree char *told = NULL;
  JsonObject *result;
  JsonArray *tools = NULL;

  say (self, "client >", "initialize, tools/list");
  greeting = request (self, "initialize",
                      "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
                      "\"clientInfo\":{\"name\":\"postbag-demo\",\"version\":\"1\"}}",
                      error);
  if (greeting == NULL
      || !g_output_stream_write_all (self->input, initialized, strlen (initialized), NULL, NULL,
                                     error))
    return FALSE;
  list = request (self, "tools/list", "{}", error);
  if (list == NULL)
    return FALSE;
  result = get_result (list);
  if (result == NULL || !postbag_json_get_array (result, "tools", &tools))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INTERNAL, "The server lists no tools.");
      return FALSE;
    }
  told = g_strdup_printf ("MCP 2025-11-25, %u tools, read-only", json_array_get_length (tools));
  say (self, "server >", told);
  return TRUE;
}

static gboolean
browse (Conversation *self, GError **error)
{
  g_autoptr (PostbagJsonDocument) mailboxes = NULL;
  g_autoptr (PostbagJsonDocument) newest = NULL;
  g_autoptr (PostbagJsonDocument) found = NULL;

  mailboxes = call (self, "list_mailboxes", "{}", error);
  if (mailboxes == NULL)
    return FALSE;
  show_entries (mailboxes, "mailboxes", show_mailbox);
  newest = call (self, "list_messages", "{\"limit\":5}", error);
  if (newest == NULL)
    return FALSE;
  show_entries (newest, "messages", show_message);
  found = call (self, "list_messages", "{\"from\":\"jonas\",\"since\":\"2026-11-01\"}", error);
  if (found == NULL)
    return FALSE;
  show_entries (found, "messages", show_message);
  return TRUE;
}

/* Searches with @search and hands the first message found to @tool. */
static PostbagJsonDocument *
call_on_first (Conversation *self, const char *tool, const char *search, const char *mailbox,
               GError **error)
{
  g_autoptr (PostbagJsonDocument) found = call (self, "list_messages", search, error);
  g_autofree char *arguments = NULL;

  if (found == NULL)
    return NULL;
  show_entries (found, "messages", show_message);
  arguments = g_strdup_printf ("{\"uid\":%" G_GINT64_FORMAT ",\"mailbox\":\"%s\"}",
                               find_uid (found), mailbox);
  return call (self, tool, arguments, error);
}

static gboolean
read_some (Conversation *self, GError **error)
{
  g_autoptr (PostbagJsonDocument) message = NULL;
  g_autoptr (PostbagJsonDocument) attachments = NULL;

  message = call_on_first (self, "get_message", "{\"subject\":\"parcel\"}", "INBOX", error);
  if (message == NULL)
    return FALSE;
  show_text (message);
  attachments = call_on_first (self, "get_attachments",
                               "{\"mailbox\":\"Junk\",\"subject\":\"invoice\"}", "Junk", error);
  if (attachments == NULL)
    return FALSE;
  show_entries (attachments, "attachments", show_attachment);
  return TRUE;
}

static gboolean
start_server (Conversation *self, const char *state_dir, GError **error)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", error);
  g_autofree char *maildir =
      g_build_filename (postbag_paths_get_data_dir (), "demo", "Maildir", NULL);
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE);

  if (program == NULL)
    return FALSE;
  g_subprocess_launcher_setenv (launcher, "POSTBAG_STATE_DIR", state_dir, TRUE);
  self->server = g_subprocess_launcher_spawn (launcher, error, program, "--maildir", maildir, NULL);
  if (self->server == NULL)
    return FALSE;
  self->input = g_subprocess_get_stdin_pipe (self->server);
  self->output = g_data_input_stream_new (g_subprocess_get_stdout_pipe (self->server));
  self->next_id = 1;
  self->color = isatty (STDOUT_FILENO);
  return TRUE;
}

/* The sample run's own state folder: two levels of files that the server made. */
static void
remove_folder (const char *path)
{
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  const char *name;

  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      if (g_file_test (child, G_FILE_TEST_IS_DIR) && !g_file_test (child, G_FILE_TEST_IS_SYMLINK))
        remove_folder (child);
      else
        unlink (child);
    }
  rmdir (path);
}

static gboolean
converse (Conversation *self, GError **error)
{
  if (!greet (self, error) || !browse (self, error) || !read_some (self, error))
    return FALSE;
  return g_output_stream_close (self->input, NULL, error)
         && g_subprocess_wait_check (self->server, NULL, error);
}

static int
say_the_end (const Conversation *self)
{
  postbag_cli_print ("\n");
  return say (self, "server >", "ended; nothing in the mailbox was changed");
}

int
postbag_cli_demo (const PostbagCli *cli)
{
  Conversation conversation = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *state_dir = NULL;
  gboolean done = FALSE;

  if (cli->arguments[0] != NULL)
    return postbag_cli_usage_error ("“demo” takes no arguments.");
  signal (SIGPIPE, SIG_IGN); /* a server that ended at once is an error to be told */
  state_dir = g_dir_make_tmp ("postbag-demo-XXXXXX", &error);
  if (state_dir != NULL && start_server (&conversation, state_dir, &error))
    done = converse (&conversation, &error);
  g_clear_object (&conversation.output);
  g_clear_object (&conversation.server);
  if (state_dir != NULL)
    remove_folder (state_dir);
  return done ? say_the_end (&conversation) : postbag_cli_fail (error);
}
