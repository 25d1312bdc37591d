/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mime/postbag-message-security.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "mime/postbag-mime-private.h"

static PostbagMessage *
parse (const char *text)
{
  g_autoptr (GBytes) source = g_bytes_new_static (text, strlen (text));

  return postbag_message_parse (source);
}

/* (transfer full): "number:type" of every part, in order, "-" for no number */
static char *
list_parts (const PostbagPart *root)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  GString *out = g_string_new (NULL);

  g_ptr_array_add (stack, (gpointer)root);
  while (stack->len > 0)
    {
      const PostbagPart *part = g_ptr_array_steal_index (stack, stack->len - 1);

      g_string_append_printf (out, "%s%s:%s", out->len > 0 ? " " : "",
                              part->number != NULL ? part->number : "-", part->type);
      for (guint i = part->children != NULL ? part->children->len : 0; i > 0; i--)
        g_ptr_array_add (stack, g_ptr_array_index (part->children, i - 1));
    }
  return g_string_free (out, FALSE);
}

static void
check_structure (const char *text, const char *expected)
{
  g_autoptr (PostbagMessage) message = parse (text);
  g_autofree char *parts = list_parts (postbag_message_get_structure (message));

  g_assert_cmpstr (parts, ==, expected);
}

static void
check_body (const char *text, const char *expected, const char *part)
{
  g_autoptr (PostbagMessage) message = parse (text);
  g_autoptr (PostbagBody) body = postbag_message_choose_body (message);

  g_assert_cmpstr (body->text, ==, expected);
  g_assert_cmpstr (body->part, ==, part);
}

static void
check_part (PostbagMessage *message, const char *number, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = postbag_message_decode_part (message, number, 100000, &error);

  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), (int)g_bytes_get_size (bytes), expected,
                   (int)strlen (expected));
}

/* The example of RFC 9051 section 6.4.5.1. */
static const char numbered[] =
    "Subject: outer\r\nContent-Type: multipart/mixed; boundary=a\r\n\r\n"
    "--a\r\nContent-Type: text/plain\r\n\r\none\r\n"
    "--a\r\nContent-Type: application/octet-stream\r\n\r\ntwo\r\n"
    "--a\r\nContent-Type: message/rfc822\r\n\r\n"
    "Subject: inner\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
    "--b\r\nContent-Type: text/plain\r\n\r\nthree one\r\n"
    "--b\r\nContent-Type: application/octet-stream\r\n\r\nthree two\r\n--b--\r\n"
    "\r\n--a\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n"
    "--c\r\nContent-Type: image/gif\r\n\r\nfour one\r\n"
    "--c\r\nContent-Type: message/rfc822\r\n\r\n"
    "Subject: inmost\r\nContent-Type: multipart/mixed; boundary=d\r\n\r\n"
    "--d\r\nContent-Type: text/plain\r\n\r\nfour two one\r\n"
    "--d\r\nContent-Type: multipart/alternative; boundary=e\r\n\r\n"
    "--e\r\nContent-Type: text/plain\r\n\r\n4.2.2.1\r\n"
    "--e\r\nContent-Type: text/richtext\r\n\r\n4.2.2.2\r\n--e--\r\n"
    "--d--\r\n--c--\r\n--a--\r\n";

