/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files inside a text: uuencode (IEEE Std 1003.1, `begin 644 name` ... `end`) and yEnc
 * (`=ybegin ... name=...` ... `=yend`). A line that only starts like one opens nothing: what
 * follows has to look like data up to an end. One pass over the lines. */

#include "mime/postbag-message.h"
#include "mime/postbag-mime-private.h"

#include <string.h>

#include "base/postbag-limits.h"

#define UUENCODE "x-uuencode"
#define YENC "x-yenc"

typedef struct
{
  const char *data;
  gsize length;
  GArray *found;
  PostbagTextBlock block; /* encoding NULL: outside of one */
  gboolean has_data;
} Search;

static void
clear_block (gpointer data)
{
  PostbagTextBlock *block = data;

  g_clear_pointer (&block->name, g_free);
}

static gboolean
starts_with (PostbagSlice line, const char *word)
{
  gsize size = strlen (word);

  return line.length >= size && memcmp (line.data, word, size) == 0;
}

static void
begin_block (Search *self, gsize offset, const char *encoding, const char *name, gsize length)
{
  PostbagSlice trimmed = postbag_slice_trim ((PostbagSlice){ name, length });

  clear_block (&self->block);
  self->block.offset = offset;
  self->block.encoding = encoding;
  self->block.name = postbag_charset_guess (trimmed.data, MIN (trimmed.length, 1000), NULL, NULL);
  self->has_data = FALSE;
}

/* `begin`, three or four octal digits, a name. */
static gboolean
try_begin (Search *self, gsize offset, PostbagSlice line)
{
  gsize at = 6;

  if (!starts_with (line, "begin "))
    return FALSE;
  while (at < line.length && line.data[at] >= '0' && line.data[at] <= '7')
    at++;
  if (at < 9 || at > 10 || at + 1 >= line.length || line.data[at] != ' ')
    return FALSE;
  begin_block (self, offset, UUENCODE, line.data + at + 1, line.length - at - 1);
  return TRUE;
}

static gboolean
try_ybegin (Search *self, gsize offset, PostbagSlice line)
{
  const char *name;

  if (!starts_with (line, "=ybegin "))
    return FALSE;
  name = g_strstr_len (line.data, (gssize)line.length, " name=");
  if (name == NULL)
    return FALSE;
  name += strlen (" name=");
  begin_block (self, offset, YENC, name, line.length - (gsize)(name - line.data));
  return TRUE;
}

/* A length, then four characters for three bytes; blanks at the end may have been lost. */
static gboolean
is_uu_line (PostbagSlice line)
{
  gsize wanted;

  if (line.length == 0)
    return FALSE;
  for (gsize i = 0; i < line.length; i++)
    if (line.data[i] < ' ' || line.data[i] > '`')
      return FALSE;
  wanted = ((gsize)(line.data[0] - ' ') & 0x3f) * 4 / 3;
  return line.length <= wanted + 6;
}

static void
finish_block (Search *self, gsize end)
{
  self->block.length = end - self->block.offset;
  g_array_append_val (self->found, self->block);
  self->block = (PostbagTextBlock){ 0 };
}

static void
drop_block (Search *self)
{
  clear_block (&self->block);
  self->block = (PostbagTextBlock){ 0 };
}

static void
take_line (Search *self, gsize offset, PostbagSlice line, gsize next)
{
  gboolean in_uu = self->block.encoding != NULL && strcmp (self->block.encoding, UUENCODE) == 0;
  gboolean in_yenc = self->block.encoding != NULL && !in_uu;

  if (in_uu && self->has_data && line.length == 3 && memcmp (line.data, "end", 3) == 0)
    finish_block (self, next);
  else if (in_yenc && starts_with (line, "=yend"))
    finish_block (self, next);
  else if (in_uu && is_uu_line (line))
    self->has_data = TRUE;
  else if (try_begin (self, offset, line) || try_ybegin (self, offset, line))
    return;
  else if (in_uu)
    drop_block (self);
}

GArray *
postbag_text_blocks_find (const char *bytes, gsize length, guint max)
{
  Search self = { .data = bytes, .length = length };

  self.found = g_array_new (FALSE, FALSE, sizeof (PostbagTextBlock));
  g_array_set_clear_func (self.found, clear_block);
  for (gsize start = 0, next; start < length && self.found->len < max; start = next)
    {
      const char *newline = memchr (bytes + start, '\n', length - start);
      gsize end = newline != NULL ? (gsize)(newline - bytes) : length;

      next = newline != NULL ? end + 1 : length;
      if (end > start && bytes[end - 1] == '\r')
        end--;
      take_line (&self, start, (PostbagSlice){ bytes + start, end - start }, next);
    }
  drop_block (&self);
  if (self.found->len > 0)
    return self.found;
  g_array_unref (self.found);
  return NULL;
}

GBytes *
postbag_text_blocks_remove (GBytes *text, GArray *blocks)
{
  gsize length, position = 0;
  const char *bytes = g_bytes_get_data (text, &length);
  GByteArray *out = g_byte_array_new ();

  for (guint i = 0; i < blocks->len; i++)
    {
      const PostbagTextBlock *block = &g_array_index (blocks, PostbagTextBlock, i);
      static const char mark[] = "[a file was attached here]\n";

      g_byte_array_append (out, (const guint8 *)bytes + position,
                           (guint)(block->offset - position));
      g_byte_array_append (out, (const guint8 *)mark, sizeof mark - 1);
      position = block->offset + block->length;
    }
  g_byte_array_append (out, (const guint8 *)bytes + position, (guint)(length - position));
  return g_byte_array_free_to_bytes (out);
}
