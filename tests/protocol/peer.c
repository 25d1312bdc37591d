/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "peer.h"

#include <string.h>
#include <sys/socket.h>

/* A client that has closed may have said something last, which belongs into the log. */
#define LAST_WORDS_US (2 * G_USEC_PER_SEC)

struct _Peer
{
  GSocketListener *listener;
  GCancellable *stopping;
  GThread *thread;
  guint port;
  const char *const *const *scripts;
  GPtrArray *threads;
  gint talking; /* atomic: conversations that have not ended */

  GMutex lock;
  guint connections;
  GString *log;
};

typedef struct
{
  Peer *peer;
  GSocketConnection *connection;
  GDataInputStream *input;
  const char *const *script;
  char *tags[4]; /* of the last commands, the last first */
} Talk;

/* (transfer full) (nullable) */
static char *
read_line (Talk *talk)
{
  char *line = g_data_input_stream_read_line (talk->input, NULL, talk->peer->stopping, NULL);

  if (line == NULL)
    return NULL;
  g_mutex_lock (&talk->peer->lock);
  g_string_append_printf (talk->peer->log, "%s\n", line);
  g_mutex_unlock (&talk->peer->lock);
  return line;
}

static gboolean
expect_command (Talk *talk, const char *words)
{
  g_autofree char *line = read_line (talk);
  const char *blank = line != NULL ? strchr (line, ' ') : NULL;

  if (line == NULL)
    return FALSE;
  if (blank == NULL || strstr (blank, words) == NULL)
    {
      g_test_message ("expected “%s”, got “%s”", words, line);
      return FALSE;
    }
  g_free (talk->tags[3]);
  memmove (talk->tags + 1, talk->tags, 3 * sizeof (char *));
  talk->tags[0] = g_strndup (line, (gsize)(blank - line));
  return TRUE;
}

static gboolean
send_text (Talk *talk, const char *text, gboolean whole_line)
{
  g_autoptr (GString) out = g_string_new (NULL);
  GOutputStream *output = g_io_stream_get_output_stream (G_IO_STREAM (talk->connection));

  for (; *text != '\0'; text++)
    {
      if (*text == '%' && (text[1] == 't' || (text[1] >= '1' && text[1] <= '3')))
        {
          const char *tag = talk->tags[text[1] == 't' ? 0 : text[1] - '0'];

          g_string_append (out, tag != NULL ? tag : "?");
        }
      else
        g_string_append_c (out, *text);
      if (*text == '%')
        text++;
    }
  if (whole_line)
    g_string_append (out, "\r\n");
  return g_output_stream_write_all (output, out->str, out->len, NULL, talk->peer->stopping, NULL);
}

static void
wait_for_close (Talk *talk)
{
  char *line;

  while ((line = read_line (talk)) != NULL)
    g_free (line);
}

static gboolean
run_step (Talk *talk, const char *step)
{
  if (g_str_has_prefix (step, "S:"))
    return send_text (talk, step + 2, TRUE);
  if (g_str_has_prefix (step, "R:"))
    return send_text (talk, step + 2, FALSE);
  if (g_str_has_prefix (step, "C:"))
    return expect_command (talk, step + 2);
  if (g_str_has_prefix (step, "FLOOD:"))
    {
      while (send_text (talk, step + 6, TRUE))
        ;
      return FALSE;
    }
  if (strcmp (step, "L") == 0)
    {
      g_autofree char *line = read_line (talk);

      return line != NULL;
    }
  if (strcmp (step, "B") == 0)
    return g_buffered_input_stream_fill (G_BUFFERED_INPUT_STREAM (talk->input), 1,
                                         talk->peer->stopping, NULL)
           > 0;
  if (strcmp (step, "RESET") == 0)
    {
      const struct linger linger = { .l_onoff = 1, .l_linger = 0 };
      int fd = g_socket_get_fd (g_socket_connection_get_socket (talk->connection));

      g_assert_cmpint (setsockopt (fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger), ==, 0);
      return FALSE;
    }
  if (strcmp (step, "STALL") == 0)
    wait_for_close (talk);
  return strcmp (step, "STALL") != 0;
}

