/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "store-fixture.h"

/* --- a folder that others change --- */

static void
assert_subject (Fixture *fixture, guint32 uid, const char *subject)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagFetchedMessage) message =
      store->fetch_message (fixture->self, "INBOX", uid, 100000, NULL, &error);
  gsize length;
  const char *source;

  g_assert_no_error (error);
  source = g_bytes_get_data (message->source, &length);
  g_assert_nonnull (g_strstr_len (source, (gssize)length, subject));
}

static void
test_renamed (Fixture *fixture, gconstpointer data)
{
  g_autofree char *uids = NULL, *after = NULL;
  g_autoptr (PostbagSearchPage) page = NULL;

  put_three (fixture);
  settle (fixture->scratch, "cur");
  settle (fixture->scratch, "new");
  settle (fixture->scratch, "dovecot-keywords");
  uids = list_uids (fixture, NULL);
  rename_message (fixture->scratch, "new/300.a.h", "cur/300.a.h:2,S");
  rename_message (fixture->scratch, "cur/100.a.h:2,S", "cur/100.a.h:2,FS");
  assert_subject (fixture, 3, "Third");
  assert_subject (fixture, 1, "First");
  after = list_uids (fixture, NULL);
  g_assert_cmpstr (after, ==, "3 2 1");
  page = list (fixture, NULL, 0, 10);
  g_assert_cmpint (get_summary (page, 1)->flags, ==, POSTBAG_FLAG_FLAGGED | POSTBAG_FLAG_SEEN);
  g_assert_cmpint (get_summary (page, 3)->flags, ==, POSTBAG_FLAG_SEEN);
}

/* The directory's time stamp does not tell: still the rename is found, by base name. */
static void
test_renamed_behind_the_back (Fixture *fixture, gconstpointer data)
{
  g_autofree char *cur = g_build_filename (fixture->scratch->mail, "cur", NULL);
  g_autofree char *uids = NULL;
  struct stat facts;

  put_three (fixture);
  settle (fixture->scratch, "cur");
  settle (fixture->scratch, "new");
  settle (fixture->scratch, "dovecot-keywords");
  uids = list_uids (fixture, NULL);
  g_assert_cmpint (stat (cur, &facts), ==, 0);
  rename_message (fixture->scratch, "new/300.a.h", "cur/300.a.h:2,S");
  assert_subject (fixture, 3, "Third");
}

/* Amid a listing the uids are given anew: the rest of it would be lines without a subject. */
static void
test_uids_given_anew (Fixture *fixture, gconstpointer data)
{
  g_autofree char *uids = g_build_filename (fixture->scratch->state, "uids.sqlite", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagMaildirAccess) access = NULL;
  g_autoptr (GArray) items = postbag_maildir_cached_new ();
  PostbagMaildirCached item = { .uid = 1 };

  put_three (fixture);
  access = postbag_maildir_access_new (fixture->self, "INBOX", NULL, &error);
  g_assert_no_error (error);
  rename_message (fixture->scratch, "cur/100.a.h:2,S", "cur/100.a.h:2,FS");
  g_assert_cmpint (g_unlink (uids), ==, 0);
  g_array_append_val (items, item);
  g_assert_false (postbag_maildir_access_fill (access, items, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT);
}

static void
test_gone (Fixture *fixture, gconstpointer data)
{
  g_autofree char *uids = NULL, *after = NULL;

  put_three (fixture);
  uids = list_uids (fixture, NULL);
  remove_message (fixture->scratch, "cur/200.a.h:2,FRb");
  settle (fixture->scratch, "cur");
  assert_fetch_fails (fixture, "INBOX", 2, POSTBAG_ERROR_NOT_FOUND);
  after = list_uids (fixture, NULL);
  g_assert_cmpstr (after, ==, "3 1");
}

static void
test_arrival (Fixture *fixture, gconstpointer data)
{
  g_autofree char *before = NULL, *after = NULL;

  put_three (fixture);
  settle (fixture->scratch, "cur");
  settle (fixture->scratch, "new");
  before = list_uids (fixture, NULL);
  put (fixture->scratch, "tmp", "500.a.h", "half");
  put (fixture->scratch, "new", "50.late.h", PLAIN ("Late"));
  after = list_uids (fixture, NULL);
  g_assert_cmpstr (after, ==, "4 3 2 1");
}

/* One base name is one message, even while it stands in both folders. */
static void
test_seen_twice (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagSearchPage) page = NULL;

  put (fixture->scratch, "new", "300.a.h", PLAIN ("Third"));
  put (fixture->scratch, "cur", "300.a.h:2,S", PLAIN ("Third"));
  page = list (fixture, NULL, 0, 10);
  g_assert_cmpint (page->total, ==, 1);
  g_assert_cmpint (get_summary (page, 1)->flags, ==, POSTBAG_FLAG_SEEN);
}

