/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The store in sessions that go well, but not as one would think: answers in another order, merged
 * or cut off, mailboxes that change, calls that are cancelled. */

#include <string.h>

#include "base/postbag-error.h"
#include "peer-store.h"

/* --- reading --- */

static void
test_ordinary (void)
{
  static const char *const script[] = {
    READY, EXAMINE, FETCHED ("9", "hello"), FETCHED ("10", "again"), "STALL", NULL
  };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autofree char *log = NULL;

  assert_fetch_works (fixture, 9, "hello");
  assert_fetch_works (fixture, 10, "again");
  log = end (fixture);
  g_assert_nonnull (strstr (log, " LOGIN \"nora\" \"p\\\\a\\\"ss\"\n"));
  g_assert_nonnull (strstr (log, " EXAMINE \"INBOX\"\n"));
}

/* a continuation without a blank, codes without text, CAPABILITY in the answer */
static void
test_bare_continuation (void)
{
  static const char *const script[] = { "S:* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] hi",
                                        "C:AUTHENTICATE PLAIN",
                                        "S:+",
                                        "L",
                                        "S:%t OK [CAPABILITY IMAP4rev1 IDLE]",
                                        "C:EXAMINE",
                                        "S:* OK [UNSEEN 25]",
                                        "S:* 71 EXISTS",
                                        "S:* OK [PERMANENTFLAGS ()]",
                                        "S:%t OK [READ-ONLY]",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagMailboxState) state =
      postbag_imap_store.get_state (fixture->store, "INBOX", NULL, &error);
  g_autofree char *log = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (state->messages, ==, 71);
  log = end (fixture);
  /* printf '\0nora\0p\\a"ss' | base64 */
  g_assert_nonnull (strstr (log, "\nAG5vcmEAcFxhInNz\n"));
}

/* the message is gone; its neighbours are not asked for by number */
static void
test_gone (void)
{
  static const char *const script[] = {
    READY, EXAMINE, "C:UID FETCH 9", "S:* 2 EXPUNGE", "S:* 30 EXISTS", "S:%t OK done", "STALL", NULL
  };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autofree char *log = NULL;

  assert_fetch_fails (fixture, POSTBAG_ERROR_NOT_FOUND, "uid 9");
  log = end (fixture);
  g_assert_false (g_regex_match_simple ("^\\S+ (FETCH|STORE) ", log, G_REGEX_MULTILINE, 0));
}

/* BYE instead of an answer, twice; the call after it connects again */
static void
test_bye (void)
{
  static const char *const leaving[] = { READY,
                                         EXAMINE,
                                         "C:UID FETCH",
                                         "S:* BYE Autologout; idle for too long",
                                         "S:* BYE Autologout; idle for too long",
                                         NULL };
  static const char *const staying[] = { READY, EXAMINE, FETCHED ("9", "hello"), "STALL", NULL };
  static const char *const *const scripts[] = { leaving, leaving, staying, NULL };
  Fixture *fixture = begin (scripts);

  assert_fetch_fails (fixture, POSTBAG_ERROR_OFFLINE, "Autologout");
  g_assert_cmpuint (peer_count (fixture->peer), ==, 2);
  assert_fetch_works (fixture, 9, "hello");
  end_quietly (fixture);
}

/* One break is not noticed, wherever it comes. */
static void
test_breaks_once (void)
{
  static const char *const in_literal[] = { READY,         EXAMINE,
                                            "C:UID FETCH", "S:* 1 FETCH (UID 9 BODY[]<0> {5}",
                                            "R:he",        NULL };
  static const char *const in_line[] = { READY, EXAMINE, "C:UID FETCH", "R:* 1 FET", NULL };
  static const char *const at_once[] = { READY, NULL };
  static const char *const before_tag[] = { READY,         EXAMINE,
                                            "C:UID FETCH", "S:* 1 FETCH (UID 9 BODY[]<0> {5}",
                                            "S:wrong)",    NULL };
  static const char *const reset_in_literal[] = {
    READY, EXAMINE, "C:UID FETCH", "S:* 1 FETCH (UID 9 BODY[]<0> {5}", "R:he", "RESET", NULL
  };
  static const char *const reset_between[] = {
    READY, EXAMINE, "C:UID FETCH", "S:* 1 FETCH (UID 9 BODY[]<0> {5}", "S:wrong)", "RESET", NULL
  };
  static const char *const good[] = { READY, EXAMINE, FETCHED ("9", "hello"), "STALL", NULL };
  static const char *const *const scripts[][3] = {
    { reset_in_literal, good, NULL }, { reset_between, good, NULL }, { in_literal, good, NULL },
    { in_line, good, NULL },          { at_once, good, NULL },       { before_tag, good, NULL }
  };

  for (gsize i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      Fixture *fixture = begin (scripts[i]);

      assert_fetch_works (fixture, 9, "hello");
      end_quietly (fixture);
    }
}

