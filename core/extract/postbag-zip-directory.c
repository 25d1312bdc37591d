/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-zip-directory.h"

#include <string.h>

#include <gio/gio.h>

#include "base/postbag-limits.h"

#define LOCAL 0x04034b50
#define LOCAL_BYTES 30
#define CENTRAL 0x02014b50
#define CENTRAL_BYTES 46
#define END 0x06054b50
#define END_BYTES 22
#define END64 0x06064b50
#define END64_BYTES 56
#define LOCATOR 0x07064b50
#define LOCATOR_BYTES 20
#define COMMENT_BYTES 0xffff /* the longest behind the end */
#define EXTRA_ZIP64 1

#define FLAG_ENCRYPTED (1 << 0)
#define FLAG_UTF8 (1 << 11)

#define STORED 0
#define DEFLATED 8

typedef struct
{
  const guint8 *data;
  gsize length;
} Archive;

/* 0 beyond the end. */
static guint64
read_number (const Archive *archive, guint64 at, guint size)
{
  guint64 number = 0;

  if (at > archive->length || archive->length - at < size)
    return 0;
  for (guint i = size; i > 0; i--)
    number = number << 8 | archive->data[at + i - 1];
  return number;
}

static gboolean
is_at (const Archive *archive, guint64 at, guint32 signature, guint size)
{
  return at <= archive->length && archive->length - at >= size
         && read_number (archive, at, 4) == signature;
}

/* The last one is the true one. Returns: %FALSE where there is none */
static gboolean
find_end (const Archive *archive, gsize *end)
{
  gsize least =
      archive->length > END_BYTES + COMMENT_BYTES ? archive->length - END_BYTES - COMMENT_BYTES : 0;

  if (archive->length < END_BYTES)
    return FALSE;
  for (*end = archive->length - END_BYTES;; (*end)--)
    {
      if (is_at (archive, *end, END, END_BYTES))
        return TRUE;
      if (*end <= least)
        return FALSE;
    }
}

typedef struct
{
  guint64 start;
  guint64 shift; /* of all offsets: what a program in front of the archive takes */
  guint64 count; /* of entries, as it says */
} List;

/* What stands in front of an archive (a program that unpacks it) shifts it: then the list lies
 * right before the end. */
static List
find_list (const Archive *archive, gsize end)
{
  guint64 size = read_number (archive, end + 12, 4), before = end;
  List list = { read_number (archive, end + 16, 4), 0, read_number (archive, end + 10, 2) };

  if (end >= LOCATOR_BYTES && is_at (archive, end - LOCATOR_BYTES, LOCATOR, LOCATOR_BYTES))
    {
      guint64 end64 = read_number (archive, end - LOCATOR_BYTES + 8, 8);

      if (is_at (archive, end64, END64, END64_BYTES))
        {
          list.count = read_number (archive, end64 + 32, 8);
          size = read_number (archive, end64 + 40, 8);
          list.start = read_number (archive, end64 + 48, 8);
          before = end64;
        }
    }
  if (is_at (archive, list.start, CENTRAL, CENTRAL_BYTES) || size > before
      || before - size < list.start)
    return list;
  list.shift = before - size - list.start;
  list.start = before - size;
  return list;
}

/* Numbers that have no room in 32 bits stand in a field of their own, in this order. */
static void
read_zip64 (const Archive *archive, guint64 at, guint64 length, PostbagZipEntry *entry)
{
  guint64 end = at + length;

  while (at + 4 <= end)
    {
      guint64 size = read_number (archive, at + 2, 2);
      guint64 *fields[] = { &entry->size, &entry->packed, &entry->offset };
      guint64 value = at + 4;

      if (read_number (archive, at, 2) == EXTRA_ZIP64)
        for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
          if (*fields[i] == G_MAXUINT32 && value + 8 <= MIN (at + 4 + size, end))
            {
              *fields[i] = read_number (archive, value, 8);
              value += 8;
            }
      at += 4 + size;
    }
}

static void
clear_entry (gpointer data)
{
  g_free (((PostbagZipEntry *)data)->name);
}

static PostbagZipEntry
read_entry (const Archive *archive, guint64 at, guint64 name_length, guint64 extra_length)
{
  guint flags = (guint)read_number (archive, at + 8, 2);
  PostbagZipEntry entry = {
    .name = g_malloc0 (name_length + 1),
    .name_length = name_length,
    .is_utf8 = (flags & FLAG_UTF8) != 0,
    .method = (guint)read_number (archive, at + 10, 2),
    .encrypted = (flags & FLAG_ENCRYPTED) != 0,
    .checksum = (guint32)read_number (archive, at + 16, 4),
    .packed = read_number (archive, at + 20, 4),
    .size = read_number (archive, at + 24, 4),
    .offset = read_number (archive, at + 42, 4),
  };

  memcpy (entry.name, archive->data + at + CENTRAL_BYTES, name_length);
  read_zip64 (archive, at + CENTRAL_BYTES + name_length, extra_length, &entry);
  return entry;
}

