/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-uid-rows.h"

#include "postbag-maildir-flags.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

const char postbag_maildir_uid_rows_schema[] = "CREATE TABLE mailboxes ("
                                               "  id INTEGER PRIMARY KEY,"
                                               "  directory BLOB NOT NULL UNIQUE,"
                                               "  uid_validity INTEGER NOT NULL,"
                                               "  uid_next INTEGER NOT NULL);"
                                               "CREATE TABLE messages ("
                                               "  mailbox INTEGER NOT NULL,"
                                               "  base BLOB NOT NULL,"
                                               "  uid INTEGER NOT NULL,"
                                               "  PRIMARY KEY (mailbox, base)) WITHOUT ROWID;";

/* Beside the others, so that a file of an older Postbag, which does not know it, goes on to be one
 * of both. */
static const char places[] = "CREATE TABLE IF NOT EXISTS places ("
                             "  mailbox INTEGER PRIMARY KEY,"
                             "  device INTEGER NOT NULL,"
                             "  inode INTEGER NOT NULL,"
                             "  birth INTEGER NOT NULL)";

/* Rows of messages that are gone are kept for their return, until they outnumber the others by
 * this many. */
#define DEAD_ROWS_KEPT 1000

typedef struct
{
  sqlite3 *database;
  const char *key;
  const PostbagMaildirOpen *mailbox;
  PostbagMaildirIdentity *known;
  PostbagMaildirScan *scan;
  gboolean loaded_all; /* every row was compared with the scan */
  guint n_dead;
  gboolean has_place; /* @place is what the file says, else it says nothing */
  PostbagMaildirStamp place;
} Assignment;

static void
bind_base (sqlite3_stmt *statement, int column, const char *base, gsize length)
{
  sqlite3_bind_blob (statement, column, base, (int)length, SQLITE_STATIC);
}

/* --- the mailbox's row --- */

/* @id 0: there is none yet */
static int
read_mailbox (Assignment *self, PostbagMaildirIdentity *found)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database, "SELECT id, uid_validity, uid_next FROM mailboxes WHERE directory = ?1",
      &code);
  gint64 validity, next;

  memset (found, 0, sizeof *found);
  if (statement == NULL)
    return code;
  bind_base (statement, 1, self->key, strlen (self->key));
  code = sqlite3_step (statement);
  if (code == SQLITE_DONE)
    return SQLITE_OK;
  if (code != SQLITE_ROW)
    return code;
  validity = sqlite3_column_int64 (statement, 1);
  next = sqlite3_column_int64 (statement, 2);
  if (validity < 1 || validity > G_MAXUINT32 || next < 1 || next > G_MAXUINT32)
    return SQLITE_CORRUPT;
  found->id = sqlite3_column_int64 (statement, 0);
  found->uid_validity = (guint32)validity;
  found->uid_next = (guint32)next;
  return SQLITE_OK;
}

/* Random, so that a map made anew within the same second is another one all the same. */
static int
create_mailbox (Assignment *self, PostbagMaildirIdentity *found)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database,
      "INSERT OR REPLACE INTO mailboxes (directory, uid_validity, uid_next) VALUES (?1, ?2, 1)",
      &code);

  if (statement == NULL)
    return code;
  found->uid_validity = (guint32)g_random_int_range (1, G_MAXINT32);
  found->uid_next = 1;
  bind_base (statement, 1, self->key, strlen (self->key));
  sqlite3_bind_int64 (statement, 2, found->uid_validity);
  code = sqlite3_step (statement);
  found->id = sqlite3_last_insert_rowid (self->database);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int
