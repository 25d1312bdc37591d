/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "contract.h"

#include "base/postbag-paths-private.h"

static void
free_plugin (gpointer data)
{
  ContractPlugin *plugin = data;

  g_object_unref (plugin->registry);
  g_free (plugin);
}

static ContractPlugin *
copy_plugin (const ContractPlugin *plugin)
{
  ContractPlugin *copy = g_new0 (ContractPlugin, 1);

  copy->registry = g_object_ref (plugin->registry);
  copy->manifest = plugin->manifest;
  return copy;
}

void
contract_problem (const ContractPlugin *plugin, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  /* A child's standard output is not shown: it would be taken for our own report. */
  if (g_test_subprocess ())
    g_printerr ("# %s: %s\n", plugin->manifest->name, text);
  else
    g_test_message ("%s: %s", plugin->manifest->name, text);
  g_test_fail ();
}

gconstpointer
contract_load (const ContractPlugin *plugin)
{
  g_autoptr (GError) error = NULL;
  gconstpointer table = postbag_registry_load (plugin->registry, plugin->manifest->kind,
                                               plugin->manifest->name, &error);

  g_assert_no_error (error);
  g_assert_nonnull (table);
  return table;
}

static void
check_usable (gconstpointer data)
{
  const ContractPlugin *plugin = data;
  g_autofree char *reason = NULL;

  if (postbag_registry_get_state (plugin->registry, plugin->manifest, &reason)
      == POSTBAG_PLUGIN_UNUSABLE)
    contract_problem (plugin, "%s", reason);
  else
    contract_load (plugin);
}

static void
add_check (const ContractPlugin *plugin, const char *name, ContractFunc function)
{
  const PostbagManifest *manifest = plugin->manifest;
  g_autofree char *path = g_strdup_printf (
      "/contract/%s/%s/%s", postbag_plugin_kind_get_word (manifest->kind), manifest->name, name);

  g_test_add_data_func_full (path, copy_plugin (plugin), function, free_plugin);
}

static void
add_plugin (const ContractPlugin *plugin, const ContractCheck *checks, gsize n_checks)
{
  add_check (plugin, "usable", check_usable);
  if (postbag_registry_get_state (plugin->registry, plugin->manifest, NULL)
      == POSTBAG_PLUGIN_UNUSABLE)
    return;
  for (gsize i = 0; i < n_checks; i++)
    add_check (plugin, checks[i].name, checks[i].function);
}

int
contract_run (int argc, char **argv, PostbagPluginKind kind, const ContractCheck *checks,
              gsize n_checks)
{
  g_auto (GStrv) dirs = NULL;
  g_autoptr (PostbagRegistry) registry = NULL;
  g_autoptr (GPtrArray) manifests = NULL;

  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  dirs = postbag_paths_dup_plugin_dirs (FALSE);
  registry = postbag_registry_new ((const char *const *)dirs);
  manifests = postbag_registry_list (registry);
  for (guint i = 0; i < manifests->len; i++)
    {
      ContractPlugin plugin = { registry, g_ptr_array_index (manifests, i) };

      /* What wins for a name is looked at, whether or not it can be used. */
      if (plugin.manifest->kind == kind
          && postbag_registry_find (registry, kind, plugin.manifest->name) == plugin.manifest)
        add_plugin (&plugin, checks, n_checks);
    }
  return g_test_run ();
}
