/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mime/postbag-message.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "mime/postbag-mime-private.h"

static GString *
repeat (const char *start, const char *again, guint count)
{
  GString *text = g_string_new (start);

  for (guint i = 0; i < count; i++)
    g_string_append (text, again);
  return text;
}

static guint
count_lines (const GByteArray *copy, const char *start)
{
  g_autofree char *text = g_strndup ((const char *)copy->data, copy->len);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n = 0;

  for (char **line = lines; *line != NULL; line++)
    n += g_str_has_prefix (*line, start) ? 1 : 0;
  return n;
}

/* @text with @start in front of too many lines: @expected of them are left, no position moves. */
static void
check_cut (const GString *text, const char *start, guint expected)
{
  gboolean complete = TRUE;
  g_autoptr (GByteArray) copy = postbag_gmime_copy_new (text->str, text->len, &complete);

  g_assert_false (complete);
  g_assert_cmpuint (copy->len, ==, text->len);
  g_assert_cmpuint (count_lines (copy, start), ==, expected);
  for (gsize i = 0; i < text->len; i++)
    if (text->str[i] == '\n')
      g_assert_cmpint (copy->data[i], ==, '\n');
}

static void
test_ordinary (void)
{
  static const char source[] = "Subject: x\nContent-Type: multipart/mixed;\r\n boundary=b\n\n--b\n"
                               "\nno: field\n--b\nContent-Type: Message/Digest\n\n--b--";
  static const char expected[] =
      "Subject: x\nContent-Type: multipart/mixed;\r\n boundary=b\n\n--b\n"
      "\nno: field\n--b\nContent-Type: xessage/xigest\n\n--b--";
  gboolean complete = FALSE;
  g_autoptr (GByteArray) copy = postbag_gmime_copy_new (source, strlen (source), &complete);
  g_autoptr (GByteArray) empty = NULL;

  g_assert_true (complete);
  g_assert_cmpmem (copy->data, (int)copy->len, expected, (int)strlen (expected));
  empty = postbag_gmime_copy_new ("", 0, &complete);
  g_assert_cmpuint (empty->len, ==, 0);
}

static void
test_boundaries (void)
{
  g_autoptr (GString) text =
      repeat ("Content-Type: multipart/mixed; boundary=b\n\n", "--b\n\nx\n", 30000);

  check_cut (text, "--", POSTBAG_LIMIT_MIME_BOUNDARIES);
}

static void
test_fields (void)
{
  g_autoptr (GString) one_block = repeat ("", "a: b\n", 2000);
  g_autoptr (GString) blocks = repeat ("", "a: b\n", 900);
  g_autoptr (GString) all = g_string_new (NULL);

  check_cut (one_block, "a:", POSTBAG_LIMIT_HEADER_LINES);
  g_string_append (blocks, "\n--b\n");
  for (guint i = 0; i < 30; i++)
    g_string_append (all, blocks->str);
  check_cut (all, "a:", POSTBAG_LIMIT_MIME_FIELDS);
}

/* A field ends where our own reading of it ends; so do the parameters of a whole message. */
static void
test_parameters (void)
{
  g_autoptr (GString) text = repeat ("Content-Type: text/plain", ";a=b", 100000);
  gboolean complete = TRUE;
  g_autoptr (GByteArray) copy = postbag_gmime_copy_new (text->str, text->len, &complete);
  g_autoptr (GString) many = g_string_new (NULL);
  g_autoptr (GByteArray) cut = NULL;
  gsize left = 0;

  g_assert_false (complete);
  g_assert_cmpmem (copy->data, POSTBAG_LIMIT_HEADER_BYTES, text->str, POSTBAG_LIMIT_HEADER_BYTES);
  g_assert_cmpint (copy->data[POSTBAG_LIMIT_HEADER_BYTES], ==, '\n');
  for (gsize i = POSTBAG_LIMIT_HEADER_BYTES + 1; i < copy->len; i++)
    g_assert_cmpint (copy->data[i], ==, 'x');

  g_string_truncate (text, 60000);
  for (guint i = 0; i < 30; i++)
    g_string_append_printf (many, "%s\n\n--b\n", text->str);
  cut = postbag_gmime_copy_new (many->str, many->len, &complete);
  for (gsize i = 0; i < cut->len; i++)
    left += cut->data[i] == ';' ? 1 : 0;
  g_assert_cmpuint (left, <=, POSTBAG_LIMIT_HEADER_BLOCK_BYTES / 4);
  g_assert_cmpuint (left, >, POSTBAG_LIMIT_HEADER_BLOCK_BYTES / 5);
}

/* A patch in the text is full of lines that look like boundaries: what is attached is found. */
static void
test_patch (void)
{
  g_autoptr (GString) text = repeat ("Content-Type: multipart/mixed; boundary=b\n\n--b\n\n",
                                     "--- a/x: y\n+++ b/x: y\n@@ -1 +1 @@\n-a: b\n+a: c\n", 9000);
  g_autoptr (GBytes) source = NULL;
  g_autoptr (PostbagMessage) message = NULL;
  const PostbagPart *root;

  g_string_append (text, "\n--b\nContent-Type: application/pdf; name=x.pdf\n\nx\n--b--\n");
  source = g_bytes_new (text->str, text->len);
  message = postbag_message_parse (source);
  root = postbag_message_get_structure (message);
  g_assert_cmpuint (root->children->len, ==, 2);
  g_assert_cmpstr (postbag_part_find (root, "2")->filename, ==, "x.pdf");
}

/* Every byte of a message is looked at a few times, however deep messages stand in messages. */
static void
test_nested_messages (void)
{
  g_autoptr (GString) text = repeat ("", "Content-Type: message/rfc822\n\n", 45);
  g_autoptr (GString) body = repeat ("\n", "a line of text\n", 200000);
  g_autoptr (GBytes) source = NULL;
  g_autoptr (PostbagStructure) structure = NULL;
  const PostbagPart *part;
  guint depth = 0;

  g_string_append (text, body->str);
  source = g_bytes_new (text->str, text->len);
  structure = postbag_structure_build (source);
  for (part = structure->root; part->children != NULL; part = g_ptr_array_index (part->children, 0))
    depth++;
  g_assert_cmpuint (depth, ==, POSTBAG_LIMIT_MIME_REPARSED - 1);
  g_assert_false (structure->complete);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gmime-copy/ordinary", test_ordinary);
  g_test_add_func ("/gmime-copy/boundaries", test_boundaries);
  g_test_add_func ("/gmime-copy/fields", test_fields);
  g_test_add_func ("/gmime-copy/parameters", test_parameters);
  g_test_add_func ("/gmime-copy/patch", test_patch);
  g_test_add_func ("/gmime-copy/nested-messages", test_nested_messages);
  return g_test_run ();
}