write_next (Assignment *self)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database, "UPDATE mailboxes SET uid_next = ?2 WHERE id = ?1", &code);

  if (statement == NULL)
    return code;
  sqlite3_bind_int64 (statement, 1, self->known->id);
  sqlite3_bind_int64 (statement, 2, self->known->uid_next);
  code = sqlite3_step (statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static guint
count_unknown (const PostbagMaildirScan *scan)
{
  guint n = 0;

  for (guint i = 0; i < scan->n_entries; i++)
    n += scan->entries[i].uid == 0;
  return n;
}

/* --- which folder it is ---
 *
 * A mailbox is known by its path, and another program may put another folder there, also while
 * somebody is asked about it. So the map remembers which folder had the path: its inode, and when
 * it was made or, where that is not known, on which device it is. Another folder is another
 * mailbox, with a UIDVALIDITY of its own, unless what it holds is what the map knows: a folder that
 * was restored from a backup, or copied to another disk, has other numbers and the same mail, and
 * keeps its UIDs. Base names are unique, so that a UID never comes to stand for another message
 * either way. */

int
postbag_maildir_uid_rows_prepare (sqlite3 *database)
{
  return postbag_maildir_database_run (database, places);
}

static int
read_place (Assignment *self)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database, "SELECT device, inode, birth FROM places WHERE mailbox = ?1", &code);

  self->has_place = FALSE;
  if (statement == NULL)
    return code;
  sqlite3_bind_int64 (statement, 1, self->known->id);
  code = sqlite3_step (statement);
  if (code != SQLITE_ROW)
    return code == SQLITE_DONE ? SQLITE_OK : code;
  self->has_place = TRUE;
  self->place.device = (guint64)sqlite3_column_int64 (statement, 0);
  self->place.inode = (guint64)sqlite3_column_int64 (statement, 1);
  self->place.birth_ns = sqlite3_column_int64 (statement, 2);
  return SQLITE_OK;
}

static int
write_place (Assignment *self)
{
  const PostbagMaildirStamp *now = &self->scan->stamps.current;
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database,
      "INSERT OR REPLACE INTO places (mailbox, device, inode, birth) VALUES (?1, ?2, ?3, ?4)",
      &code);

  if (statement == NULL)
    return code;
  sqlite3_bind_int64 (statement, 1, self->known->id);
  sqlite3_bind_int64 (statement, 2, (gint64)now->device);
  sqlite3_bind_int64 (statement, 3, (gint64)now->inode);
  sqlite3_bind_int64 (statement, 4, now->birth_ns);
  code = sqlite3_step (statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static gboolean
is_in_place (const Assignment *self)
{
  return self->has_place
         && postbag_maildir_stamp_is_same_folder (&self->place, &self->scan->stamps.current);
}

/* Whether a folder that is not the one of before holds what that one did: half of its messages at
 * least. An empty one is another one, unless its numbers say nothing: file systems that know no
 * birth may give other inodes each time. */
static gboolean
holds_the_same (const Assignment *self)
{
  const PostbagMaildirScan *scan = self->scan;
  guint n_unknown = count_unknown (scan);

  if (scan->n_entries == 0)
    return self->place.birth_ns == 0 || scan->stamps.current.birth_ns == 0;
  return scan->n_entries - n_unknown >= n_unknown;
}

/* --- rows of messages --- */

static void
forget_uids (PostbagMaildirScan *scan)
{
  for (guint i = 0; i < scan->n_entries; i++)
    scan->entries[i].uid = 0;
}

static int
take_row (Assignment *self, sqlite3_stmt *row)
{
  gint64 uid = sqlite3_column_int64 (row, 0);
  const char *base = sqlite3_column_blob (row, 1);
  int length = sqlite3_column_bytes (row, 1);
  PostbagMaildirEntry *entry;

  if (uid < 1 || uid >= self->known->uid_next || base == NULL || length < 1 || length > G_MAXUINT8)
    return SQLITE_CORRUPT;
  entry = postbag_maildir_scan_find (self->scan, base, (gsize)length);
  if (entry != NULL)
    entry->uid = (guint32)uid;
  else
    self->n_dead++;
  return SQLITE_OK;
}

static int
load_rows (Assignment *self, guint32 from)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database, "SELECT uid, base FROM messages WHERE mailbox = ?1 AND uid >= ?2", &code);

  if (statement == NULL)
    return code;
  sqlite3_bind_int64 (statement, 1, self->known->id);
  sqlite3_bind_int64 (statement, 2, from);
  while ((code = sqlite3_step (statement)) == SQLITE_ROW)
    {
      code = take_row (self, statement);
      if (code != SQLITE_OK)
        return code;
    }
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* Brings @known and the scan up to what the file says. */
static int
catch_up (Assignment *self, guint generation)
{
  PostbagMaildirIdentity found;
  guint32 from = 1;
  int code = read_mailbox (self, &found);
  gboolean same = found.id == self->known->id && found.uid_validity == self->known->uid_validity
                  && generation == self->known->generation;

  if (code != SQLITE_OK || (same && found.uid_next == self->known->uid_next))
    return code;
  if (same)
    from = self->known->uid_next;
  else
    {
      forget_uids (self->scan);
      self->loaded_all = TRUE;
    }
  *self->known = found;
  self->known->generation = generation;
  return found.id != 0 ? load_rows (self, from) : SQLITE_OK;
}

