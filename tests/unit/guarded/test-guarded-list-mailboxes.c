/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-guarded-handlers.h"

#include <string.h>

#include "fake-mail.h"

#define RUN(mail) fake_mail_run (mail, postbag_guarded_list_mailboxes, "list_mailboxes", "{}")

static void
test_ordinary (void)
{
  g_autoptr (FakeMail) mail = fake_mail_new ();
  PostbagMailbox *sent = NULL;
  g_auto (FakeAnswer) answer = { NULL };
  JsonObject *item = NULL;

  fake_mail_add_mailbox (mail, "INBOX");
  sent = fake_mail_add_mailbox (mail, "Work/Sent items");
  sent->special_use = g_strdup ("\\Sent");
  sent->has_status = FALSE;
  answer = RUN (mail);

  g_assert_cmpstr (fake_answer_string (&answer, "source"), ==, "imap");
  g_assert_cmpstr (fake_answer_string (&answer, "default_mailbox"), ==, "INBOX");
  g_assert_cmpint (fake_answer_int (&answer, "total_mailboxes"), ==, 2);
  g_assert_cmpint (fake_answer_int (&answer, "status_omitted"), ==, 1);
  item = fake_answer_item (&answer, "mailboxes", 0);
  g_assert_cmpstr (json_object_get_string_member (item, "path"), ==, "INBOX");
  g_assert_cmpint (json_object_get_int_member (item, "unseen"), ==, 1);
  g_assert_false (json_object_has_member (item, "name_warning"));
  item = fake_answer_item (&answer, "mailboxes", 1);
  g_assert_cmpstr (json_object_get_string_member (item, "name"), ==, "Sent items");
  g_assert_cmpstr (json_object_get_string_member (item, "specialUse"), ==, "\\Sent");
  g_assert_cmpstr (json_object_get_string_member (item, "delimiter"), ==, "/");
  g_assert_false (json_object_has_member (item, "messages"));
}

/* The path stays as it is, what is shown is clean, and the difference is spelled out. */
static void
test_hostile_names (void)
{
  static const char path[] = "Pay\u202elor\u200b ![x](https://e.example/p)";
  g_autoptr (FakeMail) mail = fake_mail_new ();
  g_auto (FakeAnswer) answer = { NULL };
  JsonObject *item = NULL;
  const char *shown = NULL;

  fake_mail_add_mailbox (mail, path);
  answer = RUN (mail);
  item = fake_answer_item (&answer, "mailboxes", 0);
  g_assert_cmpstr (json_object_get_string_member (item, "path"), ==, path);
  shown = json_object_get_string_member (item, "display_name");
  g_assert_null (strstr (shown, "\u202e"));
  g_assert_null (strstr (shown, "\u200b"));
  g_assert_null (strstr (shown, "![x]("));
  g_assert_nonnull (strstr (json_object_get_string_member (item, "name_warning"), "\\u202E"));
  g_assert_false (json_object_has_member (answer.root, "status_omitted"));
}

static void
test_too_many (void)
{
  g_autoptr (FakeMail) mail = fake_mail_new ();
  g_auto (FakeAnswer) answer = { NULL };
  JsonObject *truncated = NULL;
  guint listed = 0;

  for (guint i = 0; i < 1000; i++)
    {
      g_autofree char *path = g_strdup_printf ("%0250u", i);

      fake_mail_add_mailbox (mail, path);
    }
  mail->total_mailboxes = 5000;
  answer = RUN (mail);
  listed = json_array_get_length (fake_answer_array (&answer, "mailboxes"));
  truncated = fake_answer_object (&answer, "truncated");
  g_assert_cmpuint (listed, >, 100);
  g_assert_cmpuint (listed, <, 1000);
  g_assert_cmpint (json_object_get_int_member (truncated, "returned_items"), ==, listed);
  g_assert_cmpint (json_object_get_int_member (truncated, "omitted_items"), ==, 5000 - listed);
  g_assert_cmpint (fake_answer_int (&answer, "total_mailboxes"), ==, 5000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/guarded/list-mailboxes/ordinary", test_ordinary);
  g_test_add_func ("/guarded/list-mailboxes/hostile-names", test_hostile_names);
  g_test_add_func ("/guarded/list-mailboxes/too-many", test_too_many);
  return g_test_run ();
}
