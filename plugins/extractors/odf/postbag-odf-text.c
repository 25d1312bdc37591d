/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What to do at which element of a text or a slide. */

#include <string.h>

#include "base/postbag-limits.h"

#include "postbag-odf-text-private.h"

#define MOST_BLANKS 100 /* in a row: more align nothing */

typedef PostbagOdfReader Reader;
typedef PostbagOdfSpan Span;

/* --- words --- */

void
postbag_odf_clear_span (gpointer data)
{
  Span *span = data;

  g_clear_pointer (&span->target, g_free);
}

/* @style: (nullable) */
static void
push_span (Reader *self, const char *style, gboolean left_out, const char *target)
{
  Span span = { .look = postbag_odf_styles_get_look (self->styles, style),
                .left_out = left_out,
                .target = g_strdup (target) };

  if (self->spans->len > 0)
    {
      const Span *outer = &g_array_index (self->spans, Span, self->spans->len - 1);

      postbag_look_inherit (&span.look, &outer->look);
      span.left_out |= outer->left_out;
    }
  else
    {
      PostbagLook look = postbag_odf_styles_get_default_look (self->styles);

      postbag_look_inherit (&span.look, &look);
    }
  if (span.left_out)
    span.look.hidden = POSTBAG_LOOK_YES;
  g_array_append_val (self->spans, span);
}

static gboolean
is_left_out (Reader *self)
{
  return self->spans->len > 0
         && g_array_index (self->spans, Span, self->spans->len - 1).look.hidden == POSTBAG_LOOK_YES;
}

static void
pop_span (Reader *self)
{
  if (self->spans->len > 0)
    g_array_set_size (self->spans, self->spans->len - 1);
}

static void
count_hidden (Reader *self)
{
  PostbagLook look;
  Span *span;

  if (self->spans->len == 0)
    return;
  span = &g_array_index (self->spans, Span, self->spans->len - 1);
  look = span->look;
  if (self->has_slide)
    look.white = POSTBAG_LOOK_UNSET; /* whether it is seen shows at the slide's end */
  postbag_teller_count_look (&self->teller, &look, &span->counted);
  if (!self->has_slide || span->look.white != POSTBAG_LOOK_YES || span->counted)
    return;
  self->white_runs++;
  span->counted = TRUE;
}

static char *
mark_item (Reader *self)
{
  guint level = MIN (self->list_level, POSTBAG_ODF_LEVELS) - 1;

  if (self->numbers == NULL)
    return g_strdup ("-");
  return postbag_odf_styles_mark (self->styles, self->list_style, level, self->numbers);
}

static void
open_paragraph (Reader *self)
{
  if (self->paragraph.is_open)
    return;
  self->paragraph.is_open = TRUE;
  self->paragraph.ends_with_blank = TRUE;
  if (self->paragraph.heading > 0)
    postbag_markdown_begin_heading (self->teller.markdown, self->paragraph.heading);
  else if (self->item_waits && self->list_level > 0)
    {
      g_autofree char *marker = mark_item (self);

      postbag_markdown_begin_item (self->teller.markdown, self->list_level - 1, marker);
    }
  else if (self->title == NULL || self->teller.markdown != postbag_story_get_markdown (self->title))
    postbag_markdown_end_block (self->teller.markdown);
  self->item_waits = FALSE;
}

static void
say (Reader *self, const char *text, gsize length)
{
  if (self->depth == 0 || length == 0)
    return;
  count_hidden (self);
  if (is_left_out (self))
    return;
  open_paragraph (self);
  postbag_teller_say (&self->teller, text, length);
}

/* Blanks of the file, however many, are one (OpenDocument 1.3 part 3, 6.1.2). */
static void
take_text (const char *text, gsize length, gpointer user_data)
{
  Reader *self = user_data;

  if (self->in_author && self->author->len < 200)
    g_string_append_len (self->author, text, (gssize)MIN (length, 200));
  if (self->in_author || self->depth == 0)
    return;
  while (length > 0)
    {
      gsize run = 0;

      while (run < length && strchr (" \t\r\n", text[run]) == NULL)
        run++;
      if (run > 0)
        {
          say (self, text, run);
          self->paragraph.ends_with_blank = FALSE;
        }
      else
        {
          run = 1;
          if (!self->paragraph.ends_with_blank)
            say (self, " ", 1);
          self->paragraph.ends_with_blank = TRUE;
        }
      text += run;
      length -= run;
    }
}

