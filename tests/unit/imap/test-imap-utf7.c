/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-utf7.h"

/* The second and third from RFC 3501 section 5.1.3, the rest by hand with iconv's UTF-16BE. */
static const struct
{
  const char *name;
  const char *raw;
} names[] = {
  { "INBOX", "INBOX" },
  { "~peter/mail/\xe5\x8f\xb0\xe5\x8c\x97/\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
    "~peter/mail/&U,BTFw-/&ZeVnLIqe-" },
  { "Hi Mom -\xe2\x98\xba-!", "Hi Mom -&Jjo--!" },
  { "Entw\xc3\xbcrfe", "Entw&APw-rfe" },
  { "R&D", "R&-D" },
  { "&&", "&-&-" },
  { "\xf0\x9f\x93\xa7", "&2D3c5w-" },
  { "a\tb", "a&AAk-b" },
  { "", "" },
};

static void
test_both_ways (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *raw = postbag_imap_utf7_encode (names[i].name);
      g_autofree char *name = postbag_imap_utf7_decode (names[i].raw);

      g_assert_cmpstr (raw, ==, names[i].raw);
      g_assert_cmpstr (name, ==, names[i].name);
    }
}

static void
test_refused (void)
{
  static const char *const bad[] = {
    "a&b",    "&",           "&AAk",     "&A-", "&AA-", /* no unit, too few bits */
    "&AAA-",                                            /* U+0000 */
    "&2D0-",  "&3Oc-",       "&2D3YPQ-",                /* half a surrogate pair */
    "&AAl-",                                            /* padding that is not zero */
    "&AP/8-", "caf\xc3\xa9", "\xff",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *name = postbag_imap_utf7_decode (bad[i]);

      g_assert_null (name);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/utf7/both-ways", test_both_ways);
  g_test_add_func ("/imap/utf7/refused", test_refused);
  return g_test_run ();
}
