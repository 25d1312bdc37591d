/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-ooxml-extractor.h"

#include <string.h>

#include "base/postbag-limits.h"

#include "extract-fixture.h"
#include "zip-fixture.h"

#define TYPE "application/vnd.openxmlformats-officedocument."
#define DOCX TYPE "wordprocessingml.document"
#define XLSX TYPE "spreadsheetml.sheet"
#define PPTX TYPE "presentationml.presentation"

#define W "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'"
#define W_STRICT "xmlns:w='http://purl.oclc.org/ooxml/wordprocessingml/main'"
#define S "xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'"
#define P "xmlns:p='http://schemas.openxmlformats.org/presentationml/2006/main'"
#define A "xmlns:a='http://schemas.openxmlformats.org/drawingml/2006/main'"
#define R "xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'"
#define RELATIONS                                                                                  \
  "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>"
#define RELATION(id, kind, target)                                                                 \
  "<Relationship Id='" id "' Type='http://x/" kind "' Target='" target "'/>"

/* Names and contents of files, ended by NULL. */
static ExtractResult *
run_files (const char *type, const char *const *files)
{
  return zip_fixture_extract (&postbag_ooxml_extractor, type, files);
}

static ExtractResult *
run_body (const char *body)
{
  g_autofree char *document =
      g_strconcat ("<w:document " W " " R "><w:body>", body, "</w:body></w:document>", NULL);

  return run_files (DOCX, (const char *const[]){ "word/document.xml", document, NULL });
}

#define T(text) "<w:r><w:t>" text "</w:t></w:r>"
#define PARA(inside) "<w:p>" inside "</w:p>"

static void
test_text (void)
{
  static const struct
  {
    const char *body;
    const char *text;
  } cases[] = {
    { PARA (T ("Split") T ("word")) PARA () PARA (T ("next")), "Splitword\n\nnext" },
    { PARA ("<w:pPr><w:pStyle w:val='Heading2'/></w:pPr>" T ("Title")), "## Title" },
    { PARA ("<w:pPr><w:outlineLvl w:val='0'/></w:pPr>" T ("Title")), "# Title" },
    { PARA ("<w:pPr><w:tabs><w:tab w:val='left'/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b"
            "</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/></w:r>"),
      "a\tb\nc-d" },
    { PARA (T ("one ") "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins>" T (
          "two") "</w:ins><w:moveFrom>" T ("old place") "</w:moveFrom>"),
      "one two" },
    { PARA ("<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>" T ("joined ")) PARA (T ("here")),
      "joined here" },
    { PARA ("<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText>PAGE</w:instrText>"
            "</w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r>" T (
                "7") "<w:r><w:fldChar w:fldCharType='end'/></w:r>"),
      "7" },
    { PARA ("<w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> HYPERLINK "
            "\"https://a.example/\" </w:instrText></w:r><w:r><w:fldChar "
            "w:fldCharType='separate'/></w:r>" T (
                "link") "<w:r><w:fldChar w:fldCharType='end'/></w:r>" T ("!")),
      "link (https://a.example/)!" },
    { PARA ("<w:r><w:sym w:font='Wingdings' w:char='F0FC'/><w:t> done</w:t></w:r>"), "✓ done" },
    { "<w:tbl><w:tr><w:tc>" PARA (
          T ("a")) "</w:tc><w:tc><w:tcPr><w:gridSpan "
                   "w:val='2'/></w:tcPr>" PARA (
                       T ("b")) "</w:tc></"
                                "w:tr><w:tr><w:"
                                "tc>" PARA (T ("c")) "</w:tc><w:tc>" PARA () "</w:tc><w:tc>" PARA (
                                    T ("d|e")) PARA (T ("f")) "</"
                                                              "w:"
                                                              "tc>"
                                                              "</"
                                                              "w:"
                                                              "tr>"
                                                              "</"
                                                              "w:"
                                                              "tbl"
                                                              ">",
      "| a | b |\n| --- | --- |\n| c | | d\\|e  f |" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ExtractResult) result = run_body (cases[i].body);

      assert_text (result, cases[i].text);
    }
}

static void
test_strict (void)
{
  g_autoptr (ExtractResult) result = run_files (
      DOCX, (const char *const[]){ "word/document.xml",
                                   "<x:document xmlns:x='http://purl.oclc.org/ooxml/"
                                   "wordprocessingml/main'><x:body><x:p><x:r><x:t>strict &amp; "
                                   "sound</x:t></x:r></x:p></x:body></x:document>",
                                   NULL });

  assert_text (result, "strict & sound");
}

