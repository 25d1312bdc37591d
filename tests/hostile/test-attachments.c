/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What get_attachments says of documents that cannot be read, for each of the contract's ten
 * reasons, and how often a document is read at all. The reader is hostile.c: a document is the name
 * of what it does. */

#include "postbag-guarded-handlers.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-extraction-private.h"
#include "fake-mail.h"

#define RUN(mail, arguments)                                                                       \
  fake_mail_run (mail, postbag_guarded_get_attachments, "get_attachments", arguments)

typedef struct
{
  FakeMail *mail;
  FakeMessage *message;
} Fixture;

static void
add (Fixture *fixture, const char *number, const char *type, const char *document)
{
  gsize length = strlen (document);

  fake_message_add_part (fixture->message, fake_part_new (number, type, "d.pdf", (gint64)length),
                         document, length);
}

static PostbagExtraction *
make_extraction (const char *program)
{
  static const char *const types[] = { "application/pdf", "message/rfc822", "text/plain", NULL };
  PostbagExtractionOptions options = { .program = program, .types = types, .version = "1" };

  return postbag_extraction_new (&options);
}

/* Part 1 is a document that gives text. */
static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->mail = fake_mail_new ();
  fixture->mail->extraction = make_extraction (g_getenv ("POSTBAG_EXTRACT"));
  fixture->message = fake_mail_add (fixture->mail, 5, "X: y\r\n\r\n");
  fake_message_set_multipart (fixture->message);
  add (fixture, "1", "application/pdf", "fine");
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  fake_mail_free (fixture->mail);
}

static void
assert_fine (Fixture *fixture)
{
  g_auto (FakeAnswer) answer = RUN (fixture->mail, "{'uid':5,'part_id':'1','mode':'text'}");

  g_assert_no_error (answer.error);
  g_assert_cmpstr (fake_answer_string (&answer, "body"), ==, "fine");
  g_assert_cmpstr (fake_answer_string (&answer, "extracted_from"), ==, "pdf");
  g_assert_cmpint (fake_answer_int (&answer, "page_count"), ==, 2);
  g_assert_cmpint (fake_answer_int (&answer, "total_chars"), ==, 4);
  g_assert_cmpstr (json_array_get_string_element (fake_answer_array (&answer, "notes"), 0), ==,
                   "One remark.");
  g_assert_nonnull (strstr (answer.text, "lacks what is drawn as a picture"));
}

/* --- the ten reasons --- */

typedef struct
{
  const char *word;
  const char *document;
  PostbagErrorCode code;
} Refusal;

static const Refusal refusals[] = {
  { "no-text-layer", "reason no-text-layer", POSTBAG_ERROR_NOT_SUPPORTED },
  { "encrypted", "reason encrypted", POSTBAG_ERROR_NOT_SUPPORTED },
  { "not-a-document", "reason not-a-document", POSTBAG_ERROR_BAD_DATA },
  { "not-a-document", "\x89PNG\r\n\x1a\n", POSTBAG_ERROR_BAD_DATA },
  { "corrupt", "reason corrupt", POSTBAG_ERROR_BAD_DATA },
  { "too-many-parts", "reason too-many-parts", POSTBAG_ERROR_TOO_LARGE },
  { "too-large", "reason too-large", POSTBAG_ERROR_TOO_LARGE },
  { "timeout", "reason timeout", POSTBAG_ERROR_TIMED_OUT },
  { "timeout", "sleep", POSTBAG_ERROR_TIMED_OUT },
  { "out-of-memory", "reason out-of-memory", POSTBAG_ERROR_TOO_LARGE },
  { "internal", "reason internal", POSTBAG_ERROR_SANDBOX },
  { "internal", "abort", POSTBAG_ERROR_SANDBOX },
  { "internal", "exec", POSTBAG_ERROR_SANDBOX },
};

