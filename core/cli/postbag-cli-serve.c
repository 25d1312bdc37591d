/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/postbag-program-private.h"

static gboolean
check_digest (gpointer user_data)
{
  postbag_program_check_digest (user_data);
  return G_SOURCE_REMOVE;
}

int
postbag_cli_serve (const PostbagCli *cli)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagProgram) program = postbag_program_new (cli, &error);
  const PostbagTransportImplementation *transport;

  if (program == NULL)
    return postbag_cli_fail (error);
  transport = postbag_registry_load (program->registry, POSTBAG_PLUGIN_TRANSPORT, "stdio", &error);
  if (transport == NULL || !postbag_server_start_transport (program->server, transport, &error))
    return postbag_cli_fail (error);
  /* What the client has sent by then is answered first. */
  g_idle_add_full (G_PRIORITY_LOW, check_digest, program, NULL);
  return postbag_server_run (program->server);
}
