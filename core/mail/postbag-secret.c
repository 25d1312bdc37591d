/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mail/postbag-secret.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"

/* One byte more than is allowed, to see that there is more. */
#define BUFFER_BYTES (POSTBAG_LIMIT_SECRET_BYTES + 1)

PostbagSecretKind
postbag_secret_get_kind (const PostbagAccount *account)
{
  if (account->token_command != NULL || account->token_file != NULL)
    return POSTBAG_SECRET_TOKEN;
  if (account->password != NULL || account->password_command != NULL
      || account->password_file != NULL)
    return POSTBAG_SECRET_PASSWORD;
  return POSTBAG_SECRET_NONE;
}

void
postbag_secret_free (char *secret)
{
  if (secret != NULL)
    explicit_bzero (secret, strlen (secret));
  g_free (secret);
}

static void
free_buffer (char *buffer)
{
  explicit_bzero (buffer, BUFFER_BYTES);
  g_free (buffer);
}

/* @setting: the key in the configuration */
static void G_GNUC_PRINTF (4, 5) fail (GError **error, const PostbagAccount *account,
                                       const char *setting, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_LOGIN, "The “%s” of the account “%s” %s.",
               setting, account->name, text);
}

/* The first line of @length bytes. */
static char *
take_line (const PostbagAccount *account, const char *setting, const char *bytes, gsize length,
           GError **error)
{
  const char *end = memchr (bytes, '\n', length);
  gsize line = end != NULL ? (gsize)(end - bytes) : length;

  if (line > 0 && bytes[line - 1] == '\r')
    line--;
  if (end == NULL && length > POSTBAG_LIMIT_SECRET_BYTES)
    fail (error, account, setting, "gives more than %d bytes in one line: it is not the right one",
          POSTBAG_LIMIT_SECRET_BYTES);
  else if (line == 0)
    fail (error, account, setting, "gives an empty first line; the secret has to stand there");
  else if (memchr (bytes, '\0', line) != NULL)
    fail (error, account, setting, "gives a zero byte, which no secret has");
  else
    return g_strndup (bytes, line);
  return NULL;
}

/* --- a file --- */

static gboolean
check_facts (const PostbagAccount *account, const char *setting, const char *path,
             const struct stat *facts, GError **error)
{
  g_autofree char *shown = postbag_text_make_valid (path, -1);

  if (!S_ISREG (facts->st_mode))
    fail (error, account, setting, "is no ordinary file");
  else if ((facts->st_mode & 022) != 0)
    fail (error, account, setting, "may be changed by others. Say: chmod 600 “%s”", shown);
  else if (facts->st_uid == getuid () && (facts->st_mode & 044) != 0)
    fail (
        error, account, setting,
        "may be read by others. Say: chmod 600 “%s” (to what mounts it in a container: mode 0400), "
        "and change the secret if others had access",
        shown);
  else
    return TRUE;
  return FALSE;
}

static char *
read_file (const PostbagAccount *account, const char *setting, const char *path, GError **error)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat facts = { 0 };
  char *secret = NULL;

  if (fd < 0 || fstat (fd, &facts) != 0)
    fail (error, account, setting, "cannot be read: %s", g_strerror (errno));
  else if (check_facts (account, setting, path, &facts, error))
    {
      char *buffer = g_malloc (BUFFER_BYTES);
      gssize length = read (fd, buffer, BUFFER_BYTES);

      if (length < 0)
        fail (error, account, setting, "cannot be read: %s", g_strerror (errno));
      else
        secret = take_line (account, setting, buffer, (gsize)length, error);
      free_buffer (buffer);
    }
  if (fd >= 0)
    close (fd);
  return secret;
}

/* --- a command --- */

typedef struct
{
  GMainContext *context;
  GPollableInputStream *stream;
  GCancellable *cancellable;
  gboolean has_passed; /* the deadline */
  gboolean is_ready;
  gboolean has_ended; /* the process */
} Wait;

