/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-rtf-extractor.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract-fixture.h"

#define RTF "application/rtf"

static ExtractResult *
run (const char *text)
{
  return extract_run (&postbag_rtf_extractor, RTF, text, strlen (text));
}

typedef struct
{
  const char *rtf;
  const char *text;
} Case;

static void
check (const Case *cases, gsize count)
{
  for (gsize i = 0; i < count; i++)
    {
      g_autofree char *whole = g_strconcat ("{\\rtf1\\ansi ", cases[i].rtf, "}", NULL);
      g_autoptr (ExtractResult) result = run (whole);

      assert_text (result, cases[i].text);
    }
}

/* Bytes made with Python's codecs; what a reader does with \u and \upr stands in the RTF
 * specification 1.9.1, "Unicode RTF". */
static void
test_letters (void)
{
  static const Case cases[] = {
    { "caf\\'e9", "caf\303\251" },
    { "\\ansicpg1251 \\'cf\\'f0", "\320\237\321\200" },
    { "{\\fonttbl{\\f0\\fcharset204 A;}{\\f1\\fcharset128 B;}}\\f0\\'cf{\\f1\\'93\\'fa\\'83e}\\'f0",
      "\320\237\346\227\245\343\203\206\321\200" },
    { "{\\fonttbl\\f3\\fnil\\fcharset161 A;}{\\deff3\\plain\\'e1}", "\316\261" },
    { "r\\u233?s\\u233?, \\u8217'", "r\303\251s\303\251, \342\200\231" },
    { "\\uc2\\u20320\\'c4\\'e3x{\\uc0\\u233 y}", "\344\275\240x\303\251y" },
    { "\\u-10179?\\u-8704?", "\360\237\230\200" },
    { "\\u-8704?", "\357\277\275" },
    { "\\u8226\\bullet x", "\342\200\242x" },
    { "{\\u233}?", "\303\251?" },
    { "{\\upr{old}{\\*\\ud{n\\u233?w}}}!", "n\303\251w!" },
    { "a\\~b\\_c\\-d\\{e\\}\\\\", "a\302\240b-cd{e}\\" },
    { "\\ldblquote a\\rdblquote\\emdash\\lquote b\\rquote\\endash\\tab c",
      "\342\200\234a\342\200\235\342\200\224\342\200\230b\342\200\231\342\200\223\tc" },
    { "one\r\ntwo", "onetwo" },
    { "a\\u99999999999999999999 ?b", "a\357\277\275b" },
  };

  check (cases, G_N_ELEMENTS (cases));
}

static void
test_layout (void)
{
  static const Case cases[] = {
    { "a\\par b\\line c\\par\\par d", "a\n\nb\nc\n\nd" },
    { "a\\\nb", "a\n\nb" },
    { "\\pard\\outlinelevel1 Plan\\par\\pard text", "## Plan\n\ntext" },
    { "{\\listtext\\pard\\plain\\'b7\\tab}\\ls1\\ilvl0 one\\par"
      "{\\listtext 2.\\tab}\\ilvl1 two\\par rest",
      "- one\n  2. two\n\nrest" },
    { "\\trowd\\cellx100\\cellx200\\pard\\intbl a\\cell\\pard\\intbl b\\par c\\cell\\row"
      "\\trowd\\cellx100\\cellx200\\pard\\intbl\\cell d\\cell\\row\\pard after",
      "| a | b c |\n| --- | --- |\n| | d |\n\nafter" },
    { "no table\\cell here\\row", "no table\n\nhere" },
  };

  check (cases, G_N_ELEMENTS (cases));
}

static void
test_destinations (void)
{
  static const Case cases[] = {
    { "{\\*\\generator Gen;}{\\info{\\title T}}{\\stylesheet{\\s1 heading;}}{\\pict 8950}x", "x" },
    { "{\\*\\unknown a{b{\\pard c}}}x", "x" },
    { "{\\field{\\*\\fldinst HYPERLINK \"http://a.example\"}{\\fldrslt shown}}.",
      "shown (http://a.example)." },
    { "{\\field{\\*\\fldinst{\\f0{\\*\\x0} HYPERLINK \"https://b.example/\" \\\\o \"hint\"}}"
      "{\\*\\fldrslt{\\b sh}{own}}} {\\field{\\*\\fldinst PAGE}{\\fldrslt 1}}",
      "shown (https://b.example/) 1" },
    { "\\headery720\\footery720{\\headerl top}x", "x\n\n[Page header] top" },
    { "a{\\deleted gone}b{\\revised new}", "abnew" },
    { "a\\deleted gone\\deleted0 b", "ab" },
    { "a{\\super\\chftn}{\\footnote\\pard see}b\\par c{\\footnote\\ftnalt end}",
      "a[Footnote 1]b\n\nc[Endnote 2]\n\n[Footnote 1] see\n\n[Endnote 2] end" },
    { "a{\\*\\atnid N}{\\*\\atnauthor Nora}\\chatn{\\*\\annotation{\\*\\atndate 1}why}b",
      "ab\n\n[Comment, Nora] why" },
    { "{\\header top\\par}{\\footerf page {\\field{\\*\\fldinst PAGE}{\\fldrslt 1}}}x",
      "x\n\n[Page header] top\n\n[Page footer] page 1" },
    { "a{\\shp{\\*\\shpinst{\\sp{\\sn n}{\\sv v}}{\\shptxt boxed\\par}}{\\shprslt boxed}}b\\par c",
      "ab\n\nboxed\n\nc" },
    { "{\\object{\\*\\objdata 0105}{\\result shown}}", "shown" },
    { "{\\*\\htmltag64 <p>}\\htmlrtf {\\htmlrtf0 words\\htmlrtf }\\htmlrtf0", "words" },
  };

  check (cases, G_N_ELEMENTS (cases));
}

