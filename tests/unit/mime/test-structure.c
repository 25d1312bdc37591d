/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The scan of the parts: limits, each hit; what is inside of leaves; time that grows with the size
 * and not with its square. */

#include "mime-fixture.h"

#include "base/postbag-limits.h"

static gboolean
has_code (PostbagMessage *message, const char *code)
{
  return g_strv_contains (postbag_message_get_warnings (message), code);
}

static guint
measure_depth (PostbagMessage *message)
{
  const PostbagPart *part = postbag_message_get_structure (message);
  guint depth = 0;

  for (; part->children != NULL; part = g_ptr_array_index (part->children, 0))
    depth++;
  return depth;
}

static void
test_depth (void)
{
  g_autoptr (GString) deep = g_string_new (NULL);
  g_autoptr (GString) inner = fixture_repeat ("", "Content-Type: message/rfc822\n\n", 2000);
  g_autoptr (PostbagMessage) multiparts = NULL;
  g_autoptr (PostbagMessage) messages = fixture_parse (inner->str);

  for (guint i = 0; i < 2000; i++)
    g_string_append_printf (deep, "Content-Type: multipart/mixed; boundary=b%u\n\n--b%u\n", i, i);
  multiparts = fixture_parse (deep->str);
  g_assert_cmpuint (measure_depth (multiparts), ==, POSTBAG_LIMIT_MIME_DEPTH);
  g_assert_true (has_code (multiparts, "limit:depth"));
  g_assert_cmpuint (measure_depth (messages), ==, POSTBAG_LIMIT_MIME_DEPTH);
  g_assert_true (has_code (messages, "limit:depth"));
}

static void
test_parts (void)
{
  g_autoptr (GString) text =
      fixture_repeat ("Content-Type: multipart/mixed; boundary=b\n\n", "--b\n\nx\n", 3000);
  g_autoptr (PostbagMessage) message = fixture_parse (text->str);

  g_assert_cmpuint (postbag_message_get_structure (message)->children->len, ==,
                    POSTBAG_LIMIT_MIME_PARTS - 1);
  g_assert_true (has_code (message, "limit:parts"));
}

static void
check_header_limit (GString *header)
{
  g_autoptr (PostbagMessage) message = NULL;
  g_autoptr (PostbagBody) body = NULL;

  g_string_append (header, "\nthe body");
  message = fixture_parse (header->str);
  body = postbag_message_choose_body (message);
  g_assert_true (has_code (message, "limit:header"));
  g_assert_cmpstr (body->text, ==, "the body");
}

static void
test_header (void)
{
  g_autoptr (GString) lines = fixture_repeat ("", "a: b\n", POSTBAG_LIMIT_HEADER_LINES + 1);
  g_autoptr (GString) field = fixture_repeat ("a: ", "b", POSTBAG_LIMIT_HEADER_BYTES);
  g_autoptr (GString) block = fixture_repeat ("a: b\n", " cccccccccccccccc\n", 70000);

  check_header_limit (lines);
  g_string_append_c (field, '\n');
  check_header_limit (field);
  check_header_limit (block);
}

static void
test_addresses (void)
{
  g_autoptr (GString) text = fixture_repeat ("To: ", "a@b.c,", POSTBAG_LIMIT_ADDRESSES + 1);
  g_autoptr (PostbagMessage) message = NULL;

  g_string_append (text, "\n\nx");
  message = fixture_parse (text->str);
  g_assert_cmpuint (postbag_message_get_addresses (message, "To")->len, ==,
                    POSTBAG_LIMIT_ADDRESSES);
  g_assert_true (has_code (message, "limit:addresses"));
}

static void
test_parameters (void)
{
  g_autoptr (GString) text = g_string_new ("Content-Type: text/plain");
  g_autoptr (PostbagMessage) message = NULL;

  for (guint i = 0; i <= POSTBAG_LIMIT_PARAMETERS; i++)
    g_string_append_printf (text, ";a%u=b", i);
  g_string_append (text, "\n\nx");
  message = fixture_parse (text->str);
  g_assert_true (has_code (message, "limit:parameters"));
}

/* Base64 in base64 in base64 shrinks; quoted-printable does not. */
static void
test_bytes (void)
{
  g_autoptr (GString) text = fixture_repeat (
      "", "Content-Type: message/rfc822\nContent-Transfer-Encoding: quoted-printable\n\n", 40);
  g_autoptr (GString) body = fixture_repeat ("\n", "a line of text\n", 200000);
  g_autoptr (PostbagMessage) message = NULL;

  g_string_append (text, body->str);
  message = fixture_parse (text->str);
  g_assert_true (has_code (message, "limit:bytes"));
  g_assert_true (has_code (message, "encoded_message"));
  g_assert_cmpuint (measure_depth (message), >=, POSTBAG_LIMIT_MIME_REPARSED - 1);
  g_assert_cmpuint (measure_depth (message), <, 40);
}

