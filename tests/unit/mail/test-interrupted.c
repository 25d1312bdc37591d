/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the next call is told of a change that never came back, and what it may not repeat. */

#include "changes-fixture.h"

#include <utime.h>

static void
test_crash (Fixture *fixture, gconstpointer data)
{
  PostbagEffect *append = postbag_effect_new (POSTBAG_EFFECT_APPEND, "Drafts");
  g_autoptr (GPtrArray) told = NULL;
  const PostbagInterrupted *first;

  append->message = g_bytes_new_static ("Date: x\r\nMessage-ID: <a@b>\r\n\r\n", 30);
  leave (&fixture->backend, 2, 2, 1);
  run_and_crash (fixture, make (POSTBAG_EFFECT_MOVE, 3));
  run_and_crash (fixture, append);
  told = postbag_store_take_interrupted (fixture->store, NULL);
  g_assert_cmpuint (told->len, ==, 2);
  first = g_ptr_array_index (told, 0);
  g_assert_cmpint (first->kind, ==, POSTBAG_EFFECT_MOVE);
  g_assert_cmpstr (first->destination, ==, "Archive");
  g_assert_cmpuint (first->still->len, ==, 1);
  g_assert_cmpuint (g_array_index (first->still, guint32, 0), ==, 2);
  g_assert_cmpuint (first->gone->len, ==, 2);
  g_assert_cmpint (((PostbagInterrupted *)told->pdata[1])->outcome, ==, POSTBAG_OUTCOME_DONE);
  assert_taken (fixture, 0);
}

/* Of @account, which shares the state folder with the fixture's. */
static guint
count_taken (Fixture *fixture, const PostbagAccount *account)
{
  g_autoptr (PostbagStore) store =
      postbag_store_new (account, &fake, &fixture->backend, fixture->state);
  g_autoptr (GPtrArray) taken = postbag_store_take_interrupted (store, NULL);

  return taken->len;
}

/* Accounts of the environment have one name, whatever the server: what was interrupted on one is
 * not looked for on another, and is told whatever the account is called by then. */
static void
test_other_account (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagAccount) account = make_account ();
  const struct
  {
    char **field;
    const char *other;
  } cases[] = {
    { &account->host, "home.example.org" },
    { &account->user, "bob" },
    { &account->backend, "other" },
    { &account->path, "/srv/mail" },
  };

  run_and_crash (fixture, make (POSTBAG_EFFECT_MOVE, 1));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      char *kept = *cases[i].field;

      *cases[i].field = (char *)cases[i].other;
      g_assert_cmpuint (count_taken (fixture, account), ==, 0);
      *cases[i].field = kept;
    }
  account->port = 143;
  g_assert_cmpuint (count_taken (fixture, account), ==, 0);
  account->port = 993;
  g_free (account->name);
  account->name = g_strdup ("renamed");
  g_assert_cmpuint (count_taken (fixture, account), ==, 1);
}

/* Who took them may not get to tell: then the next call does. Told, they are gone. */
static void
test_told_once (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GPtrArray) told = NULL;

  run_and_crash (fixture, make (POSTBAG_EFFECT_MOVE, 1));
  assert_taken (fixture, 1);
  told = postbag_store_take_interrupted (fixture->store, NULL);
  g_assert_cmpuint (told->len, ==, 1);
  assert_taken (fixture, 0);
  postbag_receipt_close (g_steal_pointer (&((PostbagInterrupted *)told->pdata[0])->receipt), TRUE);
  assert_taken (fixture, 0);
}

/* A change that is over stays written down until its answer has left. */
static void
test_answer_lost (Fixture *fixture, gconstpointer data)
{
  for (guint was_told = 0; was_told < 2; was_told++)
    {
      g_autoptr (PostbagEffect) effect = make (POSTBAG_EFFECT_MOVE, 1);
      g_autoptr (PostbagEffectReport) report =
          postbag_store_apply (fixture->store, effect, NULL, NULL);
      PostbagReceipt *receipt = g_steal_pointer (&report->receipt);

      g_assert_nonnull (receipt);
      assert_taken (fixture, was_told == 0 ? 0 : 1);
      postbag_receipt_close (receipt, (gboolean)was_told);
    }
  /* the first is still there, the second is not */
  assert_taken (fixture, 1);
}

static PostbagEffect *
make_mark (void)
{
  static const char *const keywords[] = { "shown", NULL };
  PostbagEffect *effect = make (POSTBAG_EFFECT_STORE_FLAGS, 2);

  effect->add_keywords = g_strdupv ((char **)keywords);
  effect->bookkeeping = TRUE;
  return effect;
}

