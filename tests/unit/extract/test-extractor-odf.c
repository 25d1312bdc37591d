/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-odf-extractor.h"

#include <string.h>

#include "base/postbag-limits.h"

#include "extract-fixture.h"
#include "zip-fixture.h"

#define TYPE "application/vnd.oasis.opendocument."
#define ODT TYPE "text"
#define ODS TYPE "spreadsheet"
#define ODP TYPE "presentation"

#define OASIS "urn:oasis:names:tc:opendocument:xmlns:"
#define SPACES                                                                                     \
  " xmlns:office='" OASIS "office:1.0' xmlns:text='" OASIS "text:1.0' xmlns:table='" OASIS         \
  "table:1.0' xmlns:style='" OASIS "style:1.0' xmlns:draw='" OASIS "drawing:1.0' "                 \
  "xmlns:presentation='" OASIS "presentation:1.0' xmlns:fo='" OASIS "xsl-fo-compatible:1.0' "      \
  "xmlns:xlink='http://www.w3.org/1999/xlink' xmlns:dc='http://purl.org/dc/elements/1.1/'"

static ExtractResult *
run_files (const char *type, const char *const *files)
{
  return zip_fixture_extract (&postbag_odf_extractor, type, files);
}

/* @element: text, spreadsheet or presentation */
static ExtractResult *
run (const char *element, const char *styles, const char *body)
{
  g_autofree char *content = g_strdup_printf (
      "<office:document-content" SPACES "><office:automatic-styles>%s</office:automatic-styles>"
      "<office:body><office:%s>%s</office:%s></office:body></office:document-content>",
      styles, element, body, element);
  g_autofree char *type = g_strconcat (TYPE, element, NULL);

  return run_files (type, (const char *const[]){ "content.xml", content, NULL });
}

#define P(text) "<text:p>" text "</text:p>"

static void
test_text (void)
{
  static const struct
  {
    const char *body;
    const char *text;
  } cases[] = {
    { "<text:tracked-changes>" P (
          "gone") "</text:tracked-changes><text:h text:outline-level='2'>Head"
                  "</text:h>" P ("one<text:s text:c='3'/>two<text:tab/>x<text:line-break/>y"),
      "## Head\n\none   two\tx\ny" },
    { P ("  many\n   blanks <text:span> are</text:span> one "), "many blanks are one" },
    { P ("a<text:note text:note-class='footnote'><text:note-citation>7</text:note-citation>"
         "<text:note-body>" P ("why") "</text:note-body></text:note> b") P ("c"),
      "a[note 1] b\n\nc\n\n[note 1] why" },
    { P ("a<office:annotation><dc:creator>Ann</dc:creator><dc:date>2024</dc:date>" P (
          "hm") "</office:annotation>b"),
      "a[comment 1]b\n\n[comment 1, Ann] hm" },
    { P ("see <text:a xlink:href='https://a.example/'>this</text:a>, <text:a "
         "xlink:href='#local'>that</text:a>"),
      "see this (https://a.example/), that" },
    { P ("x<draw:frame><draw:text-box>" P ("boxed") "</draw:text-box></draw:frame>y"),
      "xy\n\nboxed" },
    { "<table:table><table:table-row><table:table-cell table:number-columns-spanned='2'>" P (
          "a") "</table:table-cell><table:covered-table-cell>" P ("no") "</"
                                                                        "table:covered-table-cell>"
                                                                        "<table:table-cell>" P (
                                                                            "b") "</"
                                                                                 "table:table-cell>"
                                                                                 "</"
                                                                                 "table:table-row><"
                                                                                 "/table:table>",
      "| a | | b |\n| --- | --- | --- |" },
    { "<text:section text:display='none'>" P ("secret") "</text:section>" P (
          "<text:hidden-text text:is-hidden='true'>no</text:hidden-text>yes"),
      "yes" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ExtractResult) result = run ("text", "", cases[i].body);

      assert_text (result, cases[i].text);
    }
}

