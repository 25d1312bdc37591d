/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-clock.h"
#include "mcp/postbag-surface-private.h"
#include "mcp/postbag-transport.h"
#include "safety/postbag-seal.h"

G_BEGIN_DECLS

/* The protocol engine of the process: sessions, the pool of call threads, revisions. */

typedef struct
{
  PostbagSurface *surface;
  PostbagClock *clock;
  PostbagSeal *seal;
  guint max_threads;         /* 0: POSTBAG_LIMIT_CALL_THREADS */
  gboolean validate_results; /* against outputSchema; always in tests */
  gboolean require_person;   /* refuse effects when the client cannot ask */
} PostbagServerOptions;

#define POSTBAG_TYPE_SERVER (postbag_server_get_type ())
POSTBAG_API G_DECLARE_FINAL_TYPE (PostbagServer, postbag_server, POSTBAG, SERVER, GObject)

POSTBAG_API PostbagServer *postbag_server_new (const PostbagServerOptions *options);
/* Starts @transport; postbag_server_run() waits for each one started. Its stop() is called when the
 * server shuts down. */
POSTBAG_API gboolean postbag_server_start_transport (
    PostbagServer *self, const PostbagTransportImplementation *transport, GError **error);
/* (transfer none): what a transport plugin's start() gets */
POSTBAG_API PostbagTransportHost *postbag_server_get_transport_host (PostbagServer *self);
/* Runs the main loop until every started transport is finished; returns the exit status. (A
 * transport started by hand with the host above counts as one.) */
POSTBAG_API int postbag_server_run (PostbagServer *self);
/**
 * postbag_server_shut_down:
 *
 * Stops transports, cancels calls, joins the threads.
 *
 * Returns: %FALSE when a handler did not heed its cancellation within
 *   POSTBAG_LIMIT_SHUT_DOWN_SECONDS: it still runs, so the process should leave by _exit() without
 *   freeing what handlers use
 */
POSTBAG_API gboolean postbag_server_shut_down (PostbagServer *self);

/**
 * postbag_server_call_tool:
 * @arguments: (nullable): JSON text of the arguments object
 *
 * One tool call without a client, for `postbag call`: the same path as a client's (mending,
 * validation, pool, result). Blocks.
 *
 * Returns: (transfer full) (nullable): the CallToolResult as JSON (2025-11-25), or %NULL with
 *   @error for what a client would get as a protocol error. Follow with postbag_server_tell().
 */
POSTBAG_API GBytes *postbag_server_call_tool (PostbagServer *self, const char *tool,
                                              GBytes *arguments, gboolean *is_error,
                                              GError **error);
/* Whether the answer of the last postbag_server_call_tool() came to whom it is for. */
POSTBAG_API void postbag_server_tell (PostbagServer *self, gboolean was_told);
/* (transfer full): the ListToolsResult as JSON (2025-11-25) */
POSTBAG_API GBytes *postbag_server_list_tools (PostbagServer *self);

G_END_DECLS
