/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cli/postbag-program-private.h"

#include <unistd.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-log-private.h"
#include "base/postbag-paths-private.h"
#include "base/postbag-state.h"
#include "cli/postbag-digest.h"
#include "extract/postbag-extraction.h"

extern char **environ;

static void
log_warnings (GPtrArray *warnings)
{
  for (guint i = 0; warnings != NULL && i < warnings->len; i++)
    g_warning ("%s", (const char *)g_ptr_array_index (warnings, i));
}

static const PostbagToolsetImplementation *
load_toolset (const char *toolset, gpointer user_data, GError **error)
{
  return postbag_registry_load (user_data, POSTBAG_PLUGIN_TOOLSET, toolset, error);
}

static const PostbagStoreImplementation *
load_backend (const char *backend, gpointer user_data, GError **error)
{
  const PostbagManifest *manifest =
      postbag_registry_find_type (user_data, POSTBAG_PLUGIN_STORE, backend);

  if (manifest == NULL)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                   "This Postbag has no plugin for “%s” accounts. “postbag plugins” lists what is "
                   "there; a local Maildir works with --maildir FOLDER.",
                   backend);
      return NULL;
    }
  return postbag_registry_load (user_data, POSTBAG_PLUGIN_STORE, manifest->name, error);
}

static gboolean
check_usable (PostbagRegistry *registry, const PostbagManifest *manifest, const char *name,
              GError **error)
{
  g_autofree char *reason = NULL;

  if (manifest == NULL)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
                   "There is no toolset “%s”. “postbag plugins” lists the toolsets.", name);
      return FALSE;
    }
  if (postbag_registry_get_state (registry, manifest, &reason) != POSTBAG_PLUGIN_UNUSABLE)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
               "The toolset “%s” cannot be used: %s", name, reason);
  return FALSE;
}

/* Whoever asks for a tool that was left out hears why. */
static void
add_absent (PostbagProgram *self, const char *toolset, const PostbagManifest *manifest,
            const char *const *tools)
{
  for (char **tool = manifest->tools; *tool != NULL; tool++)
    {
      g_autofree char *reason = NULL;

      if (g_strv_contains (tools, *tool))
        continue;
      reason = postbag_config_explain_absent (self->config, toolset, *tool);
      if (reason != NULL)
        postbag_surface_add_absent (self->surface, *tool, reason);
    }
}

static gboolean
add_toolset (PostbagProgram *self, const char *name, GString *instructions, GError **error)
{
  const PostbagManifest *manifest =
      postbag_registry_find (self->registry, POSTBAG_PLUGIN_TOOLSET, name);
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) tools = NULL;
  g_autofree char *words = NULL;

  if (!check_usable (self->registry, manifest, name, error))
    return FALSE;
  tools = postbag_config_filter_tools (self->config, name, (const char *const *)manifest->tools,
                                       warnings, error);
  log_warnings (warnings);
  if (tools == NULL)
    return FALSE;
  add_absent (self, name, manifest, (const char *const *)tools);
  words = postbag_instructions_read (manifest->schema_dir);
  if (words != NULL)
    g_string_append_printf (instructions, "%s%s", instructions->len > 0 ? "\n\n" : "", words);
  return postbag_surface_add_toolset (
      self->surface, name, (const char *const *)tools, manifest->schema_dir,
      postbag_config_get_settings (self->config, name), load_toolset, self->registry, error);
}

static gboolean
build_surface (PostbagProgram *self, gboolean user_plugins, GError **error)
{
  const char *const *toolsets = postbag_config_get_toolsets (self->config);
  g_autoptr (GString) instructions = g_string_new (NULL);

  self->surface = postbag_surface_new ();
  for (gsize i = 0; toolsets[i] != NULL; i++)
    {
      if (!add_toolset (self, toolsets[i], instructions, error))
        return FALSE;
    }
  postbag_instructions_add_policy (instructions, self->config);
  postbag_surface_set_instructions (self->surface, instructions->str);
  postbag_surface_add_service (self->surface, POSTBAG_TYPE_ACCOUNTS, g_object_ref (self->accounts));
  postbag_surface_add_service (self->surface, POSTBAG_TYPE_EXTRACTION,
                               postbag_cli_make_extraction (self->registry, user_plugins));
  return TRUE;
}

