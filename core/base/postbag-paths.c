/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One rule decides between installed and built: a program that runs from where it is installed
 * uses the compiled-in folders; any other looks for the marker that the build writes into the root
 * of its tree. The marker decides which code is loaded, so it is believed only where nobody else
 * could have written it, and only in the folder it was written for. */

#include "base/postbag-paths-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-paths-config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARKER_NAME "postbag.uninstalled"
#define MARKER_GROUP "Uninstalled"

typedef struct
{
  char **plugin_dirs;
  char *schema_dir;
  char *data_dir;
  char *library_dir;
  char *libexec_dir;
} Paths;

/* --- whom to trust --- */

static uid_t
get_program_owner (void)
{
  struct stat facts;

  return stat ("/proc/self/exe", &facts) == 0 ? facts.st_uid : 0;
}

static gboolean
is_trusted (const struct stat *facts)
{
  uid_t user = geteuid ();

  if (facts->st_uid != 0 && facts->st_uid != user && facts->st_uid != get_program_owner ())
    return FALSE;
  if ((facts->st_mode & S_IWOTH) != 0)
    return FALSE;
  /* A umask of 002 goes with a group that holds its user alone. */
  return (facts->st_mode & S_IWGRP) == 0 || (facts->st_uid == user && facts->st_gid == getegid ());
}

gboolean
postbag_paths_check_trusted (const char *path, GError **error)
{
  struct stat facts;

  if (stat (path, &facts) != 0)
    {
      postbag_set_error_from_errno (error, errno, "Cannot look at “%s”", path);
      return FALSE;
    }
  if (is_trusted (&facts))
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
               "“%s” could be changed by somebody else. It must belong to you or to root and not "
               "be writable by the group or others.",
               path);
  return FALSE;
}

/* --- the marker --- */

static gboolean
is_same_folder (const char *one, const char *other)
{
  struct stat one_facts, other_facts;

  return stat (one, &one_facts) == 0 && stat (other, &other_facts) == 0
         && one_facts.st_dev == other_facts.st_dev && one_facts.st_ino == other_facts.st_ino;
}

static GKeyFile *
read_marker (const char *directory)
{
  g_autoptr (GKeyFile) marker = g_key_file_new ();
  g_autofree char *path = g_build_filename (directory, MARKER_NAME, NULL);
  g_autofree char *build_dir = NULL;
  struct stat facts;

  if (lstat (path, &facts) != 0 || !S_ISREG (facts.st_mode) || !is_trusted (&facts)
      || facts.st_size > POSTBAG_LIMIT_MANIFEST_BYTES)
    return NULL;
  if (!g_key_file_load_from_file (marker, path, G_KEY_FILE_NONE, NULL))
    return NULL;
  build_dir = g_key_file_get_string (marker, MARKER_GROUP, "BuildDir", NULL);
  if (build_dir == NULL || !is_same_folder (build_dir, directory))
    return NULL;
  return g_steal_pointer (&marker);
}

GKeyFile *
postbag_paths_find_marker (const char *directory)
{
  g_autofree char *current = g_strdup (directory);

  for (guint level = 0; level < POSTBAG_LIMIT_MARKER_LEVELS; level++)
    {
      g_autoptr (GKeyFile) marker = read_marker (current);
      g_autofree char *parent = NULL;

      if (marker != NULL)
        return g_steal_pointer (&marker);
      parent = g_path_get_dirname (current);
      if (strcmp (parent, current) == 0)
        return NULL;
      g_free (current);
      current = g_steal_pointer (&parent);
    }
  return NULL;
}

/* --- the paths --- */

static GKeyFile *
find_own_marker (void)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *directory = NULL;

  if (program == NULL)
    return NULL;
  directory = g_path_get_dirname (program);
  if (is_same_folder (directory, POSTBAG_PROGRAM_DIR)
      || is_same_folder (directory, POSTBAG_LIBEXEC_DIR))
    return NULL;
  return postbag_paths_find_marker (directory);
}

static char *
get_folder (GKeyFile *marker, const char *key, const char *fallback)
{
  char *folder = NULL;

  if (marker != NULL)
    folder = g_key_file_get_string (marker, MARKER_GROUP, key, NULL);
  return folder != NULL ? folder : g_strdup (fallback);
}

static Paths *
compute_paths (void)
{
  g_autoptr (GKeyFile) marker = find_own_marker ();
  g_autofree char *plugin_dirs = get_folder (marker, "PluginDirs", POSTBAG_PLUGIN_DIR);
  Paths *paths = g_new0 (Paths, 1);

  paths->plugin_dirs = g_strsplit (plugin_dirs, ";", -1);
  paths->schema_dir = get_folder (marker, "SchemaDir", POSTBAG_SCHEMA_DIR);
  paths->data_dir = get_folder (marker, "DataDir", POSTBAG_DATA_DIR);
  paths->library_dir = get_folder (marker, "LibraryDir", POSTBAG_LIBRARY_DIR);
  paths->libexec_dir = get_folder (marker, "LibexecDir", POSTBAG_LIBEXEC_DIR);
  return paths;
}

static const Paths *
get_paths (void)
{
  static const Paths *paths;

  if (g_once_init_enter (&paths))
    g_once_init_leave (&paths, compute_paths ());
  return paths;
}

static void
add_folders (GStrvBuilder *builder, const char *const *folders)
{
  for (const char *const *folder = folders; *folder != NULL; folder++)
    {
      g_autofree char *absolute = NULL;

      if (**folder == '\0')
        continue;
      absolute = g_canonicalize_filename (*folder, NULL);
      g_strv_builder_add (builder, absolute);
    }
}

char **
postbag_paths_dup_plugin_dirs (gboolean user_plugins)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const char *from_environment = secure_getenv ("POSTBAG_PLUGIN_PATH");

  if (from_environment != NULL)
    {
      g_auto (GStrv) folders = g_strsplit (from_environment, ":", POSTBAG_LIMIT_PLUGINS);

      add_folders (builder, (const char *const *)folders);
    }
  if (user_plugins)
    {
      g_autofree char *folder =
          g_build_filename (g_get_user_data_dir (), "postbag", "plugins", NULL);

      g_strv_builder_add (builder, folder);
    }
  add_folders (builder, (const char *const *)get_paths ()->plugin_dirs);
  return g_strv_builder_end (builder);
}

const char *
postbag_paths_get_schema_dir (void)
{
  return get_paths ()->schema_dir;
}

const char *
postbag_paths_get_data_dir (void)
{
  return get_paths ()->data_dir;
}

const char *
postbag_paths_get_library_dir (void)
{
  return get_paths ()->library_dir;
}

const char *
postbag_paths_get_libexec_dir (void)
{
  return get_paths ()->libexec_dir;
}
