/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-maildir-database.h"
#include "postbag-maildir-uid-map.h"

G_BEGIN_DECLS

/* The tables of the map, and the one transaction that gives UIDs. */

#define POSTBAG_MAILDIR_UID_ROWS_VERSION 1
extern const char postbag_maildir_uid_rows_schema[];

/* What an older file may lack. */
int postbag_maildir_uid_rows_prepare (sqlite3 *database);

/* What this process knew does not fit what another one wrote: a try from nothing will. */
#define POSTBAG_MAILDIR_UID_ROWS_AGAIN 1002

/* SQLITE_OK, or why not; then @known and the UIDs in @scan may be half new, and a retry starts
 * over. */
int postbag_maildir_uid_rows_assign (sqlite3 *database, guint generation, const char *key,
                                     const PostbagMaildirOpen *mailbox,
                                     PostbagMaildirIdentity *known, PostbagMaildirScan *scan);

/* See postbag_maildir_uid_map_rename(). */
int postbag_maildir_uid_rows_rename (sqlite3 *database, const char *key, const char *new_key);

G_END_DECLS
