/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "safety/postbag-clean.h"

#include <string.h>

#include "base/postbag-limits.h"

static void
check (PostbagCleanMode mode, const char *text, const char *expected)
{
  g_autofree char *clean = postbag_clean (text, mode, 100000, NULL);
  g_autofree char *again = postbag_clean (clean, mode, 100000, NULL);

  g_assert_cmpstr (clean, ==, expected);
  g_assert_cmpstr (again, ==, expected); /* cleaning a clean text changes nothing */
}

static void
test_invisible (void)
{
  /* one of every range that must go, between two letters */
  static const gunichar gone[] = {
    0xad,   0x34f,   0x61c,   0x115f,  0x1160,  0x17b4,  0x17b5,  0x180b, 0x180f,
    0x200b, 0x200c,  0x200d,  0x200e,  0x200f,  0x202a,  0x202e,  0x2060, 0x2064,
    0x2066, 0x2069,  0x206f,  0x3164,  0xfe00,  0xfe0f,  0xfeff,  0xffa0, 0xfff9,
    0xfffb, 0xe0000, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xe0fff, 0x1,    0x8,
    0xb,    0xc,     0xd,     0x1b,    0x1f,    0x7f,    0x80,    0x85,   0x9f,
  };

  for (gsize i = 0; i < G_N_ELEMENTS (gone); i++)
    {
      char bytes[7] = { 0 };
      g_autofree char *text = NULL;

      bytes[g_unichar_to_utf8 (gone[i], bytes)] = '\0';
      text = g_strconcat ("a", bytes, "b", NULL);
      check (POSTBAG_CLEAN_TEXT, text, "ab");
      check (POSTBAG_CLEAN_LINE, text, "ab");
      check (POSTBAG_CLEAN_DOCUMENT, text, "ab");
    }
}

static void
test_joiners (void)
{
  /* Persian "mikhaham" with U+200C, Devanagari ka-virama-ZWJ-ssa, family emoji, heart with VS16 */
  check (POSTBAG_CLEAN_TEXT, "می\u200cخواهم", "می\u200cخواهم");
  check (POSTBAG_CLEAN_TEXT, "क्\u200dष", "क्\u200dष");
  check (POSTBAG_CLEAN_TEXT, "👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧");
  check (POSTBAG_CLEAN_TEXT, "❤\ufe0f\u200d🔥", "❤\ufe0f\u200d🔥");
  check (POSTBAG_CLEAN_TEXT, "می\u200c\u200c\u200cخ", "می\u200cخ"); /* once is enough */
  /* none of that between Latin letters or at an end */
  check (POSTBAG_CLEAN_TEXT, "ig\u200dno\u200cre", "ignore");
  check (POSTBAG_CLEAN_TEXT, "x👨\u200d", "x👨");
  check (POSTBAG_CLEAN_TEXT, "A\ufe0f", "A");
}

static void
test_composed (void)
{
  check (POSTBAG_CLEAN_LINE, "e\u0301", "é");
  check (POSTBAG_CLEAN_LINE, "e\u200b\u0301", "é"); /* composed after stripping */
  check (POSTBAG_CLEAN_LINE, "1½ m² ﬁ", "1½ m² ﬁ"); /* NFC, not NFKC */
}

/* Whether no rule of cleaning can touch @c, whatever stands beside it, by GLib's tables alone. */
static gboolean
is_untouched (gunichar c, const char *letter)
{
  g_autofree char *text = g_strconcat ("a", letter, letter, "b", NULL);
  g_autofree char *composed = g_utf8_normalize (text, -1, G_NORMALIZE_NFC);

  return g_unichar_isgraph (c) && !g_unichar_ismark (c) && !g_unichar_iszerowidth (c)
         && g_unichar_combining_class (c) == 0 && strcmp (composed, text) == 0;
}

