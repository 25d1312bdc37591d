/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ambiguities that other parsers guess at: what ours makes of each, and its code. The expected
 * values were worked out by hand from RFC 2045 to 2047, 2183, 2231 and 5322. */

#include "mime-fixture.h"

#include "safety/postbag-attachment-policy.h"

#define TWO_PARTS "--b\n\none\n--b\nContent-Type: image/png; name=a.png\n\nx\n--b--\n"

static void
check_codes (const char *text, const char *expected)
{
  g_autoptr (PostbagMessage) message = fixture_parse (text);
  g_autofree char *codes = fixture_list_codes (message);

  g_assert_cmpstr (codes, ==, expected);
}

static void
check_parts (const char *text, const char *parts, const char *codes)
{
  g_autoptr (PostbagMessage) message = fixture_parse (text);
  g_autofree char *found = fixture_list_parts (message);

  g_assert_cmpstr (found, ==, parts);
  check_codes (text, codes);
}

static void
check_body (const char *text, const char *expected, const char *codes)
{
  g_autoptr (PostbagMessage) message = fixture_parse (text);
  g_autoptr (PostbagBody) body = postbag_message_choose_body (message);

  g_assert_cmpstr (body->text, ==, expected);
  check_codes (text, codes);
}

/* The only address of From. */
static void
check_from (const char *field, const char *name, const char *address, const char *codes)
{
  g_autofree char *text = g_strdup_printf ("From: %s\r\nSubject: x\r\n\r\nbody\r\n", field);
  g_autoptr (PostbagMessage) message = fixture_parse (text);
  GPtrArray *from = postbag_message_get_addresses (message, "From");

  g_assert_cmpuint (from->len, >, 0);
  g_assert_cmpstr (((PostbagAddress *)from->pdata[0])->name, ==, name);
  g_assert_cmpstr (((PostbagAddress *)from->pdata[0])->address, ==, address);
  check_codes (text, codes);
}

/* --- the tree --- */

static void
test_content_type_text_then_multipart (void)
{
  check_parts ("Content-Type: text/html\nContent-Type: multipart/mixed; boundary=b\n\n" TWO_PARTS,
               "-:multipart/mixed 1:text/plain 2:image/png=a.png 3:text/html",
               "duplicate_header:content-type");
}

static void
test_content_type_multipart_then_text (void)
{
  g_autoptr (PostbagMessage) message =
      fixture_parse ("Content-Type: multipart/mixed; boundary=b\nContent-Type: text/plain\n\n"
                     "before\n" TWO_PARTS);
  g_autoptr (GBytes) whole = postbag_message_decode_part (message, "3", 1000, NULL);

  check_parts ("Content-Type: multipart/mixed; boundary=b\nContent-Type: text/plain\n\n" TWO_PARTS,
               "-:multipart/mixed 1:text/plain 2:image/png=a.png 3:text/plain",
               "duplicate_header:content-type");
  /* what the other reader sees is all of the body, as it stands there */
  g_assert_cmpmem (g_bytes_get_data (whole, NULL), (int)g_bytes_get_size (whole),
                   "before\n" TWO_PARTS, (int)strlen ("before\n" TWO_PARTS));
}

static void
test_boundary_twice (void)
{
  check_parts ("Content-Type: multipart/mixed; boundary=zz; boundary=b\n\n" TWO_PARTS,
               "-:multipart/mixed 1:text/plain 2:image/png=a.png", "duplicate_parameter:boundary");
  check_parts ("Content-Type: multipart/mixed; boundary=b; boundary=zz\n\n" TWO_PARTS,
               "-:multipart/mixed 1:text/plain 2:image/png=a.png", "duplicate_parameter:boundary");
}

static void
test_boundary_split (void)
{
  check_parts ("Content-Type: multipart/mixed; boundary*0=\"\"; boundary*1=b\n\n" TWO_PARTS,
               "-:multipart/mixed 1:text/plain 2:image/png=a.png", "unusual_boundary");
  check_parts ("Content-Type: multipart/mixed; boundary*=us-ascii''%62\n\n" TWO_PARTS,
               "-:multipart/mixed 1:text/plain 2:image/png=a.png", "unusual_boundary");
}