static void
test_hidden (void)
{
  g_autoptr (ExtractResult) result = run (
      "text",
      "<style:style style:name='H' style:family='text'><style:text-properties text:display='none'/>"
      "</style:style><style:style style:name='I' style:parent-style-name='H'/><style:style "
      "style:name='W'><style:text-properties fo:color='#FFFFFF'/></style:style>",
      "<text:p>seen<text:span text:style-name='I'>not<text:span>nor this</text:span></text:span>"
      "<text:span text:style-name='W'> white</text:span></text:p><text:p "
      "text:style-name='H'>gone</text:p>");

  assert_text (result, "seen white");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 4);
}

/* In the colour of what a style puts behind it. */
static void
test_background (void)
{
  static const char styles[] =
      "<style:style style:name='A'><style:paragraph-properties fo:background-color='#000080'/>"
      "<style:text-properties fo:color='#ffffff'/></style:style>"
      "<style:style style:name='B'><style:text-properties fo:color='#123456' "
      "fo:background-color='#123456'/></style:style>"
      "<style:style style:name='C'><style:table-cell-properties fo:background-color='transparent'/>"
      "<style:text-properties fo:color='#ffffff'/></style:style>"
      "<style:style style:name='D'><style:table-cell-properties fo:background-color='#ff0000'/>"
      "<style:text-properties fo:color='#ffffff'/></style:style>"
      "<style:style style:name='E'><style:text-properties fo:font-size='1pt'/></style:style>";
  g_autoptr (ExtractResult) text = run ("text", styles,
                                        "<text:p text:style-name='A'>one</text:p><text:p "
                                        "text:style-name='B'>two</text:p>");
  g_autoptr (ExtractResult) sheet =
      run ("spreadsheet", styles,
           "<table:table table:name='T'><table:table-row>"
           "<table:table-cell table:style-name='C'><text:p>a</text:p></table:table-cell>"
           "<table:table-cell table:style-name='D'><text:p>b</text:p></table:table-cell>"
           "<table:table-cell table:style-name='E' office:value='3'/>"
           "<table:table-cell office:value='7'><text:p/></table:table-cell>"
           "<table:table-cell office:value='8'><office:annotation><text:p>c</text:p>"
           "</office:annotation></table:table-cell>"
           "<table:table-cell table:style-name='C'/></table:table-row></table:table>");

  assert_text (text, "one\n\ntwo");
  g_assert_cmpint (extract_result_get_count (text, "hidden_runs"), ==, 1);
  assert_has (sheet, "| a | b | 3 | | 8 |");
  g_assert_cmpint (extract_result_get_count (sheet, "hidden_runs"), ==, 3);
  g_assert_nonnull (strstr (sheet->notes, "number format that shows nothing"));
  g_assert_nonnull (strstr (sheet->notes, "white or too small"));
}

/* White words on a slide are seen where anything on it is not white. */
static void
test_white_slide (void)
{
  static const struct
  {
    const char *page;
    const char *shape;
    const char *more;
    gint64 expected;
  } cases[] = {
    { "", "", "", 1 },
    { "B", "", "", 0 },
    { "", "B", "", 0 },
    { "", "I", "", 0 },
    { "", "N", "", 1 },
    { "", "L", "", 1 },
    { "", "", "<draw:custom-shape draw:style-name='B'/>", 0 },
    { "", "", "<draw:frame><draw:image/></draw:frame>", 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *body = g_strdup_printf (
          "<draw:page draw:style-name='%s'><draw:frame draw:style-name='%s'><draw:text-box>" P (
              "<text:span text:style-name='W'>words</text:span>") "</draw:text-box></draw:frame>%s"
                                                                  "</draw:page>",
          cases[i].page, cases[i].shape, cases[i].more);
      g_autoptr (ExtractResult) result = run (
          "presentation",
          "<style:style style:name='W'><style:text-properties fo:color='#ffffff'/></style:style>"
          "<style:style style:name='B'><style:graphic-properties draw:fill='solid' "
          "draw:fill-color='#000080'/></style:style>"
          "<style:style style:name='I' style:parent-style-name='B'/>"
          "<style:style style:name='N' style:parent-style-name='B'><style:graphic-properties "
          "draw:fill='none'/></style:style>"
          "<style:style style:name='L'><style:graphic-properties draw:fill='solid' "
          "draw:fill-color='#FFFFFF'/></style:style>",
          body);

      assert_text (result, "## Slide 1\n\nwords");
      g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, cases[i].expected);
    }
}

