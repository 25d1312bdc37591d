/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From a mailbox's path to its messages' files, for the length of one call. */

#include "postbag-maildir-file.h"
#include "postbag-maildir-store.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Messages of one listing that may vanish before the search for each becomes shorter: whoever
 * removes thousands at once must not hold up a call for minutes. */
#define VANISHED_PATIENCE 8

int
postbag_maildir_store_open_root (PostbagMaildirStore *self, GError **error)
{
  int fd = open (self->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd >= 0)
    return fd;
  if (errno == ENOENT)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                 "The Maildir “%s” of the account “%s” is not there. Check its path in the "
                 "configuration, and that it is mounted.",
                 self->root, self->account);
  else if (errno == ENOTDIR)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                 "“%s” of the account “%s” is not a folder. Set its path to a Maildir, the folder "
                 "that holds cur, new and tmp.",
                 self->root, self->account);
  else
    postbag_set_error_from_errno (error, errno, "Cannot open the Maildir “%s”", self->root);
  return -1;
}

gboolean
postbag_maildir_store_rescan (PostbagMaildirStore *self, int root, GCancellable *cancellable,
                              GError **error)
{
  g_autoptr (PostbagMaildirFolders) folders =
      postbag_maildir_folders_scan (root, cancellable, error);
  PostbagMaildirFolders *old;

  if (folders == NULL)
    return FALSE;
  g_mutex_lock (&self->lock);
  old = self->folders;
  self->folders = g_steal_pointer (&folders);
  g_mutex_unlock (&self->lock);
  postbag_maildir_folders_free (old);
  return TRUE;
}

/* --- from path to mailbox --- */

/* Drops the listings longest unused, until what is kept is modest. With the store's lock. */
static void
drop_old_listings (PostbagMaildirStore *self, PostbagMaildirMailbox *in_use)
{
  for (;;)
    {
      PostbagMaildirMailbox *oldest = NULL;
      guint64 total = 0;
      GHashTableIter iter;
      gpointer value;

      g_hash_table_iter_init (&iter, self->mailboxes);
      while (g_hash_table_iter_next (&iter, NULL, &value))
        {
          PostbagMaildirMailbox *mailbox = value;
          guint n = postbag_maildir_mailbox_count_cached (mailbox);

          total += n;
          if (n > 0 && mailbox != in_use
              && (oldest == NULL || mailbox->last_used < oldest->last_used))
            oldest = mailbox;
        }
      if (total <= POSTBAG_LIMIT_MAILDIR_CACHED_MESSAGES || oldest == NULL)
        return;
      postbag_maildir_mailbox_drop (oldest);
    }
}

/* (nullable): %NULL when the folders last scanned have no such path */
static PostbagMaildirMailbox *
look_up (PostbagMaildirStore *self, const char *path, char **real_path)
{
  const PostbagMaildirFolder *folder;
  PostbagMaildirMailbox *mailbox = NULL;

  g_mutex_lock (&self->lock);
  folder = self->folders != NULL ? postbag_maildir_folders_find (self->folders, path) : NULL;
  if (folder != NULL)
    {
      *real_path = g_strdup (folder->path);
      mailbox = g_hash_table_lookup (self->mailboxes, folder->directory);
      if (mailbox == NULL)
        {
          mailbox = postbag_maildir_mailbox_new (self->real_root, folder->directory);
          g_hash_table_insert (self->mailboxes, mailbox->directory, mailbox);
        }
      postbag_maildir_mailbox_ref (mailbox);
      mailbox->last_used = g_get_monotonic_time ();
      drop_old_listings (self, mailbox);
    }
  g_mutex_unlock (&self->lock);
  return mailbox;
}