static void
test_hidden (void)
{
  g_autoptr (ExtractResult) result =
      run_body (PARA (T ("seen") "<w:r><w:rPr><w:vanish/></w:rPr><w:t>not </w:t><w:t>shown</w:t>"
                                 "</w:r><w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t> too</w:t>"
                                 "</w:r><w:r><w:rPr><w:color w:val='FFFFFF'/></w:rPr><w:t> white"
                                 "</w:t></w:r><w:r><w:rPr><w:sz w:val='2'/></w:rPr><w:t> tiny"
                                 "</w:t></w:r>"));

  assert_text (result, "seen too white tiny");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 3);
  g_assert_nonnull (strstr (result->notes, "was left out"));
  g_assert_nonnull (strstr (result->notes, "white or too small"));
}

/* What a style says holds for its runs and for styles made of it, until a run says otherwise. */
static void
test_hidden_by_styles (void)
{
#define STYLE(id, parent, properties)                                                              \
  "<w:style w:styleId='" id "'><w:basedOn w:val='" parent "'/><w:rPr>" properties                  \
  "</w:rPr></w:style>"
#define IN(style, runs) PARA ("<w:pPr><w:pStyle w:val='" style "'/></w:pPr>" runs)
#define RUN(properties, text) "<w:r><w:rPr>" properties "</w:rPr><w:t>" text "</w:t></w:r>"
  g_autoptr (ExtractResult) result = run_files (
      DOCX,
      (const char *const[]){
          "word/_rels/document.xml.rels",
          RELATIONS RELATION ("s", "styles", "styles.xml") "</Relationships>", "word/styles.xml",
          "<w:styles " W ">" STYLE ("W", "", "<w:color w:val='ffffff'/>") STYLE ("V", "W", "<w:b/>")
              STYLE ("S", "", "<w:sz w:val='3'/>") STYLE ("H", "", "<w:vanish/>") "</w:styles>",
          "word/document.xml",
          "<w:document " W
          "><w:body>" IN ("V", RUN ("<w:b/>", "white") RUN ("<w:color w:val='auto'/>", " black"))
              IN ("S", T ("tiny")) IN ("H", T ("gone") RUN ("<w:vanish w:val='0'/>", "shown"))
                  PARA (RUN ("<w:rStyle w:val='H'/>", "not")
                            RUN ("<w:rStyle w:val='V'/><w:color w:val='000000'/>",
                                 "seen")) "</w:body></w:document>",
          NULL });

  assert_text (result, "white black\n\ntiny\n\nshown\n\nseen");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 4);
}

/* What the document and its default style say holds for what names no style; what hides on the web
 * shows nothing by not doing so. */
static void
test_hidden_by_default (void)
{
  g_autoptr (ExtractResult) result = run_files (
      DOCX,
      (const char *const[]){
          "word/_rels/document.xml.rels",
          RELATIONS RELATION ("s", "styles", "styles.xml") "</Relationships>", "word/styles.xml",
          "<w:styles " W "><w:docDefaults><w:rPrDefault><w:rPr><w:color w:val='ffffff'/></w:rPr>"
          "</w:rPrDefault></w:docDefaults><w:style w:type='character' w:default='1' w:styleId='C'>"
          "<w:rPr><w:vanish w:val='0'/></w:rPr></w:style><w:style w:type='paragraph' w:default='1' "
          "w:styleId='N'><w:rPr><w:vanish/></w:rPr></w:style>" STYLE ("S", "",
                                                                      "<w:b/>") "</w:styles>",
          "word/document.xml",
          "<w:document " W "><w:body>" PARA (T ("gone") RUN ("<w:vanish w:val='0'/>", "white"))
              IN ("S", T ("too") RUN ("<w:color w:val='000000'/>", " black"))
                  IN ("S", RUN ("<w:vanish/><w:webHidden w:val='0'/>",
                                "hidden")) "</w:body></w:document>",
          NULL });

  assert_text (result, "white\n\ntoo black");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 4);
}

static void
test_lists (void)
{
  static const char *const numbering =
      "<w:numbering " W "><w:abstractNum w:abstractNumId='1'>"
      "<w:lvl w:ilvl='0'><w:start w:val='3'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/>"
      "</w:lvl><w:lvl w:ilvl='1'><w:numFmt w:val='lowerLetter'/><w:lvlText w:val='%1.%2)'/></w:lvl>"
      "</w:abstractNum><w:abstractNum w:abstractNumId='2'><w:lvl w:ilvl='0'><w:numFmt "
      "w:val='bullet'/><w:lvlText w:val='&#xF0B7;'/></w:lvl></w:abstractNum>"
      "<w:num w:numId='5'><w:abstractNumId w:val='1'/></w:num>"
      "<w:num w:numId='6'><w:abstractNumId w:val='2'/></w:num></w:numbering>";
#define ITEM(list, level, text)                                                                    \
  PARA ("<w:pPr><w:numPr><w:ilvl w:val='" level "'/><w:numId w:val='" list                         \
        "'/></w:numPr></w:pPr>" T (text))
  g_autoptr (ExtractResult) result = run_files (
      DOCX, (const char *const[]){
                "word/_rels/document.xml.rels",
                RELATIONS RELATION ("n", "numbering", "numbering.xml") "</Relationships>",
                "word/numbering.xml", numbering, "word/document.xml",
                "<w:document " W "><w:body>" ITEM ("5", "0", "three") ITEM ("5", "1", "a")
                    ITEM ("5", "1", "b") ITEM ("5", "0", "four") ITEM ("5", "1", "again")
                        ITEM ("6", "0", "dot") ITEM ("0", "0", "plain") "</w:body></w:document>",
                NULL });

  assert_text (result, "3. three\n  3.a) a\n  3.b) b\n4. four\n  4.a) again\n- dot\n\nplain");
}