static void
test_numbers (void)
{
  g_autoptr (PostbagMessage) message = parse (numbered);
  g_autoptr (GError) error = NULL;

  check_structure (numbered,
                   "-:multipart/mixed 1:text/plain 2:application/octet-stream 3:message/rfc822 "
                   "-:multipart/mixed 3.1:text/plain 3.2:application/octet-stream "
                   "4:multipart/mixed 4.1:image/gif 4.2:message/rfc822 -:multipart/mixed "
                   "4.2.1:text/plain 4.2.2:multipart/alternative 4.2.2.1:text/plain "
                   "4.2.2.2:text/richtext");
  check_part (message, "1", "one");
  check_part (message, "3.2", "three two");
  check_part (message, "4.2.2.2", "4.2.2.2");
  check_part (message, "3",
              "Subject: inner\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
              "--b\r\nContent-Type: text/plain\r\n\r\nthree one\r\n"
              "--b\r\nContent-Type: application/octet-stream\r\n\r\nthree two\r\n--b--\r\n");
  g_assert_null (postbag_message_decode_part (message, "5", 10, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_null (postbag_message_decode_part (message, "3.2", 8, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE);
}

static void
test_small_structures (void)
{
  g_autoptr (GBytes) nothing = g_bytes_new (NULL, 0);
  g_autoptr (PostbagMessage) empty = postbag_message_parse (nothing);

  g_assert_cmpstr (postbag_message_get_structure (empty)->number, ==, "1");
  check_structure ("", "1:text/plain");
  check_structure ("just words\nno header\n", "1:text/plain");
  check_structure ("Subject: x\n\nbody", "1:text/plain");
  check_structure ("Content-Type:\n\nbody", "1:text/plain");
  check_structure ("Content-Type: nonsense\n\nbody", "1:text/plain");
  check_structure ("Content-Type: nonsense; name=a.bin\n\nbody", "1:application/octet-stream");
  check_structure ("Content-Type: message/rfc822\n\nSubject: x\n\nbody",
                   "1:message/rfc822 1.1:text/plain");
  check_structure (
      "From a@b Mon Jan  1 00:00:00 2024\nContent-Type: multipart/mixed; boundary=b\n\n"
      "--b\n\nx\n--b\nContent-Type: image/png\n\ny\n--b--\n",
      "-:multipart/mixed 1:text/plain 2:image/png");
  check_structure ("Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: p\n\none\n--b\n\n"
                   "Subject: q\n\ntwo\n--b--\n",
                   "-:multipart/digest 1:message/rfc822 1.1:text/plain 2:message/rfc822 "
                   "2.1:text/plain");
  /* an inner message in base64: "x" */
  check_structure ("Content-Type: multipart/mixed; boundary=\"message-digest\"\n\n"
                   "--message-digest\nContent-Type: MESSAGE/RFC822\nContent-Transfer-Encoding: "
                   "base64\n\neA==\n--message-digest--\n",
                   "-:multipart/mixed 1:message/rfc822 1.1:text/plain");
  check_structure ("Content-Type: multipart/mixed\n\nno boundary", "1:text/plain");
}

static void
test_fields (void)
{
  g_autoptr (PostbagMessage) message =
      parse ("From: First <first@example.org>\r\nFrom: second@example.org\r\n"
             "To: a@example.org\r\nTo: b@example.org\r\nsubject : =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\n"
             " aus =?utf-8?B?S8O2bG4=?=\r\nnot a field\r\nDate: Tue, 05 Mar 2024 09:30:00 +0000\r\n"
             "Message-ID: junk <id@x> more\r\nReferences: <a@x>\r\n <b@x> <> <b c@x> <a@x>\r\n"
             "In-Reply-To: Your mail of <d@x>\r\nX-Raw: a\r\n\tb\xff\r\n\r\nbody\r\n");
  GPtrArray *from = postbag_message_get_addresses (message, "From");
  GPtrArray *to = postbag_message_get_addresses (message, "To");
  const char *const *references = postbag_message_get_references (message);

  g_assert_cmpstr (postbag_message_get_subject (message), ==, "Grüße aus Köln");
  g_assert_cmpint (postbag_message_get_date (message), ==, 1709631000);
  g_assert_cmpstr (postbag_message_get_message_id (message), ==, "<id@x>");
  g_assert_cmpuint (from->len, ==, 1);
  g_assert_cmpstr (((PostbagAddress *)from->pdata[0])->address, ==, "first@example.org");
  g_assert_cmpuint (to->len, ==, 2);
  g_assert_cmpuint (postbag_message_get_addresses (message, "Cc")->len, ==, 0);
  g_assert_cmpuint (g_strv_length ((char **)references), ==, 3);
  g_assert_cmpstr (references[0], ==, "<a@x>");
  g_assert_cmpstr (references[2], ==, "<d@x>");
  g_assert_cmpstr (postbag_message_get_header (message, "x-raw", 0), ==, "a\tb\xef\xbf\xbd");
  g_assert_cmpstr (postbag_message_get_header (message, "From", 1), ==, "second@example.org");
  g_assert_null (postbag_message_get_header (message, "From", 2));
}

static void
test_bodies (void)
{
  check_body ("Subject: x\r\n\r\nline1\r\nline2\nline3\rline4\r\n", "line1\nline2\nline3\nline4\n",
              "1");
  check_body (
      "Content-Type: multipart/alternative; boundary=b\n\n"
      "--b\nContent-Type: text/plain\n\nplain\n--b\nContent-Type: text/html\n\n<p>html\n--b--\n",
      "plain", "1");
  check_body (
      "Content-Type: multipart/alternative; boundary=b\n\n"
      "--b\nContent-Type: text/plain\n\n \n--b\nContent-Type: text/html\n\n<p>html\n--b--\n",
      "html", "2");
  check_body ("Content-Type: multipart/mixed; boundary=b\n\n"
              "--b\n\nBefore\n--b\nContent-Type: image/png\n\nx\n--b\n\nAfter\n--b--\n",
              "Before\n\nAfter", "1");
  check_body ("Content-Type: multipart/mixed; boundary=b\n\n"
              "--b\n\nBody\n--b\nContent-Disposition: attachment\n\nnot this\n"
              "--b\nContent-Type: text/plain; name=a.txt\n\nnor this\n--b--\n",
              "Body", "1");
  check_body (
      "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: "
      "multipart/alternative; boundary=c\n\n--c\nContent-Type: text/plain\n\np\n--c\n"
      "Content-Type: multipart/related; boundary=d\n\n--d\nContent-Type: text/html\n\n<b>h\n"
      "--d\nContent-Type: image/png\n\nx\n--d--\n--c--\n--b\nContent-Type: "
      "text/plain\n\nfooter\n--b--\n",
      "p\n\nfooter", "1.1");
  check_body ("Content-Type: multipart/related; start=\"<b@x>\"; boundary=b\n\n"
              "--b\nContent-Type: text/html\nContent-ID: <a@x>\n\nfirst\n"
              "--b\nContent-Type: text/html\nContent-ID: <b@x>\n\nroot\n--b--\n",
              "root", "2");
  check_body ("Content-Type: multipart/related; start=\"<c@x>\"; boundary=b\n\n"
              "--b\nContent-Type: text/html\nContent-ID: <a@x>\n\nfirst\n"
              "--b\nContent-Type: text/html\nContent-ID: <b@x>\n\nother\n--b--\n",
              "first", "1");
  check_body ("Content-Type: image/png\n\nx", "", NULL);
  check_body ("Content-Type: text/plain; name=letter.txt\n\nstill a body", "still a body", "1");
  check_body ("Content-Type: text/html; charset=utf-8\n\n<meta charset=iso-8859-1>\xc5\xbb", "Ż",
              "1");
}

static void
test_alternatives (void)
{
  g_autoptr (PostbagMessage) both =
      parse ("Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: "
             "multipart/alternative; boundary=c\n\n--c\nContent-Type: text/plain\n\np\n--c\n"
             "Content-Type: multipart/related; boundary=d\n\n--d\nContent-Type: text/html\n\n<b>h\n"
             "--d\nContent-Type: image/png\n\nx\n--d--\n--c--\n--b\nContent-Type: "
             "text/plain\n\nfooter\n--b--\n");
  g_autoptr (PostbagMessage) one = parse (
      "Content-Type: multipart/alternative; boundary=b\n\n"
      "--b\nContent-Type: text/plain\n\n \n--b\nContent-Type: text/html\n\n<p>html\n--b--\n");
  g_autoptr (PostbagBody) plain = NULL;
  g_autoptr (PostbagBody) html = NULL;

  g_assert_false (postbag_message_read_alternatives (one, &plain, &html));
  g_assert_null (plain);
  g_assert_true (postbag_message_read_alternatives (both, &plain, &html));
  g_assert_cmpstr (plain->text, ==, "p");
  g_assert_true (postbag_part_has_alternatives (postbag_message_get_structure (both)));
  g_assert_cmpstr (html->text, ==, "h");
  g_assert_true (html->is_html);
  g_assert_nonnull (html->report);
}

/* Both forms of a text, whole, with one cut, and with one not there at all. */
static void
test_not_compared (void)
{
  const char *start = "Content-Type: multipart/alternative; boundary=b\n\n--b\n\nplain\n"
                      "--b\nContent-Type: text/html\n\n<p>plain";
  g_autofree char *whole = g_strconcat (start, "\n--b--\n", NULL);
  g_autofree char *first = g_strndup (start, strlen (start) - strlen ("<p>plain") - 30);
  g_autoptr (PostbagMessage) complete = parse (whole);
  const char *const sources[] = { whole, start, first };

  for (gsize i = 0; i < G_N_ELEMENTS (sources); i++)
    {
      g_autoptr (PostbagMessage) message = parse (sources[i]);
      g_autoptr (PostbagBody) body = postbag_message_choose_body (message);
      PostbagMessageContext context = {
        .whole = i > 0 ? postbag_message_get_structure (complete) : NULL,
      };
      g_autoptr (PostbagMessageSecurity) found = postbag_message_examine (message, body, &context);

      g_assert_cmpstr (body->text, ==, "plain");
      g_assert_cmpint (g_ptr_array_find_with_equal_func (
                           found->security->warnings, "text_html_not_compared", g_str_equal, NULL),
                       ==, i > 0);
    }
}

/* Plain text hides by characters only: two U+200B, one tag character. */
static void
test_plain_hides (void)
{
  g_autoptr (PostbagMessage) message =
      parse ("Content-Type: text/plain; charset=utf-8\n\na\xe2\x80\x8b"
             "b\xe2\x80\x8b \xf3\xa0\x81\x81");
  g_autoptr (PostbagBody) body = postbag_message_choose_body (message);
  PostbagMessageContext context = { 0 };
  g_autoptr (PostbagMessageSecurity) found = postbag_message_examine (message, body, &context);

  g_assert_cmpuint (found->report->hidden_chars, ==, 3);
  g_assert_cmpstr (g_array_index (found->report->hidden, PostbagHiddenText, 0).reason, ==,
                   POSTBAG_HIDDEN_INVISIBLE);
}

static void
test_deep_html (void)
{
  g_autoptr (GString) text = g_string_new ("Content-Type: text/html\n\n");
  g_autoptr (PostbagMessage) message = NULL;
  g_autoptr (PostbagBody) body = NULL;

  for (guint i = 0; i < POSTBAG_LIMIT_HTML_DEPTH + 10; i++)
    g_string_append (text, "<div>");
  g_string_append (text, "deep");
  message = parse (text->str);
  body = postbag_message_choose_body (message);
  g_assert_cmpstr (body->text, ==, "deep");
  g_assert_true (g_strv_contains ((const char *const *)body->warnings, "limit:html"));
}

/* HTML is read up to its bound, and said to go on; a text past its own is not searched for files.
 */
static void
test_long_texts (void)
{
  g_autoptr (GString) html = g_string_new ("Content-Type: text/html\n\n");
  g_autoptr (GString) plain = g_string_new ("\n");
  g_autoptr (PostbagMessage) page = NULL;
  g_autoptr (PostbagMessage) letter = NULL;
  g_autoptr (PostbagBody) body = NULL;

  while (html->len < POSTBAG_LIMIT_HTML_BYTES + 100)
    g_string_append (html, "word ");
  g_string_append (html, "end");
  page = parse (html->str);
  body = postbag_message_choose_body (page);
  g_assert_false (body->complete);
  g_assert_null (strstr (body->text, "end"));

  while (plain->len < POSTBAG_LIMIT_MESSAGE_SOURCE_BYTES)
    g_string_append (plain, "0123456789 0123456789 0123456789\n");
  g_string_append (plain, "begin 644 cat.txt\n#0V%T\n`\nend\n");
  letter = parse (plain->str);
  g_assert_null (postbag_message_get_structure (letter)->children);
}

static void
test_many_references (void)
{
  g_autoptr (GString) text = g_string_new ("References:");
  g_autoptr (PostbagMessage) message = NULL;
  const char *const *references;

  for (guint i = 0; i < POSTBAG_LIMIT_REFERENCES + 10; i++)
    g_string_append_printf (text, "\n <%u@x>", i);
  g_string_append (text, "\n\n");
  message = parse (text->str);
  references = postbag_message_get_references (message);
  g_assert_cmpuint (g_strv_length ((char **)references), ==, POSTBAG_LIMIT_REFERENCES);
  g_assert_cmpstr (references[POSTBAG_LIMIT_REFERENCES - 1], ==, "<59@x>"); /* the nearest */
}

/* Texts that are too long to be kept are read again, and say the same. */
static void
test_long_alternatives (void)
{
  g_autofree char *line = g_strnfill (POSTBAG_LIMIT_KEPT_TEXT_BYTES, 'x');
  g_autofree char *source = g_strdup_printf (
      "Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n%s\n"
      "--b\nContent-Type: text/html\n\n<p>%s\n--b--\n",
      line, line);
  g_autoptr (PostbagMessage) message = parse (source);

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (PostbagBody) body = postbag_message_choose_body (message);
      g_autoptr (PostbagBody) html = NULL;
      g_autoptr (PostbagBody) plain = NULL;

      g_assert_cmpstr (body->text, ==, line);
      g_assert_true (postbag_message_read_alternatives (message, &plain, &html));
      g_assert_cmpstr (plain->text, ==, line);
      g_assert_cmpstr (html->text, ==, line);
    }
}

/* RFC 3676 section 4 */
static void
test_flowed (void)
{
  static const char *const cases[][3] = {
    { "one \ntwo\nthree\n", "one two\nthree\n", "onetwo\nthree\n" },
    { "> a \n> b\n>> c \n> d", "> a b\n>> c \n> d", "> ab\n>> c \n> d" },
    { "-- \nsig \nnext", "-- \nsig next", "-- \nsignext" },
    { " >stuffed", ">stuffed", ">stuffed" },
    { "", "", "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *joined = postbag_body_unflow (cases[i][0], FALSE);
      g_autofree char *deleted = postbag_body_unflow (cases[i][0], TRUE);

      g_assert_cmpstr (joined, ==, cases[i][1]);
      if (i != 1) /* a blank at the end of an unjoined line is judged below */
        g_assert_cmpstr (deleted, ==, cases[i][2]);
    }
}

/* Hardening V4: the recursion must not come back through an inner message. */
static void
test_v4_inner_groups (void)
{
  g_autoptr (GString) text =
      g_string_new ("Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: "
                    "(x)message(y)/(z)rfc822\n\nTo: ");
  g_autoptr (PostbagMessage) message = NULL;

  for (guint i = 0; i < 300000; i++)
    g_string_append (text, "a:");
  g_string_append (text, "x@y.test\n\ninner\n--b--\n");
  message = parse (text->str);
  check_part (message, "1.1", "inner");
}

static void
test_limits (void)
{
  g_autoptr (GString) deep = g_string_new (NULL);
  g_autoptr (GString) many = g_string_new ("Content-Type: multipart/mixed; boundary=b\n\n");
  g_autoptr (GString) inner = g_string_new (NULL);
  g_autoptr (PostbagMessage) message = NULL;

  for (guint i = 0; i < 2000; i++)
    g_string_append_printf (deep, "Content-Type: multipart/mixed; boundary=b%u\n\n--b%u\n", i, i);
  message = parse (deep->str);
  g_assert_nonnull (postbag_message_get_structure (message));
  g_clear_pointer (&message, postbag_message_free);
  for (guint i = 0; i < 3000; i++)
    g_string_append (many, "--b\n\nx\n");
  message = parse (many->str);
  g_assert_cmpuint (postbag_message_get_structure (message)->children->len, ==, 999);
  g_clear_pointer (&message, postbag_message_free);
  for (guint i = 0; i < 2000; i++)
    g_string_append (inner, "Content-Type: message/rfc822\n\n");
  message = parse (inner->str);
  g_assert_nonnull (postbag_message_get_structure (message));
}

static void
test_complete (void)
{
  static const char cut[] = "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nthis runs on";
  g_autoptr (PostbagMessage) message = parse (cut);
  g_autoptr (PostbagBody) body = postbag_message_choose_body (message);
  g_autoptr (PostbagMessage) whole = parse (numbered);
  g_autoptr (PostbagBody) whole_body = postbag_message_choose_body (whole);

  g_assert_false (body->complete);
  g_assert_cmpstr (body->text, ==, "this runs on");
  g_assert_true (whole_body->complete);
}

static void
test_summary (void)
{
  g_autoptr (GBytes) source = g_bytes_new_static (numbered, sizeof numbered - 1);
  g_autoptr (PostbagSummary) summary = postbag_mime_summarize (source);
  g_autoptr (GBytes) plain = g_bytes_new_static ("Subject: x\n\nbody", 16);
  g_autoptr (PostbagSummary) small = postbag_mime_summarize (plain);

  g_assert_cmpstr (summary->subject, ==, "outer");
  g_assert_true (summary->has_attachments);
  g_assert_cmpint (summary->date, ==, POSTBAG_DATE_UNKNOWN);
  g_assert_cmpstr (small->subject, ==, "x");
  g_assert_false (small->has_attachments);
  g_assert_null (small->message_id);
}

static gpointer
parse_many (gpointer data)
{
  for (guint i = 0; i < 200; i++)
    test_numbers ();
  return NULL;
}

static void
test_threads (void)
{
  GThread *threads[4];

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("parse", parse_many, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

/* All texts of a message have one bound: what is beyond it is told, not decoded. */
static void
test_much_text (void)
{
  g_autoptr (GString) source = g_string_new ("Content-Type: multipart/mixed; boundary=b\r\n\r\n"
                                             "--b\r\nContent-Type: text/plain; charset=x\r\n\r\n"
                                             "first ");
  g_autoptr (PostbagMessage) message = NULL;
  g_autoptr (PostbagBody) body = NULL;
  g_autofree char *codes = NULL;

  for (guint i = 0; i < POSTBAG_LIMIT_MESSAGE_TEXT_BYTES / 4; i++)
    g_string_append (source, "\xe4\xf6\xfc ");
  g_string_append (source, "\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>second\r\n--b--\r\n");
  message = parse (source->str);
  body = postbag_message_choose_body (message);
  codes = g_strjoinv (",", body->warnings);
  g_assert_true (g_str_has_prefix (body->text, "first äöü äöü"));
  g_assert_cmpuint (g_utf8_strlen (body->text, -1), <=, POSTBAG_LIMIT_MESSAGE_TEXT_BYTES + 2);
  g_assert_null (strstr (body->text, "second"));
  g_assert_false (body->complete);
  g_assert_nonnull (strstr (codes, "limit:bytes"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/message/long-texts", test_long_texts);
  g_test_add_func ("/message/many-references", test_many_references);
  g_test_add_func ("/message/not-compared", test_not_compared);
  g_test_add_func ("/message/plain-hides", test_plain_hides);
  g_test_add_func ("/message/deep-html", test_deep_html);
  g_test_add_func ("/message/threads", test_threads);
  g_test_add_func ("/message/numbers", test_numbers);
  g_test_add_func ("/message/small-structures", test_small_structures);
  g_test_add_func ("/message/fields", test_fields);
  g_test_add_func ("/message/bodies", test_bodies);
  g_test_add_func ("/message/alternatives", test_alternatives);
  g_test_add_func ("/message/long-alternatives", test_long_alternatives);
  g_test_add_func ("/message/flowed", test_flowed);
  g_test_add_func ("/message/v4-inner-groups", test_v4_inner_groups);
  g_test_add_func ("/message/limits", test_limits);
  g_test_add_func ("/message/much-text", test_much_text);
  g_test_add_func ("/message/complete", test_complete);
  g_test_add_func ("/message/summary", test_summary);
  return g_test_run ();
}
