/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The digest of all that a toolset tells models: SHA-256 over, for each folder in the order given
 * and each `*.json` in it, in `prompts/` and in `shared/`, sorted by the bytes of these names:
 * folder name, `/`, name, NUL, size in decimal, NUL, content. Easy to compute again with any other
 * program. */

#include "mcp/postbag-surface-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static void
add_names (GPtrArray *names, GDir *dir, const char *prefix)
{
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      if (g_str_has_suffix (name, ".json"))
        g_ptr_array_add (names, g_strconcat (prefix, name, NULL));
    }
}

/* @inside: (nullable): a folder in @folder, which need not be there */
static void
add_names_inside (GPtrArray *names, const char *folder, const char *inside)
{
  g_autofree char *path = g_build_filename (folder, inside, NULL);
  g_autofree char *prefix = g_strconcat (inside, "/", NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  add_names (names, dir, prefix);
}

static GPtrArray *
list_definitions (const char *folder, GError **error)
{
  g_autoptr (GDir) dir = NULL;
  g_autoptr (GError) local_error = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  dir = g_dir_open (folder, 0, &local_error);
  if (dir == NULL)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
                   "Cannot list the tool definitions: %s. Reinstall Postbag.",
                   local_error->message);
      return NULL;
    }
  add_names (names, dir, "");
  add_names_inside (names, folder, "prompts");
  add_names_inside (names, folder, "shared");
  g_ptr_array_sort (names, compare_names);
  return g_steal_pointer (&names);
}

static gboolean
add_file (GChecksum *checksum, const char *folder, const char *name, GError **error)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *base = g_path_get_basename (folder);
  g_autofree char *label = g_strconcat (base, "/", name, NULL);
  g_autofree char *content = NULL;
  g_autofree char *size = NULL;
  g_autoptr (GError) local_error = NULL;
  gsize length;

  if (!g_file_get_contents (path, &content, &length, &local_error))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
                   "Cannot read a tool definition: %s. Reinstall Postbag.", local_error->message);
      return FALSE;
    }
  size = g_strdup_printf ("%" G_GSIZE_FORMAT, length);
  g_checksum_update (checksum, (const guchar *)label, (gssize)strlen (label) + 1);
  g_checksum_update (checksum, (const guchar *)size, (gssize)strlen (size) + 1);
  g_checksum_update (checksum, (const guchar *)content, (gssize)length);
  return TRUE;
}

char *
postbag_surface_compute_digest (const char *const *schema_dirs, GError **error)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);

  for (; *schema_dirs != NULL; schema_dirs++)
    {
      g_autoptr (GPtrArray) names = list_definitions (*schema_dirs, error);

      if (names == NULL)
        return NULL;
      for (guint i = 0; i < names->len; i++)
        {
          if (!add_file (checksum, *schema_dirs, names->pdata[i], error))
            return NULL;
        }
    }
  return g_strdup (g_checksum_get_string (checksum));
}
