/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/postbag-program-private.h"

extern char **environ;

static void
print_warnings (GPtrArray *warnings)
{
  for (guint i = 0; warnings != NULL && i < warnings->len; i++)
    g_warning ("%s", (const char *)g_ptr_array_index (warnings, i));
}

static int
show (const PostbagCli *cli)
{
  g_autoptr (GPtrArray) warnings = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  g_autoptr (PostbagConfig) config =
      postbag_config_load (&cli->options, environ, &warnings, &error);

  print_warnings (warnings);
  if (config == NULL)
    return postbag_cli_fail (error);
  text = postbag_config_show (config, cli->json);
  return postbag_cli_print (text);
}

/* Everything a start looks at: a toolset that is not there and a filter that leaves no tool are
 * faults of the configuration, too. */
static int
check (const PostbagCli *cli)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagProgram) program = postbag_program_new (cli, &error);

  if (program == NULL)
    return postbag_cli_fail (error);
  return postbag_cli_print ("The configuration is fine.\n");
}

int
postbag_cli_config (const PostbagCli *cli)
{
  const char *action = cli->arguments[0];

  if (action != NULL && cli->arguments[1] == NULL && g_str_equal (action, "show"))
    return show (cli);
  if (action != NULL && cli->arguments[1] == NULL && g_str_equal (action, "check"))
    return check (cli);
  return postbag_cli_usage_error ("Say “postbag config show” or “postbag config check”.");
}
