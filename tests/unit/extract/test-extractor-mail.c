/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-mail-extractor.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract-fixture.h"
#include "extract/postbag-letter.h"
#include "mail/postbag-mail-types.h"

#define EML "message/rfc822"
#define TNEF "application/ms-tnef"

/* A stream that the test knows: letters are read by the extractor itself, so members that are
 * letters are, too. */
static ExtractResult *
run (const char *type, const char *member, gconstpointer data, gsize length)
{
  PostbagExtractInput input = {
    .data = data, .length = length, .content_type = type, .member = member
  };

  return extract_run_input (&postbag_mail_extractor, &input, 0);
}

static const char letter[] =
    "From: =?utf-8?q?Nora_Fj=C3=A4ll?= <nora@example.org>\r\n"
    "To: ivo@example.net, Ann <ann@example.net>\r\n"
    "Subject: Plan\r\n"
    "Date: Tue, 5 Mar 2024 10:30:00 +0100\r\n"
    "MIME-Version: 1.0\r\n"
    "Content-Type: multipart/mixed; boundary=b\r\n\r\n"
    "--b\r\n\r\nSee below.\r\n"
    "--b\r\nContent-Type: application/pdf; name=\"../a.pdf\"\r\nContent-Transfer-Encoding: "
    "base64\r\n"
    "\r\nJVBERg==\r\n"
    "--b\r\nContent-Type: message/rfc822\r\n\r\n"
    "From: x@example.org\r\nSubject: Inner\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n"
    "--c\r\n\r\nInner words\r\n"
    "--c\r\nContent-Type: image/png; name=i.png\r\n\r\nx\r\n--c--\r\n"
    "--b\r\nContent-Type: application/pdf; name=\"../a.pdf\"\r\n\r\nx\r\n--b--\r\n";

static void
test_message (void)
{
  g_autoptr (ExtractResult) result = run (EML, NULL, letter, strlen (letter));

  g_assert_no_error (result->error);
  g_assert_true (g_str_has_prefix (result->text, "Subject: Plan\n"
                                                 "From: Nora Fj\303\244ll <nora@example.org>\n"
                                                 "To: ivo@example.net, Ann <ann@example.net>\n"
                                                 "Date: 2024-03-05T09:30:00Z\n\n"
                                                 "See below.\n\n"
                                                 "Attachments:\n\n"
                                                 "- message.eml (message/rfc822, "));
  assert_has (result,
              "\n- a.pdf (application/pdf, 4 bytes)\n- a (2).pdf (application/pdf, 1 bytes)");
  assert_has_not (result, "Inner");
  assert_has_not (result, "i.png");
}

static void
test_message_member (void)
{
  g_autoptr (ExtractResult) inner = run (EML, "message.eml", letter, strlen (letter));
  g_autoptr (ExtractResult) missing = run (EML, "../a.pdf", letter, strlen (letter));

  assert_text (inner, "Subject: Inner\nFrom: x@example.org\n\nInner words\n\nAttachments:\n\n"
                      "- i.png (image/png, 1 bytes)");
  assert_reason (missing, NO_SUCH_MEMBER);
}

static void
test_message_bad (void)
{
  g_autoptr (ExtractResult) other = run (EML, NULL, "no letter at all", 16);
  g_autoptr (ExtractResult) empty = run (EML, NULL, "", 0);

  assert_reason (other, NOT_A_DOCUMENT);
  assert_reason (empty, NOT_A_DOCUMENT);
}

/* --- TNEF, by [MS-OXTNEF] --- */

static void
append_number (GByteArray *bytes, guint32 number, guint size)
{
  for (guint i = 0; i < size; i++)
    {
      guint8 byte = (guint8)(number >> (8 * i));

      g_byte_array_append (bytes, &byte, 1);
    }
}

