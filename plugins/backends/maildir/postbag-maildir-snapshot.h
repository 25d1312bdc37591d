/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-maildir-keywords.h"
#include "postbag-maildir-scan.h"
#include "postbag-maildir-uid-map.h"

G_BEGIN_DECLS

/* One mailbox at one moment: its messages by UID. Immutable and shared between threads. */
typedef struct
{
  gatomicrefcount references;
  PostbagMaildirScan *scan; /* entries sorted by UID */
  PostbagMaildirIdentity identity;
  char **keywords;                                    /* names of the letters */
  char *own_keywords[POSTBAG_MAILDIR_N_OWN_KEYWORDS]; /* names of the bits in `own` */
  gint64 own_version;
  gint64 unseen;
  gboolean settled; /* later changes show in the stamps */
} PostbagMaildirSnapshot;

PostbagMaildirSnapshot *postbag_maildir_snapshot_ref (PostbagMaildirSnapshot *self);
void postbag_maildir_snapshot_unref (PostbagMaildirSnapshot *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMaildirSnapshot, postbag_maildir_snapshot_unref)

/* (transfer none) (nullable) */
const PostbagMaildirEntry *postbag_maildir_snapshot_find (const PostbagMaildirSnapshot *self,
                                                          guint32 uid);

/* (transfer full) (array zero-terminated=1): the keywords of @entry, Dovecot's and ours */
char **postbag_maildir_snapshot_name_keywords (const PostbagMaildirSnapshot *self,
                                               const PostbagMaildirEntry *entry);
/* Without regard to case. */
gboolean postbag_maildir_snapshot_has_keyword (const PostbagMaildirSnapshot *self,
                                               const PostbagMaildirEntry *entry,
                                               const char *keyword);

/* --- the mailbox through time --- */

typedef struct
{
  gatomicrefcount references;
  char *directory;     /* below the root */
  char *key;           /* what its UIDs are known by: the whole path, since one account may be given
                        * another Maildir */
  GMutex refresh_lock; /* held while the folder is read: a second caller needs the same listing */
  GMutex lock;
  PostbagMaildirSnapshot *snapshot; /* with lock; (nullable) */
  gint64 last_used;                 /* with the store's lock */
} PostbagMaildirMailbox;

/* @root: absolute, without links */
PostbagMaildirMailbox *postbag_maildir_mailbox_new (const char *root, const char *directory);
PostbagMaildirMailbox *postbag_maildir_mailbox_ref (PostbagMaildirMailbox *self);
void postbag_maildir_mailbox_unref (PostbagMaildirMailbox *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMaildirMailbox, postbag_maildir_mailbox_unref)

/**
 * postbag_maildir_mailbox_refresh:
 * @folder: the mailbox, freshly opened
 * @path: for errors
 *
 * The listing as it is now: the last one where nothing moved since, else a new one. A message that
 * was there counts as gone only when a scan that nothing disturbed does not see it.
 *
 * Returns: (transfer full) (nullable)
 */
PostbagMaildirSnapshot *
postbag_maildir_mailbox_refresh (PostbagMaildirMailbox *self, const PostbagMaildirOpen *folder,
                                 PostbagMaildirUidMap *map, PostbagMaildirKeywords *keywords,
                                 const char *path, GCancellable *cancellable, GError **error);

/* Messages in the listing that is kept, and dropping it. */
guint postbag_maildir_mailbox_count_cached (PostbagMaildirMailbox *self);
void postbag_maildir_mailbox_drop (PostbagMaildirMailbox *self);

G_END_DECLS