static gpointer
run_talk (gpointer data)
{
  Talk *talk = data;
  guint mark = 0;

  for (guint i = 0; talk->script[i] != NULL; i++)
    {
      if (strcmp (talk->script[i], "MARK") == 0)
        mark = i;
      else if (strcmp (talk->script[i], "LOOP") == 0)
        i = mark;
      else if (!run_step (talk, talk->script[i]))
        break;
    }
  g_io_stream_close (G_IO_STREAM (talk->connection), NULL, NULL);
  g_object_unref (talk->input);
  g_object_unref (talk->connection);
  for (guint i = 0; i < 4; i++)
    g_free (talk->tags[i]);
  g_atomic_int_add (&talk->peer->talking, -1);
  g_free (talk);
  return NULL;
}

static void
start_talk (Peer *self, GSocketConnection *connection)
{
  Talk *talk = g_new0 (Talk, 1);
  guint index = 0;

  g_mutex_lock (&self->lock);
  while (index < self->connections && self->scripts[index + 1] != NULL)
    index++;
  self->connections++;
  g_mutex_unlock (&self->lock);
  talk->peer = self;
  talk->connection = connection;
  talk->input = g_data_input_stream_new (g_io_stream_get_input_stream (G_IO_STREAM (connection)));
  g_data_input_stream_set_newline_type (talk->input, G_DATA_STREAM_NEWLINE_TYPE_CR_LF);
  talk->script = self->scripts[index];
  g_atomic_int_inc (&self->talking);
  g_ptr_array_add (self->threads, g_thread_new ("talk", run_talk, talk));
}

static gpointer
accept_all (gpointer data)
{
  Peer *self = data;

  for (;;)
    {
      GSocketConnection *connection =
          g_socket_listener_accept (self->listener, NULL, self->stopping, NULL);

      if (connection == NULL)
        return NULL;
      start_talk (self, connection);
    }
}

Peer *
peer_new (const char *const *const *scripts)
{
  Peer *self = g_new0 (Peer, 1);
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (loopback, 0);
  g_autoptr (GSocketAddress) effective = NULL;

  self->listener = g_socket_listener_new ();
  self->stopping = g_cancellable_new ();
  self->scripts = scripts;
  self->threads = g_ptr_array_new ();
  self->log = g_string_new (NULL);
  g_mutex_init (&self->lock);
  g_assert_true (g_socket_listener_add_address (self->listener, address, G_SOCKET_TYPE_STREAM,
                                                G_SOCKET_PROTOCOL_TCP, NULL, &effective, NULL));
  self->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (effective));
  self->thread = g_thread_new ("peer", accept_all, self);
  return self;
}

char *
peer_free (Peer *self)
{
  gint64 deadline = g_get_monotonic_time () + LAST_WORDS_US;
  char *log;

  while (g_atomic_int_get (&self->talking) > 0 && g_get_monotonic_time () < deadline)
    g_usleep (1000);
  g_cancellable_cancel (self->stopping);
  g_thread_join (self->thread);
  for (guint i = 0; i < self->threads->len; i++)
    g_thread_join (g_ptr_array_index (self->threads, i));
  g_ptr_array_unref (self->threads);
  g_object_unref (self->listener);
  g_object_unref (self->stopping);
  g_mutex_clear (&self->lock);
  log = g_string_free (self->log, FALSE);
  g_free (self);
  return log;
}

guint
peer_get_port (Peer *self)
{
  return self->port;
}

guint
peer_count (Peer *self)
{
  guint count;

  g_mutex_lock (&self->lock);
  count = self->connections;
  g_mutex_unlock (&self->lock);
  return count;
}

gboolean
peer_was_told (Peer *self, const char *words)
{
  gboolean was_told;

  g_mutex_lock (&self->lock);
  was_told = strstr (self->log->str, words) != NULL;
  g_mutex_unlock (&self->lock);
  return was_told;
}