static void
test_notes (void)
{
#define REFER(kind) "<w:r><w:" kind " w:id='9'/></w:r>"
  g_autoptr (ExtractResult) result = run_files (
      DOCX,
      (const char *const[]){
          "word/_rels/document.xml.rels",
          RELATIONS RELATION ("a", "footnotes", "footnotes.xml")
              RELATION ("b", "comments", "/word/comments.xml") RELATION ("c", "header", "h1.xml")
                  RELATION ("d", "header", "h2.xml") RELATION (
                      "e", "footer", "f.xml") "<Relationship Id='l' Type='http://x/hyperlink' "
                                              "Target='https://b.example/?a=1&amp;b' "
                                              "TargetMode='External'/></Relationships>",
          "word/document.xml",
          "<w:document " W " " R
          "><w:body>" PARA (T ("Text") REFER ("footnoteReference")
                                REFER ("commentReference") "<w:hyperlink r:id='l'>" T (
                                    " here") "</w:hyperlink>") "</w:body></w:document>",
          "word/footnotes.xml",
          "<w:footnotes " W "><w:footnote w:id='0' w:type='separator'>" PARA (
              T ("---")) "</w:footnote><w:footnote w:id='9'>" PARA (T (" One."))
              PARA (T ("Two.")) "</w:footnote></w:footnotes>",
          "word/comments.xml",
          "<w:comments " W
          "><w:comment w:id='9' w:author='Ann'>" PARA (T ("Sure?")) "</w:comment></w:comments>",
          "word/h1.xml", "<w:hdr " W ">" PARA (T ("Top")) "</w:hdr>", "word/h2.xml",
          "<w:hdr " W ">" PARA (T ("Top")) "</w:hdr>", "word/f.xml",
          "<w:ftr " W ">" PARA (T ("Bottom")) "</w:ftr>", NULL });

  assert_text (result, "[Header] Top\n\nText[note 1][comment 1] here (https://b.example/?a=1&b)\n\n"
                       "[Footer] Bottom\n\n[note 1]  One.\n\nTwo.\n\n[comment 1, Ann] Sure?");
}

static void
test_boxes (void)
{
  g_autoptr (ExtractResult) result = run_body (PARA (
      T ("Before ") "<w:r><mc:AlternateContent "
                    "xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006'>"
                    "<mc:Choice><w:txbxContent>" PARA (T ("Boxed"))
                        PARA (T ("words")) "</w:txbxContent></"
                                           "mc:Choice><mc:Fallback><w:txbxContent>" PARA (T (
                                               "Boxed")) "</w:txbxContent></mc:Fallback></"
                                                         "mc:AlternateContent></w:r>" T ("after")));

  assert_text (result, "Before after\n\nBoxed\n\nwords");
}

static const char *const workbook_relations =
    RELATIONS RELATION ("1", "worksheet", "worksheets/a.xml")
        RELATION ("2", "worksheet", "worksheets/b.xml")
            RELATION ("3", "sharedStrings", "sharedStrings.xml")
                RELATION ("4", "styles", "styles.xml") "</Relationships>";

static ExtractResult *
run_sheets (const char *sheet, const char *strings, const char *formats)
{
  g_autofree char *first = g_strconcat ("<worksheet " S ">", sheet, "</worksheet>", NULL);
  g_autofree char *shared = g_strconcat ("<sst " S ">", strings, "</sst>", NULL);
  g_autofree char *styles = g_strconcat ("<styleSheet " S ">", formats, "</styleSheet>", NULL);

  return run_files (XLSX,
                    (const char *const[]){
                        "xl/workbook.xml",
                        "<workbook " S " " R "><sheets><sheet name='Last &amp; least' r:id='2' "
                        "state='hidden'/><sheet name='One' r:id='1'/></sheets></workbook>",
                        "xl/_rels/workbook.xml.rels", workbook_relations, "xl/worksheets/a.xml",
                        first, "xl/worksheets/b.xml",
                        "<worksheet " S "><sheetData><row><c t='inlineStr'><is><t>b</t></is></c>"
                        "</row></sheetData></worksheet>",
                        "xl/sharedStrings.xml", shared, "xl/styles.xml", styles, NULL });
}