/* --- giving UIDs --- */

typedef struct
{
  gint64 time;
  guint32 index;
} Arrival;

static gint64
get_arrival_time (Assignment *self, const PostbagMaildirEntry *entry)
{
  const char *name = postbag_maildir_scan_get_name (self->scan, entry);
  gint64 time = postbag_maildir_get_delivery_time (name, entry->base_length);
  int folder = entry->in_new ? self->mailbox->fresh : self->mailbox->current;
  struct stat facts;

  if (time >= 0)
    return time;
  if (fstatat (folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
    return 0;
  return facts.st_mtim.tv_sec * G_USEC_PER_SEC + facts.st_mtim.tv_nsec / 1000;
}

static int
compare_arrivals (gconstpointer a, gconstpointer b, gpointer data)
{
  const Arrival *first = a, *second = b;
  PostbagMaildirScan *scan = data;

  if (first->time != second->time)
    return first->time < second->time ? -1 : 1;
  return strcmp (postbag_maildir_scan_get_name (scan, &scan->entries[first->index]),
                 postbag_maildir_scan_get_name (scan, &scan->entries[second->index]));
}

static GArray *
collect_arrivals (Assignment *self)
{
  GArray *arrivals = g_array_new (FALSE, FALSE, sizeof (Arrival));

  for (guint i = 0; i < self->scan->n_entries; i++)
    if (self->scan->entries[i].uid == 0)
      {
        Arrival arrival = { get_arrival_time (self, &self->scan->entries[i]), i };

        g_array_append_val (arrivals, arrival);
      }
  g_array_sort_with_data (arrivals, compare_arrivals, self->scan);
  return arrivals;
}

/* A message that came back has its row still. */
static int
find_rows (Assignment *self)
{
  int code = SQLITE_OK;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database, "SELECT uid FROM messages WHERE mailbox = ?1 AND base = ?2", &code);

  for (guint i = 0; i < self->scan->n_entries && statement != NULL; i++)
    {
      PostbagMaildirEntry *entry = &self->scan->entries[i];
      gint64 uid;

      if (entry->uid != 0)
        continue;
      sqlite3_bind_int64 (statement, 1, self->known->id);
      bind_base (statement, 2, postbag_maildir_scan_get_name (self->scan, entry),
                 entry->base_length);
      code = sqlite3_step (statement);
      uid = code == SQLITE_ROW ? sqlite3_column_int64 (statement, 0) : 0;
      sqlite3_reset (statement);
      if (code != SQLITE_ROW && code != SQLITE_DONE)
        return code;
      if (uid < 0 || uid >= self->known->uid_next)
        return SQLITE_CORRUPT;
      entry->uid = (guint32)uid;
      code = SQLITE_OK;
    }
  return code;
}

static int
rename_row (Assignment *self, sqlite3_stmt *row, PostbagMaildirEntry *entry)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database, "UPDATE messages SET base = ?3 WHERE mailbox = ?1 AND base = ?2", &code);

  if (statement == NULL)
    return code;
  sqlite3_bind_int64 (statement, 1, self->known->id);
  bind_base (statement, 2, sqlite3_column_blob (row, 0), (gsize)sqlite3_column_bytes (row, 0));
  bind_base (statement, 3, postbag_maildir_scan_get_name (self->scan, entry), entry->base_length);
  code = sqlite3_step (statement);
  if (code != SQLITE_DONE)
    return code;
  entry->uid = (guint32)sqlite3_column_int64 (row, 1);
  return SQLITE_OK;
}