static void
append_attribute (GByteArray *bytes, guint8 level, guint32 id, gconstpointer data, gsize length)
{
  guint16 sum = 0;

  append_number (bytes, level, 1);
  append_number (bytes, id, 4);
  append_number (bytes, (guint32)length, 4);
  g_byte_array_append (bytes, data, (guint)length);
  for (gsize i = 0; i < length; i++)
    sum = (guint16)(sum + ((const guint8 *)data)[i]);
  append_number (bytes, sum, 2);
}

static GByteArray *
begin_tnef (void)
{
  GByteArray *bytes = g_byte_array_new ();

  append_number (bytes, 0x223e9f78, 4);
  append_number (bytes, 1, 2);
  append_attribute (bytes, 1, 0x00089006, "\0\0\1\0", 4);
  append_attribute (bytes, 1, 0x00069007, "\xe3\4\0\0\0\0\0\0", 8); /* code page 1251 */
  return bytes;
}

static GByteArray *
make_tnef (void)
{
  GByteArray *bytes = begin_tnef ();

  append_attribute (bytes, 1, 0x00018004, "\xcf\xeb\xe0\xed", 5);
  append_attribute (bytes, 1, 0x0002800c, "Words of TNEF", 14);
  append_attribute (bytes, 2, 0x00069002, "\1\0\0\0\0\0\0\0\0\0\0\0\0\0", 14);
  append_attribute (bytes, 2, 0x00018010, "dir\\in.eml", 11);
  append_attribute (bytes, 2, 0x0006800f, "Subject: in TNEF\n\nDeep", 22);
  return bytes;
}

static void
test_tnef (void)
{
  g_autoptr (GByteArray) bytes = make_tnef ();
  g_autoptr (ExtractResult) result = run (TNEF, NULL, bytes->data, bytes->len);
  g_autoptr (ExtractResult) member = run (TNEF, "dir/in.eml", bytes->data, bytes->len);

  assert_text (result, "Subject: \320\237\320\273\320\260\320\275\n\nWords of TNEF\n\n"
                       "Attachments:\n\n- dir/in.eml (22 bytes)");
  assert_text (member, "Subject: in TNEF\n\nDeep");
}

/* Cut at every byte: what stood before is there, and nothing is read past the end. */
static void
test_tnef_cut (void)
{
  g_autoptr (GByteArray) bytes = make_tnef ();

  for (guint length = 0; length < bytes->len; length++)
    {
      g_autoptr (ExtractResult) result = run (TNEF, NULL, bytes->data, length);

      if (length < 6)
        assert_reason (result, NOT_A_DOCUMENT);
      else
        g_assert_no_error (result->error);
    }
}

static void
test_tnef_limit (void)
{
  g_autoptr (GByteArray) bytes = begin_tnef ();
  g_autoptr (ExtractResult) fitting = NULL, beyond = NULL;

  for (guint i = 2; i < POSTBAG_LIMIT_TNEF_ATTRIBUTES; i++)
    append_attribute (bytes, 1, 0x0004800d, "\1\0", 2);
  fitting = run (TNEF, NULL, bytes->data, bytes->len);
  append_attribute (bytes, 1, 0x0004800d, "\1\0", 2);
  beyond = run (TNEF, NULL, bytes->data, bytes->len);
  g_assert_no_error (fitting->error);
  assert_reason (beyond, NOT_A_DOCUMENT);
}

static void
assert_bytes (GBytes *bytes, const char *text)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);

  g_assert_cmpmem (data, (int)length, text, (int)strlen (text));
}

