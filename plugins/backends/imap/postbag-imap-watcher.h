/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-store.h"
#include "postbag-imap-idle.h"
#include "postbag-imap-store-private.h"

G_BEGIN_DECLS

extern const PostbagImapWatchTimes postbag_imap_watch_times;

/**
 * PostbagImapWatcher:
 *
 * The mailboxes of one account that somebody wants to hear about, each with a thread: a connection
 * of its own that waits with IDLE, or STATUS now and then over the pool where the server has no
 * IDLE, gives no further connection, or breaks them all the time.
 */

/* @store must outlive it; @times: (transfer none): must outlive it, too */
PostbagImapWatcher *postbag_imap_watcher_new (PostbagImapStore *store,
                                              const PostbagImapWatchTimes *times);
/* Ends all watches and waits for it. Not to be called by who is just being told. */
void postbag_imap_watcher_free (PostbagImapWatcher *self);

/* Starts without waiting for the server. Returns 0 with an error when there are too many. */
guint postbag_imap_watcher_add (PostbagImapWatcher *self, const char *mailbox,
                                PostbagChangeFunc changed, gpointer user_data, GError **error);
/* Nobody is told any more once it has returned. */
void postbag_imap_watcher_remove (PostbagImapWatcher *self, guint id);

G_END_DECLS
