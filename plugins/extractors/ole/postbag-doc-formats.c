/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-doc-formats.h"

#define PAGE_BYTES 512
#define WHITE 8
#define WHITE_COLOUR 0xffffff
#define DUST 4 /* half points: two points and less */

enum
{
  CHANGE_DELETED = 0x0800,
  CHANGE_HIDDEN = 0x083c,
  CHANGE_IN_TABLE = 0x2416,
  CHANGE_ENDS_ROW = 0x2417,
  CHANGE_LEVEL = 0x260a,
  CHANGE_OUTLINE = 0x2640,
  CHANGE_COLOUR_INDEX = 0x2a42,
  CHANGE_LIST = 0x460b,
  CHANGE_STYLE = 0x4a30,
  CHANGE_SIZE = 0x4a43,
  CHANGE_COLOUR = 0x6870,
  CHANGE_TABS = 0xc615,
  CHANGE_TABLE = 0xd608,
};

typedef struct
{
  guint code;
  PostbagOleBytes value;
} Change;

/* --- changes --- */

/* How long the value is, the code tells, or the first bytes of the value do. */
static gsize
measure_value (const PostbagOleBytes *changes, guint code, gsize *at)
{
  static const guint sizes[] = { 1, 1, 2, 4, 2, 2, 0, 3 };
  guint kind = code >> 13;

  if (kind != 6)
    return sizes[kind];
  if (code == CHANGE_TABLE)
    {
      *at += 2;
      return MAX (postbag_ole_u16 (changes, *at - 2), 1) - 1;
    }
  *at += 1;
  return postbag_ole_u8 (changes, *at - 1);
}

/* Returns: %FALSE at the end. Tabs that are longer than they can say end the list, too. */
static gboolean
next_change (const PostbagOleBytes *changes, gsize *at, Change *change)
{
  gsize length;

  if (*at > changes->length || changes->length - *at < 3)
    return FALSE;
  change->code = postbag_ole_u16 (changes, *at);
  *at += 2;
  length = measure_value (changes, change->code, at);
  if (*at > changes->length || length > changes->length - *at
      || (change->code == CHANGE_TABS && length == 255))
    return FALSE;
  change->value = (PostbagOleBytes){ changes->data + *at, length };
  *at += length;
  return TRUE;
}

void
postbag_doc_change_paragraph (PostbagDocParagraph *self, const PostbagOleBytes *changes)
{
  Change change;

  for (gsize at = 0; next_change (changes, &at, &change);)
    {
      guint byte = postbag_ole_u8 (&change.value, 0);

      if (change.code == CHANGE_LIST)
        self->list = (gint)postbag_ole_u16 (&change.value, 0);
      else if (change.code == CHANGE_LEVEL)
        self->level = (gint)MIN (byte, 8);
      else if (change.code == CHANGE_OUTLINE)
        self->heading = byte < 9 ? byte + 1 : 0;
      else if (change.code == CHANGE_IN_TABLE)
        self->in_table = byte != 0;
      else if (change.code == CHANGE_ENDS_ROW)
        self->ends_row = byte != 0;
    }
}

void
postbag_doc_change_characters (PostbagDocCharacters *self, const PostbagOleBytes *changes,
                               gboolean style_is_hidden)
{
  Change change;

  for (gsize at = 0; next_change (changes, &at, &change);)
    {
      guint byte = postbag_ole_u8 (&change.value, 0);

      if (change.code == CHANGE_DELETED)
        self->is_deleted = byte != 0;
      else if (change.code == CHANGE_HIDDEN)
        self->is_hidden = (byte & 0x80) != 0 ? style_is_hidden != ((byte & 1) != 0) : byte != 0;
      else if (change.code == CHANGE_STYLE)
        self->style = postbag_ole_u16 (&change.value, 0);
      else if (change.code == CHANGE_COLOUR_INDEX)
        self->is_unseen |= byte == WHITE;
      else if (change.code == CHANGE_COLOUR)
        self->is_unseen |= postbag_ole_u32 (&change.value, 0) == WHITE_COLOUR;
      else if (change.code == CHANGE_SIZE)
        self->is_unseen |= postbag_ole_u16 (&change.value, 0) <= DUST;
    }
}

