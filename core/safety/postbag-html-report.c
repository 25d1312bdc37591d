/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "safety/postbag-html.h"

#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "safety/postbag-clean.h"

static void
free_mismatch (gpointer data)
{
  PostbagLinkMismatch *self = data;

  g_free (self->text);
  g_free (self->host);
  g_free (self);
}

PostbagHtmlReport *
postbag_html_report_new (void)
{
  PostbagHtmlReport *self = g_new0 (PostbagHtmlReport, 1);

  self->hidden = g_array_new (FALSE, FALSE, sizeof (PostbagHiddenText));
  self->mismatches = g_ptr_array_new_with_free_func (free_mismatch);
  return self;
}

void
postbag_html_report_free (PostbagHtmlReport *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->hidden);
  g_ptr_array_unref (self->mismatches);
  g_free (self);
}

void
postbag_html_report_hide (PostbagHtmlReport *self, const char *reason, gsize chars)
{
  PostbagHiddenText row = { reason, chars };

  if (chars == 0)
    return;
  self->hidden_chars += chars;
  for (guint i = 0; i < self->hidden->len; i++)
    {
      PostbagHiddenText *known = &g_array_index (self->hidden, PostbagHiddenText, i);

      if (g_str_equal (known->reason, reason))
        {
          known->chars += chars;
          return;
        }
    }
  g_array_append_val (self->hidden, row);
}

void
postbag_html_report_add_mismatch (PostbagHtmlReport *self, const char *text, const char *host)
{
  PostbagLinkMismatch *mismatch;

  if (self->mismatches->len >= POSTBAG_LIMIT_LINK_MISMATCHES)
    return;
  mismatch = g_new0 (PostbagLinkMismatch, 1);
  mismatch->text = postbag_text_cut (text, POSTBAG_LIMIT_QUOTE_CHARS, NULL);
  mismatch->host = g_strdup (host);
  g_ptr_array_add (self->mismatches, mismatch);
}

void
postbag_html_report_count_invisible (PostbagHtmlReport *self, const char *text)
{
  PostbagCleanLoss loss = { 0 };

  postbag_clean_measure_loss (text, &loss);
  postbag_html_report_hide (self, POSTBAG_HIDDEN_INVISIBLE, loss.invisible);
  postbag_html_report_hide (self, POSTBAG_HIDDEN_BLANK_LINES, loss.line_ends);
}

static gboolean
has_hidden_elements (const PostbagHtmlReport *self)
{
  for (guint i = 0; i < self->hidden->len; i++)
    {
      const char *reason = g_array_index (self->hidden, PostbagHiddenText, i).reason;

      if (!g_str_equal (reason, POSTBAG_HIDDEN_INVISIBLE)
          && !g_str_equal (reason, POSTBAG_HIDDEN_BLANK_LINES))
        return TRUE;
    }
  return FALSE;
}

const char **
postbag_html_report_list_notes (const PostbagHtmlReport *self)
{
  const char **notes = g_new0 (const char *, 3);
  gsize n_notes = 0;

  if (has_hidden_elements (self))
    notes[n_notes++] = "Text that a browser would not show was left out.";
  if (self->cut)
    notes[n_notes] = "It is larger or deeper than is read: text may be missing, or be here that "
                     "a browser would not show.";
  return notes;
}

void
postbag_html_report_merge (PostbagHtmlReport *self, const PostbagHtmlReport *other)
{
  for (guint i = 0; i < other->hidden->len; i++)
    {
      const PostbagHiddenText *row = &g_array_index (other->hidden, PostbagHiddenText, i);

      postbag_html_report_hide (self, row->reason, row->chars);
    }
  for (guint i = 0; i < other->mismatches->len; i++)
    {
      const PostbagLinkMismatch *from = g_ptr_array_index (other->mismatches, i);

      postbag_html_report_add_mismatch (self, from->text, from->host);
    }
  self->tracking_images += other->tracking_images;
  self->remote_styles += other->remote_styles;
  self->cut |= other->cut;
}
