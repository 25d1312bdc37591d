/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <sqlite3.h>

G_BEGIN_DECLS

/* What both files in the state folder need of SQLite: the map of UIDs and the cache of headers. */

G_DEFINE_AUTOPTR_CLEANUP_FUNC (sqlite3_stmt, sqlite3_finalize)

/* Returned by postbag_maildir_database_open() for a file that a newer Postbag wrote. */
#define POSTBAG_MAILDIR_DATABASE_NEWER 1001

/**
 * postbag_maildir_database_open:
 * @path: (nullable): %NULL: in memory
 * @schema: makes the tables of a new file
 * @version: its user_version
 * @lasting: what was committed survives a power cut
 *
 * Returns: SQLITE_OK or a code
 */
int postbag_maildir_database_open (const char *path, const char *schema, int version,
                                   gboolean lasting, sqlite3 **database);

int postbag_maildir_database_run (sqlite3 *database, const char *sql);
/* (nullable): %NULL with @code set */
sqlite3_stmt *postbag_maildir_database_prepare (sqlite3 *database, const char *sql, int *code);

/* The file is not what it should be: another one has to take its place. */
gboolean postbag_maildir_database_is_damage (int code);
/* The file cannot be written now: full disk, permissions, I/O errors. */
gboolean postbag_maildir_database_is_unwritable (int code);
/* Renames a damaged file (to NAME.damaged), so that a new one can be made. */
void postbag_maildir_database_set_aside (const char *path);

G_END_DECLS