/* 0 is no UIDVALIDITY: reading works, and says it does not know one. */
static void
test_no_uid_validity (void)
{
  static const char *const script[] = { READY,
                                        "C:EXAMINE",
                                        "S:* 3 EXISTS",
                                        "S:* OK [UIDVALIDITY 0] x",
                                        "S:%t OK [READ-ONLY]",
                                        FETCHED ("9", "hello"),
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagFetchedMessage) message = fetch (fixture, 9, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (message->uid_validity, ==, 0);
  end_quietly (fixture);
}

/* no content is no empty message */
static void
test_no_content (void)
{
  static const char *const nil[] = {
    READY,          EXAMINE, "C:UID FETCH", "S:* 8 FETCH (UID 9 RFC822.SIZE 5120 BODY[] NIL)",
    "S:%t OK done", "STALL", NULL
  };
  static const char *const empty[] = {
    READY,          EXAMINE, "C:UID FETCH", "S:* 8 FETCH (UID 9 RFC822.SIZE 5120 BODY[]<0> \"\")",
    "S:%t OK done", "STALL", NULL
  };
  static const char *const *const scripts[][2] = { { nil, NULL }, { empty, NULL } };

  for (gsize i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      Fixture *fixture = begin (scripts[i]);

      assert_fetch_fails (fixture, POSTBAG_ERROR_REMOTE_REFUSED, "not available");
      end_quietly (fixture);
    }
}

/* the server's words and whether later helps */
static void
test_throttled (void)
{
  static const char *const script[] = { READY,
                                        EXAMINE,
                                        "C:UID FETCH",
                                        "S:* OK [ALERT] Storage nearly full",
                                        "S:%t NO [THROTTLED] Account exceeded bandwidth limits",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);

  assert_fetch_fails (fixture, POSTBAG_ERROR_BUSY, "bandwidth");
  end_quietly (fixture);
}

/* The wrong message, twice the same item, other messages' flags in between, the tag last. */
static void
test_strange_order (void)
{
  static const char *const script[] = { READY,
                                        EXAMINE,
                                        "C:UID FETCH",
                                        "S:* 2 FETCH (FLAGS (\\Seen))",
                                        "S:* 3 FETCH (UID 10 RFC822.SIZE 5 BODY[]<0> {5}",
                                        "S:other)",
                                        "S:* 1 FETCH (BODY[]<0> {5}",
                                        "S:hello BODY[]<0> \"no\" UID 9)",
                                        "S:* 1 FETCH (UID 9 RFC822.SIZE 5 FLAGS (\\Flagged))",
                                        "S:* 4 EXISTS",
                                        "S:%t OK done",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagFetchedMessage) message = fetch (fixture, 9, &error);

  g_assert_no_error (error);
  g_assert_cmpint (memcmp (g_bytes_get_data (message->source, NULL), "hello", 5), ==, 0);
  g_assert_cmpint (message->flags, ==, POSTBAG_FLAG_FLAGGED);
  g_assert_cmpuint (message->uid_validity, ==, 7);
  end_quietly (fixture);
}

/* --- searching --- */

static PostbagSearchPage *
search_subject (Fixture *fixture, const char *subject, GError **error)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  PostbagPage page = { .limit = 10 };

  search->subject = g_strdup (subject);
  return postbag_imap_store.search (fixture->store, "INBOX", search, &page, NULL, error);
}