/* A patch in the text is full of lines that look like boundaries: what is attached is found. */
static void
test_patch (void)
{
  g_autoptr (GString) text =
      fixture_repeat ("Content-Type: multipart/mixed; boundary=b\n\n--b\n\n",
                      "--- a/x: y\n+++ b/x: y\n@@ -1 +1 @@\n-a: b\n+a: c\n", 9000);
  g_autoptr (PostbagMessage) message = NULL;
  g_autofree char *parts = NULL;

  g_string_append (text, "\n--b\nContent-Type: application/pdf; name=x.pdf\n\nx\n--b--\n");
  message = fixture_parse (text->str);
  parts = fixture_list_parts (message);
  g_assert_cmpstr (parts, ==, "-:multipart/mixed 1:text/plain 2:application/pdf=x.pdf");
}

/* A forwarded message in base64: "Content-Type: multipart/mixed; boundary=c\n\n--c\n\nhi\n--c--\n"
 */
static void
test_encoded_message (void)
{
  g_autoptr (PostbagMessage) message = fixture_parse (
      "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhello\n--b\nContent-Type: "
      "message/rfc822\nContent-Transfer-Encoding: base64\n\nQ29udGVudC1UeXBlOiBtdWx0aXBhcnQvbWl4ZW"
      "Q7IGJvdW5kYXJ5PWMKCi0tYwoKaGkKLS1jLS0K\n--b--\n");
  g_autoptr (GBytes) inner = postbag_message_decode_part (message, "2.1", 100, NULL);
  g_autofree char *parts = fixture_list_parts (message);

  g_assert_cmpstr (parts, ==,
                   "-:multipart/mixed 1:text/plain 2:message/rfc822 -:multipart/mixed "
                   "2.1:text/plain");
  g_assert_cmpmem (g_bytes_get_data (inner, NULL), (int)g_bytes_get_size (inner), "hi", 2);
}

/* RFC 5652 section 5.1, written by hand: definite lengths, then indefinite ones with the content in
 * two pieces, then wrappers that are cut or lie. */
/* A multipart that is base64 as a whole; "--c\n\nhi\n--c--\n" and "no parts" by base64(1). */
static void
test_encoded_multipart (void)
{
  g_autoptr (PostbagMessage) nested = fixture_parse (
      "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhello\n--b\nContent-Type: "
      "multipart/mixed; boundary=c\nContent-Transfer-Encoding: base64\n\nLS1jCgpoaQotLWMtLQo=\n"
      "--b\n\nbye\n--b--\n");
  g_autoptr (PostbagMessage) root = fixture_parse (
      "Content-Type: multipart/mixed; boundary=c\nContent-Transfer-Encoding: base64\n\n"
      "LS1jCgpoaQotLWMtLQo=\n");
  g_autoptr (PostbagMessage) none = fixture_parse (
      "Content-Type: multipart/mixed; boundary=c\nContent-Transfer-Encoding: base64\n\n"
      "bm8gcGFydHM=\n");
  g_autoptr (GBytes) inner = postbag_message_decode_part (nested, "2.1", 100, NULL);
  g_autoptr (PostbagBody) hi = postbag_message_choose_body (root);
  g_autoptr (PostbagBody) text = postbag_message_choose_body (none);
  g_autofree char *parts = fixture_list_parts (nested);

  g_assert_cmpstr (parts, ==,
                   "-:multipart/mixed 1:text/plain 2:multipart/mixed 2.1:text/plain 3:text/plain");
  g_assert_cmpmem (g_bytes_get_data (inner, NULL), (int)g_bytes_get_size (inner), "hi", 2);
  g_assert_true (has_code (nested, "encoded_multipart"));
  g_assert_cmpstr (hi->text, ==, "hi");
  g_assert_cmpstr (text->text, ==, "no parts");
  g_assert_true (has_code (none, "missing_boundary"));
}

static void
test_cms (void)
{
  static const guint8 definite[] =
      "\x30\x27\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x1a\x30\x18\x02\x01\x01\x31\x00\x30"
      "\x11\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01\xa0\x04\x04\x02hi";
  static const guint8 pieces[] =
      "\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02\xa0\x80\x30\x80\x02\x01\x01\x31\x80\x30"
      "\x00\x00\x00\x30\x80\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01\xa0\x80\x24\x80\x04\x01h"
      "\x04"
      "\x01i\x00\x00\x00\x00\x00\x00";
  g_autoptr (GBytes) one = postbag_cms_read_content (definite, sizeof definite - 1, 100);
  g_autoptr (GBytes) two = postbag_cms_read_content (pieces, sizeof pieces - 1, 100);

  g_assert_nonnull (one);
  g_assert_cmpmem (g_bytes_get_data (one, NULL), (int)g_bytes_get_size (one), "hi", 2);
  g_assert_nonnull (two);
  g_assert_cmpmem (g_bytes_get_data (two, NULL), (int)g_bytes_get_size (two), "hi", 2);
  for (gsize cut = 0; cut < sizeof pieces - 1; cut++)
    {
      g_autofree guint8 *copy = g_memdup2 (pieces, cut);
      g_autoptr (GBytes) content = postbag_cms_read_content (copy, cut, 100);

      g_assert_true (content == NULL || g_bytes_get_size (content) == 2);
    }
  g_assert_null (postbag_cms_read_content (pieces, sizeof pieces - 1, 1));
}

