/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-html-extractor.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract-fixture.h"

static ExtractResult *
run (const char *html)
{
  return extract_run (&postbag_html_extractor, "text/html", html, strlen (html));
}

static void
test_text (void)
{
  g_autoptr (ExtractResult) result =
      run ("<html><head><style>p{}</style><script>RUN</script></head><body><p>Statement for "
           "March</p><p style='display:none'>secret</p></body></html>");

  assert_text (result, "Statement for March");
  g_assert_nonnull (strstr (result->notes, "left out"));
}

/* "é" in ISO 8859-1, "П" in KOI8-R: Python's codecs. */
static void
test_charset (void)
{
  g_autoptr (ExtractResult) latin = run ("<p>caf\xe9</p>");
  g_autoptr (ExtractResult) russian = run ("<meta charset='koi8-r'><p>\xf0</p>");

  assert_text (latin, "caf\303\251");
  assert_text (russian, "\320\237");
}

/* Marks of UTF-16 in both orders, and of UTF-8; "é" again. */
static void
test_marks (void)
{
  static const struct
  {
    const char *bytes;
    gsize length;
  } cases[] = {
    { "\xff\xfe<\0p\0>\0\xe9\0", 10 },
    { "\xfe\xff\0<\0p\0>\0\xe9", 10 },
    { "\xef\xbb\xbf<p>\xc3\xa9", 8 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ExtractResult) result =
          extract_run (&postbag_html_extractor, "text/html", cases[i].bytes, cases[i].length);

      assert_text (result, "\303\251");
    }
}

/* One element deeper than is followed. */
static void
test_cut (void)
{
  g_autoptr (GString) html = g_string_new ("text");
  g_autoptr (ExtractResult) result = NULL;

  for (guint i = 0; i < 2 * POSTBAG_LIMIT_HTML_DEPTH; i++)
    g_string_append (html, "<div>");
  result = run (html->str);
  assert_text (result, "text");
  g_assert_nonnull (strstr (result->notes, "larger or deeper"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extractor/html/text", test_text);
  g_test_add_func ("/extractor/html/charset", test_charset);
  g_test_add_func ("/extractor/html/marks", test_marks);
  g_test_add_func ("/extractor/html/cut", test_cut);
  return g_test_run ();
}
