/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define G_LOG_DOMAIN "postbag-maildir"

#include "postbag-maildir-folders.h"

#include "postbag-maildir-file.h"
#include "postbag-maildir-subscriptions.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "mail/postbag-mailbox-utf7.h"
#include "mail/postbag-special-use.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void
free_folder (gpointer data)
{
  PostbagMaildirFolder *folder = data;

  g_free (folder->path);
  g_free (folder->directory);
  g_free (folder);
}

void
postbag_maildir_folders_free (PostbagMaildirFolders *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->by_path, g_hash_table_unref);
  g_clear_pointer (&self->list, g_ptr_array_unref);
  g_free (self);
}

/* --- names --- */

static gboolean
is_control (gunichar c)
{
  return c < 0x20 || (c >= 0x7f && c <= 0x9f);
}

static gboolean
has_control (const char *text)
{
  for (; *text != '\0'; text = g_utf8_next_char (text))
    if (is_control (g_utf8_get_char (text)))
      return TRUE;
  return FALSE;
}

/* (transfer full): what no path may hold is `_` */
static char *
replace_forbidden (const char *text)
{
  GString *out = g_string_new (NULL);

  for (; *text != '\0'; text = g_utf8_next_char (text))
    {
      gunichar c = g_utf8_get_char (text);

      g_string_append_unichar (out, is_control (c) || c == '/' ? '_' : c);
    }
  return g_string_free (out, FALSE);
}

char *
postbag_maildir_decode_component (const char *name, gsize length)
{
  g_autofree char *decoded = NULL;

  if (memchr (name, '&', length) != NULL)
    decoded = postbag_mailbox_utf7_decode (name, (gssize)length);
  /* What is hidden in it would be lost: such a name stays as it is written. */
  if (decoded != NULL && has_control (decoded))
    g_clear_pointer (&decoded, g_free);
  if (decoded == NULL)
    decoded = postbag_text_make_valid (name, (gssize)length);
  return replace_forbidden (decoded);
}

/* ".Archive.2024" is Archive/2024. %NULL when a level has no name: ".a..b" */
static char *
decode_dotted (const char *name)
{
  g_auto (GStrv) levels = g_strsplit (name + 1, ".", -1);
  g_autoptr (GString) path = g_string_new (NULL);

  for (char **level = levels; *level != NULL; level++)
    {
      g_autofree char *decoded = postbag_maildir_decode_component (*level, strlen (*level));

      if (*decoded == '\0')
        return NULL;
      g_string_append_printf (path, "%s%s", level > levels ? "/" : "", decoded);
    }
  return g_string_free (g_steal_pointer (&path), FALSE);
}

/* --- the walk --- */

typedef struct
{
  char *directory; /* "" is the root */
  char *path;      /* "" for the root */
  guint depth;
} Place;

typedef struct
{
  int root;
  PostbagMaildirFolders *folders;
  GQueue places; /* Place: still to be looked into */
  guint n_seen;
} Walk;

static void
free_place (gpointer data)
{
  Place *place = data;

  g_free (place->directory);
  g_free (place->path);
  g_free (place);
}