/* A mark of ours whose answer never left goes again; nobody is told of it. */
static void
test_marks (Fixture *fixture, gconstpointer data)
{
  run_and_crash (fixture, make_mark ());
  assert_taken (fixture, 0);
  postbag_store_withdraw_marks (fixture->store, "Other", "shown", NULL);
  g_assert_cmpuint (fixture->backend.applied, ==, 0);
  postbag_store_withdraw_marks (fixture->store, "INBOX", "shown", NULL);
  g_assert_cmpuint (fixture->backend.applied, ==, 1);
  g_assert_cmpstr (fixture->backend.last, ==, "1 2 -shown");
  postbag_store_withdraw_marks (fixture->store, "INBOX", "shown", NULL);
  g_assert_cmpuint (fixture->backend.applied, ==, 1);
}

/* What an answer showed stays marked; what cannot be taken back now is, later. */
static void
test_marks_later (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagEffect) effect = make_mark ();

  postbag_effect_report_free (postbag_store_apply (fixture->store, effect, NULL, NULL));
  postbag_store_withdraw_marks (fixture->store, "INBOX", "shown", NULL);
  g_assert_cmpuint (fixture->backend.applied, ==, 1);
  run_and_crash (fixture, make_mark ());
  fixture->backend.unknown = TRUE;
  postbag_store_withdraw_marks (fixture->store, "INBOX", "shown", NULL);
  g_assert_cmpuint (fixture->backend.applied, ==, 2);
  fixture->backend.unknown = FALSE;
  postbag_store_withdraw_marks (fixture->store, "INBOX", "shown", NULL);
  g_assert_cmpuint (fixture->backend.applied, ==, 3);
}

/* Mailboxes are renamed one after the other: what was stopped between them is neither done nor not
 * done. */
static void
test_rename_stopped (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *mailboxes;
    PostbagOutcome outcome;
  } cases[] = {
    { "INBOX New New/a", POSTBAG_OUTCOME_DONE },   { "INBOX Old Old/a", POSTBAG_OUTCOME_NOT_DONE },
    { "INBOX New Old/a", POSTBAG_OUTCOME_PARTLY }, { "INBOX Old New/a", POSTBAG_OUTCOME_PARTLY },
    { "INBOX Old New", POSTBAG_OUTCOME_PARTLY },   { "INBOX Older New", POSTBAG_OUTCOME_DONE },
    { "INBOX", POSTBAG_OUTCOME_UNKNOWN },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      PostbagEffect *effect = postbag_effect_new (POSTBAG_EFFECT_RENAME_MAILBOX, "Old");
      g_autoptr (GPtrArray) told = NULL;
      PostbagInterrupted *one;

      effect->destination = g_strdup ("New");
      run_and_crash (fixture, effect);
      fixture->backend.mailboxes = cases[i].mailboxes;
      told = postbag_store_take_interrupted (fixture->store, NULL);
      g_assert_cmpuint (told->len, ==, 1);
      one = g_ptr_array_index (told, 0);
      g_assert_cmpint (one->outcome, ==, cases[i].outcome);
      postbag_receipt_close (g_steal_pointer (&one->receipt), TRUE);
    }
}

/* The connection broke at the wrong moment: told by the next call. */
static void
test_unknown (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GPtrArray) told = NULL;

  fixture->backend.unknown = TRUE;
  for (guint i = 0; i < 1; i++)
    {
      g_autoptr (PostbagEffect) effect = make (POSTBAG_EFFECT_MOVE, 1);
      g_autoptr (PostbagEffectReport) report =
          postbag_store_apply (fixture->store, effect, NULL, NULL);

      g_assert_cmpuint (report->unknown->len, ==, 1);
    }
  told = postbag_store_take_interrupted (fixture->store, NULL);
  g_assert_cmpuint (told->len, ==, 1);
}

/* Who was interrupted with many messages waits for as few searches as it takes, and is told of all
 * of them. */
static void
test_many_messages (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    guint32 first, last, step;
    guint still, gone, unseen;
    guint most_searches;
  } cases[] = {
    { 0, 0, 1, 0, 1000, 0, 1 },     { 1, 1000, 1, 1000, 0, 0, 5 }, { 501, 1000, 1, 500, 500, 0, 3 },
    { 1, 1000, 3, 334, 666, 0, 2 }, { 1, 5000, 1, 1000, 0, 0, 5 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) told = NULL;
      PostbagInterrupted *one;

      run_and_crash (fixture, with_consent (make (POSTBAG_EFFECT_MOVE, 1000)));
      leave (&fixture->backend, cases[i].first, cases[i].last, cases[i].step);
      told = postbag_store_take_interrupted (fixture->store, NULL);
      g_assert_cmpuint (told->len, ==, 1);
      one = g_ptr_array_index (told, 0);
      g_assert_cmpuint (one->still->len, ==, cases[i].still);
      g_assert_cmpuint (one->gone->len, ==, cases[i].gone);
      g_assert_cmpuint (one->unseen, ==, cases[i].unseen);
      g_assert_cmpuint (fixture->backend.searches, <=, cases[i].most_searches);
      for (guint j = 1; j < one->still->len; j++)
        g_assert_cmpuint (g_array_index (one->still, guint32, j - 1), <,
                          g_array_index (one->still, guint32, j));
      postbag_receipt_close (g_steal_pointer (&one->receipt), TRUE);
    }
}

