/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-text-extractor.h"

#include <string.h>

#include "extract-fixture.h"

static ExtractResult *
run (const char *type, const char *charset, const char *bytes, gsize length)
{
  PostbagExtractInput input = {
    .data = (const guint8 *)bytes, .length = length, .content_type = type, .charset = charset
  };

  return extract_run_input (&postbag_text_extractor, &input, 0);
}

/* Bytes made with Python's codecs. */
static void
test_charsets (void)
{
  static const struct
  {
    const char *charset;
    const char *bytes;
    gsize length;
    const char *text;
  } cases[] = {
    { NULL, "plain\r\nlines\rend", 16, "plain\nlines\nend" },
    { "iso-8859-1", "na\303\257ve", 6, "na\303\257ve" }, /* UTF-8 called Latin */
    { "utf-8", "caf\xe9 d\xe9j\xe0 vu", 12, "caf\303\251 d\303\251j\303\240 vu" },
    { "windows-1251", "\xcf\xf0\xe8\xe2\xe5\xf2", 6,
      "\320\237\321\200\320\270\320\262\320\265"
      "\321\202" },
    { NULL, "\xff\xfeh\0i\0", 6, "hi" },
    { NULL, "h\0i\0 \0t\0h\0e\0r\0e\0", 16, "hi there" },
    { NULL, "\0h\0i\0 \0t\0h\0e\0r\0e", 16, "hi there" },
    { NULL, "\xef\xbb\xbfx", 4, "x" },
    { NULL, "", 0, "" },
    { NULL, "a\0b", 3, "a\357\277\275b" },
    { "us-ascii", "\x1b$B$3$s$K$A$O\x1b(B", 16,
      "\343\201\223\343\202\223\343\201\253\343\201\241\343\201\257" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ExtractResult) result =
          run ("text/plain", cases[i].charset, cases[i].bytes, cases[i].length);

      assert_text (result, cases[i].text);
    }
}

/* Russian in KOI8-R, called Latin: only statistics tell. */
static void
test_lying (void)
{
  static const char *const words = "Съешь же ещё этих мягких французских булок, да выпей чаю. "
                                   "Широкая электрификация южных губерний даст мощный толчок "
                                   "подъёму сельского хозяйства.";
  g_autoptr (GError) error = NULL;
  gsize length;
  g_autofree char *bytes = g_convert (words, -1, "KOI8-R", "UTF-8", NULL, &length, &error);
  g_autoptr (ExtractResult) result = NULL;

  g_assert_no_error (error);
  result = run ("text/plain", "iso-8859-1", bytes, length);
  assert_text (result, words);
}

static void
test_csv (void)
{
  static const struct
  {
    const char *type;
    const char *bytes;
    const char *text;
  } cases[] = {
    { "text/csv", "a,b\r\n1,\"x, \"\"y\"\"\"\r\n", "| a | b |\n| --- | --- |\n| 1 | x, \"y\" |" },
    { "text/csv", "Name;Wert\nBolzen;1,5\n", "| Name | Wert |\n| --- | --- |\n| Bolzen | 1,5 |" },
    { "text/csv", "sep=|\na,x|b\n", "| a,x | b |\n| --- | --- |" },
    { "text/csv", "\"two\nlines\",b", "| two lines | b |\n| --- | --- |" },
    { "text/csv", "a,\"open\nb,c", "| a | \"open |\n| --- | --- |\n| b | c |" },
    { "text/csv", "a,,\n,,\n,,z", "| a |\n| --- |\n| | | z |" },
    { "text/tab-separated-values", "a,b\tc", "| a,b | c |\n| --- | --- |" },
    { "text/csv", "", "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ExtractResult) result =
          run (cases[i].type, NULL, cases[i].bytes, strlen (cases[i].bytes));

      assert_text (result, cases[i].text);
    }
}

/* A name list in GBK without a charset. */
static void
test_csv_gbk (void)
{
  static const char *const words =
      "姓名,金额\n王芳,1200\n李伟是北京大学的老师,2050\n我们在上海工作和学习中文,77\n";
  gsize length;
  g_autofree char *bytes = g_convert (words, -1, "GBK", "UTF-8", NULL, &length, NULL);
  g_autoptr (ExtractResult) result = run ("text/csv", NULL, bytes, length);

  assert_has (result, "| 姓名 | 金额 |");
  assert_has (result, "| 王芳 | 1200 |");
}

static void
test_wide_csv (void)
{
  g_autofree char *row = g_strnfill (100000, ',');
  g_autoptr (ExtractResult) result = NULL;

  row[99999] = 'x';
  result = run ("text/csv", NULL, row, 100000);
  assert_text (result, "");
  g_assert_nonnull (strstr (result->notes, "more columns"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extractor/text/charsets", test_charsets);
  g_test_add_func ("/extractor/text/lying", test_lying);
  g_test_add_func ("/extractor/text/csv", test_csv);
  g_test_add_func ("/extractor/text/csv-gbk", test_csv_gbk);
  g_test_add_func ("/extractor/text/wide-csv", test_wide_csv);
  return g_test_run ();
}
