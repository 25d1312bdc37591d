/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Another folder under a mailbox's name is another mailbox; the same mail in another folder is not.
 */

#include "apply-fixture.h"
#include "postbag-maildir-database.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

static guint32
get_validity (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagMailboxState) state = store->get_state (fixture->self, "Archive", NULL, &error);

  g_assert_no_error (error);
  return state->uid_validity;
}

/* Archive with messages 1, 2 and 3. */
static void
put_archive (Fixture *fixture)
{
  put (fixture->scratch, "cur", "100.a.h:2,", PLAIN ("Inbox"));
  make_folder (fixture->scratch->mail, ".Archive");
  put (fixture->scratch, ".Archive/cur", "1.a.h:2,", PLAIN ("One"));
  put (fixture->scratch, ".Archive/cur", "2.a.h:2,S", PLAIN ("Two"));
  put (fixture->scratch, ".Archive/cur", "3.a.h:2,", PLAIN ("Three"));
}

/* What another program does: its own folder, with @names (parted by blanks), gets the name. */
static void
swap_archive (Fixture *fixture, const char *names)
{
  static guint n_swaps = 0;
  g_autofree char *archive = g_build_filename (fixture->scratch->mail, ".Archive", NULL);
  g_autofree char *away = g_strdup_printf ("%s/.Away%u", fixture->scratch->mail, n_swaps++);
  g_auto (GStrv) list = g_strsplit (names, " ", -1);

  g_assert_cmpint (g_rename (archive, away), ==, 0);
  make_folder (fixture->scratch->mail, ".Archive");
  for (char **name = list; *name != NULL && **name != '\0'; name++)
    put (fixture->scratch, ".Archive/cur", *name, PLAIN ("Put"));
}

/* Whether it is seen by the server that is running, and by one that starts. */
static void
assert_is_another (Fixture *fixture, guint32 before, gboolean expected)
{
  guint32 now = get_validity (fixture);

  if ((now != before) != expected)
    g_test_message ("another: %d, expected %d", now != before, expected);
  g_assert_true ((now != before) == expected);
  reopen (fixture);
  g_assert_cmpuint (get_validity (fixture), ==, now);
}

static void
test_contents (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *names;
    gboolean is_another;
  } cases[] = {
    { "1.a.h:2,F 2.a.h:2,S 3.a.h:2,", FALSE }, /* copied to another disk */
    { "1.a.h:2, 2.a.h:2,", FALSE },            /* restored: an older state */
    { "1.a.h:2, 2.a.h:2, 8.a.h:2, 9.a.h:2,", FALSE },
    { "1.a.h:2, 11.a.h:2, 12.a.h:2,", TRUE },
    { "21.a.h:2, 22.a.h:2, 23.a.h:2,", TRUE },
  };

  put_archive (fixture);
  for (gsize i = 0; i < G_N_ELEMENTS (cases) * 2; i++)
    {
      guint32 before;

      swap_archive (fixture, "1.a.h:2, 2.a.h:2,S 3.a.h:2,");
      before = get_validity (fixture);
      swap_archive (fixture, cases[i / 2].names);
      /* Every second time nobody looks on. */
      if (i % 2 == 1)
        reopen (fixture);
      assert_is_another (fixture, before, cases[i / 2].is_another);
    }
}

/* What the same mail is called stays what it was. */
static void
test_uids_stay (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagSearchPage) page = NULL;
  guint32 before;

  put_archive (fixture);
  before = get_validity (fixture);
  swap_archive (fixture, "0.a.h:2, 2.a.h:2, 3.a.h:2,F");
  assert_is_another (fixture, before, FALSE);
  page = list_in (fixture, "Archive");
  g_assert_cmpuint (page->summaries->len, ==, 3);
  g_assert_cmpint (get_summary (page, 3)->flags, ==, POSTBAG_FLAG_FLAGGED);
  g_assert_nonnull (get_summary (page, 2));
  g_assert_nonnull (get_summary (page, 4));
}

/* Somebody said yes to the first one. */
static void
test_yes_to_another (Fixture *fixture, gconstpointer data)
{
  PostbagEffect *effect = make_transfer (POSTBAG_EFFECT_MOVE, "Archive", make_uids (1, 1));

  put_archive (fixture);
  effect->destination_uid_validity = get_validity (fixture);
  swap_archive (fixture, "9.a.h:2,");
  assert_refused (fixture, effect, POSTBAG_ERROR_CONFLICT);
  assert_names (fixture, "cur", "100.a.h:2,");
  assert_names (fixture, ".Archive/cur", "9.a.h:2,");
}

static gboolean
knows_birth (const char *path)
{
  struct statx facts;

  return statx (AT_FDCWD, path, 0, STATX_BTIME, &facts) == 0 && facts.stx_mask & STATX_BTIME;
}

/* Removed and made again: the inode may be the same. */
static void
test_made_anew (Fixture *fixture, gconstpointer data)
{
  static const char *const parts[] = { "cur", "new", "tmp", "." };
  g_autofree char *archive = g_build_filename (fixture->scratch->mail, ".Archive", NULL);
  guint32 before;

  if (!knows_birth (fixture->scratch->mail))
    {
      g_test_skip ("this file system does not say when a folder was made");
      return;
    }
  make_folder (fixture->scratch->mail, ".Archive");
  before = get_validity (fixture);
  g_assert_cmpuint (get_validity (fixture), ==, before);
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *path = i + 1 < G_N_ELEMENTS (parts)
                                  ? g_build_filename (archive, parts[i], NULL)
                                  : g_strdup (archive);

      g_assert_cmpint (g_rmdir (path), ==, 0);
    }
  make_folder (fixture->scratch->mail, ".Archive");
  assert_is_another (fixture, before, TRUE);
}

/* A map that an older Postbag wrote says nothing of folders, which is no reason to start over. */
static void
test_older_map (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->scratch->state, "uids.sqlite", NULL);
  sqlite3 *database = NULL;
  guint32 before;

  put_archive (fixture);
  before = get_validity (fixture);
  g_clear_pointer (&fixture->self, store->close);
  g_assert_cmpint (sqlite3_open (path, &database), ==, SQLITE_OK);
  g_assert_cmpint (postbag_maildir_database_run (database, "DROP TABLE places"), ==, SQLITE_OK);
  sqlite3_close (database);
  swap_archive (fixture, "9.a.h:2,");
  reopen (fixture);
  assert_is_another (fixture, before, FALSE);
  swap_archive (fixture, "8.a.h:2, 7.a.h:2,");
  assert_is_another (fixture, before, TRUE);
}

/* Renamed by us: the folder goes along with its name. */
static void
test_renamed_by_us (Fixture *fixture, gconstpointer data)
{
  PostbagEffect *away = postbag_effect_new (POSTBAG_EFFECT_RENAME_MAILBOX, "Archive");
  PostbagEffect *back = postbag_effect_new (POSTBAG_EFFECT_RENAME_MAILBOX, "Old");
  guint32 before;

  put_archive (fixture);
  before = get_validity (fixture);
  away->destination = g_strdup ("Old");
  back->destination = g_strdup ("Archive");
  postbag_effect_report_free (apply (fixture, away));
  postbag_effect_report_free (apply (fixture, back));
  assert_is_another (fixture, before, FALSE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/maildir/places/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("contents", test_contents);
  ADD ("uids-stay", test_uids_stay);
  ADD ("yes-to-another", test_yes_to_another);
  ADD ("made-anew", test_made_anew);
  ADD ("older-map", test_older_map);
  ADD ("renamed-by-us", test_renamed_by_us);
  return g_test_run ();
}
