/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-pptx-slide.h"

#include <string.h>

#include "base/postbag-limits.h"

#include "postbag-pptx-paint.h"

typedef enum
{
  SHAPE_FREE, /* a text box */
  SHAPE_TITLE,
  SHAPE_OUTLINE, /* its paragraphs are items */
  SHAPE_PLAIN,   /* a subtitle, the text of notes */
  SHAPE_MARGIN,  /* date, footer, number: of every slide */
} ShapeKind;

typedef enum
{
  BULLET_INHERITED,
  BULLET_NONE,
  BULLET_SIGN,
  BULLET_NUMBER,
} Bullet;

typedef struct
{
  PostbagMarkdown *markdown; /* where text goes now */
  PostbagPptxDeck *deck;
  PostbagRelations *relations;
  PostbagPptxSlide *slide;
  PostbagMarkdown *title, *body;
  gboolean is_notes;

  ShapeKind shape;
  gboolean shape_hidden;
  gboolean in_group_properties;
  guint groups;       /* open ones */
  guint hidden_group; /* the outermost that is hidden, as it was counted; 0: none */
  gint level;
  Bullet bullet;
  gint64 number[9]; /* of the last item of a level */
  gint64 start;
  gboolean is_open; /* the paragraph has words */
  gboolean in_text;
  char *target;     /* of the run's link */
  PostbagLook look; /* of the run; white: without ink at all */
  gboolean in_run_properties, is_white, counted;
  guint tables;     /* open ones: their cells have colours of their own */
  guint white_runs; /* seen or not, as what is behind them */
  gboolean has_pictures, has_charts;
} Reader;

/* --- shapes --- */

static void
start_slide (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *show = postbag_xml_get (xml, '\0', "show");

  self->slide->is_hidden = show != NULL && !postbag_story_is_on (show);
}

static void
start_shape (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->shape = SHAPE_FREE;
  self->shape_hidden = self->hidden_group > 0;
}

static void
start_group (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->groups++;
}

static void
end_group (gpointer user_data)
{
  Reader *self = user_data;

  if (self->hidden_group == self->groups)
    self->hidden_group = 0;
  self->groups--;
}

static void
take_shape_properties (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *hidden = postbag_xml_get (xml, '\0', "hidden");

  if (hidden == NULL || !postbag_story_is_on (hidden))
    return;
  if (!self->in_group_properties)
    self->shape_hidden = TRUE;
  else if (self->hidden_group == 0)
    self->hidden_group = self->groups;
}

/* Whether it was: of a hidden shape. */
static gboolean
leave_out (Reader *self, PostbagXml *xml)
{
  if (!self->shape_hidden)
    return FALSE;
  self->deck->teller.hidden_runs++;
  self->deck->teller.was_left_out = TRUE;
  postbag_xml_skip (xml, NULL);
  return TRUE;
}

static void
take_placeholder (PostbagXml *xml, gpointer user_data)
{
  static const struct
  {
    const char *type;
    ShapeKind kind;
  } kinds[] = {
    { "title", SHAPE_TITLE },    { "ctrTitle", SHAPE_TITLE }, { "dt", SHAPE_MARGIN },
    { "ftr", SHAPE_MARGIN },     { "hdr", SHAPE_MARGIN },     { "sldNum", SHAPE_MARGIN },
    { "subTitle", SHAPE_PLAIN }, { "sldImg", SHAPE_MARGIN },
  };
  Reader *self = user_data;
  const char *type = postbag_xml_get (xml, '\0', "type");

  self->shape = self->is_notes ? SHAPE_PLAIN : SHAPE_OUTLINE;
  for (gsize i = 0; type != NULL && i < G_N_ELEMENTS (kinds); i++)
    if (strcmp (kinds[i].type, type) == 0)
      self->shape = kinds[i].kind;
}

static void
start_shape_text (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  memset (self->number, 0, sizeof self->number);
  if (leave_out (self, xml))
    return;
  if (self->shape == SHAPE_MARGIN)
    postbag_xml_skip (xml, NULL);
  else
    self->markdown = self->shape == SHAPE_TITLE && !self->is_notes ? self->title : self->body;
}

static void
end_shape_text (gpointer user_data)
{
  Reader *self = user_data;

  postbag_markdown_end_block (self->markdown);
  self->markdown = self->body;
  self->shape = SHAPE_FREE;
}

/* --- paragraphs --- */

