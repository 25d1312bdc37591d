/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The store against servers that are broken or hostile: each ends in the right error in time, no
 * secret goes where it should not, and the next call works. */

#include <string.h>

#include "base/postbag-error.h"
#include "peer-store.h"

/* --- servers that do not get as far as a mailbox --- */

typedef struct
{
  const char *name;
  const char *script[12];
  int code;
  const char *words;
} Fault;

static const Fault faults[] = {
  { "silence", { "STALL" }, POSTBAG_ERROR_TIMED_OUT, "in time" },
  { "drip", { "R:*", "R: ", "R:O", "STALL" }, POSTBAG_ERROR_TIMED_OUT, "in time" },
  { "bye", { "S:* BYE too many of you" }, POSTBAG_ERROR_OFFLINE, "too many of you" },
  { "greeting-no", { "S:* NO go away" }, POSTBAG_ERROR_OFFLINE, "go away" },
  { "greeting-tagged", { "S:a1 OK hi" }, POSTBAG_ERROR_BAD_DATA, "host, port" },
  { "greeting-data", { "S:* 5 EXISTS" }, POSTBAG_ERROR_BAD_DATA, "host, port" },
  { "smtp", { "S:220 mail.example ESMTP", "STALL" }, POSTBAG_ERROR_BAD_DATA, "not IMAP" },
  { "web", { "S:HTTP/1.1 400 Bad Request", "S:" }, POSTBAG_ERROR_BAD_DATA, "not IMAP" },
  { "closed", { NULL }, POSTBAG_ERROR_OFFLINE, "" },
  { "flood", { "FLOOD:* OK still here" }, POSTBAG_ERROR_BAD_DATA, "not asked" },
  { "long-line", { "R:* OK ", "FLOOD:", NULL }, POSTBAG_ERROR_BAD_DATA, "" },
  { "login-disabled",
    { "S:* OK [CAPABILITY IMAP4rev1 LOGINDISABLED] hi", "STALL" },
    POSTBAG_ERROR_NOT_SUPPORTED,
    "no way to log in" },
  { "login-refused",
    { GREETING, "C:LOGIN", "S:%t NO [AUTHENTICATIONFAILED] Authentication failed.", "STALL" },
    POSTBAG_ERROR_LOGIN_REFUSED,
    "Authentication failed." },
  { "login-later",
    { GREETING, "C:LOGIN", "S:%t NO [UNAVAILABLE] later", "STALL" },
    POSTBAG_ERROR_BUSY,
    "later" },
  { "login-bye",
    { GREETING, "C:LOGIN", "S:* BYE [ALERT] enough" },
    POSTBAG_ERROR_OFFLINE,
    "enough" },
  { "login-stall", { GREETING, "C:LOGIN", "STALL" }, POSTBAG_ERROR_TIMED_OUT, "in time" },
  { "login-endless",
    { "S:* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] hi", "C:AUTHENTICATE", "MARK", "S:+ ", "L",
      "LOOP" },
    POSTBAG_ERROR_BAD_DATA,
    "login is wrong" },
  /* printf 'r=abc,s=AAAA,i=0' | base64, and so on */
  { "scram-no-rounds",
    { SCRAM, "C:AUTHENTICATE SCRAM-SHA-256", "S:+ cj1hYmMscz1BQUFBLGk9MA==", "L",
      "S:%t BAD cancelled" },
    POSTBAG_ERROR_BAD_DATA,
    "wants 0 rounds" },
  { "scram-too-many-rounds",
    { SCRAM, "C:AUTHENTICATE SCRAM-SHA-256", "S:+ cj1hYmMscz1BQUFBLGk9MjE0NzQ4MzY0OA==", "L",
      "S:%t BAD cancelled" },
    POSTBAG_ERROR_BAD_DATA,
    "wants 2147483648 rounds" },
  { "scram-other-nonce",
    { SCRAM, "C:AUTHENTICATE SCRAM-SHA-256", "S:+ cj1hYmMscz1BQUFBLGk9NDA5Ng==", "L",
      "S:%t BAD cancelled" },
    POSTBAG_ERROR_BAD_DATA,
    "login is wrong" },
  { "scram-not-base64",
    { SCRAM, "C:AUTHENTICATE SCRAM-SHA-256", "S:+ r=a,i=4096", "L", "S:%t BAD cancelled" },
    POSTBAG_ERROR_BAD_DATA,
    "no base64" },
  { "scram-no-proof",
    { SCRAM, "C:AUTHENTICATE SCRAM-SHA-256", "S:%t OK welcome", "STALL" },
    POSTBAG_ERROR_BAD_DATA,
    "without proving" },
  { "login-other-tag",
    { GREETING, "C:LOGIN", "S:z9 OK in", "STALL" },
    POSTBAG_ERROR_BAD_DATA,
    "not asked" },
  { "literal-announced",
    { GREETING, "C:LOGIN", "S:* X {4294967296}", "STALL" },
    POSTBAG_ERROR_TOO_LARGE,
    "literal" },
};

