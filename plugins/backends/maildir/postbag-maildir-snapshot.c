/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-maildir"

#include "postbag-maildir-snapshot.h"

#include "postbag-maildir-flags.h"

#include "base/postbag-limits.h"

#include <string.h>

/* Longer than a tick of the kernel's clock, after which a change shows in the time stamp. */
#define TICK_US 21000

/* --- snapshots --- */

PostbagMaildirSnapshot *
postbag_maildir_snapshot_ref (PostbagMaildirSnapshot *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
postbag_maildir_snapshot_unref (PostbagMaildirSnapshot *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->references))
    return;
  postbag_maildir_scan_free (self->scan);
  postbag_maildir_free_keywords (self->keywords);
  for (guint i = 0; i < POSTBAG_MAILDIR_N_OWN_KEYWORDS; i++)
    g_free (self->own_keywords[i]);
  g_free (self);
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const PostbagMaildirEntry *first = a, *second = b;

  return first->uid < second->uid ? -1 : first->uid > second->uid;
}

const PostbagMaildirEntry *
postbag_maildir_snapshot_find (const PostbagMaildirSnapshot *self, guint32 uid)
{
  PostbagMaildirEntry key = { .uid = uid };

  if (self->scan->n_entries == 0)
    return NULL;
  return bsearch (&key, self->scan->entries, self->scan->n_entries, sizeof key, compare_entries);
}

char **
postbag_maildir_snapshot_name_keywords (const PostbagMaildirSnapshot *self,
                                        const PostbagMaildirEntry *entry)
{
  char **letters =
      postbag_maildir_name_keywords (postbag_maildir_entry_get_keywords (entry), self->keywords);
  guint n = g_strv_length (letters);
  char **all;

  if (entry->own == 0)
    return letters;
  all = g_renew (char *, letters, n + POSTBAG_MAILDIR_N_OWN_KEYWORDS + 1);
  for (guint i = 0; i < POSTBAG_MAILDIR_N_OWN_KEYWORDS; i++)
    if ((entry->own & (1u << i)) && self->own_keywords[i] != NULL)
      all[n++] = g_strdup (self->own_keywords[i]);
  all[n] = NULL;
  return all;
}

gboolean
postbag_maildir_snapshot_has_keyword (const PostbagMaildirSnapshot *self,
                                      const PostbagMaildirEntry *entry, const char *keyword)
{
  guint32 letters = postbag_maildir_entry_get_keywords (entry);

  if (g_ascii_strcasecmp (keyword, "$Forwarded") == 0
      && (postbag_maildir_entry_get_flags (entry) & POSTBAG_FLAG_FORWARDED))
    return TRUE;
  for (guint i = 0; letters != 0; i++, letters >>= 1)
    if ((letters & 1) && self->keywords[i] != NULL
        && g_ascii_strcasecmp (self->keywords[i], keyword) == 0)
      return TRUE;
  for (guint i = 0; i < POSTBAG_MAILDIR_N_OWN_KEYWORDS; i++)
    if ((entry->own & (1u << i)) && self->own_keywords[i] != NULL
        && g_ascii_strcasecmp (self->own_keywords[i], keyword) == 0)
      return TRUE;
  return FALSE;
}

static void
sort_entries (PostbagMaildirScan *scan)
{
  guint i;

  for (i = 1; i < scan->n_entries && scan->entries[i - 1].uid < scan->entries[i].uid; i++)
    ;
  if (i < scan->n_entries)
    qsort (scan->entries, scan->n_entries, sizeof *scan->entries, compare_entries);
}

/* Takes @scan. */
static PostbagMaildirSnapshot *
make_snapshot (PostbagMaildirScan *scan, const PostbagMaildirIdentity *identity, char **keywords,
               PostbagMaildirKeywords *own)
{
  PostbagMaildirSnapshot *self = g_new0 (PostbagMaildirSnapshot, 1);

  g_atomic_ref_count_init (&self->references);
  postbag_maildir_scan_drop_slots (scan);
  sort_entries (scan);
  scan->entries = g_renew (PostbagMaildirEntry, scan->entries, MAX (scan->n_entries, 1));
  scan->n_allocated = MAX (scan->n_entries, 1);
  scan->names = g_realloc (scan->names, MAX (scan->names_length, 1));
  scan->names_allocated = MAX (scan->names_length, 1);
  self->scan = scan;
  self->identity = *identity;
  self->keywords = keywords;
  self->own_version =
      postbag_maildir_keywords_load (own, identity->uid_validity, scan, self->own_keywords);
  self->settled =
      scan->still && postbag_maildir_stamps_are_settled (&scan->stamps, scan->started_ns);
  for (guint i = 0; i < scan->n_entries; i++)
    if (!(postbag_maildir_entry_get_flags (&scan->entries[i]) & POSTBAG_FLAG_SEEN))
      self->unseen++;
  return self;
}

