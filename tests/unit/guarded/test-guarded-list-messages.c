/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-guarded-handlers.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "fake-mail.h"

#define RUN(mail, arguments)                                                                       \
  fake_mail_run (mail, postbag_guarded_list_messages, "list_messages", arguments)

static FakeMail *
make_mail (guint count)
{
  FakeMail *mail = fake_mail_new ();

  for (guint i = 1; i <= count; i++)
    {
      FakeMessage *message = fake_mail_add (mail, i, NULL);

      message->subject = g_strdup_printf ("Subject %u", i);
      message->from_name = g_strdup ("Ada");
      message->from_address = g_strdup ("ada@example.org");
      message->date = 1788851100;
    }
  return mail;
}

static void
test_ordinary (void)
{
  g_autoptr (FakeMail) mail = make_mail (3);
  g_auto (FakeAnswer) answer = { NULL };
  JsonObject *item = NULL;
  guint32 uid_validity = 0;

  ((FakeMessage *)mail->messages->pdata[2])->flags = POSTBAG_FLAG_SEEN | POSTBAG_FLAG_FLAGGED;
  answer = RUN (mail, "{}");
  g_assert_cmpstr (fake_answer_string (&answer, "mailbox"), ==, "INBOX");
  g_assert_cmpint (fake_answer_int (&answer, "total_matching"), ==, 3);
  g_assert_cmpint (fake_answer_int (&answer, "returned"), ==, 3);
  g_assert_false (json_object_has_member (answer.root, "next_offset"));
  g_assert_false (json_object_has_member (answer.root, "truncated"));
  item = fake_answer_item (&answer, "messages", 0);
  g_assert_cmpint (json_object_get_int_member (item, "uid"), ==, 3);
  g_assert_cmpstr (json_object_get_string_member (item, "from"), ==, "Ada <ada@example.org>");
  g_assert_cmpstr (json_object_get_string_member (item, "to"), ==, "(no recipient)");
  g_assert_cmpstr (json_object_get_string_member (item, "date"), ==, "2026-09-08T07:05:00Z");
  g_assert_true (json_object_get_boolean_member (item, "seen"));
  g_assert_true (json_object_get_boolean_member (item, "flagged"));
  g_assert_false (json_object_get_boolean_member (item, "answered"));
  g_assert_true (postbag_accounts_recall_uid_validity (mail->accounts, "local", "default", "INBOX",
                                                       &uid_validity));
  g_assert_cmpuint (uid_validity, ==, 7);
}

static void
test_page (void)
{
  g_autoptr (FakeMail) mail = make_mail (5);
  g_auto (FakeAnswer) first = RUN (mail, "{'limit':2}");
  g_auto (FakeAnswer) last = RUN (mail, "{'limit':2,'offset':4}");
  g_auto (FakeAnswer) past = RUN (mail, "{'offset':9007199254740991}");

  g_assert_cmpint (fake_answer_int (&first, "next_offset"), ==, 2);
  g_assert_cmpint (fake_answer_int (&last, "returned"), ==, 1);
  g_assert_false (json_object_has_member (last.root, "next_offset"));
  g_assert_cmpint (fake_answer_int (&past, "returned"), ==, 0);
  g_assert_cmpint (fake_answer_int (&past, "total_matching"), ==, 5);
  g_assert_false (json_object_has_member (past.root, "next_offset"));
}

static void
test_default_limit (void)
{
  g_autoptr (FakeMail) mail = make_mail (300);
  g_auto (FakeAnswer) usual = RUN (mail, "{}");
  g_auto (FakeAnswer) most = { NULL };

  g_assert_cmpint (fake_answer_int (&usual, "returned"), ==, 100);
  postbag_settings_set (mail->settings, "max-messages", "5000");
  most = RUN (mail, "{}");
  g_assert_cmpint (fake_answer_int (&most, "returned"), ==, 200);
}

/* 250 messages whose subjects fill the budget: every page is cut, says so, and paging by
 * next_offset meets each message exactly once. */
static void
test_cut_pages (void)
{
  g_autoptr (FakeMail) mail = make_mail (250);
  g_autofree gboolean *met = g_new0 (gboolean, 251);
  gint64 offset = 0;
  guint cut_pages = 0, n_met = 0;

  for (guint i = 0; i < 250; i++)
    {
      FakeMessage *message = mail->messages->pdata[i];

      g_free (message->subject);
      message->subject = g_strnfill (100000, '"');
      g_free (message->from_name);
      message->from_name = g_strnfill (9000, '\\');
    }
  while (offset >= 0)
    {
      g_autofree char *arguments =
          g_strdup_printf ("{'limit':200,'offset':%" G_GINT64_FORMAT "}", offset);
      g_auto (FakeAnswer) answer = RUN (mail, arguments);
      guint returned = json_array_get_length (fake_answer_array (&answer, "messages"));

      g_assert_cmpint (fake_answer_int (&answer, "returned"), ==, returned);
      g_assert_cmpuint (returned, >, 0);
      for (guint i = 0; i < returned; i++)
        {
          gint64 uid =
              json_object_get_int_member (fake_answer_item (&answer, "messages", i), "uid");

          g_assert_false (met[uid]);
          met[uid] = TRUE;
          n_met++;
        }
      if (json_object_has_member (answer.root, "truncated"))
        {
          JsonObject *truncated = fake_answer_object (&answer, "truncated");

          cut_pages++;
          g_assert_cmpint (json_object_get_int_member (truncated, "returned_items"), ==, returned);
          g_assert_cmpint (json_object_get_int_member (truncated, "omitted_items"), >, 0);
        }
      offset = json_object_has_member (answer.root, "next_offset")
                   ? fake_answer_int (&answer, "next_offset")
                   : -1;
    }
  g_assert_cmpuint (n_met, ==, 250);
  g_assert_cmpuint (cut_pages, >, 5);
}

