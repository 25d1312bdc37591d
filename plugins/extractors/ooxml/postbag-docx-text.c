/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What to do at which element of a text. */

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-link.h"

#include "postbag-docx-reader-private.h"

#define LONGEST_CODE 2048

typedef PostbagDocxReader Reader;

/* --- paragraphs --- */

void
postbag_docx_clear_paragraph (PostbagDocxParagraph *paragraph)
{
  g_free (paragraph->style);
  *paragraph = (PostbagDocxParagraph){ .list = -1, .level = -1, .outline = -1 };
}

/* An empty item counts too. */
static gboolean
count_item (Reader *self, PostbagDocxItem *item)
{
  PostbagDocxParagraph *paragraph = &self->paragraph;
  gint64 list = paragraph->list;

  if (paragraph->is_counted)
    return FALSE;
  paragraph->is_counted = TRUE;
  if (list < 0)
    list = postbag_docx_styles_get_list (self->styles, paragraph->style, &paragraph->level);
  return postbag_docx_styles_count_item (self->styles, list, paragraph->level, item);
}

static guint
get_heading (Reader *self)
{
  if (self->paragraph.outline >= 0)
    return self->paragraph.outline < 9 ? (guint)self->paragraph.outline + 1 : 0;
  return postbag_docx_styles_get_heading (self->styles, self->paragraph.style);
}

static void
open_paragraph (Reader *self)
{
  PostbagDocxItem item = { 0 };
  guint heading;
  gboolean is_item;

  if (self->paragraph.is_open)
    return;
  self->paragraph.is_open = TRUE;
  is_item = count_item (self, &item);
  heading = get_heading (self);
  if (self->join_next)
    self->join_next = FALSE;
  else if (heading > 0)
    {
      postbag_markdown_begin_heading (self->teller.markdown, heading);
      if (is_item && !item.is_bullet)
        {
          postbag_markdown_text (self->teller.markdown, item.marker, -1);
          postbag_markdown_text (self->teller.markdown, " ", 1);
        }
    }
  else if (is_item)
    postbag_markdown_begin_item (self->teller.markdown, item.level, item.marker);
  else
    postbag_markdown_end_block (self->teller.markdown);
  g_free (item.marker);
}

static void
set_style (Reader *self, const char *style)
{
  g_free (self->paragraph.style);
  self->paragraph.style = g_strdup (style);
  self->paragraph.look = postbag_docx_styles_get_paragraph_look (self->styles, style);
}

static void
start_paragraph (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (postbag_markdown_is_full (self->teller.main))
    postbag_xml_stop (xml);
  postbag_docx_clear_paragraph (&self->paragraph);
  set_style (self, postbag_docx_styles_get_default (self->styles));
}

void
postbag_docx_end_paragraph (PostbagDocxReader *self)
{
  PostbagDocxItem item = { 0 };

  count_item (self, &item);
  g_free (item.marker);
  if (self->paragraph.mark_deleted)
    self->join_next |= self->paragraph.is_open;
  else
    {
      postbag_markdown_end_block (self->teller.markdown);
      self->join_next = FALSE;
    }
  postbag_teller_tell_boxes (&self->teller);
}

static void
end_paragraph (gpointer user_data)
{
  postbag_docx_end_paragraph (user_data);
}

static void
take_style (PostbagXml *xml, gpointer user_data)
{
  set_style (user_data, postbag_xml_get (xml, 'w', "val"));
}

static void
take_list (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->paragraph.list = postbag_xml_get_number (xml, 'w', "val", 0, G_MAXINT32, -1);
}

static void
take_level (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->paragraph.level = (gint)postbag_xml_get_number (xml, 'w', "val", 0, 8, -1);
}

static void
take_outline (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->paragraph.outline = (gint)postbag_xml_get_number (xml, 'w', "val", 0, 9, -1);
}

/* --- runs --- */

static void
end_run (gpointer user_data)
{
  Reader *self = user_data;

  self->run = (PostbagDocxRun){ .counted = FALSE };
}