static void
say_fixed (Reader *self, const char *text, gsize length)
{
  say (self, text, length);
  self->paragraph.ends_with_blank = FALSE;
}

static void
add_blanks (PostbagXml *xml, gpointer user_data)
{
  gint64 count = postbag_xml_get_number (xml, 't', "c", 0, G_MAXINT64, 1);
  g_autofree char *blanks = g_strnfill ((gsize)MIN (count, MOST_BLANKS), ' ');

  say_fixed (user_data, blanks, strlen (blanks));
}

static void
add_tab (PostbagXml *xml, gpointer user_data)
{
  say_fixed (user_data, "\t", 1);
}

static void
add_break (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  say (self, "\n", 1);
  self->paragraph.ends_with_blank = TRUE;
}

/* --- boxes and notes --- */

void
postbag_odf_free_box (gpointer data)
{
  PostbagOdfBox *box = data;

  postbag_story_free (box->story);
  g_free (box->label);
  g_free (box->list_style);
  g_free (box);
}

static void
push_box (Reader *self, char *label)
{
  PostbagOdfBox *box = g_new0 (PostbagOdfBox, 1);

  box->paragraph = self->paragraph;
  box->depth = self->depth;
  box->list_level = self->list_level;
  box->list_style = g_steal_pointer (&self->list_style);
  box->numbers = self->numbers;
  if (self->numbers != NULL)
    memcpy (box->counts, self->numbers, sizeof box->counts);
  box->item_waits = self->item_waits;
  box->markdown = self->teller.markdown;
  box->label = label;
  box->story = postbag_story_new (&self->teller.budget);
  self->paragraph = (PostbagOdfParagraph){ 0 };
  self->depth = 0;
  self->list_level = 0;
  self->numbers = NULL;
  self->item_waits = FALSE;
  self->teller.markdown = postbag_story_get_markdown (box->story);
  g_ptr_array_add (self->boxes, box);
}

static void
pop_box (Reader *self)
{
  PostbagOdfBox *box;
  char *text;

  if (self->boxes->len == 0)
    return;
  box = g_ptr_array_steal_index (self->boxes, self->boxes->len - 1);
  text = postbag_story_finish (box->story, &self->teller.was_cut);
  self->paragraph = box->paragraph;
  self->depth = box->depth;
  self->list_level = box->list_level;
  g_free (self->list_style);
  self->list_style = box->list_style;
  self->numbers = box->numbers;
  if (self->numbers != NULL)
    memcpy (self->numbers, box->counts, sizeof box->counts);
  self->item_waits = box->item_waits;
  self->teller.markdown = box->markdown;
  if (box->label != NULL)
    {
      g_ptr_array_add (self->ends, g_steal_pointer (&box->label));
      g_ptr_array_add (self->ends, g_steal_pointer (&text));
    }
  else
    postbag_teller_add_box (&self->teller, text);
  g_free (text);
  g_free (box);
}

/* A shape that stands in a paragraph is told behind it, another in its place. */
static void
start_shape (PostbagXml *xml, gpointer user_data)
{
  postbag_odf_see_shape (xml, user_data);
  push_box (user_data, NULL);
}

static void
end_shape (gpointer user_data)
{
  Reader *self = user_data;

  pop_box (self);
  if (self->depth == 0)
    postbag_teller_tell_boxes (&self->teller);
}

static void
start_note (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  g_autofree char *mark = NULL;

  self->is_endnote = g_strcmp0 (postbag_xml_get (xml, 't', "note-class"), "endnote") == 0;
  mark = self->is_endnote ? g_strdup_printf ("[endnote %u]", ++self->endnotes)
                          : g_strdup_printf ("[note %u]", ++self->notes);
  say_fixed (self, mark, strlen (mark));
}

static void
start_note_body (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (self->ends->len / 2 >= POSTBAG_LIMIT_DOCUMENT_ROWS)
    {
      postbag_xml_skip (xml, NULL);
      return;
    }
  push_box (self, self->is_endnote ? g_strdup_printf ("[endnote %u]", self->endnotes)
                                   : g_strdup_printf ("[note %u]", self->notes));
}

