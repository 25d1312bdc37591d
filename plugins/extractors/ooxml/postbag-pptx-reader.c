/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-pptx-reader.h"

#include <string.h>

#include "base/postbag-limits.h"

#include "postbag-pptx-slide.h"

typedef struct
{
  PostbagPptxDeck deck;
  GPtrArray *slides; /* ids of relations */
  guint declared;
  guint read;
} Reader;

static void
take_slide (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (self->declared++ < POSTBAG_LIMIT_DOCUMENT_SLIDES)
    g_ptr_array_add (self->slides, g_strdup (postbag_xml_get (xml, 'r', "id")));
}

static const PostbagXmlElement elements[] = {
  { 'p', "presentation", POSTBAG_XML_SEEN (Reader, deck.teller.has_body) },
  { 'p', "sldId", take_slide },
  { '\0', NULL },
};
static const PostbagXmlHandler handler = { postbag_ooxml_spaces, elements, NULL };

static gboolean
read_presentation (Reader *self, const char *part, GError **error)
{
  if (!postbag_xml_read_part (self->deck.zip, part, &handler, self, error))
    return FALSE;
  if (!self->deck.teller.has_body)
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
  self->deck.teller.was_damaged |= !postbag_pptx_slide_read (&self->deck, part, own, &notes, NULL);
  postbag_story_tell (self->deck.teller.main, "[Notes]", notes.text);
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
      postbag_teller_tell_slide (&self->deck.teller, number, slide.title, slide.is_hidden,
                                 slide.text);
      tell_notes (self, relations);
      self->read++;
    }
  return fine;
}

static gboolean
read_slides (Reader *self, PostbagRelations *relations, GError **error)
{
  g_autoptr (GError) failure = NULL;

  for (guint i = 0; i < self->slides->len && !postbag_markdown_is_full (self->deck.teller.main);
       i++)
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
  self->deck.teller.was_damaged |= failure != NULL;
  return TRUE;
}

static void
tell_facts (Reader *self)
{
  postbag_teller_count_slides (&self->deck.teller, self->declared, self->slides->len);
  postbag_teller_tell_facts (&self->deck.teller);
  postbag_story_note_if (self->deck.teller.output, self->deck.has_charts,
                         "The slides have charts; they are not read.");
}

gboolean
postbag_pptx_read (PostbagZip *zip, PostbagExtractOutput *output, GError **error)
{
  g_autofree char *part = postbag_ooxml_dup_main_part (zip, "ppt/presentation.xml");
  g_autoptr (PostbagRelations) relations = postbag_relations_read (zip, part);
  g_autoptr (GPtrArray) slides = g_ptr_array_new_with_free_func (g_free);
  Reader self = { .slides = slides };
  gboolean fine;

  self.deck.zip = zip;
  postbag_teller_init (&self.deck.teller, output);
  fine = read_presentation (&self, part, error) && read_slides (&self, relations, error);
  if (fine)
    tell_facts (&self);
  postbag_teller_clear (&self.deck.teller);
  return fine;
}
