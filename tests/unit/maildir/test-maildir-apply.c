/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What changes leave on the disk, read back by name, and what the store says of it afterwards. */

#include "apply-fixture.h"

#include <glib/gstdio.h>

/* --- flags --- */

static void
test_flags (Fixture *fixture, gconstpointer data)
{
  PostbagEffect *effect = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, "INBOX");
  g_autoptr (PostbagEffectReport) report = NULL;

  put_three (fixture);
  effect->uids = make_uids (4, 1, 2, 3, 99);
  effect->add_flags = POSTBAG_FLAG_FLAGGED;
  effect->remove_flags = POSTBAG_FLAG_SEEN | POSTBAG_FLAG_ANSWERED;
  report = apply (fixture, effect);
  g_assert_cmpuint (report->done->len, ==, 3);
  assert_names (fixture, "cur", "100.a.h:2,F 200.a.h:2,Fb 300.a.h:2,F");
  assert_names (fixture, "new", "");
  g_autofree char *uids = list_uids (fixture, NULL);
  g_assert_cmpstr (uids, ==, "3 2 1");
}

/* In new a letter S means nothing (the file was never shown): another flag must not make it seen.
 */
static void
test_flags_in_new (Fixture *fixture, gconstpointer data)
{
  PostbagEffect *effect = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, "INBOX");
  g_autoptr (PostbagEffectReport) report = NULL;

  put (fixture->scratch, "new", "1.a.h:2,SX,x=1", PLAIN ("One"));
  put (fixture->scratch, "new", "2.a.h", PLAIN ("Two"));
  effect->uids = make_uids (2, 1, 2);
  effect->remove_flags = POSTBAG_FLAG_SEEN;
  report = apply (fixture, effect);
  g_assert_cmpuint (report->done->len, ==, 2);
  assert_names (fixture, "new", "1.a.h:2,SX,x=1 2.a.h"); /* already so: nothing moves */
  postbag_effect_report_free (g_steal_pointer (&report));
  effect = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, "INBOX");
  effect->uids = make_uids (1, 1);
  effect->add_flags = POSTBAG_FLAG_FLAGGED;
  report = apply (fixture, effect);
  assert_names (fixture, "cur", "1.a.h:2,FX,x=1");
}

/* Two files of one base name: neither replaces the other. */
static void
test_flags_never_replace (Fixture *fixture, gconstpointer data)
{
  PostbagEffect *effect = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, "INBOX");
  g_autoptr (PostbagEffectReport) report = NULL;
  g_autoptr (GError) error = NULL;

  put (fixture->scratch, "cur", "1.a.h:2,", PLAIN ("One"));
  put (fixture->scratch, "cur", "1.a.h:2,F", PLAIN ("Other"));
  effect->uids = make_uids (1, 1);
  effect->add_flags = POSTBAG_FLAG_FLAGGED;
  report = store->apply (fixture->self, effect, NULL, &error);
  assert_names (fixture, "cur", "1.a.h:2, 1.a.h:2,F");
  postbag_effect_free (effect);
}

/* Another program renames a message between our listing and our rename. */
static void
test_renamed_meanwhile (Fixture *fixture, gconstpointer data)
{
  PostbagEffect *effect = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, "INBOX");
  g_autofree char *from = g_build_filename (fixture->scratch->mail, "cur", "100.a.h:2,S", NULL);
  g_autofree char *to = g_build_filename (fixture->scratch->mail, "cur", "100.a.h:2,RS", NULL);
  g_autoptr (PostbagSearchPage) page = NULL;

  put_three (fixture);
  page = list_in (fixture, "INBOX");
  g_assert_cmpint (g_rename (from, to), ==, 0);
  effect->uids = make_uids (1, 1);
  effect->add_flags = POSTBAG_FLAG_FLAGGED;
  postbag_effect_report_free (apply (fixture, effect));
  assert_names (fixture, "cur", "100.a.h:2,FRS 200.a.h:2,FRb");
}

/* --- copy, move, purge --- */

