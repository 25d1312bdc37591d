/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-maildir-scan.h"

G_BEGIN_DECLS

/* Base name -> UID, for every mailbox of one account, in one SQLite file that several processes
 * share. UIDs grow in order of arrival and are never reused; UIDVALIDITY is made once a mailbox.
 * Where the file cannot be kept, the map lives in memory under a fresh UIDVALIDITY and says so. */

typedef struct _PostbagMaildirUidMap PostbagMaildirUidMap;

/* @state_dir: (nullable): where the file is kept */
PostbagMaildirUidMap *postbag_maildir_uid_map_open (const char *state_dir);
void postbag_maildir_uid_map_free (PostbagMaildirUidMap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMaildirUidMap, postbag_maildir_uid_map_free)

/* Whether UIDs outlive the process. */
gboolean postbag_maildir_uid_map_is_lasting (PostbagMaildirUidMap *self);
/* (transfer full) (nullable): what a caller has to know, one sentence */
char *postbag_maildir_uid_map_dup_warning (PostbagMaildirUidMap *self);

/* What one mailbox is known by; all zero: nothing known yet. */
typedef struct
{
  guint generation; /* of the map's file: grows when another one takes its place */
  gint64 id;
  guint32 uid_validity;
  guint32 uid_next;
} PostbagMaildirIdentity;

/* Whether nobody gave a UID in this mailbox since @known was taken. Cheap. */
gboolean postbag_maildir_uid_map_is_current (PostbagMaildirUidMap *self,
                                             const PostbagMaildirIdentity *known);

/**
 * postbag_maildir_uid_map_assign:
 * @key: what the mailbox is known by
 * @mailbox: the same, open: for the arrival time of files whose name does not tell
 * @known: (inout): what the UIDs already set in @scan belong to
 *
 * Gives every entry of @scan its UID.
 */
gboolean postbag_maildir_uid_map_assign (PostbagMaildirUidMap *self, const char *key,
                                         const PostbagMaildirOpen *mailbox,
                                         PostbagMaildirIdentity *known, PostbagMaildirScan *scan,
                                         GError **error);

/* The mailbox, with all its UIDs, is known by @new_key from now on; what @new_key knew is dropped.
 * @new_key: (nullable): %NULL: the mailbox is gone, and another one of its name is another one */
void postbag_maildir_uid_map_rename (PostbagMaildirUidMap *self, const char *key,
                                     const char *new_key);

G_END_DECLS