gboolean
postbag_maildir_store_check_folders (PostbagMaildirStore *self, PostbagErrorCode code,
                                     GError **error)
{
  gboolean empty;

  g_mutex_lock (&self->lock);
  empty = self->folders == NULL || self->folders->list->len == 0;
  g_mutex_unlock (&self->lock);
  if (empty)
    g_set_error (error, POSTBAG_ERROR, (int)code,
                 "“%s” holds no mailbox: no folder in it has a “cur”. Set the path of the account "
                 "“%s” to a Maildir.",
                 self->root, self->account);
  return !empty;
}

static gboolean
set_no_such_mailbox (PostbagMaildirStore *self, const char *path, GError **error)
{
  g_autofree char *shown = postbag_text_cut (path, POSTBAG_LIMIT_QUOTE_CHARS, NULL);

  if (postbag_maildir_store_check_folders (self, POSTBAG_ERROR_NOT_FOUND, error))
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
                 "There is no mailbox “%s” in the account “%s”. List the mailboxes and use a path "
                 "from there.",
                 shown, self->account);
  return FALSE;
}

static gboolean
try_enter (PostbagMaildirAccess *self, int root, const char *path, GError **error)
{
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->mailbox, postbag_maildir_mailbox_unref);
  self->mailbox = look_up (self->store, path, &self->path);
  if (self->mailbox == NULL)
    return set_no_such_mailbox (self->store, path, error);
  return postbag_maildir_open_mailbox (root, self->mailbox->directory, self->path, &self->folder,
                                       error);
}

/* The folders may have changed since they were last looked at: one more look before giving up. */
static gboolean
enter (PostbagMaildirAccess *self, int root, const char *path, GError **error)
{
  g_autoptr (GError) first = NULL;

  if (try_enter (self, root, path, &first))
    return TRUE;
  if (first->code != POSTBAG_ERROR_NOT_FOUND)
    {
      g_propagate_error (error, g_steal_pointer (&first));
      return FALSE;
    }
  return postbag_maildir_store_rescan (self->store, root, self->cancellable, error)
         && try_enter (self, root, path, error);
}

PostbagMaildirAccess *
postbag_maildir_access_new (PostbagMaildirStore *store, const char *path, GCancellable *cancellable,
                            GError **error)
{
  g_autoptr (PostbagMaildirAccess) self = g_new0 (PostbagMaildirAccess, 1);
  int root = postbag_maildir_store_open_root (store, error);
  gboolean entered;

  self->store = store;
  self->cancellable = cancellable;
  self->folder = (PostbagMaildirOpen)POSTBAG_MAILDIR_OPEN_INIT;
  if (root < 0)
    return NULL;
  entered = enter (self, root, path, error);
  postbag_maildir_close (root);
  if (!entered || !postbag_maildir_access_refresh (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
postbag_maildir_access_free (PostbagMaildirAccess *self)
{
  if (self == NULL)
    return;
  postbag_maildir_snapshot_unref (self->snapshot);
  postbag_maildir_mailbox_unref (self->mailbox);
  postbag_maildir_open_clear (&self->folder);
  g_free (self->path);
  g_free (self);
}

gboolean
postbag_maildir_access_refresh (PostbagMaildirAccess *self, GError **error)
{
  PostbagMaildirSnapshot *snapshot =
      postbag_maildir_mailbox_refresh (self->mailbox, &self->folder, self->store->map,
                                       self->store->keywords, self->path, self->cancellable, error);

  if (snapshot == NULL)
    return FALSE;
  if (self->snapshot != NULL
      && self->snapshot->identity.uid_validity != snapshot->identity.uid_validity)
    {
      postbag_maildir_snapshot_unref (snapshot);
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
                   "The uids of the mailbox “%s” were given anew meanwhile. List the messages "
                   "again and use the new uids.",
                   self->path);
      return FALSE;
    }
  postbag_maildir_snapshot_unref (self->snapshot);
  self->snapshot = snapshot;
  return TRUE;
}

/* --- from UID to file --- */

static void
set_gone (PostbagMaildirAccess *self, guint32 uid, GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
               "There is no message with uid %u in the mailbox “%s” (any more). List the messages "
               "to see which there are.",
               uid, self->path);
}

static int
open_entry (PostbagMaildirAccess *self, const PostbagMaildirEntry *entry, struct stat *facts)
{
  const char *name = postbag_maildir_scan_get_name (self->snapshot->scan, entry);
  int folder = entry->in_new ? self->folder.fresh : self->folder.current;

  return postbag_maildir_open_file (folder, name, facts);
}

static int
check_size (PostbagMaildirAccess *self, guint32 uid, int fd, const struct stat *facts,
            GError **error)
{
  if (facts->st_size <= POSTBAG_LIMIT_MESSAGE_FILE_BYTES)
    return fd;
  postbag_maildir_close (fd);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
               "Message %u in the mailbox “%s” is larger than the limit of %lld bytes.", uid,
               self->path, (long long)POSTBAG_LIMIT_MESSAGE_FILE_BYTES);
  return -1;
}