/* --- time --- */

typedef struct
{
  const char *start;
  const char *again;
  const char *end;
} Trigger;

static gint64
measure (const Trigger *trigger, guint count)
{
  g_autoptr (GString) text = fixture_repeat (trigger->start, trigger->again, count);
  g_autoptr (PostbagMessage) message = NULL;
  g_autoptr (PostbagBody) body = NULL;
  gint64 start;

  g_string_append (text, trigger->end);
  start = g_get_monotonic_time ();
  message = fixture_parse (text->str);
  body = postbag_message_choose_body (message);
  postbag_message_get_warnings (message);
  return g_get_monotonic_time () - start;
}

/* Twice as much takes about twice the time: the least of some runs, and a factor that only growth
 * with the square exceeds. */
static void
test_linear (void)
{
  static const Trigger triggers[] = {
    { "", "a: b\n", "\nx" },
    { "", "not a field\n", "\nx" },
    { "a: b\n", " folded\n", "\nx" },
    { "To: ", "a:", "x@y.test\n\nx" },
    { "To: ", "(", "\n\nx" },
    { "To: ", "<", "\n\nx" },
    { "Subject: ", "=?utf-8?Q?a?= ", "\n\nx" },
    { "Subject: ", "=?utf-8?Q?", "\n\nx" },
    { "Content-Type: text/plain", ";a=b", "\n\nx" },
    { "Content-Type: multipart/mixed; boundary=b\n\n", "--b\n\n", "" },
    { "Content-Type: multipart/mixed; boundary=b\n\n", "--a\nContent-Type: x/y\n\n", "" },
    { "Content-Type: multipart/mixed; boundary=b\n\n",
      "--b\nContent-Type: multipart/mixed; boundary=b\n\n", "" },
    { "\n", "begin 644 a\n", "" },
    { "\n", "begin 644 a\n#0V%T\n", "" },
    { "\n", "=ybegin name=a\n", "" },
    { "Content-Transfer-Encoding: base64\n\n", "=A", "" },
    { "Content-Transfer-Encoding: quoted-printable\n\n", "= ", "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (triggers); i++)
    {
      gint64 one = G_MAXINT64, two = G_MAXINT64;
      guint count = 500000 / (guint)strlen (triggers[i].again);

      for (guint run = 0; run < 4 && (run == 0 || two > 3 * one); run++)
        {
          one = MIN (one, measure (&triggers[i], count));
          two = MIN (two, measure (&triggers[i], 2 * count));
        }
      if (two > 3 * one + 20000)
        g_test_message ("%s: %" G_GINT64_FORMAT " us, then %" G_GINT64_FORMAT " us",
                        triggers[i].again, one, two);
      g_assert_cmpint (two, <=, 3 * one + 20000);
    }
}

/* A field that is cut names nobody: what is left of it can be another valid address. */
static void
test_cut_source (void)
{
  static const char *const ends[] = { "", "\r\n", "\r\n\r\n" };
  g_autoptr (GString) padding = fixture_repeat ("X-Padding:", " 0123456789\r\n", 4000);

  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      g_autofree char *source = g_strconcat (padding->str, padding->str, padding->str,
                                             "From: boss@corp.example", ends[i], NULL);
      g_autoptr (PostbagMessage) message = fixture_parse (source);

      g_assert_cmpuint (strlen (source), >=, POSTBAG_LIMIT_PREFIX_BYTES);
      g_assert_cmpuint (postbag_message_get_addresses (message, "From")->len, ==, i == 2 ? 1 : 0);
      g_assert_cmpint (has_code (message, "limit:header"), ==, i != 2);
    }
}

static void
test_cut_field (void)
{
  g_autoptr (GString) text = fixture_repeat ("From:", " ", POSTBAG_LIMIT_HEADER_BYTES - 17);
  g_autoptr (PostbagMessage) message = NULL;

  g_string_append (text, "boss@corp.example.evil.test\r\n\r\nx");
  message = fixture_parse (text->str);
  g_assert_true (has_code (message, "malformed_from"));
  g_assert_true (has_code (message, "limit:header"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/structure/limit-depth", test_depth);
  g_test_add_func ("/structure/limit-parts", test_parts);
  g_test_add_func ("/structure/limit-header", test_header);
  g_test_add_func ("/structure/limit-addresses", test_addresses);
  g_test_add_func ("/structure/limit-parameters", test_parameters);
  g_test_add_func ("/structure/limit-bytes", test_bytes);
  g_test_add_func ("/structure/patch", test_patch);
  g_test_add_func ("/structure/encoded-message", test_encoded_message);
  g_test_add_func ("/structure/encoded-multipart", test_encoded_multipart);
  g_test_add_func ("/structure/cms", test_cms);
  g_test_add_func ("/structure/cut-source", test_cut_source);
  g_test_add_func ("/structure/cut-field", test_cut_field);
  g_test_add_func ("/structure/linear", test_linear);
  return g_test_run ();
}
