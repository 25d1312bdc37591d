/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "base/postbag-state.h"
#include "folder.h"
#include "mail/postbag-accounts.h"
#include "mail/postbag-audit-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* A backend that counts and answers as told. */
typedef struct
{
  int opens;
  int closes;
  int applies;
  gboolean open_fails;
  gboolean slip_foreign_error;
  gint64 messages;
  char *state_part;
} Fake;

static Fake fake;

static gpointer
open_fake (const PostbagAccount *account, const char *state_dir, GError **error)
{
  g_atomic_int_inc (&fake.opens);
  g_free (fake.state_part);
  fake.state_part = g_strdup (state_dir);
  if (!fake.open_fails)
    return &fake;
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE, "not there");
  return NULL;
}

static void
close_fake (gpointer self)
{
  fake.closes++;
}

static PostbagMailboxState *
get_fake_state (gpointer self, const char *mailbox, GCancellable *cancellable, GError **error)
{
  PostbagMailboxState *state;

  if (fake.slip_foreign_error && g_cancellable_set_error_if_cancelled (cancellable, error))
    return NULL;
  if (fake.slip_foreign_error)
    return NULL;
  state = g_new0 (PostbagMailboxState, 1);
  state->messages = fake.messages;
  state->permanent_flags = g_new0 (char *, 1);
  return state;
}

static PostbagEffectReport *
apply_fake (gpointer self, const PostbagEffect *effect, GCancellable *cancellable, GError **error)
{
  PostbagEffectReport *report = postbag_effect_report_new ();

  fake.applies++;
  if (effect->uids != NULL)
    g_array_append_vals (report->done, effect->uids->data, effect->uids->len);
  return report;
}

static const PostbagStoreImplementation reading_backend = {
  .size = sizeof (PostbagStoreImplementation),
  .open = open_fake,
  .close = close_fake,
  .get_state = get_fake_state,
};

static const PostbagStoreImplementation writing_backend = {
  .size = sizeof (PostbagStoreImplementation),
  .open = open_fake,
  .close = close_fake,
  .get_state = get_fake_state,
  .apply = apply_fake,
};

/* A table compiled before `apply` existed: what follows its end must not be read. */
static const PostbagStoreImplementation old_backend = {
  .size = G_STRUCT_OFFSET (PostbagStoreImplementation, apply),
  .open = open_fake,
  .close = close_fake,
  .apply = apply_fake,
};

static const PostbagStoreImplementation *
find_backend (const char *backend, gpointer user_data, GError **error)
{
  if (strcmp (backend, "reading") == 0)
    return &reading_backend;
  if (strcmp (backend, "writing") == 0)
    return &writing_backend;
  if (strcmp (backend, "old") == 0)
    return &old_backend;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED, "no backend %s", backend);
  return NULL;
}

static PostbagAccounts *
make_accounts (const char *backend, PostbagMay may, const char *state_dir)
{
  PostbagAccounts *accounts = postbag_accounts_new (find_backend, NULL, state_dir);
  PostbagAccount *account = postbag_account_new ("default", backend);

  g_clear_pointer (&fake.state_part, g_free);
  memset (&fake, 0, sizeof fake);
  account->may = may;
  postbag_accounts_add (accounts, account);
  return accounts;
}

