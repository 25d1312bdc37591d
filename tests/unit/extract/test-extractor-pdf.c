/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-pdf-extractor.h"

#include <string.h>

#include "extract-fixture.h"

/* A document of one page that shows @content; its cross references are left to be rebuilt. */
static char *
make_document (const char *content, const char *more)
{
  return g_strdup_printf (
      "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
      "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<<"
      "/F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n"
      "4 0 obj<</Length %d>>stream\n%s\nendstream endobj\n%s"
      "trailer<</Root 1 0 R>>\n%%%%EOF\n",
      (int)strlen (content), content, more);
}

static ExtractResult *
run (const char *content)
{
  g_autofree char *document = make_document (content, "");

  return extract_run (&postbag_pdf_extractor, "application/pdf", document, strlen (document));
}

static void
test_text (void)
{
  g_autoptr (ExtractResult) result =
      run ("BT /F 12 Tf 20 250 Td (First line) Tj 0 -20 Td (Second line) Tj ET");

  assert_text (result, "## Page 1\n\nFirst line\nSecond line");
  g_assert_cmpint (extract_result_get_count (result, "page_count"), ==, 1);
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 0);
}

static void
test_hidden (void)
{
  g_autoptr (ExtractResult) result =
      run ("BT /F 12 Tf 20 250 Td (Seen) Tj /F 1 Tf 0 -40 Td (tiny) Tj /F 12 Tf 900 0 Td (off) Tj "
           "ET");

  g_assert_no_error (result->error);
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), >=, 1);
}

static void
test_scan (void)
{
  g_autoptr (ExtractResult) result = run ("0 0 100 100 re f");

  assert_reason (result, NO_TEXT_LAYER);
}

static void
test_no_document (void)
{
  g_autoptr (ExtractResult) zip =
      extract_run (&postbag_pdf_extractor, "application/pdf", "PK\3\4abc", 7);
  g_autoptr (ExtractResult) cut =
      extract_run (&postbag_pdf_extractor, "application/pdf", "%PDF-1.4\n", 9);
  g_autoptr (ExtractResult) empty = extract_run (&postbag_pdf_extractor, "application/pdf", "", 0);

  assert_reason (zip, NOT_A_DOCUMENT);
  assert_reason (cut, CORRUPT);
  assert_reason (empty, NOT_A_DOCUMENT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extractor/pdf/text", test_text);
  g_test_add_func ("/extractor/pdf/hidden", test_hidden);
  g_test_add_func ("/extractor/pdf/scan", test_scan);
  g_test_add_func ("/extractor/pdf/no-document", test_no_document);
  return g_test_run ();
}
