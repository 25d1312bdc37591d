/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-imap-dial.h"
#include "postbag-imap-request.h"

G_BEGIN_DECLS

/**
 * PostbagImapPool:
 *
 * The warm connections of one account, each with the mailbox that is selected on it. Requests go to
 * the one with the least to do; another one is opened in the background while the others are busy.
 * A connection that breaks is replaced, and its requests are asked again, once: all of them only
 * read.
 */
typedef struct _PostbagImapPool PostbagImapPool;

/* @account must outlive the pool; @times: (nullable): for tests */
PostbagImapPool *postbag_imap_pool_new (const PostbagAccount *account,
                                        const PostbagImapTimes *times);
/* Closes all connections and waits for it; nothing may be running. */
void postbag_imap_pool_free (PostbagImapPool *self);

/* What the server can do; connects at the first call. (transfer full) (nullable) */
PostbagImapFeatures *postbag_imap_pool_get_features (PostbagImapPool *self,
                                                     GCancellable *cancellable, GError **error);

/* Runs @request to its end. %FALSE with an error when there is no answer; refusals of the server
 * are in the request. */
gboolean postbag_imap_pool_run (PostbagImapPool *self, PostbagImapRequest *request,
                                GCancellable *cancellable, GError **error);

/* The same in two halves: starts without waiting, and waits. What was started and is not wanted any
 * more is abandoned with postbag_imap_request_abandon(). */
gboolean postbag_imap_pool_start (PostbagImapPool *self, PostbagImapRequest *request,
                                  GCancellable *cancellable, GError **error);
gboolean postbag_imap_pool_finish (PostbagImapPool *self, PostbagImapRequest *request,
                                   GCancellable *cancellable, GError **error);

/* Connects afresh, telling each step that worked, and leaves again. */
gboolean postbag_imap_pool_diagnose (PostbagImapPool *self, PostbagStepFunc told,
                                     gpointer user_data, GCancellable *cancellable, GError **error);

/* A connection of the caller's own, ready for commands, that the pool knows nothing of. */
PostbagImapWire *postbag_imap_pool_dial (PostbagImapPool *self, GCancellable *cancellable,
                                         GError **error);

/* The same; where the server allows no more connections than there are, waiting ones are closed for
 * it: those of the pool, unless something runs on them, and those that others give back. @alone:
 * (inout): whether the caller has just left one; whether room had to be made. */
PostbagImapWire *postbag_imap_pool_dial_with_room (PostbagImapPool *self, gpointer user_data,
                                                   gboolean *alone, GCancellable *cancellable,
                                                   GError **error);

/* Gives back connections of postbag_imap_pool_dial(), on the thread of a call that gets none: %TRUE
 * when there is room now. */
typedef gboolean (*PostbagImapYieldFunc) (gpointer user_data);
/* Before the first request; more than one is asked in turn. */
void postbag_imap_pool_add_yield (PostbagImapPool *self, PostbagImapYieldFunc yield,
                                  gpointer user_data);
/* The other way round: closes all connections and waits for it, unless one was used within
 * @milliseconds. %FALSE when one was. */
gboolean postbag_imap_pool_make_room (PostbagImapPool *self, guint milliseconds);

/* `host:port`: (transfer none) */
const char *postbag_imap_pool_get_place (PostbagImapPool *self);

/* For tests: how many connections are open. */
guint postbag_imap_pool_count (PostbagImapPool *self);

G_END_DECLS
