/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* New messages and changes of mailboxes by what the server can do and how it fails. */

#include <string.h>

#include "base/postbag-error.h"
#include "peer-changes.h"

/* --- append --- */

static PostbagEffect *
make_append (const char *mailbox, const char *text)
{
  PostbagEffect *effect = postbag_effect_new (POSTBAG_EFFECT_APPEND, mailbox);

  effect->add_flags = POSTBAG_FLAG_SEEN | POSTBAG_FLAG_DRAFT;
  effect->message = g_bytes_new (text, strlen (text));
  return effect;
}

static void
test_append (void)
{
  RUN (make_append ("Drafts", "Subject: x\r\n\r\n"), "UIDPLUS",
       "C:APPEND \"Drafts\" (\\Seen \\Draft) {14}", "S:+ go on", "L", "L", "L",
       "S:%t OK [APPENDUID 7 41] saved");

  g_assert_no_error (result.error);
  g_assert_cmpuint (result.report->uid_map->len, ==, 1);
  g_assert_cmpuint (g_array_index (result.report->uid_map, PostbagUidPair, 0).to, ==, 41);
}

/* Saved it is; which uid it has is not said by what is no APPENDUID. */
static void
test_append_with_a_wrong_uid (void)
{
  static const char *const codes[] = { "x 41", "0 41", "7 0", "7 41:42", "7", "7 41 42" };

  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autofree char *answer = g_strdup_printf ("S:%%t OK [APPENDUID %s] saved", codes[i]);
      const char *const reading[] = { GREETING, LOGIN_WITH ("LITERAL-"), "STALL", NULL };
      const char *const writing[] = {
        GREETING, LOGIN_WITH ("LITERAL-"), "C:APPEND", "L", "L", "L", answer, "STALL", NULL
      };
      const char *const *const scripts[] = { reading, writing, NULL };
      g_auto (Result) result = apply (scripts, make_append ("Drafts", "Subject: x\r\n\r\n"));

      g_assert_no_error (result.error);
      g_assert_cmpuint (result.report->uid_map->len, ==, 0);
    }
}

static void
test_append_without_waiting (void)
{
  RUN (make_append ("Drafts", "Subject: x\r\n\r\n"), "LITERAL-", "C:APPEND \"Drafts\"", "L", "L",
       "L", OK);

  g_assert_no_error (result.error);
  g_assert_nonnull (strstr (result.log, "{14+}"));
}

/* A header of UTF-8 goes as such where that was enabled (RFC 6855 section 4), and else as it is. */
static void
test_append_utf8 (void)
{
  static const char *const reading[] = { GREETING,
                                         LOGIN_WITH ("ENABLE UTF8=ACCEPT"),
                                         "C:ENABLE UTF8=ACCEPT",
                                         "S:* ENABLED UTF8=ACCEPT",
                                         OK,
                                         "STALL",
                                         NULL };
  static const char *const writing[] = { GREETING,
                                         LOGIN_WITH ("ENABLE UTF8=ACCEPT"),
                                         "C:ENABLE UTF8=ACCEPT",
                                         "S:* ENABLED UTF8=ACCEPT",
                                         OK,
                                         "C:APPEND \"Drafts\" (\\Seen \\Draft) UTF8 (~{17}",
                                         "S:+",
                                         "L",
                                         "L",
                                         "L",
                                         "L",
                                         OK,
                                         "STALL",
                                         NULL };
  static const char *const *const scripts[] = { reading, writing, NULL };
  g_auto (Result) result = apply (scripts, make_append ("Drafts", "Subject: \xc3\xa9\r\n\r\n\r\n"));

  g_assert_no_error (result.error);
}

/* refused before the literal; its bytes would be read as commands. */
static void
test_append_refused (void)
{
  RUN (make_append ("Nope", "From: nora\r\nSubject: x\r\n\r\nNOOP\r\n"), "", "C:APPEND \"Nope\"",
       "S:%t NO [TRYCREATE] no such mailbox");

  assert_nothing_happened (&result, POSTBAG_ERROR_NOT_FOUND, "TRYCREATE");
  assert_never_sent (&result, "From: nora");
  assert_never_sent (&result, "CREATE \"");
}

