/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-error.h"
#include "base/postbag-paths-private.h"

#include <glib/gstdio.h>
#include <unistd.h>

typedef struct
{
  char *root;
  char *deep; /* root/1/2/3/4/5 */
  char *marker;
} Fixture;

static void
write_marker (const Fixture *fixture, const char *build_dir)
{
  g_autofree char *text = g_strdup_printf ("[Uninstalled]\nBuildDir=%s\n", build_dir);

  g_assert_true (g_file_set_contents (fixture->marker, text, -1, NULL));
  g_assert_cmpint (g_chmod (fixture->marker, 0644), ==, 0);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->root = g_dir_make_tmp ("postbag-paths-XXXXXX", NULL);
  fixture->deep = g_build_filename (fixture->root, "1/2/3/4/5", NULL);
  fixture->marker = g_build_filename (fixture->root, "postbag.uninstalled", NULL);
  g_assert_cmpint (g_mkdir_with_parents (fixture->deep, 0700), ==, 0);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  for (int depth = 5; depth > 0; depth--)
    {
      g_autofree char *parent = g_path_get_dirname (fixture->deep);

      g_assert_cmpint (g_rmdir (fixture->deep), ==, 0);
      g_free (fixture->deep);
      fixture->deep = g_steal_pointer (&parent);
    }
  g_unlink (fixture->marker);
  g_assert_cmpint (g_rmdir (fixture->root), ==, 0);
  g_free (fixture->deep);
  g_free (fixture->marker);
  g_free (fixture->root);
}

static void
assert_found (const char *directory, gboolean expected)
{
  g_autoptr (GKeyFile) marker = postbag_paths_find_marker (directory);

  g_assert_cmpint (marker != NULL, ==, expected);
}

static void
test_marker (Fixture *fixture, gconstpointer data)
{
  g_autofree char *too_deep = g_build_filename (fixture->deep, "6", NULL);

  assert_found (fixture->deep, FALSE);
  write_marker (fixture, fixture->root);
  assert_found (fixture->root, TRUE);
  assert_found (fixture->deep, TRUE); /* the sixth folder looked at */
  assert_found (too_deep, FALSE);
  write_marker (fixture, "/"); /* copied from somewhere else */
  assert_found (fixture->root, FALSE);
}

static void
test_marker_of_others (Fixture *fixture, gconstpointer data)
{
  g_autofree char *elsewhere = g_build_filename (fixture->root, "elsewhere", NULL);

  write_marker (fixture, fixture->root);
  g_assert_cmpint (g_chmod (fixture->marker, 0646), ==, 0);
  assert_found (fixture->root, FALSE);
  g_assert_cmpint (g_chmod (fixture->marker, 0644), ==, 0);
  assert_found (fixture->root, TRUE);
  g_assert_cmpint (g_rename (fixture->marker, elsewhere), ==, 0);
  g_assert_cmpint (symlink (elsewhere, fixture->marker), ==, 0);
  assert_found (fixture->root, FALSE);
  g_unlink (elsewhere);
}

static void
test_trust (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (postbag_paths_check_trusted (fixture->root, NULL));
  g_assert_cmpint (g_chmod (fixture->root, 0777), ==, 0);
  g_assert_false (postbag_paths_check_trusted (fixture->root, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED);
  g_clear_error (&error);
  g_assert_false (postbag_paths_check_trusted (fixture->marker, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
}

static void
test_trust_foreign_owner (Fixture *fixture, gconstpointer data)
{
  if (geteuid () != 0)
    {
      g_test_skip ("only root can give a file away");
      return;
    }
  write_marker (fixture, fixture->root);
  g_assert_cmpint (chown (fixture->marker, 65534, 65534), ==, 0);
  g_assert_false (postbag_paths_check_trusted (fixture->marker, NULL));
  assert_found (fixture->root, FALSE);
}

/* This program itself runs from the build tree. */
static void
test_uninstalled (void)
{
  g_autofree char *schemas = g_build_filename (g_getenv ("POSTBAG_SOURCE_DIR"), "schemas", NULL);
  g_auto (GStrv) plain = NULL;
  g_auto (GStrv) prepended = NULL;
  g_auto (GStrv) with_user = NULL;

  g_assert_cmpstr (postbag_paths_get_schema_dir (), ==, schemas);
  g_unsetenv ("POSTBAG_PLUGIN_PATH");
  plain = postbag_paths_dup_plugin_dirs (FALSE);
  g_assert_cmpuint (g_strv_length (plain), ==, 1);
  g_assert_true (g_file_test (plain[0], G_FILE_TEST_IS_DIR));
  g_setenv ("POSTBAG_PLUGIN_PATH", ":/one:/two/../three:", TRUE);
  prepended = postbag_paths_dup_plugin_dirs (FALSE);
  g_assert_cmpstr (prepended[0], ==, "/one");
  g_assert_cmpstr (prepended[1], ==, "/three");
  g_assert_cmpstr (prepended[2], ==, plain[0]);
  g_assert_null (prepended[3]);
  with_user = postbag_paths_dup_plugin_dirs (TRUE);
  g_assert_true (g_str_has_suffix (with_user[2], "/postbag/plugins"));
  g_assert_cmpstr (with_user[3], ==, plain[0]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/paths/marker", Fixture, NULL, set_up, test_marker, tear_down);
  g_test_add ("/paths/marker-of-others", Fixture, NULL, set_up, test_marker_of_others, tear_down);
  g_test_add ("/paths/trust", Fixture, NULL, set_up, test_trust, tear_down);
  g_test_add ("/paths/trust-foreign-owner", Fixture, NULL, set_up, test_trust_foreign_owner,
              tear_down);
  g_test_add_func ("/paths/uninstalled", test_uninstalled);
  return g_test_run ();
}