/* The reason, and the two ways to the bytes: a mode, and the resource. */
static void
test_refusals (Fixture *fixture, gconstpointer data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autofree char *number = g_strdup_printf ("%zu", i + 2);
      g_autofree char *arguments =
          g_strdup_printf ("{'uid':5,'part_id':'%s','mode':'text'}", number);
      g_autofree char *word = g_strdup_printf ("(%s)", refusals[i].word);
      g_autofree char *uri = g_strdup_printf ("imap://message/5/part/%s", number);
      g_auto (FakeAnswer) answer = { NULL };

      add (fixture, number, "application/pdf", refusals[i].document);
      postbag_extraction_set_wall (fixture->mail->extraction,
                                   strcmp (refusals[i].document, "sleep") == 0 ? 500 : 0);
      answer = RUN (fixture->mail, arguments);
      postbag_extraction_set_wall (fixture->mail->extraction, 0);
      fake_answer_assert_error (&answer, refusals[i].code, word);
      g_assert_nonnull (strstr (answer.error->message, "mode \"file\""));
      g_assert_nonnull (strstr (answer.error->message, uri));
      g_assert_null (strstr (answer.error->message, "SECRET"));
      assert_fine (fixture);
    }
}

typedef struct
{
  PostbagExtraction *extraction;
  GCancellable *cancellable;
} Reader;

static gpointer
read_sleeper (gpointer data)
{
  Reader *reader = data;
  g_autoptr (GBytes) bytes = g_bytes_new_static ("sleep", 5);
  PostbagExtractRequest request = { .bytes = bytes, .content_type = "application/pdf" };

  g_assert_null (
      postbag_extraction_run (reader->extraction, &request, reader->cancellable, NULL, NULL));
  return NULL;
}

static void
wait_until_full (PostbagExtraction *extraction)
{
  for (int tries = 0; tries < 15000; tries++)
    {
      if (postbag_extraction_count_in_flight (extraction) == POSTBAG_LIMIT_EXTRACT_IN_FLIGHT)
        return;
      g_usleep (1000);
    }
  g_assert_not_reached ();
}

/* The ninth at one time is told to come again, and not where else the bytes are. */
static void
test_busy (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Reader reader = { fixture->mail->extraction, cancellable };
  GThread *threads[POSTBAG_LIMIT_EXTRACT_IN_FLIGHT];
  g_auto (FakeAnswer) answer = { NULL };

  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("reader", read_sleeper, &reader);
  wait_until_full (reader.extraction);
  answer = RUN (fixture->mail, "{'uid':5,'part_id':'1','mode':'text'}");
  fake_answer_assert_error (&answer, POSTBAG_ERROR_BUSY, "(busy)");
  g_assert_null (strstr (answer.error->message, "imap://"));
  g_cancellable_cancel (cancellable);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  assert_fine (fixture);
}

/* --- how often a document is read --- */

/* The reader would go on for ever; what the limit lets through is read once, and cut out of it as
 * often as somebody reads on. */
static void
test_reading_on (Fixture *fixture, gconstpointer data)
{
  gint64 offset = 0;

  add (fixture, "2", "application/pdf", "deaf");
  for (guint call = 1; call <= 4; call++)
    {
      g_autofree char *arguments =
          g_strdup_printf ("{'uid':5,'part_id':'2','mode':'text','max_chars':25000,"
                           "'offset':%" G_GINT64_FORMAT "}",
                           offset);
      g_auto (FakeAnswer) answer = RUN (fixture->mail, arguments);

      g_assert_no_error (answer.error);
      g_assert_cmpint (fake_answer_int (&answer, "total_chars"), ==, 1000000);
      g_assert_cmpint (fake_answer_int (&answer, "returned_chars"), ==, 25000);
      g_assert_true (g_str_has_prefix (fake_answer_string (&answer, "body"), "0123456789"));
      offset = fake_answer_int (&answer, "next_offset");
      g_assert_cmpint (offset, ==, call * 25000);
      g_assert_cmpuint (postbag_extraction_count_runs (fixture->mail->extraction), ==, 1);
      g_assert_cmpuint (fixture->mail->n_fetched_parts, ==, 1);
    }
}

