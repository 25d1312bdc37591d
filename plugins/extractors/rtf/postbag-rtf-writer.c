/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-rtf-writer.h"

#include <string.h>

/* Of a marker or an author. */
#define MOST_LABEL_BYTES 120

struct _PostbagRtfWriter
{
  PostbagMarkdown *markdown;
  GString *places[POSTBAG_RTF_N_PLACES]; /* all but the body */
  guint asides;                          /* numbered ones */
  gboolean in_paragraph;
  gboolean in_table;
  gboolean in_row;
  gboolean in_cell;
};

PostbagRtfWriter *
postbag_rtf_writer_new (PostbagExtractOutput *output)
{
  PostbagRtfWriter *self = g_new0 (PostbagRtfWriter, 1);

  self->markdown = postbag_markdown_new (output);
  for (guint i = 0; i < POSTBAG_RTF_N_PLACES; i++)
    self->places[i] = g_string_new (NULL);
  return self;
}

static void
end_table (PostbagRtfWriter *self)
{
  if (self->in_table)
    postbag_markdown_end_table (self->markdown);
  self->in_table = self->in_row = self->in_cell = FALSE;
}

static void
write_place (PostbagRtfWriter *self, PostbagRtfPlace place)
{
  GString *text = self->places[place];

  if (text->len == 0)
    return;
  postbag_markdown_end_block (self->markdown);
  postbag_markdown_text (self->markdown, text->str, (gssize)text->len);
  postbag_markdown_end_block (self->markdown);
  g_string_truncate (text, 0);
}

void
postbag_rtf_writer_free (PostbagRtfWriter *self)
{
  end_table (self);
  write_place (self, POSTBAG_RTF_BOX);
  write_place (self, POSTBAG_RTF_ASIDE);
  postbag_markdown_free (self->markdown);
  for (guint i = 0; i < POSTBAG_RTF_N_PLACES; i++)
    g_string_free (self->places[i], TRUE);
  g_free (self);
}

gboolean
postbag_rtf_writer_is_full (PostbagRtfWriter *self)
{
  return postbag_markdown_is_full (self->markdown);
}

static void
begin_cell (PostbagRtfWriter *self)
{
  if (!self->in_table)
    postbag_markdown_begin_table (self->markdown);
  if (!self->in_row)
    postbag_markdown_begin_row (self->markdown);
  if (!self->in_cell)
    postbag_markdown_begin_cell (self->markdown);
  self->in_table = self->in_row = self->in_cell = TRUE;
}

/* Bullets are letters of fonts that nobody has: what has neither letter nor digit is a dash. */
static const char *
get_marker (PostbagRtfWriter *self)
{
  char *marker = g_strstrip (self->places[POSTBAG_RTF_MARKER]->str);

  for (const char *at = marker; *at != '\0'; at = g_utf8_next_char (at))
    if (g_unichar_isalnum (g_utf8_get_char (at)) && at[1] != '\0')
      return marker;
  return "-";
}

static void
begin_paragraph (PostbagRtfWriter *self, const PostbagRtfParagraph *paragraph)
{
  end_table (self);
  if (self->in_paragraph)
    return;
  self->in_paragraph = TRUE;
  if (paragraph->outline > 0)
    postbag_markdown_begin_heading (self->markdown, (guint)paragraph->outline);
  else if (self->places[POSTBAG_RTF_MARKER]->len > 0)
    postbag_markdown_begin_item (self->markdown, (guint)MAX (paragraph->level, 0),
                                 get_marker (self));
}

/* Cut between characters. */
static void
append_label (GString *label, const char *text)
{
  const char *end;

  g_utf8_validate_len (text, MIN (strlen (text), MOST_LABEL_BYTES - label->len), &end);
  g_string_append_len (label, text, end - text);
}

void
postbag_rtf_writer_text (PostbagRtfWriter *self, PostbagRtfPlace place,
                         const PostbagRtfParagraph *paragraph, const char *text)
{
  GString *other = self->places[place];

  if (place == POSTBAG_RTF_BODY)
    {
      if (paragraph->in_table)
        begin_cell (self);
      else
        begin_paragraph (self, paragraph);
      postbag_markdown_text (self->markdown, text, -1);
    }
  else if (place == POSTBAG_RTF_BOX || place == POSTBAG_RTF_ASIDE)
    g_string_append (other, text);
  else
    append_label (other, text);
}

void
postbag_rtf_writer_break (PostbagRtfWriter *self, PostbagRtfPlace place)
{
  if (place == POSTBAG_RTF_BODY)
    postbag_markdown_break (self->markdown);
  else if (place == POSTBAG_RTF_BOX || place == POSTBAG_RTF_ASIDE)
    g_string_append_c (self->places[place], '\n');
}

void
postbag_rtf_writer_end_paragraph (PostbagRtfWriter *self, PostbagRtfPlace place)
{
  if (place != POSTBAG_RTF_BODY || self->in_cell)
    {
      postbag_rtf_writer_break (self, place);
      return;
    }
  if (self->in_paragraph)
    postbag_markdown_end_block (self->markdown);
  self->in_paragraph = FALSE;
  g_string_truncate (self->places[POSTBAG_RTF_MARKER], 0);
  if (!self->in_table)
    write_place (self, POSTBAG_RTF_BOX);
}

void
postbag_rtf_writer_end_cell (PostbagRtfWriter *self, PostbagRtfPlace place,
                             const PostbagRtfParagraph *paragraph)
{
  if (place != POSTBAG_RTF_BODY || (!paragraph->in_table && !self->in_row))
    {
      postbag_rtf_writer_end_paragraph (self, place);
      return;
    }
  begin_cell (self);
  postbag_markdown_end_cell (self->markdown);
  self->in_cell = FALSE;
  g_string_truncate (self->places[POSTBAG_RTF_MARKER], 0);
}

void
postbag_rtf_writer_end_row (PostbagRtfWriter *self, PostbagRtfPlace place)
{
  if (place != POSTBAG_RTF_BODY || !self->in_row)
    return;
  postbag_markdown_end_row (self->markdown);
  self->in_row = self->in_cell = self->in_paragraph = FALSE;
}

void
postbag_rtf_writer_begin (PostbagRtfWriter *self, PostbagRtfPlace place)
{
  if (place == POSTBAG_RTF_BOX && self->places[place]->len > 0)
    g_string_append (self->places[place], "\n\n");
  else if (place != POSTBAG_RTF_BOX)
    g_string_truncate (self->places[place], 0);
}

void
postbag_rtf_writer_begin_aside (PostbagRtfWriter *self, PostbagRtfPlace place,
                                const PostbagRtfParagraph *paragraph, const char *what,
                                gboolean reference)
{
  GString *author = self->places[POSTBAG_RTF_AUTHOR];
  GString *asides = self->places[POSTBAG_RTF_ASIDE];
  g_autofree char *label = NULL;

  if (reference)
    {
      label = g_strdup_printf ("[%s %u]", what, ++self->asides);
      postbag_rtf_writer_text (self, place, paragraph, label);
    }
  else if (author->len > 0)
    label = g_strdup_printf ("[%s, %s]", what, author->str);
  else
    label = g_strdup_printf ("[%s]", what);
  while (asides->len > 0 && strchr (" \t\n", asides->str[asides->len - 1]) != NULL)
    g_string_truncate (asides, asides->len - 1);
  g_string_append_printf (asides, "%s%s ", asides->len > 0 ? "\n\n" : "", label);
  g_string_truncate (author, 0);
}
