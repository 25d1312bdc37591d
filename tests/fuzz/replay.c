/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Feeds a fuzz target every file of the folder given by argument, whole and cut off: what a fuzzer
 * has found once is held by every build. */

#include <glib.h>

#include "fuzz.h"

/* A longer file is only cut off at its first bytes. */
#define MAX_CUTS 512

static void
replay_file (gconstpointer data)
{
  const char *path = data;
  g_autofree char *text = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  for (gsize cut = 0; cut < MIN (length, MAX_CUTS); cut++)
    {
      /* A copy of its own size, so that a read past the end is seen. */
      g_autofree char *beginning = g_memdup2 (text, cut);

      g_assert_cmpint (LLVMFuzzerTestOneInput ((const uint8_t *)beginning, cut), ==, 0);
    }
  g_assert_cmpint (LLVMFuzzerTestOneInput ((const uint8_t *)text, length), ==, 0);
}

int
main (int argc, char **argv)
{
  g_autoptr (GDir) dir = NULL;
  const char *name;

  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2);
  dir = g_dir_open (argv[1], 0, NULL);
  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *test = g_strconcat ("/replay/", name, NULL);

      g_test_add_data_func_full (test, g_build_filename (argv[1], name, NULL), replay_file, g_free);
    }
  return g_test_run ();
}
