/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * TlsPeer:
 *
 * A server on loopback with a certificate, for one connection: a function talks.
 */
typedef struct _TlsPeer TlsPeer;

/* One connection, inside TLS. */
typedef struct
{
  GIOStream *stream;
  GDataInputStream *input;
  char *tag; /* of the last command */
  GString *log;
} TlsTalk;

typedef void (*TlsPeerFunc) (TlsTalk *talk, gpointer user_data);

/**
 * tls_peer_new:
 * @in_clear: (nullable): what is said before the handshake, e.g. a greeting that leads to STARTTLS:
 *   lines to send, each but the first after a line of the client; `%t` is its tag
 */
TlsPeer *tls_peer_new (GTlsCertificate *certificate, const char *const *in_clear, TlsPeerFunc talk,
                       gpointer user_data);
guint tls_peer_get_port (TlsPeer *self);
/* Whether the server asks for a certificate of the client, any one. Before somebody connects. */
void tls_peer_ask_certificate (TlsPeer *self);
/* Waits for its end: what the client sent inside TLS: (transfer full) */
char *tls_peer_free (TlsPeer *self);

/* (transfer full) (nullable): a line of the client */
char *tls_talk_read (TlsTalk *self);
/* (transfer full) (nullable): what is behind the tag, which is kept */
char *tls_talk_read_command (TlsTalk *self);
/* Sends @text, `%t` being the tag, and a line end. */
void tls_talk_send (TlsTalk *self, const char *text);
/* Answers what comes until the client leaves: every command is fine. */
void tls_talk_please (TlsTalk *self);

G_END_DECLS
