/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-database.h"

#include <glib/gstdio.h>

/* Another Postbag writes for milliseconds; a person would not wait longer than this. */
#define BUSY_MS 5000
#define RETRY_US 2000

sqlite3_stmt *
postbag_maildir_database_prepare (sqlite3 *database, const char *sql, int *code)
{
  sqlite3_stmt *statement = NULL;

  *code = sqlite3_prepare_v2 (database, sql, -1, &statement, NULL);
  return statement;
}

int
postbag_maildir_database_run (sqlite3 *database, const char *sql)
{
  return sqlite3_exec (database, sql, NULL, NULL, NULL);
}

static int
get_version (sqlite3 *database, int *version)
{
  int code;
  g_autoptr (sqlite3_stmt) statement =
      postbag_maildir_database_prepare (database, "PRAGMA user_version", &code);

  if (statement == NULL)
    return code;
  code = sqlite3_step (statement);
  if (code != SQLITE_ROW)
    return code;
  *version = sqlite3_column_int (statement, 0);
  return SQLITE_OK;
}

/* Two processes may make the file at the same moment: the second one finds it made. */
static int
create_schema (sqlite3 *database, const char *schema, int version)
{
  g_autofree char *set_version = g_strdup_printf ("PRAGMA user_version = %d", version);
  int found = 0;
  int code = postbag_maildir_database_run (database, "BEGIN IMMEDIATE");

  if (code != SQLITE_OK)
    return code;
  code = get_version (database, &found);
  if (code == SQLITE_OK && found == 0)
    code = postbag_maildir_database_run (database, schema);
  if (code == SQLITE_OK && found == 0)
    code = postbag_maildir_database_run (database, set_version);
  if (code == SQLITE_OK)
    code = postbag_maildir_database_run (database, "COMMIT");
  if (code != SQLITE_OK)
    postbag_maildir_database_run (database, "ROLLBACK");
  return code;
}

static int
prepare_database (sqlite3 *database, const char *schema, int version, gboolean lasting)
{
  int found = 0;
  int code;

  sqlite3_extended_result_codes (database, 0);
  sqlite3_busy_timeout (database, BUSY_MS);
  code = postbag_maildir_database_run (database,
                                       "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; "
                                       "PRAGMA cache_size = -1024; PRAGMA journal_mode = WAL");
  if (code == SQLITE_OK)
    code = postbag_maildir_database_run (database, lasting ? "PRAGMA synchronous = FULL"
                                                           : "PRAGMA synchronous = NORMAL");
  if (code == SQLITE_OK)
    code = get_version (database, &found);
  if (code != SQLITE_OK)
    return code;
  if (found == 0)
    return create_schema (database, schema, version);
  return found > version ? POSTBAG_MAILDIR_DATABASE_NEWER : SQLITE_OK;
}

/* SQLite does not wait by itself where a file is made to keep a log while another one has it. */
static int
prepare_patiently (sqlite3 *database, const char *schema, int version, gboolean lasting)
{
  gint64 deadline = g_get_monotonic_time () + BUSY_MS * 1000;
  int code;

  while ((code = prepare_database (database, schema, version, lasting)) == SQLITE_BUSY
         && g_get_monotonic_time () < deadline)
    g_usleep (RETRY_US);
  return code;
}

int
postbag_maildir_database_open (const char *path, const char *schema, int version, gboolean lasting,
                               sqlite3 **database)
{
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  int code = sqlite3_open_v2 (path != NULL ? path : ":memory:", database, flags, NULL);

  if (code == SQLITE_OK)
    code = prepare_patiently (*database, schema, version, lasting);
  if (code == SQLITE_OK && path != NULL)
    {
      g_chmod (path, 0600);
      if (sqlite3_db_readonly (*database, "main") == 1)
        code = SQLITE_READONLY;
    }
  if (code != SQLITE_OK)
    g_clear_pointer (database, sqlite3_close);
  return code;
}

gboolean
postbag_maildir_database_is_damage (int code)
{
  /* SQLITE_ERROR: a table or column is missing; nothing else gives it, our SQL being fixed. */
  return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR
         || code == SQLITE_MISMATCH || code == SQLITE_CONSTRAINT;
}

gboolean
postbag_maildir_database_is_unwritable (int code)
{
  return code == SQLITE_FULL || code == SQLITE_READONLY || code == SQLITE_IOERR
         || code == SQLITE_CANTOPEN || code == SQLITE_PERM || code == SQLITE_AUTH
         || code == SQLITE_NOLFS;
}

void
postbag_maildir_database_set_aside (const char *path)
{
  static const char *const companions[] = { "-wal", "-shm", "-journal" };
  g_autofree char *aside = g_strconcat (path, ".damaged", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (companions); i++)
    {
      g_autofree char *companion = g_strconcat (path, companions[i], NULL);

      g_unlink (companion);
    }
  g_rename (path, aside);
}
