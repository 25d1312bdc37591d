/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "safety/postbag-attachment-policy.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/postbag-error.h"
#include "safety/postbag-attachment-policy-private.h"

typedef struct
{
  char *folder;
  GBytes *data;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("postbag-save-XXXXXX", NULL);
  self->data = g_bytes_new_static ("hello", 5);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (self->folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (self->folder, name, NULL);

      g_remove (path);
    }
  g_rmdir (self->folder);
  g_free (self->folder);
  g_bytes_unref (self->data);
}

static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint count = 0;

  while (g_dir_read_name (dir) != NULL)
    count++;
  return count;
}

static void
check_saved (Fixture *self, const char *filename, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = postbag_save_attachment (self->folder, filename, self->data, &error);
  g_autofree char *wanted = g_build_filename (self->folder, expected, NULL);
  g_autofree char *content = NULL;
  GStatBuf info;

  g_assert_no_error (error);
  g_assert_cmpstr (path, ==, wanted);
  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, "hello");
  g_assert_cmpint (g_lstat (path, &info), ==, 0);
  g_assert_true (S_ISREG (info.st_mode));
  g_assert_cmpuint (info.st_mode & 07777, ==, 0600);
  g_assert_cmpuint (info.st_nlink, ==, 1);
}

static void
test_names (Fixture *self, gconstpointer data)
{
  check_saved (self, "report.pdf", "report.pdf");
  check_saved (self, "report.pdf", "report (2).pdf");
  check_saved (self, "report.pdf", "report (3).pdf");
  check_saved (self, "../../etc/passwd", "_.._etc_passwd");
  check_saved (self, "/etc/passwd", "_etc_passwd");
  check_saved (self, "..", "attachment");
  check_saved (self, NULL, "attachment (2)");
  check_saved (self, ".bashrc", "bashrc");
  check_saved (self, "-rf", "_-rf");
  check_saved (self, "a.txt. . ", "a.txt");
  check_saved (self, "a\nb\x1b[0m.txt", "a b[0m.txt");
  check_saved (self, "protokoll\u202efdp.exe", "protokollfdp.exe");
  g_assert_cmpuint (count_files (self->folder), ==, 12);
}

static void
test_long_names (Fixture *self, gconstpointer data)
{
  g_autofree char *x = g_strnfill (300, 'x');
  g_autofree char *ascii = g_strconcat (x, ".docx", NULL);
  g_autofree char *dots = g_strconcat ("a.", x, NULL);
  g_autoptr (GString) wide = g_string_new (NULL);
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;
  g_autofree char *third = NULL;
  g_autofree char *path = NULL;

  for (guint i = 0; i < 200; i++)
    g_string_append (wide, "ä");
  g_string_append (wide, ".docx");
  first = postbag_save_make_name (ascii);
  second = postbag_save_make_name (wide->str);
  third = postbag_save_make_name (dots);
  g_assert_cmpuint (strlen (first), ==, 200);
  g_assert_true (g_str_has_suffix (first, "x.docx"));
  g_assert_cmpuint (strlen (second), ==, 199); /* 97 letters of two bytes, 5 */
  g_assert_true (g_utf8_validate (second, -1, NULL));
  g_assert_true (g_str_has_suffix (second, "ä.docx"));
  g_assert_cmpuint (strlen (third), ==, 200);
  path = postbag_save_attachment (self->folder, wide->str, self->data, NULL);
  g_assert_nonnull (path);
}

static void
test_symlinks (Fixture *self, gconstpointer data)
{
  g_autofree char *dangling = g_build_filename (self->folder, "a.txt", NULL);
  g_autofree char *target = g_build_filename (self->folder, "victim", NULL);
  g_autofree char *existing = g_build_filename (self->folder, "b.txt", NULL);
  g_autofree char *outside = g_build_filename (g_get_tmp_dir (), "postbag-must-not-exist", NULL);
  g_autofree char *content = NULL;

  g_assert_cmpint (symlink (outside, dangling), ==, 0);
  g_assert_true (g_file_set_contents (target, "old", -1, NULL));
  g_assert_cmpint (symlink (target, existing), ==, 0);
  check_saved (self, "a.txt", "a (2).txt");
  check_saved (self, "b.txt", "b (2).txt");
  g_assert_false (g_file_test (outside, G_FILE_TEST_EXISTS));
  g_assert_true (g_file_get_contents (target, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, "old");
}

static void
test_fifty_tries (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 50; i++)
    {
      g_autofree char *path = postbag_save_attachment (self->folder, "x", self->data, &error);

      g_assert_no_error (error);
    }
  g_assert_null (postbag_save_attachment (self->folder, "x", self->data, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT);
  g_assert_cmpuint (count_files (self->folder), ==, 50);
}

static void
test_refused_folders (Fixture *self, gconstpointer data)
{
  g_autofree char *missing = g_build_filename (self->folder, "missing", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (postbag_save_attachment (missing, "x", self->data, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "does not exist"));
  g_clear_error (&error);
  g_assert_null (postbag_save_attachment ("relative", "x", self->data, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  if (geteuid () == 0)
    {
      /* root writes everywhere but in the kernel's own folders */
      g_assert_null (postbag_save_attachment ("/proc", "x", self->data, &error));
      g_assert_nonnull (error);
      return;
    }
  g_chmod (self->folder, 0500);
  g_assert_null (postbag_save_attachment (self->folder, "x", self->data, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED);
  g_chmod (self->folder, 0700);
}

static void
test_no_space (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  struct rlimit old, small;

  /* a file size limit stands in for a full disk: the write fails half way */
  if (g_test_subprocess ())
    {
      g_autoptr (GBytes) big = g_bytes_new_take (g_malloc0 (100000), 100000);

      signal (SIGXFSZ, SIG_IGN);
      getrlimit (RLIMIT_FSIZE, &old);
      small = old;
      small.rlim_cur = 50000;
      setrlimit (RLIMIT_FSIZE, &small);
      g_assert_null (postbag_save_attachment (self->folder, "x", big, &error));
      setrlimit (RLIMIT_FSIZE, &old);
      g_assert_nonnull (error);
      g_assert_cmpuint (count_files (self->folder), ==, 0); /* nothing is left behind */
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/save/names", Fixture, NULL, set_up, test_names, tear_down);
  g_test_add ("/save/long-names", Fixture, NULL, set_up, test_long_names, tear_down);
  g_test_add ("/save/symlinks", Fixture, NULL, set_up, test_symlinks, tear_down);
  g_test_add ("/save/fifty-tries", Fixture, NULL, set_up, test_fifty_tries, tear_down);
  g_test_add ("/save/refused-folders", Fixture, NULL, set_up, test_refused_folders, tear_down);
  g_test_add ("/save/no-space", Fixture, NULL, set_up, test_no_space, tear_down);
  return g_test_run ();
}
