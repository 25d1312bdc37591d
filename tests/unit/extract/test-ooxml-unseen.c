/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Words of sheets and slides that are there, and that nobody sees: white on white, without ink,
 * smaller than anybody reads, or in a cell whose format shows nothing. */

#include "postbag-ooxml-extractor.h"

#include <string.h>

#include "extract-fixture.h"
#include "zip-fixture.h"

#define TYPE "application/vnd.openxmlformats-officedocument."
#define S "xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'"
#define P "xmlns:p='http://schemas.openxmlformats.org/presentationml/2006/main'"
#define A "xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main'"
#define R "xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'"
#define RELATION(kind, target)                                                                     \
  "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>"           \
  "<Relationship Id='a' Type='http://x/" kind "' Target='" target "'/></Relationships>"

/* --- sheets --- */

static ExtractResult *
run_sheet (const char *sheet, const char *formats)
{
  g_autofree char *first = g_strconcat ("<worksheet " S ">", sheet, "</worksheet>", NULL);
  g_autofree char *styles = g_strconcat ("<styleSheet " S ">", formats, "</styleSheet>", NULL);

  return zip_fixture_extract (
      &postbag_ooxml_extractor, TYPE "spreadsheetml.sheet",
      (const char *const[]){ "xl/workbook.xml",
                             "<workbook " S " " R "><sheets><sheet name='One' r:id='1'/></sheets>"
                             "</workbook>",
                             "xl/_rels/workbook.xml.rels", RELATION ("styles", "styles.xml"),
                             "xl/worksheets/sheet1.xml", first, "xl/styles.xml", styles, NULL });
}

/* By style: 0 black, 1 white on nothing, 2 white on blue, 3 white on white, 4 tiny, 5 the paper's
 * colour of a theme, 6 shows nothing, 7 shows texts, 8 white on a gradient. */
static void
test_unseen_cells (void)
{
#define CELL(style, text) "<c t='inlineStr' s='" style "'><is><t>" text "</t></is></c>"
  g_autoptr (ExtractResult) result = run_sheet (
      "<sheetData><row>" CELL ("0", "a") CELL ("1", "b") CELL ("2", "c") CELL ("3", "d")
          CELL ("4", "e") CELL ("5", "f") CELL ("6", "gone") CELL ("7", "h") CELL ("8", "i")
              CELL ("1", " ") "</row></sheetData>",
      "<numFmts><numFmt numFmtId='170' formatCode=';;;'/><numFmt numFmtId='171' "
      "formatCode='0;\";\";\\;;@'/></numFmts>"
      "<fonts><font><sz val='11'/></font><font><color rgb='FFFFFFFF'/></font><font><sz val='2'/>"
      "</font><font><color theme='0'/></font></fonts>"
      "<fills><fill><patternFill patternType='none'/></fill><fill><patternFill patternType='solid'>"
      "<fgColor rgb='FF0000FF'/></patternFill></fill><fill><patternFill "
      "patternType='solid'><fgColor "
      "indexed='9'/></patternFill></fill><fill><gradientFill/></fill></fills>"
      "<borders><border><left><color rgb='FFFFFFFF'/></left></border></borders>"
      "<cellXfs><xf/><xf fontId='1'/><xf fontId='1' fillId='1'/><xf fontId='1' fillId='2'/>"
      "<xf fontId='2'/><xf fontId='3'/><xf numFmtId='170'/><xf numFmtId='171'/>"
      "<xf fontId='1' fillId='3'/></cellXfs><dxfs><dxf><font><color rgb='FFFFFFFF'/></font></dxf>"
      "</dxfs>");

  assert_has (result, "| a | b | c | d | e | f | | h | i |");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 5);
  g_assert_nonnull (strstr (result->notes, "white or too small"));
  g_assert_nonnull (strstr (result->notes, "number format that shows nothing"));
}

/* --- slides --- */

