/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The content of a part, decoded by the server (RFC 3516), or its octets where it is not. */

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "peer-store.h"

#define READY_BINARY GREETING, LOGIN_WITH ("BINARY"), EXAMINE
#define ASKED "C:UID FETCH 9 (UID BINARY.PEEK[2]<0.1048576>)"
#define OCTETS                                                                                     \
  "C:UID FETCH 9 (UID BODY.PEEK[2]<0.1048576>)", "S:* 1 FETCH (UID 9 BODY[2]<0> \"aGVsbG8=\")",    \
      "S:%t OK done"

static gboolean
append_bytes (const guint8 *data, gsize length, gpointer user_data, GError **error)
{
  g_string_append_len (user_data, (const char *)data, (gssize)length);
  return TRUE;
}

/* (transfer full) (nullable): what came of part 2 of message 9 */
static GString *
fetch_content (Fixture *fixture, gboolean *is_decoded, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  *is_decoded = FALSE;
  if (!postbag_imap_store.fetch_content (fixture->store, "INBOX", 9, "2", is_decoded, append_bytes,
                                         text, NULL, error))
    return NULL;
  return g_steal_pointer (&text);
}

static void
assert_content (Fixture *fixture, gboolean decoded, const char *expected)
{
  g_autoptr (GError) error = NULL;
  gboolean is_decoded;
  g_autoptr (GString) text = fetch_content (fixture, &is_decoded, &error);

  g_assert_no_error (error);
  g_assert_cmpint (is_decoded, ==, decoded);
  g_assert_cmpstr (text->str, ==, expected);
}

static void
run_script (const char *const *script, gboolean decoded, const char *expected)
{
  const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);

  assert_content (fixture, decoded, expected);
  end_quietly (fixture);
}

static void
test_decoded (void)
{
  static const char *const literal8[] = {
    READY_BINARY, ASKED, "S:* 1 FETCH (UID 9 BINARY[2]<0> ~{5}", "S:hello)", "S:%t OK done",
    "STALL",      NULL
  };
  static const char *const literal[] = {
    READY_BINARY, ASKED, "S:* 1 FETCH (BINARY[2] {5}", "S:hello UID 9)", "S:%t OK done",
    "STALL",      NULL
  };

  run_script (literal8, TRUE, "hello");
  run_script (literal, TRUE, "hello");
}

static void
test_in_ranges (void)
{
  g_autofree char *filling = g_strnfill (POSTBAG_LIMIT_IMAP_RANGE_BYTES, 'x');
  g_autofree char *first = g_strconcat ("S:", filling, ")", NULL);
  g_autofree char *expected = g_strconcat (filling, "end", NULL);
  const char *const script[] = { READY_BINARY,
                                 ASKED,
                                 "S:* 1 FETCH (UID 9 BINARY[2]<0> ~{1048576}",
                                 first,
                                 "S:%t OK",
                                 "C:UID FETCH 9 (UID BINARY.PEEK[2]<1048576.1048576>)",
                                 "S:* 1 FETCH (UID 9 BINARY[2]<1048576> ~{3}",
                                 "S:end)",
                                 "S:%t OK",
                                 "STALL",
                                 NULL };

  run_script (script, TRUE, expected);
}

/* Not announced; an encoding that the server does not know (RFC 3516 section 4.3); no answer; an
 * answer that was not asked for; more than was asked for. */
static void
test_octets (void)
{
  static const char *const not_announced[] = { READY, EXAMINE, OCTETS, "STALL", NULL };
  static const char *const unknown[] = {
    READY_BINARY, ASKED, "S:%t NO [UNKNOWN-CTE] cannot decode", OCTETS, "STALL", NULL
  };
  static const char *const nil[] = { READY_BINARY, ASKED,  "S:* 1 FETCH (UID 9 BINARY[2]<0> NIL)",
                                     "S:%t OK",    OCTETS, "STALL",
                                     NULL };
  static const char *const other[] = {
    READY_BINARY, ASKED, "S:* 1 FETCH (UID 9 BODY[2]<0> \"aaa\")", "S:%t OK", OCTETS, "STALL", NULL
  };
  static const char *const empty[] = {
    READY_BINARY, ASKED, "S:* 1 FETCH (UID 9 BINARY[2]<0> \"\")", "S:%t OK", OCTETS, "STALL", NULL
  };

  run_script (not_announced, FALSE, "aGVsbG8=");
  run_script (unknown, FALSE, "aGVsbG8=");
  run_script (nil, FALSE, "aGVsbG8=");
  run_script (other, FALSE, "aGVsbG8=");
  run_script (empty, FALSE, "aGVsbG8=");
}

/* What the server does not know though it says so is not asked for again; an encoding it does not
 * know is a matter of one part. */
static void
test_asked_again (void)
{
  static const char *const bad[] = { READY_BINARY, ASKED, "S:%t BAD what?", OCTETS, OCTETS,
                                     "STALL",      NULL };
  static const char *const unknown[] = {
    READY_BINARY, ASKED,   "S:%t NO [UNKNOWN-CTE] x",
    OCTETS,       ASKED,   "S:* 1 FETCH (UID 9 BINARY[2]<0> \"hello\")",
    "S:%t OK",    "STALL", NULL
  };
  static const char *const *const bad_scripts[] = { bad, NULL };
  static const char *const *const unknown_scripts[] = { unknown, NULL };
  Fixture *fixture = begin (bad_scripts);

  assert_content (fixture, FALSE, "aGVsbG8=");
  assert_content (fixture, FALSE, "aGVsbG8=");
  end_quietly (fixture);
  fixture = begin (unknown_scripts);
  assert_content (fixture, FALSE, "aGVsbG8=");
  assert_content (fixture, TRUE, "hello");
  end_quietly (fixture);
}

/* Refused for now is refused: asking for the octets would not go better. */
static void
test_busy (void)
{
  static const char *const script[] = { READY_BINARY, ASKED, "S:%t NO [INUSE] later", "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autoptr (GError) error = NULL;
  gboolean is_decoded;

  g_assert_null (fetch_content (fixture, &is_decoded, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BUSY);
  end_quietly (fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/content/decoded", test_decoded);
  g_test_add_func ("/imap/content/in-ranges", test_in_ranges);
  g_test_add_func ("/imap/content/octets", test_octets);
  g_test_add_func ("/imap/content/asked-again", test_asked_again);
  g_test_add_func ("/imap/content/busy", test_busy);
  return g_test_run ();
}
