/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Servers that say what none should: what they say otherwise is read, and nothing else happens. */

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "peer-store.h"

/* Between the command and its right answer. */
static const struct
{
  const char *name;
  const char *lines[4];
} intrusions[] = {
  { "expunge-beyond", { "S:* 99 EXPUNGE", "S:* 0 EXPUNGE", "S:* 4294967295 EXPUNGE" } },
  { "shrinking", { "S:* 1 EXISTS", "S:* 0 EXISTS", "S:* 4294967295 EXISTS" } },
  { "alert",
    { "S:* OK [ALERT] \x1b[31mred\x1b[0m \xe2\x80\xae"
      "evil",
      "S:* NO [ALERT] \x07" } },
  { "not-asked",
    { "S:* 1 FETCH (UID 8 BODY[]<0> \"other\")", "S:* 1 FETCH (UID 0 BODY[]<0> \"other\")",
      "S:* 1 FETCH (UID 4294967296 BODY[]<0> \"other\")", "S:* 1 FETCH (BODY[]<0> \"other\")" } },
  { "two-uids",
    { "S:* 1 FETCH (UID 9 UID 8 BODY[]<0> \"other\")",
      "S:* 1 FETCH (BODY[]<0> \"other\" UID 9 UID 8)",
      "S:* 1 FETCH (UID 8 BODY[]<0> \"other\" UID 9)" } },
  { "nil", { "S:* 1 FETCH NIL", "S:* LIST NIL NIL NIL", "S:* STATUS NIL NIL", "S:* NIL" } },
  { "referral", { "S:* OK [REFERRAL imap://elsewhere.example/] go there" } },
};

static void
test_intrusion (gconstpointer data)
{
  gsize index = GPOINTER_TO_SIZE (data);
  const char *script[16] = { READY, EXAMINE, "C:UID FETCH 9" };
  const char *const *scripts[] = { script, NULL };
  guint length = 0;
  Fixture *fixture;

  while (script[length] != NULL)
    length++;
  for (guint i = 0; i < 4 && intrusions[index].lines[i] != NULL; i++)
    script[length++] = intrusions[index].lines[i];
  script[length++] = "S:* 1 FETCH (UID 9 RFC822.SIZE 5 BODY[]<0> \"hello\")";
  script[length++] = "S:%t OK";
  script[length++] = "STALL";
  fixture = begin (scripts);
  assert_fetch_works (fixture, 9, "hello");
  g_assert_cmpuint (peer_count (fixture->peer), ==, 1);
  end_quietly (fixture);
}

/* Broken in the middle of a literal, asked again once, and broken again: no half message. */
static void
test_bye_in_a_literal (void)
{
  static const char *const broken[] = { READY,
                                        EXAMINE,
                                        "C:UID FETCH 9",
                                        "S:* 1 FETCH (UID 9 RFC822.SIZE 99 BODY[]<0> {99}",
                                        "S:* BYE going down",
                                        NULL };
  static const char *const good[] = { READY, EXAMINE, FETCHED ("9", "hello"), "STALL", NULL };
  static const char *const *const scripts[] = { broken, broken, good, NULL };
  Fixture *fixture = begin (scripts);

  assert_fetch_fails (fixture, POSTBAG_ERROR_OFFLINE, "closed by the other side");
  assert_fetch_works (fixture, 9, "hello");
  end_quietly (fixture);
}

/* The right message, and not what was asked of it. */
static void
test_another_range (void)
{
  static const char *const answers[] = {
    "S:* 1 FETCH (UID 9 RFC822.SIZE 50 BODY[]<5> \"hello\")",
    "S:* 1 FETCH (UID 9 RFC822.SIZE 50 BODY[]<4294967295> \"hello\")",
    "S:* 1 FETCH (UID 9 RFC822.SIZE 50 BODY[1]<0> \"hello\")",
    "S:* 1 FETCH (UID 9 RFC822.SIZE 50 BODY[TEXT] \"hello\")",
    "S:* 1 FETCH (UID 9 RFC822.SIZE 50 RFC822.HEADER \"hello\")",
    "S:* 1 FETCH (UID 9 RFC822.SIZE 50 BINARY[]<0> \"hello\")",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (answers); i++)
    {
      const char *const script[] = { READY,   EXAMINE, "C:UID FETCH 9", answers[i], "S:%t OK",
                                     "STALL", NULL };
      const char *const *const scripts[] = { script, NULL };
      Fixture *fixture = begin (scripts);

      assert_fetch_fails (fixture, POSTBAG_ERROR_BAD_DATA, "than it was asked for");
      end_quietly (fixture);
    }
}

/* More than was asked for. */
static void
test_longer_than_asked (void)
{
  g_autofree char *filling = g_strnfill (1025, 'x');
  g_autofree char *rest = g_strconcat ("S:", filling, ")", NULL);
  const char *const script[] = { READY,
                                 EXAMINE,
                                 "C:UID FETCH 9 (UID FLAGS INTERNALDATE RFC822.SIZE BODYSTRUCTURE "
                                 "BODY.PEEK[]<0.1024>)",
                                 "S:* 1 FETCH (UID 9 RFC822.SIZE 5000 BODY[]<0> {1025}",
                                 rest,
                                 "S:%t OK",
                                 "STALL",
                                 NULL };
  const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);

  assert_fetch_fails (fixture, POSTBAG_ERROR_TOO_LARGE, "more than the 1024 bytes");
  end_quietly (fixture);
}

static gboolean
count_bytes (const guint8 *data, gsize length, gpointer user_data, GError **error)
{
  *(gsize *)user_data += length;
  return TRUE;
}