static void
test_sheets (void)
{
  g_autoptr (ExtractResult) result = run_sheets (
      "<cols><col min='2' max='3' hidden='1'/></cols><sheetData>"
      "<row r='1'><c r='A1' t='s'><v>1</v></c><c r='C1' t='s'><v>0</v></c></row>"
      "<row r='4' hidden='1'><c r='A4' t='b'><v>1</v></c><c r='B4' s='1'><v>0.5</v></c>"
      "<c r='D4' t='e'><f>1/0</f><v>#DIV/0!</v></c></row><row r='5'><c r='A5' s='2'><v>7</v></c>"
      "<c r='ZZ5'><v>1</v></c></row></sheetData>",
      "<si><t>plain</t><rPh><t>drop</t></rPh></si><si><r><t>rich</t></r><r><t xml:space='preserve'>"
      " text_x000A_more</t></r></si>",
      "<numFmts><numFmt numFmtId='170' formatCode=';;;'/></numFmts><cellStyleXfs><xf/>"
      "</cellStyleXfs><cellXfs><xf numFmtId='0'/><xf numFmtId='9'/><xf numFmtId='170'/></cellXfs>");

  assert_text (result, "## Sheet: Last & least (hidden)\n\n| b |\n| --- |\n\n## Sheet: One\n\n"
                       "| rich text more | | plain |\n| --- | --- | --- |\n"
                       "| TRUE | 50% | | #DIV/0! |\n\n[hidden: rows 4; columns B-C]");
  g_assert_cmpint (extract_result_get_count (result, "sheet_count"), ==, 2);
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 4);
  g_assert_nonnull (strstr (result->notes, "more columns"));
  g_assert_nonnull (strstr (result->notes, "shows nothing"));
}

/* Columns hidden up to the last one: a sheet that ends there, but not with something in them. */
static void
test_hidden_to_the_end (void)
{
#define THIRD(column)                                                                              \
  "<cols><col min='" column "' max='16384' hidden='1'/></cols><sheetData><row r='1'><c r='A1'>"    \
  "<v>1</v></c><c r='C1'><v>3</v></c></row></sheetData>"
  g_autoptr (ExtractResult) hides = run_sheets (THIRD ("3"), "", "");
  g_autoptr (ExtractResult) ends = run_sheets (THIRD ("4"), "", "");

  assert_has (hides, "| 1 | | 3 |\n| --- | --- | --- |\n\n[hidden: columns C-XFD]");
  assert_has (ends, "| 1 | | 3 |");
  assert_has_not (ends, "[hidden");
}

static void
test_sheet_bombs (void)
{
  GString *sheet = g_string_new ("<sheetData>");
  g_autofree char *text = g_strnfill (200000, 'x');
  g_autofree char *strings = g_strdup_printf ("<si><t>%s</t></si>", text);
  g_autoptr (ExtractResult) result = NULL;

  for (guint i = 0; i < 30; i++)
    g_string_append (sheet, "<row><c t='s'><v>0</v></c></row>");
  for (guint i = 0; i < POSTBAG_LIMIT_SHEET_ROWS; i++)
    g_string_append (sheet, "<row><c><v>1</v></c></row>");
  g_string_append (sheet, "</sheetData>");
  result = run_sheets (sheet->str, strings, "");
  g_string_free (sheet, TRUE);
  g_assert_no_error (result->error);
  g_assert_cmpuint (strlen (result->text), <, 31 * POSTBAG_LIMIT_CELL_CHARS + 60000);
  g_assert_nonnull (strstr (result->notes, "long cells"));
  g_assert_nonnull (strstr (result->notes, "more rows"));
}

#define SHAPE(type, paragraphs)                                                                    \
  "<p:sp><p:nvSpPr><p:cNvPr/><p:nvPr>" type "</p:nvPr></p:nvSpPr><p:txBody>" paragraphs            \
  "</p:txBody></p:sp>"
#define SAY(text) "<a:p><a:r><a:t>" text "</a:t></a:r></a:p>"