static void
end_note_body (gpointer user_data)
{
  pop_box (user_data);
}

static void
start_comment (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  g_autofree char *mark = g_strdup_printf ("[comment %u]", self->comments + 1);

  if (self->ends->len / 2 >= POSTBAG_LIMIT_DOCUMENT_ROWS)
    {
      postbag_xml_skip (xml, NULL);
      return;
    }
  self->comments++;
  say_fixed (self, mark, strlen (mark));
  g_string_truncate (self->author, 0);
  push_box (self, g_strdup (""));
}

static void
end_comment (gpointer user_data)
{
  Reader *self = user_data;
  PostbagOdfBox *box;

  if (self->boxes->len == 0)
    return;
  box = g_ptr_array_index (self->boxes, self->boxes->len - 1);
  g_free (box->label);
  box->label = self->author->len > 0
                   ? g_strdup_printf ("[comment %u, %s]", self->comments, self->author->str)
                   : g_strdup_printf ("[comment %u]", self->comments);
  pop_box (self);
}

static void
start_author (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->in_author = self->boxes->len > 0;
}

static void
end_author (gpointer user_data)
{
  Reader *self = user_data;

  self->in_author = FALSE;
}

/* --- paragraphs --- */

static void
begin_paragraph (Reader *self, PostbagXml *xml, guint heading)
{
  const char *style = postbag_xml_get (xml, 't', "style-name");

  if (postbag_markdown_is_full (self->teller.main))
    postbag_xml_stop (xml);
  self->depth++;
  if (self->depth == 1)
    self->paragraph = (PostbagOdfParagraph){ .heading = heading, .ends_with_blank = TRUE };
  push_span (self, style, FALSE, NULL);
}

static void
start_paragraph (PostbagXml *xml, gpointer user_data)
{
  begin_paragraph (user_data, xml, 0);
}

static void
start_heading (PostbagXml *xml, gpointer user_data)
{
  begin_paragraph (user_data, xml,
                   (guint)postbag_xml_get_number (xml, 't', "outline-level", 1, 10, 1));
}

static void
end_paragraph (gpointer user_data)
{
  Reader *self = user_data;

  pop_span (self);
  if (self->depth == 0 || --self->depth > 0)
    return;
  if (self->title != NULL && self->teller.markdown == postbag_story_get_markdown (self->title))
    postbag_markdown_text (self->teller.markdown, " ", 1);
  else
    postbag_markdown_end_block (self->teller.markdown);
  postbag_teller_tell_boxes (&self->teller);
}

static void
start_span (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *style = postbag_xml_get (xml, 't', "style-name");

  push_span (self, style, FALSE, NULL);
}

static void
end_span (gpointer user_data)
{
  pop_span (user_data);
}

static void
start_link (PostbagXml *xml, gpointer user_data)
{
  push_span (user_data, NULL, FALSE, postbag_xml_get (xml, 'x', "href"));
}

static void
end_link (gpointer user_data)
{
  Reader *self = user_data;

  if (self->spans->len > 0 && !is_left_out (self) && self->paragraph.is_open)
    postbag_story_add_link (self->teller.markdown,
                            g_array_index (self->spans, Span, self->spans->len - 1).target);
  pop_span (self);
}

/* Text that depends on a condition; a paragraph that does is shown or is not as a whole. */
static void
start_condition (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *hidden = postbag_xml_get (xml, 't', "is-hidden");
  const char *kept = postbag_xml_get (xml, 't', "string-value");
  gboolean is_hidden = hidden != NULL && postbag_story_is_on (hidden);

  push_span (self, NULL, is_hidden, NULL);
  /* The words stand in the attribute, too; in the text there may be none. */
  if (is_hidden && kept != NULL && *kept != '\0')
    count_hidden (self);
}

static void
mark_hidden_paragraph (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *hidden = postbag_xml_get (xml, 't', "is-hidden");
  Span *span;

  if (hidden == NULL || !postbag_story_is_on (hidden) || self->spans->len == 0)
    return;
  span = &g_array_index (self->spans, Span, self->spans->len - 1);
  span->left_out = TRUE;
  span->look.hidden = POSTBAG_LOOK_YES;
}

