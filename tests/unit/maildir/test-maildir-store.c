/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "store-fixture.h"

static void
test_list (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagSearchPage) page = NULL;
  const PostbagSummary *summary;
  struct timespec times[2] = { { 1234567890, 0 }, { 1234567890, 0 } };
  g_autofree char *file = g_build_filename (fixture->scratch->mail, "cur", "100.a.h:2,S", NULL);

  put_three (fixture);
  g_assert_cmpint (utimensat (AT_FDCWD, file, times, 0), ==, 0);
  page = list (fixture, NULL, 0, 10);
  g_assert_cmpint (page->total, ==, 3);
  g_assert_cmpuint (page->uid_validity, >, 0);
  g_assert_null (page->warnings);
  g_assert_cmpuint (((PostbagSummary *)g_ptr_array_index (page->summaries, 0))->uid, ==, 3);
  g_assert_cmpuint (((PostbagSummary *)g_ptr_array_index (page->summaries, 2))->uid, ==, 1);

  summary = get_summary (page, 1);
  g_assert_cmpstr (summary->subject, ==, "First");
  g_assert_cmpint (summary->flags, ==, POSTBAG_FLAG_SEEN);
  g_assert_cmpint (summary->internal_date, ==, 1234567890);
  g_assert_cmpint (summary->date, ==, 1600000000);
  g_assert_cmpint (summary->size, ==, strlen (PLAIN ("First")));
  g_assert_cmpstr (summary->message_id, ==, "<a@b>");
  g_assert_false (summary->has_attachments);

  summary = get_summary (page, 2);
  g_assert_cmpstr (summary->subject, ==, "Gr\xc3\xbc\xc3\x9f\x65");
  g_assert_cmpint (summary->flags, ==, POSTBAG_FLAG_FLAGGED | POSTBAG_FLAG_ANSWERED);
  g_assert_cmpstr (summary->keywords[0], ==, "Work");
  g_assert_null (summary->keywords[1]);
  g_assert_true (summary->has_attachments);
  g_assert_cmpuint (summary->to->len, ==, 2);
  g_assert_cmpstr (((PostbagAddress *)g_ptr_array_index (summary->from, 0))->name, ==,
                   "Zo\xc3\xab");
  g_assert_cmpint (get_summary (page, 3)->flags, ==, 0);
}

/* The second time everything comes from the cache, and is the same. */
static void
test_list_again (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagSearchPage) first = NULL;
  g_autoptr (PostbagSearchPage) second = NULL;

  put_three (fixture);
  first = list (fixture, NULL, 0, 10);
  reopen (fixture);
  second = list (fixture, NULL, 0, 10);
  g_assert_cmpuint (first->uid_validity, ==, second->uid_validity);
  for (guint32 uid = 1; uid <= 3; uid++)
    {
      const PostbagSummary *before = get_summary (first, uid), *after = get_summary (second, uid);

      g_assert_cmpstr (before->subject, ==, after->subject);
      g_assert_cmpint (before->date, ==, after->date);
      g_assert_cmpint (before->internal_date, ==, after->internal_date);
      g_assert_cmpint (before->size, ==, after->size);
      g_assert_cmpint (before->has_attachments, ==, after->has_attachments);
      g_assert_cmpuint (before->to->len, ==, after->to->len);
      g_assert_cmpstr (((PostbagAddress *)g_ptr_array_index (before->from, 0))->address, ==,
                       ((PostbagAddress *)g_ptr_array_index (after->from, 0))->address);
    }
}

/* The account gets another Maildir, in which the same name is another message; then the first one
 * again, by another way to it. */
static void
test_other_root (Fixture *fixture, gconstpointer data)
{
  g_autoptr (Scratch) other = scratch_new ();
  g_autofree char *link = g_build_filename (fixture->scratch->root, "link", NULL);
  const char *const roots[] = { fixture->scratch->mail, other->mail, link };
  static const char *const subjects[] = { "Mine", "Another", "Mine" };
  guint32 uid_validities[G_N_ELEMENTS (roots)];

  put (fixture->scratch, "cur", "1.a.h:2,", PLAIN ("Mine"));
  put (other, "cur", "1.a.h:2,", PLAIN ("Another"));
  g_assert_cmpint (symlink (fixture->scratch->mail, link), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (roots); i++)
    {
      g_autoptr (PostbagSearchPage) page = NULL;

      g_free (fixture->account->path);
      fixture->account->path = g_strdup (roots[i]);
      reopen (fixture);
      page = list (fixture, NULL, 0, 10);
      uid_validities[i] = page->uid_validity;
      g_assert_cmpstr (get_summary (page, 1)->subject, ==, subjects[i]);
    }
  g_assert_cmpuint (uid_validities[1], !=, uid_validities[0]);
  g_assert_cmpuint (uid_validities[2], ==, uid_validities[0]);
}

