/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-database.h"
#include "postbag-maildir-scan.h"
#include "postbag-maildir-uid-map.h"

#include "scratch.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>

typedef struct
{
  Scratch *scratch;
  PostbagMaildirUidMap *map;
  PostbagMaildirIdentity known;
  PostbagMaildirOpen folder;
} Fixture;

static void
open_map (Fixture *fixture)
{
  g_clear_pointer (&fixture->map, postbag_maildir_uid_map_free);
  memset (&fixture->known, 0, sizeof fixture->known);
  fixture->map = postbag_maildir_uid_map_open (fixture->scratch->state);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  int root;

  fixture->scratch = scratch_new ();
  root = open (fixture->scratch->mail, O_RDONLY | O_DIRECTORY);
  fixture->folder = (PostbagMaildirOpen)POSTBAG_MAILDIR_OPEN_INIT;
  g_assert_true (postbag_maildir_open_mailbox (root, "", "INBOX", &fixture->folder, NULL));
  close (root);
  open_map (fixture);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  postbag_maildir_open_clear (&fixture->folder);
  g_clear_pointer (&fixture->map, postbag_maildir_uid_map_free);
  scratch_free (fixture->scratch);
}

static PostbagMaildirScan *
make_scan (const char *const *names)
{
  PostbagMaildirScan *scan = postbag_maildir_scan_new ();

  for (; *names != NULL; names++)
    g_assert_true (postbag_maildir_scan_add (scan, *names, FALSE));
  return scan;
}

/* A new process's view: nothing known, these files there. */
static PostbagMaildirScan *
assign_afresh (Fixture *fixture, const char *const *names)
{
  PostbagMaildirScan *scan = make_scan (names);

  memset (&fixture->known, 0, sizeof fixture->known);
  g_assert_true (postbag_maildir_uid_map_assign (fixture->map, "", &fixture->folder,
                                                 &fixture->known, scan, NULL));
  return scan;
}

static guint32
get_uid (PostbagMaildirScan *scan, const char *base)
{
  return postbag_maildir_scan_find (scan, base, strlen (base))->uid;
}

/* By delivery time, then microseconds, then name; the order of the listing does not count. */
static void
test_order (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "20.b.h:2,S", "3.a.h", "20.M7P1.h", "20.a.h:2,", NULL };
  g_autoptr (PostbagMaildirScan) scan = assign_afresh (fixture, names);

  g_assert_cmpuint (get_uid (scan, "3.a.h"), ==, 1);
  g_assert_cmpuint (get_uid (scan, "20.a.h"), ==, 2);
  g_assert_cmpuint (get_uid (scan, "20.b.h"), ==, 3);
  g_assert_cmpuint (get_uid (scan, "20.M7P1.h"), ==, 4);
  g_assert_cmpuint (fixture->known.uid_next, ==, 5);
}

/* Names that tell no time go by the file's. */
static void
test_order_by_mtime (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "aaa", "bbb", "100.x.h", NULL };
  g_autoptr (PostbagMaildirScan) scan = NULL;
  struct timespec late[2] = { { 200, 0 }, { 200, 0 } }, early[2] = { { 50, 0 }, { 50, 0 } };

  for (gsize i = 0; names[i] != NULL; i++)
    put (fixture->scratch, "cur", names[i], "");
  g_assert_cmpint (utimensat (fixture->folder.current, "aaa", late, 0), ==, 0);
  g_assert_cmpint (utimensat (fixture->folder.current, "bbb", early, 0), ==, 0);
  scan = assign_afresh (fixture, names);
  g_assert_cmpuint (get_uid (scan, "bbb"), ==, 1);
  g_assert_cmpuint (get_uid (scan, "100.x.h"), ==, 2);
  g_assert_cmpuint (get_uid (scan, "aaa"), ==, 3);
}

