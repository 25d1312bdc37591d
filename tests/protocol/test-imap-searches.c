/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Searches by what the server can do: how much comes over the wire, and which charset goes. */

#include <string.h>

#include "base/postbag-error.h"
#include "peer-store.h"

#define SUMMARY(uid)                                                                               \
  "S:* 1 FETCH (UID " uid " FLAGS () RFC822.SIZE 9 BODY[HEADER.FIELDS (FROM TO SUBJECT DATE "      \
  "MESSAGE-ID)] \"Subject: x\")"

static PostbagSearchPage *
search_from (Fixture *fixture, const char *from, gint64 offset, guint limit)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  PostbagPage page = { .offset = offset, .limit = limit };
  g_autoptr (GError) error = NULL;
  PostbagSearchPage *result;

  search->from = g_strdup (from);
  search->larger = 1000;
  result = postbag_imap_store.search (fixture->store, "INBOX", search, &page, NULL, &error);
  g_assert_no_error (error);
  return result;
}

static guint32
get_uid (const PostbagSearchPage *page, guint index)
{
  g_assert_cmpuint (index, <, page->summaries->len);
  return ((PostbagSummary *)g_ptr_array_index (page->summaries, index))->uid;
}

/* RFC 9394 section 3.1: the last results first; no list of all that match. */
static void
test_partial (void)
{
  static const char *const script[] = {
    GREETING,
    LOGIN_WITH ("ESEARCH PARTIAL"),
    EXAMINE_OF ("40000"),
    "C:UID SEARCH RETURN (COUNT PARTIAL -3:-4) FROM \"ida\" LARGER 1000",
    "S:* ESEARCH (TAG \"%t\") UID COUNT 40000 PARTIAL (-3:-4 17,4711)",
    "S:%t OK",
    "C:UID FETCH 17,4711 (",
    SUMMARY ("17"),
    SUMMARY ("4711"),
    "S:%t OK",
    "C:NOOP",
    "C:UID SEARCH RETURN (COUNT PARTIAL -50001:-50002) FROM",
    "S:%1 OK",
    "S:* ESEARCH (TAG \"%t\") UID COUNT 40000 PARTIAL (-50001:-50002 NIL)",
    "S:%t OK",
    "STALL",
    NULL
  };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearchPage) page = search_from (fixture, "ida", 2, 2);
  g_autoptr (PostbagSearchPage) behind = search_from (fixture, "ida", 50000, 2);

  g_assert_cmpint (page->total, ==, 40000);
  g_assert_cmpuint (page->summaries->len, ==, 2);
  g_assert_cmpuint (get_uid (page, 0), ==, 4711);
  g_assert_cmpuint (get_uid (page, 1), ==, 17);
  g_assert_cmpint (behind->total, ==, 40000);
  g_assert_cmpuint (behind->summaries->len, ==, 0);
  end_quietly (fixture);
}

/* Announced and refused: whole, and from then on without asking; only that works is remembered. */
static void
test_partial_refused (void)
{
#define ANSWER                                                                                     \
  "C:UID SEARCH RETURN (ALL) FROM \"ida\"", "S:* ESEARCH (TAG \"%t\") UID ALL 3:5", "S:%t OK",     \
      "C:UID FETCH 5 (", SUMMARY ("5"), "S:%t OK"
  static const char *const script[] = { GREETING,
                                        LOGIN_WITH ("ESEARCH PARTIAL"),
                                        EXAMINE,
                                        "C:UID SEARCH RETURN (COUNT PARTIAL -1:-1)",
                                        "S:%t BAD no such thing",
                                        "C:NOOP",
                                        "S:%t OK",
                                        ANSWER,
                                        "C:NOOP",
                                        "S:%t OK",
                                        ANSWER,
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (PostbagSearchPage) page = search_from (fixture, "ida", 0, 1);

      g_assert_cmpint (page->total, ==, 3);
      g_assert_cmpuint (get_uid (page, 0), ==, 5);
    }
  end_quietly (fixture);
}

