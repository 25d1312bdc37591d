/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The registry scans the search path once, reads every manifest, and never fails: what cannot be
 * used stays listed with its reason. The first usable manifest of a kind and name wins. */

#include "plugin/postbag-registry-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "plugin/postbag-manifest-private.h"

#include <string.h>
#include <sys/stat.h>

typedef struct
{
  PostbagManifest *manifest;
  guint rank; /* position in the search */
  /* Settled by the scan: usable and not shadowed. A module that fails later keeps its place, so
   * that nobody gets another one's functions in the middle of a run. */
  gboolean counts;

  GMutex lock; /* held while the module is opened, so that others wait for the result */
  PostbagPluginState state;
  char *reason; /* (nullable) */
  gconstpointer implementation;
} Entry;

struct _PostbagRegistry
{
  GObject parent_instance;

  GPtrArray *entries; /* Entry, sorted; fixed after construction */
};

G_DEFINE_FINAL_TYPE (PostbagRegistry, postbag_registry, G_TYPE_OBJECT)

static void
free_entry (gpointer data)
{
  Entry *entry = data;

  postbag_manifest_free (entry->manifest);
  g_mutex_clear (&entry->lock);
  g_free (entry->reason);
  g_free (entry);
}

static void
postbag_registry_finalize (GObject *object)
{
  g_ptr_array_unref (POSTBAG_REGISTRY (object)->entries);
  G_OBJECT_CLASS (postbag_registry_parent_class)->finalize (object);
}

static void
postbag_registry_class_init (PostbagRegistryClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = postbag_registry_finalize;
}

static void
postbag_registry_init (PostbagRegistry *self)
{
  self->entries = g_ptr_array_new_with_free_func (free_entry);
}

/* --- the scan --- */

typedef struct
{
  PostbagRegistry *registry;
  guint folders;      /* still allowed */
  GHashTable *looked; /* "device:inode" of the folders behind us: a link in a circle ends here */
} Scan;

static void
add_manifest (Scan *scan, const char *path)
{
  GPtrArray *entries = scan->registry->entries;
  g_autoptr (GError) error = NULL;
  Entry *entry;

  if (entries->len >= POSTBAG_LIMIT_PLUGINS)
    return;
  entry = g_new0 (Entry, 1);
  g_mutex_init (&entry->lock);
  entry->manifest = postbag_manifest_read (path, &error);
  entry->rank = entries->len;
  if (error != NULL)
    {
      entry->state = POSTBAG_PLUGIN_UNUSABLE;
      entry->reason = g_strdup (error->message);
    }
  g_ptr_array_add (entries, entry);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* (transfer full): sorted, so that the result does not depend on the file system */
static GPtrArray *
list_names (const char *folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && names->len < POSTBAG_LIMIT_PLUGIN_FOLDER_ENTRIES
         && (name = g_dir_read_name (dir)) != NULL)
    {
      if (*name != '.')
        g_ptr_array_add (names, g_strdup (name));
    }
  g_ptr_array_sort (names, compare_names);
  return names;
}

/* Whether it is the first time that this scan comes to that folder, by whatever name. */
static gboolean
is_first_look (Scan *scan, const char *folder)
{
  struct stat status;

  return stat (folder, &status) == 0
         && g_hash_table_add (scan->looked,
                              g_strdup_printf ("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT,
                                               (guint64)status.st_dev, (guint64)status.st_ino));
}

static void
scan_folder (Scan *scan, const char *folder, guint depth)
{
  g_autoptr (GPtrArray) names = NULL;

  if (scan->folders == 0 || !is_first_look (scan, folder))
    return;
  scan->folders--;
  names = list_names (folder);
  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_str_has_suffix (name, ".plugin"))
        add_manifest (scan, path);
      else if (depth < POSTBAG_LIMIT_PLUGIN_DEPTH && g_file_test (path, G_FILE_TEST_IS_DIR))
        scan_folder (scan, path, depth + 1);
    }
}

/* --- order --- */

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *one = *(const Entry *const *)a;
  const Entry *other = *(const Entry *const *)b;
  int order;

  if (one->manifest->kind != other->manifest->kind)
    return one->manifest->kind < other->manifest->kind ? -1 : 1;
  order = strcmp (one->manifest->name, other->manifest->name);
  if (order != 0)
    return order;
  return one->rank < other->rank ? -1 : one->rank > other->rank;
}

static void
choose_winners (PostbagRegistry *self)
{
  const Entry *winner = NULL;

  for (guint i = 0; i < self->entries->len; i++)
    {
      Entry *entry = g_ptr_array_index (self->entries, i);

      if (entry->state == POSTBAG_PLUGIN_UNUSABLE)
        continue;
      if (winner == NULL || winner->manifest->kind != entry->manifest->kind
          || strcmp (winner->manifest->name, entry->manifest->name) != 0)
        {
          winner = entry;
          entry->counts = TRUE;
          continue;
        }
      entry->state = POSTBAG_PLUGIN_UNUSABLE;
      entry->reason = g_strdup_printf ("It is shadowed by “%s”, which comes first in the search "
                                       "path.",
                                       winner->manifest->manifest_path);
    }
}

