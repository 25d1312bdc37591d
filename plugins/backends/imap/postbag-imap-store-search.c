/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Listing and searching, newest first.
 *
 * A list without criteria never searches the mailbox: the page is a range of sequence numbers,
 * counted from the number of messages, turned into UIDs by the server in the same write (SEARCH
 * with SAVE, then FETCH of the result; RFC 5182). Where the server cannot, one FETCH by numbers
 * that asks for the UID, alone on the wire. With criteria, the server says which UIDs match, and
 * the page of them is fetched; with PARTIAL (RFC 9394) it says only how many there are and which
 * are on the page. Text that is not ASCII goes as UTF-8, else in a charset the server takes, else
 * it is compared here (postbag-imap-store-filter.c). */

#include "postbag-imap-store-search.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "postbag-imap-search.h"
#include "postbag-imap-set.h"
#include "postbag-imap-summary.h"

/* How often a page is counted again when mail comes and goes meanwhile. */
#define TRIES 3

static gboolean
can_save (const PostbagImapQuery *search)
{
  guint needed = POSTBAG_IMAP_HAS_ESEARCH | POSTBAG_IMAP_HAS_SEARCHRES;

  return (search->has & needed) == needed;
}

/* --- how many messages there are --- */

static gboolean
recall_count (PostbagImapStore *self, const char *mailbox, guint *count)
{
  gint64 known = postbag_imap_store_recall_count (self, mailbox);

  if (known >= 0)
    *count = (guint)known;
  return known >= 0;
}

void
postbag_imap_store_remember_count (PostbagImapStore *self, const char *mailbox, gint64 count)
{
  g_mutex_lock (&self->lock);
  if (g_hash_table_size (self->counts) >= POSTBAG_LIMIT_MAILBOXES)
    g_hash_table_remove_all (self->counts);
  g_hash_table_insert (self->counts, g_strdup (mailbox), GUINT_TO_POINTER ((guint)count));
  g_mutex_unlock (&self->lock);
}

PostbagImapRequest *
postbag_imap_query_create_request (const PostbagImapQuery *search, guint wanted)
{
  PostbagImapRequest *request =
      postbag_imap_store_create_request (search->store, search->mailbox, wanted);

  request->refresh = TRUE;
  return request;
}

gboolean
postbag_imap_query_run (const PostbagImapQuery *search, PostbagImapRequest *request, GError **error)
{
  if (!postbag_imap_store_run (search->store, request, search->cancellable, error))
    return FALSE;
  postbag_imap_store_remember_count (search->store, search->mailbox, request->messages);
  postbag_imap_hints_learn (search->store->hints, search->mailbox, request->replies);
  return TRUE;
}

static PostbagSearchPage *
create_page (const PostbagImapRequest *request, gint64 total)
{
  PostbagSearchPage *page = postbag_search_page_new ();

  page->uid_validity = request->uid_validity;
  page->total = total;
  return page;
}

/* --- what cannot be --- */

/* Once is mail that went meanwhile; again and again is a server that is wrong. A page without
 * messages and with more behind it would have the caller go on for ever. */
static gboolean
fail_implausible (const PostbagImapQuery *search, gint64 total, gint64 messages, GError **error)
{
  if (total > messages)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
                 "The mail server says that %" G_GINT64_FORMAT
                 " messages in “%s” match, of %" G_GINT64_FORMAT
                 " that it holds. Search again; if that stays so, the server is "
                 "faulty.",
                 total, search->mailbox, messages);
  else
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
                 "The mail server says that there are %" G_GINT64_FORMAT " such messages in “%s”, "
                 "and gives none of those asked for. List again; if that stays so, the server is "
                 "faulty.",
                 total, search->mailbox);
  return FALSE;
}

/* Whether @page can be true: not more than there are, and something of what there is. */
static gboolean
is_plausible (const PostbagImapQuery *search, const PostbagSearchPage *page, gint64 messages)
{
  if (page->total > messages)
    return FALSE;
  return page->summaries->len > 0 || search->page->limit == 0
         || page->total <= search->page->offset;
}