/* --- mailboxes --- */

PostbagMaildirMailbox *
postbag_maildir_mailbox_new (const char *root, const char *directory)
{
  PostbagMaildirMailbox *self = g_new0 (PostbagMaildirMailbox, 1);

  g_atomic_ref_count_init (&self->references);
  self->directory = g_strdup (directory);
  self->key = *directory != '\0' ? g_build_filename (root, directory, NULL) : g_strdup (root);
  g_mutex_init (&self->refresh_lock);
  g_mutex_init (&self->lock);
  return self;
}

PostbagMaildirMailbox *
postbag_maildir_mailbox_ref (PostbagMaildirMailbox *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
postbag_maildir_mailbox_unref (PostbagMaildirMailbox *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->references))
    return;
  postbag_maildir_snapshot_unref (self->snapshot);
  g_mutex_clear (&self->refresh_lock);
  g_mutex_clear (&self->lock);
  g_free (self->directory);
  g_free (self->key);
  g_free (self);
}

static PostbagMaildirSnapshot *
peek_snapshot (PostbagMaildirMailbox *self)
{
  PostbagMaildirSnapshot *snapshot = NULL;

  g_mutex_lock (&self->lock);
  if (self->snapshot != NULL)
    snapshot = postbag_maildir_snapshot_ref (self->snapshot);
  g_mutex_unlock (&self->lock);
  return snapshot;
}

static void
keep_snapshot (PostbagMaildirMailbox *self, PostbagMaildirSnapshot *snapshot)
{
  g_autoptr (PostbagMaildirSnapshot) old = NULL;

  g_mutex_lock (&self->lock);
  old = self->snapshot;
  self->snapshot = snapshot != NULL ? postbag_maildir_snapshot_ref (snapshot) : NULL;
  g_mutex_unlock (&self->lock);
}

guint
postbag_maildir_mailbox_count_cached (PostbagMaildirMailbox *self)
{
  guint n;

  g_mutex_lock (&self->lock);
  n = self->snapshot != NULL ? self->snapshot->scan->n_entries : 0;
  g_mutex_unlock (&self->lock);
  return n;
}

void
postbag_maildir_mailbox_drop (PostbagMaildirMailbox *self)
{
  keep_snapshot (self, NULL);
}

/* --- from one listing to the next --- */

/* Hands the UIDs of @old on; returns how many of its messages @scan did not see. */
static guint
hand_on_uids (PostbagMaildirScan *scan, const PostbagMaildirScan *old)
{
  guint n_missing = 0;

  for (guint i = 0; old != NULL && i < old->n_entries; i++)
    {
      const PostbagMaildirEntry *before = &old->entries[i];
      PostbagMaildirEntry *now = postbag_maildir_scan_find (
          scan, postbag_maildir_scan_get_name (old, before), before->base_length);

      if (now != NULL)
        now->uid = before->uid;
      else
        n_missing++;
    }
  return n_missing;
}

/* (transfer full): base names without mbsync's mark of the messages that are new here */
static GHashTable *
collect_new_stems (const PostbagMaildirScan *scan)
{
  GHashTable *stems = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < scan->n_entries; i++)
    {
      const PostbagMaildirEntry *entry = &scan->entries[i];
      const char *name = postbag_maildir_scan_get_name (scan, entry);
      gsize stem = postbag_maildir_get_stem_length (name, entry->base_length);

      if (entry->uid == 0)
        g_hash_table_add (stems, g_strndup (name, stem));
    }
  return stems;
}

/* What a disturbed scan did not see may have been renamed under its hands: it stays. */
static void
carry_missing (PostbagMaildirScan *scan, const PostbagMaildirScan *old)
{
  g_autoptr (GHashTable) stems = old != NULL ? collect_new_stems (scan) : NULL;

  for (guint i = 0; old != NULL && i < old->n_entries; i++)
    {
      const PostbagMaildirEntry *before = &old->entries[i];
      const char *name = postbag_maildir_scan_get_name (old, before);
      g_autofree char *stem =
          g_strndup (name, postbag_maildir_get_stem_length (name, before->base_length));

      if (postbag_maildir_scan_find (scan, name, before->base_length) != NULL
          || g_hash_table_contains (stems, stem)
          || !postbag_maildir_scan_add (scan, name, before->in_new != 0))
        continue;
      postbag_maildir_scan_find (scan, name, before->base_length)->uid = before->uid;
    }
}