/* mbsync adds `,U=<number>` to the base name of a message that it has met, changes the number when
 * its own UIDs start over, and others take it away when they move a message on. The message is the
 * same, when the old name is gone. */
static int
find_stem (Assignment *self, sqlite3_stmt *statement, PostbagMaildirEntry *entry)
{
  const char *name = postbag_maildir_scan_get_name (self->scan, entry);
  gsize stem = postbag_maildir_get_stem_length (name, entry->base_length);
  g_autofree char *low = NULL, *high = NULL;
  int code = SQLITE_OK;

  if (stem == 0)
    return SQLITE_OK;
  low = g_strdup_printf ("%.*s,U=", (int)stem, name);
  high = g_strdup_printf ("%.*s,U>", (int)stem, name);
  sqlite3_bind_int64 (statement, 1, self->known->id);
  bind_base (statement, 2, name, stem);
  bind_base (statement, 3, low, strlen (low));
  bind_base (statement, 4, high, strlen (high));
  while (entry->uid == 0 && (code = sqlite3_step (statement)) == SQLITE_ROW)
    {
      const char *base = sqlite3_column_blob (statement, 0);
      gsize length = (gsize)sqlite3_column_bytes (statement, 0);

      if (base != NULL && postbag_maildir_get_stem_length (base, length) == stem
          && postbag_maildir_scan_find (self->scan, base, length) == NULL)
        code = rename_row (self, statement, entry);
      if (code != SQLITE_ROW && code != SQLITE_OK)
        break;
    }
  sqlite3_reset (statement);
  return code == SQLITE_DONE || code == SQLITE_ROW ? SQLITE_OK : code;
}

static int
find_stems (Assignment *self)
{
  int code = SQLITE_OK;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database,
      "SELECT base, uid FROM messages WHERE mailbox = ?1 AND base = ?2 UNION ALL "
      "SELECT base, uid FROM messages WHERE mailbox = ?1 AND base > ?3 AND base < ?4",
      &code);

  for (guint i = 0; i < self->scan->n_entries && code == SQLITE_OK; i++)
    if (self->scan->entries[i].uid == 0)
      code = find_stem (self, statement, &self->scan->entries[i]);
  return code;
}

static int
insert_arrivals (Assignment *self)
{
  g_autoptr (GArray) arrivals = collect_arrivals (self);
  int code = SQLITE_OK;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (
      self->database, "INSERT INTO messages (mailbox, base, uid) VALUES (?1, ?2, ?3)", &code);

  for (guint i = 0; i < arrivals->len && statement != NULL; i++)
    {
      PostbagMaildirEntry *entry = &self->scan->entries[g_array_index (arrivals, Arrival, i).index];

      entry->uid = self->known->uid_next++;
      sqlite3_bind_int64 (statement, 1, self->known->id);
      bind_base (statement, 2, postbag_maildir_scan_get_name (self->scan, entry),
                 entry->base_length);
      sqlite3_bind_int64 (statement, 3, entry->uid);
      code = sqlite3_step (statement);
      sqlite3_reset (statement);
      if (code != SQLITE_DONE)
        return code;
      code = SQLITE_OK;
    }
  return code;
}

/* --- what is gone --- */

