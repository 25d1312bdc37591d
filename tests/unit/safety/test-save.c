/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "safety/postbag-attachment-policy.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
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
  check_saved (self, "NUL", "_NUL");
  check_saved (self, "com1.pdf", "_com1.pdf");
  check_saved (self, "console.pdf", "console.pdf");
  check_saved (self, "a\nb\x1b[0m.txt", "a b[0m.txt");
  check_saved (self, "protokoll\u202efdp.exe", "protokollfdp.exe");
  g_assert_cmpuint (count_files (self->folder), ==, 15);
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

/* What is cut off must not leave a program's name behind. */
static void
test_cut_to_program (void)
{
  static const char *const ends[] = { ".exe.a-word-that-is-no-extension",
                                      ".exeandmanylettersbehind",
                                      ".exe. .a-word-that-is-no-extension" };

  for (gsize i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      g_autofree char *stem = g_strnfill (196, 'x');
      g_autofree char *name = g_strconcat (stem, ends[i], NULL);
      g_autofree char *saved = postbag_save_make_name (name);

      g_assert_false (postbag_filename_is_executable (name));
      g_assert_false (postbag_filename_is_executable (saved));
      g_assert_true (g_str_has_suffix (saved, "x.exe_"));
    }
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

/* --- what else can stand where a file should go --- */

static void
test_other_targets (Fixture *self, gconstpointer data)
{
  g_autofree char *fifo = g_build_filename (self->folder, "fifo.txt", NULL);
  g_autofree char *device = g_build_filename (self->folder, "device.txt", NULL);
  g_autofree char *folder = g_build_filename (self->folder, "folder.txt", NULL);
  g_autofree char *victim = g_build_filename (self->folder, "victim.txt", NULL);
  g_autofree char *linked = g_build_filename (self->folder, "linked.txt", NULL);
  g_autofree char *content = NULL;

  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  if (geteuid () == 0 && mknod (device, S_IFCHR | 0600, makedev (1, 3)) == 0)
    check_saved (self, "device.txt", "device (2).txt");
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (victim, "old", -1, NULL));
  g_assert_cmpint (link (victim, linked), ==, 0);
  check_saved (self, "fifo.txt", "fifo (2).txt"); /* and does not wait for a reader */
  check_saved (self, "folder.txt", "folder (2).txt");
  check_saved (self, "linked.txt", "linked (2).txt");
  g_assert_true (g_file_get_contents (victim, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, "old");
}

/* Both ways of writing, with the same outcome. */
static void
test_named_on_the_way (Fixture *self, gconstpointer data)
{
  int folder = open (self->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  for (guint i = 0; i < 2; i++)
    {
      int saved_errno = 0;
      g_autofree char *name =
          postbag_save_in_folder (folder, "a.txt", self->data, i == 0, &saved_errno);

      g_assert_cmpint (saved_errno, ==, 0);
      g_assert_cmpstr (name, ==, i == 0 ? "a.txt" : "a (2).txt");
    }
  g_assert_cmpuint (count_files (self->folder), ==, 2);
  close (folder);
}

typedef struct
{
  const char *folder;
  const char *outside;
  gint stop;
} Swapper;

/* Puts links to a file outside where names are about to be made, also in place of files on the
 * way. */
static gpointer
swap_links (gpointer user_data)
{
  Swapper *self = user_data;
  g_autofree char *target = g_build_filename (self->folder, "x.txt", NULL);

  while (!g_atomic_int_get (&self->stop))
    {
      g_autoptr (GDir) dir = g_dir_open (self->folder, 0, NULL);
      const char *name;

      while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *path = g_build_filename (self->folder, name, NULL);

          g_unlink (path);
          G_GNUC_UNUSED int made = symlink (self->outside, path);
        }
      g_unlink (target);
      G_GNUC_UNUSED int made = symlink (self->outside, target);
    }
  return NULL;
}

static void
test_racing_swapper (Fixture *self, gconstpointer data)
{
  g_autofree char *outside = g_build_filename (g_get_tmp_dir (), "postbag-victim-XXXXXX", NULL);
  int victim = g_mkstemp (outside), folder = open (self->folder, O_RDONLY | O_DIRECTORY);
  Swapper swapper = { self->folder, outside, 0 };
  g_autoptr (GThread) thread = NULL;
  g_autofree char *content = NULL;
  gint64 end = g_get_monotonic_time () + G_USEC_PER_SEC * 2;

  g_assert_cmpint (write (victim, "old", 3), ==, 3);
  close (victim);
  thread = g_thread_new ("swapper", swap_links, &swapper);
  for (guint i = 0; g_get_monotonic_time () < end; i++)
    {
      int saved_errno = 0;
      g_autofree char *name =
          postbag_save_in_folder (folder, "x.txt", self->data, i % 2 == 0, &saved_errno);

      g_assert_true (name != NULL || saved_errno != 0);
    }
  g_atomic_int_set (&swapper.stop, 1);
  g_thread_join (g_steal_pointer (&thread));
  g_assert_true (g_file_get_contents (outside, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, "old");
  g_unlink (outside);
  close (folder);
}

static void
test_quota (Fixture *self, gconstpointer data)
{
  const gint64 day = G_TIME_SPAN_DAY;

  g_assert_true (postbag_save_take_quota (10 * day, 8LL << 30));
  g_assert_false (postbag_save_take_quota (10 * day + 1, 1));
  g_assert_false (postbag_save_take_quota (11 * day - 1, 1));
  for (guint i = 0; i < 2000; i++)
    g_assert_true (postbag_save_take_quota (11 * day, 1));
  g_assert_false (postbag_save_take_quota (11 * day + 1, 1));
  g_assert_true (postbag_save_take_quota (12 * day, 1));
  g_assert_true (postbag_save_take_quota (0, 1)); /* back to the clock's own time */
}

/* --- names --- */

/* A name on disk is one component, seen, of at most 200 bytes, and nothing a program takes for an
 * option; what is shown holds no control, no invisible character. */
static void
check_name (const char *name)
{
  g_autofree char *saved = postbag_save_make_name (name);
  gsize length = strlen (saved);

  g_assert_cmpuint (length, >, 0);
  g_assert_cmpuint (length, <=, 200);
  g_assert_true (g_utf8_validate (saved, -1, NULL));
  g_assert_null (strpbrk (saved, "/\\\r\n\t"));
  g_assert_null (strchr (".-~ ", saved[0]));
  g_assert_null (strchr (". ", saved[length - 1]));
  for (const char *p = saved; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      g_assert_true (c >= ' ' && (c < 0x7f || c > 0x9f));
      g_assert_false ((c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069));
      g_assert_false (c >= 0xe0000 && c <= 0xe0fff);
    }
}

static const char *const hostile_names[] = {
  "",
  ".",
  "..",
  "...",
  "/",
  "//",
  "\\",
  "\\\\server\\share\\x",
  "/proc/self/environ",
  "/proc/self/fd/1",
  "/dev/null",
  "../../../../etc/shadow",
  "..\\..\\windows\\win.ini",
  "C:\\x",
  "C:x.txt",
  "~root",
  "~/.ssh/authorized_keys",
  "-",
  "--help",
  "-rf *",
  ".htaccess",
  ".bashrc",
  "a/../b",
  "a\nb",
  "a\rb",
  "a\tb",
  "\x1b[2J",
  "\x7f",
  "a\xff\xfe"
  "b",
  "\xc0\xaf",
  "CON",
  "nul.txt",
  "com1.pdf",
  "LPT9",
  "aux.h",
  "a.",
  "a ",
  "a. . .",
  " a",
  "\u202egpj.exe",
  "\u2066x\u2069",
  "a\u200bb",
  "\U000e0041\U000e0042",
  "\ufeff.bashrc",
  "．．／etc",
  "／etc／passwd",
  "\u2024\u2024/x",
  "$(touch x)",
  "`id`",
  "a;b",
  "a|b",
  "a&b",
  "a>b",
  "*?",
  "%00",
  "a%2fb",
  "<script>",
  "![x](y)",
  "\u2028\u2029",
  "a\u0301\u0301\u0301",
  "file://x",
  "http://x/y",
  "con\u00a0",
};

static void
test_hostile_names (Fixture *self, gconstpointer data)
{
  g_autofree char *fill = g_strnfill (4096, 'n');
  g_autofree char *dots = g_strnfill (4096, '.');
  g_autofree char *slashes = g_strnfill (4096, '/');
  const char *suites = g_getenv ("POSTBAG_SUITES");
  g_autofree char *path = NULL, *lines = NULL;
  g_auto (GStrv) naughty = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (hostile_names); i++)
    check_name (hostile_names[i]);
  check_name (fill);
  check_name (dots);
  check_name (slashes);
  if (suites == NULL)
    return;
  path = g_build_filename (suites, "strings", "blns.txt", NULL);
  g_assert_true (g_file_get_contents (path, &lines, NULL, NULL));
  naughty = g_strsplit (lines, "\n", -1);
  g_assert_cmpuint (g_strv_length (naughty), >, 500);
  for (gsize i = 0; naughty[i] != NULL; i++)
    check_name (naughty[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/save/names", Fixture, NULL, set_up, test_names, tear_down);
  g_test_add ("/save/long-names", Fixture, NULL, set_up, test_long_names, tear_down);
  g_test_add_func ("/save/cut-to-program", test_cut_to_program);
  g_test_add ("/save/symlinks", Fixture, NULL, set_up, test_symlinks, tear_down);
  g_test_add ("/save/fifty-tries", Fixture, NULL, set_up, test_fifty_tries, tear_down);
  g_test_add ("/save/refused-folders", Fixture, NULL, set_up, test_refused_folders, tear_down);
  g_test_add ("/save/no-space", Fixture, NULL, set_up, test_no_space, tear_down);
  g_test_add ("/save/other-targets", Fixture, NULL, set_up, test_other_targets, tear_down);
  g_test_add ("/save/named-on-the-way", Fixture, NULL, set_up, test_named_on_the_way, tear_down);
  g_test_add ("/save/racing-swapper", Fixture, NULL, set_up, test_racing_swapper, tear_down);
  g_test_add ("/save/quota", Fixture, NULL, set_up, test_quota, tear_down);
  g_test_add ("/save/hostile-names", Fixture, NULL, set_up, test_hostile_names, tear_down);
  return g_test_run ();
}
