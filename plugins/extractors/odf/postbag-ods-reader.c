/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cells and rows may be declared a million times each: a row is kept until its end and shown as
 * often as there is room for. */

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-link.h"
#include "extract/postbag-sheet.h"
#include "extract/postbag-story.h"

#include "postbag-odf-readers.h"
#include "postbag-odf-styles.h"

#define MOST_REPEATS 16777216

typedef struct
{
  PostbagExtractOutput *output;
  PostbagMarkdown *markdown;
  PostbagOdfStyles *styles;
  PostbagSheetFacts facts;
  PostbagSheet *sheet; /* (nullable): the open one */
  gboolean has_body, too_many;
  guint sheets, declared;

  gint64 column_at; /* of declared columns */
  gint64 row;
  gint64 row_repeats;
  PostbagLook look;    /* of the open cell */
  gboolean is_written; /* it has a text, if an empty one */
  gboolean row_hidden;
  guint hidden_groups; /* open ones that are folded away, of rows or of columns */
  gint64 column;       /* behind the last cell, from 1 */
  GPtrArray *cells;    /* texts of the open row; NULL where one is empty */
  gboolean row_has_text;

  gint64 cell_repeats;
  gboolean in_cell;
  guint depth; /* of paragraphs */
  char *value; /* where nothing is displayed */
  GString *text;
  char *target;
  GString *comments; /* of the sheet */
  GString *comment;
  gboolean in_comment;
  gboolean has_drawings;
} Reader;

/* --- sheets --- */

static void
start_sheet (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *name = postbag_xml_get (xml, 'T', "name");
  const char *style = postbag_xml_get (xml, 'T', "style-name");

  if (postbag_markdown_is_full (self->markdown))
    postbag_xml_stop (xml);
  self->declared += self->sheet == NULL;
  self->too_many = self->declared > POSTBAG_LIMIT_DOCUMENT_PARTS;
  if (self->too_many)
    postbag_xml_stop (xml);
  if (self->sheet != NULL || self->declared > POSTBAG_LIMIT_DOCUMENT_SHEETS)
    {
      postbag_xml_skip (xml, NULL);
      return;
    }
  self->sheets++;
  self->row = 1;
  self->column_at = 1;
  self->sheet =
      postbag_sheet_new (self->markdown, &self->facts, name != NULL ? name : "",
                         postbag_odf_styles_is_hidden (self->styles, style) ? "hidden" : NULL);
}

static void
end_sheet (gpointer user_data)
{
  Reader *self = user_data;

  if (self->sheet == NULL)
    return;
  postbag_sheet_end_table (self->sheet);
  if (self->comments->len > 0)
    postbag_story_tell (self->markdown, NULL, self->comments->str);
  g_string_truncate (self->comments, 0);
  g_clear_pointer (&self->sheet, postbag_sheet_free);
}

static gboolean
is_collapsed (PostbagXml *xml)
{
  const char *visibility = postbag_xml_get (xml, 'T', "visibility");

  return visibility != NULL && strcmp (visibility, "visible") != 0;
}

/* In a group that is folded away the rows may still say that they are visible. */
static void
start_group (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  gboolean is_folded = g_strcmp0 (postbag_xml_get (xml, 'T', "display"), "false") == 0;

  /* One in a folded one is folded, too. */
  if (is_folded || self->hidden_groups > 0)
    self->hidden_groups++;
}

static void
end_group (gpointer user_data)
{
  Reader *self = user_data;

  if (self->hidden_groups > 0)
    self->hidden_groups--;
}

static gint64
get_repeats (PostbagXml *xml, const char *name)
{
  return postbag_xml_get_number (xml, 'T', name, 1, MOST_REPEATS, 1);
}

static void
take_column (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  gint64 repeats = get_repeats (xml, "number-columns-repeated");

  if ((is_collapsed (xml) || self->hidden_groups > 0) && self->sheet != NULL
      && self->column_at <= POSTBAG_LIMIT_SHEET_COLUMNS)
    postbag_sheet_hide_columns (self->sheet, self->column_at, self->column_at + repeats - 1);
  self->column_at = MIN (self->column_at + repeats, MOST_REPEATS);
}

/* --- rows --- */

static void
start_row (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (postbag_markdown_is_full (self->markdown))
    postbag_xml_stop (xml);
  self->row_repeats = get_repeats (xml, "number-rows-repeated");
  self->row_hidden = is_collapsed (xml) || self->hidden_groups > 0;
  self->row_has_text = FALSE;
  self->column = 1;
  g_ptr_array_set_size (self->cells, 0);
}

