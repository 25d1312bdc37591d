/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void
postbag_maildir_close (int fd)
{
  int saved_errno = errno;

  if (fd >= 0)
    close (fd);
  errno = saved_errno;
}

int
postbag_maildir_open_file (int folder, const char *name, struct stat *facts)
{
  /* O_NONBLOCK: a FIFO without a writer would hold us up for ever. */
  int fd = openat (folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

  if (fd < 0)
    return -1;
  if (fstat (fd, facts) == 0 && S_ISREG (facts->st_mode))
    return fd;
  close (fd);
  errno = EINVAL;
  return -1;
}

int
postbag_maildir_open_folder (int parent, const char *name)
{
  return openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int
postbag_maildir_open_folder_below (int root, const char *path)
{
  g_auto (GStrv) components = g_strsplit (path, "/", -1);
  int fd = fcntl (root, F_DUPFD_CLOEXEC, 0);

  for (char **component = components; *component != NULL && fd >= 0; component++)
    {
      int next = postbag_maildir_open_folder (fd, *component);

      postbag_maildir_close (fd);
      fd = next;
    }
  return fd;
}

GBytes *
postbag_maildir_read_start (int fd, gsize max, gint64 expected)
{
  gsize wanted = expected >= 0 && (guint64)expected < max ? (gsize)expected : max;
  guint8 *data = g_malloc (wanted > 0 ? wanted : 1);
  gsize length = 0;

  while (length < wanted)
    {
      gssize n = pread (fd, data + length, wanted - length, (off_t)length);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        {
          g_free (data);
          return NULL;
        }
      if (n == 0)
        break;
      length += (gsize)n;
    }
  return g_bytes_new_take (data, length);
}

char *
postbag_maildir_read_small_file (int folder, const char *name, gsize max)
{
  struct stat facts;
  int fd = postbag_maildir_open_file (folder, name, &facts);
  g_autoptr (GBytes) bytes = NULL;
  gconstpointer data;
  gsize length;

  if (fd < 0)
    return NULL;
  if ((guint64)facts.st_size <= max)
    bytes = postbag_maildir_read_start (fd, max, facts.st_size);
  postbag_maildir_close (fd);
  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &length);
  if (length > 0 && memchr (data, '\0', length) != NULL)
    return NULL;
  return g_strndup (data, length);
}