PostbagRegistry *
postbag_registry_new (const char *const *dirs)
{
  PostbagRegistry *self = g_object_new (POSTBAG_TYPE_REGISTRY, NULL);
  g_autoptr (GHashTable) looked = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Scan scan = { self, POSTBAG_LIMIT_PLUGIN_FOLDERS, looked };

  for (const char *const *dir = dirs; *dir != NULL; dir++)
    scan_folder (&scan, *dir, 0);
  g_ptr_array_sort (self->entries, compare_entries);
  choose_winners (self);
  return self;
}

/* --- questions --- */

GPtrArray *
postbag_registry_list (PostbagRegistry *self)
{
  GPtrArray *list = g_ptr_array_sized_new (self->entries->len);

  for (guint i = 0; i < self->entries->len; i++)
    {
      const Entry *entry = g_ptr_array_index (self->entries, i);

      g_ptr_array_add (list, entry->manifest);
    }
  return list;
}

static Entry *
find_entry (PostbagRegistry *self, PostbagPluginKind kind, const char *name)
{
  Entry *unusable = NULL;

  for (guint i = 0; i < self->entries->len; i++)
    {
      Entry *entry = g_ptr_array_index (self->entries, i);

      if (entry->manifest->kind != kind || strcmp (entry->manifest->name, name) != 0)
        continue;
      if (entry->counts)
        return entry;
      if (unusable == NULL)
        unusable = entry;
    }
  return unusable;
}

const PostbagManifest *
postbag_registry_find (PostbagRegistry *self, PostbagPluginKind kind, const char *name)
{
  const Entry *entry = find_entry (self, kind, name);

  return entry != NULL ? entry->manifest : NULL;
}

const PostbagManifest *
postbag_registry_find_type (PostbagRegistry *self, PostbagPluginKind kind, const char *type)
{
  for (guint i = 0; i < self->entries->len; i++)
    {
      Entry *entry = g_ptr_array_index (self->entries, i);

      if (entry->manifest->kind == kind && entry->counts
          && g_strv_contains ((const char *const *)entry->manifest->types, type))
        return entry->manifest;
    }
  return NULL;
}

PostbagPluginState
postbag_registry_get_state (PostbagRegistry *self, const PostbagManifest *manifest, char **reason)
{
  if (reason != NULL)
    *reason = NULL;
  for (guint i = 0; i < self->entries->len; i++)
    {
      Entry *entry = g_ptr_array_index (self->entries, i);
      PostbagPluginState state;

      if (entry->manifest != manifest)
        continue;
      g_mutex_lock (&entry->lock);
      state = entry->state;
      if (reason != NULL)
        *reason = g_strdup (entry->reason);
      g_mutex_unlock (&entry->lock);
      return state;
    }
  g_return_val_if_reached (POSTBAG_PLUGIN_UNUSABLE);
}

/* --- trying --- */

/* With the entry's lock. */
static void
set_unusable (Entry *entry, const char *reason)
{
  entry->state = POSTBAG_PLUGIN_UNUSABLE;
  g_free (entry->reason);
  entry->reason = g_strdup (reason);
}

PostbagPluginState
postbag_registry_try (PostbagRegistry *self, const PostbagManifest *manifest)
{
  PostbagPluginState state = POSTBAG_PLUGIN_UNUSABLE;

  for (guint i = 0; i < self->entries->len; i++)
    {
      Entry *entry = g_ptr_array_index (self->entries, i);
      g_autoptr (GError) error = NULL;

      if (entry->manifest != manifest)
        continue;
      g_mutex_lock (&entry->lock);
      if (entry->state == POSTBAG_PLUGIN_READY && !postbag_loader_try (manifest, &error))
        set_unusable (entry, error->message);
      state = entry->state;
      g_mutex_unlock (&entry->lock);
    }
  return state;
}

/* --- loading --- */

static void
set_not_found (PostbagRegistry *self, PostbagPluginKind kind, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *nearest;

  for (guint i = 0; i < self->entries->len; i++)
    {
      const Entry *entry = g_ptr_array_index (self->entries, i);

      if (entry->manifest->kind == kind)
        g_ptr_array_add (names, entry->manifest->name);
    }
  g_ptr_array_add (names, NULL);
  nearest = postbag_text_nearest (name, (const char *const *)names->pdata);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
               "There is no %s “%s”%s%s%s. “postbag plugins” lists what there is.",
               postbag_plugin_kind_get_word (kind), name, nearest != NULL ? "; did you mean “" : "",
               nearest != NULL ? nearest : "", nearest != NULL ? "”?" : "");
}

/* With the entry's lock. */
static void
open_entry (Entry *entry)
{
  g_autoptr (GError) error = NULL;

  entry->implementation = postbag_loader_open (entry->manifest, &error);
  if (entry->implementation != NULL)
    {
      entry->state = POSTBAG_PLUGIN_LOADED;
      return;
    }
  set_unusable (entry, error->message);
}

gconstpointer
postbag_registry_load (PostbagRegistry *self, PostbagPluginKind kind, const char *name,
                       GError **error)
{
  Entry *entry = find_entry (self, kind, name);
  gconstpointer implementation;

  if (entry == NULL)
    {
      set_not_found (self, kind, name, error);
      return NULL;
    }
  g_mutex_lock (&entry->lock);
  if (entry->state == POSTBAG_PLUGIN_READY)
    open_entry (entry);
  implementation = entry->implementation;
  if (implementation == NULL)
    g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                 "The %s “%s” cannot be used: %s", postbag_plugin_kind_get_word (kind), name,
                 entry->reason);
  g_mutex_unlock (&entry->lock);
  return implementation;
}