static void
take_hidden (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (!self->in_properties)
    postbag_docx_look_take_hidden (&self->run.look, xml);
}

/* Where it is off, vanish may still hide. */
static void
take_hidden_in_web (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (!self->in_properties && postbag_story_is_on (postbag_xml_get (xml, 'w', "val")))
    self->run.look.hidden = POSTBAG_LOOK_YES;
}

/* The first of its properties: others win. */
static void
take_run_style (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  PostbagLook look = postbag_docx_styles_get_look (self->styles, postbag_xml_get (xml, 'w', "val"));

  if (!self->in_properties)
    postbag_look_inherit (&self->run.look, &look);
}

static void
take_color (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (!self->in_properties)
    postbag_docx_look_take_color (&self->run.look, xml);
}

static void
take_size (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (!self->in_properties)
    postbag_docx_look_take_size (&self->run.look, xml);
}

/* As the run says, else its paragraph. */
static PostbagLook
get_look (Reader *self)
{
  PostbagLook look = self->run.look;

  postbag_look_inherit (&look, &self->paragraph.look);
  return look;
}

static gboolean
is_in_field_code (Reader *self)
{
  for (guint i = 0; i < MIN (self->fields, POSTBAG_DOCX_FIELDS); i++)
    if (self->field_code[i])
      return TRUE;
  return FALSE;
}

void
postbag_docx_say (PostbagDocxReader *self, const char *text, gsize length)
{
  PostbagLook look = get_look (self);

  if (is_in_field_code (self) || length == 0)
    return;
  postbag_teller_count_look (&self->teller, &look, &self->run.counted);
  if (look.hidden == POSTBAG_LOOK_YES)
    return;
  open_paragraph (self);
  postbag_teller_say (&self->teller, text, length);
}

static void
say_words (Reader *self, const char *words)
{
  postbag_docx_say (self, words, strlen (words));
}

static void
start_code (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->in_code = self->fields == 1 && self->field_code[0];
}

/* A line end of the file is a blank of the text. */
static void
take_text (const char *text, gsize length, gpointer user_data)
{
  Reader *self = user_data;

  if (self->in_code && self->code->len + length <= LONGEST_CODE)
    g_string_append_len (self->code, text, (gssize)length);
  if (!self->in_text)
    return;
  while (length > 0)
    {
      const char *end = memchr (text, '\n', length);
      gsize run = end != NULL ? (gsize)(end - text) : length;

      postbag_docx_say (self, text, run);
      if (end == NULL)
        return;
      postbag_docx_say (self, " ", 1);
      text += run + 1;
      length -= run + 1;
    }
}

static void
add_tab (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (self->in_run)
    say_words (self, "\t");
}

static void
add_break (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *type = postbag_xml_get (xml, 'w', "type");

  if (self->in_run && (type == NULL || strcmp (type, "textWrapping") == 0))
    say_words (self, "\n");
}

static void
add_hyphen (PostbagXml *xml, gpointer user_data)
{
  say_words (user_data, "-");
}

