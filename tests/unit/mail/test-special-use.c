/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mail/postbag-special-use.h"

#include <string.h>

/* `path=use` words, `-`: none; @delimiter between levels. */
static void
assert_guess (char delimiter, const char *expected)
{
  g_auto (GStrv) words = g_strsplit (expected, ";", -1);
  g_autoptr (GPtrArray) paths = g_ptr_array_new ();
  g_autoptr (GPtrArray) uses = NULL;

  for (char **word = words; *word != NULL; word++)
    {
      *strchr (*word, '=') = '\0';
      g_ptr_array_add (paths, *word);
    }
  uses = postbag_special_use_guess (paths, delimiter);
  g_assert_cmpuint (uses->len, ==, paths->len);
  for (guint i = 0; i < uses->len; i++)
    {
      const char *use = words[i] + strlen (words[i]) + 1;

      g_test_message ("%s", words[i]);
      g_assert_cmpstr (uses->pdata[i], ==, strcmp (use, "-") == 0 ? NULL : use);
    }
}

static void
test_guess (void)
{
  assert_guess ('/', "INBOX=-;Sent Items=-;Sent=\\Sent;sent=-;Work/Trash=-;Bin=\\Trash");
  assert_guess ('.', "INBOX.Entw\xc3\xbcrfe=\\Drafts;INBOX.Papierkorb=\\Trash;Gesendet=\\Sent");
  assert_guess ('/', "INBOX.Drafts=-;[Gmail]/All Mail=\\All;[Gmail]=-");
  assert_guess (0, "\xe3\x82\xb4\xe3\x83\x9f\xe7\xae\xb1=\\Trash;"
                   "\xd0\x9e\xd1\x82\xd0\xbf\xd1\x80\xd0\xb0\xd0\xb2\xd0\xbb\xd0\xb5\xd0\xbd\xd0"
                   "\xbd\xd1\x8b\xd0\xb5=\\Sent;Trash2=-");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mail/special-use/guess", test_guess);
  return g_test_run ();
}
