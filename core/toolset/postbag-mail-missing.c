/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "toolset/postbag-mail-missing-private.h"

#include "base/postbag-error.h"
#include "safety/postbag-clean.h"
#include "toolset/postbag-mail-change.h"

void
postbag_mail_set_missing_error (const PostbagEffect *effect, GError **error)
{
  g_autofree char *uids = postbag_mail_format_uids (effect->uids);
  g_autofree char *mailbox = postbag_clean_quote (effect->mailbox);

  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
               "Nothing was changed: %s not in the mailbox %s (any more). Call list_messages with "
               "the same mailbox to see what is there now.",
               uids, mailbox);
}

/* @limit: 0: only count */
static PostbagSearchPage *
search (PostbagMailCall *self, const PostbagEffect *effect, guint limit, GError **error)
{
  PostbagSearch criteria = { .uids = effect->uids };
  PostbagPage page = { .limit = limit };

  return postbag_store_search (self->store, effect->mailbox, &criteria, &page,
                               postbag_mail_call_get_cancellable (self), error);
}

static gboolean
holds (const PostbagSearchPage *page, guint32 uid)
{
  for (guint i = 0; i < page->summaries->len; i++)
    if (((const PostbagSummary *)g_ptr_array_index (page->summaries, i))->uid == uid)
      return TRUE;
  return FALSE;
}

GArray *
postbag_mail_find_missing (PostbagMailCall *self, const PostbagEffect *effect, GError **error)
{
  g_autoptr (GArray) missing = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (PostbagSearchPage) count = NULL;
  g_autoptr (PostbagSearchPage) found = NULL;
  g_autoptr (GError) failure = NULL;

  if (effect->uids == NULL || effect->uids->len == 0)
    return g_steal_pointer (&missing);
  count = search (self, effect, 0, &failure);
  if (g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED))
    return g_steal_pointer (&missing);
  if (count == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return NULL;
    }
  if (count->uid_validity != effect->uid_validity || count->total >= effect->uids->len)
    return g_steal_pointer (&missing);
  found =
      count->total > 0 ? search (self, effect, effect->uids->len, error) : g_steal_pointer (&count);
  if (found == NULL)
    return NULL;
  for (guint i = 0; i < effect->uids->len; i++)
    {
      guint32 uid = g_array_index (effect->uids, guint32, i);

      if (!holds (found, uid))
        g_array_append_val (missing, uid);
    }
  if (missing->len < effect->uids->len)
    return g_steal_pointer (&missing);
  postbag_mail_set_missing_error (effect, error);
  return NULL;
}
