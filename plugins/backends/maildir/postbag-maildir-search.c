/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Search: cheap criteria first, each stage on what the one before let through, a chunk at a time so
 * that a long search reports how far it is and can be cancelled. */

#include "postbag-maildir-criteria.h"
#include "postbag-maildir-file.h"
#include "postbag-maildir-flags.h"
#include "postbag-maildir-store.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

#include <errno.h>
#include <fcntl.h>

/* Messages between two looks at progress: some milliseconds where files are read. */
#define CHUNK 256

typedef struct
{
  PostbagMaildirAccess *access;
  PostbagMaildirCriteria *criteria;
  const PostbagPage *page;
  GArray *matches; /* guint32: uids, newest first */
} Search;

/* A message that cannot be read matches nothing; only the search's own failure ends it. */
static gboolean
may_go_on (Search *self, GError *inner, GError **error)
{
  if (g_cancellable_set_error_if_cancelled (self->access->cancellable, error))
    {
      g_clear_error (&inner);
      return FALSE;
    }
  if (inner == NULL || postbag_maildir_is_about_message (inner))
    {
      g_clear_error (&inner);
      return TRUE;
    }
  g_propagate_error (error, inner);
  return FALSE;
}

/* --- the stages: each takes from @uids what does not match --- */

static gboolean
stat_message (Search *self, guint32 uid, struct stat *facts, GError **error)
{
  PostbagMaildirAccess *access = self->access;
  const PostbagMaildirEntry *entry = postbag_maildir_snapshot_find (access->snapshot, uid);
  int fd;

  if (entry != NULL
      && fstatat (entry->in_new ? access->folder.fresh : access->folder.current,
                  postbag_maildir_scan_get_name (access->snapshot->scan, entry), facts,
                  AT_SYMLINK_NOFOLLOW)
             == 0)
    return TRUE;
  fd = postbag_maildir_access_open_message (access, uid, facts, error);
  postbag_maildir_close (fd);
  return fd >= 0;
}

static gboolean
filter_by_facts (Search *self, GArray *uids, GError **error)
{
  guint kept = 0;

  for (guint i = 0; i < uids->len; i++)
    {
      guint32 uid = g_array_index (uids, guint32, i);
      struct stat facts;
      GError *inner = NULL;

      if (!stat_message (self, uid, &facts, &inner))
        {
          if (!may_go_on (self, inner, error))
            return FALSE;
          continue;
        }
      if (postbag_maildir_criteria_match_facts (self->criteria, facts.st_size,
                                                facts.st_mtim.tv_sec))
        g_array_index (uids, guint32, kept++) = uid;
    }
  g_array_set_size (uids, kept);
  return TRUE;
}

static GArray *
make_items (const guint32 *uids, guint n)
{
  GArray *items = postbag_maildir_cached_new ();

  for (guint i = 0; i < n; i++)
    {
      PostbagMaildirCached item = { .uid = uids[i] };

      g_array_append_val (items, item);
    }
  return items;
}

static gboolean
filter_by_headers (Search *self, GArray *uids, GError **error)
{
  g_autoptr (GArray) items = make_items ((const guint32 *)(gpointer)uids->data, uids->len);
  guint kept = 0;

  if (!postbag_maildir_access_fill_headers (self->access, items, error))
    return FALSE;
  for (guint i = 0; i < items->len; i++)
    {
      const PostbagMaildirCached *item = &g_array_index (items, PostbagMaildirCached, i);

      if (item->headers != NULL
          && postbag_maildir_criteria_match_headers (self->criteria, item->headers))
        g_array_index (uids, guint32, kept++) = item->uid;
    }
  g_array_set_size (uids, kept);
  return TRUE;
}

static gboolean
filter_by_source (Search *self, GArray *uids, GError **error)
{
  guint kept = 0;

  for (guint i = 0; i < uids->len; i++)
    {
      guint32 uid = g_array_index (uids, guint32, i);
      g_autoptr (GBytes) source = NULL;
      struct stat facts;
      GError *inner = NULL;
      int fd = postbag_maildir_access_open_message (self->access, uid, &facts, &inner);

      if (fd >= 0)
        source = postbag_maildir_read_start (fd, POSTBAG_LIMIT_MESSAGE_SOURCE_BYTES, facts.st_size);
      postbag_maildir_close (fd);
      if (!may_go_on (self, inner, error))
        return FALSE;
      if (source != NULL && postbag_maildir_criteria_match_source (self->criteria, source))
        g_array_index (uids, guint32, kept++) = uid;
    }
  g_array_set_size (uids, kept);
  return TRUE;
}

static gboolean
finish_chunk (Search *self, GArray *uids, GError **error)
{
  if (g_cancellable_set_error_if_cancelled (self->access->cancellable, error))
    return FALSE;
  if (postbag_maildir_criteria_need_facts (self->criteria) && !filter_by_facts (self, uids, error))
    return FALSE;
  if (postbag_maildir_criteria_need_headers (self->criteria)
      && !filter_by_headers (self, uids, error))
    return FALSE;
  if (postbag_maildir_criteria_need_source (self->criteria)
      && !filter_by_source (self, uids, error))
    return FALSE;
  g_array_append_vals (self->matches, uids->data, uids->len);
  g_array_set_size (uids, 0);
  return TRUE;
}