static void
test_stable_and_never_reused (Fixture *fixture, gconstpointer data)
{
  static const char *const first[] = { "1.a.h", "2.a.h", "3.a.h", NULL };
  static const char *const second[] = { "1.a.h", "0.late.h", NULL };
  static const char *const third[] = { "3.a.h", NULL };
  g_autoptr (PostbagMaildirScan) one = assign_afresh (fixture, first);
  guint32 uid_validity = fixture->known.uid_validity;
  g_autoptr (PostbagMaildirScan) two = NULL;
  g_autoptr (PostbagMaildirScan) three = NULL;

  open_map (fixture);
  two = assign_afresh (fixture, second);
  g_assert_cmpuint (fixture->known.uid_validity, ==, uid_validity);
  g_assert_cmpuint (get_uid (two, "1.a.h"), ==, 1);
  g_assert_cmpuint (get_uid (two, "0.late.h"), ==, 4);
  three = assign_afresh (fixture, third);
  g_assert_cmpuint (get_uid (three, "3.a.h"), ==, 3); /* it came back */
  g_assert_cmpuint (fixture->known.uid_next, ==, 5);
}

/* mbsync renames a message when it has met it, and again when its own numbers start over; who moves
 * a message on for mbsync takes the mark away. */
static void
test_mbsync_mark (Fixture *fixture, gconstpointer data)
{
  static const char *const before[] = { "1.a.h", "2.a.h", NULL };
  static const char *const after[] = { "1.a.h,U=7", "2.a.h", "2.a.h,U=8", NULL };
  static const char *const again[] = { "1.a.h,U=1", "2.a.h", "2.a.h,U=8", NULL };
  static const char *const unmarked[] = { "1.a.h", "2.a.h", "2.a.h,U=8", NULL };
  g_autoptr (PostbagMaildirScan) one = assign_afresh (fixture, before);
  g_autoptr (PostbagMaildirScan) two = assign_afresh (fixture, after);
  g_autoptr (PostbagMaildirScan) three = NULL;
  g_autoptr (PostbagMaildirScan) four = NULL;

  g_assert_cmpuint (get_uid (two, "1.a.h,U=7"), ==, 1);
  g_assert_cmpuint (get_uid (two, "2.a.h"), ==, 2);
  g_assert_cmpuint (get_uid (two, "2.a.h,U=8"), ==, 3); /* both are there: two messages */
  three = assign_afresh (fixture, again);
  g_assert_cmpuint (get_uid (three, "1.a.h,U=1"), ==, 1);
  four = assign_afresh (fixture, unmarked);
  g_assert_cmpuint (get_uid (four, "1.a.h"), ==, 1);
  g_assert_cmpuint (get_uid (four, "2.a.h,U=8"), ==, 3);
}

/* offlineimap's number stands inside a name that never changes: another name, another message. */
static void
test_offlineimap_mark (Fixture *fixture, gconstpointer data)
{
  static const char *const before[] = { "1.a.h,U=7,FMD5=0a", NULL };
  static const char *const after[] = { "1.a.h", NULL };
  g_autoptr (PostbagMaildirScan) one = assign_afresh (fixture, before);
  g_autoptr (PostbagMaildirScan) two = assign_afresh (fixture, after);

  g_assert_cmpuint (get_uid (one, "1.a.h,U=7,FMD5=0a"), ==, 1);
  g_assert_cmpuint (get_uid (two, "1.a.h"), ==, 2);
}

static void
test_odd_names (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "1.a\n.h", "1.\xff\xfe.h", "1.a'\";--.h", NULL };
  g_autoptr (PostbagMaildirScan) one = assign_afresh (fixture, names);
  g_autoptr (PostbagMaildirScan) two = NULL;

  open_map (fixture);
  two = assign_afresh (fixture, names);
  for (gsize i = 0; names[i] != NULL; i++)
    g_assert_cmpuint (get_uid (one, names[i]), ==, get_uid (two, names[i]));
  g_assert_cmpuint (fixture->known.uid_next, ==, 4);
}

/* Two processes, each with its own idea of what is there, and one file. */
static void
test_two_maps_agree (Fixture *fixture, gconstpointer data)
{
  static const char *const first[] = { "1.a.h", NULL };
  static const char *const both[] = { "1.a.h", "2.a.h", "3.a.h", NULL };
  g_autoptr (PostbagMaildirUidMap) other = postbag_maildir_uid_map_open (fixture->scratch->state);
  PostbagMaildirIdentity other_known = { 0 };
  g_autoptr (PostbagMaildirScan) mine = assign_afresh (fixture, first);
  g_autoptr (PostbagMaildirScan) theirs = make_scan (both);
  g_autoptr (PostbagMaildirScan) mine_again = make_scan (both);

  g_assert_true (postbag_maildir_uid_map_is_current (fixture->map, &fixture->known));
  g_assert_true (
      postbag_maildir_uid_map_assign (other, "", &fixture->folder, &other_known, theirs, NULL));
  g_assert_cmpuint (other_known.uid_validity, ==, fixture->known.uid_validity);
  g_assert_false (postbag_maildir_uid_map_is_current (fixture->map, &fixture->known));

  postbag_maildir_scan_find (mine_again, "1.a.h", 5)->uid = get_uid (mine, "1.a.h");
  g_assert_true (postbag_maildir_uid_map_assign (fixture->map, "", &fixture->folder,
                                                 &fixture->known, mine_again, NULL));
  for (gsize i = 0; both[i] != NULL; i++)
    g_assert_cmpuint (get_uid (mine_again, both[i]), ==, get_uid (theirs, both[i]));
}

