/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loading: each source fills the groups over the one before, in the order file, environment,
 * command line; then the accounts are settled. The passwords leave the environment first, before
 * anything that can fail. */

#include "config/postbag-config-private.h"

#include "base/postbag-error.h"
#include "config/postbag-config-accounts-private.h"
#include "config/postbag-config-filter-private.h"
#include "config/postbag-config-group-private.h"

#include <string.h>

#define GUARDED "guarded"
#define ENVIRONMENT_ACCOUNT "default"
#define MAILDIR_ACCOUNT "local"

struct _PostbagConfig
{
  char *path; /* (nullable) */
  PostbagConfigGroup *core;
  PostbagConfigGroup *guarded;
  GPtrArray *groups; /* PostbagConfigGroup: accounts */

  char **toolsets;
  GPtrArray *accounts; /* PostbagAccount */
  PostbagSettings *core_settings;
  PostbagSettings *guarded_settings;
  PostbagSettings *no_settings; /* of a toolset the table does not know */
};

static void
free_group (gpointer data)
{
  postbag_config_group_free (data);
}

static void
free_account (gpointer data)
{
  postbag_account_free (data);
}

static PostbagConfig *
create_config (void)
{
  PostbagConfig *self = g_new0 (PostbagConfig, 1);

  self->core = postbag_config_group_new (POSTBAG_CONFIG_CORE, NULL);
  self->guarded = postbag_config_group_new (POSTBAG_CONFIG_GUARDED, GUARDED);
  self->groups = g_ptr_array_new_with_free_func (free_group);
  self->accounts = g_ptr_array_new_with_free_func (free_account);
  self->no_settings = postbag_settings_new ();
  return self;
}

void
postbag_config_free (PostbagConfig *self)
{
  g_free (self->path);
  postbag_config_group_free (self->core);
  postbag_config_group_free (self->guarded);
  g_ptr_array_unref (self->groups);
  g_strfreev (self->toolsets);
  g_ptr_array_unref (self->accounts);
  g_clear_pointer (&self->core_settings, postbag_settings_unref);
  g_clear_pointer (&self->guarded_settings, postbag_settings_unref);
  postbag_settings_unref (self->no_settings);
  g_free (self);
}

static gboolean
has_toolset (const PostbagConfig *self, const char *toolset)
{
  return g_strv_contains ((const char *const *)self->toolsets, toolset);
}

/* --- the sources --- */

/* An option of the command line, checked like any other value. */
static gboolean
read_option (PostbagConfigGroup *group, const char *key, const char *text, const char *option,
             GPtrArray *warnings, GError **error)
{
  guint row;

  if (text == NULL || !postbag_config_table_find (group->scope, key, &row))
    return TRUE;
  return postbag_config_group_read (group, row, text, option, option, warnings, error);
}

/* The file comes first, but which one it is the environment and the command line say. */
static gboolean
read_file (PostbagConfig *self, const PostbagConfigOptions *options,
           const PostbagConfigEnvironment *environment, GPtrArray *warnings, GError **error)
{
  PostbagConfigFile file = { NULL, self->core, self->guarded, self->groups };
  gboolean fine;
  guint row;

  if (postbag_config_table_find (POSTBAG_CONFIG_CORE, "config", &row)
      && !read_option (self->core, "config", postbag_config_environment_get (environment, row),
                       "POSTBAG_CONFIG", warnings, error))
    return FALSE;
  if (!read_option (self->core, "config", options->config_file, "--config", warnings, error))
    return FALSE;
  fine = postbag_config_file_read (&file, postbag_config_group_get (self->core, "config"), warnings,
                                   error);
  self->path = file.path;
  return fine;
}

static gboolean
read_options (PostbagConfig *self, const PostbagConfigOptions *options, GPtrArray *warnings,
              GError **error)
{
  if (options->require_person)
    postbag_config_group_set (self->core, "require-person", "true", "--require-person");
  if (!read_option (self->core, "config", options->config_file, "--config", warnings, error)
      || !read_option (self->core, "toolset", options->toolset, "--toolset", warnings, error)
      || !read_option (self->core, "maildir", options->maildir, "--maildir", warnings, error))
    return FALSE;
  self->toolsets = g_strsplit (postbag_config_group_get (self->core, "toolset"), ",", -1);
  return TRUE;
}

