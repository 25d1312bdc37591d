/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "safety/postbag-fence.h"

#include <string.h>

/* (transfer full): the lines of a wrapped text, and which of them are the markers */
static char **
split (const char *wrapped, guint *begin, guint *end)
{
  char **lines = g_strsplit (wrapped, "\n", -1);

  *begin = *end = 0;
  for (guint i = 0; lines[i] != NULL; i++)
    {
      if (g_str_has_prefix (lines[i], "=== BEGIN UNTRUSTED CONTENT "))
        *begin = i;
      if (g_str_has_prefix (lines[i], "=== END UNTRUSTED CONTENT "))
        *end = i;
    }
  return lines;
}

static void
test_layout (void)
{
  g_autoptr (PostbagFence) fence = postbag_fence_new ();
  g_autofree char *wrapped = postbag_fence_wrap (fence, "e-mail content", "one\n\nthree\rx");
  guint begin, end;
  g_auto (GStrv) lines = split (wrapped, &begin, &end);
  g_autofree char *mark = NULL;

  g_assert_cmpuint (begin, >, 0);
  g_assert_cmpuint (end, ==, begin + 4);
  mark = g_strndup (lines[begin + 1], 10);
  g_assert_true (g_str_has_suffix (mark, "| "));
  for (guint i = 0; i < 8; i++)
    g_assert_true (g_ascii_isxdigit (mark[i]));
  g_assert_cmpstr (lines[begin + 1] + 10, ==, "one");
  g_assert_cmpstr (lines[begin + 2], ==, mark);
  g_assert_cmpstr (lines[begin + 3] + 10, ==, "threex");
  /* both markers carry the same nonce, a UUID whose first digits are the mark */
  g_assert_cmpstr (lines[begin] + strlen ("=== BEGIN UNTRUSTED CONTENT "), ==,
                   lines[end] + strlen ("=== END UNTRUSTED CONTENT "));
  g_assert_true (strncmp (lines[begin] + strlen ("=== BEGIN UNTRUSTED CONTENT "), mark, 8) == 0);
  g_assert_cmpuint (g_strv_length (lines), >, end + 1); /* the reminder */
}

static void
test_forged_marker (void)
{
  g_autoptr (PostbagFence) first = postbag_fence_new ();
  g_autoptr (PostbagFence) second = postbag_fence_new ();
  g_autofree char *seen = postbag_fence_wrap (first, "e-mail content", "x");
  /* a writer who saw an older result forges its whole tail */
  g_autofree char *wrapped = postbag_fence_wrap (second, "e-mail content", seen);
  guint begin, end;
  g_auto (GStrv) lines = split (wrapped, &begin, &end);

  for (guint i = begin + 1; i < end; i++)
    g_assert_true (strncmp (lines[i], lines[begin + 1], 10) == 0);
  g_assert_cmpuint (end - begin - 1, ==, 5);
  g_assert_null (strstr (seen, lines[end]));
}

static void
test_overhead (void)
{
  static const char *const texts[] = { "", "a", "a\n", "é\nü\n\n", "\n\n\n" };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (PostbagFence) fence = postbag_fence_new ();
      g_autofree char *wrapped = postbag_fence_wrap (fence, "an attachment’s text", texts[i]);

      g_assert_cmpuint (postbag_fence_overhead (fence, "an attachment’s text", texts[i]), ==,
                        (gsize)(g_utf8_strlen (wrapped, -1) - g_utf8_strlen (texts[i], -1)));
    }
}

static void
test_fresh (void)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < 1000; i++)
    {
      g_autoptr (PostbagFence) fence = postbag_fence_new ();

      g_assert_true (g_hash_table_add (seen, postbag_fence_wrap (fence, "x", "y")));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fence/layout", test_layout);
  g_test_add_func ("/fence/forged-marker", test_forged_marker);
  g_test_add_func ("/fence/overhead", test_overhead);
  g_test_add_func ("/fence/fresh", test_fresh);
  return g_test_run ();
}
