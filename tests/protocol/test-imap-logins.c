/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tokens, and servers whose part of a login is strange or hostile. */

#include <string.h>

#include "base/postbag-error.h"
#include "peer-store.h"

#define OFFER(words) "S:* OK [CAPABILITY IMAP4rev1 " words "] hello"

static void
use_token (Fixture *fixture, const char *token)
{
  fixture->account->token_command = g_strconcat ("echo ", token, NULL);
  g_clear_pointer (&fixture->account->password, g_free);
}

/* (transfer full): what the client sent up to a message that was read */
static char *
log_in_with_token (const char *const *script, const char *token)
{
  const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);

  use_token (fixture, token);
  assert_fetch_works (fixture, 9, "hello");
  return end (fixture);
}

#define IN "S:%t OK [CAPABILITY IMAP4rev1] in", EXAMINE, FETCHED ("9", "hello"), "STALL", NULL

static void
test_xoauth2 (void)
{
  static const char *const at_once[] = { OFFER ("SASL-IR AUTH=PLAIN AUTH=XOAUTH2"),
                                         "C:AUTHENTICATE XOAUTH2", IN };
  static const char *const asked[] = { OFFER ("AUTH=PLAIN AUTH=XOAUTH2"), "C:AUTHENTICATE XOAUTH2",
                                       "S:+ ", "L", IN };
  /* printf 'user=nora\1auth=Bearer ya29.tok-en_1\1\1' | base64 */
  static const char message[] = "dXNlcj1ub3JhAWF1dGg9QmVhcmVyIHlhMjkudG9rLWVuXzEBAQ==\n";
  g_autofree char *log = log_in_with_token (at_once, "ya29.tok-en_1");
  g_autofree char *other = log_in_with_token (asked, "ya29.tok-en_1");
  g_autofree char *line = g_strconcat ("AUTHENTICATE XOAUTH2 ", message, NULL);
  g_autofree char *lines = g_strconcat ("AUTHENTICATE XOAUTH2\n", message, NULL);

  g_assert_nonnull (strstr (log, line));
  g_assert_nonnull (strstr (other, lines));
}

static void
test_oauthbearer (void)
{
  static const char *const script[] = { OFFER ("SASL-IR AUTH=XOAUTH2 AUTH=OAUTHBEARER"),
                                        "C:AUTHENTICATE OAUTHBEARER", IN };
  const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autofree char *message = NULL, *base64 = NULL, *log = NULL;

  use_token (fixture, "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==");
  g_free (fixture->account->user);
  fixture->account->user = g_strdup ("no=ra,x");
  message = g_strdup_printf ("n,a=no=3Dra=2Cx,\001host=127.0.0.1\001port=%u\001auth=Bearer "
                             "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==\001\001",
                             fixture->account->port);
  base64 = g_base64_encode ((const guchar *)message, strlen (message));
  assert_fetch_works (fixture, 9, "hello");
  log = end (fixture);
  g_assert_nonnull (strstr (log, base64));
}

/* --- what fails --- */

typedef struct
{
  const char *name;
  const char *token; /* (nullable) */
  const char *auth;  /* (nullable) */
  const char *script[10];
  int code;
  const char *words;
  const char *sent;     /* (nullable) */
  const char *not_sent; /* (nullable) */
} Fault;