static PostbagConfigGroup *
find_or_add_account (PostbagConfig *self, const char *name)
{
  PostbagConfigGroup *group;

  for (guint i = 0; i < self->groups->len; i++)
    {
      group = g_ptr_array_index (self->groups, i);
      if (strcmp (group->name, name) == 0)
        {
          /* What the environment names is the default account: the first one. */
          g_ptr_array_steal_index (self->groups, i);
          g_ptr_array_insert (self->groups, 0, group);
          return group;
        }
    }
  group = postbag_config_group_new (POSTBAG_CONFIG_ACCOUNT, name);
  g_ptr_array_insert (self->groups, 0, group);
  return group;
}

static gboolean
has_account_variables (const PostbagConfigEnvironment *environment)
{
  for (guint i = 0; i < postbag_config_table_get_size (); i++)
    {
      const char *value = postbag_config_environment_get (environment, i);

      if (value != NULL && *value != '\0'
          && postbag_config_table_get_row (i)->scope == POSTBAG_CONFIG_ACCOUNT)
        return TRUE;
    }
  return FALSE;
}

/* The folder is the only account then: what it is called in the file may say more about it. */
static void
use_maildir (PostbagConfig *self)
{
  PostbagConfigGroup *account = find_or_add_account (self, MAILDIR_ACCOUNT);

  g_ptr_array_set_size (self->groups, 1);
  postbag_config_group_set (account, "backend", "maildir",
                            postbag_config_group_get_source (self->core, "maildir"));
  postbag_config_group_set (account, "path", postbag_config_group_get (self->core, "maildir"),
                            postbag_config_group_get_source (self->core, "maildir"));
}

/* A dialect is read only for its loaded toolset. */
static gboolean
read_dialect (PostbagConfig *self, const PostbagConfigEnvironment *environment, GPtrArray *warnings,
              GError **error)
{
  gboolean loaded = has_toolset (self, GUARDED);
  gboolean has_maildir = postbag_config_group_get (self->core, "maildir") != NULL;
  PostbagConfigGroup *account;

  if (!postbag_config_environment_check (environment, (const char *const *)self->toolsets, warnings,
                                         error))
    return FALSE;
  if (loaded
      && !postbag_config_environment_apply (environment, GUARDED, self->guarded, warnings, error))
    return FALSE;
  if (has_maildir)
    {
      use_maildir (self);
      return TRUE;
    }
  if (!loaded || !has_account_variables (environment))
    return TRUE;
  account = find_or_add_account (self, ENVIRONMENT_ACCOUNT);
  account->in_environment = TRUE;
  return postbag_config_environment_apply (environment, GUARDED, account, warnings, error);
}

/* Not a setting of its own: tool definitions offer a choice of account only where there is one. */
static void
tell_accounts (PostbagConfig *self)
{
  const char *count = self->accounts->len > 1 ? "several" : NULL;

  postbag_settings_set (self->guarded_settings, "accounts", count);
  postbag_settings_set (self->no_settings, "accounts", count);
}

static gboolean
settle (PostbagConfig *self, const PostbagConfigOptions *options, GPtrArray *warnings,
        GError **error)
{
  PostbagConfigPlan plan = {
    .options = options,
    .core = self->core,
    .guarded = self->guarded,
    .guarded_loaded = has_toolset (self, GUARDED),
    .accounts = self->groups,
    .warnings = warnings,
  };

  if (!postbag_config_settle_accounts (&plan, error))
    return FALSE;
  for (guint i = 0; i < self->groups->len; i++)
    g_ptr_array_add (self->accounts,
                     postbag_config_make_account (g_ptr_array_index (self->groups, i), self->core));
  self->core_settings = postbag_config_group_to_settings (self->core);
  self->guarded_settings = postbag_config_group_to_settings (self->guarded);
  tell_accounts (self);
  if (plan.guarded_loaded && !postbag_settings_get_boolean (self->guarded_settings, "elicitation"))
    g_ptr_array_add (warnings, g_strdup ("ELICITATION is “false”: changes are confirmed by a "
                                         "second call, no person is asked."));
  return TRUE;
}

