/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-store.h"

#include "postbag-maildir-apply.h"
#include "postbag-maildir-file.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"

#include <stdlib.h>
#include <string.h>

static void
close_store (gpointer data)
{
  PostbagMaildirStore *self = data;

  postbag_maildir_watcher_free (self->watcher);
  g_hash_table_unref (self->mailboxes);
  postbag_maildir_folders_free (self->folders);
  postbag_maildir_header_cache_free (self->cache);
  postbag_maildir_keywords_free (self->keywords);
  postbag_maildir_uid_map_free (self->map);
  g_mutex_clear (&self->lock);
  g_free (self->root);
  g_free (self->real_root);
  g_free (self->account);
  g_free (self);
}

static gboolean
check_root (PostbagMaildirStore *self, GError **error)
{
  int root = postbag_maildir_store_open_root (self, error);

  postbag_maildir_close (root);
  if (root < 0)
    postbag_error_place (error, "folder", POSTBAG_FAULT_FOLDER);
  return root >= 0;
}

static char *
resolve_links (const char *path)
{
  char *resolved = realpath (path, NULL);
  char *copy = g_strdup (resolved != NULL ? resolved : path);

  free (resolved);
  return copy;
}

static gpointer
open_store (const PostbagAccount *account, const char *state_dir, GError **error)
{
  PostbagMaildirStore *self;

  if (account->path == NULL || !g_path_is_absolute (account->path))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_LOGIN,
                   "The account “%s” needs the absolute path of its Maildir, the folder that holds "
                   "cur, new and tmp: set it in the configuration or with POSTBAG_MAILDIR.",
                   account->name);
      return NULL;
    }
  self = g_new0 (PostbagMaildirStore, 1);
  g_mutex_init (&self->lock);
  self->root = g_strdup (account->path);
  self->account = g_strdup (account->name);
  self->mailboxes = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                           (GDestroyNotify)postbag_maildir_mailbox_unref);
  self->watcher = postbag_maildir_watcher_new ();
  if (!check_root (self, error))
    {
      close_store (self);
      return NULL;
    }
  self->real_root = resolve_links (self->root);
  self->map = postbag_maildir_uid_map_open (state_dir);
  self->keywords = postbag_maildir_keywords_open (
      postbag_maildir_uid_map_is_lasting (self->map) ? state_dir : NULL);
  self->cache = postbag_maildir_header_cache_open (
      postbag_maildir_uid_map_is_lasting (self->map) ? state_dir : NULL);
  return self;
}

/* --- mailboxes --- */

/* Copies, so that nothing of the shared list is used without the lock. */
static GPtrArray *
copy_mailboxes (PostbagMaildirStore *self, gint64 *total)
{
  GPtrArray *mailboxes = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_mailbox_free);
  GPtrArray *list;

  g_mutex_lock (&self->lock);
  list = self->folders->list;
  *total = list->len;
  for (guint i = 0; i < list->len && i < POSTBAG_LIMIT_MAILBOXES; i++)
    {
      const PostbagMaildirFolder *folder = g_ptr_array_index (list, i);
      PostbagMailbox *mailbox = postbag_mailbox_new (folder->path);

      mailbox->delimiter = '/';
      mailbox->special_use = g_strdup (folder->special_use);
      mailbox->special_use_is_guessed = folder->special_use != NULL;
      mailbox->subscribed = folder->subscribed;
      g_ptr_array_add (mailboxes, mailbox);
    }
  g_mutex_unlock (&self->lock);
  return mailboxes;
}

/* A mailbox that cannot be read is listed without counts. */
static gboolean
add_status (PostbagMaildirStore *self, PostbagMailbox *mailbox, GCancellable *cancellable,
            GError **error)
{
  g_autoptr (PostbagMaildirAccess) access =
      postbag_maildir_access_new (self, mailbox->path, cancellable, NULL);

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (access == NULL)
    return TRUE;
  mailbox->has_status = TRUE;
  mailbox->messages = access->snapshot->scan->n_entries;
  mailbox->unseen = access->snapshot->unseen;
  mailbox->uid_next = access->snapshot->identity.uid_next;
  mailbox->uid_validity = access->snapshot->identity.uid_validity;
  return TRUE;
}

