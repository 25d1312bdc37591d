/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "base/postbag-limits.h"

#include "postbag-odf-readers.h"
#include "postbag-odf-text-private.h"

typedef PostbagOdfReader Reader;

/* What a damaged part left open. */
static void
close_part (Reader *self)
{
  if (self->boxes->len > 0)
    g_ptr_array_set_size (self->boxes, 0);
  postbag_odf_end_slide (self);
  g_clear_pointer (&self->margin_story, postbag_story_free);
  g_array_set_size (self->spans, 0);
  g_string_truncate (self->teller.waiting, 0);
  self->paragraph = (PostbagOdfParagraph){ 0 };
  self->depth = self->list_level = 0;
  self->item_waits = self->in_author = FALSE;
  self->teller.markdown = self->teller.main;
}

static gboolean
read_part (Reader *self, const char *part, GError **error)
{
  gboolean fine = postbag_xml_read_part (self->zip, part, &postbag_odf_text_handler, self, error);

  self->teller.was_damaged |= !fine;
  close_part (self);
  return fine;
}

static void
tell_margins (Reader *self, const char *label)
{
  if (self->is_presentation || !postbag_zip_has (self->zip, "styles.xml"))
    return;
  self->margin = label;
  g_hash_table_remove_all (self->margins);
  read_part (self, "styles.xml", NULL);
  self->margin = NULL;
}

static void
tell_ends (Reader *self)
{
  for (guint i = 0; i + 1 < self->ends->len; i += 2)
    postbag_story_tell (self->teller.main, g_ptr_array_index (self->ends, i),
                        g_ptr_array_index (self->ends, i + 1));
}

static void
tell_facts (Reader *self)
{
  PostbagExtractOutput *output = self->teller.output;

  if (self->is_presentation)
    output->count (output, "slide_count", self->slides);
  postbag_teller_tell_facts (&self->teller);
  if (self->declared > self->slides)
    {
      g_autofree char *note = g_strdup_printf (
          "The presentation has %u slides; the first %u are read.", self->declared, self->slides);

      output->note (output, note);
    }
  postbag_story_note_if (output, self->has_objects,
                         "The document has charts, formulas or other objects; they are not read.");
}

static gboolean
read_parts (Reader *self, GError **error)
{
  g_autoptr (GError) failure = NULL;
  gboolean fine;

  tell_margins (self, "[Header]");
  self->teller.any_text = FALSE;
  fine = read_part (self, "content.xml", &failure);
  if (!fine && !self->teller.any_text)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  if (self->teller.has_body && !self->too_many)
    {
      tell_margins (self, "[Footer]");
      tell_ends (self);
      return TRUE;
    }
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR,
                       self->too_many ? POSTBAG_EXTRACT_TOO_MANY_PARTS
                                      : POSTBAG_EXTRACT_NOT_A_DOCUMENT,
                       self->too_many ? "It has too many slides." : "It is of another kind.");
  return FALSE;
}

static gboolean
read_document (PostbagZip *zip, PostbagExtractOutput *output, gboolean is_presentation,
               GError **error)
{
  Reader self = { .zip = zip, .is_presentation = is_presentation };
  gboolean fine;

  postbag_teller_init (&self.teller, output);
  self.styles = postbag_odf_styles_read (zip);
  self.spans = g_array_new (FALSE, FALSE, sizeof (PostbagOdfSpan));
  g_array_set_clear_func (self.spans, postbag_odf_clear_span);
  self.boxes = g_ptr_array_new_with_free_func (postbag_odf_free_box);
  self.ends = g_ptr_array_new_with_free_func (g_free);
  self.author = g_string_new (NULL);
  self.counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self.margins = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  fine = read_parts (&self, error);
  if (fine)
    tell_facts (&self);
  postbag_teller_clear (&self.teller);
  postbag_odf_styles_free (self.styles);
  g_array_unref (self.spans);
  g_ptr_array_unref (self.boxes);
  g_ptr_array_unref (self.ends);
  g_string_free (self.author, TRUE);
  g_hash_table_unref (self.counts);
  g_hash_table_unref (self.margins);
  g_free (self.list_style);
  return fine;
}

gboolean
postbag_odt_read (PostbagZip *zip, PostbagExtractOutput *output, GError **error)
{
  return read_document (zip, output, FALSE, error);
}

gboolean
postbag_odp_read (PostbagZip *zip, PostbagExtractOutput *output, GError **error)
{
  return read_document (zip, output, TRUE, error);
}