/* A page of which everything vanished between search and fetch does not hold up the caller. */
static void
test_vanished (void)
{
  g_autoptr (FakeMail) mail = make_mail (10);
  g_auto (FakeAnswer) some = { NULL }, all = { NULL };

  mail->vanished = 2;
  some = RUN (mail, "{'limit':5}");
  g_assert_cmpint (fake_answer_int (&some, "returned"), ==, 3);
  g_assert_cmpint (fake_answer_int (&some, "next_offset"), ==, 3);
  all = RUN (mail, "{'limit':2}");
  g_assert_cmpint (fake_answer_int (&all, "returned"), ==, 0);
  g_assert_cmpint (fake_answer_int (&all, "next_offset"), ==, 2);
}

static void
test_hostile_summary (void)
{
  g_autoptr (FakeMail) mail = make_mail (1);
  FakeMessage *message = mail->messages->pdata[0];
  static const char *const keywords[] = { "bad\x01"
                                          "flag",
                                          "$Forwarded", NULL };
  g_auto (FakeAnswer) answer = { NULL };
  JsonObject *item = NULL;
  const char *subject = NULL;

  g_free (message->subject);
  message->subject = g_strdup ("Hi\r\n![x](https://beacon.example/?q)\u202e\U000e0041\x01");
  message->keywords = g_strdupv ((char **)keywords);
  message->date = G_MAXINT64;
  answer = RUN (mail, "{}");
  item = fake_answer_item (&answer, "messages", 0);
  subject = json_object_get_string_member (item, "subject");
  g_assert_null (strpbrk (subject, "\r\n\x01"));
  g_assert_null (strstr (subject, "\u202e"));
  g_assert_null (strstr (subject, "\U000e0041"));
  g_assert_null (strstr (subject, "![x]("));
  g_assert_nonnull (strstr (subject, "beacon.example"));
  g_assert_false (json_object_has_member (item, "date"));
  g_assert_cmpstr (json_array_get_string_element (json_object_get_array_member (item, "flags"), 1),
                   ==, "$Forwarded");
}

static void
test_criteria (void)
{
  g_autoptr (FakeMail) mail = make_mail (1);
  g_auto (FakeAnswer) answer =
      RUN (mail, "{'from':'ada','to':'b','subject':'c d','body':'e','keyword':'$K','seen':false,"
                 "'flagged':true,'since':'2024-02-29'}");
  g_auto (FakeAnswer) before = { NULL };

  g_assert_no_error (answer.error);
  g_assert_cmpstr (
      mail->last_search, ==,
      "from=ada to=b subject=c d body=e keyword=$K since=2024-02-29 seen=no flagged=yes");
  before = RUN (mail, "{'before':'1970-01-01'}");
  g_assert_no_error (before.error);
  g_assert_cmpstr (mail->last_search, ==,
                   "from=- to=- subject=- body=- keyword=- before=1970-01-01 seen=- flagged=-");
}

static void
assert_refused (FakeMail *mail, const char *arguments, const char *words)
{
  g_auto (FakeAnswer) answer = RUN (mail, arguments);

  fake_answer_assert_error (&answer, POSTBAG_ERROR_INVALID_ARGUMENT, words);
}

/* What the schema cannot say, or a lenient pattern lets through. */
static void
test_bad_arguments (void)
{
  g_autoptr (FakeMail) mail = make_mail (1);

  assert_refused (mail, "{'since':'2026-02-30'}", "since");
  assert_refused (mail, "{'since':'2023-02-29'}", "since");
  assert_refused (mail, "{'before':'2026-13-01'}", "before");
  assert_refused (mail, "{'before':'0000-01-01'}", "before");
  assert_refused (mail, "{'since':'2026-2-3'}", "since");
  assert_refused (mail, "{'since':'2026-01-01\\n'}", "since");
  assert_refused (mail, "{'since':'٢٠٢٦-٠١-٠١'}", "since");
  assert_refused (mail, "{'subject':'a\\r\\nb'}", "subject");
  assert_refused (mail, "{'body':''}", "body");
  assert_refused (mail, "{'mailbox':'IN*'}", "mailbox");
  assert_refused (mail, "{'mailbox':'INBOX\\n'}", "mailbox");
}

static void
test_unknown_mailbox (void)
{
  g_autoptr (FakeMail) mail = make_mail (1);
  g_auto (FakeAnswer) answer = RUN (mail, "{'mailbox':'Archiv\u200b'}");
  g_auto (FakeAnswer) tab = RUN (mail, "{'mailbox':'a\\tb'}");

  fake_answer_assert_error (&answer, POSTBAG_ERROR_NOT_FOUND, "list_mailboxes");
  fake_answer_assert_error (&tab, POSTBAG_ERROR_NOT_FOUND, "list_mailboxes");
  g_assert_null (strstr (answer.error->message, "\u200b"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/guarded/list-messages/ordinary", test_ordinary);
  g_test_add_func ("/guarded/list-messages/page", test_page);
  g_test_add_func ("/guarded/list-messages/default-limit", test_default_limit);
  g_test_add_func ("/guarded/list-messages/cut-pages", test_cut_pages);
  g_test_add_func ("/guarded/list-messages/vanished", test_vanished);
  g_test_add_func ("/guarded/list-messages/hostile-summary", test_hostile_summary);
  g_test_add_func ("/guarded/list-messages/criteria", test_criteria);
  g_test_add_func ("/guarded/list-messages/bad-arguments", test_bad_arguments);
  g_test_add_func ("/guarded/list-messages/unknown-mailbox", test_unknown_mailbox);
  return g_test_run ();
}
