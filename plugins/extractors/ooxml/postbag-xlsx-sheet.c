/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-xlsx-sheet.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-story.h"

#include "extract/postbag-number-format.h"

#define COLUMNS 16384
#define MOST_ROWS 1048576
#define MOST_LINKS 100
#define MOST_COMMENTS 500

typedef enum
{
  VALUE_NUMBER,
  VALUE_SHARED,
  VALUE_TEXT,
  VALUE_BOOLEAN,
  VALUE_DATE,
} ValueKind;

typedef struct
{
  PostbagXlsxBook *book;
  PostbagRelations *relations;
  PostbagSheet *sheet;
  gint64 row;
  gint64 column; /* of the open cell, from 1 */
  gint64 style;
  ValueKind kind;
  gboolean in_value;
  GString *value;
  GString *links;
  guint link_count;

  char *place; /* of a comment */
  guint comment_count;
} Reader;

/* --- rows and cells --- */

static void
take_columns (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  gint64 first = postbag_xml_get_number (xml, '\0', "min", 1, COLUMNS, 0);
  gint64 last = postbag_xml_get_number (xml, '\0', "max", 1, COLUMNS, 0);
  const char *hidden = postbag_xml_get (xml, '\0', "hidden");

  if (hidden != NULL && postbag_story_is_on (hidden))
    postbag_sheet_hide_columns (self->sheet, first, last);
}

static void
start_row (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *hidden = postbag_xml_get (xml, '\0', "hidden");

  self->row = postbag_xml_get_number (xml, '\0', "r", 1, MOST_ROWS, self->row + 1);
  self->column = 0;
  if (postbag_markdown_is_full (self->book->markdown))
    postbag_xml_stop (xml);
  else if (!postbag_sheet_begin_row (self->sheet, self->row,
                                     hidden != NULL && postbag_story_is_on (hidden)))
    postbag_xml_skip (xml, NULL);
}

static void
end_row (gpointer user_data)
{
  Reader *self = user_data;

  postbag_sheet_end_row (self->sheet);
}

/* The letters of "BC12"; 0 where there are none. */
static gint64
read_column (const char *place)
{
  gint64 column = 0;

  for (; place != NULL && g_ascii_isalpha (*place) && column <= COLUMNS; place++)
    column = column * 26 + (g_ascii_toupper (*place) - 'A' + 1);
  return column <= COLUMNS ? column : 0;
}

static ValueKind
read_kind (const char *type)
{
  static const struct
  {
    const char *type;
    ValueKind kind;
  } kinds[] = {
    { "s", VALUE_SHARED },  { "str", VALUE_TEXT }, { "inlineStr", VALUE_TEXT },
    { "b", VALUE_BOOLEAN }, { "e", VALUE_TEXT },   { "d", VALUE_DATE },
  };

  for (gsize i = 0; type != NULL && i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kinds[i].type, type) == 0)
      return kinds[i].kind;
  return VALUE_NUMBER;
}

static void
start_cell (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  gint64 column = read_column (postbag_xml_get (xml, '\0', "r"));

  self->column = MAX (column, self->column + 1);
  self->style = postbag_xml_get_number (xml, '\0', "s", 0, G_MAXINT32, 0);
  self->kind = read_kind (postbag_xml_get (xml, '\0', "t"));
  g_string_truncate (self->value, 0);
}

static void
take_text (const char *text, gsize length, gpointer user_data)
{
  Reader *self = user_data;

  if (self->in_value && self->value->len <= 4 * POSTBAG_LIMIT_CELL_CHARS)
    g_string_append_len (self->value, text, (gssize)length);
}

static char *
show_number (Reader *self, const char *value)
{
  char *end;
  double number = g_ascii_strtod (value, &end);
  char *shown;

  if (*value == '\0' || *end != '\0')
    return g_strdup (value);
  shown = postbag_number_format (postbag_xlsx_cells_get_format (self->book->cells, self->style),
                                 number, self->book->epoch_1904);
  if (*shown == '\0')
    postbag_sheet_facts_count_unshown (&self->book->facts);
  return shown;
}

static char *
show_text (Reader *self, const char *text)
{
  if (*text == '\0' || !postbag_xlsx_cells_hides_text (self->book->cells, self->style))
    return postbag_xlsx_unescape (text);
  postbag_sheet_facts_count_unshown (&self->book->facts);
  return g_strdup ("");
}

/* (transfer full): as the sheet shows it */
static char *
show_value (Reader *self)
{
  const char *value = self->value->str;
  const char *shared;

  switch (self->kind)
    {
    case VALUE_SHARED:
      shared = postbag_xlsx_cells_get_text (self->book->cells, value);
      self->book->has_lost_texts |= shared == NULL;
      return show_text (self, shared != NULL ? shared : "");
    case VALUE_BOOLEAN:
      return g_strdup (postbag_story_is_on (value) ? "TRUE" : "FALSE");
    case VALUE_DATE:
      return g_strdelimit (g_strdup (value), "T", ' ');
    case VALUE_NUMBER:
      return show_number (self, value);
    case VALUE_TEXT:
    default:
      return show_text (self, value);
    }
}

