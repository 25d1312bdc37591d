/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "toolset/postbag-mail-body.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "fake-mail.h"

typedef struct
{
  FakeMail *mail;
  PostbagMailCall *call;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (JsonObject) object = json_object_new ();
  g_autoptr (PostbagArgs) args = postbag_args_new (object);

  fixture->mail = fake_mail_new ();
  fixture->call = postbag_mail_call_new (fixture->mail->call, args, NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  postbag_mail_call_free (fixture->call);
  fake_mail_free (fixture->mail);
}

static PostbagPart *
add_part (Fixture *fixture, const char *encoding, const char *encoded)
{
  FakeMessage *message = fake_mail_add (fixture->mail, 1, "");
  PostbagPart *part = fake_part_new ("1", "text/plain", NULL, (gint64)strlen (encoded));

  g_free (part->encoding);
  part->encoding = g_strdup (encoding);
  fake_message_set_multipart (message);
  return fake_message_add_part (message, part, encoded, strlen (encoded));
}

static void
assert_bytes (GBytes *bytes, const char *expected)
{
  g_autoptr (GBytes) wanted = g_bytes_new_static (expected, strlen (expected));

  g_assert_nonnull (bytes);
  g_assert_true (g_bytes_equal (bytes, wanted));
}

static void
test_decodes (Fixture *fixture, gconstpointer data)
{
  const PostbagPart *part = add_part (fixture, "base64", "aGVs\r\nbG8=\r\n");
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = postbag_mail_fetch_part (fixture->call, 1, part, 5, NULL, &error);

  g_assert_no_error (error);
  assert_bytes (bytes, "hello");
}

/* The bound is on decoded bytes: 5 fit where 8 encoded ones came, 4 do not. */
static void
test_refuses_more (Fixture *fixture, gconstpointer data)
{
  const PostbagPart *part = add_part (fixture, "base64", "aGVsbG8=");
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = postbag_mail_fetch_part (fixture->call, 1, part, 4, NULL, &error);

  g_assert_null (bytes);
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE);
}

/* A part that claims to be small and never ends is not read to its end. */
static void
test_stops_reading (Fixture *fixture, gconstpointer data)
{
  g_autofree char *much = g_strnfill (4 * 1024 * 1024, 'x');
  PostbagPart *part = add_part (fixture, "7bit", much);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;

  part->size = 10;
  bytes = postbag_mail_fetch_part (fixture->call, 1, part, 1000, NULL, &error);
  g_assert_null (bytes);
  g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE);
  g_assert_cmpuint (fixture->mail->n_fetched_bytes, <, 512 * 1024);
}

static void
test_cuts (Fixture *fixture, gconstpointer data)
{
  const PostbagPart *part = add_part (fixture, "7bit", "hello, world");
  gboolean complete = TRUE;
  g_autoptr (GBytes) cut = postbag_mail_fetch_part (fixture->call, 1, part, 5, &complete, NULL);
  g_autoptr (GBytes) whole = NULL;

  assert_bytes (cut, "hello");
  g_assert_false (complete);
  whole = postbag_mail_fetch_part (fixture->call, 1, part, 12, &complete, NULL);
  assert_bytes (whole, "hello, world");
  g_assert_true (complete);
}

static PostbagBody *
read_body (Fixture *fixture, FakeMessage *message, gboolean complete)
{
  PostbagFetchedMessage fetched = { .uid = message->uid, .complete = complete };
  g_autoptr (PostbagMessage) parsed = postbag_message_parse (message->source);
  const PostbagPart *structure =
      message->structure != NULL ? message->structure : postbag_message_get_structure (parsed);
  g_autoptr (GError) error = NULL;
  PostbagBody *body = postbag_mail_read_body (fixture->call, &fetched, parsed, structure, &error);

  g_assert_no_error (error);
  return body;
}

#define MIXED "Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"