static int
prune (Assignment *self)
{
  int code;
  g_autoptr (sqlite3_stmt) all = postbag_maildir_database_prepare (
      self->database, "SELECT base FROM messages WHERE mailbox = ?1", &code);
  g_autoptr (sqlite3_stmt) drop = postbag_maildir_database_prepare (
      self->database, "DELETE FROM messages WHERE mailbox = ?1 AND base = ?2", &code);
  g_autoptr (GPtrArray) dead = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);

  if (all == NULL || drop == NULL)
    return code;
  sqlite3_bind_int64 (all, 1, self->known->id);
  while ((code = sqlite3_step (all)) == SQLITE_ROW)
    {
      const char *base = sqlite3_column_blob (all, 0);
      gsize length = (gsize)sqlite3_column_bytes (all, 0);

      if (postbag_maildir_scan_find (self->scan, base, length) == NULL)
        g_ptr_array_add (dead, g_bytes_new (base, length));
    }
  for (guint i = 0; i < dead->len && code == SQLITE_DONE; i++)
    {
      gsize length;
      const char *base = g_bytes_get_data (g_ptr_array_index (dead, i), &length);

      sqlite3_bind_int64 (drop, 1, self->known->id);
      bind_base (drop, 2, base, length);
      code = sqlite3_step (drop);
      sqlite3_reset (drop);
    }
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static gboolean
should_prune (const Assignment *self)
{
  return self->loaded_all && self->n_dead > self->scan->n_entries + DEAD_ROWS_KEPT
         && self->scan->still
         && postbag_maildir_stamps_are_settled (&self->scan->stamps, self->scan->started_ns);
}

/* --- the transaction --- */

/* All UIDs of this mailbox are used up, or it is another one under the same name. */
static int
start_over (Assignment *self)
{
  static const char *const drops[] = { "DELETE FROM messages WHERE mailbox = ?1",
                                       "DELETE FROM places WHERE mailbox = ?1" };
  guint generation = self->known->generation;
  int code = SQLITE_DONE;

  for (gsize i = 0; i < G_N_ELEMENTS (drops) && code == SQLITE_DONE; i++)
    {
      g_autoptr (sqlite3_stmt) statement =
          postbag_maildir_database_prepare (self->database, drops[i], &code);

      if (statement == NULL)
        return code;
      sqlite3_bind_int64 (statement, 1, self->known->id);
      code = sqlite3_step (statement);
    }
  if (code != SQLITE_DONE)
    return code;
  forget_uids (self->scan);
  self->has_place = FALSE;
  code = create_mailbox (self, self->known);
  self->known->generation = generation;
  return code;
}

static gboolean
has_to_start_over (const Assignment *self)
{
  if (self->known->uid_next > G_MAXUINT32 - 1 - count_unknown (self->scan))
    return TRUE;
  return self->has_place && !is_in_place (self) && !holds_the_same (self);
}

static int
write_rows (Assignment *self, guint generation)
{
  gboolean had_rows;
  int code = catch_up (self, generation);

  if (code == SQLITE_OK)
    code = read_place (self);
  if (code == SQLITE_OK && self->known->id == 0)
    {
      code = create_mailbox (self, self->known);
      self->known->generation = generation;
    }
  had_rows = self->known->uid_next > 1;
  if (code == SQLITE_OK && had_rows)
    code = find_rows (self);
  if (code == SQLITE_OK && had_rows)
    code = find_stems (self);
  if (code == SQLITE_OK && has_to_start_over (self))
    code = start_over (self);
  if (code == SQLITE_OK && !is_in_place (self))
    code = write_place (self);
  if (code == SQLITE_OK)
    code = insert_arrivals (self);
  if (code == SQLITE_OK && should_prune (self))
    code = prune (self);
  return code == SQLITE_OK ? write_next (self) : code;
}

static int
compare_uids (gconstpointer a, gconstpointer b)
{
  guint32 first = *(const guint32 *)a, second = *(const guint32 *)b;

  return first < second ? -1 : first > second;
}