static void
test_page (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    gint64 offset;
    guint limit;
    guint expected;
    guint32 first;
  } cases[] = { { 0, 2, 2, 3 },          { 2, 2, 1, 1 }, { 3, 5, 0, 0 },
                { G_MAXINT64, 5, 0, 0 }, { 0, 0, 0, 0 }, { 0, G_MAXUINT, 3, 3 } };

  put_three (fixture);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PostbagSearchPage) page = list (fixture, NULL, cases[i].offset, cases[i].limit);

      g_assert_cmpint (page->total, ==, 3);
      g_assert_cmpuint (page->summaries->len, ==, cases[i].expected);
      if (cases[i].expected > 0)
        g_assert_cmpuint (((PostbagSummary *)g_ptr_array_index (page->summaries, 0))->uid, ==,
                          cases[i].first);
    }
}

/* --- one message --- */

static void
test_fetch_message (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagFetchedMessage) whole = NULL;
  g_autoptr (PostbagFetchedMessage) start = NULL;
  g_autoptr (GError) error = NULL;

  put_three (fixture);
  whole = store->fetch_message (fixture->self, "INBOX", 2, 100000, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (whole->complete);
  g_assert_null (whole->structure);
  g_assert_cmpint (whole->size, ==, strlen (mixed));
  g_assert_cmpmem (g_bytes_get_data (whole->source, NULL), (int)g_bytes_get_size (whole->source),
                   mixed, (int)strlen (mixed));
  g_assert_cmpstr (whole->keywords[0], ==, "Work");

  start = store->fetch_message (fixture->self, "INBOX", 2, 10, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (start->complete);
  g_assert_cmpuint (g_bytes_get_size (start->source), ==, 10);
  g_assert_cmpstr (start->structure->type, ==, "multipart/mixed");
  g_assert_cmpuint (start->structure->children->len, ==, 2);
  g_assert_cmpuint (start->uid_validity, ==, whole->uid_validity);
}

static gboolean
refuse_block (const guint8 *bytes, gsize length, gpointer user_data, GError **error)
{
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE, "enough");
  return FALSE;
}

static void
test_fetch_part (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagPart) structure = NULL;
  g_autoptr (GError) error = NULL;

  put_three (fixture);
  assert_part (fixture, "0", mixed);
  assert_part (fixture, "1", "RGllIFN0cmHDn2UgZsO8aHJ0IG5hY2ggTcO8bmNoZW4uCg==");
  assert_part (fixture, "2", "JVBERi0xLjQK");
  assert_part (fixture, "3", NULL);
  assert_part (fixture, "1.1", NULL);
  structure = store->fetch_structure (fixture->self, "INBOX", 2, NULL, NULL);
  g_assert_cmpstr (postbag_part_find (structure, "2")->filename, ==, "x.pdf");
  g_assert_cmpint (postbag_part_find (structure, "2")->size, ==, strlen ("JVBERi0xLjQK"));
  g_assert_false (
      store->fetch_part (fixture->self, "INBOX", 2, "0", refuse_block, NULL, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE);
}

static char *
find_version (Fixture *fixture)
{
  g_autoptr (PostbagPart) structure =
      store->fetch_structure (fixture->self, "INBOX", 1, NULL, NULL);

  g_assert_nonnull (structure);
  g_assert_nonnull (structure->version);
  return g_strdup (structure->version);
}

/* A program that writes a file anew under its name, as long as it was: the UID stays, and the
 * structure tells that it is another message. Marking one is no change of it. */
static void
test_replaced (Fixture *fixture, gconstpointer data)
{
  g_autofree char *first = NULL, *marked = NULL, *replaced = NULL;

  put (fixture->scratch, "cur", "100.a.h:2,S", PLAIN ("First"));
  first = find_version (fixture);
  rename_message (fixture->scratch, "cur/100.a.h:2,S", "cur/100.a.h:2,FS");
  marked = find_version (fixture);
  put (fixture->scratch, "cur", "100.a.h:2,FS", PLAIN ("Other"));
  replaced = find_version (fixture);
  g_assert_cmpstr (first, ==, marked);
  g_assert_cmpstr (first, !=, replaced);
}

/* --- mailboxes and state --- */

static void
test_mailboxes (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GPtrArray) mailboxes = NULL;
  const PostbagMailbox *mailbox;
  gint64 total;

  put_three (fixture);
  make_folder (fixture->scratch->mail, ".Sent");
  mailboxes = store->list_mailboxes (fixture->self, TRUE, &total, NULL, NULL);
  g_assert_cmpint (total, ==, 2);
  mailbox = g_ptr_array_index (mailboxes, 0);
  g_assert_cmpstr (mailbox->path, ==, "INBOX");
  g_assert_cmpint (mailbox->delimiter, ==, '/');
  g_assert_true (mailbox->has_status);
  g_assert_cmpint (mailbox->messages, ==, 3);
  g_assert_cmpint (mailbox->unseen, ==, 2);
  g_assert_cmpuint (mailbox->uid_next, ==, 4);
  mailbox = g_ptr_array_index (mailboxes, 1);
  g_assert_cmpstr (mailbox->special_use, ==, "\\Sent");
  g_assert_cmpint (mailbox->messages, ==, 0);
}

