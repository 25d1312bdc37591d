/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The bounds of HTML, of signals and of what is told of them, each hit by one more than it lets
 * through. */

#include "mime/postbag-message-security.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-clean.h"

static guint
count_of (const char *text, const char *piece)
{
  g_auto (GStrv) pieces = g_strsplit (text, piece, -1);

  return g_strv_length (pieces) - 1;
}

static gsize
count_hidden (const PostbagHtmlReport *report, const char *reason)
{
  for (guint i = 0; i < report->hidden->len; i++)
    if (strcmp (g_array_index (report->hidden, PostbagHiddenText, i).reason, reason) == 0)
      return g_array_index (report->hidden, PostbagHiddenText, i).chars;
  return 0;
}

#define SPOKEN "<span style='position:absolute;overflow:hidden;width:1px;height:1px'>%s</span> "

/* Eight texts of 120 characters are 960: the ninth is too many, and one of 126 too long. */
static void
test_spoken (void)
{
  g_autofree char *words = g_strnfill (120, 'w');
  g_autofree char *long_one = g_strnfill (POSTBAG_LIMIT_ALT_CHARS + 1, 'v');
  g_autoptr (GString) html = g_string_new ("<p>Dear Ann</p>");
  g_autoptr (PostbagHtmlReport) report = postbag_html_report_new ();
  g_autofree char *text = NULL;

  G_STATIC_ASSERT (POSTBAG_LIMIT_SPOKEN_CHARS == 1000);
  g_string_append_printf (html, SPOKEN, long_one);
  for (guint i = 0; i < 10; i++)
    g_string_append_printf (html, SPOKEN, words);
  text = postbag_html_to_text (html->str, html->len, report);
  g_assert_cmpuint (count_of (text, words), ==, 8);
  g_assert_null (strchr (text, 'v'));
  g_assert_cmpuint (count_hidden (report, POSTBAG_HIDDEN_SPOKEN), ==, 126 + 2 * 120);
}

static void
test_conversions (void)
{
  g_autoptr (GString) html = g_string_new (NULL);
  g_autofree char *text = NULL;

  for (guint i = 0; i < POSTBAG_LIMIT_LINK_CONVERSIONS + 1; i++)
    g_string_append_printf (html,
                            "<a href='https://b\xc3\xbc"
                            "cher%u.test/'>x</a> ",
                            i);
  text = postbag_html_to_text (html->str, html->len, NULL);
  g_assert_cmpuint (count_of (text, "in letters"), ==, POSTBAG_LIMIT_LINK_CONVERSIONS);
}

static void
test_link_bytes (void)
{
  g_autofree char *path = g_strnfill (POSTBAG_LIMIT_LINK_BYTES, 'p');
  g_autofree char *html = g_strconcat ("<a href='https://a.test/", path, "q'>x</a>", NULL);
  g_autofree char *text = postbag_html_to_text (html, strlen (html), NULL);

  g_assert_true (g_str_has_prefix (text, "x (https://a.test/ppp"));
  g_assert_null (strchr (text, 'q'));
  g_assert_nonnull (strstr (text, "…)"));
}

/* Each of the rules has to be tried on each of the elements. */
static void
test_css_steps (void)
{
  g_autoptr (GString) html = g_string_new ("<style>");
  g_autoptr (PostbagHtmlReport) report = postbag_html_report_new ();
  g_autofree char *text = NULL;

  for (guint i = 0; i < 2000; i++)
    g_string_append_printf (html, ".b%u *{color:red}", i);
  g_string_append (html, "</style>");
  for (guint i = 0; i < 2000; i++)
    g_string_append_printf (html, "<i>x%u</i>", i);
  g_assert_cmpuint (2000 * 2000, >, POSTBAG_LIMIT_CSS_STEPS);
  text = postbag_html_to_text (html->str, html->len, report);
  g_assert_true (report->cut);
  g_assert_nonnull (strstr (text, "x1999"));
}

/* Whether the text of the last element stays, since a bound was hit before its style was read. */
static void
check_cut (const char *html, gboolean cut)
{
  g_autoptr (PostbagHtmlReport) report = postbag_html_report_new ();
  g_autofree char *text = postbag_html_to_text (html, strlen (html), report);

  g_assert_cmpint (report->cut, ==, cut);
  g_assert_cmpint (g_str_has_suffix (text, "last"), ==, cut);
}

/* Pages on which selectors do not see what comes before, or later: each just within the bound, and
 * beyond it. */