static void
test_boundary_with_a_blank (void)
{
  check_parts ("Content-Type: multipart/mixed; boundary=\"b \"\n\n" TWO_PARTS,
               "-:multipart/mixed 1:text/plain 2:image/png=a.png", "unusual_boundary");
  check_parts ("Content-Type: multipart/mixed; boundary=\"b \"\n\n--b \n\none\n--b --\n",
               "-:multipart/mixed 1:text/plain", "unusual_boundary");
}

static void
test_boundary_wrong (void)
{
  static const char parts[] = "--right\nContent-Type: text/plain\n\none\n--right\nContent-Type: "
                              "image/png; name=a.png\n\nx\n--right--\n";
  static const char *const types[] = { "multipart/mixed", "multipart/mixed; boundary=\"\"",
                                       "multipart/mixed; boundary=wrong",
                                       "multipart/mixed; boundary='right'" };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autofree char *text = g_strdup_printf ("Content-Type: %s\n\npreamble\n%s", types[i], parts);
      g_autoptr (PostbagMessage) message = fixture_parse (text);
      g_autofree char *found = fixture_list_parts (message);
      g_autofree char *codes = fixture_list_codes (message);

      g_assert_cmpstr (found, ==, "-:multipart/mixed 1:text/plain 2:image/png=a.png");
      g_assert_nonnull (strstr (codes, "missing_boundary"));
    }
}

static void
test_boundary_unquoted (void)
{
  check_parts ("Content-Type: multipart/mixed; boundary=b (a comment)\n\n" TWO_PARTS,
               "-:multipart/mixed 1:text/plain 2:image/png=a.png",
               "malformed_parameter,unusual_boundary");
}

static void
test_boundary_prefix (void)
{
  check_parts ("Content-Type: multipart/mixed; boundary=AB\n\n--AB\nContent-Type: "
               "multipart/alternative; boundary=AB1\n\n--AB1\n\ninner\n--AB1\nContent-Type: "
               "text/html\n\n<p>inner\n--AB1--\n--AB\nContent-Type: application/pdf\n\nx\n--AB--\n",
               "-:multipart/mixed 1:multipart/alternative 1.1:text/plain 1.2:text/html "
               "2:application/pdf",
               "");
  /* a line that only starts with the boundary */
  check_parts ("Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--bold\n\ntwo\n--b--\n",
               "-:multipart/mixed 1:text/plain 2:text/plain", "unusual_boundary");
}

static void
test_multipart_without_end (void)
{
  check_parts ("Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: "
               "multipart/alternative; boundary=b\n\n--b\n\nx\n--a\nContent-Type: image/png\n\ny\n",
               "-:multipart/mixed 1:multipart/alternative 1.1:text/plain 2:image/png",
               "unclosed_multipart");
  check_parts ("Content-Type: multipart/mixed; boundary=b\n\n" TWO_PARTS
               "--b\nContent-Type: image/gif\n\nhidden\n--b--\n",
               "-:multipart/mixed 1:text/plain 2:image/png=a.png", "parts_after_end");
}

static void
test_no_mime_version (void)
{
  check_parts ("Content-Type: multipart/mixed; boundary=b\n\n" TWO_PARTS,
               "-:multipart/mixed 1:text/plain 2:image/png=a.png", "");
}

static void
test_header_ended_early (void)
{
  check_body ("Subject: x\n\nFrom: boss@corp.test\nContent-Type: text/html\n\n<b>",
              "From: boss@corp.test\nContent-Type: text/html\n\n<b>", "");
}

static void
test_lines_end_with_lf (void)
{
  check_parts ("Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\none\r\n--b--\r\n",
               "-:multipart/mixed 1:text/plain", "");
  check_parts ("Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b--\n",
               "-:multipart/mixed 1:text/plain", "");
}

/* --- transfer encodings --- */

