/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-archive-extractor.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract-fixture.h"
#include "extract/postbag-zip-directory.h"
#include "zip-fixture.h"

#define ZIP "application/zip"

static GByteArray *
load (const char *name)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("POSTBAG_SOURCE_DIR"), "tests/corpus/documents", name, NULL);
  g_autoptr (GError) error = NULL;
  char *data;
  gsize length;

  g_file_get_contents (path, &data, &length, &error);
  g_assert_no_error (error);
  return g_byte_array_new_take ((guint8 *)data, length);
}

static ExtractResult *
run (const GByteArray *bytes, const char *member)
{
  PostbagExtractInput input = {
    .data = bytes->data, .length = bytes->len, .content_type = ZIP, .member = member
  };

  return extract_run_input (&postbag_archive_extractor, &input, 0);
}

static void
test_list (void)
{
  g_autoptr (GByteArray) bytes = load ("files.zip");
  g_autoptr (ExtractResult) result = run (bytes, NULL);

  assert_text (result, "Files in this archive:\n\n- dir/a.txt (17 bytes)\n- etc/passwd (4 bytes)\n"
                       "- dir/a (2).txt (7 bytes)\n- in.zip (111 bytes)\n"
                       "- Fj\303\244ll.txt (4 bytes)\n- bomb.txt (5000000 bytes)");
  g_assert_cmpint (extract_result_get_count (result, "file_count"), ==, 6);
}

/* The fixture reads what is inside with the same extractor, which is no reader of text: that it
 * was unpacked and handed on shows in the reason. tests/integration reads them. */
static void
test_members (void)
{
  static const struct
  {
    const char *name;
    PostbagExtractReason reason;
  } cases[] = {
    { "dir/a.txt", POSTBAG_EXTRACT_NOT_A_DOCUMENT },
    { "bomb.txt", POSTBAG_EXTRACT_TOO_LARGE },
    { "in.zip", POSTBAG_EXTRACT_UNREADABLE_MEMBER },
    { "etc/passwd", POSTBAG_EXTRACT_UNREADABLE_MEMBER },
    { "../../etc/passwd", POSTBAG_EXTRACT_NO_SUCH_MEMBER },
  };
  g_autoptr (GByteArray) bytes = load ("files.zip");
  g_autoptr (GByteArray) locked = load ("locked.zip");
  g_autoptr (ExtractResult) listed = run (locked, NULL);
  g_autoptr (ExtractResult) refused = run (locked, "secret.txt");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ExtractResult) result = run (bytes, cases[i].name);

      g_assert_error (result->error, POSTBAG_EXTRACT_ERROR, (int)cases[i].reason);
    }
  assert_text (listed, "Files in this archive:\n\n- secret.txt (6 bytes, encrypted)");
  assert_reason (refused, ENCRYPTED);
}

static void
test_old_name (void)
{
  g_autoptr (GByteArray) bytes = load ("old-name.zip");
  g_autoptr (ExtractResult) result = run (bytes, NULL);

  assert_has (result, "- \303\274x.txt (3 bytes)");
}

/* A program in front of the archive shifts all its offsets. */
static void
test_shifted (void)
{
  g_autoptr (GByteArray) bytes = load ("old-name.zip");
  guint total;
  g_autoptr (GArray) entries = NULL;
  const PostbagZipEntry *entry;

  g_byte_array_prepend (bytes, (const guint8 *)"MZ and more", 11);
  entries = postbag_zip_directory_read (bytes->data, bytes->len, 9, &total, NULL);
  g_assert_cmpuint (total, ==, 1);
  entry = &g_array_index (entries, PostbagZipEntry, 0);
  g_assert_nonnull (postbag_zip_entry_find (entry, bytes->data, bytes->len));
}

/* Every file cut off at every byte and with every byte changed ends in a reason or a list. */
static void
test_damaged (void)
{
  g_autoptr (GByteArray) bytes = load ("old-name.zip");

  for (guint i = 0; i < bytes->len; i++)
    {
      const GByteArray cut = { bytes->data, i };
      g_autoptr (ExtractResult) shorter = run (&cut, "\303\274x.txt");
      g_autoptr (ExtractResult) changed = NULL;

      bytes->data[i] ^= 0xff;
      changed = run (bytes, "\303\274x.txt");
      bytes->data[i] ^= 0xff;
      g_assert_nonnull (shorter->error);
    }
}

/* Shorter than it says, another checksum than its own (the fixture's is always 0), and nothing that
 * could be unpacked. */
static void
test_damaged_member (void)
{
  static const struct
  {
    guint32 size;
    guint8 first; /* of its packed bytes, but for 0 */
  } cases[] = { { 30, 0 }, { 3, 0 }, { 3, 0xff } };
  g_autoptr (GByteArray) whole = load ("files.zip");
  g_autoptr (ExtractResult) fine = run (whole, "dir/a.txt");

  g_assert_cmpstr (fine->notes, ==, "");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      ZipFixture *zip = zip_fixture_new ();
      g_autoptr (GByteArray) bytes = NULL;
      g_autoptr (ExtractResult) result = NULL;

      zip_fixture_add_forged (zip, "n.txt", "abc", 3, cases[i].size, 0);
      bytes = g_bytes_unref_to_array (zip_fixture_finish (zip));
      if (cases[i].first > 0)
        bytes->data[30 + strlen ("n.txt")] = cases[i].first;
      result = run (bytes, "n.txt");
      if (cases[i].first > 0)
        assert_reason (result, CORRUPT);
      else
        g_assert_nonnull (strstr (result->notes, "is damaged"));
    }
}

