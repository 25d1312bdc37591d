/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-maildir"

#include "postbag-maildir-keywords.h"

#include "postbag-maildir-database.h"

#include "base/postbag-error.h"

#include <string.h>

#define FILE_NAME "keywords.sqlite"
#define VERSION 1
/* For everybody's keywords; the last one is for a toolset's own mark. */
#define N_PLACES (POSTBAG_MAILDIR_N_OWN_KEYWORDS - 1)

static const char schema[] =
    "CREATE TABLE versions (uid_validity INTEGER PRIMARY KEY, version INTEGER NOT NULL);"
    "CREATE TABLE names (uid_validity INTEGER NOT NULL, bit INTEGER NOT NULL,"
    "  name TEXT NOT NULL, PRIMARY KEY (uid_validity, bit)) WITHOUT ROWID;"
    "CREATE TABLE marks (uid_validity INTEGER NOT NULL, uid INTEGER NOT NULL,"
    "  mask INTEGER NOT NULL, PRIMARY KEY (uid_validity, uid)) WITHOUT ROWID;";

struct _PostbagMaildirKeywords
{
  GMutex lock;
  sqlite3 *database; /* with lock; (nullable) */
};

PostbagMaildirKeywords *
postbag_maildir_keywords_open (const char *state_dir)
{
  PostbagMaildirKeywords *self = g_new0 (PostbagMaildirKeywords, 1);
  g_autofree char *path = NULL;
  int code;

  g_mutex_init (&self->lock);
  if (state_dir == NULL)
    return self;
  path = g_build_filename (state_dir, FILE_NAME, NULL);
  code = postbag_maildir_database_open (path, schema, VERSION, TRUE, &self->database);
  if (postbag_maildir_database_is_damage (code))
    {
      g_warning ("The keywords kept for a Maildir were damaged and are lost; the old file is "
                 "%s.damaged.",
                 path);
      postbag_maildir_database_set_aside (path);
      code = postbag_maildir_database_open (path, schema, VERSION, TRUE, &self->database);
    }
  if (code != SQLITE_OK)
    g_warning ("Keywords cannot be kept in the state folder: %s.", sqlite3_errstr (code));
  return self;
}

void
postbag_maildir_keywords_free (PostbagMaildirKeywords *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->database, sqlite3_close);
  g_mutex_clear (&self->lock);
  g_free (self);
}

gboolean
postbag_maildir_keywords_can_keep (PostbagMaildirKeywords *self)
{
  return self->database != NULL;
}

/* --- reading --- */

static gint64
read_version (PostbagMaildirKeywords *self, guint32 uid_validity)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database, "SELECT version FROM versions WHERE uid_validity = ?1", &code);

  if (statement == NULL)
    return 0;
  sqlite3_bind_int64 (statement, 1, uid_validity);
  return sqlite3_step (statement) == SQLITE_ROW ? sqlite3_column_int64 (statement, 0) : 0;
}

gint64
postbag_maildir_keywords_get_version (PostbagMaildirKeywords *self, guint32 uid_validity)
{
  gint64 version;

  if (self->database == NULL)
    return 0;
  g_mutex_lock (&self->lock);
  version = read_version (self, uid_validity);
  g_mutex_unlock (&self->lock);
  return version;
}

/* A damaged file must not give ill-formed text. */
static int
read_names (PostbagMaildirKeywords *self, guint32 uid_validity, char **names)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database, "SELECT bit, name FROM names WHERE uid_validity = ?1", &code);

  if (statement == NULL)
    return code;
  sqlite3_bind_int64 (statement, 1, uid_validity);
  while ((code = sqlite3_step (statement)) == SQLITE_ROW)
    {
      gint64 bit = sqlite3_column_int64 (statement, 0);
      const char *name = (const char *)sqlite3_column_text (statement, 1);

      if (bit < 0 || bit >= POSTBAG_MAILDIR_N_OWN_KEYWORDS || name == NULL
          || !g_str_is_ascii (name))
        continue;
      g_free (names[bit]);
      names[bit] = g_strdup (name);
    }
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Both are sorted by UID. */
static void
read_marks (PostbagMaildirKeywords *self, guint32 uid_validity, PostbagMaildirScan *scan)
{
  int code;
  guint at = 0;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database, "SELECT uid, mask FROM marks WHERE uid_validity = ?1 ORDER BY uid", &code);

  if (statement == NULL)
    return;
  sqlite3_bind_int64 (statement, 1, uid_validity);
  while (sqlite3_step (statement) == SQLITE_ROW)
    {
      gint64 uid = sqlite3_column_int64 (statement, 0);

      while (at < scan->n_entries && scan->entries[at].uid < uid)
        at++;
      if (at < scan->n_entries && scan->entries[at].uid == uid)
        scan->entries[at].own = (guint16)sqlite3_column_int64 (statement, 1);
    }
}

