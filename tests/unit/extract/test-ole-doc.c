/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Word documents before 2007: formats and lists, structure by structure ([MS-DOC]), and documents
 * of LibreOffice. */

#include <string.h>

#include "base/postbag-limits.h"
#include "ole-fixture.h"
#include "postbag-doc-formats.h"
#include "postbag-doc-lists.h"
#include "postbag-ole-extractor.h"

#define DOC "application/msword"

static ExtractResult *
read_corpus (const char *name)
{
  g_autofree char *path = g_strconcat ("tests/corpus/documents/", name, ".doc", NULL);

  return extract_run_file (&postbag_ole_extractor, DOC, path);
}

/* What was deleted while changes were tracked is not there; what was inserted is. */
static void
test_tracked (void)
{
  g_autoptr (ExtractResult) result = read_corpus ("tracked");

  assert_has (result, "The price is eight hundred crowns.\n\nFirst half");
  assert_has_not (result, "seven");
  assert_has_not (result, "gone");
}

static void
test_hidden (void)
{
  g_autoptr (ExtractResult) result = read_corpus ("hiddentext");

  assert_text (result, "Seen before and after.\n\nWhite words stand here.\n\nDust: tiny words.\n\n"
                       "Plain end.");
  g_assert_cmpint (extract_result_get_count (result, "hidden_runs"), ==, 3);
  g_assert_nonnull (strstr (result->notes, "hidden was left out"));
  g_assert_nonnull (strstr (result->notes, "white or too small"));
}

static void
test_numbered (void)
{
  g_autoptr (ExtractResult) result = read_corpus ("numbered");

  assert_has (result, "1. first\n2. second\n  a) inner\n  b) deeper\n    i. deepest\n"
                      "    ii. again\n3. third");
  assert_has (result, "1. Scope\n  1.1. Terms\n  1.2. Words\n2. Duties\n  2.1. Ours\n  2.2. Yours");
  assert_has (result, "(IV) four\n(V) five\n(VI) six");
}

static void
test_shapes (void)
{
  g_autoptr (ExtractResult) grid = read_corpus ("grid"), scripts = read_corpus ("scripts");
  g_autoptr (ExtractResult) headings = read_corpus ("headings");

  assert_has (grid, "| | left | right |\n| --- | --- | --- |\n| top | two paragraphs |\n"
                    "| | | corner |\n\nAfter it");
  assert_has (scripts, "A link (https://example.org/a) and text.");
  assert_has (headings, "# Overview\n\nThe board met in Zürich on 5 March.\n\n## Figures\n\n");
}

/* --- changes --- */

static void
test_changes (void)
{
  /* tabs and a table with lengths of their own in front of what counts */
  static const guint8 paragraph[] = { 0x15, 0xc6, 2,    9,    9,    0x08, 0xd6, 4,    0,
                                      1,    2,    3,    0x0b, 0x46, 7,    0,    0x0a, 0x26,
                                      2,    0x16, 0x24, 1,    0x40, 0x26, 1 };
  static const guint8 characters[] = { 0x00, 0x08, 1, 0x3c, 0x08, 0x81, 0x43, 0x4a, 4, 0 };
  static const guint8 endless[] = { 0x15, 0xc6, 255, 0x00, 0x08, 1 };
  PostbagDocParagraph one = { .list = -1, .level = -1 };
  PostbagDocCharacters other = { 0 }, none = { 0 };

  postbag_doc_change_paragraph (&one, &(PostbagOleBytes){ paragraph, sizeof paragraph });
  g_assert_cmpint (one.list, ==, 7);
  g_assert_cmpint (one.level, ==, 2);
  g_assert_true (one.in_table);
  g_assert_cmpuint (one.heading, ==, 2);
  postbag_doc_change_characters (&other, &(PostbagOleBytes){ characters, sizeof characters }, TRUE);
  g_assert_true (other.is_deleted && !other.is_hidden && other.is_unseen);
  postbag_doc_change_characters (&none, &(PostbagOleBytes){ endless, sizeof endless }, FALSE);
  g_assert_false (none.is_deleted);
}

/* --- styles --- */

/* @parent: 0xfff for none. @change: of characters, a code and a byte */
static void
append_style (GByteArray *sheet, guint number, guint parent, guint change)
{
  guint at = sheet->len;

  ole_append (sheet, 0, 2);
  ole_append (sheet, number, 2);
  ole_append (sheet, 1 | parent << 4, 2);
  ole_append (sheet, 2, 2);
  ole_append (sheet, 0, 4);
  ole_append (sheet, 1, 2); /* the name */
  ole_append (sheet, 'S', 2);
  ole_append (sheet, 0, 2);
  ole_append (sheet, 2, 2); /* of paragraphs: only its number */
  ole_append (sheet, 0, 2);
  ole_append (sheet, change != 0 ? 3 : 0, 2);
  if (change != 0)
    ole_append (sheet, change, 4);
  sheet->data[at] = (guint8)(sheet->len - at - 2);
}