/* What the second answer says of the document is what the first said. */
static void
test_recalled (Fixture *fixture, gconstpointer data)
{
  static const char *const facts[] = { "filename", "content_type", "detected_type",
                                       "extracted_from" };
  static const char *const numbers[] = { "bytes", "total_chars" };
  g_auto (FakeAnswer) first = { NULL }, second = { NULL };

  assert_fine (fixture);
  add (fixture, "2", "application/pdf", "%PDF-1.7");
  first = RUN (fixture->mail, "{'uid':5,'part_id':'2','mode':'text'}");
  second = RUN (fixture->mail, "{'uid':5,'part_id':'2','mode':'text','offset':1}");
  assert_fine (fixture);
  g_assert_cmpuint (fixture->mail->n_fetched_parts, ==, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++)
    g_assert_cmpstr (fake_answer_string (&second, facts[i]), ==,
                     fake_answer_string (&first, facts[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_assert_cmpint (fake_answer_int (&second, numbers[i]), ==,
                     fake_answer_int (&first, numbers[i]));
  g_assert_cmpstr (fake_answer_string (&second, "detected_type"), ==, "application/pdf");
  g_assert_cmpint (fake_answer_int (&second, "bytes"), ==, 8);
}

/* Another caller, a mailbox made anew, or a message that is gone: nothing is remembered of it. */
static void
test_not_recalled (Fixture *fixture, gconstpointer data)
{
  g_auto (FakeAnswer) gone = { NULL };

  assert_fine (fixture);
  fixture->mail->principal = "somebody else";
  assert_fine (fixture);
  g_assert_cmpuint (fixture->mail->n_fetched_parts, ==, 2);
  fixture->mail->uid_validity++;
  assert_fine (fixture);
  g_assert_cmpuint (fixture->mail->n_fetched_parts, ==, 3);
  fixture->mail->uid_validity = 0; /* nobody can tell what is there now */
  assert_fine (fixture);
  assert_fine (fixture);
  g_assert_cmpuint (fixture->mail->n_fetched_parts, ==, 5);
  g_ptr_array_set_size (fixture->mail->messages, 0);
  gone = RUN (fixture->mail, "{'uid':5,'part_id':'1','mode':'text'}");
  fake_answer_assert_error (&gone, POSTBAG_ERROR_NOT_FOUND, "5");
}

static gboolean
can_recall (Fixture *fixture, const PostbagExtractRequest *request)
{
  gsize length = 0;
  const char *detected;
  g_autoptr (PostbagExtractedText) text =
      postbag_extraction_recall (fixture->mail->extraction, request, &length, &detected);

  return text != NULL && g_strcmp0 (text->text, "fine") == 0 && length == 4;
}

/* Each thing that makes it another document. */
static void
test_places (Fixture *fixture, gconstpointer data)
{
  PostbagPart part = {
    .number = "1", .type = "a/b", .encoding = "7bit", .filename = "c", .size = 9
  };
  PostbagPart parts[] = { part, part, part, part, part };
  const PostbagExtractOrigin origin = { "client", "account", "INBOX", 7, 5, NULL, &part };
  PostbagExtractOrigin others[6 + G_N_ELEMENTS (parts)];
  g_autoptr (GBytes) bytes = g_bytes_new_static ("fine", 4);
  PostbagExtractRequest request = { .bytes = bytes,
                                    .content_type = "application/pdf",
                                    .origin = &origin };
  g_autoptr (PostbagExtractedText) text =
      postbag_extraction_run (fixture->mail->extraction, &request, NULL, NULL, NULL);

  g_assert_true (can_recall (fixture, &request));
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    others[i] = origin;
  others[0].principal = "clien";
  others[1].account = "taccount";
  others[2].mailbox = "Trash";
  others[3].uid_validity = 8;
  others[4].uid = 7;
  others[5].version = "";
  parts[0].number = "2";
  parts[1].type = "b/a";
  parts[2].encoding = "8bit";
  parts[3].filename = NULL;
  parts[4].size = 8;
  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    others[6 + i].part = &parts[i];
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++)
    {
      request.origin = &others[i];
      g_assert_false (can_recall (fixture, &request));
    }
  request.origin = &origin;
  request.member = "a";
  g_assert_false (can_recall (fixture, &request));
  request.member = NULL;
  request.charset = "utf-8";
  g_assert_false (can_recall (fixture, &request));
  request.charset = NULL;
  g_assert_true (can_recall (fixture, &request));
}

/* Another message under the same UID: by what its store says, or by its structure alone. */
static void
test_replaced (Fixture *fixture, gconstpointer data)
{
  PostbagPart *root = fixture->message->structure;
  PostbagPart *part = g_ptr_array_index (root->children, 0);

  assert_fine (fixture);
  assert_fine (fixture);
  g_assert_cmpuint (fixture->mail->n_fetched_parts, ==, 1);
  fixture->mail->version = "another";
  assert_fine (fixture);
  g_assert_cmpuint (fixture->mail->n_fetched_parts, ==, 2);
  part->size++;
  assert_fine (fixture);
  g_assert_cmpuint (fixture->mail->n_fetched_parts, ==, 3);
}

/* What mode inline shows, since it shows bytes whatever they are, mode text refuses before and
 * after. */
static void
test_modes (Fixture *fixture, gconstpointer data)
{
  static const char *const modes[] = { "text", "inline", "text", "inline", "text" };

  add (fixture, "2", "text/plain", "%PDF-1.7 gr\374n");
  for (gsize i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autofree char *arguments =
          g_strdup_printf ("{'uid':5,'part_id':'2','mode':'%s'}", modes[i]);
      g_auto (FakeAnswer) answer = RUN (fixture->mail, arguments);

      if (strcmp (modes[i], "text") == 0)
        fake_answer_assert_error (&answer, POSTBAG_ERROR_BAD_DATA, "(not-a-document)");
      else
        g_assert_no_error (answer.error);
    }
}

static void
read_as (Fixture *fixture, const char *charset, const char *member)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static ("fine", 4);
  const char *type = member != NULL ? "message/rfc822" : "application/pdf";
  PostbagExtractRequest request = {
    .bytes = bytes, .content_type = type, .charset = charset, .member = member
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagExtractedText) text =
      postbag_extraction_run (fixture->mail->extraction, &request, NULL, NULL, &error);

  g_assert_no_error (error);
}

/* The same bytes in another part are the same document; in another charset, or another file inside,
 * they are not, nor is one where the other was said. */
static void
test_by_content (Fixture *fixture, gconstpointer data)
{
  add (fixture, "2", "application/pdf", "fine");
  add (fixture, "3", "application/pdf", "fine ");
  assert_fine (fixture);
  for (guint part = 1; part <= 3; part++)
    {
      g_autofree char *arguments = g_strdup_printf ("{'uid':5,'part_id':'%u','mode':'text'}", part);
      g_auto (FakeAnswer) answer = RUN (fixture->mail, arguments);

      g_assert_no_error (answer.error);
    }
  g_assert_cmpuint (postbag_extraction_count_runs (fixture->mail->extraction), ==, 2);
  for (guint again = 0; again < 2; again++)
    {
      read_as (fixture, NULL, NULL);
      read_as (fixture, "utf-8", NULL);
      read_as (fixture, "koi8-r", NULL);
      read_as (fixture, NULL, "utf-8");
      read_as (fixture, NULL, "a.txt");
      read_as (fixture, "", NULL);
    }
  g_assert_cmpuint (postbag_extraction_count_runs (fixture->mail->extraction), ==, 2 + 5);
}

static void
test_bounded (Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < POSTBAG_LIMIT_EXTRACT_CACHE_ENTRIES + 4; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i + 2);
      g_autofree char *document = g_strdup_printf ("document %u", i);
      g_autofree char *arguments =
          g_strdup_printf ("{'uid':5,'part_id':'%s','mode':'text'}", number);
      g_auto (FakeAnswer) answer = { NULL };

      add (fixture, number, "application/pdf", document);
      answer = RUN (fixture->mail, arguments);
      g_assert_no_error (answer.error);
    }
  g_assert_cmpuint (postbag_extraction_count_cached (fixture->mail->extraction), ==,
                    POSTBAG_LIMIT_EXTRACT_CACHE_ENTRIES);
}

