/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* OLE compound files through libgsf; what kind of document it is, its streams tell. Property
 * streams are never opened: libgsf 1.14.50 reads past their end. */

#include "postbag-ole-extractor.h"

#include <gsf/gsf-infile-msole.h>
#include <gsf/gsf-infile.h>
#include <gsf/gsf-input-memory.h>
#include <gsf/gsf-utils.h>
#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-charset-tables.h"
#include "postbag-ole-readers.h"

/* Under names of ours: the library has no cleanups. */
typedef GsfInput Input;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Input, g_object_unref)
typedef GsfInfile Infile;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Infile, g_object_unref)

static gboolean
fail (GError **error, PostbagExtractReason reason, const char *what)
{
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, (int)reason, what);
  return FALSE;
}

static gboolean
has (GsfInfile *file, const char *name)
{
  g_autoptr (Input) stream = gsf_infile_child_by_name (file, name);

  return stream != NULL;
}

/* (transfer full) (nullable): a stream of at most @most bytes; in a loop it is as long as it says
 */
static guint8 *
read_stream (GsfInfile *file, const char *name, gsize most, PostbagOleBytes *bytes)
{
  g_autoptr (Input) stream = gsf_infile_child_by_name (file, name);
  gsf_off_t size = stream != NULL ? gsf_input_size (stream) : 0;
  guint8 *data;

  *bytes = (PostbagOleBytes){ (const guint8 *)"", 0 };
  if (size <= 0 || (gsize)size > most)
    return NULL;
  data = g_malloc ((gsize)size);
  if (gsf_input_read (stream, (size_t)size, data) != NULL)
    *bytes = (PostbagOleBytes){ data, (gsize)size };
  return data;
}

static gboolean
read_document (GsfInfile *file, gsize most, PostbagExtractOutput *output, GError **error)
{
  PostbagOleBytes document, tables[2];
  g_autofree guint8 *text = read_stream (file, "WordDocument", most, &document);
  g_autofree guint8 *table0 = read_stream (file, "0Table", most, &tables[0]);
  g_autofree guint8 *table1 = read_stream (file, "1Table", most, &tables[1]);

  return postbag_doc_read (&document, tables, output, error);
}

static gboolean
read_workbook (GsfInfile *file, gsize most, PostbagExtractOutput *output, GError **error)
{
  PostbagOleBytes workbook;
  g_autofree guint8 *data =
      read_stream (file, has (file, "Workbook") ? "Workbook" : "Book", most, &workbook);

  return postbag_xls_read (&workbook, output, error);
}

static gboolean
read_presentation (GsfInfile *file, gsize most, PostbagExtractOutput *output, GError **error)
{
  PostbagOleBytes document, user;
  g_autofree guint8 *data = read_stream (file, "PowerPoint Document", most, &document);
  g_autofree guint8 *edit = read_stream (file, "Current User", most, &user);

  return postbag_ppt_read (&document, &user, output, error);
}

static gboolean
read_file (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (Input) source = gsf_input_memory_new (input->data, (gsf_off_t)input->length, FALSE);
  g_autoptr (Infile) file = source != NULL ? gsf_infile_msole_new (source, NULL) : NULL;

  if (file == NULL)
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "The compound file is damaged.");
  if (has (file, "EncryptedPackage"))
    return fail (error, POSTBAG_EXTRACT_ENCRYPTED, "It is an encrypted package.");
  if (has (file, "WordDocument"))
    return read_document (file, input->length, output, error);
  if (has (file, "Workbook") || has (file, "Book"))
    return read_workbook (file, input->length, output, error);
  if (has (file, "PowerPoint Document"))
    return read_presentation (file, input->length, output, error);
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
