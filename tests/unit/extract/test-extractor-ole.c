/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-ole-extractor.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract-fixture.h"
#include "ole-fixture.h"
#include "postbag-xls-parts.h"

#define XLS "application/vnd.ms-excel"

static void
append_record (GByteArray *bytes, guint type, gconstpointer data, gsize length)
{
  ole_append (bytes, type, 2);
  ole_append (bytes, length, 2);
  g_byte_array_append (bytes, data, (guint)length);
}

static gboolean
read_workbook (gconstpointer data, PostbagExtractOutput *output, GError **error)
{
  const GByteArray *stream = data;
  const PostbagOleBytes bytes = { stream->data, stream->len };

  return postbag_xls_read (&bytes, output, error);
}

/* A workbook with one sheet, whose records follow. Offsets: BOF 8, BOUNDSHEET 13, EOF 4 bytes. */
static GByteArray *
begin_sheet (guint version, guint state)
{
  GByteArray *bytes = g_byte_array_new ();
  const guint8 bof[] = { (guint8)version, (guint8)(version >> 8), 5, 0 };
  const guint8 wide[] = { 26, 0, 0, 0, (guint8)state, 0, 1, 0, 'S' };
  const guint8 narrow[] = { 26, 0, 0, 0, (guint8)state, 0, 2, 'S', 'h' };

  append_record (bytes, POSTBAG_XLS_BOF, bof, sizeof bof);
  append_record (bytes, POSTBAG_XLS_BOUND_SHEET, version >= 0x600 ? wide : narrow, sizeof wide);
  append_record (bytes, POSTBAG_XLS_EOF, "", 0);
  g_assert_cmpuint (bytes->len, ==, 25);
  bytes->data[12] = 25;
  append_record (bytes, POSTBAG_XLS_BOF, bof, sizeof bof);
  return bytes;
}

static void
test_cells (void)
{
  g_autoptr (GByteArray) stream = begin_sheet (0x600, 2);
  g_autoptr (ExtractResult) result = NULL;

  append_record (stream, POSTBAG_XLS_RK, "\0\0\1\0\0\0\x07\x30\0\0", 10); /* 30.73 */
  append_record (stream, POSTBAG_XLS_BOOL_ERR, "\0\0\2\0\0\0\x07\1", 8);
  append_record (stream, POSTBAG_XLS_BOOL_ERR, "\1\0\0\0\0\0\1\0", 8);
  append_record (stream, POSTBAG_XLS_MUL_RK, "\1\0\1\0\0\0\x0a\0\0\0\0\0\xfa\xff\xff\xff\2\0", 18);
  append_record (stream, POSTBAG_XLS_FORMULA, "\2\0\0\0\0\0\0\0\0\0\0\0\xff\xff", 14);
  append_record (stream, POSTBAG_XLS_STRING, "\2\0\1\x16\4\x16\4", 7);
  append_record (stream, POSTBAG_XLS_LABEL, "\2\0\1\0\0\0\2\0\0\xe9x", 11);
  append_record (stream, POSTBAG_XLS_EOF, "", 0);
  result = extract_run_reader (read_workbook, stream);
  assert_text (result, "## Sheet: S (hidden)\n\n| | 30.73 | #DIV/0! |\n| --- | --- | --- |\n"
                       "| TRUE | 2 | -2 |\n| \320\226\320\226 | \303\251x |");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 1);
}

static void
test_before_97 (void)
{
  g_autoptr (GByteArray) stream = begin_sheet (0x500, 0);
  g_autoptr (ExtractResult) result = NULL;

  append_record (stream, POSTBAG_XLS_LABEL, "\0\0\0\0\0\0\2\0\xe9x", 10);
  result = extract_run_reader (read_workbook, stream);
  assert_text (result, "## Sheet: Sh\n\n| \303\251x |\n| --- |");
}

static void
test_locked (void)
{
  g_autoptr (GByteArray) stream = g_byte_array_new ();
  g_autoptr (ExtractResult) result = NULL;

  append_record (stream, POSTBAG_XLS_BOF, "\0\6\5\0", 4);
  append_record (stream, POSTBAG_XLS_FILE_PASS, "\1\0", 2);
  result = extract_run_reader (read_workbook, stream);
  assert_reason (result, ENCRYPTED);
}

static void
test_damaged (void)
{
  g_autoptr (GByteArray) stream = begin_sheet (0x600, 0);

  append_record (stream, POSTBAG_XLS_LABEL, "\0\0\0\0\0\0\2\0\1\xe9x\1\1", 13);
  append_record (stream, POSTBAG_XLS_MUL_RK, "\1\0\1\0\0\0\x0a\0\0\0\0\0\xfa\xff\xff\xff\2\0", 18);
  ole_try_damaged (read_workbook, stream);
}

static void
test_rows_limit (void)
{
  g_autoptr (GByteArray) stream = begin_sheet (0x600, 0);
  g_autoptr (ExtractResult) result = NULL;

  for (guint i = 0; i <= POSTBAG_LIMIT_SHEET_ROWS; i++)
    {
      guint8 cell[] = { (guint8)i, (guint8)(i >> 8), 0, 0, 0, 0, 1, 0, 0, 'x' };

      cell[9] = i == POSTBAG_LIMIT_SHEET_ROWS ? 'y' : 'x';
      append_record (stream, POSTBAG_XLS_LABEL, cell, sizeof cell);
    }
  result = extract_run_reader (read_workbook, stream);
  assert_has_not (result, "y");
  g_assert_nonnull (strstr (result->notes, "more rows"));
}

