/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mime/postbag-message.h"

#include <string.h>

#include "mime/postbag-charset.h"
#include "mime/postbag-mime-private.h"

#define R "\xef\xbf\xbd"

/* The bytes are what Python's codecs make of the text. */
static void
test_labels (void)
{
  static const struct
  {
    const char *charset;
    const char *bytes;
    const char *expected;
  } cases[] = {
    { "iso-8859-1", "\x93we\x92ll pay \x80 40 \x96 today\x94\x85", "“we’ll pay € 40 – today”…" },
    { "US-ASCII", "\xc5\xbc \xe2\x80\x93", "ż –" },
    { "us-ascii", "Gr\xfc\xdf", "Grüß" },
    { "gb2312", "\xe9\x46", "镕" },
    { "GBK", "\xe9\x46", "镕" },
    { "ks_c_5601-1987", "\x8c\x63\xb9\xe6", "똠방" },
    { "EUC-KR", "\x8c\x63\xb9\xe6", "똠방" },
    { "shift_jis", "\x87\x40\x93\xfa\x96\x7b", "①日本" },
    { "euc-jp", "\xad\xa1\xc6\xfc", "①日" },
    { "iso-2022-jp", "\x1b$B8+@Q\x1b(B No. \x1b$B-!\x1b(B", "見積 No. ①" },
    { "iso-2022-jp", "\x1b(I1\x1b(B", "ｱ" },
    { "big5", "\xa4\xa4\xa4\xe5", "中文" },
    { "koi8-r", "\xf0\xd2\xc9\xd7\xc5\xd4", "Привет" },
    { "windows-1251", "\xcf\xf0\xe8\xe2\xe5\xf2", "Привет" },
    { "iso-8859-8-i", "\xf9\xec\xe5\xed", "שלום" },
    { "windows-1255", "\xf9\xec\xe5\xed", "שלום" }, /* its last letter is held back */
    { "windows-874", "\xca\xc7\xd1\xca", "สวัส" },
    { "\"utf-8\"", "\xc3\xa9", "é" },
    { "utf8",
      "\xef\xbb\xbf"
      "a\xff",
      "a" R },
    { "unknown-8bit", "Gr\xc3\xbc", "Grü" },
    { "x-nonsense", "Gr\xfc", "Grü" },
    { NULL, "Gr\xc3\xbc", "Grü" },
    { NULL, "Gr\xfc", "Grü" },
    { "unicode-1-1-utf-7", "+ADw-script+AD4-", "+ADw-script+AD4-" },
    { "utf-7", "+ADw-script+AD4-", "+ADw-script+AD4-" },
    { "gb18030", "a\x81", "a" R },
    { "iso-8859-2", "\xa1", "Ą" },
    { "windows-1252", "\x81x", R "x" },
    { "", "", "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text =
          postbag_mime_to_utf8 (cases[i].bytes, strlen (cases[i].bytes), cases[i].charset);

      g_assert_cmpstr (text, ==, cases[i].expected);
    }
}

static void
test_wide (void)
{
  g_autofree char *le = postbag_mime_to_utf8 ("h\0\xe9\0", 4, "utf-16le");
  g_autofree char *be = postbag_mime_to_utf8 ("\xfe\xff\0h\0\xe9", 6, "UTF-16");
  g_autofree char *odd = postbag_mime_to_utf8 ("\0h\0", 3, "utf-16be");
  g_autofree char *nul = postbag_mime_to_utf8 ("\xc3\xa9\0b", 4, "utf-8");
  g_autofree char *unlabelled = postbag_mime_to_utf8 ("\xc3\xa9\0b", 4, NULL);

  g_assert_cmpstr (le, ==, "hé");
  g_assert_cmpstr (be, ==, "hé");
  g_assert_cmpstr (odd, ==, "h" R);
  g_assert_cmpstr (nul, ==, "é" R "b");
  g_assert_cmpstr (unlabelled, ==, "é" R "b");
}

/* Whatever the bytes, every label ends and gives UTF-8. */
static void
test_any_bytes (void)
{
  static const char *const charsets[] = { "gb18030",    "big5",         "euc-jp",      "shift_jis",
                                          "euc-kr",     "iso-2022-jp",  "iso-2022-kr", "utf-16",
                                          "utf-32",     "windows-1258", "iso-8859-6",  "euc-tw",
                                          "big5-hkscs", "tis-620",      "us-ascii" };
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  char bytes[2000];

  for (guint round = 0; round < 20; round++)
    for (gsize i = 0; i < G_N_ELEMENTS (charsets); i++)
      {
        g_autofree char *text = NULL;

        for (gsize j = 0; j < sizeof bytes; j++)
          bytes[j] = (char)g_rand_int_range (random, 0, 256);
        text = postbag_mime_to_utf8 (bytes, sizeof bytes, charsets[i]);
        g_assert_true (g_utf8_validate (text, -1, NULL));
      }
}

static void
test_sniff (void)
{
  static const char *const cases[][2] = {
    { "<meta charset=iso-8859-2>", "iso-8859-2" },
    { "<META http-equiv=Content-Type content=\"text/html; charset=GBK\">", "gbk" },
    { "<meta charset = 'utf-8' />", "utf-8" },
    { "<p>charset=utf-8", NULL },
    { "<meta name=charset>", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *charset = postbag_charset_sniff_html (cases[i][0], strlen (cases[i][0]));

      g_assert_cmpstr (charset, ==, cases[i][1]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/charset/labels", test_labels);
  g_test_add_func ("/charset/wide", test_wide);
  g_test_add_func ("/charset/any-bytes", test_any_bytes);
  g_test_add_func ("/charset/sniff", test_sniff);
  return g_test_run ();
}