static void
test_styles (void)
{
  g_autoptr (GByteArray) sheet = g_byte_array_new ();
  g_autoptr (GArray) styles = NULL;
  const PostbagDocStyle *all;

  ole_append (sheet, 18, 2);
  ole_append (sheet, 4, 2); /* styles */
  ole_append (sheet, 10, 2);
  for (guint i = 0; i < 14; i++)
    ole_append (sheet, 0, 1);
  append_style (sheet, 2, 0xfff, 0);        /* the second heading */
  append_style (sheet, 0xffe, 0, 0x01083c); /* hidden, based on it */
  append_style (sheet, 0xffe, 1, 0);        /* based on that */
  append_style (sheet, 0xffe, 3, 0);        /* based on itself */
  styles = postbag_doc_read_styles (&(PostbagOleBytes){ sheet->data, sheet->len });
  g_assert_cmpuint (styles->len, ==, 4);
  all = (const PostbagDocStyle *)(gpointer)styles->data;
  g_assert_cmpuint (all[0].paragraph.heading, ==, 2);
  g_assert_false (all[0].characters.is_hidden);
  g_assert_true (all[1].characters.is_hidden && all[2].characters.is_hidden);
  g_assert_cmpuint (all[2].paragraph.heading, ==, 2);
  g_assert_cmpuint (all[3].paragraph.heading, ==, 0);
}

/* --- lists --- */

/* @count definitions of one level ("%1)"), and as many overrides, the last of which begins at 7. */
static PostbagDocLists *
make_lists (guint count)
{
  g_autoptr (GByteArray) lists = g_byte_array_new (), overrides = g_byte_array_new ();
  gsize length;

  ole_append (lists, count, 2);
  for (guint i = 0; i < count; i++)
    {
      ole_append (lists, i + 100, 4);
      for (guint j = 0; j < 22; j++)
        ole_append (lists, 0, 1);
      ole_append (lists, 1, 2);
    }
  length = lists->len;
  for (guint i = 0; i < count; i++)
    {
      ole_append (lists, 1, 4);
      for (guint j = 0; j < 24; j++)
        ole_append (lists, 0, 1);
      ole_append (lists, 2, 2);
      ole_append (lists, 0, 2);
      ole_append (lists, ')', 2);
    }
  ole_append (overrides, count, 4);
  for (guint i = 0; i < count; i++)
    {
      ole_append (overrides, i + 100, 4);
      ole_append (overrides, 0, 8);
      ole_append (overrides, i + 1 == count, 4);
    }
  for (guint i = 0; i < count; i++)
    ole_append (overrides, 0, 4);
  ole_append (overrides, 7, 4);
  ole_append (overrides, 0x10, 4);
  return postbag_doc_lists_new (&(PostbagOleBytes){ lists->data, lists->len }, length,
                                &(PostbagOleBytes){ overrides->data, overrides->len });
}

static char *
count_item (PostbagDocLists *lists, gint list)
{
  gboolean is_bullet;

  return postbag_doc_lists_count (lists, list, 0, &is_bullet);
}

static void
test_lists (void)
{
  g_autoptr (PostbagDocLists) lists = make_lists (2);
  g_autofree char *one = count_item (lists, 1), *two = count_item (lists, 1);
  g_autofree char *seven = count_item (lists, 2), *none = count_item (lists, 0);
  g_autofree char *unknown = count_item (lists, 3), *negative = count_item (lists, -1);

  g_assert_cmpstr (one, ==, "1)");
  g_assert_cmpstr (two, ==, "2)");
  g_assert_cmpstr (seven, ==, "7)");
  g_assert_null (none);
  g_assert_null (unknown);
  g_assert_null (negative);
}

static void
test_lists_limit (void)
{
  g_autoptr (PostbagDocLists) lists = make_lists (POSTBAG_LIMIT_DOC_LISTS + 1);
  g_autofree char *last = count_item (lists, POSTBAG_LIMIT_DOC_LISTS);
  g_autofree char *beyond = count_item (lists, POSTBAG_LIMIT_DOC_LISTS + 1);

  g_assert_cmpstr (last, ==, "1)");
  g_assert_null (beyond);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ole/doc/tracked", test_tracked);
  g_test_add_func ("/ole/doc/hidden", test_hidden);
  g_test_add_func ("/ole/doc/numbered", test_numbered);
  g_test_add_func ("/ole/doc/shapes", test_shapes);
  g_test_add_func ("/ole/doc/changes", test_changes);
  g_test_add_func ("/ole/doc/styles", test_styles);
  g_test_add_func ("/ole/doc/lists", test_lists);
  g_test_add_func ("/ole/doc/lists-limit", test_lists_limit);
  return g_test_run ();
}
