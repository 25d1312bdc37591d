/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "safety/postbag-html.h"

#include <string.h>

static void
check (const char *html, const char *expected)
{
  g_autofree char *text = postbag_html_to_text (html, strlen (html), NULL);

  g_assert_cmpstr (text, ==, expected);
}

static void
check_hidden (const char *html, const char *expected, gsize hidden)
{
  g_autoptr (PostbagHtmlReport) report = postbag_html_report_new ();
  g_autofree char *text = postbag_html_to_text (html, strlen (html), report);

  g_assert_cmpstr (text, ==, expected);
  g_assert_cmpuint (report->hidden_chars, ==, hidden);
}

/* The examples that contracts/guarded 4.5 fixes. */
static void
test_references (void)
{
  check ("&#x26;#104;", "&#104;");
  check ("&#0000000104;", "h");
  check ("&#104 x", "h x");
  check ("&amp;lt;", "&lt;");
  check ("&#", "&#");
  check ("&", "&");
  check ("a &nosuch; b", "a &nosuch; b");
  check ("&#0;&#xd800;&#x110000;&#99999999999999999999;", "\ufffd\ufffd\ufffd\ufffd");
  check ("&lt;b&gt; &quot;x&quot; &apos;&eacute;&euro;", "<b> \"x\" 'é€");
  check ("&#150;", "–"); /* HTML 13.2.5.80 */
  check ("<a href='http://x.test/?a=1&copy=2&amp;b=3'>t</a>", "t (http://x.test/?a=1&copy=2&b=3)");
}

static void
test_blocks (void)
{
  check ("<p>one</p><p>two<br>three</p>four", "one\n\ntwo\nthree\n\nfour");
  check ("<div>a<div>b</div>c</div>d", "a\nb\nc\nd");
  check ("  a \n\t b  <b> c</b>d ", "a b cd");
  check ("<h1>T</h1>text", "T\n\ntext");
  check ("<ul><li>a<li>b<ul><li>c</ul></ul><ol start=3><li>d</li><li>e</li></ol>",
         "- a\n- b\n  - c\n3. d\n4. e");
  check ("<table><tr><td>a</td><td>b</td></tr><tr><td>c<td>d</table>", "a | b\nc | d");
  check ("<blockquote>a<br>b<blockquote>c</blockquote></blockquote>d", "> a\n> b\n\n> > c\n\nd");
  check ("<pre>a  b\n\n  c</pre>", "a  b\n\n  c");
  check ("x<img src=a.png alt='a &lt;logo&gt;'>y<img src=b>", "x[image: a <logo>]y");
  check ("", "");
}

static void
test_links (void)
{
  check ("<a href=\"https://true.test/x\">click <b>here</b></a>.",
         "click here (https://true.test/x).");
  check ("<a href=\"https://a.test/\">https://b.test/</a>", "https://b.test/ (https://a.test/)");
  check ("<a href=\"https://a.test/\">https://a.test/</a>", "https://a.test/");
  check ("<a href=\"mailto:a@b.test\">a@b.test</a>", "a@b.test");
  check ("<a href=\"mailto:a@b.test\">write</a>", "write (mailto:a@b.test)");
  check ("<a href=\"javascript:alert(1)\">x</a><a href=\"#top\">y</a><a href=data:x>z</a>", "xyz");
  check ("<a href=\" ht\ntps://a.test\">x</a>", "x (https://a.test)");
  check ("<a href=https://a.test><img src=x></a>", "(https://a.test)");
  check ("<a href=https://a.test>one<a href=https://b.test>two</a>",
         "one (https://a.test)two (https://b.test)");
}

static void
test_dropped (void)
{
  check ("<html><head><title>T</title><style>p{}</style><script>RUN()</script></head>"
         "<body>text</body></html>",
         "text");
  check ("a<!-- b <p>c -->d<!-->e<!doctype html><?php x ?>f", "adef");
  check ("a<script>if (a<b) '</p>'</script>b", "ab");
  check ("a<STYLE>x</Style >b<template>c</template><noscript>d</noscript>e", "abe");
  check ("a<script>never closed", "a");
  check ("a<textarea>b</textarea>c", "ac");
}

/* Out of hardening, appendix D: what inline style says. */
static void
test_hidden (void)
{
  static const char *const styles[] = {
    "display:none",
    "DISPLAY : NONE !important",
    "color:red;display:none;x:y",
    "display:/* */none",
    "\\64isplay:none",
    "dis\\70 lay:none",
    "visibility:hidden",
    "visibility:collapse",
    "opacity:0",
    "opacity:0.01",
    "opacity:0%",
    "font-size:0",
    "font-size:0px",
    "font-size:1px",
    "font-size:.1px",
    "font-size:0em",
    "font:0/0 a",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (styles); i++)
    {
      g_autofree char *html =
          g_strdup_printf ("a<span style=\"%s\">se<b>cr</b>et</span>b", styles[i]);

      check_hidden (html, "ab", 6);
    }
  check_hidden ("a<p hidden>xy</p>b", "ab", 2);
  check_hidden ("<div style='display:none'><p style='display:block'>xy</p></div>b", "b", 2);
  check_hidden ("<div style='visibility:hidden'>xy<p style='visibility:visible'>seen</p></div>",
                "seen", 2);
  check_hidden ("<a href='https://a.test' style='display:none'>xyz</a>b", "b", 3);
  check_hidden ("<div style='display:none' hidden>é</div>", "", 1);
}