static gboolean
has_cur (int parent, const char *name)
{
  g_autofree char *cur = g_build_filename (name, "cur", NULL);
  struct stat facts;

  return fstatat (parent, cur, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR (facts.st_mode);
}

/* Two names on disk may mean one path ("&AOk-" and "é"): the second keeps its own spelling. */
static void
add_folder (Walk *walk, const char *path, const char *directory)
{
  PostbagMaildirFolders *folders = walk->folders;
  PostbagMaildirFolder *folder;
  g_autofree char *free_path = g_strdup (path);

  for (guint i = 2; g_hash_table_contains (folders->by_path, free_path) && i < 100; i++)
    {
      g_free (free_path);
      free_path = g_strdup_printf ("%s (%u)", path, i);
    }
  if (g_hash_table_contains (folders->by_path, free_path)
      || g_utf8_strlen (free_path, -1) > POSTBAG_LIMIT_MAILBOX_NAME_CHARS)
    {
      g_warning ("A folder is left out: its name is longer than %d characters, or many mean the "
                 "same. Rename it.",
                 POSTBAG_LIMIT_MAILBOX_NAME_CHARS);
      return;
    }
  folder = g_new0 (PostbagMaildirFolder, 1);
  folder->path = g_steal_pointer (&free_path);
  folder->directory = g_strdup (directory);
  g_ptr_array_add (folders->list, folder);
  g_hash_table_insert (folders->by_path, folder->path, folder);
}

static char *
join (const char *parent, const char *name)
{
  return *parent == '\0' ? g_strdup (name) : g_strconcat (parent, "/", name, NULL);
}

/* The root may be a plain folder with the inbox in one called INBOX. */
static char *
make_path (const Place *place, const char *name, gboolean dotted)
{
  g_autofree char *component =
      dotted ? decode_dotted (name) : postbag_maildir_decode_component (name, strlen (name));

  if (component == NULL)
    return NULL;
  if (*place->path == '\0' && g_ascii_strcasecmp (component, "INBOX") == 0)
    return g_strdup ("INBOX");
  return join (place->path, component);
}

static void
visit_directory (Walk *walk, int parent, const Place *place, const char *name)
{
  gboolean dotted = *name == '.';
  g_autofree char *directory = join (place->directory, name);
  g_autofree char *path = make_path (place, name, dotted);

  if (path == NULL)
    return;
  if (has_cur (parent, name))
    add_folder (walk, path, directory);
  if (dotted || place->depth + 1 >= POSTBAG_LIMIT_MAILDIR_DEPTH)
    return;
  Place *below = g_new0 (Place, 1);
  below->directory = g_steal_pointer (&directory);
  below->path = g_steal_pointer (&path);
  below->depth = place->depth + 1;
  g_queue_push_tail (&walk->places, below);
}

/* Links are not followed: they may form a ring, or lead out of the root. */
static gboolean
is_directory (int parent, const struct dirent *entry)
{
  struct stat facts;

  if (entry->d_type != DT_UNKNOWN)
    return entry->d_type == DT_DIR;
  return fstatat (parent, entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0
         && S_ISDIR (facts.st_mode);
}

static gboolean
is_mail_part (const char *name)
{
  return strcmp (name, "cur") == 0 || strcmp (name, "new") == 0 || strcmp (name, "tmp") == 0
         || strcmp (name, ".") == 0 || strcmp (name, "..") == 0;
}

static void
look_into (Walk *walk, const Place *place)
{
  int fd = *place->directory == '\0'
               ? openat (walk->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
               : postbag_maildir_open_folder_below (walk->root, place->directory);
  DIR *directory = fd >= 0 ? fdopendir (fd) : NULL;
  struct dirent *entry;

  if (directory == NULL)
    {
      postbag_maildir_close (fd);
      return;
    }
  while ((entry = readdir (directory)) != NULL && walk->n_seen < POSTBAG_LIMIT_MAILDIR_FOLDERS)
    {
      if (is_mail_part (entry->d_name) || !is_directory (fd, entry))
        continue;
      walk->n_seen++;
      visit_directory (walk, fd, place, entry->d_name);
    }
  closedir (directory);
}

static int
compare_folders (gconstpointer a, gconstpointer b)
{
  const PostbagMaildirFolder *first = *(const PostbagMaildirFolder *const *)a;
  const PostbagMaildirFolder *second = *(const PostbagMaildirFolder *const *)b;
  gboolean first_inbox = strcmp (first->path, "INBOX") == 0;
  gboolean second_inbox = strcmp (second->path, "INBOX") == 0;

  if (first_inbox != second_inbox)
    return first_inbox ? -1 : 1;
  return strcmp (first->path, second->path);
}

static void
assign_special_uses (GPtrArray *list)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_sized_new (list->len);
  g_autoptr (GPtrArray) uses = NULL;

  for (guint i = 0; i < list->len; i++)
    g_ptr_array_add (paths, ((PostbagMaildirFolder *)list->pdata[i])->path);
  uses = postbag_special_use_guess (paths, '/');
  for (guint i = 0; i < list->len; i++)
    ((PostbagMaildirFolder *)list->pdata[i])->special_use = uses->pdata[i];
}

PostbagMaildirFolders *
postbag_maildir_folders_scan (int root, GCancellable *cancellable, GError **error)
{
  g_autoptr (PostbagMaildirFolders) folders = g_new0 (PostbagMaildirFolders, 1);
  Walk walk = { .root = root, .folders = folders, .places = G_QUEUE_INIT };
  Place *place = g_new0 (Place, 1);

  folders->list = g_ptr_array_new_with_free_func (free_folder);
  folders->by_path = g_hash_table_new (g_str_hash, g_str_equal);
  if (has_cur (root, "."))
    add_folder (&walk, "INBOX", "");
  place->directory = g_strdup ("");
  place->path = g_strdup ("");
  do
    {
      if (!g_cancellable_is_cancelled (cancellable))
        look_into (&walk, place);
      free_place (place);
    }
  while ((place = g_queue_pop_head (&walk.places)) != NULL);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  if (walk.n_seen >= POSTBAG_LIMIT_MAILDIR_FOLDERS)
    g_warning ("Only the first %d folders below the Maildir were looked into. Is its path right?",
               POSTBAG_LIMIT_MAILDIR_FOLDERS);
  g_ptr_array_sort (folders->list, compare_folders);
  assign_special_uses (folders->list);
  postbag_maildir_mark_subscribed (root, folders->list);
  return g_steal_pointer (&folders);
}

const PostbagMaildirFolder *
postbag_maildir_folders_find (PostbagMaildirFolders *self, const char *path)
{
  if (g_ascii_strcasecmp (path, "INBOX") == 0)
    path = "INBOX";
  return g_hash_table_lookup (self->by_path, path);
}
