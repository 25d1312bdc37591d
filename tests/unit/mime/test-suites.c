/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Public collections through the parsers: addresses with their verdicts (isemail), strings that
 * break programs, broken UTF-8. */

#include "mime-fixture.h"

#include <json-glib/json-glib.h>

#include "safety/postbag-attachment-policy-private.h"
#include "safety/postbag-clean.h"

/* (transfer full) (nullable): skips the test where the collections are not there */
static char *
read_suite (const char *path)
{
  const char *folder = g_getenv ("POSTBAG_SUITES");
  g_autofree char *file = NULL;
  char *text = NULL;

  if (folder == NULL)
    {
      g_test_skip ("POSTBAG_SUITES is not set: it names the folder with the public suites");
      return NULL;
    }
  file = g_build_filename (folder, path, NULL);
  g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
  return text;
}

/* --- addresses --- */

/* (transfer full): what XML writes otherwise; U+2400 + n stands for the control character n */
static char *
unescape (const char *text)
{
  static const char *const entities[][2] = {
    { "&lt;", "<" }, { "&gt;", ">" }, { "&quot;", "\"" }, { "&apos;", "'" }, { "&amp;", "&" },
  };
  g_autoptr (GString) plain = g_string_new (text);
  GString *out = g_string_new (NULL);
  const char *p;

  for (gsize i = 0; i < G_N_ELEMENTS (entities); i++)
    g_string_replace (plain, entities[i][0], entities[i][1], 0);
  for (p = plain->str; *p != '\0';)
    {
      gunichar c = g_utf8_get_char (p);
      char *end = (char *)g_utf8_next_char (p);

      if (g_str_has_prefix (p, "&#x"))
        c = (gunichar)g_ascii_strtoull (p + 3, &end, 16);
      else if (g_str_has_prefix (p, "&#"))
        c = (gunichar)g_ascii_strtoull (p + 2, &end, 10);
      if (*end == ';' && p[0] == '&')
        end++;
      if (c >= 0x2400 && c < 0x2420)
        g_string_append_c (out, (char)(c - 0x2400));
      else
        g_string_append_unichar (out, c);
      p = end;
    }
  return g_string_free (out, FALSE);
}

typedef struct
{
  guint valid;
  guint invalid;
  guint wrong;
} Verdicts;

/* (transfer full): what is left of a field's value without folding, blanks and comments outside of
 * quotation marks (RFC 5322 sections 3.2.2 and 4.4) */
static char *
drop_blanks (const char *value)
{
  GString *out = g_string_new (NULL);
  gboolean quoted = FALSE;
  guint depth = 0;

  for (const char *p = value; *p != '\0'; p++)
    {
      gboolean pair = *p == '\\' && p[1] != '\0';
      gboolean folding = *p == '\n' || (*p == '\r' && p[1] == '\n');

      if (*p == '"' && depth == 0)
        quoted = !quoted;
      depth += !quoted && *p == '(' ? 1 : 0;
      if (depth == 0 && !folding && (quoted || (*p != ' ' && *p != '\t')))
        g_string_append_len (out, p, pair ? 2 : 1);
      depth -= !quoted && *p == ')' && depth > 0 ? 1 : 0;
      p += pair ? 1 : 0;
    }
  return g_string_free (out, FALSE);
}

/* (transfer full): the value of a field that @address is written into: it ends with the line that
 * no folded line follows. */
static char *
cut_field (const char *address)
{
  const char *end = address;

  while ((end = strchrnul (end, '\n'))[0] != '\0' && (end[1] == ' ' || end[1] == '\t'))
    end++;
  if (end > address && end[0] == '\n' && end[-1] == '\r')
    end--;
  return g_strndup (address, (gsize)(end - address));
}

static gboolean
has_code (PostbagMessage *message, const char *code)
{
  return g_strv_contains (postbag_message_get_warnings (message), code);
}

/* Of a message that @address is the From field of: a valid address comes out as it went in, without
 * a code. Another one is unusable, or named malformed_from, or came out as RFC 5322 reads it. */
static void
judge_address (Verdicts *verdicts, const char *address, const char *category)
{
  g_autofree char *text = g_strdup_printf ("From: %s\r\n\r\nx", address);
  g_autofree char *value = cut_field (address);
  g_autofree char *meant = drop_blanks (value);
  g_autoptr (PostbagMessage) message = fixture_parse (text);
  GPtrArray *found = postbag_message_get_addresses (message, "From");
  gboolean valid =
      strcmp (category, "ISEMAIL_VALID_CATEGORY") == 0 || strcmp (category, "ISEMAIL_DNSWARN") == 0;
  const char *first = found->len > 0 ? ((PostbagAddress *)found->pdata[0])->address : "";
  gboolean malformed = has_code (message, "malformed_from");
  gboolean right;

  if (valid)
    right = found->len == 1 && strcmp (first, address) == 0 && !malformed;
  else
    right = malformed || !postbag_address_is_valid (first)
            || (found->len == 1 && strcmp (first, meant) == 0);
  verdicts->valid += valid ? 1 : 0;
  verdicts->invalid += valid ? 0 : 1;
  verdicts->wrong += right ? 0 : 1;
  if (!right)
    {
      g_autofree char *escaped = g_strescape (address, NULL);

      g_test_message ("%s: %s came out as %s", category, escaped, first);
    }
}

