/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* SpreadsheetML (ECMA-376 part 1, 18): sheets in the order of the workbook, each a table. */

#include "postbag-ooxml-readers.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-markdown.h"
#include "extract/postbag-xml.h"

#define MOST_STYLES 65536

typedef struct
{
  char *name;
  char *relation;
  char *state; /* (nullable): "hidden", "veryHidden" */
} Sheet;

typedef struct
{
  PostbagPackage *package;
  PostbagMarkdown *markdown;
  GPtrArray *sheets;
  GHashTable *targets; /* id of a relation to the name of its part */
  GPtrArray *strings;
  GArray *styles;    /* PostbagOoxmlFormat */
  GHashTable *codes; /* id of a number format to its code */
  gboolean since_1904;

  GString *text;
  guint depth_text; /* inside elements whose text counts */
  guint skipped;    /* inside phonetic runs */
  gboolean in_styles;

  char *type; /* (nullable): of the cell */
  gint64 style;
  guint column; /* of the next cell, from 0 */
  guint rows;
  gboolean is_cut;
} Reader;

typedef void (*StartFunc) (gpointer, const char *, const PostbagXmlAttributes *);
typedef void (*EndFunc) (gpointer, const char *);

static void
free_sheet (gpointer data)
{
  Sheet *sheet = data;

  g_free (sheet->name);
  g_free (sheet->relation);
  g_free (sheet->state);
  g_free (sheet);
}

static void
take_text (gpointer data, const char *text, gsize length)
{
  Reader *reader = data;

  if (reader->depth_text > 0 && reader->skipped == 0
      && reader->text->len < POSTBAG_LIMIT_CELL_CHARS * 4)
    g_string_append_len (reader->text, text, (gssize)length);
}

static gboolean
is_full (gpointer data)
{
  Reader *reader = data;

  return postbag_markdown_is_full (reader->markdown) || reader->is_cut;
}

static gboolean
read_part (Reader *reader, const char *name, StartFunc start, EndFunc end, GError **error)
{
  const PostbagXmlHandler handler = { start, end, take_text, is_full };
  g_autoptr (GBytes) bytes = postbag_package_read (reader->package, name, error);
  gsize length;
  const guint8 *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  reader->depth_text = reader->skipped = 0;
  g_string_truncate (reader->text, 0);
  return bytes != NULL && postbag_xml_read (data, length, &handler, reader, error);
}

static void
ignore_end (gpointer data, const char *name)
{
}

/* --- the workbook --- */

static void
start_workbook (gpointer data, const char *name, const PostbagXmlAttributes *attributes)
{
  Reader *reader = data;
  Sheet *sheet;

  if (strcmp (name, "workbookPr") == 0)
    reader->since_1904 = postbag_xml_attribute_is (attributes, "date1904", "1")
                         || postbag_xml_attribute_is (attributes, "date1904", "true");
  if (strcmp (name, "sheet") != 0 || reader->sheets->len > POSTBAG_LIMIT_DOCUMENT_SHEETS)
    return;
  sheet = g_new0 (Sheet, 1);
  sheet->name = postbag_xml_attribute (attributes, "name");
  sheet->relation = postbag_xml_attribute (attributes, "id");
  sheet->state = postbag_xml_attribute (attributes, "state");
  g_ptr_array_add (reader->sheets, sheet);
}

static void
start_relations (gpointer data, const char *name, const PostbagXmlAttributes *attributes)
{
  Reader *reader = data;
  g_autofree char *id = postbag_xml_attribute (attributes, "Id");
  g_autofree char *target = postbag_xml_attribute (attributes, "Target");

  if (strcmp (name, "Relationship") != 0 || id == NULL || target == NULL
      || strstr (target, "..") != NULL)
    return;
  g_hash_table_insert (reader->targets, g_steal_pointer (&id),
                       *target == '/' ? g_strdup (target + 1) : g_strconcat ("xl/", target, NULL));
}

/* --- shared strings --- */

static void
start_strings (gpointer data, const char *name, const PostbagXmlAttributes *attributes)
{
  Reader *reader = data;

  if (strcmp (name, "si") == 0)
    g_string_truncate (reader->text, 0);
  else if (strcmp (name, "t") == 0)
    reader->depth_text++;
  else if (strcmp (name, "rPh") == 0)
    reader->skipped++;
}