/* Rows and columns that nobody sees are told behind the sheet. */
static void
test_hidden (void)
{
  g_autoptr (GByteArray) stream = begin_sheet (0x600, 0);
  g_autoptr (ExtractResult) result = NULL;

  append_record (stream, POSTBAG_XLS_COLUMNS, "\1\0\2\0\0\0\0\0\1\0", 10);
  append_record (stream, POSTBAG_XLS_ROW, "\1\0\0\0\3\0\0\0\0\0\0\0\x20\0\0\0", 16);
  append_record (stream, POSTBAG_XLS_LABEL, "\0\0\0\0\0\0\1\0\0a", 10);
  append_record (stream, POSTBAG_XLS_LABEL, "\1\0\2\0\0\0\1\0\0b", 10);
  append_record (stream, POSTBAG_XLS_OBJECT, "\x15\0\x12\0\x08\0", 6);
  result = extract_run_reader (read_workbook, stream);
  assert_text (result, "## Sheet: S\n\n| a |\n| --- |\n| | | b |\n\n"
                       "[hidden: rows 2; columns B-C]");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 2);
  g_assert_nonnull (strstr (result->notes, "pictures or charts"));
}

static void
test_sheets_limit (void)
{
  static const guint8 bof[] = { 0, 6, 5, 0 }, sheet[] = { 0, 0, 0, 0, 0, 0, 1, 0, 'S' };
  g_autoptr (GByteArray) stream = g_byte_array_new ();
  g_autoptr (ExtractResult) some = NULL, many = NULL;

  append_record (stream, POSTBAG_XLS_BOF, bof, sizeof bof);
  for (guint i = 0; i <= POSTBAG_LIMIT_DOCUMENT_SHEETS; i++)
    append_record (stream, POSTBAG_XLS_BOUND_SHEET, sheet, sizeof sheet);
  some = extract_run_reader (read_workbook, stream);
  g_assert_no_error (some->error);
  g_assert_nonnull (strstr (some->notes, "declares 33 sheets; the first 32 are read."));
  for (guint i = 0; i < POSTBAG_LIMIT_DOCUMENT_PARTS; i++)
    append_record (stream, POSTBAG_XLS_BOUND_SHEET, sheet, sizeof sheet);
  many = extract_run_reader (read_workbook, stream);
  assert_reason (many, TOO_MANY_PARTS);
}

/* The text as LibreOffice saved it, by its own text export. */
static void
test_documents (void)
{
  g_autoptr (ExtractResult) memo = extract_run_file (&postbag_ole_extractor, "application/msword",
                                                     "tests/corpus/documents/memo.doc");
  g_autoptr (ExtractResult) notes = extract_run_file (&postbag_ole_extractor, "application/msword",
                                                      "tests/corpus/documents/notes.doc");
  g_autoptr (ExtractResult) formats =
      extract_run_file (&postbag_ole_extractor, XLS, "tests/corpus/documents/formats.xls");

  g_assert_no_error (memo->error);
  assert_has (memo, "Dear Zoë, the “north” office — Łódź — sold 1,204 bolts; Привет from 東京.");
  assert_has (memo, "| Name | Amount |\n| --- | --- |\n| Bolts | 12 |\n| Nuts | 7 |");
  assert_has (memo, "See the page (https://example.org/) for more.");
  assert_has (memo, "Line one\nline two");
  assert_has_not (memo, "HYPERLINK");
  assert_has (notes, "The parties agree[Note 1] on all terms.");
  assert_has (notes, "[Footnote 1] Subject to law.");
  assert_has (notes, "[Endnote 1] In ink.");
  assert_has (formats, "| 25.6% | 1,234,567.89 | (42.50) | 1.23E-05 |");
  assert_has (formats, "| 05/03/2024 13:45 | 6:07:08 | 36:00 | 00042 |");
}

static void
test_bad (void)
{
  g_autoptr (ExtractResult) other = extract_run (&postbag_ole_extractor, XLS, "nothing", 7);
  g_autoptr (ExtractResult) cut =
      extract_run (&postbag_ole_extractor, XLS, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8);

  assert_reason (other, NOT_A_DOCUMENT);
  assert_reason (cut, CORRUPT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/extractor/ole/cells", test_cells);
  g_test_add_func ("/extractor/ole/before-97", test_before_97);
  g_test_add_func ("/extractor/ole/locked", test_locked);
  g_test_add_func ("/extractor/ole/damaged", test_damaged);
  g_test_add_func ("/extractor/ole/rows-limit", test_rows_limit);
  g_test_add_func ("/extractor/ole/hidden", test_hidden);
  g_test_add_func ("/extractor/ole/sheets-limit", test_sheets_limit);
  g_test_add_func ("/extractor/ole/documents", test_documents);
  g_test_add_func ("/extractor/ole/bad", test_bad);
  return g_test_run ();
}
