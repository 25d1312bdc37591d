/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-text.h"

#define R "\357\277\275"

/* Unicode 15, section 3.9, tables 3-8 to 3-11: one U+FFFD for each maximal subpart. */
static void
test_make_valid (void)
{
  static const struct
  {
    const char *bytes;
    gssize length;
    const char *expected;
  } cases[] = {
    { "plain", -1, "plain" },
    { "a\0b", 3, "a" R "b" },
    { "\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", -1, R R R R R R R R "A" },
    { "\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", -1, R R R R R R R R "A" },
    { "\xf4\x91\x92\x93\xff\x41\x80\xbf\x42", -1, R R R R R "A" R R "B" },
    { "\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", -1, R R R R "A" },
    { "\xc3\xa9", -1, "\xc3\xa9" },
    { "\xc3", 1, R },
    { "", 0, "" },
    { NULL, 0, "" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = postbag_text_make_valid (cases[i].bytes, cases[i].length);

      g_assert_cmpstr (text, ==, cases[i].expected);
    }
}

/* Words of eight bytes go at once: whatever stands where, GLib and we agree. */
static void
test_measure_valid (void)
{
  static const char *const pieces[] = {
    "\x01", "\x7f", "\x80", "\xc2\xa9", "\xe2\x82", "\xef\xbf\xbd", "\xf4\x8f\xbf\xbf", "\xff"
  };

  for (gsize i = 0; i <= G_N_ELEMENTS (pieces); i++)
    for (gsize before = 0; before < 20; before++)
      {
        g_autoptr (GString) text = g_string_new (NULL);
        const char *end;

        for (gsize j = 0; j < before; j++)
          g_string_append_c (text, (char)('a' + j));
        if (i < G_N_ELEMENTS (pieces))
          g_string_append (text, pieces[i]);
        else
          g_string_append_c (text, '\0');
        g_string_append (text, "0123456789");
        g_utf8_validate_len (text->str, text->len, &end);
        g_assert_cmpuint (postbag_text_measure_valid (text->str, text->len), ==, end - text->str);
      }
}

static void
test_cut_and_slice (void)
{
  const char *text = "a\xc3\xa9\xf0\x9f\x98\x80z"; /* 4 characters, 8 bytes */
  gboolean was_cut;
  g_autofree char *two = postbag_text_cut (text, 2, &was_cut);
  g_autofree char *all = NULL;
  g_autofree char *middle = postbag_text_slice (text, 1, 2);
  g_autofree char *past = postbag_text_slice (text, 9, 2);

  g_assert_cmpstr (two, ==, "a\xc3\xa9");
  g_assert_true (was_cut);
  all = postbag_text_cut (text, 4, &was_cut);
  g_assert_cmpstr (all, ==, text);
  g_assert_false (was_cut);
  g_assert_cmpstr (middle, ==, "\xc3\xa9\xf0\x9f\x98\x80");
  g_assert_cmpstr (past, ==, "");
}

static void
test_nearest (void)
{
  const char *const words[] = { "mailbox", "limit", "from", "to", NULL };

  g_assert_cmpstr (postbag_text_nearest ("form", words), ==, "from"); /* one swap */
  g_assert_cmpstr (postbag_text_nearest ("fmor", words), ==, NULL);   /* two edits, short word */
  g_assert_cmpstr (postbag_text_nearest ("frm", words), ==, "from");
  g_assert_cmpstr (postbag_text_nearest ("Mail_box", words), ==, "mailbox");
  g_assert_cmpstr (postbag_text_nearest ("limits", words), ==, "limit");
  g_assert_cmpstr (postbag_text_nearest ("attachment", words), ==, NULL);
}

static void
test_parse_int (void)
{
  gint64 value = 7;

  g_assert_true (postbag_text_parse_int ("-9223372036854775808", G_MININT64, G_MAXINT64, &value));
  g_assert_cmpint (value, ==, G_MININT64);
  g_assert_false (postbag_text_parse_int ("9223372036854775808", G_MININT64, G_MAXINT64, &value));
  g_assert_false (postbag_text_parse_int ("", 0, 9, &value));
  g_assert_false (postbag_text_parse_int ("+1", 0, 9, &value));
  g_assert_false (postbag_text_parse_int (" 1", 0, 9, &value));
  g_assert_false (postbag_text_parse_int ("0x1", 0, 9, &value));
  g_assert_false (postbag_text_parse_int ("10", 0, 9, &value));
  g_assert_cmpint (value, ==, G_MININT64);
}

static void
test_compose (void)
{
  static const char *const pairs[][2] = {
    { "", "" },
    { "plain", "plain" },
    { "cafe\u0301", "caf\u00e9" },
    { "s\u0307\u0323", "\u1e69" }, /* marks are sorted first */
    { "\u1100\u1161\u11a8", "\uac01" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *composed = postbag_text_compose (g_strdup (pairs[i][0]));

      g_assert_cmpstr (composed, ==, pairs[i][1]);
    }
}

/* What is passed through as composed already is what GLib makes of it, alone and beside others. */
static void
test_compose_agrees_with_glib (void)
{
  static const gunichar ranges[][2] = {
    { 1, 0x30ff }, { 0x4dff, 0x4e10 }, { 0x9ff0, 0xa010 }, { 0xabff, 0xac40 }, { 0xd7a0, 0xd7b0 },
  };
  static const char *const shapes[] = { "%s", "e%s", "%s\u0301", "\u1100%s\u11a8",
                                        "\u0438%se\u0327" };

  for (gsize i = 0; i < G_N_ELEMENTS (ranges); i++)
    for (gunichar c = ranges[i][0]; c <= ranges[i][1]; c++)
      for (gsize j = 0; j < G_N_ELEMENTS (shapes); j++)
        {
          char character[7] = "";
          g_autofree char *text = NULL, *expected = NULL, *composed = NULL;
          g_auto (GStrv) halves = g_strsplit (shapes[j], "%s", 2);

          g_unichar_to_utf8 (c, character);
          text = g_strconcat (halves[0], character, halves[1], NULL);
          expected = g_utf8_normalize (text, -1, G_NORMALIZE_NFC);
          composed = postbag_text_compose (g_steal_pointer (&text));
          g_assert_cmpstr (composed, ==, expected);
        }
}

/* A megabyte of each takes GLib from ten seconds to several minutes. */
static void
test_compose_is_linear (void)
{
  static const char *const pieces[] = { "\u1e69",       "a\u0301",       "\u1100\u1161\u11a8",
                                        "\u0307\u0323", "s\u0307\u0323", "\u1161\u0301" };
  gint64 start = g_get_monotonic_time ();

  for (gsize i = 0; i < G_N_ELEMENTS (pieces); i++)
    {
      GString *text = g_string_new (NULL);
      g_autofree char *composed = NULL;

      while (text->len < 1000 * 1000)
        g_string_append (text, pieces[i]);
      composed = postbag_text_compose (g_string_free (text, FALSE));
      g_assert_true (g_utf8_validate (composed, -1, NULL));
    }
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
}

/* One to four bytes a character. */
static void
test_count_chars (void)
{
  g_assert_cmpuint (postbag_text_count_chars ("", 0), ==, 0);
  g_assert_cmpuint (postbag_text_count_chars ("abc", 3), ==, 3);
  g_assert_cmpuint (postbag_text_count_chars ("a\303\244\342\202\254\360\237\230\200z", 11), ==, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/text/make-valid", test_make_valid);
  g_test_add_func ("/text/measure-valid", test_measure_valid);
  g_test_add_func ("/text/cut-and-slice", test_cut_and_slice);
  g_test_add_func ("/text/compose", test_compose);
  g_test_add_func ("/text/compose-agrees-with-glib", test_compose_agrees_with_glib);
  g_test_add_func ("/text/compose-is-linear", test_compose_is_linear);
  g_test_add_func ("/text/nearest", test_nearest);
  g_test_add_func ("/text/parse-int", test_parse_int);
  g_test_add_func ("/text/count-chars", test_count_chars);
  return g_test_run ();
}
