/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A module runs code of its own while it is opened. A child opens it, writes the reason it is
 * refused for into a pipe, and ends; how it ends tells the rest. */

#include "plugin/postbag-manifest-private.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

/* Not what a module is likely to exit with by itself. */
enum
{
  TRY_OPENED = 91,
  TRY_REFUSED = 92,
};

/* The child. */
G_NORETURN static void
open_module (const PostbagManifest *manifest, int output)
{
  g_autoptr (GError) error = NULL;
  gsize length;

  if (postbag_loader_open (manifest, &error) != NULL)
    _exit (TRY_OPENED);
  length = MIN (strlen (error->message), POSTBAG_LIMIT_PLUGIN_REASON_BYTES);
  _exit (write (output, error->message, length) == (ssize_t)length ? TRY_REFUSED : EXIT_FAILURE);
}

/* Everything the child writes, until it closes its end or the time is up. */
static gboolean
read_reason (int input, GString *reason)
{
  gint64 deadline = g_get_monotonic_time () + POSTBAG_LIMIT_PLUGIN_TRY_MS * G_TIME_SPAN_MILLISECOND;

  for (;;)
    {
      struct pollfd ready = { .fd = input, .events = POLLIN };
      gint64 left = (deadline - g_get_monotonic_time ()) / G_TIME_SPAN_MILLISECOND;
      char buffer[512];
      ssize_t length;

      if (left <= 0)
        return FALSE;
      if (poll (&ready, 1, (int)left) <= 0)
        continue;
      length = read (input, buffer, sizeof (buffer));
      if (length > 0 && reason->len < POSTBAG_LIMIT_PLUGIN_REASON_BYTES)
        g_string_append_len (reason, buffer, length);
      else if (length == 0 || (length < 0 && errno != EINTR))
        return TRUE;
    }
}

static gboolean
judge (int status, gboolean in_time, const char *reason, GError **error)
{
  if (in_time && WIFEXITED (status) && WEXITSTATUS (status) == TRY_OPENED)
    return TRUE;
  if (!in_time)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                 "The module was not open after %d seconds.", POSTBAG_LIMIT_PLUGIN_TRY_MS / 1000);
  else if (WIFEXITED (status) && WEXITSTATUS (status) == TRY_REFUSED)
    g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED, reason);
  else if (WIFSIGNALED (status))
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                 "The module crashes while it is opened (%s).", strsignal (WTERMSIG (status)));
  else
    g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                         "The module ends the program that opens it.");
  return FALSE;
}

static void
close_ends (const int *ends)
{
  if (ends[0] < 0)
    return;
  close (ends[0]);
  close (ends[1]);
}

gboolean
postbag_loader_try (const PostbagManifest *manifest, GError **error)
{
  g_autoptr (GString) reason = g_string_new (NULL);
  gboolean in_time;
  int ends[2] = { -1, -1 };
  int status = 0;
  pid_t child;

  child = pipe2 (ends, O_CLOEXEC) == 0 ? fork () : -1;
  if (child == 0)
    open_module (manifest, ends[1]);
  if (child < 0)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BUSY,
                   "The module could not be tried in a process of its own: %s.",
                   g_strerror (errno));
      close_ends (ends);
      return FALSE;
    }
  close (ends[1]);
  in_time = read_reason (ends[0], reason);
  close (ends[0]);
  if (!in_time)
    kill (child, SIGKILL);
  while (waitpid (child, &status, 0) < 0 && errno == EINTR)
    ;
  return judge (status, in_time, reason->str, error);
}