static void
test_fault (gconstpointer data)
{
  const Fault *fault = data;
  const char *const *const scripts[] = { fault->script, NULL };
  Fixture *fixture = begin (scripts);

  assert_fetch_fails (fixture, fault->code, fault->words);
  end_quietly (fixture);
}

/* --- what ends a connection that was good --- */

static const Fault late_faults[] = {
  { "stall", { READY, EXAMINE, "C:UID FETCH", "STALL" }, POSTBAG_ERROR_TIMED_OUT, "in time" },
  { "drip",
    { READY, EXAMINE, "C:UID FETCH", "R:* ", "R:1", "STALL" },
    POSTBAG_ERROR_TIMED_OUT,
    "in time" },
  { "flood", { READY, EXAMINE, "C:UID FETCH", "FLOOD:* 5 EXISTS" }, POSTBAG_ERROR_BAD_DATA, NULL },
  { "flood-wanted",
    { READY, EXAMINE, "C:UID FETCH", "FLOOD:* 1 FETCH (UID 9 FLAGS (\\Seen))" },
    POSTBAG_ERROR_TIMED_OUT,
    "in time" },
  { "other-tag",
    { READY, EXAMINE, "C:UID FETCH", "S:p99 OK x", "STALL" },
    POSTBAG_ERROR_BAD_DATA,
    "was not sent" },
  { "go-ahead",
    { READY, EXAMINE, "C:UID FETCH", "S:+ go", "STALL" },
    POSTBAG_ERROR_BAD_DATA,
    "nobody asked" },
  { "huge-literal",
    { READY, EXAMINE, "C:UID FETCH", "S:* 1 FETCH (UID 9 BODY[] {67108865}", "STALL" },
    POSTBAG_ERROR_TOO_LARGE,
    "literal" },
  { "more-than-asked",
    { READY, EXAMINE, "C:UID FETCH", "S:* 1 FETCH (UID 9 BODY[] {4194305}", "STALL" },
    POSTBAG_ERROR_TOO_LARGE,
    "asked for" },
  { "no-mailbox",
    { READY, "C:EXAMINE", "S:%t NO [NONEXISTENT] what?", "C:UID FETCH", "S:%t BAD no mailbox",
      "STALL" },
    POSTBAG_ERROR_NOT_FOUND,
    "what?" },
  { "no-permission",
    { READY, "C:EXAMINE", "S:%t NO [NOPERM] not you", "C:UID FETCH", "S:%t BAD no mailbox",
      "STALL" },
    POSTBAG_ERROR_NOT_ALLOWED,
    "not you" },
  { "garbage",
    { READY, EXAMINE, "C:UID FETCH", "S:\x01\x02", "STALL" },
    POSTBAG_ERROR_BAD_DATA,
    "not IMAP" },
};

static void
test_late_fault (gconstpointer data)
{
  static const char *const good[] = { READY, EXAMINE, FETCHED ("9", "hello"), "STALL", NULL };
  const Fault *fault = data;
  gboolean stays = strncmp (fault->name, "no-", 3) == 0;
  const char *const *const scripts[] = { fault->script, good, NULL };
  Fixture *fixture = begin (scripts);

  assert_fetch_fails (fixture, fault->code, fault->words);
  if (!stays)
    assert_fetch_works (fixture, 9, "hello");
  end_quietly (fixture);
}

