/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The floor that postbag's start is measured against: a program with the same libraries that waits
 * for one line in a main loop and gives a canned answer. It reads no configuration, knows no
 * protocol, loads nothing. */

#include <gio/gio.h>
#include <glib-unix.h>
#include <json-glib/json-glib.h>
#include <unistd.h>

static const char answer[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";

static gboolean
read_line (int fd, GIOCondition condition, gpointer user_data)
{
  char buffer[4096];
  ssize_t n = read (fd, buffer, sizeof buffer);

  if (n <= 0)
    {
      g_main_loop_quit (user_data);
      return G_SOURCE_REMOVE;
    }
  if (buffer[n - 1] == '\n' && write (STDOUT_FILENO, answer, sizeof answer - 1) < 0)
    g_main_loop_quit (user_data);
  return G_SOURCE_CONTINUE;
}

int
main (void)
{
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);

  /* Both libraries are really linked and initialised, as in the server. */
  g_type_ensure (G_TYPE_CANCELLABLE);
  g_type_ensure (JSON_TYPE_NODE);
  g_unix_fd_add (STDIN_FILENO, G_IO_IN | G_IO_HUP, read_line, loop);
  g_main_loop_run (loop);
  return 0;
}