/* Between messages far apart stand others: each search tells of one at least, and there is an end
 * to them. */
static void
test_scattered_messages (Fixture *fixture, gconstpointer data)
{
  PostbagEffect *effect = with_consent (make (POSTBAG_EFFECT_MOVE, 60));
  g_autoptr (GPtrArray) told = NULL;
  PostbagInterrupted *one;

  for (guint i = 0; i < effect->uids->len; i++)
    g_array_index (effect->uids, guint32, i) = 1000 * (i + 1);
  run_and_crash (fixture, effect);
  leave (&fixture->backend, 1, 60000, 1);
  told = postbag_store_take_interrupted (fixture->store, NULL);
  one = g_ptr_array_index (told, 0);
  g_assert_cmpuint (one->still->len, ==, POSTBAG_LIMIT_JOURNAL_LOOKS);
  g_assert_cmpuint (one->unseen, ==, 60 - POSTBAG_LIMIT_JOURNAL_LOOKS);
  g_assert_cmpuint (fixture->backend.searches, ==, POSTBAG_LIMIT_JOURNAL_LOOKS);
}

/* A server that is slow is not waited for without end; what there was no time for is told next. */
static void
test_slow_looks (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagClock) clock = postbag_clock_new_manual (0);
  static const guint expected[] = { 3, 2, 0 };

  for (guint i = 0; i < 5; i++)
    run_and_crash (fixture, make (POSTBAG_EFFECT_MOVE, 1));
  fixture->store->clock = fixture->backend.clock = clock;
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_autoptr (GPtrArray) told = postbag_store_take_interrupted (fixture->store, NULL);

      g_assert_cmpuint (told->len, ==, expected[i]);
      for (guint j = 0; j < told->len; j++)
        {
          PostbagInterrupted *one = g_ptr_array_index (told, j);

          postbag_receipt_close (g_steal_pointer (&one->receipt), TRUE);
        }
    }
}

static guint
count_descriptors (void)
{
  g_autoptr (GDir) directory = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  while (g_dir_read_name (directory) != NULL)
    n++;
  return n;
}

static char *
make_journal (Fixture *fixture)
{
  char *folder = get_journal (fixture);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  return folder;
}

