/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-error.h"
#include "folder.h"
#include "plugin/postbag-registry-private.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  char *root;
  char *one;
  char *two;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->root = g_dir_make_tmp ("postbag-registry-XXXXXX", NULL);
  fixture->one = g_build_filename (fixture->root, "one", NULL);
  fixture->two = g_build_filename (fixture->root, "two", NULL);
  g_assert_cmpint (g_mkdir (fixture->one, 0700), ==, 0);
  g_assert_cmpint (g_mkdir (fixture->two, 0700), ==, 0);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  remove_tree (fixture->root);
  g_free (fixture->root);
  g_free (fixture->one);
  g_free (fixture->two);
}

/* A store plugin of that name in @root/@folder, with @rest added to its manifest. */
static void
add_store (const char *root, const char *folder, const char *name, const char *rest)
{
  g_autofree char *path = g_build_filename (root, folder, NULL);
  g_autofree char *file = g_strconcat (name, ".plugin", NULL);
  g_autofree char *manifest = g_build_filename (path, file, NULL);
  g_autofree char *module = g_build_filename (path, "m.so", NULL);
  g_autofree char *text = g_strdup_printf (
      "[Plugin]\nName=%s\nKind=store\nABI=0\nModule=m\nBackends=%s\n%s", name, name, rest);

  g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
  g_assert_true (g_file_set_contents (manifest, text, -1, NULL));
  g_assert_true (g_file_set_contents (module, "", 0, NULL));
}

static PostbagRegistry *
open_registry (const Fixture *fixture)
{
  const char *dirs[] = { fixture->one, "/nowhere/at/all", fixture->two, NULL };

  return postbag_registry_new (dirs);
}

/* "name:state" of all, in order */
static char *
describe (PostbagRegistry *registry)
{
  g_autoptr (GPtrArray) manifests = postbag_registry_list (registry);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < manifests->len; i++)
    {
      const PostbagManifest *manifest = g_ptr_array_index (manifests, i);

      g_string_append_printf (
          text, "%s%s", manifest->name,
          postbag_registry_get_state (registry, manifest, NULL) == POSTBAG_PLUGIN_UNUSABLE ? "! "
                                                                                           : " ");
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
test_order_and_depth (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagRegistry) registry = NULL;
  g_autofree char *order = NULL;

  add_store (fixture->one, ".", "m", "");
  add_store (fixture->one, "x/y/z", "deep", "");
  add_store (fixture->one, "x/y/z/w", "too-deep", "");
  add_store (fixture->one, "b-1.0", "zebra", "");
  add_store (fixture->one, ".hidden", "hidden", "");
  add_store (fixture->two, "a", "apple", "");
  registry = open_registry (fixture);
  order = describe (registry);
  g_assert_cmpstr (order, ==, "apple deep m zebra ");
}

static void
test_shadowed (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagRegistry) registry = NULL;
  g_autoptr (GPtrArray) manifests = NULL;
  g_autofree char *reason = NULL;
  const PostbagManifest *found;

  add_store (fixture->one, "s", "same", "Description=first\n");
  add_store (fixture->two, "s", "same", "Description=second\n");
  registry = open_registry (fixture);
  manifests = postbag_registry_list (registry);
  g_assert_cmpuint (manifests->len, ==, 2);
  found = postbag_registry_find (registry, POSTBAG_PLUGIN_STORE, "same");
  g_assert_cmpstr (found->description, ==, "first");
  g_assert_true (found == g_ptr_array_index (manifests, 0));
  g_assert_cmpint (postbag_registry_get_state (registry, g_ptr_array_index (manifests, 1), &reason),
                   ==, POSTBAG_PLUGIN_UNUSABLE);
  g_assert_nonnull (strstr (reason, "shadowed by"));
  g_assert_nonnull (strstr (reason, "one/s/same.plugin"));
}

static void
test_broken_does_not_shadow (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagRegistry) registry = NULL;
  g_autoptr (GError) error = NULL;

  add_store (fixture->one, "s", "same", "Colour=red\n");
  add_store (fixture->two, "s", "same", "Description=second\n");
  registry = open_registry (fixture);
  g_assert_cmpstr (postbag_registry_find (registry, POSTBAG_PLUGIN_STORE, "same")->description, ==,
                   "second");
  /* A module that cannot be opened is told with its own reason, and nobody takes its place. */
  for (int i = 0; i < 2; i++)
    {
      g_assert_null (postbag_registry_load (registry, POSTBAG_PLUGIN_STORE, "same", &error));
      g_assert_nonnull (strstr (error->message, "cannot be opened"));
      g_clear_error (&error);
    }
}