static void
test_css_pages (void)
{
  g_autofree char *much = g_strnfill (POSTBAG_LIMIT_HTML_AGAIN_BYTES - 100, 'a');
  g_autofree char *some = g_strnfill (POSTBAG_LIMIT_HTML_SURVEY_BYTES - 100, 'a');
  g_autoptr (GString) html = g_string_new (NULL);

  for (guint more = 0; more < 2; more++)
    {
      const char *pad =
          more == 0 ? "" : "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

      g_string_printf (html, "<style>i + p{display:none}</style>%s%s<i>.</i><p>last", much, pad);
      check_cut (html->str, more == 1);
      g_string_printf (html, "<style>p:last-child{display:none}</style>%s%s<p>last", some, pad);
      check_cut (html->str, more == 1);
      g_string_assign (html, "<style>p:last-child{display:none}</style>");
      for (guint i = 0; i < POSTBAG_LIMIT_CSS_ELEMENTS - 20 + more * 20; i++)
        g_string_append (html, "<p>");
      g_string_append (html, "<p>last");
      check_cut (html->str, more == 1);
    }
}

/* Rules in rules, one longer than it may be, and too many of them. */
static void
test_css_nested (void)
{
  g_autofree char *name = g_strnfill (POSTBAG_LIMIT_CSS_SELECTOR_BYTES / 2, 'n');
  g_autoptr (GString) html = g_string_new (NULL);

  g_string_printf (html, "<style>p,.%s{&:not(.a){display:none}}</style><p>last", name);
  check_cut (html->str, FALSE);
  g_string_printf (html, "<style>p,.%s{&:not(&.a){display:none}}</style><p>last", name);
  check_cut (html->str, TRUE);
  g_string_printf (html, "<style>p,.%s{", name);
  for (guint i = 0; i <= POSTBAG_LIMIT_CSS_NESTED_BYTES / (POSTBAG_LIMIT_CSS_SELECTOR_BYTES / 2);
       i++)
    g_string_append (html, "b{color:red}");
  g_string_append (html, "&{display:none}}</style><p>last");
  check_cut (html->str, TRUE);
}

/* Selectors left of a sibling, tests of attributes and `:has()`: those that have a number, and the
 * one that has none. */
static void
test_css_numbers (void)
{
  static const struct
  {
    const char *before, *after;
    guint most;
  } rules[] = { { ".a", " + i{color:red}", 256 },
                { "[a", "]{color:red}", 64 },
                { "b:has(.a", "){color:red}", 64 } };

  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    for (guint more = 0; more < 2; more++)
      {
        g_autoptr (GString) html = g_string_new ("<style>");
        g_autoptr (PostbagHtmlReport) report = postbag_html_report_new ();
        g_autofree char *text = NULL;

        for (guint k = 0; k < rules[i].most + more; k++)
          g_string_append_printf (html, "%s%u%s", rules[i].before, k, rules[i].after);
        g_string_append (html, "</style><b>x</b>");
        text = postbag_html_to_text (html->str, html->len, report);
        g_assert_cmpint (report->cut, ==, more == 1);
      }
}

/* Variables: too many, a value that grows too long, and all of them together too long; what is not
 * known hides nothing. */
static void
test_css_variables (void)
{
  g_autofree char *value = g_strnfill (POSTBAG_LIMIT_CSS_VALUE_BYTES / 2, '1');
  g_autoptr (GString) html = g_string_new (NULL);

  for (guint more = 0; more < 2; more++)
    {
      g_string_assign (html, "<style>");
      for (guint i = 0; i < POSTBAG_LIMIT_CSS_VARIABLES - 1 + more; i++)
        g_string_append_printf (html, "%s--a%u:1", i == 0 ? "p{" : i == 1000 ? "}.x{" : ";", i);
      g_string_append (html, "}</style><p class=x style='--h:none;display:var(--h)'>last");
      check_cut (html->str, more == 1);
    }
  g_string_printf (html, "<p style='--v:%s;--o:var(--v)var(--v)var(--v);opacity:var(--o)'>last",
                   value);
  check_cut (html->str, TRUE);
  g_string_assign (html, "");
  for (guint i = 0; i <= POSTBAG_LIMIT_CSS_PUT_IN_BYTES / POSTBAG_LIMIT_CSS_VALUE_BYTES; i++)
    g_string_append_printf (html, "<b style='--v:%s;--w:var(--v);color:var(--w)'>x</b>", value);
  g_string_append (html, "<p style='--h:0;opacity:var(--h)'>last");
  check_cut (html->str, TRUE);
}

static void
test_generated (void)
{
  g_autofree char *words = g_strnfill (100, 'w');
  g_autoptr (GString) html = g_string_new (NULL);
  g_autoptr (PostbagHtmlReport) report = postbag_html_report_new ();
  g_autofree char *text = NULL;

  g_string_printf (html, "<style>p::before{content:'%s'}</style>", words);
  for (guint i = 0; i <= POSTBAG_LIMIT_GENERATED_CHARS / 100; i++)
    g_string_append (html, "<p>x");
  text = postbag_html_to_text (html->str, html->len, report);
  g_assert_cmpuint (count_of (text, words), ==, POSTBAG_LIMIT_GENERATED_CHARS / 100);
  g_assert_true (report->cut);
}

