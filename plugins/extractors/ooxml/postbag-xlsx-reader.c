/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-xlsx-reader.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-story.h"

#include "postbag-xlsx-sheet.h"

typedef struct
{
  char *name;
  char *relation;
  const char *state; /* (nullable): shown behind the name */
} Sheet;

typedef struct
{
  PostbagXlsxBook book;
  PostbagExtractOutput *output;
  GPtrArray *sheets;
  gboolean is_workbook;
  guint declared;
  guint read; /* sheets that were */
} Reader;

static void
free_sheet (gpointer data)
{
  Sheet *sheet = data;

  g_free (sheet->name);
  g_free (sheet->relation);
  g_free (sheet);
}

static void
take_properties (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *epoch = postbag_xml_get (xml, '\0', "date1904");

  self->book.epoch_1904 = epoch != NULL && postbag_story_is_on (epoch);
}

static const char *
read_state (const char *state)
{
  if (g_strcmp0 (state, "hidden") == 0)
    return "hidden";
  return g_strcmp0 (state, "veryHidden") == 0 ? "very hidden" : NULL;
}

static void
take_sheet (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *name = postbag_xml_get (xml, '\0', "name");
  Sheet *sheet;

  if (self->declared++ >= POSTBAG_LIMIT_DOCUMENT_SHEETS)
    return;
  sheet = g_new0 (Sheet, 1);
  sheet->name = g_strdup (name != NULL ? name : "");
  sheet->relation = g_strdup (postbag_xml_get (xml, 'r', "id"));
  sheet->state = read_state (postbag_xml_get (xml, '\0', "state"));
  g_ptr_array_add (self->sheets, sheet);
}

static const PostbagXmlElement elements[] = {
  { 's', "workbook", POSTBAG_XML_SEEN (Reader, is_workbook) },
  { 's', "workbookPr", take_properties },
  { 's', "sheet", take_sheet },
  { '\0', NULL },
};
static const PostbagXmlHandler handler = { postbag_ooxml_spaces, elements, NULL };

static gboolean
read_workbook (Reader *self, const char *part, GError **error)
{
  if (!postbag_xml_read_part (self->book.zip, part, &handler, self, error))
    return FALSE;
  if (!self->is_workbook)
    g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_NOT_A_DOCUMENT,
                         "It is no workbook.");
  else if (self->declared > POSTBAG_LIMIT_DOCUMENT_PARTS)
    g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_TOO_MANY_PARTS,
                         "It has too many sheets.");
  else
    return TRUE;
  return FALSE;
}

/* Without a relation that leads anywhere, by the usual name. */
static char *
dup_part (Reader *self, PostbagRelations *relations, const Sheet *sheet, guint number)
{
  const PostbagRelation *relation = postbag_relations_find (relations, sheet->relation);

  if (relation != NULL && !relation->is_external)
    return g_strdup (relation->target);
  return g_strdup_printf ("xl/worksheets/sheet%u.xml", number);
}

static gboolean
read_sheets (Reader *self, PostbagRelations *relations, GError **error)
{
  g_autoptr (GError) failure = NULL;

  for (guint i = 0; i < self->sheets->len && !postbag_markdown_is_full (self->book.markdown); i++)
    {
      const Sheet *sheet = g_ptr_array_index (self->sheets, i);
      g_autofree char *part = dup_part (self, relations, sheet, i + 1);

      if (postbag_xlsx_sheet_read (&self->book, part, sheet->name, sheet->state,
                                   failure == NULL ? &failure : NULL))
        self->read++;
    }
  if (self->read == 0 && failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  self->book.was_damaged |= failure != NULL;
  return TRUE;
}

static void
tell_facts (Reader *self)
{
  const PostbagXlsxBook *book = &self->book;
  PostbagExtractOutput *output = self->output;

  postbag_sheet_facts_tell (&book->facts, book->markdown, output, self->declared, self->sheets->len,
                            book->has_drawings);
  postbag_story_note_if (output, book->has_lost_texts || postbag_xlsx_cells_is_cut (book->cells),
                         "Some cells refer to texts that are not there.");
  postbag_story_note_if (output, book->was_damaged,
                         "A sheet is missing, damaged or too large; what follows in "
                         "it is missing.");
}

gboolean
postbag_xlsx_read (PostbagZip *zip, PostbagExtractOutput *output, GError **error)
{
  g_autofree char *part = postbag_ooxml_dup_main_part (zip, "xl/workbook.xml");
  g_autoptr (PostbagRelations) relations = postbag_relations_read (zip, part);
  g_autoptr (PostbagMarkdown) markdown = postbag_markdown_new (output);
  g_autoptr (GPtrArray) sheets = g_ptr_array_new_with_free_func (free_sheet);
  g_autoptr (PostbagXlsxCells) cells = NULL;
  Reader self = { .output = output, .sheets = sheets };

  self.book.zip = zip;
  self.book.markdown = markdown;
  if (!read_workbook (&self, part, error))
    return FALSE;
  self.book.cells = cells = postbag_xlsx_cells_read (zip, relations);
  if (!read_sheets (&self, relations, error))
    return FALSE;
  tell_facts (&self);
  return TRUE;
}
