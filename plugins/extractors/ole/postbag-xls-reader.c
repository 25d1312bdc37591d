/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* [MS-XLS]: a stream of records; first those of the workbook, then, where it says so, each
 * sheet's. */

#include "postbag-xls-parts.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-number-format.h"
#include "extract/postbag-sheet.h"

#define MOST_STYLES 65536
#define BIFF_8 0x0600
#define ROWS 65536
#define ROW_HIDDEN 0x20
#define COLUMNS_HIDDEN 0x01
#define OBJECT_CHART 5
#define OBJECT_PICTURE 8

typedef struct
{
  guint32 offset;
  guint state; /* 0: visible */
  char *name;
} Sheet;

typedef struct
{
  const PostbagOleBytes *stream;
  PostbagMarkdown *markdown;
  gboolean wide; /* Excel 97 and later */
  guint code_page;
  gboolean since_1904;
  gboolean encrypted;
  GHashTable *codes; /* id of a format to its code */
  GArray *styles;    /* guint: id of a format */
  GPtrArray *strings;
  GArray *sheets; /* Sheet */
  guint declared;

  PostbagSheetFacts facts;
  gboolean has_drawings;

  PostbagSheet *sheet;      /* the open one */
  guint8 hidden_rows[ROWS]; /* of it */
  guint row;                /* that is open, G_MAXUINT for none */
  guint column;             /* of the next cell */
  gboolean is_cut;
} Reader;

static void
clear_sheet (gpointer data)
{
  g_free (((Sheet *)data)->name);
}

/* --- the workbook --- */

static void
take_format (Reader *reader, const PostbagOleBytes *bytes)
{
  guint id = postbag_ole_u16 (bytes, 0);
  guint length = reader->wide ? postbag_ole_u16 (bytes, 2) : postbag_ole_u8 (bytes, 2);

  if (g_hash_table_size (reader->codes) < MOST_STYLES)
    g_hash_table_insert (
        reader->codes, GUINT_TO_POINTER (id),
        postbag_xls_string (bytes, reader->wide ? 4 : 3, length, reader->wide, reader->code_page));
}

static void
take_sheet (Reader *reader, const PostbagOleBytes *bytes)
{
  Sheet sheet = { postbag_ole_u32 (bytes, 0), postbag_ole_u8 (bytes, 4) & 3, NULL };

  /* Charts and macros have no cells. */
  if (postbag_ole_u8 (bytes, 5) != 0 || reader->declared++ >= POSTBAG_LIMIT_DOCUMENT_SHEETS)
    return;
  sheet.name =
      postbag_xls_string (bytes, 7, postbag_ole_u8 (bytes, 6), reader->wide, reader->code_page);
  g_array_append_val (reader->sheets, sheet);
}

static void
take_global (Reader *reader, const PostbagXlsRecord *record, gsize at)
{
  const PostbagOleBytes *bytes = &record->bytes;
  guint style = postbag_ole_u16 (bytes, 2);

  if (record->type == POSTBAG_XLS_CODE_PAGE)
    reader->code_page = postbag_ole_u16 (bytes, 0);
  else if (record->type == POSTBAG_XLS_DATE_1904)
    reader->since_1904 = postbag_ole_u16 (bytes, 0) == 1;
  else if (record->type == POSTBAG_XLS_FILE_PASS)
    reader->encrypted = TRUE;
  else if (record->type == POSTBAG_XLS_FORMAT)
    take_format (reader, bytes);
  else if (record->type == POSTBAG_XLS_XF && reader->styles->len < MOST_STYLES)
    g_array_append_val (reader->styles, style);
  else if (record->type == POSTBAG_XLS_BOUND_SHEET)
    take_sheet (reader, bytes);
  else if (record->type == POSTBAG_XLS_SST && reader->strings == NULL)
    reader->strings = postbag_xls_shared_strings (reader->stream, at, record);
}

static gboolean
fail (GError **error, PostbagExtractReason reason, const char *what)
{
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, (int)reason, what);
  return FALSE;
}

static gboolean
read_globals (Reader *reader, GError **error)
{
  PostbagXlsRecord record;
  gsize at = 0;

  if (!postbag_xls_next (reader->stream, &at, &record) || record.type != POSTBAG_XLS_BOF)
    return fail (error, POSTBAG_EXTRACT_CORRUPT, "It does not begin as a workbook.");
  reader->wide = postbag_ole_u16 (&record.bytes, 0) >= BIFF_8;
  while (postbag_xls_next (reader->stream, &at, &record) && record.type != POSTBAG_XLS_EOF
         && !reader->encrypted)
    take_global (reader, &record, at);
  if (reader->encrypted)
    return fail (error, POSTBAG_EXTRACT_ENCRYPTED, "The workbook needs a password.");
  if (reader->declared > POSTBAG_LIMIT_DOCUMENT_PARTS)
    return fail (error, POSTBAG_EXTRACT_TOO_MANY_PARTS, "It has too many sheets.");
  return TRUE;
}