static void
test_slides (void)
{
  g_autoptr (ExtractResult) result = run_files (
      PPTX,
      (const char *const[]){
          "ppt/presentation.xml",
          "<p:presentation " P " " R "><p:sldIdLst><p:sldId r:id='b'/><p:sldId r:id='a'/>"
          "</p:sldIdLst></p:presentation>",
          "ppt/_rels/presentation.xml.rels",
          RELATIONS RELATION ("a", "slide", "slides/slide1.xml")
              RELATION ("b", "slide", "slides/slide2.xml") "</Relationships>",
          "ppt/slides/slide1.xml",
          "<p:sld " P " " A " show='0'>" SHAPE (
              "",
              SAY (
                  "free") "<a:p><a:pPr lvl='1'><a:buAutoNum/></a:pPr><a:r><a:t>one</a:t></a:r>"
                          "</a:p>") "<a:tbl><a:tr><a:tc>" SAY ("x") "</a:tc><a:tc>" SAY ("y") "</"
                                                                                              "a:"
                                                                                              "tc><"
                                                                                              "/a:"
                                                                                              "tr><"
                                                                                              "/a:"
                                                                                              "tbl>"
                                                                                              "</"
                                                                                              "p:"
                                                                                              "sld"
                                                                                              ">",
          "ppt/slides/slide2.xml",
          "<p:sld " P " " A ">" SHAPE ("<p:ph idx='1'/>", SAY ("point"))
              SHAPE ("<p:ph type='title'/>", SAY ("The") SAY ("title"))
                  SHAPE ("<p:ph type='sldNum'/>", SAY ("12")) "</p:sld>",
          "ppt/slides/_rels/slide2.xml.rels",
          RELATIONS RELATION ("n", "notesSlide", "../notesSlides/n.xml") "</Relationships>",
          "ppt/notesSlides/n.xml",
          "<p:notes " P " " A ">" SHAPE ("<p:ph type='body'/>", SAY ("Say this")) "</p:notes>",
          NULL });

  assert_text (result, "## Slide 1: The title\n\n- point\n\n[Notes] Say this\n\n"
                       "## Slide 2 (hidden)\n\nfree\n\n  1. one\n\n| x | y |\n| --- | --- |");
  g_assert_cmpint (extract_result_get_count (result, "slide_count"), ==, 2);
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 1);
}

/* A group in a hidden one, a table in a hidden frame; what is beside them is shown. */
static void
test_hidden_shapes (void)
{
#define GROUP(properties, shapes)                                                                  \
  "<p:grpSp><p:nvGrpSpPr><p:cNvPr " properties "/></p:nvGrpSpPr>" shapes "</p:grpSp>"
#define FRAME(properties, text)                                                                    \
  "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr " properties                                       \
  "/></p:nvGraphicFramePr><a:tbl><a:tr>"                                                           \
  "<a:tc>" SAY (text) "</a:tc></a:tr></a:tbl></p:graphicFrame>"
  g_autoptr (ExtractResult) result = run_files (
      PPTX,
      (const char *const[]){
          "ppt/presentation.xml",
          "<p:presentation " P " " R "><p:sldIdLst><p:sldId r:id='a'/></p:sldIdLst>"
          "</p:presentation>",
          "ppt/_rels/presentation.xml.rels",
          RELATIONS RELATION ("a", "slide", "s.xml") "</Relationships>", "ppt/s.xml",
          "<p:sld " P " " A
          ">" GROUP ("hidden='1'", SHAPE ("", SAY ("a")) GROUP ("", SHAPE ("", SAY ("b")))
                                       FRAME ("", "c")) GROUP ("", SHAPE ("", SAY ("one")))
              FRAME ("hidden='1'", "d") FRAME ("", "two") SHAPE ("", SAY ("three")) "</p:sld>",
          NULL });

  assert_text (result, "## Slide 1\n\none\n\n| two |\n| --- |\n\nthree");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 4);
}

static ExtractResult *
run_deck (guint slides)
{
  GString *list = g_string_new ("<p:presentation " P " " R "><p:sldIdLst>");
  g_autoptr (ExtractResult) result = NULL;

  for (guint i = 0; i < slides; i++)
    g_string_append (list, "<p:sldId r:id='a'/>");
  g_string_append (list, "</p:sldIdLst></p:presentation>");
  result = run_files (
      PPTX, (const char *const[]){
                "ppt/presentation.xml", list->str, "ppt/_rels/presentation.xml.rels",
                RELATIONS RELATION ("a", "slide", "s.xml") "</Relationships>", "ppt/s.xml",
                "<p:sld " P " " A ">" SHAPE ("", SAY ("x")) "</p:sld>", NULL });
  g_string_free (list, TRUE);
  return g_steal_pointer (&result);
}

static void
test_many_slides (void)
{
  g_autoptr (ExtractResult) many = run_deck (201);
  g_autoptr (ExtractResult) more = run_deck (600);

  g_assert_no_error (many->error);
  g_assert_cmpint (extract_result_get_count (many, "slide_count"), ==, 200);
  g_assert_nonnull (strstr (many->notes, "declares 201 slides; the first 200"));
  assert_reason (more, TOO_MANY_PARTS);
}

/* --- hostile ones --- */