static void
report_progress (Search *self, guint done, guint total)
{
  if (self->page->progress != NULL && total > 0)
    self->page->progress ((double)done / total, self->page->progress_data);
}

/* Over the listing as it was at the start, even where a rename brings a newer one in between. */
static gboolean
collect_matches (Search *self, GError **error)
{
  g_autoptr (PostbagMaildirSnapshot) snapshot =
      postbag_maildir_snapshot_ref (self->access->snapshot);
  g_autoptr (GArray) chunk = g_array_sized_new (FALSE, FALSE, sizeof (guint32), CHUNK);
  guint n = snapshot->scan->n_entries;

  for (guint i = n; i > 0; i--)
    {
      const PostbagMaildirEntry *entry = &snapshot->scan->entries[i - 1];

      if (postbag_maildir_criteria_match_entry (self->criteria, snapshot, entry))
        g_array_append_val (chunk, entry->uid);
      if (chunk->len < CHUNK)
        continue;
      if (!finish_chunk (self, chunk, error))
        return FALSE;
      report_progress (self, n - i + 1, n);
    }
  if (!finish_chunk (self, chunk, error))
    return FALSE;
  report_progress (self, n, n);
  return TRUE;
}

/* --- the page --- */

static PostbagSummary *
make_summary (PostbagMaildirAccess *access, const PostbagMaildirCached *item)
{
  const PostbagMaildirEntry *entry = postbag_maildir_snapshot_find (access->snapshot, item->uid);
  PostbagSummary *summary;

  if (item->headers == NULL || entry == NULL)
    return NULL;
  summary = postbag_maildir_headers_to_summary (item->headers);
  summary->uid = item->uid;
  summary->flags = postbag_maildir_entry_get_flags (entry);
  g_strfreev (summary->keywords);
  summary->keywords = postbag_maildir_snapshot_name_keywords (access->snapshot, entry);
  return summary;
}

static gboolean
add_summaries (PostbagMaildirAccess *access, PostbagSearchPage *result, GArray *items,
               GError **error)
{
  if (!postbag_maildir_access_fill (access, items, error))
    return FALSE;
  for (guint i = 0; i < items->len; i++)
    {
      PostbagSummary *summary =
          make_summary (access, &g_array_index (items, PostbagMaildirCached, i));

      if (summary != NULL)
        g_ptr_array_add (result->summaries, summary);
    }
  return TRUE;
}

static GArray *
collect_page (PostbagMaildirAccess *access, GArray *matches, const PostbagPage *page, gint64 total)
{
  const PostbagMaildirScan *scan = access->snapshot->scan;
  GArray *uids = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (gint64 i = page->offset; i < total && i - page->offset < (gint64)page->limit; i++)
    {
      guint32 uid = matches != NULL ? g_array_index (matches, guint32, i)
                                    : scan->entries[scan->n_entries - 1 - (guint)i].uid;

      g_array_append_val (uids, uid);
    }
  return uids;
}

static char **
make_warnings (PostbagMaildirStore *store)
{
  char *warning = postbag_maildir_uid_map_dup_warning (store->map);
  char **warnings;

  if (warning == NULL)
    return NULL;
  warnings = g_new0 (char *, 2);
  warnings[0] = warning;
  return warnings;
}

static gboolean
run_search (Search *self, PostbagSearchPage *result, GError **error)
{
  gboolean all = postbag_search_is_all (self->criteria->search);
  g_autoptr (GArray) uids = NULL;

  if (!all && !collect_matches (self, error))
    return FALSE;
  result->total = all ? self->access->snapshot->scan->n_entries : self->matches->len;
  result->uid_validity = self->access->snapshot->identity.uid_validity;
  uids = collect_page (self->access, all ? NULL : self->matches, self->page, result->total);
  for (guint i = 0; i < uids->len; i += CHUNK)
    {
      g_autoptr (GArray) items =
          make_items (&g_array_index (uids, guint32, i), MIN (uids->len - i, CHUNK));

      if (!add_summaries (self->access, result, items, error))
        return FALSE;
    }
  return TRUE;
}

PostbagSearchPage *
postbag_maildir_search (gpointer data, const char *mailbox, const PostbagSearch *search,
                        const PostbagPage *page, GCancellable *cancellable, GError **error)
{
  PostbagMaildirStore *store = data;
  g_autoptr (PostbagSearchPage) result = postbag_search_page_new ();
  g_autoptr (PostbagMaildirCriteria) criteria = postbag_maildir_criteria_new (search);
  g_autoptr (GArray) matches = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (PostbagMaildirAccess) access =
      postbag_maildir_access_new (store, mailbox, cancellable, error);
  Search self = { access, criteria, page, matches };

  if (access == NULL || !run_search (&self, result, error))
    return NULL;
  result->warnings = make_warnings (store);
  return g_steal_pointer (&result);
}
