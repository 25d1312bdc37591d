/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-docx-reader.h"

#include <string.h>

#include "base/postbag-limits.h"

#include "postbag-docx-reader-private.h"

typedef PostbagDocxReader Reader;

static void
free_box (gpointer data)
{
  PostbagDocxBox *box = data;

  postbag_docx_clear_paragraph (&box->paragraph);
  postbag_story_free (box->story);
  g_free (box);
}

/* What a damaged part left open. */
static void
close_part (Reader *self)
{
  if (self->boxes->len > 0)
    {
      const PostbagDocxBox *outermost = g_ptr_array_index (self->boxes, 0);

      self->teller.markdown = outermost->markdown;
      g_ptr_array_set_size (self->boxes, 0);
    }
  postbag_docx_clear_paragraph (&self->paragraph);
  self->run = (PostbagDocxRun){ .counted = FALSE };
  self->in_properties = self->in_run = self->in_text = self->in_code = self->join_next = FALSE;
  self->fields = 0;
  g_clear_pointer (&self->field_target, g_free);
  g_string_truncate (self->code, 0);
  g_string_truncate (self->teller.waiting, 0);
  g_ptr_array_set_size (self->targets, 0);
}

static gboolean
read_part (Reader *self, const char *part, GError **error)
{
  g_autoptr (PostbagRelations) relations = postbag_relations_read (self->zip, part);
  gboolean fine;

  self->relations = relations;
  fine = postbag_xml_read_part (self->zip, part, &postbag_docx_handler, self, error);
  self->teller.was_damaged |= !fine;
  close_part (self);
  self->relations = NULL;
  return fine;
}

/* Headers or footers: one text once, however many sections and kinds of pages have it. */
static void
tell_margins (Reader *self, PostbagRelations *relations, const char *kind, const char *label)
{
  g_autoptr (GHashTable) told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < relations->list->len; i++)
    {
      const PostbagRelation *relation = g_ptr_array_index (relations->list, i);
      PostbagStory *story;
      char *text;

      if (relation->is_external || strcmp (relation->kind, kind) != 0
          || !postbag_zip_has (self->zip, relation->target))
        continue;
      story = postbag_story_new (&self->teller.budget);
      self->teller.markdown = postbag_story_get_markdown (story);
      read_part (self, relation->target, NULL);
      self->teller.markdown = self->teller.main;
      text = postbag_story_finish (story, &self->teller.was_cut);
      if (g_hash_table_add (told, text))
        postbag_story_tell (self->teller.main, label, text);
    }
}

static void
tell_notes (Reader *self, PostbagRelations *relations, const char *kind, PostbagDocxNotes *notes)
{
  const char *part = postbag_relations_find_part (relations, self->zip, kind);

  if (part == NULL || g_hash_table_size (notes->numbers) == 0)
    return;
  self->telling = notes;
  read_part (self, part, NULL);
  self->telling = NULL;
}

static void
tell_facts (Reader *self)
{
  PostbagExtractOutput *output = self->teller.output;

  postbag_teller_tell_facts (&self->teller);
  postbag_story_note_if (output, self->has_charts,
                         "The document has charts or diagrams; they are not read.");
  postbag_story_note_if (output, self->has_inserts,
                         "A file is embedded in the document; it is not read.");
  postbag_story_note_if (output, self->has_unknown_signs,
                         "Some signs of a symbol font were not understood.");
}

static gboolean
read_parts (Reader *self, GError **error)
{
  g_autofree char *part = postbag_ooxml_dup_main_part (self->zip, "word/document.xml");
  g_autoptr (PostbagRelations) relations = postbag_relations_read (self->zip, part);
  g_autoptr (GError) failure = NULL;

  self->styles = postbag_docx_styles_read (self->zip, relations);
  tell_margins (self, relations, "header", "[Header]");
  self->teller.any_text = FALSE;
  if (!read_part (self, part, &failure) && !self->teller.any_text)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  if (!self->teller.has_body)
    {
      g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_NOT_A_DOCUMENT,
                           "It is no text document.");
      return FALSE;
    }
  tell_margins (self, relations, "footer", "[Footer]");
  tell_notes (self, relations, "footnotes", &self->footnotes);
  tell_notes (self, relations, "endnotes", &self->endnotes);
  tell_notes (self, relations, "comments", &self->comments);
  return TRUE;
}

static PostbagDocxNotes
create_notes (const char *word)
{
  return (PostbagDocxNotes){ g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL), word };
}

gboolean
postbag_docx_read (PostbagZip *zip, PostbagExtractOutput *output, GError **error)
{
  Reader self = { .zip = zip };
  gboolean fine;

  postbag_teller_init (&self.teller, output);
  self.boxes = g_ptr_array_new_with_free_func (free_box);
  self.code = g_string_new (NULL);
  self.targets = g_ptr_array_new_with_free_func (g_free);
  self.footnotes = create_notes ("note");
  self.endnotes = create_notes ("endnote");
  self.comments = create_notes ("comment");
  postbag_docx_clear_paragraph (&self.paragraph);
  fine = read_parts (&self, error);
  if (fine)
    tell_facts (&self);
  close_part (&self);
  postbag_teller_clear (&self.teller);
  g_clear_pointer (&self.styles, postbag_docx_styles_free);
  g_ptr_array_unref (self.boxes);
  g_string_free (self.code, TRUE);
  g_ptr_array_unref (self.targets);
  g_hash_table_unref (self.footnotes.numbers);
  g_hash_table_unref (self.endnotes.numbers);
  g_hash_table_unref (self.comments.numbers);
  return fine;
}