/* --- summaries --- */

/* Those of @uids that did not come, maybe since their structure was too long: without it. */
static gboolean
fetch_missing (const PostbagImapQuery *search, GArray *uids, GPtrArray *summaries, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) missing = postbag_imap_set_new ();
  g_autoptr (PostbagImapRequest) request = NULL;
  g_autoptr (GPtrArray) found = NULL;
  PostbagImapCommand *command;

  for (guint i = 0; i < summaries->len; i++)
    g_hash_table_add (seen, GUINT_TO_POINTER (((PostbagSummary *)summaries->pdata[i])->uid));
  for (guint i = 0; i < uids->len; i++)
    {
      const PostbagImapRange *range = &g_array_index (uids, PostbagImapRange, i);

      for (guint64 uid = range->first; uid <= range->last; uid++)
        if (!g_hash_table_contains (seen, GUINT_TO_POINTER ((guint)uid)))
          postbag_imap_set_add (missing, (guint32)uid, (guint32)uid);
    }
  if (missing->len == 0)
    return TRUE;
  request = postbag_imap_query_create_request (search, 1u << POSTBAG_IMAP_REPLY_FETCH);
  request->uids = g_array_ref (missing);
  command = postbag_imap_request_add (request, "UID FETCH");
  postbag_imap_command_add_set (command, missing);
  postbag_imap_summary_add_items (command, FALSE);
  if (!postbag_imap_query_run (search, request, error))
    return FALSE;
  found = postbag_imap_summary_collect (request->replies, missing);
  g_ptr_array_extend_and_steal (summaries, g_steal_pointer (&found));
  return TRUE;
}

static int
compare_summaries (gconstpointer a, gconstpointer b)
{
  const PostbagSummary *left = *(PostbagSummary *const *)a, *right = *(PostbagSummary *const *)b;

  return (left->uid < right->uid) - (left->uid > right->uid);
}

/* Completes what came of @uids, and puts the newest first. */
static gboolean
complete (const PostbagImapQuery *search, GArray *uids, GPtrArray *summaries, GError **error)
{
  if (postbag_imap_set_count (uids) > summaries->len
      && !fetch_missing (search, uids, summaries, error))
    return FALSE;
  g_ptr_array_sort (summaries, compare_summaries);
  return TRUE;
}

/* The same where nobody said which uids there are: of what came, and could not be read whole. */
static gboolean
complete_damaged (const PostbagImapQuery *search, const PostbagImapRequest *request,
                  GPtrArray *summaries, GError **error)
{
  g_autoptr (GArray) damaged = postbag_imap_set_new ();

  for (guint i = 0; i < request->replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (request->replies, i);

      if (reply->kind == POSTBAG_IMAP_REPLY_FETCH && reply->fetch->is_damaged
          && reply->fetch->uid != 0)
        postbag_imap_set_add (damaged, reply->fetch->uid, reply->fetch->uid);
    }
  postbag_imap_set_normalize (damaged);
  if (!fetch_missing (search, damaged, summaries, error))
    return FALSE;
  g_ptr_array_sort (summaries, compare_summaries);
  return TRUE;
}

GPtrArray *
postbag_imap_query_fetch_summaries (const PostbagImapQuery *search, GArray *uids, GError **error)
{
  g_autoptr (PostbagImapRequest) request =
      postbag_imap_query_create_request (search, 1u << POSTBAG_IMAP_REPLY_FETCH);
  PostbagImapCommand *command = postbag_imap_request_add (request, "UID FETCH");
  g_autoptr (GPtrArray) summaries = NULL;

  request->uids = g_array_ref (uids);
  request->refresh = FALSE;
  postbag_imap_command_add_set (command, uids);
  postbag_imap_summary_add_items (command, TRUE);
  if (!postbag_imap_query_run (search, request, error))
    return NULL;
  summaries = postbag_imap_summary_collect (request->replies, uids);
  return complete (search, uids, summaries, error) ? g_steal_pointer (&summaries) : NULL;
}

