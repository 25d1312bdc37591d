/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/postbag-cli-private.h"

#include <gmodule.h>

#include "base/postbag-error.h"
#include "base/postbag-paths-private.h"

/* GMime is not linked into the program: it would cost every start. */
typedef char *(*ReadMessageFileFunc) (const char *path, gboolean json, GError **error);

static ReadMessageFileFunc
load_reader (GError **error)
{
  g_autofree char *path =
      g_build_filename (postbag_paths_get_library_dir (), "libpostbag-content.so.0", NULL);
  GModule *module = g_module_open (path, G_MODULE_BIND_LAZY);
  ReadMessageFileFunc read_message_file = NULL;

  if (module == NULL
      || !g_module_symbol (module, "postbag_read_message_file", (gpointer *)&read_message_file))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INTERNAL,
                   "The message reader cannot be loaded: %s. Reinstall Postbag.",
                   g_module_error ());
      return NULL;
    }
  g_module_make_resident (module);
  return read_message_file;
}

int
postbag_cli_read (const PostbagCli *cli)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  ReadMessageFileFunc read_message_file;

  if (cli->arguments[0] == NULL || cli->arguments[1] != NULL)
    return postbag_cli_usage_error ("“read” takes one message file: postbag read FILE.eml");
  read_message_file = load_reader (&error);
  if (read_message_file == NULL)
    return postbag_cli_fail (error);
  text = read_message_file (cli->arguments[0], cli->json, &error);
  if (text == NULL)
    return postbag_cli_fail (error);
  return postbag_cli_print (text);
}