GArray *
postbag_zip_directory_read (const guint8 *data, gsize length, guint most, guint *total,
                            gboolean *is_whole)
{
  const Archive archive = { data, length };
  GArray *entries;
  guint64 count = 0;
  List list;
  gsize end;

  *total = 0;
  if (!find_end (&archive, &end))
    return NULL;
  entries = g_array_new (FALSE, FALSE, sizeof (PostbagZipEntry));
  g_array_set_clear_func (entries, clear_entry);
  list = find_list (&archive, end);
  for (guint64 at = list.start; is_at (&archive, at, CENTRAL, CENTRAL_BYTES); count++)
    {
      guint64 name = read_number (&archive, at + 28, 2), extra = read_number (&archive, at + 30, 2);
      guint64 next = at + CENTRAL_BYTES + name + extra + read_number (&archive, at + 32, 2);

      if (next > length)
        break;
      if (name > 0 && data[at + CENTRAL_BYTES + name - 1] != '/' && (*total)++ < most)
        {
          PostbagZipEntry entry = read_entry (&archive, at, name, extra);

          entry.offset += MIN (list.shift, G_MAXUINT64 - entry.offset);
          g_array_append_val (entries, entry);
        }
      at = next;
    }
  /* Some programs count more than fit into its 16 bits, and write what is left of them. */
  if (is_whole != NULL)
    *is_whole = (count & G_MAXUINT16) == (list.count & G_MAXUINT16);
  return entries;
}

const guint8 *
postbag_zip_entry_find (const PostbagZipEntry *entry, const guint8 *data, gsize length)
{
  const Archive archive = { data, length };
  guint64 start;

  if (!is_at (&archive, entry->offset, LOCAL, LOCAL_BYTES))
    return NULL;
  start = entry->offset + LOCAL_BYTES + read_number (&archive, entry->offset + 26, 2)
          + read_number (&archive, entry->offset + 28, 2);
  return start <= length && length - start >= entry->packed ? data + start : NULL;
}

struct _PostbagZipUnpacking
{
  const guint8 *packed;
  guint64 packed_left, left;
  GConverter *inflater; /* (nullable): it is stored as it is */
  char *buffer;
};

PostbagZipUnpacking *
postbag_zip_unpacking_new (const PostbagZipEntry *entry, const guint8 *packed)
{
  PostbagZipUnpacking *self;

  if (entry->method != STORED && entry->method != DEFLATED)
    return NULL;
  self = g_new0 (PostbagZipUnpacking, 1);
  self->packed = packed;
  self->packed_left = entry->packed;
  self->left = entry->size;
  if (entry->method == DEFLATED)
    {
      self->inflater = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW));
      self->buffer = g_malloc (POSTBAG_LIMIT_ZIP_PIECE_BYTES);
    }
  return self;
}

void
postbag_zip_unpacking_free (PostbagZipUnpacking *self)
{
  g_clear_object (&self->inflater);
  g_free (self->buffer);
  g_free (self);
}

static gboolean
inflate_piece (PostbagZipUnpacking *self, gsize *taken, gsize *given)
{
  GConverterResult result = g_converter_convert (self->inflater, self->packed, self->packed_left,
                                                 self->buffer, POSTBAG_LIMIT_ZIP_PIECE_BYTES,
                                                 G_CONVERTER_INPUT_AT_END, taken, given, NULL);

  return result != G_CONVERTER_ERROR;
}

gboolean
postbag_zip_unpacking_next (PostbagZipUnpacking *self, const char **data, gsize *size)
{
  gsize taken = 0, given = 0;

  *data = NULL;
  *size = 0;
  if (self->left == 0)
    return TRUE;
  if (self->inflater == NULL)
    {
      given = taken = MIN (self->packed_left, POSTBAG_LIMIT_ZIP_PIECE_BYTES);
      *data = (const char *)self->packed;
    }
  else if (inflate_piece (self, &taken, &given))
    *data = self->buffer;
  /* A stream that ends here, or goes on without a byte, is shorter than it says. */
  if (given == 0)
    return FALSE;
  self->packed += taken;
  self->packed_left -= taken;
  *size = MIN (given, self->left);
  self->left -= *size;
  return TRUE;
}
