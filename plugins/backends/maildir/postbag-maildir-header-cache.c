/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-maildir"

#include "postbag-maildir-header-cache.h"

#include "postbag-maildir-database.h"

#include "base/postbag-limits.h"

#include <glib/gstdio.h>

#define FILE_NAME "headers.sqlite"
#define VERSION 1

static const char schema[] =
    "CREATE TABLE headers ("
    "  uid_validity INTEGER NOT NULL, uid INTEGER NOT NULL,"
    "  size INTEGER, internal_date INTEGER, date INTEGER, has_attachments INTEGER,"
    "  subject TEXT, message_id TEXT, from_ TEXT, to_ TEXT, cc TEXT, references_ TEXT,"
    "  in_reply_to TEXT,"
    "  PRIMARY KEY (uid_validity, uid)) WITHOUT ROWID;";

struct _PostbagMaildirHeaderCache
{
  GMutex lock;
  sqlite3 *database; /* (nullable): a cache may fail */
  gboolean in_memory;
  guint n_in_memory;
  gboolean complained;
};

static gboolean
is_too_large (const char *path)
{
  GStatBuf facts;

  return g_stat (path, &facts) == 0 && facts.st_size > POSTBAG_LIMIT_HEADER_CACHE_BYTES;
}

/* SQLITE_ERROR where the table or one of its columns is not there. */
static int
check_table (sqlite3 *database)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      database,
      "SELECT uid_validity, uid, size, internal_date, date, has_attachments, subject, message_id,"
      " from_, to_, cc, references_, in_reply_to FROM headers LIMIT 0",
      &code);

  return statement != NULL ? SQLITE_OK : code;
}

static int
open_file (PostbagMaildirHeaderCache *self, const char *path)
{
  int code;

  if (is_too_large (path))
    postbag_maildir_database_set_aside (path);
  code = postbag_maildir_database_open (path, schema, VERSION, FALSE, &self->database);
  if (code == SQLITE_OK)
    code = check_table (self->database);
  if (!postbag_maildir_database_is_damage (code))
    return code;
  g_clear_pointer (&self->database, sqlite3_close);
  postbag_maildir_database_set_aside (path);
  return postbag_maildir_database_open (path, schema, VERSION, FALSE, &self->database);
}

PostbagMaildirHeaderCache *
postbag_maildir_header_cache_open (const char *state_dir)
{
  PostbagMaildirHeaderCache *self = g_new0 (PostbagMaildirHeaderCache, 1);

  g_mutex_init (&self->lock);
  if (state_dir != NULL)
    {
      g_autofree char *path = g_build_filename (state_dir, FILE_NAME, NULL);
      g_autofree char *damaged = g_strconcat (path, ".damaged", NULL);

      if (open_file (self, path) == SQLITE_OK)
        {
          g_unlink (damaged); /* nothing in it that the mail does not say */
          return self;
        }
    }
  self->in_memory = TRUE;
  postbag_maildir_database_open (NULL, schema, VERSION, FALSE, &self->database);
  return self;
}

void
postbag_maildir_header_cache_free (PostbagMaildirHeaderCache *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->database, sqlite3_close);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static void
clear_cached (gpointer data)
{
  PostbagMaildirCached *item = data;

  g_clear_pointer (&item->headers, g_free);
}

GArray *
postbag_maildir_cached_new (void)
{
  GArray *items = g_array_new (FALSE, TRUE, sizeof (PostbagMaildirCached));

  g_array_set_clear_func (items, clear_cached);
  return items;
}

static void
complain (PostbagMaildirHeaderCache *self, int code)
{
  if (code == SQLITE_OK || code == SQLITE_BUSY || self->complained)
    return;
  self->complained = TRUE;
  g_message ("The cache of message headers cannot be used (%s): listings read the mail itself.",
             sqlite3_errstr (code));
}

/* --- reading --- */

static PostbagMaildirHeaders *
read_row (sqlite3_stmt *row)
{
  const char *fields[POSTBAG_MAILDIR_N_FIELDS];
  PostbagMaildirHeaders *headers;

  for (int i = 0; i < POSTBAG_MAILDIR_N_FIELDS; i++)
    {
      fields[i] = (const char *)sqlite3_column_text (row, 4 + i);
      /* A damaged file must not give ill-formed text. */
      if (fields[i] != NULL && !g_utf8_validate (fields[i], -1, NULL))
        return NULL;
    }
  headers = postbag_maildir_headers_new (fields);
  headers->size = sqlite3_column_int64 (row, 0);
  headers->internal_date = sqlite3_column_int64 (row, 1);
  headers->date = sqlite3_column_int64 (row, 2);
  headers->has_attachments = CLAMP (sqlite3_column_int (row, 3), -1, 1);
  return headers;
}

