/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-search.h"

static char *
compile (const PostbagSearch *search, gboolean utf8)
{
  g_autoptr (PostbagImapCommand) command = postbag_imap_command_new ("UID SEARCH");
  g_autoptr (GPtrArray) segments = NULL;
  g_autoptr (GError) error = NULL;
  GString *out = g_string_new (NULL);

  postbag_imap_search_add_keys (command, search, utf8);
  segments = postbag_imap_command_serialize (command, "a1", POSTBAG_IMAP_LITERALS_ALL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < segments->len; i++)
    {
      const PostbagImapSegment *segment = g_ptr_array_index (segments, i);
      gsize length;
      gconstpointer data = g_bytes_get_data (segment->bytes, &length);

      g_string_append_len (out, data, (gssize)length);
    }
  return g_string_free (out, FALSE);
}

static void
test_all (void)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autofree char *out = compile (search, FALSE);

  g_assert_cmpstr (out, ==, "a1 UID SEARCH ALL\r\n");
}

static void
test_ascii_names_no_charset (void)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autofree char *out = NULL;

  search->from = g_strdup ("nora");
  search->subject = g_strdup ("a \"b\"");
  search->since = g_date_new_dmy (1, G_DATE_MARCH, 2024);
  search->before = g_date_new_dmy (10, G_DATE_DECEMBER, 2024);
  search->seen = POSTBAG_NO;
  search->flagged = POSTBAG_YES;
  search->unkeyword = g_strdup ("AiSeen");
  search->larger = 1000;
  search->uid_from = 5;
  out = compile (search, FALSE);
  g_assert_cmpstr (out, ==,
                   "a1 UID SEARCH FROM \"nora\" SUBJECT \"a \\\"b\\\"\" SINCE 1-Mar-2024 "
                   "BEFORE 10-Dec-2024 UNSEEN FLAGGED UNKEYWORD AiSeen LARGER 1000 "
                   "UID 5:4294967295\r\n");
}

/* Neighbours are written as a range. */
static void
test_uids (void)
{
  static const guint32 uids[] = { 3, 4, 5, 777 };
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autofree char *out = NULL;

  search->uids = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_vals (search->uids, uids, G_N_ELEMENTS (uids));
  g_assert_false (postbag_search_is_all (search));
  out = compile (search, FALSE);
  g_assert_cmpstr (out, ==, "a1 UID SEARCH UID 3:5,777\r\n");
}

static void
test_charset (void)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autofree char *plain = NULL, *utf8 = NULL;

  search->subject = g_strdup ("caf\xc3\xa9");
  plain = compile (search, FALSE);
  utf8 = compile (search, TRUE);
  g_assert_cmpstr (plain, ==, "a1 UID SEARCH CHARSET UTF-8 SUBJECT {5+}\r\ncaf\xc3\xa9\r\n");
  g_assert_cmpstr (utf8, ==, "a1 UID SEARCH SUBJECT {5+}\r\ncaf\xc3\xa9\r\n");
}

static void
test_any_header (void)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autofree char *out = NULL;

  postbag_search_add_any_header (search, "Message-ID", "<a@b>");
  postbag_search_add_any_header (search, "References", "<a@b>");
  postbag_search_add_any_header (search, "List-Id", "");
  out = compile (search, FALSE);
  g_assert_cmpstr (out, ==,
                   "a1 UID SEARCH OR HEADER \"Message-ID\" \"<a@b>\" OR HEADER \"References\" "
                   "\"<a@b>\" HEADER \"List-Id\" \"\"\r\n");
}

/* What the server is asked, and what is compared here, for a server without charsets. */
static void
test_widen (void)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  g_autoptr (PostbagSearch) wide = NULL;
  g_autoptr (PostbagSearch) foreign = NULL;
  g_autofree char *out = NULL;

  search->subject = g_strdup ("CAF\xc3\x89");
  search->body = g_strdup ("caf\xc3\xa9");
  search->text = g_strdup ("tea");
  search->seen = POSTBAG_NO;
  postbag_search_add_any_header (search, "List-Id", "caf\xc3\xa9");
  postbag_search_add_any_header (search, "List-Id", "tea");
  wide = postbag_imap_search_widen (search);
  out = compile (wide, FALSE);
  g_assert_cmpstr (out, ==, "a1 UID SEARCH TEXT \"tea\" UNSEEN\r\n");
  foreign = postbag_imap_search_get_foreign (search);
  g_assert_cmpstr (foreign->subject, ==, search->subject);
  g_assert_cmpstr (foreign->body, ==, search->body);
  g_assert_null (foreign->text);
  g_assert_cmpuint (foreign->any_header->len, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/search/all", test_all);
  g_test_add_func ("/imap/search/uids", test_uids);
  g_test_add_func ("/imap/search/ascii", test_ascii_names_no_charset);
  g_test_add_func ("/imap/search/charset", test_charset);
  g_test_add_func ("/imap/search/any-header", test_any_header);
  g_test_add_func ("/imap/search/widen", test_widen);
  return g_test_run ();
}