static gboolean
pass_deadline (gpointer data)
{
  ((Wait *)data)->has_passed = TRUE;
  return G_SOURCE_REMOVE;
}

static gboolean
be_ready (GObject *stream, gpointer data)
{
  ((Wait *)data)->is_ready = TRUE;
  return G_SOURCE_REMOVE;
}

static void
wake_up (GCancellable *cancellable, gpointer data)
{
  g_main_context_wakeup (data);
}

/* Until there is something to read, the deadline passed, or somebody cancelled. */
static void
wait_for_output (Wait *wait)
{
  g_autoptr (GSource) source = g_pollable_input_stream_create_source (wait->stream, NULL);

  wait->is_ready = FALSE;
  g_source_set_callback (source, G_SOURCE_FUNC (be_ready), wait, NULL);
  g_source_attach (source, wait->context);
  while (!wait->is_ready && !wait->has_passed && !g_cancellable_is_cancelled (wait->cancellable))
    g_main_context_iteration (wait->context, TRUE);
  g_source_destroy (source);
}

/* Everything that comes, at most BUFFER_BYTES; %FALSE when that took too long or failed. */
static gboolean
read_output (Wait *wait, char *buffer, gsize *length, GError **error)
{
  *length = 0;
  while (*length < BUFFER_BYTES)
    {
      gssize count;

      wait_for_output (wait);
      if (wait->has_passed)
        return FALSE;
      count = g_pollable_input_stream_read_nonblocking (
          wait->stream, buffer + *length, BUFFER_BYTES - *length, wait->cancellable, error);
      if (count <= 0)
        return count == 0;
      *length += (gsize)count;
    }
  return TRUE;
}

static void
end_process (GObject *process, GAsyncResult *result, gpointer data)
{
  Wait *wait = data;

  g_subprocess_wait_finish (G_SUBPROCESS (process), result, NULL);
  wait->has_ended = TRUE;
}

/* One that closed its output may still go on, but not for long. */
static void
wait_for_end (Wait *wait, GSubprocess *process)
{
  gboolean is_killed = wait->has_passed;

  if (is_killed)
    g_subprocess_force_exit (process);
  g_subprocess_wait_async (process, NULL, end_process, wait);
  while (!wait->has_ended)
    {
      g_main_context_iteration (wait->context, TRUE);
      if (wait->has_passed && !is_killed)
        g_subprocess_force_exit (process);
      is_killed = wait->has_passed;
    }
}

/* `~/bin/token`: nobody else expands it, as there is no shell. */
static char **
parse_command (const char *command, GError **error)
{
  char **words = NULL;

  if (!g_shell_parse_argv (command, NULL, &words, error))
    return NULL;
  if (g_str_has_prefix (words[0], "~/"))
    {
      char *path = g_build_filename (g_get_home_dir (), words[0] + 2, NULL);

      g_free (words[0]);
      words[0] = path;
    }
  return words;
}