/* Reads the folder until what is missing is known to be gone, or patience ends. */
static PostbagMaildirScan *
scan_patiently (const PostbagMaildirOpen *folder, const PostbagMaildirScan *old, const char *path,
                GCancellable *cancellable, GError **error)
{
  g_autoptr (PostbagMaildirScan) earlier = NULL;

  for (guint attempt = 1;; attempt++)
    {
      g_autoptr (PostbagMaildirScan) scan =
          postbag_maildir_scan_run (folder, path, cancellable, error);
      gboolean certain;
      guint n_missing;

      if (scan == NULL)
        return NULL;
      n_missing = hand_on_uids (scan, old) + hand_on_uids (scan, earlier);
      certain = scan->still && postbag_maildir_stamps_are_quiet (&scan->stamps, scan->started_ns);
      if (certain || (scan->still && n_missing == 0))
        return g_steal_pointer (&scan);
      if (attempt == POSTBAG_LIMIT_MAILDIR_RESCANS)
        {
          carry_missing (scan, old);
          carry_missing (scan, earlier);
          return g_steal_pointer (&scan);
        }
      if (scan->still)
        g_usleep (TICK_US);
      g_clear_pointer (&earlier, postbag_maildir_scan_free);
      earlier = g_steal_pointer (&scan);
    }
}

static PostbagMaildirSnapshot *
take_snapshot (PostbagMaildirMailbox *self, const PostbagMaildirOpen *folder,
               PostbagMaildirUidMap *map, PostbagMaildirKeywords *keywords,
               const PostbagMaildirSnapshot *old, const char *path, GCancellable *cancellable,
               GError **error)
{
  g_autoptr (PostbagMaildirScan) scan = NULL;
  PostbagMaildirIdentity identity = { 0 };
  PostbagMaildirStamps stamps;

  postbag_maildir_take_stamps (folder, &stamps);
  /* Another folder has this name now: nothing that was known says anything of what is in it. */
  if (old != NULL
      && !postbag_maildir_stamp_is_same_folder (&stamps.current, &old->scan->stamps.current))
    old = NULL;
  scan = scan_patiently (folder, old != NULL ? old->scan : NULL, path, cancellable, error);
  if (scan == NULL)
    return NULL;
  if (old != NULL)
    identity = old->identity;
  if (!postbag_maildir_uid_map_assign (map, self->key, folder, &identity, scan, error))
    return NULL;
  return make_snapshot (g_steal_pointer (&scan), &identity,
                        postbag_maildir_read_keywords (folder->directory), keywords);
}

static gboolean
is_still_true (const PostbagMaildirSnapshot *snapshot, const PostbagMaildirOpen *folder,
               PostbagMaildirUidMap *map, PostbagMaildirKeywords *keywords)
{
  PostbagMaildirStamps stamps;

  if (!snapshot->settled)
    return FALSE;
  postbag_maildir_take_stamps (folder, &stamps);
  return postbag_maildir_stamps_equal (&stamps, &snapshot->scan->stamps)
         && postbag_maildir_uid_map_is_current (map, &snapshot->identity)
         && postbag_maildir_keywords_get_version (keywords, snapshot->identity.uid_validity)
                == snapshot->own_version;
}

PostbagMaildirSnapshot *
postbag_maildir_mailbox_refresh (PostbagMaildirMailbox *self, const PostbagMaildirOpen *folder,
                                 PostbagMaildirUidMap *map, PostbagMaildirKeywords *keywords,
                                 const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (PostbagMaildirSnapshot) old = NULL;
  PostbagMaildirSnapshot *fresh;

  g_mutex_lock (&self->refresh_lock);
  old = peek_snapshot (self);
  if (old != NULL && is_still_true (old, folder, map, keywords))
    {
      g_mutex_unlock (&self->refresh_lock);
      return g_steal_pointer (&old);
    }
  fresh = take_snapshot (self, folder, map, keywords, old, path, cancellable, error);
  if (fresh != NULL)
    {
      keep_snapshot (self, fresh);
      g_debug ("%s: read anew, %u messages", path, fresh->scan->n_entries);
    }
  g_mutex_unlock (&self->refresh_lock);
  return fresh;
}