static void
test_encoding_twice (void)
{
  check_body ("Content-Transfer-Encoding: base64\nContent-Transfer-Encoding: 7bit\n\neA==\n", "x",
              "duplicate_header:cte");
}

static void
test_encoding_with_more (void)
{
  check_body ("Content-Transfer-Encoding: (x)base64\n\neA==\n", "x", "malformed_cte");
  check_body ("Content-Transfer-Encoding: base64;x\n\neA==\n", "x", "malformed_cte");
  check_body ("Content-Transfer-Encoding: Base64\n\neA==\n", "x", "");
  check_body ("Content-Transfer-Encoding: rot13\n\nx", "x", "unknown_cte");
}

/* Hardening V2 */
static void
test_base64_goes_on (void)
{
  check_body ("Content-Transfer-Encoding: base64\n\nSGVsbG8=\nIHdvcmxk\n", "Hello world",
              "malformed_base64");
  check_body ("Content-Transfer-Encoding: base64\n\nSGVsbG8=IHdvcmxk\n", "Hello world",
              "malformed_base64");
  check_body ("Content-Transfer-Encoding: base64\n\nSGVsbG8gd29ybGQ=\n", "Hello world", "");
}

static void
test_base64_with_junk (void)
{
  static const char junk[] = "SGVs*bG8g\x01_d29ybGQ=\r\n";
  g_autoptr (GByteArray) out = g_byte_array_new ();
  gsize foreign = 0;

  g_assert_true (postbag_transfer_decode_base64 (junk, strlen (junk), 1000, out, &foreign, NULL));
  g_assert_cmpmem (out->data, (int)out->len, "Hello world", 11);
  g_assert_cmpuint (foreign, ==, 3);
  check_body ("Content-Transfer-Encoding: base64\n\nSGVs*bG8g_d29ybGQ=\n", "Hello world",
              "malformed_base64");
}

static void
test_uuencode (void)
{
  /* `printf 'Cat' | uuencode cat.txt` */
  static const char text[] = "Subject: x\n\nhello\nbegin 644 cat.txt\n#0V%T\n`\nend\nbye\n";
  g_autoptr (PostbagMessage) message = fixture_parse (text);
  g_autoptr (GBytes) cat = postbag_message_decode_part (message, "1.1", 1000, NULL);

  check_parts (text, "1:text/plain 1.1:application/octet-stream=cat.txt", "uuencode");
  check_body (text, "hello\n[a file was attached here]\nbye\n", "uuencode");
  g_assert_cmpmem (g_bytes_get_data (cat, NULL), (int)g_bytes_get_size (cat), "Cat", 3);
  check_parts ("Subject: x\n\nbegin 644 things\nas you like\nend\n", "1:text/plain", "");
  check_parts ("Subject: x\n\nbegin 644 cat.txt\n#0V%T\nno end\n", "1:text/plain", "");
}

/* --- file names --- */

static void
check_name (const char *disposition, const char *filename, const char *other, const char *codes)
{
  g_autofree char *text = g_strdup_printf (
      "Content-Type: application/x-y\nContent-Disposition: attachment; %s\n\nx", disposition);
  g_autoptr (PostbagMessage) message = fixture_parse (text);
  const PostbagPart *part = postbag_message_get_structure (message);

  g_assert_cmpstr (part->filename, ==, filename);
  g_assert_cmpstr (part->other_filename, ==, other);
  check_codes (text, codes);
}

static void
test_filename_twice (void)
{
  g_autoptr (PostbagMessage) message =
      fixture_parse ("Content-Type: application/x-y\nContent-Disposition: attachment; "
                     "filename=c.pdf; filename=b.exe\n\nx");
  g_autoptr (GPtrArray) attachments =
      postbag_attachments_walk (postbag_message_get_structure (message), NULL);

  check_name ("filename=b.exe; filename=c.pdf", "b.exe", "c.pdf",
              "duplicate_parameter:filename,filename_mismatch,executable_extension");
  check_name ("filename=c.pdf; filename=c.pdf", "c.pdf", NULL, "duplicate_parameter:filename");
  /* whichever a program takes, it is refused */
  g_assert_false (((PostbagAttachment *)attachments->pdata[0])->allowed);
}