static void
test_move (Fixture *fixture, gconstpointer data)
{
  PostbagEffect *mark = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, "INBOX");
  static const char *const keyword[] = { "Own", NULL };
  g_autoptr (PostbagEffectReport) report = NULL;
  g_autoptr (PostbagSearchPage) page = NULL;
  g_autofree char *rest = NULL;
  const PostbagSummary *moved;

  put_three (fixture);
  make_folder (fixture->scratch->mail, ".Archive");
  mark->uids = make_uids (1, 2);
  mark->add_keywords = g_strdupv ((char **)keyword);
  postbag_effect_report_free (apply (fixture, mark));

  report = apply (fixture, make_transfer (POSTBAG_EFFECT_MOVE, "Archive", make_uids (3, 2, 3, 7)));
  g_assert_cmpuint (report->done->len, ==, 2);
  g_assert_cmpuint (report->uid_map->len, ==, 2);
  g_assert_cmpuint (g_array_index (report->uid_map, PostbagUidPair, 0).from, ==, 2);
  g_assert_cmpuint (g_array_index (report->uid_map, PostbagUidPair, 0).to, ==, 1);
  g_assert_cmpuint (g_array_index (report->uid_map, PostbagUidPair, 1).to, ==, 2);
  rest = list_uids (fixture, NULL);
  g_assert_cmpstr (rest, ==, "1");
  page = list_in (fixture, "Archive");
  g_assert_cmpuint (page->summaries->len, ==, 2);
  moved = get_summary (page, 1);
  g_assert_cmpstr (moved->subject, ==, "Gr\xc3\xbc\xc3\x9f\x65");
  g_assert_cmpint (moved->flags, ==, POSTBAG_FLAG_FLAGGED | POSTBAG_FLAG_ANSWERED);
  /* Dovecot's file there has no letter for it: kept as our own */
  g_assert_cmpuint (g_strv_length (moved->keywords), ==, 2);
  g_assert_true (g_strv_contains ((const char *const *)moved->keywords, "Work"));
  g_assert_true (g_strv_contains ((const char *const *)moved->keywords, "Own"));
  g_assert_cmpint (get_summary (page, 2)->flags, ==, 0);
}

static void
test_copy (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagEffectReport) report = NULL;
  g_autoptr (PostbagSearchPage) page = NULL;
  g_autofree char *all = NULL;

  put_three (fixture);
  make_folder (fixture->scratch->mail, ".Archive");
  report = apply (fixture, make_transfer (POSTBAG_EFFECT_COPY, "Archive", make_uids (1, 1)));
  g_assert_cmpuint (report->done->len, ==, 1);
  all = list_uids (fixture, NULL);
  g_assert_cmpstr (all, ==, "3 2 1");
  page = list_in (fixture, "Archive");
  g_assert_cmpstr (get_summary (page, 1)->subject, ==, "First");
  g_assert_cmpint (get_summary (page, 1)->flags, ==, POSTBAG_FLAG_SEEN);
  /* A copy onto itself is a second message. */
  postbag_effect_report_free (
      apply (fixture, make_transfer (POSTBAG_EFFECT_COPY, "inbox", make_uids (1, 1))));
  g_free (all);
  all = list_uids (fixture, NULL);
  g_assert_cmpstr (all, ==, "4 3 2 1");
}

static void
test_transfer_refused (Fixture *fixture, gconstpointer data)
{
  PostbagEffect *effect = make_transfer (POSTBAG_EFFECT_MOVE, "Archive", make_uids (1, 1));

  put_three (fixture);
  assert_refused (fixture, make_transfer (POSTBAG_EFFECT_MOVE, "Nowhere", make_uids (1, 1)),
                  POSTBAG_ERROR_NOT_FOUND);
  make_folder (fixture->scratch->mail, ".Archive");
  effect->uid_validity = 1;
  assert_refused (fixture, effect, POSTBAG_ERROR_CONFLICT);
  for (guint kind = POSTBAG_EFFECT_COPY; kind <= POSTBAG_EFFECT_MOVE; kind++)
    {
      effect = make_transfer ((PostbagEffectKind)kind, "Archive", make_uids (1, 1));
      effect->destination_uid_validity = 1; /* of the one that somebody said yes to */
      assert_refused (fixture, effect, POSTBAG_ERROR_CONFLICT);
    }
  assert_names (fixture, "cur", "100.a.h:2,S 200.a.h:2,FRb");
  assert_names (fixture, ".Archive/cur", "");
}

