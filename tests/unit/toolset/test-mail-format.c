/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "toolset/postbag-mail-format.h"

#include <string.h>

#include "base/postbag-limits.h"

static void
assert_addresses (const char *name, const char *address, const char *expected)
{
  g_autoptr (GPtrArray) list =
      g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_address_free);
  g_autofree char *text = NULL;

  g_ptr_array_add (list, postbag_address_new (name, address));
  text = postbag_mail_format_addresses (list, "(nobody)");
  g_assert_cmpstr (text, ==, expected);
}

static void
test_addresses (void)
{
  assert_addresses ("Ada Lovelace", "ada@example.org", "Ada Lovelace <ada@example.org>");
  assert_addresses (NULL, "ada@example.org", "ada@example.org");
  assert_addresses ("", "ada@example.org", "ada@example.org");
  assert_addresses ("ADA@example.org", "ada@example.org", "ada@example.org");
  assert_addresses ("Lovelace, Ada", "ada@example.org", "\"Lovelace, Ada\" <ada@example.org>");
  assert_addresses ("Ada", "", "Ada");
  assert_addresses (NULL, "", "(nobody)");
  assert_addresses ("A\r\nB", "a@b.c", "A B <a@b.c>");
}

/* A display name that looks like an address must not read as the sender. */
static void
test_posing_name (void)
{
  assert_addresses ("boss@corp.example", "x@evil.example",
                    "\"boss@corp.example\" <x@evil.example>");
  assert_addresses ("Boss <boss@corp.example>, \"x", "x@evil.example",
                    "\"Boss <boss@corp.example>, \\\"x\" <x@evil.example>");
}

static void
test_many_addresses (void)
{
  g_autoptr (GPtrArray) list =
      g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_address_free);
  g_autofree char *name = g_strnfill (50000, 'n');
  g_autofree char *text = NULL, *two = NULL;

  g_ptr_array_add (list, postbag_address_new ("A", "a@b.c"));
  g_ptr_array_add (list, postbag_address_new (NULL, "d@e.f"));
  two = postbag_mail_format_addresses (list, "");
  g_assert_cmpstr (two, ==, "A <a@b.c>, d@e.f");

  for (guint i = 0; i < 2000; i++)
    g_ptr_array_add (list, postbag_address_new (name, "a@b.c"));
  text = postbag_mail_format_addresses (list, "");
  g_assert_cmpint (g_utf8_strlen (text, -1), <=, POSTBAG_LIMIT_ADDRESS_LIST_CHARS);
  g_assert_true (g_str_has_prefix (text, "A <a@b.c>, d@e.f, nnn"));
}

static void
assert_date (gint64 date, const char *expected)
{
  g_autofree char *text = postbag_date_to_string (date);

  g_assert_cmpstr (text, ==, expected);
}

/* Values from `date -u -d @N +%FT%TZ`. */
static void
test_dates (void)
{
  assert_date (0, "1970-01-01T00:00:00Z");
  assert_date (1788851100, "2026-09-08T07:05:00Z");
  assert_date (-1, "1969-12-31T23:59:59Z");
  assert_date (POSTBAG_DATE_UNKNOWN, NULL);
  assert_date (G_MAXINT64, NULL);
  assert_date (G_MININT64 + 1, NULL);
}

static void
test_subject (void)
{
  g_autofree char *none = postbag_mail_format_subject (NULL);
  g_autofree char *blank = postbag_mail_format_subject (" \t\u200b ");
  g_autofree char *huge = g_strnfill (1000000, 's');
  g_autofree char *cut = postbag_mail_format_subject (huge);

  g_assert_cmpstr (none, ==, "(no subject)");
  g_assert_cmpstr (blank, ==, "(no subject)");
  g_assert_cmpint (g_utf8_strlen (cut, -1), ==, POSTBAG_LIMIT_SUBJECT_CHARS);
}

static void
test_flags (void)
{
  g_autofree char *huge = g_strnfill (100000, 'k');
  char *keywords[201] = { NULL };
  g_auto (GStrv) flags = NULL;

  keywords[0] = (char *)"a\rb\ac";
  keywords[1] = (char *)"\x01\x02";
  for (guint i = 2; i < 200; i++)
    keywords[i] = huge;
  flags = postbag_mail_format_flags (POSTBAG_FLAG_SEEN, (const char *const *)keywords);
  g_assert_cmpuint (g_strv_length (flags), ==, POSTBAG_LIMIT_FLAGS_SHOWN);
  g_assert_cmpstr (flags[0], ==, "\\Seen");
  g_assert_null (strpbrk (flags[1], "\r\a"));
  for (guint i = 0; flags[i] != NULL; i++)
    {
      g_assert_cmpint (g_utf8_strlen (flags[i], -1), <, 100);
      g_assert_cmpint (*flags[i], !=, '\0');
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mail-format/addresses", test_addresses);
  g_test_add_func ("/mail-format/posing-name", test_posing_name);
  g_test_add_func ("/mail-format/many-addresses", test_many_addresses);
  g_test_add_func ("/mail-format/dates", test_dates);
  g_test_add_func ("/mail-format/subject", test_subject);
  g_test_add_func ("/mail-format/flags", test_flags);
  return g_test_run ();
}
