/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/postbag-cli-private.h"

static const char guide[] =
    "Postbag gives AI assistants a mail account, as an MCP server.\n"
    "\n"
    "It is started by the assistant, not by hand. Put this into its configuration:\n"
    "\n"
    "  \"mcpServers\": {\n"
    "    \"postbag\": {\n"
    "      \"command\": \"%s\",\n"
    "      \"args\": [\"--maildir\", \"%s\"]\n"
    "    }\n"
    "  }\n"
    "\n"
    "Try it here first:\n"
    "  postbag demo                                a conversation on sample mail\n"
    "  postbag --maildir FOLDER call list_mailboxes\n"
    "  postbag --maildir FOLDER call list_messages '{\"limit\":5}'\n"
    "  postbag --help                              everything else\n";

int
postbag_cli_guide (const PostbagCli *cli)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *maildir = g_build_filename (g_get_home_dir (), "Maildir", NULL);
  g_autofree char *text =
      g_strdup_printf (guide, program != NULL ? program : "postbag",
                       cli->options.maildir != NULL ? cli->options.maildir : maildir);

  return postbag_cli_print (text);
}
