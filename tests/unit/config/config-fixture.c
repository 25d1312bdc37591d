/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

void
config_fixture_set_up (ConfigFixture *self, gconstpointer data)
{
  self->root = g_dir_make_tmp ("postbag-config-XXXXXX", NULL);
  self->path = g_build_filename (self->root, "postbag.conf", NULL);
}

static void
forget (ConfigFixture *self)
{
  g_clear_pointer (&self->config, postbag_config_free);
  g_clear_pointer (&self->warnings, g_ptr_array_unref);
  g_clear_error (&self->error);
}

void
config_fixture_tear_down (ConfigFixture *self, gconstpointer data)
{
  forget (self);
  g_unlink (self->path);
  g_assert_cmpint (g_rmdir (self->root), ==, 0);
  g_free (self->root);
  g_free (self->path);
}

void
config_fixture_write (ConfigFixture *self, const char *text)
{
  g_assert_true (
      g_file_set_contents_full (self->path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL));
  g_assert_cmpint (g_chmod (self->path, 0600), ==, 0);
}

void
config_fixture_load (ConfigFixture *self, const char *variables,
                     const PostbagConfigOptions *options)
{
  g_auto (GStrv) environment = g_strsplit (variables != NULL ? variables : "", "\n", -1);
  /* Entries are taken out of the vector, as from the real one. */
  g_autofree char **vector =
      g_memdup2 (environment, (g_strv_length (environment) + 1) * sizeof (char *));
  PostbagConfigOptions chosen = { 0 };

  forget (self);
  if (options != NULL)
    chosen = *options;
  if (chosen.config_file == NULL && g_file_test (self->path, G_FILE_TEST_EXISTS))
    chosen.config_file = self->path;
  self->config = postbag_config_load (&chosen, vector, &self->warnings, &self->error);
  g_assert_nonnull (self->warnings);
  g_assert_cmpint (self->config == NULL, ==, self->error != NULL);
}

void
config_fixture_accept (ConfigFixture *self, const char *variables)
{
  config_fixture_load (self, variables, NULL);
  g_assert_no_error (self->error);
}

void
config_fixture_refuse (ConfigFixture *self, const char *variables, const char *part)
{
  config_fixture_load (self, variables, NULL);
  if (self->error == NULL || strstr (self->error->message, part) == NULL)
    g_error ("“%s” gives “%s” instead of “%s”", variables,
             self->error != NULL ? self->error->message : "no error", part);
}

gboolean
config_fixture_has_warning (const ConfigFixture *self, const char *part)
{
  for (guint i = 0; i < self->warnings->len; i++)
    {
      if (strstr (g_ptr_array_index (self->warnings, i), part) != NULL)
        return TRUE;
    }
  return FALSE;
}

const char *
config_fixture_get (ConfigFixture *self, const char *setting)
{
  return postbag_settings_get_string (postbag_config_get_settings (self->config, "guarded"),
                                      setting);
}

const PostbagAccount *
config_fixture_get_account (ConfigFixture *self, guint index)
{
  GPtrArray *accounts = postbag_config_get_accounts (self->config);

  g_assert_cmpuint (index, <, accounts->len);
  return g_ptr_array_index (accounts, index);
}
