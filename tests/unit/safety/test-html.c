/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "safety/postbag-html.h"

#include <string.h>

#include "base/postbag-limits.h"

#include "hostile-html.h"

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

/* What browsers make of an address (URL Standard, 4.4). */
static void
test_true_hosts (void)
{
  check ("<a href='https://bank.test@evil.test/x'>t</a>", "t (https://evil.test/x)");
  check ("<a href='https:\\\\evil.test/x'>t</a>", "t (https://evil.test/x)");
  check ("<a href='HTTPS:EVIL.test'>t</a>", "t (https://evil.test)");
  check ("<a href='//evil.test/x'>t</a>", "t (https://evil.test/x)");
  check ("<a href='https://%65vil.test/%65'>t</a>", "t (https://evil.test/%65)");
  check ("<base href='https://evil.test/a/'><a href='../b'>t</a><a href='#c'>u</a>",
         "t (https://evil.test/b)u");
  check ("<a href='../b'>t</a>", "t");
  check ("<a href='tel:+49123'>call</a>", "call (tel:+49123)");
  /* RFC 3492 */
  check ("<a href='https://\u0430pple.test/'>t</a>",
         "t (https://xn--pple-43d.test/, in letters \u0430pple.test)");
}

static void
check_mismatch (const char *html, const char *host)
{
  g_autoptr (PostbagHtmlReport) report = postbag_html_report_new ();
  g_autofree char *text = postbag_html_to_text (html, strlen (html), report);

  g_assert_cmpuint (report->mismatches->len, ==, host != NULL ? 1 : 0);
  if (host != NULL)
    g_assert_cmpstr (((PostbagLinkMismatch *)g_ptr_array_index (report->mismatches, 0))->host, ==,
                     host);
}

static void
test_mismatches (void)
{
  check_mismatch ("<a href='https://evil.test/'>https://bank.test/login</a>", "evil.test");
  check_mismatch ("<a href='https://evil.test/'>Go to www.bank.test now</a>", "evil.test");
  check_mismatch ("<a href='https://evil.test/'>bank.test</a>", "evil.test");
  check_mismatch ("<a href='https://bank.test@evil.test/'>here</a>", "evil.test");
  check_mismatch ("<a href='mailto:x@evil.test'>ann@bank.test</a>", "evil.test");
  check_mismatch ("<a href='https://shop.bank.test/'>bank.test</a>", NULL);
  check_mismatch ("<a href='https://bank.test/'>www.bank.test</a>", NULL);
  check_mismatch ("<a href='https://evil.test/'>invoice.pdf</a>", NULL);
  check_mismatch ("<a href='https://evil.test/'>Read more. Now.</a>", NULL);
}

static void
test_images (void)
{
  static const char html[] = "<img src='https://t.test/1' width=1 height=1>"
                             "<img src='https://t.test/2' style='display:none' alt='x'>"
                             "<img src='//t.test/3' width=0>"
                             "<img src='https://t.test/4' width=100 alt='A picture'>"
                             "<img src='cid:a' width=1>";
  g_autoptr (PostbagHtmlReport) report = postbag_html_report_new ();
  g_autofree char *text = postbag_html_to_text (html, strlen (html), report);

  g_assert_cmpstr (text, ==, "[image: A picture]");
  g_assert_cmpuint (report->tracking_images, ==, 3);
}

/* Each bound, hit. */
static void
test_bounds (void)
{
  g_autoptr (GString) html = g_string_new ("<style>");
  g_autoptr (PostbagHtmlReport) report = postbag_html_report_new ();
  g_autofree char *text = NULL;

  for (guint i = 0; i <= POSTBAG_LIMIT_CSS_SELECTORS; i++)
    g_string_append_printf (html, ".a%u{top:0}", i);
  g_string_append (html, "</style>");
  for (guint i = 0; i <= POSTBAG_LIMIT_LINK_MISMATCHES; i++)
    g_string_append (html, "<a href=https://a.test>b.test</a>");
  text = postbag_html_to_text (html->str, html->len, report);
  g_assert_true (report->cut);
  g_string_assign (html, "<base href=https://a.test/>");
  for (guint i = 0; i <= POSTBAG_LIMIT_LINK_RELATIVES; i++)
    g_string_append (html, "<a href=b>x</a>");
  g_free (text);
  text = postbag_html_to_text (html->str, html->len, NULL);
  g_assert_true (g_str_has_suffix (text, "x (https://a.test/b)x"));
  g_assert_cmpuint (report->mismatches->len, ==, POSTBAG_LIMIT_LINK_MISMATCHES);
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

/* Microseconds; the best of some, since other programs take the caches away. */
static gint64
measure (const HostileShape *shape, gsize size, guint times)
{
  g_autofree char *html = make_hostile_html (shape, size);
  gsize length = strlen (html);
  gint64 best = G_MAXINT64;

  for (guint i = 0; i < times; i++)
    {
      gint64 start = get_processor_time ();
      g_autofree char *text = postbag_html_to_text (html, length, NULL);

      best = MIN (best, get_processor_time () - start);
    }
  return best;
}

/* One that is longer is cut before it is read, and tests nothing. */
static void
test_payloads_are_within_the_cap (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (hostile_shapes); i++)
    {
      g_autofree char *half = make_hostile_html (&hostile_shapes[i], 500000);
      g_autofree char *html = make_hostile_html (&hostile_shapes[i], 1000000);

      g_assert_cmpuint (strlen (half), >=, 450000);
      g_assert_cmpuint (strlen (html), >=, 900000);
      g_assert_cmpuint (strlen (html), <=, POSTBAG_LIMIT_HTML_BYTES);
    }
}

