/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Opens a module and compares what it is with what its manifest says. Nothing behind a size field
 * is read before the size was compared. */

#include "plugin/postbag-manifest-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

#include <gmodule.h>
#include <string.h>

static gboolean G_GNUC_PRINTF (2, 3) refuse (GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED, text);
  return FALSE;
}

/* --- the table of each kind --- */

static gboolean
has_handler (const PostbagToolsetImplementation *toolset, const char *name)
{
  for (gsize i = 0; i < toolset->n_tools; i++)
    {
      if (strcmp (toolset->tools[i].name, name) == 0)
        return TRUE;
    }
  return FALSE;
}

/* It is not started here, but before its first call. */
static gboolean
check_toolset (const PostbagManifest *manifest, gconstpointer table, GError **error)
{
  const PostbagToolsetImplementation *toolset = table;

  if (toolset->tools == NULL || toolset->n_tools > POSTBAG_LIMIT_MANIFEST_ENTRIES)
    return refuse (error, "The toolset has no list of handlers, or one longer than %d.",
                   POSTBAG_LIMIT_MANIFEST_ENTRIES);
  for (gsize i = 0; i < toolset->n_tools; i++)
    {
      const PostbagToolEntry *entry = &toolset->tools[i];

      if (entry->name == NULL || entry->handler == NULL)
        return refuse (error, "Handler number %zu has no name or no function.", i + 1);
      if (!g_strv_contains ((const char *const *)manifest->tools, entry->name))
        return refuse (error, "The module has a handler “%.*s” that the manifest's Tools lack.",
                       POSTBAG_LIMIT_TOOL_NAME_BYTES, entry->name);
    }
  for (char **tool = manifest->tools; *tool != NULL; tool++)
    {
      if (!has_handler (toolset, *tool))
        return refuse (error,
                       "The manifest lists the tool “%s”, but the module has no handler "
                       "for it.",
                       *tool);
    }
  return TRUE;
}

static gboolean
check_transport (const PostbagManifest *manifest, gconstpointer table, GError **error)
{
  const PostbagTransportImplementation *transport = table;

  return transport->start != NULL || refuse (error, "The transport has no start function.");
}

static gboolean
check_store (const PostbagManifest *manifest, gconstpointer table, GError **error)
{
  const PostbagStoreImplementation *store = table;

  return store->open != NULL || refuse (error, "The store has no open function.");
}

static gboolean
check_extractor (const PostbagManifest *manifest, gconstpointer table, GError **error)
{
  const PostbagExtractorImplementation *extractor = table;

  return extractor->extract != NULL || refuse (error, "The extractor has no extract function.");
}

static const struct
{
  guint32 size; /* what the ABI's first version has */
  gboolean (*check) (const PostbagManifest *, gconstpointer, GError **);
} tables[POSTBAG_PLUGIN_N_KINDS] = {
  [POSTBAG_PLUGIN_TOOLSET] = { offsetof (PostbagToolsetImplementation, resources), check_toolset },
  [POSTBAG_PLUGIN_TRANSPORT] = { sizeof (PostbagTransportImplementation), check_transport },
  [POSTBAG_PLUGIN_STORE] = { sizeof (PostbagStoreImplementation), check_store },
  [POSTBAG_PLUGIN_EXTRACTOR] = { sizeof (PostbagExtractorImplementation), check_extractor },
};

/* --- the descriptor --- */

static gboolean
check_descriptor (const PostbagManifest *manifest, const PostbagPluginDescriptor *descriptor,
                  GError **error)
{
  guint abi = postbag_plugin_kind_get_abi (manifest->kind);

  if (descriptor->abi != abi)
    return refuse (
        error,
        "The module was built for plugin ABI %u; this Postbag has ABI %u for the kind %s. Build it "
        "again with the headers of this Postbag.",
        descriptor->abi, abi, postbag_plugin_kind_get_word (manifest->kind));
  if (descriptor->size < sizeof (PostbagPluginDescriptor))
    return refuse (error, "The module's descriptor has %u bytes; at least %zu are needed.",
                   descriptor->size, sizeof (PostbagPluginDescriptor));
  if (descriptor->kind != manifest->kind)
    return refuse (error, "The manifest says %s, the module says %s.",
                   postbag_plugin_kind_get_word (manifest->kind),
                   postbag_plugin_kind_get_word (descriptor->kind));
  if (g_strcmp0 (descriptor->name, manifest->name) != 0)
    return refuse (error, "The manifest's Name is “%s”, the module has another one.",
                   manifest->name);
  return TRUE;
}

static gboolean
check_table (const PostbagManifest *manifest, gconstpointer table, GError **error)
{
  guint32 needed = tables[manifest->kind].size;
  guint32 size;

  if (needed == 0)
    return refuse (error, "This Postbag cannot use plugins of kind %s yet.",
                   postbag_plugin_kind_get_word (manifest->kind));
  if (table == NULL)
    return refuse (error, "The module's descriptor has no implementation.");
  memcpy (&size, table, sizeof (size));
  if (size < needed)
    return refuse (error, "The module's table of functions has %u bytes; %u are needed.", size,
                   needed);
  return tables[manifest->kind].check (manifest, table, error);
}

gconstpointer
postbag_loader_open (const PostbagManifest *manifest, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  const PostbagPluginDescriptor *descriptor;
  GModule *module;
  gpointer symbol = NULL;

  module = g_module_open_full (manifest->module_path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL,
                               &local_error);
  if (module == NULL)
    {
      refuse (error, "The module cannot be opened: %s", local_error->message);
      return NULL;
    }
  /* Types it registered and threads it started would outlive it. */
  g_module_make_resident (module);
  if (!g_module_symbol (module, POSTBAG_PLUGIN_SYMBOL, &symbol) || symbol == NULL)
    {
      refuse (error, "The module does not export “" POSTBAG_PLUGIN_SYMBOL "”.");
      return NULL;
    }
  descriptor = symbol;
  if (!check_descriptor (manifest, descriptor, error)
      || !check_table (manifest, descriptor->implementation, error))
    return NULL;
  return descriptor->implementation;
}
