/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Many messages in one process, for the comparison with another parser: on stdin one request after
 * the other, each the length in bytes on a line of its own and then the message; on stdout one line
 * of JSON for each. */

#include <stdio.h>

#include "mime/postbag-read-private.h"

#define MOST_BYTES (64 * 1024 * 1024)

static GBytes *
read_request (void)
{
  char line[32];
  gint64 length = 0;
  g_autofree guint8 *bytes = NULL;

  if (fgets (line, sizeof line, stdin) == NULL)
    return NULL;
  if (!g_ascii_string_to_signed (g_strchomp (line), 10, 0, MOST_BYTES, &length, NULL))
    return NULL;
  bytes = g_malloc ((gsize)length + 1);
  if (fread (bytes, 1, (gsize)length, stdin) != (gsize)length)
    return NULL;
  return g_bytes_new (bytes, (gsize)length);
}

int
main (void)
{
  GBytes *source;

  while ((source = read_request ()) != NULL)
    {
      g_autofree char *json = postbag_read_message_bytes (source, TRUE);

      fputs (json, stdout);
      fflush (stdout);
      g_bytes_unref (source);
    }
  return 0;
}