gint64
postbag_maildir_keywords_load (PostbagMaildirKeywords *self, guint32 uid_validity,
                               PostbagMaildirScan *scan, char **names)
{
  gint64 version;

  for (guint i = 0; i < scan->n_entries; i++)
    scan->entries[i].own = 0;
  if (self->database == NULL)
    return 0;
  g_mutex_lock (&self->lock);
  postbag_maildir_database_run (self->database, "BEGIN");
  version = read_version (self, uid_validity);
  if (version > 0 && read_names (self, uid_validity, names) == SQLITE_OK)
    read_marks (self, uid_validity, scan);
  postbag_maildir_database_run (self->database, "COMMIT");
  g_mutex_unlock (&self->lock);
  return version;
}

/* --- changing --- */

static int
write_name (PostbagMaildirKeywords *self, guint32 uid_validity, guint bit, const char *name)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database, "INSERT INTO names (uid_validity, bit, name) VALUES (?1, ?2, ?3)", &code);

  if (statement == NULL)
    return code;
  sqlite3_bind_int64 (statement, 1, uid_validity);
  sqlite3_bind_int (statement, 2, (int)bit);
  sqlite3_bind_text (statement, 3, name, -1, SQLITE_STATIC);
  code = sqlite3_step (statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int
find_bit (char **names, const char *name)
{
  for (int i = 0; i < POSTBAG_MAILDIR_N_OWN_KEYWORDS; i++)
    if (names[i] != NULL && g_ascii_strcasecmp (names[i], name) == 0)
      return i;
  return -1;
}

/* The last place is kept for a mark, which looks there first. -1: none is free. */
static int
find_place (char **names, int n_places)
{
  if (n_places == POSTBAG_MAILDIR_N_OWN_KEYWORDS && names[n_places - 1] == NULL)
    return n_places - 1;
  for (int i = 0; i < n_places; i++)
    if (names[i] == NULL)
      return i;
  return -1;
}

static void
free_names (char **names)
{
  for (guint i = 0; i < POSTBAG_MAILDIR_N_OWN_KEYWORDS; i++)
    g_clear_pointer (&names[i], g_free);
}

/* Forgets the names that no message carries, those of the first @n_places bits. */
static int
drop_unused_names (PostbagMaildirKeywords *self, guint32 uid_validity, char **names, int n_places)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database,
      "DELETE FROM names WHERE uid_validity = ?1 AND bit < ?2 AND NOT EXISTS "
      "(SELECT 1 FROM marks WHERE uid_validity = ?1 AND (mask >> bit) & 1)",
      &code);

  if (statement == NULL)
    return code;
  sqlite3_bind_int64 (statement, 1, uid_validity);
  sqlite3_bind_int (statement, 2, n_places);
  code = sqlite3_step (statement);
  if (code != SQLITE_DONE)
    return code;
  free_names (names);
  return read_names (self, uid_validity, names);
}

static void
add_bits (char **names, char **wanted, guint16 *mask)
{
  for (; wanted != NULL && *wanted != NULL; wanted++)
    {
      int bit = find_bit (names, *wanted);

      if (bit >= 0)
        *mask |= (guint16)(1u << bit);
    }
}

