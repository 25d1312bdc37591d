/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/postbag-cli-private.h"

extern char **environ;

static void
print_warnings (GPtrArray *warnings)
{
  for (guint i = 0; warnings != NULL && i < warnings->len; i++)
    g_warning ("%s", (const char *)g_ptr_array_index (warnings, i));
}

int
postbag_cli_config (const PostbagCli *cli)
{
  const char *action = cli->arguments[0];
  g_autoptr (GPtrArray) warnings = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagConfig) config = NULL;
  g_autofree char *text = NULL;

  if (action == NULL || cli->arguments[1] != NULL
      || (g_strcmp0 (action, "show") != 0 && g_strcmp0 (action, "check") != 0))
    return postbag_cli_usage_error ("Say “postbag config show” or “postbag config check”.");
  config = postbag_config_load (&cli->options, environ, &warnings, &error);
  print_warnings (warnings);
  if (config == NULL)
    return postbag_cli_fail (error);
  if (g_strcmp0 (action, "check") == 0)
    text = g_strdup ("The configuration is fine.\n");
  else
    text = postbag_config_show (config, cli->json);
  return postbag_cli_print (text);
}