static void
judge_file (Verdicts *verdicts, const char *path)
{
  g_autofree char *text = read_suite (path);
  g_autoptr (GRegex) regex = g_regex_new (
      "<address>([^<]*)</address>.*?<category>([A-Z0-9_]*)</category>", G_REGEX_DOTALL, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;

  if (text == NULL)
    return;
  g_regex_match (regex, text, 0, &match);
  for (; g_match_info_matches (match); g_match_info_next (match, NULL))
    {
      g_autofree char *raw = g_match_info_fetch (match, 1);
      g_autofree char *category = g_match_info_fetch (match, 2);
      g_autofree char *address = unescape (raw);

      judge_address (verdicts, address, category);
    }
}

static void
test_addresses (void)
{
  Verdicts verdicts = { 0 };

  if (g_getenv ("POSTBAG_SUITES") == NULL)
    {
      g_test_skip ("POSTBAG_SUITES is not set: it names the folder with the public suites");
      return;
    }
  judge_file (&verdicts, "address/test/tests.xml");
  judge_file (&verdicts, "address/test/tests-original.xml");
  g_test_message ("%u valid, %u others, %u wrong", verdicts.valid, verdicts.invalid,
                  verdicts.wrong);
  g_assert_cmpuint (verdicts.valid, >, 40);
  g_assert_cmpuint (verdicts.invalid, >, 300);
  g_assert_cmpuint (verdicts.wrong, ==, 0);
}

/* --- strings --- */

static void
check_string (const char *string)
{
  g_autofree char *text =
      g_strdup_printf ("Subject: %s\r\nFrom: \"%s\" <a@b.test>\r\nContent-Type: "
                       "application/x-y; name=\"%s\"\r\n\r\nx",
                       string, string, string);
  g_autoptr (PostbagMessage) message = fixture_parse (text);
  const PostbagPart *part = postbag_message_get_structure (message);
  const char *subject = postbag_message_get_subject (message);
  g_autofree char *clean =
      subject != NULL ? postbag_clean (subject, POSTBAG_CLEAN_LINE, 1000, NULL) : NULL;
  g_autofree char *saved = postbag_save_make_name (part->filename);

  g_assert_true (subject == NULL || g_utf8_validate (subject, -1, NULL));
  g_assert_true (part->filename == NULL || g_utf8_validate (part->filename, -1, NULL));
  g_assert_true (clean == NULL || g_utf8_validate (clean, -1, NULL));
  g_assert_null (strchr (saved, '/'));
  g_assert_true (saved[0] != '.' && saved[0] != '\0');
  g_assert_cmpuint (strlen (saved), <=, 255);
}

static void
test_strings (void)
{
  g_autofree char *text = read_suite ("strings/blns.json");
  g_autoptr (JsonNode) node = text != NULL ? json_from_string (text, NULL) : NULL;
  JsonArray *strings;

  if (text == NULL)
    return;
  strings = json_node_get_array (node);
  g_assert_cmpuint (json_array_get_length (strings), >, 400);
  for (guint i = 0; i < json_array_get_length (strings); i++)
    check_string (json_array_get_string_element (strings, i));
}

/* --- UTF-8 --- */

/* Lines `number: bytes`: whatever they are, text comes out, and valid lines as they are. */
static void
test_utf8 (void)
{
  g_autofree char *text = read_suite ("utf8/utf8tests.bin");
  const char *folder = g_getenv ("POSTBAG_SUITES");
  g_autofree char *path = NULL;
  g_autofree char *bytes = NULL;
  gsize length = 0, lines = 0;

  if (text == NULL)
    return;
  path = g_build_filename (folder, "utf8", "utf8tests.bin", NULL);
  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  for (gsize start = 0, end; start < length; start = end + 1)
    {
      const char *newline = memchr (bytes + start, '\n', length - start);
      g_autofree char *converted = NULL;
      g_autofree char *clean = NULL;

      end = newline != NULL ? (gsize)(newline - bytes) : length;
      converted = postbag_mime_to_utf8 (bytes + start, end - start, "utf-8");
      clean = postbag_clean (converted, POSTBAG_CLEAN_TEXT, 100000, NULL);
      g_assert_true (g_utf8_validate (converted, -1, NULL));
      g_assert_true (g_utf8_validate (clean, -1, NULL));
      if (end > start && g_utf8_validate (bytes + start, (gssize)(end - start), NULL))
        g_assert_cmpmem (converted, (int)strlen (converted), bytes + start, (int)(end - start));
      lines++;
    }
  g_assert_cmpuint (lines, >, 50);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/suites/addresses", test_addresses);
  g_test_add_func ("/suites/strings", test_strings);
  g_test_add_func ("/suites/utf8", test_utf8);
  return g_test_run ();
}
