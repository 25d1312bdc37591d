/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Keywords: with a letter of Dovecot's, in our own table, and on their way elsewhere. */

#include "apply-fixture.h"
#include "postbag-maildir-database.h"

#include <sys/syscall.h>

static GCancellable *cancelled_by_rename; /* (nullable) */

/* Every message is moved by this one: somebody cancels the call right then. */
int
renameat2 (int folder, const char *name, int new_folder, const char *new_name, unsigned int flags)
{
  int result = (int)syscall (SYS_renameat2, folder, name, new_folder, new_name, flags);

  if (cancelled_by_rename != NULL)
    g_cancellable_cancel (cancelled_by_rename);
  return result;
}

/* Runs @sql on the table in the state folder; (transfer full) (nullable): its last value */
static char *
run_sql (Fixture *fixture, const char *sql)
{
  g_autofree char *path = g_build_filename (fixture->scratch->state, "keywords.sqlite", NULL);
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  char *value = NULL;

  g_assert_cmpint (sqlite3_open (path, &database), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (database, sql, -1, &statement, NULL), ==, SQLITE_OK);
  if (sqlite3_step (statement) == SQLITE_ROW)
    value = g_strdup ((const char *)sqlite3_column_text (statement, 0));
  g_assert_cmpint (sqlite3_finalize (statement), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_close (database), ==, SQLITE_OK);
  return value;
}

static void
assert_keyword_search (Fixture *fixture, const char *keyword, const char *expected)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autofree char *uids = NULL;

  search->keyword = g_strdup (keyword);
  uids = list_uids (fixture, search);
  g_assert_cmpstr (uids, ==, expected);
}

/* A letter where Dovecot's file has one, our own file where it has none; Dovecot's stays as it is.
 */
static void
test_keywords (Fixture *fixture, gconstpointer data)
{
  static const char *const add[] = { "work", "AiSeen", NULL };
  static const char *const remove[] = { "AISEEN", "Nobody", NULL };
  PostbagEffect *effect = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, "INBOX");

  put_three (fixture);
  effect->uids = make_uids (2, 1, 3);
  effect->add_keywords = g_strdupv ((char **)add);
  postbag_effect_report_free (apply (fixture, effect));
  assert_names (fixture, "cur", "100.a.h:2,Sb 200.a.h:2,FRb 300.a.h:2,b");
  assert_keyword_search (fixture, "aiseen", "3 1");
  assert_keyword_search (fixture, "Work", "3 2 1");
  reopen (fixture);
  assert_keyword_search (fixture, "AiSeen", "3 1");
  g_autoptr (PostbagSearchPage) page = list_in (fixture, "INBOX");
  g_assert_cmpstr (get_summary (page, 1)->keywords[0], ==, "Work");
  g_assert_cmpstr (get_summary (page, 1)->keywords[1], ==, "AiSeen");
  g_assert_null (get_summary (page, 1)->keywords[2]);

  effect = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, "INBOX");
  effect->uids = make_uids (1, 1);
  effect->remove_keywords = g_strdupv ((char **)remove);
  postbag_effect_report_free (apply (fixture, effect));
  assert_keyword_search (fixture, "AiSeen", "3");
  g_autofree char *dovecot = read_file (fixture, ".", "dovecot-keywords");
  g_assert_cmpstr (dovecot, ==, "0 Unused\n1 Work\n");
}

/* (transfer full): of message 1 */
static PostbagEffectReport *
set_keyword (Fixture *fixture, const char *keyword, gboolean remove, gboolean is_mark,
             PostbagFlags flags, GError **error)
{
  const char *const keywords[] = { keyword, NULL };
  g_autoptr (PostbagEffect) effect = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, "INBOX");

  effect->uids = make_uids (1, 1);
  *(remove ? &effect->remove_keywords : &effect->add_keywords) = g_strdupv ((char **)keywords);
  effect->add_flags = flags;
  effect->bookkeeping = is_mark;
  return store->apply (fixture->self, effect, NULL, error);
}

static void
set_keyword_well (Fixture *fixture, const char *keyword, gboolean remove, gboolean is_mark)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagEffectReport) report =
      set_keyword (fixture, keyword, remove, is_mark, 0, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (report->done->len, ==, 1);
}

