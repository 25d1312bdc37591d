/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Changes that were interrupted: what the journal holds of them, and how they turned out as far as
 * looking tells. */

#include "mail/postbag-store-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "mail/postbag-journal-private.h"

#include <stdlib.h>
#include <string.h>

void
postbag_interrupted_free (PostbagInterrupted *self)
{
  if (self == NULL)
    return;
  g_free (self->mailbox);
  g_free (self->destination);
  g_array_unref (self->uids);
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

/* --- messages --- */

static int
compare_uids (gconstpointer a, gconstpointer b)
{
  guint32 first = *(const guint32 *)a, second = *(const guint32 *)b;

  return first < second ? -1 : first > second;
}

/* Searches for the messages from @from to @to: (transfer full) (nullable): %NULL when nobody can
 * say, or not all that the page should show came. */
static PostbagSearchPage *
search_range (PostbagStore *self, const PostbagJournalRecord *record, guint32 from, guint32 to,
              guint limit, GCancellable *cancellable)
{
  g_autoptr (PostbagSearch) search = postbag_search_new ();
  PostbagPage page = { .limit = limit };
  g_autoptr (PostbagSearchPage) found = NULL;

  search->uid_from = from;
  search->uid_to = to;
  found = postbag_store_search (self, record->mailbox, search, &page, cancellable, NULL);
  if (found == NULL || (record->uid_validity != 0 && found->uid_validity != record->uid_validity)
      || found->summaries->len < MIN (found->total, limit))
    return NULL;
  return g_steal_pointer (&found);
}

/* (transfer full): the uids of @page, sorted */
static GArray *
collect_uids (const PostbagSearchPage *page)
{
  GArray *uids = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; i < page->summaries->len; i++)
    g_array_append_val (uids, ((PostbagSummary *)g_ptr_array_index (page->summaries, i))->uid);
  g_array_sort (uids, compare_uids);
  return uids;
}

/* What @page, of the messages up to the last of the first @n that are looked for, tells of them;
 * returns how many of them are left. */
static guint
take_page (const GArray *uids, guint n, const PostbagSearchPage *page,
           PostbagInterrupted *interrupted)
{
  g_autoptr (GArray) there = collect_uids (page);
  guint32 lowest = there->len < page->total ? g_array_index (there, guint32, 0) : 0;

  while (n > 0 && g_array_index (uids, guint32, n - 1) >= lowest)
    {
      guint32 uid = g_array_index (uids, guint32, --n);
      gboolean is_there =
          there->len > 0
          && bsearch (&uid, there->data, there->len, sizeof uid, compare_uids) != NULL;

      g_array_prepend_val (is_there ? interrupted->still : interrupted->gone, uid);
    }
  return n;
}

/* A page shows the newest: from the last uid down, one search for all or, where others stand
 * between them, for many at once. */
static void
look_for_messages (PostbagStore *self, const PostbagJournalRecord *record, gint64 deadline,
                   PostbagInterrupted *interrupted, GCancellable *cancellable)
{
  const GArray *uids = record->uids;
  guint n = uids->len;

  for (guint i = 0; i < POSTBAG_LIMIT_JOURNAL_LOOKS && n > 0; i++)
    {
      guint limit = MIN (2 * n, POSTBAG_LIMIT_LIST_MESSAGES);
      g_autoptr (PostbagSearchPage) page = NULL;

      if (i > 0 && postbag_clock_get_monotonic_us (self->clock) > deadline)
        break;
      page = search_range (self, record, g_array_index (uids, guint32, 0),
                           g_array_index (uids, guint32, n - 1), limit, cancellable);
      if (page == NULL)
        break;
      n = take_page (uids, n, page, interrupted);
    }
  interrupted->unseen = n;
}

/* --- messages that were saved, and mailboxes --- */

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
resolve (PostbagStore *self, PostbagJournalRecord *record, gint64 deadline,
         GCancellable *cancellable)
{
  PostbagInterrupted *interrupted = g_new0 (PostbagInterrupted, 1);

  interrupted->kind = record->kind;
  interrupted->mailbox = g_strdup (record->mailbox);
  interrupted->destination = g_strdup (record->destination);
  interrupted->time = record->time;
  interrupted->receipt = g_steal_pointer (&record->receipt);
  interrupted->uids = g_array_ref (record->uids);
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
    case POSTBAG_EFFECT_MOVE:
    case POSTBAG_EFFECT_PURGE:
      look_for_messages (self, record, deadline, interrupted, cancellable);
      break;
    default:
      /* Where the messages are tells nothing of a copy, or of flags. */
      break;
    }
  return interrupted;
}

GPtrArray *
postbag_store_take_interrupted (PostbagStore *self, GCancellable *cancellable)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_interrupted_free);
  g_autoptr (GPtrArray) records = NULL;
  gint64 deadline;

  g_return_val_if_fail (POSTBAG_IS_STORE (self), all);

  if (self->state_dir == NULL)
    return all;
  deadline = postbag_clock_get_monotonic_us (self->clock) + POSTBAG_LIMIT_JOURNAL_LOOK_US;
  records = postbag_journal_take (self->state_dir, POSTBAG_JOURNAL_CHANGES, self->account);
  /* Those that there is no time for are told by the next call. */
  for (guint i = 0; i < records->len; i++)
    {
      if (i > 0 && postbag_clock_get_monotonic_us (self->clock) > deadline)
        break;
      g_ptr_array_add (all, resolve (self, g_ptr_array_index (records, i), deadline, cancellable));
    }
  return all;
}
