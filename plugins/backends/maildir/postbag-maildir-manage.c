/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Mailboxes made, renamed and removed. A name from outside becomes a folder's name only here: each
 * level is encoded (modified UTF-7, as Dovecot and Courier do), must mean the same when it is read
 * back, and is never `.`, `..`, `cur`, `new`, `tmp` or a path of its own. A mailbox is there when
 * it has a `cur`, so that is made last and goes first. */

#include "postbag-maildir-apply.h"

#include "postbag-maildir-file.h"
#include "postbag-maildir-write.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "mail/postbag-mailbox-utf7.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- names --- */

static gboolean
refuse_name (const char *path, const char *why, GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
               "“%s” cannot be the name of a mailbox here: %s. Nothing was changed; choose another "
               "name.",
               path, why);
  return FALSE;
}

static gboolean
is_reserved (const char *level)
{
  return strcmp (level, "cur") == 0 || strcmp (level, "new") == 0 || strcmp (level, "tmp") == 0;
}

/* (transfer full) (nullable) */
static char *
encode_level (const char *path, const char *level, gboolean dotted, GError **error)
{
  g_autofree char *encoded = postbag_mailbox_utf7_encode (level);
  g_autofree char *decoded = postbag_maildir_decode_component (encoded, strlen (encoded));

  if (*level == '\0')
    refuse_name (path, "one of its levels has no name", error);
  else if (*level == '.' || (dotted && strchr (level, '.') != NULL))
    refuse_name (path, "a dot stands between levels in the folders of this Maildir", error);
  else if (!dotted && is_reserved (level))
    refuse_name (path, "cur, new and tmp are parts of a mailbox", error);
  else if (strcmp (decoded, level) != 0)
    refuse_name (path, "it holds characters that a folder's name cannot", error);
  else
    return g_steal_pointer (&encoded);
  return NULL;
}

/* Below which mailbox it goes, and whether levels are parted by dots there. */
typedef struct
{
  char *parent_directory; /* "" is the root */
  char *parent_path;      /* (nullable) */
  gboolean dotted;
} Location;

