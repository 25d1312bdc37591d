/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-ole-file.h"

#include <gsf/gsf-infile-msole.h>
#include <gsf/gsf-input-memory.h>

#include "postbag-ole-structure.h"

GsfInfile *
postbag_ole_open (const PostbagExtractInput *input, GError **error)
{
  const PostbagOleBytes bytes = { input->data, input->length };
  g_autoptr (PostbagOleInput) source = NULL;
  GsfInfile *file;

  if (!postbag_ole_check_structure (&bytes, error))
    return NULL;
  source = gsf_input_memory_new (input->data, (gsf_off_t)input->length, FALSE);
  file = gsf_infile_msole_new (source, NULL);
  if (file == NULL)
    g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_CORRUPT,
                         "The compound file is damaged.");
  return file;
}

gboolean
postbag_ole_has (GsfInfile *storage, const char *name)
{
  g_autoptr (PostbagOleInput) child = gsf_infile_child_by_name (storage, name);

  return child != NULL;
}

/* Streams are of the same type, but have no children, not even none. */
GsfInfile *
postbag_ole_open_storage (GsfInfile *storage, const char *name)
{
  g_autoptr (PostbagOleInput) child = gsf_infile_child_by_name (storage, name);

  return child != NULL && gsf_infile_num_children (GSF_INFILE (child)) >= 0
             ? GSF_INFILE (g_steal_pointer (&child))
             : NULL;
}

GBytes *
postbag_ole_read_stream (GsfInfile *storage, const char *name)
{
  g_autoptr (PostbagOleInput) stream = gsf_infile_child_by_name (storage, name);
  gsf_off_t size = stream != NULL ? gsf_input_size (stream) : 0;
  g_autofree guint8 *data = NULL;

  if (stream == NULL || gsf_infile_num_children (GSF_INFILE (stream)) >= 0)
    return NULL;
  if (size <= 0)
    return g_bytes_new_static ("", 0);
  data = g_malloc ((gsize)size);
  if (gsf_input_read (stream, (size_t)size, data) == NULL)
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&data), (gsize)size);
}

PostbagOleBytes
postbag_ole_get_stream (GsfInfile *storage, const char *name, GBytes **keep)
{
  PostbagOleBytes bytes = { (const guint8 *)"", 0 };

  *keep = postbag_ole_read_stream (storage, name);
  if (*keep != NULL && g_bytes_get_size (*keep) > 0)
    bytes.data = g_bytes_get_data (*keep, &bytes.length);
  return bytes;
}

gint64
postbag_ole_get_size (GsfInfile *storage, const char *name)
{
  g_autoptr (PostbagOleInput) stream = gsf_infile_child_by_name (storage, name);

  return stream != NULL && gsf_infile_num_children (GSF_INFILE (stream)) < 0
             ? (gint64)gsf_input_size (stream)
             : -1;
}