static GPtrArray *
list_mailboxes (gpointer data, gboolean with_status, gint64 *total, GCancellable *cancellable,
                GError **error)
{
  PostbagMaildirStore *self = data;
  gint64 deadline = g_get_monotonic_time () + POSTBAG_LIMIT_MAILBOX_STATUS_SECONDS * G_USEC_PER_SEC;
  int root = postbag_maildir_store_open_root (self, error);
  g_autoptr (GPtrArray) mailboxes = NULL;
  gboolean done;

  if (root < 0)
    return NULL;
  done = postbag_maildir_store_rescan (self, root, cancellable, error);
  postbag_maildir_close (root);
  if (!done || !postbag_maildir_store_check_folders (self, POSTBAG_ERROR_OFFLINE, error))
    return NULL;
  mailboxes = copy_mailboxes (self, total);
  for (guint i = 0; with_status && i < mailboxes->len && i < POSTBAG_LIMIT_MAILBOX_STATUS
                    && g_get_monotonic_time () < deadline;
       i++)
    if (!add_status (self, g_ptr_array_index (mailboxes, i), cancellable, error))
      return NULL;
  return g_steal_pointer (&mailboxes);
}

static PostbagMailboxState *
get_state (gpointer data, const char *mailbox, GCancellable *cancellable, GError **error)
{
  static const char *const flags[] = { "\\Seen",  "\\Answered", "\\Flagged", "\\Deleted",
                                       "\\Draft", "\\*",        NULL };
  PostbagMaildirStore *self = data;
  g_autoptr (PostbagMaildirAccess) access =
      postbag_maildir_access_new (self, mailbox, cancellable, error);
  PostbagMailboxState *state;

  if (access == NULL)
    return NULL;
  state = g_new0 (PostbagMailboxState, 1);
  state->uid_validity = access->snapshot->identity.uid_validity;
  state->uid_next = access->snapshot->identity.uid_next;
  state->messages = access->snapshot->scan->n_entries;
  state->permanent_flags = g_strdupv ((char **)flags);
  /* Keywords that Dovecot's file does not name are kept in our own. */
  if (!postbag_maildir_uid_map_is_lasting (self->map)
      || !postbag_maildir_keywords_can_keep (self->keywords))
    g_clear_pointer (&state->permanent_flags[G_N_ELEMENTS (flags) - 2], g_free);
  return state;
}

static char **
get_capabilities (gpointer self, GCancellable *cancellable, GError **error)
{
  static const char *const capabilities[] = { "MAILDIR", NULL };

  return g_strdupv ((char **)capabilities);
}

static gboolean
diagnose (gpointer data, PostbagStepFunc told, gpointer user_data, GCancellable *cancellable,
          GError **error)
{
  PostbagMaildirStore *self = data;
  g_autofree char *root = postbag_text_make_valid (self->root, -1);

  if (!check_root (self, error))
    return FALSE;
  told ("folder", root, user_data);
  told ("uid map", postbag_maildir_uid_map_is_lasting (self->map) ? "kept" : "for this run only",
        user_data);
  return TRUE;
}

/* --- changes --- */

static guint
watch (gpointer data, const char *mailbox, PostbagChangeFunc changed, gpointer user_data,
       GError **error)
{
  PostbagMaildirStore *self = data;
  g_autoptr (PostbagMaildirAccess) access = postbag_maildir_access_new (self, mailbox, NULL, error);

  if (access == NULL)
    return 0;
  return postbag_maildir_watcher_add (self->watcher, access->path, access->folder.current,
                                      access->folder.fresh, changed, user_data, error);
}

static void
unwatch (gpointer data, guint id)
{
  PostbagMaildirStore *self = data;

  postbag_maildir_watcher_remove (self->watcher, id);
}

const PostbagStoreImplementation postbag_maildir_store_implementation = {
  .size = sizeof (PostbagStoreImplementation),
  .open = open_store,
  .close = close_store,
  .list_mailboxes = list_mailboxes,
  .get_state = get_state,
  .search = postbag_maildir_search,
  .fetch_message = postbag_maildir_fetch_message,
  .fetch_structure = postbag_maildir_fetch_structure,
  .fetch_part = postbag_maildir_fetch_part,
  .get_capabilities = get_capabilities,
  .watch = watch,
  .unwatch = unwatch,
  .apply = postbag_maildir_apply,
  .diagnose = diagnose,
  .check = postbag_maildir_check,
};