static void
leave_out (Reader *self, PostbagXml *xml)
{
  self->teller.hidden_runs++;
  self->teller.was_left_out = TRUE;
  postbag_xml_skip (xml, NULL);
}

static void
start_section (PostbagXml *xml, gpointer user_data)
{
  const char *display = postbag_xml_get (xml, 't', "display");
  const char *hidden = postbag_xml_get (xml, 't', "is-hidden");

  if (g_strcmp0 (display, "none") == 0 || (hidden != NULL && postbag_story_is_on (hidden)))
    leave_out (user_data, xml);
}

/* --- lists --- */

/* (transfer none): the counts of a list style, for lists that go on */
static gint64 *
find_numbers (Reader *self, const char *style, gboolean goes_on)
{
  gint64 *numbers = g_hash_table_lookup (self->counts, style);

  if (numbers != NULL && goes_on)
    return numbers;
  if (numbers == NULL)
    {
      if (g_hash_table_size (self->counts) >= POSTBAG_LIMIT_DOCUMENT_ROWS)
        return NULL;
      numbers = g_new0 (gint64, POSTBAG_ODF_LEVELS);
      g_hash_table_insert (self->counts, g_strdup (style), numbers);
    }
  for (guint i = 0; i < POSTBAG_ODF_LEVELS; i++)
    numbers[i] = postbag_odf_styles_get_start (self->styles, style, i) - 1;
  return numbers;
}

static void
start_list (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *style = postbag_xml_get (xml, 't', "style-name");
  const char *goes_on = postbag_xml_get (xml, 't', "continue-numbering");
  gboolean continues = (goes_on != NULL && postbag_story_is_on (goes_on))
                       || postbag_xml_get (xml, 't', "continue-list") != NULL;

  self->list_level++;
  if (self->list_level == 1)
    {
      g_free (self->list_style);
      self->list_style = g_strdup (style != NULL ? style : "");
      self->numbers = find_numbers (self, self->list_style, continues);
    }
  else if (self->numbers != NULL && self->list_level <= POSTBAG_ODF_LEVELS)
    self->numbers[self->list_level - 1] =
        postbag_odf_styles_get_start (self->styles, self->list_style, self->list_level - 1) - 1;
}

static void
end_list (gpointer user_data)
{
  Reader *self = user_data;

  if (self->list_level > 0)
    self->list_level--;
  self->item_waits = FALSE;
}

static void
start_item (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  guint level = MIN (self->list_level, POSTBAG_ODF_LEVELS);
  gint64 start = postbag_xml_get_number (xml, 't', "start-value", 0, 1000000, -1);

  self->item_waits = TRUE;
  if (self->numbers == NULL || level == 0)
    return;
  self->numbers[level - 1] = start >= 0 ? start : self->numbers[level - 1] + 1;
}

/* --- tables --- */

static void
start_table (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (postbag_odf_styles_is_hidden (self->styles, postbag_xml_get (xml, 'T', "style-name")))
    leave_out (self, xml);
  else
    postbag_teller_start_table (xml, self);
}

/* Nobody sees what is in it. */
static void
start_covered_cell (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  postbag_markdown_begin_cell (self->teller.markdown);
  postbag_markdown_end_cell (self->teller.markdown);
  postbag_xml_skip (xml, NULL);
}

/* --- the rest --- */

static void
start_body (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->teller.has_body |= !self->is_presentation;
}

static void
start_deck (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->teller.has_body |= self->is_presentation;
}

/* Headers and footers: one text once, however many kinds of pages have it. */
static void
start_margin (Reader *self, PostbagXml *xml, const char *label)
{
  const char *display = postbag_xml_get (xml, 's', "display");

  if (self->margin_story != NULL || self->margin == NULL || strcmp (self->margin, label) != 0
      || g_strcmp0 (display, "false") == 0)
    {
      postbag_xml_skip (xml, NULL);
      return;
    }
  self->margin_story = postbag_story_new (&self->teller.budget);
  self->teller.markdown = postbag_story_get_markdown (self->margin_story);
}

static void
start_header (PostbagXml *xml, gpointer user_data)
{
  start_margin (user_data, xml, "[Header]");
}

static void
start_footer (PostbagXml *xml, gpointer user_data)
{
  start_margin (user_data, xml, "[Footer]");
}