/* --- results of SEARCH --- */

/* All numbers that came: (transfer full) (nullable): sorted. @always: the server has to answer also
 * where nothing matches (RETURN, RFC 4731 section 3.1), so silence, or an answer to somebody else's
 * search, is not “none”. */
static GArray *
collect_numbers (const PostbagImapRequest *request, gboolean always, GError **error)
{
  g_autoptr (GArray) set = postbag_imap_set_new ();
  gboolean is_answered = FALSE;

  for (guint i = 0; i < request->replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (request->replies, i);

      if (reply->kind != POSTBAG_IMAP_REPLY_SEARCH && reply->kind != POSTBAG_IMAP_REPLY_ESEARCH)
        continue;
      is_answered = TRUE;
      for (guint j = 0; j < reply->search->numbers->len; j++)
        {
          PostbagImapRange range = g_array_index (reply->search->numbers, PostbagImapRange, j);

          if (!postbag_imap_set_add (set, range.first, range.last))
            {
              g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
                           "More than %d messages match. Narrow the search.",
                           POSTBAG_LIMIT_MAILBOX_MESSAGES);
              return NULL;
            }
        }
    }
  if (always && !is_answered)
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
                           "The mail server said that the search is done, but gave no result. "
                           "Search again; if that stays so, the server is faulty.");
      return NULL;
    }
  postbag_imap_set_normalize (set);
  return g_steal_pointer (&set);
}

/* --- everything, newest first --- */

/* The request for the sequence numbers @first to @last (0: to the end). */
static PostbagImapRequest *
create_range_request (const PostbagImapQuery *search, guint first, guint last)
{
  PostbagImapRequest *request = postbag_imap_query_create_request (
      search, 1u << POSTBAG_IMAP_REPLY_FETCH | 1u << POSTBAG_IMAP_REPLY_ESEARCH);
  g_autofree char *range =
      last != 0 ? g_strdup_printf ("%u:%u", first, last) : g_strdup_printf ("%u:*", first);
  PostbagImapCommand *command;

  if (!can_save (search))
    {
      request->exclusive = TRUE;
      command = postbag_imap_request_add (request, "FETCH");
      postbag_imap_command_add_words (command, range);
      postbag_imap_summary_add_items (command, TRUE);
      return request;
    }
  command = postbag_imap_request_add (request, "UID SEARCH RETURN (SAVE ALL)");
  postbag_imap_command_add_words (command, range);
  command = postbag_imap_request_add (request, "UID FETCH $");
  postbag_imap_summary_add_items (command, TRUE);
  return request;
}

/* Only the newest, where more came since. */
static void
cut_summaries (GPtrArray *summaries, guint limit)
{
  if (summaries->len > limit)
    g_ptr_array_remove_range (summaries, limit, summaries->len - limit);
}

/* Whether @found messages in the range from @first on are what @messages in all make likely: mail
 * that came or went between counting and searching moves the page. */
static gboolean
is_current (const PostbagImapQuery *search, guint count, guint first, gint64 messages, gint64 found)
{
  if (search->page->offset > 0)
    return messages == count;
  return found == MAX (messages - first + 1, 0);
}

/* One attempt at the page with *@count messages assumed. *@page stays %NULL when that was wrong,
 * and *@count is right then; on the @last_try what came is good enough. */
