/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "store-fixture.h"

/* --- search --- */

typedef void (*SetFunc) (PostbagSearch *search);

#define CRITERION(name, statement)                                                                 \
  static void set_##name (PostbagSearch *search) { statement; }

CRITERION (none, (void)search)
CRITERION (seen, search->seen = POSTBAG_YES)
CRITERION (unseen, search->seen = POSTBAG_NO)
CRITERION (flagged, search->flagged = POSTBAG_YES)
CRITERION (unanswered, search->answered = POSTBAG_NO)
CRITERION (keyword, search->keyword = g_strdup ("work"))
CRITERION (unkeyword, search->unkeyword = g_strdup ("Work"))
CRITERION (uids, (search->uid_from = 2, search->uid_to = 2))
CRITERION (these, (search->uids = g_array_append_vals (g_array_new (FALSE, FALSE, sizeof (guint32)),
                                                       ((const guint32[]){ 1, 3, 777 }), 3)))
CRITERION (larger, search->larger = 300)
CRITERION (smaller, search->smaller = 300)
CRITERION (from, search->from = g_strdup ("ALICE archer <alice@"))
CRITERION (from_folded, search->from = g_strdup ("ZO\xc3\x8b"))
CRITERION (to, search->to = g_strdup ("b@example"))
CRITERION (cc, search->cc = g_strdup ("carol"))
CRITERION (subject, search->subject = g_strdup ("GR\xc3\x9cSSE"))
CRITERION (subject_decomposed, search->subject = g_strdup ("gru\xcc\x88\xc3\x9f"))
CRITERION (body, search->body = g_strdup ("strasse f\xc3\x9chrt"))
CRITERION (body_not_header, search->body = g_strdup ("Third"))
CRITERION (body_not_attachment, search->body = g_strdup ("%PDF"))
CRITERION (text_header, search->text = g_strdup ("subject: third"))
CRITERION (text_body, search->text = g_strdup ("hello"))
CRITERION (reference, postbag_search_add_any_header (search, "References", "<two@x>"))
CRITERION (any_header, (postbag_search_add_any_header (search, "Message-ID", "<none@x>"),
                        postbag_search_add_any_header (search, "List-Id", "KNITTERS")))
CRITERION (has_header, postbag_search_add_any_header (search, "cc", ""))
CRITERION (both, (search->from = g_strdup ("alice"), search->seen = POSTBAG_NO))
CRITERION (contradiction, (search->seen = POSTBAG_NO, search->uid_to = 1))
CRITERION (across_addresses, search->to = g_strdup ("org\x1f"
                                                    "b"))

static void
test_search (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *name;
    SetFunc set;
    const char *expected;
  } cases[] = {
    { "none", set_none, "3 2 1" },
    { "seen", set_seen, "1" },
    { "unseen", set_unseen, "3 2" },
    { "flagged", set_flagged, "2" },
    { "unanswered", set_unanswered, "3 1" },
    { "keyword", set_keyword, "2" },
    { "unkeyword", set_unkeyword, "3 1" },
    { "uids", set_uids, "2" },
    { "these", set_these, "3 1" },
    { "larger", set_larger, "2" },
    { "smaller", set_smaller, "3 1" },
    { "from", set_from, "3 1" },
    { "from folded", set_from_folded, "2" },
    { "to", set_to, "3 2 1" },
    { "cc", set_cc, "2" },
    { "subject", set_subject, "2" },
    { "subject decomposed", set_subject_decomposed, "2" },
    { "body", set_body, "2" },
    { "body, not header", set_body_not_header, "" },
    { "body, not attachment", set_body_not_attachment, "" },
    { "text in header", set_text_header, "3" },
    { "text in body", set_text_body, "3 1" },
    { "reference", set_reference, "2" },
    { "any header", set_any_header, "2" },
    { "has header", set_has_header, "2" },
    { "both", set_both, "3" },
    { "contradiction", set_contradiction, "" },
    { "across addresses", set_across_addresses, "" },
  };

  put_three (fixture);
  for (guint round = 0; round < 2; round++) /* the second time from the cache */
    for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
      {
        g_autoptr (PostbagSearch) search = postbag_search_new ();
        g_autofree char *uids = NULL;

        cases[i].set (search);
        uids = list_uids (fixture, search);
        g_test_message ("%s", cases[i].name);
        g_assert_cmpstr (uids, ==, cases[i].expected);
      }
}

/* Days in UTC: since is inclusive, before is not. 1600041599 is 2020-09-13 23:59:59 UTC
 * (`date -u -d @1600041599`). */
static void
test_search_by_day (Fixture *fixture, gconstpointer data)
{
  static const gint64 arrivals[] = { 1600041599, 1600041600, 1600127999, 1600128000 };
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autofree char *uids = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (arrivals); i++)
    {
      g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT ".a.h:2,", arrivals[i]);
      g_autofree char *path = g_build_filename (fixture->scratch->mail, "cur", name, NULL);
      struct timespec times[2] = { { arrivals[i], 0 }, { arrivals[i], 0 } };

      put (fixture->scratch, "cur", name, PLAIN ("day"));
      g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
    }
  search->since = g_date_new_dmy (14, G_DATE_SEPTEMBER, 2020);
  search->before = g_date_new_dmy (15, G_DATE_SEPTEMBER, 2020);
  uids = list_uids (fixture, search);
  g_assert_cmpstr (uids, ==, "3 2");
}

static void
cancel_at_progress (double fraction, gpointer user_data)
{
  g_assert_cmpfloat (fraction, >, 0);
  g_assert_cmpfloat (fraction, <=, 1);
  g_cancellable_cancel (user_data);
}

static void
test_search_cancelled (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  PostbagPage page = { 0, 10, cancel_at_progress, cancellable };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 600; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.a.h:2,", 1000 + i);

      put (fixture->scratch, "cur", name, "Subject: x\n\n");
    }
  search->subject = g_strdup ("x");
  g_assert_null (store->search (fixture->self, "INBOX", search, &page, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

/* Letters with accents all over: composing them was quadratic, a minute for each megabyte. */
static void
test_search_accents (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autofree char *uids = NULL;
  GString *message = g_string_new ("Content-Type: text/plain; charset=utf-8\n\n");
  gint64 start = g_get_monotonic_time ();

  for (guint i = 0; i < 300000; i++)
    g_string_append (message, i == 299999 ? "Nad\u00e8ge" : "\u1e69");
  put (fixture->scratch, "cur", "1000.a.h:2,", message->str);
  g_string_free (message, TRUE);
  search->body = g_strdup ("NADE\u0300GE");
  uids = list_uids (fixture, search);
  g_assert_cmpstr (uids, ==, "1");
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
}

#define ADD(name, function)                                                                        \
  g_test_add ("/maildir/search/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("search", test_search);
  ADD ("search-by-day", test_search_by_day);
  ADD ("search-cancelled", test_search_cancelled);
  ADD ("search-accents", test_search_accents);
  return g_test_run ();
}
