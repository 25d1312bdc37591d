/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* libgsf inflates; what it would trust is looked at first. Its tree of folders is searched in
 * linear and freed in recursive steps, so the number, length and depth of names have bounds. */

#include "extract/postbag-zip.h"

#include <string.h>

#include <gsf/gsf-infile-zip.h>
#include <gsf/gsf-infile.h>
#include <gsf/gsf-input-memory.h>
#include <gsf/gsf-input.h>
#include <gsf/gsf-utils.h>

#include "base/postbag-limits.h"
#include "safety/postbag-attachment-policy.h"

#define TRAILER_BYTES 22
#define ENTRY_BYTES 46
#define MAX_REMARK 65535
#define FLAG_ENCRYPTED 1
#define STORED 0
#define DEFLATED 8

typedef struct
{
  char *name; /* as it stands in the container */
  guint16 flags;
  guint16 method;
  guint64 packed;
  guint64 size;
} Entry;

struct _PostbagZip
{
  GsfInfile *archive;
  GHashTable *entries; /* of lower-case names; the first of a name counts */
  gsize total_left;
  guint reads_left;
};

static gboolean
fail (GError **error, PostbagExtractReason reason, const char *message)
{
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, (int)reason, message);
  return FALSE;
}

static void
free_entry (gpointer data)
{
  Entry *entry = data;

  g_free (entry->name);
  g_free (entry);
}

/* --- the list of files, before the library sees it --- */

/* (nullable): the last record that ends the container */
static const guint8 *
find_trailer (const guint8 *data, gsize length)
{
  gsize farthest = MIN (length, TRAILER_BYTES + MAX_REMARK);

  for (gsize back = TRAILER_BYTES; back <= farthest; back++)
    if (memcmp (data + length - back, "PK\5\6", 4) == 0)
      return data + length - back;
  return NULL;
}

static gboolean
is_bounded_name (const char *name, gsize length)
{
  guint depth = 0;

  for (gsize i = 0; i < length; i++)
    {
      if (name[i] == '\0')
        return FALSE;
      depth += name[i] == '/';
    }
  return length > 0 && length <= POSTBAG_LIMIT_ZIP_NAME_BYTES && depth <= POSTBAG_LIMIT_ZIP_DEPTH;
}

/* Names that would leave a folder are never asked for: they only have to be kept out of the way. */
static void
add_entry (PostbagZip *self, const guint8 *record, gsize name_length)
{
  Entry *entry = g_new0 (Entry, 1);
  char *key;

  entry->name = g_strndup ((const char *)record + ENTRY_BYTES, name_length);
  entry->flags = GSF_LE_GET_GUINT16 (record + 8);
  entry->method = GSF_LE_GET_GUINT16 (record + 10);
  entry->packed = GSF_LE_GET_GUINT32 (record + 20);
  entry->size = GSF_LE_GET_GUINT32 (record + 24);
  key = g_ascii_strdown (entry->name, -1);
  if (g_hash_table_contains (self->entries, key))
    {
      g_free (key);
      free_entry (entry);
      return;
    }
  g_hash_table_insert (self->entries, key, entry);
}

static gboolean
scan_entries (PostbagZip *self, const guint8 *at, const guint8 *end, guint count, GError **error)
{
  for (guint i = 0; i < count; i++)
    {
      gsize left = (gsize)(end - at);
      gsize name_length, whole;

      if (left < ENTRY_BYTES || memcmp (at, "PK\1\2", 4) != 0)
        return fail (error, POSTBAG_EXTRACT_CORRUPT, "The list of files is damaged.");
      name_length = GSF_LE_GET_GUINT16 (at + 28);
      whole =
          ENTRY_BYTES + name_length + GSF_LE_GET_GUINT16 (at + 30) + GSF_LE_GET_GUINT16 (at + 32);
      if (left < whole || !is_bounded_name ((const char *)at + ENTRY_BYTES, name_length))
        return fail (error, POSTBAG_EXTRACT_CORRUPT, "A file has a name that no program writes.");
      add_entry (self, at, name_length);
      at += whole;
    }
  return TRUE;
}

static gboolean
scan (PostbagZip *self, const guint8 *data, gsize length, GError **error)
{
  const guint8 *trailer = find_trailer (data, length);
  guint64 offset, size;
  guint count;

  if (trailer == NULL)
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "The container has no end: it was cut off.");
  count = GSF_LE_GET_GUINT16 (trailer + 10);
  size = GSF_LE_GET_GUINT32 (trailer + 12);
  offset = GSF_LE_GET_GUINT32 (trailer + 16);
  if (count > POSTBAG_LIMIT_ZIP_ENTRIES)
    return fail (error, POSTBAG_EXTRACT_TOO_MANY_PARTS, "The container has too many files.");
  if (offset > (guint64)(trailer - data) || size > (guint64)(trailer - data) - offset)
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "The list of files lies outside the container.");
  return scan_entries (self, data + offset, trailer, count, error);
}

/* --- what is no zip --- */

/* A document with a password is an OLE container around the zip (MS-OFFCRYPTO 2.3.4.4). */
static gboolean
holds_encrypted_package (const guint8 *data, gsize length)
{
  static const char name[] = "E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e";

  return memmem (data, length, name, sizeof name - 1) != NULL;
}