/* A search that is wrong in any words is asked in both, and the refusal is told. */
static void
test_refused (void)
{
  static const char *const script[] = { GREETING,
                                        LOGIN_WITH ("ESEARCH PARTIAL"),
                                        EXAMINE,
                                        "C:UID SEARCH RETURN (COUNT PARTIAL -1:-1)",
                                        "S:%t NO nothing doing",
                                        "C:NOOP",
                                        "S:%t OK",
                                        "C:UID SEARCH RETURN (ALL)",
                                        "S:%t NO nothing doing",
                                        "C:NOOP",
                                        "S:%t OK",
                                        "C:UID SEARCH RETURN (COUNT PARTIAL -1:-1)",
                                        "S:%t NO [UNAVAILABLE] later",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  PostbagPage page = { .limit = 1 };
  g_autoptr (GError) refused = NULL, later = NULL;

  search->from = g_strdup ("ida");
  g_assert_null (
      postbag_imap_store.search (fixture->store, "INBOX", search, &page, NULL, &refused));
  g_assert_error (refused, POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED);
  g_assert_null (postbag_imap_store.search (fixture->store, "INBOX", search, &page, NULL, &later));
  g_assert_error (later, POSTBAG_ERROR, POSTBAG_ERROR_BUSY);
  end_quietly (fixture);
}

/* Only the number is wanted: only the number comes. */
static void
test_count (void)
{
  static const char *const script[] = { GREETING,
                                        LOGIN_WITH ("ESEARCH"),
                                        EXAMINE_OF ("40000"),
                                        "C:UID SEARCH RETURN (COUNT) FROM \"ida\"",
                                        "S:* ESEARCH (TAG \"%t\") UID COUNT 40000",
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearchPage) page = search_from (fixture, "ida", 0, 0);

  g_assert_cmpint (page->total, ==, 40000);
  end_quietly (fixture);
}

/* RFC 4731 section 3.1: there is an answer also where nothing matches. One to somebody else's
 * search is none. */
static void
test_foreign_answer (void)
{
  static const char *const script[] = { GREETING,
                                        LOGIN_WITH ("ESEARCH"),
                                        EXAMINE,
                                        "C:UID SEARCH RETURN (COUNT)",
                                        "S:* ESEARCH (TAG \"X9\") UID COUNT 40000",
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  PostbagPage page = { .limit = 0 };
  g_autoptr (GError) error = NULL;

  search->from = g_strdup ("ida");
  g_assert_null (postbag_imap_store.search (fixture->store, "INBOX", search, &page, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA);
  end_quietly (fixture);
}

/* The same without PARTIAL, and without ESEARCH: the page is cut here. */
static void
test_without_partial (void)
{
  static const char *const extended[] = { GREETING,
                                          LOGIN_WITH ("ESEARCH"),
                                          EXAMINE_OF ("5"),
                                          "C:UID SEARCH RETURN (ALL) FROM \"ida\"",
                                          "S:* ESEARCH (TAG \"%t\") UID ALL 3:5,17,4711",
                                          "S:%t OK",
                                          "C:UID FETCH 5,17 (",
                                          SUMMARY ("5"),
                                          SUMMARY ("17"),
                                          "S:%t OK",
                                          "STALL",
                                          NULL };
  static const char *const plain[] = { GREETING,
                                       LOGIN_WITH ("PARTIAL"),
                                       EXAMINE_OF ("5"),
                                       "C:UID SEARCH FROM \"ida\"",
                                       "S:* SEARCH 4711 3 4 17 5",
                                       "S:%t OK",
                                       "C:UID FETCH 5,17 (",
                                       SUMMARY ("5"),
                                       SUMMARY ("17"),
                                       "S:%t OK",
                                       "STALL",
                                       NULL };
  static const char *const *const scripts[][2] = { { extended, NULL }, { plain, NULL } };

  for (gsize i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      Fixture *fixture = begin (scripts[i]);
      g_autoptr (PostbagSearchPage) page = search_from (fixture, "ida", 1, 2);

      g_assert_cmpint (page->total, ==, 5);
      g_assert_cmpuint (get_uid (page, 0), ==, 17);
      g_assert_cmpuint (get_uid (page, 1), ==, 5);
      end_quietly (fixture);
    }
}

/* UTF-8 is refused: the first charset the server names that can hold the word is taken, for bodies,
 * too. 0xe9 is é in ISO 8859-1. */
static void
test_another_charset (void)
{
  static const char *const script[] = { READY,
                                        EXAMINE,
                                        "C:UID SEARCH CHARSET UTF-8 TEXT {5}",
                                        "S:+ ok",
                                        "L",
                                        "S:%t NO [BADCHARSET (US-ASCII UTF-16 ISO-8859-5//TRANSLIT "
                                        "KOI8-R \"iso-8859-1\")] not that one",
                                        "C:NOOP",
                                        "S:%t OK",
                                        "C:UID SEARCH CHARSET \"iso-8859-1\" TEXT {4}",
                                        "S:+ ok",
                                        "L",
                                        "S:* SEARCH 4",
                                        "S:%t OK",
                                        "C:UID FETCH 4 (",
                                        SUMMARY ("4"),
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  PostbagPage page = { .limit = 10 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagSearchPage) result = NULL;
  g_autofree char *log = NULL;

  search->text = g_strdup ("caf\xc3\xa9");
  result = postbag_imap_store.search (fixture->store, "INBOX", search, &page, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (result->total, ==, 1);
  g_assert_cmpuint (get_uid (result, 0), ==, 4);
  g_assert_null (result->warnings);
  log = end (fixture);
  g_assert_nonnull (strstr (log, "\ncaf\xe9\n"));
}

/* Refused again, and not one of those: compared here, once, with a warning. */
static void
test_no_charset (void)
{
  static const char *const again[] = {
    READY,        EXAMINE,   "C:UID SEARCH CHARSET UTF-8 FROM {5}",
    "S:+ ok",     "L",       "S:%t NO [BADCHARSET (ISO-8859-1)] no",
    "C:NOOP",     "S:%t OK", "C:UID SEARCH CHARSET \"ISO-8859-1\" FROM {4}",
    "S:+ ok",     "L",       "S:%t NO [BADCHARSET (ISO-8859-1)] no",
    "C:NOOP",     "S:%t OK", "C:UID SEARCH LARGER 1000",
    "S:* SEARCH", "S:%t OK", "STALL",
    NULL
  };
  static const char *const *const scripts[] = { again, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearchPage) page = search_from (fixture, "caf\xc3\xa9", 0, 5);

  g_assert_cmpint (page->total, ==, 0);
  end_quietly (fixture);
}

/* What a server said of charsets holds for the next search, too. */
static void
test_charset_is_remembered (void)
{
  static const char *const named[] = {
    READY, EXAMINE, "C:UID SEARCH CHARSET UTF-8 FROM {5}", "S:+ ok", "L",
    "S:%t NO [BADCHARSET (ISO-8859-1)] no", "C:NOOP", "S:%t OK",
    "C:UID SEARCH CHARSET \"ISO-8859-1\" FROM {4}", "S:+ ok", "L", "S:* SEARCH", "S:%t OK",
    "C:NOOP", "S:%t OK", "C:UID SEARCH CHARSET \"ISO-8859-1\" FROM {4}", "S:+ ok", "L",
    "S:* SEARCH", "S:%t OK",
    /* nothing that ISO 8859-1 could hold */
    "C:NOOP", "S:%t OK", "C:UID SEARCH LARGER 1000", "S:* SEARCH", "S:%t OK", "STALL", NULL
  };
  static const char *const none[] = { READY,
                                      EXAMINE,
                                      "C:UID SEARCH CHARSET UTF-8 FROM {5}",
                                      "S:+ ok",
                                      "L",
                                      "S:%t BAD unknown charset",
                                      "C:NOOP",
                                      "S:%t OK",
                                      "C:UID SEARCH LARGER 1000",
                                      "S:* SEARCH",
                                      "S:%t OK",
                                      "C:NOOP",
                                      "S:%t OK",
                                      "C:UID SEARCH LARGER 1000",
                                      "S:* SEARCH",
                                      "S:%t OK",
                                      "STALL",
                                      NULL };
  static const char *const *const scripts[][2] = { { named, NULL }, { none, NULL } };
  static const char *const words[] = { "caf\xc3\xa9", "caf\xc3\xa9", "\xd1\x87" };

  for (gsize i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      Fixture *fixture = begin (scripts[i]);

      for (gsize j = 0; j < G_N_ELEMENTS (words) - i; j++)
        {
          g_autoptr (PostbagSearchPage) page = search_from (fixture, words[j], 0, 5);

          g_assert_cmpint (page->total, ==, 0);
        }
      end_quietly (fixture);
    }
}

/* --- what cannot be --- */

#define ROUND(question, answer) "C:NOOP", "S:%t OK", question, answer, "S:%t OK"
#define FIRST_ROUND(question, answer) question, answer, "S:%t OK"

/* A million where there are three, or where none can be had: asked three times, then said. */
static void
test_million_hits (void)
{
#define ASK "C:UID SEARCH RETURN (ALL) FROM \"ida\""
#define MILLION "S:* ESEARCH (TAG \"%t\") UID ALL 1:1000000"
#define NONE                                                                                       \
  "C:UID FETCH 999999:1000000 (", "S:%t OK", "C:NOOP", "S:%t OK", "C:UID FETCH", "S:%t OK"
  static const char *const of_three[] = { GREETING, LOGIN_WITH ("ESEARCH"),
                                          EXAMINE,  FIRST_ROUND (ASK, MILLION),
                                          NONE,     ROUND (ASK, MILLION),
                                          NONE,     ROUND (ASK, MILLION),
                                          NONE,     "STALL",
                                          NULL };
  static const char *const of_none[] = { GREETING,
                                         LOGIN_WITH ("ESEARCH"),
                                         EXAMINE_OF ("1000000"),
                                         FIRST_ROUND (ASK, MILLION),
                                         NONE,
                                         ROUND (ASK, MILLION),
                                         NONE,
                                         ROUND (ASK, MILLION),
                                         NONE,
                                         "STALL",
                                         NULL };
  static const char *const *const scripts[][2] = { { of_three, NULL }, { of_none, NULL } };
  static const char *const words[] = { "1000000 messages in “INBOX” match, of 3", "gives none" };

  for (gsize i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      Fixture *fixture = begin (scripts[i]);
      g_autoptr (PostbagSearch) search = postbag_search_new ();
      PostbagPage page = { .limit = 2 };
      g_autoptr (GError) error = NULL;

      search->from = g_strdup ("ida");
      g_assert_null (
          postbag_imap_store.search (fixture->store, "INBOX", search, &page, NULL, &error));
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA);
      g_assert_nonnull (strstr (error->message, words[i]));
      end_quietly (fixture);
    }
}

/* Mail that went between the search and the listing is nobody's lie: the second look is right. */
static void
test_hits_that_went (void)
{
  static const char *const script[] = { GREETING,
                                        LOGIN_WITH ("ESEARCH"),
                                        EXAMINE,
                                        FIRST_ROUND (ASK, "S:* ESEARCH (TAG \"%t\") UID ALL 41:43"),
                                        "C:UID FETCH 42:43 (",
                                        "S:* VANISHED 42:43",
                                        "S:* 2 EXPUNGE",
                                        "S:* 2 EXPUNGE",
                                        "S:%t OK",
                                        "C:NOOP",
                                        "S:%t OK",
                                        "C:UID FETCH",
                                        "S:%t OK",
                                        ROUND (ASK, "S:* ESEARCH (TAG \"%t\") UID ALL 41"),
                                        "C:UID FETCH 41 (",
                                        SUMMARY ("41"),
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearchPage) page = search_from (fixture, "ida", 0, 2);

  g_assert_cmpint (page->total, ==, 1);
  g_assert_cmpuint (get_uid (page, 0), ==, 41);
  end_quietly (fixture);
}

/* The same of a mailbox that is only listed. */
static void
test_million_messages (void)
{
#define LIST "C:FETCH 999999:* (", "S:%t OK"
  static const char *const script[] = { READY,     EXAMINE_OF ("1000000"),
                                        "C:NOOP",  "S:%t OK",
                                        LIST,      "C:NOOP",
                                        "S:%t OK", LIST,
                                        "C:NOOP",  "S:%t OK",
                                        LIST,      "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearch) all = postbag_search_new ();
  PostbagPage page = { .limit = 2 };
  g_autoptr (GError) error = NULL;

  g_assert_null (postbag_imap_store.search (fixture->store, "INBOX", all, &page, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA);
  g_assert_nonnull (strstr (error->message, "1000000 such messages"));
  end_quietly (fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/searches/partial", test_partial);
  g_test_add_func ("/imap/searches/partial-refused", test_partial_refused);
  g_test_add_func ("/imap/searches/refused", test_refused);
  g_test_add_func ("/imap/searches/count", test_count);
  g_test_add_func ("/imap/searches/foreign-answer", test_foreign_answer);
  g_test_add_func ("/imap/searches/without-partial", test_without_partial);
  g_test_add_func ("/imap/searches/another-charset", test_another_charset);
  g_test_add_func ("/imap/searches/no-charset", test_no_charset);
  g_test_add_func ("/imap/searches/charset-is-remembered", test_charset_is_remembered);
  g_test_add_func ("/imap/searches/million-hits", test_million_hits);
  g_test_add_func ("/imap/searches/hits-that-went", test_hits_that_went);
  g_test_add_func ("/imap/searches/million-messages", test_million_messages);
  return g_test_run ();
}
