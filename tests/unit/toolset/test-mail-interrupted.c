/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is told of a change that was interrupted says no more than a look can show. */

#include "toolset/postbag-mail-interrupted-private.h"

#include <string.h>

/* "1 2" */
static GArray *
make_uids (const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  GArray *uids = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (char **word = words; *word != NULL; word++)
    {
      guint32 uid = (guint32)g_ascii_strtoull (*word, NULL, 10);

      g_array_append_val (uids, uid);
    }
  return uids;
}

static const struct
{
  PostbagEffectKind kind;
  PostbagOutcome outcome;
  const char *still, *gone;
  guint unseen;
  const char *told;
} cases[] = {
  { POSTBAG_EFFECT_APPEND, POSTBAG_OUTCOME_DONE, "", "", 0, "It did happen." },
  /* It may have been saved, and sent since. */
  { POSTBAG_EFFECT_APPEND, POSTBAG_OUTCOME_NOT_DONE, "", "", 0,
    "The message is not there (any more): it was not saved, or it was moved, sent or deleted "
    "since. Look for it before repeating it." },
  /* They are where they were either way. */
  { POSTBAG_EFFECT_COPY, POSTBAG_OUTCOME_UNKNOWN, "", "", 0,
    "Copies may be there already: look there before repeating it. It was about the uids: 1, 2, "
    "3." },
  { POSTBAG_EFFECT_STORE_FLAGS, POSTBAG_OUTCOME_UNKNOWN, "", "", 0,
    "Whether the flags were changed cannot be said; changing them again does no harm. It was "
    "about the uids: 1, 2, 3." },
  { POSTBAG_EFFECT_MOVE, POSTBAG_OUTCOME_UNKNOWN, "1", "2", 1,
    "Still there, uids: 1. Copies of these may be in the other mailbox already, and they may be "
    "marked \\Deleted: look before repeating it. Not there any more, uids: 2. Could not be looked "
    "for: 1." },
  { POSTBAG_EFFECT_MOVE, POSTBAG_OUTCOME_UNKNOWN, "", "1 2 3", 0,
    "Not there any more, uids: 1, 2, 3." },
  { POSTBAG_EFFECT_PURGE, POSTBAG_OUTCOME_UNKNOWN, "1 2 3", "", 0,
    "Still there, uids: 1, 2, 3. They may be marked \\Deleted: remove that flag if they are to "
    "stay." },
  { POSTBAG_EFFECT_CREATE_MAILBOX, POSTBAG_OUTCOME_NOT_DONE, "", "", 0, "It did not happen." },
};

static void
test_told (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GArray) uids = make_uids ("1 2 3");
      g_autoptr (GArray) still = make_uids (cases[i].still);
      g_autoptr (GArray) gone = make_uids (cases[i].gone);
      g_autoptr (GString) out = g_string_new (NULL);
      g_autofree char *expected = NULL;
      PostbagInterrupted one = { .kind = cases[i].kind,
                                 .mailbox = (char *)"INBOX",
                                 .destination = (char *)"Work",
                                 .outcome = cases[i].outcome,
                                 .uids = uids,
                                 .still = still,
                                 .gone = gone,
                                 .unseen = cases[i].unseen };

      expected = g_strdup_printf ("An earlier change (%s, 1970-01-01T00:00:00Z) of the mailbox "
                                  "“INBOX” was interrupted. It was to go to “Work”. %s\n",
                                  postbag_effect_kind_get_nick (one.kind), cases[i].told);
      postbag_mail_interrupted_append (out, &one);
      g_assert_cmpstr (out->str, ==, expected);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mail-interrupted/told", test_told);
  return g_test_run ();
}
