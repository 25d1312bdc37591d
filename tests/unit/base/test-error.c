/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-error.h"

#include <errno.h>
#include <string.h>

/* Every code has its row: a nick of its own, a text, a next step. */
static void
test_table (void)
{
  g_autoptr (GHashTable) nicks = g_hash_table_new (g_str_hash, g_str_equal);

  for (int code = 0; code < POSTBAG_ERROR_N_CODES; code++)
    {
      const PostbagErrorFacts *facts = postbag_error_get_facts (code);

      g_assert_nonnull (facts->nick);
      g_assert_true (g_hash_table_add (nicks, (gpointer)facts->nick));
      g_assert_cmpuint (strlen (facts->text), >, 0);
      g_assert_true (g_str_has_suffix (facts->next, "."));
    }
  g_assert_cmpstr (postbag_error_get_facts (-1)->nick, ==, "internal");
  g_assert_cmpstr (postbag_error_get_facts (POSTBAG_ERROR_N_CODES)->nick, ==, "internal");
}

static void
test_errno (void)
{
  g_autoptr (GError) error = NULL;

  postbag_set_error_from_errno (&error, ENOSPC, "Cannot write “%s”", "a");
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE);
  g_assert_nonnull (strstr (error->message, "Cannot write “a”: "));
  g_assert_nonnull (strstr (error->message, "Free some space"));
  g_assert_cmpint (postbag_error_from_errno (ENOENT), ==, POSTBAG_ERROR_NOT_FOUND);
  g_assert_cmpint (postbag_error_from_errno (EACCES), ==, POSTBAG_ERROR_NOT_ALLOWED);
  g_assert_cmpint (postbag_error_from_errno (EMFILE), ==, POSTBAG_ERROR_BUSY);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/error/table", test_table);
  g_test_add_func ("/error/errno", test_errno);
  return g_test_run ();
}
