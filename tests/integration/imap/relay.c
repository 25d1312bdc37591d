/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "relay.h"

#include <string.h>

struct _Relay
{
  guint port; /* of the server */
  const char *word;
  const char *other;
  GSocketListener *listener;
  GCancellable *stopping;
  GThread *thread;
  guint own_port;
  GPtrArray *threads; /* the accepting thread's, until it has ended */
  gint connections;   /* atomic */
  gint most;          /* atomic */
  gint changes;       /* atomic */
};

typedef struct
{
  gatomicrefcount references;
  Relay *relay;
  GIOStream *client;
  GIOStream *server;
  gint pending; /* atomic: commands under way */
} Pair;

typedef struct
{
  Pair *pair;
  gboolean from_client;
} Direction;

static void
unref_pair (Pair *pair)
{
  if (!g_atomic_ref_count_dec (&pair->references))
    return;
  g_object_unref (pair->client);
  g_object_unref (pair->server);
  g_free (pair);
}

/* Tags of ours are `p` and a number. */
static gboolean
begins_with_tag (const char *line, gsize length)
{
  gsize digits = 1;

  while (digits < length && g_ascii_isdigit (line[digits]))
    digits++;
  return length > 0 && line[0] == 'p' && digits > 1 && digits < length && line[digits] == ' ';
}

static void
count_line (Direction *self, const char *line, gsize length)
{
  Relay *relay = self->pair->relay;
  gint pending;

  if (!begins_with_tag (line, length))
    return;
  pending = g_atomic_int_add (&self->pair->pending, self->from_client ? 1 : -1) + 1;
  if (self->from_client && pending > g_atomic_int_get (&relay->most))
    g_atomic_int_set (&relay->most, pending);
}

static void
change_words (Relay *relay, char *data, gsize length)
{
  gsize size = relay->word != NULL ? strlen (relay->word) : 0;
  char *at = data;

  while (size > 0 && (at = memmem (at, length - (gsize)(at - data), relay->word, size)) != NULL)
    {
      memcpy (at, relay->other, size);
      g_atomic_int_inc (&relay->changes);
    }
}

/* Lines are counted where they begin; one that is cut by the end of a read is put off to the next.
 */
static gpointer
run_direction (gpointer data)
{
  Direction *self = data;
  GIOStream *from = self->from_client ? self->pair->client : self->pair->server;
  GIOStream *to = self->from_client ? self->pair->server : self->pair->client;
  g_autoptr (GDataInputStream) input =
      g_data_input_stream_new (g_io_stream_get_input_stream (from));
  GOutputStream *output = g_io_stream_get_output_stream (to);
  GCancellable *stopping = self->pair->relay->stopping;
  char *line;
  gsize length;

  g_filter_input_stream_set_close_base_stream (G_FILTER_INPUT_STREAM (input), FALSE);
  while ((line = g_data_input_stream_read_upto (input, "\n", 1, &length, stopping, NULL)) != NULL)
    {
      gboolean is_written;

      count_line (self, line, length);
      if (self->from_client)
        change_words (self->pair->relay, line, length);
      /* What is read is written with its end, in as few pieces as came. */
      line = g_realloc (line, length + 1);
      line[length] = '\n';
      is_written = g_data_input_stream_read_byte (input, stopping, NULL) == '\n'
                   && g_output_stream_write_all (output, line, length + 1, NULL, stopping, NULL);
      g_free (line);
      if (!is_written)
        break;
    }
  g_socket_shutdown (g_socket_connection_get_socket (G_SOCKET_CONNECTION (to)), FALSE, TRUE, NULL);
  unref_pair (self->pair);
  g_free (self);
  return NULL;
}

static void
start_direction (Pair *pair, gboolean from_client)
{
  Direction *direction = g_new0 (Direction, 1);

  direction->pair = pair;
  direction->from_client = from_client;
  g_ptr_array_add (pair->relay->threads, g_thread_new ("relay", run_direction, direction));
}

static void
start_pair (Relay *self, GSocketConnection *client)
{
  g_autoptr (GSocketClient) connector = g_socket_client_new ();
  GSocketConnection *server = g_socket_client_connect_to_host (
      connector, "127.0.0.1", (guint16)self->port, self->stopping, NULL);
  Pair *pair;

  g_atomic_int_inc (&self->connections);
  if (server == NULL)
    {
      g_object_unref (client);
      return;
    }
  g_socket_set_option (g_socket_connection_get_socket (client), 6, 1, 1, NULL);
  g_socket_set_option (g_socket_connection_get_socket (server), 6, 1, 1, NULL);
  pair = g_new0 (Pair, 1);
  g_atomic_ref_count_init (&pair->references);
  g_atomic_ref_count_inc (&pair->references);
  pair->relay = self;
  pair->client = G_IO_STREAM (client);
  pair->server = G_IO_STREAM (server);
  start_direction (pair, TRUE);
  start_direction (pair, FALSE);
}

static gpointer
accept_all (gpointer data)
{
  Relay *self = data;
  GSocketConnection *client;

  while ((client = g_socket_listener_accept (self->listener, NULL, self->stopping, NULL)) != NULL)
    start_pair (self, client);
  return NULL;
}

Relay *
relay_new (guint port, const char *word, const char *other)
{
  Relay *self = g_new0 (Relay, 1);

  self->port = port;
  self->word = word;
  self->other = other;
  self->listener = g_socket_listener_new ();
  self->stopping = g_cancellable_new ();
  self->threads = g_ptr_array_new ();
  self->own_port = g_socket_listener_add_any_inet_port (self->listener, NULL, NULL);
  g_assert_cmpuint (self->own_port, !=, 0);
  self->thread = g_thread_new ("relay-accept", accept_all, self);
  return self;
}

void
relay_free (Relay *self)
{
  g_cancellable_cancel (self->stopping);
  g_thread_join (self->thread);
  for (guint i = 0; i < self->threads->len; i++)
    g_thread_join (g_ptr_array_index (self->threads, i));
  g_ptr_array_unref (self->threads);
  g_object_unref (self->listener);
  g_object_unref (self->stopping);
  g_free (self);
}

guint
relay_get_port (Relay *self)
{
  return self->own_port;
}

guint
relay_count (Relay *self)
{
  return (guint)g_atomic_int_get (&self->connections);
}

guint
relay_get_most (Relay *self)
{
  return (guint)g_atomic_int_get (&self->most);
}

guint
relay_count_changes (Relay *self)
{
  return (guint)g_atomic_int_get (&self->changes);
}
