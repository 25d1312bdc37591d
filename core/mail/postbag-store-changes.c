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
      || (effect->destination != NULL && !postbag_store_check_mailbox (effect->destination, error)))
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
         && postbag_effect_check_mailbox (&looked, state->uid_validity, state->messages, error);
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

gboolean
postbag_store_check (PostbagStore *self, const PostbagEffect *effect, GCancellable *cancellable,
                     GError **error)
{
  PostbagEffect asked;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), FALSE);
  g_return_val_if_fail (effect != NULL, FALSE);

  asked = *effect;
  asked.has_consent = TRUE;
  return check_all (self, &asked, cancellable, error);
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

/* --- what was interrupted --- */

void
postbag_interrupted_free (PostbagInterrupted *self)
{
  if (self == NULL)
    return;
  g_free (self->mailbox);
  g_free (self->destination);
  g_array_unref (self->still);
  g_array_unref (self->gone);
  postbag_receipt_close (self->receipt, FALSE);
  g_free (self);
}

/* How many messages match; -1 when nobody can say. @uid_validity: 0: any */
static gint64
count (PostbagStore *self, const char *mailbox, const PostbagSearch *search, guint32 uid_validity,
       GCancellable *cancellable)
{
  PostbagPage page = { .limit = 0 };
  g_autoptr (PostbagSearchPage) found =
      postbag_store_search (self, mailbox, search, &page, cancellable, NULL);

  if (found == NULL || (uid_validity != 0 && found->uid_validity != uid_validity))
    return -1;
  return found->total;
}

static void
look_for_messages (PostbagStore *self, const PostbagJournalRecord *record,
                   PostbagInterrupted *interrupted, GCancellable *cancellable)
{
  for (guint i = 0; i < record->uids->len; i++)
    {
      g_autoptr (PostbagSearch) search = postbag_search_new ();
      guint32 uid = g_array_index (record->uids, guint32, i);
      gint64 n = -1;

      search->uid_from = search->uid_to = uid;
      if (i < POSTBAG_LIMIT_JOURNAL_LOOKS)
        n = count (self, record->mailbox, search, record->uid_validity, cancellable);
      if (n > 0)
        g_array_append_val (interrupted->still, uid);
      else if (n == 0)
        g_array_append_val (interrupted->gone, uid);
      else
        interrupted->unseen++;
    }
}

static PostbagOutcome
judge (gint64 n)
{
  if (n < 0)
    return POSTBAG_OUTCOME_UNKNOWN;
  return n > 0 ? POSTBAG_OUTCOME_DONE : POSTBAG_OUTCOME_NOT_DONE;
}

static PostbagOutcome
look_for_append (PostbagStore *self, const PostbagJournalRecord *record, GCancellable *cancellable)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();

  if (record->message_id == NULL)
    return POSTBAG_OUTCOME_UNKNOWN;
  postbag_search_add_any_header (search, "Message-ID", record->message_id);
  return judge (count (self, record->mailbox, search, 0, cancellable));
}

/* 1: it is there, 0: it is not, -1: nobody can say */
static int
has_mailbox (PostbagStore *self, const char *mailbox, GCancellable *cancellable)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagMailboxState) state =
      postbag_store_get_state (self, mailbox, cancellable, &error);

  if (state != NULL)
    return 1;
  return g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND) ? 0 : -1;
}

static PostbagOutcome
look_for_mailbox (PostbagStore *self, const PostbagJournalRecord *record, GCancellable *cancellable)
{
  int there = has_mailbox (self, record->mailbox, cancellable);

  if (record->kind == POSTBAG_EFFECT_CREATE_MAILBOX)
    return judge (there);
  return there < 0 ? POSTBAG_OUTCOME_UNKNOWN : judge (1 - there);
}

static gboolean
is_below (const PostbagMailbox *mailbox, const char *path)
{
  gsize length = strlen (path);

  return mailbox->delimiter != 0 && strncmp (mailbox->path, path, length) == 0
         && mailbox->path[length] == mailbox->delimiter;
}

/* A mailbox is renamed with those below it, on some stores one after the other: done is only what
 * has left nothing behind. */
