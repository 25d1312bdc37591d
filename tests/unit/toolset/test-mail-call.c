/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "toolset/postbag-mail-call.h"

#include <string.h>

#include "base/postbag-error.h"
#include "fake-mail.h"

static gboolean
is_mailbox (const char *name)
{
  g_autoptr (GError) error = NULL;
  gboolean fine = postbag_mail_check_mailbox ("mailbox", name, &error);

  if (fine)
    g_assert_no_error (error);
  else
    {
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, "list_mailboxes"));
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
    }
  return fine;
}

static void
test_mailbox_names (void)
{
  g_autofree char *most = g_strnfill (255, 'm');
  g_autofree char *more = g_strnfill (256, 'm');

  g_assert_true (is_mailbox ("INBOX"));
  g_assert_true (is_mailbox ("INBOX/Archive.2024 \u00fc"));
  g_assert_true (is_mailbox ("a\tb"));
  g_assert_true (is_mailbox ("zero\u200bwidth\u202e"));
  g_assert_true (is_mailbox ("../../etc"));
  g_assert_true (is_mailbox (most));
  g_assert_false (is_mailbox (more));
  g_assert_false (is_mailbox (""));
  g_assert_false (is_mailbox ("a\nb"));
  g_assert_false (is_mailbox ("INBOX\n"));
  g_assert_false (is_mailbox ("a\rb"));
  g_assert_false (is_mailbox ("a\x1b[0m"));
  g_assert_false (is_mailbox ("a\x7f"));
  g_assert_false (is_mailbox ("a\xc2\x85"));
  g_assert_false (is_mailbox ("IN%"));
  g_assert_false (is_mailbox ("*"));
  g_assert_false (is_mailbox ("\xff"));
}

static PostbagMailCall *
open_call (FakeMail *mail, const char *name, const char *value, GError **error)
{
  g_autoptr (JsonObject) object = json_object_new ();
  g_autoptr (PostbagArgs) args = NULL;

  if (name != NULL)
    json_object_set_string_member (object, name, value);
  args = postbag_args_new (object);
  return postbag_mail_call_new (mail->call, args, error);
}

static void
test_mailbox_argument (void)
{
  g_autoptr (FakeMail) mail = fake_mail_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagMailCall) by_default = open_call (mail, NULL, NULL, &error);
  g_autoptr (PostbagMailCall) named = open_call (mail, "mailbox", "Archive", &error);
  g_autoptr (PostbagMailCall) bad = open_call (mail, "mailbox", "a%", &error);

  g_assert_cmpstr (by_default->mailbox, ==, "INBOX");
  g_assert_cmpstr (named->mailbox, ==, "Archive");
  g_assert_null (bad);
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
}

static void
test_account_argument (void)
{
  g_autoptr (FakeMail) mail = fake_mail_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagMailCall) named = open_call (mail, "account", "default", &error);
  g_autoptr (PostbagMailCall) other = open_call (mail, "account", "nobody", &error);

  g_assert_nonnull (named);
  g_assert_null (other);
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
}

static void
test_remembers (void)
{
  g_autoptr (FakeMail) mail = fake_mail_new ();
  g_autoptr (PostbagMailCall) call = open_call (mail, NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;
  guint32 uid_validity = 0;

  postbag_mail_call_remember (call, 4711, TRUE);
  g_assert_true (postbag_mail_call_recall (call, &uid_validity, &error));
  g_assert_cmpuint (uid_validity, ==, 4711);
  postbag_mail_call_remember (call, 4712, TRUE);
  g_assert_false (postbag_mail_call_recall (call, &uid_validity, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT);
  g_assert_nonnull (strstr (error->message, "list_messages"));
}

static void
assert_explained (FakeMail *mail, const char *mailbox, guint32 uid, const char *words)
{
  g_autoptr (GError) error =
      g_error_new_literal (POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND, "from the store");
  g_autoptr (PostbagMailCall) call = open_call (mail, "mailbox", mailbox, NULL);

  g_assert_false (postbag_mail_call_explain (call, uid, &error));
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, words));
}

/* What was not there, the mailbox or the message, and where to look. */
static void
test_explains (void)
{
  g_autoptr (FakeMail) mail = fake_mail_new ();
  g_autoptr (PostbagMailCall) call = open_call (mail, NULL, NULL, NULL);
  g_autoptr (GError) busy = g_error_new_literal (POSTBAG_ERROR, POSTBAG_ERROR_BUSY, "as it is");

  assert_explained (mail, "INBOX", 5, "no message with uid 5");
  assert_explained (mail, "INBOX", 5, "list_messages");
  assert_explained (mail, "Gone", 5, "no mailbox “Gone”");
  assert_explained (mail, "Gone", 0, "list_mailboxes");
  g_assert_false (postbag_mail_call_explain (call, 5, &busy));
  g_assert_cmpstr (busy->message, ==, "as it is");
}

static void
assert_uid (FakeMail *mail, gint64 value, gboolean fine)
{
  g_autoptr (PostbagMailCall) call = open_call (mail, NULL, NULL, NULL);
  g_autoptr (JsonObject) object = json_object_new ();
  g_autoptr (PostbagArgs) args = NULL;
  g_autoptr (GError) error = NULL;
  guint32 uid = 0;

  json_object_set_int_member (object, "uid", value);
  args = postbag_args_new (object);
  g_assert_cmpint (postbag_mail_call_get_uid (call, args, &uid, &error), ==, fine);
  if (fine)
    g_assert_cmpuint (uid, ==, value);
  else
    g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
}

static void
test_uids (void)
{
  g_autoptr (FakeMail) mail = fake_mail_new ();

  assert_uid (mail, 1, TRUE);
  assert_uid (mail, 4294967295, TRUE);
  assert_uid (mail, 4294967296, FALSE);
  assert_uid (mail, 9007199254740991, FALSE);
  assert_uid (mail, 0, FALSE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mail-call/mailbox-names", test_mailbox_names);
  g_test_add_func ("/mail-call/mailbox-argument", test_mailbox_argument);
  g_test_add_func ("/mail-call/account-argument", test_account_argument);
  g_test_add_func ("/mail-call/remembers", test_remembers);
  g_test_add_func ("/mail-call/explains", test_explains);
  g_test_add_func ("/mail-call/uids", test_uids);
  return g_test_run ();
}
