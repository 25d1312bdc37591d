/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "zip-fixture.h"

#include <string.h>

#include <gio/gio.h>

struct _ZipFixture
{
  GByteArray *files;
  GByteArray *list;
  guint count;
};

ZipFixture *
zip_fixture_new (void)
{
  ZipFixture *self = g_new0 (ZipFixture, 1);

  self->files = g_byte_array_new ();
  self->list = g_byte_array_new ();
  return self;
}

static void
put (GByteArray *out, guint64 number, guint bytes)
{
  for (guint i = 0; i < bytes; i++, number >>= 8)
    g_byte_array_append (out, (guint8[]){ (guint8)number }, 1);
}

/* (transfer full) */
static GBytes *
deflate (const void *data, gsize length)
{
  g_autoptr (GConverter) packer =
      G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW, 9));
  g_autoptr (GInputStream) plain = g_memory_input_stream_new_from_data (data, (gssize)length, NULL);
  g_autoptr (GInputStream) packed = g_converter_input_stream_new (plain, packer);
  g_autoptr (GOutputStream) out = g_memory_output_stream_new_resizable ();
  g_autoptr (GError) error = NULL;

  g_output_stream_splice (out, packed, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, &error);
  g_assert_no_error (error);
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (out));
}

/* The fields that both records have: from the flags to the length of the name. */
static void
put_facts (GByteArray *out, const char *name, gsize packed, guint32 size, guint16 flags)
{
  put (out, flags, 2);
  put (out, 8, 2); /* deflated */
  put (out, 0, 4); /* time and date */
  put (out, 0, 4); /* CRC: nobody looks */
  put (out, packed, 4);
  put (out, size, 4);
  put (out, strlen (name), 2);
}

void
zip_fixture_add_forged (ZipFixture *self, const char *name, const void *data, gsize length,
                        guint32 size, guint16 flags)
{
  g_autoptr (GBytes) packed = deflate (data, length);
  gsize packed_length;
  const guint8 *bytes = g_bytes_get_data (packed, &packed_length);
  guint offset = self->files->len;

  g_byte_array_append (self->files, (const guint8 *)"PK\3\4\24\0", 6);
  put_facts (self->files, name, packed_length, size, flags);
  put (self->files, 0, 2);
  g_byte_array_append (self->files, (const guint8 *)name, (guint)strlen (name));
  g_byte_array_append (self->files, bytes, (guint)packed_length);
  g_byte_array_append (self->list, (const guint8 *)"PK\1\2\24\0\24\0", 8);
  put_facts (self->list, name, packed_length, size, flags);
  put (self->list, 0, 12);
  put (self->list, offset, 4);
  g_byte_array_append (self->list, (const guint8 *)name, (guint)strlen (name));
  self->count++;
}

void
zip_fixture_add (ZipFixture *self, const char *name, const char *text)
{
  zip_fixture_add_forged (self, name, text, strlen (text), (guint32)strlen (text), 0);
}

GBytes *
zip_fixture_finish (ZipFixture *self)
{
  GByteArray *out = self->files;
  guint start = out->len;

  g_byte_array_append (out, self->list->data, self->list->len);
  g_byte_array_append (out, (const guint8 *)"PK\5\6\0\0\0\0", 8);
  put (out, self->count, 2);
  put (out, self->count, 2);
  put (out, self->list->len, 4);
  put (out, start, 4);
  put (out, 0, 2);
  g_byte_array_unref (self->list);
  g_free (self);
  return g_byte_array_free_to_bytes (out);
}

ExtractResult *
zip_fixture_extract (const PostbagExtractorImplementation *implementation, const char *content_type,
                     const char *const *files)
{
  ZipFixture *zip = zip_fixture_new ();
  g_autoptr (GBytes) bytes = NULL;

  for (; files[0] != NULL; files += 2)
    zip_fixture_add (zip, files[0], files[1]);
  bytes = zip_fixture_finish (zip);
  return extract_run (implementation, content_type, g_bytes_get_data (bytes, NULL),
                      g_bytes_get_size (bytes));
}