static PostbagOutcome
look_for_rename (PostbagStore *self, const PostbagJournalRecord *record, GCancellable *cancellable)
{
  gint64 total = 0;
  g_autoptr (GPtrArray) mailboxes =
      postbag_store_list_mailboxes (self, FALSE, &total, cancellable, NULL);
  gboolean is_old = FALSE, is_left = FALSE, is_new = FALSE, has_come = FALSE;

  if (mailboxes == NULL || total > mailboxes->len || record->destination == NULL)
    return POSTBAG_OUTCOME_UNKNOWN;
  for (guint i = 0; i < mailboxes->len; i++)
    {
      const PostbagMailbox *mailbox = g_ptr_array_index (mailboxes, i);

      is_old = is_old || (mailbox->selectable && strcmp (mailbox->path, record->mailbox) == 0);
      is_new = is_new || (mailbox->selectable && strcmp (mailbox->path, record->destination) == 0);
      is_left = is_left || is_below (mailbox, record->mailbox);
      has_come = has_come || is_below (mailbox, record->destination);
    }
  if (is_new && !is_old && !is_left)
    return POSTBAG_OUTCOME_DONE;
  if (is_old && !is_new && !has_come)
    return POSTBAG_OUTCOME_NOT_DONE;
  return (is_old || is_left) && (is_new || has_come) ? POSTBAG_OUTCOME_PARTLY
                                                     : POSTBAG_OUTCOME_UNKNOWN;
}

static gboolean
have_common (const GArray *first, const GArray *second)
{
  guint i = 0, j = 0;

  while (i < first->len && j < second->len)
    {
      guint32 a = g_array_index (first, guint32, i), b = g_array_index (second, guint32, j);

      if (a == b)
        return TRUE;
      if (a < b)
        i++;
      else
        j++;
    }
  return FALSE;
}

static gboolean
makes_copies (PostbagEffectKind kind)
{
  return kind == POSTBAG_EFFECT_COPY || kind == POSTBAG_EFFECT_MOVE;
}

/* Whether @effect may do again what @record did. */
static gboolean
repeats (const PostbagEffect *effect, const PostbagJournalRecord *record)
{
  if (strcmp (record->mailbox, effect->mailbox) != 0)
    return FALSE;
  if (effect->kind == POSTBAG_EFFECT_APPEND)
    return record->kind == POSTBAG_EFFECT_APPEND;
  return makes_copies (record->kind) && makes_copies (effect->kind) && effect->uids != NULL
         && have_common (record->uids, effect->uids);
}

gboolean
postbag_store_was_interrupted (PostbagStore *self, const PostbagEffect *effect,
                               gboolean *was_interrupted, GError **error)
{
  g_autoptr (GPtrArray) records = NULL;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), FALSE);
  g_return_val_if_fail (effect != NULL && was_interrupted != NULL, FALSE);

  *was_interrupted = FALSE;
  if (self->state_dir == NULL
      || (!makes_copies (effect->kind) && effect->kind != POSTBAG_EFFECT_APPEND))
    return TRUE;
  records = postbag_journal_look (self->state_dir, POSTBAG_JOURNAL_CHANGES, self->account, error);
  for (guint i = 0; records != NULL && i < records->len && !*was_interrupted; i++)
    *was_interrupted = repeats (effect, g_ptr_array_index (records, i));
  return records != NULL;
}

static PostbagInterrupted *
resolve (PostbagStore *self, PostbagJournalRecord *record, GCancellable *cancellable)
{
  PostbagInterrupted *interrupted = g_new0 (PostbagInterrupted, 1);

  interrupted->kind = record->kind;
  interrupted->mailbox = g_strdup (record->mailbox);
  interrupted->destination = g_strdup (record->destination);
  interrupted->time = record->time;
  interrupted->receipt = g_steal_pointer (&record->receipt);
  interrupted->still = g_array_new (FALSE, FALSE, sizeof (guint32));
  interrupted->gone = g_array_new (FALSE, FALSE, sizeof (guint32));
  switch (record->kind)
    {
    case POSTBAG_EFFECT_APPEND:
      interrupted->outcome = look_for_append (self, record, cancellable);
      break;
    case POSTBAG_EFFECT_RENAME_MAILBOX:
      interrupted->outcome = look_for_rename (self, record, cancellable);
      break;
    case POSTBAG_EFFECT_CREATE_MAILBOX:
    case POSTBAG_EFFECT_DELETE_MAILBOX:
      interrupted->outcome = look_for_mailbox (self, record, cancellable);
      break;
    default:
      look_for_messages (self, record, interrupted, cancellable);
      break;
    }
  return interrupted;
}

GPtrArray *
postbag_store_take_interrupted (PostbagStore *self, GCancellable *cancellable)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_interrupted_free);
  g_autoptr (GPtrArray) records = NULL;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), all);

  if (self->state_dir == NULL)
    return all;
  records = postbag_journal_take (self->state_dir, POSTBAG_JOURNAL_CHANGES, self->account);
  for (guint i = 0; i < records->len; i++)
    g_ptr_array_add (all, resolve (self, g_ptr_array_index (records, i), cancellable));
  return all;
}
