/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-imap-hints.h"
#include "postbag-imap-idle.h"
#include "postbag-imap-pool.h"
#include "postbag-imap-store.h"

G_BEGIN_DECLS

typedef struct _PostbagImapWatcher PostbagImapWatcher;
typedef struct _PostbagImapWriter PostbagImapWriter;

typedef struct
{
  PostbagImapPool *pool;
  gboolean may_store;                /* flags */
  PostbagImapWatchTimes watch_times; /* tests change it before the first watch */
  PostbagImapWatcher *watcher;
  PostbagImapHints *hints;
  guint refused_features; /* atomic: PostbagImapFeature that were announced, and refused */
  PostbagImapTimes times;
  PostbagImapWriter *writer;

  GMutex lock;           /* for what follows */
  GHashTable *raw_names; /* char * -> char *: names the server writes in a way of its own */
  GHashTable *changed;   /* char * -> gint64 *: mailboxes we changed, and when */
  char **charsets;       /* (nullable): the server takes no UTF-8 in searches, but maybe these */
  char **prefixes;       /* (nullable): see postbag-imap-store-mailboxes.c */
  GHashTable *counts;    /* char * -> guint: messages when a mailbox was last looked at */
} PostbagImapStore;

/* @times: (nullable): for tests. Freed by the implementation's close. */
PostbagImapStore *postbag_imap_store_new (const PostbagAccount *account,
                                          const PostbagImapTimes *times);
/* A request about @mailbox (nullable). */
PostbagImapRequest *postbag_imap_store_create_request (PostbagImapStore *self, const char *mailbox,
                                                       guint wanted);
/* @mailbox was changed by us: until servers show that to other connections without being told, it
 * is selected anew there. */
void postbag_imap_store_note_change (PostbagImapStore *self, const char *mailbox);
/* Its name, in the server's own writing where that differs from ours. */
void postbag_imap_store_add_mailbox (PostbagImapStore *self, PostbagImapCommand *command,
                                     const char *mailbox, gboolean utf8);
/* Messages in @mailbox when it was last looked at, -1 when it was not. */
gint64 postbag_imap_store_recall_count (PostbagImapStore *self, const char *mailbox);
void postbag_imap_store_remember_count (PostbagImapStore *self, const char *mailbox, gint64 count);
/* Whether the server refused anything of a request that has run: an error. */
gboolean postbag_imap_store_check (PostbagImapStore *self, const PostbagImapRequest *request,
                                   GError **error);
/* Runs it; refusals become errors. */
gboolean postbag_imap_store_run (PostbagImapStore *self, PostbagImapRequest *request,
                                 GCancellable *cancellable, GError **error);
/* The error for a refusal: @subject: e.g. the mailbox. Always %FALSE. */
gboolean postbag_imap_store_fail_refused (PostbagImapStore *self, const PostbagImapRequest *request,
                                          const PostbagImapStatus *status, GError **error);

/* --- postbag-imap-store-mailboxes.c --- */
GPtrArray *postbag_imap_store_list_mailboxes (gpointer self, gboolean with_status, gint64 *total,
                                              GCancellable *cancellable, GError **error);
PostbagMailboxState *postbag_imap_store_get_state (gpointer self, const char *mailbox,
                                                   GCancellable *cancellable, GError **error);

/* --- postbag-imap-store-search.c --- */
PostbagSearchPage *postbag_imap_store_search (gpointer self, const char *mailbox,
                                              const PostbagSearch *search, const PostbagPage *page,
                                              GCancellable *cancellable, GError **error);

/* --- postbag-imap-store-message.c --- */
PostbagFetchedMessage *postbag_imap_store_fetch_message (gpointer self, const char *mailbox,
                                                         guint32 uid, gsize max_source,
                                                         GCancellable *cancellable, GError **error);
PostbagPart *postbag_imap_store_fetch_structure (gpointer self, const char *mailbox, guint32 uid,
                                                 GCancellable *cancellable, GError **error);
gboolean postbag_imap_store_fetch_content (gpointer self, const char *mailbox, guint32 uid,
                                           const char *number, gboolean *is_decoded,
                                           PostbagSinkFunc sink, gpointer user_data,
                                           GCancellable *cancellable, GError **error);
gboolean postbag_imap_store_fetch_part (gpointer self, const char *mailbox, guint32 uid,
                                        const char *number, PostbagSinkFunc sink,
                                        gpointer user_data, GCancellable *cancellable,
                                        GError **error);

G_END_DECLS