int
postbag_maildir_access_open_message (PostbagMaildirAccess *self, guint32 uid, struct stat *facts,
                                     GError **error)
{
  guint attempts = self->n_vanished < VANISHED_PATIENCE ? POSTBAG_LIMIT_MAILDIR_RESCANS : 2;
  int saved_errno = ENOENT;

  for (guint attempt = 0; attempt < attempts && saved_errno == ENOENT; attempt++)
    {
      const PostbagMaildirEntry *entry;
      int fd;

      if (attempt > 0 && !postbag_maildir_access_refresh (self, error))
        return -1;
      entry = postbag_maildir_snapshot_find (self->snapshot, uid);
      if (entry == NULL)
        break;
      fd = open_entry (self, entry, facts);
      saved_errno = errno;
      if (fd >= 0)
        return check_size (self, uid, fd, facts, error);
    }
  self->n_vanished++;
  if (saved_errno == ENOENT)
    set_gone (self, uid, error);
  else if (saved_errno == EINVAL || saved_errno == ELOOP || saved_errno == ENXIO)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
                 "Message %u in the mailbox “%s” is not a regular file; it is not opened.", uid,
                 self->path);
  else
    postbag_set_error_from_errno (error, saved_errno, "Cannot open message %u in the mailbox “%s”",
                                  uid, self->path);
  return -1;
}

gboolean
postbag_maildir_is_about_message (const GError *error)
{
  static const PostbagErrorCode codes[] = { POSTBAG_ERROR_NOT_FOUND, POSTBAG_ERROR_NOT_ALLOWED,
                                            POSTBAG_ERROR_BAD_DATA, POSTBAG_ERROR_TOO_LARGE,
                                            POSTBAG_ERROR_OFFLINE };

  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    if (g_error_matches (error, POSTBAG_ERROR, (int)codes[i]))
      return TRUE;
  return FALSE;
}

/* --- headers --- */

typedef PostbagMaildirHeaders *(*ReadFunc) (int fd, gint64 size);

/* As much of the message as it takes to know whether it has attachments. */
static PostbagMaildirHeaders *
read_for_listing (int fd, gint64 size)
{
  static const gsize steps[] = { POSTBAG_LIMIT_PREFIX_BYTES, POSTBAG_LIMIT_SUMMARY_BYTES };
  PostbagMaildirHeaders *headers = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autoptr (GBytes) source = postbag_maildir_read_start (fd, steps[i], size);
      gboolean complete;

      if (source == NULL)
        break;
      complete = size <= (gint64)steps[i];
      g_free (headers);
      headers = postbag_maildir_headers_parse (source, complete);
      if (headers->has_attachments >= 0 || complete)
        return headers;
    }
  if (headers != NULL)
    headers->has_attachments = FALSE; /* none as far as it was read */
  return headers;
}

