/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [MS-DOC]: the text lies in pieces, which a table in another stream puts in order; behind the main
 * text stand notes, margins and comments. Marks inside it are single characters; how it is
 * formatted is told of ranges of bytes. */

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-link.h"
#include "extract/postbag-teller.h"

#include "postbag-doc-formats.h"
#include "postbag-doc-lists.h"
#include "postbag-doc-pieces.h"

/* Offsets in the file information block ([MS-DOC] 2.5). */
#define FIB_VERSION 0x02
#define FIB_FLAGS 0x0a
#define FIB_LENGTHS 0x4c
#define FIB_STYLES 0xa2
#define FIB_CHARACTERS 0xfa
#define FIB_PARAGRAPHS 0x102
#define FIB_PIECES 0x1a2
#define FIB_LISTS 0x2e2
#define FIB_LIST_OVERRIDES 0x2ea
#define FLAG_ENCRYPTED 0x0100
#define FLAG_TABLE_1 0x0200
#define IDENTIFIER 0xa5ec
#define WORD_97 0x00c1
#define MOST_CODE_BYTES 4096

enum
{
  PICTURE = 0x01,
  NOTE = 0x02,
  COMMENT = 0x05,
  CELL = 0x07,
  LINE = 0x0b,
  PAGE = 0x0c,
  PARAGRAPH = 0x0d,
  FIELD_BEGIN = 0x13,
  FIELD_RESULT = 0x14,
  FIELD_END = 0x15,
  HYPHEN = 0x1e,
};

/* How the text at hand is formatted: of the bytes [@from, @to). */
typedef struct
{
  gsize from, to;
  gboolean is_known; /* what is said of the paragraph */
  PostbagDocParagraph paragraph;
  PostbagDocCharacters characters;
} Format;

typedef struct
{
  PostbagTeller teller;
  const PostbagOleBytes *document;
  GArray *pieces;
  PostbagDocRuns paragraphs, characters;
  GArray *styles;
  PostbagDocLists *lists;
  Format format;
  gboolean counted; /* the hidden or unseen text at hand */

  GString *text;     /* of the paragraph, not yet written */
  const char *notes; /* what is called a note in this part */
  guint n_notes;
  gboolean beside; /* the part is that of the notes themselves */
  gboolean fresh;  /* a note begins: the blanks in front of it are there */
  guint fields;    /* whose codes are open */
  guint depth;     /* of fields */
  GString *code;   /* of the outermost one */
  gboolean in_table, in_row, in_cell;
  gboolean after_cell;
} Reader;

/* --- formats --- */

static PostbagDocStyle
get_style (const Reader *self, guint style)
{
  static const PostbagDocStyle none = { { .list = -1, .level = -1 }, { 0 } };

  return style < self->styles->len ? g_array_index (self->styles, PostbagDocStyle, style) : none;
}

static void
read_format (Reader *self, const PostbagDocPiece *piece, gsize place)
{
  const PostbagDocRun *paragraph = postbag_doc_runs_find (&self->paragraphs, place);
  const PostbagDocRun *characters = postbag_doc_runs_find (&self->characters, place);
  PostbagDocStyle style = get_style (self, paragraph->style);
  Format *format = &self->format;
  gboolean hidden = style.characters.is_hidden;

  format->from = MAX (paragraph->from, characters->from);
  format->to = MIN (paragraph->to, characters->to);
  format->is_known = paragraph->is_known;
  format->paragraph = style.paragraph;
  format->characters = style.characters;
  format->characters.style = G_MAXUINT;
  postbag_doc_change_paragraph (&format->paragraph, &paragraph->changes);
  postbag_doc_change_paragraph (&format->paragraph, &piece->changes);
  postbag_doc_change_characters (&format->characters, &characters->changes, hidden);
  postbag_doc_change_characters (&format->characters, &piece->changes, hidden);
  /* A style of characters is named among the changes; they stand over it. */
  style = get_style (self, format->characters.style);
  if (style.characters.is_hidden || style.characters.is_unseen)
    {
      format->characters.is_hidden = style.characters.is_hidden;
      format->characters.is_unseen |= style.characters.is_unseen;
      postbag_doc_change_characters (&format->characters, &characters->changes,
                                     style.characters.is_hidden);
    }
  self->counted &= format->characters.is_hidden || format->characters.is_unseen;
}

/* --- paragraphs --- */

static void
write_text (Reader *self)
{
  if (self->text->len > 0)
    postbag_markdown_text (self->teller.main, self->text->str, (gssize)self->text->len);
  g_string_truncate (self->text, 0);
}

