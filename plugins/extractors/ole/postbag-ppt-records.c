/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-ppt-records.h"

#include "base/postbag-limits.h"

#define HEADER_BYTES 8
#define TOKEN_ENCRYPTED 0xf3d1c4df
#define EDIT_BYTES_ENCRYPTED 32

gboolean
postbag_ppt_next (const PostbagOleBytes *bytes, gsize *at, PostbagPptRecord *record)
{
  gsize start = *at + HEADER_BYTES, length;

  if (*at > bytes->length || bytes->length - *at < HEADER_BYTES)
    return FALSE;
  length = postbag_ole_u32 (bytes, *at + 4);
  record->instance = postbag_ole_u16 (bytes, *at) >> 4;
  record->type = postbag_ole_u16 (bytes, *at + 2);
  record->bytes.data = bytes->data + start;
  record->bytes.length = MIN (length, bytes->length - start);
  *at = start + record->bytes.length;
  return TRUE;
}

gboolean
postbag_ppt_find (const PostbagOleBytes *bytes, guint type, PostbagPptRecord *record)
{
  gsize at = 0;

  while (postbag_ppt_next (bytes, &at, record))
    if (record->type == type)
      return TRUE;
  return FALSE;
}

/* Newer directories come first: what they name stays. Returns: how many entries there were */
static guint
take_directory (PostbagPptFile *self, const PostbagOleBytes *directory, guint most)
{
  guint taken = 0;
  gsize at = 0;

  while (at + 4 <= directory->length && taken < most)
    {
      guint32 head = postbag_ole_u32 (directory, at);
      guint32 id = head & 0xfffff;

      at += 4;
      for (guint i = head >> 20; i > 0 && at + 4 <= directory->length && taken < most; i--)
        {
          gpointer key = GUINT_TO_POINTER (id);
          gsize place = postbag_ole_u32 (directory, at);

          if (!g_hash_table_contains (self->places, key))
            g_hash_table_insert (self->places, key, GSIZE_TO_POINTER (place + 1));
          at += 4;
          id++;
          taken++;
        }
    }
  return taken;
}

/* Where "Current User" is missing: the last edit of all. Returns: its offset + 1, 0 for none */
static gsize
find_last_edit (const PostbagOleBytes *stream)
{
  PostbagPptRecord record;
  gsize at = 0, start = 0, found = 0;

  while (postbag_ppt_next (stream, &at, &record))
    {
      if (record.type == POSTBAG_PPT_EDIT)
        found = start + 1;
      start = at;
    }
  return found;
}

/* An older edit stands before a newer one, so that a chain of them ends. */
static void
take_edits (PostbagPptFile *self, gsize place)
{
  guint left = POSTBAG_LIMIT_DOCUMENT_ROWS, edits = 0;
  PostbagPptRecord edit, directory;

  for (gsize at = place, before; edits < POSTBAG_LIMIT_PPT_EDITS && left > 0; edits++)
    {
      gsize start = at;
      gsize next;

      if (!postbag_ppt_next (self->stream, &at, &edit) || edit.type != POSTBAG_PPT_EDIT)
        return;
      if (edits == 0)
        {
          self->document = postbag_ole_u32 (&edit.bytes, 16);
          self->encrypted |= edit.bytes.length >= EDIT_BYTES_ENCRYPTED;
        }
      before = postbag_ole_u32 (&edit.bytes, 8);
      next = postbag_ole_u32 (&edit.bytes, 12);
      if (postbag_ppt_next (self->stream, &next, &directory)
          && directory.type == POSTBAG_PPT_PERSIST_DIRECTORY)
        left -= take_directory (self, &directory.bytes, left);
      if (before == 0 || before >= start)
        return;
      at = before;
    }
}

void
postbag_ppt_file_open (PostbagPptFile *self, const PostbagOleBytes *stream,
                       const PostbagOleBytes *user)
{
  gsize place = postbag_ole_u32 (user, 16);
  gsize at = place;
  PostbagPptRecord record;

  self->stream = stream;
  self->places = g_hash_table_new (NULL, NULL);
  self->encrypted = postbag_ole_u32 (user, 12) == TOKEN_ENCRYPTED;
  if (place == 0 || !postbag_ppt_next (stream, &at, &record) || record.type != POSTBAG_PPT_EDIT)
    {
      gsize found = find_last_edit (stream);

      if (found == 0)
        return;
      place = found - 1;
    }
  take_edits (self, place);
}

void
postbag_ppt_file_close (PostbagPptFile *self)
{
  g_clear_pointer (&self->places, g_hash_table_unref);
}

gboolean
postbag_ppt_file_get (const PostbagPptFile *self, guint32 id, guint type, PostbagPptRecord *record)
{
  gsize place = GPOINTER_TO_SIZE (g_hash_table_lookup (self->places, GUINT_TO_POINTER (id)));
  gsize at = place - 1;

  return place > 0 && postbag_ppt_next (self->stream, &at, record) && record->type == type;
}