static const Fault faults[] = {
  /* printf '{"status":"401"}' | base64 */
  { "xoauth2-refused",
    "tok",
    NULL,
    { OFFER ("SASL-IR AUTH=XOAUTH2"), "C:AUTHENTICATE XOAUTH2", "S:+ eyJzdGF0dXMiOiI0MDEifQ==", "L",
      "S:%t NO [AUTHENTICATIONFAILED] Invalid credentials", "STALL" },
    POSTBAG_ERROR_LOGIN_REFUSED,
    "{\"status\":\"401\"}",
    "\n\n",
    NULL },
  { "oauthbearer-refused",
    "tok",
    NULL,
    { OFFER ("SASL-IR AUTH=OAUTHBEARER"), "C:AUTHENTICATE OAUTHBEARER",
      "S:+ eyJzdGF0dXMiOiI0MDEifQ==", "L", "S:%t NO no", "STALL" },
    POSTBAG_ERROR_LOGIN_REFUSED,
    "get a new one",
    "\nAQ==\n",
    NULL },
  /* It complained, and lets us in nevertheless. */
  { "xoauth2-two-faced",
    "tok",
    NULL,
    { OFFER ("SASL-IR AUTH=XOAUTH2"), "C:AUTHENTICATE XOAUTH2", "S:+ eyJzdGF0dXMiOiI0MDEifQ==", "L",
      "S:%t OK in", "STALL" },
    POSTBAG_ERROR_BAD_DATA,
    "let us in",
    NULL,
    NULL },
  { "no-token-mechanism",
    "tok",
    NULL,
    { OFFER ("AUTH=PLAIN AUTH=SCRAM-SHA-256"), "STALL" },
    POSTBAG_ERROR_NOT_SUPPORTED,
    "“PLAIN SCRAM-SHA-256”, and not one for a token",
    NULL,
    "AUTH" },
  /* A token is never sent as a password. */
  { "token-no-login",
    "tok",
    NULL,
    { OFFER (""), "STALL" },
    POSTBAG_ERROR_NOT_SUPPORTED,
    "nothing, and not one for a token",
    NULL,
    "LOGIN" },
  { "token-with-blank",
    "'two words'",
    NULL,
    { OFFER ("AUTH=XOAUTH2"), "STALL" },
    POSTBAG_ERROR_NEEDS_LOGIN,
    "no access token",
    NULL,
    "AUTH" },

  { "forced-is-missing",
    NULL,
    "scram-sha-256",
    { OFFER ("AUTH=PLAIN AUTH=CRAM-MD5"), "STALL" },
    POSTBAG_ERROR_NOT_SUPPORTED,
    "“auth = scram-sha-256”",
    NULL,
    "AUTHENTICATE" },
  { "forced-plain-no-login",
    NULL,
    "plain",
    { OFFER (""), "STALL" },
    POSTBAG_ERROR_NOT_SUPPORTED,
    "“auth = plain”",
    NULL,
    "LOGIN" },
  { "login-disabled",
    NULL,
    NULL,
    { OFFER ("LOGINDISABLED"), "STALL" },
    POSTBAG_ERROR_NOT_SUPPORTED,
    "LOGIN disabled",
    NULL,
    "LOGIN" },
  { "login-disabled-forced",
    NULL,
    "login",
    { OFFER ("LOGINDISABLED"), "STALL" },
    POSTBAG_ERROR_NOT_SUPPORTED,
    "LOGIN disabled",
    NULL,
    "LOGIN" },
  /* No channel in clear: the -PLUS of a liar is not taken, and nothing is said of binding. */
  { "plus-in-clear",
    NULL,
    NULL,
    { OFFER ("AUTH=SCRAM-SHA-256-PLUS LOGINDISABLED"), "STALL" },
    POSTBAG_ERROR_NOT_SUPPORTED,
    "SCRAM-SHA-256-PLUS",
    NULL,
    "AUTHENTICATE" },
  /* Refused once is refused: the weaker ones are not tried. */
  { "no-weaker-one",
    NULL,
    NULL,
    { OFFER ("AUTH=CRAM-MD5 AUTH=PLAIN AUTH=LOGIN"), "C:AUTHENTICATE CRAM-MD5",
      "S:+ PDEuMkBleGFtcGxlPg==", "L", "S:%t NO no", "STALL" },
    POSTBAG_ERROR_LOGIN_REFUSED,
    "(CRAM-MD5)",
    NULL,
    "PLAIN" },
  { "not-base64",
    NULL,
    NULL,
    { OFFER ("AUTH=CRAM-MD5"), "C:AUTHENTICATE CRAM-MD5", "S:+ <1.2@example>", "L", "S:%t BAD x",
      "STALL" },
    POSTBAG_ERROR_BAD_DATA,
    "no base64",
    "\n*\n",
    NULL },
  { "half-base64",
    NULL,
    NULL,
    { OFFER ("AUTH=CRAM-MD5"), "C:AUTHENTICATE CRAM-MD5", "S:+ PDEuM", "L", "S:%t BAD x", "STALL" },
    POSTBAG_ERROR_BAD_DATA,
    "no base64",
    "\n*\n",
    NULL },
  { "padding-inside",
    NULL,
    NULL,
    { OFFER ("AUTH=CRAM-MD5"), "C:AUTHENTICATE CRAM-MD5", "S:+ PD==PD==", "L", "S:%t BAD x",
      "STALL" },
    POSTBAG_ERROR_BAD_DATA,
    "no base64",
    "\n*\n",
    NULL },
  /* It does not even answer the end. */
  { "stall-after-end",
    NULL,
    NULL,
    { OFFER ("AUTH=CRAM-MD5"), "C:AUTHENTICATE CRAM-MD5", "S:+ !!", "L", "STALL" },
    POSTBAG_ERROR_BAD_DATA,
    "no base64",
    "\n*\n",
    NULL },
  { "ok-after-end",
    NULL,
    NULL,
    { OFFER ("AUTH=CRAM-MD5"), "C:AUTHENTICATE CRAM-MD5", "S:+ !!", "L", "S:%t OK in", "STALL" },
    POSTBAG_ERROR_BAD_DATA,
    "no base64",
    NULL,
    NULL },
  { "endless",
    NULL,
    NULL,
    { OFFER ("SASL-IR AUTH=SCRAM-SHA-1"), "C:AUTHENTICATE SCRAM-SHA-1", "MARK", "S:+ cj0=", "L",
      "LOOP" },
    POSTBAG_ERROR_BAD_DATA,
    "login is wrong",
    NULL,
    NULL },
  { "flood",
    NULL,
    NULL,
    { OFFER ("SASL-IR AUTH=PLAIN"), "C:AUTHENTICATE PLAIN", "FLOOD:+ " },
    POSTBAG_ERROR_BAD_DATA,
    "login is wrong",
    NULL,
    NULL },
  { "early-ok",
    NULL,
    NULL,
    { OFFER ("SASL-IR AUTH=SCRAM-SHA-1"), "C:AUTHENTICATE SCRAM-SHA-1", "S:%t OK in", "STALL" },
    POSTBAG_ERROR_BAD_DATA,
    "without proving",
    NULL,
    NULL },
};