/* --- texts --- */

/* A text goes through its reader, too. Where that cannot be locked in, the reader of mail does. */
static void
test_text (Fixture *fixture, gconstpointer data)
{
  g_auto (FakeAnswer) caged = { NULL }, plain = { NULL }, document = { NULL };

  add (fixture, "2", "text/plain", "fine");
  add (fixture, "3", "text/plain", "files");
  caged = RUN (fixture->mail, "{'uid':5,'part_id':'2','mode':'text'}");
  g_assert_cmpstr (fake_answer_string (&caged, "body"), ==, "fine");
  g_assert_false (json_object_has_member (caged.root, "extracted_from"));
  g_assert_cmpuint (postbag_extraction_count_runs (fixture->mail->extraction), ==, 1);
  g_clear_object (&fixture->mail->extraction);
  fixture->mail->extraction = make_extraction (g_getenv ("NO_SECCOMP"));
  plain = RUN (fixture->mail, "{'uid':5,'part_id':'3','mode':'text'}");
  g_assert_no_error (plain.error);
  g_assert_cmpstr (fake_answer_string (&plain, "body"), ==, "files");
  document = RUN (fixture->mail, "{'uid':5,'part_id':'1','mode':'text'}");
  fake_answer_assert_error (&document, POSTBAG_ERROR_SANDBOX, "cannot be locked in");
  g_assert_nonnull (strstr (document.error->message, "imap://message/5/part/1"));
}