/* --- runs --- */

PostbagOleBytes
postbag_doc_get_part (const PostbagOleBytes *document, const PostbagOleBytes *table, gsize entry)
{
  gsize at = postbag_ole_u32 (document, entry), length = postbag_ole_u32 (document, entry + 4);

  if (at >= table->length)
    return (PostbagOleBytes){ (const guint8 *)"", 0 };
  return (PostbagOleBytes){ table->data + at, MIN (length, table->length - at) };
}

void
postbag_doc_runs_open (PostbagDocRuns *self, const PostbagOleBytes *document,
                       const PostbagOleBytes *table, gsize entry, gboolean of_paragraphs)
{
  *self = (PostbagDocRuns){ .document = document,
                            .pages = postbag_doc_get_part (document, table, entry),
                            .of_paragraphs = of_paragraphs };
}

/* Of places in order, the last one that is not behind @place. @count: of ranges between them.
 * Returns: @count where there is none */
static gsize
find_range (const PostbagOleBytes *places, gsize count, gsize place)
{
  gsize low = 0, high = count;

  while (low < high)
    {
      gsize middle = (low + high) / 2;

      if (postbag_ole_u32 (places, 4 * (middle + 1)) <= place)
        low = middle + 1;
      else
        high = middle;
    }
  return low < count && postbag_ole_u32 (places, 4 * low) <= place ? low : count;
}

/* A list of changes begins with its length: in bytes, or in words with the style in front. */
static void
read_run (PostbagDocRuns *self, const PostbagOleBytes *page, gsize at)
{
  PostbagDocRun *run = &self->last;
  gsize length = postbag_ole_u8 (page, at);

  at++;
  if (self->of_paragraphs)
    {
      length = length > 0 ? 2 * length - 1 : 2 * (gsize)postbag_ole_u8 (page, at++);
      run->style = postbag_ole_u16 (page, at);
      at += 2;
      length = MAX (length, 2) - 2;
    }
  if (at < page->length)
    run->changes = (PostbagOleBytes){ page->data + at, MIN (length, page->length - at) };
}

static void
read_page (PostbagDocRuns *self, const PostbagOleBytes *page, gsize place)
{
  gsize count = postbag_ole_u8 (page, PAGE_BYTES - 1), each = self->of_paragraphs ? 13 : 1;
  gsize index = find_range (page, count, place);
  gsize at = 2 * (gsize)postbag_ole_u8 (page, 4 * (count + 1) + index * each);

  if (index == count)
    return;
  self->last.from = postbag_ole_u32 (page, 4 * index);
  self->last.to = postbag_ole_u32 (page, 4 * (index + 1));
  self->last.is_known = TRUE;
  if (at > 0)
    read_run (self, page, at);
}

const PostbagDocRun *
postbag_doc_runs_find (PostbagDocRuns *self, gsize place)
{
  const PostbagOleBytes *document = self->document;
  gsize count = self->pages.length >= 4 ? (self->pages.length - 4) / 8 : 0, index, at;
  PostbagOleBytes page;

  if (place >= self->last.from && place < self->last.to)
    return &self->last;
  self->last = (PostbagDocRun){ .from = place, .to = place + 1 };
  index = find_range (&self->pages, count, place);
  if (count == 0)
    self->last.to = G_MAXSIZE;
  if (index == count)
    return &self->last;
  at = PAGE_BYTES * (gsize)(postbag_ole_u32 (&self->pages, 4 * (count + 1 + index)) & 0x3fffff);
  if (at > document->length || document->length - at < PAGE_BYTES)
    return &self->last;
  page = (PostbagOleBytes){ document->data + at, PAGE_BYTES };
  read_page (self, &page, place);
  return &self->last;
}
