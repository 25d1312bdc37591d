/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "postbag-imap-command.h"
#include "postbag-imap-features.h"
#include "postbag-imap-framer.h"
#include "postbag-imap-reply.h"

G_BEGIN_DECLS

/**
 * PostbagImapWire:
 *
 * A connection before it is ready: greeting, STARTTLS, login. Straight blocking code on the thread
 * of whoever connects, one command at a time; the cancellable carries the deadline.
 */
typedef struct
{
  GIOStream *stream;
  PostbagImapFramer *framer;
  GByteArray *input; /* read, and not yet framed */
  guint next_tag;
  char *place; /* `host:port` */
  GCancellable *cancellable;
  char **capabilities; /* (nullable): the last that were announced */
  gboolean utf8;       /* ENABLED said so */
  gboolean has_greeted;
  char *challenge; /* (nullable): of the last continuation, whole; %NULL: not readable */
} PostbagImapWire;

PostbagImapWire *postbag_imap_wire_new (GIOStream *stream, const char *place,
                                        GCancellable *cancellable);
void postbag_imap_wire_free (PostbagImapWire *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagImapWire, postbag_imap_wire_free)

/* (transfer full) (nullable): the next reply */
PostbagImapReply *postbag_imap_wire_read (PostbagImapWire *self, GError **error);
gboolean postbag_imap_wire_write (PostbagImapWire *self, const char *bytes, gsize length,
                                  GError **error);

/* Sends @command, takes notice of capabilities, and returns the tagged status: (transfer full)
 * (nullable): %NULL when the connection is of no use any more */
PostbagImapStatus *postbag_imap_wire_run (PostbagImapWire *self, PostbagImapCommand *command,
                                          GError **error);

/* The same for AUTHENTICATE. @respond gets each challenge, decoded, and returns the answer
 * (transfer full), which is overwritten when it was sent; or %NULL with an error, which cancels and
 * is the result, whatever the server says to that. A challenge that is not base64, or longer than a
 * line may be, is %POSTBAG_ERROR_BAD_DATA. @initial: (nullable): sent at once. */
typedef GBytes *(*PostbagImapRespondFunc) (GBytes *challenge, gpointer user_data, GError **error);
PostbagImapStatus *postbag_imap_wire_authenticate (PostbagImapWire *self, const char *mechanism,
                                                   GBytes *initial, gboolean in_one,
                                                   PostbagImapRespondFunc respond,
                                                   gpointer user_data, GError **error);

/* Reads the greeting: capabilities in it are taken. (transfer full) (nullable) */
PostbagImapStatus *postbag_imap_wire_read_greeting (PostbagImapWire *self, GError **error);

/* What was announced; asks when nothing was. (transfer full) (nullable) */
PostbagImapFeatures *postbag_imap_wire_get_features (PostbagImapWire *self, GError **error);

/* Another stream, e.g. TLS over the old one: everything that was heard is forgotten. %FALSE when
 * bytes came that nobody asked for. */
gboolean postbag_imap_wire_switch (PostbagImapWire *self, GIOStream *stream, GError **error);

G_END_DECLS
