/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The style sheet ([MS-DOC] 2.9.271): a style is a name and lists of changes, over those of the
 * style that it is based on. */

#include "postbag-doc-formats.h"

#define MOST_STYLES 4095
#define MOST_PARENTS 16
#define NO_STYLE 0xfff
#define OF_PARAGRAPHS 1
#define OF_CHARACTERS 2

typedef struct
{
  guint heading;
  guint parent;
  PostbagOleBytes paragraph, characters;
} Source;

/* A list of changes behind its length, on an even place. @at: (inout): from the style's begin */
static PostbagOleBytes
take_changes (const PostbagOleBytes *style, gsize *at)
{
  gsize length = postbag_ole_u16 (style, *at), start = *at + 2;

  *at = start + length + (length & 1);
  if (start > style->length)
    return (PostbagOleBytes){ (const guint8 *)"", 0 };
  return (PostbagOleBytes){ style->data + start, MIN (length, style->length - start) };
}

/* @base: bytes in front of the name */
static void
read_style (const PostbagOleBytes *style, gsize base, Source *source)
{
  guint number = postbag_ole_u16 (style, 0) & 0xfff, kind = postbag_ole_u16 (style, 2) & 0xf;
  gsize at = base + 2 + 2 * (gsize)postbag_ole_u16 (style, base) + 2;

  source->heading = number >= 1 && number <= 9 ? number : 0;
  source->parent = postbag_ole_u16 (style, 2) >> 4;
  if (kind == OF_PARAGRAPHS)
    {
      source->paragraph = take_changes (style, &at);
      /* in front of them, the number of the style itself */
      if (source->paragraph.length >= 2)
        {
          source->paragraph.data += 2;
          source->paragraph.length -= 2;
        }
    }
  if (kind == OF_PARAGRAPHS || kind == OF_CHARACTERS)
    source->characters = take_changes (style, &at);
}

static PostbagDocStyle
resolve (GArray *sources, guint index)
{
  PostbagDocStyle style = { { .list = -1, .level = -1 }, { 0 } };
  guint chain[MOST_PARENTS], length = 0;

  for (guint at = index; at < sources->len && length < MOST_PARENTS;
       at = g_array_index (sources, Source, at).parent)
    chain[length++] = at;
  while (length > 0)
    {
      const Source *source = &g_array_index (sources, Source, chain[--length]);
      gboolean hidden = style.characters.is_hidden;

      if (source->heading > 0)
        style.paragraph.heading = source->heading;
      postbag_doc_change_paragraph (&style.paragraph, &source->paragraph);
      postbag_doc_change_characters (&style.characters, &source->characters, hidden);
    }
  return style;
}

GArray *
postbag_doc_read_styles (const PostbagOleBytes *sheet)
{
  g_autoptr (GArray) sources = g_array_new (FALSE, FALSE, sizeof (Source));
  GArray *styles = g_array_new (FALSE, FALSE, sizeof (PostbagDocStyle));
  gsize at = 2 + (gsize)postbag_ole_u16 (sheet, 0);
  guint count = MIN (postbag_ole_u16 (sheet, 2), MOST_STYLES);
  gsize base = postbag_ole_u16 (sheet, 4);

  for (guint i = 0; i < count && at + 2 <= sheet->length; i++)
    {
      Source source = { .parent = NO_STYLE };
      gsize length = MIN (postbag_ole_u16 (sheet, at), sheet->length - at - 2);
      const PostbagOleBytes style = { sheet->data + at + 2, length };

      if (length > 0)
        read_style (&style, base, &source);
      g_array_append_val (sources, source);
      at += 2 + length;
    }
  for (guint i = 0; i < sources->len; i++)
    {
      PostbagDocStyle style = resolve (sources, i);

      g_array_append_val (styles, style);
    }
  return styles;
}