static void
test_text_at_hand (Fixture *fixture, gconstpointer data)
{
  FakeMessage *message = fake_mail_add (
      fixture->mail, 1,
      MIXED "--b\r\nContent-Type: text/plain\r\n\r\nThe text.\r\n--b\r\nContent-Type: "
            "application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA");
  PostbagPart *structure = fake_message_set_multipart (message);
  g_autoptr (PostbagBody) body = NULL;

  g_ptr_array_add (structure->children, fake_part_new ("1", "text/plain", NULL, 9));
  g_ptr_array_add (structure->children, fake_part_new ("2", "application/pdf", "a.pdf", 90000));
  body = read_body (fixture, message, FALSE);
  g_assert_nonnull (strstr (body->text, "The text."));
  g_assert_cmpuint (fixture->mail->n_fetched_parts, ==, 0);
}

/* The text lies behind a large attachment: one more fetch, of that part alone. */
static void
test_text_behind (Fixture *fixture, gconstpointer data)
{
  static const char text[] = "Behind it =C3=BC.";
  FakeMessage *message = fake_mail_add (
      fixture->mail, 1,
      MIXED "--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment\r\n"
            "Content-Transfer-Encoding: base64\r\n\r\nAAAA");
  PostbagPart *structure = fake_message_set_multipart (message);
  PostbagPart *part = fake_part_new ("2", "text/plain", NULL, sizeof text - 1);
  g_autoptr (PostbagBody) body = NULL;

  g_free (part->encoding);
  part->encoding = g_strdup ("quoted-printable");
  part->charset = g_strdup ("utf-8");
  g_ptr_array_add (structure->children, fake_part_new ("1", "application/pdf", "a.pdf", 90000));
  fake_message_add_part (message, part, text, sizeof text - 1);
  body = read_body (fixture, message, FALSE);
  g_assert_cmpstr (g_strchomp (body->text), ==, "Behind it ü.");
  g_assert_cmpstr (body->part, ==, "2");
  g_assert_cmpuint (fixture->mail->n_fetched_parts, ==, 1);
}

/* Nothing in the beginning of a message of one part says that there is more of it. */
static void
test_text_cut (Fixture *fixture, gconstpointer data)
{
  static const char text[] = "First and last.";
  FakeMessage *message = fake_mail_add (fixture->mail, 1, "Subject: x\r\n\r\nFirst");
  g_autoptr (PostbagBody) body = NULL;

  message->structure = fake_part_new ("1", "text/plain", NULL, sizeof text - 1);
  g_hash_table_insert (message->parts, g_strdup ("1"), g_bytes_new (text, sizeof text - 1));
  body = read_body (fixture, message, FALSE);
  g_assert_cmpstr (body->text, ==, "First and last.");
  g_assert_true (body->complete);
}

static void
test_blank_text_behind (Fixture *fixture, gconstpointer data)
{
  static const char html[] = "<p>From the <b>HTML</b></p>";
  FakeMessage *message =
      fake_mail_add (fixture->mail, 1, MIXED "--b\r\nContent-Type: application/pdf\r\n\r\nAAAA");
  PostbagPart *structure = fake_message_set_multipart (message);
  g_autoptr (PostbagBody) body = NULL;

  g_ptr_array_add (structure->children, fake_part_new ("1", "application/pdf", "a.pdf", 90000));
  fake_message_add_part (message, fake_part_new ("2", "text/plain", NULL, 3), " \r\n", 3);
  fake_message_add_part (message, fake_part_new ("3", "text/html", NULL, sizeof html - 1), html,
                         sizeof html - 1);
  body = read_body (fixture, message, FALSE);
  g_assert_cmpstr (g_strchomp (body->text), ==, "From the HTML");
}

#define ADD(path, function)                                                                        \
  g_test_add ("/mail-body/" path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("decodes", test_decodes);
  ADD ("refuses-more", test_refuses_more);
  ADD ("stops-reading", test_stops_reading);
  ADD ("cuts", test_cuts);
  ADD ("text-at-hand", test_text_at_hand);
  ADD ("text-behind", test_text_behind);
  ADD ("text-cut", test_text_cut);
  ADD ("blank-text-behind", test_blank_text_behind);
  return g_test_run ();
}