static void
end_margin (gpointer user_data)
{
  Reader *self = user_data;
  char *text;

  if (self->margin_story == NULL)
    return;
  text = postbag_story_finish (g_steal_pointer (&self->margin_story), &self->teller.was_cut);
  self->teller.markdown = self->teller.main;
  if (g_hash_table_add (self->margins, text))
    postbag_story_tell (self->teller.main, self->margin, text);
}

static const PostbagXmlElement elements[] = {
  { 'o', "text", start_body },
  { 'o', "presentation", start_deck },
  { 'o', "automatic-styles", postbag_xml_skip },
  { 'o', "styles", postbag_xml_skip },
  { 'o', "forms", postbag_xml_skip },
  { 'o', "event-listeners", postbag_xml_skip },
  { 't', "tracked-changes", postbag_xml_skip },
  { 't', "p", start_paragraph, end_paragraph },
  { 't', "h", start_heading, end_paragraph },
  { 't', "span", start_span, end_span },
  { 't', "a", start_link, end_link },
  { 't', "s", add_blanks },
  { 't', "tab", add_tab },
  { 't', "line-break", add_break },
  { 't', "hidden-text", start_condition, end_span },
  { 't', "hidden-paragraph", mark_hidden_paragraph },
  { 't', "section", start_section },
  { 't', "ruby-text", postbag_xml_skip },
  { 't', "script", postbag_xml_skip },
  { 't', "list", start_list, end_list },
  { 't', "list-item", start_item },
  { 't', "note", start_note },
  { 't', "note-citation", postbag_xml_skip },
  { 't', "note-body", start_note_body, end_note_body },
  { 't', "table-of-content-source", postbag_xml_skip },
  { 't', "illustration-index-source", postbag_xml_skip },
  { 't', "table-index-source", postbag_xml_skip },
  { 't', "object-index-source", postbag_xml_skip },
  { 't', "user-index-source", postbag_xml_skip },
  { 't', "alphabetical-index-source", postbag_xml_skip },
  { 't', "bibliography-source", postbag_xml_skip },
  { 'o', "annotation", start_comment, end_comment },
  { 'D', "creator", start_author, end_author },
  { 'T', "table", start_table, postbag_teller_end_table },
  { 'T', "table-row", postbag_teller_start_row, postbag_teller_end_row },
  { 'T', "table-cell", postbag_teller_start_cell, postbag_teller_end_cell },
  { 'T', "covered-table-cell", start_covered_cell },
  { 'd', "page", postbag_odf_start_slide, postbag_odf_end_slide },
  { 'p', "notes", postbag_odf_start_remarks, postbag_odf_end_remarks },
  { 'd', "frame", postbag_odf_start_frame, postbag_odf_end_frame },
  { 'd', "text-box", start_shape, end_shape },
  { 'd', "custom-shape", start_shape, end_shape },
  { 'd', "rect", start_shape, end_shape },
  { 'd', "ellipse", start_shape, end_shape },
  { 'd', "circle", start_shape, end_shape },
  { 'd', "line", start_shape, end_shape },
  { 'd', "polygon", start_shape, end_shape },
  { 'd', "polyline", start_shape, end_shape },
  { 'd', "path", start_shape, end_shape },
  { 'd', "connector", start_shape, end_shape },
  { 'd', "caption", start_shape, end_shape },
  { 'd', "image", postbag_odf_see_picture, .seen = G_STRUCT_OFFSET (Reader, teller.has_pictures) },
  { 'd', "object", POSTBAG_XML_SEEN (Reader, has_objects) },
  { 'd', "object-ole", POSTBAG_XML_SEEN (Reader, has_objects) },
  { 'd', "plugin", POSTBAG_XML_SEEN (Reader, has_objects) },
  { 'v', "title", postbag_xml_skip },
  { 'v', "desc", postbag_xml_skip },
  { 's', "header", start_header, end_margin },
  { 's', "header-left", start_header, end_margin },
  { 's', "header-first", start_header, end_margin },
  { 's', "footer", start_footer, end_margin },
  { 's', "footer-left", start_footer, end_margin },
  { 's', "footer-first", start_footer, end_margin },
  { '\0', NULL },
};

const PostbagXmlHandler postbag_odf_text_handler = { postbag_odf_spaces, elements, take_text };