/* The other process has seen the message under its next name only, we see both: no damage, and no
 * reason to give all uids anew. */
static void
test_two_maps_disagree (Fixture *fixture, gconstpointer data)
{
  static const char *const first[] = { "1.a.h,U=1", NULL };
  static const char *const renamed[] = { "1.a.h,U=2", NULL };
  static const char *const both[] = { "1.a.h,U=1", "1.a.h,U=2", NULL };
  g_autoptr (PostbagMaildirUidMap) other = postbag_maildir_uid_map_open (fixture->scratch->state);
  PostbagMaildirIdentity other_known = { 0 };
  g_autoptr (PostbagMaildirScan) mine = assign_afresh (fixture, first);
  g_autoptr (PostbagMaildirScan) theirs = make_scan (renamed);
  g_autoptr (PostbagMaildirScan) mine_again = make_scan (both);
  guint32 uid_validity = fixture->known.uid_validity;

  g_assert_true (
      postbag_maildir_uid_map_assign (other, "", &fixture->folder, &other_known, theirs, NULL));
  g_assert_cmpuint (get_uid (theirs, "1.a.h,U=2"), ==, 1);
  postbag_maildir_scan_find (mine_again, first[0], strlen (first[0]))->uid =
      get_uid (mine, first[0]);
  g_assert_true (postbag_maildir_uid_map_assign (fixture->map, "", &fixture->folder,
                                                 &fixture->known, mine_again, NULL));
  g_assert_cmpuint (fixture->known.uid_validity, ==, uid_validity);
  g_assert_cmpuint (get_uid (mine_again, "1.a.h,U=2"), ==, 1);
  g_assert_cmpuint (get_uid (mine_again, "1.a.h,U=1"), ==, 2);
}

static void
spoil_file (Fixture *fixture, const char *bytes, gsize at)
{
  g_autofree char *path = g_build_filename (fixture->scratch->state, "uids.sqlite", NULL);
  int fd = open (path, O_WRONLY);

  g_assert_cmpint (pwrite (fd, bytes, strlen (bytes), (off_t)at), ==, (gssize)strlen (bytes));
  close (fd);
}

static void
test_damaged (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "1.a.h", "2.a.h", NULL };
  g_autoptr (PostbagMaildirScan) one = assign_afresh (fixture, names);
  g_autoptr (PostbagMaildirScan) two = NULL;
  guint32 uid_validity = fixture->known.uid_validity;
  g_autofree char *warning = NULL;

  g_clear_pointer (&fixture->map, postbag_maildir_uid_map_free);
  spoil_file (fixture, "this is not a database at all", 0);
  g_test_expect_message ("postbag-maildir", G_LOG_LEVEL_WARNING, "*damaged*");
  open_map (fixture);
  g_test_assert_expected_messages ();
  two = assign_afresh (fixture, names);
  g_assert_cmpuint (fixture->known.uid_validity, !=, uid_validity);
  g_assert_cmpuint (get_uid (two, "2.a.h"), ==, 2);
  warning = postbag_maildir_uid_map_dup_warning (fixture->map);
  g_assert_nonnull (warning);
  g_assert_true (postbag_maildir_uid_map_is_lasting (fixture->map));
}

