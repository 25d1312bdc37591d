/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Marks of a toolset's own say what an answer showed. They are set before it leaves, since it tells
 * of them; each has an entry in the journal until it has left. One whose answer nobody got is taken
 * back: rather shown twice than never. */

#define G_LOG_DOMAIN "postbag-mail"

#include "mail/postbag-store-private.h"

#include "base/postbag-error.h"
#include "mail/postbag-journal-private.h"

#include <string.h>

/* Whether the entry is settled: the mark is gone, or the messages are, or their numbers are others
 * now. */
static gboolean
withdraw (PostbagStore *self, const PostbagJournalRecord *record, GCancellable *cancellable)
{
  const char *const keywords[] = { record->keyword, NULL };
  g_autoptr (PostbagEffect) effect =
      postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, record->mailbox);
  g_autoptr (PostbagEffectReport) report = NULL;
  g_autoptr (GError) error = NULL;

  effect->uids = g_array_ref (record->uids);
  effect->uid_validity = record->uid_validity;
  effect->remove_keywords = g_strdupv ((char **)keywords);
  effect->bookkeeping = TRUE;
  report = postbag_store_apply (self, effect, cancellable, &error);
  if (error == NULL || g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT)
      || g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND))
    return TRUE;
  g_message ("what was listed, but did not reach anybody, is not listed again yet: %s",
             error->message);
  return FALSE;
}

void
postbag_store_withdraw_marks (PostbagStore *self, const char *mailbox, const char *keyword,
                              GCancellable *cancellable)
{
  g_autoptr (GPtrArray) records = NULL;

  g_return_if_fail (POSTBAG_IS_STORE (self));
  g_return_if_fail (mailbox != NULL && keyword != NULL);

  if (self->state_dir == NULL)
    return;
  records = postbag_journal_take (self->state_dir, POSTBAG_JOURNAL_MARKS, self->account);
  for (guint i = 0; i < records->len; i++)
    {
      PostbagJournalRecord *record = g_ptr_array_index (records, i);

      if (strcmp (record->mailbox, mailbox) == 0 && g_strcmp0 (record->keyword, keyword) == 0
          && withdraw (self, record, cancellable))
        postbag_receipt_close (g_steal_pointer (&record->receipt), TRUE);
    }
}
