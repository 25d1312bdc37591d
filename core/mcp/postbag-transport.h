/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* How a client reaches the server. A transport frames bytes; everything else is the session's. */

typedef struct _PostbagSession PostbagSession;
typedef struct _PostbagTransportHost PostbagTransportHost;

/**
 * PostbagSendFunc:
 * @message: one JSON-RPC message, compact, without line end
 *
 * Called on the main thread, one message at a time, in the order in which they are to leave. The
 * transport queues what it cannot write yet and tells the session its queue's size through
 * postbag_session_set_queued().
 */
typedef void (*PostbagSendFunc) (GBytes *message, gpointer user_data);

/**
 * postbag_transport_host_open_session:
 * @principal: who is at the other end, "local" on stdio
 *
 * Main thread only, like everything here.
 *
 * Returns: (transfer full): close with postbag_session_close()
 */
POSTBAG_API PostbagSession *postbag_transport_host_open_session (PostbagTransportHost *host,
                                                                 const char *principal,
                                                                 PostbagSendFunc send,
                                                                 gpointer user_data);
/* One framed message as it came. Never blocks; answers come through the send function. */
POSTBAG_API void postbag_session_receive (PostbagSession *self, const char *bytes, gsize length);
/* A message longer than POSTBAG_LIMIT_LINE_BYTES was skipped by the transport. */
POSTBAG_API void postbag_session_receive_oversized (PostbagSession *self);
/* Bytes that could not be written yet, line ends and the like included; what will never be written
 * stays among them. When they leave, the calls that wait for that are told. Beyond
 * POSTBAG_LIMIT_OUTPUT_QUEUE_BYTES no further call is started until the client reads again. */
POSTBAG_API void postbag_session_set_queued (PostbagSession *self, gsize bytes);
/* Whether the transport should go on reading: not while its output queue is over the limit. */
POSTBAG_API gboolean postbag_session_wants_input (PostbagSession *self);
/* Nothing more will be received. Calls that wait for a person's answer end without it; the others
 * go on, see postbag_session_get_running(). */
POSTBAG_API void postbag_session_end_input (PostbagSession *self);
/* Cancels what runs; nothing is sent afterwards. Frees the session. */
POSTBAG_API void postbag_session_close (PostbagSession *self);
/* Calls still running; a transport whose input ended may let short ones finish first. */
POSTBAG_API guint postbag_session_get_running (PostbagSession *self);

/* The transport is done (its client left): the program ends when every transport is. @status: exit
 * code wish, 0 for an ordinary end. */
POSTBAG_API void postbag_transport_host_finished (PostbagTransportHost *host, int status);

typedef struct
{
  guint32 size;
  /* Main thread: sets up its sources on the default main context and returns. */
  gboolean (*start) (PostbagTransportHost *host, GError **error);
  /* (nullable): the program ends; close sessions, drop sources. */
  void (*stop) (void);
} PostbagTransportImplementation;

G_END_DECLS
