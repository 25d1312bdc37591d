/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mail/postbag-mail-types.h"

static void
free_header_match (gpointer data)
{
  PostbagHeaderMatch *match = data;

  g_free (match->field);
  g_free (match->value);
  g_free (match);
}

PostbagSearch *
postbag_search_new (void)
{
  return g_new0 (PostbagSearch, 1);
}

void
postbag_search_free (PostbagSearch *self)
{
  if (self == NULL)
    return;
  g_free (self->from);
  g_free (self->to);
  g_free (self->cc);
  g_free (self->subject);
  g_free (self->body);
  g_free (self->text);
  g_clear_pointer (&self->since, g_date_free);
  g_clear_pointer (&self->before, g_date_free);
  g_free (self->keyword);
  g_free (self->unkeyword);
  g_clear_pointer (&self->any_header, g_ptr_array_unref);
  g_clear_pointer (&self->uids, g_array_unref);
  g_free (self);
}

void
postbag_search_add_any_header (PostbagSearch *self, const char *field, const char *value)
{
  PostbagHeaderMatch *match = g_new0 (PostbagHeaderMatch, 1);

  match->field = g_strdup (field);
  match->value = g_strdup (value != NULL ? value : "");
  if (self->any_header == NULL)
    self->any_header = g_ptr_array_new_with_free_func (free_header_match);
  g_ptr_array_add (self->any_header, match);
}

static gboolean
has_text (const PostbagSearch *self)
{
  return self->from != NULL || self->to != NULL || self->cc != NULL || self->subject != NULL
         || self->body != NULL || self->text != NULL
         || (self->any_header != NULL && self->any_header->len > 0);
}

static gboolean
has_flags (const PostbagSearch *self)
{
  return self->seen != POSTBAG_EITHER || self->flagged != POSTBAG_EITHER
         || self->answered != POSTBAG_EITHER || self->draft != POSTBAG_EITHER
         || self->deleted != POSTBAG_EITHER || self->keyword != NULL || self->unkeyword != NULL;
}

gboolean
postbag_search_is_all (const PostbagSearch *self)
{
  return !has_text (self) && !has_flags (self) && self->since == NULL && self->before == NULL
         && self->larger <= 0 && self->smaller <= 0 && self->uid_from == 0 && self->uid_to == 0
         && self->uids == NULL;
}

PostbagSearchPage *
postbag_search_page_new (void)
{
  PostbagSearchPage *self = g_new0 (PostbagSearchPage, 1);

  self->summaries = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_summary_free);
  return self;
}

void
postbag_search_page_free (PostbagSearchPage *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->summaries, g_ptr_array_unref);
  g_strfreev (self->warnings);
  g_free (self);
}