/* What it is, its mark tells. */
static void
begin_paragraph (Reader *self)
{
  const PostbagDocParagraph *paragraph = &self->format.paragraph;
  PostbagMarkdown *markdown = self->teller.main;
  gboolean is_bullet = FALSE;
  g_autofree char *marker =
      postbag_doc_lists_count (self->lists, paragraph->list, paragraph->level, &is_bullet);

  if (self->text->str[strspn (self->text->str, " \t\n")] == '\0')
    return;
  if (paragraph->heading > 0)
    {
      postbag_markdown_begin_heading (markdown, paragraph->heading);
      if (marker != NULL && !is_bullet)
        g_string_prepend (g_string_prepend_c (self->text, ' '), marker);
    }
  else if (marker != NULL)
    postbag_markdown_begin_item (markdown, (guint)MAX (paragraph->level, 0), marker);
}

static void
end_table (Reader *self)
{
  if (self->in_table)
    postbag_markdown_end_table (self->teller.main);
  self->in_table = self->in_row = self->in_cell = self->after_cell = FALSE;
}

static void
begin_cell (Reader *self)
{
  if (!self->in_table)
    postbag_markdown_begin_table (self->teller.main);
  if (!self->in_row)
    postbag_markdown_begin_row (self->teller.main);
  if (!self->in_cell)
    postbag_markdown_begin_cell (self->teller.main);
  self->in_table = self->in_row = self->in_cell = TRUE;
}

/* Paragraphs in a table stand in a cell of it. */
static void
end_paragraph (Reader *self)
{
  if (self->format.paragraph.in_table || self->in_cell)
    begin_cell (self);
  else
    end_table (self);
  begin_paragraph (self);
  write_text (self);
  postbag_markdown_end_block (self->teller.main);
}

/* The mark of a row is one more behind that of its last cell; where nothing is said of it, it is
 * told by the lack of text. */
static void
end_cell (Reader *self)
{
  gboolean row = self->format.is_known ? self->format.paragraph.ends_row
                                       : self->after_cell && self->text->len == 0;

  if (row && self->in_row)
    {
      postbag_markdown_end_row (self->teller.main);
      self->in_row = FALSE;
    }
  else if (!row)
    {
      begin_cell (self);
      begin_paragraph (self);
      write_text (self);
      postbag_markdown_end_cell (self->teller.main);
      self->in_cell = FALSE;
    }
  g_string_truncate (self->text, 0);
  self->after_cell = !row;
}

/* --- characters --- */

static void
take_note (Reader *self)
{
  if (self->notes == NULL)
    return;
  g_string_append_printf (self->text, "[%s %u]%s", self->notes, ++self->n_notes,
                          self->beside ? " " : "");
  self->fresh = self->beside;
}

/* The words of a link are followed by where it leads. */
static void
finish_field (Reader *self)
{
  g_autofree char *target = postbag_link_dup_field_target (self->code->str);
  g_autofree char *shown = postbag_link_dup_shown (target);

  if (shown != NULL && !self->format.characters.is_hidden && !self->format.characters.is_deleted)
    g_string_append (self->text, shown);
  g_string_truncate (self->code, 0);
}

/* Codes of fields are no text, their results are. */
static gboolean
take_field (Reader *self, gunichar c)
{
  if (c == FIELD_BEGIN)
    {
      self->depth++;
      self->fields++;
    }
  else if (c == FIELD_RESULT)
    self->fields -= self->fields > 0;
  else if (c == FIELD_END)
    {
      self->depth -= self->depth > 0;
      self->fields = MIN (self->fields, self->depth);
      if (self->depth == 0)
        finish_field (self);
    }
  else if (self->fields == 0)
    return FALSE;
  else if (self->depth == 1 && self->code->len < MOST_CODE_BYTES)
    g_string_append_unichar (self->code, c);
  return TRUE;
}

/* A deleted mark of a paragraph joins it to the next one. */
static gboolean
is_left_out (Reader *self, gunichar c)
{
  const PostbagDocCharacters *format = &self->format.characters;

  if (c == CELL || (c == PARAGRAPH && !format->is_deleted))
    return FALSE;
  if (!format->is_deleted && (format->is_hidden || format->is_unseen) && c > ' ')
    postbag_teller_count_hidden (&self->teller, format->is_hidden, &self->counted);
  return format->is_deleted || format->is_hidden;
}

static void
take_character (Reader *self, gunichar c)
{
  if (take_field (self, c) || is_left_out (self, c))
    return;
  if (self->fresh && (c == ' ' || c == '\t'))
    return;
  self->fresh = FALSE;
  if (c == CELL)
    end_cell (self);
  else if (c == PARAGRAPH || c == PAGE)
    end_paragraph (self);
  else if (c == LINE)
    g_string_append_c (self->text, '\n');
  else if (c == NOTE)
    take_note (self);
  else if (c == HYPHEN)
    g_string_append_c (self->text, '-');
  else if (c == PICTURE)
    self->teller.has_pictures = TRUE;
  else if (c == '\t' || c >= ' ')
    g_string_append_unichar (self->text, c);
}