/* --- the password is not tried again and again --- */

static void
test_refusal_is_remembered (void)
{
  static const char *const script[] = { GREETING, "C:LOGIN", "S:%t NO [AUTHENTICATIONFAILED] no",
                                        "STALL", NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);

  assert_fetch_fails (fixture, POSTBAG_ERROR_LOGIN_REFUSED, "“no”");
  assert_fetch_fails (fixture, POSTBAG_ERROR_LOGIN_REFUSED, "not tried again until ");
  g_assert_cmpuint (peer_count (fixture->peer), ==, 1);
  end_quietly (fixture);
}

/* --- STARTTLS --- */

static const Fault starttls_faults[] = {
  { "preauth", { "S:* PREAUTH IMAP4rev1 someone", "STALL" }, POSTBAG_ERROR_OFFLINE, "PREAUTH" },
  { "refused",
    { GREETING, "C:STARTTLS", "S:%t NO not now", "STALL" },
    POSTBAG_ERROR_OFFLINE,
    "not now" },
  { "bad", { GREETING, "C:STARTTLS", "S:%t BAD what", "STALL" }, POSTBAG_ERROR_OFFLINE, "what" },
  { "injected",
    { GREETING, "C:STARTTLS", "R:%t OK begin\r\n* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] x\r\n",
      "STALL" },
    POSTBAG_ERROR_BAD_DATA,
    "clear text" },
  { "half-injected",
    { GREETING, "C:STARTTLS", "R:%t OK begin\r\n* ", "STALL" },
    POSTBAG_ERROR_BAD_DATA,
    "clear text" },
  { "plain-after",
    { GREETING, "C:STARTTLS", "S:%t OK begin", "B", "S:* OK in clear" },
    POSTBAG_ERROR_OFFLINE,
    "TLS" },
  { "stall",
    { GREETING, "C:STARTTLS", "S:%t OK begin", "STALL" },
    POSTBAG_ERROR_TIMED_OUT,
    "in time" },
};

static void
test_starttls_fault (gconstpointer data)
{
  const Fault *fault = data;
  const char *const *const scripts[] = { fault->script, NULL };
  Fixture *fixture = begin (scripts);
  g_autofree char *log = NULL;

  fixture->account->tls = POSTBAG_TLS_STARTTLS;
  assert_fetch_fails (fixture, fault->code, fault->words);
  log = end (fixture);
  g_assert_null (strstr (log, "nora"));
  g_assert_null (strstr (log, "AUTHENTICATE"));
}

static void
test_clear_text_elsewhere (void)
{
  static const char *const script[] = { READY, "STALL", NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);

  g_free (fixture->account->host);
  fixture->account->host = g_strdup ("0.0.0.0");
  /* this machine, under an address that is not loopback to the one who asks */
  assert_fetch_fails (fixture, POSTBAG_ERROR_NOT_ALLOWED, "POSTBAG_ALLOW_CLEARTEXT");
  end_quietly (fixture);
}

static void
add_faults (const char *prefix, const Fault *list, gsize count, GTestDataFunc function)
{
  for (gsize i = 0; i < count; i++)
    {
      g_autofree char *path = g_strconcat (prefix, list[i].name, NULL);

      g_test_add_data_func (path, &list[i], function);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_faults ("/imap/peers/early/", faults, G_N_ELEMENTS (faults), test_fault);
  add_faults ("/imap/peers/late/", late_faults, G_N_ELEMENTS (late_faults), test_late_fault);
  add_faults ("/imap/peers/starttls/", starttls_faults, G_N_ELEMENTS (starttls_faults),
              test_starttls_fault);
  g_test_add_func ("/imap/peers/refusal-is-remembered", test_refusal_is_remembered);
  g_test_add_func ("/imap/peers/clear-text-elsewhere", test_clear_text_elsewhere);
  return g_test_run ();
}
