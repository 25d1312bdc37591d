/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* OpenDocument files: a whole container, or the main part of one. The first byte says which kind.
 */

#include "postbag-odf-extractor.h"

#include "extract-fixture.h"
#include "zip-fixture.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const char *const types[] = { "application/x-text", "application/x-spreadsheet",
                                       "application/x-presentation" };
  static const char *const parts[] = { "content.xml", "content.xml", "content.xml" };
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (ExtractResult) result = NULL;
  PostbagExtractInput input = { 0 };
  guint kind;

  if (size < 3 || size > 256 * 1024)
    return 0;
  kind = data[0] % 3;
  if (data[1] == 'P' && data[2] == 'K')
    bytes = g_bytes_new (data + 1, size - 1);
  else
    {
      ZipFixture *zip = zip_fixture_new ();

      if (kind == 1 && parts[1][0] == 'x')
        zip_fixture_add (zip, "xl/workbook.xml",
                         "<workbook xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/"
                         "main'><sheets><sheet name='a'/></sheets></workbook>");
      zip_fixture_add_forged (zip, parts[kind], data + 1, size - 1, (guint32)(size - 1), 0);
      bytes = zip_fixture_finish (zip);
    }
  input.data = g_bytes_get_data (bytes, &input.length);
  input.content_type = types[kind];
  result = extract_run_input (&postbag_odf_extractor, &input, 1000000);
  return 0;
}