static void
test_containers (void)
{
  static const struct
  {
    const char *bytes;
    gsize length;
    PostbagExtractReason reason;
  } cases[] = {
    { "", 0, POSTBAG_EXTRACT_CORRUPT },
    { "just some words", 15, POSTBAG_EXTRACT_CORRUPT },
    { "PK\3\4 and then nothing of use", 28, POSTBAG_EXTRACT_CORRUPT },
    { "%PDF-1.7\n%%EOF", 14, POSTBAG_EXTRACT_NOT_A_DOCUMENT },
    { "{\\rtf1 hello}", 13, POSTBAG_EXTRACT_NOT_A_DOCUMENT },
    { "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0", 41,
      POSTBAG_EXTRACT_ENCRYPTED },
    { "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 an old document", 24, POSTBAG_EXTRACT_NOT_A_DOCUMENT },
    { "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22, POSTBAG_EXTRACT_CORRUPT },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (ExtractResult) result =
          extract_run (&postbag_ooxml_extractor, DOCX, cases[i].bytes, cases[i].length);

      g_assert_error (result->error, POSTBAG_EXTRACT_ERROR, (int)cases[i].reason);
    }
}

/* A workbook called a text, a text called a workbook, an archive in an archive. */
static void
test_mislabelled (void)
{
  static const char *const files[] = { "word/document.xml", "<workbook " S "/>", "xl/workbook.xml",
                                       "<w:document " W "><w:body/></w:document>", NULL };
  static const char *const nested[] = { "inner.docx", "PK\3\4", NULL };
  static const char *const types[] = { DOCX, XLSX, PPTX };

  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autoptr (ExtractResult) result = run_files (types[i], files);
      g_autoptr (ExtractResult) other = run_files (types[i], nested);

      assert_reason (result, NOT_A_DOCUMENT);
      assert_reason (other, NOT_A_DOCUMENT);
    }
}

static ExtractResult *
run_document (const void *data, gsize length, guint32 size, guint16 flags)
{
  ZipFixture *zip = zip_fixture_new ();
  g_autoptr (GBytes) bytes = NULL;

  zip_fixture_add_forged (zip, "word/document.xml", data, length, size, flags);
  bytes = zip_fixture_finish (zip);
  return extract_run (&postbag_ooxml_extractor, DOCX, g_bytes_get_data (bytes, NULL),
                      g_bytes_get_size (bytes));
}

static void
test_bombs (void)
{
  static const char *const honest =
      "<w:document " W "><w:body>" PARA (T ("words")) "</w:body></w:document>";
  gsize length = strlen (honest);
  g_autofree char *blanks = g_strnfill (4 * 1024 * 1024, ' ');
  g_autoptr (ExtractResult) bomb =
      run_document (blanks, strlen (blanks), (guint32)strlen (blanks), 0);
  g_autoptr (ExtractResult) huge = run_document (honest, length, 0xfffffff0U, 0);
  g_autoptr (ExtractResult) longer = run_document (honest, length, (guint32)length + 100, 0);
  g_autoptr (ExtractResult) shorter = run_document (honest, length, (guint32)length - 20, 0);
  g_autoptr (ExtractResult) locked = run_document (honest, length, (guint32)length, 1);

  assert_reason (bomb, TOO_LARGE);
  assert_reason (huge, TOO_LARGE);
  assert_reason (locked, ENCRYPTED);
  /* Both are damaged behind the words. */
  assert_text (longer, "words");
  g_assert_nonnull (strstr (longer->notes, "damaged"));
  assert_text (shorter, "words");
  g_assert_nonnull (strstr (shorter->notes, "damaged"));
}

static void
test_xml (void)
{
  static const char *const laughs =
      "<!DOCTYPE x [<!ENTITY a 'ha'><!ENTITY b '&a;&a;'>]><w:document " W
      "><w:body>" PARA (T ("&b;")) "</w:body></w:document>";
  static const char *const outside = "<!DOCTYPE x SYSTEM 'file:///etc/passwd'><w:document " W "/>";
  GString *deep = g_string_new ("<w:document " W "><w:body>");
  GString *wide = g_string_new ("<w:document " W "><w:body><w:p ");
  g_autoptr (ExtractResult) first =
      run_document (laughs, strlen (laughs), (guint32)strlen (laughs), 0);
  g_autoptr (ExtractResult) second =
      run_document (outside, strlen (outside), (guint32)strlen (outside), 0);
  g_autoptr (ExtractResult) third = NULL, fourth = NULL;

  for (guint i = 0; i < 100000; i++)
    {
      g_string_append (deep, "<w:p>");
      g_string_append_printf (wide, "a%u='' ", i);
    }
  third = run_document (deep->str, deep->len, (guint32)deep->len, 0);
  fourth = run_document (wide->str, wide->len, (guint32)wide->len, 0);
  assert_reason (first, CORRUPT);
  assert_reason (second, CORRUPT);
  assert_reason (third, CORRUPT);
  assert_reason (fourth, CORRUPT);
  g_string_free (deep, TRUE);
  g_string_free (wide, TRUE);
}