/* --- cells --- */

static gboolean
begin_row (Reader *reader, guint row)
{
  if (row == reader->row)
    return TRUE;
  if (reader->row != G_MAXUINT)
    postbag_sheet_end_row (reader->sheet);
  reader->row = G_MAXUINT;
  reader->is_cut = !postbag_sheet_begin_row (reader->sheet, row + 1,
                                             row < ROWS && reader->hidden_rows[row] != 0);
  if (!reader->is_cut)
    reader->row = row;
  reader->column = 0;
  return !reader->is_cut;
}

static void
write_cell (Reader *reader, guint row, guint column, const char *text)
{
  if (!begin_row (reader, row) || column < reader->column)
    return;
  postbag_sheet_add_cell (reader->sheet, column + 1, text);
  reader->column = column + 1;
}

static void
write_number (Reader *reader, guint row, guint column, guint style, double number)
{
  guint id = style < reader->styles->len ? g_array_index (reader->styles, guint, style) : 0;
  const char *code = g_hash_table_lookup (reader->codes, GUINT_TO_POINTER (id));
  g_autofree char *text = postbag_number_format (
      code != NULL ? code : postbag_number_format_get_builtin (id), number, reader->since_1904);

  write_cell (reader, row, column, text);
}

/* [MS-XLS] 2.5.217: thirty bits of a number, an integer or not, perhaps in hundredths */
static double
decode_rk (guint32 rk)
{
  guint64 bits = (guint64)(rk & ~3u) << 32;
  double number;

  if ((rk & 2) != 0)
    number = (double)((gint32)rk >> 2);
  else
    memcpy (&number, &bits, sizeof number);
  return (rk & 1) != 0 ? number / 100 : number;
}

static void
write_many (Reader *reader, const PostbagOleBytes *bytes, guint row, guint column)
{
  for (gsize at = 4; at + 6 + 2 <= bytes->length; at += 6)
    write_number (reader, row, column++, postbag_ole_u16 (bytes, at),
                  decode_rk (postbag_ole_u32 (bytes, at + 2)));
}

static void
write_boolean_or_error (Reader *reader, guint row, guint column, guint value, gboolean error)
{
  write_cell (reader, row, column,
              error        ? postbag_xls_show_error (value)
              : value != 0 ? "TRUE"
                           : "FALSE");
}

/* The stored result. Returns: whether it is a string, which follows in a record of its own */
static gboolean
write_result (Reader *reader, const PostbagOleBytes *bytes, guint row, guint column)
{
  guint kind = postbag_ole_u8 (bytes, 6);

  if (postbag_ole_u16 (bytes, 12) != 0xffff)
    write_number (reader, row, column, postbag_ole_u16 (bytes, 4), postbag_ole_double (bytes, 6));
  else if (kind == 1 || kind == 2)
    write_boolean_or_error (reader, row, column, postbag_ole_u8 (bytes, 8), kind == 2);
  return postbag_ole_u16 (bytes, 12) == 0xffff && kind == 0;
}

static void
write_string (Reader *reader, const PostbagXlsRecord *record, guint row, guint column)
{
  const PostbagOleBytes *bytes = &record->bytes;
  guint index = postbag_ole_u32 (bytes, 6);
  gsize at = record->type == POSTBAG_XLS_STRING ? 0 : 6;
  g_autofree char *text = NULL;

  if (record->type != POSTBAG_XLS_LABEL_SST)
    text = postbag_xls_string (bytes, at + 2, postbag_ole_u16 (bytes, at), reader->wide,
                               reader->code_page);
  else if (reader->strings != NULL && index < reader->strings->len)
    text = g_strdup (g_ptr_array_index (reader->strings, index));
  write_cell (reader, row, column, text != NULL ? text : "");
}

