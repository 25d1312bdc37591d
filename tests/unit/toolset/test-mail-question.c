/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "toolset/postbag-mail-change.h"

#include <string.h>

#include "fake-mail.h"
#include "json/postbag-json.h"

/* A question about @effect, whose caller gave both names. */
static void
ask (FakeMail *mail, PostbagEffect *effect)
{
  static const char arguments[] = "{\"mailbox\":\"x\",\"destination\":\"y\"}";
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagJsonDocument) document = postbag_json_parse (
      arguments, strlen (arguments), sizeof arguments, POSTBAG_JSON_DEFAULT, &error);
  g_autoptr (PostbagArgs) args =
      postbag_args_new (json_node_get_object (postbag_json_document_get_root (document)));
  g_autoptr (PostbagMailCall) call = postbag_mail_call_new_for (mail->call, NULL, NULL, &error);
  const PostbagMailName names[] = { { "From", effect->mailbox, "mailbox" },
                                    { effect->destination != NULL ? "To" : NULL,
                                      effect->destination, "destination" },
                                    { NULL } };

  mail->agrees = TRUE;
  g_assert_true (
      postbag_mail_change_ask (call, effect, args, "key", "Do it?", names, FALSE, &error));
  g_assert_no_error (error);
  g_assert_true (effect->has_consent);
}

static FakeMail *
make_mail (void)
{
  FakeMail *mail = fake_mail_new ();

  mail->account->may |= POSTBAG_MAY_ORGANISE | POSTBAG_MAY_PURGE;
  for (guint32 uid = 1; uid <= 25; uid++)
    fake_mail_add (mail, uid, NULL);
  return mail;
}

static PostbagEffect *
make_effect (FakeMail *mail, PostbagEffectKind kind, const char *mailbox, const char *destination,
             guint n_uids)
{
  PostbagEffect *effect = postbag_effect_new (kind, mailbox);

  effect->uids = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 uid = 1; uid <= n_uids; uid++)
    g_array_append_val (effect->uids, uid);
  effect->uid_validity = 7;
  effect->destination = g_strdup (destination);
  if (destination != NULL)
    fake_mail_add_mailbox (mail, destination);
  return effect;
}

/* What is invisible is out of the name and spelled out beside it; a person reads twenty numbers. */
static void
test_text (void)
{
  g_autoptr (FakeMail) mail = make_mail ();
  g_autoptr (PostbagEffect) effect =
      make_effect (mail, POSTBAG_EFFECT_MOVE, "INBOX", "Te\u200bam\u202e", 25);

  ask (mail, effect);
  g_assert_cmpstr (mail->question, ==,
                   "Do it?\nUIDs: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, "
                   "19, 20 and 5 more\n\nNames, as the caller of the tool wrote them:\n"
                   "From: INBOX\nTo: Team\nTo, with what is invisible in it: Te\\u200Bam\\u202E");
}

typedef struct
{
  PostbagEffectKind kind;
  const char *mailbox;
  const char *destination;
  guint n_uids;
  guint32 uid_validity;
  guint32 destination_uid_validity;
} Case;

/* No two of these may share an answer. */
static void
test_target (void)
{
  static const Case cases[] = {
    { POSTBAG_EFFECT_MOVE, "INBOX", "b", 3, 7, 70 },
    { POSTBAG_EFFECT_COPY, "INBOX", "b", 3, 7, 70 },
    { POSTBAG_EFFECT_PURGE, "INBOX", NULL, 3, 7, 0 },
    { POSTBAG_EFFECT_MOVE, "INBOX", "b", 2, 7, 70 },
    { POSTBAG_EFFECT_MOVE, "INBOX", "b", 3, 8, 70 },
    { POSTBAG_EFFECT_MOVE, "INBOX", "b", 3, 7, 71 },
    { POSTBAG_EFFECT_MOVE, "INBOX", "c", 3, 7, 70 },
    { POSTBAG_EFFECT_MOVE, "a", "b:c", 3, 7, 70 },
    { POSTBAG_EFFECT_MOVE, "a:b", "c", 3, 7, 70 },
    { POSTBAG_EFFECT_MOVE, "a,1:b", "c", 3, 7, 70 },
  };
  g_autoptr (GHashTable) targets = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (FakeMail) mail = make_mail ();
      g_autoptr (PostbagEffect) effect = make_effect (mail, cases[i].kind, cases[i].mailbox,
                                                      cases[i].destination, cases[i].n_uids);

      effect->uid_validity = cases[i].uid_validity;
      mail->other_validity = cases[i].destination_uid_validity;
      ask (mail, effect);
      g_assert_cmpuint (effect->destination_uid_validity, ==, cases[i].destination_uid_validity);
      g_assert_true (g_hash_table_add (targets, g_strdup (mail->target)));
      ask (mail, effect);
      g_assert_true (g_hash_table_contains (targets, mail->target));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mail-question/text", test_text);
  g_test_add_func ("/mail-question/target", test_target);
  return g_test_run ();
}
