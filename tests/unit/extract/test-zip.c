/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is unpacked of a container, whatever it says of itself. */

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-zip.h"
#include "zip-fixture.h"

typedef struct
{
  GBytes *bytes;
  PostbagZip *zip;
  gsize given;
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

/* -1: it was fine */
static int
read_file (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagZipReading) reading = postbag_zip_open (fixture->zip, "A", &error);
  const char *data;
  gsize size;

  fixture->given = 0;
  while (reading != NULL && postbag_zip_reading_next (reading, &data, &size, &error))
    {
      if (size == 0 || fixture->stops)
        return -1;
      fixture->given += size;
    }
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
  fixture->stops = TRUE; /* within the first piece */
  for (guint i = 0; i < POSTBAG_LIMIT_ZIP_READS; i++)
    g_assert_cmpint (read_file (fixture), ==, -1);
  g_assert_cmpint (read_file (fixture), ==, POSTBAG_EXTRACT_TOO_MANY_PARTS);
}

/* A file of one name in a container that lies: @list_byte of its entry in the list, or @end_byte of
 * the end, becomes @value. Given is what really was there, never what memory held before. */
static void
test_lies (void)
{
  static const struct
  {
    guint32 size; /* as it is told of the three bytes */
    gsize list_byte, end_byte;
    guint8 value;
    int reason; /* of the container, or of the file */
    gsize given;
  } cases[] = {
    { 3, 0, 0, 0, -1, 3 },
    { 30000, 0, 0, 0, POSTBAG_EXTRACT_CORRUPT, 3 },
    { 3, 21, 0, 1, POSTBAG_EXTRACT_CORRUPT, 0 },   /* 256 more packed bytes than there are */
    { 3, 42, 0, 1, POSTBAG_EXTRACT_CORRUPT, 0 },   /* another place */
    { 3, 0, 10, 2, POSTBAG_EXTRACT_CORRUPT, 0 },   /* two entries */
    { 3, 28, 0, 255, POSTBAG_EXTRACT_CORRUPT, 0 }, /* a name past the end */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      ZipFixture *files = zip_fixture_new ();
      Fixture fixture = { 0 };
      g_autoptr (GError) error = NULL;
      g_autofree guint8 *data = NULL;
      gsize length;

      zip_fixture_add_forged (files, "a", "abc", 3, cases[i].size, 0);
      fixture.bytes = zip_fixture_finish (files);
      data = g_bytes_unref_to_data (fixture.bytes, &length);
      if (cases[i].list_byte > 0)
        data[length - 22 - 47 + cases[i].list_byte] = cases[i].value;
      if (cases[i].end_byte > 0)
        data[length - 22 + cases[i].end_byte] = cases[i].value;
      fixture.zip = postbag_zip_new (data, length, &error);
      if (fixture.zip == NULL)
        g_assert_error (error, POSTBAG_EXTRACT_ERROR, cases[i].reason);
      else
        {
          g_assert_cmpint (read_file (&fixture), ==, cases[i].reason);
          postbag_zip_free (fixture.zip);
        }
      g_assert_cmpuint (fixture.given, ==, cases[i].given);
    }
}

/* What stands at another place of the list for programs that know 64 bits is read there, as by
 * everybody else. */
static void
test_locator (void)
{
  ZipFixture *files = zip_fixture_new ();
  g_autoptr (GBytes) inner = NULL;
  g_autoptr (GByteArray) all = g_byte_array_new ();
  guint8 end64[56 + 20] = "PK\6\6", *locator = end64 + 56;
  gsize length;
  const guint8 *data;
  Fixture fixture = { 0 };

  zip_fixture_add (files, "b", "other");
  zip_fixture_add (files, "a", "abc");
  inner = zip_fixture_finish (files);
  data = g_bytes_get_data (inner, &length);
  g_byte_array_append (all, data, (guint)length - 22);
  /* Its list is the second entry alone. */
  end64[32] = 1;
  end64[40] = 47;
  end64[48] = (guint8)(length - 22 - 47);
  memcpy (locator, "PK\6\7", 4);
  locator[8] = (guint8)(length - 22);
  g_byte_array_append (all, end64, sizeof end64);
  g_byte_array_append (all, data + length - 22, 22);
  fixture.zip = postbag_zip_new (all->data, all->len, NULL);
  g_assert_nonnull (fixture.zip);
  g_assert_true (postbag_zip_has (fixture.zip, "a"));
  g_assert_false (postbag_zip_has (fixture.zip, "b"));
  g_assert_cmpint (read_file (&fixture), ==, -1);
  g_assert_cmpuint (fixture.given, ==, 3);
  postbag_zip_free (fixture.zip);
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
  g_test_add_func ("/zip/lies", test_lies);
  g_test_add_func ("/zip/locator", test_locator);
  return g_test_run ();
}