static gboolean
refuse_other_format (const guint8 *data, gsize length, GError **error)
{
  static const guint8 ole[] = { 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1 };

  if (length >= 4 && memcmp (data, "PK", 2) == 0)
    return TRUE;
  if (length >= sizeof ole && memcmp (data, ole, sizeof ole) == 0)
    {
      if (holds_encrypted_package (data, length))
        return fail (error, POSTBAG_EXTRACT_ENCRYPTED, "The document needs a password.");
      return fail (error, POSTBAG_EXTRACT_NOT_A_DOCUMENT, "It is an older Office document.");
    }
  if (postbag_magic_detect (data, length) != NULL
      || (length >= 5 && memcmp (data, "{\\rtf", 5) == 0))
    return fail (error, POSTBAG_EXTRACT_NOT_A_DOCUMENT, "It is of another format.");
  return fail (error, POSTBAG_EXTRACT_CORRUPT, "It is no container of files.");
}

void
postbag_zip_prepare (void)
{
  gsf_init ();
}

PostbagZip *
postbag_zip_new (const guint8 *data, gsize length, GError **error)
{
  g_autoptr (PostbagZip) self = g_new0 (PostbagZip, 1);
  g_autoptr (GError) failure = NULL;
  GsfInput *source;

  self->entries = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_entry);
  self->total_left = POSTBAG_LIMIT_ZIP_TOTAL_BYTES;
  self->reads_left = POSTBAG_LIMIT_ZIP_READS;
  if (!refuse_other_format (data, length, error) || !scan (self, data, length, error))
    return NULL;
  source = gsf_input_memory_new (data, (gsf_off_t)length, FALSE);
  self->archive = gsf_infile_zip_new (source, &failure);
  g_object_unref (source);
  if (self->archive == NULL)
    {
      fail (error, POSTBAG_EXTRACT_CORRUPT, "The container cannot be opened.");
      return NULL;
    }
  return g_steal_pointer (&self);
}

void
postbag_zip_free (PostbagZip *self)
{
  g_clear_object (&self->archive);
  g_hash_table_unref (self->entries);
  g_free (self);
}

static const Entry *
find_entry (PostbagZip *self, const char *name)
{
  g_autofree char *key = g_ascii_strdown (name, -1);

  return g_hash_table_lookup (self->entries, key);
}

gboolean
postbag_zip_has (PostbagZip *self, const char *name)
{
  return find_entry (self, name) != NULL;
}

/* --- reading one --- */

/* Small files may be packed as tightly as they like. */
static gboolean
is_bomb (const Entry *entry)
{
  return entry->size > POSTBAG_LIMIT_ZIP_SMALL_BYTES
         && entry->size / POSTBAG_LIMIT_ZIP_RATIO > entry->packed;
}

static gboolean
admit (PostbagZip *self, const Entry *entry, GError **error)
{
  if (entry == NULL)
    return fail (error, POSTBAG_EXTRACT_NOT_A_DOCUMENT, "A file that has to be there is missing.");
  if ((entry->flags & FLAG_ENCRYPTED) != 0)
    return fail (error, POSTBAG_EXTRACT_ENCRYPTED, "The document needs a password.");
  if (entry->method != DEFLATED && (entry->method != STORED || entry->packed != entry->size))
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "A file is packed in an unknown way.");
  if (self->reads_left == 0)
    return fail (error, POSTBAG_EXTRACT_TOO_MANY_PARTS, "The document has too many parts.");
  if (is_bomb (entry))
    return fail (error, POSTBAG_EXTRACT_TOO_LARGE, "A file is packed too tightly.");
  self->reads_left--;
  return TRUE;
}

/* (transfer full) (nullable) */
static GsfInput *
open_entry (PostbagZip *self, const Entry *entry)
{
  g_auto (GStrv) path = g_strsplit (entry->name, "/", -1);
  GsfInput *input = gsf_infile_child_by_aname (self->archive, (const char **)path);

  /* Not of that size: it read another list of files than the one that was checked. */
  if (input != NULL && gsf_input_size (input) != (gsf_off_t)entry->size)
    g_clear_object (&input);
  return input;
}

/* What is unpacked counts, not what the container says of it: the first rows of a long sheet cost
 * no more than those of a short one. */
static gboolean
unpack (PostbagZip *self, GsfInput *input, gsize size, PostbagZipPiece piece, gpointer user_data,
        GError **error)
{
  g_autofree guint8 *buffer = g_malloc (POSTBAG_LIMIT_ZIP_PIECE_BYTES);
  gsize allowance = MIN (POSTBAG_LIMIT_ZIP_ENTRY_BYTES, self->total_left);

  for (gsize done = 0; done < size;)
    {
      gsize length = MIN (MIN (size, allowance) - done, POSTBAG_LIMIT_ZIP_PIECE_BYTES);

      if (length == 0)
        return fail (error, POSTBAG_EXTRACT_TOO_LARGE, "A file unpacks to more than is read.");
      if (gsf_input_read (input, length, buffer) == NULL)
        return fail (error, POSTBAG_EXTRACT_CORRUPT, "A file is shorter than it says.");
      done += length;
      self->total_left -= length;
      if (!piece ((const char *)buffer, length, user_data))
        break;
    }
  return TRUE;
}

gboolean
postbag_zip_read (PostbagZip *self, const char *name, PostbagZipPiece piece, gpointer user_data,
                  GError **error)
{
  const Entry *entry = find_entry (self, name);
  g_autoptr (GObject) owner = NULL;
  GsfInput *input;

  if (!admit (self, entry, error))
    return FALSE;
  input = open_entry (self, entry);
  owner = (GObject *)input;
  if (input == NULL)
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "A file cannot be unpacked.");
  return unpack (self, input, entry->size, piece, user_data, error);
}