static int
read_rows (PostbagMaildirHeaderCache *self, guint32 uid_validity, GArray *items)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database,
      "SELECT size, internal_date, date, has_attachments, subject, message_id, from_, to_, cc,"
      " references_, in_reply_to FROM headers WHERE uid_validity = ?1 AND uid = ?2",
      &code);

  for (guint i = 0; i < items->len && statement != NULL && code == SQLITE_OK; i++)
    {
      PostbagMaildirCached *item = &g_array_index (items, PostbagMaildirCached, i);

      sqlite3_bind_int64 (statement, 1, uid_validity);
      sqlite3_bind_int64 (statement, 2, item->uid);
      code = sqlite3_step (statement);
      if (code == SQLITE_ROW && item->headers == NULL)
        item->headers = read_row (statement);
      code = sqlite3_reset (statement);
    }
  return code;
}

void
postbag_maildir_header_cache_get (PostbagMaildirHeaderCache *self, guint32 uid_validity,
                                  GArray *items)
{
  int code = SQLITE_OK;

  g_mutex_lock (&self->lock);
  if (self->database != NULL)
    {
      /* One lock on the file for all rows, instead of one for each. */
      postbag_maildir_database_run (self->database, "BEGIN");
      code = read_rows (self, uid_validity, items);
      postbag_maildir_database_run (self->database, "COMMIT");
    }
  complain (self, code);
  g_mutex_unlock (&self->lock);
}

/* --- writing --- */

static int
write_row (sqlite3_stmt *statement, guint32 uid_validity, const PostbagMaildirCached *item)
{
  const PostbagMaildirHeaders *headers = item->headers;
  int code;

  sqlite3_bind_int64 (statement, 1, uid_validity);
  sqlite3_bind_int64 (statement, 2, item->uid);
  sqlite3_bind_int64 (statement, 3, headers->size);
  sqlite3_bind_int64 (statement, 4, headers->internal_date);
  sqlite3_bind_int64 (statement, 5, headers->date);
  sqlite3_bind_int (statement, 6, headers->has_attachments);
  for (int i = 0; i < POSTBAG_MAILDIR_N_FIELDS; i++)
    sqlite3_bind_text (statement, 7 + i, headers->fields[i], -1, SQLITE_STATIC);
  code = sqlite3_step (statement);
  sqlite3_reset (statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int
write_rows (PostbagMaildirHeaderCache *self, guint32 uid_validity, GArray *items)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database,
      "INSERT OR REPLACE INTO headers VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
      " ?13)",
      &code);

  for (guint i = 0; i < items->len && statement != NULL && code == SQLITE_OK; i++)
    {
      const PostbagMaildirCached *item = &g_array_index (items, PostbagMaildirCached, i);

      if (item->is_new && item->headers != NULL
          && postbag_maildir_headers_can_be_cached (item->headers))
        code = write_row (statement, uid_validity, item);
    }
  return code;
}

static guint
count_new (GArray *items)
{
  guint n = 0;

  for (guint i = 0; i < items->len; i++)
    n += g_array_index (items, PostbagMaildirCached, i).is_new ? 1 : 0;
  return n;
}

void
postbag_maildir_header_cache_put (PostbagMaildirHeaderCache *self, guint32 uid_validity,
                                  GArray *items)
{
  guint n_new = count_new (items);
  int code;

  if (n_new == 0)
    return;
  g_mutex_lock (&self->lock);
  if (self->in_memory && self->n_in_memory + n_new > POSTBAG_LIMIT_HEADERS_IN_MEMORY)
    {
      postbag_maildir_database_run (self->database, "DELETE FROM headers");
      self->n_in_memory = 0;
    }
  if (self->in_memory)
    self->n_in_memory += n_new;
  code = self->database != NULL ? postbag_maildir_database_run (self->database, "BEGIN IMMEDIATE")
                                : SQLITE_OK;
  if (code == SQLITE_OK && self->database != NULL)
    {
      code = write_rows (self, uid_validity, items);
      if (code == SQLITE_OK)
        code = postbag_maildir_database_run (self->database, "COMMIT");
      if (code != SQLITE_OK)
        postbag_maildir_database_run (self->database, "ROLLBACK");
    }
  complain (self, code);
  g_mutex_unlock (&self->lock);
}
