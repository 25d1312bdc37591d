/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-line-framer.h"

#include <string.h>

static void
note_line (const char *line, gsize length, gpointer user_data)
{
  GString *seen = user_data;

  if (line == NULL)
    g_string_append (seen, "<long>");
  else
    g_string_append_printf (seen, "<%.*s>", (int)length, line);
}

static char *
cut_in_pieces (const char *text, gsize piece, gsize max_bytes)
{
  GString *seen = g_string_new (NULL);
  g_autoptr (PostbagLineFramer) framer = postbag_line_framer_new (max_bytes, note_line, seen);
  gsize length = strlen (text);

  for (gsize offset = 0; offset < length; offset += piece)
    postbag_line_framer_push (framer, text + offset, MIN (piece, length - offset));
  postbag_line_framer_finish (framer);
  return g_string_free (seen, FALSE);
}

static void
test_lines (void)
{
  static const struct
  {
    const char *text;
    const char *lines;
  } cases[] = {
    { "", "" },
    { "a\n", "<a>" },
    { "a", "<a>" },
    { "a\nb\n", "<a><b>" },
    { "a\r\nb\r\n", "<a><b>" },
    { "\n\r\n  \t\na\n\n", "<a>" },
    { "a\rb\n", "<a\rb>" },
    { "12345678\n", "<12345678>" },
    { "123456789\n", "<long>" },
    { "123456789\nok\n", "<long><ok>" },
    { "ok\n1234567890123456789012345\nok\n", "<ok><long><ok>" },
    { "123456789", "<long>" },
    { "123456789\n123456789\n", "<long><long>" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      for (gsize piece = 1; piece <= 30; piece++)
        {
          g_autofree char *seen = cut_in_pieces (cases[i].text, piece, 8);

          g_assert_cmpstr (seen, ==, cases[i].lines);
        }
    }
}

static void
test_zero_bytes (void)
{
  g_autoptr (GString) seen = g_string_new (NULL);
  g_autoptr (PostbagLineFramer) framer = postbag_line_framer_new (8, note_line, seen);

  postbag_line_framer_push (framer, "\0\n", 2);
  g_assert_cmpstr (seen->str, ==, "<>");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/line-framer/lines", test_lines);
  g_test_add_func ("/line-framer/zero-bytes", test_zero_bytes);
  return g_test_run ();
}
