/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-store.h"

G_BEGIN_DECLS

/* Tells of changes in mailboxes, by inotify on one thread that exists while there is something to
 * watch for. Changes that come together are told once. */
typedef struct _PostbagMaildirWatcher PostbagMaildirWatcher;

PostbagMaildirWatcher *postbag_maildir_watcher_new (void);
void postbag_maildir_watcher_free (PostbagMaildirWatcher *self);

/* @current, @fresh: cur and new of the mailbox, open; @fresh may be -1. Returns 0 with @error. */
guint postbag_maildir_watcher_add (PostbagMaildirWatcher *self, const char *path, int current,
                                   int fresh, PostbagChangeFunc changed, gpointer user_data,
                                   GError **error);
/* After it returned, @changed is not called any more. May be called from within @changed. */
void postbag_maildir_watcher_remove (PostbagMaildirWatcher *self, guint id);

G_END_DECLS