static gboolean
write_row (Reader *self)
{
  for (guint i = 0; i < self->cells->len; i++)
    {
      const char *text = g_ptr_array_index (self->cells, i);

      if (text != NULL)
        postbag_sheet_add_cell (self->sheet, (gint64)i + 1, text);
    }
  return postbag_sheet_end_row (self->sheet);
}

static void
end_row (gpointer user_data)
{
  Reader *self = user_data;

  if (self->sheet == NULL)
    return;
  for (gint64 i = 0; self->row_has_text && i < self->row_repeats; i++)
    {
      if (postbag_markdown_is_full (self->markdown)
          || !postbag_sheet_begin_row (self->sheet, self->row + i, self->row_hidden)
          || !write_row (self))
        break;
    }
  self->row = MIN (self->row + self->row_repeats, MOST_REPEATS);
}

/* --- cells --- */

/* What the cell holds where the program wrote no text beside it. */
static char *
dup_value (PostbagXml *xml)
{
  static const char *const names[] = { "string-value", "date-value", "time-value", "boolean-value",
                                       "value" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const char *value = postbag_xml_get (xml, 'o', names[i]);

      if (value != NULL && *value != '\0')
        return g_strdup (value);
    }
  return NULL;
}

static void
start_cell (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->cell_repeats = get_repeats (xml, "number-columns-repeated");
  self->look = postbag_odf_styles_get_look (self->styles, postbag_xml_get (xml, 'T', "style-name"));
  self->is_written = FALSE;
  self->in_cell = TRUE;
  self->depth = 0;
  g_free (self->value);
  self->value = dup_value (xml);
  g_string_truncate (self->text, 0);
}

static void
add_cells (Reader *self, const char *text)
{
  if (self->column + self->cell_repeats - 1 > POSTBAG_LIMIT_SHEET_COLUMNS)
    self->facts.has_wide_rows = TRUE;
  for (gint64 i = 0; i < self->cell_repeats && self->column + i <= POSTBAG_LIMIT_SHEET_COLUMNS; i++)
    {
      while (self->cells->len < self->column + i - 1)
        g_ptr_array_add (self->cells, NULL);
      g_ptr_array_add (self->cells, g_strdup (text));
    }
  self->row_has_text = TRUE;
}

static void
end_cell (gpointer user_data)
{
  Reader *self = user_data;
  const char *text = self->text->len > 0 ? self->text->str : self->value;

  self->in_cell = FALSE;
  /* The program had a value to show, and showed nothing of it. */
  if (self->text->len == 0 && text != NULL && self->is_written)
    {
      postbag_sheet_facts_count_unshown (&self->facts);
      text = NULL;
    }
  if (text != NULL)
    add_cells (self, text);
  if (text != NULL && (self->look.white == POSTBAG_LOOK_YES || self->look.tiny == POSTBAG_LOOK_YES))
    postbag_sheet_facts_count_unseen (&self->facts, text);
  self->column = MIN (self->column + self->cell_repeats, MOST_REPEATS);
}

static void
start_covered_cell (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->column = MIN (self->column + get_repeats (xml, "number-columns-repeated"), MOST_REPEATS);
  postbag_xml_skip (xml, NULL);
}

/* --- their text --- */

static void
append (Reader *self, const char *text, gsize length)
{
  GString *out = self->in_comment ? self->comment : self->text;

  if (out->len <= 4 * POSTBAG_LIMIT_CELL_CHARS)
    g_string_append_len (out, text, (gssize)length);
}

static void
start_paragraph (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const GString *out = self->in_comment ? self->comment : self->text;

  self->depth++;
  self->is_written |= !self->in_comment;
  if (out->len > 0)
    append (self, " ", 1);
}

static void
end_paragraph (gpointer user_data)
{
  Reader *self = user_data;

  if (self->depth > 0)
    self->depth--;
}

static void
take_text (const char *text, gsize length, gpointer user_data)
{
  Reader *self = user_data;

  if (self->in_cell && self->depth > 0)
    append (self, text, length);
}

static void
add_blank (PostbagXml *xml, gpointer user_data)
{
  append (user_data, " ", 1);
}

static void
start_link (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  g_free (self->target);
  self->target = g_strdup (postbag_xml_get (xml, 'x', "href"));
}

