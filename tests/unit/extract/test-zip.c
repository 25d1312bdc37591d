/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How much is unpacked of a container, whatever it says of itself. */

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-zip.h"
#include "zip-fixture.h"

typedef struct
{
  GBytes *bytes;
  PostbagZip *zip;
  gsize given;
  guint pieces;
  gboolean stops;
} Fixture;

/* Bytes that do not pack; none of them is NUL. */
static char *
make_noise (gsize bytes)
{
  char *noise = g_malloc (bytes + 1);
  guint32 number = 1;

  for (gsize i = 0; i < bytes; i++)
    {
      number = number * 1664525 + 1013904223;
      noise[i] = (char)(number >> 24 | 1);
    }
  noise[bytes] = '\0';
  return noise;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *noise = make_noise (GPOINTER_TO_SIZE (data));
  ZipFixture *files = zip_fixture_new ();

  zip_fixture_add (files, "a", noise);
  fixture->bytes = zip_fixture_finish (files);
  postbag_zip_prepare ();
  fixture->zip = postbag_zip_new (g_bytes_get_data (fixture->bytes, NULL),
                                  g_bytes_get_size (fixture->bytes), NULL);
  g_assert_nonnull (fixture->zip);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  postbag_zip_free (fixture->zip);
  g_bytes_unref (fixture->bytes);
}

static gboolean
take (const char *data, gsize size, gpointer user_data)
{
  Fixture *fixture = user_data;

  fixture->given += size;
  fixture->pieces++;
  return !fixture->stops;
}

/* -1: it was fine */
static int
read_file (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  fixture->given = 0;
  if (postbag_zip_read (fixture->zip, "A", take, fixture, &error))
    return -1;
  g_assert_true (error->domain == POSTBAG_EXTRACT_ERROR);
  return error->code;
}

static void
test_fits (Fixture *fixture, gconstpointer data)
{
  g_assert_cmpint (read_file (fixture), ==, -1);
  g_assert_cmpuint (fixture->given, ==, 16 * 1024 * 1024);
}

static void
test_one_byte_more (Fixture *fixture, gconstpointer data)
{
  g_assert_cmpint (read_file (fixture), ==, POSTBAG_EXTRACT_TOO_LARGE);
  g_assert_cmpuint (fixture->given, ==, 16 * 1024 * 1024);
}

/* 13 MiB four times: the last one has 9 left. */
static void
test_all_together (Fixture *fixture, gconstpointer data)
{
  for (int i = 0; i < 3; i++)
    g_assert_cmpint (read_file (fixture), ==, -1);
  g_assert_cmpint (read_file (fixture), ==, POSTBAG_EXTRACT_TOO_LARGE);
  g_assert_cmpuint (fixture->given, ==, 9 * 1024 * 1024);
  g_assert_cmpint (read_file (fixture), ==, POSTBAG_EXTRACT_TOO_LARGE);
  g_assert_cmpuint (fixture->given, ==, 0);
}

/* Who stops early has unpacked little. */
static void
test_reads (Fixture *fixture, gconstpointer data)
{
  fixture->stops = TRUE;
  for (guint i = 0; i < POSTBAG_LIMIT_ZIP_READS; i++)
    g_assert_cmpint (read_file (fixture), ==, -1);
  g_assert_cmpuint (fixture->pieces, ==, POSTBAG_LIMIT_ZIP_READS);
  g_assert_cmpint (read_file (fixture), ==, POSTBAG_EXTRACT_TOO_MANY_PARTS);
}

#define ADD(path, bytes, function)                                                                 \
  g_test_add ("/zip/" path, Fixture, GSIZE_TO_POINTER (bytes), set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("fits", 16 * 1024 * 1024, test_fits);
  ADD ("one-byte-more", 16 * 1024 * 1024 + 1, test_one_byte_more);
  ADD ("all-together", 13 * 1024 * 1024, test_all_together);
  ADD ("reads", 1000, test_reads);
  return g_test_run ();
}