static void
test_filename_extended (void)
{
  check_name ("filename=safe.txt; filename*=utf-8''evil.exe", "evil.exe", "safe.txt",
              "filename_mismatch,executable_extension");
  check_name ("filename=a.txt; filename*=utf-8''a.txt", "a.txt", NULL, "");
}

static void
test_filename_with_nul (void)
{
  check_name ("filename*=utf-8''evil.exe%00.txt", NULL, NULL, "filename_control");
  check_name ("filename=safe.txt; filename*=utf-8''evil.exe%00.txt", "safe.txt", NULL,
              "filename_control");
}

static void
test_filename_padded_words (void)
{
  check_name ("filename=\"=?utf-8?B?aW52b2ljZS5wZGY=?= =?utf-8?B?LmV4ZQ==?=\"", "invoice.pdf.exe",
              NULL, "executable_extension");
}

static void
test_filename_path (void)
{
  check_name ("filename=\"../../etc/x\"", "../../etc/x", NULL, "filename_path");
  check_name ("filename=\"C:\\\\boot.ini\"", "C:\\boot.ini", NULL, "filename_path");
}

/* --- senders --- */

static void
test_from_twice (void)
{
  check_codes ("From: a@b.test\r\nFrom: c@d.test\r\n\r\n", "duplicate_header:from");
  check_codes ("From : a@b.test\r\nFrom: c@d.test\r\n\r\n", "duplicate_header:from");
  check_codes ("Subject: a\nSubject: b\nDate: Tue, 05 Mar 2024 09:30:00 +0000\nDate: x\nTo: "
               "a@b.test\nTo: c@d.test\n\n",
               "duplicate_header:to,duplicate_header:subject,duplicate_header:date");
}

static void
test_from_with_two (void)
{
  check_from ("a@b.test, c@d.test", NULL, "a@b.test", "multiple_from");
}

static void
test_mailsploit_nul (void)
{
  check_from ("=?utf-8?b?cG90dXNAd2hpdGVob3VzZS5nb3Y=?==?utf-8?Q?=00?=@evil.test", NULL,
              "=?utf-8?b?cG90dXNAd2hpdGVob3VzZS5nb3Y=?==?utf-8?Q?=00?=@evil.test",
              "malformed_from");
}

static void
test_mailsploit_newline (void)
{
  /* base64 of "boss@corp.test\n<boss@corp.test>" */
  check_from ("=?utf-8?b?Ym9zc0Bjb3JwLnRlc3QKPGJvc3NAY29ycC50ZXN0Pg==?= <x@evil.test>",
              "boss@corp.test <boss@corp.test>", "x@evil.test",
              "display_name_contains_other_address");
}

static void
test_from_two_brackets (void)
{
  check_from ("<boss@corp.test><x@evil.test>", NULL, "boss@corp.test",
              "malformed_from,multiple_from");
}

static void
test_from_quoted_address (void)
{
  check_from ("\"boss@corp.test\" <x@evil.test>", "boss@corp.test", "x@evil.test",
              "display_name_contains_other_address");
  check_from ("\"X@evil.test\" <x@evil.test>", "X@evil.test", "x@evil.test", "");
  check_from ("Bank corp.com <x@evil.test>", "Bank corp.com", "x@evil.test",
              "display_name_contains_other_address");
  check_from ("Example.com <news@mail.example.com>", "Example.com", "news@mail.example.com", "");
  check_from ("Example.com <news@mail.example.org>", "Example.com", "news@mail.example.org",
              "display_name_contains_other_address");
  check_from ("john.doe <jd@example.org>", "john.doe", "jd@example.org", "");
  check_from ("Dr. J. O'Neil Jr. <x@evil.test>", "Dr. J. O'Neil Jr.", "x@evil.test", "");
  check_from ("\"@corp.example\" <x@evil.test>", "@corp.example", "x@evil.test",
              "display_name_contains_other_address");
  check_from ("\"@nick\" <x@evil.test>", "@nick", "x@evil.test", "");
}

