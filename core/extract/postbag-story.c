/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-story.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-link.h"

struct _PostbagStory
{
  PostbagExtractOutput output;
  PostbagMarkdown *markdown;
  GString *text;
  gsize *budget;
  gboolean was_cut;
};

static gboolean
keep (PostbagExtractOutput *output, const char *text, gsize length)
{
  PostbagStory *self = output->user_data;

  if (length > *self->budget || self->text->len + length > POSTBAG_LIMIT_STORY_BYTES)
    {
      self->was_cut = TRUE;
      return FALSE;
    }
  *self->budget -= length;
  g_string_append_len (self->text, text, (gssize)length);
  return TRUE;
}

PostbagStory *
postbag_story_new (gsize *budget)
{
  PostbagStory *self = g_new0 (PostbagStory, 1);

  self->output.size = sizeof self->output;
  self->output.user_data = self;
  self->output.append = keep;
  self->text = g_string_new (NULL);
  self->budget = budget;
  self->markdown = postbag_markdown_new (&self->output);
  return self;
}

PostbagMarkdown *
postbag_story_get_markdown (PostbagStory *self)
{
  return self->markdown;
}

void
postbag_story_free (PostbagStory *self)
{
  g_clear_pointer (&self->markdown, postbag_markdown_free);
  if (self->text != NULL)
    g_string_free (self->text, TRUE);
  g_free (self);
}

char *
postbag_story_finish (PostbagStory *self, gboolean *was_cut)
{
  char *text;

  g_clear_pointer (&self->markdown, postbag_markdown_free);
  text = g_string_free (g_steal_pointer (&self->text), FALSE);
  *was_cut |= self->was_cut;
  postbag_story_free (self);
  return text;
}

void
postbag_story_add_link (PostbagMarkdown *markdown, const char *target)
{
  g_autofree char *shown = postbag_link_dup_shown (target);

  if (shown != NULL)
    postbag_markdown_text (markdown, shown, -1);
}

void
postbag_story_tell (PostbagMarkdown *markdown, const char *label, const char *text)
{
  if (text[strspn (text, " \t\n")] == '\0')
    return;
  postbag_markdown_end_block (markdown);
  if (label != NULL)
    {
      postbag_markdown_text (markdown, label, -1);
      postbag_markdown_text (markdown, " ", 1);
    }
  postbag_markdown_text (markdown, text, -1);
  postbag_markdown_end_block (markdown);
}

gboolean
postbag_story_is_on (const char *value)
{
  return value == NULL || strcmp (value, "1") == 0 || strcmp (value, "true") == 0
         || strcmp (value, "on") == 0;
}

void
postbag_story_note_if (PostbagExtractOutput *output, gboolean is_so, const char *words)
{
  if (is_so)
    output->note (output, words);
}