static void
run_sql (Fixture *fixture, const char *sql)
{
  g_autofree char *path = g_build_filename (fixture->scratch->state, "uids.sqlite", NULL);
  sqlite3 *database = NULL;

  g_assert_cmpint (sqlite3_open (path, &database), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (database, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (database);
}

/* A file that SQLite finds in order, with contents that cannot be. */
static void
test_nonsense (Fixture *fixture, gconstpointer data)
{
  static const char *const statements[] = {
    "UPDATE messages SET uid = 1",
    "UPDATE messages SET uid = -5",
    "UPDATE messages SET uid = 4000000000",
    "UPDATE mailboxes SET uid_next = 0",
    "UPDATE mailboxes SET uid_validity = 99999999999",
    "UPDATE messages SET base = zeroblob(1000) WHERE uid = 1",
    "DROP TABLE messages",
    "DROP TABLE mailboxes; CREATE TABLE mailboxes (id INTEGER PRIMARY KEY)",
  };
  static const char *const names[] = { "1.a.h", "2.a.h", NULL };

  for (gsize i = 0; i < G_N_ELEMENTS (statements); i++)
    {
      g_autoptr (PostbagMaildirScan) one = assign_afresh (fixture, names);
      g_autoptr (PostbagMaildirScan) two = NULL;
      guint32 uid_validity = fixture->known.uid_validity;

      g_test_message ("%s", statements[i]);
      run_sql (fixture, statements[i]);
      g_test_expect_message ("postbag-maildir", G_LOG_LEVEL_WARNING, "*damaged*");
      two = assign_afresh (fixture, names);
      g_test_assert_expected_messages ();
      g_assert_cmpuint (fixture->known.uid_validity, !=, uid_validity);
      g_assert_cmpuint (get_uid (two, "1.a.h"), ==, 1);
      g_assert_cmpuint (get_uid (two, "2.a.h"), ==, 2);
    }
}

/* The other process notices that a new file took the place of the one it has open. */
static void
test_replaced (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "1.a.h", NULL };
  g_autoptr (PostbagMaildirUidMap) other = postbag_maildir_uid_map_open (fixture->scratch->state);
  g_autoptr (PostbagMaildirScan) one = assign_afresh (fixture, names);
  g_autoptr (PostbagMaildirScan) two = make_scan (names);
  g_autoptr (PostbagMaildirScan) three = make_scan (names);
  PostbagMaildirIdentity other_known = { 0 };
  PostbagMaildirIdentity old = fixture->known;

  run_sql (fixture, "DROP TABLE messages");
  g_test_expect_message ("postbag-maildir", G_LOG_LEVEL_WARNING, "*damaged*");
  g_assert_true (
      postbag_maildir_uid_map_assign (other, "", &fixture->folder, &other_known, two, NULL));
  g_test_assert_expected_messages ();
  g_assert_false (postbag_maildir_uid_map_is_current (fixture->map, &old));
  g_assert_true (postbag_maildir_uid_map_assign (fixture->map, "", &fixture->folder,
                                                 &fixture->known, three, NULL));
  g_assert_cmpuint (fixture->known.uid_validity, ==, other_known.uid_validity);
  g_assert_cmpuint (fixture->known.uid_validity, !=, old.uid_validity);
}

static void
test_newer_version (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "1.a.h", NULL };
  g_autoptr (PostbagMaildirScan) scan = NULL;

  run_sql (fixture, "PRAGMA user_version = 2");
  g_test_expect_message ("postbag-maildir", G_LOG_LEVEL_WARNING, "*newer Postbag*");
  open_map (fixture);
  g_test_assert_expected_messages ();
  g_assert_false (postbag_maildir_uid_map_is_lasting (fixture->map));
  scan = assign_afresh (fixture, names);
  g_assert_cmpuint (get_uid (scan, "1.a.h"), ==, 1);
}

static void
test_no_state (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "1.a.h", NULL };
  g_autoptr (PostbagMaildirScan) scan = NULL;
  g_autofree char *warning = NULL;

  g_clear_pointer (&fixture->map, postbag_maildir_uid_map_free);
  g_test_expect_message ("postbag-maildir", G_LOG_LEVEL_WARNING, "*valid only until*");
  fixture->map = postbag_maildir_uid_map_open ("/proc/no-such-folder");
  g_test_assert_expected_messages ();
  scan = assign_afresh (fixture, names);
  g_assert_cmpuint (get_uid (scan, "1.a.h"), ==, 1);
  warning = postbag_maildir_uid_map_dup_warning (fixture->map);
  g_assert_nonnull (strstr (warning, "POSTBAG_STATE_DIR"));
  g_assert_false (postbag_maildir_uid_map_is_lasting (fixture->map));
}