/* Two addresses in one, and one in the name of a group. */
static void
test_from_address_inside (void)
{
  check_from ("\"boss@corp.test\"@evil.test", NULL, "\"boss@corp.test\"@evil.test",
              "display_name_contains_other_address");
  check_from ("<\"boss@corp.test> x\"@evil.test>", NULL, "\"boss@corp.test> x\"@evil.test",
              "display_name_contains_other_address");
  check_from ("boss@corp.test: x@evil.test;", NULL, "x@evil.test", "malformed_from");
  check_from ("Bosses: x@evil.test;", NULL, "x@evil.test", "");
}

static void
test_from_comment (void)
{
  check_from ("boss@corp.test (real) <x@evil.test>", "boss@corp.test", "x@evil.test",
              "malformed_from,display_name_contains_other_address");
}

static void
test_from_line_end_in_quotes (void)
{
  check_from ("\"a\r\n b\"@evil.test", NULL, "\"a b\"@evil.test", "malformed_from");
}

static void
test_from_route (void)
{
  check_from ("<@evil.test:boss@corp.test>", NULL, "boss@corp.test", "source_route");
}

/* --- the table --- */

static void
test_table (void)
{
  g_auto (GStrv) codes =
      postbag_warnings_to_codes ((G_GUINT64_CONSTANT (1) << POSTBAG_N_WARNINGS) - 1);

  g_assert_cmpuint (g_strv_length (codes), ==, POSTBAG_N_WARNINGS);
  for (guint i = 0; codes[i] != NULL; i++)
    {
      g_assert_nonnull (codes[i]);
      g_assert_nonnull (postbag_mime_explain_warning (codes[i]));
      for (guint j = 0; j < i; j++)
        g_assert_cmpstr (codes[i], !=, codes[j]);
    }
  g_assert_null (postbag_mime_explain_warning ("no_such_code"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, test) g_test_add_func ("/ambiguities/" name, test)
  ADD ("content-type-text-then-multipart", test_content_type_text_then_multipart);
  ADD ("content-type-multipart-then-text", test_content_type_multipart_then_text);
  ADD ("boundary-twice", test_boundary_twice);
  ADD ("boundary-split", test_boundary_split);
  ADD ("boundary-with-a-blank", test_boundary_with_a_blank);
  ADD ("boundary-wrong", test_boundary_wrong);
  ADD ("boundary-unquoted", test_boundary_unquoted);
  ADD ("boundary-prefix", test_boundary_prefix);
  ADD ("multipart-without-end", test_multipart_without_end);
  ADD ("no-mime-version", test_no_mime_version);
  ADD ("header-ended-early", test_header_ended_early);
  ADD ("lines-end-with-lf", test_lines_end_with_lf);
  ADD ("encoding-twice", test_encoding_twice);
  ADD ("encoding-with-more", test_encoding_with_more);
  ADD ("base64-goes-on", test_base64_goes_on);
  ADD ("base64-with-junk", test_base64_with_junk);
  ADD ("uuencode", test_uuencode);
  ADD ("filename-twice", test_filename_twice);
  ADD ("filename-extended", test_filename_extended);
  ADD ("filename-with-nul", test_filename_with_nul);
  ADD ("filename-padded-words", test_filename_padded_words);
  ADD ("filename-path", test_filename_path);
  ADD ("from-twice", test_from_twice);
  ADD ("from-with-two", test_from_with_two);
  ADD ("mailsploit-nul", test_mailsploit_nul);
  ADD ("mailsploit-newline", test_mailsploit_newline);
  ADD ("from-two-brackets", test_from_two_brackets);
  ADD ("from-quoted-address", test_from_quoted_address);
  ADD ("from-address-inside", test_from_address_inside);
  ADD ("from-comment", test_from_comment);
  ADD ("from-line-end-in-quotes", test_from_line_end_in_quotes);
  ADD ("from-route", test_from_route);
  ADD ("table", test_table);
  return g_test_run ();
}
