/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-pptx-reader.h"

#include <string.h>

#include "base/postbag-limits.h"

#include "postbag-pptx-slide.h"

typedef struct
{
  PostbagPptxDeck deck;
  PostbagExtractOutput *output;
  PostbagMarkdown *markdown;
  GPtrArray *slides; /* ids of relations */
  gboolean is_presentation;
  guint declared;
  guint read;
} Reader;

static void
start_presentation (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->is_presentation = TRUE;
}

static void
take_slide (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (self->declared++ < POSTBAG_LIMIT_DOCUMENT_SLIDES)
    g_ptr_array_add (self->slides, g_strdup (postbag_xml_get (xml, 'r', "id")));
}

static const PostbagXmlElement elements[] = {
  { 'p', "presentation", start_presentation, NULL },
  { 'p', "sldId", take_slide, NULL },
  { '\0', NULL, NULL, NULL },
};
static const PostbagXmlHandler handler = { postbag_ooxml_spaces, elements, NULL };

static gboolean
read_presentation (Reader *self, const char *part, GError **error)
{
  if (!postbag_xml_read_part (self->deck.zip, part, &handler, self, error))
    return FALSE;
  if (!self->is_presentation)
    g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_NOT_A_DOCUMENT,
                         "It is no presentation.");
  else if (self->declared > POSTBAG_LIMIT_DOCUMENT_PARTS)
    g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_TOO_MANY_PARTS,
                         "It has too many slides.");
  else
    return TRUE;
  return FALSE;
}

static void
tell_notes (Reader *self, PostbagRelations *relations)
{
  const char *part = postbag_relations_find_part (relations, self->deck.zip, "notesSlide");
  g_autoptr (PostbagRelations) own = NULL;
  g_auto (PostbagPptxSlide) notes = { NULL };

  if (part == NULL)
    return;
  own = postbag_relations_read (self->deck.zip, part);
  self->deck.was_damaged |= !postbag_pptx_slide_read (&self->deck, part, own, &notes, NULL);
  postbag_story_tell (self->markdown, "[Notes]", notes.text);
}

static void
tell_slide (Reader *self, const PostbagPptxSlide *slide, guint number)
{
  g_autofree char *heading =
      g_strdup_printf ("Slide %u%s%s%s", number, *slide->title != '\0' ? ": " : "", slide->title,
                       slide->is_hidden ? " (hidden)" : "");

  self->deck.hidden += slide->is_hidden;
  postbag_markdown_begin_heading (self->markdown, 2);
  postbag_markdown_text (self->markdown, g_strdelimit (heading, "\n", ' '), -1);
  postbag_markdown_end_block (self->markdown);
  postbag_story_tell (self->markdown, NULL, slide->text);
}

static gboolean
read_slide (Reader *self, const PostbagRelation *relation, guint number, GError **error)
{
  g_autoptr (PostbagRelations) relations = NULL;
  g_auto (PostbagPptxSlide) slide = { NULL };
  gboolean fine;

  if (relation == NULL || relation->is_external)
    {
      g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_NOT_A_DOCUMENT,
                           "A slide is missing.");
      return FALSE;
    }
  relations = postbag_relations_read (self->deck.zip, relation->target);
  fine = postbag_pptx_slide_read (&self->deck, relation->target, relations, &slide, error);
  if (fine || *slide.text != '\0')
    {
      tell_slide (self, &slide, number);
      tell_notes (self, relations);
      self->read++;
    }
  return fine;
}

static gboolean
read_slides (Reader *self, PostbagRelations *relations, GError **error)
{
  g_autoptr (GError) failure = NULL;

  for (guint i = 0; i < self->slides->len && !postbag_markdown_is_full (self->markdown); i++)
    {
      const char *id = g_ptr_array_index (self->slides, i);

      read_slide (self, postbag_relations_find (relations, id), i + 1,
                  failure == NULL ? &failure : NULL);
    }
  if (self->read == 0 && failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  self->deck.was_damaged |= failure != NULL;
  return TRUE;
}

static void
tell_facts (Reader *self)
{
  PostbagExtractOutput *output = self->output;

  output->count (output, "slide_count", self->slides->len);
  output->count (output, "hidden_runs", self->deck.hidden);
  if (self->declared > self->slides->len)
    {
      g_autofree char *note =
          g_strdup_printf ("The presentation declares %u slides; the first %u are read.",
                           self->declared, self->slides->len);

      output->note (output, note);
    }
  postbag_story_note_if (output, self->deck.has_hidden_shapes,
                         "Shapes that are hidden were left out.");
  postbag_story_note_if (output, self->deck.has_pictures,
                         "The slides have pictures; they are not read.");
  postbag_story_note_if (output, self->deck.has_charts,
                         "The slides have charts; they are not read.");
  postbag_story_note_if (output, self->deck.was_cut, "A slide is too long and was cut.");
  postbag_story_note_if (output, self->deck.was_damaged, "A slide is missing or damaged.");
}

gboolean
postbag_pptx_read (PostbagZip *zip, PostbagExtractOutput *output, GError **error)
{
  g_autofree char *part = postbag_ooxml_dup_main_part (zip, "ppt/presentation.xml");
  g_autoptr (PostbagRelations) relations = postbag_relations_read (zip, part);
  g_autoptr (PostbagMarkdown) markdown = postbag_markdown_new (output);
  g_autoptr (GPtrArray) slides = g_ptr_array_new_with_free_func (g_free);
  Reader self = { .output = output, .markdown = markdown, .slides = slides };

  self.deck.zip = zip;
  self.deck.budget = POSTBAG_LIMIT_STORIES_BYTES;
  if (!read_presentation (&self, part, error) || !read_slides (&self, relations, error))
    return FALSE;
  tell_facts (&self);
  return TRUE;
}
