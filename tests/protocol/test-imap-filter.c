/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Searching for text that the server has no charset for: compared here, within bounds. */

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "peer-store.h"

#define REFUSED "S:+ ok", "L", "S:%t NO [BADCHARSET (US-ASCII)] no", "C:NOOP", "S:%t OK"
#define FIELDS "BODY[HEADER.FIELDS (FROM TO CC SUBJECT)]"
#define SUMMARY(uid)                                                                               \
  "S:* 1 FETCH (UID " uid " FLAGS () RFC822.SIZE 9 BODY[HEADER.FIELDS (FROM TO SUBJECT DATE "      \
  "MESSAGE-ID)] \"Subject: x\")"
#define PLAIN(encoding, size)                                                                      \
  "(\"text\" \"plain\" (\"charset\" \"iso-8859-1\") NIL NIL \"" encoding "\" " size " 1)"
#define PDF "(\"application\" \"pdf\" NIL NIL NIL \"base64\" 99999999)"

static PostbagSearchPage *
search_for (Fixture *fixture, const PostbagSearch *search, gint64 offset, guint limit)
{
  PostbagPage page = { .offset = offset, .limit = limit };
  g_autoptr (GError) error = NULL;
  PostbagSearchPage *result;

  result = postbag_imap_store.search (fixture->store, "INBOX", search, &page, NULL, &error);
  g_assert_no_error (error);
  return result;
}

static void
assert_uids (const PostbagSearchPage *page, const char *expected)
{
  g_autoptr (GString) uids = g_string_new (NULL);

  for (guint i = 0; i < page->summaries->len; i++)
    g_string_append_printf (uids, "%s%u", i > 0 ? " " : "",
                            ((PostbagSummary *)page->summaries->pdata[i])->uid);
  g_assert_cmpstr (uids->str, ==, expected);
}

/* What the server can answer narrows the candidates; each field is compared decoded. */
static void
test_fields (void)
{
  static const char *const script[] = {
    READY,
    EXAMINE,
    "C:UID SEARCH CHARSET UTF-8 FROM {5}",
    "S:+ ok",
    "L",
    "S:+ ok",
    "L",
    "S:%t NO [BADCHARSET] no",
    "C:NOOP",
    "S:%t OK",
    "C:UID SEARCH TO \"nora\" UNSEEN",
    "S:* SEARCH 4 9 12 20",
    "S:%t OK",
    "C:UID FETCH 4,9,12,20 (UID BODY.PEEK[HEADER.FIELDS (FROM TO CC SUBJECT)])",
    "S:* 1 FETCH (UID 4 " FIELDS " {92}",
    "S:From: =?utf-8?B?Q0FGw4k=?= <shop@example.org>",
    "S:Cc: =?iso-8859-1?Q?Jos=E9?= <j@example.org>",
    "S:)",
    "S:* 2 FETCH (UID 9 " FIELDS " \"From: cafe <shop@example.org>\")",
    "S:* 3 FETCH (UID 12 " FIELDS " {94}",
    "S:From: =?utf-8?Q?Cafe=CC=81?= <shop@example.org>",
    "S:Cc: =?iso-8859-1?Q?JOS=C9?= <j@example.org>",
    "S:)",
    "S:* 4 FETCH (UID 20 " FIELDS " \"Cc: a@example.org\")",
    "S:%t OK",
    "C:UID FETCH 4,12 (",
    SUMMARY ("12"),
    SUMMARY ("4"),
    "S:%t OK",
    "STALL",
    NULL
  };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autoptr (PostbagSearchPage) page = NULL;

  search->from = g_strdup ("caf\xc3\xa9");
  search->to = g_strdup ("nora");
  search->cc = g_strdup ("jos\xc3\xa9 <j");
  search->seen = POSTBAG_NO;
  page = search_for (fixture, search, 0, 10);
  g_assert_cmpint (page->total, ==, 2);
  assert_uids (page, "12 4");
  g_assert_null (page->warnings);
  end_quietly (fixture);
}

/* Bodies: only text parts come, as many as there are messages in one write, and of each no more
 * than its bound; the transfer encoding and the charset are undone. */
