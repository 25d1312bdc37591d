/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mcp/postbag-catalog-private.h"
#include "mcp/postbag-session-private.h"
#include "mcp/postbag-throttle-private.h"

G_BEGIN_DECLS

/* One resource that a session watches: begun on a worker, kept on the main thread for as long as
 * the legacy subscription or a listen wants it. */

typedef struct
{
  PostbagSession *session; /* not owned */
  const PostbagResourceRow *row;
  PostbagResourceUri *uri;
  PostbagSubscription *subscription;
  gpointer handle; /* (nullable): the module's, while it watches */
  PostbagThrottle throttle;
  gboolean is_legacy;  /* resources/subscribe wants it */
  GPtrArray *listens;  /* PostbagCall, not owned: subscriptions/listen that want it */
  gboolean was_missed; /* something changed before anybody was told of the watch */
} PostbagWatch;

/* @uri: (transfer full) */
POSTBAG_API PostbagWatch *postbag_watch_new (PostbagSession *session, const PostbagResourceRow *row,
                                             PostbagResourceUri *uri);
/* Ends it: main thread. */
POSTBAG_API void postbag_watch_free (PostbagWatch *self);
/* Worker thread. */
POSTBAG_API gboolean postbag_watch_start (PostbagWatch *self, PostbagCall *call, GError **error);

/* (transfer full) @self: takes part in its session; returns the one that does: that of the same
 * URI, if there is one already. */
POSTBAG_API PostbagWatch *postbag_watch_adopt (PostbagWatch *self);
/* Ends it when nobody wants it any more. */
POSTBAG_API void postbag_watch_release (PostbagWatch *self);

G_END_DECLS