/* A master's shapes are behind every slide. */
static void
test_white_master (void)
{
  static const char *const shapes[] = { "", "<draw:rect draw:style-name='B'/>" };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autofree char *styles = g_strdup_printf (
          "<office:document-styles" SPACES "><office:automatic-styles><style:style style:name='B'>"
          "<style:graphic-properties draw:fill='gradient'/></style:style></office:automatic-styles>"
          "<office:master-styles><style:master-page style:name='M'>%s</style:master-page>"
          "</office:master-styles></office:document-styles>",
          shapes[i]);
      g_autoptr (ExtractResult) result = run_files (
          TYPE "presentation",
          (const char *const[]){
              "content.xml",
              "<office:document-content" SPACES "><office:automatic-styles><style:style "
              "style:name='W'><style:text-properties fo:color='#ffffff'/></style:style>"
              "</office:automatic-styles><office:body><office:presentation><draw:page><draw:frame>"
              "<draw:text-box><text:p text:style-name='W'>words</text:p></draw:text-box>"
              "</draw:frame></draw:page></office:presentation></office:body>"
              "</office:document-content>",
              "styles.xml", styles, NULL });

      assert_text (result, "## Slide 1\n\nwords");
      g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 1 - (gint64)i);
    }
}

/* What a style says holds inside, and for those made of it, until one says otherwise. */
static void
test_hidden_by_parents (void)
{
  g_autoptr (ExtractResult) result = run (
      "text",
      "<style:style style:name='W'><style:text-properties fo:color='#ffffff'/></style:style>"
      "<style:style style:name='V' style:parent-style-name='W'/>"
      "<style:style style:name='K' style:parent-style-name='W'><style:text-properties "
      "fo:color='#000000'/></style:style>"
      "<style:style style:name='T'><style:text-properties fo:font-size='1pt'/></style:style>"
      "<style:style style:name='H'><style:text-properties text:display='none'/></style:style>"
      "<style:style style:name='S'><style:text-properties text:display='true'/></style:style>"
      "<style:style style:name='B'><style:text-properties fo:font-weight='bold'/></style:style>",
      "<text:p text:style-name='V'>white<text:span text:style-name='B'> too</text:span>"
      "<text:span text:style-name='K'> black</text:span></text:p>"
      "<text:p text:style-name='T'><text:span text:style-name='B'>tiny</text:span></text:p>"
      "<text:p text:style-name='H'>gone<text:span text:style-name='S'>shown</text:span></text:p>");

  assert_text (result, "white too black\n\ntiny\n\nshown");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 4);
}

/* What all paragraphs are, unless a style says otherwise. */
static void
test_hidden_by_default (void)
{
  g_autoptr (ExtractResult) result = run (
      "text",
      "<style:default-style style:family='graphic'><style:text-properties fo:font-size='1pt'/>"
      "</style:default-style><style:default-style style:family='paragraph'><style:text-properties "
      "text:display='none'/></style:default-style><style:style style:name='S'>"
      "<style:text-properties text:display='true'/></style:style>",
      P ("gone") "<text:p text:style-name='S'>shown</text:p>"
                 "<text:h>no<text:span text:style-name='S'>too</text:span></text:h>");

  assert_text (result, "shown\n\n# too");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 2);
}

/* A list in a note, of the same style, leaves the one around as it was. */
static void
test_list_in_note (void)
{
  static const char *const styles =
      "<text:list-style style:name='L'><text:list-level-style-number text:level='1' "
      "style:num-format='1' style:num-suffix='.'/></text:list-style>";
  static const char *const body =
      "<text:list text:style-name='L'><text:list-item><text:p>a<text:note><text:note-body>"
      "<text:list text:style-name='L'><text:list-item><text:p>x</text:p></text:list-item>"
      "<text:list-item><text:p>y</text:p></text:list-item></text:list></text:note-body></text:note>"
      "</text:p></text:list-item><text:list-item><text:p>b</text:p></text:list-item></text:list>";
  g_autoptr (ExtractResult) result = run ("text", styles, body);

  assert_has (result, "1. a[note 1]\n2. b");
}

