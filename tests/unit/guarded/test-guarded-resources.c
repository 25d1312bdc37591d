/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-guarded-resources.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "fake-mail.h"
#include "fake-resources.h"

typedef struct
{
  FakeMail *mail;
  FakeMessage *message;
} Fixture;

static void
add (Fixture *fixture, PostbagPart *part, const void *bytes, gsize length)
{
  fake_message_add_part (fixture->message, part, bytes, length);
}

/* 1 body, 2 text, 3 program by name, 4 program by its bytes, 5 claims to be text */
static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->mail = fake_mail_new ();
  fixture->message = fake_mail_add (fixture->mail, 5, "X: y\r\n\r\n");
  fake_message_set_multipart (fixture->message);
  add (fixture, fake_part_new ("1", "text/plain", NULL, 4), "body", 4);
  add (fixture, fake_part_new ("2", "text/csv", "a.csv", 9), "a\t\tb\nc\td\n", 9);
  add (fixture, fake_part_new ("3", "application/pdf", "e.pdf.exe", 2), "MZ", 2);
  add (fixture, fake_part_new ("4", "application/pdf", "f.pdf", 4),
       "\x7f"
       "ELF",
       4);
  add (fixture, fake_part_new ("5", "text/plain", "t.txt", 5), "%PDF-", 5);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  fake_mail_free (fixture->mail);
}

static gboolean
read_attachment (Fixture *fixture, const char *text, PostbagContents *contents, GError **error)
{
  PostbagResourceUri *uri = fake_resource_uri_new (text, POSTBAG_GUARDED_ATTACHMENT_URI);
  gboolean is_read = postbag_guarded_read_attachment (fixture->mail->call, uri, contents, error);

  fake_resource_uri_free (uri);
  g_assert_true (is_read == (error == NULL || *error == NULL));
  return is_read;
}

