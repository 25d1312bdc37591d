/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* OpenDocument (OASIS, part 3): all text of a document stands in content.xml, in paragraphs and
 * headings. */

#include "postbag-odf-extractor.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-markdown.h"
#include "extract/postbag-package.h"
#include "extract/postbag-xml.h"

/* Blanks and cells may be repeated two thousand million times. */
#define MOST_BLANKS 80

typedef struct
{
  PostbagMarkdown *markdown;
  guint paragraphs; /* open ones */
  guint skipped;    /* depth below an element that is left out */
  guint lists;
  guint notes;
  guint sheets;
  guint slides;
  guint rows;
  guint columns; /* of the open row */
  gboolean is_spreadsheet;
  guint tables;
  gint64 repeated; /* of the open cell */
  gboolean too_many;
} Reader;

static gboolean
is_skipped (const char *name)
{
  static const char *const names[] = {
    "tracked-changes", "annotation-end", "note-citation",      "forms",          "automatic-styles",
    "font-face-decls", "scripts",        "covered-table-cell", "sequence-decls", NULL
  };

  return g_strv_contains (names, name);
}

static void
write_label (Reader *reader, const char *format, guint number, const char *name)
{
  g_autofree char *number_text = g_strdup_printf ("%u", number);
  g_autofree char *label = g_strconcat (format, name != NULL ? name : number_text, NULL);

  postbag_markdown_begin_heading (reader->markdown, 2);
  postbag_markdown_text (reader->markdown, label, -1);
  postbag_markdown_end_block (reader->markdown);
}

static void
start_table (Reader *reader, const PostbagXmlAttributes *attributes)
{
  g_autofree char *name = postbag_xml_attribute (attributes, "name");

  if (reader->is_spreadsheet && reader->tables == 0)
    {
      reader->too_many |= ++reader->sheets > POSTBAG_LIMIT_DOCUMENT_SHEETS;
      write_label (reader, "Sheet: ", reader->sheets, name);
    }
  reader->tables++;
  reader->rows = 0;
  postbag_markdown_begin_table (reader->markdown);
}

static void
start_blanks (Reader *reader, const PostbagXmlAttributes *attributes)
{
  gint64 count = CLAMP (postbag_xml_attribute_int (attributes, "c", 1), 1, MOST_BLANKS);
  g_autofree char *blanks = g_strnfill ((gsize)count, ' ');

  postbag_markdown_text (reader->markdown, blanks, -1);
}

/* A note stands where it is referred to: in brackets, without ending the paragraph. */
static void
start_note (Reader *reader, const char *label)
{
  reader->notes++;
  postbag_markdown_text (reader->markdown, label, -1);
}

static void
start_paragraph (Reader *reader, const char *name, const PostbagXmlAttributes *attributes)
{
  reader->paragraphs++;
  if (reader->notes > 0)
    postbag_markdown_text (reader->markdown, " ", 1);
  else if (strcmp (name, "h") == 0)
    postbag_markdown_begin_heading (
        reader->markdown,
        (guint)CLAMP (postbag_xml_attribute_int (attributes, "outline-level", 1), 1, 6));
}

static gboolean
start_structure (Reader *reader, const char *name, const PostbagXmlAttributes *attributes)
{
  if (strcmp (name, "table") == 0)
    start_table (reader, attributes);
  else if (strcmp (name, "table-row") == 0)
    {
      reader->too_many |= ++reader->rows > POSTBAG_LIMIT_SHEET_ROWS;
      reader->columns = 0;
      postbag_markdown_begin_row (reader->markdown);
    }
  else if (strcmp (name, "table-cell") == 0)
    {
      reader->repeated = postbag_xml_attribute_int (attributes, "number-columns-repeated", 1);
      postbag_markdown_begin_cell (reader->markdown);
    }
  else if (strcmp (name, "list") == 0)
    reader->lists++;
  else if (strcmp (name, "list-item") == 0)
    postbag_markdown_begin_item (reader->markdown, reader->lists - 1, "-");
  else if (strcmp (name, "page") == 0)
    {
      reader->too_many |= ++reader->slides > POSTBAG_LIMIT_DOCUMENT_SLIDES;
      write_label (reader, "Slide ", reader->slides, NULL);
    }
  else
    return FALSE;
  return TRUE;
}