/* the charset is refused; the wider search is compared here */
static void
test_charset_refused (void)
{
#define FIELDS(uid, subject)                                                                       \
  "S:* 1 FETCH (UID " uid " BODY[HEADER.FIELDS (FROM TO CC SUBJECT)] \"Subject: " subject "\")"
  static const char *const script[] = { READY,
                                        EXAMINE,
                                        "C:UID SEARCH CHARSET UTF-8 SUBJECT {5}",
                                        "S:+ ok",
                                        "L",
                                        "S:%t NO [BADCHARSET (US-ASCII)] not supported",
                                        "C:NOOP",
                                        "S:%t OK",
                                        "C:UID SEARCH",
                                        "S:* SEARCH 4",
                                        "S:* SEARCH 9 ",
                                        "S:%t OK",
                                        "C:UID FETCH 4,9",
                                        FIELDS ("4", "=?utf-8?Q?Caf=C3=A9?="),
                                        FIELDS ("9", "tea"),
                                        "S:%t OK",
                                        "C:UID FETCH 4 (",
                                        LISTED ("4", "=?utf-8?Q?Caf=C3=A9?="),
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagSearchPage) page = search_subject (fixture, "caf\xc3\xa9", &error);

  g_assert_no_error (error);
  g_assert_cmpint (page->total, ==, 1);
  g_assert_cmpuint (((PostbagSummary *)page->summaries->pdata[0])->uid, ==, 4);
  end_quietly (fixture);
}

static void
test_ascii_without_charset (void)
{
  static const char *const script[] = { READY,        EXAMINE,   "C:UID SEARCH SUBJECT \"tea\"",
                                        "S:* SEARCH", "S:%t OK", "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagSearchPage) page = search_subject (fixture, "tea", &error);

  g_assert_no_error (error);
  g_assert_cmpint (page->total, ==, 0);
  end_quietly (fixture);
}

/* Without SEARCHRES the newest are fetched by number, alone on the wire. */
static void
test_list_by_number (void)
{
  static const char *const script[] = {
    READY,     EXAMINE, "C:NOOP", "S:%t OK", "C:FETCH 2:*", LISTED ("41", "b"), LISTED ("43", "c"),
    "S:%t OK", "STALL", NULL
  };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearch) all = postbag_search_new ();
  PostbagPage page = { .limit = 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagSearchPage) result =
      postbag_imap_store.search (fixture->store, "INBOX", all, &page, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (result->total, ==, 3);
  g_assert_cmpuint (((PostbagSummary *)result->summaries->pdata[0])->uid, ==, 43);
  g_assert_cmpuint (((PostbagSummary *)result->summaries->pdata[1])->uid, ==, 41);
  end_quietly (fixture);
}

/* One line of two megabytes. */
static void
test_many_hits (void)
{
  g_autoptr (GString) numbers = g_string_new ("S:* SEARCH");
  const char *script[] = { READY,
                           EXAMINE_OF ("300000"),
                           "C:UID SEARCH SUBJECT \"tea\"",
                           NULL, /* the numbers */
                           "S:%t OK",
                           "C:UID FETCH 599982,599984,599986,599988,599990,599992,"
                           "599994,599996,599998,600000 (",
                           LISTED ("600000", "tea"),
                           "S:%t OK",
                           "C:NOOP",
                           "S:%t OK",
                           "C:UID FETCH",
                           "S:%t OK",
                           "STALL",
                           NULL };
  const char *const *const scripts[] = { script, NULL };
  Fixture *fixture;
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagSearchPage) page = NULL;

  for (guint i = 1; i <= 300000; i++)
    g_string_append_printf (numbers, " %u", i * 2);
  for (guint i = 0; i < G_N_ELEMENTS (script) - 1; i++)
    if (script[i] == NULL)
      script[i] = numbers->str;
  fixture = begin (scripts);
  page = search_subject (fixture, "tea", &error);
  g_assert_no_error (error);
  g_assert_cmpint (page->total, ==, 300000);
  g_assert_cmpuint (page->summaries->len, ==, 1);
  end_quietly (fixture);
}

/* --- mailboxes --- */

/* Without extensions: LIST, LSUB and STATUS; one STATUS is refused; names of all kinds go back as
 * they came. */