/* The bytes as they are, under the declared type; text too. */
static void
test_attachment (Fixture *fixture, gconstpointer data)
{
  g_auto (PostbagContents) contents = { NULL };
  g_autoptr (GBytes) expected = g_bytes_new_static ("a\t\tb\nc\td\n", 9);
  g_autoptr (GError) error = NULL;

  read_attachment (fixture, "imap://message/5/part/2", &contents, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (contents.mime_type, ==, "text/csv");
  g_assert_null (contents.text);
  g_assert_true (g_bytes_equal (contents.blob, expected));
  g_assert_nonnull (contents.untrusted);
  g_assert_null (contents.notes);
}

static void
test_contradicting_attachment (Fixture *fixture, gconstpointer data)
{
  g_auto (PostbagContents) contents = { NULL };
  g_autoptr (GError) error = NULL;

  read_attachment (fixture, "imap://message/5/part/5", &contents, &error);
  g_assert_no_error (error);
  g_assert_nonnull (strstr (contents.notes, "its bytes are application/pdf"));
}

static void
assert_refused (Fixture *fixture, const char *uri, PostbagErrorCode code, guint n_fetched)
{
  g_auto (PostbagContents) contents = { NULL };
  g_autoptr (GError) error = NULL;
  guint before = fixture->mail->n_fetched_parts;

  g_test_message ("%s", uri);
  g_assert_false (read_attachment (fixture, uri, &contents, &error));
  g_assert_error (error, POSTBAG_ERROR, (int)code);
  g_assert_null (contents.blob);
  g_assert_cmpuint (fixture->mail->n_fetched_parts - before, ==, n_fetched);
}

/* What get_attachments refuses is refused in the same order: nothing is fetched for a name. */
static void
test_refused (Fixture *fixture, gconstpointer data)
{
  g_autofree char *long_part = g_strnfill (POSTBAG_LIMIT_PART_ID_CHARS + 1, '1');
  g_autofree char *long_uri = g_strconcat ("imap://message/5/part/", long_part, NULL);

  assert_refused (fixture, "imap://message/5/part/3", POSTBAG_ERROR_NOT_ALLOWED, 0);
  assert_refused (fixture, "imap://message/5/part/4", POSTBAG_ERROR_NOT_ALLOWED, 1);
  assert_refused (fixture, "imap://message/5/part/1", POSTBAG_ERROR_NOT_FOUND, 0);
  assert_refused (fixture, "imap://message/5/part/9", POSTBAG_ERROR_NOT_FOUND, 0);
  assert_refused (fixture, "imap://message/6/part/2", POSTBAG_ERROR_NOT_FOUND, 0);
  assert_refused (fixture, "imap://message/0/part/2", POSTBAG_ERROR_NOT_FOUND, 0);
  assert_refused (fixture, "imap://message/05/part/2", POSTBAG_ERROR_NOT_FOUND, 0);
  assert_refused (fixture, "imap://message/-5/part/2", POSTBAG_ERROR_NOT_FOUND, 0);
  assert_refused (fixture, "imap://message/4294967301/part/2", POSTBAG_ERROR_NOT_FOUND, 0);
  assert_refused (fixture, "imap://message/5/part/2.", POSTBAG_ERROR_NOT_FOUND, 0);
  assert_refused (fixture, "imap://message/5/part/TEXT", POSTBAG_ERROR_NOT_FOUND, 0);
  assert_refused (fixture, long_uri, POSTBAG_ERROR_NOT_FOUND, 0);
}

/* The ceiling is the one of mode inline, whatever may be saved or read as text. */
static void
test_over_ceiling (Fixture *fixture, gconstpointer data)
{
  postbag_settings_set (fixture->mail->settings, "max-attachment-bytes", "8");
  assert_refused (fixture, "imap://message/5/part/2", POSTBAG_ERROR_NOT_ALLOWED, 0);
}

/* Whatever is configured, an answer holds no more: what it cannot is not even fetched. */
static void
test_larger_than_an_answer (Fixture *fixture, gconstpointer data)
{
  postbag_settings_set (fixture->mail->settings, "max-attachment-bytes", "100000000");
  add (fixture, fake_part_new ("6", "text/csv", "l.csv", POSTBAG_LIMIT_RESOURCE_BYTES + 1), "a", 1);
  add (fixture, fake_part_new ("7", "text/csv", "m.csv", POSTBAG_LIMIT_RESOURCE_BYTES), "a", 1);
  assert_refused (fixture, "imap://message/5/part/6", POSTBAG_ERROR_NOT_ALLOWED, 0);
  {
    g_auto (PostbagContents) contents = { NULL };
    g_autoptr (GError) error = NULL;

    read_attachment (fixture, "imap://message/5/part/7", &contents, &error);
    g_assert_no_error (error);
  }
}

/* --- mailboxes --- */

static void
add_mailbox (Fixture *fixture, const char *path, gboolean selectable)
{
  PostbagMailbox *mailbox = fake_mail_add_mailbox (fixture->mail, path);

  mailbox->selectable = selectable;
}

static void
add_mailboxes (Fixture *fixture)
{
  add_mailbox (fixture, "Archive/2024", TRUE);
  add_mailbox (fixture, "Archive", FALSE);
  add_mailbox (fixture, "50% off", TRUE);
  add_mailbox (fixture, "inbox", TRUE);
  add_mailbox (fixture, "Old archive", TRUE);
  add_mailbox (fixture, "Arch\u202eive", TRUE);
}

static void
test_mailbox_list (Fixture *fixture, gconstpointer data)
{
  g_auto (PostbagResourceList) list = { NULL };
  g_autoptr (GError) error = NULL;

  add_mailboxes (fixture);
  fake_resource_list_init (&list);
  postbag_guarded_list_mailbox_resources (fixture->mail->call, &list, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (list.uris->len, ==, 4);
  g_assert_cmpstr (list.uris->pdata[0], ==, "imap://default/mailbox/INBOX");
  g_assert_cmpstr (list.uris->pdata[1], ==, "imap://default/mailbox/Archive%2F2024");
  g_assert_cmpstr (list.uris->pdata[2], ==, "imap://default/mailbox/Old%20archive");
  g_assert_cmpstr (list.uris->pdata[3], ==, "imap://default/mailbox/Arch%E2%80%AEive");
  g_assert_cmpstr (list.names->pdata[3], ==, "Archive");
}

static void
test_mailbox (Fixture *fixture, gconstpointer data)
{
  PostbagResourceUri *uri =
      fake_resource_uri_new ("imap://default/mailbox/INBOX", POSTBAG_GUARDED_MAILBOX_URI);
  g_auto (PostbagContents) contents = { NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagJsonDocument) document = NULL;
  JsonObject *root;

  for (guint32 i = 0; i < POSTBAG_LIMIT_RESOURCE_MESSAGES; i++)
    fake_mail_add (fixture->mail, 10 + i, "X: y\r\n\r\n");
  postbag_guarded_read_mailbox (fixture->mail->call, uri, &contents, &error);
  fake_resource_uri_free (uri);
  g_assert_no_error (error);
  g_assert_cmpstr (contents.mime_type, ==, "application/json");
  document = postbag_json_parse (contents.text, strlen (contents.text), POSTBAG_LIMIT_LINE_BYTES,
                                 POSTBAG_JSON_DEFAULT, &error);
  g_assert_no_error (error);
  root = json_node_get_object (postbag_json_document_get_root (document));
  g_assert_true (json_object_get_boolean_member (root, "untrusted"));
  g_assert_cmpint (json_object_get_int_member (root, "total"), ==, 21);
  g_assert_cmpint (json_object_get_int_member (root, "returned"), ==, 20);
  g_assert_cmpint (
      json_object_get_int_member (
          json_array_get_object_element (json_object_get_array_member (root, "messages"), 0),
          "uid"),
      ==, 29);
}

/* --- completion --- */

static void
assert_completes (Fixture *fixture, const char *argument, const char *value, const char *account,
                  const char *expected)
{
  JsonObject *context = json_object_new ();
  g_autoptr (PostbagArgs) args = NULL;
  PostbagCompletion completion = { FALSE, "mailbox", argument, value, NULL };
  PostbagCompletionList list = { g_string_new (NULL) };
  g_autoptr (GError) error = NULL;

  if (account != NULL)
    json_object_set_string_member (context, "account", account);
  args = postbag_args_new (context);
  completion.context = args;
  postbag_guarded_complete (fixture->mail->call, &completion, &list, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (list.joined->str, ==, expected);
  g_string_free (list.joined, TRUE);
  json_object_unref (context);
}

/* What begins with it first; a name that is not what it looks like is not suggested. */
static void
test_completion (Fixture *fixture, gconstpointer data)
{
  add_mailboxes (fixture);
  assert_completes (fixture, "name", "", NULL, "inbox\nArchive/2024\nOld archive\n");
  assert_completes (fixture, "name", "ARCH", "default", "Archive/2024\n");
  assert_completes (fixture, "mailbox", "old", NULL, "Old archive\n");
  assert_completes (fixture, "name", "202", NULL, "Archive/2024\n");
  assert_completes (fixture, "name", "", "elsewhere", "");
  assert_completes (fixture, "account", "d", NULL, "default\n");
  assert_completes (fixture, "account", "x", NULL, "");
  fixture->mail->closed_tool = "list_mailboxes";
  assert_completes (fixture, "name", "", NULL, "");
  assert_completes (fixture, "mailbox", "", NULL, "");
  assert_completes (fixture, "account", "", NULL, "");
}

#define ADD(path, function)                                                                        \
  g_test_add ("/guarded/resources/" path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("attachment", test_attachment);
  ADD ("contradicting-attachment", test_contradicting_attachment);
  ADD ("refused", test_refused);
  ADD ("over-ceiling", test_over_ceiling);
  ADD ("mailbox-list", test_mailbox_list);
  ADD ("mailbox", test_mailbox);
  ADD ("larger-than-an-answer", test_larger_than_an_answer);
  ADD ("completion", test_completion);
  return g_test_run ();
}