/* None of these ends where it begins, so that a tag behind them is no tag. */
static void
test_comments (void)
{
  static const char *const openings[] = { "<!--><![CDATA[-->", "<!---><![CDATA[-->" };

  for (gsize i = 0; i < G_N_ELEMENTS (openings); i++)
    {
      g_autoptr (GString) text = g_string_new ("<w:document " W "><w:body>");
      g_autoptr (ExtractResult) fine = NULL, wide = NULL;

      g_string_append (text, openings[i]);
      g_string_append (text, PARA (T ("text")) "<w:p");
      for (guint n = 0; n < POSTBAG_LIMIT_XML_ATTRIBUTES; n++)
        g_string_append_printf (text, " a%u=''", n);
      fine = run_files (DOCX, (const char *const[]){ "word/document.xml", text->str, NULL });
      g_assert_nonnull (strstr (fine->notes, "damaged"));
      g_string_append (text, "/></w:body></w:document>");
      g_clear_pointer (&fine, extract_result_free);
      fine = run_files (DOCX, (const char *const[]){ "word/document.xml", text->str, NULL });
      assert_text (fine, "text");
      g_assert_cmpstr (fine->notes, ==, "");
      g_string_insert (text, (gssize)(strstr (text->str, "/></w:body>") - text->str), " b=''");
      wide = run_files (DOCX, (const char *const[]){ "word/document.xml", text->str, NULL });
      g_assert_true (wide->error != NULL || strstr (wide->notes, "damaged") != NULL);
    }
}

/* A document of Word's, in UTF-16 with or without a mark in front. */
static ExtractResult *
run_utf16 (const char *text, gboolean is_big_endian, gboolean has_mark)
{
  g_autofree char *marked = g_strconcat (has_mark ? "\xef\xbb\xbf" : "", text, NULL);
  const char *encoding = is_big_endian ? "UTF-16BE" : "UTF-16LE";
  gsize length;
  g_autofree char *bytes = g_convert (marked, -1, encoding, "UTF-8", NULL, &length, NULL);

  g_assert_nonnull (bytes);
  return run_document (bytes, length, (guint32)length, 0);
}

/* Long enough for several pieces; the letter takes a pair of units, so that some are cut. */
static void
test_utf16 (void)
{
  g_autoptr (GString) words = g_string_new ("x");
  g_autofree char *text = NULL;

  for (guint i = 0; i < 40000; i++)
    g_string_append (words, "\xf0\x9f\x98\x80");
  text = g_strdup_printf ("<?xml version='1.0' encoding='UTF-16'?><w:document " W
                          "><w:body><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:body></w:document>",
                          words->str);
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (ExtractResult) result = run_utf16 (text, i & 1, i & 2);

      assert_text (result, words->str);
      g_assert_cmpstr (result->notes, ==, "");
    }
}

static void
test_damaged_utf16 (void)
{
  static const char half[] = "<\0w\0:";
  static const char alone[] = "<\0\0\xdc>\0";
  static const char nul[] = "<\0\0\0>\0";
  g_autoptr (ExtractResult) first = run_document (half, 5, 5, 0);
  g_autoptr (ExtractResult) second = run_document (alone, 6, 6, 0);
  g_autoptr (ExtractResult) third = run_document (nul, 6, 6, 0);

  assert_reason (first, CORRUPT);
  assert_reason (second, CORRUPT);
  assert_reason (third, CORRUPT);
}

/* Letters whose units hold the bytes of markup (U+3E3E: ">>", U+2222: two quotes) hide nothing, and
 * make up nothing. */
static void
test_attributes_in_utf16 (void)
{
  for (guint more = 0; more < 2; more++)
    {
      g_autoptr (GString) text = g_string_new ("<w:document " W "><w:body><w:p");
      g_autoptr (ExtractResult) result = NULL;

      for (guint i = 0; i < POSTBAG_LIMIT_XML_ATTRIBUTES + more; i++)
        g_string_append_printf (text, " \xe3\xb8\xbe%u='\xe2\x88\xa2'", i);
      g_string_append (text, ">"
                             "<w:r><w:t>text</w:t></w:r></w:p></w:body></w:document>");
      result = run_utf16 (text->str, TRUE, TRUE);
      if (more > 0)
        assert_reason (result, CORRUPT);
      else
        assert_text (result, "text");
    }
}

/* What an attribute is must be told by its bytes. */
static void
test_encodings (void)
{
  static const struct
  {
    const char *encoding;
    gboolean is_fine;
  } cases[] = {
    { "UTF-8", TRUE },   { "iso-8859-1", TRUE }, { "windows-1252", TRUE }, { "UTF-7", FALSE },
    { "IBM037", FALSE }, { "UTF-32", FALSE },    { "ISO-2022-JP", FALSE },
  };
  static const char ebcdic[] = "\x4c\x6f\xa7\x94\x93";
  g_autoptr (ExtractResult) foreign = run_document (ebcdic, 5, 5, 0);

  assert_reason (foreign, CORRUPT);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text =
          g_strdup_printf ("<?xml version='1.0' encoding='%s'?><w:document " W
                           "><w:body>" PARA (T ("%s")) "</w:body></w:document>",
                           cases[i].encoding, i == 0 ? "caf\xc3\xa9" : "caf\xe9");
      g_autoptr (ExtractResult) result =
          run_document (text, strlen (text), (guint32)strlen (text), 0);

      if (cases[i].is_fine)
        assert_text (result, "caf\xc3\xa9");
      else
        assert_reason (result, CORRUPT);
    }
}

