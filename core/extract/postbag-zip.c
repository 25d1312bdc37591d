/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-zip.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-attachment-policy.h"

#define STORED 0
#define DEFLATED 8

struct _PostbagZip
{
  const guint8 *data;
  gsize length;
  GArray *entries;
  GHashTable *names; /* in lower case, to the PostbagZipEntry; the first of a name counts */
  gsize total_left;
  guint reads_left;
};

static gboolean
fail (GError **error, PostbagExtractReason reason, const char *message)
{
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, (int)reason, message);
  return FALSE;
}

/* --- the list of files --- */

/* Names that would leave a folder are never asked for: they only have to be kept out of the way. */
static gboolean
take_names (PostbagZip *self, GError **error)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      PostbagZipEntry *entry = &g_array_index (self->entries, PostbagZipEntry, i);
      g_autofree char *key = g_ascii_strdown (entry->name, -1);

      if (strlen (entry->name) != entry->name_length)
        return fail (error, POSTBAG_EXTRACT_CORRUPT, "A file has a name that no program writes.");
      if (!g_hash_table_contains (self->names, key))
        g_hash_table_insert (self->names, g_steal_pointer (&key), entry);
    }
  return TRUE;
}

static gboolean
read_list (PostbagZip *self, GError **error)
{
  guint total;
  gboolean is_whole;

  self->entries = postbag_zip_directory_read (self->data, self->length, POSTBAG_LIMIT_ZIP_ENTRIES,
                                              &total, &is_whole);
  if (self->entries == NULL)
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "The container has no end: it was cut off.");
  if (total > POSTBAG_LIMIT_ZIP_ENTRIES)
    return fail (error, POSTBAG_EXTRACT_TOO_MANY_PARTS, "The container has too many files.");
  if (total == 0 || !is_whole)
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "The list of files is damaged.");
  return take_names (self, error);
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

PostbagZip *
postbag_zip_new (const guint8 *data, gsize length, GError **error)
{
  g_autoptr (PostbagZip) self = g_new0 (PostbagZip, 1);

  self->data = data;
  self->length = length;
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->total_left = POSTBAG_LIMIT_ZIP_TOTAL_BYTES;
  self->reads_left = POSTBAG_LIMIT_ZIP_READS;
  if (!refuse_other_format (data, length, error) || !read_list (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
postbag_zip_free (PostbagZip *self)
{
  g_hash_table_unref (self->names);
  g_clear_pointer (&self->entries, g_array_unref);
  g_free (self);
}

static const PostbagZipEntry *
find_entry (PostbagZip *self, const char *name)
{
  g_autofree char *key = g_ascii_strdown (name, -1);

  return g_hash_table_lookup (self->names, key);
}

gboolean
postbag_zip_has (PostbagZip *self, const char *name)
{
  return find_entry (self, name) != NULL;
}

/* --- reading one --- */

/* Small files may be packed as tightly as they like. */
static gboolean
is_bomb (const PostbagZipEntry *entry)
{
  return entry->size > POSTBAG_LIMIT_ZIP_SMALL_BYTES
         && entry->size / POSTBAG_LIMIT_ZIP_RATIO > entry->packed;
}

static gboolean
admit (PostbagZip *self, const PostbagZipEntry *entry, GError **error)
{
  if (entry == NULL)
    return fail (error, POSTBAG_EXTRACT_NOT_A_DOCUMENT, "A file that has to be there is missing.");
  if (entry->encrypted)
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

struct _PostbagZipReading
{
  PostbagZip *zip;
  PostbagZipUnpacking *unpacking;
  gsize allowance;    /* what of it may still be unpacked */
  gboolean is_beyond; /* it unpacks to more */
};

PostbagZipReading *
postbag_zip_open (PostbagZip *self, const char *name, GError **error)
{
  const PostbagZipEntry *entry = find_entry (self, name);
  const guint8 *packed;
  PostbagZipReading *reading;

  if (!admit (self, entry, error))
    return NULL;
  packed = postbag_zip_entry_find (entry, self->data, self->length);
  if (packed == NULL)
    {
      fail (error, POSTBAG_EXTRACT_CORRUPT, "A file is not where the list says.");
      return NULL;
    }
  reading = g_new0 (PostbagZipReading, 1);
  reading->zip = self;
  reading->unpacking = postbag_zip_unpacking_new (entry, packed);
  reading->allowance = POSTBAG_LIMIT_ZIP_ENTRY_BYTES;
  return reading;
}

void
postbag_zip_reading_free (PostbagZipReading *self)
{
  postbag_zip_unpacking_free (self->unpacking);
  g_free (self);
}

/* What is unpacked counts, not what the container says of it: the first rows of a long sheet cost
 * no more than those of a short one. */
gboolean
postbag_zip_reading_next (PostbagZipReading *self, const char **data, gsize *size, GError **error)
{
  gsize allowance = MIN (self->allowance, self->zip->total_left);

  if (!self->is_beyond && !postbag_zip_unpacking_next (self->unpacking, data, size))
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "A file is shorter than it says.");
  if (self->is_beyond || (*size > 0 && allowance == 0))
    return fail (error, POSTBAG_EXTRACT_TOO_LARGE, "A file unpacks to more than is read.");
  self->is_beyond = *size > allowance;
  *size = MIN (*size, allowance);
  self->allowance -= *size;
  self->zip->total_left -= *size;
  return TRUE;
}