static void
fail_output (const PostbagAccount *account, const char *setting, const Wait *wait,
             const GError *cause, GError **error)
{
  if (wait->has_passed)
    postbag_set_fault (
        error, POSTBAG_ERROR_TIMED_OUT, POSTBAG_FAULT_TIMED_OUT,
        "The “%s” of the account “%s” did not end within %d seconds. Run it in a terminal "
        "and see what it waits for.",
        setting, account->name, POSTBAG_LIMIT_SECRET_COMMAND_MS / 1000);
  else if (g_error_matches (cause, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED,
                 "The call was cancelled while the “%s” of the account “%s” ran.", setting,
                 account->name);
  else
    fail (error, account, setting, "could not be read from: %s", cause->message);
}

/* Reads what @process prints, and its end. */
static char *
watch_process (const PostbagAccount *account, const char *setting, GSubprocess *process, Wait *wait,
               GError **error)
{
  g_autoptr (GError) cause = NULL;
  char *buffer = g_malloc (BUFFER_BYTES);
  char *secret = NULL;
  gsize length = 0;
  gboolean is_whole = read_output (wait, buffer, &length, &cause);

  if (!is_whole || length == BUFFER_BYTES)
    g_subprocess_force_exit (process);
  g_input_stream_close (G_INPUT_STREAM (wait->stream), NULL, NULL);
  wait_for_end (wait, process);
  if (!is_whole || wait->has_passed)
    fail_output (account, setting, wait, cause, error);
  else if (length < BUFFER_BYTES && !g_subprocess_get_successful (process))
    fail (error, account, setting, "failed (%s %d). Run it in a terminal to see why",
          g_subprocess_get_if_exited (process) ? "status" : "signal",
          g_subprocess_get_if_exited (process) ? g_subprocess_get_exit_status (process)
                                               : g_subprocess_get_term_sig (process));
  else
    secret = take_line (account, setting, buffer, length, error);
  free_buffer (buffer);
  return secret;
}

static char *
run_command (const PostbagAccount *account, const char *setting, const char *command,
             GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_auto (GStrv) words = parse_command (command, &cause);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GMainContext) context = NULL;
  g_autoptr (GSource) timer = NULL;
  Wait wait = { .cancellable = cancellable };
  char *secret;
  gulong handler = 0;

  if (words != NULL)
    process =
        g_subprocess_newv ((const char *const *)words, G_SUBPROCESS_FLAGS_STDOUT_PIPE, &cause);
  if (process == NULL)
    {
      fail (error, account, setting, "cannot be run: %s", cause->message);
      return NULL;
    }
  context = g_main_context_new ();
  timer = g_timeout_source_new (POSTBAG_LIMIT_SECRET_COMMAND_MS);
  wait.context = context;
  wait.stream = G_POLLABLE_INPUT_STREAM (g_subprocess_get_stdout_pipe (process));
  g_source_set_callback (timer, pass_deadline, &wait, NULL);
  g_source_attach (timer, context);
  if (cancellable != NULL)
    handler =
        g_cancellable_connect (cancellable, G_CALLBACK (wake_up), g_main_context_ref (context),
                               (GDestroyNotify)g_main_context_unref);
  g_main_context_push_thread_default (context);
  secret = watch_process (account, setting, process, &wait, error);
  g_main_context_pop_thread_default (context);
  g_cancellable_disconnect (cancellable, handler);
  g_source_destroy (timer);
  return secret;
}

static char *
fetch (const PostbagAccount *account, GCancellable *cancellable, GError **error)
{
  if (account->token_command != NULL)
    return run_command (account, "token-command", account->token_command, cancellable, error);
  if (account->token_file != NULL)
    return read_file (account, "token-file", account->token_file, error);
  if (account->password != NULL)
    return g_strdup (account->password);
  if (account->password_command != NULL)
    return run_command (account, "password-command", account->password_command, cancellable, error);
  if (account->password_file != NULL)
    return read_file (account, "password-file", account->password_file, error);
  postbag_set_fault (
      error, POSTBAG_ERROR_NEEDS_LOGIN, POSTBAG_FAULT_SECRET_MISSING,
      "The account “%s” has neither a password nor a token. Put one of “password-command”, "
      "“password-file”, “password”, “token-command”, “token-file” into its group.",
      account->name);
  return NULL;
}

char *
postbag_secret_fetch (const PostbagAccount *account, GCancellable *cancellable, GError **error)
{
  char *secret = fetch (account, cancellable, error);
  gboolean is_command = account->token_command != NULL
                        || (account->token_file == NULL && account->password_command != NULL);

  if (secret == NULL)
    postbag_error_place (error, "secret",
                         is_command ? POSTBAG_FAULT_SECRET_COMMAND : POSTBAG_FAULT_SECRET_FILE);
  return secret;
}
