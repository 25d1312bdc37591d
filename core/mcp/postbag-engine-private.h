/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/postbag-clock.h"
#include "mcp/postbag-pool-private.h"
#include "mcp/postbag-server-private.h"
#include "mcp/postbag-surface-private.h"
#include "safety/postbag-seal.h"

G_BEGIN_DECLS

/* What sessions and calls share: set up once by the server, read by everybody. */

typedef struct
{
  gatomicrefcount references;
  PostbagSurface *surface;
  PostbagClock *clock;
  PostbagSeal *seal;   /* not owned; outlives the calls */
  PostbagPool *pool;   /* (nullable): %NULL once the server is shut down */
  GPtrArray *sessions; /* main thread; not owned: a session leaves it when it is closed */
  int handovers;       /* atomic: from workers to the main thread, not yet delivered */
  guint page_size;
  gboolean validate_results;
  gboolean require_person;
} PostbagEngine;

POSTBAG_API PostbagEngine *postbag_engine_ref (PostbagEngine *self);
POSTBAG_API void postbag_engine_unref (PostbagEngine *self);

/* Main thread: each session hears of it (postbag-subscriptions.c). */
POSTBAG_API void postbag_engine_tell_list_changed (PostbagEngine *self, PostbagListKind kind);

/* (transfer none) */
POSTBAG_API PostbagEngine *postbag_server_get_engine (PostbagServer *self);

G_END_DECLS
