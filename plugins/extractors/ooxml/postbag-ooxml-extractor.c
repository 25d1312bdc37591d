/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-ooxml-extractor.h"

#include <string.h>

#include "postbag-ooxml-readers.h"

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (PostbagPackage) package = postbag_package_open (input->data, input->length, error);

  if (package == NULL)
    return FALSE;
  if (postbag_package_has (package, "xl/workbook.xml"))
    return postbag_xlsx_read (package, output, error);
  return postbag_docx_read (package, output, error);
}

const PostbagExtractorImplementation postbag_ooxml_extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .extract = extract,
};
