/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/postbag-program-private.h"

#include "json/postbag-json.h"

static int
print_digest (PostbagProgram *program)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *digest = postbag_program_compute_digest (program, &error);
  g_autofree char *line = NULL;

  if (digest == NULL)
    return postbag_cli_fail (error);
  line = g_strdup_printf ("%s\n", digest);
  return postbag_cli_print (line);
}

static void
append_tool (JsonObject *tool, GString *text)
{
  const char *name = "", *title = "", *description = "";
  JsonObject *annotations = NULL;
  gboolean read_only = FALSE;

  postbag_json_get_string (tool, "name", &name);
  postbag_json_get_string (tool, "title", &title);
  postbag_json_get_string (tool, "description", &description);
  if (postbag_json_get_object (tool, "annotations", &annotations))
    postbag_json_get_boolean (annotations, "readOnlyHint", &read_only);
  g_string_append_printf (text, "%s  (%s%s)\n    %s\n", name, title,
                          read_only ? ", reads only" : "", description);
}

int
postbag_cli_tools (const PostbagCli *cli)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagProgram) program = NULL;
  g_autoptr (GBytes) list = NULL;
  g_autofree char *text = NULL;

  if (cli->arguments[0] != NULL)
    return postbag_cli_usage_error ("“tools” takes no arguments.");
  program = postbag_program_new (cli, &error);
  if (program == NULL)
    return postbag_cli_fail (error);
  if (cli->digest)
    return print_digest (program);
  list = postbag_server_list_tools (program->server);
  if (cli->json)
    return postbag_cli_print_json (list);
  text = postbag_cli_format_array (list, "tools", append_tool);
  return postbag_cli_print (text);
}
