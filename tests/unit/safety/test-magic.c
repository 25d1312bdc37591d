/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "safety/postbag-attachment-policy.h"

#include <string.h>

static const char *
detect (const char *bytes, gsize length)
{
  /* a copy of exactly that size: reading past it is an error under the sanitizer */
  g_autofree guint8 *copy = g_memdup2 (bytes, length);

  return postbag_magic_detect (copy, length);
}

static void
test_detect (void)
{
  g_assert_cmpstr (detect ("MZ", 2), ==, "application/x-msdownload");
  g_assert_cmpstr (detect ("\x7f"
                           "ELF",
                           4),
                   ==, "application/x-elf");
  g_assert_cmpstr (detect ("\xfe\xed\xfa\xce", 4), ==, "application/x-mach-binary");
  g_assert_cmpstr (detect ("\xfe\xed\xfa\xcf", 4), ==, "application/x-mach-binary");
  g_assert_cmpstr (detect ("\xcf\xfa\xed\xfe", 4), ==, "application/x-mach-binary");
  g_assert_cmpstr (detect ("\xca\xfe\xba\xbe", 4), ==, "application/x-mach-binary");
  g_assert_cmpstr (detect ("#!/bin/sh", 9), ==, "text/x-shellscript");
  g_assert_cmpstr (detect ("%PDF-1.7", 8), ==, "application/pdf");
  g_assert_cmpstr (detect ("\x89PNG\r\n", 6), ==, "image/png");
  g_assert_cmpstr (detect ("\xff\xd8\xff\xe0", 4), ==, "image/jpeg");
  g_assert_cmpstr (detect ("GIF89a", 6), ==, "image/gif");
  g_assert_cmpstr (detect ("RIFF\1\2\3\4WEBP", 12), ==, "image/webp");
  g_assert_cmpstr (detect ("PK\x03\x04", 4), ==, "application/zip");
  g_assert_null (detect ("hello", 5));
  g_assert_null (detect ("RIFF\1\2\3\4WAVE", 12));
}

#define D(bytes) detect (bytes, sizeof bytes - 1)

