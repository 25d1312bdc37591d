/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/postbag-cli-private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/postbag-log-private.h"
#include "json/postbag-json.h"

static int
print_bytes (const char *text, gsize left)
{
  static gboolean failed;

  /* Once nobody reads any more, that is said once, not for each of the demo's lines. */
  if (failed)
    return POSTBAG_EXIT_FAILED;
  while (left > 0)
    {
      gssize count = write (STDOUT_FILENO, text, left);

      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        {
          failed = TRUE;
          fprintf (stderr, "postbag: Cannot write to standard output: %s\n", g_strerror (errno));
          return POSTBAG_EXIT_FAILED;
        }
      text += count;
      left -= (gsize)count;
    }
  return POSTBAG_EXIT_SUCCESS;
}

int
postbag_cli_print (const char *text)
{
  return print_bytes (text, strlen (text));
}

int
postbag_cli_print_json (GBytes *json)
{
  gsize length;
  const char *text = g_bytes_get_data (json, &length);
  int status = print_bytes (text, length);

  return status == POSTBAG_EXIT_SUCCESS ? postbag_cli_print ("\n") : status;
}

void
postbag_cli_set_debug (const char *areas)
{
  static gboolean has_warned;
  g_autofree char *warning = postbag_log_set_debug (areas);

  if (warning != NULL && !has_warned)
    g_warning ("%s", warning);
  has_warned |= warning != NULL;
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

char *
postbag_cli_format_array (GBytes *json, const char *member, PostbagCliAppendFunc append)
{
  gsize length;
  const char *bytes = g_bytes_get_data (json, &length);
  g_autoptr (PostbagJsonDocument) document =
      postbag_json_parse (bytes, length, G_MAXSIZE, POSTBAG_JSON_DEFAULT, NULL);
  JsonArray *entries = NULL;
  GString *text = g_string_new (NULL);

  if (document != NULL)
    postbag_json_get_array (json_node_get_object (postbag_json_document_get_root (document)),
                            member, &entries);
  for (guint i = 0; entries != NULL && i < json_array_get_length (entries); i++)
    append (json_array_get_object_element (entries, i), text);
  return g_string_free (text, FALSE);
}
