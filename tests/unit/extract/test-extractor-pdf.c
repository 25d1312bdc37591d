/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-pdf-extractor.h"
#include "postbag-pdf-streams.h"

#include <string.h>

#include "extract-fixture.h"

#define DOCUMENTS "tests/corpus/documents/"

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

/* The box of a page need not start at 0. Text outside it is left out, and counted. */
static ExtractResult *
run_in_box (const char *box, const char *content)
{
  g_autofree char *document = make_document (content, "");
  g_auto (GStrv) halves = g_strsplit (document, "[0 0 300 300]", 2);
  g_autofree char *boxed = g_strconcat (halves[0], box, halves[1], NULL);

  return extract_run (&postbag_pdf_extractor, "application/pdf", boxed, strlen (boxed));
}

static void
test_hidden (void)
{
  g_autoptr (ExtractResult) tiny =
      run ("BT /F 12 Tf 20 250 Td (Seen) Tj /F 1 Tf 0 -40 Td (tiny words) Tj /F 12 Tf 0 -40 Td "
           "(again) Tj /F 1.9 Tf 0 -40 Td (small) Tj /F 2.4 Tf 0 -40 Td (read) Tj ET");
  g_autoptr (ExtractResult) off =
      run ("BT /F 12 Tf 20 250 Td (Seen) Tj 900 0 Td (right) Tj -2000 0 Td (left) Tj 1100 900 Td "
           "(above) Tj 0 -2000 Td (below) Tj ET");
  g_autoptr (ExtractResult) box =
      run_in_box ("[500 300 800 600]                ",
                  "BT /F 12 Tf 520 550 Td (Seen) Tj 1 0 0 1 520 -50 Tm (below) Tj ET");
  g_autoptr (ExtractResult) cropped = run_in_box (
      "[0 0 300 300]/CropBox[0 0 300 270]",
      "BT /F 12 Tf 20 250 Td (Seen) Tj 0 40 Td (cropped) Tj 1 0 0 1 20 -20 Tm (below) Tj ET");
  g_autoptr (ExtractResult) inside =
      run ("0.1 0 0 0.1 0 0 cm BT /F 120 Tf 1 0 0 1 200 2500 Tm (Seen) Tj ET");

  assert_text (tiny, "## Page 1\n\nSeen\ntiny words\nagain\nsmall\nread");
  g_assert_cmpint (extract_result_get_count (tiny, "hidden_runs"), ==, 2);
  assert_text (off, "## Page 1\n\nSeen");
  g_assert_cmpint (extract_result_get_count (off, "hidden_runs"), ==, 4);
  g_assert_nonnull (strstr (off->notes, "outside the pages"));
  assert_text (box, "## Page 1\n\nSeen");
  g_assert_cmpint (extract_result_get_count (box, "hidden_runs"), ==, 1);
  assert_text (cropped, "## Page 1\n\nSeen");
  g_assert_cmpint (extract_result_get_count (cropped, "hidden_runs"), ==, 2);
  assert_text (inside, "## Page 1\n\nSeen");
  g_assert_cmpint (extract_result_get_count (inside, "hidden_runs"), ==, 0);
}

static void
test_scan (void)
{
  g_autoptr (ExtractResult) result = run ("0 0 100 100 re f");

  assert_reason (result, NO_TEXT_LAYER);
}

/* Documents of other programs. With an empty password anybody may read it. */
static void
test_told_apart (void)
{
  g_autoptr (ExtractResult) locked =
      extract_run_file (&postbag_pdf_extractor, "application/pdf", DOCUMENTS "locked.pdf");
  g_autoptr (ExtractResult) owner =
      extract_run_file (&postbag_pdf_extractor, "application/pdf", DOCUMENTS "owner.pdf");
  g_autoptr (ExtractResult) scanned =
      extract_run_file (&postbag_pdf_extractor, "application/pdf", DOCUMENTS "scan.pdf");

  assert_reason (locked, ENCRYPTED);
  g_assert_no_error (owner->error);
  assert_has (owner, "## Page 1\n\nThe Lighthouse Ledger\n");
  assert_reason (scanned, NO_TEXT_LAYER);
}

