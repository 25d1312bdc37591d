/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/postbag-result-private.h"

#include <string.h>

#include "base/postbag-limits.h"

static void
assert_bytes (GBytes *bytes, const char *expected)
{
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);

  g_assert_cmpmem (text, (gint)length, expected, (gint)strlen (expected));
}

static void
test_members (void)
{
  g_autoptr (PostbagResult) result = postbag_result_new (POSTBAG_LIMIT_RESULT_CHARS);
  g_autoptr (GBytes) data = g_bytes_new_static ("foob", 4);
  static const char *const flags[] = { "\\Seen", "é", NULL };

  postbag_result_string (result, "mailbox", "INBOX");
  postbag_result_string (result, "from", NULL);
  postbag_result_int (result, "uid", 7);
  postbag_result_double (result, "score", 0.5);
  postbag_result_boolean (result, "seen", FALSE);
  postbag_result_null (result, "next");
  postbag_result_strings (result, "flags", flags);
  postbag_result_strings (result, "none", NULL);
  postbag_result_base64 (result, "data", data);
  postbag_result_begin_object (result, "inner");
  postbag_result_begin_array (result, "list");
  postbag_result_int (result, NULL, 1);
  postbag_result_end_array (result);
  postbag_result_end_object (result);
  assert_bytes (postbag_result_get_structured (result),
                "{\"mailbox\":\"INBOX\",\"from\":null,\"uid\":7,\"score\":0.5,\"seen\":false,"
                "\"next\":null,\"flags\":[\"\\\\Seen\",\"é\"],\"none\":[],\"data\":\"Zm9vYg==\","
                "\"inner\":{\"list\":[1]}}");
  g_assert_null (postbag_result_get_text (result));
  g_assert_null (postbag_result_get_meta (result));
  g_assert_cmpuint (postbag_result_get_n_blocks (result), ==, 0);
}

/* Entries of 10 characters, {"s":"éé"}, and a comma between: of 100 a quarter is kept for the
 * members behind, `{"list":[` takes 9, so that 6 entries fit: 9 + 6 * 10 + 5 = 74. */
static void
test_budget (void)
{
  g_autoptr (PostbagResult) result = postbag_result_new (100);
  guint returned = 0;

  postbag_result_begin_array (result, "list");
  g_assert_cmpuint (postbag_result_get_remaining (result), ==, 66);
  for (;;)
    {
      postbag_result_begin_item (result);
      postbag_result_string (result, "s", "éé");
      if (!postbag_result_end_item (result))
        break;
      returned++;
    }
  g_assert_cmpuint (returned, ==, 6);
  g_assert_cmpuint (postbag_result_get_remaining (result), ==, 1);
  postbag_result_end_array (result);
  postbag_result_int (result, "returned", returned);
  assert_bytes (postbag_result_get_structured (result),
                "{\"list\":[{\"s\":\"éé\"},{\"s\":\"éé\"},{\"s\":\"éé\"},{\"s\":\"éé\"},"
                "{\"s\":\"éé\"},{\"s\":\"éé\"}],\"returned\":6}");
}

/* The first entry is already too large; the array stays empty and usable. */
static void
test_first_item_too_large (void)
{
  g_autoptr (PostbagResult) result = postbag_result_new (40);

  postbag_result_begin_array (result, "list");
  postbag_result_begin_item (result);
  postbag_result_string (result, "s", "0123456789012345678901234567890123456789");
  g_assert_false (postbag_result_end_item (result));
  postbag_result_begin_item (result);
  postbag_result_int (result, "n", 1);
  g_assert_true (postbag_result_end_item (result));
  postbag_result_end_array (result);
  assert_bytes (postbag_result_get_structured (result), "{\"list\":[{\"n\":1}]}");
}

/* An entry inside an entry: only the inner one is taken back. */
static void
test_nested_items (void)
{
  g_autoptr (PostbagResult) result = postbag_result_new (60);

  postbag_result_begin_array (result, "a");
  postbag_result_begin_item (result);
  postbag_result_begin_array (result, "b");
  postbag_result_begin_item (result);
  postbag_result_string (result, "s", "0123456789012345678901234567890123456789");
  g_assert_false (postbag_result_end_item (result));
  postbag_result_end_array (result);
  g_assert_true (postbag_result_end_item (result));
  postbag_result_end_array (result);
  assert_bytes (postbag_result_get_structured (result), "{\"a\":[{\"b\":[]}]}");
}

