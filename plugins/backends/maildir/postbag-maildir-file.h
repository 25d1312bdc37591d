/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>
#include <sys/stat.h>

G_BEGIN_DECLS

/* Files and folders beneath the root, opened by descriptor and never through a link: what stands in
 * a mail folder is somebody else's choice. */

/* Closes @fd unless it is -1, and keeps errno. */
void postbag_maildir_close (int fd);

/* A regular file for reading, -1 with errno (ELOOP for a link, EINVAL for a FIFO, folder, ...). */
int postbag_maildir_open_file (int folder, const char *name, struct stat *facts);
/* A folder, -1 with errno. */
int postbag_maildir_open_folder (int parent, const char *name);
/* A folder some levels below @root; @path "" is the root itself (a new descriptor). */
int postbag_maildir_open_folder_below (int root, const char *path);

/* At most @max first bytes. (transfer full) (nullable): %NULL with errno */
GBytes *postbag_maildir_read_start (int fd, gsize max, gint64 expected);
/* (transfer full) (nullable): the text of a small file, without NUL bytes in it; %NULL when it is
 * missing, larger than @max or unreadable */
char *postbag_maildir_read_small_file (int folder, const char *name, gsize max);

G_END_DECLS