/* --- lines --- */

/* Three columns of a table, drawn column by column: the library runs them together. */
static void
test_table (void)
{
  g_autoptr (ExtractResult) result = run (
      "BT /F 12 Tf 1 0 0 1 20 250 Tm (Item) Tj 1 0 0 1 20 230 Tm (Oil) Tj 1 0 0 1 20 210 Tm "
      "(Wicks) Tj 1 0 0 1 120 250 Tm (Crates) Tj 1 0 0 1 120 230 Tm (7) Tj 1 0 0 1 120 210 Tm (3) "
      "Tj 1 0 0 1 200 250 Tm (Price) Tj 1 0 0 1 200 230 Tm (12) Tj 1 0 0 1 200 210 Tm (45) Tj ET");

  assert_text (result, "## Page 1\n\nItem\tCrates\tPrice\nOil\t7\t12\nWicks\t3\t45");
}

/* Numbers far from their items, and an amount at the end of a long line. */
static void
test_list (void)
{
  g_autoptr (ExtractResult) result =
      run ("BT /F 10 Tf 1 0 0 1 20 250 Tm (1.) Tj 1 0 0 1 20 230 Tm (2.) Tj 1 0 0 1 45 250 Tm "
           "(Wind from the old mast) Tj 1 0 0 1 45 230 Tm (Lamps lit long before dusk) Tj "
           "1 0 0 1 240 250 Tm (1,250.50) Tj 1 0 0 1 240 230 Tm (EUR 3) Tj ET");

  assert_text (result, "## Page 1\n\n1.\tWind from the old mast\t1,250.50\n"
                       "2.\tLamps lit long before dusk\tEUR 3");
}

/* Columns of an article stay one behind the other, also where a line of one is short. */
static void
test_columns (void)
{
  g_autoptr (ExtractResult) result =
      run ("BT /F 10 Tf 1 0 0 1 10 250 Tm (The keepers of the pier) Tj 1 0 0 1 10 238 Tm "
           "(wrote down every storm) Tj 1 0 0 1 10 226 Tm (they saw.) Tj 1 0 0 1 160 250 Tm "
           "(Nobody counts storms) Tj 1 0 0 1 160 238 Tm (there now, but children) Tj 1 0 0 1 160 "
           "226 Tm "
           "(still write one line.) Tj ET");

  assert_text (result, "## Page 1\n\nThe keepers of the pier\nwrote down every storm\nthey saw.\n"
                       "Nobody counts storms\nthere now, but children\nstill write one line.");
}

