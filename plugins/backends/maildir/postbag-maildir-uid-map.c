/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-maildir"

#include "postbag-maildir-uid-map.h"

#include "postbag-maildir-database.h"
#include "postbag-maildir-uid-rows.h"

#include "base/postbag-error.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define FILE_NAME "uids.sqlite"
#define LOCK_NAME "uids.lock"
#define ATTEMPTS 4

struct _PostbagMaildirUidMap
{
  GMutex lock; /* over everything below: one connection */
  char *path;  /* (nullable): %NULL in memory */
  char *lock_path;
  guint64 inode; /* of the open file: another process may have put a new one in its place */
  sqlite3 *database;
  sqlite3_stmt *peek;
  guint generation;
  char *warning; /* (nullable) */
};

static void
close_database (PostbagMaildirUidMap *self)
{
  g_clear_pointer (&self->peek, sqlite3_finalize);
  g_clear_pointer (&self->database, sqlite3_close);
}

static void
warn (PostbagMaildirUidMap *self, char *warning)
{
  g_free (self->warning);
  self->warning = warning;
  g_warning ("%s", warning);
}

static guint64
get_inode (const char *path)
{
  GStatBuf facts;

  return g_stat (path, &facts) == 0 ? facts.st_ino : 0;
}

/* @path: (nullable): in memory */
static int
open_tables (PostbagMaildirUidMap *self, const char *path)
{
  int code = postbag_maildir_database_open (path, postbag_maildir_uid_rows_schema,
                                            POSTBAG_MAILDIR_UID_ROWS_VERSION, path != NULL,
                                            &self->database);

  if (code == SQLITE_OK)
    code = postbag_maildir_uid_rows_prepare (self->database);
  if (code != SQLITE_OK)
    g_clear_pointer (&self->database, sqlite3_close);
  return code;
}

static void
use_memory (PostbagMaildirUidMap *self, const char *why)
{
  close_database (self);
  g_clear_pointer (&self->path, g_free);
  self->generation++;
  if (open_tables (self, NULL) != SQLITE_OK)
    g_error ("SQLite cannot make a database in memory.");
  warn (self, g_strdup_printf ("The state folder cannot keep the message uids (%s): they are valid "
                               "only until Postbag ends. Give it a writable state folder with "
                               "POSTBAG_STATE_DIR.",
                               why));
}

