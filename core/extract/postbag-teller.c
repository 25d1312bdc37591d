/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-teller.h"

#include "base/postbag-limits.h"

PostbagLookAnswer
postbag_look_answer (gboolean yes)
{
  return yes ? POSTBAG_LOOK_YES : POSTBAG_LOOK_NO;
}

static void
inherit (PostbagLookAnswer *own, PostbagLookAnswer other)
{
  if (*own == POSTBAG_LOOK_UNSET)
    *own = other;
}

void
postbag_look_inherit (PostbagLook *self, const PostbagLook *other)
{
  inherit (&self->hidden, other->hidden);
  inherit (&self->white, other->white);
  inherit (&self->tiny, other->tiny);
}

void
postbag_teller_init (PostbagTeller *self, PostbagExtractOutput *output)
{
  *self = (PostbagTeller){ .output = output, .budget = POSTBAG_LIMIT_STORIES_BYTES };
  self->main = self->markdown = postbag_markdown_new (output);
  self->waiting = g_string_new (NULL);
}

void
postbag_teller_clear (PostbagTeller *self)
{
  g_clear_pointer (&self->main, postbag_markdown_free);
  g_string_free (g_steal_pointer (&self->waiting), TRUE);
}

void
postbag_teller_say (PostbagTeller *self, const char *text, gsize length)
{
  self->any_text = TRUE;
  postbag_markdown_text (self->markdown, text, (gssize)length);
}

void
postbag_teller_count_hidden (PostbagTeller *self, gboolean left_out, gboolean *counted)
{
  self->hidden_runs += !*counted;
  *counted = TRUE;
  self->was_left_out |= left_out;
  self->was_unseen |= !left_out;
}

void
postbag_teller_count_look (PostbagTeller *self, const PostbagLook *look, gboolean *counted)
{
  gboolean left_out = look->hidden == POSTBAG_LOOK_YES;

  if (left_out || look->white == POSTBAG_LOOK_YES || look->tiny == POSTBAG_LOOK_YES)
    postbag_teller_count_hidden (self, left_out, counted);
}

void
postbag_teller_add_box (PostbagTeller *self, const char *text)
{
  if (*text == '\0')
    return;
  if (self->waiting->len > 0)
    g_string_append (self->waiting, "\n\n");
  g_string_append (self->waiting, text);
}

void
postbag_teller_tell_boxes (PostbagTeller *self)
{
  g_autofree char *text = NULL;

  if (self->waiting->len == 0)
    return;
  text = g_strdup (self->waiting->str);
  g_string_truncate (self->waiting, 0);
  postbag_story_tell (self->markdown, NULL, text);
}

void
postbag_teller_tell_slide (PostbagTeller *self, guint number, const char *title, gboolean is_hidden,
                           const char *text)
{
  g_autofree char *heading = g_strdup_printf ("Slide %u%s%s%s", number, *title != '\0' ? ": " : "",
                                              title, is_hidden ? " (hidden)" : "");

  self->hidden_runs += is_hidden;
  postbag_markdown_begin_heading (self->main, 2);
  postbag_markdown_text (self->main, g_strdelimit (heading, "\n", ' '), -1);
  postbag_markdown_end_block (self->main);
  postbag_story_tell (self->main, NULL, text);
}

void
postbag_teller_count_slides (PostbagTeller *self, guint declared, guint told)
{
  g_autofree char *note = g_strdup_printf (
      "The presentation declares %u slides; the first %u are read.", declared, told);

  self->output->count (self->output, "slide_count", told);
  if (declared > told)
    self->output->note (self->output, note);
}

void
postbag_teller_tell_facts (PostbagTeller *self)
{
  PostbagExtractOutput *output = self->output;

  output->count (output, "hidden_runs", self->hidden_runs);
  postbag_story_note_if (output, self->was_left_out,
                         "Text that is formatted as hidden was left out.");
  postbag_story_note_if (output, self->was_unseen, POSTBAG_STORY_UNSEEN);
  postbag_story_note_if (output, self->has_pictures,
                         "The document has pictures; they are not read.");
  postbag_story_note_if (output, self->was_cut,
                         "A text box, slide, header or note is too long and was cut.");
  postbag_story_note_if (output, postbag_markdown_get_cut_cells (self->main) > 0,
                         "Some long cells were cut.");
  postbag_story_note_if (
      output, self->was_damaged,
      "A part of the document is damaged or too large; what follows in it is missing.");
}

/* --- tables --- */

static PostbagMarkdown *
get_markdown (gpointer user_data)
{
  return *(PostbagMarkdown **)user_data;
}

void
postbag_teller_start_table (PostbagXml *xml, gpointer user_data)
{
  postbag_markdown_begin_table (get_markdown (user_data));
}

void
postbag_teller_end_table (gpointer user_data)
{
  postbag_markdown_end_table (get_markdown (user_data));
}

void
postbag_teller_start_row (PostbagXml *xml, gpointer user_data)
{
  postbag_markdown_begin_row (get_markdown (user_data));
}

void
postbag_teller_end_row (gpointer user_data)
{
  postbag_markdown_end_row (get_markdown (user_data));
}

void
postbag_teller_start_cell (PostbagXml *xml, gpointer user_data)
{
  postbag_markdown_begin_cell (get_markdown (user_data));
}

void
postbag_teller_end_cell (gpointer user_data)
{
  postbag_markdown_end_cell (get_markdown (user_data));
}