static void
write_entry (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  /* without fsync: there are many */
  g_assert_true (g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

static gboolean
has_entry (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* However many old changes there are: at most 64 of them are told at once, the oldest first, and
 * one descriptor is held for them. */
static void
test_many_entries (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = make_journal (fixture);
  g_autoptr (GPtrArray) told = NULL;
  guint before = count_descriptors ();

  for (guint i = 0; i < POSTBAG_LIMIT_JOURNAL_ENTRIES + 6; i++)
    {
      g_autofree char *name = g_strdup_printf ("%04u.change", i);
      g_autofree char *text =
          g_strdup_printf ("[change]\nkind=create-mailbox\nmailbox=m%u\nend=true\n", i);

      write_entry (folder, name, text);
    }
  told = postbag_store_take_interrupted (fixture->store, NULL);
  g_assert_cmpuint (told->len, ==, POSTBAG_LIMIT_JOURNAL_ENTRIES);
  g_assert_cmpstr (((PostbagInterrupted *)told->pdata[0])->mailbox, ==, "m0");
  g_assert_cmpuint (count_descriptors (), ==, before + 1);
  assert_taken (fixture, 0);
  for (guint i = 0; i < told->len; i++)
    {
      PostbagInterrupted *one = g_ptr_array_index (told, i);

      postbag_receipt_close (g_steal_pointer (&one->receipt), TRUE);
    }
  g_assert_cmpuint (count_descriptors (), ==, before);
  assert_taken (fixture, 6);
}

/* What another process has just made and not written yet is left to it, cut off is what never
 * began, and what cannot be read is kept for a person and said. */
static void
test_strange_entries (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = make_journal (fixture);

  write_entry (folder, "1.change", "");
  write_entry (folder, "2.change", "[change]\nkind=move\nmailbox=INBOX\nuids=1 2");
  write_entry (folder, "3.change", "nonsense\nend=true\n");
  write_entry (folder, "4.change", "[change]\nkind=fly\nmailbox=x\nend=true\n");
  write_entry (folder, "5.other", "[change]\nkind=move\nmailbox=x\nend=true\n");
  for (guint i = 0; i < 2; i++)
    g_test_expect_message ("postbag-mail", G_LOG_LEVEL_WARNING, "*cannot be read*");
  assert_taken (fixture, 0);
  g_test_assert_expected_messages ();
  g_assert_true (has_entry (folder, "1.change"));
  g_assert_false (has_entry (folder, "2.change"));
  g_assert_true (has_entry (folder, "3.change.unreadable"));
  g_assert_true (has_entry (folder, "4.change.unreadable"));
  g_assert_true (has_entry (folder, "5.other"));
  assert_taken (fixture, 0);
}

/* @expected: -1: it cannot be seen */
static void
assert_repeats (Fixture *fixture, PostbagEffect *effect, int expected)
{
  g_autoptr (GError) error = NULL;
  gboolean was_interrupted = FALSE;
  gboolean seen = postbag_store_was_interrupted (fixture->store, effect, &was_interrupted, &error);

  g_assert_cmpint (seen ? was_interrupted : -1, ==, expected);
  if (!seen)
    {
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE);
      g_assert_nonnull (strstr (error->message, "Nothing was changed"));
    }
  postbag_effect_free (effect);
}

/* Who would have a message twice: also while somebody else is being told of it, and after so many
 * others that they are told in more than one answer. */
static void
test_repeated (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = make_journal (fixture);
  g_autoptr (GPtrArray) told = NULL;

  for (guint i = 0; i < POSTBAG_LIMIT_JOURNAL_ENTRIES; i++)
    {
      g_autofree char *name = g_strdup_printf ("%04u.change", i);

      write_entry (folder, name, "[change]\nkind=create-mailbox\nmailbox=x\nend=true\n");
    }
  assert_repeats (fixture, make (POSTBAG_EFFECT_COPY, 1), FALSE);
  write_entry (folder, "9999.change", "[change]\nkind=move\nmailbox=INBOX\nuids=2 3\nend=true\n");
  assert_repeats (fixture, make (POSTBAG_EFFECT_COPY, 1), FALSE);
  assert_repeats (fixture, make (POSTBAG_EFFECT_COPY, 2), TRUE);
  assert_repeats (fixture, make (POSTBAG_EFFECT_STORE_FLAGS, 2), FALSE);
  told = postbag_store_take_interrupted (fixture->store, NULL);
  g_assert_cmpuint (told->len, ==, POSTBAG_LIMIT_JOURNAL_ENTRIES);
  assert_repeats (fixture, make (POSTBAG_EFFECT_MOVE, 2), TRUE);
}

/* A journal that cannot be seen may hold anything. */
static void
test_repeated_unseen (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = make_journal (fixture);
  g_autofree char *place = g_path_get_dirname (folder);
  g_autofree char *away = g_strconcat (place, ".away", NULL);

  for (guint i = 0; i < POSTBAG_LIMIT_JOURNAL_NAMES; i++)
    {
      g_autofree char *name = g_strdup_printf ("%04u.change", i);

      write_entry (folder, name, "x");
      if (i == POSTBAG_LIMIT_JOURNAL_NAMES - 2)
        assert_repeats (fixture, make (POSTBAG_EFFECT_MOVE, 1), FALSE);
    }
  assert_repeats (fixture, make (POSTBAG_EFFECT_MOVE, 1), -1);
  g_assert_cmpint (g_rename (place, away), ==, 0);
  g_assert_true (g_file_set_contents (place, "in the way", -1, NULL));
  assert_repeats (fixture, make (POSTBAG_EFFECT_MOVE, 1), -1);
}

/* A process that was killed before it wrote anything began nothing. */
static void
test_empty_entry (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = make_journal (fixture);
  g_autofree char *path = g_build_filename (folder, "1.change", NULL);
  gint64 now = g_get_real_time () / G_USEC_PER_SEC;
  struct utimbuf times = { now - 2 * 24 * 60 * 60, now - 2 * 24 * 60 * 60 };

  write_entry (folder, "1.change", "");
  g_assert_cmpint (g_utime (path, &times), ==, 0);
  assert_taken (fixture, 0);
  g_assert_false (has_entry (folder, "1.change"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/interrupted/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("other-account", test_other_account);
  ADD ("told-once", test_told_once);
  ADD ("answer-lost", test_answer_lost);
  ADD ("rename-stopped", test_rename_stopped);
  ADD ("crash", test_crash);
  ADD ("marks", test_marks);
  ADD ("marks-later", test_marks_later);
  ADD ("unknown", test_unknown);
  ADD ("many-messages", test_many_messages);
  ADD ("scattered-messages", test_scattered_messages);
  ADD ("slow-looks", test_slow_looks);
  ADD ("many-entries", test_many_entries);
  ADD ("strange-entries", test_strange_entries);
  ADD ("repeated", test_repeated);
  ADD ("repeated-unseen", test_repeated_unseen);
  ADD ("empty-entry", test_empty_entry);
  return g_test_run ();
}