static void
clear_location (Location *self)
{
  g_free (self->parent_directory);
  g_free (self->parent_path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Location, clear_location)

/* The layout that is there: Maildir++ where the root is a mailbox or holds dotted folders. */
static gboolean
uses_dots (PostbagMaildirFolders *folders)
{
  for (guint i = 0; i < folders->list->len; i++)
    {
      const PostbagMaildirFolder *folder = g_ptr_array_index (folders->list, i);

      if (*folder->directory == '\0' || *folder->directory == '.')
        return TRUE;
    }
  return FALSE;
}

static void
find_location (PostbagMaildirFolders *folders, const char *path, Location *location)
{
  g_autofree char *ancestor = g_strdup (path);
  char *slash;

  location->parent_directory = g_strdup ("");
  location->dotted = uses_dots (folders);
  while ((slash = strrchr (ancestor, '/')) != NULL)
    {
      const PostbagMaildirFolder *folder;

      *slash = '\0';
      folder = postbag_maildir_folders_find (folders, ancestor);
      if (folder == NULL || *folder->directory == '\0')
        continue;
      g_free (location->parent_directory);
      location->parent_directory = g_strdup (folder->directory);
      location->parent_path = g_strdup (ancestor);
      location->dotted = *folder->directory == '.';
      return;
    }
}

/* (transfer full) (nullable): the folder, below the root, that a new mailbox gets */
static char *
make_directory_name (PostbagMaildirFolders *folders, const char *path, GError **error)
{
  g_auto (Location) location = { 0 };
  g_auto (GStrv) levels = NULL;
  g_autoptr (GString) directory = NULL;
  const char *rest = path;

  find_location (folders, path, &location);
  if (location.parent_path != NULL)
    rest = path + strlen (location.parent_path) + 1;
  levels = g_strsplit (rest, "/", POSTBAG_LIMIT_MAILDIR_DEPTH * 4);
  directory = g_string_new (location.parent_directory);
  for (char **level = levels; *level != NULL; level++)
    {
      g_autofree char *encoded = encode_level (path, *level, location.dotted, error);

      if (encoded == NULL)
        return NULL;
      if (location.dotted || directory->len > 0)
        g_string_append_c (directory, location.dotted ? '.' : '/');
      g_string_append (directory, encoded);
      if (strlen (encoded) > NAME_MAX || (location.dotted && directory->len > NAME_MAX))
        {
          refuse_name (path, "it is too long for a folder", error);
          return NULL;
        }
    }
  return g_string_free (g_steal_pointer (&directory), FALSE);
}

/* --- the root, looked at afresh --- */

typedef struct
{
  PostbagMaildirStore *store;
  int root;
  PostbagMaildirFolders *folders;
} Root;

static void
clear_root (Root *self)
{
  postbag_maildir_close (self->root);
  postbag_maildir_folders_free (self->folders);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Root, clear_root)

static gboolean
open_root (Root *self, PostbagMaildirStore *store, GCancellable *cancellable, GError **error)
{
  self->store = store;
  self->root = postbag_maildir_store_open_root (store, error);
  if (self->root >= 0)
    self->folders = postbag_maildir_folders_scan (self->root, cancellable, error);
  return self->folders != NULL;
}

/* The store looks anew, and says what there is now. */
static void
refresh_store (Root *self)
{
  postbag_maildir_store_rescan (self->store, self->root, NULL, NULL);
}

static char *
make_key (Root *self, const char *directory)
{
  return g_build_filename (self->store->real_root, directory, NULL);
}

static const PostbagMaildirFolder *
find_folder (Root *self, const char *path, GError **error)
{
  const PostbagMaildirFolder *folder = postbag_maildir_folders_find (self->folders, path);

  if (folder == NULL)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
                 "There is no mailbox “%s”. List the mailboxes and use a path from there.", path);
  else if (strcmp (folder->path, "INBOX") == 0)
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
                           "The inbox can be neither renamed nor removed. Nothing was changed.");
      folder = NULL;
    }
  return folder;
}

static gboolean
check_free (Root *self, const char *path, GError **error)
{
  if (postbag_maildir_folders_find (self->folders, path) == NULL)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
               "There already is a mailbox “%s”. Nothing was changed.", path);
  return FALSE;
}

static gboolean
fail_with_errno (const char *what, const char *path, GError **error)
{
  postbag_set_error_from_errno (error, errno, "Cannot %s the mailbox “%s”", what, path);
  return FALSE;
}

/* What was made, renamed or removed as @directory is on the disk: in the folder that holds it. */
static gboolean
sync_parent (Root *self, const char *directory)
{
  g_autofree char *parent = g_path_get_dirname (directory);
  gboolean done;
  int fd;

  if (strcmp (parent, ".") == 0)
    return postbag_maildir_sync (self->root);
  fd = postbag_maildir_open_folder_below (self->root, parent);
  if (fd < 0)
    return FALSE;
  done = postbag_maildir_sync (fd);
  postbag_maildir_close (fd);
  return done;
}

/* --- create --- */

/* A folder below @parent, made where it is missing, and on the disk; closes @parent. */
static int
enter_folder (int parent, const char *name)
{
  int fd = -1;

  if (mkdirat (parent, name, 0700) == 0 ? postbag_maildir_sync (parent) : errno == EEXIST)
    fd = postbag_maildir_open_folder (parent, name);
  postbag_maildir_close (parent);
  return fd;
}

static int
make_folders (int root, const char *directory)
{
  g_auto (GStrv) components = g_strsplit (directory, "/", -1);
  int fd = fcntl (root, F_DUPFD_CLOEXEC, 0);

  for (char **component = components; *component != NULL && fd >= 0; component++)
    fd = enter_folder (fd, *component);
  return fd;
}

