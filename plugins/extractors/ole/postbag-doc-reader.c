/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [MS-DOC]: the text lies in pieces, which a table in another stream puts in order; behind the main
 * text stand notes, margins and comments. Marks inside it are single characters. */

#include "postbag-ole-readers.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-markdown.h"
#include "mime/postbag-message.h"

/* Offsets in the file information block ([MS-DOC] 2.5). */
#define FIB_VERSION 0x02
#define FIB_FLAGS 0x0a
#define FIB_LENGTHS 0x4c
#define FIB_CLX 0x01a2
#define FLAG_ENCRYPTED 0x0100
#define FLAG_TABLE_1 0x0200
#define IDENTIFIER 0xa5ec
#define WORD_97 0x00c1
#define COMPRESSED 0x40000000u

enum
{
  CELL = 0x07,
  LINE = 0x0b,
  PAGE = 0x0c,
  PARAGRAPH = 0x0d,
  NOTE = 0x02,
  COMMENT = 0x05,
  FIELD_BEGIN = 0x13,
  FIELD_RESULT = 0x14,
  FIELD_END = 0x15,
  HYPHEN = 0x1e,
};

typedef struct
{
  PostbagMarkdown *markdown;
  GString *text;     /* not yet written */
  const char *notes; /* what is called a note in this part */
  guint n_notes;
  gboolean beside; /* the part is that of the notes themselves */
  gboolean fresh;  /* a note begins: the blanks in front of it are there */
  guint fields;    /* whose codes are open */
  guint depth;     /* of fields */
  gboolean in_table;
  gboolean in_row;
  gboolean after_cell;
} Writer;

/* --- the pieces --- */

typedef struct
{
  guint32 start; /* character position */
  guint32 end;
  gsize offset;
  gboolean compressed;
} Piece;

/* (transfer full) (nullable) (element-type Piece) */
static GArray *
read_piece_table (const PostbagOleBytes *table, gsize at, gsize length)
{
  GArray *pieces = g_array_new (FALSE, FALSE, sizeof (Piece));
  gsize count = length >= 16 ? (length - 4) / 12 : 0;

  for (gsize i = 0; i < count; i++)
    {
      guint32 place = postbag_ole_u32 (table, at + 4 * (count + 1) + 8 * i + 2);
      Piece piece = { postbag_ole_u32 (table, at + 4 * i), postbag_ole_u32 (table, at + 4 * i + 4),
                      place & ~COMPRESSED, (place & COMPRESSED) != 0 };

      if (piece.compressed)
        piece.offset /= 2;
      if (piece.end > piece.start)
        g_array_append_val (pieces, piece);
    }
  return pieces;
}

/* The table stands behind any number of property lists. */
static GArray *
find_pieces (const PostbagOleBytes *document, const PostbagOleBytes *table)
{
  gsize at = postbag_ole_u32 (document, FIB_CLX);
  gsize end = at + postbag_ole_u32 (document, FIB_CLX + 4);

  end = MIN (end, table->length);
  while (at + 5 <= end)
    {
      guint kind = postbag_ole_u8 (table, at);

      if (kind == 2)
        return read_piece_table (table, at + 5,
                                 MIN (postbag_ole_u32 (table, at + 1), end - at - 5));
      if (kind != 1)
        break;
      at += 3 + postbag_ole_u16 (table, at + 1);
    }
  return NULL;
}

/* --- text --- */

static void
write_text (Writer *writer)
{
  if (writer->text->len > 0)
    postbag_markdown_text (writer->markdown, writer->text->str, (gssize)writer->text->len);
  g_string_truncate (writer->text, 0);
}

/* Cells of a table are paragraphs that end in another mark: this one stands behind the table. */
static void
end_paragraph (Writer *writer)
{
  if (writer->in_table)
    postbag_markdown_end_table (writer->markdown);
  writer->in_table = writer->in_row = writer->after_cell = FALSE;
  write_text (writer);
  postbag_markdown_end_block (writer->markdown);
}

/* The mark of a row is one more behind that of its last cell. */
static void
end_cell (Writer *writer)
{
  gboolean row = writer->after_cell && writer->text->len == 0;

  if (!writer->in_table)
    postbag_markdown_begin_table (writer->markdown);
  if (!writer->in_row)
    postbag_markdown_begin_row (writer->markdown);
  writer->in_table = TRUE;
  writer->in_row = !row;
  writer->after_cell = !row;
  if (row)
    {
      postbag_markdown_end_row (writer->markdown);
      return;
    }
  postbag_markdown_begin_cell (writer->markdown);
  write_text (writer);
  postbag_markdown_end_cell (writer->markdown);
}

static void
take_note (Writer *writer)
{
  if (writer->notes == NULL)
    return;
  g_string_append_printf (writer->text, "[%s %u]%s", writer->notes, ++writer->n_notes,
                          writer->beside ? " " : "");
  writer->fresh = writer->beside;
}

