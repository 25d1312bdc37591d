/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-maildir-folders.h"
#include "postbag-maildir-header-cache.h"
#include "postbag-maildir-snapshot.h"
#include "postbag-maildir-watch.h"

#include "base/postbag-error.h"
#include "mail/postbag-store.h"

#include <sys/stat.h>

G_BEGIN_DECLS

/* The store of one Maildir account. */
typedef struct
{
  char *root;      /* as configured */
  char *real_root; /* the same without links, as it was when the store was opened */
  char *account;
  PostbagMaildirUidMap *map;
  PostbagMaildirKeywords *keywords;
  PostbagMaildirHeaderCache *cache;
  PostbagMaildirWatcher *watcher;

  GMutex lock;
  PostbagMaildirFolders *folders; /* with lock; (nullable): as last scanned */
  GHashTable *mailboxes;          /* with lock; directory -> PostbagMaildirMailbox */
} PostbagMaildirStore;

extern const PostbagStoreImplementation postbag_maildir_store_implementation;

/* --- one call's view of one mailbox --- */

typedef struct
{
  PostbagMaildirStore *store;
  PostbagMaildirMailbox *mailbox;
  char *path;
  PostbagMaildirOpen folder;
  PostbagMaildirSnapshot *snapshot; /* the newest that this call has seen */
  guint n_vanished;                 /* messages whose file was not found in this call */
  GCancellable *cancellable;
} PostbagMaildirAccess;

/* (transfer full) (nullable): the root, open; -1 with @error */
int postbag_maildir_store_open_root (PostbagMaildirStore *self, GError **error);
/* Looks the folders up anew and remembers them; @root is open. */
gboolean postbag_maildir_store_rescan (PostbagMaildirStore *self, int root,
                                       GCancellable *cancellable, GError **error);

/* %FALSE with @error (of @code) when a scan found no folder: the root is hardly a Maildir. */
gboolean postbag_maildir_store_check_folders (PostbagMaildirStore *self, PostbagErrorCode code,
                                              GError **error);

PostbagMaildirAccess *postbag_maildir_access_new (PostbagMaildirStore *store, const char *path,
                                                  GCancellable *cancellable, GError **error);
void postbag_maildir_access_free (PostbagMaildirAccess *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMaildirAccess, postbag_maildir_access_free)

gboolean postbag_maildir_access_refresh (PostbagMaildirAccess *self, GError **error);
/* The message's file, -1 with @error (POSTBAG_ERROR_NOT_FOUND: gone). A file that was renamed since
 * the listing is found again by its base name. */
int postbag_maildir_access_open_message (PostbagMaildirAccess *self, guint32 uid,
                                         struct stat *facts, GError **error);

/* Whether @error is about the one message: the others can still be listed. */
gboolean postbag_maildir_is_about_message (const GError *error);

/* Fills in what the cache did not know of @items, for a listing: whether there are attachments is
 * then known. An unreadable message gives headers without values; one that is gone gives none. */
gboolean postbag_maildir_access_fill (PostbagMaildirAccess *self, GArray *items, GError **error);
/* The same, headers only: enough for a search. */
gboolean postbag_maildir_access_fill_headers (PostbagMaildirAccess *self, GArray *items,
                                              GError **error);

PostbagSearchPage *postbag_maildir_search (gpointer self, const char *mailbox,
                                           const PostbagSearch *search, const PostbagPage *page,
                                           GCancellable *cancellable, GError **error);
PostbagFetchedMessage *postbag_maildir_fetch_message (gpointer self, const char *mailbox,
                                                      guint32 uid, gsize max_source,
                                                      GCancellable *cancellable, GError **error);
PostbagPart *postbag_maildir_fetch_structure (gpointer self, const char *mailbox, guint32 uid,
                                              GCancellable *cancellable, GError **error);
gboolean postbag_maildir_fetch_part (gpointer self, const char *mailbox, guint32 uid,
                                     const char *number, PostbagSinkFunc sink, gpointer user_data,
                                     GCancellable *cancellable, GError **error);

/* Changes: see postbag-maildir-apply.c. */
PostbagEffectReport *postbag_maildir_apply (gpointer self, const PostbagEffect *effect,
                                            GCancellable *cancellable, GError **error);

G_END_DECLS