static void
test_none (void)
{
  g_autoptr (PostbagAccounts) accounts = postbag_accounts_new (find_backend, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (postbag_accounts_get_store (accounts, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_LOGIN);
  g_assert_nonnull (strstr (error->message, "POSTBAG_MAILDIR"));
}

static void
test_names (void)
{
  g_autoptr (PostbagAccounts) accounts = make_accounts ("reading", POSTBAG_MAY_READ, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree const char **names = NULL;

  postbag_accounts_add (accounts, postbag_account_new ("work", "reading"));
  g_test_expect_message ("postbag-mail", G_LOG_LEVEL_WARNING, "*“message” may not*");
  postbag_accounts_add (accounts, postbag_account_new ("message", "reading"));
  g_test_expect_message ("postbag-mail", G_LOG_LEVEL_WARNING, "*“work” is there twice*");
  postbag_accounts_add (accounts, postbag_account_new ("work", "reading"));
  g_test_assert_expected_messages ();

  names = postbag_accounts_list (accounts);
  g_assert_cmpstr (names[0], ==, "default");
  g_assert_cmpstr (names[1], ==, "work");
  g_assert_null (names[2]);
  g_assert_null (postbag_accounts_get_store (accounts, "wrok", &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "“default”, “work”"));
}

static void
test_failure_not_sticky (void)
{
  g_autoptr (PostbagAccounts) accounts = make_accounts ("reading", POSTBAG_MAY_READ, NULL);
  g_autoptr (PostbagStore) store = NULL;
  g_autoptr (PostbagStore) again = NULL;
  g_autoptr (PostbagMailboxState) state = NULL;
  g_autoptr (GError) error = NULL;

  fake.open_fails = TRUE;
  g_assert_null (postbag_accounts_get_store (accounts, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE);
  g_clear_error (&error);
  fake.open_fails = FALSE;
  store = postbag_accounts_get_store (accounts, NULL, &error);
  g_assert_no_error (error);
  again = postbag_accounts_get_store (accounts, "default", &error);
  g_assert_true (store == again);
  g_assert_cmpint (fake.opens, ==, 2);
  state = postbag_store_get_state (store, "INBOX", NULL, &error);
  g_assert_no_error (error);

  postbag_accounts_close (accounts);
  g_assert_cmpint (fake.closes, ==, 1);
  g_assert_null (postbag_store_get_state (store, "INBOX", NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE);
}

static gpointer
get_store (gpointer data)
{
  return postbag_accounts_get_store (data, NULL, NULL);
}

static void
test_threads (void)
{
  g_autoptr (PostbagAccounts) accounts = make_accounts ("reading", POSTBAG_MAY_READ, NULL);
  GThread *threads[8];

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("get-store", get_store, accounts);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_autoptr (PostbagStore) store = g_thread_join (threads[i]);

      g_assert_nonnull (store);
    }
  g_assert_cmpint (fake.opens, ==, 1);
}

static void
test_checks (void)
{
  g_autoptr (PostbagAccounts) accounts = make_accounts ("writing", POSTBAG_MAY_READ, NULL);
  g_autoptr (PostbagStore) store = postbag_accounts_get_store (accounts, NULL, NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autofree char *long_name = g_strnfill (256, 'a');
  const char *const bad[] = { "", "a\nb", "a\177", "\xff", long_name };
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_assert_null (postbag_store_get_state (store, bad[i], NULL, &error));
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
      g_clear_error (&error);
    }
  g_assert_null (postbag_store_fetch_structure (store, "INBOX", 1, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED);
  g_clear_error (&error);

  fake.slip_foreign_error = TRUE;
  g_assert_null (postbag_store_get_state (store, "INBOX", NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INTERNAL);
  g_clear_error (&error);
  g_cancellable_cancel (cancellable);
  g_assert_null (postbag_store_get_state (store, "INBOX", cancellable, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED);
}

static void
assert_refused (PostbagStore *store, const PostbagEffect *effect, int code)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (postbag_store_apply (store, effect, NULL, &error));
  g_assert_error (error, POSTBAG_ERROR, code);
}

static void
test_mask (void)
{
  g_autoptr (PostbagAccounts) accounts = make_accounts ("writing", POSTBAG_MAY_READ, NULL);
  g_autoptr (PostbagStore) store = postbag_accounts_get_store (accounts, NULL, NULL);

  for (guint kind = 0; kind < POSTBAG_EFFECT_N_KINDS; kind++)
    {
      g_autoptr (PostbagEffect) effect = postbag_effect_new (kind, "INBOX");

      assert_refused (store, effect, POSTBAG_ERROR_NOT_ALLOWED);
    }
  g_assert_cmpint (fake.applies, ==, 0);
}

static void
test_delete_mailbox (void)
{
  g_autoptr (PostbagAccounts) accounts =
      make_accounts ("writing", POSTBAG_MAY_READ | POSTBAG_MAY_ORGANISE, NULL);
  g_autoptr (PostbagStore) store = postbag_accounts_get_store (accounts, NULL, NULL);
  g_autoptr (PostbagEffect) effect = postbag_effect_new (POSTBAG_EFFECT_DELETE_MAILBOX, "Old");
  g_autoptr (PostbagEffectReport) report = NULL;

  fake.messages = 1;
  assert_refused (store, effect, POSTBAG_ERROR_NOT_ALLOWED);
  fake.messages = 0;
  g_test_expect_message ("postbag-mail", G_LOG_LEVEL_MESSAGE, "audit 20*Z delete-mailbox *");
  report = postbag_store_apply (store, effect, NULL, NULL);
  g_test_assert_expected_messages ();
  g_assert_nonnull (report);
}

static void
test_apply_unset (void)
{
  static const char *const backends[] = { "reading", "old" };

  for (gsize i = 0; i < G_N_ELEMENTS (backends); i++)
    {
      g_autoptr (PostbagAccounts) accounts =
          make_accounts (backends[i], POSTBAG_MAY_READ | POSTBAG_MAY_ORGANISE, NULL);
      g_autoptr (PostbagStore) store = postbag_accounts_get_store (accounts, NULL, NULL);
      g_autoptr (PostbagEffect) effect = postbag_effect_new (POSTBAG_EFFECT_MOVE, "INBOX");

      assert_refused (store, effect, POSTBAG_ERROR_NOT_SUPPORTED);
    }
}

static void
test_stop (void)
{
  g_autofree char *scratch = g_dir_make_tmp ("postbag-test-XXXXXX", NULL);
  g_autofree char *state_dir = postbag_state_open (scratch, NULL);
  g_autofree char *stop = g_build_filename (state_dir, "STOP", NULL);
  g_autoptr (PostbagAccounts) accounts =
      make_accounts ("writing", POSTBAG_MAY_READ | POSTBAG_MAY_ORGANISE, state_dir);
  g_autoptr (PostbagStore) store = postbag_accounts_get_store (accounts, NULL, NULL);
  g_autoptr (PostbagEffect) effect = postbag_effect_new (POSTBAG_EFFECT_MOVE, "INBOX");

  g_assert_true (g_str_has_suffix (fake.state_part, "/writing/default"));
  g_assert_true (g_file_test (fake.state_part, G_FILE_TEST_IS_DIR));
  g_assert_true (g_file_set_contents (stop, "", 0, NULL));
  assert_refused (store, effect, POSTBAG_ERROR_NOT_ALLOWED);
  g_assert_cmpint (fake.applies, ==, 0);
  remove_tree (scratch);
}

/* What is recalled, or -1 where the caller has to be told first. */
static gint64
recall (PostbagAccounts *accounts, const char *principal, const char *account, const char *mailbox)
{
  guint32 uid_validity = 0;

  if (!postbag_accounts_recall_uid_validity (accounts, principal, account, mailbox, &uid_validity))
    return -1;
  return uid_validity;
}

static void
list (PostbagAccounts *accounts, const char *mailbox, guint32 uid_validity)
{
  postbag_accounts_remember_uid_validity (accounts, "local", "a", mailbox, uid_validity, TRUE);
}

static void
see (PostbagAccounts *accounts, const char *mailbox, guint32 uid_validity)
{
  postbag_accounts_remember_uid_validity (accounts, "local", "a", mailbox, uid_validity, FALSE);
}

static void
test_uid_validity (void)
{
  g_autoptr (PostbagAccounts) accounts = make_accounts ("reading", POSTBAG_MAY_READ, NULL);

  g_assert_cmpint (recall (accounts, "local", "a", "INBOX"), ==, 0);
  list (accounts, "b:c", G_MAXUINT32);
  g_assert_cmpint (recall (accounts, "local", "a", "b:c"), ==, G_MAXUINT32);
  g_assert_cmpint (recall (accounts, "local", "a", "B:C"), ==, 0);
  g_assert_cmpint (recall (accounts, "local", "a:b", "c"), ==, 0);
  g_assert_cmpint (recall (accounts, "other", "a", "b:c"), ==, 0);
  list (accounts, "InBox", 7);
  g_assert_cmpint (recall (accounts, "local", "a", "inbox"), ==, 7);
  g_assert_cmpint (recall (accounts, "local", "a", "inbox/x"), ==, 0);
}

/* Neither a message of the new mailbox nor a listing that the caller did not ask for since makes
 * uids of the old one good. */
static void
test_made_anew (void)
{
  g_autoptr (PostbagAccounts) accounts = make_accounts ("reading", POSTBAG_MAY_READ, NULL);

  list (accounts, "seen", 1);
  see (accounts, "seen", 2);
  see (accounts, "seen", 1);
  g_assert_cmpint (recall (accounts, "local", "a", "seen"), ==, -1);
  see (accounts, "seen", 2);
  g_assert_cmpint (recall (accounts, "local", "a", "seen"), ==, -1);
  list (accounts, "seen", 2);
  g_assert_cmpint (recall (accounts, "local", "a", "seen"), ==, 2);

  list (accounts, "listed", 1);
  list (accounts, "listed", 2);
  list (accounts, "listed", 2);
  g_assert_cmpint (recall (accounts, "local", "a", "listed"), ==, -1);
  g_assert_cmpint (recall (accounts, "local", "a", "listed"), ==, -1);
  list (accounts, "listed", 3);
  g_assert_cmpint (recall (accounts, "local", "a", "listed"), ==, 3);
}

/* Where the store was the first to see it, the caller is not told twice. */
static void
test_conflict_told (void)
{
  g_autoptr (PostbagAccounts) accounts = make_accounts ("reading", POSTBAG_MAY_READ, NULL);

  postbag_accounts_tell_conflict (accounts, "local", "a", "INBOX");
  list (accounts, "INBOX", 1);
  postbag_accounts_tell_conflict (accounts, "local", "a", "inbox");
  list (accounts, "INBOX", 2);
  g_assert_cmpint (recall (accounts, "local", "a", "INBOX"), ==, 2);
  list (accounts, "INBOX", 3);
  g_assert_cmpint (recall (accounts, "local", "a", "INBOX"), ==, -1);
}

static gboolean
ask (PostbagAccounts *accounts, const char *principal, const char *question, const char *state)
{
  return postbag_accounts_open_question (accounts, principal, question, state);
}

/* The same words about something else are no second question; when the bound is reached, all are
 * forgotten. */
static void
test_questions (void)
{
  g_autoptr (PostbagAccounts) accounts = make_accounts ("reading", POSTBAG_MAY_READ, NULL);

  g_assert_true (ask (accounts, "local", "move 5", "1"));
  g_assert_true (ask (accounts, "local", "move 5", "1"));
  g_assert_true (ask (accounts, "other", "move 5", "2"));
  g_assert_false (ask (accounts, "local", "move 5", "2"));
  g_assert_true (ask (accounts, "local", "move 5", "2"));
  postbag_accounts_close_question (accounts, "local", "move 5");
  g_assert_true (ask (accounts, "local", "move 5", "3"));
  for (guint i = 0; i < POSTBAG_LIMIT_REMEMBERED_QUESTIONS; i++)
    {
      g_autofree char *question = g_strdup_printf ("move %u", 100 + i);

      g_assert_true (ask (accounts, "local", question, "1"));
    }
  g_assert_true (ask (accounts, "local", "move 5", "4"));
}

static void
test_audit_line (void)
{
  g_autoptr (PostbagAccount) account = postbag_account_new ("default", "reading");
  g_autoptr (PostbagEffect) effect =
      postbag_effect_new (POSTBAG_EFFECT_MOVE, "A\n\xe2\x80\xae\"\xc3\xa9");
  g_autofree char *line = NULL;

  effect->uids = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 uid = 1; uid <= 23; uid++)
    g_array_append_val (effect->uids, uid);
  effect->destination = g_strdup ("B");
  line = postbag_audit_format (account, effect, NULL, NULL);
  g_assert_cmpstr (line, ==,
                   "move account=\"default\" mailbox=\"A\\u000A\\u202E\\u0022\xc3\xa9\" "
                   "destination=\"B\" uids=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,+3 "
                   "outcome=done");
}

/* What was not there was not changed, and the line does not say so. */
static void
test_audit_of_nothing (void)
{
  static const guint32 uids[] = { 7, 777 };
  g_autoptr (PostbagAccount) account = postbag_account_new ("default", "reading");
  g_autoptr (PostbagEffect) effect = postbag_effect_new (POSTBAG_EFFECT_STORE_FLAGS, "INBOX");
  g_autoptr (PostbagEffectReport) report = postbag_effect_report_new ();
  g_autofree char *none = NULL, *one = NULL;

  effect->uids = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_vals (effect->uids, uids, G_N_ELEMENTS (uids));
  none = postbag_audit_format (account, effect, report, NULL);
  g_assert_true (g_str_has_suffix (none, " uids=7,777 outcome=nothing"));
  g_array_append_vals (report->done, uids, 1);
  one = postbag_audit_format (account, effect, report, NULL);
  g_assert_true (g_str_has_suffix (one, " uids=7,777 outcome=done done=7"));
}

/* The digest is sha256sum's, of "imap\0mail.example.org\0993\0ann\0\0". */
static void
test_identity (void)
{
  g_autoptr (PostbagAccount) account = postbag_account_new ("default", "imap");
  g_autofree char *first = NULL;
  g_autofree char *second = NULL;

  account->host = g_strdup ("mail.example.org");
  account->port = 993;
  account->user = g_strdup ("ann");
  account->password = g_strdup ("secret");
  first = postbag_account_dup_identity (account);
  g_assert_cmpstr (first, ==, "95f44d78d4ea1f4a5cb465dc7242a7db960028cfe6a133d8952076aee3ec0d50");
  g_free (account->host);
  account->host = g_strdup ("Mail.Example.org");
  g_free (account->name);
  account->name = g_strdup ("other");
  account->password[0] = 'S';
  second = postbag_account_dup_identity (account);
  g_assert_cmpstr (second, ==, first);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/accounts/none", test_none);
  g_test_add_func ("/accounts/names", test_names);
  g_test_add_func ("/accounts/failure-not-sticky", test_failure_not_sticky);
  g_test_add_func ("/accounts/threads", test_threads);
  g_test_add_func ("/accounts/uid-validity", test_uid_validity);
  g_test_add_func ("/accounts/identity", test_identity);
  g_test_add_func ("/accounts/made-anew", test_made_anew);
  g_test_add_func ("/accounts/conflict-told", test_conflict_told);
  g_test_add_func ("/accounts/questions", test_questions);
  g_test_add_func ("/store/checks", test_checks);
  g_test_add_func ("/store/mask", test_mask);
  g_test_add_func ("/store/delete-mailbox", test_delete_mailbox);
  g_test_add_func ("/store/apply-unset", test_apply_unset);
  g_test_add_func ("/store/stop", test_stop);
  g_test_add_func ("/audit/line-of-nothing", test_audit_of_nothing);
  g_test_add_func ("/audit/line", test_audit_line);
  return g_test_run ();
}
