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

static char *
format_tools (GBytes *list)
{
  gsize length;
  const char *json = g_bytes_get_data (list, &length);
  g_autoptr (PostbagJsonDocument) document =
      postbag_json_parse (json, length, G_MAXSIZE, POSTBAG_JSON_DEFAULT, NULL);
  JsonArray *tools = NULL;
  GString *text = g_string_new (NULL);

  if (document != NULL)
    postbag_json_get_array (json_node_get_object (postbag_json_document_get_root (document)),
                            "tools", &tools);
  for (guint i = 0; tools != NULL && i < json_array_get_length (tools); i++)
    append_tool (json_array_get_object_element (tools, i), text);
  return g_string_free (text, FALSE);
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
  text = format_tools (list);
  return postbag_cli_print (text);
}
