/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mime/postbag-mime-private.h"

/* The numbers are `date -u -d ... +%s`. */
static void
test_dates (void)
{
  static const struct
  {
    const char *text;
    gint64 expected;
  } cases[] = {
    { "Fri, 21 Nov 1997 09:55:06 -0600", 880127706 },                 /* RFC 5322 A.1.1 */
    { "Tue, 1 Jul 2003 10:52:37 +0200", 1057049557 },                 /* A.1.2 */
    { "21 Nov 97 09:55:06 GMT", 880106106 },                          /* A.6.2 */
    { "Fri, 21 Nov 1997 09(comment):   55  :  06 -0600", 880127706 }, /* A.6.3 */
    { "Thu,\r\n      13\r\n        Feb\r\n          1969\r\n      23:32\r\n               -0330 "
      "(Newfoundland Time)",
      -27723480 }, /* A.5 */
    { "Wed, 14 Feb 2024 08:15:42 +0100 (GMT+01:00)", 1707894942 },
    { "Tue, 05 Mar 2024 09:30:00 +0000", 1709631000 },
    { "Tue, 5 Mar 2024 09:30:00 Z", 1709631000 },
    { "Tue, 5 Mar 2024 09:30:00", 1709631000 },
    { "Tue, 5 Mar 2024 09:30 EST", 1709649000 },
    { "Tue, 5 Mar 2024 09:30:00 PDT", 1709656200 },
    { "Tue, 5 Mar 2024 09:30:00 GMT+0100", 1709627400 },
    { "Tue, 5 Mar 2024 09:30:00 +01:00", 1709627400 },
    { "Tue, 5 Mar 2024 09:30:00 -0000", 1709631000 },
    { "Tue, 5 Mar 2024 09:30:00 A", 1709631000 },
    { "Tue Mar  5 09:30:00 2024", 1709631000 },
    { "Tue Mar  5 09:30:00 CET 2024", 1709627400 },
    { "5-Mar-2024 09:30:00 +0000", 1709631000 },
    { "2024-03-05T09:30:00Z", 1709631000 },
    { "2024-03-05 09:30:00+01:00", 1709627400 },
    { "Tue, 5 Mar 2024 09:30:00 PM", 1709674200 },
    { "29 Feb 2024 00:00:00 +0000", 1709164800 },
    { "31 Dec 2016 23:59:60 +0000", 1483228799 },
    { "5 Mar 124 09:30:00 +0000", 1709631000 }, /* 1900 + 124: a year of three digits */
    { "29 Feb 2023 00:00:00 +0000", G_MININT64 },
    { "31 Apr 2024 00:00:00 +0000", G_MININT64 },
    { "5 Mar 2024 24:30:00 +0000", G_MININT64 },
    { "5 Mar 2024 09:60:00 +0000", G_MININT64 },
    { "5 Mar 0100 09:30:00 +0000", G_MININT64 },
    { "sometime last week, half past nine", G_MININT64 },
    { "5 Mar 2024", G_MININT64 },
    { "09:30:00", G_MININT64 },
    { "99999999999999999999 Mar 2024 09:30:00", G_MININT64 },
    { "", G_MININT64 },
    { "((((((((", G_MININT64 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      if (postbag_date_parse (cases[i].text) != cases[i].expected)
        g_test_message ("%s", cases[i].text);
      g_assert_cmpint (postbag_date_parse (cases[i].text), ==, cases[i].expected);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/date-parser/dates", test_dates);
  return g_test_run ();
}