/* an untagged BAD is the answer to a literal over the server's limit. */
static void
test_append_untagged_bad (void)
{
  gint64 start = g_get_monotonic_time ();
  RUN (make_append ("Sent", "From: nora\r\n\r\n"), "", "C:APPEND \"Sent\"",
       "S:* BAD literal over the size limit");

  assert_nothing_happened (&result, POSTBAG_ERROR_REMOTE_REFUSED, "over the size limit");
  assert_never_sent (&result, "From: nora");
  g_assert_cmpint (g_get_monotonic_time () - start, <, DEADLINE * 1000);
}

/* the limit is known before anything is sent ... */
static void
test_append_limit (void)
{
  g_autofree char *text = g_strnfill (1500, 'x');
  RUN (make_append ("Drafts", text), "APPENDLIMIT=1000", "S:* OK still here");

  assert_nothing_happened (&result, POSTBAG_ERROR_TOO_LARGE, "1500");
  g_assert_nonnull (strstr (result.error->message, "1000"));
  assert_never_sent (&result, "APPEND");
}

/* ... also where each mailbox has its own (RFC 7889 section 3.1) ... */
static void
test_append_limit_of_the_mailbox (void)
{
  static const struct
  {
    const char *status;
    gboolean is_sent;
  } cases[] = {
    { "S:* STATUS \"Drafts\" (APPENDLIMIT 13)", FALSE },
    { "S:* STATUS \"Drafts\" (APPENDLIMIT 14)", TRUE },
    { "S:* STATUS \"Drafts\" (APPENDLIMIT NIL)", TRUE },
    { "S:* OK never heard of it", TRUE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *const reading[] = { GREETING, LOGIN_WITH ("APPENDLIMIT"), "STALL", NULL };
      const char *const writing[] = { GREETING,
                                      LOGIN_WITH ("APPENDLIMIT"),
                                      "C:STATUS \"Drafts\" (APPENDLIMIT)",
                                      cases[i].status,
                                      OK,
                                      "C:APPEND \"Drafts\"",
                                      "S:+ go on",
                                      "L",
                                      "L",
                                      "L",
                                      OK,
                                      "STALL",
                                      NULL };
      const char *const *const scripts[] = { reading, writing, NULL };
      g_auto (Result) result = apply (scripts, make_append ("Drafts", "Subject: x\r\n\r\n"));

      if (cases[i].is_sent)
        g_assert_no_error (result.error);
      else
        assert_nothing_happened (&result, POSTBAG_ERROR_TOO_LARGE, "takes 13");
      g_assert_true (cases[i].is_sent == (strstr (result.log, "APPEND \"Drafts\"") != NULL));
    }
}

/* A STATUS that is refused is no reason not to try. */
static void
test_append_limit_refused (void)
{
  RUN (make_append ("Drafts", "Subject: x\r\n\r\n"), "APPENDLIMIT",
       "C:STATUS \"Drafts\" (APPENDLIMIT)", "S:%t NO not now", "C:APPEND \"Drafts\"", "S:+ go on",
       "L", "L", "L", OK);

  g_assert_no_error (result.error);
}

/* ... or not, and it is not tried again. */
static void
test_append_too_big (void)
{
  RUN (make_append ("Drafts", "x"), "", "C:APPEND \"Drafts\"",
       "S:%t NO [TOOBIG] Message too large");

  assert_nothing_happened (&result, POSTBAG_ERROR_TOO_LARGE, "TOOBIG");
  g_assert_null (strstr (strstr (result.log, "APPEND") + 1, "APPEND"));
}

static void
test_append_lost (void)
{
  static const char *const reading[] = { READY, "STALL", NULL };
  static const char *const writing[] = { READY, "C:APPEND", "S:+", "L", NULL };
  static const char *const *const scripts[] = { reading, writing, reading, NULL };
  g_auto (Result) result = apply (scripts, make_append ("Drafts", "Subject: x\r\n\r\n"));

  g_assert_error (result.error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE);
  assert_uids (result.report->unknown, "0");
  g_assert_null (strstr (strstr (result.log, "APPEND") + 1, "APPEND"));
}

/* --- mailboxes --- */

/* Of INBOX, right before it is changed. */
#define STATUS(messages, uid_validity)                                                             \
  "C:STATUS \"INBOX\" (MESSAGES UIDNEXT UIDVALIDITY)",                                             \
      "S:* STATUS INBOX (MESSAGES " messages " UIDVALIDITY " uid_validity ")", OK
#define NO_CHILDREN "C:LIST \"\" \"INBOX\"", "S:* LIST (\\HasNoChildren) \"/\" INBOX", OK

static void
test_mailboxes (void)
{
  RUN (make_effect (POSTBAG_EFFECT_RENAME_MAILBOX, NULL, "Caf\xc3\xa9"), "", STATUS ("3", "7"),
       "C:RENAME \"INBOX\" \"Caf&AOk-\"", OK);

  g_assert_no_error (result.error);
}

static void
test_delete_only_empty (void)
{
  PostbagEffect *effect = make_effect (POSTBAG_EFFECT_DELETE_MAILBOX, NULL, NULL);
  effect->only_empty = TRUE;
  RUN (effect, "", "C:LIST \"\" \"INBOX\"", "S:* LIST (\\HasNoChildren) \"/\" INBOX", OK,
       STATUS ("1", "7"));

  assert_nothing_happened (&result, POSTBAG_ERROR_NOT_ALLOWED, "not empty");
  assert_never_sent (&result, "DELETE");
}

/* Some servers delete what is below, too; most say whether there is any, others are asked. */
static void
test_delete_with_children (void)
{
  RUN (make_effect (POSTBAG_EFFECT_DELETE_MAILBOX, NULL, NULL), "", "C:LIST \"\" \"INBOX\"",
       "S:* LIST (\\HasChildren) \"/\" INBOX", OK);

  assert_nothing_happened (&result, POSTBAG_ERROR_NOT_ALLOWED, "below");
  assert_never_sent (&result, "DELETE");
}

static void
test_delete_with_children_found (void)
{
  RUN (make_effect (POSTBAG_EFFECT_DELETE_MAILBOX, NULL, NULL), "", "C:LIST \"\" \"INBOX\"",
       "S:* LIST () \".\" INBOX", OK, "C:LIST \"\" \"INBOX.%\"", "S:* LIST () \".\" INBOX.a", OK);

  assert_nothing_happened (&result, POSTBAG_ERROR_NOT_ALLOWED, "below");
  assert_never_sent (&result, "DELETE");
}

static void
test_delete_without_children (void)
{
  RUN (make_effect (POSTBAG_EFFECT_DELETE_MAILBOX, NULL, NULL), "", "C:LIST \"\" \"INBOX\"",
       "S:* LIST () \".\" INBOX", OK, "C:LIST \"\" \"INBOX.%\"", OK, STATUS ("3", "7"),
       "C:DELETE \"INBOX\"", OK);

  g_assert_no_error (result.error);
}

static PostbagEffect *
make_deletion (gint64 messages_told)
{
  PostbagEffect *effect = make_effect (POSTBAG_EFFECT_DELETE_MAILBOX, NULL, NULL);

  effect->messages_told = messages_told;
  return effect;
}

/* Mail may come, and another mailbox get the name, until the very last moment: that is where the
 * server is asked again. */
static void
test_delete_with_newcomers (void)
{
  RUN (make_deletion (3), "", NO_CHILDREN, STATUS ("4", "7"));

  assert_nothing_happened (&result, POSTBAG_ERROR_CONFLICT, "not the 3");
  assert_never_sent (&result, "DELETE");
}

static void
test_delete_another (void)
{
  RUN (make_deletion (3), "", NO_CHILDREN, STATUS ("3", "8"));

  assert_nothing_happened (&result, POSTBAG_ERROR_CONFLICT, "another mailbox");
  assert_never_sent (&result, "DELETE");
}

/* A server that says neither cannot be trusted to delete the right one. */
static void
test_delete_unknown (void)
{
  RUN (make_deletion (3), "", NO_CHILDREN, "C:STATUS \"INBOX\" (MESSAGES UIDNEXT UIDVALIDITY)", OK);

  assert_nothing_happened (&result, POSTBAG_ERROR_REMOTE_REFUSED, "does not say");
  assert_never_sent (&result, "DELETE");
}

static void
test_delete_without_validity (void)
{
  RUN (make_deletion (3), "", NO_CHILDREN, "C:STATUS \"INBOX\" (MESSAGES UIDNEXT UIDVALIDITY)",
       "S:* STATUS INBOX (MESSAGES 3)", OK);

  assert_nothing_happened (&result, POSTBAG_ERROR_CONFLICT, "another mailbox");
  assert_never_sent (&result, "DELETE");
}

static void
test_delete_as_told (void)
{
  RUN (make_deletion (3), "", NO_CHILDREN, STATUS ("2", "7"), "C:DELETE \"INBOX\"", OK);

  g_assert_no_error (result.error);
}

/* As many as before, but not the same: one left, and another came. */
static void
test_delete_with_others (void)
{
  PostbagEffect *effect = make_deletion (3);

  effect->uid_next_told = 10;
  RUN (effect, "", NO_CHILDREN, "C:STATUS \"INBOX\" (MESSAGES UIDNEXT UIDVALIDITY)",
       "S:* STATUS INBOX (MESSAGES 3 UIDNEXT 11 UIDVALIDITY 7)", OK);

  assert_nothing_happened (&result, POSTBAG_ERROR_CONFLICT, "Other mail came");
  assert_never_sent (&result, "DELETE");
}

static void
test_rename_another (void)
{
  RUN (make_effect (POSTBAG_EFFECT_RENAME_MAILBOX, NULL, "New"), "", STATUS ("3", "8"));

  assert_nothing_happened (&result, POSTBAG_ERROR_CONFLICT, "another mailbox");
  assert_never_sent (&result, "RENAME");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/appends/append", test_append);
  g_test_add_func ("/imap/appends/append-without-waiting", test_append_without_waiting);
  g_test_add_func ("/imap/appends/wrong-uid", test_append_with_a_wrong_uid);
  g_test_add_func ("/imap/appends/append-refused", test_append_refused);
  g_test_add_func ("/imap/appends/append-untagged-bad", test_append_untagged_bad);
  g_test_add_func ("/imap/appends/append-limit", test_append_limit);
  g_test_add_func ("/imap/appends/append-limit-of-the-mailbox", test_append_limit_of_the_mailbox);
  g_test_add_func ("/imap/appends/append-limit-refused", test_append_limit_refused);
  g_test_add_func ("/imap/appends/append-too-big", test_append_too_big);
  g_test_add_func ("/imap/appends/append-lost", test_append_lost);
  g_test_add_func ("/imap/appends/mailboxes", test_mailboxes);
  g_test_add_func ("/imap/appends/append-utf8", test_append_utf8);
  g_test_add_func ("/imap/appends/delete-only-empty", test_delete_only_empty);
  g_test_add_func ("/imap/appends/delete-with-children", test_delete_with_children);
  g_test_add_func ("/imap/appends/delete-with-children-found", test_delete_with_children_found);
  g_test_add_func ("/imap/appends/delete-without-children", test_delete_without_children);
  g_test_add_func ("/imap/appends/delete-with-newcomers", test_delete_with_newcomers);
  g_test_add_func ("/imap/appends/delete-another", test_delete_another);
  g_test_add_func ("/imap/appends/delete-unknown", test_delete_unknown);
  g_test_add_func ("/imap/appends/delete-without-validity", test_delete_without_validity);
  g_test_add_func ("/imap/appends/delete-with-others", test_delete_with_others);
  g_test_add_func ("/imap/appends/delete-as-told", test_delete_as_told);
  g_test_add_func ("/imap/appends/rename-another", test_rename_another);
  return g_test_run ();
}
