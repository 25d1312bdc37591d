/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/postbag-program-private.h"

#include <errno.h>
#include <unistd.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "json/postbag-json.h"

/* The arguments: the word on the command line, or with "-" all of standard input, bounded. */
static GBytes *
read_arguments (const char *word, GError **error)
{
  g_autoptr (GByteArray) input = g_byte_array_new ();
  guint8 buffer[64 * 1024];
  gssize count;

  if (word == NULL)
    return g_bytes_new_static ("{}", 2);
  if (g_strcmp0 (word, "-") != 0)
    return g_bytes_new (word, strlen (word));
  while ((count = read (STDIN_FILENO, buffer, sizeof buffer)) != 0)
    {
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        {
          postbag_set_error_from_errno (error, errno, "Cannot read standard input");
          return NULL;
        }
      g_byte_array_append (input, buffer, (guint)count);
      if (input->len > POSTBAG_LIMIT_LINE_BYTES)
        {
          g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
                       "The arguments on standard input are larger than %d bytes.",
                       POSTBAG_LIMIT_LINE_BYTES);
          return NULL;
        }
    }
  return g_byte_array_free_to_bytes (g_steal_pointer (&input));
}

static void
append_block (JsonObject *block, GString *text)
{
  const char *type = "", *body = NULL, *mime_type = "";

  postbag_json_get_string (block, "type", &type);
  if (postbag_json_get_string (block, "text", &body))
    {
      g_string_append (text, body);
      g_string_append_c (text, '\n');
      return;
    }
  postbag_json_get_string (block, "mimeType", &mime_type);
  g_string_append_printf (text, "[%s %s; --json shows it]\n", type, mime_type);
}

static int
print_result (const PostbagCli *cli, GBytes *result)
{
  g_autofree char *text = NULL;

  if (cli->json)
    return postbag_cli_print_json (result);
  text = postbag_cli_format_array (result, "content", append_block);
  return postbag_cli_print (text);
}

int
postbag_cli_call (const PostbagCli *cli)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagProgram) program = NULL;
  g_autoptr (GBytes) arguments = NULL;
  g_autoptr (GBytes) result = NULL;
  gboolean is_error = FALSE;
  int status;

  if (cli->arguments[0] == NULL || (cli->arguments[1] != NULL && cli->arguments[2] != NULL))
    return postbag_cli_usage_error ("“call” takes a tool and its arguments as one JSON object, "
                                    "e.g.: postbag call list_messages '{\"limit\":5}'");
  arguments = read_arguments (cli->arguments[1], &error);
  if (arguments == NULL)
    return postbag_cli_fail (error);
  program = postbag_program_new (cli, &error);
  if (program == NULL)
    return postbag_cli_fail (error);
  result =
      postbag_server_call_tool (program->server, cli->arguments[0], arguments, &is_error, &error);
  if (result == NULL)
    return postbag_cli_fail (error);
  status = print_result (cli, result);
  postbag_server_tell (program->server, status == POSTBAG_EXIT_SUCCESS);
  return is_error ? POSTBAG_EXIT_FAILED : status;
}