/* Characters [@from, @to) of the text, as far as the piece has them and they are there. */
static void
read_piece (Reader *self, const PostbagDocPiece *piece, guint32 from, guint32 to)
{
  gsize each = piece->is_compressed ? 1 : 2, size;
  gsize place = piece->offset + each * (MAX (piece->start, from) - piece->start);
  gsize end = piece->offset + each * (MIN (piece->end, to) - piece->start);

  if (piece->start >= to || piece->end <= from)
    return;
  end = MIN (end, self->document->length);
  self->format.to = 0;
  for (; place < end && !postbag_markdown_is_full (self->teller.main); place += size)
    {
      gunichar c = postbag_doc_get_character (self->document, piece, place, &size);

      if (place < self->format.from || place >= self->format.to)
        read_format (self, piece, place);
      take_character (self, c);
    }
}

static void
read_range (Reader *self, guint32 from, guint32 to)
{
  for (guint i = 0; i < self->pieces->len && !postbag_markdown_is_full (self->teller.main); i++)
    read_piece (self, &g_array_index (self->pieces, PostbagDocPiece, i), from, to);
  self->format = (Format){ .paragraph = { .list = -1, .level = -1 } };
  self->in_cell = FALSE;
  end_paragraph (self);
  self->fields = self->depth = 0;
  g_string_truncate (self->code, 0);
}

/* The main text, then what stands beside it; headers and macros are left out. */
static void
read_parts (Reader *self)
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
  gboolean footnotes = postbag_ole_u32 (self->document, FIB_LENGTHS + 0x04) > 0;
  gboolean endnotes = postbag_ole_u32 (self->document, FIB_LENGTHS + 0x14) > 0;
  guint64 from = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      guint64 to = from + postbag_ole_u32 (self->document, FIB_LENGTHS + parts[i].offset);

      self->notes = i > 0        ? parts[i].notes
                    : !endnotes  ? "Footnote"
                    : !footnotes ? "Endnote"
                                 : "Note";
      self->n_notes = 0;
      self->beside = i > 0;
      if (!parts[i].skipped && to > from && from < G_MAXUINT32)
        read_range (self, (guint32)from, (guint32)MIN (to, G_MAXUINT32));
      from = to;
    }
}

static gboolean
fail (GError **error, PostbagExtractReason reason, const char *what)
{
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, (int)reason, what);
  return FALSE;
}

/* What stands behind the definitions of lists belongs to them, and is not in their length. */
static PostbagDocLists *
read_lists (const PostbagOleBytes *document, const PostbagOleBytes *table)
{
  PostbagOleBytes lists = postbag_doc_get_part (document, table, FIB_LISTS);
  const PostbagOleBytes overrides = postbag_doc_get_part (document, table, FIB_LIST_OVERRIDES);
  gsize length = lists.length;

  if (length > 0)
    lists.length = table->length - (gsize)(lists.data - table->data);
  return postbag_doc_lists_new (&lists, length, &overrides);
}

static void
read_text (Reader *self, const PostbagOleBytes *table, PostbagExtractOutput *output)
{
  const PostbagOleBytes styles = postbag_doc_get_part (self->document, table, FIB_STYLES);

  postbag_teller_init (&self->teller, output);
  self->text = g_string_new (NULL);
  self->code = g_string_new (NULL);
  self->styles = postbag_doc_read_styles (&styles);
  self->lists = read_lists (self->document, table);
  postbag_doc_runs_open (&self->paragraphs, self->document, table, FIB_PARAGRAPHS, TRUE);
  postbag_doc_runs_open (&self->characters, self->document, table, FIB_CHARACTERS, FALSE);
  read_parts (self);
  postbag_teller_tell_facts (&self->teller);
  postbag_doc_lists_free (self->lists);
  g_array_unref (self->styles);
  g_string_free (self->text, TRUE);
  g_string_free (self->code, TRUE);
  postbag_teller_clear (&self->teller);
}

gboolean
postbag_doc_read (const PostbagOleBytes *document, const PostbagOleBytes *tables,
                  PostbagExtractOutput *output, GError **error)
{
  guint flags = postbag_ole_u16 (document, FIB_FLAGS);
  const PostbagOleBytes *table = &tables[(flags & FLAG_TABLE_1) != 0];
  PostbagOleBytes places;
  g_autoptr (GArray) pieces = NULL;
  Reader self = { .document = document };

  if (postbag_ole_u16 (document, 0) != IDENTIFIER)
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "It does not begin as a Word document.");
  if ((flags & FLAG_ENCRYPTED) != 0)
    return fail (error, POSTBAG_EXTRACT_ENCRYPTED, "The document needs a password.");
  if (postbag_ole_u16 (document, FIB_VERSION) < WORD_97)
    return fail (error, POSTBAG_EXTRACT_NOT_A_DOCUMENT, "It was written before Word 97.");
  places = postbag_doc_get_part (document, table, FIB_PIECES);
  pieces = postbag_doc_read_pieces (&places);
  if (pieces == NULL)
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "The document has no table of its text.");
  self.pieces = pieces;
  read_text (&self, table, output);
  return TRUE;
}