/* [MS-OXRTFCP] 4.1 and 4.2: its own examples. */
static void
test_packed_rtf (void)
{
  static const guint8 simple[] = { 0x2d, 0,    0,    0,    0x2b, 0,    0,    0,    0x4c, 0x5a,
                                   0x46, 0x75, 0xf1, 0xc5, 0xc7, 0xa7, 3,    0,    0x0a, 0,
                                   0x72, 0x63, 0x70, 0x67, 0x31, 0x32, 0x35, 0x42, 0x32, 0x0a,
                                   0xf3, 0x20, 0x68, 0x65, 0x6c, 0x09, 0,    0x20, 0x62, 0x77,
                                   5,    0xb0, 0x6c, 0x64, 0x7d, 0x0a, 0x80, 0x0f, 0xa0 };
  static const guint8 repeated[] = { 0x1a, 0,    0,    0,    0x1c, 0,    0,    0, 0x4c, 0x5a,
                                     0x46, 0x75, 0xe2, 0xd4, 0x4b, 0x51, 0x41, 0, 4,    0x20,
                                     0x57, 0x58, 0x59, 0x5a, 0x0d, 0x6e, 0x7d, 1, 0x0e, 0xb0 };
  g_autoptr (GBytes) hello = postbag_letter_inflate_rtf (simple, sizeof simple);
  g_autoptr (GBytes) run_on = postbag_letter_inflate_rtf (repeated, sizeof repeated);
  guint8 large[16] = { 0, 0, 0, 0, 1, 0, 0, 2, 0x4c, 0x5a, 0x46, 0x75 };

  assert_bytes (hello, "{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n");
  assert_bytes (run_on, "{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}");
  G_STATIC_ASSERT (POSTBAG_LIMIT_LETTER_RTF_BYTES == 0x02000000);
  g_assert_null (postbag_letter_inflate_rtf (large, sizeof large));
  g_assert_null (postbag_letter_inflate_rtf (simple, 15));
}

static void
test_filetime (void)
{
  /* 1 March 2024 noon, by Python's datetime. */
  g_assert_cmpint (postbag_letter_read_filetime (G_GUINT64_CONSTANT (133537680000000000)), ==,
                   1709294400);
  g_assert_cmpint (postbag_letter_read_filetime (0), ==, POSTBAG_DATE_UNKNOWN);
  g_assert_cmpint (postbag_letter_read_filetime (G_MAXUINT64), ==, POSTBAG_DATE_UNKNOWN);
}

static void
test_members (void)
{
  static const struct
  {
    const char *name;
    const char *shown;
  } cases[] = {
    { "a/b.txt", "a/b.txt" },
    { "../../etc/passwd", "etc/passwd" },
    { "/a//./b", "a/b" },
    { "C:\\x\\y.doc", "x/y.doc" },
    { "", "(unnamed)" },
    { NULL, "(unnamed) (2)" },
    { "..", "(unnamed) (3)" },
    { "a/b.txt", "a/b (2).txt" },
    { "x\342\200\256y.txt", "xy.txt" },
  };
  g_autoptr (PostbagMembers) members = postbag_members_new ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const PostbagMember member = { .name = (char *)cases[i].name, .size = -1, .key = i };
      const PostbagMember *found;

      g_assert_true (postbag_members_add (members, &member));
      found = postbag_members_find (members, cases[i].shown, NULL);
      g_assert_nonnull (found);
      g_assert_cmpuint (found->key, ==, i);
    }
  while (postbag_members_count (members) < POSTBAG_LIMIT_MEMBERS)
    g_assert_true (postbag_members_add (members, &(PostbagMember){ .name = "n" }));
  g_assert_false (postbag_members_add (members, &(PostbagMember){ .name = "n" }));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extractor/mail/message", test_message);
  g_test_add_func ("/extractor/mail/message-member", test_message_member);
  g_test_add_func ("/extractor/mail/message-bad", test_message_bad);
  g_test_add_func ("/extractor/mail/tnef", test_tnef);
  g_test_add_func ("/extractor/mail/tnef-cut", test_tnef_cut);
  g_test_add_func ("/extractor/mail/tnef-limit", test_tnef_limit);
  g_test_add_func ("/extractor/mail/packed-rtf", test_packed_rtf);
  g_test_add_func ("/extractor/mail/filetime", test_filetime);
  g_test_add_func ("/extractor/mail/members", test_members);
  return g_test_run ();
}