/* Letters that are left as they are without a look at each rule: no rule would touch them. */
static void
test_letters (void)
{
  static const gunichar ranges[][2] = { { 0xc0, 0x23f }, { 0x400, 0x47f }, { 0x4000, 0x9fff } };

  for (gsize i = 0; i < G_N_ELEMENTS (ranges); i++)
    for (gunichar c = ranges[i][0]; c <= ranges[i][1]; c++)
      {
        char letter[7] = { 0 };
        g_autofree char *text = NULL;
        g_autofree char *clean = NULL;

        letter[g_unichar_to_utf8 (c, letter)] = '\0';
        text = g_strconcat ("b ", letter, letter, " a", NULL);
        clean = postbag_clean (text, POSTBAG_CLEAN_LINE, 100, NULL);
        g_assert_true (is_untouched (c, letter));
        g_assert_cmpstr (clean, ==, text);
      }
  check (POSTBAG_CLEAN_LINE, "é\u0301", "é\u0301"); /* nothing is composed of the two */
  check (POSTBAG_CLEAN_LINE, "и\u0306", "й");
  check (POSTBAG_CLEAN_LINE, "\xe4\xb8", "\ufffd");
  check (POSTBAG_CLEAN_LINE, "\xc3(", "\ufffd(");
}

/* Composing in pieces gives what composing at once gives. */
static void
test_composed_in_pieces (void)
{
  static const char *const pieces[] = { "a\u0301",      "e\u0327\u0301", "\u1100\u1161\u11a8",
                                        "\uac00\u11a8", "\u09c7\u09be",  "x",
                                        "中",           "ο\u0313\u0301" };
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *expected = NULL;

  for (guint i = 0; i < 20000; i++)
    g_string_append (text, pieces[g_rand_int_range (random, 0, G_N_ELEMENTS (pieces))]);
  expected = g_utf8_normalize (text->str, -1, G_NORMALIZE_NFC);
  check (POSTBAG_CLEAN_LINE, text->str, expected);
}

static void
test_lines (void)
{
  /* plain words go a shorter way, which must not differ */
  check (POSTBAG_CLEAN_LINE, "! plain words ~", "! plain words ~");
  check (POSTBAG_CLEAN_LINE, "two  blanks", "two blanks");
  check (POSTBAG_CLEAN_LINE, " ends ", "ends");
  check (POSTBAG_CLEAN_LINE, "Nora <nora@example.org>", "Nora <nora@example.org>");
  check (POSTBAG_CLEAN_LINE, "an ![image](x) <b>", "an ! [image] (x) < b>");
  check (POSTBAG_CLEAN_TEXT, "a\r\nb\rc\n\n\n\n\nd", "a\nbc\n\nd");
  check (POSTBAG_CLEAN_TEXT, "a \t \n \t\n\n  \nb  c\u2028d\u2029e", "a\n\nb c\nd\ne");
  check (POSTBAG_CLEAN_TEXT, "\n\n  a\tb  \n\n", "a b");
  check (POSTBAG_CLEAN_LINE, " a\r\n b\n\n\nc\u2028d ", "a b c d");
  check (POSTBAG_CLEAN_LINE, "a\u00a0\u2003 b", "a b");
  check (POSTBAG_CLEAN_DOCUMENT, "a\t\tb   c\n\n\n\n\td", "a\t\tb   c\n\n\td");
  check (POSTBAG_CLEAN_TEXT, "", "");
  check (POSTBAG_CLEAN_TEXT, NULL, "");
  check (POSTBAG_CLEAN_TEXT,
         "a\xff"
         "b",
         "a\xef\xbf\xbd"
         "b");
}

