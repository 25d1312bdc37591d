/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-framer.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

/* One frame as text: `text|literal|literal`, `!` in front of a truncated one. */
static void
describe (GString *out, const PostbagImapFrame *frame)
{
  if (frame->truncated)
    g_string_append_c (out, '!');
  g_string_append_len (out, frame->text->str, (gssize)frame->text->len);
  for (guint i = 0; i < frame->literals->len; i++)
    {
      const PostbagImapLiteral *literal = &g_array_index (frame->literals, PostbagImapLiteral, i);
      gsize length;
      gconstpointer data = g_bytes_get_data (literal->bytes, &length);

      g_string_append_printf (out, "|%" G_GSIZE_FORMAT ":", literal->offset);
      g_string_append_len (out, data, (gssize)length);
    }
  g_string_append_c (out, '\n');
}

/* All frames of @bytes, fed in pieces of @step bytes after a first one of @first; `error` at the
 * end where the framer gave up. */
static char *
frame_in_steps (const char *bytes, gsize length, gsize first, gsize step)
{
  g_autoptr (PostbagImapFramer) framer = postbag_imap_framer_new (0);
  GString *out = g_string_new (NULL);
  gsize start = 0, size = first;

  while (start < length)
    {
      const guint8 *data = (const guint8 *)bytes + start;
      gsize left = MIN (size, length - start);
      g_autoptr (GError) error = NULL;

      start += left;
      size = step;
      while (left > 0)
        {
          g_autoptr (PostbagImapFrame) frame =
              postbag_imap_framer_read (framer, &data, &left, &error);

          if (frame != NULL)
            describe (out, frame);
          else if (error != NULL)
            {
              g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE);
              g_string_append (out, "error");
              return g_string_free (out, FALSE);
            }
        }
    }
  return g_string_free (out, FALSE);
}

/* The frames are @expected, whole, byte by byte, and cut in two anywhere. */
static void
assert_frames (const char *bytes, gsize length, const char *expected)
{
  g_autofree char *whole = frame_in_steps (bytes, length, length, length);
  g_autofree char *single = frame_in_steps (bytes, length, 1, 1);

  g_assert_cmpstr (whole, ==, expected);
  g_assert_cmpstr (single, ==, expected);
  for (gsize cut = 1; cut < length; cut++)
    {
      g_autofree char *halves = frame_in_steps (bytes, length, cut, length);

      g_assert_cmpstr (halves, ==, expected);
    }
}