/* SQLITE_TOOBIG here: no place is left. */
static int
fill_places (PostbagMaildirKeywords *self, guint32 uid_validity, char **names, char **wanted,
             int n_places)
{
  int code = SQLITE_OK;

  for (; wanted != NULL && *wanted != NULL && code == SQLITE_OK; wanted++)
    {
      int bit;

      if (find_bit (names, *wanted) >= 0)
        continue;
      bit = find_place (names, n_places);
      if (bit < 0)
        return SQLITE_TOOBIG;
      names[bit] = g_strdup (*wanted);
      code = write_name (self, uid_validity, (guint)bit, *wanted);
    }
  return code;
}

static int
fill_all (PostbagMaildirKeywords *self, guint32 uid_validity, char **names, char **wanted,
          char **marks)
{
  int code = fill_places (self, uid_validity, names, wanted, N_PLACES);

  if (code != SQLITE_OK)
    return code;
  return fill_places (self, uid_validity, names, marks, POSTBAG_MAILDIR_N_OWN_KEYWORDS);
}

/* What is dropped may be wanted, for nobody carries it yet: then it gets its place again. */
static int
give_places (PostbagMaildirKeywords *self, guint32 uid_validity, char **names, char **wanted,
             char **marks)
{
  gboolean has_marks = marks != NULL && *marks != NULL;
  int code = fill_all (self, uid_validity, names, wanted, marks);

  if (code != SQLITE_TOOBIG)
    return code;
  code = drop_unused_names (self, uid_validity, names,
                            has_marks ? POSTBAG_MAILDIR_N_OWN_KEYWORDS : N_PLACES);
  if (code != SQLITE_OK)
    return code;
  return fill_all (self, uid_validity, names, wanted, marks);
}

static int
write_marks (PostbagMaildirKeywords *self, guint32 uid_validity, GArray *uids, guint16 add,
             guint16 remove)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database,
      "INSERT INTO marks (uid_validity, uid, mask) VALUES (?1, ?2, ?3) "
      "ON CONFLICT (uid_validity, uid) DO UPDATE SET mask = (mask | ?3) & ~?4",
      &code);

  for (guint i = 0; i < uids->len && statement != NULL; i++)
    {
      sqlite3_bind_int64 (statement, 1, uid_validity);
      sqlite3_bind_int64 (statement, 2, g_array_index (uids, guint32, i));
      sqlite3_bind_int (statement, 3, add & ~remove);
      sqlite3_bind_int (statement, 4, remove);
      code = sqlite3_step (statement);
      sqlite3_reset (statement);
      if (code != SQLITE_DONE)
        return code;
      code = SQLITE_OK;
    }
  return code;
}

static int
bump_version (PostbagMaildirKeywords *self, guint32 uid_validity)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database,
      "INSERT INTO versions (uid_validity, version) VALUES (?1, 1) "
      "ON CONFLICT (uid_validity) DO UPDATE SET version = version + 1",
      &code);

  if (statement == NULL)
    return code;
  sqlite3_bind_int64 (statement, 1, uid_validity);
  code = sqlite3_step (statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int
finish (PostbagMaildirKeywords *self, int code)
{
  if (code == SQLITE_OK)
    code = postbag_maildir_database_run (self->database, "COMMIT");
  if (code != SQLITE_OK)
    postbag_maildir_database_run (self->database, "ROLLBACK");
  return code;
}

/* "a”, “b": (transfer full) (nullable): those of @wanted that have no place */
static char *
join_without_place (char **names, char **wanted)
{
  g_autoptr (GPtrArray) without = g_ptr_array_new ();

  for (; wanted != NULL && *wanted != NULL; wanted++)
    if (find_bit (names, *wanted) < 0)
      g_ptr_array_add (without, *wanted);
  if (without->len == 0)
    return NULL;
  g_ptr_array_add (without, NULL);
  return g_strjoinv ("”, “", (char **)without->pdata);
}

/* @names: as far as they could be given places */
static void
set_full (char **names, char **wanted, char **marks, GError **error)
{
  g_autofree char *words = join_without_place (names, wanted);
  int n_places = words != NULL ? N_PLACES : POSTBAG_MAILDIR_N_OWN_KEYWORDS;

  if (words == NULL)
    words = join_without_place (names, marks);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
               "The keyword table of this mailbox is full: it takes %d keywords of its own, which "
               "is the limit, and has no place for “%s”. Use one of those it has, or remove one "
               "that is not needed any more from every message that carries it.",
               n_places, words);
}

