/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/postbag-cli-private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

gboolean
postbag_cli_print (const char *text)
{
  gsize left = strlen (text);

  while (left > 0)
    {
      gssize count = write (STDOUT_FILENO, text, left);

      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return FALSE;
      text += count;
      left -= (gsize)count;
    }
  return TRUE;
}

int
postbag_cli_usage_error (const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  fprintf (stderr, "postbag: %s\n", message);
  return POSTBAG_EXIT_USAGE;
}

int
postbag_cli_fail (const GError *error)
{
  fprintf (stderr, "postbag: %s\n", error != NULL ? error->message : "something failed");
  return POSTBAG_EXIT_FAILED;
}
