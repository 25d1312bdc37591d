/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-odf-extractor.h"

#include <gsf/gsf-outfile-zip.h>
#include <gsf/gsf-outfile.h>
#include <gsf/gsf-output-memory.h>
#include <string.h>

#include "extract-fixture.h"

typedef GsfOutput Output;
typedef GsfOutfile Outfile;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Output, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Outfile, g_object_unref)

static ExtractResult *
run (const char *body)
{
  g_autofree char *text =
      g_strconcat ("<o:document-content xmlns:o='urn:o' xmlns:t='urn:t' xmlns:b='urn:b'><o:body>",
                   body, "</o:body></o:document-content>", NULL);
  g_autoptr (Output) memory = gsf_output_memory_new ();
  g_autoptr (Outfile) zip = gsf_outfile_zip_new (memory, NULL);
  g_autoptr (Output) file = gsf_outfile_new_child (zip, "content.xml", FALSE);

  gsf_output_write (file, strlen (text), (const guint8 *)text);
  gsf_output_close (file);
  gsf_output_close (GSF_OUTPUT (zip));
  gsf_output_close (memory);
  return extract_run (&postbag_odf_extractor, "application/vnd.oasis.opendocument.text",
                      gsf_output_memory_get_bytes (GSF_OUTPUT_MEMORY (memory)),
                      (gsize)gsf_output_size (memory));
}

static void
test_text (void)
{
  g_autoptr (ExtractResult) result =
      run ("<o:text><t:tracked-changes><t:p>gone</t:p></t:tracked-changes>"
           "<t:h t:outline-level='2'>Head</t:h><t:p>one<t:s t:c='3'/>two<t:tab/>x<t:line-break/>y"
           "<t:note><t:note-citation>1</t:note-citation><t:note-body><t:p>why</t:p></t:note-body>"
           "</t:note> end</t:p><t:list><t:list-item><t:p>a</t:p></t:list-item></t:list></o:text>");

  assert_text (result, "## Head\n\none   two\tx\ny [Note: why] end\n\n- a");
}

/* Two thousand million blanks. */
static void
test_repeated (void)
{
  g_autoptr (ExtractResult) result = run ("<o:text><t:p>a<t:s t:c='2000000000'/>b</t:p></o:text>");

  g_assert_no_error (result->error);
  g_assert_cmpuint (strlen (result->text), <, 200);
}

static void
test_sheets (void)
{
  g_autoptr (ExtractResult) result =
      run ("<o:spreadsheet><b:table b:name='Sum'><b:table-row><b:table-cell><t:p>x</t:p>"
           "</b:table-cell><b:table-cell b:number-columns-repeated='2'/><b:table-cell><t:p>7</t:p>"
           "</b:table-cell><b:table-cell b:number-columns-repeated='16380'/></b:table-row>"
           "</b:table></o:spreadsheet>");

  assert_text (result, "## Sheet: Sum\n\n| x | | | 7 |\n| --- | --- | --- | --- |");
  g_assert_cmpint (extract_result_get_count (result, "sheet_count"), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extractor/odf/text", test_text);
  g_test_add_func ("/extractor/odf/repeated", test_repeated);
  g_test_add_func ("/extractor/odf/sheets", test_sheets);
  return g_test_run ();
}
