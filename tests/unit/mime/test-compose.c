/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages of ours, byte by byte where an RFC says how, and read back by the parser. */

#include <string.h>

#include "base/postbag-error.h"
#include "mime/postbag-compose.h"
#include "mime/postbag-message.h"

static const char *const to[] = { "ann@example.org", NULL };

static char *
compose (const PostbagDraft *draft)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = postbag_compose (draft, &error);

  g_assert_no_error (error);
  return g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

/* Every line ends in CRLF, none is longer than 998 octets, no header line than 78 where it need
 * not. */
static void
assert_lines (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\r\n", -1);

  g_assert_true (g_str_has_suffix (text, "\r\n"));
  for (char **line = lines; *line != NULL; line++)
    {
      g_assert_null (strpbrk (*line, "\r\n"));
      g_assert_cmpuint (strlen (*line), <=, 998);
    }
}

static void
test_plain (void)
{
  PostbagDraft draft = { .from = "me@example.org",
                         .to = to,
                         .subject = "Hello",
                         .body = "a\nb\r\nc\rd",
                         .date = 1788851100 };
  g_autofree char *text = compose (&draft);

  assert_lines (text);
  g_assert_true (g_str_has_prefix (text, "Date: Tue, 8 Sep 2026 07:05:00 +0000\r\n"
                                         "From: me@example.org\r\nTo: ann@example.org\r\n"
                                         "Subject: Hello\r\nMessage-ID: <"));
  g_assert_nonnull (strstr (text, "@postbag.invalid>\r\nMIME-Version: 1.0\r\n"
                                  "Content-Type: text/plain; charset=utf-8\r\n"
                                  "Content-Transfer-Encoding: base64\r\n\r\n"));
  /* base64 of "a\r\nb\r\nc\r\nd" */
  g_assert_true (g_str_has_suffix (text, "Content-Transfer-Encoding: base64\r\n\r\n"
                                         "YQ0KYg0KYw0KZA==\r\n"));
  g_assert_null (strstr (text, "Cc:"));
  g_assert_null (strstr (text, "In-Reply-To:"));
}

/* Every byte of a message with all its fields; the base64 is Python's. */
static void
test_whole (void)
{
  static const char *const cc[] = { "bea@example.org", "cleo@example.org", "dora@example.org",
                                    "eve@a-rather-long-name.example.org", NULL };
  static const char *const bcc[] = { "fay@example.org", NULL };
  static const char *const ids[] = { "<1@x>", "<2@x>", NULL };
  g_autofree char *filler = g_strnfill (60, 'x');
  g_autofree char *body = g_strconcat (filler, "\n.dot\nFrom me\n", NULL);
  PostbagDraft draft = { .from = "me@example.org",
                         .to = to,
                         .cc = cc,
                         .bcc = bcc,
                         .subject = "Gr\xc3\xbc\xc3\x9f\x65",
                         .body = body,
                         .date = 1788851100,
                         .in_reply_to = "<2@x>",
                         .references = ids };
  g_autofree char *text = compose (&draft);
  char *id = strstr (text, "Message-ID: <");
  g_autofree char *rest = NULL;

  g_assert_nonnull (id);
  rest = g_strdup (strstr (id, "\r\n") + 2);
  *id = '\0';
  g_assert_cmpstr (text, ==,
                   "Date: Tue, 8 Sep 2026 07:05:00 +0000\r\n"
                   "From: me@example.org\r\n"
                   "To: ann@example.org\r\n"
                   "Cc: bea@example.org, cleo@example.org, dora@example.org,\r\n"
                   " eve@a-rather-long-name.example.org\r\n"
                   "Bcc: fay@example.org\r\n"
                   "Subject: =?UTF-8?B?R3LDvMOfZQ==?=\r\n");
  g_assert_cmpstr (
      rest, ==,
      "In-Reply-To: <2@x>\r\n"
      "References: <1@x> <2@x>\r\n"
      "MIME-Version: 1.0\r\n"
      "Content-Type: text/plain; charset=utf-8\r\n"
      "Content-Transfer-Encoding: base64\r\n\r\n"
      "eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4\r\n"
      "eHh4DQouZG90DQpGcm9tIG1lDQo=\r\n");
}

/* RFC 2047: words of at most 75 characters, no character cut; what looks like a word becomes one.
 */
static void
test_subject (void)
{
  g_autofree char *long_one = g_strnfill (200, 'x');
  g_autofree char *emoji =
      g_strdup_printf ("%s\xf0\x9f\x98\x80 \xc3\xa4\xe2\x82\xac%s", long_one, long_one);
  const char *const subjects[] = {
    "", "x", "=?utf-8?q?Bcc:_x?=", "tab\there", "Gr\xc3\xbc\xc3\x9f\x65", emoji
  };

  for (gsize i = 0; i < G_N_ELEMENTS (subjects); i++)
    {
      PostbagDraft draft = { .to = to, .subject = subjects[i], .body = "x" };
      g_autofree char *text = compose (&draft);
      g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
      g_autoptr (PostbagMessage) message = postbag_message_parse (bytes);
      const char *word = text;

      assert_lines (text);
      if (*subjects[i] != '\0')
        g_assert_cmpstr (postbag_message_get_subject (message), ==, subjects[i]);
      while ((word = strstr (word, "=?UTF-8?B?")) != NULL)
        {
          g_assert_cmpuint ((gsize)(strstr (word, "?=") + 2 - word), <=, 75);
          word++;
        }
    }
}