/* Twice the size takes no more than four times as long (twice, and as much again for the weather):
 * quadratic work would take that, and from there on without end. */
static void
test_linear (void)
{
  gint64 worst = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (hostile_shapes); i++)
    {
      const HostileShape *shape = &hostile_shapes[i];
      gint64 half = measure (shape, 250000, 2);
      gint64 whole = measure (shape, 500000, 2);

      if (g_getenv ("POSTBAG_TEST_TIMES") != NULL)
        {
          half = whole;
          whole = measure (shape, 1000000, 3);
          g_test_message ("%" G_GINT64_FORMAT " us, half %" G_GINT64_FORMAT ": %s", whole, half,
                          shape->name);
        }
      g_assert_cmpint (whole, <, 4 * half + 20000);
      worst = MAX (worst, whole);
    }
  g_test_message ("the slowest took %" G_GINT64_FORMAT " us", worst);
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

/* The words of @text, addresses left out: (transfer full). */
static GPtrArray *
split_words (const char *text)
{
  g_autoptr (GRegex) addresses = g_regex_new ("https?://\\S+|&[a-z]+;", 0, 0, NULL);
  g_autofree char *plain = g_regex_replace_literal (addresses, text, -1, 0, " ", 0, NULL);
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);

  for (const char *p = plain; *p != '\0';)
    {
      gsize length = 0;

      while (g_ascii_isalpha (p[length]))
        length++;
      if (length >= 3)
        g_ptr_array_add (words, g_strndup (p, length));
      p += MAX (length, 1);
    }
  return words;
}

/* A newsletter with the plain text its sender made of it: all its words, in order. */
static void
test_newsletter (void)
{
  const char *suites = g_getenv ("POSTBAG_SUITES");
  static const char folder[] = "mime/mimekit/UnitTests/TestData/text";
  g_autofree char *html_path = NULL, *text_path = NULL, *html = NULL, *expected = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GPtrArray) ours = NULL;
  g_autoptr (GPtrArray) theirs = NULL;
  guint at = 0, missing = 0;

  if (suites == NULL)
    {
      g_test_skip ("POSTBAG_SUITES is not set");
      return;
    }
  html_path = g_build_filename (suites, folder, "planet-fitness.html", NULL);
  text_path = g_build_filename (suites, folder, "planet-fitness.txt", NULL);
  g_assert_true (g_file_get_contents (html_path, &html, NULL, NULL));
  g_assert_true (g_file_get_contents (text_path, &expected, NULL, NULL));
  text = postbag_html_to_text (html, strlen (html), NULL);
  ours = split_words (text);
  theirs = split_words (expected);
  for (guint i = 0; i < theirs->len; i++)
    {
      guint found = at;

      while (found < ours->len
             && strcmp (g_ptr_array_index (ours, found), g_ptr_array_index (theirs, i)) != 0)
        found++;
      if (found < ours->len)
        at = found + 1;
      else
        g_test_message ("%u: %s", ++missing, (char *)g_ptr_array_index (theirs, i));
    }
  g_assert_cmpuint (theirs->len, >, 200);
  /* `View web version` stands above the name in the HTML and below it in the text */
  g_assert_cmpuint (missing, ==, 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/html/references", test_references);
  g_test_add_func ("/html/blocks", test_blocks);
  g_test_add_func ("/html/links", test_links);
  g_test_add_func ("/html/true-hosts", test_true_hosts);
  g_test_add_func ("/html/mismatches", test_mismatches);
  g_test_add_func ("/html/images", test_images);
  g_test_add_func ("/html/bounds", test_bounds);
  g_test_add_func ("/html/dropped", test_dropped);
  g_test_add_func ("/html/hidden", test_hidden);
  g_test_add_func ("/html/not-hidden", test_not_hidden);
  g_test_add_func ("/html/tag-soup", test_tag_soup);
  g_test_add_func ("/html/many-paragraphs", test_many_paragraphs);
  g_test_add_func ("/html/newsletter", test_newsletter);
  g_test_add_func ("/html/linear", test_linear);
  g_test_add_func ("/html/payloads", test_payloads_are_within_the_cap);
  g_test_add_func ("/html/many-attributes", test_many_attributes);
  return g_test_run ();
}
