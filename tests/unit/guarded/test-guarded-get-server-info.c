/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-guarded-handlers.h"

#include <string.h>

#include "fake-mail.h"

#define RUN(mail) fake_mail_run (mail, postbag_guarded_get_server_info, "get_server_info", "{}")

static void
test_maildir (void)
{
  g_autoptr (FakeMail) mail = fake_mail_new ();
  g_auto (FakeAnswer) answer = RUN (mail);
  JsonObject *downloads = fake_answer_object (&answer, "attachment_downloads");
  JsonObject *tracking = fake_answer_object (&answer, "new_mail_tracking");
  JsonObject *extraction = fake_answer_object (&answer, "attachment_text_extraction");
  JsonObject *limits = fake_answer_object (&answer, "limits");

  g_assert_cmpstr (fake_answer_string (&answer, "host"), ==, "localhost");
  g_assert_cmpint (fake_answer_int (&answer, "port"), ==, 0);
  g_assert_cmpstr (fake_answer_string (&answer, "tls"), ==, "none");
  g_assert_cmpstr (fake_answer_string (&answer, "backend"), ==, "maildir");
  g_assert_cmpuint (json_array_get_length (fake_answer_array (&answer, "capabilities")), ==, 0);
  g_assert_cmpuint (json_array_get_length (fake_answer_array (&answer, "permanent_flags")), ==, 3);
  g_assert_false (json_object_get_boolean_member (answer.root, "can_send_mail"));
  g_assert_false (json_object_get_boolean_member (downloads, "to_disk"));
  g_assert_true (json_object_has_member (downloads, "reason"));
  g_assert_true (json_object_get_boolean_member (tracking, "enabled"));
  g_assert_true (json_object_get_boolean_member (tracking, "storable"));
  g_assert_false (json_object_get_boolean_member (extraction, "enabled"));
  g_assert_cmpint (json_object_get_int_member (limits, "default_message_limit"), ==, 100);
}

static void
test_download_directory (void)
{
  g_autoptr (FakeMail) mail = fake_mail_new ();
  g_auto (FakeAnswer) answer = { NULL };
  JsonObject *downloads = NULL;

  postbag_settings_set (mail->settings, "download-dir", "/srv/mail files");
  postbag_settings_set (mail->settings, "max-messages", "5000");
  answer = RUN (mail);
  downloads = fake_answer_object (&answer, "attachment_downloads");
  g_assert_true (json_object_get_boolean_member (downloads, "to_disk"));
  g_assert_cmpstr (json_object_get_string_member (downloads, "directory"), ==, "/srv/mail files");
  g_assert_cmpint (json_object_get_int_member (downloads, "max_bytes"), ==, 26214400);
  g_assert_cmpint (
      json_object_get_int_member (fake_answer_object (&answer, "limits"), "default_message_limit"),
      ==, 200);
}

/* A server may announce what it likes: cleaned, sorted, bounded. */
static void
test_hostile_server (void)
{
  g_autoptr (FakeMail) mail = fake_mail_new ();
  g_auto (FakeAnswer) answer = { NULL };
  g_autofree char *huge = g_strnfill (50000, 'Z');
  JsonArray *capabilities = NULL;

  mail->capabilities = g_new0 (char *, 1001);
  mail->capabilities[0] = g_strdup ("MOVE\x1b[2J");
  mail->capabilities[1] = g_strdup ("IDLE");
  for (guint i = 2; i < 1000; i++)
    mail->capabilities[i] = g_strdup (huge);
  answer = RUN (mail);
  capabilities = fake_answer_array (&answer, "capabilities");
  g_assert_cmpuint (json_array_get_length (capabilities), ==, 100);
  g_assert_cmpstr (json_array_get_string_element (capabilities, 0), ==, "IDLE");
  g_assert_null (strchr (json_array_get_string_element (capabilities, 1), 0x1b));
  for (guint i = 0; i < 100; i++)
    g_assert_cmpint (g_utf8_strlen (json_array_get_string_element (capabilities, i), -1), <, 100);
}

/* Of a mailbox that is only read a server says that nothing can be stored; the keyword can be, so
 * that nothing is said about it. */
static void
test_not_told (void)
{
  g_autoptr (FakeMail) mail = fake_mail_new ();
  g_auto (FakeAnswer) untold = { NULL }, refused = { NULL };
  JsonObject *tracking;

  g_clear_pointer (&mail->permanent_flags, g_strfreev);
  untold = RUN (mail);
  tracking = fake_answer_object (&untold, "new_mail_tracking");
  g_assert_true (json_object_get_boolean_member (tracking, "enabled"));
  g_assert_false (json_object_has_member (tracking, "storable"));
  mail->permanent_flags = g_strsplit ("\\Seen", " ", -1);
  refused = RUN (mail);
  tracking = fake_answer_object (&refused, "new_mail_tracking");
  g_assert_false (json_object_get_boolean_member (tracking, "storable"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/guarded/get-server-info/maildir", test_maildir);
  g_test_add_func ("/guarded/get-server-info/download-directory", test_download_directory);
  g_test_add_func ("/guarded/get-server-info/hostile-server", test_hostile_server);
  g_test_add_func ("/guarded/get-server-info/not-told", test_not_told);
  return g_test_run ();
}