/* Sections, tables and words behind a condition; what was deleted is no text at all. */
static void
test_left_out (void)
{
  g_autoptr (ExtractResult) result = run (
      "text",
      "<style:style style:name='T' style:family='table'><style:table-properties "
      "table:display='false'/></style:style>",
      "<text:tracked-changes><text:changed-region><text:deletion>" P (
          "deleted") "</text:deletion></text:changed-region></text:tracked-changes>"
                     "<text:section text:display='none'>" P (
                         "a") "</text:section>"
                              "<text:section text:display='condition' text:is-hidden='true'>" P (
                                  "b") "</text:section>"
                                       "<text:section text:display='condition'>" P (
                                           "c") "</text:section>"
                                                "<table:table "
                                                "table:style-name='T'><table:table-row><table:"
                                                "table-cell>" P (
                                                    "d") "</table:table-cell></table:table-row></"
                                                         "table:table>"
                                                         "<text:p>e<text:hidden-text "
                                                         "text:is-hidden='true' "
                                                         "text:string-value='f'/>"
                                                         "<text:hidden-text text:is-hidden='false' "
                                                         "text:string-value='g'>g</"
                                                         "text:hidden-text></text:p>"
                                                         "<text:p><text:hidden-paragraph "
                                                         "text:is-hidden='true'/>h</text:p>");

  assert_text (result, "c\n\neg");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 5);
}

static void
test_lists (void)
{
#define ITEM(inside) "<text:list-item>" inside "</text:list-item>"
  g_autoptr (ExtractResult) result = run (
      "text",
      "<text:list-style style:name='N'><text:list-level-style-number text:level='1' "
      "style:num-format='1' style:num-suffix='.'/><text:list-level-style-number text:level='2' "
      "style:num-format='i' style:num-suffix=')' text:start-value='3'/></text:list-style>",
      "<text:list text:style-name='N'>" ITEM (P ("one") P ("more") "<text:list>" ITEM (P ("iii"))
                                                  ITEM (P ("iv")) "</text:list>")
          ITEM (P ("two")) "</text:list>" P (
              "break") "<text:list text:style-name='N' "
                       "text:continue-numbering='true'>" ITEM (
                           P ("three")) "</text:list><text:list>" ITEM (P ("dot")) "</text:list>");

  assert_text (result,
               "1. one\n\nmore\n\n  iii) iii\n  iv) iv\n2. two\n\nbreak\n\n3. three\n- dot");
}

static void
test_margins (void)
{
  g_autoptr (ExtractResult) result = run_files (
      ODT, (const char *const[]){
               "styles.xml",
               "<office:document-styles" SPACES "><office:master-styles><style:master-page><style:"
               "header>" P ("Top") "</style:header><style:header-left>" P (
                   "Top") "</style:header-left>"
                          "<style:footer>" P ("Bottom") "</style:footer></"
                                                        "style:master-page></"
                                                        "office:master-styles>"
                                                        "</office:document-styles>",
               "content.xml",
               "<office:document-content" SPACES
               "><office:body><office:text>" P ("Text") "</office:text></office:body></"
                                                        "office:document-content>",
               NULL });

  assert_text (result, "[Header] Top\n\nText\n\n[Footer] Bottom");
}

#define CELL(text) "<table:table-cell>" P (text) "</table:table-cell>"

static void
test_sheets (void)
{
  g_autoptr (ExtractResult)
      result = run ("spreadsheet",
                    "<style:style style:name='h'><style:table-properties "
                    "table:display='false'/></style:style>",
                    "<table:table table:name='One'><table:table-column "
                    "table:number-columns-repeated='2'/>"
                    "<table:table-column table:visibility='collapse'/><table:table-row>" CELL ("x") "<table:table-cell table:number-columns-repeated='2'/>" CELL (
                        "7") "<table:table-cell "
                             "table:number-columns-repeated='16380'/></table:table-row>"
                             "<table:table-row "
                             "table:number-rows-repeated='3'><table:table-cell/></table:table-row>"
                             "<table:table-row table:visibility='filter'><table:table-cell "
                             "office:value='1.5' "
                             "office:value-type='float'/"
                             "><table:table-cell><office:annotation><dc:creator>A</dc:creator>" P (
                                 "hm") "</office:annotation>" P ("a")
                                 P ("b") "</table:table-cell></table:table-row>"
                                         "</table:table><table:table table:name='Two' "
                                         "table:style-name='h'><table:table-row>" CELL (
                                             "y") "</table:table-row></table:table>");

  assert_text (result,
               "## Sheet: One\n\n| x | | | 7 |\n| --- | --- | --- | --- |\n| 1.5 | a b |\n\n"
               "[hidden: rows 5; columns C]\n\n- [comment in row 5] hm\n\n"
               "## Sheet: Two (hidden)\n\n| y |\n| --- |");
  g_assert_cmpint (extract_result_get_count (result, "sheet_count"), ==, 2);
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 3);
}

