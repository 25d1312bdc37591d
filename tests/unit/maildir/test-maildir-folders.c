/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-folders.h"

#include "scratch.h"

#include <string.h>

static PostbagMaildirFolders *
scan (Scratch *scratch)
{
  int root = open (scratch->mail, O_RDONLY | O_DIRECTORY);
  PostbagMaildirFolders *folders = postbag_maildir_folders_scan (root, NULL, NULL);

  close (root);
  g_assert_nonnull (folders);
  return folders;
}

static char *
list_paths (PostbagMaildirFolders *folders)
{
  GString *paths = g_string_new (NULL);

  for (guint i = 0; i < folders->list->len; i++)
    {
      const PostbagMaildirFolder *folder = g_ptr_array_index (folders->list, i);

      g_string_append_printf (paths, "%s%s=%s", i > 0 ? "|" : "", folder->path, folder->directory);
    }
  return g_string_free (paths, FALSE);
}

static void
test_maildir_plus_plus (void)
{
  g_autoptr (Scratch) scratch = scratch_new ();
  g_autoptr (PostbagMaildirFolders) folders = NULL;
  g_autofree char *paths = NULL, *no_mail = NULL, *link = NULL;

  make_folder (scratch->mail, ".Archive.2024");
  make_folder (scratch->mail, ".Entw&APw-rfe");
  make_folder (scratch->mail, ".Caf\xc3\xa9");
  make_folder (scratch->mail, ".a..b");
  no_mail = g_build_filename (scratch->mail, ".notmuch", "xapian", NULL);
  g_mkdir_with_parents (no_mail, 0700);
  link = g_build_filename (scratch->mail, ".Loop", NULL);
  g_assert_cmpint (symlink (".", link), ==, 0);
  folders = scan (scratch);
  paths = list_paths (folders);
  g_assert_cmpstr (paths, ==,
                   "INBOX=|Archive/2024=.Archive.2024|Caf\xc3\xa9=.Caf\xc3\xa9|"
                   "Entw\xc3\xbcrfe=.Entw&APw-rfe");
}

/* mbsync's Verbatim: the root holds no mail itself. */
static void
test_nested (void)
{
  g_autoptr (Scratch) scratch = scratch_new ();
  g_autoptr (PostbagMaildirFolders) folders = NULL;
  g_autofree char *paths = NULL, *cur = g_build_filename (scratch->mail, "cur", NULL);

  g_rmdir (cur);
  make_folder (scratch->mail, "Inbox");
  make_folder (scratch->mail, "Archive/2024");
  make_folder (scratch->mail, "Sent");
  folders = scan (scratch);
  paths = list_paths (folders);
  g_assert_cmpstr (paths, ==, "INBOX=Inbox|Archive/2024=Archive/2024|Sent=Sent");
  g_assert_nonnull (postbag_maildir_folders_find (folders, "inbox"));
  g_assert_null (postbag_maildir_folders_find (folders, "sent"));
}

/* No path leads out: only what the scan saw is found. */
static void
test_escapes (void)
{
  static const char *const paths[] = { "..",     "../mail",  "/etc", "/",     "",        ".",
                                       "./",     "INBOX/..", "cur",  "Sent/", "Sent/..", "Sent/./.",
                                       "Sent//", "//Sent",   "new",  "tmp",   ".Sent",   "%2e%2e",
                                       "..\\..", "Sent/cur", "\xff" };
  g_autoptr (Scratch) scratch = scratch_new ();
  g_autoptr (PostbagMaildirFolders) folders = NULL;

  make_folder (scratch->mail, ".Sent");
  make_folder (scratch->root, "outside");
  folders = scan (scratch);
  g_assert_nonnull (postbag_maildir_folders_find (folders, "Sent"));
  for (gsize i = 0; i < G_N_ELEMENTS (paths); i++)
    g_assert_null (postbag_maildir_folders_find (folders, paths[i]));
}

static void
test_same_path_twice (void)
{
  g_autoptr (Scratch) scratch = scratch_new ();
  g_autoptr (PostbagMaildirFolders) folders = NULL;

  make_folder (scratch->mail, ".&AOk-");
  make_folder (scratch->mail, ".\xc3\xa9");
  make_folder (scratch->mail, "INBOX");
  make_folder (scratch->mail, ".bad\xff\nname");
  folders = scan (scratch);
  g_assert_cmpuint (folders->list->len, ==, 5);
  g_assert_nonnull (postbag_maildir_folders_find (folders, "\xc3\xa9"));
  g_assert_nonnull (postbag_maildir_folders_find (folders, "\xc3\xa9 (2)"));
  g_assert_nonnull (postbag_maildir_folders_find (folders, "INBOX (2)"));
  g_assert_nonnull (postbag_maildir_folders_find (folders, "bad\xef\xbf\xbd_name"));
  g_assert_cmpstr (postbag_maildir_folders_find (folders, "INBOX")->directory, ==, "");
}