/* Wherever the end of a piece falls into the tag. */
static void
test_attributes_at_the_end_of_a_piece (void)
{
  for (gsize shift = 0; shift < 8; shift++)
    for (guint more = 0; more < 2; more++)
      {
        g_autoptr (GString) text = g_string_new ("<w:document " W "><w:body>");
        gsize blanks = POSTBAG_LIMIT_ZIP_PIECE_BYTES - text->len - shift;
        g_autofree char *fill = g_strnfill (blanks, ' ');
        g_autoptr (ExtractResult) result = NULL;

        g_string_append (text, fill);
        g_string_append (text, "<w:p");
        for (guint i = 0; i < POSTBAG_LIMIT_XML_ATTRIBUTES + more; i++)
          g_string_append_printf (text, " a%u=\"'>\"", i);
        g_string_append (text, "><w:r><w:t>text</w:t></w:r></w:p></w:body></w:document>");
        result = run_files (DOCX, (const char *const[]){ "word/document.xml", text->str, NULL });
        if (more > 0)
          assert_reason (result, CORRUPT);
        else
          assert_text (result, "text");
      }
}

static void
test_many_files (void)
{
  ZipFixture *zip = zip_fixture_new ();
  ZipFixture *pictures = zip_fixture_new ();
  g_autoptr (GBytes) bytes = NULL, other = NULL;
  g_autoptr (ExtractResult) result = NULL, fine = NULL;

  for (guint i = 0; i <= POSTBAG_LIMIT_ZIP_ENTRIES; i++)
    {
      g_autofree char *name = g_strdup_printf ("f/%u", i);

      zip_fixture_add (zip, name, "");
      if (i < 600)
        zip_fixture_add (pictures, name, "picture");
    }
  zip_fixture_add (pictures, "word/document.xml",
                   "<w:document " W "><w:body>" PARA (T ("text")) "</w:body></w:document>");
  bytes = zip_fixture_finish (zip);
  other = zip_fixture_finish (pictures);
  result = extract_run (&postbag_ooxml_extractor, DOCX, g_bytes_get_data (bytes, NULL),
                        g_bytes_get_size (bytes));
  fine = extract_run (&postbag_ooxml_extractor, DOCX, g_bytes_get_data (other, NULL),
                      g_bytes_get_size (other));
  assert_reason (result, TOO_MANY_PARTS);
  assert_text (fine, "text");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extractor/ooxml/text", test_text);
  g_test_add_func ("/extractor/ooxml/strict", test_strict);
  g_test_add_func ("/extractor/ooxml/hidden", test_hidden);
  g_test_add_func ("/extractor/ooxml/hidden-by-styles", test_hidden_by_styles);
  g_test_add_func ("/extractor/ooxml/hidden-by-default", test_hidden_by_default);
  g_test_add_func ("/extractor/ooxml/lists", test_lists);
  g_test_add_func ("/extractor/ooxml/notes", test_notes);
  g_test_add_func ("/extractor/ooxml/boxes", test_boxes);
  g_test_add_func ("/extractor/ooxml/sheets", test_sheets);
  g_test_add_func ("/extractor/ooxml/hidden-to-the-end", test_hidden_to_the_end);
  g_test_add_func ("/extractor/ooxml/sheet-bombs", test_sheet_bombs);
  g_test_add_func ("/extractor/ooxml/slides", test_slides);
  g_test_add_func ("/extractor/ooxml/hidden-shapes", test_hidden_shapes);
  g_test_add_func ("/extractor/ooxml/many-slides", test_many_slides);
  g_test_add_func ("/extractor/ooxml/containers", test_containers);
  g_test_add_func ("/extractor/ooxml/mislabelled", test_mislabelled);
  g_test_add_func ("/extractor/ooxml/bombs", test_bombs);
  g_test_add_func ("/extractor/ooxml/xml", test_xml);
  g_test_add_func ("/extractor/ooxml/comments", test_comments);
  g_test_add_func ("/extractor/ooxml/utf16", test_utf16);
  g_test_add_func ("/extractor/ooxml/damaged-utf16", test_damaged_utf16);
  g_test_add_func ("/extractor/ooxml/attributes-in-utf16", test_attributes_in_utf16);
  g_test_add_func ("/extractor/ooxml/encodings", test_encodings);
  g_test_add_func ("/extractor/ooxml/attributes-at-the-end-of-a-piece",
                   test_attributes_at_the_end_of_a_piece);
  g_test_add_func ("/extractor/ooxml/many-files", test_many_files);
  return g_test_run ();
}
