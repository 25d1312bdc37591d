/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-doc-pieces.h"

#define COMPRESSED 0x40000000u
#define TABLE 2
#define CHANGES 1
#define CHANGES_ARE_LISTED 1

/* @lists: (element-type PostbagOleBytes) */
static GArray *
read_table (const PostbagOleBytes *table, gsize at, gsize length, GArray *lists)
{
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (PostbagDocPiece));
  gsize count = length >= 16 ? (length - 4) / 12 : 0;

  for (gsize i = 0; i < count; i++)
    {
      gsize entry = at + 4 * (count + 1) + 8 * i;
      guint32 place = postbag_ole_u32 (table, entry + 2);
      guint changes = postbag_ole_u16 (table, entry + 6);
      PostbagDocPiece piece = { .start = postbag_ole_u32 (table, at + 4 * i),
                                .end = postbag_ole_u32 (table, at + 4 * i + 4),
                                .offset = place & ~COMPRESSED,
                                .is_compressed = (place & COMPRESSED) != 0 };

      if (piece.is_compressed)
        piece.offset /= 2;
      if ((changes & CHANGES_ARE_LISTED) != 0 && changes >> 1 < lists->len)
        piece.changes = g_array_index (lists, PostbagOleBytes, changes >> 1);
      if (piece.end > piece.start)
        g_array_append_val (pieces, piece);
    }
  return pieces;
}

/* The table stands behind any number of lists. */
GArray *
postbag_doc_read_pieces (const PostbagOleBytes *table)
{
  g_autoptr (GArray) lists = g_array_new (FALSE, FALSE, sizeof (PostbagOleBytes));
  gsize at = 0;

  while (at + 5 <= table->length)
    {
      guint kind = postbag_ole_u8 (table, at);
      gsize length = postbag_ole_u16 (table, at + 1);
      PostbagOleBytes list = { table->data + at + 3, MIN (length, table->length - at - 3) };

      if (kind == TABLE)
        return read_table (table, at + 5,
                           MIN (postbag_ole_u32 (table, at + 1), table->length - at - 5), lists);
      if (kind != CHANGES)
        break;
      g_array_append_val (lists, list);
      at += 3 + length;
    }
  return NULL;
}

/* [MS-DOC] 2.9.73: what is not as in Latin-1 */
static gunichar
decode_byte (guint byte)
{
  static const guint16 others[] = {
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178,
  };

  return byte >= 0x80 && byte < 0x80 + G_N_ELEMENTS (others) ? others[byte - 0x80] : byte;
}

gunichar
postbag_doc_get_character (const PostbagOleBytes *document, const PostbagDocPiece *piece,
                           gsize place, gsize *size)
{
  gunichar c, low;

  *size = piece->is_compressed ? 1 : 2;
  if (piece->is_compressed)
    return decode_byte (postbag_ole_u8 (document, place));
  c = postbag_ole_u16 (document, place);
  low = postbag_ole_u16 (document, place + 2);
  if ((c & 0xfc00) == 0xd800 && (low & 0xfc00) == 0xdc00)
    {
      *size = 4;
      return 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
    }
  return g_unichar_validate (c) ? c : 0xfffd;
}