static gboolean
try_range (const PostbagImapQuery *search, guint *count, gboolean last_try,
           PostbagSearchPage **page, GError **error)
{
  gint64 offset = search->page->offset, limit = search->page->limit;
  guint last = (guint)(*count - offset);
  guint first = (guint)MAX ((gint64)last - limit + 1, 1);
  g_autoptr (PostbagImapRequest) request =
      create_range_request (search, first, offset == 0 ? 0 : last);
  g_autoptr (GArray) uids = NULL;
  g_autoptr (GPtrArray) summaries = NULL;

  if (!postbag_imap_query_run (search, request, error))
    return FALSE;
  if (can_save (search))
    {
      uids = collect_numbers (request, TRUE, error);
      if (uids == NULL)
        return FALSE;
    }
  summaries = postbag_imap_summary_collect (request->replies, uids);
  if (uids != NULL ? !complete (search, uids, summaries, error)
                   : !complete_damaged (search, request, summaries, error))
    return FALSE;
  if (!last_try && !is_current (search, *count, first, request->messages, summaries->len))
    {
      *count = (guint)request->messages;
      return TRUE;
    }
  if (summaries->len == 0 && request->messages > offset)
    return fail_implausible (search, request->messages, request->messages, error);
  cut_summaries (summaries, search->page->limit);
  *page = create_page (request, request->messages);
  g_ptr_array_unref ((*page)->summaries);
  (*page)->summaries = g_steal_pointer (&summaries);
  return TRUE;
}

/* Just selects, or looks again. */
static PostbagSearchPage *
count_messages (const PostbagImapQuery *search, guint *count, GError **error)
{
  g_autoptr (PostbagImapRequest) request = postbag_imap_query_create_request (search, 0);

  if (!postbag_imap_query_run (search, request, error))
    return NULL;
  *count = (guint)request->messages;
  return create_page (request, request->messages);
}

static PostbagSearchPage *
list_all (const PostbagImapQuery *search, GError **error)
{
  g_autoptr (PostbagSearchPage) empty = NULL;
  guint count = 0;

  if (search->page->limit == 0 || !recall_count (search->store, search->mailbox, &count)
      || search->page->offset >= count)
    {
      empty = count_messages (search, &count, error);
      if (empty == NULL)
        return NULL;
    }
  for (guint i = 0; i < TRIES; i++)
    {
      PostbagSearchPage *page = NULL;

      if (search->page->limit == 0 || search->page->offset >= count)
        break;
      if (!try_range (search, &count, i + 1 == TRIES, &page, error))
        return NULL;
      if (page != NULL)
        return page;
    }
  /* The last message has gone meanwhile. */
  if (empty == NULL)
    return count_messages (search, &count, error);
  return g_steal_pointer (&empty);
}

/* --- with criteria --- */

static gboolean
can_page (const PostbagImapQuery *search, const PostbagPage *page)
{
  guint needed = POSTBAG_IMAP_HAS_ESEARCH | POSTBAG_IMAP_HAS_PARTIAL;

  return (search->has & needed) == needed && page->limit > 0
         && page->offset <= (gint64)G_MAXUINT32 - page->limit;
}

/* What SEARCH has to return for @page, as far as the server lets us choose. */
static char *
choose_result (const PostbagImapQuery *search, const PostbagPage *page)
{
  if ((search->has & POSTBAG_IMAP_HAS_ESEARCH) == 0)
    return NULL;
  if (page->limit == 0)
    return g_strdup ("RETURN (COUNT)");
  if (!can_page (search, page))
    return g_strdup ("RETURN (ALL)");
  return g_strdup_printf ("RETURN (COUNT PARTIAL -%" G_GINT64_FORMAT ":-%" G_GINT64_FORMAT ")",
                          page->offset + 1, page->offset + page->limit);
}

gint64
postbag_imap_query_count (const PostbagImapRequest *request, const GArray *uids)
{
  for (guint i = 0; i < request->replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (request->replies, i);

      if (reply->kind == POSTBAG_IMAP_REPLY_ESEARCH && reply->search->count >= 0)
        return reply->search->count;
    }
  return (gint64)postbag_imap_set_count (uids);
}