static gboolean
make_parts (int fd, gboolean dotted)
{
  static const char *const parts[] = { "tmp", "new", "cur" };

  if (dotted)
    {
      /* How Maildir++ marks a folder that is not the inbox. */
      int marker = openat (fd, "maildirfolder", O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

      if (marker < 0)
        return FALSE;
      postbag_maildir_close (marker);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (mkdirat (fd, parts[i], 0700) != 0 && errno != EEXIST)
      return FALSE;
  return postbag_maildir_sync (fd);
}

/* Where that cannot be said, it may be one. */
static gboolean
is_mailbox (Root *self, const char *directory)
{
  g_autofree char *current = g_build_filename (directory, "cur", NULL);
  struct stat facts;

  return fstatat (self->root, current, &facts, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

gboolean
postbag_maildir_apply_create (PostbagMaildirStore *store, const PostbagEffect *effect,
                              PostbagEffectReport *report, GCancellable *cancellable,
                              GError **error)
{
  g_auto (Root) root = { .root = -1 };
  g_autofree char *directory = NULL;
  gboolean done;
  int fd;

  if (!open_root (&root, store, cancellable, error) || !check_free (&root, effect->mailbox, error))
    return FALSE;
  directory = make_directory_name (root.folders, effect->mailbox, error);
  if (directory == NULL)
    return FALSE;
  fd = make_folders (root.root, directory);
  done = fd >= 0 && make_parts (fd, *directory == '.');
  if (!done)
    fail_with_errno ("create", effect->mailbox, error);
  postbag_maildir_close (fd);
  refresh_store (&root);
  if (!done && is_mailbox (&root, directory))
    postbag_maildir_report_unknown (report);
  if (done)
    postbag_maildir_report_step (report, "the mailbox “%s” was made", effect->mailbox);
  return done;
}

/* --- what somebody spoke of --- */

/* (transfer full) (nullable): the mailbox as it is now, which still is what @effect is about */
static PostbagMaildirAccess *
enter_unchanged (PostbagMaildirStore *store, const PostbagEffect *effect, GCancellable *cancellable,
                 GError **error)
{
  g_autoptr (PostbagMaildirAccess) access =
      postbag_maildir_access_new (store, effect->mailbox, cancellable, error);

  if (access == NULL
      || !postbag_effect_check_mailbox (effect, access->snapshot->identity.uid_validity,
                                        access->snapshot->scan->n_entries,
                                        access->snapshot->identity.uid_next, error))
    return NULL;
  return g_steal_pointer (&access);
}

static gboolean
check_unchanged (PostbagMaildirStore *store, const PostbagEffect *effect, GCancellable *cancellable,
                 GError **error)
{
  g_autoptr (PostbagMaildirAccess) access = NULL;

  if (effect->uid_validity == 0)
    return TRUE;
  access = enter_unchanged (store, effect, cancellable, error);
  return access != NULL;
}

/* --- rename --- */

static gboolean
rename_folder (Root *self, const char *from, const char *to)
{
  g_autofree char *key = make_key (self, from);
  g_autofree char *new_key = make_key (self, to);
  g_autofree char *parent = g_path_get_dirname (to);

  if (strcmp (parent, ".") != 0)
    {
      int fd = make_folders (self->root, parent);

      if (fd < 0)
        return FALSE;
      postbag_maildir_close (fd);
    }
  if (!postbag_maildir_rename (self->root, from, self->root, to))
    return FALSE;
  postbag_maildir_uid_map_rename (self->store->map, key, new_key);
  return TRUE;
}

/* (transfer full) (nullable): where @folder, below @from, goes with it; "" stays behind */
static char *
move_name (const char *directory, const char *from, const char *to)
{
  gsize length = strlen (from);

  if (!g_str_has_prefix (directory, from) || (directory[length] != '.' && directory[length] != '/'))
    return NULL;
  return g_strconcat (to, directory + length, NULL);
}

/* Mailboxes below: of Maildir++ each is a folder of its own, of the other layout they have gone
 * along and only their UIDs are to follow. */
static gboolean
rename_children (Root *self, const char *from, const char *to, PostbagEffectReport *report)
{
  for (guint i = 0; i < self->folders->list->len; i++)
    {
      const PostbagMaildirFolder *folder = g_ptr_array_index (self->folders->list, i);
      g_autofree char *directory = move_name (folder->directory, from, to);
      g_autofree char *key = make_key (self, folder->directory);
      g_autofree char *new_key = NULL;

      if (directory == NULL)
        continue;
      new_key = make_key (self, directory);
      if (*from != '.')
        postbag_maildir_uid_map_rename (self->store->map, key, new_key);
      else if (!rename_folder (self, folder->directory, directory))
        return FALSE;
      postbag_maildir_report_step (report, "“%s” went along", folder->path);
    }
  return TRUE;
}

/* Each of Maildir++'s folders is renamed for itself: whether that can be is seen before the first
 * is. */
static gboolean
check_children_free (Root *self, const char *from, const char *to, const char *path, GError **error)
{
  for (guint i = 0; i < self->folders->list->len && *from == '.'; i++)
    {
      const PostbagMaildirFolder *folder = g_ptr_array_index (self->folders->list, i);
      g_autofree char *directory = move_name (folder->directory, from, to);
      struct stat facts;

      if (directory == NULL || fstatat (self->root, directory, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        continue;
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
                   "“%s” would go along to below “%s”, where there already is a mailbox or folder "
                   "of its name. Nothing was changed.",
                   folder->path, path);
      return FALSE;
    }
  return TRUE;
}

static gboolean
sync_rename (Root *self, const char *from, const char *to)
{
  return sync_parent (self, to) && sync_parent (self, from);
}

gboolean
postbag_maildir_apply_rename (PostbagMaildirStore *store, const PostbagEffect *effect,
                              PostbagEffectReport *report, GCancellable *cancellable,
                              GError **error)
{
  g_auto (Root) root = { .root = -1 };
  g_autofree char *directory = NULL;
  const PostbagMaildirFolder *folder;
  g_autofree char *below = g_strconcat (effect->mailbox, "/", NULL);
  gboolean renamed, done;

  if (!open_root (&root, store, cancellable, error))
    return FALSE;
  folder = find_folder (&root, effect->mailbox, error);
  if (folder == NULL || !check_free (&root, effect->destination, error))
    return FALSE;
  if (g_str_has_prefix (effect->destination, below))
    return refuse_name (effect->destination, "a mailbox cannot go below itself", error);
  directory = make_directory_name (root.folders, effect->destination, error);
  if (directory == NULL
      || !check_children_free (&root, folder->directory, directory, effect->destination, error)
      || !check_unchanged (store, effect, cancellable, error))
    return FALSE;
  renamed = rename_folder (&root, folder->directory, directory);
  if (renamed)
    postbag_maildir_report_step (report, "“%s” is called “%s” now", effect->mailbox,
                                 effect->destination);
  done = renamed && rename_children (&root, folder->directory, directory, report)
         && sync_rename (&root, folder->directory, directory);
  if (!done)
    fail_with_errno (renamed ? "rename all below" : "rename", effect->mailbox, error);
  if (renamed && !done)
    postbag_maildir_report_unknown (report);
  refresh_store (&root);
  return done;
}

/* --- delete --- */

/* What servers and synchronisers keep beside the mail; anything else there is not ours to remove.
 */
static gboolean
is_companion (int folder, const struct dirent *entry)
{
  static const char *const prefixes[] = { "maildirfolder", "dovecot",      "courierimap",
                                          ".mbsyncstate",  ".uidvalidity", ".isyncuidmap" };

  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (entry->d_name, prefixes[i]))
      return TRUE;
  return FALSE;
}

static gboolean
take_all (int folder, const struct dirent *entry)
{
  return TRUE;
}

static gboolean
is_no_message (int folder, const struct dirent *entry)
{
  return !postbag_maildir_is_message (folder, entry);
}

/* What is no folder in it goes; links go, not what they point to. */
static gboolean
remove_files (int parent, const char *name,
              gboolean (*is_wanted) (int folder, const struct dirent *entry))
{
  int fd = postbag_maildir_open_folder (parent, name);
  DIR *folder = fd >= 0 ? fdopendir (fd) : NULL;
  struct dirent *entry;
  gboolean done = TRUE;
  int saved_errno;

  if (folder == NULL)
    {
      postbag_maildir_close (fd);
      return errno == ENOENT;
    }
  while (done && (entry = readdir (folder)) != NULL)
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0
        && is_wanted (fd, entry) && !postbag_maildir_remove (fd, entry->d_name, 0)
        && errno != ENOENT && errno != EISDIR && errno != EPERM)
      done = FALSE;
  saved_errno = errno;
  closedir (folder);
  errno = saved_errno;
  return done;
}

static gboolean
remove_part (int fd, const char *part)
{
  return postbag_maildir_remove (fd, part, AT_REMOVEDIR) || errno == ENOENT;
}

/* %FALSE with errno: ENOTEMPTY, or it cannot be seen. */
static gboolean
is_empty (int fd, const char *part)
{
  int folder = postbag_maildir_open_folder (fd, part);
  DIR *names = folder >= 0 ? fdopendir (folder) : NULL;
  struct dirent *entry;

  if (names == NULL)
    {
      postbag_maildir_close (folder);
      return errno == ENOENT;
    }
  while (errno = 0, (entry = readdir (names)) != NULL)
    if (strcmp (entry->d_name, ".") != 0 && strcmp (entry->d_name, "..") != 0)
      break;
  if (entry != NULL)
    errno = ENOTEMPTY;
  folder = errno;
  closedir (names);
  errno = folder;
  return errno == 0;
}

/* As it was, as far as we may: others may deliver into it. Keeps errno. */
static void
restore_part (int fd, const char *part, const struct stat *facts)
{
  int saved_errno = errno;
  int folder = mkdirat (fd, part, 0700) == 0 ? postbag_maildir_open_folder (fd, part) : -1;

  if (folder >= 0)
    {
      /* The owner stays ourselves where we may not give it away. */
      if (fchown (folder, facts->st_uid, facts->st_gid) != 0)
        (void)!fchown (folder, (uid_t)-1, facts->st_gid);
      fchmod (folder, facts->st_mode & 07777);
    }
  postbag_maildir_close (folder);
  errno = saved_errno;
}

/* Both go in one step each, and only while they are empty: mail that comes meanwhile stops it.
 * `cur` is the last, so that what is there still is a mailbox; that it is empty is seen before
 * `new` goes. */
static gboolean
remove_parts (int fd)
{
  struct stat facts;
  gboolean has_new = fstatat (fd, "new", &facts, AT_SYMLINK_NOFOLLOW) == 0;

  if (!is_empty (fd, "cur") || !remove_part (fd, "new"))
    return FALSE;
  if (remove_part (fd, "cur"))
    return TRUE;
  if (has_new)
    restore_part (fd, "new", &facts);
  return FALSE;
}

static gboolean
is_not_empty (void)
{
  return errno == ENOTEMPTY || errno == EEXIST;
}

static gboolean
remove_empty (PostbagMaildirAccess *access, const PostbagEffect *effect, GError **error)
{
  PostbagEffect looked = *effect;

  if (remove_parts (access->folder.directory))
    return TRUE;
  if (!is_not_empty ())
    return fail_with_errno ("remove", access->path, error);
  looked.messages_told = 0;
  return postbag_effect_check_mailbox (&looked, looked.uid_validity, 1, 0, error);
}

/* Only what was counted: mail that comes meanwhile is nobody's to remove. */
static gboolean
remove_counted (PostbagMaildirAccess *access, GArray *removed, GError **error)
{
  const PostbagMaildirScan *scan = access->snapshot->scan;
  g_autoptr (GArray) uids = g_array_sized_new (FALSE, FALSE, sizeof (guint32), scan->n_entries);

  for (guint i = 0; i < scan->n_entries; i++)
    g_array_append_val (uids, scan->entries[i].uid);
  return postbag_maildir_apply_remove (access, uids, removed, error);
}

static gboolean
fail_with_newcomers (const char *path, guint n_removed, GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
               "The mailbox “%s” stays: mail came to it, or another program put files there, while "
               "it was deleted. %u messages that were there before are gone. Look at what came "
               "before deleting it again.",
               path, n_removed);
  return FALSE;
}

static gboolean
remove_with_mail (PostbagMaildirAccess *access, PostbagEffectReport *report, GError **error)
{
  g_autoptr (GArray) removed = g_array_new (FALSE, FALSE, sizeof (guint32));
  int fd = access->folder.directory;
  gboolean counted = remove_counted (access, removed, error);

  if (counted && remove_files (fd, "cur", is_no_message) && remove_files (fd, "new", is_no_message)
      && remove_parts (fd))
    return TRUE;
  if (counted && is_not_empty ())
    fail_with_newcomers (access->path, removed->len, error);
  else if (counted)
    fail_with_errno ("remove all of", access->path, error);
  if (removed->len > 0)
    postbag_maildir_report_unknown (report);
  return FALSE;
}

/* What Dovecot and others keep beside the mail goes too; mailboxes below stay, and with them the
 * folder. */
static void
remove_rest (Root *self, const PostbagMaildirAccess *access)
{
  int fd = access->folder.directory;

  remove_files (fd, "tmp", take_all);
  remove_part (fd, "tmp");
  remove_files (fd, ".", is_companion);
  unlinkat (self->root, access->mailbox->directory, AT_REMOVEDIR);
}

/* The mailbox is gone by then; its folder may still be there. */
static gboolean
sync_removal (Root *self, const PostbagMaildirAccess *access, PostbagEffectReport *report,
              GError **error)
{
  if (postbag_maildir_sync (access->folder.directory)
      && sync_parent (self, access->mailbox->directory))
    return TRUE;
  postbag_maildir_report_unknown (report);
  postbag_set_error_from_errno (error, errno,
                                "The mailbox “%s” was removed, but whether the disk has that "
                                "cannot be said",
                                access->path);
  return FALSE;
}

static gboolean
remove_mailbox (Root *self, PostbagMaildirAccess *access, const PostbagEffect *effect,
                PostbagEffectReport *report, GError **error)
{
  if (effect->only_empty ? !remove_empty (access, effect, error)
                         : !remove_with_mail (access, report, error))
    return FALSE;
  remove_rest (self, access);
  postbag_maildir_uid_map_rename (self->store->map, access->mailbox->key, NULL);
  return sync_removal (self, access, report, error);
}

gboolean
postbag_maildir_apply_delete (PostbagMaildirStore *store, const PostbagEffect *effect,
                              PostbagEffectReport *report, GCancellable *cancellable,
                              GError **error)
{
  g_auto (Root) root = { .root = -1 };
  g_autoptr (PostbagMaildirAccess) access = NULL;
  gboolean done;

  if (!open_root (&root, store, cancellable, error)
      || find_folder (&root, effect->mailbox, error) == NULL)
    return FALSE;
  refresh_store (&root);
  access = enter_unchanged (store, effect, cancellable, error);
  if (access == NULL)
    return FALSE;
  done = remove_mailbox (&root, access, effect, report, error);
  refresh_store (&root);
  if (done)
    postbag_maildir_report_step (report, "the mailbox “%s” was removed", effect->mailbox);
  return done;
}
