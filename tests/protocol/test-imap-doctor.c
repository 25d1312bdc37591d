/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the way to a server tells, step by step. */

#include <string.h>

#include "peer-store.h"

static void
take_step (const char *step, const char *facts, gpointer user_data)
{
  if (strcmp (step, "quota") == 0 || strcmp (step, "size") == 0 || strcmp (step, "login") == 0)
    g_string_append_printf (user_data, "%s: %s\n", step, facts);
}

/* The steps of interest; the first connection is the examination's own. */
static char *
examine (const char *const *const *scripts)
{
  Fixture *fixture = begin (scripts);
  g_autoptr (GString) steps = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (postbag_imap_store.diagnose (fixture->store, take_step, steps, NULL, &error));
  g_assert_no_error (error);
  end_quietly (fixture);
  return g_string_free (g_steal_pointer (&steps), FALSE);
}

static const char *const first[] = { READY, "STALL", NULL };

/* RFC 9208 section 4.2.2, with more roots and resources that nobody knows. */
static void
test_quota (void)
{
  static const char *const second[] = { GREETING,
                                        LOGIN_WITH ("QUOTA"),
                                        "C:GETQUOTAROOT \"INBOX\"",
                                        "S:* QUOTAROOT INBOX \"\" other",
                                        "S:* QUOTA \"\" (STORAGE 10 512 X-LIFE 1 2)",
                                        "S:* QUOTA other (message 3 100)",
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { first, second, NULL };
  g_autofree char *steps = examine (scripts);

  g_assert_cmpstr (steps, ==, "login: accepted\nquota: 10 of 512 KiB, 3 of 100 messages\n");
}

/* Not announced, refused, or without a limit: not a word, and no fault. */
static void
test_no_quota (void)
{
  static const char *const none[] = { READY, "STALL", NULL };
  static const char *const refused[] = { GREETING,         LOGIN_WITH ("QUOTA"),
                                         "C:GETQUOTAROOT", "S:%t NO not you",
                                         "STALL",          NULL };
  static const char *const unlimited[] = {
    GREETING, LOGIN_WITH ("QUOTA"), "C:GETQUOTAROOT", "S:* QUOTAROOT INBOX", "S:%t OK", "STALL",
    NULL
  };
  static const char *const *const cases[][3] = { { first, none, NULL },
                                                 { first, refused, NULL },
                                                 { first, unlimited, NULL } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *steps = examine (cases[i]);

      g_assert_cmpstr (steps, ==, "login: accepted\n");
    }
}

/* RFC 8438 section 3 */
static void
test_size (void)
{
  static const char *const told[] = { GREETING,
                                      LOGIN_WITH ("STATUS=SIZE"),
                                      "C:STATUS \"INBOX\" (MESSAGES SIZE)",
                                      "S:* STATUS INBOX (MESSAGES 231 SIZE 44421)",
                                      "S:%t OK",
                                      "STALL",
                                      NULL };
  static const char *const refused[] = { GREETING,   LOGIN_WITH ("STATUS=SIZE"),
                                         "C:STATUS", "S:%t BAD what?",
                                         "STALL",    NULL };
  static const char *const lying[] = { GREETING,   LOGIN_WITH ("STATUS=SIZE"),
                                       "C:STATUS", "S:* STATUS INBOX (MESSAGES 231 SIZE -1)",
                                       "S:%t OK",  "STALL",
                                       NULL };
  static const char *const *const cases[][3] = { { first, told, NULL },
                                                 { first, refused, NULL },
                                                 { first, lying, NULL } };
  static const char *const expected[] = {
    "login: accepted\nsize: 231 messages of 44421 bytes in all in INBOX\n", "login: accepted\n",
    "login: accepted\n"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *steps = examine (cases[i]);

      g_assert_cmpstr (steps, ==, expected[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/doctor/quota", test_quota);
  g_test_add_func ("/imap/doctor/no-quota", test_no_quota);
  g_test_add_func ("/imap/doctor/size", test_size);
  return g_test_run ();
}