/* Groups of rows and columns that are folded away, one in the other. */
static void
test_groups (void)
{
  g_autoptr (ExtractResult) result =
      run ("spreadsheet", "",
           "<table:table table:name='G'><table:table-column/><table:table-column-group "
           "table:display='false'><table:table-column table:number-columns-repeated='2'/>"
           "</table:table-column-group><table:table-column/>"
           "<table:table-row>" CELL ("a") CELL ("b") CELL ("c")
               CELL ("d") "</table:table-row>"
                          "<table:table-row-group table:display='false'><table:table-row>" CELL (
                              "e") "</"
                                   "table:table-row><table:table-row-group><table:table-"
                                   "row>" CELL ("f") "</table:table-row></table:table-row-group></"
                                                     "table:table-row-group>"
                                                     "<table:table-row-group><table:table-"
                                                     "row>" CELL ("g") "</table:table-row></"
                                                                       "table:table-row-group></"
                                                                       "table:table>");

  assert_text (result,
               "## Sheet: G\n\n| a | b | c | d |\n| --- | --- | --- | --- |\n| e |\n| f |\n| g "
               "|\n\n[hidden: rows 2-3; columns B-C]");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 3);
}

/* A million rows of sixteen thousand cells in three hundred bytes. */
static void
test_repeated (void)
{
  g_autoptr (ExtractResult) blanks = run ("text", "", P ("a<text:s text:c='2000000000'/>b"));
  g_autoptr (ExtractResult) cells =
      run ("spreadsheet", "",
           "<table:table table:name='B'><table:table-row table:number-rows-repeated='1048576'>"
           "<table:table-cell table:number-columns-repeated='16384'>" P (
               "x") "</table:table-cell></table:table-row></table:table>");
  /* No limit of rows would end this one: it has none. */
  g_autoptr (ExtractResult) nothing =
      run ("spreadsheet", "",
           "<table:table table:name='C'><table:table-row table:number-rows-repeated='16777216'>"
           "<table:table-cell table:number-columns-repeated='128'>" P (
               "<text:s/>") "</table:table-cell></table:table-row><table:table-row "
                            "table:number-rows-repeated='16777216'><table:table-cell "
                            "table:number-columns-repeated='16384'/>" P (
                                "") "<table:table-cell>" P ("far") "</table:table-cell>"
                                                                   "</table:table-row></"
                                                                   "table:table>");

  assert_text (nothing, "## Sheet: C");
  g_assert_no_error (blanks->error);
  g_assert_cmpuint (strlen (blanks->text), <, 200);
  g_assert_no_error (cells->error);
  g_assert_cmpuint (strlen (cells->text), <,
                    (POSTBAG_LIMIT_SHEET_ROWS + 2) * (POSTBAG_LIMIT_SHEET_COLUMNS * 6 + 4));
  g_assert_nonnull (strstr (cells->notes, "more rows"));
  g_assert_nonnull (strstr (cells->notes, "more columns"));
}

#define FRAME(kind, text)                                                                          \
  "<draw:frame presentation:class='" kind                                                          \
  "'><draw:text-box>" P (text) "</draw:text-box></draw:frame>"

