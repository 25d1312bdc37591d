/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-flags.h"

#include "scratch.h"

#include <string.h>

static void
test_parse_name (void)
{
  static const struct
  {
    const char *name;
    const char *base;
    PostbagFlags flags;
    guint32 keywords;
  } cases[] = {
    { "1.a.h", "1.a.h", 0, 0 },
    { "1.a.h:2,", "1.a.h", 0, 0 },
    { "1.a.h:2,FS", "1.a.h", POSTBAG_FLAG_FLAGGED | POSTBAG_FLAG_SEEN, 0 },
    { "1.a.h:2,DFPRST", "1.a.h",
      POSTBAG_FLAG_DRAFT | POSTBAG_FLAG_FLAGGED | POSTBAG_FLAG_FORWARDED | POSTBAG_FLAG_ANSWERED
          | POSTBAG_FLAG_SEEN | POSTBAG_FLAG_DELETED,
      0 },
    { "1.a.h:2,Sacz", "1.a.h", POSTBAG_FLAG_SEEN, 1u | 4u | (1u << 25) },
    { "1.a.h!2,S", "1.a.h", POSTBAG_FLAG_SEEN, 0 },
    { "1.a.h;2,S", "1.a.h", POSTBAG_FLAG_SEEN, 0 },
    { "1.a!b;c.h", "1.a!b;c.h", 0, 0 },
    { "1.a!2,x.h:2,S", "1.a!2,x.h", POSTBAG_FLAG_SEEN, 0 },
    { "1.a.h:1,Sx", "1.a.h", 0, 0 },
    { "1.a.h:2,S,anything:T", "1.a.h", POSTBAG_FLAG_SEEN, 0 },
    { "1.a.h,S=1234,W=1250:2,S", "1.a.h,S=1234,W=1250", POSTBAG_FLAG_SEEN, 0 },
    { "1.a.h:2,SQX?*", "1.a.h", POSTBAG_FLAG_SEEN, 0 },
    { ":2,S", "", POSTBAG_FLAG_SEEN, 0 },
    { ":", "", 0, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      PostbagMaildirName parsed = postbag_maildir_parse_name (cases[i].name);

      g_test_message ("%s", cases[i].name);
      g_assert_cmpuint (parsed.base_length, ==, strlen (cases[i].base));
      g_assert_cmpuint (parsed.flags, ==, cases[i].flags);
      g_assert_cmpuint (parsed.keywords, ==, cases[i].keywords);
    }
}

static void
test_delivery_time (void)
{
  static const struct
  {
    const char *base;
    gint64 expected;
  } cases[] = {
    { "1204680122.27c448.host", G_GINT64_CONSTANT (1204680122000000) },
    { "1204680122.M000123P5Q1.host", G_GINT64_CONSTANT (1204680122000123) },
    { "1204680122.M20046P2137V0000000000000803I0000000000C7A7D0_0.mail",
      G_GINT64_CONSTANT (1204680122020046) },
    { "1204680122_0.1234.host", G_GINT64_CONSTANT (1204680122000000) },
    { "1204680122.Mx", G_GINT64_CONSTANT (1204680122000000) },
    { "1204680122", -1 },
    { "message", -1 },
    { "", -1 },
    { "99999999999999999999.x", -1 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (postbag_maildir_get_delivery_time (cases[i].base, strlen (cases[i].base)), ==,
                     cases[i].expected);
}

static void
test_stem (void)
{
  g_assert_cmpuint (postbag_maildir_get_stem_length ("1.a.h,U=5", 9), ==, 5);
  g_assert_cmpuint (postbag_maildir_get_stem_length ("1.a.h", 5), ==, 5);
  g_assert_cmpuint (postbag_maildir_get_stem_length ("1.a.h,U=", 8), ==, 8);
  g_assert_cmpuint (postbag_maildir_get_stem_length ("1.h,U=5,FMD5=ab", 15), ==, 15);
}

static void
test_keywords (void)
{
  g_autoptr (Scratch) scratch = scratch_new ();
  static const char *const expected[] = { "Work", "caf\xc3\xa9", NULL };
  int folder = open (scratch->mail, O_RDONLY | O_DIRECTORY);
  char **names = postbag_maildir_read_keywords (folder);
  g_auto (GStrv) none = postbag_maildir_name_keywords (G_MAXUINT32, names);
  g_auto (GStrv) some = NULL;

  g_assert_cmpuint (g_strv_length (none), ==, 0);
  postbag_maildir_free_keywords (names);
  put (scratch, ".", "dovecot-keywords",
       "0 Work\n1 $Label1\n0 Again\n26 TooFar\n-1 Less\nx Letter\n3\n25 caf\xc3\xa9\n");
  names = postbag_maildir_read_keywords (folder);
  some = postbag_maildir_name_keywords (1u | (1u << 3) | (1u << 25), names);
  g_assert_cmpstrv (some, expected);
  postbag_maildir_free_keywords (names);
  close (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/maildir/flags/parse-name", test_parse_name);
  g_test_add_func ("/maildir/flags/delivery-time", test_delivery_time);
  g_test_add_func ("/maildir/flags/stem", test_stem);
  g_test_add_func ("/maildir/flags/keywords", test_keywords);
  return g_test_run ();
}
