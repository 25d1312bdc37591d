/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-odf-extractor.h"

#include <string.h>

#include "extract/postbag-xml.h"

#include "postbag-odf-readers.h"
#include "postbag-odf-styles.h"

static void
see_encryption (PostbagXml *xml, gpointer user_data)
{
  gboolean *is_encrypted = user_data;

  *is_encrypted = TRUE;
  postbag_xml_stop (xml);
}

/* The zip of a document with a password is an ordinary one; its files are not (OpenDocument 1.3
 * part 2, 3.4). */
static gboolean
is_encrypted (PostbagZip *zip)
{
  static const PostbagXmlElement elements[] = {
    { 'm', "encryption-data", see_encryption, NULL },
    { '\0', NULL },
  };
  static const PostbagXmlHandler handler = { postbag_odf_spaces, elements, NULL };
  gboolean found = FALSE;

  if (postbag_zip_has (zip, "META-INF/manifest.xml"))
    postbag_xml_read_part (zip, "META-INF/manifest.xml", &handler, &found, NULL);
  return found || postbag_zip_has (zip, "encrypted-package");
}

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (PostbagZip) zip = postbag_zip_new (input->data, input->length, error);

  if (zip == NULL)
    return FALSE;
  if (is_encrypted (zip))
    {
      g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_ENCRYPTED,
                           "The document needs a password.");
      return FALSE;
    }
  if (strstr (input->content_type, "spreadsheet") != NULL)
    return postbag_ods_read (zip, output, error);
  if (strstr (input->content_type, "presentation") != NULL)
    return postbag_odp_read (zip, output, error);
  return postbag_odt_read (zip, output, error);
}

static gboolean
prepare (GError **error)
{
  postbag_xml_prepare ();
  return TRUE;
}

const PostbagExtractorImplementation postbag_odf_extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .prepare = prepare,
  .extract = extract,
};
