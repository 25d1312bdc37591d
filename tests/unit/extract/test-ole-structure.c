/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compound files whose header, tables or entries lie ([MS-CFB]): none reaches the library. */

#include <string.h>

#include "base/postbag-limits.h"
#include "ole-fixture.h"
#include "postbag-ole-extractor.h"
#include "postbag-ole-structure.h"

#define SECTOR 512
/* Offsets in the header, and in an entry. */
#define SHIFT 0x1e
#define MINI_SHIFT 0x20
#define TABLES 0x2c
#define FOLDER 0x30
#define CUTOFF 0x38
#define MINI_TABLE 0x3c
#define LISTS 0x48
#define FIRST_TABLE 0x4c
#define NAME_LENGTH 64
#define TYPE 66
#define LEFT 68
#define RIGHT 72
#define CHILD 76
#define START 116
#define SIZE 120

static guint32
get (const GByteArray *file, gsize at)
{
  const PostbagOleBytes bytes = { file->data, file->len };

  return postbag_ole_u32 (&bytes, at);
}

static void
set (GByteArray *file, gsize at, guint32 value)
{
  for (guint i = 0; i < 4; i++)
    file->data[at + i] = (guint8)(value >> (8 * i));
}

/* Two streams, a long and a short one, and a storage. */
static GByteArray *
make_file (void)
{
  OleFixture *fixture = ole_fixture_new ();
  g_autofree char *text = g_strnfill (5000, 'x');

  ole_fixture_add (fixture, "long", text, 5000);
  ole_fixture_add (fixture, "short", text, 100);
  ole_fixture_add (fixture, "storage/inside", text, 70);
  return ole_fixture_finish (fixture);
}

static gboolean
check (const GByteArray *file)
{
  g_autofree guint8 *exact = g_memdup2 (file->data, file->len);
  const PostbagOleBytes bytes = { exact, file->len };

  return postbag_ole_check_structure (&bytes, NULL);
}

static gsize
find_table (const GByteArray *file)
{
  return SECTOR + SECTOR * (gsize)get (file, FIRST_TABLE);
}

/* The place of the entry of that name. */
static gsize
find_entry (const GByteArray *file, const char *name)
{
  gsize folder = SECTOR + SECTOR * (gsize)get (file, FOLDER);

  for (gsize at = folder; at + 128 <= file->len; at += 128)
    {
      gboolean same = TRUE;

      for (gsize i = 0; i <= strlen (name); i++)
        same &= file->data[at + 2 * i] == (guint8)name[i] && file->data[at + 2 * i + 1] == 0;
      if (same)
        return at;
    }
  g_error ("no entry %s", name);
}

static void
test_header (void)
{
  static const struct
  {
    gsize at;
    guint32 value;
  } lies[] = { { SHIFT, 6 | 6 << 16 },
               { SHIFT, 20 | 6 << 16 },
               { SHIFT, 9 | 9 << 16 },
               { TABLES, 0 },
               { TABLES, 2 },
               { TABLES, 0x7fffffff },
               { TABLES, G_MAXUINT32 },
               { LISTS, 1 },
               { LISTS, G_MAXUINT32 },
               { FOLDER, 0xfffffffe },
               { FOLDER, 1000 },
               { CUTOFF, 0x10000 },
               { MINI_TABLE, 5000 },
               { FIRST_TABLE, 5000 },
               { FIRST_TABLE, G_MAXUINT32 },
               { MINI_TABLE, G_MAXUINT32 } };
  g_autoptr (GByteArray) file = make_file ();

  g_assert_true (check (file));
  for (gsize i = 0; i < G_N_ELEMENTS (lies); i++)
    {
      guint32 before = get (file, lies[i].at);

      set (file, lies[i].at, lies[i].value);
      if (check (file))
        g_error ("%u at 0x%x was believed", lies[i].value, (guint)lies[i].at);
      set (file, lies[i].at, before);
    }
  g_assert_true (check (file));
}

static void
test_chains (void)
{
  g_autoptr (GByteArray) file = make_file ();
  gsize table = find_table (file), entry = find_entry (file, "long");
  guint32 first = get (file, entry + START);
  guint32 second = get (file, table + 4 * (gsize)first);

  set (file, table + 4 * (gsize)first, first); /* a loop of one */
  g_assert_false (check (file));
  set (file, table + 4 * (gsize)first, 0xfffffffe); /* shorter than the stream */
  g_assert_false (check (file));
  set (file, table + 4 * (gsize)first, get (file, FOLDER)); /* into the entries */
  g_assert_false (check (file));
  set (file, table + 4 * (gsize)first, 0x00fffff0); /* beyond the table */
  g_assert_false (check (file));
  set (file, table + 4 * (gsize)first, second);
  g_assert_true (check (file));
  set (file, table + 4 * (gsize)get (file, FOLDER), get (file, FOLDER));
  g_assert_false (check (file));
}

