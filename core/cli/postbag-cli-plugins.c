/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/postbag-cli-private.h"

#include "base/postbag-paths-private.h"
#include "json/postbag-json-writer.h"
#include "plugin/postbag-registry-private.h"

static const char *
get_state_word (PostbagPluginState state)
{
  return state == POSTBAG_PLUGIN_UNUSABLE ? "unusable" : "ready";
}

static void
append_plugin (const PostbagManifest *manifest, PostbagPluginState state, const char *reason,
               GString *text)
{
  g_string_append_printf (text, "%-10s %-12s %-8s  %s\n",
                          postbag_plugin_kind_get_word (manifest->kind),
                          manifest->name != NULL ? manifest->name : "?", get_state_word (state),
                          reason != NULL                  ? reason
                          : manifest->description != NULL ? manifest->description
                                                          : "");
}

static void
write_plugin (const PostbagManifest *manifest, PostbagPluginState state, const char *reason,
              PostbagJsonWriter *writer)
{
  postbag_json_writer_begin_object (writer);
  postbag_json_writer_key (writer, "kind");
  postbag_json_writer_string (writer, postbag_plugin_kind_get_word (manifest->kind));
  postbag_json_writer_key (writer, "name");
  postbag_json_writer_string (writer, manifest->name);
  postbag_json_writer_key (writer, "state");
  postbag_json_writer_string (writer, get_state_word (state));
  postbag_json_writer_key (writer, "reason");
  postbag_json_writer_string (writer, reason);
  postbag_json_writer_key (writer, "version");
  postbag_json_writer_string (writer, manifest->version);
  postbag_json_writer_key (writer, "manifest");
  postbag_json_writer_string (writer, manifest->manifest_path);
  postbag_json_writer_end_object (writer);
}

/* Tries every module, so that what is listed as ready is. */
static void
describe_plugins (PostbagRegistry *registry, GString *text, PostbagJsonWriter *writer)
{
  g_autoptr (GPtrArray) manifests = postbag_registry_list (registry);

  for (guint i = 0; i < manifests->len; i++)
    {
      const PostbagManifest *manifest = g_ptr_array_index (manifests, i);
      g_autofree char *reason = NULL;
      PostbagPluginState state;

      postbag_registry_try (registry, manifest);
      state = postbag_registry_get_state (registry, manifest, &reason);
      append_plugin (manifest, state, reason, text);
      write_plugin (manifest, state, reason, writer);
    }
}

int
postbag_cli_plugins (const PostbagCli *cli)
{
  g_auto (GStrv) directories = postbag_paths_dup_plugin_dirs (cli->user_plugins);
  g_autoptr (PostbagRegistry) registry = postbag_registry_new ((const char *const *)directories);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();

  if (cli->arguments[0] != NULL)
    return postbag_cli_usage_error ("“plugins” takes no arguments.");
  postbag_json_writer_begin_array (writer);
  describe_plugins (registry, text, writer);
  postbag_json_writer_end_array (writer);
  if (cli->json)
    g_string_printf (text, "%s\n", postbag_json_writer_peek (writer));
  return postbag_cli_print (text->str);
}
