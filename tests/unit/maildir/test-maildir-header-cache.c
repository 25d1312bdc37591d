/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-header-cache.h"

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "folder.h"

typedef struct
{
  char *folder;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = g_dir_make_tmp ("postbag-header-cache-XXXXXX", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  remove_tree (fixture->folder);
  g_free (fixture->folder);
}

static void
run_sql (const Fixture *fixture, const char *sql)
{
  g_autofree char *path = g_build_filename (fixture->folder, "headers.sqlite", NULL);
  sqlite3 *database = NULL;

  g_assert_cmpint (sqlite3_open (path, &database), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (database, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (database);
}

static GArray *
make_items (const char *subject)
{
  const char *fields[POSTBAG_MAILDIR_N_FIELDS] = { subject };
  GArray *items = postbag_maildir_cached_new ();
  PostbagMaildirCached item = { .uid = 7, .is_new = subject != NULL };

  if (subject != NULL)
    item.headers = postbag_maildir_headers_new (fields);
  g_array_append_val (items, item);
  return items;
}

/* Whether what was put is there after the file was opened once more. */
static gboolean
remembers (const Fixture *fixture)
{
  g_autoptr (GArray) put = make_items ("Subject");
  g_autoptr (GArray) got = make_items (NULL);

  {
    g_autoptr (PostbagMaildirHeaderCache) cache =
        postbag_maildir_header_cache_open (fixture->folder);

    postbag_maildir_header_cache_put (cache, 1, put);
  }
  {
    g_autoptr (PostbagMaildirHeaderCache) cache =
        postbag_maildir_header_cache_open (fixture->folder);

    postbag_maildir_header_cache_get (cache, 1, got);
  }
  return g_array_index (got, PostbagMaildirCached, 0).headers != NULL;
}

/* A file that SQLite finds in order, without the table or a column of it, is made anew. */
static void
test_table_is_not_there (Fixture *fixture, gconstpointer data)
{
  static const char *const statements[] = {
    "DROP TABLE headers",
    "ALTER TABLE headers DROP COLUMN subject",
  };

  g_assert_true (remembers (fixture));
  for (gsize i = 0; i < G_N_ELEMENTS (statements); i++)
    {
      run_sql (fixture, statements[i]);
      g_assert_true (remembers (fixture));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/maildir/header-cache/table-is-not-there", Fixture, NULL, set_up,
              test_table_is_not_there, tear_down);
  return g_test_run ();
}