static void
test_markup (void)
{
  check (POSTBAG_CLEAN_TEXT, "![alt](http://x.test/a.png \"title\")",
         "! [alt] (http://x.test/a.png \"title\")");
  check (POSTBAG_CLEAN_TEXT, "![alt][ref]", "! [alt] [ref]");
  check (POSTBAG_CLEAN_TEXT, "![id]", "! [id]");
  check (POSTBAG_CLEAN_TEXT, "[text](https://x.test)", "[text] (https://x.test)");
  check (POSTBAG_CLEAN_TEXT, "[id]: https://x.test", "[id] : https://x.test");
  check (POSTBAG_CLEAN_TEXT, "<https://x.test/?q=1>", "< https://x.test/?q=1>");
  check (POSTBAG_CLEAN_TEXT, "<img src=x><!-- y --></p><?z?>",
         "< img src=x>< !-- y -->< /p>< ?z?>");
  check (POSTBAG_CLEAN_TEXT, "<img/src=//x.test/@y>", "< img/src=//x.test/@y>");
  check (POSTBAG_CLEAN_TEXT, "！［a］（http://x.test）", "！ ［a］ （http://x.test）");
  check (POSTBAG_CLEAN_TEXT, "‼[a]", "‼ [a]");
  check (POSTBAG_CLEAN_TEXT, "＜img src=x＞", "＜ img src=x＞");
  check (POSTBAG_CLEAN_TEXT, "!\u200b[a]\u2060(http://x)", "! [a] (http://x)");
  /* nothing to defuse */
  check (POSTBAG_CLEAN_TEXT, "a < b && c > d, x<3, [1] (see below)!",
         "a < b && c > d, x<3, [1] (see below)!");
  check (POSTBAG_CLEAN_LINE, "Nora <nora@example.org>", "Nora <nora@example.org>");
  check (POSTBAG_CLEAN_LINE, "<owner/repo/issues/7@github.com>",
         "<owner/repo/issues/7@github.com>");
  /* a domain literal (RFC 5322 section 3.4.1), and what is none */
  check (POSTBAG_CLEAN_LINE, "<p05100@[207.202.136.216]>", "<p05100@[207.202.136.216]>");
  check (POSTBAG_CLEAN_LINE, "<nora@[IPv6:2001:db8::1]>", "<nora@[IPv6:2001:db8::1]>");
  check (POSTBAG_CLEAN_LINE, "<a@[x](y)>", "< a@[x] (y)>");
  check (POSTBAG_CLEAN_LINE, "<a@[x]b>", "< a@[x]b>");
  check (POSTBAG_CLEAN_LINE, "<a[x]@b>", "< a[x]@b>");
  check (POSTBAG_CLEAN_LINE, "<a:b@[x]>", "< a:b@[x]>");
}

/* No text, however built from the pieces of active syntax, keeps any of it. */
static void
test_no_markup_survives (void)
{
  static const char *const pieces[] = { "!",  "[", "]",      "(",  "<",  "img", ":",    "http",
                                        "\n", " ", "\u200b", "！", "［", "（",  "a@b>", "/" };
  g_autoptr (GRand) random = g_rand_new_with_seed (7);

  for (guint round = 0; round < 20000; round++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autofree char *clean = NULL;

      for (guint i = 0; i < 12; i++)
        g_string_append (text, pieces[g_rand_int_range (random, 0, G_N_ELEMENTS (pieces))]);
      clean = postbag_clean (text->str, POSTBAG_CLEAN_TEXT, 1000, NULL);
      g_assert_null (strstr (clean, "]("));
      g_assert_null (strstr (clean, "!["));
      g_assert_null (strstr (clean, "！["));
      g_assert_null (strstr (clean, "<img "));
      g_assert_null (strstr (clean, "<http:"));
    }
}

static void
test_cut (void)
{
  g_autofree char *long_text = g_strnfill (5000, 'x');
  g_autofree char *cut = NULL;
  g_autofree char *line = NULL;
  g_autofree char *tiny = NULL;
  g_autofree char *whole = NULL;
  gsize total;

  cut = postbag_clean (long_text, POSTBAG_CLEAN_TEXT, 1000, &total);
  g_assert_cmpuint (total, ==, 5000);
  g_assert_cmpint (g_utf8_strlen (cut, -1), ==, 1000);
  g_assert_true (g_str_has_suffix (cut, "x…\n[cut here: 5000 characters in all]"));
  line = postbag_clean (long_text, POSTBAG_CLEAN_LINE, 100, NULL);
  g_assert_cmpint (g_utf8_strlen (line, -1), ==, 100);
  g_assert_null (strchr (line, '\n'));
  tiny = postbag_clean (long_text, POSTBAG_CLEAN_LINE, 3, NULL);
  g_assert_cmpstr (tiny, ==, "xx…");
  whole = postbag_clean (long_text, POSTBAG_CLEAN_TEXT, 5000, NULL);
  g_assert_cmpstr (whole, ==, long_text);
}