static gboolean
load (PostbagConfig *self, const PostbagConfigOptions *options,
      const PostbagConfigEnvironment *environment, GPtrArray *warnings, GError **error)
{
  return read_file (self, options, environment, warnings, error)
         && postbag_config_environment_apply (environment, NULL, self->core, warnings, error)
         && read_options (self, options, warnings, error)
         && read_dialect (self, environment, warnings, error)
         && settle (self, options, warnings, error);
}

PostbagConfig *
postbag_config_load (const PostbagConfigOptions *options, char **environment, GPtrArray **warnings,
                     GError **error)
{
  g_autoptr (PostbagConfigEnvironment) taken = postbag_config_environment_take (environment);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PostbagConfig) self = create_config ();
  gboolean fine = load (self, options, taken, lines, error);

  if (warnings != NULL)
    *warnings = g_steal_pointer (&lines);
  return fine ? g_steal_pointer (&self) : NULL;
}

/* --- questions --- */

const char *const *
postbag_config_get_toolsets (PostbagConfig *self)
{
  return (const char *const *)self->toolsets;
}

GPtrArray *
postbag_config_get_accounts (PostbagConfig *self)
{
  return self->accounts;
}

PostbagSettings *
postbag_config_get_settings (PostbagConfig *self, const char *toolset)
{
  return strcmp (toolset, GUARDED) == 0 ? self->guarded_settings : self->no_settings;
}

PostbagSettings *
postbag_config_get_core_settings (PostbagConfig *self)
{
  return self->core_settings;
}

/* What a person calls a list: where it was given, else its variable. */
static const char *
name_list (const PostbagConfig *self, const char *key, const char *variable)
{
  const char *source = postbag_config_group_get_source (self->guarded, key);

  return source == NULL || strcmp (source, variable) == 0 ? variable : key;
}

static void
fill_filter (const PostbagConfig *self, PostbagToolFilter *filter)
{
  filter->allow = postbag_config_group_get (self->guarded, "allow-tools");
  filter->allow_name = name_list (self, "allow-tools", "IMAP_ALLOW_TOOLS");
  filter->deny = postbag_config_group_get (self->guarded, "deny-tools");
  filter->deny_name = name_list (self, "deny-tools", "IMAP_DENY_TOOLS");
  filter->read_only = postbag_settings_get_boolean (self->guarded_settings, "read-only");
  filter->no_tracking =
      postbag_settings_get_string (self->guarded_settings, "seen-keyword") == NULL;
}

char *
postbag_config_explain_absent (PostbagConfig *self, const char *toolset, const char *tool)
{
  PostbagToolFilter filter = { 0 };

  if (strcmp (toolset, GUARDED) != 0)
    return NULL;
  fill_filter (self, &filter);
  return postbag_tool_filter_explain (&filter, tool);
}

char **
postbag_config_filter_tools (PostbagConfig *self, const char *toolset, const char *const *tools,
                             GPtrArray *warnings, GError **error)
{
  PostbagToolFilter filter = { .catalogue = tools };

  if (strcmp (toolset, GUARDED) != 0)
    return g_strdupv ((char **)tools);
  fill_filter (self, &filter);
  return postbag_tool_filter_apply (&filter, warnings, error);
}

char *
postbag_config_show (PostbagConfig *self, gboolean json)
{
  g_autoptr (GPtrArray) groups = g_ptr_array_new ();

  g_ptr_array_add (groups, self->core);
  for (guint i = 0; i < self->groups->len; i++)
    g_ptr_array_add (groups, g_ptr_array_index (self->groups, i));
  if (has_toolset (self, GUARDED))
    g_ptr_array_add (groups, self->guarded);
  return postbag_config_show_groups (self->path, groups, json);
}
