/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Slides: a title is known when its frame comes, so that the rest waits in a story. */

#include <string.h>

#include "base/postbag-limits.h"

#include "postbag-odf-text-private.h"

typedef PostbagOdfReader Reader;

void
postbag_odf_start_slide (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (!self->is_presentation || self->has_slide)
    return;
  if (postbag_markdown_is_full (self->teller.main))
    postbag_xml_stop (xml);
  self->declared++;
  self->too_many = self->declared > POSTBAG_LIMIT_DOCUMENT_PARTS;
  if (self->too_many)
    postbag_xml_stop (xml);
  if (self->declared > POSTBAG_LIMIT_DOCUMENT_SLIDES)
    {
      postbag_xml_skip (xml, NULL);
      return;
    }
  self->slides++;
  self->has_slide = TRUE;
  self->slide_hidden =
      postbag_odf_styles_is_hidden (self->styles, postbag_xml_get (xml, 'd', "style-name"));
  self->white_runs = 0;
  self->has_paint =
      postbag_odf_styles_has_painted_master (self->styles)
      || postbag_odf_styles_is_painted (self->styles, postbag_xml_get (xml, 'd', "style-name"));
  self->title = postbag_story_new (&self->teller.budget);
  self->slide = postbag_story_new (&self->teller.budget);
  self->remarks = postbag_story_new (&self->teller.budget);
  self->teller.markdown = postbag_story_get_markdown (self->slide);
}

void
postbag_odf_see_picture (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  self->has_paint = TRUE;
}

void
postbag_odf_see_shape (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (!self->has_slide || self->has_paint)
    return;
  self->has_paint =
      postbag_odf_styles_is_painted (self->styles, postbag_xml_get (xml, 'd', "style-name"))
      || postbag_odf_styles_is_painted (self->styles, postbag_xml_get (xml, 'p', "style-name"));
}

/* White words are seen on whatever is not white. */
static void
count_white_runs (Reader *self)
{
  if (self->has_paint || self->white_runs == 0)
    return;
  self->teller.hidden_runs += self->white_runs;
  self->teller.was_unseen = TRUE;
}

void
postbag_odf_end_slide (gpointer user_data)
{
  Reader *self = user_data;
  g_autofree char *title = NULL, *text = NULL, *remarks = NULL;

  if (!self->has_slide)
    return;
  title = postbag_story_finish (g_steal_pointer (&self->title), &self->teller.was_cut);
  text = postbag_story_finish (g_steal_pointer (&self->slide), &self->teller.was_cut);
  remarks = postbag_story_finish (g_steal_pointer (&self->remarks), &self->teller.was_cut);
  self->has_slide = FALSE;
  count_white_runs (self);
  self->teller.markdown = self->teller.main;
  postbag_teller_tell_slide (&self->teller, self->slides, title, self->slide_hidden, text);
  postbag_story_tell (self->teller.main, "[Notes]", remarks);
}

void
postbag_odf_start_remarks (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;

  if (!self->has_slide)
    postbag_xml_skip (xml, NULL);
  else
    self->teller.markdown = postbag_story_get_markdown (self->remarks);
}

void
postbag_odf_end_remarks (gpointer user_data)
{
  Reader *self = user_data;

  if (self->has_slide)
    self->teller.markdown = postbag_story_get_markdown (self->slide);
}

/* Date, footer and number stand on every slide, and a place holder holds nothing of its own. */
static gboolean
says_nothing (PostbagXml *xml, const char *kind)
{
  static const char *const kinds[] = {
    "date-time", "footer", "header", "page-number", "page", NULL
  };

  return (kind != NULL && g_strv_contains (kinds, kind))
         || g_strcmp0 (postbag_xml_get (xml, 'p', "placeholder"), "true") == 0;
}

void
postbag_odf_start_frame (PostbagXml *xml, gpointer user_data)
{
  Reader *self = user_data;
  const char *kind = postbag_xml_get (xml, 'p', "class");

  if (!self->has_slide)
    return;
  postbag_odf_see_shape (xml, self);
  if (says_nothing (xml, kind))
    postbag_xml_skip (xml, NULL);
  else if (g_strcmp0 (kind, "title") == 0
           && self->teller.markdown == postbag_story_get_markdown (self->slide))
    self->teller.markdown = postbag_story_get_markdown (self->title);
}

void
postbag_odf_end_frame (gpointer user_data)
{
  Reader *self = user_data;

  if (self->has_slide && self->teller.markdown == postbag_story_get_markdown (self->title))
    self->teller.markdown = postbag_story_get_markdown (self->slide);
}
