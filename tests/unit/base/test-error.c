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

/* Every fault has a word of its own; beside an error it goes wherever that goes. */
static void
test_fault (void)
{
  g_autoptr (GHashTable) words = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GError) error = NULL, copy = NULL, foreign = NULL;

  for (int fault = 0; fault < POSTBAG_FAULT_N; fault++)
    g_assert_true (
        g_hash_table_add (words, (gpointer)postbag_fault_to_string ((PostbagFault)fault)));
  g_assert_cmpstr (postbag_fault_to_string (POSTBAG_FAULT_N), ==, "");

  postbag_set_fault (&error, POSTBAG_ERROR_OFFLINE, POSTBAG_FAULT_PIN, "key of %s", "a");
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE);
  g_assert_cmpstr (error->message, ==, "key of a");
  g_assert_null (postbag_error_get_step (error));
  postbag_error_place (&error, "tls", POSTBAG_FAULT_TLS);
  postbag_error_place (&error, "login", POSTBAG_FAULT_NONE);
  copy = g_error_copy (error);
  g_assert_cmpint (postbag_error_get_fault (copy), ==, POSTBAG_FAULT_PIN);
  g_assert_cmpstr (postbag_error_get_step (copy), ==, "tls");

  g_set_error_literal (&foreign, G_MARKUP_ERROR, 1, "x");
  postbag_error_place (&foreign, "tls", POSTBAG_FAULT_TLS);
  g_assert_cmpint (postbag_error_get_fault (foreign), ==, POSTBAG_FAULT_NONE);
  g_assert_null (postbag_error_get_step (foreign));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/error/table", test_table);
  g_test_add_func ("/error/errno", test_errno);
  g_test_add_func ("/error/fault", test_fault);
  return g_test_run ();
}
