/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mime/postbag-mime-private.h"

#include <string.h>

/* (transfer full): "name|address" lines */
static char *
parse (const char *raw, gsize length)
{
  g_autoptr (GPtrArray) addresses =
      g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_address_free);
  GString *out = g_string_new (NULL);

  postbag_address_parse ((PostbagSlice){ raw, length }, NULL, addresses, NULL);
  for (guint i = 0; i < addresses->len; i++)
    {
      const PostbagAddress *address = g_ptr_array_index (addresses, i);

      g_string_append_printf (out, "%s%s|%s", i > 0 ? "\n" : "",
                              address->name != NULL ? address->name : "", address->address);
    }
  return g_string_free (out, FALSE);
}

static void
check (const char *raw, const char *expected)
{
  g_autofree char *parsed = parse (raw, strlen (raw));

  g_assert_cmpstr (parsed, ==, expected);
}

/* RFC 5322 appendix A.1 and A.6 */
static void
test_rfc_examples (void)
{
  check ("John Doe <jdoe@machine.example>", "John Doe|jdoe@machine.example");
  check ("\"Joe Q. Public\" <john.q.public@example.com>",
         "Joe Q. Public|john.q.public@example.com");
  check ("Mary Smith <mary@x.test>, jdoe@example.org, Who? <one@y.test>",
         "Mary Smith|mary@x.test\n|jdoe@example.org\nWho?|one@y.test");
  check ("<boss@nil.test>, \"Giant; \\\"Big\\\" Box\" <sysservices@example.net>",
         "|boss@nil.test\nGiant; \"Big\" Box|sysservices@example.net");
  check ("A Group:Ed Jones <c@a.test>,joe@where.test,John <jdoe@one.test>;",
         "Ed Jones|c@a.test\n|joe@where.test\nJohn|jdoe@one.test");
  check ("Undisclosed recipients:;", "");
  check ("Pete(A nice \\) chap) <pete(his account)@silly.test(his host)>", "Pete|pete@silly.test");
  check ("A Group(Some people)\r\n :Chris Jones <c@(Chris's host.)public.example>,\r\n"
         " joe@example.org,\r\n John <jdoe@one.test> (my dear friend); (the end of the group)",
         "Chris Jones|c@public.example\n|joe@example.org\nJohn|jdoe@one.test");
  check ("Joe Q. Public <john.q.public@example.com>", "Joe Q. Public|john.q.public@example.com");
  check ("Mary Smith <@node.test:mary@example.net>, , jdoe@test . example",
         "Mary Smith|mary@example.net\n|jdoe@test.example");
  check ("John Doe <jdoe@machine(comment).  example>", "John Doe|jdoe@machine.example");
}

static void
test_names (void)
{
  check ("=?iso-8859-1?Q?Wei=DF=2C_Anna_=3Cboss=40corp.test=3E?= <anna@example.de>",
         "Weiß, Anna <boss@corp.test>|anna@example.de");
  check ("=?utf-8?Q?Wei=C3=9F, Anna?= <anna@example.de>", "Weiß, Anna|anna@example.de");
  check ("\"=?utf-8?Q?Wei=C3=9F?=\" <anna@example.de>", "Weiß|anna@example.de");
  check ("Dr. J. O'Neil <oneil@example.ie>", "Dr. J. O'Neil|oneil@example.ie");
  check ("ops@example.org (Ops (night, shift) team), Lee <@a.test,@b.test:lee@example.org>",
         "Ops (night, shift) team|ops@example.org\nLee|lee@example.org");
  check ("Gr\xfc\xdf <a@b.test>", "Grüß|a@b.test");
  check ("  Nora \r\n\t Field  <nora@example.org>  ", "Nora Field|nora@example.org");
  check ("\"\" <a@b.test>", "|a@b.test");
}

/* Hardening V5, V6 and appendix B */
static void
test_v5_ambiguous (void)
{
  check ("<boss@corp.test><x@evil.test>", "|boss@corp.test\n|x@evil.test");
  check ("\"boss@corp.test\" <x@evil.test>", "boss@corp.test|x@evil.test");
  check ("boss@corp.test (real) <x@evil.test>", "boss@corp.test|x@evil.test");
  check ("<@evil.test:boss@corp.test>", "|boss@corp.test");
  check ("\"a\r\n b\"@evil.test", "|\"a b\"@evil.test");
  check ("<a\x01\x7f\rb@evil.test>", "|ab@evil.test");
  check ("Boss a\x01@corp\x02.test x", "Boss x|a@corp.test");
  check ("a@b.test; c@d.test", "|a@b.test\n|c@d.test");
  check ("root", "|root");
  check ("some words only", "some words only|");
  check ("\"john doe\"@example.org", "|\"john doe\"@example.org");
  check ("user@[192.0.2.1]", "|user@[192.0.2.1]");
  check ("user@[IPv6:2001:db8::1]", "|user@[IPv6:2001:db8::1]");
  check ("<unclosed@a.test, next@b.test", "|unclosed@a.test\n|next@b.test");
  check ("\"unclosed <a@b.test>", "unclosed <a@b.test>|");
  check ("", "");
  check (",,;;::<><>", "");
}

/* Hardening V4: nesting costs no stack and no more than linear time. */
static void
test_v4_nesting (void)
{
  static const char *const triggers[] = { "a:", "(",      "<",      "\"", "[",
                                          "@[", "a:b:<(", "=?a?Q?", ",",  ">" };
  static const gsize counts[] = { 1, 50, 4000, 50000, 1000000 };
  gint64 start = g_get_monotonic_time ();

  for (gsize i = 0; i < G_N_ELEMENTS (triggers); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (counts); j++)
      {
        g_autoptr (GString) raw = g_string_new (NULL);
        g_autofree char *parsed = NULL;

        for (gsize k = 0; k < counts[j]; k++)
          g_string_append (raw, triggers[i]);
        g_string_append (raw, "x@y.test");
        parsed = parse (raw->str, raw->len);
        if (i == 0 && j < 3)
          g_assert_cmpstr (parsed, ==, "|x@y.test");
      }
  g_assert_cmpint (g_get_monotonic_time () - start, <, 20 * G_USEC_PER_SEC);
}

static void
test_bound (void)
{
  g_autoptr (GPtrArray) addresses =
      g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_address_free);
  g_autoptr (GString) raw = g_string_new (NULL);

  for (guint i = 0; i < 5000; i++)
    g_string_append (raw, "a@b.c,");
  postbag_address_parse ((PostbagSlice){ raw->str, raw->len }, NULL, addresses, NULL);
  g_assert_cmpuint (addresses->len, ==, 2000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/address-parser/rfc-examples", test_rfc_examples);
  g_test_add_func ("/address-parser/names", test_names);
  g_test_add_func ("/address-parser/v5-ambiguous", test_v5_ambiguous);
  g_test_add_func ("/address-parser/v4-nesting", test_v4_nesting);
  g_test_add_func ("/address-parser/bound", test_bound);
  return g_test_run ();
}
