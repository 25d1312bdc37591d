/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Namespaces: what a list of everything leaves out is listed, too, in the same write once it is
 * known. The peer answers nothing before all of a write is there. */

#include <string.h>

#include "peer-store.h"

#define SPACES GREETING, LOGIN_WITH ("NAMESPACE")

/* The paths, in the order they came, one line each. */
static char *
list_paths (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  gint64 total = 0;
  g_autoptr (GPtrArray) mailboxes =
      postbag_imap_store.list_mailboxes (fixture->store, FALSE, &total, NULL, &error);
  g_autoptr (GString) paths = g_string_new (NULL);

  g_assert_no_error (error);
  g_assert_cmpint (total, ==, mailboxes->len);
  for (guint i = 0; i < mailboxes->len; i++)
    {
      const PostbagMailbox *mailbox = g_ptr_array_index (mailboxes, i);

      g_string_append_printf (paths, "%s%s%s\n", mailbox->path,
                              mailbox->special_use != NULL ? mailbox->special_use : "",
                              mailbox->subscribed ? " subscribed" : "");
    }
  return g_string_free (g_steal_pointer (&paths), FALSE);
}

/* RFC 2342 section 5, example 5.5, with another user's mailbox, and INBOX as the personal prefix
 * (Courier, Cyrus): two round trips at first, one after. */
static void
test_left_out (void)
{
  static const char *const script[] = {
    SPACES, "C:LIST \"\" \"*\"", "C:LSUB \"\" \"*\"", "C:NAMESPACE", "S:* LIST () \".\" INBOX",
    "S:* LIST (\\Sent) \".\" INBOX.Sent", "S:%2 OK", "S:* LSUB () \".\" INBOX.Sent", "S:%1 OK",
    "S:* NAMESPACE ((\"INBOX.\" \".\")) ((\"#Users/\" \"/\")(\"all*\" \"/\")) "
    "((\"#f&APw-r alle/\" \"/\"))",
    "S:%t OK", "C:LIST \"\" \"#Users/*\"", "C:LSUB \"\" \"#Users/*\"",
    "C:LIST \"\" \"#f&APw-r alle/*\"", "C:LSUB \"\" \"#f&APw-r alle/*\"", "S:%3 NO you may not",
    "S:%2 OK", "S:* LIST () \"/\" \"#f&APw-r alle/Plan\"", "S:%1 OK",
    "S:* LSUB () \"/\" \"#f&APw-r alle/Plan\"", "S:%t OK",
    /* the second time; the tags of the first commands are out of reach here: read slowly */
    "C:LIST \"\" \"*\"", "C:LSUB \"\" \"*\"", "C:LIST \"\" \"#Users/*\"", "S:* LIST () \".\" INBOX",
    "S:%2 OK", "S:%1 OK", "C:LSUB \"\" \"#Users/*\"", "C:LIST \"\" \"#f&APw-r alle/*\"",
    "C:LSUB \"\" \"#f&APw-r alle/*\"", "S:* LIST () \"/\" \"#Users/ida\"", "S:%3 OK", "S:%2 OK",
    "S:%1 NO gone", "S:%t OK", "STALL", NULL
  };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autofree char *first = list_paths (fixture);
  g_autofree char *second = list_paths (fixture);

  g_assert_cmpstr (first, ==,
                   "INBOX\nINBOX.Sent\\Sent subscribed\n#f\xc3\xbcr alle/Plan subscribed\n");
  g_assert_cmpstr (second, ==, "INBOX\n#Users/ida\n");
  end_quietly (fixture);
}

/* Nothing is marked: names tell, but not of what cannot be selected. */
static void
test_names (void)
{
  static const char *const script[] = { READY,
                                        "C:LIST \"\" \"*\"",
                                        "C:LSUB \"\" \"*\"",
                                        "S:* LIST () \".\" INBOX",
                                        "S:* LIST (\\Noselect) \".\" INBOX.Trash",
                                        "S:* LIST () \".\" INBOX.Sent",
                                        "S:* LIST () \".\" INBOX.Entw&APw-rfe",
                                        "S:* LIST () \".\" INBOX.Work.Sent",
                                        "S:%1 OK",
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const *const scripts[] = { script, NULL };
  Fixture *fixture = begin (scripts);
  g_autofree char *paths = list_paths (fixture);

  g_assert_cmpstr (paths, ==,
                   "INBOX\nINBOX.Trash\nINBOX.Sent\\Sent\nINBOX.Entw\xc3\xbcrfe\\Drafts\n"
                   "INBOX.Work.Sent\n");
  end_quietly (fixture);
}

/* What is there already is not listed twice; NIL is no delimiter. */
static void
test_nothing_left_out (void)
{
  static const char *const flat[] = { SPACES,
                                      "C:LIST \"\" \"*\"",
                                      "C:LSUB \"\" \"*\"",
                                      "C:NAMESPACE",
                                      "S:* NAMESPACE ((\"\" NIL)) NIL NIL",
                                      "S:* LIST (\\NoInferiors) NIL \"INBOX\"",
                                      "S:* LIST (\\NoInferiors) NIL \"old.letters\"",
                                      "S:%2 OK",
                                      "S:%1 OK",
                                      "S:%t OK",
                                      "STALL",
                                      NULL };
  static const char *const shared[] = { SPACES,
                                        "C:LIST \"\" \"*\"",
                                        "C:LSUB \"\" \"*\"",
                                        "C:NAMESPACE",
                                        "S:* NAMESPACE ((\"\" \"/\")) NIL ((\"Public/\" \"/\"))",
                                        "S:* LIST () \"/\" \"INBOX\"",
                                        "S:* LIST () \"/\" \"Public/old.letters\"",
                                        "S:%2 OK",
                                        "S:%1 OK",
                                        "S:%t OK",
                                        "STALL",
                                        NULL };
  static const char *const refused[] = { SPACES,
                                         "C:LIST \"\" \"*\"",
                                         "C:LSUB \"\" \"*\"",
                                         "C:NAMESPACE",
                                         "S:* LIST () \"/\" \"INBOX\"",
                                         "S:* LIST () \"/\" \"old.letters\"",
                                         "S:%2 OK",
                                         "S:%1 OK",
                                         "S:%t BAD what?",
                                         "STALL",
                                         NULL };
  static const char *const *const scripts[][2] = { { flat, NULL },
                                                   { shared, NULL },
                                                   { refused, NULL } };
  static const char *const wanted[] = { "INBOX\nold.letters\n", "INBOX\nPublic/old.letters\n",
                                        "INBOX\nold.letters\n" };

  for (gsize i = 0; i < G_N_ELEMENTS (scripts); i++)
    {
      Fixture *fixture = begin (scripts[i]);
      g_autofree char *paths = list_paths (fixture);

      g_assert_cmpstr (paths, ==, wanted[i]);
      end_quietly (fixture);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/imap/namespaces/left-out", test_left_out);
  g_test_add_func ("/imap/namespaces/nothing-left-out", test_nothing_left_out);
  g_test_add_func ("/imap/namespaces/names", test_names);
  return g_test_run ();
}