static void
build_accounts (PostbagProgram *self)
{
  GPtrArray *accounts = postbag_config_get_accounts (self->config);

  self->accounts = postbag_accounts_new (load_backend, self->registry, self->state_dir);
  for (guint i = 0; i < accounts->len; i++)
    postbag_accounts_add (self->accounts, postbag_account_copy (g_ptr_array_index (accounts, i)));
}

static void
open_state (PostbagProgram *self)
{
  PostbagSettings *core = postbag_config_get_core_settings (self->config);
  g_autoptr (GError) error = NULL;

  self->state_dir = postbag_state_open (postbag_settings_get_string (core, "state-dir"), &error);
  if (self->state_dir == NULL)
    g_warning ("Nothing is remembered beyond this run: %s", error->message);
}

static void
build_server (PostbagProgram *self)
{
  PostbagSettings *core = postbag_config_get_core_settings (self->config);
  PostbagServerOptions options = { 0 };

  self->seal = postbag_seal_new (self->state_dir, postbag_clock_get_system ());
  options.surface = self->surface;
  options.clock = postbag_clock_get_system ();
  options.seal = self->seal;
  options.validate_results = postbag_settings_get_boolean (core, "validate-results");
  options.require_person = postbag_settings_get_boolean (core, "require-person");
  self->server = postbag_server_new (&options);
}

PostbagProgram *
postbag_program_new (const PostbagCli *cli, GError **error)
{
  g_autoptr (PostbagProgram) self = g_new0 (PostbagProgram, 1);
  g_autoptr (GPtrArray) warnings = NULL;
  g_auto (GStrv) directories = NULL;

  self->config = postbag_config_load (&cli->options, environ, &warnings, error);
  log_warnings (warnings);
  if (self->config == NULL)
    return NULL;
  postbag_cli_set_debug (
      postbag_settings_get_string (postbag_config_get_core_settings (self->config), "debug"));
  directories = postbag_paths_dup_plugin_dirs (cli->user_plugins);
  self->registry = postbag_registry_new ((const char *const *)directories);
  open_state (self);
  build_accounts (self);
  if (!build_surface (self, cli->user_plugins, error))
    return NULL;
  build_server (self);
  return g_steal_pointer (&self);
}

void
postbag_program_free (PostbagProgram *self)
{
  /* A handler that does not heed its cancellation still uses all this: leave it to it. */
  if (self->server != NULL && !postbag_server_shut_down (self->server))
    _exit (POSTBAG_EXIT_FAILED);
  g_clear_object (&self->server);
  g_clear_object (&self->surface);
  if (self->accounts != NULL)
    postbag_accounts_close (self->accounts);
  g_clear_object (&self->accounts);
  g_clear_pointer (&self->seal, postbag_seal_free);
  g_clear_object (&self->registry);
  g_clear_pointer (&self->config, postbag_config_free);
  g_free (self->state_dir);
  g_free (self);
}

char *
postbag_program_compute_digest (PostbagProgram *self, GError **error)
{
  const char *const *toolsets = postbag_config_get_toolsets (self->config);
  g_autoptr (GPtrArray) directories = g_ptr_array_new ();

  for (gsize i = 0; toolsets[i] != NULL; i++)
    {
      const PostbagManifest *manifest =
          postbag_registry_find (self->registry, POSTBAG_PLUGIN_TOOLSET, toolsets[i]);

      g_ptr_array_add (directories, manifest->schema_dir);
    }
  g_ptr_array_add (directories, NULL);
  return postbag_surface_compute_digest ((const char *const *)directories->pdata, error);
}

/* Only our own definitions are known at build time: with another toolset loaded there is nothing to
 * compare with. */
void
postbag_program_check_digest (PostbagProgram *self)
{
  g_autofree char *directory = g_build_filename (postbag_paths_get_schema_dir (), "guarded", NULL);
  const char *directories[] = { directory, NULL };
  g_autoptr (GError) error = NULL;
  g_autofree char *digest = NULL;

  if (!g_strv_contains (postbag_config_get_toolsets (self->config), "guarded"))
    return;
  digest = postbag_surface_compute_digest (directories, &error);
  if (digest == NULL)
    g_warning ("The tool definitions cannot be read: %s", error->message);
  else if (g_strcmp0 (digest, POSTBAG_SCHEMA_DIGEST) != 0)
    g_warning ("The tool definitions in “%s” are not those this program was built with "
               "(SHA-256 %s, expected %s). Reinstall Postbag unless you changed them yourself.",
               directory, digest, POSTBAG_SCHEMA_DIGEST);
}
