/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mail/postbag-needle.h"

static void
test_text (void)
{
  static const struct
  {
    const char *needle, *text;
    gboolean found;
  } cases[] = {
    { "gr\xc3\x9cSSE",
      "Viele Gr\xc3\xbc\xc3\x9f"
      "e",
      TRUE },                                                 /* ß folds to ss */
    { "gru\xcc\x88\xc3\x9f", "GR\xc3\x9cSSE", TRUE },         /* composed alike */
    { "\xce\xa3\xce\x91", "\xcf\x83\xce\xb1\xcf\x82", TRUE }, /* Greek, final sigma behind */
    { "\xce\x9f\xce\xa3", "\xce\xbb\xcf\x8c\xce\xb3\xce\xbf\xcf\x82", TRUE },
    { "\xe4\xbc\x9a\xe8\xad\xb0", "\xe6\x9c\xac\xe6\x97\xa5\xe3\x81\xae\xe4\xbc\x9a\xe8\xad\xb0",
      TRUE },
    { "abc", "xABCx", TRUE },
    { "abc", "ab c", FALSE },
    { "caf\xc3\xa9", "cafe", FALSE },
    { "", "anything", TRUE },
    { "", NULL, FALSE },
    { "a", NULL, FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PostbagNeedle) needle = postbag_needle_new (cases[i].needle);

      g_test_message ("%s in %s", cases[i].needle, cases[i].text != NULL ? cases[i].text : "NULL");
      g_assert_cmpint (postbag_needle_is_in (needle, cases[i].text), ==, cases[i].found);
    }
  g_assert_null (postbag_needle_new (NULL));
}

static void
test_addresses (void)
{
  static const struct
  {
    const char *needle;
    gboolean found;
  } cases[] = {
    { "zo\xc3\xab", TRUE },
    { "zoe@EXAMPLE", TRUE },
    { "Wahl <zoe@example.org>", TRUE },
    { "example.org>, bob@", TRUE },
    { "wahl zoe", FALSE }, /* not across name and address */
    { "orgbob", FALSE },
  };
  g_autoptr (GPtrArray) addresses =
      g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_address_free);

  g_ptr_array_add (addresses, postbag_address_new ("Zo\xc3\x8b Wahl", "zoe@example.org"));
  g_ptr_array_add (addresses, postbag_address_new (NULL, "bob@example.net"));
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (PostbagNeedle) needle = postbag_needle_new (cases[i].needle);

      g_test_message ("%s", cases[i].needle);
      g_assert_cmpint (postbag_needle_is_in_addresses (needle, addresses), ==, cases[i].found);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mail/needle/text", test_text);
  g_test_add_func ("/mail/needle/addresses", test_addresses);
  return g_test_run ();
}