static void
end_strings (gpointer data, const char *name)
{
  Reader *reader = data;

  if (strcmp (name, "t") == 0)
    reader->depth_text -= reader->depth_text > 0;
  else if (strcmp (name, "rPh") == 0)
    reader->skipped -= reader->skipped > 0;
  else if (strcmp (name, "si") == 0 && reader->strings->len < POSTBAG_LIMIT_SHARED_STRINGS)
    g_ptr_array_add (reader->strings, g_strdup (reader->text->str));
}

/* --- number formats --- */

static void
start_styles (gpointer data, const char *name, const PostbagXmlAttributes *attributes)
{
  Reader *reader = data;
  gint64 id = postbag_xml_attribute_int (attributes, "numFmtId", 0);

  if (strcmp (name, "numFmt") == 0 && g_hash_table_size (reader->codes) < MOST_STYLES)
    g_hash_table_insert (reader->codes, GINT_TO_POINTER ((int)id),
                         postbag_xml_attribute (attributes, "formatCode"));
  else if (strcmp (name, "cellXfs") == 0)
    reader->in_styles = TRUE;
  else if (reader->in_styles && strcmp (name, "xf") == 0 && reader->styles->len < MOST_STYLES)
    {
      PostbagOoxmlFormat format = postbag_ooxml_classify_format (
          id, g_hash_table_lookup (reader->codes, GINT_TO_POINTER ((int)id)));

      g_array_append_val (reader->styles, format);
    }
}

static void
end_styles (gpointer data, const char *name)
{
  if (strcmp (name, "cellXfs") == 0)
    ((Reader *)data)->in_styles = FALSE;
}

/* --- a sheet --- */

/* "AB12" is column 27; G_MAXUINT for what is no reference */
static guint
read_column (const char *reference)
{
  guint column = 0;

  for (; g_ascii_isalpha (*reference) && column < 100000; reference++)
    column = column * 26 + (guint)(g_ascii_toupper (*reference) - 'A') + 1;
  return column > 0 ? column - 1 : G_MAXUINT;
}

/* Cells that are not written down keep their place. */
static void
start_cell (Reader *reader, const PostbagXmlAttributes *attributes)
{
  g_autofree char *reference = postbag_xml_attribute (attributes, "r");
  guint column = reference != NULL ? read_column (reference) : G_MAXUINT;

  g_free (reader->type);
  reader->type = postbag_xml_attribute (attributes, "t");
  reader->style = postbag_xml_attribute_int (attributes, "s", 0);
  g_string_truncate (reader->text, 0);
  while (column != G_MAXUINT && reader->column < MIN (column, POSTBAG_LIMIT_SHEET_COLUMNS))
    {
      postbag_markdown_begin_cell (reader->markdown);
      postbag_markdown_end_cell (reader->markdown);
      reader->column++;
    }
}

static char *
format_value (Reader *reader)
{
  const char *value = reader->text->str;
  const char *type = reader->type != NULL ? reader->type : "n";
  PostbagOoxmlFormat format = POSTBAG_OOXML_GENERAL;
  guint64 index;

  if (strcmp (type, "s") == 0)
    return g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT32, &index, NULL)
                   && index < reader->strings->len
               ? g_strdup (g_ptr_array_index (reader->strings, index))
               : g_strdup ("");
  if (strcmp (type, "b") == 0)
    return g_strdup (strcmp (value, "1") == 0 ? "TRUE" : "FALSE");
  if (strcmp (type, "n") != 0 || *value == '\0')
    return g_strdup (value);
  if (reader->style >= 0 && reader->style < reader->styles->len)
    format = g_array_index (reader->styles, PostbagOoxmlFormat, reader->style);
  return postbag_ooxml_format_number (value, format, reader->since_1904);
}

static void
end_cell (Reader *reader)
{
  g_autofree char *shown = NULL;

  if (reader->column >= POSTBAG_LIMIT_SHEET_COLUMNS)
    return;
  shown = format_value (reader);
  postbag_markdown_begin_cell (reader->markdown);
  postbag_markdown_text (reader->markdown, shown, -1);
  postbag_markdown_end_cell (reader->markdown);
  reader->column++;
}