static void
append_number (GByteArray *bytes, guint64 number, guint size)
{
  for (guint i = 0; i < size; i++)
    {
      guint8 byte = (guint8)(i < 8 ? number >> (8 * i) : 0);

      g_byte_array_append (bytes, &byte, 1);
    }
}

/* One entry of a list, by APPNOTE 4.3.12. */
static void
append_entry (GByteArray *bytes, guint32 packed, guint32 size, gboolean zip64)
{
  append_number (bytes, 0x02014b50, 4);
  append_number (bytes, 0, 6);
  append_number (bytes, 8, 2);
  append_number (bytes, 0, 8);
  append_number (bytes, packed, 4);
  append_number (bytes, size, 4);
  append_number (bytes, 1, 2);
  append_number (bytes, zip64 ? 20 : 0, 2);
  append_number (bytes, 0, 10);
  append_number (bytes, 0, 4);
  g_byte_array_append (bytes, (const guint8 *)"n", 1);
  if (!zip64)
    return;
  append_number (bytes, 1, 2);
  append_number (bytes, 16, 2);
  append_number (bytes, G_GUINT64_CONSTANT (5000000000), 8);
  append_number (bytes, 77, 8);
}

static void
append_end (GByteArray *bytes)
{
  guint size = bytes->len;

  append_number (bytes, 0x06054b50, 4);
  append_number (bytes, 0, 8);
  append_number (bytes, size, 4);
  append_number (bytes, 0, 6);
}

static void
test_zip64 (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GArray) entries = NULL;
  guint total;
  const PostbagZipEntry *entry;

  append_entry (bytes, G_MAXUINT32, G_MAXUINT32, TRUE);
  append_end (bytes);
  entries = postbag_zip_directory_read (bytes->data, bytes->len, 9, &total, NULL);
  g_assert_cmpuint (entries->len, ==, 1);
  entry = &g_array_index (entries, PostbagZipEntry, 0);
  g_assert_cmpuint (entry->size, ==, G_GUINT64_CONSTANT (5000000000));
  g_assert_cmpuint (entry->packed, ==, 77);
}

static void
test_many (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (ExtractResult) result = NULL;

  for (guint i = 0; i < 100000; i++)
    append_entry (bytes, 1, 1, FALSE);
  append_end (bytes);
  result = run (bytes, NULL);
  g_assert_no_error (result->error);
  g_assert_cmpint (extract_result_get_count (result, "file_count"), ==, 100000);
  assert_has (result, "- n (500) (1 bytes)");
  assert_has_not (result, "- n (501)");
  g_assert_nonnull (strstr (result->notes, "more files"));
}

/* Refused before a byte is unpacked, at the first number past each bound. */
static void
test_bounds (void)
{
  static const struct
  {
    guint32 packed;
    guint32 size;
    PostbagExtractReason reason;
  } cases[] = {
    { 10000000, POSTBAG_LIMIT_ARCHIVE_MEMBER_BYTES + 1, POSTBAG_EXTRACT_TOO_LARGE },
    { 1000, 1000 * POSTBAG_LIMIT_ARCHIVE_RATIO + 64 * 1024 + 1, POSTBAG_EXTRACT_TOO_LARGE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_autoptr (ExtractResult) result = NULL;
      gsize list;

      append_number (bytes, 0x04034b50, 4);
      append_number (bytes, 0, 26 - 4);
      append_number (bytes, 0, 4);
      g_byte_array_set_size (bytes, 30 + cases[i].packed);
      list = bytes->len;
      append_entry (bytes, cases[i].packed, cases[i].size, FALSE);
      append_number (bytes, 0x06054b50, 4);
      append_number (bytes, 0, 8);
      append_number (bytes, bytes->len - list - 12, 4);
      append_number (bytes, list, 4);
      append_number (bytes, 0, 2);
      result = run (bytes, "n");
      g_assert_error (result->error, POSTBAG_EXTRACT_ERROR, (int)cases[i].reason);
    }
}

static void
test_bad (void)
{
  const GByteArray none = { (guint8 *)"nothing", 7 }, empty = { (guint8 *)"", 0 };
  const GByteArray broken = { (guint8 *)"PK\3\4 no such thing", 18 };
  g_autoptr (ExtractResult) other = run (&none, NULL), nothing = run (&empty, NULL);
  g_autoptr (ExtractResult) corrupt = run (&broken, NULL);

  assert_reason (other, NOT_A_DOCUMENT);
  assert_reason (nothing, NOT_A_DOCUMENT);
  assert_reason (corrupt, CORRUPT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extractor/archive/list", test_list);
  g_test_add_func ("/extractor/archive/members", test_members);
  g_test_add_func ("/extractor/archive/old-name", test_old_name);
  g_test_add_func ("/extractor/archive/shifted", test_shifted);
  g_test_add_func ("/extractor/archive/damaged", test_damaged);
  g_test_add_func ("/extractor/archive/damaged-member", test_damaged_member);
  g_test_add_func ("/extractor/archive/zip64", test_zip64);
  g_test_add_func ("/extractor/archive/many", test_many);
  g_test_add_func ("/extractor/archive/bounds", test_bounds);
  g_test_add_func ("/extractor/archive/bad", test_bad);
  return g_test_run ();
}