static void
test_entries (void)
{
  g_autoptr (GByteArray) file = make_file ();
  gsize root = find_entry (file, "Root Entry"), entry = find_entry (file, "storage");
  const struct
  {
    gsize at;
    guint32 value;
  } lies[] = {
    { entry + LEFT, 0 },           { entry + RIGHT, 0 },       { entry + CHILD, 0 },
    { entry + CHILD, 1 },          { entry + CHILD, 100000 },  { root + CHILD, 0 },
    { root + SIZE, 0x7fffffff },   { root + START, 3000 },     { root + SIZE, 64 },
    { entry + NAME_LENGTH, 0x66 }, { root + NAME_LENGTH, 64 }, { root + NAME_LENGTH, 3 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (lies); i++)
    {
      guint32 before = get (file, lies[i].at);

      set (file, lies[i].at, lies[i].value);
      if (check (file))
        g_error ("lie %u was believed", (guint)i);
      set (file, lies[i].at, before);
    }
  g_assert_true (check (file));
  entry = find_entry (file, "long");
  set (file, entry + SIZE, 0x40000000);
  g_assert_false (check (file));
  set (file, entry + SIZE, 100);
  g_assert_false (check (file));
}

/* A folder of empty streams, @count and the root. */
static gboolean
check_many (guint count, GError **error)
{
  g_autoptr (GByteArray) file = g_byte_array_new ();
  guint sectors = (count + 1 + 3) / 4, tables = (sectors + 1 + 126) / 127 + 1;
  PostbagOleBytes bytes;

  g_byte_array_set_size (file, SECTOR * (1 + tables + sectors));
  memset (file->data, 0, file->len);
  set (file, SHIFT, 9 | 6 << 16);
  set (file, CUTOFF, 4096);
  set (file, TABLES, tables);
  set (file, FOLDER, tables);
  set (file, MINI_TABLE, 0xfffffffe);
  for (guint i = 0; i < 109 && i < tables; i++)
    set (file, FIRST_TABLE + 4 * i, i);
  for (guint i = 0; i < sectors; i++)
    set (file, SECTOR + 4 * (gsize)(tables + i), i + 1 < sectors ? tables + i + 1 : 0xfffffffe);
  for (guint i = 0; i <= count; i++)
    {
      gsize at = SECTOR * (gsize)(1 + tables) + 128 * (gsize)i;
      guint next = i + 1 <= count ? i + 1 : G_MAXUINT32;

      set (file, at + TYPE, i == 0 ? 5 : 2);
      /* as a balanced tree has it, so that it is not deep */
      set (file, at + LEFT, i > 0 && 2 * i <= count ? 2 * i : G_MAXUINT32);
      set (file, at + RIGHT, i > 0 && 2 * i + 1 <= count ? 2 * i + 1 : G_MAXUINT32);
      set (file, at + CHILD, i == 0 ? next : G_MAXUINT32);
    }
  bytes = (PostbagOleBytes){ file->data, file->len };
  return postbag_ole_check_structure (&bytes, error);
}

static void
test_entries_limit (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (check_many (POSTBAG_LIMIT_OLE_ENTRIES - 1, NULL));
  g_assert_false (check_many (POSTBAG_LIMIT_OLE_ENTRIES, &error));
  g_assert_error (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_TOO_MANY_PARTS);
}

static gboolean
check_chained (guint depth)
{
  OleFixture *fixture = ole_fixture_new ();
  g_autoptr (GString) path = g_string_new (NULL);
  g_autoptr (GByteArray) file = NULL;

  for (guint i = 0; i + 1 < depth; i++)
    g_string_append (path, "a/");
  g_string_append_c (path, 'b');
  ole_fixture_add (fixture, path->str, "x", 1);
  file = ole_fixture_finish (fixture);
  return check (file);
}

static void
test_depth_limit (void)
{
  g_assert_true (check_chained (POSTBAG_LIMIT_OLE_DEPTH));
  g_assert_false (check_chained (POSTBAG_LIMIT_OLE_DEPTH + 1));
}

/* What is opened at all is opened without a word of the library, which ends a test. */
static void
test_damaged (void)
{
  g_autoptr (GByteArray) file = make_file ();

  for (guint i = 0; i < file->len; i++)
    {
      g_autoptr (ExtractResult) changed = NULL, shorter = NULL;

      file->data[i] ^= 0xff;
      changed = extract_run (&postbag_ole_extractor, "application/msword", file->data, file->len);
      file->data[i] ^= 0xff;
      shorter = extract_run (&postbag_ole_extractor, "application/msword", file->data, i);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ole/structure/header", test_header);
  g_test_add_func ("/ole/structure/chains", test_chains);
  g_test_add_func ("/ole/structure/entries", test_entries);
  g_test_add_func ("/ole/structure/entries-limit", test_entries_limit);
  g_test_add_func ("/ole/structure/depth-limit", test_depth_limit);
  g_test_add_func ("/ole/structure/damaged", test_damaged);
  return g_test_run ();
}
