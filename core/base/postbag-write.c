/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-write.h"

#include <errno.h>
#include <unistd.h>

gboolean
postbag_write_all (int fd, gconstpointer data, gsize length)
{
  const guint8 *bytes = data;

  while (length > 0)
    {
      gssize written = write (fd, bytes, length);

      if (written < 0 && errno == EINTR)
        continue;
      /* A disk that takes nothing and does not say why is full. */
      if (written == 0)
        errno = ENOSPC;
      if (written <= 0)
        return FALSE;
      bytes += written;
      length -= (gsize)written;
    }
  return TRUE;
}
