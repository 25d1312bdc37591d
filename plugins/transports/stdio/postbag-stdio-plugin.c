/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The life of the one connection: it begins with the program and ends with the client's input, the
 * client's leaving, or a signal. Signals arrive by a descriptor of ours: GLib's way costs a thread,
 * and with it a measurable part of the start. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <glib-unix.h>

#include "base/postbag-limits.h"
#include "plugin/postbag-plugin.h"
#include "postbag-line-framer.h"
#include "postbag-stdio-output.h"

#define READ_BYTES (64 * 1024)

typedef struct
{
  PostbagTransportHost *host;
  PostbagSession *session;
  PostbagLineFramer *framer;
  PostbagStdioOutput *output;
  gboolean input_ended;
  guint input_source;
  guint hangup_source; /* while the input is not read */
  guint signal_source;
  guint drain_timer;
  guint finish_source;
} Connection;

static Connection connection;
static int signal_fd = -1;
static char read_buffer[READ_BYTES];

static void
drop_connection (void)
{
  g_clear_handle_id (&connection.input_source, g_source_remove);
  g_clear_handle_id (&connection.hangup_source, g_source_remove);
  g_clear_handle_id (&connection.signal_source, g_source_remove);
  g_clear_handle_id (&connection.drain_timer, g_source_remove);
  g_clear_handle_id (&connection.finish_source, g_source_remove);
  g_clear_pointer (&connection.session, postbag_session_close);
  g_clear_pointer (&connection.framer, postbag_line_framer_free);
  g_clear_pointer (&connection.output, postbag_stdio_output_free);
}

static void
finish (void)
{
  if (connection.session == NULL)
    return;
  drop_connection ();
  postbag_transport_host_finished (connection.host, 0);
}

static gboolean
on_finish (gpointer user_data)
{
  connection.finish_source = 0;
  finish ();
  return G_SOURCE_REMOVE;
}

static gboolean
on_drain_timeout (gpointer user_data)
{
  connection.drain_timer = 0;
  finish ();
  return G_SOURCE_REMOVE;
}

static void
start_drain_timer (void)
{
  g_clear_handle_id (&connection.drain_timer, g_source_remove);
  connection.drain_timer =
      g_timeout_add_seconds (POSTBAG_LIMIT_DRAIN_SECONDS, on_drain_timeout, NULL);
}

/* After the end of the input the last answer ends the program. */
static void
check_end (void)
{
  if (connection.input_ended && connection.finish_source == 0
      && postbag_session_get_running (connection.session) == 0
      && postbag_stdio_output_get_queued (connection.output) == 0)
    connection.finish_source = g_idle_add_full (G_PRIORITY_DEFAULT, on_finish, NULL, NULL);
}

/* --- input --- */

static void
take_line (const char *line, gsize length, gpointer user_data)
{
  if (line != NULL)
    postbag_session_receive (connection.session, line, length);
  else
    postbag_session_receive_oversized (connection.session);
}

static void
end_input (void)
{
  connection.input_source = 0;
  connection.input_ended = TRUE;
  postbag_line_framer_finish (connection.framer);
  postbag_session_end_input (connection.session);
  start_drain_timer ();
  check_end ();
}

/* The client has ended its input while its answers are not read: it has as long as at the end to
 * go on reading. */
static gboolean
on_hangup_unread (int fd, GIOCondition condition, gpointer user_data)
{
  connection.hangup_source = 0;
  start_drain_timer ();
  return G_SOURCE_REMOVE;
}

/* One read for each time the descriptor is ready: that never blocks, and needs no O_NONBLOCK on a
 * description that the client or a terminal shares. */
static gboolean
on_input (int fd, GIOCondition condition, gpointer user_data)
{
  ssize_t got = read (fd, read_buffer, sizeof read_buffer);

  if (got < 0 && (errno == EINTR || errno == EAGAIN))
    return G_SOURCE_CONTINUE;
  if (got <= 0)
    {
      end_input ();
      return G_SOURCE_REMOVE;
    }
  postbag_line_framer_push (connection.framer, read_buffer, (gsize)got);
  if (postbag_session_wants_input (connection.session))
    return G_SOURCE_CONTINUE;
  connection.input_source = 0;
  connection.hangup_source =
      g_unix_fd_add (STDIN_FILENO, G_IO_HUP | G_IO_ERR, on_hangup_unread, NULL);
  return G_SOURCE_REMOVE;
}

static void
watch_input (void)
{
  g_clear_handle_id (&connection.hangup_source, g_source_remove);
  g_clear_handle_id (&connection.drain_timer, g_source_remove);
  connection.input_source =
      g_unix_fd_add (STDIN_FILENO, G_IO_IN | G_IO_HUP | G_IO_ERR, on_input, NULL);
}

/* --- output --- */

static void
send_message (GBytes *message, gpointer user_data)
{
  postbag_stdio_output_push (connection.output, message);
}

static void
on_queue_changed (gsize queued, gpointer user_data)
{
  if (connection.session == NULL)
    return; /* its last words */
  postbag_session_set_queued (connection.session, queued);
  if (connection.input_source == 0 && !connection.input_ended)
    {
      if (postbag_session_wants_input (connection.session))
        watch_input ();
      else if (connection.drain_timer != 0)
        start_drain_timer (); /* it does read */
    }
  check_end ();
}

static void
on_output_closed (gpointer user_data)
{
  finish ();
}

/* --- signals --- */

static void
note_signal (int number)
{
  const guint64 one = 1;
  int saved_errno = errno;

  if (write (signal_fd, &one, sizeof one) < 0)
    {
      /* The counter is full: the main loop is woken all the same. */
    }
  errno = saved_errno;
}

static gboolean
on_signal (int fd, GIOCondition condition, gpointer user_data)
{
  connection.signal_source = 0;
  finish ();
  return G_SOURCE_REMOVE;
}

static void
watch_signals (void)
{
  struct sigaction action = { .sa_handler = note_signal, .sa_flags = SA_RESTART };

  signal (SIGPIPE, SIG_IGN);
  signal_fd = eventfd (0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (signal_fd < 0)
    return;
  sigemptyset (&action.sa_mask);
  sigaction (SIGTERM, &action, NULL);
  sigaction (SIGINT, &action, NULL);
  connection.signal_source = g_unix_fd_add (signal_fd, G_IO_IN, on_signal, NULL);
}

/* --- the plugin --- */

static gboolean
start (PostbagTransportHost *host, GError **error)
{
  static const PostbagStdioOutputEvents events = { on_queue_changed, on_output_closed };

  connection.output = postbag_stdio_output_take (STDOUT_FILENO, &events, NULL);
  if (connection.output == NULL)
    {
      postbag_set_error_from_errno (error, errno, "Cannot use standard output");
      return FALSE;
    }
  connection.host = host;
  connection.session = postbag_transport_host_open_session (host, "local", send_message, NULL);
  connection.framer = postbag_line_framer_new (POSTBAG_LIMIT_LINE_BYTES, take_line, NULL);
  watch_signals ();
  watch_input ();
  return TRUE;
}

static void
stop (void)
{
  if (connection.session != NULL)
    drop_connection ();
}

static const PostbagTransportImplementation implementation = {
  .size = sizeof (PostbagTransportImplementation),
  .start = start,
  .stop = stop,
};

POSTBAG_PLUGIN_EXPORT (TRANSPORT, "stdio", &implementation)
