/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Documents that are zip containers, or the main part of one. The first byte says which kind. */

#include "postbag-odf-extractor.h"
#include "postbag-ooxml-extractor.h"

#include "extract-fixture.h"
#include "zip-fixture.h"

#include "fuzz.h"

static const struct
{
  const PostbagExtractorImplementation *extractor;
  const char *type;
  const char *part;
} kinds[] = {
  { &postbag_ooxml_extractor, "application/x-text", "word/document.xml" },
  { &postbag_ooxml_extractor, "application/x-sheet", "xl/worksheets/sheet1.xml" },
  { &postbag_ooxml_extractor, "application/x-presentation", "ppt/slides/slide1.xml" },
  { &postbag_odf_extractor, "application/x-text", "content.xml" },
  { &postbag_odf_extractor, "application/x-spreadsheet", "content.xml" },
  { &postbag_odf_extractor, "application/x-presentation", "content.xml" },
  { &postbag_odf_extractor, "application/x-text", "styles.xml" },
};

/* What leads to the part, where it is not found by its name. */
static void
add_others (ZipFixture *zip, const char *part)
{
  if (part[0] == 'x')
    zip_fixture_add (zip, "xl/workbook.xml",
                     "<workbook xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'>"
                     "<sheets><sheet name='a'/></sheets></workbook>");
  if (part[0] == 'p')
    {
      zip_fixture_add (zip, "ppt/presentation.xml",
                       "<presentation xmlns='http://schemas.openxmlformats.org/presentationml/2006/"
                       "main' xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/"
                       "relationships'><sldId r:id='r1'/></presentation>");
      zip_fixture_add (zip, "ppt/_rels/presentation.xml.rels",
                       "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/"
                       "relationships'><Relationship Id='r1' Type='http://schemas.openxmlformats."
                       "org/officeDocument/2006/relationships/slide' Target='slides/slide1.xml'/>"
                       "</Relationships>");
    }
  if (part[0] == 's')
    zip_fixture_add (zip, "content.xml",
                     "<o:document-content xmlns:o='urn:oasis:names:tc:opendocument:xmlns:office:"
                     "1.0'><o:body><o:text/></o:body></o:document-content>");
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (ExtractResult) result = NULL;
  PostbagExtractInput input = { 0 };
  gsize kind;

  if (size < 3 || size > 256 * 1024)
    return 0;
  kind = data[0] % G_N_ELEMENTS (kinds);
  if (data[1] == 'P' && data[2] == 'K')
    bytes = g_bytes_new (data + 1, size - 1);
  else
    {
      ZipFixture *zip = zip_fixture_new ();

      add_others (zip, kinds[kind].part);
      zip_fixture_add_forged (zip, kinds[kind].part, data + 1, size - 1, (guint32)(size - 1), 0);
      bytes = zip_fixture_finish (zip);
    }
  input.data = g_bytes_get_data (bytes, &input.length);
  input.content_type = kinds[kind].type;
  result = extract_run_input (kinds[kind].extractor, &input, 1000000);
  return 0;
}
