/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-html-extractor.h"

#include <string.h>

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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extractor/html/text", test_text);
  g_test_add_func ("/extractor/html/charset", test_charset);
  return g_test_run ();
}