static void
end_cell (gpointer user_data)
{
  Reader *self = user_data;
  g_autofree char *shown = NULL;

  if (self->value->len == 0)
    return;
  shown = show_value (self);
  if (postbag_xlsx_cells_is_unseen (self->book->cells, self->style))
    postbag_sheet_facts_count_unseen (&self->book->facts, shown);
  postbag_sheet_add_cell (self->sheet, self->column, shown);
}

/* --- links, drawings --- */

static void
take_link (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *place = postbag_xml_get (xml, '\0', "ref");
  const PostbagRelation *relation =
      postbag_relations_find (self->relations, postbag_xml_get (xml, 'r', "id"));

  if (place == NULL || strlen (place) > 24 || relation == NULL || !relation->is_external
      || self->link_count++ >= MOST_LINKS)
    return;
  g_string_append_printf (self->links, "%s%c%s", place, '\0', relation->target);
  g_string_append_c (self->links, '\0');
}

static void
see_drawing (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->book->has_drawings = TRUE;
}

static const PostbagXmlElement sheet_elements[] = {
  { 's', "col", take_columns },
  { 's', "row", start_row, end_row },
  { 's', "c", start_cell, end_cell },
  { 's', "v", POSTBAG_XML_INSIDE (Reader, in_value) },
  { 's', "t", POSTBAG_XML_INSIDE (Reader, in_value) },
  { 's', "rPh", postbag_xml_skip },
  { 's', "f", postbag_xml_skip },
  { 's', "extLst", postbag_xml_skip },
  { 's', "hyperlink", take_link },
  { 's', "drawing", see_drawing },
  { '\0', NULL },
};
static const PostbagXmlHandler sheet_handler = { postbag_ooxml_spaces, sheet_elements, take_text };

/* --- comments --- */

static void
start_comment (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *place = postbag_xml_get (xml, '\0', "ref");

  g_free (self->place);
  self->place = g_strdup (place);
  g_string_truncate (self->value, 0);
}

static void
end_comment (gpointer user_data)
{
  Reader *self = user_data;
  g_autofree char *text = NULL;

  if (self->value->len == 0 || self->comment_count++ >= MOST_COMMENTS)
    return;
  text = postbag_xlsx_unescape (self->value->str);
  postbag_markdown_begin_item (self->book->markdown, 0, "-");
  postbag_markdown_text (self->book->markdown, "[comment at ", -1);
  postbag_markdown_text (self->book->markdown, self->place != NULL ? self->place : "?", -1);
  postbag_markdown_text (self->book->markdown, "] ", -1);
  postbag_markdown_text (self->book->markdown, text, -1);
}

static const PostbagXmlElement comment_elements[] = {
  { 's', "comment", start_comment, end_comment },
  { 's', "t", POSTBAG_XML_INSIDE (Reader, in_value) },
  { 's', "rPh", postbag_xml_skip },
  { '\0', NULL },
};
static const PostbagXmlHandler comment_handler = { postbag_ooxml_spaces, comment_elements,
                                                   take_text };

static void
tell_links (Reader *self)
{
  const char *at = self->links->str;
  const char *end = at + self->links->len;

  while (at < end)
    {
      const char *target = at + strlen (at) + 1;

      postbag_markdown_begin_item (self->book->markdown, 0, "-");
      postbag_markdown_text (self->book->markdown, "link at ", -1);
      postbag_markdown_text (self->book->markdown, at, -1);
      postbag_story_add_link (self->book->markdown, target);
      at = target + strlen (target) + 1;
    }
}

gboolean
postbag_xlsx_sheet_read (PostbagXlsxBook *book, const char *part, const char *name,
                         const char *state, GError **error)
{
  g_autoptr (PostbagRelations) relations = postbag_relations_read (book->zip, part);
  const char *comments = postbag_relations_find_part (relations, book->zip, "comments");
  Reader self = { .book = book, .relations = relations };
  gboolean fine;

  self.value = g_string_new (NULL);
  self.links = g_string_new (NULL);
  self.sheet = postbag_sheet_new (book->markdown, &book->facts, name, state);
  fine = postbag_xml_read_part (book->zip, part, &sheet_handler, &self, error);
  postbag_sheet_end_table (self.sheet);
  self.in_value = FALSE;
  tell_links (&self);
  if (comments != NULL)
    postbag_xml_read_part (book->zip, comments, &comment_handler, &self, NULL);
  postbag_sheet_free (self.sheet);
  g_string_free (self.value, TRUE);
  g_string_free (self.links, TRUE);
  g_free (self.place);
  return fine;
}