/* Codes of fields are no text, their results are. */
static gboolean
take_field (Writer *writer, gunichar mark)
{
  if (mark == FIELD_BEGIN)
    {
      writer->depth++;
      writer->fields++;
    }
  else if (mark == FIELD_RESULT)
    writer->fields -= writer->fields > 0;
  else if (mark == FIELD_END)
    {
      writer->depth -= writer->depth > 0;
      writer->fields = MIN (writer->fields, writer->depth);
    }
  else
    return FALSE;
  return TRUE;
}

static void
take_character (Writer *writer, gunichar c)
{
  if (take_field (writer, c) || writer->fields > 0)
    return;
  if (writer->fresh && (c == ' ' || c == '\t'))
    return;
  writer->fresh = FALSE;
  if (c == CELL)
    {
      end_cell (writer);
      return;
    }
  if (c == PARAGRAPH && writer->in_row)
    g_string_append_c (writer->text, ' ');
  else if (c == PARAGRAPH || c == PAGE)
    end_paragraph (writer);
  else if (c == LINE)
    g_string_append_c (writer->text, '\n');
  else if (c == NOTE)
    take_note (writer);
  else if (c == HYPHEN)
    g_string_append_c (writer->text, '-');
  else if (c == '\t' || c >= ' ')
    g_string_append_unichar (writer->text, c);
}

static void
take_text (Writer *writer, const char *text)
{
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    take_character (writer, g_utf8_get_char (at));
}

/* (transfer full): characters [@from, @to) of a piece */
static char *
decode_piece (const PostbagOleBytes *document, const Piece *piece, guint32 from, guint32 to)
{
  gsize size = piece->compressed ? 1 : 2;
  gsize start = piece->offset + (from - piece->start) * size, length = (to - from) * size;
  gsize left = start < document->length ? document->length - start : 0;

  return postbag_mime_to_utf8 ((const char *)document->data + MIN (start, document->length),
                               MIN (length, left), piece->compressed ? "cp1252" : "utf-16le");
}

static void
read_range (Writer *writer, const PostbagOleBytes *document, GArray *pieces, guint32 from,
            guint32 to)
{
  for (guint i = 0; i < pieces->len && !postbag_markdown_is_full (writer->markdown); i++)
    {
      const Piece *piece = &g_array_index (pieces, Piece, i);
      guint32 start = MAX (piece->start, from), end = MIN (piece->end, to);
      g_autofree char *text = NULL;

      if (start >= end)
        continue;
      text = decode_piece (document, piece, start, end);
      take_text (writer, text);
    }
  end_paragraph (writer);
  writer->fields = writer->depth = 0;
}

/* The main text, then what stands beside it; headers and macros are left out. */
static void
read_parts (Writer *writer, const PostbagOleBytes *document, GArray *pieces)
{
  static const struct
  {
    gsize offset; /* of its length */
    const char *notes;
    gboolean skipped;
  } parts[] = { { 0x00, "Footnote", FALSE }, { 0x04, "Footnote", FALSE },
                { 0x08, NULL, TRUE },        { 0x0c, NULL, TRUE },
                { 0x10, NULL, FALSE },       { 0x14, "Endnote", FALSE },
                { 0x18, NULL, FALSE } };
  gboolean footnotes = postbag_ole_u32 (document, FIB_LENGTHS + 0x04) > 0;
  gboolean endnotes = postbag_ole_u32 (document, FIB_LENGTHS + 0x14) > 0;
  guint64 from = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      guint64 to = from + postbag_ole_u32 (document, FIB_LENGTHS + parts[i].offset);

      writer->notes = i > 0        ? parts[i].notes
                      : !endnotes  ? "Footnote"
                      : !footnotes ? "Endnote"
                                   : "Note";
      writer->n_notes = 0;
      writer->beside = i > 0;
      if (!parts[i].skipped && to > from && from < G_MAXUINT32)
        read_range (writer, document, pieces, (guint32)from, (guint32)MIN (to, G_MAXUINT32));
      from = to;
    }
}

static gboolean
fail (GError **error, PostbagExtractReason reason, const char *what)
{
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, (int)reason, what);
  return FALSE;
}

gboolean
postbag_doc_read (const PostbagOleBytes *document, const PostbagOleBytes *tables,
                  PostbagExtractOutput *output, GError **error)
{
  guint flags = postbag_ole_u16 (document, FIB_FLAGS);
  g_autoptr (GArray) pieces = NULL;
  g_autoptr (PostbagMarkdown) markdown = NULL;
  g_autoptr (GString) text = NULL;
  Writer writer = { 0 };

  if (postbag_ole_u16 (document, 0) != IDENTIFIER)
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "It does not begin as a Word document.");
  if ((flags & FLAG_ENCRYPTED) != 0)
    return fail (error, POSTBAG_EXTRACT_ENCRYPTED, "The document needs a password.");
  if (postbag_ole_u16 (document, FIB_VERSION) < WORD_97)
    return fail (error, POSTBAG_EXTRACT_NOT_A_DOCUMENT, "It was written before Word 97.");
  pieces = find_pieces (document, &tables[(flags & FLAG_TABLE_1) != 0]);
  if (pieces == NULL)
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "The document has no table of its text.");
  markdown = postbag_markdown_new (output);
  text = g_string_new (NULL);
  writer.markdown = markdown;
  writer.text = text;
  read_parts (&writer, document, pieces);
  return TRUE;
}