/* A file that may not grow stands for a disk that is full. */
static void
test_full_disk (Fixture *fixture, gconstpointer data)
{
  static const char *const first[] = { "1.a.h", NULL };
  static const char *const second[] = { "1.a.h", "2.a.h", NULL };
  g_autoptr (PostbagMaildirScan) one = assign_afresh (fixture, first);
  g_autoptr (PostbagMaildirScan) two = NULL;
  guint32 uid_validity = fixture->known.uid_validity;
  struct rlimit before, tight;

  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  tight = before;
  tight.rlim_cur = 1;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &tight), ==, 0);
  g_test_expect_message ("postbag-maildir", G_LOG_LEVEL_WARNING, "*valid only until*");
  two = assign_afresh (fixture, second);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_test_assert_expected_messages ();
  g_assert_false (postbag_maildir_uid_map_is_lasting (fixture->map));
  g_assert_cmpuint (fixture->known.uid_validity, !=, uid_validity);
  g_assert_cmpuint (get_uid (two, "1.a.h"), ==, 1);
  g_assert_cmpuint (get_uid (two, "2.a.h"), ==, 2);
}

static void
test_uids_used_up (Fixture *fixture, gconstpointer data)
{
  static const char *const first[] = { "1.a.h", NULL };
  static const char *const second[] = { "1.a.h", "2.a.h", NULL };
  g_autoptr (PostbagMaildirScan) one = assign_afresh (fixture, first);
  g_autoptr (PostbagMaildirScan) two = NULL;
  guint32 uid_validity = fixture->known.uid_validity;

  run_sql (fixture, "UPDATE mailboxes SET uid_next = 4294967295");
  two = assign_afresh (fixture, second);
  g_assert_cmpuint (fixture->known.uid_validity, !=, uid_validity);
  g_assert_cmpuint (get_uid (two, "1.a.h"), ==, 1);
  g_assert_cmpuint (get_uid (two, "2.a.h"), ==, 2);
  g_assert_cmpuint (fixture->known.uid_next, ==, 3);
}

#define ADD(name, function)                                                                        \
  g_test_add ("/maildir/uid-map/" name, Fixture, NULL, set_up, function, tear_down)

typedef struct
{
  char *path;
  int n_ready; /* atomic */
} Beside;

static gpointer
open_beside (gpointer data)
{
  Beside *beside = data;
  sqlite3 *database = NULL;
  int code;

  g_atomic_int_inc (&beside->n_ready);
  while (g_atomic_int_get (&beside->n_ready) < 3)
    g_thread_yield ();
  code = postbag_maildir_database_open (beside->path, "CREATE TABLE t (a);", 1, TRUE, &database);
  sqlite3_close (database);
  return GINT_TO_POINTER (code);
}

/* Several processes make the same file at once: in one of eight tries SQLite gives up instead of
 * waiting, and the keywords would be off for as long as that process lives. */
static void
test_made_by_several (Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < 40; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.sqlite", i);
      g_autofree char *path = g_build_filename (fixture->scratch->state, name, NULL);
      Beside beside = { path, 0 };
      GThread *threads[3];

      for (guint j = 0; j < G_N_ELEMENTS (threads); j++)
        threads[j] = g_thread_new ("beside", open_beside, &beside);
      for (guint j = 0; j < G_N_ELEMENTS (threads); j++)
        g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (threads[j])), ==, SQLITE_OK);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("order", test_order);
  ADD ("order-by-mtime", test_order_by_mtime);
  ADD ("stable-and-never-reused", test_stable_and_never_reused);
  ADD ("mbsync-mark", test_mbsync_mark);
  ADD ("offlineimap-mark", test_offlineimap_mark);
  ADD ("odd-names", test_odd_names);
  ADD ("two-maps-agree", test_two_maps_agree);
  ADD ("two-maps-disagree", test_two_maps_disagree);
  ADD ("damaged", test_damaged);
  ADD ("nonsense", test_nonsense);
  ADD ("replaced", test_replaced);
  ADD ("newer-version", test_newer_version);
  ADD ("no-state", test_no_state);
  ADD ("made-by-several", test_made_by_several);
  ADD ("full-disk", test_full_disk);
  ADD ("uids-used-up", test_uids_used_up);
  return g_test_run ();
}
