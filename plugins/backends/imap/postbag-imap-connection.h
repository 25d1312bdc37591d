/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "postbag-imap-features.h"
#include "postbag-imap-framer.h"
#include "postbag-imap-request.h"

G_BEGIN_DECLS

/**
 * PostbagImapConnection:
 *
 * A logged-in connection. Requests are submitted from any thread; everything else happens on the
 * I/O thread: they are written in one piece and in order, many before the first is answered, and
 * what comes back is handed to whoever wanted it.
 */
typedef struct _PostbagImapConnection PostbagImapConnection;

/* Milliseconds; tests make them short. */
typedef struct
{
  guint connect;
  guint silence;
  guint request;
  guint idle;
} PostbagImapTimes;

extern const PostbagImapTimes postbag_imap_times;

/* Told once, on the I/O thread, that the connection takes no more requests. */
typedef void (*PostbagImapClosedFunc) (PostbagImapConnection *connection, gpointer user_data);

/**
 * postbag_imap_connection_new:
 * @stream: ready for commands; its two halves must be pollable
 * @framer: (transfer full): with what was read of it so far
 * @rest: (nullable): bytes already read and not yet framed
 * @place: `host:port`, for errors
 */
PostbagImapConnection *
postbag_imap_connection_new (GIOStream *stream, PostbagImapFramer *framer, GBytes *rest,
                             const PostbagImapFeatures *features, const PostbagImapTimes *times,
                             const char *place, PostbagImapClosedFunc closed, gpointer user_data);
PostbagImapConnection *postbag_imap_connection_ref (PostbagImapConnection *self);
void postbag_imap_connection_unref (PostbagImapConnection *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagImapConnection, postbag_imap_connection_unref)

void postbag_imap_connection_submit (PostbagImapConnection *self, PostbagImapRequest *request);
/* Says LOGOUT if it can and closes; what is under way fails. */
void postbag_imap_connection_close (PostbagImapConnection *self);

/* Requests under way. Any thread. */
guint postbag_imap_connection_get_load (PostbagImapConnection *self);

G_END_DECLS