static void
test_escape_and_quote (void)
{
  g_autofree char *escaped = postbag_clean_escape ("a\r\nb\u202ec\t\U000e0041é", 100);
  g_autofree char *cut = postbag_clean_escape ("abcdefgh", 5);
  g_autofree char *quoted = postbag_clean_quote ("no\nsuch ”thing“");
  g_autofree char *x = g_strnfill (1000, 'x');
  g_autofree char *long_quote = postbag_clean_quote (x);

  g_assert_cmpstr (escaped, ==, "a\\u000D\\u000Ab\\u202Ec\\u0009\\u{E0041}é");
  g_assert_cmpstr (cut, ==, "abcd…");
  g_assert_cmpstr (quoted, ==, "“no such \"thing\"”");
  g_assert_cmpint (g_utf8_strlen (long_quote, -1), ==, POSTBAG_LIMIT_QUOTE_CHARS + 2);
}

static void
test_filename (void)
{
  static const char *const cases[][2] = {
    { "../../etc/passwd", "_.._etc_passwd" },
    { "C:\\Windows\\System32\\x.dll", "C:_Windows_System32_x.dll" },
    { "protokoll\u202efdp.exe", "protokollfdp.exe" },
    { "", "(unnamed)" },
    { "...", "(unnamed)" },
    { " . .\u200b ", "(unnamed)" },
    { ".bashrc", "bashrc" },
    { "a\r\nb.txt", "a b.txt" },
    { "．．／x", "_x" },
    { "![x](y).png", "! [x] (y).png" },
    { "Übersicht \"Mai\".txt", "Übersicht \"Mai\".txt" },
  };
  g_autofree char *x = g_strnfill (300, 'x');
  g_autofree char *cut = postbag_clean_filename (x);
  g_autofree char *none = postbag_clean_filename (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = postbag_clean_filename (cases[i][0]);

      g_assert_cmpstr (name, ==, cases[i][1]);
    }
  g_assert_cmpint (g_utf8_strlen (cut, -1), ==, 121);
  g_assert_true (g_str_has_suffix (cut, "x…"));
  g_assert_cmpstr (none, ==, "(unnamed)");
}

/* A quadratic pass over a million characters would take minutes. */
static void
test_linear (void)
{
  static const char *const triggers[] = {
    "!",
    "[",
    "![",
    "](",
    "<",
    "<a",
    "<a@",
    "\u200b",
    "\u200d",
    "\r",
    "\n",
    " ",
    "\t",
    " \n",
    "\u0301\u0327",
    "a\u0301",
    "\u09c7\u09be",
    "\u1100\u1161\u11a8",
    "ᄀ",
    "\ufe0f",
    "\U000e0041",
    "&#",
    "\xff",
    "！［",
    "👨\u200d",
    "]:",
  };
  gint64 start = g_get_monotonic_time ();

  for (gsize i = 0; i < G_N_ELEMENTS (triggers); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autofree char *clean = NULL;

      while (text->len < 1000000)
        g_string_append (text, triggers[i]);
      clean = postbag_clean (text->str, POSTBAG_CLEAN_TEXT, 50000, NULL);
      g_assert_cmpint (g_utf8_strlen (clean, -1), <=, 50000);
    }
  g_assert_cmpint (g_get_monotonic_time () - start, <, 60 * G_USEC_PER_SEC);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/clean/invisible", test_invisible);
  g_test_add_func ("/clean/joiners", test_joiners);
  g_test_add_func ("/clean/composed", test_composed);
  g_test_add_func ("/clean/letters", test_letters);
  g_test_add_func ("/clean/composed-in-pieces", test_composed_in_pieces);
  g_test_add_func ("/clean/lines", test_lines);
  g_test_add_func ("/clean/markup", test_markup);
  g_test_add_func ("/clean/no-markup-survives", test_no_markup_survives);
  g_test_add_func ("/clean/cut", test_cut);
  g_test_add_func ("/clean/escape-and-quote", test_escape_and_quote);
  g_test_add_func ("/clean/filename", test_filename);
  g_test_add_func ("/clean/linear", test_linear);
  return g_test_run ();
}