/* A part goes on, and its second range is another one, another part's, or not there: that is not
 * its end. Said to be empty, it is. */
static void
test_second_range (void)
{
  static const struct
  {
    const char *answer;
    int code; /* -1: fine */
  } cases[] = {
    { "S:* 1 FETCH (UID 9 BODY[1]<0> \"again\")", POSTBAG_ERROR_BAD_DATA },
    { "S:* 1 FETCH (UID 9 BODY[1] \"again\")", POSTBAG_ERROR_BAD_DATA },
    { "S:* 1 FETCH (UID 9 BODY[2]<1048576> \"other\")", POSTBAG_ERROR_BAD_DATA },
    { "S:* 1 FETCH (UID 9)", POSTBAG_ERROR_BAD_DATA },
    { "S:* 1 FETCH (UID 8 BODY[1]<1048576> \"other\")", POSTBAG_ERROR_NOT_FOUND },
    { "S:* 1 FETCH (UID 9 BODY[1]<1048576> NIL)", -1 },
    { "S:* 1 FETCH (UID 9 BODY[1]<1048576> \"\")", -1 },
  };
  g_autofree char *filling = g_strnfill (1024 * 1024, 'x');
  g_autofree char *first = g_strconcat ("S:", filling, ")", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const script[] = { READY,
                                     EXAMINE,
                                     "C:UID FETCH 9 (UID BODY.PEEK[1]<0.1048576>)",
                                     "S:* 1 FETCH (UID 9 BODY[1]<0> {1048576}",
                                     first,
                                     "S:%t OK",
                                     "C:UID FETCH 9 (UID BODY.PEEK[1]<1048576.1048576>)",
                                     cases[i].answer,
                                     "S:%t OK",
                                     "STALL",
                                     NULL };
      const char *const *const scripts[] = { script, NULL };
      Fixture *fixture = begin (scripts);
      g_autoptr (GError) error = NULL;
      gsize count = 0;
      gboolean is_fine = postbag_imap_store.fetch_part (fixture->store, "INBOX", 9, "1",
                                                        count_bytes, &count, NULL, &error);

      g_assert_cmpint (is_fine, ==, cases[i].code < 0);
      if (!is_fine)
        g_assert_error (error, POSTBAG_ERROR, cases[i].code);
      g_assert_cmpuint (count, ==, 1024 * 1024);
      end_quietly (fixture);
    }
}

/* A refused login that names another server is a refused login. */
static void
test_login_referral (void)
{
  static const char *const script[] = { GREETING, "C:LOGIN",
                                        "S:%t NO [REFERRAL imap://elsewhere.example/] go there",
                                        "STALL", NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);

  assert_fetch_fails (fixture, POSTBAG_ERROR_LOGIN_REFUSED, "go there");
  g_assert_cmpuint (peer_count (fixture->peer), ==, 1);
  end_quietly (fixture);
}

/* More mailboxes than one listing holds are counted; names that are no names harm nobody. */
static void
test_many_mailboxes (void)
{
  g_autoptr (GPtrArray) script = g_ptr_array_new_with_free_func (g_free);
  static const char *const head[] = { READY, "C:LIST", "C:LSUB",
                                      "S:* LIST () \"\\\"\" \"../../etc/passwd\"",
                                      "S:* LIST () NIL \"&AAA-&broken\"" };
  const char *const *scripts[] = { NULL, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) mailboxes = NULL;
  gint64 total = 0;
  Fixture *fixture;

  for (gsize i = 0; i < G_N_ELEMENTS (head); i++)
    g_ptr_array_add (script, g_strdup (head[i]));
  for (guint i = 0; i < POSTBAG_LIMIT_MAILBOXES + 10; i++)
    g_ptr_array_add (script, g_strdup_printf ("S:* LIST () \".\" box%u", i));
  g_ptr_array_add (script, g_strdup ("S:%1 OK"));
  g_ptr_array_add (script, g_strdup ("S:%t OK"));
  g_ptr_array_add (script, g_strdup ("STALL"));
  g_ptr_array_add (script, NULL);
  scripts[0] = (const char *const *)script->pdata;
  fixture = begin (scripts);
  mailboxes = postbag_imap_store.list_mailboxes (fixture->store, FALSE, &total, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (mailboxes->len, ==, POSTBAG_LIMIT_MAILBOXES);
  g_assert_cmpint (total, ==, POSTBAG_LIMIT_MAILBOXES + 12);
  g_assert_cmpstr (((PostbagMailbox *)mailboxes->pdata[0])->path, ==, "../../etc/passwd");
  g_assert_cmpint (((PostbagMailbox *)mailboxes->pdata[0])->delimiter, ==, '"');
  for (guint i = 0; i < mailboxes->len; i++)
    g_assert_true (g_utf8_validate (((PostbagMailbox *)mailboxes->pdata[i])->path, -1, NULL));
  end_quietly (fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (intrusions); i++)
    {
      g_autofree char *path = g_strconcat ("/imap/hostile/", intrusions[i].name, NULL);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_intrusion);
    }
  g_test_add_func ("/imap/hostile/bye-in-a-literal", test_bye_in_a_literal);
  g_test_add_func ("/imap/hostile/another-range", test_another_range);
  g_test_add_func ("/imap/hostile/longer-than-asked", test_longer_than_asked);
  g_test_add_func ("/imap/hostile/second-range", test_second_range);
  g_test_add_func ("/imap/hostile/login-referral", test_login_referral);
  g_test_add_func ("/imap/hostile/many-mailboxes", test_many_mailboxes);
  return g_test_run ();
}