static void
test_purge (Fixture *fixture, gconstpointer data)
{
  PostbagEffect *effect = postbag_effect_new (POSTBAG_EFFECT_PURGE, "INBOX");
  g_autoptr (PostbagEffectReport) report = NULL;

  put_three (fixture);
  put (fixture->scratch, "cur", "50.a.h:2,T", PLAIN ("Marked by somebody else"));
  effect->uids = make_uids (2, 2, 4);
  report = apply (fixture, effect);
  g_assert_cmpuint (report->done->len, ==, 2);
  assert_names (fixture, "cur", "200.a.h:2,FRb 50.a.h:2,T");
  assert_names (fixture, "new", "");
}

/* --- append --- */

static void
test_append (Fixture *fixture, gconstpointer data)
{
  static const char message[] = "Subject: Draft\r\n\r\nBare \n and \r stay\r\n";
  PostbagEffect *effect = postbag_effect_new (POSTBAG_EFFECT_APPEND, "Drafts");
  g_autoptr (PostbagEffectReport) report = NULL;
  g_autoptr (PostbagSearchPage) page = NULL;
  g_autofree char *name = NULL, *text = NULL;

  make_folder (fixture->scratch->mail, ".Drafts");
  effect->message = g_bytes_new_static (message, strlen (message));
  effect->add_flags = POSTBAG_FLAG_DRAFT | POSTBAG_FLAG_SEEN;
  effect->internal_date = 1600000000;
  report = apply (fixture, effect);
  g_assert_cmpuint (report->uid_map->len, ==, 1);
  g_assert_cmpuint (g_array_index (report->uid_map, PostbagUidPair, 0).to, ==, 1);
  page = list_in (fixture, "Drafts");
  g_assert_cmpint (get_summary (page, 1)->flags, ==, POSTBAG_FLAG_DRAFT | POSTBAG_FLAG_SEEN);
  g_assert_cmpint (get_summary (page, 1)->internal_date, ==, 1600000000);
  assert_names (fixture, ".Drafts/tmp", "");
  name = read_names (fixture, ".Drafts/cur");
  g_assert_true (g_str_has_suffix (name, ":2,DS"));
  text = read_file (fixture, ".Drafts/cur", name);
  g_assert_cmpstr (text, ==, "Subject: Draft\n\nBare \n and \r stay\n");
}

/* --- mailboxes --- */

static PostbagEffect *
make_mailbox_effect (PostbagEffectKind kind, const char *mailbox, const char *destination)
{
  PostbagEffect *effect = postbag_effect_new (kind, mailbox);

  effect->destination = g_strdup (destination);
  return effect;
}