static void
test_hidden (void)
{
  g_autoptr (ExtractResult) result =
      run ("{\\rtf1{\\colortbl;\\red255\\green255\\blue255;\\red0\\green0\\blue0;}"
           "{\\v unseen}{\\cf1 white}{\\fs2 tiny}{\\cf2\\fs20\\v0 seen}}");

  assert_text (result, "unseenwhitetinyseen");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 3);
}

/* Letters of other languages come one by one: they are one piece all the same. */
static void
test_hidden_letters (void)
{
  g_autoptr (ExtractResult) result =
      run ("{\\rtf1 a{\\v un\\u228?seen\\'e4{\\b too\\line}}b{\\v again}}");

  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 2);
}

/* An author of 119 bytes and a character of two: the label has 120 at the most. */
static void
test_long_author (void)
{
  g_autofree char *name = g_strnfill (119, 'n');
  g_autofree char *rtf =
      g_strdup_printf ("{\\rtf1 a{\\*\\atnauthor %s\\u228?%s}{\\*\\annotation why}}", name, name);
  g_autofree char *expected = g_strdup_printf ("a\n\n[Comment, %sn] why", name);
  g_autoptr (ExtractResult) result = run (rtf);

  assert_text (result, expected);
}

static void
test_binary (void)
{
  static const char rtf[] = "{\\rtf1 a{\\pict\\bin5 }{}\\\0}b}";
  g_autoptr (ExtractResult) result = extract_run (&postbag_rtf_extractor, RTF, rtf, sizeof rtf - 1);
  g_autoptr (ExtractResult) beyond = run ("{\\rtf1 a\\bin2147483647 b");

  assert_text (result, "ab");
  assert_text (beyond, "a");
}

static void
test_deep (void)
{
  g_autoptr (GString) text = g_string_new ("{\\rtf1 before ");
  const guint deep = 200000;
  g_autoptr (ExtractResult) result = NULL;

  for (guint i = 0; i < deep; i++)
    g_string_append_c (text, '{');
  g_string_append (text, "below");
  for (guint i = 0; i < deep; i++)
    g_string_append_c (text, '}');
  g_string_append (text, " after}");
  result = run (text->str);
  assert_text (result, "before  after");
  g_assert_nonnull (strstr (result->notes, "nested too deep"));
}

static void
test_depth_limit (void)
{
  g_autoptr (GString) text = g_string_new ("{\\rtf1 ");
  g_autoptr (ExtractResult) result = NULL;

  for (guint i = 1; i < POSTBAG_LIMIT_RTF_DEPTH; i++)
    g_string_append_c (text, '{');
  g_string_append (text, "last{beyond}");
  for (guint i = 1; i < POSTBAG_LIMIT_RTF_DEPTH; i++)
    g_string_append_c (text, '}');
  g_string_append_c (text, '}');
  result = run (text->str);
  assert_text (result, "last");
}

/* A font beyond the table's bound is in the document's own code page. */
static void
test_font_limit (void)
{
  g_autoptr (GString) text = g_string_new ("{\\rtf1{\\fonttbl");
  g_autoptr (ExtractResult) result = NULL;

  for (guint i = 0; i <= POSTBAG_LIMIT_RTF_FONTS; i++)
    g_string_append_printf (text, "{\\f%u\\fcharset204 x;}", i);
  g_string_append_printf (text, "}{\\f%u\\'e9}{\\f%u\\'e9}}", POSTBAG_LIMIT_RTF_FONTS - 1,
                          POSTBAG_LIMIT_RTF_FONTS);
  result = run (text->str);
  assert_text (result, "\320\271\303\251");
}

