/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the way to a server tells, step by step. */

#include <string.h>

#include "base/postbag-error.h"
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

static void
take_nothing (const char *step, const char *facts, gpointer user_data)
{
}

/* Where a server falls silent, and what may be the matter there. */
static void
test_silence (void)
{
  static const char *const greeting[] = { "STALL", NULL };
  static const char *const starttls[] = { GREETING, "C:STARTTLS", "STALL", NULL };
  static const char *const handshake[] = { GREETING, "C:STARTTLS", "S:%t OK go on", "STALL", NULL };
  static const char *const login[] = { GREETING, "C:LOGIN", "STALL", NULL };
  static const char *const capabilities[] = { GREETING,       "C:LOGIN", "S:%t OK in",
                                              "C:CAPABILITY", "STALL",   NULL };
  static const struct
  {
    const char *step;
    const char *const *script;
    PostbagTls tls;
    const char *words;
  } cases[] = {
    { "greeting", greeting, POSTBAG_TLS_NONE, "set “tls” to implicit" },
    { "tls", greeting, POSTBAG_TLS_IMPLICIT, "set “tls” to starttls" },
    { "starttls", starttls, POSTBAG_TLS_STARTTLS, "fell silent" },
    { "tls", handshake, POSTBAG_TLS_STARTTLS, "did not answer to TLS" },
    { "login", login, POSTBAG_TLS_NONE, "did not answer the login" },
    { "capabilities", capabilities, POSTBAG_TLS_NONE, "fell silent" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const *const scripts[] = { cases[i].script, NULL };
      Fixture *fixture = begin (scripts);
      g_autoptr (GError) error = NULL;

      fixture->account->tls = cases[i].tls;
      g_assert_false (
          postbag_imap_store.diagnose (fixture->store, take_nothing, NULL, NULL, &error));
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TIMED_OUT);
      g_assert_cmpint (postbag_error_get_fault (error), ==, POSTBAG_FAULT_TIMED_OUT);
      g_assert_cmpstr (postbag_error_get_step (error), ==, cases[i].step);
      g_assert_nonnull (strstr (error->message, cases[i].words));
      end_quietly (fixture);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/doctor/quota", test_quota);
  g_test_add_func ("/imap/doctor/no-quota", test_no_quota);
  g_test_add_func ("/imap/doctor/size", test_size);
  g_test_add_func ("/imap/doctor/silence", test_silence);
  return g_test_run ();
}