static void
assert_no_place (Fixture *fixture, const char *keyword, gboolean is_mark)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagEffectReport) report =
      set_keyword (fixture, keyword, FALSE, is_mark, POSTBAG_FLAG_FLAGGED, &error);
  g_autoptr (PostbagSearchPage) page = list_in (fixture, "INBOX");

  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE);
  g_assert_nonnull (strstr (error->message, "Nothing was changed"));
  g_assert_nonnull (strstr (error->message, "full"));
  g_assert_cmpuint (report->done->len, ==, 0);
  g_assert_cmpuint (report->unknown->len, ==, 0);
  g_assert_cmpint (get_summary (page, 1)->flags, ==, 0);
}

/* A full table refuses before anything is done, still takes a toolset's mark, and has a place again
 * when no message carries one of its keywords any more. */
static void
test_too_many_keywords (Fixture *fixture, gconstpointer data)
{
  put (fixture->scratch, "cur", "1.a.h:2,", PLAIN ("One"));
  for (guint i = 1; i < POSTBAG_MAILDIR_N_OWN_KEYWORDS; i++)
    {
      g_autofree char *keyword = g_strdup_printf ("k%u", i);

      set_keyword_well (fixture, keyword, FALSE, FALSE);
    }
  assert_no_place (fixture, "k16", FALSE);

  set_keyword_well (fixture, "AiSeen", FALSE, TRUE);
  assert_keyword_search (fixture, "AiSeen", "1");
  assert_no_place (fixture, "OtherMark", TRUE);

  set_keyword_well (fixture, "k3", TRUE, FALSE);
  set_keyword_well (fixture, "k16", FALSE, FALSE);
  assert_no_place (fixture, "k17", FALSE);
  reopen (fixture);
  assert_keyword_search (fixture, "k16", "1");
  assert_keyword_search (fixture, "k3", "");
  assert_keyword_search (fixture, "k15", "1");
  assert_keyword_search (fixture, "AiSeen", "1");
}

static void
set_keyword_in (Fixture *fixture, const char *mailbox, const char *keyword, gboolean is_mark)
{
  const char *const keywords[] = { keyword, NULL };
  PostbagEffect *effect = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, mailbox);

  effect->uids = make_uids (1, 1);
  effect->add_keywords = g_strdupv ((char **)keywords);
  effect->bookkeeping = is_mark;
  postbag_effect_report_free (apply (fixture, effect));
}

static void
drop_keyword_in (Fixture *fixture, const char *mailbox, const char *keyword)
{
  const char *const keywords[] = { keyword, NULL };
  PostbagEffect *effect = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, mailbox);

  effect->uids = make_uids (1, 1);
  effect->remove_keywords = g_strdupv ((char **)keywords);
  postbag_effect_report_free (apply (fixture, effect));
}

/* Archive with a message and @n_keywords in its table, INBOX with a message. */
static void
fill_archive (Fixture *fixture, guint n_keywords)
{
  make_folder (fixture->scratch->mail, ".Archive");
  put (fixture->scratch, ".Archive/cur", "1.a.h:2,", PLAIN ("Old"));
  put (fixture->scratch, "cur", "100.a.h:2,", PLAIN ("One"));
  for (guint i = 1; i <= n_keywords; i++)
    {
      g_autofree char *keyword = g_strdup_printf ("k%u", i);

      set_keyword_in (fixture, "Archive", keyword, FALSE);
    }
}

/* Nobody is asked, and nothing is done. */
static void
assert_keywords_stay (Fixture *fixture, PostbagEffectKind kind, int code, const char *keyword)
{
  g_autoptr (PostbagEffect) effect = make_transfer (kind, "Archive", make_uids (1, 1));
  g_autoptr (GError) before = NULL, error = NULL;
  g_autoptr (PostbagEffectReport) report = NULL;

  g_assert_false (store->check (fixture->self, effect, NULL, &before));
  report = store->apply (fixture->self, effect, NULL, &error);
  g_assert_error (error, POSTBAG_ERROR, code);
  g_assert_cmpstr (before->message, ==, error->message);
  g_assert_nonnull (strstr (error->message, keyword));
  g_assert_nonnull (strstr (error->message, "Nothing was changed"));
  g_assert_cmpint (strstr (error->message, "remove some from the messages first") != NULL, ==,
                   code == POSTBAG_ERROR_TOO_LARGE);
  g_assert_cmpuint (report->done->len, ==, 0);
  assert_names (fixture, ".Archive/cur", "1.a.h:2,");
}

