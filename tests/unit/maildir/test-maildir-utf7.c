/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-utf7.h"

#include <string.h>

/* Right values: RFC 3501 section 5.1.3 and Python's utf-7 codec. */
static void
test_decode (void)
{
  static const struct
  {
    const char *name;
    const char *expected;
  } cases[] = {
    { "INBOX", "INBOX" },
    { "", "" },
    { "Tom &- Jerry", "Tom & Jerry" },
    { "~peter/mail/&U,BTFw-/&ZeVnLIqe-",
      "~peter/mail/\xe5\x8f\xb0\xe5\x8c\x97/\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e" },
    { "Entw&APw-rfe", "Entw\xc3\xbcrfe" },
    { "&2D3eAA-", "\xf0\x9f\x98\x80" },
    { "&AOk", NULL },        /* no end */
    { "&", NULL },           /* nothing */
    { "&AGE-", NULL },       /* a letter that needs no shift */
    { "&AC8-", NULL },       /* a slash in disguise */
    { "&AAA-", NULL },       /* NUL */
    { "&AAo-", NULL },       /* a line feed */
    { "&2D0-", NULL },       /* half a pair */
    { "&3gA-", NULL },       /* the other half */
    { "&2D0AYQ-", NULL },    /* half a pair, then a letter */
    { "&AOl-", NULL },       /* bits left over that are not 0 */
    { "&AOkA-", NULL },      /* a sextet too many */
    { "caf\xc3\xa9", NULL }, /* UTF-8 */
    { "a\tb", NULL },        /* a control character */
    { "&AO/-", NULL },       /* base64's slash is a comma here */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = postbag_maildir_utf7_decode (cases[i].name, strlen (cases[i].name));

      g_test_message ("%s", cases[i].name);
      g_assert_cmpstr (text, ==, cases[i].expected);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/maildir/utf7/decode", test_decode);
  return g_test_run ();
}
