/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "safety/postbag-seal-marks-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

void
postbag_seal_refuse_used (GError **error)
{
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
               "This confirmation was used already. Ask again to get a new one.");
}

/* At most POSTBAG_LIMIT_SEAL_MARKS entries are looked at; the rest waits for the next time. */
static void
sweep_marks (const char *folder, gint64 now_s)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  if (dir == NULL)
    return;
  for (guint seen = 0; seen < POSTBAG_LIMIT_SEAL_MARKS && (name = g_dir_read_name (dir)) != NULL;
       seen++)
    {
      char *end = NULL;
      gint64 expiry = g_ascii_strtoll (name, &end, 16);
      g_autofree char *path = NULL;

      if (*end != '-' || expiry > now_s - POSTBAG_SEAL_MARK_SLACK_S)
        continue;
      path = g_build_filename (folder, name, NULL);
      unlink (path);
    }
}

static char *
dup_path (const char *folder, const char *hash, gint64 expiry_s)
{
  return g_strdup_printf ("%s/%" G_GINT64_MODIFIER "x-%s", folder, expiry_s, hash);
}

gboolean
postbag_seal_is_marked (const char *state_dir, const char *hash, gint64 expiry_s)
{
  g_autofree char *folder = g_build_filename (state_dir, "used", NULL);
  g_autofree char *path = dup_path (folder, hash, expiry_s);

  return faccessat (AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

gboolean
postbag_seal_mark_used (const char *state_dir, const char *hash, gint64 expiry_s, gint64 now_s,
                        GError **error)
{
  g_autofree char *folder = g_build_filename (state_dir, "used", NULL);
  g_autofree char *path = dup_path (folder, hash, expiry_s);
  int fd;

  if (mkdir (folder, 0700) != 0 && errno != EEXIST)
    {
      postbag_set_error_from_errno (error, errno, "Cannot create the folder “%s”", folder);
      return FALSE;
    }
  sweep_marks (folder, now_s);
  fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0)
    {
      close (fd);
      return TRUE;
    }
  if (errno == EEXIST)
    postbag_seal_refuse_used (error);
  else
    postbag_set_error_from_errno (error, errno, "Cannot note that a confirmation was used");
  return FALSE;
}