/* Where the header block ends, its empty line included; -1 when it goes on. */
static gssize
find_header_end (GBytes *source)
{
  gsize length;
  const char *data = g_bytes_get_data (source, &length);
  const char *end = data + length;

  for (const char *at = data; at != NULL && at < end; at++)
    {
      if (*at == '\n')
        return at + 1 - data;
      if (*at == '\r' && at + 1 < end && at[1] == '\n')
        return at + 2 - data;
      at = memchr (at, '\n', (gsize)(end - at));
      if (at == NULL)
        break;
    }
  return -1;
}

static PostbagMaildirHeaders *
read_for_search (int fd, gint64 size)
{
  static const gsize steps[] = { 8 * 1024, POSTBAG_LIMIT_HEADER_BLOCK_BYTES };

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      g_autoptr (GBytes) source = postbag_maildir_read_start (fd, steps[i], size);
      g_autoptr (GBytes) block = NULL;
      gssize end;

      if (source == NULL)
        return NULL;
      end = find_header_end (source);
      if (end < 0 && size > (gint64)steps[i] && i + 1 < G_N_ELEMENTS (steps))
        continue;
      block = g_bytes_new_from_bytes (source, 0, end >= 0 ? (gsize)end : g_bytes_get_size (source));
      return postbag_maildir_headers_parse (block, FALSE);
    }
  return NULL;
}

static PostbagMaildirHeaders *
read_headers (PostbagMaildirAccess *self, guint32 uid, ReadFunc read, gboolean *readable,
              GError **error)
{
  static const char *const none[POSTBAG_MAILDIR_N_FIELDS] = { NULL };
  PostbagMaildirHeaders *headers = NULL;
  struct stat facts = { 0 };
  int fd = postbag_maildir_access_open_message (self, uid, &facts, error);

  if (fd >= 0)
    headers = read (fd, facts.st_size);
  postbag_maildir_close (fd);
  *readable = headers != NULL;
  if (fd >= 0 && headers == NULL)
    headers = postbag_maildir_headers_new (none);
  if (headers != NULL)
    {
      headers->size = facts.st_size;
      headers->internal_date = facts.st_mtim.tv_sec;
    }
  return headers;
}

static gboolean
fill_item (PostbagMaildirAccess *self, PostbagMaildirCached *item, ReadFunc read, GError **error)
{
  static const char *const none[POSTBAG_MAILDIR_N_FIELDS] = { NULL };
  g_autoptr (GError) inner = NULL;
  gboolean readable = FALSE;

  g_clear_pointer (&item->headers, g_free);
  item->headers = read_headers (self, item->uid, read, &readable, &inner);
  item->is_new = readable;
  if (inner == NULL)
    return TRUE;
  if (!postbag_maildir_is_about_message (inner))
    {
      g_propagate_error (error, g_steal_pointer (&inner));
      return FALSE;
    }
  if (inner->code != POSTBAG_ERROR_NOT_FOUND)
    item->headers = postbag_maildir_headers_new (none);
  return TRUE;
}

static gboolean
fill (PostbagMaildirAccess *self, GArray *items, ReadFunc read, gboolean for_listing,
      GError **error)
{
  guint32 uid_validity = self->snapshot->identity.uid_validity;

  postbag_maildir_header_cache_get (self->store->cache, uid_validity, items);
  for (guint i = 0; i < items->len; i++)
    {
      PostbagMaildirCached *item = &g_array_index (items, PostbagMaildirCached, i);

      if (item->headers != NULL && (!for_listing || item->headers->has_attachments >= 0))
        continue;
      if (g_cancellable_set_error_if_cancelled (self->cancellable, error)
          || !fill_item (self, item, read, error))
        return FALSE;
    }
  postbag_maildir_header_cache_put (self->store->cache, uid_validity, items);
  return TRUE;
}

gboolean
postbag_maildir_access_fill (PostbagMaildirAccess *self, GArray *items, GError **error)
{
  return fill (self, items, read_for_listing, TRUE, error);
}

gboolean
postbag_maildir_access_fill_headers (PostbagMaildirAccess *self, GArray *items, GError **error)
{
  return fill (self, items, read_for_search, FALSE, error);
}
