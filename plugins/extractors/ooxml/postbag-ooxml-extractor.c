/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-ooxml-extractor.h"

#include <string.h>

#include "extract/postbag-xml.h"

#include "postbag-docx-reader.h"
#include "postbag-pptx-reader.h"
#include "postbag-xlsx-reader.h"

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (PostbagZip) zip = postbag_zip_new (input->data, input->length, error);

  if (zip == NULL)
    return FALSE;
  if (strstr (input->content_type, "sheet") != NULL)
    return postbag_xlsx_read (zip, output, error);
  if (strstr (input->content_type, "powerpoint") != NULL
      || strstr (input->content_type, "presentation") != NULL)
    return postbag_pptx_read (zip, output, error);
  return postbag_docx_read (zip, output, error);
}

static gboolean
prepare (GError **error)
{
  postbag_xml_prepare ();
  return TRUE;
}

const PostbagExtractorImplementation postbag_ooxml_extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .prepare = prepare,
  .extract = extract,
};