static char *
describe_tree (Scratch *scratch)
{
  g_autofree char *command =
      g_strdup_printf ("find '%s' -printf '%%P %%s %%T@ %%C@ %%m\\n' | sort", scratch->mail);
  const char *argv[] = { "sh", "-c", command, NULL };
  char *text = NULL;

  g_assert_true (g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &text,
                               NULL, NULL, NULL));
  return text;
}

/* Nothing in the folder changes: no name, size, time stamp (but atime). */
static void
test_only_reads (Fixture *fixture, gconstpointer data)
{
  g_autofree char *before = NULL, *after = NULL, *uids = NULL;
  g_autoptr (PostbagMailboxState) state = NULL;
  g_autoptr (GPtrArray) mailboxes = NULL;
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  gint64 total;

  put_three (fixture);
  before = describe_tree (fixture->scratch);
  search->text = g_strdup ("hello");
  uids = list_uids (fixture, search);
  assert_subject (fixture, 3, "Third");
  assert_part (fixture, "2", "JVBERi0xLjQK");
  state = store->get_state (fixture->self, "INBOX", NULL, NULL);
  mailboxes = store->list_mailboxes (fixture->self, TRUE, &total, NULL, NULL);
  after = describe_tree (fixture->scratch);
  g_assert_cmpstr (before, ==, after);
  g_assert_nonnull (strstr (before, "new/300.a.h "));
}

/* --- what should not be there --- */

static void
test_odd_files (Fixture *fixture, gconstpointer data)
{
  g_autofree char *cur = g_build_filename (fixture->scratch->mail, "cur", NULL);
  int folder = open (cur, O_RDONLY | O_DIRECTORY);
  g_autoptr (PostbagSearchPage) page = NULL;
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autofree char *uids = NULL;

  put (fixture->scratch, "cur", "1.empty.h:2,", "");
  put (fixture->scratch, "cur", "2.line\nfeed.h:2,", PLAIN ("Line feed"));
  put (fixture->scratch, "cur", "3.\xff\xfe.h:2,", PLAIN ("Not UTF-8"));
  put (fixture->scratch, "cur", ".hidden", PLAIN ("Hidden"));
  put (fixture->scratch, "cur", "4.noheader.h:2,", "\n\n\n");
  put (fixture->scratch, "cur", "5.binary.h:2,", "\xff\xfe\x01Subject\n: x");
  g_assert_cmpint (mkdirat (folder, "6.folder.h:2,", 0700), ==, 0);
  g_assert_cmpint (mkfifoat (folder, "7.fifo.h:2,", 0600), ==, 0);
  g_assert_cmpint (symlinkat ("/etc/passwd", folder, "8.link.h:2,"), ==, 0);
  g_assert_cmpint (symlinkat ("1.empty.h:2,", folder, "9.link.h:2,"), ==, 0);
  page = list (fixture, NULL, 0, 100);
  g_assert_cmpint (page->total, ==, 5);
  g_assert_cmpstr (get_summary (page, 2)->subject, ==, "Line feed");
  g_assert_cmpstr (get_summary (page, 3)->subject, ==, "Not UTF-8");
  g_assert_null (get_summary (page, 1)->subject);
  search->text = g_strdup ("no such thing");
  uids = list_uids (fixture, search);
  g_assert_cmpstr (uids, ==, "");
  close (folder);
}

/* A message turns into a link or FIFO between listing and reading. */
static void
test_swapped (Fixture *fixture, gconstpointer data)
{
  g_autofree char *cur = g_build_filename (fixture->scratch->mail, "cur", NULL);
  int folder = open (cur, O_RDONLY | O_DIRECTORY);
  g_autofree char *uids = NULL;

  put (fixture->scratch, "cur", "1.a.h:2,", PLAIN ("One"));
  put (fixture->scratch, "cur", "2.a.h:2,", PLAIN ("Two"));
  settle (fixture->scratch, "cur");
  settle (fixture->scratch, "new");
  uids = list_uids (fixture, NULL);
  unlinkat (folder, "1.a.h:2,", 0);
  unlinkat (folder, "2.a.h:2,", 0);
  g_assert_cmpint (symlinkat ("/etc/passwd", folder, "1.a.h:2,"), ==, 0);
  g_assert_cmpint (mkfifoat (folder, "2.a.h:2,", 0600), ==, 0);
  settle (fixture->scratch, "cur");
  /* The same stamps again: the listing is believed, the files are looked at. */
  for (guint32 uid = 1; uid <= 2; uid++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (store->fetch_message (fixture->self, "INBOX", uid, 100, NULL, &error));
      g_assert_true (g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA)
                     || g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND));
    }
  close (folder);
}