/* @waiting: (inout): whether a formula's string is still to come */
static void
take_cell (Reader *reader, const PostbagXlsRecord *record, gboolean *waiting, guint *last)
{
  const PostbagOleBytes *bytes = &record->bytes;
  guint row = postbag_ole_u16 (bytes, 0), column = postbag_ole_u16 (bytes, 2);

  switch (record->type)
    {
    case POSTBAG_XLS_LABEL_SST:
    case POSTBAG_XLS_LABEL:
    case POSTBAG_XLS_R_STRING:
      write_string (reader, record, row, column);
      break;
    case POSTBAG_XLS_NUMBER:
      write_number (reader, row, column, postbag_ole_u16 (bytes, 4), postbag_ole_double (bytes, 6));
      break;
    case POSTBAG_XLS_RK:
      write_number (reader, row, column, postbag_ole_u16 (bytes, 4),
                    decode_rk (postbag_ole_u32 (bytes, 6)));
      break;
    case POSTBAG_XLS_MUL_RK:
      write_many (reader, bytes, row, column);
      break;
    case POSTBAG_XLS_BOOL_ERR:
      write_boolean_or_error (reader, row, column, postbag_ole_u8 (bytes, 6),
                              postbag_ole_u8 (bytes, 7) != 0);
      break;
    case POSTBAG_XLS_FORMULA:
      *waiting = write_result (reader, bytes, row, column);
      last[0] = row;
      last[1] = column;
      break;
    case POSTBAG_XLS_ROW:
      reader->hidden_rows[row] = (postbag_ole_u16 (bytes, 12) & ROW_HIDDEN) != 0;
      break;
    case POSTBAG_XLS_COLUMNS:
      if ((postbag_ole_u16 (bytes, 8) & COLUMNS_HIDDEN) != 0)
        postbag_sheet_hide_columns (reader->sheet, row + 1, column + 1);
      break;
    case POSTBAG_XLS_OBJECT:
      reader->has_drawings |= postbag_ole_u16 (bytes, 4) == OBJECT_CHART
                              || postbag_ole_u16 (bytes, 4) == OBJECT_PICTURE;
      break;
    case POSTBAG_XLS_STRING:
      if (*waiting)
        write_string (reader, record, last[0], last[1]);
      *waiting = FALSE;
      break;
    default:
      break;
    }
}

/* Charts inside a sheet are streams of records of their own. */
static void
read_cells (Reader *reader, gsize at)
{
  PostbagXlsRecord record;
  gboolean waiting = FALSE;
  guint last[2] = { 0, 0 }, depth = 0;

  reader->row = G_MAXUINT;
  reader->is_cut = FALSE;
  memset (reader->hidden_rows, 0, sizeof reader->hidden_rows);
  if (!postbag_xls_next (reader->stream, &at, &record) || record.type != POSTBAG_XLS_BOF)
    return;
  while (postbag_xls_next (reader->stream, &at, &record) && !reader->is_cut
         && !postbag_markdown_is_full (reader->markdown))
    {
      if (record.type == POSTBAG_XLS_BOF)
        depth++;
      else if (record.type == POSTBAG_XLS_EOF && depth-- == 0)
        return;
      else if (depth == 0)
        take_cell (reader, &record, &waiting, last);
    }
}

static void
read_sheet (Reader *reader, const Sheet *sheet)
{
  reader->sheet = postbag_sheet_new (reader->markdown, &reader->facts, sheet->name,
                                     sheet->state != 0 ? "hidden" : NULL);
  read_cells (reader, sheet->offset);
  if (reader->row != G_MAXUINT)
    postbag_sheet_end_row (reader->sheet);
  g_clear_pointer (&reader->sheet, postbag_sheet_free);
}

static void
read_sheets (Reader *reader, PostbagExtractOutput *output)
{
  guint count = MIN (reader->sheets->len, POSTBAG_LIMIT_DOCUMENT_SHEETS);

  for (guint i = 0; i < count && !postbag_markdown_is_full (reader->markdown); i++)
    read_sheet (reader, &g_array_index (reader->sheets, Sheet, i));
  postbag_sheet_facts_tell (&reader->facts, reader->markdown, output, reader->declared, count,
                            reader->has_drawings);
}

gboolean
postbag_xls_read (const PostbagOleBytes *workbook, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (PostbagMarkdown) markdown = postbag_markdown_new (output);
  g_autoptr (GHashTable) codes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GArray) styles = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) sheets = g_array_new (FALSE, FALSE, sizeof (Sheet));
  Reader reader = { .stream = workbook,
                    .markdown = markdown,
                    .code_page = 1252,
                    .codes = codes,
                    .styles = styles,
                    .sheets = sheets };
  gboolean fine;

  g_array_set_clear_func (sheets, clear_sheet);
  fine = read_globals (&reader, error);
  if (fine)
    read_sheets (&reader, output);
  g_clear_pointer (&reader.strings, g_ptr_array_unref);
  return fine;
}
