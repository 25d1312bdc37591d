/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The stdio transport over the toolset made for tests, for test-stdio.py: the module, then the
 * folder with the definitions. */

#include <stdio.h>

#include <gmodule.h>

#include "mcp-fixture.h"
#include "plugin/postbag-plugin.h"

int
main (int argc, char **argv)
{
  McpFixtureOptions options = { .schema_dir = argv[2] };
  g_autoptr (McpFixture) fixture = mcp_fixture_new (&options);
  g_autoptr (GError) error = NULL;
  GModule *module = g_module_open (argv[1], G_MODULE_BIND_LOCAL);
  const PostbagPluginDescriptor *descriptor;
  gpointer symbol = NULL;

  if (module == NULL)
    g_error ("%s", g_module_error ());
  g_assert_true (g_module_symbol (module, POSTBAG_PLUGIN_SYMBOL, &symbol));
  descriptor = symbol;
  g_assert_cmpint (descriptor->kind, ==, POSTBAG_PLUGIN_TRANSPORT);
  g_clear_pointer (&fixture->session, postbag_session_close);
  if (!postbag_server_start_transport (fixture->server, descriptor->implementation, &error))
    g_error ("%s", error->message);
  /* What prints must not reach the protocol. */
  puts ("stray");
  fflush (stdout);
  return postbag_server_run (fixture->server);
}
