/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-write.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define BYTES (300 * 1024)

static gpointer
read_all (gpointer data)
{
  int fd = GPOINTER_TO_INT (data);
  GByteArray *all = g_byte_array_new ();
  guint8 buffer[4096];
  gssize n;

  while ((n = read (fd, buffer, sizeof buffer)) > 0)
    g_byte_array_append (all, buffer, (guint)n);
  return all;
}

/* More than a pipe holds goes in as many parts as the reader makes room for. */
static void
test_parts (void)
{
  g_autofree guint8 *data = g_malloc (BYTES);
  g_autoptr (GByteArray) all = NULL;
  GThread *reader;
  int ends[2];

  for (gsize i = 0; i < BYTES; i++)
    data[i] = (guint8)(i % 251);
  g_assert_cmpint (pipe (ends), ==, 0);
  reader = g_thread_new ("reader", read_all, GINT_TO_POINTER (ends[0]));
  g_assert_true (postbag_write_all (ends[1], data, BYTES));
  close (ends[1]);
  all = g_thread_join (reader);
  close (ends[0]);
  g_assert_cmpmem (all->data, all->len, data, BYTES);
}

/* A full disk, a descriptor for reading, and nothing to write. */
static void
test_fails (void)
{
  int full = open ("/dev/full", O_WRONLY | O_CLOEXEC);
  int none = open ("/dev/null", O_RDONLY | O_CLOEXEC);

  g_assert_cmpint (full, >=, 0);
  g_assert_cmpint (none, >=, 0);
  g_assert_false (postbag_write_all (full, "x", 1));
  g_assert_cmpint (errno, ==, ENOSPC);
  g_assert_false (postbag_write_all (none, "x", 1));
  g_assert_cmpint (errno, ==, EBADF);
  g_assert_true (postbag_write_all (none, NULL, 0));
  close (full);
  close (none);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/write/parts", test_parts);
  g_test_add_func ("/write/fails", test_fails);
  return g_test_run ();
}