static void
test_bodies (void)
{
  static const char *const script[] = {
    READY,
    EXAMINE,
    "C:UID SEARCH CHARSET UTF-8 BODY {5}",
    REFUSED,
    "C:UID SEARCH ALL",
    "S:* SEARCH 4 9 12",
    "S:%t OK",
    "C:UID FETCH 4,9,12 (UID BODY.PEEK[HEADER.FIELDS (FROM TO CC SUBJECT)] BODYSTRUCTURE)",
    "S:* 1 FETCH (UID 4 " FIELDS " \"\" BODYSTRUCTURE " PLAIN ("quoted-printable", "30") ")",
    "S:* 2 FETCH (UID 9 " FIELDS " \"\" BODYSTRUCTURE (" PLAIN ("7bit", "4") PDF " \"mixed\"))",
    "S:* 3 FETCH (UID 12 " FIELDS " \"\" BODYSTRUCTURE (" PDF PLAIN ("base64", "8") " \"mixed\"))",
    "S:%t OK",
    "C:UID FETCH 12 (UID BODY.PEEK[2]<0.262144>)",
    "C:UID FETCH 9 (UID BODY.PEEK[1]<0.262144>)",
    "C:UID FETCH 4 (UID BODY.PEEK[1]<0.262144>)",
    "S:* 3 FETCH (UID 12 BODY[2]<0> \"Q0FGyQ==\")", /* CAFÉ in ISO 8859-1 */
    "S:* 1 FETCH (UID 4 BODY[1]<0> \"das Caf=E9 ist zu\")",
    "S:* 2 FETCH (UID 9 BODY[1]<0> \"cafe\")",
    "S:%2 OK",
    "S:%1 OK",
    "S:%t OK",
    "C:UID FETCH 4 (",
    SUMMARY ("4"),
    "S:%t OK",
    "STALL",
    NULL
  };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autoptr (PostbagSearchPage) page = NULL;

  search->body = g_strdup ("caf\xc3\xa9");
  page = search_for (fixture, search, 1, 10);
  g_assert_cmpint (page->total, ==, 2);
  assert_uids (page, "4");
  g_assert_null (page->warnings);
  end_quietly (fixture);
}

/* Text is in any header field, or else in a part; a field by name, one of several. The server says
 * only BAD, without a word about charsets. */
static void
test_text_and_header (void)
{
  static const char *const script[] = {
    READY,
    EXAMINE,
    "C:UID SEARCH CHARSET UTF-8 TEXT {5}",
    "S:+ ok",
    "L",
    "S:+ ok",
    "L",
    "S:%t BAD parse error",
    "C:NOOP",
    "S:%t OK",
    "C:UID SEARCH ALL",
    "S:* SEARCH 4 9 12",
    "S:%t OK",
    "C:UID FETCH 4,9,12 (UID BODY.PEEK[HEADER]<0.65536> BODYSTRUCTURE)",
    "S:* 1 FETCH (UID 4 BODY[HEADER]<0> {41}",
    "S:List-Id: =?utf-8?Q?na=C3=AFf?=",
    "S:X: 1234",
    "S: BODYSTRUCTURE " PLAIN ("8bit", "4") ")",
    "S:* 2 FETCH (UID 9 BODY[HEADER]<0> {56}",
    "S:X-Shop: =?utf-8?Q?Caf=C3=A9?=",
    "S:References: <1@example>",
    "S: BODYSTRUCTURE " PDF ")",
    "S:* 3 FETCH (UID 12 BODY[HEADER]<0> \"X-Shop: =?utf-8?Q?Caf=C3=A9?=\" BODYSTRUCTURE " PDF ")",
    "S:%t OK",
    "C:UID FETCH 4 (UID BODY.PEEK[1]<0.262144>)",
    "S:* 1 FETCH (UID 4 BODY[1]<0> {4}",
    "S:caf\xe9)",
    "S:%t OK",
    "C:UID FETCH 4,9 (",
    SUMMARY ("4"),
    SUMMARY ("9"),
    "S:%t OK",
    "STALL",
    NULL
  };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autoptr (PostbagSearchPage) page = NULL;

  search->text = g_strdup ("CAF\xc3\x89");
  postbag_search_add_any_header (search, "List-Id", "NA\xc3\x8f");
  postbag_search_add_any_header (search, "References", "<1@example>");
  page = search_for (fixture, search, 0, 10);
  g_assert_cmpint (page->total, ==, 2);
  assert_uids (page, "9 4");
  end_quietly (fixture);
}