static ExtractResult *
run_slide (const char *before, const char *shape, const char *layout, const char *master)
{
  g_autofree char *slide = g_strconcat ("<p:sld " P " " A "><p:cSld>", before, "<p:spTree><p:sp>",
                                        shape, "</p:sp></p:spTree></p:cSld></p:sld>", NULL);
  g_autofree char *layouts =
      g_strconcat ("<p:sldLayout " P " " A ">", layout, "</p:sldLayout>", NULL);
  g_autofree char *masters =
      g_strconcat ("<p:sldMaster " P " " A ">", master, "</p:sldMaster>", NULL);

  return zip_fixture_extract (
      &postbag_ooxml_extractor, TYPE "presentationml.presentation",
      (const char *const[]){
          "ppt/presentation.xml",
          "<p:presentation " P " " R "><p:sldIdLst><p:sldId r:id='a'/>"
          "</p:sldIdLst></p:presentation>",
          "ppt/_rels/presentation.xml.rels", RELATION ("slide", "s.xml"), "ppt/s.xml", slide,
          "ppt/_rels/s.xml.rels", RELATION ("slideLayout", "l.xml"), "ppt/l.xml", layouts,
          "ppt/_rels/l.xml.rels", RELATION ("slideMaster", "m.xml"), "ppt/m.xml", masters, NULL });
}

#define FILL(color) "<a:solidFill><a:srgbClr val='" color "'/></a:solidFill>"
#define RUN(properties, text) "<a:r><a:rPr" properties "</a:rPr><a:t>" text "</a:t></a:r>"
#define BODY(runs) "<p:txBody><a:p>" runs "</a:p></p:txBody>"
#define WHITE BODY (RUN (">" FILL ("FFFFFF"), "words"))

static void
assert_slide (const char *before, const char *shape, const char *layout, const char *master,
              gint64 expected)
{
  g_autoptr (ExtractResult) result = run_slide (before, shape, layout, master);

  assert_text (result, "## Slide 1\n\nwords");
  if (extract_result_get_count (result, "hidden_runs") != expected)
    g_error ("%" G_GINT64_FORMAT " in %s%s%s%s", extract_result_get_count (result, "hidden_runs"),
             before, shape, layout, master);
  g_assert_cmpint (strstr (result->notes, "white or too small") != NULL, ==, expected > 0);
}

static void
test_runs (void)
{
  assert_slide ("", BODY (RUN (">", "words")), "", "", 0);
  assert_slide ("", WHITE, "", "", 1);
  assert_slide ("", BODY (RUN ("><a:solidFill><a:schemeClr val='bg1'/></a:solidFill>", "words")),
                "", "", 1);
  assert_slide ("", BODY (RUN (">" FILL ("000000"), "words") RUN (">" FILL ("FFFFFF"), " ")), "",
                "", 0);
  assert_slide ("", BODY (RUN ("><a:ln>" FILL ("FFFFFF") "</a:ln>", "words")), "", "", 0);
  assert_slide ("", BODY (RUN (" sz='200'>", "words")), "", "", 1);
  assert_slide ("", BODY (RUN (" sz='201'>", "words")), "", "", 0);
  assert_slide ("", BODY (RUN ("><a:noFill/>", "wor") RUN (">", "ds")), "", "", 1);
  assert_slide ("",
                BODY (RUN ("><a:solidFill><a:srgbClr val='112233'><a:alpha val='0'/></a:srgbClr>"
                           "</a:solidFill>",
                           "words")),
                "", "", 1);
}

/* White words are seen on whatever is not white, or may not be. */
static void
test_paint (void)
{
#define BACK(fill) "<p:bg><p:bgPr>" fill "</p:bgPr></p:bg>"
#define SHAPE(fill) "<p:spPr>" fill "</p:spPr>"
  assert_slide (BACK (FILL ("FFFFFF")), SHAPE (FILL ("ffffff")) WHITE, "<p:cSld/>",
                BACK (FILL ("FFFFFF")) "<p:clrMap bg1='lt1'/>", 1);
  assert_slide (BACK (FILL ("000080")), WHITE, "", "", 0);
  assert_slide ("", SHAPE (FILL ("000080")) WHITE, "", "", 0);
  assert_slide ("", SHAPE ("<a:gradFill/>") WHITE, "", "", 0);
  assert_slide ("", SHAPE ("<a:ln>" FILL ("000080") "</a:ln>") WHITE, "", "", 1);
  assert_slide ("", "<p:style><a:fillRef idx='1'/></p:style>" WHITE, "", "", 0);
  assert_slide ("", WHITE, BACK ("<a:blipFill/>"), "", 0);
  assert_slide ("", WHITE, "", SHAPE (FILL ("000080")), 0);
  assert_slide ("", WHITE, "", "<p:pic/>", 0);
  assert_slide ("", WHITE, "", "<p:clrMap bg1='dk1'/>", 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ooxml-unseen/cells", test_unseen_cells);
  g_test_add_func ("/ooxml-unseen/runs", test_runs);
  g_test_add_func ("/ooxml-unseen/paint", test_paint);
  return g_test_run ();
}