static void
end_link (gpointer user_data)
{
  Reader *self = user_data;
  g_autofree char *shown = postbag_link_dup_shown (self->target);

  if (shown != NULL && self->in_cell)
    append (self, shown, strlen (shown));
  g_clear_pointer (&self->target, g_free);
}

static void
start_comment (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->in_comment = TRUE;
  g_string_truncate (self->comment, 0);
}

static void
end_comment (gpointer user_data)
{
  Reader *self = user_data;

  self->in_comment = FALSE;
  if (self->comment->len == 0 || self->comments->len > POSTBAG_LIMIT_STORY_BYTES)
    return;
  g_string_append_printf (self->comments, "%s- [comment in row %" G_GINT64_FORMAT "] %s",
                          self->comments->len > 0 ? "\n" : "", self->row, self->comment->str);
}

static void
see_drawing (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->has_drawings = TRUE;
  postbag_xml_skip (xml, NULL);
}

static const PostbagXmlElement elements[] = {
  { 'o', "spreadsheet", POSTBAG_XML_SEEN (Reader, has_body) },
  { 'o', "automatic-styles", postbag_xml_skip },
  { 'o', "forms", postbag_xml_skip },
  { 'T', "tracked-changes", postbag_xml_skip },
  { 'T', "content-validations", postbag_xml_skip },
  { 'T', "dde-links", postbag_xml_skip },
  { 'T', "table", start_sheet, end_sheet },
  { 'T', "table-column-group", start_group, end_group },
  { 'T', "table-row-group", start_group, end_group },
  { 'T', "table-column", take_column },
  { 'T', "table-row", start_row, end_row },
  { 'T', "table-cell", start_cell, end_cell },
  { 'T', "covered-table-cell", start_covered_cell },
  { 'T', "shapes", see_drawing },
  { 'd', "frame", see_drawing },
  { 'd', "custom-shape", see_drawing },
  { 'd', "g", see_drawing },
  { 't', "p", start_paragraph, end_paragraph },
  { 't', "s", add_blank },
  { 't', "tab", add_blank },
  { 't', "line-break", add_blank },
  { 't', "ruby-text", postbag_xml_skip },
  { 't', "a", start_link, end_link },
  { 'o', "annotation", start_comment, end_comment },
  { 'D', "creator", postbag_xml_skip },
  { 'D', "date", postbag_xml_skip },
  { '\0', NULL },
};
static const PostbagXmlHandler handler = { postbag_odf_spaces, elements, take_text };

static void
tell_facts (Reader *self, gboolean was_damaged)
{
  postbag_sheet_facts_tell (&self->facts, self->markdown, self->output, self->declared,
                            self->sheets, self->has_drawings);
  postbag_story_note_if (self->output, was_damaged,
                         "The workbook is damaged or too large; what follows is missing.");
}

static gboolean
read_sheets (Reader *self, PostbagZip *zip, GError **error)
{
  g_autoptr (GError) failure = NULL;
  gboolean fine = postbag_xml_read_part (zip, "content.xml", &handler, self, &failure);

  end_sheet (self);
  if (!fine && self->sheets == 0)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  if (!self->has_body || self->too_many)
    {
      g_set_error_literal (error, POSTBAG_EXTRACT_ERROR,
                           self->too_many ? POSTBAG_EXTRACT_TOO_MANY_PARTS
                                          : POSTBAG_EXTRACT_NOT_A_DOCUMENT,
                           self->too_many ? "It has too many sheets." : "It is no spreadsheet.");
      return FALSE;
    }
  tell_facts (self, !fine);
  return TRUE;
}

gboolean
postbag_ods_read (PostbagZip *zip, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (PostbagMarkdown) markdown = postbag_markdown_new (output);
  g_autoptr (PostbagOdfStyles) styles = postbag_odf_styles_read (zip);
  g_autoptr (GPtrArray) cells = g_ptr_array_new_with_free_func (g_free);
  Reader self = { .output = output, .markdown = markdown, .styles = styles, .cells = cells };
  gboolean fine;

  self.text = g_string_new (NULL);
  self.comment = g_string_new (NULL);
  self.comments = g_string_new (NULL);
  fine = read_sheets (&self, zip, error);
  g_string_free (self.text, TRUE);
  g_string_free (self.comment, TRUE);
  g_string_free (self.comments, TRUE);
  g_free (self.value);
  g_free (self.target);
  return fine;
}