static void
test_find (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagRegistry) registry = NULL;

  add_store (fixture->one, "s", "imap", "");
  add_store (fixture->one, "t", "bad", "Colour=red\n");
  registry = open_registry (fixture);
  g_assert_nonnull (postbag_registry_find (registry, POSTBAG_PLUGIN_STORE, "bad"));
  g_assert_null (postbag_registry_find (registry, POSTBAG_PLUGIN_TOOLSET, "imap"));
  g_assert_cmpstr (postbag_registry_find_type (registry, POSTBAG_PLUGIN_STORE, "imap")->name, ==,
                   "imap");
  g_assert_null (postbag_registry_find_type (registry, POSTBAG_PLUGIN_STORE, "bad"));
  g_assert_null (postbag_registry_find_type (registry, POSTBAG_PLUGIN_EXTRACTOR, "imap"));
}

static void
test_circle (Fixture *fixture, gconstpointer data)
{
  g_autofree char *link = g_build_filename (fixture->one, "again", NULL);
  g_autoptr (PostbagRegistry) registry = NULL;
  g_autofree char *order = NULL;

  add_store (fixture->one, ".", "m", "");
  g_assert_cmpint (symlink (fixture->one, link), ==, 0);
  registry = open_registry (fixture);
  order = describe (registry);
  g_assert_cmpstr (order, ==, "m ");
}

static void
test_many (Fixture *fixture, gconstpointer data)
{
  g_autoptr (PostbagRegistry) registry = NULL;
  g_autoptr (GPtrArray) manifests = NULL;

  for (int i = 0; i < 300; i++)
    {
      g_autofree char *name = g_strdup_printf ("p%03d", i);

      add_store (fixture->one, "s", name, "");
    }
  registry = open_registry (fixture);
  manifests = postbag_registry_list (registry);
  g_assert_cmpuint (manifests->len, ==, 256);
}

static PostbagPluginState
try_broken (PostbagRegistry *registry, const char *name, char **reason)
{
  const PostbagManifest *manifest = postbag_registry_find (registry, POSTBAG_PLUGIN_TOOLSET, name);

  g_assert_nonnull (manifest);
  postbag_registry_try (registry, manifest);
  return postbag_registry_get_state (registry, manifest, reason);
}

/* A module runs code of its own while it is opened; this program lives on whatever it does. */
static void
test_try (void)
{
  static const struct
  {
    const char *name;
    PostbagPluginState state;
    const char *reason;
  } rows[] = {
    { "sound", POSTBAG_PLUGIN_READY, NULL },
    { "wrong-abi", POSTBAG_PLUGIN_UNUSABLE, "plugin ABI 99" },
    { "aborting", POSTBAG_PLUGIN_UNUSABLE, "crashes while it is opened" },
    { "exiting", POSTBAG_PLUGIN_UNUSABLE, "ends the program that opens it" },
  };
  const char *dirs[] = { g_getenv ("POSTBAG_TEST_BROKEN_PLUGINS"), NULL };
  g_autoptr (PostbagRegistry) registry = postbag_registry_new (dirs);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *reason = NULL;

      g_assert_cmpint (try_broken (registry, rows[i].name, &reason), ==, rows[i].state);
      if (rows[i].reason == NULL)
        g_assert_null (reason);
      else
        g_assert_nonnull (strstr (reason, rows[i].reason));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/registry/order-and-depth", Fixture, NULL, set_up, test_order_and_depth, tear_down);
  g_test_add ("/registry/shadowed", Fixture, NULL, set_up, test_shadowed, tear_down);
  g_test_add_func ("/registry/try", test_try);
  g_test_add ("/registry/broken-does-not-shadow", Fixture, NULL, set_up,
              test_broken_does_not_shadow, tear_down);
  g_test_add ("/registry/find", Fixture, NULL, set_up, test_find, tear_down);
  g_test_add ("/registry/circle", Fixture, NULL, set_up, test_circle, tear_down);
  g_test_add ("/registry/many", Fixture, NULL, set_up, test_many, tear_down);
  return g_test_run ();
}