static void
test_slides (void)
{
  g_autoptr (ExtractResult) result =
      run ("presentation",
           "<style:style style:name='h'><style:drawing-page-properties "
           "presentation:visibility='hidden'/></style:style>",
           "<draw:page>" FRAME ("outline", "point") FRAME ("title", "The title")
               FRAME ("page-number", "3") "<draw:custom-shape>" P (
                   "shape") "</"
                            "draw:custom-shape><presentation:"
                            "notes>" FRAME ("notes", "say this") "</"
                                                                 "presentation:"
                                                                 "notes></"
                                                                 "draw:page><draw:"
                                                                 "page "
                                                                 "draw:style-name='"
                                                                 "h'>" FRAME ("subt"
                                                                              "itl"
                                                                              "e",
                                                                              "mor"
                                                                              "e") "</draw:page>");

  assert_text (result, "## Slide 1: The title\n\npoint\n\nshape\n\n[Notes] say this\n\n"
                       "## Slide 2 (hidden)\n\nmore");
  g_assert_cmpint (extract_result_get_count (result, "slide_count"), ==, 2);
}

static void
test_many_slides (void)
{
  GString *pages = g_string_new (NULL);
  g_autoptr (ExtractResult) many = NULL, more = NULL;

  for (guint i = 0; i < 201; i++)
    g_string_append (pages, "<draw:page/>");
  many = run ("presentation", "", pages->str);
  for (guint i = 0; i < 400; i++)
    g_string_append (pages, "<draw:page/>");
  more = run ("presentation", "", pages->str);
  g_string_free (pages, TRUE);
  g_assert_no_error (many->error);
  g_assert_cmpint (extract_result_get_count (many, "slide_count"), ==, 200);
  g_assert_nonnull (strstr (many->notes, "has 201 slides; the first 200"));
  assert_reason (more, TOO_MANY_PARTS);
}

static void
test_refused (void)
{
  static const char *const manifest =
      "<m:manifest xmlns:m='" OASIS "manifest:1.0'><m:file-entry m:full-path='content.xml'>"
      "<m:encryption-data/></m:file-entry></m:manifest>";
  g_autoptr (ExtractResult) locked =
      run_files (ODT, (const char *const[]){ "META-INF/manifest.xml", manifest, "content.xml",
                                             "\x7f\x45 garbage", NULL });
  g_autoptr (ExtractResult) missing =
      run_files (ODT, (const char *const[]){ "other.xml", "<x/>", NULL });
  g_autoptr (ExtractResult) broken =
      run_files (ODS, (const char *const[]){ "content.xml", "<not closed", NULL });
  g_autoptr (ExtractResult) declared =
      run_files (ODP, (const char *const[]){ "content.xml",
                                             "<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>", NULL });
  g_autofree char *text =
      g_strdup_printf ("<office:document-content" SPACES "><office:body><office:text>" P (
          "t") "</office:text></office:body></office:document-content>");
  g_autoptr (ExtractResult) other =
      run_files (ODS, (const char *const[]){ "content.xml", text, NULL });
  g_autoptr (ExtractResult) slides =
      run_files (ODP, (const char *const[]){ "content.xml", text, NULL });

  assert_reason (locked, ENCRYPTED);
  assert_reason (missing, NOT_A_DOCUMENT);
  assert_reason (broken, CORRUPT);
  assert_reason (declared, CORRUPT);
  assert_reason (other, NOT_A_DOCUMENT);
  assert_reason (slides, NOT_A_DOCUMENT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extractor/odf/background", test_background);
  g_test_add_func ("/extractor/odf/white-slide", test_white_slide);
  g_test_add_func ("/extractor/odf/white-master", test_white_master);
  g_test_add_func ("/extractor/odf/text", test_text);
  g_test_add_func ("/extractor/odf/hidden", test_hidden);
  g_test_add_func ("/extractor/odf/hidden-by-parents", test_hidden_by_parents);
  g_test_add_func ("/extractor/odf/hidden-by-default", test_hidden_by_default);
  g_test_add_func ("/extractor/odf/list-in-note", test_list_in_note);
  g_test_add_func ("/extractor/odf/left-out", test_left_out);
  g_test_add_func ("/extractor/odf/groups", test_groups);
  g_test_add_func ("/extractor/odf/lists", test_lists);
  g_test_add_func ("/extractor/odf/margins", test_margins);
  g_test_add_func ("/extractor/odf/sheets", test_sheets);
  g_test_add_func ("/extractor/odf/repeated", test_repeated);
  g_test_add_func ("/extractor/odf/slides", test_slides);
  g_test_add_func ("/extractor/odf/many-slides", test_many_slides);
  g_test_add_func ("/extractor/odf/refused", test_refused);
  return g_test_run ();
}
