/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* OLE compound files; what kind of document it is, its streams tell. Property streams of Office are
 * never opened: libgsf 1.14.50 reads past their end. */

#include "postbag-ole-extractor.h"

#include <gsf/gsf-utils.h>
#include <string.h>

#include "extract/postbag-charset-tables.h"
#include "postbag-msg-reader.h"
#include "postbag-ole-file.h"
#include "postbag-ole-readers.h"

static gboolean
fail (GError **error, PostbagExtractReason reason, const char *what)
{
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, (int)reason, what);
  return FALSE;
}

static gboolean
read_document (GsfInfile *file, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (GBytes) text = NULL, table0 = NULL, table1 = NULL;
  const PostbagOleBytes document = postbag_ole_get_stream (file, "WordDocument", &text);
  const PostbagOleBytes tables[] = { postbag_ole_get_stream (file, "0Table", &table0),
                                     postbag_ole_get_stream (file, "1Table", &table1) };

  return postbag_doc_read (&document, tables, output, error);
}

static gboolean
read_workbook (GsfInfile *file, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (GBytes) data = NULL;
  const PostbagOleBytes workbook = postbag_ole_get_stream (
      file, postbag_ole_has (file, "Workbook") ? "Workbook" : "Book", &data);

  return postbag_xls_read (&workbook, output, error);
}

static gboolean
read_presentation (GsfInfile *file, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (GBytes) data = NULL, edit = NULL;
  const PostbagOleBytes document = postbag_ole_get_stream (file, "PowerPoint Document", &data);
  const PostbagOleBytes user = postbag_ole_get_stream (file, "Current User", &edit);

  return postbag_ppt_read (&document, &user, output, error);
}

static gboolean
read_file (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (PostbagOleStorage) file = postbag_ole_open (input, error);

  if (file == NULL)
    return FALSE;
  if (postbag_ole_has (file, "EncryptedPackage"))
    return fail (error, POSTBAG_EXTRACT_ENCRYPTED, "It is an encrypted package.");
  if (postbag_ole_has (file, "WordDocument"))
    return read_document (file, output, error);
  if (postbag_ole_has (file, "Workbook") || postbag_ole_has (file, "Book"))
    return read_workbook (file, output, error);
  if (postbag_ole_has (file, "PowerPoint Document"))
    return read_presentation (file, output, error);
  if (postbag_ole_has (file, "__properties_version1.0"))
    return postbag_msg_read (file, input->member, output, error);
  return fail (error, POSTBAG_EXTRACT_NOT_A_DOCUMENT, "It holds no document that is read.");
}

static gboolean
prepare (GError **error)
{
  postbag_charset_tables_load ();
  gsf_init ();
  return TRUE;
}

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  if (input->length >= 8 && memcmp (input->data, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8) == 0)
    return read_file (input, output, error);
  /* Programs wrote RTF under names of Word for years. */
  if (input->length >= 5 && memcmp (input->data, "{\\rtf", 5) == 0)
    return output->descend (output, input->data, input->length, "application/rtf", error);
  return fail (error, POSTBAG_EXTRACT_NOT_A_DOCUMENT, "It is no compound file.");
}

const PostbagExtractorImplementation postbag_ole_extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .prepare = prepare,
  .extract = extract,
};
