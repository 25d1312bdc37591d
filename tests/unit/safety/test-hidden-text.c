/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tests/corpus/hidden-text.json: `hidden` is text that no person would see, and `shown` what looks
 * like it and must stay. Each has the HTML (`html`, then `repeat`, then `after`), the text that
 * comes out of it, cleaned, and the characters that are missing from it by the reason why. */

#include "safety/postbag-html.h"

#include <json-glib/json-glib.h>
#include <string.h>

#include "safety/postbag-clean.h"

static JsonParser *parser;

static char *
make_html (JsonObject *entry)
{
  GString *html = g_string_new (json_object_get_string_member (entry, "html"));

  if (json_object_has_member (entry, "repeat"))
    {
      JsonArray *repeat = json_object_get_array_member (entry, "repeat");

      for (gint64 i = json_array_get_int_element (repeat, 1); i > 0; i--)
        g_string_append (html, json_array_get_string_element (repeat, 0));
    }
  g_string_append (html, json_object_get_string_member_with_default (entry, "after", ""));
  return g_string_free (html, FALSE);
}

static void
check_reasons (JsonObject *expected, const PostbagHtmlReport *report)
{
  gint64 sum = 0;

  for (guint i = 0; i < report->hidden->len; i++)
    {
      const PostbagHiddenText *row = &g_array_index (report->hidden, PostbagHiddenText, i);

      g_test_message ("%s: %" G_GSIZE_FORMAT, row->reason, row->chars);
      g_assert_true (json_object_has_member (expected, row->reason));
      g_assert_cmpint ((gint64)row->chars, ==, json_object_get_int_member (expected, row->reason));
      sum += (gint64)row->chars;
    }
  g_assert_cmpuint (report->hidden->len, ==, json_object_get_size (expected));
  g_assert_cmpint ((gint64)report->hidden_chars, ==, sum);
}

static void
test_entry (gconstpointer data)
{
  JsonObject *entry = (JsonObject *)data;
  g_autofree char *html = make_html (entry);
  g_autoptr (PostbagHtmlReport) report = postbag_html_report_new ();
  g_autofree char *text = postbag_html_to_text (html, strlen (html), report);
  g_autofree char *clean = postbag_clean (text, POSTBAG_CLEAN_TEXT, G_MAXSIZE, NULL);

  g_assert_cmpstr (clean, ==, json_object_get_string_member (entry, "text"));
  check_reasons (json_object_get_object_member (entry, "reasons"), report);
  g_assert_cmpint (report->remote_styles, ==,
                   json_object_get_int_member_with_default (entry, "remote_styles", 0));
  g_assert_false (report->cut);
}

static void
add_entries (const char *member, guint least)
{
  JsonObject *root = json_node_get_object (json_parser_get_root (parser));
  JsonArray *list = json_object_get_array_member (root, member);

  g_assert_cmpuint (json_array_get_length (list), >=, least);
  for (guint i = 0; i < json_array_get_length (list); i++)
    {
      JsonObject *entry = json_array_get_object_element (list, i);
      g_autofree char *path = g_strdup_printf ("/hidden-text/%s/%s", member,
                                               json_object_get_string_member (entry, "id"));

      g_test_add_data_func (path, entry, test_entry);
    }
}

int
main (int argc, char **argv)
{
  g_autofree char *path = NULL;
  int result;

  g_test_init (&argc, &argv, NULL);
  path = g_test_build_filename (G_TEST_DIST, "corpus", "hidden-text.json", NULL);
  parser = json_parser_new ();
  g_assert_true (json_parser_load_from_file (parser, path, NULL));
  add_entries ("hidden", 60);
  add_entries ("shown", 20);
  result = g_test_run ();
  g_object_unref (parser);
  return result;
}
