/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Listing and searching, newest first.
 *
 * A list without criteria never searches the mailbox: the page is a range of sequence numbers,
 * counted from the number of messages, turned into UIDs by the server in the same write (SEARCH
 * with SAVE, then FETCH of the result; RFC 5182). Where the server cannot, one FETCH by numbers
 * that asks for the UID, alone on the wire. With criteria, the server says which UIDs match, and
 * the page of them is fetched; with PARTIAL (RFC 9394) it says only how many there are and which
 * are on the page. */

#include "postbag-imap-store-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "postbag-imap-search.h"
#include "postbag-imap-set.h"
#include "postbag-imap-summary.h"

/* How often a page is counted again when mail comes and goes meanwhile. */
#define TRIES 3
/* How many messages are looked at here when the server refuses the search text's charset. */
#define LOCAL_MESSAGES 1000

typedef struct
{
  PostbagImapStore *store;
  const char *mailbox;
  const PostbagImapFeatures *features;
  const PostbagPage *page;
  GCancellable *cancellable;
  const char *charset; /* (nullable): the one the server asked for instead of UTF-8 */
} Search;

static gboolean
can_save (const PostbagImapFeatures *features)
{
  guint needed = POSTBAG_IMAP_HAS_ESEARCH | POSTBAG_IMAP_HAS_SEARCHRES;

  return (features->has & needed) == needed;
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

static void
remember_count (PostbagImapStore *self, const char *mailbox, gint64 count)
{
  g_mutex_lock (&self->lock);
  if (g_hash_table_size (self->counts) >= POSTBAG_LIMIT_MAILBOXES)
    g_hash_table_remove_all (self->counts);
  g_hash_table_insert (self->counts, g_strdup (mailbox), GUINT_TO_POINTER ((guint)count));
  g_mutex_unlock (&self->lock);
}

static PostbagImapRequest *
create_request (const Search *search, guint wanted)
{
  PostbagImapRequest *request =
      postbag_imap_store_create_request (search->store, search->mailbox, wanted);

  request->refresh = TRUE;
  return request;
}

static gboolean
run (const Search *search, PostbagImapRequest *request, GError **error)
{
  if (!postbag_imap_store_run (search->store, request, search->cancellable, error))
    return FALSE;
  remember_count (search->store, search->mailbox, request->messages);
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

/* --- summaries --- */

/* Those of @uids that did not come, maybe since their structure was too long: without it. */
static gboolean
fetch_missing (const Search *search, GArray *uids, GPtrArray *summaries, GError **error)
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
  request = create_request (search, 1u << POSTBAG_IMAP_REPLY_FETCH);
  request->uids = g_array_ref (missing);
  command = postbag_imap_request_add (request, "UID FETCH");
  postbag_imap_command_add_set (command, missing);
  postbag_imap_summary_add_items (command, FALSE);
  if (!run (search, request, error))
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
complete (const Search *search, GArray *uids, GPtrArray *summaries, GError **error)
{
  if (postbag_imap_set_count (uids) > summaries->len
      && !fetch_missing (search, uids, summaries, error))
    return FALSE;
  g_ptr_array_sort (summaries, compare_summaries);
  return TRUE;
}

/* The summaries of @uids: (transfer full) (nullable) */
static GPtrArray *
fetch_summaries (const Search *search, GArray *uids, GError **error)
{
  g_autoptr (PostbagImapRequest) request = create_request (search, 1u << POSTBAG_IMAP_REPLY_FETCH);
  PostbagImapCommand *command = postbag_imap_request_add (request, "UID FETCH");
  g_autoptr (GPtrArray) summaries = NULL;

  request->uids = g_array_ref (uids);
  request->refresh = FALSE;
  postbag_imap_command_add_set (command, uids);
  postbag_imap_summary_add_items (command, TRUE);
  if (!run (search, request, error))
    return NULL;
  summaries = postbag_imap_summary_collect (request->replies, uids);
  return complete (search, uids, summaries, error) ? g_steal_pointer (&summaries) : NULL;
}

/* --- results of SEARCH --- */

/* All numbers that came: (transfer full) (nullable): sorted */
static GArray *
collect_numbers (const PostbagImapRequest *request, GError **error)
{
  g_autoptr (GArray) set = postbag_imap_set_new ();

  for (guint i = 0; i < request->replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (request->replies, i);

      if (reply->kind != POSTBAG_IMAP_REPLY_SEARCH && reply->kind != POSTBAG_IMAP_REPLY_ESEARCH)
        continue;
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
  postbag_imap_set_normalize (set);
  return g_steal_pointer (&set);
}

/* The @limit highest numbers of @set behind the @offset highest. */
static GArray *
cut_page (const GArray *set, gint64 offset, guint limit)
{
  GArray *page = postbag_imap_set_new ();
  gint64 skip = offset;
  gint64 left = limit;

  for (guint i = set->len; i > 0 && left > 0; i--)
    {
      const PostbagImapRange *range = &g_array_index (set, PostbagImapRange, i - 1);
      gint64 size = (gint64)range->last - range->first + 1;
      gint64 taken;

      if (skip >= size)
        {
          skip -= size;
          continue;
        }
      taken = MIN (size - skip, left);
      postbag_imap_set_add (page, (guint32)(range->last - skip - taken + 1),
                            (guint32)(range->last - skip));
      skip = 0;
      left -= taken;
    }
  postbag_imap_set_normalize (page);
  return page;
}

/* --- everything, newest first --- */

/* The request for the sequence numbers @first to @last (0: to the end). */
static PostbagImapRequest *
create_range_request (const Search *search, guint first, guint last)
{
  PostbagImapRequest *request =
      create_request (search, 1u << POSTBAG_IMAP_REPLY_FETCH | 1u << POSTBAG_IMAP_REPLY_ESEARCH);
  g_autofree char *range =
      last != 0 ? g_strdup_printf ("%u:%u", first, last) : g_strdup_printf ("%u:*", first);
  PostbagImapCommand *command;

  if (!can_save (search->features))
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
is_current (const Search *search, guint count, guint first, gint64 messages, gint64 found)
{
  if (search->page->offset > 0)
    return messages == count;
  return found == MAX (messages - first + 1, 0);
}

/* One attempt at the page with *@count messages assumed. *@page stays %NULL when that was wrong,
 * and *@count is right then; on the @last_try what came is good enough. */
static gboolean
try_range (const Search *search, guint *count, gboolean last_try, PostbagSearchPage **page,
           GError **error)
{
  gint64 offset = search->page->offset, limit = search->page->limit;
  guint last = (guint)(*count - offset);
  guint first = (guint)MAX ((gint64)last - limit + 1, 1);
  g_autoptr (PostbagImapRequest) request =
      create_range_request (search, first, offset == 0 ? 0 : last);
  g_autoptr (GArray) uids = NULL;
  g_autoptr (GPtrArray) summaries = NULL;

  if (!run (search, request, error))
    return FALSE;
  if (can_save (search->features))
    {
      uids = collect_numbers (request, error);
      if (uids == NULL)
        return FALSE;
    }
  summaries = postbag_imap_summary_collect (request->replies, uids);
  if (uids != NULL && !complete (search, uids, summaries, error))
    return FALSE;
  if (!last_try && !is_current (search, *count, first, request->messages, summaries->len))
    {
      *count = (guint)request->messages;
      return TRUE;
    }
  cut_summaries (summaries, search->page->limit);
  *page = create_page (request, request->messages);
  g_ptr_array_unref ((*page)->summaries);
  (*page)->summaries = g_steal_pointer (&summaries);
  return TRUE;
}

/* Just selects, or looks again. */
static PostbagSearchPage *
count_messages (const Search *search, guint *count, GError **error)
{
  g_autoptr (PostbagImapRequest) request = create_request (search, 0);

  if (!run (search, request, error))
    return NULL;
  *count = (guint)request->messages;
  return create_page (request, request->messages);
}

static PostbagSearchPage *
list_all (const Search *search, GError **error)
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

/* Whether the server refused the search for its charset. */
static gboolean
is_charset_refused (const PostbagImapRequest *request, const PostbagSearch *criteria)
{
  const PostbagImapStatus *status =
      request->statuses->len > 0 ? g_ptr_array_index (request->statuses, 0) : NULL;
  g_autofree char *text = NULL;

  if (status == NULL || status->condition == POSTBAG_IMAP_OK
      || !postbag_imap_search_needs_charset (criteria))
    return FALSE;
  text = g_ascii_strdown (status->text, -1);
  return g_strcmp0 (status->code, "BADCHARSET") == 0 || strstr (text, "charset") != NULL;
}

static gboolean
can_page (const PostbagImapFeatures *features, const PostbagPage *page)
{
  guint needed = POSTBAG_IMAP_HAS_ESEARCH | POSTBAG_IMAP_HAS_PARTIAL;

  return (features->has & needed) == needed && page->limit > 0
         && page->offset <= (gint64)G_MAXUINT32 - page->limit;
}

/* What SEARCH has to return for @page, as far as the server lets us choose. */
static char *
choose_result (const PostbagImapFeatures *features, const PostbagPage *page)
{
  if ((features->has & POSTBAG_IMAP_HAS_ESEARCH) == 0)
    return NULL;
  if (page->limit == 0)
    return g_strdup ("RETURN (COUNT)");
  if (!can_page (features, page))
    return g_strdup ("RETURN (ALL)");
  return g_strdup_printf ("RETURN (COUNT PARTIAL -%" G_GINT64_FORMAT ":-%" G_GINT64_FORMAT ")",
                          page->offset + 1, page->offset + page->limit);
}

/* How many match, of which @uids are what was asked for. */
static gint64
count_matches (const PostbagImapRequest *request, const GArray *uids)
{
  for (guint i = 0; i < request->replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (request->replies, i);

      if (reply->kind == POSTBAG_IMAP_REPLY_ESEARCH && reply->search->count >= 0)
        return reply->search->count;
    }
  return (gint64)postbag_imap_set_count (uids);
}

/* Asks which UIDs match: those of @page at least. *@refused: for the charset; then nothing else is
 * set. */
static GArray *
find_uids (const Search *search, const PostbagSearch *criteria, const PostbagPage *page,
           PostbagImapRequest **request, gboolean *refused, GError **error)
{
  g_autofree char *result = choose_result (search->features, page);
  PostbagImapCommand *command;
  g_autoptr (GError) local_error = NULL;

  *request =
      create_request (search, 1u << POSTBAG_IMAP_REPLY_SEARCH | 1u << POSTBAG_IMAP_REPLY_ESEARCH);
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
    postbag_imap_search_add_keys (command, criteria, search->features->utf8);
  if (run (search, *request, &local_error))
    return collect_numbers (*request, error);
  *refused = !g_error_matches (local_error, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED)
             && is_charset_refused (*request, criteria);
  g_propagate_error (error, g_steal_pointer (&local_error));
  return NULL;
}

/* Of the charsets that the refusal names, the first that can hold the texts: (nullable) */
static const char *
choose_charset (const PostbagImapRequest *request, const PostbagSearch *criteria)
{
  const PostbagImapStatus *status = g_ptr_array_index (request->statuses, 0);

  if (g_strcmp0 (status->code, "BADCHARSET") != 0 || status->words == NULL)
    return NULL;
  for (guint i = 0; status->words[i] != NULL && i < POSTBAG_LIMIT_IMAP_CHARSETS; i++)
    {
      g_autoptr (PostbagSearch) converted =
          postbag_imap_search_convert (criteria, status->words[i]);

      if (converted != NULL)
        return status->words[i];
    }
  return NULL;
}

/* The candidates of a wider search, compared here. */
static PostbagSearchPage *
filter_here (const Search *search, const PostbagSearch *criteria, GError **error)
{
  static const PostbagPage candidates = { .limit = LOCAL_MESSAGES };
  g_autoptr (PostbagSearch) wide = postbag_imap_search_widen (criteria);
  g_autoptr (PostbagImapRequest) request = NULL;
  g_autoptr (GArray) uids = NULL;
  g_autoptr (GArray) newest = NULL;
  g_autoptr (GPtrArray) summaries = NULL;
  g_autoptr (PostbagSearchPage) page = NULL;
  gboolean refused = FALSE;

  if (wide == NULL || criteria->cc != NULL)
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                           "The mail server cannot search bodies for text that is not ASCII. "
                           "Search by sender, subject or date instead, or with an ASCII word.");
      return NULL;
    }
  uids = find_uids (search, wide, &candidates, &request, &refused, error);
  if (uids == NULL)
    return NULL;
  newest = cut_page (uids, 0, LOCAL_MESSAGES);
  page = create_page (request, 0);
  if (newest->len == 0)
    return g_steal_pointer (&page);
  summaries = fetch_summaries (search, newest, error);
  if (summaries == NULL)
    return NULL;
  for (guint i = 0; i < summaries->len; i++)
    {
      if (!postbag_imap_search_matches (criteria, summaries->pdata[i], NULL))
        continue;
      if (page->total >= search->page->offset && page->summaries->len < search->page->limit)
        g_ptr_array_add (page->summaries, g_steal_pointer (&summaries->pdata[i]));
      page->total++;
    }
  page->warnings = g_new0 (char *, 2);
  page->warnings[0] = g_strdup_printf ("The mail server cannot search for text that is not ASCII: "
                                       "the newest %d candidates were compared here.",
                                       LOCAL_MESSAGES);
  return g_steal_pointer (&page);
}

static PostbagSearchPage *
search_with_criteria (const Search *search, const PostbagSearch *criteria, GError **error)
{
  g_autoptr (PostbagImapRequest) request = NULL;
  g_autoptr (GError) local_error = NULL;
  gboolean refused = FALSE;
  g_autoptr (GArray) uids =
      find_uids (search, criteria, search->page, &request, &refused, &local_error);
  g_autoptr (GArray) wanted = NULL;
  g_autoptr (PostbagSearchPage) page = NULL;

  if (refused)
    {
      Search again = *search;

      again.charset = search->charset == NULL ? choose_charset (request, criteria) : NULL;
      if (again.charset != NULL)
        return search_with_criteria (&again, criteria, error);
      return filter_here (search, criteria, error);
    }
  if (uids == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return NULL;
    }
  page = create_page (request, count_matches (request, uids));
  wanted = cut_page (uids, can_page (search->features, search->page) ? 0 : search->page->offset,
                     search->page->limit);
  if (wanted->len == 0)
    return g_steal_pointer (&page);
  g_ptr_array_unref (page->summaries);
  page->summaries = fetch_summaries (search, wanted, error);
  if (page->summaries == NULL)
    {
      page->summaries = g_ptr_array_new ();
      return NULL;
    }
  return g_steal_pointer (&page);
}

PostbagSearchPage *
postbag_imap_store_search (gpointer data, const char *mailbox, const PostbagSearch *criteria,
                           const PostbagPage *page, GCancellable *cancellable, GError **error)
{
  PostbagImapStore *self = data;
  g_autoptr (PostbagImapFeatures) features =
      postbag_imap_pool_get_features (self->pool, cancellable, error);
  Search search = { self, mailbox, features, page, cancellable, NULL };

  if (features == NULL)
    return NULL;
  if (postbag_search_is_all (criteria))
    return list_all (&search, error);
  return search_with_criteria (&search, criteria, error);
}