static void
test_tag_bytes (void)
{
  g_autofree char *blanks = g_strnfill (POSTBAG_LIMIT_HTML_TAG_BYTES, ' ');
  g_autofree char *html =
      g_strconcat ("<p style='", blanks, "display:none'>x</p><p title='y'>z", NULL);
  g_autoptr (PostbagHtmlReport) report = postbag_html_report_new ();
  g_autofree char *text = postbag_html_to_text (html, strlen (html), report);

  g_assert_cmpstr (text, ==, "x\n\nz");
  g_assert_true (report->cut);
}

static void
test_senders (void)
{
  for (guint at = POSTBAG_LIMIT_SENDERS_EXAMINED - 1; at <= POSTBAG_LIMIT_SENDERS_EXAMINED; at++)
    {
      g_autoptr (GPtrArray) from =
          g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_address_free);
      PostbagSecurityInput input = { .from = from };
      g_autoptr (PostbagSecurity) security = NULL;

      for (guint i = 0; i <= POSTBAG_LIMIT_SENDERS_EXAMINED; i++)
        g_ptr_array_add (
            from, postbag_address_new (i == at ? "boss@corp.test" : "Nora", "nora@example.org"));
      security = postbag_security_examine (&input);
      g_assert_cmpint (g_ptr_array_find_with_equal_func (security->warnings,
                                                         "display_name_contains_other_address",
                                                         g_str_equal, NULL),
                       ==, at < POSTBAG_LIMIT_SENDERS_EXAMINED);
    }
}

/* Codes are ours today; what a later one holds is bounded all the same. */
static void
test_told (void)
{
  g_autofree char *long_code = g_strnfill (1000, 'c');
  PostbagSecurityInput input = { 0 };
  g_autoptr (PostbagHtmlReport) report = postbag_html_report_new ();
  g_autoptr (PostbagSecurity) security = postbag_security_examine (&input);
  const PostbagMessageSecurity told = { .security = security, .report = report };
  g_autoptr (PostbagResult) result = postbag_result_new (POSTBAG_LIMIT_RESULT_CHARS);
  g_autoptr (JsonNode) node = NULL;
  g_autofree char *json = NULL;
  JsonArray *codes;

  postbag_security_warn (security, long_code);
  for (guint i = 0; i < POSTBAG_LIMIT_WARNINGS_SHOWN; i++)
    {
      g_autofree char *code = g_strdup_printf ("code_%u", i);

      postbag_security_warn (security, code);
    }
  postbag_message_security_write (&told, result);
  json = postbag_result_dup_json (result);
  node = json_from_string (json, NULL);
  codes = json_object_get_array_member (
      json_object_get_object_member (json_node_get_object (node), "security"), "warnings");
  g_assert_cmpuint (json_array_get_length (codes), ==, POSTBAG_LIMIT_WARNINGS_SHOWN);
  g_assert_cmpint (g_utf8_strlen (json_array_get_string_element (codes, 0), -1), <=,
                   POSTBAG_LIMIT_FLAG_CHARS);
}

static void
test_marks (void)
{
  g_autoptr (GString) text = g_string_new ("x");
  g_autofree char *clean = NULL;

  for (guint i = 0; i < POSTBAG_LIMIT_COMBINING_MARKS + 10; i++)
    g_string_append (text, "\u0334"); /* composes with no letter */
  clean = postbag_clean (text->str, POSTBAG_CLEAN_LINE, 1000, NULL);
  g_assert_cmpint (g_utf8_strlen (clean, -1), ==, 1 + POSTBAG_LIMIT_COMBINING_MARKS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/limits/spoken", test_spoken);
  g_test_add_func ("/limits/link-conversions", test_conversions);
  g_test_add_func ("/limits/link-bytes", test_link_bytes);
  g_test_add_func ("/limits/css-steps", test_css_steps);
  g_test_add_func ("/limits/css-pages", test_css_pages);
  g_test_add_func ("/limits/css-nested", test_css_nested);
  g_test_add_func ("/limits/css-numbers", test_css_numbers);
  g_test_add_func ("/limits/css-variables", test_css_variables);
  g_test_add_func ("/limits/generated", test_generated);
  g_test_add_func ("/limits/tag-bytes", test_tag_bytes);
  g_test_add_func ("/limits/senders-examined", test_senders);
  g_test_add_func ("/limits/warnings-shown", test_told);
  g_test_add_func ("/limits/combining-marks", test_marks);
  return g_test_run ();
}
