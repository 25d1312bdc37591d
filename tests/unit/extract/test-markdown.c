/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-markdown.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "extract-fixture.h"

typedef void (*WriteFunc) (PostbagMarkdown *markdown);

static WriteFunc current;

static gboolean
extract (const PostbagExtractInput *input, PostbagExtractOutput *output, GError **error)
{
  g_autoptr (PostbagMarkdown) markdown = postbag_markdown_new (output);

  current (markdown);
  return TRUE;
}

static const PostbagExtractorImplementation writer = {
  .size = sizeof (PostbagExtractorImplementation),
  .extract = extract,
};

static ExtractResult *
run (WriteFunc function)
{
  current = function;
  return extract_run (&writer, "text/x-test", "", 0);
}

static void
text (PostbagMarkdown *markdown, const char *words)
{
  postbag_markdown_text (markdown, words, -1);
}

static void
write_blocks (PostbagMarkdown *markdown)
{
  postbag_markdown_end_block (markdown);
  text (markdown, "  ");
  postbag_markdown_begin_heading (markdown, 2);
  text (markdown, "Head");
  text (markdown, "ing ");
  postbag_markdown_end_block (markdown);
  text (markdown, "one   two\tthree");
  postbag_markdown_break (markdown);
  text (markdown, "four");
  postbag_markdown_begin_item (markdown, 0, "-");
  text (markdown, "first");
  postbag_markdown_begin_item (markdown, 1, "1.");
  text (markdown, "deeper");
  postbag_markdown_begin_item (markdown, 0, "-");
  postbag_markdown_end_block (markdown);
  text (markdown, "a\r\nb\rc\xff");
}

static void
test_blocks (void)
{
  g_autoptr (ExtractResult) result = run (write_blocks);

  assert_text (result, "## Heading\n\none   two\tthree\nfour\n\n- first\n  1. deeper\n\n"
                       "a\nb\nc\357\277\275");
}

static void
write_cells (PostbagMarkdown *markdown, const char *const *cells)
{
  postbag_markdown_begin_row (markdown);
  for (; *cells != NULL; cells++)
    {
      postbag_markdown_begin_cell (markdown);
      text (markdown, *cells);
      postbag_markdown_end_cell (markdown);
    }
  postbag_markdown_end_row (markdown);
}

static void
write_table (PostbagMarkdown *markdown)
{
  text (markdown, "Before");
  postbag_markdown_begin_table (markdown);
  write_cells (markdown, (const char *const[]){ "", "", NULL });
  write_cells (markdown, (const char *const[]){ "a", "b|c", NULL });
  write_cells (markdown, (const char *const[]){ "", "two\nlines\t!", "", "", NULL });
  write_cells (markdown, (const char *const[]){ NULL });
  write_cells (markdown, (const char *const[]){ " 1 ", NULL });
  postbag_markdown_end_table (markdown);
  text (markdown, "After");
}

static void
test_table (void)
{
  g_autoptr (ExtractResult) result = run (write_table);

  assert_text (result, "Before\n\n| a | b\\|c |\n| --- | --- |\n| | two lines ! |\n| 1 |\n\nAfter");
}

static void
write_nested (PostbagMarkdown *markdown)
{
  postbag_markdown_begin_table (markdown);
  postbag_markdown_begin_row (markdown);
  postbag_markdown_begin_cell (markdown);
  text (markdown, "outer");
  postbag_markdown_end_block (markdown);
  postbag_markdown_begin_table (markdown);
  write_cells (markdown, (const char *const[]){ "x", "y", NULL });
  postbag_markdown_end_table (markdown);
  postbag_markdown_begin_item (markdown, 0, "-");
  text (markdown, "z");
  postbag_markdown_end_table (markdown);
}

static void
test_nested (void)
{
  g_autoptr (ExtractResult) result = run (write_nested);

  assert_text (result, "| outer x y  z |\n| --- |");
}

static void
write_long_cell (PostbagMarkdown *markdown)
{
  g_autofree char *words = g_strnfill (POSTBAG_LIMIT_CELL_CHARS + 1, 'x');

  postbag_markdown_begin_table (markdown);
  write_cells (markdown, (const char *const[]){ words, "y", NULL });
  g_assert_cmpuint (postbag_markdown_get_cut_cells (markdown), ==, 1);
}

static void
test_long_cell (void)
{
  g_autoptr (ExtractResult) result = run (write_long_cell);

  g_assert_cmpuint (strlen (result->text), ==,
                    strlen ("| ") + POSTBAG_LIMIT_CELL_CHARS + strlen (" | y |\n| --- | --- |"));
}

static void
write_much (PostbagMarkdown *markdown)
{
  g_autofree char *words = g_strnfill (300000, 'y');

  while (!postbag_markdown_is_full (markdown))
    text (markdown, words);
  postbag_markdown_begin_heading (markdown, 1);
  text (markdown, "dropped");
}

static void
test_full (void)
{
  PostbagExtractInput input = { .data = NULL, .content_type = "text/x-test" };
  g_autoptr (ExtractResult) result = NULL;

  current = write_much;
  result = extract_run_input (&writer, &input, 1000000);
  g_assert_cmpuint (strlen (result->text), >=, 1000000);
  g_assert_cmpuint (strlen (result->text), <, 1400000);
  assert_has_not (result, "dropped");
}

static void
write_blanks (PostbagMarkdown *markdown)
{
  g_autofree char *blanks = g_strnfill (1000000, '\n');

  text (markdown, blanks);
  text (markdown, "  x");
}

static void
test_blanks (void)
{
  g_autoptr (ExtractResult) result = run (write_blanks);

  assert_text (result, "  x");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/markdown/blocks", test_blocks);
  g_test_add_func ("/markdown/table", test_table);
  g_test_add_func ("/markdown/nested", test_nested);
  g_test_add_func ("/markdown/long-cell", test_long_cell);
  g_test_add_func ("/markdown/full", test_full);
  g_test_add_func ("/markdown/blanks", test_blanks);
  return g_test_run ();
}