/* No path holds a control character (C1 among them: a mailbox with one could not be asked for). */
static void
test_controls (void)
{
  g_autoptr (Scratch) scratch = scratch_new ();
  g_autoptr (PostbagMaildirFolders) folders = NULL;

  make_folder (scratch->mail, ".a\xc2\x85\x7fz");
  make_folder (scratch->mail, ".b\tz");
  make_folder (scratch->mail, ".c&AAo-z");
  make_folder (scratch->mail, ".d&AIU-z");
  folders = scan (scratch);
  g_assert_nonnull (postbag_maildir_folders_find (folders, "a__z"));
  g_assert_nonnull (postbag_maildir_folders_find (folders, "b_z"));
  g_assert_nonnull (postbag_maildir_folders_find (folders, "c&AAo-z"));
  g_assert_nonnull (postbag_maildir_folders_find (folders, "d&AIU-z"));
}

static void
test_deep (void)
{
  g_autoptr (Scratch) scratch = scratch_new ();
  g_autoptr (PostbagMaildirFolders) folders = NULL;
  g_autoptr (GString) path = g_string_new ("d");

  for (guint i = 0; i < 200; i++)
    g_string_append (path, "/d");
  make_folder (scratch->mail, path->str);
  folders = scan (scratch);
  g_assert_cmpuint (folders->list->len, ==, 1);
}

static void
test_special_use (void)
{
  g_autoptr (Scratch) scratch = scratch_new ();
  g_autoptr (PostbagMaildirFolders) folders = NULL;

  make_folder (scratch->mail, ".Sent");
  make_folder (scratch->mail, ".Sent Items");
  make_folder (scratch->mail, ".sent");
  make_folder (scratch->mail, ".Deleted Items");
  make_folder (scratch->mail, ".Projects.Trash");
  make_folder (scratch->mail, ".INBOX.Drafts");
  folders = scan (scratch);
  g_assert_cmpstr (postbag_maildir_folders_find (folders, "Sent")->special_use, ==, "\\Sent");
  g_assert_null (postbag_maildir_folders_find (folders, "Sent Items")->special_use);
  g_assert_null (postbag_maildir_folders_find (folders, "sent")->special_use);
  g_assert_cmpstr (postbag_maildir_folders_find (folders, "Deleted Items")->special_use, ==,
                   "\\Trash");
  g_assert_null (postbag_maildir_folders_find (folders, "Projects/Trash")->special_use);
  g_assert_cmpstr (postbag_maildir_folders_find (folders, "INBOX/Drafts")->special_use, ==,
                   "\\Drafts");
}

static gboolean
is_subscribed (PostbagMaildirFolders *folders, const char *path)
{
  return postbag_maildir_folders_find (folders, path)->subscribed;
}

static void
test_subscriptions (void)
{
  static const struct
  {
    const char *file;
    const char *text;
  } cases[] = {
    { "subscriptions", "Archive.2024\nEntw&APw-rfe\n" },
    { "subscriptions", "V\t2\n\nArchive\t2024\nEntw&APw-rfe\n" },
    { "courierimapsubscribed", "INBOX.Archive.2024\nINBOX.Entw&APw-rfe\n" },
  };
  g_autoptr (Scratch) scratch = scratch_new ();

  make_folder (scratch->mail, ".Archive.2024");
  make_folder (scratch->mail, ".Entw&APw-rfe");
  make_folder (scratch->mail, ".Other");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PostbagMaildirFolders) before = scan (scratch);
      g_autoptr (PostbagMaildirFolders) folders = NULL;
      g_autofree char *path = g_build_filename (scratch->mail, cases[i].file, NULL);

      g_assert_true (is_subscribed (before, "Other")); /* no file: no opinion */
      put (scratch, ".", cases[i].file, cases[i].text);
      folders = scan (scratch);
      g_assert_true (is_subscribed (folders, "Archive/2024"));
      g_assert_true (is_subscribed (folders, "Entw\xc3\xbcrfe"));
      g_assert_false (is_subscribed (folders, "Other"));
      g_unlink (path);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/maildir/folders/maildir++", test_maildir_plus_plus);
  g_test_add_func ("/maildir/folders/nested", test_nested);
  g_test_add_func ("/maildir/folders/escapes", test_escapes);
  g_test_add_func ("/maildir/folders/same-path-twice", test_same_path_twice);
  g_test_add_func ("/maildir/folders/controls", test_controls);
  g_test_add_func ("/maildir/folders/deep", test_deep);
  g_test_add_func ("/maildir/folders/special-use", test_special_use);
  g_test_add_func ("/maildir/folders/subscriptions", test_subscriptions);
  return g_test_run ();
}
