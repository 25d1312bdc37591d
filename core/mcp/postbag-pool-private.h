/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* The bounded pool of threads that run tool handlers. It is ours, not GTask's: TLS handshakes and
 * name look-ups of GIO need that one, and a handler that waits for them there would wait forever.
 * No thread exists before the first call. */

typedef struct _PostbagPool PostbagPool;

typedef void (*PostbagPoolFunc) (gpointer job);

POSTBAG_API PostbagPool *postbag_pool_new (guint max_threads, PostbagPoolFunc run);
/**
 * postbag_pool_push:
 * @group: what the job may have to wait for
 *
 * Any thread. First in, first out; but while most threads run jobs, one whose group has some
 * running lets those of other groups pass.
 */
POSTBAG_API void postbag_pool_push (PostbagPool *self, gpointer job, const char *group);
/* Jobs waiting or running. Any thread. */
POSTBAG_API guint postbag_pool_get_active (PostbagPool *self);
/**
 * postbag_pool_shut_down:
 *
 * Waits for the jobs, at most @wait_us; then ends the threads and frees the pool.
 *
 * Returns: %FALSE when a job was still running; the pool is left to it then, and never freed
 */
POSTBAG_API gboolean postbag_pool_shut_down (PostbagPool *self, gint64 wait_us);

G_END_DECLS