static void
start_paragraph (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->level = 0;
  self->bullet = BULLET_INHERITED;
  self->start = 1;
  self->is_open = FALSE;
}

static void
end_paragraph (gpointer user_data)
{
  Reader *self = user_data;

  if (self->markdown == self->title)
    postbag_markdown_text (self->markdown, " ", 1);
  else
    postbag_markdown_end_block (self->markdown);
}

static void
take_level (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->level = (gint)postbag_xml_get_number (xml, '\0', "lvl", 0, 8, 0);
}

static void
take_no_bullet (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->bullet = BULLET_NONE;
}

static void
take_bullet (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->bullet = BULLET_SIGN;
}

static void
take_number (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->bullet = BULLET_NUMBER;
  self->start = postbag_xml_get_number (xml, '\0', "startAt", 1, 32767, 1);
}

static gboolean
is_item (Reader *self)
{
  if (self->markdown == self->title || self->is_notes || self->bullet == BULLET_NONE)
    return FALSE;
  return self->bullet != BULLET_INHERITED || self->shape == SHAPE_OUTLINE;
}

static void
open_paragraph (Reader *self)
{
  gint64 *number = &self->number[self->level];
  g_autofree char *marker = NULL;

  if (self->is_open)
    return;
  self->is_open = TRUE;
  if (self->bullet == BULLET_NUMBER)
    *number = *number > 0 ? *number + 1 : self->start;
  else
    *number = 0;
  for (gint i = self->level + 1; i < 9; i++)
    self->number[i] = 0;
  if (!is_item (self))
    return;
  marker = self->bullet == BULLET_NUMBER ? g_strdup_printf ("%" G_GINT64_FORMAT ".", *number)
                                         : g_strdup ("-");
  postbag_markdown_begin_item (self->markdown, (guint)self->level, marker);
}

static gboolean
is_blank (const char *text, gsize length)
{
  while (length > 0 && g_ascii_isspace (text[length - 1]))
    length--;
  return length == 0;
}

/* Once for a run. */
static void
count_unseen (Reader *self)
{
  postbag_teller_count_look (&self->deck->teller, &self->look, &self->counted);
  if (!self->counted && self->is_white && self->tables == 0)
    self->white_runs++;
  self->counted = TRUE;
}

static void
take_text (const char *text, gsize length, gpointer user_data)
{
  Reader *self = user_data;

  if (!self->in_text)
    return;
  open_paragraph (self);
  if (!self->counted && !is_blank (text, length))
    count_unseen (self);
  postbag_markdown_text (self->markdown, text, (gssize)length);
}

static void
add_break (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (self->markdown == self->title)
    postbag_markdown_text (self->markdown, " ", 1);
  else
    postbag_markdown_break (self->markdown);
}

static void
take_link (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const PostbagRelation *relation =
      postbag_relations_find (self->relations, postbag_xml_get (xml, 'r', "id"));

  if (relation == NULL || !relation->is_external)
    return;
  g_free (self->target);
  self->target = g_strdup (relation->target);
}

static void
start_run (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->look = (PostbagLook){ POSTBAG_LOOK_UNSET };
  self->is_white = self->counted = FALSE;
}

static void
take_run_properties (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  gint64 size = postbag_xml_get_number (xml, '\0', "sz", 0, G_MAXINT32, G_MAXINT32);

  if (size <= 100 * POSTBAG_STORY_SMALLEST_LETTER) /* it is in hundredths */
    self->look.tiny = POSTBAG_LOOK_YES;
}

static void
take_run_color (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (self->in_run_properties)
    self->is_white = postbag_pptx_paint_is_white_color (xml);
}

static void
take_no_fill (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (self->in_run_properties)
    self->look.white = POSTBAG_LOOK_YES;
}

static void
take_alpha (PostbagXml *xml, gpointer user_data)
{
  if (postbag_xml_get_number (xml, '\0', "val", 0, G_MAXINT32, G_MAXINT32) == 0)
    take_no_fill (xml, user_data);
}

static void
end_run (gpointer user_data)
{
  Reader *self = user_data;

  self->look = (PostbagLook){ POSTBAG_LOOK_UNSET };
  self->is_white = self->counted = FALSE;
  postbag_story_add_link (self->markdown, self->target);
  g_clear_pointer (&self->target, g_free);
}

/* --- tables --- */

static void
start_table (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (leave_out (self, xml))
    return;
  self->tables++;
  postbag_teller_start_table (xml, self);
}

