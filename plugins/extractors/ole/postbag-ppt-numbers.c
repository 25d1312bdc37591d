/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-ppt-numbers.h"

#define HAS_PICTURE 0x00800000
#define HAS_SCHEME 0x01000000
#define HAS_NUMBERS 0x02000000
#define HAS_RUN 0x00100000
#define MASK_STYLE 0xffff
#define STYLE_INDEX_SHIFT 10

/* Properties of letters that a mask announces, in the order in which they stand ([MS-PPT] 2.9.14):
 * their bits and bytes. */
static const struct
{
  guint32 mask;
  guint size;
} properties[] = {
  { MASK_STYLE, 2 }, { 0x00010000, 2 }, { 0x00200000, 2 }, { 0x00400000, 2 },
  { 0x00800000, 2 }, { 0x00020000, 2 }, { 0x00040000, 4 }, { 0x00080000, 2 },
};

/* The language of the letters: [MS-PPT] 2.9.31. Returns: where the next thing begins */
static gsize
skip_language (const PostbagOleBytes *bytes, gsize at)
{
  guint32 mask = postbag_ole_u32 (bytes, at);

  at += 4;
  for (guint i = 0; i < 3; i++)
    at += (mask >> i & 1) != 0 ? 2 : 0;
  at += (mask & 0x20) != 0 ? 4 : 0;
  at += (mask & 0x40) != 0 ? 2 : 0;
  if ((mask & 0x200) != 0)
    at += 4 + 4 * (gsize)postbag_ole_u32 (bytes, at);
  return at;
}

void
postbag_ppt_numbers_open (PostbagPptNumbers *self, const PostbagOleBytes *styles, gsize at,
                          const PostbagOleBytes *numbering)
{
  gsize place = 0;

  *self = (PostbagPptNumbers){ .styles = styles, .at = at };
  for (guint i = 0; i < POSTBAG_PPT_NUMBERINGS && place < numbering->length; i++)
    {
      guint32 mask = postbag_ole_u32 (numbering, place);

      place += 4;
      place += (mask & HAS_PICTURE) != 0 ? 2 : 0;
      self->numberings[i].is_numbered =
          (mask & HAS_NUMBERS) != 0 && postbag_ole_u16 (numbering, place) != 0;
      place += (mask & HAS_NUMBERS) != 0 ? 2 : 0;
      self->numberings[i].start =
          (mask & HAS_SCHEME) != 0 ? postbag_ole_u16 (numbering, place + 2) : 1;
      place += (mask & HAS_SCHEME) != 0 ? 4 : 0;
      mask = postbag_ole_u32 (numbering, place);
      place = skip_language (numbering, place + 4 + ((mask & HAS_RUN) != 0 ? 4 : 0));
    }
}

static void
next_run (PostbagPptNumbers *self)
{
  guint32 mask = postbag_ole_u32 (self->styles, self->at + 4);
  gsize at = self->at + 8;

  self->until += postbag_ole_u32 (self->styles, self->at);
  self->index = (mask & MASK_STYLE) != 0 ? postbag_ole_u16 (self->styles, at) >> STYLE_INDEX_SHIFT
                                               & (POSTBAG_PPT_NUMBERINGS - 1)
                                         : 0;
  for (gsize i = 0; i < G_N_ELEMENTS (properties); i++)
    at += (mask & properties[i].mask) != 0 ? properties[i].size : 0;
  self->at = at;
}

gint64
postbag_ppt_numbers_count (PostbagPptNumbers *self, gsize place, guint level)
{
  gint64 *value = &self->values[level];

  while (place >= self->until && self->at < self->styles->length)
    next_run (self);
  for (guint i = level + 1; i < POSTBAG_PPT_LEVELS; i++)
    self->values[i] = 0;
  if (!self->numberings[self->index].is_numbered)
    *value = 0;
  else
    *value = *value > 0 ? *value + 1 : self->numberings[self->index].start;
  return *value;
}

PostbagOleBytes
postbag_ppt_find_tagged (const PostbagOleBytes *container, guint type)
{
  PostbagPptRecord tags, tag, data, found;
  gsize at = 0;

  if (postbag_ppt_find (container, POSTBAG_PPT_TAGS, &tags))
    while (postbag_ppt_next (&tags.bytes, &at, &tag))
      if (tag.type == POSTBAG_PPT_TAG && postbag_ppt_find (&tag.bytes, POSTBAG_PPT_TAG_DATA, &data)
          && postbag_ppt_find (&data.bytes, type, &found))
        return found.bytes;
  return (PostbagOleBytes){ (const guint8 *)"", 0 };
}