static void
start_sheet (gpointer data, const char *name, const PostbagXmlAttributes *attributes)
{
  Reader *reader = data;

  if (strcmp (name, "row") == 0)
    {
      reader->is_cut = ++reader->rows > POSTBAG_LIMIT_SHEET_ROWS;
      reader->column = 0;
      postbag_markdown_begin_row (reader->markdown);
    }
  else if (strcmp (name, "c") == 0)
    start_cell (reader, attributes);
  else if (strcmp (name, "v") == 0 || strcmp (name, "t") == 0)
    reader->depth_text++;
  else if (strcmp (name, "rPh") == 0)
    reader->skipped++;
}

static void
end_sheet (gpointer data, const char *name)
{
  Reader *reader = data;

  if (strcmp (name, "row") == 0)
    postbag_markdown_end_row (reader->markdown);
  else if (strcmp (name, "c") == 0)
    end_cell (reader);
  else if (strcmp (name, "v") == 0 || strcmp (name, "t") == 0)
    reader->depth_text -= reader->depth_text > 0;
  else if (strcmp (name, "rPh") == 0)
    reader->skipped -= reader->skipped > 0;
}

static void
read_sheet (Reader *reader, const Sheet *sheet, guint number, PostbagExtractOutput *output)
{
  const char *target =
      sheet->relation != NULL ? g_hash_table_lookup (reader->targets, sheet->relation) : NULL;
  g_autofree char *usual = g_strdup_printf ("xl/worksheets/sheet%u.xml", number);

  postbag_markdown_begin_heading (reader->markdown, 2);
  postbag_markdown_text (reader->markdown, "Sheet: ", -1);
  postbag_markdown_text (reader->markdown, sheet->name != NULL ? sheet->name : usual, -1);
  if (sheet->state != NULL && strcmp (sheet->state, "visible") != 0)
    postbag_markdown_text (reader->markdown, " (hidden)", -1);
  postbag_markdown_begin_table (reader->markdown);
  reader->rows = 0;
  read_part (reader, target != NULL ? target : usual, start_sheet, end_sheet, NULL);
  postbag_markdown_end_table (reader->markdown);
  if (reader->is_cut)
    output->note (output, "A sheet has more rows than are read.");
  reader->is_cut = FALSE;
}

static gboolean
read_workbook (Reader *reader, PostbagExtractOutput *output, GError **error)
{
  guint hidden = 0;

  if (!read_part (reader, "xl/workbook.xml", start_workbook, ignore_end, error))
    return FALSE;
  read_part (reader, "xl/_rels/workbook.xml.rels", start_relations, ignore_end, NULL);
  read_part (reader, "xl/sharedStrings.xml", start_strings, end_strings, NULL);
  read_part (reader, "xl/styles.xml", start_styles, end_styles, NULL);
  for (guint i = 0; i < MIN (reader->sheets->len, POSTBAG_LIMIT_DOCUMENT_SHEETS); i++)
    {
      const Sheet *sheet = g_ptr_array_index (reader->sheets, i);

      hidden += sheet->state != NULL && strcmp (sheet->state, "visible") != 0;
      read_sheet (reader, sheet, i + 1, output);
    }
  output->count (output, "sheet_count", MIN (reader->sheets->len, POSTBAG_LIMIT_DOCUMENT_SHEETS));
  if (reader->sheets->len > POSTBAG_LIMIT_DOCUMENT_SHEETS)
    output->note (output, "The workbook has more sheets than are read.");
  if (hidden > 0)
    output->note (output, "Some sheets are hidden from somebody who looks at the workbook.");
  return TRUE;
}

gboolean
postbag_xlsx_read (PostbagPackage *package, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (PostbagMarkdown) markdown = postbag_markdown_new (output);
  Reader reader = { .package = package, .markdown = markdown };
  gboolean fine;

  reader.sheets = g_ptr_array_new_with_free_func (free_sheet);
  reader.targets = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  reader.strings = g_ptr_array_new_with_free_func (g_free);
  reader.styles = g_array_new (FALSE, FALSE, sizeof (PostbagOoxmlFormat));
  reader.codes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  reader.text = g_string_new (NULL);
  fine = read_workbook (&reader, output, error);
  g_ptr_array_unref (reader.sheets);
  g_hash_table_unref (reader.targets);
  g_ptr_array_unref (reader.strings);
  g_array_unref (reader.styles);
  g_hash_table_unref (reader.codes);
  g_string_free (reader.text, TRUE);
  g_free (reader.type);
  return fine;
}