static void
test_bad (void)
{
  g_autoptr (ExtractResult) other = run ("plain text");
  g_autoptr (ExtractResult) empty = extract_run (&postbag_rtf_extractor, RTF, "", 0);
  g_autoptr (ExtractResult) cut = run ("\r\n{\\rtf1 words\\'");
  g_autoptr (ExtractResult) behind = run ("{\\rtf1 words}}{\\rtf1 more}");

  assert_reason (other, NOT_A_DOCUMENT);
  assert_reason (empty, NOT_A_DOCUMENT);
  assert_text (cut, "words");
  g_assert_nonnull (strstr (cut->notes, "ends in the middle"));
  assert_text (behind, "words");
}

static void
test_full (void)
{
  static const char rtf[] = "{\\rtf1 one\\par two\\par three\\par four}";
  PostbagExtractInput input = { .data = (const guint8 *)rtf,
                                .length = sizeof rtf - 1,
                                .content_type = RTF };
  g_autoptr (ExtractResult) result = extract_run_input (&postbag_rtf_extractor, &input, 4);

  g_assert_no_error (result->error);
  assert_has_not (result, "four");
}

/* --- pages that are wrapped --- */

static gboolean
show_page (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  g_assert_cmpstr (input->content_type, ==, "text/html");
  return output->append (output, (const char *)input->data, input->length) || TRUE;
}
static const PostbagExtractorImplementation page_reader = { .size = sizeof page_reader,
                                                            .extract = show_page };

/* [MS-OXRTFEX] 2.1.3 and 2.2.3, by hand: tags as they stand, text between them, nothing of what is
 * for readers of RTF. */
static void
test_wrapped_page (void)
{
  static const char rtf[] =
      "{\\rtf1\\ansi\\ansicpg1251\\fromhtml1 \\deff0{\\fonttbl{\\f0\\fswiss Arial;}"
      "{\\f1\\fswiss\\fcharset0 Arial;}}{\\colortbl\\red0\\green0\\blue0;}\r\n"
      "{\\*\\htmltag18 <html>}{\\*\\htmltag50 <body class=\"a\">}\\htmlrtf \\pard\\plain unseen"
      "{\\i unseen}\\htmlrtf0 \r\n{\\*\\htmltag64 <p>}\\'cf\\'f0\\'e8 {\\f1 caf\\'e9}"
      "{\\*\\htmltag84 &nbsp;}\\{x\\} \\u8364?\\tab\\lquote"
      "{\\*\\mhtmltag84 <a href=\"cid:1\">}{\\*\\htmltag84 <a href=\"http://a.example/\\'e9\">}"
      "{\\field{\\*\\fldinst{HYPERLINK \"http://b.example\"}}{\\fldrslt link}}"
      "{\\*\\htmltag92 </a>}{\\pntext\\f0 1.}\\line {\\htmlrtf gone}{\\*\\htmltag72 </p>\\par}"
      "{\\pict 00}{\\header x}}";
  g_autoptr (ExtractResult) result = run (rtf);

  g_assert_no_error (result->error);
  g_assert_cmpstr (
      result->text, ==,
      "<!DOCTYPE html><meta charset=\"utf-8\"><html><body class=\"a\"><p>\320\237\321\200\320\270 "
      "caf\303\251&nbsp;{x} \342\202\254\t\342\200\230<a href=\"http://a.example/\320\271\">link"
      "</a>\r\n</p>\r\nx");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 0);
}

/* What only says so at its end, or says no, is RTF. */
static void
test_no_wrapped_page (void)
{
  g_autoptr (ExtractResult) off = run ("{\\rtf1\\fromhtml0 words}");
  g_autoptr (ExtractResult) late =
      run ("{\\rtf1\\a\\a\\a\\a\\a\\a\\a\\a\\fromhtml1 words{\\*\\htmltag <b>}}");

  assert_text (off, "words");
  assert_text (late, "words");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  extract_read_inside ("text/html", &page_reader);
  g_test_add_func ("/extractor/rtf/wrapped-page", test_wrapped_page);
  g_test_add_func ("/extractor/rtf/no-wrapped-page", test_no_wrapped_page);
  g_test_add_func ("/extractor/rtf/letters", test_letters);
  g_test_add_func ("/extractor/rtf/layout", test_layout);
  g_test_add_func ("/extractor/rtf/destinations", test_destinations);
  g_test_add_func ("/extractor/rtf/hidden", test_hidden);
  g_test_add_func ("/extractor/rtf/hidden-letters", test_hidden_letters);
  g_test_add_func ("/extractor/rtf/long-author", test_long_author);
  g_test_add_func ("/extractor/rtf/binary", test_binary);
  g_test_add_func ("/extractor/rtf/deep", test_deep);
  g_test_add_func ("/extractor/rtf/depth-limit", test_depth_limit);
  g_test_add_func ("/extractor/rtf/font-limit", test_font_limit);
  g_test_add_func ("/extractor/rtf/bad", test_bad);
  g_test_add_func ("/extractor/rtf/full", test_full);
  return g_test_run ();
}