GArray *
postbag_imap_query_find (const PostbagImapQuery *search, const PostbagSearch *criteria,
                         const PostbagPage *page, PostbagImapRequest **request, GError **error)
{
  g_autofree char *result = choose_result (search, page);
  PostbagImapCommand *command;

  *request = postbag_imap_query_create_request (search, 1u << POSTBAG_IMAP_REPLY_SEARCH
                                                            | 1u << POSTBAG_IMAP_REPLY_ESEARCH);
  (*request)->exclusive = result == NULL;
  command = postbag_imap_request_add (*request, "UID SEARCH");
  if (result != NULL)
    postbag_imap_command_add_words (command, result);
  if (search->charset != NULL && postbag_imap_search_needs_charset (criteria))
    {
      g_autoptr (PostbagSearch) converted = postbag_imap_search_convert (criteria, search->charset);

      postbag_imap_search_add_converted (command, converted, search->charset);
    }
  else
    postbag_imap_search_add_keys (command, criteria, search->utf8);
  if (!postbag_imap_query_run (search, *request, error))
    return NULL;
  return collect_numbers (*request, result != NULL, error);
}

static PostbagSearchPage *
fetch_page (const PostbagImapQuery *search, const PostbagImapRequest *request, const GArray *uids,
            GError **error)
{
  g_autoptr (PostbagSearchPage) page =
      create_page (request, postbag_imap_query_count (request, uids));
  g_autoptr (GArray) wanted = postbag_imap_set_cut_highest (
      uids, can_page (search, search->page) ? 0 : search->page->offset, search->page->limit);
  GPtrArray *summaries;

  if (wanted->len == 0)
    return g_steal_pointer (&page);
  summaries = postbag_imap_query_fetch_summaries (search, wanted, error);
  if (summaries == NULL)
    return NULL;
  g_ptr_array_unref (page->summaries);
  page->summaries = summaries;
  return g_steal_pointer (&page);
}

/* --- what the server refuses --- */

/* The refusal of a search that reached its mailbox and may be put another way: (nullable) */
static const PostbagImapStatus *
find_refusal (const PostbagImapRequest *request)
{
  const PostbagImapStatus *status =
      request->statuses->len > 0 ? g_ptr_array_index (request->statuses, 0) : NULL;

  if (request->refused != NULL || status == NULL || status->condition == POSTBAG_IMAP_OK
      || postbag_imap_status_is_temporary (status))
    return NULL;
  return status;
}

static gboolean
is_about_charset (const PostbagImapStatus *status)
{
  g_autofree char *text = g_ascii_strdown (status->text, -1);

  return g_strcmp0 (status->code, "BADCHARSET") == 0 || strstr (text, "charset") != NULL;
}

/* UTF-8 was refused: no further search asks for it first. */
static void
remember_charsets (PostbagImapStore *store, const PostbagImapStatus *status)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  gboolean are_named = g_strcmp0 (status->code, "BADCHARSET") == 0 && status->words != NULL;

  for (guint i = 0; are_named && status->words[i] != NULL && i < POSTBAG_LIMIT_IMAP_CHARSETS; i++)
    g_strv_builder_add (builder, status->words[i]);
  g_mutex_lock (&store->lock);
  g_strfreev (store->charsets);
  store->charsets = g_strv_builder_end (builder);
  g_mutex_unlock (&store->lock);
}

static char **
recall_charsets (PostbagImapStore *store)
{
  char **charsets;

  g_mutex_lock (&store->lock);
  charsets = g_strdupv (store->charsets);
  g_mutex_unlock (&store->lock);
  return charsets;
}

/* The first of @charsets that can hold the texts: (nullable) */
static const char *
choose_charset (char *const *charsets, const PostbagSearch *criteria)
{
  for (; charsets != NULL && *charsets != NULL; charsets++)
    {
      g_autoptr (PostbagSearch) converted = postbag_imap_search_convert (criteria, *charsets);

      if (converted != NULL)
        return *charsets;
    }
  return NULL;
}

static PostbagSearchPage *search_with_criteria (const PostbagImapQuery *search,
                                                const PostbagSearch *criteria, GError **error);