/* The formats' own specifications, and what file(1) calls them. */
static void
test_more_formats (void)
{
  g_assert_cmpstr (D ("\xef\xbb\xbf#!/bin/sh"), ==, "text/x-shellscript");
  g_assert_cmpstr (D ("L\0\0\0\1\x14\2\0\0\0\0\0\xc0\0\0\0\0\0\0F\x9b"), ==,
                   "application/x-ms-shortcut");
  g_assert_cmpstr (D ("junk\n%PDF-1.4\n"), ==, "application/pdf");
  g_assert_cmpstr (D ("II*\0\10"), ==, "image/tiff");
  g_assert_cmpstr (D ("{\\rtf1\\ansi"), ==, "application/rtf");
  g_assert_cmpstr (D ("\x78\x9f\x3e\x22\1"), ==, "application/ms-tnef");
  g_assert_cmpstr (D ("7z\xbc\xaf\x27\x1c"), ==, "application/x-7z-compressed");
  g_assert_cmpstr (D ("Rar!\x1a\7\1"), ==, "application/vnd.rar");
  g_assert_cmpstr (D ("\x1f\x8b\10"), ==, "application/gzip");
  g_assert_cmpstr (D ("\xfd\x37zXZ\0"), ==, "application/x-xz");
  g_assert_cmpstr (D ("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), ==, "application/x-ole-storage");
  g_assert_cmpstr (D ("  <!DOCTYPE HTML><p>"), ==, "text/html");
  g_assert_cmpstr (D ("\xef\xbb\xbf<script>"), ==, "text/html");
  g_assert_cmpstr (D ("<svg xmlns='x'>"), ==, "image/svg+xml");
  g_assert_cmpstr (D ("Received: from x"), ==, "message/rfc822");
  g_assert_null (D ("see <html> there"));
  g_assert_null (D ("   "));
}

static void
append_entry (GByteArray *zip, const char *name, const char *content)
{
  guint8 header[30] = { 'P', 'K', 3, 4, 20 };

  header[18] = header[22] = (guint8)strlen (content);
  header[26] = (guint8)strlen (name);
  g_byte_array_append (zip, header, sizeof header);
  g_byte_array_append (zip, (const guint8 *)name, (guint)strlen (name));
  g_byte_array_append (zip, (const guint8 *)content, (guint)strlen (content));
}

static void
test_zip_kinds (void)
{
  static const char *const kinds[][4] = {
    { "[Content_Types].xml", "<Types/>", "word/document.xml",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document" },
    { "xl/workbook.xml", "<x/>", "a",
      "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
    { "mimetype", "application/vnd.oasis.opendocument.text", "a",
      "application/vnd.oasis.opendocument.text" },
    { "mimetype", "application/epub+zip", "a", "application/zip" },
    { "a.txt", "word/", "words", "application/zip" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      g_autoptr (GByteArray) zip = g_byte_array_new ();

      append_entry (zip, kinds[i][0], kinds[i][1]);
      append_entry (zip, kinds[i][2], "");
      g_byte_array_append (zip, (const guint8 *)"PK\5\6", 4);
      g_assert_cmpstr (detect ((const char *)zip->data, zip->len), ==, kinds[i][3]);
      for (gsize length = 4; length < zip->len; length++)
        g_assert_nonnull (detect ((const char *)zip->data, length));
    }
}

/* [MS-CFB]: sector shift at 30, first directory sector at 48, the root's class at 80 in its entry;
 * Windows Installer's is 000C1084-0000-0000-C000-000000000046. */
static void
test_installer (void)
{
  guint8 file[1536] = { 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1 };
  static const guint8 installer[] = {
    0x84, 0x10, 0x0c, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46
  };

  file[30] = 9;
  file[48] = 1;
  g_assert_cmpstr (detect ((const char *)file, sizeof file), ==, "application/x-ole-storage");
  memcpy (file + 1024 + 80, installer, sizeof installer);
  g_assert_cmpstr (detect ((const char *)file, sizeof file), ==, "application/x-msi");
  g_assert_true (postbag_magic_is_executable ("application/x-msi"));
  g_assert_cmpstr (detect ((const char *)file, 1024 + 95), ==, "application/x-ole-storage");
  memset (file + 48, 0xff, 4);
  g_assert_cmpstr (detect ((const char *)file, sizeof file), ==, "application/x-ole-storage");
}

static void
test_short_buffers (void)
{
  g_assert_null (postbag_magic_detect (NULL, 0));
  for (guint c = 0; c < 256; c++)
    g_assert_null (detect ((const char[]){ (char)c }, 1));
  g_assert_null (detect ("RIFF\1\2\3\4WEB", 11));
  g_assert_null (detect ("%PD", 3));
}

static void
test_executable (void)
{
  g_assert_true (postbag_magic_is_executable ("application/x-msdownload"));
  g_assert_true (postbag_magic_is_executable ("application/x-elf"));
  g_assert_true (postbag_magic_is_executable ("application/x-mach-binary"));
  g_assert_true (postbag_magic_is_executable ("text/x-shellscript"));
  g_assert_false (postbag_magic_is_executable ("application/zip"));
  g_assert_false (postbag_magic_is_executable (NULL));
}

static void
test_contradicts (void)
{
  g_assert_false (postbag_magic_contradicts (NULL, "text/plain"));
  g_assert_false (postbag_magic_contradicts ("application/pdf", "Application/PDF"));
  g_assert_false (postbag_magic_contradicts ("image/jpeg", "image/jpg"));
  g_assert_false (postbag_magic_contradicts ("application/pdf", "application/octet-stream"));
  g_assert_false (postbag_magic_contradicts (
      "application/zip",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document"));
  g_assert_false (
      postbag_magic_contradicts ("application/zip", "application/vnd.oasis.opendocument.text"));
  g_assert_true (postbag_magic_contradicts ("application/zip", "application/pdf"));
  g_assert_false (
      postbag_magic_contradicts ("application/vnd.oasis.opendocument.text", "application/zip"));
  g_assert_true (postbag_magic_contradicts (
      "application/vnd.oasis.opendocument.text",
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document"));
  g_assert_false (postbag_magic_contradicts ("application/x-ole-storage", "application/msword"));
  g_assert_true (postbag_magic_contradicts ("application/x-ole-storage", "application/pdf"));
  g_assert_false (postbag_magic_contradicts ("message/rfc822", "text/plain"));
  g_assert_true (postbag_magic_contradicts ("text/html", "text/plain"));
  g_assert_true (postbag_magic_contradicts ("application/x-msdownload", "image/png"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/magic/detect", test_detect);
  g_test_add_func ("/magic/more-formats", test_more_formats);
  g_test_add_func ("/magic/zip-kinds", test_zip_kinds);
  g_test_add_func ("/magic/installer", test_installer);
  g_test_add_func ("/magic/short-buffers", test_short_buffers);
  g_test_add_func ("/magic/executable", test_executable);
  g_test_add_func ("/magic/contradicts", test_contradicts);
  return g_test_run ();
}