static void
start (gpointer data, const char *name, const PostbagXmlAttributes *attributes)
{
  Reader *reader = data;

  if (reader->skipped > 0 || is_skipped (name))
    reader->skipped++;
  else if (strcmp (name, "spreadsheet") == 0)
    reader->is_spreadsheet = TRUE;
  else if (strcmp (name, "p") == 0 || strcmp (name, "h") == 0)
    start_paragraph (reader, name, attributes);
  else if (strcmp (name, "s") == 0)
    start_blanks (reader, attributes);
  else if (strcmp (name, "tab") == 0)
    postbag_markdown_text (reader->markdown, "\t", 1);
  else if (strcmp (name, "line-break") == 0)
    postbag_markdown_break (reader->markdown);
  else if (strcmp (name, "note") == 0)
    start_note (reader, " [Note:");
  else if (strcmp (name, "annotation") == 0)
    start_note (reader, " [Comment:");
  else
    start_structure (reader, name, attributes);
}

/* Repeated cells keep their place; what a full one repeats is shown once. */
static void
end_cell (Reader *reader)
{
  postbag_markdown_end_cell (reader->markdown);
  if (reader->tables != 1)
    return;
  for (reader->columns++; reader->repeated > 1; reader->repeated--)
    {
      if (reader->columns++ >= POSTBAG_LIMIT_SHEET_COLUMNS)
        return;
      postbag_markdown_begin_cell (reader->markdown);
      postbag_markdown_end_cell (reader->markdown);
    }
}

static void
end_structure (Reader *reader, const char *name)
{
  if (strcmp (name, "table") == 0)
    {
      reader->tables -= reader->tables > 0;
      postbag_markdown_end_table (reader->markdown);
    }
  else if (strcmp (name, "table-row") == 0)
    postbag_markdown_end_row (reader->markdown);
  else if (strcmp (name, "table-cell") == 0)
    end_cell (reader);
  else if (strcmp (name, "list") == 0)
    reader->lists -= reader->lists > 0;
}

static void
end (gpointer data, const char *name)
{
  Reader *reader = data;

  if (reader->skipped > 0)
    reader->skipped--;
  else if (strcmp (name, "p") == 0 || strcmp (name, "h") == 0)
    {
      reader->paragraphs -= reader->paragraphs > 0;
      if (reader->notes == 0)
        postbag_markdown_end_block (reader->markdown);
    }
  else if ((strcmp (name, "note") == 0 || strcmp (name, "annotation") == 0) && reader->notes > 0)
    {
      reader->notes--;
      postbag_markdown_text (reader->markdown, "]", 1);
    }
  else
    end_structure (reader, name);
}

static void
take_text (gpointer data, const char *text, gsize length)
{
  Reader *reader = data;

  if (reader->skipped == 0 && reader->paragraphs > 0)
    postbag_markdown_text (reader->markdown, text, (gssize)length);
}

static gboolean
is_full (gpointer data)
{
  Reader *reader = data;

  return reader->too_many || postbag_markdown_is_full (reader->markdown);
}

/* The manifest names how each file is encrypted. */
static gboolean
is_encrypted (PostbagPackage *package)
{
  g_autoptr (GBytes) bytes = postbag_package_read (package, "META-INF/manifest.xml", NULL);
  gsize length = 0;
  const char *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  return data != NULL && memmem (data, length, "encryption-data", 15) != NULL;
}

static gboolean
read_content (PostbagPackage *package, PostbagExtractOutput *output, GError **error)
{
  static const PostbagXmlHandler handler = { start, end, take_text, is_full };
  g_autoptr (GBytes) bytes = postbag_package_read (package, "content.xml", error);
  g_autoptr (PostbagMarkdown) markdown = postbag_markdown_new (output);
  Reader reader = { .markdown = markdown };
  gsize length = 0;
  const guint8 *data = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  if (bytes == NULL || !postbag_xml_read (data, length, &handler, &reader, error))
    return FALSE;
  if (reader.is_spreadsheet)
    output->count (output, "sheet_count", MIN (reader.sheets, POSTBAG_LIMIT_DOCUMENT_SHEETS));
  if (reader.slides > 0)
    output->count (output, "slide_count", MIN (reader.slides, POSTBAG_LIMIT_DOCUMENT_SLIDES));
  if (reader.too_many)
    output->note (output, "The document has more sheets, rows or slides than are read.");
  return TRUE;
}

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (PostbagPackage) package = postbag_package_open (input->data, input->length, error);

  if (package == NULL)
    return FALSE;
  if (!is_encrypted (package))
    return read_content (package, output, error);
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_ENCRYPTED,
                       "Its files are encrypted.");
  return FALSE;
}

const PostbagExtractorImplementation postbag_odf_extractor = {
  .size = sizeof (PostbagExtractorImplementation),
  .extract = extract,
};
