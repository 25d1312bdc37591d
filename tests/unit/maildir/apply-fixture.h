/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Changes of a scratch Maildir, and what they leave on the disk. */

#include "store-fixture.h"

G_GNUC_UNUSED static GArray *
make_uids (guint n, ...)
{
  GArray *uids = g_array_new (FALSE, FALSE, sizeof (guint32));
  va_list arguments;

  va_start (arguments, n);
  for (guint i = 0; i < n; i++)
    {
      guint32 uid = va_arg (arguments, guint32);

      g_array_append_val (uids, uid);
    }
  va_end (arguments);
  return uids;
}

/* Takes @effect; the report with no error. */
G_GNUC_UNUSED static PostbagEffectReport *
apply (Fixture *fixture, PostbagEffect *effect)
{
  g_autoptr (GError) error = NULL;
  PostbagEffectReport *report = store->apply (fixture->self, effect, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (report);
  postbag_effect_free (effect);
  return report;
}

G_GNUC_UNUSED static void
assert_refused (Fixture *fixture, PostbagEffect *effect, int code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagEffectReport) report = store->apply (fixture->self, effect, NULL, &error);

  g_assert_error (error, POSTBAG_ERROR, code);
  g_assert_cmpuint (report->done->len, ==, 0);
  g_assert_cmpuint (report->copied->len, ==, 0);
  g_assert_cmpuint (report->unknown->len, ==, 0);
  postbag_effect_free (effect);
}

G_GNUC_UNUSED static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

/* "a b": the names in a folder, sorted */
G_GNUC_UNUSED static char *
read_names (Fixture *fixture, const char *folder)
{
  g_autofree char *path = g_build_filename (fixture->scratch->mail, folder, NULL);
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while (directory != NULL && (name = g_dir_read_name (directory)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return g_strjoinv (" ", (char **)names->pdata);
}

G_GNUC_UNUSED static void
assert_names (Fixture *fixture, const char *folder, const char *expected)
{
  g_autofree char *names = read_names (fixture, folder);

  g_assert_cmpstr (names, ==, expected);
}

G_GNUC_UNUSED static PostbagSearchPage *
list_in (Fixture *fixture, const char *mailbox)
{
  g_autoptr (PostbagSearch) all = postbag_search_new ();
  PostbagPage page = { .limit = 100 };
  g_autoptr (GError) error = NULL;
  PostbagSearchPage *result = store->search (fixture->self, mailbox, all, &page, NULL, &error);

  g_assert_no_error (error);
  return result;
}

G_GNUC_UNUSED static char *
read_file (Fixture *fixture, const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (fixture->scratch->mail, folder, name, NULL);
  char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

G_GNUC_UNUSED static PostbagEffect *
make_transfer (PostbagEffectKind kind, const char *destination, GArray *uids)
{
  PostbagEffect *effect = postbag_effect_new (kind, "INBOX");

  effect->destination = g_strdup (destination);
  effect->uids = uids;
  return effect;
}