/* What the destination has no place for is no reason to lose it. */
static void
test_keywords_without_a_place (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagEffect) move = make_transfer (POSTBAG_EFFECT_MOVE, "Archive", make_uids (1, 1));
  g_autoptr (PostbagSearchPage) page = NULL;
  g_autoptr (GError) error = NULL;
  const char *const *keywords;

  fill_archive (fixture, POSTBAG_MAILDIR_N_OWN_KEYWORDS - 1);
  set_keyword_in (fixture, "INBOX", "k3", FALSE);
  set_keyword_in (fixture, "INBOX", "Own", FALSE);
  assert_keywords_stay (fixture, POSTBAG_EFFECT_MOVE, POSTBAG_ERROR_TOO_LARGE, "for “Own”.");
  assert_keywords_stay (fixture, POSTBAG_EFFECT_COPY, POSTBAG_ERROR_TOO_LARGE, "for “Own”.");
  assert_keyword_search (fixture, "Own", "1");
  assert_keyword_search (fixture, "k3", "1");

  /* The way out that it names; a toolset's own mark has a place of its own. */
  set_keyword_well (fixture, "Own", TRUE, FALSE);
  set_keyword_in (fixture, "INBOX", "AiSeen", TRUE);
  g_assert_true (store->check (fixture->self, move, NULL, &error));
  postbag_effect_report_free (apply (fixture, g_steal_pointer (&move)));
  page = list_in (fixture, "Archive");
  keywords = (const char *const *)get_summary (page, 2)->keywords;
  g_assert_true (g_strv_contains (keywords, "k3"));
  g_assert_true (g_strv_contains (keywords, "AiSeen"));
}

/* One place for a keyword and a mark: the mark has none, whatever nobody carries is dropped. */
static void
test_mark_without_a_place (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagSearchPage) page = NULL;
  const char *const *keywords;

  fill_archive (fixture, POSTBAG_MAILDIR_N_OWN_KEYWORDS - 2);
  set_keyword_in (fixture, "Archive", "OtherMark", TRUE);
  set_keyword_in (fixture, "INBOX", "Own", FALSE);
  set_keyword_in (fixture, "INBOX", "AiSeen", TRUE);
  assert_keywords_stay (fixture, POSTBAG_EFFECT_MOVE, POSTBAG_ERROR_TOO_LARGE, "for “AiSeen”.");
  assert_keyword_search (fixture, "Own", "1");
  assert_keyword_search (fixture, "AiSeen", "1");

  drop_keyword_in (fixture, "Archive", "k3");
  postbag_effect_report_free (
      apply (fixture, make_transfer (POSTBAG_EFFECT_MOVE, "Archive", make_uids (1, 1))));
  page = list_in (fixture, "Archive");
  keywords = (const char *const *)get_summary (page, 2)->keywords;
  g_assert_true (g_strv_contains (keywords, "Own"));
  g_assert_true (g_strv_contains (keywords, "AiSeen"));
}

/* Whoever is asked may say no: until then k3, which nobody carries, keeps its place. */
static void
test_check_changes_nothing (Fixture *fixture, gconstpointer data)
{
  static const char names[] =
      "SELECT group_concat (uid_validity || ' ' || bit || ' ' || name) FROM "
      "(SELECT * FROM names ORDER BY uid_validity, bit)";
  g_autoptr (PostbagEffect) move = make_transfer (POSTBAG_EFFECT_MOVE, "Archive", make_uids (1, 1));
  g_autofree char *before = NULL, *after = NULL;
  g_autoptr (GError) error = NULL;

  fill_archive (fixture, POSTBAG_MAILDIR_N_OWN_KEYWORDS - 1);
  drop_keyword_in (fixture, "Archive", "k3");
  set_keyword_in (fixture, "INBOX", "Own", FALSE);
  before = run_sql (fixture, names);
  g_assert_true (store->check (fixture->self, move, NULL, &error));
  g_assert_no_error (error);
  after = run_sql (fixture, names);
  g_assert_cmpstr (after, ==, before);
  g_assert_nonnull (strstr (after, "k3"));
}

static void
test_append_without_a_place (Fixture *fixture, gconstpointer data)
{
  static const char *const keywords[] = { "Own", NULL };
  PostbagEffect *effect = postbag_effect_new (POSTBAG_EFFECT_APPEND, "Archive");

  fill_archive (fixture, POSTBAG_MAILDIR_N_OWN_KEYWORDS - 1);
  effect->message = g_bytes_new_static ("Subject: x\r\n\r\nx\r\n", 17);
  effect->add_keywords = g_strdupv ((char **)keywords);
  assert_refused (fixture, effect, POSTBAG_ERROR_TOO_LARGE);
  assert_names (fixture, ".Archive/cur", "1.a.h:2,");
}

