/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mime/postbag-message.h"

#include <string.h>

#include "base/postbag-error.h"

static void
check (const char *encoding, const char *encoded, const char *expected)
{
  g_autoptr (GBytes) bytes = g_bytes_new (encoded, strlen (encoded));
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) decoded = postbag_mime_decode (bytes, encoding, 1000, &error);

  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (decoded, NULL), (int)g_bytes_get_size (decoded), expected,
                   (int)strlen (expected));
}

/* RFC 4648 section 10 */
static void
test_base64 (void)
{
  check ("base64", "", "");
  check ("base64", "Zg==", "f");
  check ("base64", "Zm8=", "fo");
  check ("base64", "Zm9v", "foo");
  check ("base64", "Zm9vYg==", "foob");
  check ("base64", "Zm9vYmE=", "fooba");
  check ("base64", "Zm9vYmFy", "foobar");
}

/* Hardening V2: data after padding counts, junk does not. */
static void
test_v2_base64_goes_on (void)
{
  check ("base64", "SGVsbG8=\r\nIHdvcmxk", "Hello world");
  check ("base64", "SGVsbG8=IHdvcmxk", "Hello world");
  check ("base64", "SGVs!*bG8=\t\r\n==\r\n IHdv-cmxk", "Hello world");
  check ("base64", "SGVsbG8", "Hello");
  check ("base64", "SGVsbG8gd29ybG", "Hello worl");
  check ("base64", "Zg==Zg==Zg==", "fff");
  check ("base64", "====", "");
  check ("base64", "Z", "");
}

/* RFC 2045 section 6.7 */
static void
test_quoted_printable (void)
{
  check ("quoted-printable",
         "Now's the time =\r\nfor all folk to come=\r\n to the aid of their country.",
         "Now's the time for all folk to come to the aid of their country.");
  check ("quoted-printable", "a=3Db=20\r\nc  \r\nd\t\r\n", "a=b \r\nc\r\nd\r\n");
  check ("quoted-printable", "soft =  \r\nbreak", "soft break");
  check ("quoted-printable",
         "lower =c3=a9 lone = sign bad =G1 end=", "lower \xc3\xa9 lone = sign bad =G1 end");
  check ("quoted-printable", "lf only=\nx\ny", "lf onlyx\ny");
  check ("quoted-printable", "=", "");
  check ("quoted-printable", "=4", "=4");
  check ("quoted-printable", "==41", "=A");
  check ("quoted-printable", "a \rb", "a \rb");
}

static void
test_uuencode (void)
{
  check ("x-uuencode", "begin 644 cat.txt\n#0V%T\n`\nend\n", "Cat");
  check ("x-uuencode", "hello\r\nbegin 644 cat.txt\r\n#0V%T\r\n`\r\nend\r\nmore", "Cat");
  check ("x-uuencode", "nothing here", "");
}

static void
test_others (void)
{
  check ("7bit", "a=3Db", "a=3Db");
  check ("x-unknown", "a=3Db", "a=3Db");
  check (NULL, "abc", "abc");
}

static void
test_bound (void)
{
  static const char *const encodings[] = { "base64", "quoted-printable", "x-uuencode", "8bit" };
  g_autoptr (GString) text = g_string_new ("begin 644 x\n");

  for (guint i = 0; i < 100; i++)
    g_string_append (text, "$QUFBQUFB\n");
  for (gsize i = 0; i < G_N_ELEMENTS (encodings); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (text->str, text->len);
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) decoded = postbag_mime_decode (bytes, encodings[i], 50, &error);

      g_assert_null (decoded);
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE);
    }
}

/* Long data in lines of every width, so that groups break in all places, up to the last byte that
 * is allowed and one less; GLib encodes. */
static void
test_long_base64 (void)
{
  enum
  {
    SIZE = 3001
  };
  guint8 data[SIZE];
  g_autofree char *encoded = NULL;
  gsize length;

  for (guint i = 0; i < SIZE; i++)
    data[i] = (guint8)(i * 167 + i / 256);
  encoded = g_base64_encode (data, SIZE);
  length = strlen (encoded);
  for (gsize width = 1; width < 90; width++)
    {
      g_autoptr (GString) lines = g_string_new (NULL);
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (GBytes) decoded = NULL;
      g_autoptr (GError) error = NULL;

      for (gsize at = 0; at < length; at += width)
        {
          g_string_append_len (lines, encoded + at, (gssize)MIN (width, length - at));
          g_string_append (lines, "\r\n");
        }
      bytes = g_bytes_new (lines->str, lines->len);
      decoded = postbag_mime_decode (bytes, "base64", SIZE, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (g_bytes_get_data (decoded, NULL), (int)g_bytes_get_size (decoded), data,
                       SIZE);
      g_assert_null (postbag_mime_decode (bytes, "base64", SIZE - 1, NULL));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/transfer-decode/base64", test_base64);
  g_test_add_func ("/transfer-decode/long-base64", test_long_base64);
  g_test_add_func ("/transfer-decode/v2-base64-goes-on", test_v2_base64_goes_on);
  g_test_add_func ("/transfer-decode/quoted-printable", test_quoted_printable);
  g_test_add_func ("/transfer-decode/uuencode", test_uuencode);
  g_test_add_func ("/transfer-decode/others", test_others);
  g_test_add_func ("/transfer-decode/bound", test_bound);
  return g_test_run ();
}