static void
test_create (Fixture *fixture, gconstpointer data)
{
  static const char *const refused[] = { "..",   "../up", "a//b", "a.b",  ".x",
                                         "/abs", "a/",    "a/..", "a\001" };

  postbag_effect_report_free (apply (
      fixture, make_mailbox_effect (POSTBAG_EFFECT_CREATE_MAILBOX, "Caf\xc3\xa9/2024 & co", NULL)));
  assert_names (fixture, ".Caf&AOk-.2024 &- co", "cur maildirfolder new tmp");
  g_autoptr (PostbagSearchPage) page = list_in (fixture, "Caf\xc3\xa9/2024 & co");
  g_assert_cmpint (page->total, ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    assert_refused (fixture, make_mailbox_effect (POSTBAG_EFFECT_CREATE_MAILBOX, refused[i], NULL),
                    POSTBAG_ERROR_INVALID_ARGUMENT);
  assert_refused (fixture, make_mailbox_effect (POSTBAG_EFFECT_CREATE_MAILBOX, "inbox", NULL),
                  POSTBAG_ERROR_CONFLICT);
  assert_names (fixture, ".", ".Caf&AOk-.2024 &- co cur new tmp");
}

/* Plain folders (LAYOUT=fs, mbsync): below one of those another of those. */
static void
test_create_nested (Fixture *fixture, gconstpointer data)
{
  make_folder (fixture->scratch->mail, "Work");
  postbag_effect_report_free (
      apply (fixture, make_mailbox_effect (POSTBAG_EFFECT_CREATE_MAILBOX, "Work/v1.2/x", NULL)));
  assert_names (fixture, "Work/v1.2/x", "cur new tmp");
  assert_refused (fixture, make_mailbox_effect (POSTBAG_EFFECT_CREATE_MAILBOX, "Work/cur/x", NULL),
                  POSTBAG_ERROR_INVALID_ARGUMENT);
}

static void
test_create_behind_a_link (Fixture *fixture, gconstpointer data)
{
  g_autofree char *outside = g_build_filename (fixture->scratch->root, "outside", NULL);
  g_autofree char *link = g_build_filename (fixture->scratch->mail, ".Linked", NULL);
  PostbagEffect *effect = make_mailbox_effect (POSTBAG_EFFECT_CREATE_MAILBOX, "Linked", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagEffectReport) report = NULL;

  g_assert_cmpint (g_mkdir (outside, 0700), ==, 0);
  g_assert_cmpint (symlink (outside, link), ==, 0);
  report = store->apply (fixture->self, effect, NULL, &error);
  g_assert_nonnull (error);
  g_assert_cmpint (g_rmdir (outside), ==, 0); /* still empty */
  postbag_effect_free (effect);
}

static void
test_rename (Fixture *fixture, gconstpointer data)
{
  guint32 uid_validity;
  g_autoptr (PostbagSearchPage) before = NULL, after = NULL, child = NULL;

  make_folder (fixture->scratch->mail, ".Old");
  make_folder (fixture->scratch->mail, ".Old.Sub");
  make_folder (fixture->scratch->mail, ".Older");
  put (fixture->scratch, ".Old/cur", "9.a.h:2,S", PLAIN ("Nine"));
  before = list_in (fixture, "Old");
  uid_validity = before->uid_validity;
  postbag_effect_report_free (
      apply (fixture, make_mailbox_effect (POSTBAG_EFFECT_RENAME_MAILBOX, "Old", "New")));
  assert_names (fixture, ".", ".New .New.Sub .Older cur new tmp");
  after = list_in (fixture, "New");
  g_assert_cmpuint (after->uid_validity, ==, uid_validity);
  g_assert_cmpstr (get_summary (after, 1)->subject, ==, "Nine");
  child = list_in (fixture, "New/Sub");
  assert_refused (fixture, make_mailbox_effect (POSTBAG_EFFECT_RENAME_MAILBOX, "New", "Older"),
                  POSTBAG_ERROR_CONFLICT);
  assert_refused (fixture, make_mailbox_effect (POSTBAG_EFFECT_RENAME_MAILBOX, "New", "New/In"),
                  POSTBAG_ERROR_INVALID_ARGUMENT);
  assert_refused (fixture, make_mailbox_effect (POSTBAG_EFFECT_RENAME_MAILBOX, "INBOX", "X"),
                  POSTBAG_ERROR_NOT_ALLOWED);
}

/* What would go along is looked at before anything moves. */
static void
test_rename_onto_a_child (Fixture *fixture, gconstpointer data)
{
  make_folder (fixture->scratch->mail, ".Old");
  make_folder (fixture->scratch->mail, ".Old.A");
  make_folder (fixture->scratch->mail, ".Old.Sub");
  make_folder (fixture->scratch->mail, ".New.Sub");
  assert_refused (fixture, make_mailbox_effect (POSTBAG_EFFECT_RENAME_MAILBOX, "Old", "New"),
                  POSTBAG_ERROR_CONFLICT);
  assert_names (fixture, ".", ".New.Sub .Old .Old.A .Old.Sub cur new tmp");
}

static void
test_delete_mailbox (Fixture *fixture, gconstpointer data)
{
  PostbagEffect *effect = make_mailbox_effect (POSTBAG_EFFECT_DELETE_MAILBOX, "Old", NULL);
  g_autoptr (PostbagSearchPage) before = NULL, after = NULL;

  make_folder (fixture->scratch->mail, ".Old");
  make_folder (fixture->scratch->mail, ".Old.Sub");
  put (fixture->scratch, ".Old/cur", "9.a.h:2,S", PLAIN ("Nine"));
  put (fixture->scratch, ".Old", "dovecot-uidlist", "3 V1 N2\n");
  before = list_in (fixture, "Old");
  effect->only_empty = TRUE;
  assert_refused (fixture, effect, POSTBAG_ERROR_NOT_ALLOWED);
  assert_names (fixture, ".Old/cur", "9.a.h:2,S");
  assert_names (fixture, ".Old/new", "");
  postbag_effect_report_free (
      apply (fixture, make_mailbox_effect (POSTBAG_EFFECT_DELETE_MAILBOX, "Old", NULL)));
  assert_names (fixture, ".", ".Old.Sub cur new tmp");
  assert_refused (fixture, make_mailbox_effect (POSTBAG_EFFECT_DELETE_MAILBOX, "Inbox", NULL),
                  POSTBAG_ERROR_NOT_ALLOWED);
  /* Another one of that name is another one. */
  postbag_effect_report_free (
      apply (fixture, make_mailbox_effect (POSTBAG_EFFECT_CREATE_MAILBOX, "Old", NULL)));
  after = list_in (fixture, "Old");
  g_assert_cmpuint (after->uid_validity, !=, before->uid_validity);
}

static PostbagEffect *
make_told_effect (PostbagEffectKind kind, guint32 uid_validity, gint64 messages_told)
{
  PostbagEffect *effect = make_mailbox_effect (kind, "Old", "New");

  effect->uid_validity = uid_validity;
  effect->messages_told = messages_told;
  return effect;
}

/* Another mailbox under that name, or more mail than was spoken of. */
static void
test_delete_only_as_told (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagSearchPage) page = NULL;
  PostbagEffect *effect;
  guint32 other;

  make_folder (fixture->scratch->mail, ".Old");
  put (fixture->scratch, ".Old/cur", "1.a.h:2,S", PLAIN ("One"));
  put (fixture->scratch, ".Old/new", "2.a.h", PLAIN ("Two"));
  page = list_in (fixture, "Old");
  other = page->uid_validity + 1;
  assert_refused (fixture, make_told_effect (POSTBAG_EFFECT_DELETE_MAILBOX, other, 2),
                  POSTBAG_ERROR_CONFLICT);
  assert_refused (fixture, make_told_effect (POSTBAG_EFFECT_RENAME_MAILBOX, other, 0),
                  POSTBAG_ERROR_CONFLICT);
  assert_refused (fixture, make_told_effect (POSTBAG_EFFECT_DELETE_MAILBOX, page->uid_validity, 1),
                  POSTBAG_ERROR_CONFLICT);
  /* as many as were spoken of, but not the same: UIDNEXT was 2 then, with one that is gone */
  effect = make_told_effect (POSTBAG_EFFECT_DELETE_MAILBOX, page->uid_validity, 2);
  effect->uid_next_told = 2;
  assert_refused (fixture, effect, POSTBAG_ERROR_CONFLICT);
  assert_names (fixture, ".Old/cur", "1.a.h:2,S");
  assert_names (fixture, ".Old/new", "2.a.h");
  postbag_effect_report_free (
      apply (fixture, make_told_effect (POSTBAG_EFFECT_RENAME_MAILBOX, page->uid_validity, 0)));
}