static void
test_lines_and_literals (void)
{
  static const struct
  {
    const char *bytes;
    const char *expected;
  } cases[] = {
    { "* OK hello\r\na1 OK done\r\n", "* OK hello\na1 OK done\n" },
    { "* OK bare line end\n", "* OK bare line end\n" },
    { "* OK not yet", "" },
    { "* 1 FETCH (BODY[] {5}\r\na\r\nbc)\r\n", "* 1 FETCH (BODY[] {5})|18:a\r\nbc\n" },
    { "* 1 FETCH (BINARY[2] ~{2}\r\nxy)\r\n", "* 1 FETCH (BINARY[2] ~{2})|21:xy\n" },
    { "* LIST () \"/\" {0}\r\n\r\n", "* LIST () \"/\" {0}|14:\n" },
    { "* X {1}\r\na {2+}\r\nbc d\r\n", "* X {1} {2+} d|4:a|8:bc\n" },
    { "* X {05}\r\nabcde\r\n", "* X {05}|4:abcde\n" },
    /* the words of status replies are no announcements */
    { "* OK see {5}\r\na1 NO see {5}\r\n+ {3}\r\n", "* OK see {5}\na1 NO see {5}\n+ {3}\n" },
    /* what looks like one, but is none */
    { "* X {-1}\r\n* X {1e3}\r\n* X {}\r\n* X {5} \r\n",
      "* X {-1}\n* X {1e3}\n* X {}\n* X {5} \n" },
    /* beyond the limit, and beyond counting */
    { "* X {67108865}\r\n", "error" },
    { "* X {4294967296}\r\n", "error" },
    { "* X {99999999999999999999999}\r\n", "error" },
    /* within the limit of one literal, but more than is kept */
    { "* X {4194305}\r\n", "error" },
    { "\r\n\r\n", "\n\n" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_frames (cases[i].bytes, strlen (cases[i].bytes), cases[i].expected);
}

static void
test_stops_behind_a_reply (void)
{
  g_autoptr (PostbagImapFramer) framer = postbag_imap_framer_new (0);
  const guint8 *data = (const guint8 *)"a1 OK begin TLS\r\n* OK injected\r\n";
  gsize length = strlen ((const char *)data);
  g_autoptr (PostbagImapFrame) frame = postbag_imap_framer_read (framer, &data, &length, NULL);

  g_assert_cmpstr (frame->text->str, ==, "a1 OK begin TLS");
  g_assert_cmpuint (length, ==, strlen ("* OK injected\r\n"));
  g_assert_false (postbag_imap_framer_is_inside (framer));
}

/* All numbers of @count, in order, in pieces that each begin with @head. */
static void
assert_pieces (const char *head, char separator, guint count)
{
  g_autoptr (GString) bytes = g_string_new (head);
  g_autofree char *out = NULL, *single = NULL;
  g_auto (GStrv) lines = NULL;
  guint next = 100000;

  for (guint i = 0; i < count; i++)
    g_string_append_printf (bytes, "%s%u", i == 0 ? "" : separator == ',' ? "," : " ", 100000 + i);
  g_string_append (bytes, "\r\na1 OK done\r\n");
  out = frame_in_steps (bytes->str, bytes->len, bytes->len, bytes->len);
  single = frame_in_steps (bytes->str, bytes->len, 1, 1);
  g_assert_cmpstr (single, ==, out);
  lines = g_strsplit (out, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), >, 4);
  for (guint i = 0; strcmp (lines[i], "a1 OK done") != 0; i++)
    {
      const char *number = lines[i] + strlen (head);

      g_assert_true (g_str_has_prefix (lines[i], head));
      g_assert_cmpuint (strlen (lines[i]), <=, POSTBAG_LIMIT_IMAP_LIST_PIECE_BYTES);
      for (; *number != '\0'; next++)
        {
          char *end;

          g_assert_cmpuint (g_ascii_strtoull (number, &end, 10), ==, next);
          number = *end == separator ? end + 1 : end;
        }
    }
  g_assert_cmpuint (next, ==, 100000 + count);
}

static void
test_number_lists_in_pieces (void)
{
  assert_pieces ("* SEARCH ", ' ', 30000);
  assert_pieces ("* ESEARCH (TAG \"a1\") UID ALL ", ',', 30000);
  assert_pieces ("* VANISHED (EARLIER) ", ',', 30000);
}

static void
test_long_reply_is_truncated (void)
{
  g_autoptr (GString) bytes = g_string_new ("* 1 FETCH (UID 7 ENVELOPE (");
  g_autofree char *whole = NULL, *odd = NULL;
  g_auto (GStrv) lines = NULL;

  for (guint i = 0; i < 100000; i++)
    g_string_append (bytes, "(NIL NIL \"a\" \"b\")");
  g_string_append (bytes, " BODY[] {12}\r\nlook {7}\r\nxy)\r\na1 OK done\r\n");
  whole = frame_in_steps (bytes->str, bytes->len, bytes->len, bytes->len);
  odd = frame_in_steps (bytes->str, bytes->len, 3, 1021);
  g_assert_cmpstr (odd, ==, whole);
  lines = g_strsplit (whole, "\n", -1);
  g_assert_true (g_str_has_prefix (lines[0], "!* 1 FETCH (UID 7 "));
  g_assert_cmpuint (strlen (lines[0]), ==, POSTBAG_LIMIT_IMAP_LINE_BYTES + 1);
  g_assert_cmpstr (lines[1], ==, "a1 OK done");
}

static void
test_endless_line_is_given_up (void)
{
  g_autoptr (PostbagImapFramer) framer = postbag_imap_framer_new (0);
  g_autofree char *block = g_strnfill (65536, 'x');
  g_autoptr (GError) error = NULL;
  gsize fed = 0;

  while (error == NULL && fed < 64 * 1024 * 1024)
    {
      const guint8 *data = (const guint8 *)block;
      gsize length = 65536;

      g_assert_null (postbag_imap_framer_read (framer, &data, &length, &error));
      fed += 65536;
    }
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE);
  g_assert_cmpuint (fed, <, POSTBAG_LIMIT_IMAP_SKIPPED_BYTES + 1024 * 1024);
}

static gpointer
begin_spool (const GString *text, guint64 length, gpointer user_data)
{
  g_assert_cmpstr (text->str, ==, "* 1 FETCH (BODY[2] {1000}");
  return length >= 1000 ? g_string_new (NULL) : NULL;
}

static gboolean
write_spool (gpointer spool, const guint8 *data, gsize length, GError **error)
{
  g_string_append_len (spool, (const char *)data, (gssize)length);
  return TRUE;
}

static void
free_spool (gpointer spool)
{
  g_string_free (spool, TRUE);
}

static void
test_spool (void)
{
  static const PostbagImapSpool spool = { begin_spool, write_spool, free_spool };
  g_autoptr (PostbagImapFramer) framer = postbag_imap_framer_new (0);
  g_autofree char *body = g_strnfill (1000, 'z');
  g_autofree char *bytes = g_strdup_printf ("* 1 FETCH (BODY[2] {1000}\r\n%s UID 3)\r\n", body);
  g_autoptr (PostbagImapFrame) frame = NULL;
  const PostbagImapLiteral *literal;

  postbag_imap_framer_set_spool (framer, &spool, NULL);
  for (const guint8 *next = (const guint8 *)bytes; *next != '\0';)
    {
      gsize length = 1;

      g_assert_null (frame);
      frame = postbag_imap_framer_read (framer, &next, &length, NULL);
    }
  g_assert_nonnull (frame);
  g_assert_cmpstr (frame->text->str, ==, "* 1 FETCH (BODY[2] {1000} UID 3)");
  literal = &g_array_index (frame->literals, PostbagImapLiteral, 0);
  g_assert_null (literal->bytes);
  g_assert_cmpstr (((GString *)literal->spool)->str, ==, body);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/framer/lines-and-literals", test_lines_and_literals);
  g_test_add_func ("/imap/framer/stops-behind-a-reply", test_stops_behind_a_reply);
  g_test_add_func ("/imap/framer/number-lists-in-pieces", test_number_lists_in_pieces);
  g_test_add_func ("/imap/framer/long-reply-is-truncated", test_long_reply_is_truncated);
  g_test_add_func ("/imap/framer/endless-line-is-given-up", test_endless_line_is_given_up);
  g_test_add_func ("/imap/framer/spool", test_spool);
  return g_test_run ();
}