/* Signs of fonts without letters that documents are full of; the code is the lower byte. */
static const char *
find_sign (const char *font, guint code)
{
  static const struct
  {
    const char *font;
    guint code;
    const char *sign;
  } signs[] = {
    { "Wingdings", 0xfc, "✓" },   { "Wingdings", 0xfb, "✗" },   { "Wingdings", 0xfe, "☑" },
    { "Wingdings", 0xfd, "☒" },   { "Wingdings", 0xa8, "☐" },   { "Wingdings", 0x6f, "☐" },
    { "Wingdings", 0x78, "☒" },   { "Wingdings", 0xe0, "→" },   { "Wingdings", 0xdf, "←" },
    { "Wingdings", 0xf0, "⇨" },   { "Wingdings", 0xa7, "▪" },   { "Wingdings", 0x6c, "●" },
    { "Wingdings", 0x6e, "■" },   { "Wingdings", 0x4a, "☺" },   { "Wingdings", 0x28, "☎" },
    { "Wingdings", 0x2a, "✉" },   { "Wingdings 2", 0x50, "✓" }, { "Wingdings 2", 0x52, "☑" },
    { "Wingdings 2", 0xa3, "☐" }, { "Symbol", 0xb7, "•" },      { "Symbol", 0xae, "→" },
    { "Symbol", 0xac, "←" },      { "Symbol", 0xb3, "≥" },      { "Symbol", 0xa3, "≤" },
    { "Symbol", 0xb1, "±" },      { "Symbol", 0xb9, "≠" },      { "Symbol", 0xb4, "×" },
    { "Symbol", 0xb0, "°" },      { "Symbol", 0xa5, "∞" },      { "Symbol", 0x61, "α" },
    { "Symbol", 0x62, "β" },      { "Symbol", 0x67, "γ" },      { "Symbol", 0x64, "δ" },
    { "Symbol", 0x6d, "μ" },      { "Symbol", 0x70, "π" },      { "Symbol", 0x44, "Δ" },
    { "Symbol", 0x53, "Σ" },      { "Symbol", 0x57, "Ω" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (signs); i++)
    if (signs[i].code == code && g_strcmp0 (signs[i].font, font) == 0)
      return signs[i].sign;
  return NULL;
}

static void
add_sign (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *value = postbag_xml_get (xml, 'w', "char");
  const char *font = postbag_xml_get (xml, 'w', "font");
  guint64 code = value != NULL ? g_ascii_strtoull (value, NULL, 16) : 0;
  const char *sign = find_sign (font, (guint)(code & 0xff));
  char letter[7] = "";

  if (sign != NULL)
    say_words (self, sign);
  else if (code > 0x20 && code < 0xe000 && g_unichar_validate ((gunichar)code)
           && g_unichar_isprint ((gunichar)code))
    {
      g_unichar_to_utf8 ((gunichar)code, letter);
      say_words (self, letter);
    }
  else
    self->has_unknown_signs = TRUE;
}

/* --- changes --- */

static void
start_deleted (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (self->in_properties)
    self->paragraph.mark_deleted = TRUE;
  postbag_xml_skip (xml, NULL);
}

/* --- fields and links --- */

static void
add_target (Reader *self, const char *target)
{
  if (get_look (self).hidden == POSTBAG_LOOK_YES || is_in_field_code (self) || target == NULL)
    return;
  open_paragraph (self);
  postbag_story_add_link (self->teller.markdown, target);
}

static void
separate_field (Reader *self)
{
  if (self->fields > 0 && self->fields <= POSTBAG_DOCX_FIELDS)
    self->field_code[self->fields - 1] = FALSE;
  if (self->fields == 1)
    {
      g_free (self->field_target);
      self->field_target = postbag_link_dup_field_target (self->code->str);
    }
}

static void
finish_field (Reader *self)
{
  if (self->fields == 0)
    return;
  separate_field (self);
  self->fields--;
  if (self->fields > 0)
    return;
  add_target (self, self->field_target);
  g_clear_pointer (&self->field_target, g_free);
  g_string_truncate (self->code, 0);
}

static void
take_field (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *type = postbag_xml_get (xml, 'w', "fldCharType");

  if (g_strcmp0 (type, "begin") == 0)
    {
      if (self->fields < POSTBAG_DOCX_FIELDS)
        self->field_code[self->fields] = TRUE;
      if (self->fields < G_MAXUINT / 2)
        self->fields++;
    }
  else if (g_strcmp0 (type, "separate") == 0)
    separate_field (self);
  else if (g_strcmp0 (type, "end") == 0)
    finish_field (self);
}

static void
start_link (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const PostbagRelation *relation =
      postbag_relations_find (self->relations, postbag_xml_get (xml, 'r', "id"));

  g_ptr_array_add (self->targets,
                   relation != NULL && relation->is_external ? g_strdup (relation->target) : NULL);
}

static void
end_link (gpointer user_data)
{
  Reader *self = user_data;
  g_autofree char *target = NULL;

  if (self->targets->len == 0)
    return;
  target = g_ptr_array_steal_index (self->targets, self->targets->len - 1);
  add_target (self, target);
}

/* --- tables --- */

static void
start_table (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->join_next = FALSE;
  postbag_teller_start_table (xml, self);
}

static void
add_empty_cells (Reader *self, gint64 count)
{
  for (; count > 0; count--)
    {
      postbag_markdown_begin_cell (self->teller.markdown);
      postbag_markdown_end_cell (self->teller.markdown);
    }
}

static void
skip_columns (PostbagXml *xml, gpointer user_data)
{
  add_empty_cells (user_data,
                   postbag_xml_get_number (xml, 'w', "val", 0, POSTBAG_LIMIT_SHEET_COLUMNS, 0));
}

static void
start_cell (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->spanned = 0;
  self->join_next = FALSE;
  postbag_markdown_begin_cell (self->teller.markdown);
}

static void
end_cell (gpointer user_data)
{
  Reader *self = user_data;

  self->join_next = FALSE;
  postbag_markdown_end_cell (self->teller.markdown);
  add_empty_cells (self, self->spanned);
  self->spanned = 0;
}

static void
take_span (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->spanned =
      (gint)postbag_xml_get_number (xml, 'w', "val", 1, POSTBAG_LIMIT_SHEET_COLUMNS, 1) - 1;
}

/* --- boxes, alternatives, pictures --- */

static void
start_box (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  PostbagDocxBox *box = g_new0 (PostbagDocxBox, 1);

  box->paragraph = self->paragraph;
  box->run = self->run;
  box->markdown = self->teller.markdown;
  box->story = postbag_story_new (&self->teller.budget);
  self->paragraph = (PostbagDocxParagraph){ NULL };
  self->run = (PostbagDocxRun){ .counted = FALSE };
  self->teller.markdown = postbag_story_get_markdown (box->story);
  g_ptr_array_add (self->boxes, box);
}

static void
end_box (gpointer user_data)
{
  Reader *self = user_data;
  PostbagDocxBox *box = g_ptr_array_steal_index (self->boxes, self->boxes->len - 1);
  g_autofree char *text = postbag_story_finish (box->story, &self->teller.was_cut);

  postbag_docx_clear_paragraph (&self->paragraph);
  self->paragraph = box->paragraph;
  self->run = box->run;
  self->teller.markdown = box->markdown;
  postbag_teller_add_box (&self->teller, text);
  g_free (box);
}

/* --- notes --- */

static void
refer (Reader *self, PostbagDocxNotes *notes, PostbagXml *xml)
{
  const char *id = postbag_xml_get (xml, 'w', "id");
  g_autofree char *mark = NULL;
  guint number;

  if (id == NULL || g_hash_table_size (notes->numbers) >= POSTBAG_LIMIT_DOCUMENT_ROWS
      || g_hash_table_contains (notes->numbers, id))
    return;
  number = g_hash_table_size (notes->numbers) + 1;
  g_hash_table_insert (notes->numbers, g_strdup (id), GUINT_TO_POINTER (number));
  mark = g_strdup_printf ("[%s %u]", notes->word, number);
  say_words (self, mark);
}

static void
refer_to_footnote (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  refer (self, &self->footnotes, xml);
}

static void
refer_to_endnote (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  refer (self, &self->endnotes, xml);
}

static void
refer_to_comment (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  refer (self, &self->comments, xml);
}

/* A note nobody refers to (the line above the notes, one whose mark was deleted) is not shown. */
static void
start_note (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *id = postbag_xml_get (xml, 'w', "id");
  const char *author = postbag_xml_get (xml, 'w', "author");
  g_autofree char *label = NULL;
  guint number = self->telling != NULL && id != NULL
                     ? GPOINTER_TO_UINT (g_hash_table_lookup (self->telling->numbers, id))
                     : 0;

  if (number == 0)
    {
      postbag_xml_skip (xml, NULL);
      return;
    }
  label = author != NULL && *author != '\0'
              ? g_strdup_printf ("[%s %u, %s] ", self->telling->word, number, author)
              : g_strdup_printf ("[%s %u] ", self->telling->word, number);
  postbag_markdown_end_block (self->teller.markdown);
  postbag_markdown_text (self->teller.markdown, label, -1);
  self->join_next = TRUE;
}

static void
end_note (gpointer user_data)
{
  Reader *self = user_data;

  postbag_markdown_end_block (self->teller.markdown);
  self->join_next = FALSE;
}

static const PostbagXmlElement elements[] = {
  { 'w', "body", POSTBAG_XML_SEEN (Reader, teller.has_body) },
  { 'w', "p", start_paragraph, end_paragraph },
  { 'w', "pPr", POSTBAG_XML_INSIDE (Reader, in_properties) },
  { 'w', "pStyle", take_style },
  { 'w', "numId", take_list },
  { 'w', "ilvl", take_level },
  { 'w', "outlineLvl", take_outline },
  { 'w', "r", NULL, end_run, POSTBAG_XML_INSIDE (Reader, in_run) },
  { 'w', "vanish", take_hidden },
  { 'w', "webHidden", take_hidden_in_web },
  { 'w', "rStyle", take_run_style },
  { 'w', "color", take_color },
  { 'w', "sz", take_size },
  { 'w', "t", POSTBAG_XML_INSIDE (Reader, in_text) },
  { 'm', "t", POSTBAG_XML_INSIDE (Reader, in_text) },
  { 'w', "instrText", start_code, POSTBAG_XML_INSIDE (Reader, in_code) },
  { 'w', "delText", postbag_xml_skip },
  { 'w', "delInstrText", postbag_xml_skip },
  { 'w', "tab", add_tab },
  { 'w', "ptab", add_tab },
  { 'w', "br", add_break },
  { 'w', "cr", add_break },
  { 'w', "noBreakHyphen", add_hyphen },
  { 'w', "sym", add_sign },
  { 'w', "del", start_deleted },
  { 'w', "moveFrom", start_deleted },
  { 'w', "pPrChange", postbag_xml_skip },
  { 'w', "rPrChange", postbag_xml_skip },
  { 'w', "sectPrChange", postbag_xml_skip },
  { 'w', "tblPrChange", postbag_xml_skip },
  { 'w', "tcPrChange", postbag_xml_skip },
  { 'w', "trPrChange", postbag_xml_skip },
  { 'w', "numberingChange", postbag_xml_skip },
  { 'w', "tabs", postbag_xml_skip },
  { 'w', "sdtPr", postbag_xml_skip },
  { 'w', "rt", postbag_xml_skip },
  { 'w', "fldChar", take_field },
  { 'w', "hyperlink", start_link, end_link },
  { 'w', "tbl", start_table, postbag_teller_end_table },
  { 'w', "tr", postbag_teller_start_row, postbag_teller_end_row },
  { 'w', "gridBefore", skip_columns },
  { 'w', "tc", start_cell, end_cell },
  { 'w', "gridSpan", take_span },
  { 'w', "txbxContent", start_box, end_box },
  { 'C', "Fallback", postbag_xml_skip },
  { 'a', "blip", POSTBAG_XML_SEEN (Reader, teller.has_pictures) },
  { 'v', "imagedata", POSTBAG_XML_SEEN (Reader, teller.has_pictures) },
  { 'c', "chart", POSTBAG_XML_SEEN (Reader, has_charts) },
  { 'd', "relIds", POSTBAG_XML_SEEN (Reader, has_charts) },
  { 'w', "altChunk", POSTBAG_XML_SEEN (Reader, has_inserts) },
  { 'w', "footnoteReference", refer_to_footnote },
  { 'w', "endnoteReference", refer_to_endnote },
  { 'w', "commentReference", refer_to_comment },
  { 'w', "footnote", start_note, end_note },
  { 'w', "endnote", start_note, end_note },
  { 'w', "comment", start_note, end_note },
  { '\0', NULL },
};

const PostbagXmlHandler postbag_docx_handler = { postbag_ooxml_spaces, elements, take_text };
