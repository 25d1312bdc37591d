/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-error.h"
#include "plugin/postbag-registry-private.h"

#include <string.h>

/* Each module of tests/plugins/broken, and what its reason has to say. */
static const struct
{
  const char *name;
  const char *reason;
} cases[] = {
  { "wrong-abi", "built for plugin ABI 99; this Postbag has ABI 0 for the kind toolset" },
  { "small-descriptor", "descriptor has 8 bytes" },
  { "other-kind", "The manifest says toolset, the module says store" },
  { "other-name", "Name is “other-name”, the module has another one" },
  { "no-name", "Name is “no-name”, the module has another one" },
  { "no-table", "descriptor has no implementation" },
  { "small-table", "table of functions has 4 bytes" },
  { "missing-handler", "lists the tool “second”, but the module has no handler" },
  { "extra-handler", "has a handler “third” that the manifest's Tools lack" },
  { "null-handler", "Handler number 2 has no name or no function" },
  { "no-symbol", "does not export “postbag_plugin_descriptor”" },
  { "missing-reference", "nobody_has_this" },
  { "garbage", "cannot be opened" },
};

static PostbagRegistry *
open_registry (void)
{
  const char *dirs[] = { g_getenv ("POSTBAG_TEST_BROKEN_PLUGINS"), NULL };

  g_assert_nonnull (dirs[0]);
  return postbag_registry_new (dirs);
}

static void
test_broken (void)
{
  g_autoptr (PostbagRegistry) registry = open_registry ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const PostbagManifest *manifest =
          postbag_registry_find (registry, POSTBAG_PLUGIN_TOOLSET, cases[i].name);
      g_autoptr (GError) error = NULL;
      g_autofree char *reason = NULL;
      g_autofree char *again = NULL;

      g_assert_nonnull (manifest);
      g_assert_cmpint (postbag_registry_get_state (registry, manifest, &reason), ==,
                       POSTBAG_PLUGIN_READY);
      g_assert_null (reason);
      g_assert_null (
          postbag_registry_load (registry, POSTBAG_PLUGIN_TOOLSET, cases[i].name, &error));
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED);
      if (strstr (error->message, cases[i].reason) == NULL)
        g_error ("%s: %s", cases[i].name, error->message);
      g_assert_cmpint (postbag_registry_get_state (registry, manifest, &again), ==,
                       POSTBAG_PLUGIN_UNUSABLE);
      g_assert_nonnull (strstr (again, cases[i].reason));
      g_assert_null (postbag_registry_load (registry, POSTBAG_PLUGIN_TOOLSET, cases[i].name, NULL));
    }
}

static void
test_sound (void)
{
  g_autoptr (PostbagRegistry) registry = open_registry ();
  const PostbagManifest *manifest =
      postbag_registry_find (registry, POSTBAG_PLUGIN_TOOLSET, "sound");
  const PostbagToolsetImplementation *toolset =
      postbag_registry_load (registry, POSTBAG_PLUGIN_TOOLSET, "sound", NULL);

  g_assert_nonnull (toolset);
  g_assert_cmpuint (toolset->n_tools, ==, 2);
  g_assert_cmpstr (toolset->tools[1].name, ==, "second");
  g_assert_cmpint (postbag_registry_get_state (registry, manifest, NULL), ==,
                   POSTBAG_PLUGIN_LOADED);
  g_assert_true (toolset
                 == postbag_registry_load (registry, POSTBAG_PLUGIN_TOOLSET, "sound", NULL));
}

static gpointer
load_sound (gpointer registry)
{
  return (gpointer)postbag_registry_load (registry, POSTBAG_PLUGIN_TOOLSET, "sound", NULL);
}

static void
test_threads (void)
{
  g_autoptr (PostbagRegistry) registry = open_registry ();
  GThread *threads[8];
  gpointer first = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("load", load_sound, registry);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      gpointer table = g_thread_join (threads[i]);

      g_assert_nonnull (table);
      g_assert_true (first == NULL || first == table);
      first = table;
    }
}

static void
test_missing (void)
{
  g_autoptr (PostbagRegistry) registry = open_registry ();
  const PostbagManifest *manifest =
      postbag_registry_find (registry, POSTBAG_PLUGIN_TOOLSET, "no-module");
  g_autoptr (GError) error = NULL;
  g_autofree char *reason = NULL;

  g_assert_cmpint (postbag_registry_get_state (registry, manifest, &reason), ==,
                   POSTBAG_PLUGIN_UNUSABLE);
  g_assert_nonnull (strstr (reason, "postbag-no-module.so"));
  g_assert_null (postbag_registry_load (registry, POSTBAG_PLUGIN_TOOLSET, "soundd", &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "did you mean “sound”?"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/loader/broken", test_broken);
  g_test_add_func ("/loader/sound", test_sound);
  g_test_add_func ("/loader/threads", test_threads);
  g_test_add_func ("/loader/missing", test_missing);
  return g_test_run ();
}