/* In one of the charsets that the server named, else here. */
static PostbagSearchPage *
search_without_utf8 (const PostbagImapQuery *search, char *const *charsets,
                     const PostbagSearch *criteria, GError **error)
{
  PostbagImapQuery again = *search;

  again.charset = choose_charset (charsets, criteria);
  if (again.charset != NULL)
    return search_with_criteria (&again, criteria, error);
  return postbag_imap_query_filter (search, criteria, error);
}

/* PARTIAL was announced, and refused: whole, and remembered where that works. */
static PostbagSearchPage *
search_without_partial (const PostbagImapQuery *search, const PostbagSearch *criteria,
                        GError **error)
{
  PostbagImapQuery again = *search;
  PostbagSearchPage *page;

  again.has &= ~(guint)POSTBAG_IMAP_HAS_PARTIAL;
  page = search_with_criteria (&again, criteria, error);
  if (page != NULL)
    g_atomic_int_or (&search->store->refused_features, POSTBAG_IMAP_HAS_PARTIAL);
  return page;
}

/* The same in other words, where there are any: each turn has fewer left. @failure: (transfer full)
 */
static PostbagSearchPage *
search_again (const PostbagImapQuery *search, const PostbagSearch *criteria,
              const PostbagImapRequest *request, GError *failure, GError **error)
{
  const PostbagImapStatus *status =
      g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED) ? NULL
                                                                        : find_refusal (request);
  gboolean is_foreign = postbag_imap_search_needs_charset (criteria);
  g_auto (GStrv) charsets = NULL;

  if (status == NULL || (!is_foreign && !can_page (search, search->page)))
    {
      g_propagate_error (error, failure);
      return NULL;
    }
  g_error_free (failure);
  if (can_page (search, search->page) && !(is_foreign && is_about_charset (status)))
    return search_without_partial (search, criteria, error);
  if (search->charset == NULL && !search->utf8 && is_about_charset (status))
    {
      remember_charsets (search->store, status);
      charsets = recall_charsets (search->store);
    }
  return search_without_utf8 (search, charsets, criteria, error);
}

static PostbagSearchPage *
search_with_criteria (const PostbagImapQuery *search, const PostbagSearch *criteria, GError **error)
{
  for (guint i = 1;; i++)
    {
      g_autoptr (PostbagImapRequest) request = NULL;
      g_autoptr (PostbagSearchPage) page = NULL;
      GError *failure = NULL;
      g_autoptr (GArray) uids =
          postbag_imap_query_find (search, criteria, search->page, &request, &failure);

      if (uids == NULL)
        return search_again (search, criteria, request, failure, error);
      page = fetch_page (search, request, uids, error);
      if (page == NULL || is_plausible (search, page, request->messages))
        return g_steal_pointer (&page);
      if (i < TRIES)
        continue;
      fail_implausible (search, page->total, request->messages, error);
      return NULL;
    }
}

PostbagSearchPage *
postbag_imap_store_search (gpointer data, const char *mailbox, const PostbagSearch *criteria,
                           const PostbagPage *page, GCancellable *cancellable, GError **error)
{
  PostbagImapStore *self = data;
  g_autoptr (PostbagImapFeatures) features =
      postbag_imap_pool_get_features (self->pool, cancellable, error);
  PostbagImapQuery search = {
    .store = self, .mailbox = mailbox, .page = page, .cancellable = cancellable
  };
  g_auto (GStrv) charsets = NULL;

  if (features == NULL)
    return NULL;
  search.has = features->has & ~(guint)g_atomic_int_get (&self->refused_features);
  search.utf8 = features->utf8;
  if (postbag_search_is_all (criteria))
    return list_all (&search, error);
  if (!search.utf8 && postbag_imap_search_needs_charset (criteria))
    charsets = recall_charsets (self);
  if (charsets != NULL)
    return search_without_utf8 (&search, charsets, criteria, error);
  return search_with_criteria (&search, criteria, error);
}
