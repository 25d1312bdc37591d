/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-error.h"
#include "folder.h"
#include "base/postbag-state.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

typedef struct
{
  char *root;
  char *state;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->root = g_dir_make_tmp ("postbag-state-XXXXXX", NULL);
  fixture->state = g_build_filename (fixture->root, "a/state", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  remove_tree (fixture->root);
  g_free (fixture->state);
  g_free (fixture->root);
}

static void
assert_mode (const char *path, guint expected)
{
  GStatBuf facts;

  g_assert_cmpint (g_stat (path, &facts), ==, 0);
  g_assert_cmpuint (facts.st_mode & 07777, ==, expected);
}

static void
assert_refused (const Fixture *fixture, PostbagErrorCode expected)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = postbag_state_open (fixture->state, &error);

  g_assert_null (path);
  g_assert_error (error, POSTBAG_ERROR, (int)expected);
}

static void
test_open (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = postbag_state_open (fixture->state, &error);
  g_autofree char *again = postbag_state_open (fixture->state, NULL);
  g_autofree char *version = g_build_filename (fixture->state, "version", NULL);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  g_assert_cmpstr (path, ==, fixture->state);
  g_assert_cmpstr (again, ==, fixture->state);
  assert_mode (path, 0700);
  assert_mode (version, 0600);
  g_assert_true (g_file_get_contents (version, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "1\n");
}

static void
test_environment (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = NULL;

  g_setenv ("POSTBAG_STATE_DIR", fixture->state, TRUE);
  path = postbag_state_open (NULL, NULL);
  g_unsetenv ("POSTBAG_STATE_DIR");
  g_assert_cmpstr (path, ==, fixture->state);
}

static void
test_version (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = postbag_state_open (fixture->state, NULL);
  g_autofree char *version = g_build_filename (path, "version", NULL);

  g_assert_true (g_file_set_contents (version, "2\n", -1, NULL));
  assert_refused (fixture, POSTBAG_ERROR_CONFLICT);
  g_assert_true (g_file_set_contents (version, "", -1, NULL));
  assert_refused (fixture, POSTBAG_ERROR_BAD_DATA);
  g_assert_true (g_file_set_contents (version, "1 and more", -1, NULL));
  assert_refused (fixture, POSTBAG_ERROR_BAD_DATA);
  g_assert_cmpint (g_unlink (version), ==, 0);
  g_assert_cmpint (symlink ("/dev/zero", version), ==, 0);
  assert_refused (fixture, POSTBAG_ERROR_NOT_ALLOWED);
}

static void
test_others_may_write (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = postbag_state_open (fixture->state, NULL);

  g_assert_cmpint (g_chmod (path, 0770), ==, 0);
  assert_refused (fixture, POSTBAG_ERROR_NOT_ALLOWED);
  g_assert_cmpint (g_chmod (path, 0702), ==, 0);
  assert_refused (fixture, POSTBAG_ERROR_NOT_ALLOWED);
  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
}

static void
test_parts (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *part;
    const char *expected; /* below the state folder; NULL: refused */
  } cases[] = {
    { "maildir/default", "maildir/default" },
    { "maildir/default", "maildir/default" },
    { "maildir/d\xc3\xa9"
      "f 1%",
      "maildir/d%C3%A9f%201%25" },
    { "maildir/..", "maildir/%2E." },
    { "a~b", "a%7Eb" },
    { ".", "%2E" },
    { "/x", NULL },
    { "x//y", NULL },
    { "", NULL },
  };
  g_autofree char *state = postbag_state_open (fixture->state, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *path = postbag_state_open_part (state, cases[i].part, &error);
      g_autofree char *expected = NULL;

      if (cases[i].expected == NULL)
        {
          g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
          continue;
        }
      g_assert_no_error (error);
      expected = g_build_filename (state, cases[i].expected, NULL);
      g_assert_cmpstr (path, ==, expected);
      assert_mode (path, 0700);
    }
}

static void
test_part_limits (Fixture *fixture, gconstpointer data)
{
  g_autofree char *state = postbag_state_open (fixture->state, NULL);
  g_autofree char *link = g_build_filename (state, "link", NULL);
  g_autofree char *long_name = g_strnfill (256, 'x');
  g_autoptr (GError) error = NULL;

  g_assert_null (postbag_state_open_part (state, long_name, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_cmpint (symlink ("/tmp", link), ==, 0);
  g_assert_null (postbag_state_open_part (state, "link/x", &error));
  g_assert_nonnull (error);
}

static void
test_stop (Fixture *fixture, gconstpointer data)
{
  g_autofree char *state = postbag_state_open (fixture->state, NULL);
  g_autofree char *stop = g_build_filename (state, "STOP", NULL);

  g_assert_false (postbag_state_is_stopped (NULL));
  g_assert_false (postbag_state_is_stopped (state));
  g_assert_cmpint (symlink ("/nowhere", stop), ==, 0);
  g_assert_true (postbag_state_is_stopped (state));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/state/open", Fixture, NULL, set_up, test_open, tear_down);
  g_test_add ("/state/environment", Fixture, NULL, set_up, test_environment, tear_down);
  g_test_add ("/state/version", Fixture, NULL, set_up, test_version, tear_down);
  g_test_add ("/state/others-may-write", Fixture, NULL, set_up, test_others_may_write, tear_down);
  g_test_add ("/state/parts", Fixture, NULL, set_up, test_parts, tear_down);
  g_test_add ("/state/part-limits", Fixture, NULL, set_up, test_part_limits, tear_down);
  g_test_add ("/state/stop", Fixture, NULL, set_up, test_stop, tear_down);
  return g_test_run ();
}