/* --- bounds --- */

static void
count_progress (double fraction, gpointer user_data)
{
  g_array_append_val ((GArray *)user_data, fraction);
}

static const char *const too_many[] = {
  GREETING,
  LOGIN_WITH ("ESEARCH PARTIAL"),
  EXAMINE,
  "C:UID SEARCH RETURN (COUNT PARTIAL -1:-5) CHARSET UTF-8 SUBJECT {5}",
  REFUSED,
  "C:UID SEARCH RETURN (COUNT PARTIAL -1:-2000) ALL",
  "S:* ESEARCH (TAG \"%t\") UID COUNT 2500 PARTIAL (-1:-2000 501:2500)",
  "S:%t OK",
  "C:UID FETCH 2401:2500 (",
  "S:* 1 FETCH (UID 2450 " FIELDS " \"Subject: =?utf-8?Q?Caf=C3=A9?=\")",
  "S:%t OK",
#define BATCH "C:UID FETCH", "S:%t OK"
  BATCH,
  BATCH,
  BATCH,
  BATCH,
  BATCH,
  BATCH,
  BATCH,
  BATCH,
  BATCH,
  BATCH,
  BATCH,
  BATCH,
  BATCH,
  BATCH,
  BATCH,
  BATCH,
  BATCH,
  BATCH,
  "C:UID FETCH 501:600 (",
  "S:%t OK",
  "C:UID FETCH 2450 (",
  SUMMARY ("2450"),
  "S:%t OK",
  "STALL",
  NULL
};