/* A folder that is there, but holds no mail: a wrong path, not an empty account. */
static void
test_not_a_maildir (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagSearch) all = postbag_search_new ();
  PostbagPage page = { .limit = 5 };
  g_autoptr (GError) error = NULL, search_error = NULL;
  gint64 total;

  g_free (fixture->account->path);
  fixture->account->path = g_strdup (fixture->scratch->state);
  reopen (fixture);
  g_assert_null (store->list_mailboxes (fixture->self, TRUE, &total, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE);
  g_assert_nonnull (strstr (error->message, "to a Maildir"));
  g_assert_null (store->search (fixture->self, "INBOX", all, &page, NULL, &search_error));
  g_assert_cmpstr (search_error->message, ==, error->message);
}

static void
test_state (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagMailboxState) state = NULL;
  g_autoptr (PostbagMailboxState) no_map = NULL;

  put_three (fixture);
  state = store->get_state (fixture->self, "INBOX", NULL, NULL);
  g_assert_cmpint (state->messages, ==, 3);
  g_assert_cmpuint (state->uid_next, ==, 4);
  g_assert_true (g_strv_contains ((const char *const *)state->permanent_flags, "\\*"));
  g_assert_true (g_strv_contains ((const char *const *)state->permanent_flags, "\\Seen"));

  store->close (fixture->self);
  g_test_expect_message ("postbag-maildir", G_LOG_LEVEL_WARNING, "*valid only until*");
  fixture->self = store->open (fixture->account, NULL, NULL);
  g_test_assert_expected_messages ();
  no_map = store->get_state (fixture->self, "INBOX", NULL, NULL);
  g_assert_false (g_strv_contains ((const char *const *)no_map->permanent_flags, "\\*"));
  g_assert_cmpuint (no_map->uid_validity, !=, state->uid_validity);
  {
    g_autoptr (PostbagSearchPage) page = list (fixture, NULL, 0, 10);

    g_assert_nonnull (page->warnings);
    g_assert_cmpuint (g_strv_length (page->warnings), ==, 1);
  }
}

/* --- watching --- */

typedef struct
{
  GMutex lock;
  GCond cond;
  guint calls;
} Changes;

static void
count_change (const char *mailbox, gpointer user_data)
{
  Changes *changes = user_data;

  g_mutex_lock (&changes->lock);
  changes->calls++;
  g_cond_signal (&changes->cond);
  g_mutex_unlock (&changes->lock);
}

static void
wait_for_calls (Changes *changes, guint calls)
{
  gint64 deadline = g_get_monotonic_time () + 10 * G_USEC_PER_SEC;

  g_mutex_lock (&changes->lock);
  while (changes->calls < calls)
    g_assert_true (g_cond_wait_until (&changes->cond, &changes->lock, deadline));
  g_mutex_unlock (&changes->lock);
}

static void
test_watch (Fixture *fixture, gconstpointer data)
{
  Changes first = { 0 }, second = { 0 };
  guint first_id, second_id;

  g_mutex_init (&first.lock);
  g_cond_init (&first.cond);
  g_mutex_init (&second.lock);
  g_cond_init (&second.cond);
  first_id = store->watch (fixture->self, "INBOX", count_change, &first, NULL);
  second_id = store->watch (fixture->self, "INBOX", count_change, &second, NULL);
  g_assert_cmpuint (first_id, >, 0);
  g_assert_cmpuint (second_id, !=, first_id);
  put (fixture->scratch, "new", "1.a.h", PLAIN ("One"));
  wait_for_calls (&first, 1);
  wait_for_calls (&second, 1);
  store->unwatch (fixture->self, first_id);
  store->unwatch (fixture->self, 999);
  rename_message (fixture->scratch, "new/1.a.h", "cur/1.a.h:2,S");
  wait_for_calls (&second, 2);
  g_assert_cmpuint (first.calls, ==, 1);
  g_mutex_clear (&first.lock);
  g_cond_clear (&first.cond);
  store->unwatch (fixture->self, second_id);
  g_mutex_clear (&second.lock);
  g_cond_clear (&second.cond);
}

/* --- threads --- */

static gpointer
list_many_times (gpointer data)
{
  for (guint i = 0; i < 30; i++)
    {
      g_autofree char *uids = list_uids (data, NULL);

      g_assert_cmpstr (uids, ==, "3 2 1");
    }
  return NULL;
}

static void
test_threads (Fixture *fixture, gconstpointer data)
{
  GThread *threads[8];

  put_three (fixture);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("list", list_many_times, fixture);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

#define ADD(name, function)                                                                        \
  g_test_add ("/maildir/store/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("list", test_list);
  ADD ("list-again", test_list_again);
  ADD ("other-root", test_other_root);
  ADD ("page", test_page);
  ADD ("fetch-message", test_fetch_message);
  ADD ("fetch-part", test_fetch_part);
  ADD ("replaced", test_replaced);
  ADD ("mailboxes", test_mailboxes);
  ADD ("not-a-maildir", test_not_a_maildir);
  ADD ("state", test_state);
  ADD ("watch", test_watch);
  ADD ("threads", test_threads);
  return g_test_run ();
}
