/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-ooxml-extractor.h"

#include <gsf/gsf-outfile-zip.h>
#include <gsf/gsf-outfile.h>
#include <gsf/gsf-output-memory.h>
#include <string.h>

#include "extract-fixture.h"
#include "postbag-ooxml-readers.h"

typedef GsfOutput Output;
typedef GsfOutfile Outfile;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Output, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Outfile, g_object_unref)

#define WORD "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
#define EXCEL "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

/* A package of files, two strings each: its name in the folder, and what it holds. */
static ExtractResult *
run (const char *type, const char *folder, const char *const *files)
{
  g_autoptr (Output) memory = gsf_output_memory_new ();
  g_autoptr (Outfile) zip = gsf_outfile_zip_new (memory, NULL);
  g_autoptr (Output) directory = gsf_outfile_new_child (zip, folder, TRUE);

  for (; *files != NULL; files += 2)
    {
      g_autoptr (Output) file = gsf_outfile_new_child (GSF_OUTFILE (directory), files[0], FALSE);

      gsf_output_write (file, strlen (files[1]), (const guint8 *)files[1]);
      gsf_output_close (file);
    }
  gsf_output_close (directory);
  gsf_output_close (GSF_OUTPUT (zip));
  gsf_output_close (memory);
  return extract_run (&postbag_ooxml_extractor, type,
                      gsf_output_memory_get_bytes (GSF_OUTPUT_MEMORY (memory)),
                      (gsize)gsf_output_size (memory));
}

static ExtractResult *
run_word (const char *body)
{
  g_autofree char *text =
      g_strconcat ("<w:document xmlns:w='urn:w'><w:body>", body, "</w:body></w:document>", NULL);
  const char *files[] = { "document.xml", text, NULL };

  return run (WORD, "word", files);
}

static void
test_word (void)
{
  g_autoptr (ExtractResult) result = run_word (
      "<w:p><w:pPr><w:pStyle w:val='Heading2'/></w:pPr><w:r><w:t>Plan</w:t></w:r></w:p>"
      "<w:p><w:pPr><w:tabs><w:tab w:val='left'/></w:tabs></w:pPr><w:r><w:t>Kontra</w:t></w:r><w:r>"
      "<w:t>Basis</w:t><w:tab/><w:t>x</w:t><w:br/><w:t>y</w:t></w:r></w:p>"
      "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r>"
      "</w:ins><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>"
      "<w:p><w:pPr><w:numPr><w:ilvl w:val='1'/></w:numPr></w:pPr><w:r><w:t>item</w:t></w:r></w:p>"
      "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t>"
      "</w:r></w:p></w:tc></w:tr></w:tbl>");

  assert_text (result,
               "## Plan\n\nKontraBasis\tx\ny\n\nnew\n\n  - item\n\n| a | b |\n| --- | --- |");
}

static void
test_word_hidden (void)
{
  g_autoptr (ExtractResult) result =
      run_word ("<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r><w:r><w:t>seen</w:t>"
                "</w:r></w:p>");

  assert_text (result, "unseenseen");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 1);
}

static void
test_word_bad (void)
{
  const char *other[] = { "other.xml", "<x/>", NULL };
  g_autoptr (ExtractResult) entities = run_word ("<w:p/>");
  g_autoptr (ExtractResult) missing = run (WORD, "word", other);
  g_autoptr (ExtractResult) none = extract_run (&postbag_ooxml_extractor, WORD, "nothing", 7);
  g_autoptr (ExtractResult) locked =
      extract_run (&postbag_ooxml_extractor, WORD, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8);
  const char *bomb[] = {
    "document.xml", "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><x><t>&b;</t></x>",
    NULL
  };
  g_autoptr (ExtractResult) declared = run (WORD, "word", bomb);

  assert_text (entities, "");
  assert_reason (missing, NOT_A_DOCUMENT);
  assert_reason (none, CORRUPT);
  assert_reason (locked, ENCRYPTED);
  assert_reason (declared, CORRUPT);
}

static void
test_excel (void)
{
  const char *files[] = {
    "workbook.xml",
    "<workbook><sheets><sheet name='One' sheetId='1'/><sheet name='Two' state='veryHidden'/>"
    "</sheets></workbook>",
    "sharedStrings.xml", "<sst><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>no</t></rPh></si></sst>",
    NULL
  };
  g_autoptr (ExtractResult) result = run (EXCEL, "xl", files);

  assert_text (result, "## Sheet: One\n\n## Sheet: Two (hidden)");
  g_assert_cmpint (extract_result_get_count (result, "sheet_count"), ==, 2);
  g_assert_nonnull (strstr (result->notes, "hidden"));
}

/* LibreOffice's own display of the same numbers. */
static void
test_numbers (void)
{
  static const struct
  {
    const char *value;
    gint64 id;
    const char *code;
    gboolean since_1904;
    const char *text;
  } cases[] = {
    { "45356", 14, NULL, FALSE, "2024-03-05" },
    { "45356.5", 164, "yyyy\\-mm\\-dd\\ hh:mm", FALSE, "2024-03-05 12:00" },
    { "45356", 0, NULL, FALSE, "45356" },
    { "0.125", 10, NULL, FALSE, "12.5%" },
    { "0.1", 165, "0.00\" days\"", FALSE, "0.1" },
    { "1", 14, NULL, FALSE, "1900-01-01" },
    { "61", 14, NULL, FALSE, "1900-03-01" },
    { "0", 14, NULL, TRUE, "1904-01-01" },
    { "0.75", 20, NULL, FALSE, "18:00:00" },
    { "1e300", 14, NULL, FALSE, "1e+300" },
    { "0.30000000000000004", 0, NULL, FALSE, "0.3" },
    { "soon", 14, NULL, FALSE, "soon" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      PostbagOoxmlFormat format = postbag_ooxml_classify_format (cases[i].id, cases[i].code);
      g_autofree char *text =
          postbag_ooxml_format_number (cases[i].value, format, cases[i].since_1904);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extractor/ooxml/word", test_word);
  g_test_add_func ("/extractor/ooxml/word-hidden", test_word_hidden);
  g_test_add_func ("/extractor/ooxml/word-bad", test_word_bad);
  g_test_add_func ("/extractor/ooxml/excel", test_excel);
  g_test_add_func ("/extractor/ooxml/numbers", test_numbers);
  return g_test_run ();
}