static void
end_table (gpointer user_data)
{
  Reader *self = user_data;

  self->tables--;
  postbag_teller_end_table (self);
}

static const PostbagXmlElement elements[] = {
  { 'p', "sld", start_slide },
  { 'p', "notes", POSTBAG_XML_SEEN (Reader, is_notes) },
  { 'p', "grpSp", start_group, end_group },
  { 'p', "nvGrpSpPr", POSTBAG_XML_INSIDE (Reader, in_group_properties) },
  { 'p', "sp", start_shape },
  { 'p', "graphicFrame", start_shape },
  { 'p', "cNvPr", take_shape_properties },
  { 'p', "ph", take_placeholder },
  { 'p', "txBody", start_shape_text, end_shape_text },
  { 'p', "pic", POSTBAG_XML_SEEN (Reader, has_pictures) },
  { 'c', "chart", POSTBAG_XML_SEEN (Reader, has_charts) },
  { 'C', "Fallback", postbag_xml_skip },
  { 'a', "p", start_paragraph, end_paragraph },
  { 'a', "pPr", take_level },
  { 'a', "buNone", take_no_bullet },
  { 'a', "buChar", take_bullet },
  { 'a', "buBlip", take_bullet },
  { 'a', "buAutoNum", take_number },
  { 'a', "lstStyle", postbag_xml_skip },
  { 'a', "r", start_run, end_run },
  { 'a', "fld", start_run, end_run },
  { 'a', "rPr", take_run_properties, NULL, POSTBAG_XML_INSIDE (Reader, in_run_properties) },
  { 'a', "ln", postbag_xml_skip },
  { 'a', "highlight", postbag_xml_skip },
  { 'a', "srgbClr", take_run_color },
  { 'a', "schemeClr", take_run_color },
  { 'a', "sysClr", take_run_color },
  { 'a', "prstClr", take_run_color },
  { 'a', "noFill", take_no_fill },
  { 'a', "alpha", take_alpha },
  { 'a', "t", POSTBAG_XML_INSIDE (Reader, in_text) },
  { 'm', "t", POSTBAG_XML_INSIDE (Reader, in_text) },
  { 'a', "br", add_break },
  { 'a', "hlinkClick", take_link },
  { 'a', "tbl", start_table, end_table },
  { 'a', "tr", postbag_teller_start_row, postbag_teller_end_row },
  { 'a', "tc", postbag_teller_start_cell, postbag_teller_end_cell },
  { '\0', NULL },
};
static const PostbagXmlHandler handler = { postbag_ooxml_spaces, elements, take_text };

/* The words of its diagrams stand in parts of their own. */
static void
read_diagrams (Reader *self)
{
  GPtrArray *list = self->relations->list;

  for (guint i = 0; i < list->len; i++)
    {
      const PostbagRelation *relation = g_ptr_array_index (list, i);

      if (!relation->is_external && strcmp (relation->kind, "diagramData") == 0)
        postbag_xml_read_part (self->deck->zip, relation->target, &handler, self, NULL);
    }
}

void
postbag_pptx_slide_clear (PostbagPptxSlide *self)
{
  g_clear_pointer (&self->title, g_free);
  g_clear_pointer (&self->text, g_free);
}

gboolean
postbag_pptx_slide_read (PostbagPptxDeck *deck, const char *part, PostbagRelations *relations,
                         PostbagPptxSlide *slide, GError **error)
{
  PostbagStory *title = postbag_story_new (&deck->teller.budget);
  PostbagStory *body = postbag_story_new (&deck->teller.budget);
  Reader self = { .deck = deck, .relations = relations, .slide = slide };
  gboolean fine;

  self.title = postbag_story_get_markdown (title);
  self.body = self.markdown = postbag_story_get_markdown (body);
  fine = postbag_xml_read_part (deck->zip, part, &handler, &self, error);
  self.markdown = self.body;
  self.in_text = FALSE;
  if (fine)
    read_diagrams (&self);
  if (self.white_runs > 0 && postbag_pptx_paint_is_white (deck->zip, part, relations))
    {
      deck->teller.hidden_runs += self.white_runs;
      deck->teller.was_unseen = TRUE;
    }
  slide->title = postbag_story_finish (title, &deck->teller.was_cut);
  slide->text = postbag_story_finish (body, &deck->teller.was_cut);
  deck->teller.has_pictures |= self.has_pictures;
  deck->has_charts |= self.has_charts;
  g_free (self.target);
  return fine;
}