static void
test_plain_list (void)
{
  static const char *const script[] = { READY,
                                        "C:LIST \"\" \"*\"",
                                        "C:LSUB \"\" \"*\"",
                                        "S:* LIST () \"/\" INBOX",
                                        "S:* LIST (\\Noselect) \"/\" \"folders\"",
                                        "S:* LIST (\\Sent) \"/\" NIL",
                                        "S:* LIST () NIL \"a&b \\\"c\\\"\"",
                                        "S:* LIST () \"/\" INBOX",
                                        "S:%1 OK",
                                        "S:* LSUB () \"/\" NIL",
                                        "S:%t OK",
                                        "C:STATUS \"INBOX\" (",
                                        "C:STATUS \"NIL\" (",
                                        "C:STATUS \"a&b \\\"c\\\"\" (",
                                        "S:* STATUS INBOX (MESSAGES 3 UNSEEN 1)",
                                        "S:%2 OK",
                                        "S:%1 NO [NOPERM] not you",
                                        "S:* STATUS \"a&b \\\"c\\\"\" (MESSAGES 2 UNSEEN 2)",
                                        "S:%t OK",
                                        "C:EXAMINE \"a&b \\\"c\\\"\"",
                                        "S:* 2 EXISTS",
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (GError) error = NULL;
  gint64 total = 0;
  g_autoptr (GPtrArray) mailboxes =
      postbag_imap_store.list_mailboxes (fixture->store, TRUE, &total, NULL, &error);
  g_autoptr (PostbagMailboxState) state = NULL;
  const PostbagMailbox *inbox, *folders, *nil, *odd;

  g_assert_no_error (error);
  g_assert_cmpint (total, ==, 4);
  inbox = g_ptr_array_index (mailboxes, 0);
  g_assert_cmpint (inbox->messages, ==, 3);
  folders = g_ptr_array_index (mailboxes, 1);
  g_assert_false (folders->selectable);
  nil = g_ptr_array_index (mailboxes, 2);
  g_assert_cmpstr (nil->path, ==, "NIL");
  g_assert_cmpstr (nil->special_use, ==, "\\Sent");
  g_assert_true (nil->subscribed);
  g_assert_false (nil->has_status);
  odd = g_ptr_array_index (mailboxes, 3);
  g_assert_cmpstr (odd->path, ==, "a&b \"c\"");
  g_assert_cmpint (odd->delimiter, ==, 0);
  g_assert_cmpint (odd->unseen, ==, 2);
  state = postbag_imap_store.get_state (fixture->store, odd->path, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (state->messages, ==, 2);
  end_quietly (fixture);
}

/* UTF-8 both ways once it is enabled */
static void
test_utf8_names (void)
{
  static const char *const script[] = { GREETING,
                                        LOGIN_WITH ("ENABLE UTF8=ACCEPT"),
                                        "C:ENABLE UTF8=ACCEPT",
                                        "S:* ENABLED UTF8=ACCEPT",
                                        "S:%t OK",
                                        "C:LIST",
                                        "C:LSUB",
                                        "S:* LIST () \"/\" \"Entw\xc3\xbcrfe & mehr\"",
                                        "S:%1 OK",
                                        "S:%t OK",
                                        "C:EXAMINE \"Entw\xc3\xbcrfe & mehr\"",
                                        "S:* 0 EXISTS",
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) mailboxes =
      postbag_imap_store.list_mailboxes (fixture->store, FALSE, NULL, NULL, &error);
  g_autoptr (PostbagMailboxState) state = NULL;

  g_assert_no_error (error);
  g_assert_cmpstr (((PostbagMailbox *)mailboxes->pdata[0])->path, ==, "Entw\xc3\xbcrfe & mehr");
  state = postbag_imap_store.get_state (fixture->store, "Entw\xc3\xbcrfe & mehr", NULL, &error);
  g_assert_no_error (error);
  end_quietly (fixture);
}

/* --- what goes out in one write: the peer answers nothing before all of it is there --- */

static void
test_one_round_trip (void)
{
  static const char *const script[] = { READY,
                                        "C:EXAMINE",
                                        "C:UID FETCH 9",
                                        "S:* 3 EXISTS",
                                        "S:* OK [UIDVALIDITY 7] x",
                                        "S:%1 OK [READ-ONLY]",
                                        "S:* 1 FETCH (UID 9 RFC822.SIZE 5 BODY[]<0> {5}",
                                        "S:hello)",
                                        "S:%t OK",
                                        FETCHED ("10", "again"),
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);

  assert_fetch_works (fixture, 9, "hello");
  assert_fetch_works (fixture, 10, "again");
  end_quietly (fixture);
}

/* Counted once, a list is one round trip: look again, search, fetch what was found. */
static void
test_list_in_one_round_trip (void)
{
  static const char *const script[] = { GREETING,
                                        LOGIN_WITH ("ESEARCH SEARCHRES"),
                                        EXAMINE,
                                        "C:NOOP",
                                        "C:UID SEARCH RETURN (SAVE ALL) 2:*",
                                        "C:UID FETCH $ (",
                                        "S:%2 OK",
                                        "S:* ESEARCH (TAG \"%1\") UID ALL 41,43",
                                        "S:%1 OK",
                                        LISTED ("41", "b"),
                                        LISTED ("43", "c"),
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearch) all = postbag_search_new ();
  PostbagPage page = { .limit = 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagSearchPage) result =
      postbag_imap_store.search (fixture->store, "INBOX", all, &page, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (result->summaries->len, ==, 2);
  g_assert_cmpuint (((PostbagSummary *)result->summaries->pdata[0])->uid, ==, 43);
  end_quietly (fixture);
}

static gpointer
read_nine (gpointer data)
{
  assert_fetch_works (data, 9, "hello");
  return NULL;
}

/* Three calls for the same message on one connection, answered once, and merged. */
static void
test_merged_answers (void)
{
  static const char *const script[] = { READY,
                                        EXAMINE,
                                        FETCHED ("9", "hello"),
                                        "C:UID FETCH 9",
                                        "C:UID FETCH 9",
                                        "C:UID FETCH 9",
                                        "S:* 1 FETCH (UID 9 RFC822.SIZE 5 BODY[]<0> {5}",
                                        "S:hello)",
                                        "S:%2 OK",
                                        "S:%1 OK",
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const never[] = { "STALL", NULL };
  static const char *const *const scripts[] = { script, never, NULL };
  Fixture *fixture = begin (scripts);
  GThread *threads[3];

  assert_fetch_works (fixture, 9, "hello");
  for (guint i = 0; i < 3; i++)
    threads[i] = g_thread_new ("reader", read_nine, fixture);
  for (guint i = 0; i < 3; i++)
    g_thread_join (threads[i]);
  end_quietly (fixture);
}

/* --- cancelling --- */

static gpointer
cancel_soon (gpointer data)
{
  g_usleep (50000);
  g_cancellable_cancel (data);
  return NULL;
}

/* A call that was cancelled ends at once; what still comes for it goes to nobody. */
static void
test_cancelled (void)
{
  static const char *const script[] = { READY,
                                        EXAMINE,
                                        "C:UID FETCH 9",
                                        "C:UID FETCH 10",
                                        "S:* 1 FETCH (UID 9 RFC822.SIZE 5 BODY[]<0> {5}",
                                        "S:wrong)",
                                        "S:%1 OK",
                                        "S:* 2 FETCH (UID 10 RFC822.SIZE 5 BODY[]<0> {5}",
                                        "S:hello)",
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GThread *thread = g_thread_new ("cancel", cancel_soon, cancellable);
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();

  g_assert_null (
      postbag_imap_store.fetch_message (fixture->store, "INBOX", 9, 1024, cancellable, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED);
  g_assert_cmpint (g_get_monotonic_time () - start, <, DEADLINE * 1000);
  g_thread_join (thread);
  assert_fetch_works (fixture, 10, "hello");
  end_quietly (fixture);
}

static void
test_cancelled_while_connecting (void)
{
  static const char *const script[] = { "STALL", NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GThread *thread = g_thread_new ("cancel", cancel_soon, cancellable);
  g_autoptr (GError) error = NULL;

  g_assert_null (
      postbag_imap_store.fetch_message (fixture->store, "INBOX", 9, 1024, cancellable, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED);
  g_thread_join (thread);
  end_quietly (fixture);
}

/* --- another UIDVALIDITY in the middle of a session --- */

static void
test_renumbered (void)
{
  static const char *const script[] = { READY,
                                        EXAMINE,
                                        FETCHED ("9", "hello"),
                                        "C:UID FETCH 9",
                                        "S:* OK [UIDVALIDITY 8] renumbered",
                                        "S:* 1 FETCH (UID 9 RFC822.SIZE 5 BODY[]<0> {5}",
                                        "S:other)",
                                        "S:%t OK",
                                        "C:EXAMINE",
                                        "C:UID FETCH 9",
                                        "S:* 3 EXISTS",
                                        "S:* OK [UIDVALIDITY 8] x",
                                        "S:%1 OK",
                                        "S:* 1 FETCH (UID 9 RFC822.SIZE 5 BODY[]<0> {5}",
                                        "S:third)",
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagFetchedMessage) message = NULL;

  assert_fetch_works (fixture, 9, "hello");
  message = fetch (fixture, 9, NULL);
  g_assert_cmpuint (message->uid_validity, ==, 8);
  assert_fetch_works (fixture, 9, "third");
  end_quietly (fixture);
}

static gboolean
take_nothing (const guint8 *data, gsize length, gpointer user_data, GError **error)
{
  return TRUE;
}

/* A long part that goes on over another connection, where the mailbox is not the same any more. */
static void
test_renumbered_in_a_part (void)
{
  g_autofree char *filling = g_strnfill (1024 * 1024, 'x');
  g_autofree char *first = g_strconcat ("S:", filling, ")", NULL);
  const char *const before[] = { READY,
                                 EXAMINE,
                                 "C:UID FETCH 9 (UID BODY.PEEK[1]<0.1048576>)",
                                 "S:* 1 FETCH (UID 9 BODY[1]<0> {1048576}",
                                 first,
                                 "S:%t OK",
                                 "C:UID FETCH 9 (UID BODY.PEEK[1]<1048576.1048576>)",
                                 NULL };
  static const char *const after[] = { READY,
                                       "C:EXAMINE",
                                       "C:UID FETCH 9",
                                       "S:* OK [UIDVALIDITY 8] x",
                                       "S:%1 OK",
                                       "S:* 1 FETCH (UID 9 BODY[1]<1048576> \"other\")",
                                       "S:%t OK",
                                       "STALL",
                                       NULL };
  const char *const *const scripts[] = { before, after, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (GError) error = NULL;

  g_assert_false (postbag_imap_store.fetch_part (fixture->store, "INBOX", 9, "1", take_nothing,
                                                 NULL, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT);
  end_quietly (fixture);
}

/* --- a thousand breaks --- */

static void
test_thousand_breaks (void)
{
  static const char *const script[] = { READY, EXAMINE, FETCHED ("9", "hello"), NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);

  for (guint i = 0; i < 1000; i++)
    {
      fixture->start = g_get_monotonic_time ();
      assert_fetch_works (fixture, 9, "hello");
    }
  g_assert_cmpuint (peer_count (fixture->peer), >=, 1000);
  end_quietly (fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/sessions/ordinary", test_ordinary);
  g_test_add_func ("/imap/sessions/no-uid-validity", test_no_uid_validity);
  g_test_add_func ("/imap/sessions/bare-continuation", test_bare_continuation);
  g_test_add_func ("/imap/sessions/gone", test_gone);
  g_test_add_func ("/imap/sessions/bye", test_bye);
  g_test_add_func ("/imap/sessions/breaks-once", test_breaks_once);
  g_test_add_func ("/imap/sessions/no-content", test_no_content);
  g_test_add_func ("/imap/sessions/throttled", test_throttled);
  g_test_add_func ("/imap/sessions/strange-order", test_strange_order);
  g_test_add_func ("/imap/sessions/charset-refused", test_charset_refused);
  g_test_add_func ("/imap/sessions/ascii-without-charset", test_ascii_without_charset);
  g_test_add_func ("/imap/sessions/list-by-number", test_list_by_number);
  g_test_add_func ("/imap/sessions/one-round-trip", test_one_round_trip);
  g_test_add_func ("/imap/sessions/list-in-one-round-trip", test_list_in_one_round_trip);
  g_test_add_func ("/imap/sessions/merged-answers", test_merged_answers);
  g_test_add_func ("/imap/sessions/cancelled", test_cancelled);
  g_test_add_func ("/imap/sessions/cancelled-while-connecting", test_cancelled_while_connecting);
  g_test_add_func ("/imap/sessions/renumbered", test_renumbered);
  g_test_add_func ("/imap/sessions/renumbered-in-a-part", test_renumbered_in_a_part);
  g_test_add_func ("/imap/sessions/many-hits", test_many_hits);
  g_test_add_func ("/imap/sessions/plain-list", test_plain_list);
  g_test_add_func ("/imap/sessions/utf8-names", test_utf8_names);
  g_test_add_func ("/imap/sessions/thousand-breaks", test_thousand_breaks);
  return g_test_run ();
}
