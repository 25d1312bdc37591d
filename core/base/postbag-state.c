/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The state folder holds the seal's key and the UID map, so it belongs to one person: created 0700,
 * refused where others could write. Parts are opened component by component without following
 * links: what a part is called may come from the configuration. */

#include "base/postbag-state.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-text.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION_NAME "version"
#define VERSION_BYTES 32

static char *
choose_folder (const char *override)
{
  const char *chosen = override;

  if (chosen == NULL || *chosen == '\0')
    chosen = g_getenv ("POSTBAG_STATE_DIR");
  if (chosen != NULL && *chosen != '\0')
    return g_canonicalize_filename (chosen, NULL);
  return g_build_filename (g_get_user_state_dir (), "postbag", NULL);
}

static gboolean
check_owner (const char *folder, GError **error)
{
  struct stat facts;

  if (stat (folder, &facts) != 0)
    {
      postbag_set_error_from_errno (error, errno, "Cannot look at the state folder “%s”", folder);
      return FALSE;
    }
  if (facts.st_uid == geteuid () && (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
               "The state folder “%s” belongs to somebody else or others may write in it. Make it "
               "yours alone (chmod 700), or name another one with POSTBAG_STATE_DIR.",
               folder);
  return FALSE;
}

/* --- the version --- */

/* @length: what was read; -1 when there is no such file */
static gboolean
read_version (const char *path, char *text, gssize *length, GError **error)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  int saved_errno = errno;

  *length = -1;
  if (fd < 0 && saved_errno == ENOENT)
    return TRUE;
  if (fd >= 0)
    {
      *length = read (fd, text, VERSION_BYTES - 1);
      saved_errno = errno;
      close (fd);
    }
  if (*length < 0)
    {
      postbag_set_error_from_errno (error, saved_errno, "Cannot read “%s”", path);
      return FALSE;
    }
  text[*length] = '\0';
  return TRUE;
}

static gboolean
write_version (const char *path, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  g_autofree char *text = g_strdup_printf ("%d\n", POSTBAG_STATE_VERSION);

  if (g_file_set_contents_full (path, text, -1,
                                G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE, 0600,
                                &local_error))
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
               "Cannot write in the state folder: %s. Name a writable one with POSTBAG_STATE_DIR.",
               local_error->message);
  return FALSE;
}

static gboolean
check_version (const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, VERSION_NAME, NULL);
  char text[VERSION_BYTES];
  gssize length;
  gint64 version;

  if (!read_version (path, text, &length, error))
    return FALSE;
  if (length < 0)
    return write_version (path, error);
  if (!postbag_text_parse_int (g_strchomp (text), 1, G_MAXINT64, &version))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
                   "“%s” does not hold a version number. Move the state folder away; Postbag makes "
                   "a new one.",
                   path);
      return FALSE;
    }
  if (version <= POSTBAG_STATE_VERSION)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
               "The state folder “%s” has version %" G_GINT64_FORMAT
               ", written by a newer Postbag; this one knows version %d. Use the newer program, or "
               "another folder with POSTBAG_STATE_DIR.",
               folder, version, POSTBAG_STATE_VERSION);
  return FALSE;
}

char *
postbag_state_open (const char *override, GError **error)
{
  g_autofree char *folder = choose_folder (override);

  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      postbag_set_error_from_errno (error, errno, "Cannot create the state folder “%s”", folder);
      return NULL;
    }
  if (!check_owner (folder, error) || !check_version (folder, error))
    return NULL;
  return g_steal_pointer (&folder);
}

/* --- parts --- */

static char *
encode_component (const char *component)
{
  g_autoptr (GString) encoded = g_string_new (NULL);

  for (const char *byte = component; *byte != '\0'; byte++)
    {
      /* A leading dot would allow "..", and hidden folders. */
      gboolean plain = g_ascii_isalnum (*byte) || *byte == '_' || *byte == '-'
                       || (*byte == '.' && byte != component);

      if (plain)
        g_string_append_c (encoded, *byte);
      else
        g_string_append_printf (encoded, "%%%02X", (guint8)*byte);
    }
  return g_string_free (g_steal_pointer (&encoded), FALSE);
}

/* Consumes @parent; returns the folder inside or -1 with errno. */
static int
open_component (int parent, const char *name)
{
  int fd = -1;
  int saved_errno;

  /* What is kept in it is lost with it: a new one is on the disk first. */
  if (mkdirat (parent, name, 0700) == 0 ? fsync (parent) == 0 || errno == EINVAL : errno == EEXIST)
    fd = openat (parent, name, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  saved_errno = errno;
  close (parent);
  errno = saved_errno;
  return fd;
}

static gboolean
check_part (const char *const *components, GError **error)
{
  for (const char *const *component = components; *component != NULL; component++)
    {
      g_autofree char *encoded = encode_component (*component);

      if (**component == '\0' || strlen (encoded) > NAME_MAX)
        {
          g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                       "A name in the state folder is empty or longer than %d bytes. Use a shorter "
                       "account name.",
                       NAME_MAX);
          return FALSE;
        }
    }
  return TRUE;
}

char *
postbag_state_open_part (const char *state_dir, const char *part, GError **error)
{
  /* g_strsplit() makes no component of an empty string. */
  g_auto (GStrv) components = g_strsplit (*part != '\0' ? part : "/", "/", -1);
  g_autoptr (GString) path = g_string_new (state_dir);
  int fd;

  if (!check_part ((const char *const *)components, error))
    return NULL;
  fd = open (state_dir, O_DIRECTORY | O_CLOEXEC);
  for (char **component = components; *component != NULL && fd >= 0; component++)
    {
      g_autofree char *name = encode_component (*component);

      fd = open_component (fd, name);
      g_string_append_printf (path, "/%s", name);
    }
  if (fd < 0)
    {
      postbag_set_error_from_errno (error, errno, "Cannot open “%s” in the state folder",
                                    path->str);
      return NULL;
    }
  close (fd);
  return g_string_free (g_steal_pointer (&path), FALSE);
}

gboolean
postbag_state_is_stopped (const char *state_dir)
{
  g_autofree char *path = NULL;
  struct stat facts;

  if (state_dir == NULL)
    return FALSE;
  path = g_build_filename (state_dir, "STOP", NULL);
  if (lstat (path, &facts) == 0)
    return TRUE;
  /* Not being able to look is no permission to go on. */
  return errno != ENOENT && errno != ENOTDIR;
}
