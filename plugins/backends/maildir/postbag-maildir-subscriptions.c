/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Dovecot writes one name a line, its levels separated by `.` (Maildir++) or `/` (fs); since
 * version 2.2.33 a first line `V<TAB>2` and levels separated by TAB, with \001 escapes. Courier
 * writes `INBOX.Level.Level`. Names are in modified UTF-7. */

#include "postbag-maildir-subscriptions.h"

#include "postbag-maildir-file.h"
#include "postbag-maildir-folders.h"

#include "base/postbag-limits.h"

#include <string.h>

static char *
decode_levels (const char *line, const char *separator)
{
  g_auto (GStrv) levels = g_strsplit (line, separator, POSTBAG_LIMIT_MAILDIR_DEPTH * 4);
  g_autoptr (GString) path = g_string_new (NULL);

  for (char **level = levels; *level != NULL; level++)
    {
      g_autofree char *decoded = postbag_maildir_decode_component (*level, strlen (*level));

      g_string_append_printf (path, "%s%s", level > levels ? "/" : "", decoded);
    }
  return g_string_free (g_steal_pointer (&path), FALSE);
}

/* Dovecot's escapes: \0011 is \001, \001t is a TAB, ... Only the first can stand in a name. */
static void
unescape (char *line)
{
  char *to = line;

  for (const char *from = line; *from != '\0'; from++)
    {
      if (*from == '\001' && from[1] == '1')
        from++;
      *to++ = *from;
    }
  *to = '\0';
}

static void
add_line (GHashTable *paths, char *line, gboolean tabbed)
{
  static const char *const separators[] = { ".", "/" };

  if (*line == '\0')
    return;
  if (tabbed)
    {
      unescape (line);
      g_hash_table_add (paths, decode_levels (line, "\t"));
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (separators); i++)
    g_hash_table_add (paths, decode_levels (line, separators[i]));
  if (g_str_has_prefix (line, "INBOX."))
    g_hash_table_add (paths, decode_levels (line + strlen ("INBOX."), "."));
}

/* (transfer full) (nullable): the paths a file names */
static GHashTable *
read_paths (int root, const char *name)
{
  g_autofree char *text =
      postbag_maildir_read_small_file (root, name, POSTBAG_LIMIT_SUBSCRIPTIONS_BYTES);
  g_auto (GStrv) lines = NULL;
  GHashTable *paths;
  gboolean tabbed;

  if (text == NULL)
    return NULL;
  paths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  lines = g_strsplit (text, "\n", -1);
  tabbed = lines[0] != NULL && g_str_has_prefix (lines[0], "V\t2");
  for (guint i = tabbed ? 1 : 0; lines[0] != NULL && lines[i] != NULL; i++)
    add_line (paths, lines[i], tabbed);
  return paths;
}

void
postbag_maildir_mark_subscribed (int root, GPtrArray *list)
{
  g_autoptr (GHashTable) dovecot = read_paths (root, "subscriptions");
  g_autoptr (GHashTable) courier = read_paths (root, "courierimapsubscribed");

  for (guint i = 0; i < list->len; i++)
    {
      PostbagMaildirFolder *folder = g_ptr_array_index (list, i);

      folder->subscribed = (dovecot == NULL && courier == NULL)
                           || (dovecot != NULL && g_hash_table_contains (dovecot, folder->path))
                           || (courier != NULL && g_hash_table_contains (courier, folder->path));
    }
}