/* Dovecot's letter in INBOX means nothing in Archive, and nothing can be kept for it. */
static void
test_keywords_without_a_state_folder (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  make_folder (fixture->scratch->mail, ".Archive");
  put (fixture->scratch, ".Archive/cur", "1.a.h:2,", PLAIN ("Old"));
  put (fixture->scratch, "cur", "100.a.h:2,b", PLAIN ("One"));
  put (fixture->scratch, ".", "dovecot-keywords", "0 Unused\n1 Work\n");
  store->close (fixture->self);
  g_test_expect_message ("postbag-maildir", G_LOG_LEVEL_WARNING, "*valid only until*");
  fixture->self = store->open (fixture->account, NULL, &error);
  g_test_assert_expected_messages ();
  assert_keywords_stay (fixture, POSTBAG_EFFECT_MOVE, POSTBAG_ERROR_NOT_SUPPORTED, "Work");
  assert_names (fixture, "cur", "100.a.h:2,b");
}

/* The place was there, and then it cannot be written down: said, and known to the source still. */
static void
test_keywords_lost (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagEffectReport) report = NULL;
  g_autofree char *kept = NULL;

  make_folder (fixture->scratch->mail, ".Archive");
  put (fixture->scratch, "cur", "100.a.h:2,", PLAIN ("One"));
  set_keyword_in (fixture, "INBOX", "Own", FALSE);
  g_free (run_sql (fixture, "CREATE TRIGGER no BEFORE INSERT ON marks "
                            "BEGIN SELECT RAISE (ABORT, 'no'); END"));
  report = apply (fixture, make_transfer (POSTBAG_EFFECT_MOVE, "Archive", make_uids (1, 1)));
  g_assert_cmpuint (report->done->len, ==, 1);
  g_assert_cmpuint (report->warnings->len, ==, 1);
  g_assert_nonnull (strstr (report->warnings->pdata[0], "uid 1 lost its keywords “Own”"));
  kept = run_sql (fixture, "SELECT count (*) FROM marks WHERE uid = 1 AND mask != 0");
  g_assert_cmpstr (kept, ==, "1");
}

/* Cancelled after the first one, with a destination so large that a look at it could be, too. */
static void
test_cancelled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagEffect) move = NULL;
  g_autoptr (PostbagEffectReport) report = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (PostbagSearchPage) page = NULL;
  g_autoptr (GError) error = NULL;

  make_folder (fixture->scratch->mail, ".Archive");
  for (guint i = 0; i < 1100; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.b.h:2,", i + 1);

      put (fixture->scratch, ".Archive/cur", name, "Subject: x\n\nx\n");
    }
  put (fixture->scratch, "cur", "100.a.h:2,", PLAIN ("One"));
  put (fixture->scratch, "cur", "200.a.h:2,", PLAIN ("Two"));
  set_keyword_in (fixture, "INBOX", "Own", FALSE);
  move = make_transfer (POSTBAG_EFFECT_MOVE, "Archive", make_uids (2, 1, 2));
  cancelled_by_rename = cancellable;
  report = store->apply (fixture->self, move, cancellable, &error);
  cancelled_by_rename = NULL;
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpuint (report->done->len, ==, 1);
  g_assert_cmpuint (report->uid_map->len, ==, 1);
  g_assert_cmpuint (report->warnings->len, ==, 0);
  page = list_in (fixture, "Archive");
  g_assert_cmpstr (get_summary (page, 1101)->keywords[0], ==, "Own");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/maildir/keywords/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("keywords", test_keywords);
  ADD ("too-many-keywords", test_too_many_keywords);
  ADD ("keywords-without-a-place", test_keywords_without_a_place);
  ADD ("mark-without-a-place", test_mark_without_a_place);
  ADD ("check-changes-nothing", test_check_changes_nothing);
  ADD ("append-without-a-place", test_append_without_a_place);
  ADD ("keywords-without-a-state-folder", test_keywords_without_a_state_folder);
  ADD ("keywords-lost", test_keywords_lost);
  ADD ("cancelled", test_cancelled);
  return g_test_run ();
}