/* Upwards, downwards, and beside a line that is not turned. */
static void
test_turned (void)
{
  g_autoptr (ExtractResult) up =
      run ("BT /F 12 Tf 0 1 -1 0 100 50 Tm (Sideways sentence kept whole) Tj ET");
  g_autoptr (ExtractResult) down =
      run ("BT /F 12 Tf 0 -1 1 0 100 250 Tm (Down the margin it goes) Tj ET");
  g_autoptr (ExtractResult) both =
      run ("BT /F 12 Tf 0 1 -1 0 40 50 Tm (Draft of the day) Tj 1 0 0 1 80 250 Tm (The ledger of "
           "the pier) Tj ET");

  assert_text (up, "## Page 1\n\nSideways sentence kept whole");
  assert_text (down, "## Page 1\n\nDown the margin it goes");
  assert_has (both, "Draft of the day");
  assert_has (both, "The ledger of the pier");
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

/* --- Chinese, Japanese, Korean --- */

/* Letters in the codes of @encoding, in a font of @collection that is not in the document. */
static ExtractResult *
run_composite (const char *encoding, const char *collection, const char *codes)
{
  g_autofree char *content = g_strdup_printf ("BT /F 12 Tf 20 250 Td <%s> Tj ET", codes);
  g_autofree char *document = g_strdup_printf (
      "%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
      "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<<"
      "/F<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/%s/DescendantFonts[5 0 R]>>>>>>>>endobj\n"
      "4 0 obj<</Length %d>>stream\n%s\nendstream endobj\n"
      "5 0 obj<</Type/Font/Subtype/CIDFontType0/BaseFont/A/CIDSystemInfo<</Registry(Adobe)"
      "/Ordering(%s)/Supplement 2>>/FontDescriptor<</Type/FontDescriptor/FontName/A/Flags 4"
      "/FontBBox[0 0 9 9]/ItalicAngle 0/Ascent 9/Descent 0/StemV 1/CapHeight 9>>>>endobj\n"
      "trailer<</Root 1 0 R>>\n%%%%EOF\n",
      encoding, (int)strlen (content), content, collection);

  return extract_run (&postbag_pdf_extractor, "application/pdf", document, strlen (document));
}

/* The codes are those of Python's codecs cp932, utf-16-be, big5, gbk and cp949. */
static void
test_predefined_maps (void)
{
  static const struct
  {
    const char *encoding, *collection, *codes, *text;
  } cases[] = {
    { "90ms-RKSJ-H", "Japan1", "93fa967b8cea82cc90bf8b818f91", "日本語の請求書" },
    { "UniJIS-UTF16-H", "Japan1", "5fa1898b7a4d66f8", "御見積書" },
    { "UniGB-UCS2-H", "GB1", "7b804f534e2d658753d17968", "简体中文发票" },
    { "GBK-EUC-H", "GB1", "bacfcdacb1e0bac5", "合同编号" },
    { "ETen-B5-H", "CNS1", "c163c5e9a4a4a4e5b56fb2bc", "繁體中文發票" },
    { "KSCms-UHC-H", "Korea1", "c7d1b1b9beee", "한국어" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ExtractResult) result =
          run_composite (cases[i].encoding, cases[i].collection, cases[i].codes);
      g_autofree char *expected = g_strconcat ("## Page 1\n\n", cases[i].text, NULL);

      assert_text (result, expected);
      g_assert_cmpstr (result->notes, ==, "");
    }
}

/* A map that no package has stands for all where the package is not there. */
static void
test_missing_map (void)
{
  g_autoptr (ExtractResult) result = run_composite ("NoSuch-Map-H", "Japan1", "93fa967b");

  g_assert_no_error (result->error);
  g_assert_nonnull (strstr (result->notes, "poppler-data"));
}

/* --- text that is drawn and not seen --- */

static void
assert_unseen (const char *content, gint64 expected)
{
  g_autofree char *drawing = g_strdup_printf ("BT /F 12 Tf 20 250 Td (Seen) Tj ET %s", content);
  g_autoptr (ExtractResult) result = run (drawing);

  g_assert_no_error (result->error);
  if (extract_result_get_count (result, "hidden_runs") != expected)
    g_error ("%" G_GINT64_FORMAT " of: %s", extract_result_get_count (result, "hidden_runs"),
             content);
}

#define SECRET "BT /F 12 Tf 20 100 Td (secret) Tj ET "

/* In the colour of the paper, in each of the ways to say so; black is not. */
static void
test_white (void)
{
  assert_unseen ("1 g " SECRET, 1);
  assert_unseen ("1 1 1 rg " SECRET, 1);
  assert_unseen (".99 .99 1. rg " SECRET, 1);
  assert_unseen ("0 0 0 0 k " SECRET, 1);
  assert_unseen ("/Cs1 cs 1 1 1 sc " SECRET, 1);
  assert_unseen ("/DeviceGray cs 1 scn " SECRET, 1);
  assert_unseen ("q 1 g " SECRET "Q " SECRET "q 1 g " SECRET "Q", 2);
  assert_unseen ("1 g BT /F 12 Tf 20 100 Td (one) Tj 0 -20 Td [<6162> 3 (c)] TJ T* (d) ' ET", 1);
  assert_unseen ("1 g BT /F 12 Tf 20 100 Td (  ) Tj <20> Tj [( )] TJ ET", 0);
  assert_unseen ("0 g " SECRET, 0);
  assert_unseen ("0 0 0 1 k " SECRET, 0);
  assert_unseen ("/Separation cs 1 sc " SECRET, 0);
  assert_unseen ("/Pattern cs 1 1 1 /P1 scn " SECRET, 0);
  assert_unseen ("1 G " SECRET, 0);
  assert_unseen ("q 1 g Q " SECRET, 0);
}

/* On what was painted before, the last on top. */
static void
test_behind (void)
{
#define PAINTED "0 90 300 30 re f "
  assert_unseen ("0 0 .5 rg " PAINTED "1 g " SECRET, 0);
  assert_unseen ("0 0 .5 rg 0 190 300 30 re f 1 g " SECRET, 1);
  assert_unseen ("0 0 .5 rg " PAINTED "1 g " PAINTED SECRET, 1);
  assert_unseen ("0 0 .5 rg " PAINTED SECRET, 1);
  assert_unseen ("q .5 0 0 .5 0 40 cm 0 g 0 100 600 60 re f Q 1 g " SECRET, 0);
  assert_unseen ("0 g 0 90 m 300 90 l 300 120 l 0 120 l h f 1 g " SECRET, 0);
  assert_unseen ("0 g 0 0 300 300 re 5 5 290 290 re f* " SECRET, 0);
  assert_unseen ("q 300 0 0 300 0 0 cm /Im1 Do Q 1 g " SECRET, 0);
  assert_unseen ("q 300 0 0 300 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x\nEI Q 1 g " SECRET, 0);
  assert_unseen ("/Form1 Do 1 g " SECRET, 0);
  assert_unseen ("/Sh1 sh 1 g " SECRET, 0);
}

/* Without ink, where no scan is; and through a hole that is elsewhere. */
static void
test_inkless (void)
{
  assert_unseen ("3 Tr " SECRET, 1);
  assert_unseen ("7 Tr " SECRET, 1);
  assert_unseen ("1 Tr " SECRET, 0);
  assert_unseen ("BI /W 1 /H 1 /BPC 8 /CS /G ID x\nEI 3 Tr " SECRET, 0);
  assert_unseen ("q 0 200 300 50 re W n " SECRET "Q " SECRET, 1);
  assert_unseen ("q 0 90 300 50 re W n " SECRET "Q", 0);
  assert_unseen ("q 100 90 10 50 re W* n " SECRET "Q", 0);
  assert_unseen ("q 0 90 10 50 re W n BT /F 12 Tf 90 100 Td (x) Tj ET Q", 1);
}

/* By a graphics state whose alpha is nought, told in the page or in an object of its own. */
static void
test_transparent (void)
{
  static const struct
  {
    const char *states;
    const char *more;
    gint64 expected;
  } cases[] = {
    { "/G1<</ca 0>>", "", 1 },
    { "/G1 << /Type /ExtGState /SMask<</ca 1>> /ca 0.0 /CA 1 >>", "", 1 },
    { "/G1 7 0 R", "7 0 obj\n<</ca 0>>endobj\n", 1 },
    { "/G1 7 0 R", "7 0 obj<</ca 0>>endobj 7 0 obj<</ca 1>>endobj\n", 0 },
    { "/G1 7 0 R", "17 0 obj<</ca 0>>endobj\n", 0 },
    { "/G1<</ca .5>>", "", 0 },
    { "/G1<</CA 0>>", "", 0 },
    { "/G12<</ca 0>>", "", 0 },
    { "/G1<</ca 0>>/X<</G1<</ca 1>>>>", "", 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *document =
          make_document ("q /G1 gs " SECRET "Q BT /F 12 Tf 20 250 Td (Seen) Tj ET", cases[i].more);
      g_auto (GStrv) halves = g_strsplit (document, "/Resources<<", 2);
      g_autofree char *whole = g_strconcat (halves[0], "/Resources<</ExtGState<<", cases[i].states,
                                            ">>", halves[1], NULL);
      g_autoptr (ExtractResult) result =
          extract_run (&postbag_pdf_extractor, "application/pdf", whole, strlen (whole));

      assert_has (result, "secret");
      if (extract_result_get_count (result, "hidden_runs") != cases[i].expected)
        g_error ("%" G_GINT64_FORMAT " of: %s", extract_result_get_count (result, "hidden_runs"),
                 cases[i].states);
    }
}

/* What a page leaves open ends with it; what is no page may be drawn anywhere. */
static void
test_pages (void)
{
  static const struct
  {
    const char *more; /* a second page, or a form */
    gint64 expected;
  } cases[] = {
    { "5 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 6 0 R>>endobj\n"
      "6 0 obj<</Length 99>>stream\n" SECRET "\nendstream endobj\n",
      1 },
    { "5 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 6 0 R>>endobj\n"
      "6 0 obj<</Length 99>>stream\n1 g " SECRET "\nendstream endobj\n",
      2 },
    { "6 0 obj<</Length 99>>stream\n1 g " SECRET "\nendstream endobj\n", 1 },
    { "7 0 obj<</Contents 6 0 R>>endobj 6 0 obj<</Subtype/Form/Length 99>>stream\n1 g " SECRET
      "\nendstream endobj\n",
      1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *document = make_document ("q 1 g " SECRET, cases[i].more);
      g_auto (GStrv) halves = g_strsplit (document, "[3 0 R]/Count 1", 2);
      g_autofree char *whole = g_strconcat (halves[0], "[3 0 R 5 0 R]/Count 2", halves[1], NULL);
      g_autoptr (ExtractResult) result =
          extract_run (&postbag_pdf_extractor, "application/pdf", whole, strlen (whole));

      assert_has (result, "secret");
      g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, cases[i].expected);
    }
}

/* A page in several streams: what one leaves open the next goes on with. */
static void
test_streams (void)
{
  static const char *const contents[] = { "q 1 g", "0 0 .5 rg 0 0 300 300 re f 1 g" };
  static const gint64 expected[] = { 1, 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (contents); i++)
    {
      g_autofree char *more = g_strdup_printf (
          "5 0 obj<</Length 99>>stream\n%s" SECRET "\nendstream endobj\n", i == 0 ? "" : "1 g ");
      g_autofree char *document = make_document (contents[i], more);
      g_auto (GStrv) halves = g_strsplit (document, "/Contents 4 0 R", 2);
      g_autofree char *joined = g_strconcat (halves[0], "/Contents[4 0 R 5 0 R]", halves[1], NULL);
      g_autoptr (ExtractResult) result =
          extract_run (&postbag_pdf_extractor, "application/pdf", joined, strlen (joined));

      assert_text (result, "## Page 1\n\nsecret");
      g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, expected[i]);
    }
}

/* The second page in the place of another object, which is there for nothing else. */
#define SECOND_PAGE(contents)                                                                      \
  "7 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents " contents ">>endobj\n"
#define STREAM(number, entries, content)                                                           \
  number " 0 obj<<" entries "/Length 999>>stream\n" content "\nendstream endobj\n"
#define DARK "0 0 .4 rg 0 90 300 30 re f "
#define LIGHT "1 g 0 90 300 30 re f "

/* What was painted by somebody else is behind a text that stands in a stream of its own, and the
 * order of the file does not tell by whom. What is certain still counts. */
static void
test_elsewhere (void)
{
  static const struct
  {
    const char *contents, *first; /* of the page; object 4 */
    const char *more;
    gint64 expected;
  } cases[] = {
    { "4 0 R", DARK "/X Do", STREAM ("5", "/Type/XObject/Subtype/Form", "1 g " SECRET), 0 },
    { "4 0 R", DARK "/X Do", STREAM ("5", "/Subtype/Form", LIGHT SECRET), 1 },
    { "4 0 R", "1 g /X Do", STREAM ("5", "/Subtype/Form", "q 0 g 0 90 300 30 re f Q " SECRET), 0 },
    { "4 0 R", "1 g /X Do", STREAM ("5", "/Subtype/Form", "0 90 300 30 re W n 1 g " SECRET), 0 },
    { "[4 0 R 5 0 R]", DARK, STREAM ("5", "", "1 g " SECRET), 0 },
    { "[4 0 R 5 0 R]", LIGHT, STREAM ("5", "", "1 g " SECRET), 1 },
    { "[4 0 R 5 0 R]", LIGHT, STREAM ("5", "", SECRET), 1 },
    { "[4 0 R 5 0 R]", "1 g BT /F 12 Tf 20 100 Td", STREAM ("5", "", "(secret) Tj ET"), 1 },
    { "[4 0 R 5 0 R]", DARK "1 g BT /F 12 Tf 20 100 Td", STREAM ("5", "", "(secret) Tj ET"), 0 },
    { "[4 0 R 5 0 R]", DARK,
      STREAM ("5", "", "1 g " SECRET) STREAM ("6", "", "1 g " SECRET) SECOND_PAGE ("[4 0 R 6 0 R]"),
      0 },
    { "[4 0 R 5 0 R]", LIGHT,
      STREAM ("5", "", "1 g " SECRET) STREAM ("6", "", "1 g " SECRET) SECOND_PAGE ("[4 0 R 6 0 R]"),
      1 },
    { "[4 0 R 5 0 R]", DARK, STREAM ("5", "", "1 g " SECRET) SECOND_PAGE ("5 0 R"), 0 },
    { "[5 0 R 4 0 R]", "1 g " SECRET, STREAM ("5", "", DARK), 0 },
    { "[5 0 R 4 0 R]", LIGHT SECRET, STREAM ("5", "", DARK), 1 },
    { "8 0 R", DARK, STREAM ("5", "", "1 g " SECRET) "8 0 obj[4 0 R 5 0 R]endobj\n", 0 },
    { "8 0 R", LIGHT, STREAM ("5", "", "1 g " SECRET) "8 0 obj[4 0 R 5 0 R]endobj\n", 1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *document = make_document (cases[i].first, cases[i].more);
      g_auto (GStrv) halves = g_strsplit (document, "/Contents 4 0 R", 2);
      g_autofree char *whole =
          g_strconcat (halves[0], "/Contents ", cases[i].contents, halves[1], NULL);
      PostbagPdfFindings findings = { 0 };

      g_test_message ("row %" G_GSIZE_FORMAT, i);
      g_assert_true (
          postbag_pdf_streams_check ((const guint8 *)whole, strlen (whole), &findings, NULL));
      g_assert_cmpint (findings.hidden, ==, cases[i].expected);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extractor/pdf/white", test_white);
  g_test_add_func ("/extractor/pdf/behind", test_behind);
  g_test_add_func ("/extractor/pdf/inkless", test_inkless);
  g_test_add_func ("/extractor/pdf/transparent", test_transparent);
  g_test_add_func ("/extractor/pdf/pages", test_pages);
  g_test_add_func ("/extractor/pdf/streams", test_streams);
  g_test_add_func ("/extractor/pdf/elsewhere", test_elsewhere);
  g_test_add_func ("/extractor/pdf/text", test_text);
  g_test_add_func ("/extractor/pdf/hidden", test_hidden);
  g_test_add_func ("/extractor/pdf/scan", test_scan);
  g_test_add_func ("/extractor/pdf/told-apart", test_told_apart);
  g_test_add_func ("/extractor/pdf/table", test_table);
  g_test_add_func ("/extractor/pdf/list", test_list);
  g_test_add_func ("/extractor/pdf/columns", test_columns);
  g_test_add_func ("/extractor/pdf/turned", test_turned);
  g_test_add_func ("/extractor/pdf/no-document", test_no_document);
  g_test_add_func ("/extractor/pdf/predefined-maps", test_predefined_maps);
  g_test_add_func ("/extractor/pdf/missing-map", test_missing_map);
  return g_test_run ();
}