/* What was counted goes, and what is no mail with it; a file that was not counted (here one whose
 * base name is there twice, as good as mail that came meanwhile) stays, and its mailbox with it. */
static void
test_delete_only_counted (Fixture *fixture, gconstpointer data)
{
  g_autofree char *link = g_build_filename (fixture->scratch->mail, ".Old", "cur", "link", NULL);
  PostbagEffect *effect;
  g_autoptr (PostbagEffectReport) report = NULL;
  g_autoptr (GError) error = NULL;

  make_folder (fixture->scratch->mail, ".Old");
  put (fixture->scratch, ".Old/new", "1.a.h", PLAIN ("One"));
  put (fixture->scratch, ".Old/cur", "2.a.h:2,S", PLAIN ("Two"));
  put (fixture->scratch, ".Old/cur", "2.a.h:2,F", PLAIN ("Another"));
  put (fixture->scratch, ".Old/cur", ".nfs1", "");
  g_assert_cmpint (symlink ("/dev/null", link), ==, 0);
  effect = make_told_effect (POSTBAG_EFFECT_DELETE_MAILBOX, 0, 2);
  report = store->apply (fixture->self, effect, NULL, &error);
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT);
  g_assert_nonnull (strstr (error->message, "2 messages that were there before are gone"));
  g_assert_cmpuint (report->unknown->len, ==, 1);
  g_autofree char *left = read_names (fixture, ".Old/cur");
  g_assert_cmpuint (strlen (left), ==, strlen ("2.a.h:2,S"));
  assert_names (fixture, ".Old/new", "");
  postbag_effect_free (effect);
  postbag_effect_report_free (
      apply (fixture, make_told_effect (POSTBAG_EFFECT_DELETE_MAILBOX, 0, 1)));
  assert_names (fixture, ".", "cur new tmp");
}

