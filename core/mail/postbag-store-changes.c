/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The effect layer: every change of mail passes here, in this order: what the account allows, the
 * STOP file, bounds, consent, the journal, the backend, the audit line. A toolset that forgets to
 * ask meets a refusal here, not the mail. */

#include "mail/postbag-store-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-state.h"
#include "mail/postbag-audit-private.h"
#include "mail/postbag-journal-private.h"

#include <string.h>

static gboolean
check_mask (PostbagStore *self, const PostbagEffect *effect, PostbagMay required, GError **error)
{
  if ((self->account->may & required) == required)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
               "The account “%s” does not allow “%s”%s. Nothing was changed. The person who runs "
               "Postbag can allow it in the configuration.",
               self->account->name, postbag_effect_kind_get_nick (effect->kind),
               required & POSTBAG_MAY_PURGE ? ", which cannot be undone" : "");
  return FALSE;
}

static gboolean
check_not_stopped (PostbagStore *self, GError **error)
{
  if (self->state_dir == NULL || !postbag_state_is_stopped (self->state_dir))
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
               "Changes are stopped: the file “%s/STOP” is there. Nothing was changed. The person "
               "who runs Postbag removes it to allow changes again.",
               self->state_dir);
  return FALSE;
}

static gboolean
are_sorted (const GArray *uids)
{
  for (guint i = 0; i < uids->len; i++)
    if (g_array_index (uids, guint32, i) == 0
        || (i > 0 && g_array_index (uids, guint32, i) <= g_array_index (uids, guint32, i - 1)))
      return FALSE;
  return TRUE;
}

static gboolean
check_bounds (const PostbagEffect *effect, GError **error)
{
  if (!postbag_store_check_mailbox (effect->mailbox, error)
      || (effect->destination != NULL && !postbag_store_check_mailbox (effect->destination, error))
      || !postbag_effect_check_place (effect, error))
    return FALSE;
  if (effect->uids == NULL)
    return TRUE;
  if (effect->uids->len > POSTBAG_LIMIT_EFFECT_MESSAGES)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
                   "%u messages are too many for one change. Nothing was changed; take at most %d.",
                   effect->uids->len, POSTBAG_LIMIT_EFFECT_MESSAGES);
      return FALSE;
    }
  if (are_sorted (effect->uids))
    return TRUE;
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                       "The uids of a change are sorted, unique and at least 1. Nothing was "
                       "changed.");
  return FALSE;
}

/* What is in a mailbox goes with it, so that a non-empty one needs the right to purge. The store
 * looks again right before it changes anything: here it is seen before somebody is asked. */
static gboolean
check_mailbox (PostbagStore *self, const PostbagEffect *effect, GCancellable *cancellable,
               GError **error)
{
  g_autoptr (PostbagMailboxState) state = NULL;
  PostbagEffect looked = *effect;
  gboolean is_deletion = effect->kind == POSTBAG_EFFECT_DELETE_MAILBOX;

  looked.only_empty = is_deletion && !(self->account->may & POSTBAG_MAY_PURGE);
  if (!looked.only_empty
      && ((!is_deletion && effect->kind != POSTBAG_EFFECT_RENAME_MAILBOX)
          || (effect->uid_validity == 0 && effect->messages_told == 0)))
    return TRUE;
  looked.only_empty = looked.only_empty || effect->only_empty;
  state = postbag_store_get_state (self, effect->mailbox, cancellable, error);
  return state != NULL
         && postbag_effect_check_mailbox (&looked, state->uid_validity, state->messages,
                                          state->uid_next, error);
}

static gboolean
check_consent (const PostbagEffect *effect, GError **error)
{
  if (effect->has_consent || !postbag_effect_needs_consent (effect))
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
               "“%s” needs somebody's consent here, and none was given. Nothing was changed; move "
               "or copy at most %d messages at once, or use a tool that asks.",
               postbag_effect_kind_get_nick (effect->kind), POSTBAG_LIMIT_EFFECT_UNASKED);
  return FALSE;
}

static gboolean
is_bookkeeping (const PostbagEffect *effect)
{
  return postbag_effect_get_required (effect) == POSTBAG_MAY_READ;
}

/* (nullable) with %TRUE: there is no state folder, or a mark is taken back, which can be done again
 */
static gboolean
begin_journal (PostbagStore *self, const PostbagEffect *effect, PostbagReceipt **receipt,
               GError **error)
{
  gboolean is_mark = is_bookkeeping (effect);

  *receipt = NULL;
  if (self->state_dir == NULL || (is_mark && effect->add_keywords == NULL))
    return TRUE;
  *receipt = postbag_journal_begin (self->state_dir,
                                    is_mark ? POSTBAG_JOURNAL_MARKS : POSTBAG_JOURNAL_CHANGES,
                                    self->account, effect, error);
  return *receipt != NULL;
}

static gboolean
check_all (PostbagStore *self, const PostbagEffect *effect, GCancellable *cancellable,
           GError **error)
{
  return check_mask (self, effect, postbag_effect_get_required (effect), error)
         && check_not_stopped (self, error)
         && postbag_store_check_readable (self, POSTBAG_STORE_HAS_SLOT (self, apply),
                                          "be changed: its mail can only be read", error)
         && check_bounds (effect, error) && check_consent (effect, error)
         && check_mailbox (self, effect, cancellable, error);
}

static gboolean
check_by_store (PostbagStore *self, const PostbagEffect *effect, GCancellable *cancellable,
                GError **error)
{
  GError *inner = NULL;
  gboolean is_fine;

  if (!POSTBAG_STORE_HAS_SLOT (self, check))
    return TRUE;
  is_fine = self->implementation->check (self->backend, effect, cancellable, &inner);
  postbag_store_pass_error (self, !is_fine, inner, error);
  return is_fine;
}

gboolean
postbag_store_check (PostbagStore *self, const PostbagEffect *effect, GCancellable *cancellable,
                     GError **error)
{
  PostbagEffect asked;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), FALSE);
  g_return_val_if_fail (effect != NULL, FALSE);

  asked = *effect;
  asked.has_consent = TRUE;
  return check_all (self, &asked, cancellable, error)
         && check_by_store (self, &asked, cancellable, error);
}

/* What nobody can say stays in the journal, for the next call to look. */
static void
keep_receipt (PostbagEffectReport *report, PostbagReceipt *receipt)
{
  if (report != NULL && report->unknown->len == 0)
    report->receipt = receipt;
  else
    postbag_receipt_close (receipt, report == NULL);
}

PostbagEffectReport *
postbag_store_apply (PostbagStore *self, const PostbagEffect *effect, GCancellable *cancellable,
                     GError **error)
{
  g_autoptr (GError) outcome = NULL;
  PostbagEffect checked;
  PostbagReceipt *receipt;
  GError *inner = NULL;
  PostbagEffectReport *report;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), NULL);
  g_return_val_if_fail (effect != NULL, NULL);

  checked = *effect;
  checked.only_empty = effect->only_empty || !(self->account->may & POSTBAG_MAY_PURGE);
  if (!check_all (self, &checked, cancellable, error)
      || !begin_journal (self, &checked, &receipt, error))
    return NULL;
  report = self->implementation->apply (self->backend, &checked, cancellable, &inner);
  postbag_store_pass_error (self, report == NULL || inner != NULL, inner, &outcome);
  keep_receipt (report, receipt);
  postbag_audit_write (self->account, &checked, report, outcome);
  if (outcome != NULL)
    g_propagate_error (error, g_steal_pointer (&outcome));
  return report;
}
