/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Letters of Outlook, property by property ([MS-OXMSG]), and those of other programs. */

#include <string.h>

#include "base/postbag-limits.h"
#include "ole-fixture.h"
#include "postbag-ole-extractor.h"

#define MSG "application/vnd.ms-outlook"
#define PROPERTIES "__properties_version1.0"

/* A property of its own stream. @prefix: the storage, with a "/", or empty */
static void
add_narrow (OleFixture *fixture, const char *prefix, guint id, const char *text)
{
  g_autofree char *path = g_strdup_printf ("%s__substg1.0_%04X001E", prefix, id);

  ole_fixture_add (fixture, path, text, strlen (text));
}

static void
add_unicode (OleFixture *fixture, const char *prefix, guint id, const char *text)
{
  g_autofree char *path = g_strdup_printf ("%s__substg1.0_%04X001F", prefix, id);
  glong length;
  g_autofree gunichar2 *units = g_utf8_to_utf16 (text, -1, NULL, &length, NULL);

  ole_fixture_add (fixture, path, units, (gsize)length * 2);
}

static void
add_binary (OleFixture *fixture, const char *prefix, guint id, gconstpointer data, gsize length)
{
  g_autofree char *path = g_strdup_printf ("%s__substg1.0_%04X0102", prefix, id);

  ole_fixture_add (fixture, path, data, length);
}

/* Numbers: pairs of a tag and a value up to a tag of 0. */
static void
add_numbers (OleFixture *fixture, const char *prefix, guint head, const guint64 *numbers)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *path = g_strconcat (prefix, PROPERTIES, NULL);

  for (guint i = 0; i < head; i += 4)
    ole_append (bytes, 0, 4);
  for (; numbers[0] != 0; numbers += 2)
    {
      ole_append (bytes, numbers[0], 4);
      ole_append (bytes, 6, 4);
      ole_append (bytes, numbers[1], 8);
    }
  ole_fixture_add (fixture, path, bytes->data, bytes->len);
}
#define NUMBERS(fixture, prefix, head, ...)                                                        \
  add_numbers (fixture, prefix, head, (const guint64[]){ __VA_ARGS__, 0 })

static ExtractResult *
read_fixture (OleFixture *fixture, const char *member)
{
  g_autoptr (GByteArray) file = ole_fixture_finish (fixture);
  const PostbagExtractInput input = {
    .data = file->data, .length = file->len, .content_type = MSG, .member = member
  };

  return extract_run_input (&postbag_ole_extractor, &input, 0);
}

static void
test_code_page (void)
{
  OleFixture *fixture = ole_fixture_new ();
  g_autoptr (ExtractResult) result = NULL;

  /* 2001-09-09T01:46:40Z is 1000000000 seconds after 1970 */
  NUMBERS (fixture, "", 32, 0x3ffd0003, 1251, 0x00390040, 126444736000000000, 0x3fde0003, 20866);
  add_narrow (fixture, "", 0x0037, "\xcf\xf0\xe8\xe2\xe5\xf2");
  add_narrow (fixture, "", 0x0c1a, "Ivan");
  add_narrow (fixture, "", 0x0c1f, "/O=EXCHANGE/CN=IVAN");
  add_narrow (fixture, "", 0x0e04, "Anna; Boris");
  add_narrow (fixture, "", 0x0e03, "\xc0");
  add_narrow (fixture, "", 0x1000, "\xd2\xe5\xea\xf1\xf2\r\n.");
  result = read_fixture (fixture, NULL);
  assert_text (result, "Subject: Привет\nFrom: Ivan\nTo: Anna; Boris\nCc: А\n"
                       "Date: 2001-09-09T01:46:40Z\n\nТекст\n.");
}

static void
test_recipients (void)
{
  OleFixture *fixture = ole_fixture_new ();
  g_autoptr (ExtractResult) result = NULL;

  NUMBERS (fixture, "", 32, 0x0e070003, 0);
  add_unicode (fixture, "", 0x0042, "On behalf");
  add_unicode (fixture, "", 0x0065, "/O=X");
  add_unicode (fixture, "", 0x5d02, "behalf@example.org");
  NUMBERS (fixture, "__recip_version1.0_#00000000/", 8, 0x0c150003, 1);
  add_unicode (fixture, "__recip_version1.0_#00000000/", 0x3001, "Zoë");
  add_unicode (fixture, "__recip_version1.0_#00000000/", 0x3003, "/O=X/CN=ZOE");
  add_unicode (fixture, "__recip_version1.0_#00000000/", 0x39fe, "zoe@example.org");
  NUMBERS (fixture, "__recip_version1.0_#00000001/", 8, 0x0c150003, 2);
  add_unicode (fixture, "__recip_version1.0_#00000001/", 0x3003, "cc@example.org");
  NUMBERS (fixture, "__recip_version1.0_#00000002/", 8, 0x0c150003, 3);
  add_unicode (fixture, "__recip_version1.0_#00000002/", 0x3003, "blind@example.org");
  add_unicode (fixture, "", 0x1000, "Hi");
  result = read_fixture (fixture, NULL);
  assert_text (result, "From: On behalf <behalf@example.org>\nTo: Zoë <zoe@example.org>\n"
                       "Cc: cc@example.org\n\nHi");
}

