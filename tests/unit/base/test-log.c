/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-log-private.h"

#include <limits.h>
#include <string.h>

#include "base/postbag-limits.h"

static void
test_format (void)
{
  static const struct
  {
    GLogLevelFlags level;
    const char *domain;
    const char *message;
    const char *expected;
  } cases[] = {
    { G_LOG_LEVEL_MESSAGE, "postbag", "plain", "postbag: plain\n" },
    { G_LOG_LEVEL_WARNING, "postbag-imap", "two\r\nlines",
      "postbag: warning: two\\u000D\\u000Alines\n" },
    { G_LOG_LEVEL_CRITICAL, "GLib", "\x1b[31mred", "postbag: error: GLib: \\u001B[31mred\n" },
    { G_LOG_LEVEL_DEBUG, "postbag",
      "a\xe2\x80\xae"
      "b",
      "postbag: debug: a\\u202Eb\n" },
    { G_LOG_LEVEL_MESSAGE, NULL, "bad \xff", "postbag: bad \357\277\275\n" },
    { G_LOG_LEVEL_MESSAGE, NULL, NULL, "postbag: \n" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *line =
          postbag_log_format (cases[i].level, cases[i].domain, cases[i].message);

      g_assert_cmpstr (line, ==, cases[i].expected);
    }
}

static void
test_bound (void)
{
  g_autofree char *huge = g_strnfill (1000 * 1000, 'x');
  g_autofree char *line = postbag_log_format (G_LOG_LEVEL_MESSAGE, "postbag", huge);

  g_assert_cmpuint (strlen (line), ==, strlen ("postbag: ") + POSTBAG_LIMIT_LOG_LINE_BYTES + 1);
}

/* In a process of its own: what a program logs cannot be taken back. */
static void
test_debug (void)
{
  if (g_test_subprocess ())
    {
      postbag_log_install ();
      g_assert_null (postbag_log_set_debug ("maildir"));
      g_assert_null (postbag_log_set_debug ("mcp, imap"));
      g_log_structured ("postbag-imap", G_LOG_LEVEL_DEBUG, "MESSAGE", "%s", "wanted");
      g_log_structured ("postbag-maildir", G_LOG_LEVEL_DEBUG, "MESSAGE", "%s", "no more");
      return;
    }
  g_test_trap_subprocess (NULL, 0, 0);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("postbag: debug: wanted\n");
}

/* A word that is nobody is told, with those that are somebody; nothing else is in the way. */
static void
test_unknown_area (void)
{
  g_autofree char *one = postbag_log_set_debug ("mcp,imapp");
  g_autofree char *blank = postbag_log_set_debug (" , all");
  g_autofree char *part = postbag_log_set_debug ("map");

  g_assert_nonnull (strstr (one, "“imapp”"));
  g_assert_nonnull (strstr (one, "extract, imap, mail, maildir, mcp, all"));
  g_assert_null (blank);
  g_assert_nonnull (part);
  g_assert_null (postbag_log_set_debug (NULL));
}

/* What is written is bounded, not what came: escapes make more of it. */
static void
test_bound_of_escapes (void)
{
  g_autofree char *breaks = g_strnfill (POSTBAG_LIMIT_LOG_LINE_BYTES, '\n');
  g_autofree char *line = postbag_log_format (G_LOG_LEVEL_WARNING, "postbag", breaks);

  g_assert_cmpuint (strlen (line), <, PIPE_BUF);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/log/format", test_format);
  g_test_add_func ("/log/bound", test_bound);
  g_test_add_func ("/log/debug", test_debug);
  g_test_add_func ("/log/unknown-area", test_unknown_area);
  g_test_add_func ("/log/bound/escapes", test_bound_of_escapes);
  return g_test_run ();
}