static void
check_fault (const Fault *fault, const char *const *script)
{
  const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autofree char *log = NULL;

  if (fault->token != NULL)
    use_token (fixture, fault->token);
  fixture->account->auth = g_strdup (fault->auth);
  assert_fetch_fails (fixture, fault->code, fault->words);
  log = end (fixture);
  if (fault->sent != NULL)
    g_assert_nonnull (strstr (log, fault->sent));
  if (fault->not_sent != NULL)
    g_assert_null (strstr (log, fault->not_sent));
}

static void
test_fault (gconstpointer data)
{
  check_fault (data, ((const Fault *)data)->script);
}

/* A challenge of a megabyte is read to its end and not taken. */
static void
test_long_challenge (void)
{
  g_autofree char *line = g_strnfill (1024 * 1024, 'A');
  g_autofree char *step = g_strconcat ("S:+ ", line, NULL);
  const char *const script[] = {
    OFFER ("AUTH=CRAM-MD5"), "C:AUTHENTICATE CRAM-MD5", step, "L", "S:%t BAD x", "STALL", NULL
  };
  const Fault fault = { .code = POSTBAG_ERROR_BAD_DATA, .words = "longer than", .sent = "\n*\n" };

  check_fault (&fault, script);
}

/* What fits a line is taken whole, far beyond what a person would be shown of it. */
static void
test_large_challenge (void)
{
  g_autofree char *line = g_strnfill (60000, 'A');
  g_autofree char *step = g_strconcat ("S:+ ", line, NULL);
  const char *const script[] = { OFFER ("AUTH=CRAM-MD5"), "C:AUTHENTICATE CRAM-MD5", step, "L",
                                 IN };
  const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autofree char *log = NULL, *answer = NULL;
  g_autofree char *zeros = g_malloc0 (45000);
  g_autoptr (GHmac) hmac = g_hmac_new (G_CHECKSUM_MD5, (const guchar *)"p\\a\"ss", 6);
  g_autofree char *base64 = NULL;

  g_hmac_update (hmac, (const guchar *)zeros, 45000);
  answer = g_strdup_printf ("nora %s", g_hmac_get_string (hmac));
  base64 = g_base64_encode ((const guchar *)answer, strlen (answer));
  assert_fetch_works (fixture, 9, "hello");
  log = end (fixture);
  g_assert_nonnull (strstr (log, base64));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/logins/xoauth2", test_xoauth2);
  g_test_add_func ("/imap/logins/oauthbearer", test_oauthbearer);
  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *path = g_strconcat ("/imap/logins/", faults[i].name, NULL);

      g_test_add_data_func (path, &faults[i], test_fault);
    }
  g_test_add_func ("/imap/logins/long-challenge", test_long_challenge);
  g_test_add_func ("/imap/logins/large-challenge", test_large_challenge);
  return g_test_run ();
}