static OleFixture *
make_nested (void)
{
  static const char attached[] = "__attach_version1.0_#00000000/";
  static const char letter[] = "__attach_version1.0_#00000001/__substg1.0_3701000D/";
  OleFixture *fixture = ole_fixture_new ();

  NUMBERS (fixture, "", 32, 0x3fde0003, 65001);
  add_unicode (fixture, "", 0x0037, "Outer");
  NUMBERS (fixture, attached, 8, 0x37050003, 1);
  add_unicode (fixture, attached, 0x3707, "../../etc/words.txt");
  add_unicode (fixture, attached, 0x370e, "text/plain");
  add_binary (fixture, attached, 0x3701, "words", 5);
  NUMBERS (fixture, "__attach_version1.0_#00000001/", 8, 0x37050003, 5);
  add_unicode (fixture, "__attach_version1.0_#00000001/", 0x3001, "Inner letter");
  NUMBERS (fixture, letter, 24, 0x3ffd0003, 1250, 0x00390040, 126444736000000000);
  add_unicode (fixture, letter, 0x0037, "Inner");
  add_narrow (fixture, letter, 0x1000, "\xb3\363d\237");
  NUMBERS (fixture,
           "__attach_version1.0_#00000001/__substg1.0_3701000D/"
           "__attach_version1.0_#00000000/",
           8, 0x37050003, 1);
  return fixture;
}

static void
test_attachments (void)
{
  g_autoptr (ExtractResult) outer = read_fixture (make_nested (), NULL);
  g_autoptr (ExtractResult) inner = read_fixture (make_nested (), "Inner letter");
  g_autoptr (ExtractResult) file = read_fixture (make_nested (), "etc/words.txt");
  g_autoptr (ExtractResult) other = read_fixture (make_nested (), "nothing");

  assert_text (outer, "Subject: Outer\n\nAttachments:\n\n"
                      "- etc/words.txt (text/plain, 5 bytes)\n"
                      "- Inner letter (application/vnd.ms-outlook)");
  assert_has (inner, "Subject: Inner\nDate: 2001-09-09T01:46:40Z\n\nłódź\n\nAttachments:");
  /* The test's fixture gives it to the extractor itself, which reads compound files alone. */
  assert_reason (file, NOT_A_DOCUMENT);
  assert_reason (other, NO_SUCH_MEMBER);
}

static void
test_html (void)
{
  OleFixture *fixture = ole_fixture_new ();
  g_autoptr (ExtractResult) result = NULL;

  NUMBERS (fixture, "", 32, 0x3fde0003, 65001);
  add_binary (fixture, "", 0x1013, "<p>x", 4);
  result = read_fixture (fixture, NULL);
  g_assert_no_error (result->error);
  g_assert_nonnull (strstr (result->notes, "could not be read"));
}

static void
test_limits (void)
{
  OleFixture *fixture = ole_fixture_new ();
  g_autoptr (ExtractResult) result = NULL;

  NUMBERS (fixture, "", 32, 0x0e070003, 0);
  for (guint i = 0; i <= MAX (POSTBAG_LIMIT_MSG_RECIPIENTS, POSTBAG_LIMIT_MEMBERS); i++)
    {
      g_autofree char *to = g_strdup_printf ("__recip_version1.0_#%08X/", i);
      g_autofree char *file = g_strdup_printf ("__attach_version1.0_#%08X/", i);
      g_autofree char *name = g_strdup_printf ("n%u", i);

      NUMBERS (fixture, to, 8, 0x0c150003, 1);
      add_unicode (fixture, to, 0x3001, name);
      NUMBERS (fixture, file, 8, 0x37050003, 1);
      add_unicode (fixture, file, 0x3707, name);
    }
  result = read_fixture (fixture, NULL);
  assert_has (result, ", n499\n");
  assert_has_not (result, "n500");
  assert_has (result, "- n499");
}

/* Each byte of a small letter changed; its structure is tried by itself elsewhere. */
static void
test_damaged (void)
{
  g_autoptr (GByteArray) file = ole_fixture_finish (make_nested ());

  for (guint i = 0; i < file->len; i++)
    {
      g_autoptr (ExtractResult) changed = NULL;

      file->data[i] ^= 0xff;
      changed = extract_run (&postbag_ole_extractor, MSG, file->data, file->len);
      file->data[i] ^= 0xff;
    }
}

static void
test_documents (void)
{
  g_autoptr (ExtractResult) people =
      extract_run_file (&postbag_ole_extractor, MSG, "tests/corpus/documents/people.msg");
  g_autoptr (ExtractResult) files =
      extract_run_file (&postbag_ole_extractor, MSG, "tests/corpus/documents/files.msg");

  assert_text (people, "Subject: Meeting\nFrom: Ruth Ágoston <ruth@example.org>\n"
                       "To: Paul Meier <paul@example.com>, Anna Łuczak <anna@example.net>, "
                       "bare@example.net\n"
                       "Cc: The Chief <chief@example.com>, Second, In Line <second@example.com>\n"
                       "Date: 2026-03-04T09:15:00Z\n\nWe meet at ten.");
  assert_has (files, "Three files.\n\nAttachments:\n\n"
                     "- table.csv (application/octet-stream, 8 bytes)\n"
                     "- notes.txt (text/plain, 20 bytes)\n"
                     "- Überblick 2026.html (text/html, 20 bytes)");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ole/msg/code-page", test_code_page);
  g_test_add_func ("/ole/msg/recipients", test_recipients);
  g_test_add_func ("/ole/msg/attachments", test_attachments);
  g_test_add_func ("/ole/msg/html", test_html);
  g_test_add_func ("/ole/msg/limits", test_limits);
  g_test_add_func ("/ole/msg/damaged", test_damaged);
  g_test_add_func ("/ole/msg/documents", test_documents);
  return g_test_run ();
}