static void
test_reserve (void)
{
  g_autoptr (PostbagResult) result = postbag_result_new (POSTBAG_LIMIT_RESULT_CHARS);

  g_assert_cmpuint (postbag_result_get_remaining (result), ==,
                    POSTBAG_LIMIT_RESULT_CHARS - POSTBAG_LIMIT_RESULT_RESERVE_CHARS - 1);
}

static void
test_other_blocks (void)
{
  g_autoptr (PostbagResult) result = postbag_result_new (1000);
  g_autoptr (GBytes) image = g_bytes_new_static ("\211PNG", 4);
  JsonObject *meta;

  postbag_result_take_text (result, g_strdup ("first"));
  postbag_result_take_text (result, g_strdup ("laid out"));
  postbag_result_add_image (result, image, "image/png");
  postbag_result_meta_string (result, "warnings", "a,b");
  postbag_result_meta_string (result, "untrusted", "\"x\"");
  g_assert_cmpstr (postbag_result_get_text (result), ==, "laid out");
  g_assert_cmpuint (postbag_result_get_n_blocks (result), ==, 1);
  g_assert_cmpstr (postbag_result_get_block (result, 0)->mime_type, ==, "image/png");
  g_assert_true (g_bytes_equal (postbag_result_get_block (result, 0)->data, image));
  meta = postbag_result_get_meta (result);
  g_assert_cmpuint (json_object_get_size (meta), ==, 2);
  g_assert_cmpstr (json_object_get_string_member (meta, "postbag/warnings"), ==, "a,b");
  g_assert_cmpstr (json_object_get_string_member (meta, "postbag/untrusted"), ==, "\"x\"");
  assert_bytes (postbag_result_get_structured (result), "{}");
}

/* A handler that fails half way leaves containers open: what it wrote is still one value. */
static void
test_left_open (void)
{
  g_autoptr (PostbagResult) result = postbag_result_new (1000);

  postbag_result_begin_array (result, "a");
  postbag_result_begin_item (result);
  postbag_result_int (result, "n", 1);
  assert_bytes (postbag_result_get_structured (result), "{\"a\":[{\"n\":1}]}");
  assert_bytes (postbag_result_get_structured (result), "{\"a\":[{\"n\":1}]}");
}

/* A block with a budget of its own: the entry that ends past it is taken back, then the whole
 * budget counts again. */
static void
test_item_limit (void)
{
  g_autoptr (PostbagResult) result = postbag_result_new (1000);

  postbag_result_set_item_limit (result, strlen ("{\"a\":[{\"n\":1}"));
  postbag_result_begin_array (result, "a");
  postbag_result_begin_item (result);
  postbag_result_int (result, "n", 1);
  g_assert_true (postbag_result_end_item (result));
  postbag_result_begin_item (result);
  postbag_result_int (result, "n", 2);
  g_assert_false (postbag_result_end_item (result));
  postbag_result_set_item_limit (result, 0);
  postbag_result_begin_item (result);
  postbag_result_int (result, "n", 3);
  g_assert_true (postbag_result_end_item (result));
  assert_bytes (postbag_result_get_structured (result), "{\"a\":[{\"n\":1},{\"n\":3}]}");
}

static void
test_copy (void)
{
  g_autoptr (PostbagResult) result = postbag_result_new (1000);
  g_autofree char *copy = NULL;

  postbag_result_int (result, "n", 1);
  copy = postbag_result_dup_json (result);
  g_assert_cmpstr (copy, ==, "{\"n\":1}");
  postbag_result_int (result, "m", 2);
  assert_bytes (postbag_result_get_structured (result), "{\"n\":1,\"m\":2}");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/result/members", test_members);
  g_test_add_func ("/result/budget", test_budget);
  g_test_add_func ("/result/first-item-too-large", test_first_item_too_large);
  g_test_add_func ("/result/nested-items", test_nested_items);
  g_test_add_func ("/result/reserve", test_reserve);
  g_test_add_func ("/result/other-blocks", test_other_blocks);
  g_test_add_func ("/result/left-open", test_left_open);
  g_test_add_func ("/result/item-limit", test_item_limit);
  g_test_add_func ("/result/copy", test_copy);
  return g_test_run ();
}
