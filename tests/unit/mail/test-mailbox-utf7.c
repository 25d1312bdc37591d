/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mail/postbag-mailbox-utf7.h"

#include <string.h>

/* The second and third from RFC 3501 section 5.1.3, the rest by hand with iconv's UTF-16BE and
 * Python's utf-7 codec. */
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
  { "Tom & Jerry", "Tom &- Jerry" },
  { "&&", "&-&-" },
  { "\xf0\x9f\x93\xa7", "&2D3c5w-" },
  { "\xf0\x9f\x98\x80", "&2D3eAA-" },
  { "a\tb", "a&AAk-b" },
  { "a\n\xc2\x85", "a&AAoAhQ-" },
  { "", "" },
};

static void
test_both_ways (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *raw = postbag_mailbox_utf7_encode (names[i].name);
      g_autofree char *name = postbag_mailbox_utf7_decode (names[i].raw, -1);

      g_assert_cmpstr (raw, ==, names[i].raw);
      g_assert_cmpstr (name, ==, names[i].name);
    }
}

/* What follows the given bytes is never looked at. */
static void
test_length (void)
{
  static const char raw[] = "R&-D&APw-";
  static const char *const expected[] = { "",   "R",  NULL, "R&", "R&D",
                                          NULL, NULL, NULL, NULL, "R&D\xc3\xbc" };

  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_autofree char *exact = g_memdup2 (raw, MAX (i, 1)); /* the sanitizer guards its end */
      g_autofree char *name = postbag_mailbox_utf7_decode (exact, (gssize)i);

      g_assert_cmpstr (name, ==, expected[i]);
    }
}

static void
test_refused (void)
{
  static const char *const bad[] = {
    "a&b",         "&",        "&AAk",   "&A-",
    "&AA-",        "&AOk",               /* no end, no unit, too few bits */
    "&AGE-",       "&AC8-",              /* a letter, a slash: ASCII stands for itself */
    "&AAA-",                             /* U+0000 */
    "&2D0-",       "&3Oc-",    "&3gA-",  /* half a surrogate pair */
    "&2D3YPQ-",    "&2D0AYQ-",           /* half a pair, then a letter */
    "&AAl-",       "&AOl-",    "&AOkA-", /* bits left over that are not 0, a sextet too many */
    "&AP/8-",      "&AO/-",              /* base64's slash is a comma here */
    "caf\xc3\xa9", "\xff",     "a\tb",   "a\x7f", /* bytes that have to be shifted */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *name = postbag_mailbox_utf7_decode (bad[i], -1);

      g_test_message ("%" G_GSIZE_FORMAT, i);
      g_assert_null (name);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mail/mailbox-utf7/both-ways", test_both_ways);
  g_test_add_func ("/mail/mailbox-utf7/length", test_length);
  g_test_add_func ("/mail/mailbox-utf7/refused", test_refused);
  return g_test_run ();
}