/* What must stay. */
static void
test_not_hidden (void)
{
  check_hidden ("<td style='font-size:0'><div style='font-size:14px'>seen</div></td>", "seen", 0);
  check_hidden ("<p style='display:block;opacity:1;font-size:8px;visibility:visible'>a</p>", "a",
                0);
  check_hidden ("<p style='font-size:small'>a</p><p style='opacity:.5'>b</p>", "a\n\nb", 0);
  check_hidden ("<p style='background:url(display:none)'>a</p>", "a", 0);
  check_hidden ("<p data-x='display:none' class=hidden>a</p>", "a", 0);
  check_hidden ("<p style='font-size:0.9em'>a</p>", "a", 0);
}

static void
test_tag_soup (void)
{
  check ("a < b and c > d", "a < b and c > d");
  check ("1 <2 and <3", "1 <2 and <3");
  check ("text <b and no end", "text <b and no end");
  check ("a</b>c</p>d", "ac\nd");
  check ("<b><i>x</b>y</i>z", "xyz");
  check ("<p title=\"a>b\">c", "c");
  check ("<o:p>a</o:p><custom-x>b</custom-x>", "ab");
  check ("<p a=1 a=2 style=x style='display:none'>seen", "seen");
  check ("<p>a<p>b<p>c", "a\n\nb\n\nc");
  check ("a\x01\x02"
         "b\x7f",
         "ab\x7f");
}

/* A page of unclosed paragraphs is not nested. */
static void
test_many_paragraphs (void)
{
  g_autoptr (GString) html = g_string_new (NULL);
  g_autofree char *text = NULL;

  for (guint i = 0; i < 2000; i++)
    g_string_append (html, "<p>x<p>y<ul><li>a<li>b</ul><table><tr><td>c<td>d<tr><td>e</table>");
  text = postbag_html_to_text (html->str, html->len, NULL);
  g_assert_true (g_str_has_suffix (text, "x\n\ny\n\n- a\n- b\nc | d\ne"));
}

static const char *const triggers[] = {
  "<b>",
  "<div>",
  "</b>",
  "<b></i>",
  "<",
  "<a",
  "<a ",
  "<a b",
  "<a b='",
  "<!--",
  "<!-- -->",
  "</",
  "&",
  "&#",
  "&#x1",
  "&amp;",
  "<p>",
  "<table><tr><td>",
  "<blockquote>",
  "<ul><li>",
  "<br>a",
  "<font><b><i>",
  "<script>",
  "<script></script>",
  "<style>",
  "<a href=x>",
  "<a href='https://a.test/'>x",
  "<x y=1 z=2>",
  "<p style='display:none'>",
  "<select><option>",
  "<html><body>",
  "<svg><desc>",
  "<!",
  "<?",
  "]]>",
  "<li>",
  "<blockquote><br>a",
  "<textarea>",
  "<b><p>",
  "<table>",
  "<form>",
  "<a><div>",
};

/* One megabyte of each; quadratic work would take minutes. The release build's figure is printed.
 */
static void
test_linear (void)
{
  gint64 worst = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (triggers); i++)
    {
      g_autoptr (GString) html = g_string_new (NULL);
      g_autofree char *text = NULL;
      gint64 start;

      while (html->len < 1000000)
        g_string_append (html, triggers[i]);
      start = g_get_monotonic_time ();
      text = postbag_html_to_text (html->str, html->len, NULL);
      start = g_get_monotonic_time () - start;
      if (g_getenv ("POSTBAG_TEST_TIMES") != NULL)
        g_test_message ("%" G_GINT64_FORMAT " us %s", start, triggers[i]);
      worst = MAX (worst, start);
    }
  g_test_message ("the slowest took %" G_GINT64_FORMAT " us", worst);
  g_assert_cmpint (worst, <, 10 * G_USEC_PER_SEC);
}

static void
test_many_attributes (void)
{
  g_autoptr (GString) html = g_string_new ("<p");
  g_autofree char *text = NULL;
  gint64 start;

  for (guint i = 0; i < 100000; i++)
    g_string_append_printf (html, " a%u=b", i);
  g_string_append (html, ">seen");
  start = g_get_monotonic_time ();
  text = postbag_html_to_text (html->str, html->len, NULL);
  g_test_message ("100,000 attributes took %" G_GINT64_FORMAT " us",
                  g_get_monotonic_time () - start);
  g_assert_cmpstr (text, ==, "seen");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/html/references", test_references);
  g_test_add_func ("/html/blocks", test_blocks);
  g_test_add_func ("/html/links", test_links);
  g_test_add_func ("/html/dropped", test_dropped);
  g_test_add_func ("/html/hidden", test_hidden);
  g_test_add_func ("/html/not-hidden", test_not_hidden);
  g_test_add_func ("/html/tag-soup", test_tag_soup);
  g_test_add_func ("/html/many-paragraphs", test_many_paragraphs);
  g_test_add_func ("/html/linear", test_linear);
  g_test_add_func ("/html/many-attributes", test_many_attributes);
  return g_test_run ();
}