/* One process at a time puts a damaged file aside, and only the file that it found damaged. */
static void
replace_damaged (PostbagMaildirUidMap *self)
{
  int fd = open (self->lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

  if (fd >= 0 && flock (fd, LOCK_EX) == 0 && get_inode (self->path) == self->inode)
    postbag_maildir_database_set_aside (self->path);
  if (fd >= 0)
    close (fd);
  warn (self, g_strdup_printf ("The map of message uids was damaged and is made anew (the old file "
                               "is %s.damaged): uids shown earlier are no longer valid.",
                               self->path));
}

static void
open_database (PostbagMaildirUidMap *self)
{
  int code = SQLITE_ERROR;

  for (guint attempt = 0; attempt < ATTEMPTS && self->path != NULL; attempt++)
    {
      self->generation++;
      self->inode = get_inode (self->path);
      code = open_tables (self, self->path);
      if (!postbag_maildir_database_is_damage (code))
        break;
      replace_damaged (self);
    }
  if (code == SQLITE_OK)
    {
      self->inode = get_inode (self->path);
      return;
    }
  use_memory (self, code == POSTBAG_MAILDIR_DATABASE_NEWER ? "a newer Postbag wrote its file"
                                                           : sqlite3_errstr (code));
}

PostbagMaildirUidMap *
postbag_maildir_uid_map_open (const char *state_dir)
{
  PostbagMaildirUidMap *self = g_new0 (PostbagMaildirUidMap, 1);

  g_mutex_init (&self->lock);
  if (state_dir == NULL)
    {
      use_memory (self, "there is none");
      return self;
    }
  self->path = g_build_filename (state_dir, FILE_NAME, NULL);
  self->lock_path = g_build_filename (state_dir, LOCK_NAME, NULL);
  open_database (self);
  return self;
}

void
postbag_maildir_uid_map_free (PostbagMaildirUidMap *self)
{
  if (self == NULL)
    return;
  close_database (self);
  g_mutex_clear (&self->lock);
  g_free (self->path);
  g_free (self->lock_path);
  g_free (self->warning);
  g_free (self);
}

gboolean
postbag_maildir_uid_map_is_lasting (PostbagMaildirUidMap *self)
{
  gboolean lasting;

  g_mutex_lock (&self->lock);
  lasting = self->path != NULL;
  g_mutex_unlock (&self->lock);
  return lasting;
}

char *
postbag_maildir_uid_map_dup_warning (PostbagMaildirUidMap *self)
{
  char *warning;

  g_mutex_lock (&self->lock);
  warning = g_strdup (self->warning);
  g_mutex_unlock (&self->lock);
  return warning;
}

static gboolean
peek (PostbagMaildirUidMap *self, const PostbagMaildirIdentity *known)
{
  gboolean same;
  int code;

  if (self->path != NULL && get_inode (self->path) != self->inode)
    return FALSE;
  if (self->peek == NULL)
    self->peek = postbag_maildir_database_prepare (
        self->database, "SELECT uid_validity, uid_next FROM mailboxes WHERE id = ?1", &code);
  if (self->peek == NULL)
    return FALSE;
  sqlite3_bind_int64 (self->peek, 1, known->id);
  same = sqlite3_step (self->peek) == SQLITE_ROW
         && sqlite3_column_int64 (self->peek, 0) == known->uid_validity
         && sqlite3_column_int64 (self->peek, 1) == known->uid_next;
  sqlite3_reset (self->peek);
  return same;
}

gboolean
postbag_maildir_uid_map_is_current (PostbagMaildirUidMap *self, const PostbagMaildirIdentity *known)
{
  gboolean current;

  g_mutex_lock (&self->lock);
  /* In memory nobody else writes. */
  current = known->generation == self->generation && (self->path == NULL || peek (self, known));
  g_mutex_unlock (&self->lock);
  return current;
}

static void
reopen (PostbagMaildirUidMap *self)
{
  close_database (self);
  open_database (self);
}

/* Whether another try may succeed. */
static gboolean
recover (PostbagMaildirUidMap *self, int code)
{
  if (postbag_maildir_database_is_damage (code))
    {
      close_database (self);
      if (self->path != NULL)
        replace_damaged (self);
      if (self->path != NULL)
        open_database (self);
      else
        use_memory (self, "its copy in memory was damaged");
      return TRUE;
    }
  if (postbag_maildir_database_is_unwritable (code) && self->path != NULL)
    {
      use_memory (self, sqlite3_errstr (code));
      return TRUE;
    }
  return code == POSTBAG_MAILDIR_UID_ROWS_AGAIN;
}

gboolean
postbag_maildir_uid_map_assign (PostbagMaildirUidMap *self, const char *key,
                                const PostbagMaildirOpen *mailbox, PostbagMaildirIdentity *known,
                                PostbagMaildirScan *scan, GError **error)
{
  int code = SQLITE_ERROR;

  g_mutex_lock (&self->lock);
  if (self->path != NULL && get_inode (self->path) != self->inode)
    reopen (self);
  for (guint attempt = 0; attempt < ATTEMPTS; attempt++)
    {
      code = postbag_maildir_uid_rows_assign (self->database, self->generation, key, mailbox, known,
                                              scan);
      if (code == SQLITE_OK || !recover (self, code))
        break;
    }
  g_mutex_unlock (&self->lock);
  if (code == SQLITE_OK)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR,
               code == SQLITE_BUSY || code == SQLITE_LOCKED ? POSTBAG_ERROR_BUSY
                                                            : POSTBAG_ERROR_INTERNAL,
               "The map of message uids cannot be used now (%s). Call again in a moment.",
               sqlite3_errstr (code));
  return FALSE;
}

void
postbag_maildir_uid_map_rename (PostbagMaildirUidMap *self, const char *key, const char *new_key)
{
  int code;

  g_mutex_lock (&self->lock);
  code = postbag_maildir_uid_rows_rename (self->database, key, new_key);
  g_mutex_unlock (&self->lock);
  /* Then the mailbox gets new uids, which is safe. */
  if (code != SQLITE_OK)
    g_message ("The map of message uids could not follow a mailbox (%s).", sqlite3_errstr (code));
}
