/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-maildir-flags.h"

G_BEGIN_DECLS

/* The file operations that changes are made of. Each is one step that other programs see whole or
 * not at all, and none replaces a file that is there. Descriptors are folders; failures set errno
 * and return -1 or %FALSE. */

/* (transfer full): a base name that nobody else gives (https://cr.yp.to/proto/maildir.html), later
 * than all this process gave before. */
char *postbag_maildir_make_base (void);

/**
 * postbag_maildir_change_name:
 * @name: a file name
 * @in_new: it stands in `new`, where it cannot be read yet
 * @add, @remove: flags
 * @add_letters, @remove_letters: keywords, bit 0 is the letter a
 *
 * Letters that mean nothing to us stay.
 *
 * Returns: (transfer full): its name in `cur` afterwards
 */
char *postbag_maildir_change_name (const char *name, gboolean in_new, PostbagFlags add,
                                   PostbagFlags remove, guint32 add_letters,
                                   guint32 remove_letters);

/* EEXIST where @new_name is taken. */
gboolean postbag_maildir_rename (int folder, const char *name, int new_folder,
                                 const char *new_name);
/* @flags: of unlinkat(). ENOENT where somebody else was first. */
gboolean postbag_maildir_remove (int folder, const char *name, int flags);
/* Another name for the same file, which stays. */
gboolean postbag_maildir_link (int folder, const char *name, int new_folder, const char *new_name);

/* A source of bytes: how many were written to @buffer, 0 at the end, -1 with errno. */
typedef gssize (*PostbagMaildirReadFunc) (gpointer source, guint8 *buffer, gsize size);

/**
 * postbag_maildir_deliver:
 * @mailbox: the folder that holds tmp and cur
 * @current: its cur
 * @name: in cur
 * @modified: (nullable): what the file's time becomes
 *
 * Writes into tmp, makes sure that it is on the disk, and only then gives it its name in cur.
 */
gboolean postbag_maildir_deliver (int mailbox, int current, const char *name,
                                  PostbagMaildirReadFunc read, gpointer source,
                                  const struct timespec *modified);

/* What was renamed or removed in @folder is on the disk. */
gboolean postbag_maildir_sync (int folder);

G_END_DECLS