static void
test_too_many (void)
{
  static const char *const *const scripts[] = { too_many, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autoptr (GArray) told = g_array_new (FALSE, FALSE, sizeof (double));
  PostbagPage page = { .limit = 5, .progress = count_progress, .progress_data = told };
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagSearchPage) result = NULL;

  G_STATIC_ASSERT (POSTBAG_LIMIT_IMAP_FILTER_MESSAGES == 2000
                   && POSTBAG_LIMIT_IMAP_FILTER_BATCH == 100);
  search->subject = g_strdup ("caf\xc3\xa9");
  result = postbag_imap_store.search (fixture->store, "INBOX", search, &page, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (result->total, ==, 1);
  assert_uids (result, "2450");
  g_assert_nonnull (strstr (result->warnings[0], "the newest 2000 of the 2500 messages"));
  /* The others never came. */
  g_assert_nonnull (strstr (result->warnings[1], "1999 messages"));
  g_assert_cmpuint (told->len, ==, 20);
  g_assert_cmpfloat (g_array_index (told, double, 0), ==, 0.05);
  g_assert_cmpfloat (g_array_index (told, double, 19), ==, 1.0);
  end_quietly (fixture);
}

/* Eleven parts of four times their bound each: ten of them, cut, and no more than all may be. */
static void
test_too_much (void)
{
  g_autoptr (GPtrArray) script = g_ptr_array_new_with_free_func (g_free);
  const char *const *scripts[] = { NULL, NULL };
  static const char *const head[] = {
    READY,
    EXAMINE,
    "C:UID SEARCH CHARSET UTF-8 BODY {5}",
    REFUSED,
    "C:UID SEARCH ALL",
    "S:* SEARCH 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20",
    "S:%t OK",
    "C:UID FETCH 1:20 ("
  };
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autoptr (PostbagSearchPage) page = NULL;
  Fixture *fixture;

  for (gsize i = 0; i < G_N_ELEMENTS (head); i++)
    g_ptr_array_add (script, g_strdup (head[i]));
  for (guint uid = 1; uid <= 20; uid++)
    {
      GString *line = g_string_new (NULL);

      g_string_append_printf (line, "S:* %u FETCH (UID %u " FIELDS " \"\" BODYSTRUCTURE (", uid,
                              uid);
      for (guint i = 0; i < 11; i++)
        g_string_append (line, PLAIN ("8bit", "1048576"));
      g_string_append (line, " \"mixed\"))");
      g_ptr_array_add (script, g_string_free (line, FALSE));
    }
  g_ptr_array_add (script, g_strdup ("S:%t OK"));
  /* 32 MiB are 12.8 times ten parts of 256 KiB. */
  for (guint uid = 20; uid > 7; uid--)
    {
      g_ptr_array_add (script, g_strdup_printf ("C:UID FETCH %u (UID BODY.PEEK[1]<0.262144> "
                                                "BODY.PEEK[2]<0.262144> ",
                                                uid));
      g_ptr_array_add (script, g_strdup_printf ("S:* 1 FETCH (UID %u BODY[10]<0> {5}", uid));
      g_ptr_array_add (script, g_strdup (uid == 8 ? "S:caf\xe9 )" : "S:cafe )"));
      g_ptr_array_add (script, g_strdup ("S:%t OK"));
    }
  g_ptr_array_add (script, g_strdup ("C:UID FETCH 8 (UID FLAGS"));
  g_ptr_array_add (script, g_strdup (SUMMARY ("8")));
  g_ptr_array_add (script, g_strdup ("S:%t OK"));
  g_ptr_array_add (script, g_strdup ("STALL"));
  g_ptr_array_add (script, NULL);
  scripts[0] = (const char *const *)script->pdata;

  G_STATIC_ASSERT (POSTBAG_LIMIT_IMAP_FILTER_PARTS == 10
                   && POSTBAG_LIMIT_IMAP_FILTER_PART_BYTES == 262144
                   && POSTBAG_LIMIT_IMAP_FILTER_BYTES == 32 << 20);
  fixture = begin (scripts);
  search->body = g_strdup ("caf\xc3\xa9");
  page = search_for (fixture, search, 0, 5);
  assert_uids (page, "8");
  g_assert_nonnull (strstr (page->warnings[0], "the newest 13 of the 20 messages"));
  g_assert_nonnull (strstr (page->warnings[1], "12 messages"));
  end_quietly (fixture);
}

/* --- in between --- */

static void
cancel (double fraction, gpointer user_data)
{
  g_cancellable_cancel (user_data);
}

static void
test_cancelled (void)
{
  static const char *const script[] = { GREETING,
                                        LOGIN_WITH ("ESEARCH"),
                                        EXAMINE,
                                        "C:UID SEARCH RETURN (ALL) CHARSET UTF-8 SUBJECT {5}",
                                        REFUSED,
                                        "C:UID SEARCH RETURN (ALL) ALL",
                                        "S:* ESEARCH (TAG \"%t\") UID ALL 1:500",
                                        "S:%t OK",
                                        "C:UID FETCH 401:500 (",
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  PostbagPage page = { .limit = 5, .progress = cancel, .progress_data = cancellable };
  g_autoptr (GError) error = NULL;

  search->subject = g_strdup ("caf\xc3\xa9");
  g_assert_null (
      postbag_imap_store.search (fixture->store, "INBOX", search, &page, cancellable, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED);
  end_quietly (fixture);
}

/* The connection breaks, and on the next one the mailbox has other numbers. */
static void
test_renumbered (void)
{
  static const char *const first[] = { READY,
                                       EXAMINE,
                                       "C:UID SEARCH CHARSET UTF-8 SUBJECT {5}",
                                       REFUSED,
                                       "C:UID SEARCH ALL",
                                       "S:* SEARCH 4",
                                       "S:%t OK",
                                       "C:UID FETCH 4 (",
                                       NULL };
  static const char *const second[] = { READY,
                                        "C:EXAMINE",
                                        "S:* 3 EXISTS",
                                        "S:* OK [UIDVALIDITY 8] x",
                                        "S:%t OK [READ-ONLY]",
                                        "C:UID FETCH 4 (",
                                        "S:* 1 FETCH (UID 4 " FIELDS " \"Subject: caf\")",
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { first, second, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  PostbagPage page = { .limit = 5 };
  g_autoptr (GError) error = NULL;

  search->subject = g_strdup ("caf\xc3\xa9");
  g_assert_null (postbag_imap_store.search (fixture->store, "INBOX", search, &page, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT);
  end_quietly (fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/filter/fields", test_fields);
  g_test_add_func ("/imap/filter/bodies", test_bodies);
  g_test_add_func ("/imap/filter/text-and-header", test_text_and_header);
  g_test_add_func ("/imap/filter/too-many", test_too_many);
  g_test_add_func ("/imap/filter/too-much", test_too_much);
  g_test_add_func ("/imap/filter/cancelled", test_cancelled);
  g_test_add_func ("/imap/filter/renumbered", test_renumbered);
  return g_test_run ();
}