static void
test_addresses (void)
{
  static const char *const bad[] = {
    "", "x", "@example.org", "a@b@example.org", "a b@example.org", "a@nodot", "a@.org",
    "a@example.", "a@exa mple.org", "a\r\nBcc: x@example.org", "a,b@x.org", "a;b@x.org",
    "<a@example.org>", "\"\"@example.org", "\"@example.org", "\"a\"b\"@example.org",
    "\"a b\"@example.org", "\"a\\\"b\"@example.org",
    /* RFC 2047 section 5: in no part of an addr-spec */
    "=?utf-8?q?ann=40example.com?=@example.org", "ann=?utf-8?b?eA==?=@example.org",
    "\"=?utf-8?q?x?=\"@example.org", "=?x@example.org", "a(x)@example.org", "a\\@x.org",
    "a:b@x.org", "\xc3\xa4@example.org", "a@example.org\r", "a@[127.0.0.1]", "a\x7f@x.org",
    "a@exam\xffple.org"
  };
  g_autofree char *longest = g_strnfill (242, 'a');
  g_autofree char *fits = g_strconcat (longest, "@example.org", NULL);
  g_autofree char *too_long = g_strconcat (longest, "a@example.org", NULL);
  g_autofree char *international = postbag_compose_check_address ("a@b\xc3\xbc.example", NULL);
  g_autofree char *same = postbag_compose_check_address (fits, NULL);

  g_assert_cmpstr (international, ==, "a@xn--b-eha.example");
  g_assert_cmpstr (same, ==, fits);
  g_assert_null (postbag_compose_check_address (too_long, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (postbag_compose_check_address (bad[i], &error));
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
    }
}

/* As RFC 5322 section 3.4.1 has them: a local part that is no dot-atom is quoted, and only that. */
static void
test_written_addresses (void)
{
  static const char *const cases[][2] = {
    { "ada@example.org", "ada@example.org" },
    { "\"ada\"@example.org", "ada@example.org" },
    { "a..b@example.org", "\"a..b\"@example.org" },
    { "a.@example.org", "\"a.\"@example.org" },
    { ".a@example.org", "\".a\"@example.org" },
    { "\"a..b\"@example.org", "\"a..b\"@example.org" },
    { "a?=b=3D@example.org", "a?=b=3D@example.org" },
    { "!#$%&'*+-/=^_`{|}~@example.org", "!#$%&'*+-/=^_`{|}~@example.org" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *written = postbag_compose_check_address (cases[i][0], &error);

      g_assert_no_error (error);
      g_assert_cmpstr (written, ==, cases[i][1]);
    }
}

static void
test_refused (void)
{
  static const char *const injected[] = { "ann@example.org\r\nBcc: x@example.org", NULL };
  PostbagDraft drafts[] = { { .to = to, .subject = "x\r\nBcc: y@example.org", .body = "x" },
                            { .to = to, .subject = "x\ny", .body = "x" },
                            { .to = injected, .subject = "x", .body = "x" },
                            { .to = to, .subject = "\xff", .body = "x" },
                            { .to = to, .subject = "x", .body = "\xff" } };

  for (gsize i = 0; i < G_N_ELEMENTS (drafts); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (postbag_compose (&drafts[i], &error));
      g_assert_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT);
    }
}

/* Ids that are none are left out; the last 20 stay, each once, folded (faults 3 and 56). */
static void
test_references (void)
{
  g_autoptr (GPtrArray) ids = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *filler = g_strnfill (240, 'i');
  PostbagDraft draft = { .to = to, .subject = "x", .body = "x", .in_reply_to = "<a b@x>\r\nX: y" };
  g_autofree char *text = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PostbagMessage) message = NULL;
  const char *const *references;

  g_ptr_array_add (ids, g_strdup ("no id"));
  g_ptr_array_add (ids, g_strdup ("<a\r\nBcc: x@y>"));
  for (guint i = 0; i < 30; i++)
    g_ptr_array_add (ids, g_strdup_printf ("<%s%u@x>", filler, i % 25));
  g_ptr_array_add (ids, NULL);
  draft.references = (const char *const *)ids->pdata;
  text = compose (&draft);
  assert_lines (text);
  g_assert_null (strstr (text, "In-Reply-To"));
  g_assert_null (strstr (text, "Bcc"));
  bytes = g_bytes_new (text, strlen (text));
  message = postbag_message_parse (bytes);
  references = postbag_message_get_references (message);
  g_assert_cmpuint (g_strv_length ((char **)references), ==, 20);
  g_assert_true (g_str_has_suffix (references[0], "i5@x>"));
  g_assert_true (g_str_has_suffix (references[19], "i24@x>"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/compose/plain", test_plain);
  g_test_add_func ("/compose/whole", test_whole);
  g_test_add_func ("/compose/subject", test_subject);
  g_test_add_func ("/compose/addresses", test_addresses);
  g_test_add_func ("/compose/written-addresses", test_written_addresses);
  g_test_add_func ("/compose/refused", test_refused);
  g_test_add_func ("/compose/references", test_references);
  return g_test_run ();
}