/* The table cannot promise it without a second index; a damaged one shows here. */
static gboolean
are_unique (const PostbagMaildirScan *scan)
{
  g_autofree guint32 *uids = g_new (guint32, scan->n_entries + 1);

  for (guint i = 0; i < scan->n_entries; i++)
    uids[i] = scan->entries[i].uid;
  qsort (uids, scan->n_entries, sizeof *uids, compare_uids);
  for (guint i = 1; i < scan->n_entries; i++)
    if (uids[i] == uids[i - 1])
      return FALSE;
  return TRUE;
}

int
postbag_maildir_uid_rows_assign (sqlite3 *database, guint generation, const char *key,
                                 const PostbagMaildirOpen *mailbox, PostbagMaildirIdentity *known,
                                 PostbagMaildirScan *scan)
{
  Assignment self = { database, key, mailbox, known, scan, FALSE, 0, FALSE, { 0 } };
  int code = postbag_maildir_database_run (database, "BEGIN");

  if (code == SQLITE_OK)
    code = catch_up (&self, generation);
  if (code == SQLITE_OK)
    code = read_place (&self);
  postbag_maildir_database_run (database, "COMMIT");
  if (code == SQLITE_OK
      && (known->id == 0 || count_unknown (scan) > 0 || should_prune (&self)
          || !is_in_place (&self)))
    {
      code = postbag_maildir_database_run (database, "BEGIN IMMEDIATE");
      if (code == SQLITE_OK)
        code = write_rows (&self, generation);
      if (code == SQLITE_OK)
        code = postbag_maildir_database_run (database, "COMMIT");
      if (code != SQLITE_OK)
        postbag_maildir_database_run (database, "ROLLBACK");
    }
  /* Another process may have given the uid that we remember to the message's next name. */
  if (code == SQLITE_OK && !are_unique (scan))
    code = self.loaded_all ? SQLITE_CORRUPT : POSTBAG_MAILDIR_UID_ROWS_AGAIN;
  if (code != SQLITE_OK)
    memset (known, 0, sizeof *known);
  return code;
}

/* --- mailboxes that get another name --- */

static int
run_with_keys (sqlite3 *database, const char *sql, const char *first, const char *second)
{
  int code;
  g_autoptr (sqlite3_stmt) statement = postbag_maildir_database_prepare (database, sql, &code);

  if (statement == NULL)
    return code;
  bind_base (statement, 1, first, strlen (first));
  if (second != NULL)
    bind_base (statement, 2, second, strlen (second));
  code = sqlite3_step (statement);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int
drop_mailbox (sqlite3 *database, const char *key)
{
  int code = run_with_keys (database,
                            "DELETE FROM messages WHERE mailbox IN "
                            "(SELECT id FROM mailboxes WHERE directory = ?1)",
                            key, NULL);

  if (code == SQLITE_OK)
    code = run_with_keys (database,
                          "DELETE FROM places WHERE mailbox IN "
                          "(SELECT id FROM mailboxes WHERE directory = ?1)",
                          key, NULL);
  if (code == SQLITE_OK)
    code = run_with_keys (database, "DELETE FROM mailboxes WHERE directory = ?1", key, NULL);
  return code;
}

int
postbag_maildir_uid_rows_rename (sqlite3 *database, const char *key, const char *new_key)
{
  int code = postbag_maildir_database_run (database, "BEGIN IMMEDIATE");

  if (code != SQLITE_OK)
    return code;
  code = drop_mailbox (database, new_key != NULL ? new_key : key);
  if (code == SQLITE_OK && new_key != NULL)
    code = run_with_keys (database, "UPDATE mailboxes SET directory = ?2 WHERE directory = ?1", key,
                          new_key);
  if (code == SQLITE_OK)
    code = postbag_maildir_database_run (database, "COMMIT");
  if (code != SQLITE_OK)
    postbag_maildir_database_run (database, "ROLLBACK");
  return code;
}