static void
test_unreadable_message (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->scratch->mail, "cur", "100.a.h:2,S", NULL);
  g_autoptr (PostbagSearchPage) page = NULL;

  if (geteuid () == 0)
    {
      g_test_skip ("root reads everything");
      return;
    }
  put_three (fixture);
  g_assert_cmpint (chmod (path, 0), ==, 0);
  page = list (fixture, NULL, 0, 10);
  g_assert_cmpint (page->total, ==, 3);
  g_assert_null (get_summary (page, 1)->subject);
  assert_fetch_fails (fixture, "INBOX", 1, POSTBAG_ERROR_NOT_ALLOWED);
}

static void
test_no_such_mailbox (Fixture *fixture, gconstpointer data)
{
  static const char *const paths[] = { "Nope", "..", "../mail", "/etc", "INBOX/..", "cur", "." };

  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    assert_fetch_fails (fixture, paths[i], 1, POSTBAG_ERROR_NOT_FOUND);
  assert_fetch_fails (fixture, "INBOX", 1, POSTBAG_ERROR_NOT_FOUND);
  assert_fetch_fails (fixture, "INBOX", G_MAXUINT32, POSTBAG_ERROR_NOT_FOUND);
}

static void
test_new_mailbox_appears (Fixture *fixture, gconstpointer data)
{
  assert_fetch_fails (fixture, "Work", 1, POSTBAG_ERROR_NOT_FOUND);
  make_folder (fixture->scratch->mail, ".Work");
  put (fixture->scratch, ".Work/new", "1.a.h", PLAIN ("Work"));
  {
    g_autoptr (GError) error = NULL;
    g_autoptr (PostbagFetchedMessage) message =
        store->fetch_message (fixture->self, "Work", 1, 100, NULL, &error);

    g_assert_no_error (error);
  }
}

static void
remove_folder (Scratch *scratch, const char *name)
{
  g_autofree char *path = g_build_filename (scratch->mail, name, NULL);

  g_assert_cmpint (g_rmdir (path), ==, 0);
}

static void
test_broken_folders (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagSearchPage) page = NULL;
  g_autoptr (GError) error = NULL;

  put (fixture->scratch, "cur", "1.a.h:2,", PLAIN ("One"));
  remove_folder (fixture->scratch, "new");
  remove_folder (fixture->scratch, "tmp");
  page = list (fixture, NULL, 0, 10); /* both count as empty */
  g_assert_cmpint (page->total, ==, 1);

  put (fixture->scratch, ".", "new", "a file");
  assert_fetch_fails (fixture, "INBOX", 1, POSTBAG_ERROR_BAD_DATA);
  remove_message (fixture->scratch, "new");
  remove_message (fixture->scratch, "cur/1.a.h:2,");
  remove_folder (fixture->scratch, "cur");
  assert_fetch_fails (fixture, "INBOX", 1, POSTBAG_ERROR_NOT_FOUND);
  put (fixture->scratch, ".", "cur", "a file");
  assert_fetch_fails (fixture, "INBOX", 1, POSTBAG_ERROR_NOT_FOUND);
}

static void
test_broken_root (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagAccount) account = postbag_account_new ("broken", "maildir");
  g_autofree char *file = g_build_filename (fixture->scratch->root, "file", NULL);
  const char *const paths[] = { "relative/path", "/no/such/folder", file };
  static const int codes[] = { POSTBAG_ERROR_NEEDS_LOGIN, POSTBAG_ERROR_OFFLINE,
                               POSTBAG_ERROR_OFFLINE };
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (file, "", 0, NULL));
  g_assert_null (store->open (account, fixture->scratch->state, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_LOGIN);
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_clear_error (&error);
      g_free (account->path);
      account->path = g_strdup (paths[i]);
      g_assert_null (store->open (account, fixture->scratch->state, &error));
      g_assert_error (error, POSTBAG_ERROR, codes[i]);
    }
}

#define ADD(name, function)                                                                        \
  g_test_add ("/maildir/disturbed/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("renamed", test_renamed);
  ADD ("renamed-behind-the-back", test_renamed_behind_the_back);
  ADD ("uids-given-anew", test_uids_given_anew);
  ADD ("gone", test_gone);
  ADD ("arrival", test_arrival);
  ADD ("seen-twice", test_seen_twice);
  ADD ("only-reads", test_only_reads);
  ADD ("odd-files", test_odd_files);
  ADD ("swapped", test_swapped);
  ADD ("unreadable-message", test_unreadable_message);
  ADD ("no-such-mailbox", test_no_such_mailbox);
  ADD ("new-mailbox-appears", test_new_mailbox_appears);
  ADD ("broken-folders", test_broken_folders);
  ADD ("broken-root", test_broken_root);
  return g_test_run ();
}
