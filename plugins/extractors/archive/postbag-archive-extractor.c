/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-archive-extractor.h"

#include <string.h>
#include <zlib.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "extract/postbag-charset-tables.h"
#include "extract/postbag-document-type.h"
#include "extract/postbag-members.h"
#include "extract/postbag-zip-directory.h"
#include "mime/postbag-message.h"

#define STORED 0
#define DEFLATED 8
#define SMALL_BYTES (64 * 1024) /* may be packed as tightly as they like */

static gboolean
fail (GError **error, PostbagExtractReason reason, const char *what)
{
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, (int)reason, what);
  return FALSE;
}

/* Names before UTF-8 are in the code page of the first PC, but for those who write UTF-8 and do not
 * say so. */
static char *
dup_name (const PostbagZipEntry *entry)
{
  if (entry->is_utf8 || g_utf8_validate_len (entry->name, entry->name_length, NULL))
    return postbag_text_make_valid (entry->name, (gssize)entry->name_length);
  return postbag_mime_to_utf8 (entry->name, entry->name_length, "cp437");
}

static void
collect_members (GArray *entries, PostbagMembers *members)
{
  for (guint i = 0; i < entries->len; i++)
    {
      const PostbagZipEntry *entry = &g_array_index (entries, PostbagZipEntry, i);
      g_autofree char *name = dup_name (entry);
      const PostbagMember member = { .name = name,
                                     .size = (gint64)MIN (entry->size, G_MAXINT64),
                                     .encrypted = entry->encrypted,
                                     .key = i };

      postbag_members_add (members, &member);
    }
}

static void
write_list (PostbagMembers *members, guint total, PostbagExtractOutput *output)
{
  g_autoptr (PostbagMarkdown) markdown = postbag_markdown_new (output);

  postbag_members_write (members, markdown, "Files in this archive:");
  if (total > postbag_members_count (members))
    output->note (output, "The archive has more files than are listed.");
  output->count (output, "file_count", total);
}

/* Up to the size that was declared, which was bounded before. */
static GBytes *
unpack_deflated (const PostbagZipEntry *entry, const guint8 *packed)
{
  g_autoptr (PostbagZipUnpacking) unpacking = postbag_zip_unpacking_new (entry, packed);
  GByteArray *out = g_byte_array_new ();
  const char *data;
  gsize size;

  while (postbag_zip_unpacking_next (unpacking, &data, &size) && size > 0)
    g_byte_array_append (out, (const guint8 *)data, (guint)size);
  return g_byte_array_free_to_bytes (out);
}

/* (transfer full) (nullable) */
static GBytes *
unpack (const PostbagExtractInput *input, const PostbagZipEntry *entry, GError **error)
{
  const guint8 *packed = postbag_zip_entry_find (entry, input->data, input->length);
  guint64 most = entry->packed * POSTBAG_LIMIT_ARCHIVE_RATIO + SMALL_BYTES;

  if (packed == NULL)
    fail (error, POSTBAG_EXTRACT_CORRUPT, "The file inside is not where the list says.");
  else if (entry->size > POSTBAG_LIMIT_ARCHIVE_MEMBER_BYTES || entry->size > most)
    fail (error, POSTBAG_EXTRACT_TOO_LARGE, "The file inside is too large or packed too tightly.");
  else if (entry->method == STORED)
    return g_bytes_new_static (packed, MIN (entry->packed, entry->size));
  else if (entry->method == DEFLATED)
    return unpack_deflated (entry, packed);
  else
    fail (error, POSTBAG_EXTRACT_UNREADABLE_MEMBER, "The file inside is packed in an unknown way.");
  return NULL;
}

static gboolean
is_whole (const PostbagZipEntry *entry, GBytes *bytes)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);

  return length == entry->size && crc32_z (crc32_z (0, NULL, 0), data, length) == entry->checksum;
}

/* What there is of a damaged file is read, too, if there is any. */
static gboolean
check_damage (const PostbagZipEntry *entry, GBytes *bytes, PostbagExtractOutput *output,
              GError **error)
{
  if (is_whole (entry, bytes))
    return TRUE;
  if (g_bytes_get_size (bytes) == 0)
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "The file inside is damaged.");
  output->note (output, "The file inside is damaged: it may end early, or not be as it was.");
  return TRUE;
}

static gboolean
read_member (const PostbagExtractInput *input, GArray *entries, PostbagMembers *members,
             PostbagExtractOutput *output, GError **error)
{
  const PostbagMember *member = postbag_members_find (members, input->member, error);
  const PostbagZipEntry *entry;
  g_autoptr (GBytes) bytes = NULL;
  gsize length;
  const guint8 *data;

  if (member == NULL)
    return FALSE;
  entry = &g_array_index (entries, PostbagZipEntry, member->key);
  bytes = unpack (input, entry, error);
  if (bytes == NULL || !check_damage (entry, bytes, output, error))
    return FALSE;
  if (g_strcmp0 (postbag_document_settle_type (bytes, NULL, member->name), "application/zip") == 0)
    return fail (error, POSTBAG_EXTRACT_UNREADABLE_MEMBER, "It is an archive in an archive.");
  data = g_bytes_get_data (bytes, &length);
  return postbag_member_read (member, output, data, length, error);
}

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  guint total;
  g_autoptr (GArray) entries =
      postbag_zip_directory_read (input->data, input->length, POSTBAG_LIMIT_MEMBERS, &total, NULL);
  g_autoptr (PostbagMembers) members = postbag_members_new ();

  if (entries == NULL)
    return fail (error,
                 input->length >= 4 && memcmp (input->data, "PK\3\4", 4) == 0
                     ? POSTBAG_EXTRACT_CORRUPT
                     : POSTBAG_EXTRACT_NOT_A_DOCUMENT,
                 "It has no list of files.");
  collect_members (entries, members);
  if (input->member != NULL)
    return read_member (input, entries, members, output, error);
  write_list (members, total, output);
  return TRUE;
}

const PostbagExtractorImplementation postbag_archive_extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .prepare = postbag_charset_tables_prepare,
  .extract = extract,
};