/* In the answer as it stands: only what is not UTF-8 needs the reader's guess. */
static void
test_inline (Fixture *fixture, gconstpointer data)
{
  g_auto (FakeAnswer) utf8 = { NULL }, other = { NULL };

  add (fixture, "2", "text/plain", "gr\303\274n");
  add (fixture, "3", "text/plain", "gr\374n");
  utf8 = RUN (fixture->mail, "{'uid':5,'part_id':'2'}");
  g_assert_cmpstr (fake_answer_string (&utf8, "body"), ==, "gr\303\274n");
  g_assert_cmpuint (postbag_extraction_count_runs (fixture->mail->extraction), ==, 0);
  other = RUN (fixture->mail, "{'uid':5,'part_id':'3'}");
  g_assert_cmpstr (fake_answer_string (&other, "encoding"), ==, "text");
  g_assert_cmpuint (postbag_extraction_count_runs (fixture->mail->extraction), ==, 1);
}

/* --- files inside --- */

static void
test_member (Fixture *fixture, gconstpointer data)
{
  g_auto (FakeAnswer) none = { NULL };

  none = RUN (fixture->mail, "{'uid':5,'part_id':'1','mode':'text','member':'a.txt'}");
  fake_answer_assert_error (&none, POSTBAG_ERROR_INVALID_ARGUMENT, "Leave out member");
  g_assert_cmpuint (postbag_extraction_count_runs (fixture->mail->extraction), ==, 0);
}

#define ADD(path, function)                                                                        \
  g_test_add ("/cage/attachments/" path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("refusals", test_refusals);
  ADD ("busy", test_busy);
  ADD ("reading-on", test_reading_on);
  ADD ("recalled", test_recalled);
  ADD ("not-recalled", test_not_recalled);
  ADD ("places", test_places);
  ADD ("replaced", test_replaced);
  ADD ("modes", test_modes);
  ADD ("by-content", test_by_content);
  ADD ("bounded", test_bounded);
  ADD ("text", test_text);
  ADD ("inline", test_inline);
  ADD ("member", test_member);
  return g_test_run ();
}