/* SQLITE_TOOBIG: @error is set */
static int
reserve (PostbagMaildirKeywords *self, guint32 uid_validity, char **wanted, char **marks,
         gboolean only_look, GError **error)
{
  char *names[POSTBAG_MAILDIR_N_OWN_KEYWORDS] = { NULL };
  int code = postbag_maildir_database_run (self->database, "BEGIN IMMEDIATE");

  if (code != SQLITE_OK)
    return code;
  code = read_names (self, uid_validity, names);
  if (code == SQLITE_OK)
    code = give_places (self, uid_validity, names, wanted, marks);
  if (code == SQLITE_TOOBIG)
    set_full (names, wanted, marks, error);
  free_names (names);
  if (only_look)
    postbag_maildir_database_run (self->database, "ROLLBACK");
  return only_look ? code : finish (self, code);
}

/* SQLITE_TOOBIG: @error is set */
static int
change (PostbagMaildirKeywords *self, guint32 uid_validity, GArray *uids, char **add, char **remove,
        GError **error)
{
  char *names[POSTBAG_MAILDIR_N_OWN_KEYWORDS] = { NULL };
  guint16 added = 0, removed = 0;
  int code = postbag_maildir_database_run (self->database, "BEGIN IMMEDIATE");

  if (code != SQLITE_OK)
    return code;
  code = read_names (self, uid_validity, names);
  if (code == SQLITE_OK)
    code = give_places (self, uid_validity, names, add, NULL);
  if (code == SQLITE_TOOBIG)
    set_full (names, add, NULL, error);
  add_bits (names, add, &added);
  add_bits (names, remove, &removed);
  free_names (names);
  if (code == SQLITE_OK)
    code = write_marks (self, uid_validity, uids, added, removed);
  if (code == SQLITE_OK)
    code = bump_version (self, uid_validity);
  return finish (self, code);
}

/* What @error does not say yet. */
static gboolean
check_code (int code, GError **error)
{
  if (code != SQLITE_OK && code != SQLITE_TOOBIG)
    g_set_error (error, POSTBAG_ERROR,
                 code == SQLITE_BUSY ? POSTBAG_ERROR_BUSY : POSTBAG_ERROR_NOT_SUPPORTED,
                 "Keywords cannot be kept in the state folder (%s). Give Postbag a writable one "
                 "with POSTBAG_STATE_DIR.",
                 sqlite3_errstr (code));
  return code == SQLITE_OK;
}

gboolean
postbag_maildir_keywords_reserve (PostbagMaildirKeywords *self, guint32 uid_validity, char **names,
                                  char **marks, gboolean only_look, GError **error)
{
  int code = SQLITE_CANTOPEN;

  if (self->database != NULL)
    {
      g_mutex_lock (&self->lock);
      code = reserve (self, uid_validity, names, marks, only_look, error);
      g_mutex_unlock (&self->lock);
    }
  return check_code (code, error);
}

gboolean
postbag_maildir_keywords_change (PostbagMaildirKeywords *self, guint32 uid_validity, GArray *uids,
                                 char **add, char **remove, GError **error)
{
  int code = SQLITE_CANTOPEN;

  if (self->database != NULL)
    {
      g_mutex_lock (&self->lock);
      code = change (self, uid_validity, uids, add, remove, error);
      g_mutex_unlock (&self->lock);
    }
  return check_code (code, error);
}

void
postbag_maildir_keywords_forget (PostbagMaildirKeywords *self, guint32 uid_validity, GArray *uids)
{
  int code;
  sqlite3_stmt *statement;

  if (self->database == NULL)
    return;
  g_mutex_lock (&self->lock);
  statement = postbag_maildir_database_prepare (
      self->database, "DELETE FROM marks WHERE uid_validity = ?1 AND uid = ?2", &code);
  for (guint i = 0; i < uids->len && statement != NULL; i++)
    {
      sqlite3_bind_int64 (statement, 1, uid_validity);
      sqlite3_bind_int64 (statement, 2, g_array_index (uids, guint32, i));
      sqlite3_step (statement);
      sqlite3_reset (statement);
    }
  sqlite3_finalize (statement);
  g_mutex_unlock (&self->lock);
}
