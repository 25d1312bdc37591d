/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tls-peer.h"

#include <string.h>

struct _TlsPeer
{
  GSocketListener *listener;
  GCancellable *stopping;
  GThread *thread;
  guint port;
  GTlsCertificate *certificate;
  gboolean asks_certificate;
  const char *const *in_clear;
  TlsPeerFunc talk;
  gpointer user_data;
  GString *log;
};

static void
talk_init (TlsTalk *self, GIOStream *stream, GString *log)
{
  self->stream = g_object_ref (stream);
  self->input = g_data_input_stream_new (g_io_stream_get_input_stream (stream));
  g_filter_input_stream_set_close_base_stream (G_FILTER_INPUT_STREAM (self->input), FALSE);
  g_data_input_stream_set_newline_type (self->input, G_DATA_STREAM_NEWLINE_TYPE_CR_LF);
  self->log = log;
}

static void
talk_clear (TlsTalk *self)
{
  g_clear_object (&self->input);
  g_clear_object (&self->stream);
  g_clear_pointer (&self->tag, g_free);
}

char *
tls_talk_read (TlsTalk *self)
{
  char *line = g_data_input_stream_read_line (self->input, NULL, NULL, NULL);

  if (line != NULL && self->log != NULL)
    g_string_append_printf (self->log, "%s\n", line);
  return line;
}

char *
tls_talk_read_command (TlsTalk *self)
{
  g_autofree char *line = tls_talk_read (self);
  const char *blank = line != NULL ? strchr (line, ' ') : NULL;

  if (blank == NULL)
    return NULL;
  g_free (self->tag);
  self->tag = g_strndup (line, (gsize)(blank - line));
  return g_strdup (blank + 1);
}

void
tls_talk_send (TlsTalk *self, const char *text)
{
  g_autoptr (GString) line = g_string_new (text);

  g_string_replace (line, "%t", self->tag != NULL ? self->tag : "?", 0);
  g_string_append (line, "\r\n");
  g_output_stream_write_all (g_io_stream_get_output_stream (self->stream), line->str, line->len,
                             NULL, NULL, NULL);
}

void
tls_talk_please (TlsTalk *self)
{
  char *command;

  while ((command = tls_talk_read_command (self)) != NULL)
    {
      if (g_str_has_prefix (command, "CAPABILITY"))
        tls_talk_send (self, "* CAPABILITY IMAP4rev1 X-INSIDE");
      tls_talk_send (self, "%t OK fine");
      g_free (command);
    }
}

/* Everything is taken here: the client's own certificate is the test's business. */
static gboolean
accept_any (GTlsConnection *connection, GTlsCertificate *certificate, GTlsCertificateFlags faults,
            gpointer data)
{
  return TRUE;
}

static void
talk_in_clear (TlsPeer *self, GIOStream *stream)
{
  TlsTalk talk = { 0 };

  talk_init (&talk, stream, NULL);
  for (guint i = 0; self->in_clear != NULL && self->in_clear[i] != NULL; i++)
    {
      if (i > 0)
        g_free (tls_talk_read_command (&talk));
      tls_talk_send (&talk, self->in_clear[i]);
    }
  talk_clear (&talk);
}

static void
talk_in_tls (TlsPeer *self, GIOStream *base)
{
  g_autoptr (GIOStream) stream = g_tls_server_connection_new (base, self->certificate, NULL);
  TlsTalk talk = { 0 };

  g_signal_connect (stream, "accept-certificate", G_CALLBACK (accept_any), NULL);
  if (self->asks_certificate)
    g_object_set (stream, "authentication-mode", G_TLS_AUTHENTICATION_REQUESTED, NULL);
  if (!g_tls_connection_handshake (G_TLS_CONNECTION (stream), NULL, NULL))
    return;
  talk_init (&talk, stream, self->log);
  self->talk (&talk, self->user_data);
  talk_clear (&talk);
  g_io_stream_close (stream, NULL, NULL);
}

static gpointer
run (gpointer data)
{
  TlsPeer *self = data;
  g_autoptr (GSocketConnection) connection =
      g_socket_listener_accept (self->listener, NULL, self->stopping, NULL);

  if (connection == NULL)
    return NULL;
  talk_in_clear (self, G_IO_STREAM (connection));
  talk_in_tls (self, G_IO_STREAM (connection));
  g_io_stream_close (G_IO_STREAM (connection), NULL, NULL);
  return NULL;
}

TlsPeer *
tls_peer_new (GTlsCertificate *certificate, const char *const *in_clear, TlsPeerFunc talk,
              gpointer user_data)
{
  TlsPeer *self = g_new0 (TlsPeer, 1);
  g_autoptr (GInetAddress) loopback = g_inet_address_new_loopback (G_SOCKET_FAMILY_IPV4);
  g_autoptr (GSocketAddress) address = g_inet_socket_address_new (loopback, 0);
  g_autoptr (GSocketAddress) effective = NULL;

  self->listener = g_socket_listener_new ();
  self->stopping = g_cancellable_new ();
  self->certificate = g_object_ref (certificate);
  self->in_clear = in_clear;
  self->talk = talk;
  self->user_data = user_data;
  self->log = g_string_new (NULL);
  g_assert_true (g_socket_listener_add_address (self->listener, address, G_SOCKET_TYPE_STREAM,
                                                G_SOCKET_PROTOCOL_TCP, NULL, &effective, NULL));
  self->port = g_inet_socket_address_get_port (G_INET_SOCKET_ADDRESS (effective));
  self->thread = g_thread_new ("tls-peer", run, self);
  return self;
}

guint
tls_peer_get_port (TlsPeer *self)
{
  return self->port;
}

void
tls_peer_ask_certificate (TlsPeer *self)
{
  self->asks_certificate = TRUE;
}

char *
tls_peer_free (TlsPeer *self)
{
  char *log;

  g_cancellable_cancel (self->stopping);
  g_thread_join (self->thread);
  g_object_unref (self->listener);
  g_object_unref (self->stopping);
  g_object_unref (self->certificate);
  log = g_string_free (self->log, FALSE);
  g_free (self);
  return log;
}