static struct stat
look_at (Fixture *fixture, const char *folder)
{
  g_autofree char *path = g_build_filename (fixture->scratch->mail, folder, NULL);
  struct stat facts;

  g_assert_cmpint (stat (path, &facts), ==, 0);
  return facts;
}

/* A refused deletion leaves the folder that others deliver into as it is: the very same. */
static void
test_delete_refused_changes_nothing (Fixture *fixture, gconstpointer data)
{
  PostbagEffect *effect = make_mailbox_effect (POSTBAG_EFFECT_DELETE_MAILBOX, "Old", NULL);
  struct stat before, after;

  make_folder (fixture->scratch->mail, ".Old");
  put (fixture->scratch, ".Old/cur", ".nfs1", "no mail, and not empty all the same");
  before = look_at (fixture, ".Old/new");
  effect->only_empty = TRUE;
  assert_refused (fixture, effect, POSTBAG_ERROR_NOT_ALLOWED);
  after = look_at (fixture, ".Old/new");
  g_assert_cmpuint (after.st_ino, ==, before.st_ino);
  g_assert_cmpint (after.st_ctim.tv_sec, ==, before.st_ctim.tv_sec);
  g_assert_cmpint (after.st_ctim.tv_nsec, ==, before.st_ctim.tv_nsec);
}

static void
test_subscriptions_are_not_ours (Fixture *fixture, gconstpointer data)
{
  assert_refused (fixture, postbag_effect_new (POSTBAG_EFFECT_SUBSCRIBE, "INBOX"),
                  POSTBAG_ERROR_NOT_SUPPORTED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/maildir/apply/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("flags", test_flags);
  ADD ("flags-in-new", test_flags_in_new);
  ADD ("flags-never-replace", test_flags_never_replace);
  ADD ("renamed-meanwhile", test_renamed_meanwhile);
  ADD ("move", test_move);
  ADD ("copy", test_copy);
  ADD ("transfer-refused", test_transfer_refused);
  ADD ("purge", test_purge);
  ADD ("append", test_append);
  ADD ("create", test_create);
  ADD ("create-nested", test_create_nested);
  ADD ("create-behind-a-link", test_create_behind_a_link);
  ADD ("rename", test_rename);
  ADD ("rename-onto-a-child", test_rename_onto_a_child);
  ADD ("delete-mailbox", test_delete_mailbox);
  ADD ("delete-only-as-told", test_delete_only_as_told);
  ADD ("delete-only-counted", test_delete_only_counted);
  ADD ("delete-refused-changes-nothing", test_delete_refused_changes_nothing);
  ADD ("subscriptions-are-not-ours", test_subscriptions_are_not_ours);
  return g_test_run ();
}
