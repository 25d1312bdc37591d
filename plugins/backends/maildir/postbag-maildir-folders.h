/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Which mailboxes a root holds. Two layouts, side by side: Maildir++ (`.Sub.Folder`) and plain
 * nested folders (`Sub/Folder`, as mbsync and Dovecot's LAYOUT=fs write them). A mailbox is what
 * has a `cur` in it. A path from outside is only ever looked up here, never turned into a file
 * name. */

typedef struct
{
  char *path;              /* as callers know it: UTF-8, `/` between levels */
  char *directory;         /* below the root, bytes as on disk; "" is the root */
  const char *special_use; /* (nullable) */
  gboolean subscribed;
} PostbagMaildirFolder;

typedef struct
{
  GPtrArray *list;     /* PostbagMaildirFolder: INBOX first, then by path */
  GHashTable *by_path; /* path -> PostbagMaildirFolder */
} PostbagMaildirFolders;

PostbagMaildirFolders *postbag_maildir_folders_scan (int root, GCancellable *cancellable,
                                                     GError **error);
void postbag_maildir_folders_free (PostbagMaildirFolders *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMaildirFolders, postbag_maildir_folders_free)

/* (transfer none) (nullable): "INBOX" in any case, everything else exactly */
const PostbagMaildirFolder *postbag_maildir_folders_find (PostbagMaildirFolders *self,
                                                          const char *path);

/* (transfer full): the path of one directory name: modified UTF-7 or UTF-8; never with `/`, control
 * characters or ill-formed bytes in it */
char *postbag_maildir_decode_component (const char *name, gsize length);

G_END_DECLS
