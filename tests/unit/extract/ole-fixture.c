/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ole-fixture.h"

#include <gsf/gsf-outfile-msole.h>
#include <gsf/gsf-output-memory.h>
#include <string.h>

struct _OleFixture
{
  GsfOutput *memory;
  GsfOutfile *root;
  GHashTable *storages; /* by their paths */
  GPtrArray *order;     /* in which they were opened */
};

void
ole_append (GByteArray *bytes, guint64 number, guint size)
{
  for (guint i = 0; i < size; i++, number >>= 8)
    {
      guint8 byte = (guint8)number;

      g_byte_array_append (bytes, &byte, 1);
    }
}

void
ole_try_damaged (ExtractReader reader, GByteArray *stream)
{
  for (guint i = 0; i < stream->len; i++)
    {
      /* A copy of its own size, so that a read past the end is seen. */
      g_autofree guint8 *data = g_memdup2 (stream->data, i);
      const GByteArray cut = { data, i };
      g_autoptr (ExtractResult) shorter = extract_run_reader (reader, &cut);
      g_autoptr (ExtractResult) changed = NULL;

      stream->data[i] ^= 0xff;
      changed = extract_run_reader (reader, stream);
      stream->data[i] ^= 0xff;
    }
}

OleFixture *
ole_fixture_new (void)
{
  OleFixture *self = g_new0 (OleFixture, 1);

  self->memory = gsf_output_memory_new ();
  self->root = gsf_outfile_msole_new (self->memory);
  self->storages = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->order = g_ptr_array_new ();
  return self;
}

static GsfOutfile *
get_storage (OleFixture *self, const char *path)
{
  GsfOutfile *storage = g_hash_table_lookup (self->storages, path);
  const char *slash = strrchr (path, '/');
  g_autofree char *outer = slash != NULL ? g_strndup (path, (gsize)(slash - path)) : NULL;
  GsfOutfile *parent;

  if (storage != NULL)
    return storage;
  parent = outer != NULL ? get_storage (self, outer) : self->root;
  storage = GSF_OUTFILE (gsf_outfile_new_child (parent, slash != NULL ? slash + 1 : path, TRUE));
  g_hash_table_insert (self->storages, g_strdup (path), storage);
  g_ptr_array_add (self->order, storage);
  return storage;
}

void
ole_fixture_add (OleFixture *self, const char *path, gconstpointer data, gsize length)
{
  const char *slash = strrchr (path, '/');
  g_autofree char *outer = slash != NULL ? g_strndup (path, (gsize)(slash - path)) : NULL;
  GsfOutfile *parent = outer != NULL ? get_storage (self, outer) : self->root;
  GsfOutput *stream = gsf_outfile_new_child (parent, slash != NULL ? slash + 1 : path, FALSE);

  if (length > 0)
    g_assert_true (gsf_output_write (stream, length, data));
  g_assert_true (gsf_output_close (stream));
  g_object_unref (stream);
}

GByteArray *
ole_fixture_finish (OleFixture *self)
{
  GByteArray *file = g_byte_array_new ();

  for (guint i = self->order->len; i > 0; i--)
    {
      GsfOutput *storage = g_ptr_array_index (self->order, i - 1);

      g_assert_true (gsf_output_close (storage));
      g_object_unref (storage);
    }
  g_assert_true (gsf_output_close (GSF_OUTPUT (self->root)));
  g_byte_array_append (file, gsf_output_memory_get_bytes (GSF_OUTPUT_MEMORY (self->memory)),
                       (guint)gsf_output_size (self->memory));
  g_object_unref (self->root);
  g_object_unref (self->memory);
  g_hash_table_unref (self->storages);
  g_ptr_array_unref (self->order);
  g_free (self);
  return file;
}
