/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The seal's key: 32 random bytes in `seal.key`, 0600. It is written to a file of another name,
 * made durable, and given its name only if nobody else's has it by then: whoever comes second reads
 * the first one's. */

#include "safety/postbag-seal-key-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "base/postbag-error.h"
#include "base/postbag-write.h"

#define KEY_NAME "seal.key"

void
postbag_seal_random (guint8 *bytes, gsize length)
{
  while (length > 0)
    {
      ssize_t got = getrandom (bytes, length, 0);

      if (got < 0 && errno == EINTR)
        continue;
      if (got < 0)
        g_error ("getrandom: %s", g_strerror (errno));
      bytes += got;
      length -= (gsize)got;
    }
}

static gboolean
check_key_file (int fd, const char *path, GError **error)
{
  struct stat facts;

  if (fstat (fd, &facts) != 0)
    {
      postbag_set_error_from_errno (error, errno, "Cannot look at “%s”", path);
      return FALSE;
    }
  if (S_ISREG (facts.st_mode) && facts.st_uid == geteuid () && (facts.st_mode & 077) == 0)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
               "The key file “%s” is not yours alone. Delete it; a new one is made then.", path);
  return FALSE;
}

static gboolean
read_all (int fd, guint8 *bytes, gsize length)
{
  while (length > 0)
    {
      ssize_t got = read (fd, bytes, length);

      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return FALSE;
      bytes += got;
      length -= (gsize)got;
    }
  return TRUE;
}

/* @is_absent: set when there is no such file */
static gboolean
read_key (const char *path, guint8 *key, gboolean *is_absent, GError **error)
{
  int fd = open (path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  gboolean is_good;

  *is_absent = fd < 0 && errno == ENOENT;
  if (fd < 0)
    {
      postbag_set_error_from_errno (error, errno, "Cannot open “%s”", path);
      return FALSE;
    }
  is_good = check_key_file (fd, path, error);
  if (is_good && !read_all (fd, key, POSTBAG_SEAL_KEY_BYTES))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
                   "The key file “%s” is too short. Delete it; a new one is made then.", path);
      is_good = FALSE;
    }
  close (fd);
  return is_good;
}

/* Gives @from the name @to unless that is taken. */
static gboolean
take_name (const char *from, const char *to)
{
  if (link (from, to) == 0)
    return TRUE;
  if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
    return errno == EEXIST;
  /* A file system without hard links. */
  return renameat2 (AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 || errno == EEXIST;
}

static void
sync_folder (const char *folder)
{
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0)
    return;
  fsync (fd);
  close (fd);
}

/* Puts a new key at @path unless there is one by then. */
static gboolean
make_key (const char *state_dir, const char *path, GError **error)
{
  guint8 key[POSTBAG_SEAL_KEY_BYTES];
  guint8 salt[8];
  g_autofree char *temporary = NULL;
  gboolean is_done;
  int fd;

  postbag_seal_random (key, sizeof key);
  postbag_seal_random (salt, sizeof salt);
  temporary = g_strdup_printf ("%s.%02x%02x%02x%02x%02x%02x%02x%02x", path, salt[0], salt[1],
                               salt[2], salt[3], salt[4], salt[5], salt[6], salt[7]);
  fd = open (temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0)
    {
      postbag_set_error_from_errno (error, errno, "Cannot create “%s”", temporary);
      return FALSE;
    }
  is_done = postbag_write_all (fd, key, sizeof key) && fsync (fd) == 0;
  is_done = close (fd) == 0 && is_done && take_name (temporary, path);
  if (!is_done)
    postbag_set_error_from_errno (error, errno, "Cannot write “%s”", path);
  unlink (temporary);
  explicit_bzero (key, sizeof key);
  sync_folder (state_dir);
  return is_done;
}

gboolean
postbag_seal_key_load (const char *state_dir, guint8 *key, GError **error)
{
  g_autofree char *path = g_build_filename (state_dir, KEY_NAME, NULL);
  g_autoptr (GError) local_error = NULL;
  gboolean is_absent;

  if (read_key (path, key, &is_absent, &local_error))
    return TRUE;
  if (!is_absent)
    {
      g_propagate_error (error, g_steal_pointer (&local_error));
      return FALSE;
    }
  return make_key (state_dir, path, error) && read_key (path, key, &is_absent, error);
}
