/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tools that change mail: what they ask, and when they refuse to. */

#include "postbag-guarded-handlers.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "fake-mail.h"
#include "folder.h"
#include "fake-resources.h"
#include "postbag-guarded-resources.h"

#define LIST(mail, arguments)                                                                      \
  fake_mail_run (mail, postbag_guarded_list_messages, "list_messages", arguments)
#define GET(mail, arguments)                                                                       \
  fake_mail_run (mail, postbag_guarded_get_message, "get_message", arguments)
#define MOVE(mail, arguments)                                                                      \
  fake_mail_run (mail, postbag_guarded_move_messages, "move_messages", arguments)
#define DELETE(mail, arguments)                                                                    \
  fake_mail_run (mail, postbag_guarded_delete_messages, "delete_messages", arguments)
#define SET_FLAGS(mail, arguments)                                                                 \
  fake_mail_run (mail, postbag_guarded_set_message_flags, "set_message_flags", arguments)

#define SOURCE "From: ada@example.org\r\nSubject: hi\r\nMessage-ID: <1@example.org>\r\n\r\nText\r\n"

static FakeMail *
make_mail_in (const char *state_dir)
{
  FakeMail *mail = fake_mail_new_with_state (state_dir);

  for (guint32 uid = 1; uid <= 5; uid++)
    fake_mail_add (mail, uid, SOURCE);
  fake_mail_add_mailbox (mail, "Trash")->special_use = g_strdup ("\\Trash");
  fake_mail_add_mailbox (mail, "Archive");
  mail->account->may |= POSTBAG_MAY_ORGANISE;
  mail->agrees = TRUE;
  return mail;
}

static FakeMail *
make_mail (void)
{
  return make_mail_in (NULL);
}

/* --- a mailbox that was made anew --- */

typedef FakeAnswer (*ChangeFunc) (FakeMail *mail);

static FakeAnswer
move (FakeMail *mail)
{
  return MOVE (mail, "{'mailbox':'inbox','uids':[5],'destination':'Archive'}");
}

static FakeAnswer
copy (FakeMail *mail)
{
  return MOVE (mail, "{'uids':[5],'destination':'Archive','mode':'copy'}");
}

static FakeAnswer delete (FakeMail *mail) { return DELETE (mail, "{'uids':[5]}"); }

static FakeAnswer
set_flags (FakeMail *mail)
{
  return SET_FLAGS (mail, "{'uids':[5],'add':['\\\\Seen']}");
}

static const ChangeFunc changes[] = { move, copy, delete, set_flags };

static void
do_list (FakeMail *mail)
{
  g_auto (FakeAnswer) answer = LIST (mail, "{}");

  g_assert_no_error (answer.error);
}

static void
assert_told_once (FakeMail *mail, ChangeFunc change)
{
  g_auto (FakeAnswer) refused = change (mail), done = { NULL };

  fake_answer_assert_error (&refused, POSTBAG_ERROR_CONFLICT, "made anew");
  fake_answer_assert_error (&refused, POSTBAG_ERROR_CONFLICT, "list_messages");
  g_assert_cmpuint (mail->n_applied, ==, 0);
  do_list (mail);
  done = change (mail);
  g_assert_no_error (done.error);
  g_assert_cmpuint (mail->n_applied, ==, 1);
  g_assert_cmpuint (mail->applied_uid_validity, ==, mail->uid_validity);
}

/* The uids come from a listing; a message read since belongs to another mailbox of that name. */
static void
test_read_after_made_anew (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_autoptr (FakeMail) mail = make_mail ();
      g_auto (FakeAnswer) answer = { NULL };

      do_list (mail);
      mail->uid_validity = 8;
      answer = GET (mail, "{'uid':2}");
      g_assert_no_error (answer.error);
      assert_told_once (mail, changes[i]);
    }
}

static void
test_resource_after_made_anew (void)
{
  g_autoptr (FakeMail) mail = make_mail ();
  g_auto (PostbagContents) contents = { NULL };
  g_autoptr (GError) error = NULL;
  PostbagResourceUri *uri =
      fake_resource_uri_new ("imap://default/mailbox/INBOX", POSTBAG_GUARDED_MAILBOX_URI);

  do_list (mail);
  mail->uid_validity = 8;
  g_assert_true (postbag_guarded_read_mailbox (mail->call, uri, &contents, &error));
  g_assert_no_error (error);
  fake_resource_uri_free (uri);
  assert_told_once (mail, delete);
}

static void
assert_asks (FakeMail *mail, ChangeFunc change)
{
  g_auto (FakeAnswer) asked = { NULL };

  mail->agrees = FALSE;
  asked = change (mail);
  fake_answer_assert_error (&asked, POSTBAG_ERROR_NEEDS_INPUT, "asked");
  mail->agrees = TRUE;
}

static void
assert_not_asked_again (FakeMail *mail, ChangeFunc change)
{
  guint n_asked = mail->n_asked;
  g_auto (FakeAnswer) refused = change (mail);

  fake_answer_assert_error (&refused, POSTBAG_ERROR_CONFLICT, "asked about before");
  g_assert_cmpuint (mail->n_asked, ==, n_asked);
  g_assert_cmpuint (mail->n_applied, ==, 0);
}

/* While a person reads the question, another call lists the mailbox under its new uids: neither
 * their yes nor one to the same question holds for those. */
static void
test_listed_while_asked (void)
{
  g_autoptr (FakeMail) mail = make_mail ();
  g_auto (FakeAnswer) told = { NULL }, again = { NULL };

  do_list (mail);
  assert_asks (mail, move);
  mail->uid_validity = 8;
  do_list (mail);
  do_list (mail);
  told = move (mail);
  fake_answer_assert_error (&told, POSTBAG_ERROR_CONFLICT, "made anew");
  do_list (mail);
  assert_not_asked_again (mail, move);
  again = move (mail);
  g_assert_no_error (again.error);
  g_assert_cmpuint (mail->applied_uid_validity, ==, 8);
}

/* Two questions wait; who was told of the first has listed again when the second is answered. */
static void
test_two_questions (void)
{
  g_autoptr (FakeMail) mail = make_mail ();
  g_auto (FakeAnswer) told = { NULL }, again = { NULL };

  do_list (mail);
  assert_asks (mail, move);
  assert_asks (mail, delete);
  mail->uid_validity = 8;
  do_list (mail);
  told = move (mail);
  fake_answer_assert_error (&told, POSTBAG_ERROR_CONFLICT, "made anew");
  do_list (mail);
  assert_not_asked_again (mail, delete);
  again = delete (mail);
  g_assert_no_error (again.error);
}

/* A name that another mailbox has when the person says yes. */
static void
test_other_destination (void)
{
  static const ChangeFunc movers[] = { move, copy, delete };

  for (gsize i = 0; i < G_N_ELEMENTS (movers); i++)
    {
      g_autoptr (FakeMail) mail = make_mail ();
      g_auto (FakeAnswer) done = { NULL };

      do_list (mail);
      assert_asks (mail, movers[i]);
      mail->other_validity++;
      assert_not_asked_again (mail, movers[i]);
      done = movers[i](mail);
      g_assert_no_error (done.error);
    }
}

/* Nobody is asked to move mail to where nothing is; what asks nobody looks at no destination. */
static void
test_looks_at_the_destination (void)
{
  g_autoptr (FakeMail) mail = make_mail ();
  g_auto (FakeAnswer) nowhere = { NULL }, flags = { NULL };

  do_list (mail);
  nowhere = MOVE (mail, "{'uids':[5],'destination':'Nowhere'}");
  fake_answer_assert_error (&nowhere, POSTBAG_ERROR_NOT_FOUND, "Nowhere");
  g_assert_cmpuint (mail->n_asked, ==, 0);
  g_assert_cmpuint (mail->n_states, ==, 1);
  flags = set_flags (mail);
  g_assert_no_error (flags.error);
  g_assert_cmpuint (mail->n_states, ==, 1);
}

static PostbagEffectReport *
refuse_old_uids (FakeMail *mail, const PostbagEffect *effect, GError **error)
{
  PostbagEffectReport *report;

  if (effect->uid_validity != mail->uid_validity)
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT, "other uids");
      return NULL;
    }
  report = postbag_effect_report_new ();
  g_array_append_vals (report->done, effect->uids->data, effect->uids->len);
  return report;
}

/* The store is the first to notice: one refusal is enough. */
static void
test_told_by_the_store (void)
{
  g_autoptr (FakeMail) mail = make_mail ();
  g_auto (FakeAnswer) refused = { NULL }, done = { NULL };

  mail->apply = refuse_old_uids;
  do_list (mail);
  mail->uid_validity = 8;
  refused = move (mail);
  fake_answer_assert_error (&refused, POSTBAG_ERROR_CONFLICT, "other uids");
  do_list (mail);
  done = move (mail);
  g_assert_no_error (done.error);
}

static PostbagEffectReport *
refuse_destination (FakeMail *mail, const PostbagEffect *effect, GError **error)
{
  mail->apply = NULL;
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT, "another Archive");
  return NULL;
}

/* What was told of the destination was not told of the uids. */
static void
test_told_of_the_destination (void)
{
  g_autoptr (FakeMail) mail = make_mail ();
  g_auto (FakeAnswer) refused = { NULL };

  mail->apply = refuse_destination;
  do_list (mail);
  refused = move (mail);
  fake_answer_assert_error (&refused, POSTBAG_ERROR_CONFLICT, "another Archive");
  mail->n_applied = 0;
  mail->uid_validity = 8;
  do_list (mail);
  assert_told_once (mail, move);
}

/* --- what an answer holds for --- */

static char *
find_target (const char *host, const char *arguments)
{
  g_autoptr (FakeMail) mail = make_mail ();
  g_auto (FakeAnswer) answer = { NULL };

  mail->account->host = g_strdup (host);
  answer = DELETE (mail, arguments);
  g_assert_no_error (answer.error);
  return g_strdup (mail->target);
}

/* Accounts of the environment all have one name: a yes at one server is none at another. */
static void
test_answer_is_for_one_server (void)
{
  g_autofree char *work = find_target ("work.example", "{'uids':[1,2]}");
  g_autofree char *again = find_target ("WORK.example", "{'uids':[2,1,2]}");
  g_autofree char *home = find_target ("home.example", "{'uids':[1,2]}");

  g_assert_cmpstr (work, ==, again);
  g_assert_cmpstr (work, !=, home);
}

/* --- drafts --- */

#define SAVE_DRAFT(mail, arguments)                                                                \
  fake_mail_run (mail, postbag_guarded_save_draft, "save_draft", arguments)
#define REPLY "{'to':['bob@example.org'],'subject':'Re: hi','body':'Yes.','reply_to_uid':2}"

static FakeMail *
make_mail_with_drafts (void)
{
  FakeMail *mail = make_mail ();

  fake_mail_add_mailbox (mail, "Drafts")->special_use = g_strdup ("\\Drafts");
  mail->account->may |= POSTBAG_MAY_DRAFT;
  return mail;
}

/* A reply is threaded to the message that was shown, never to a stranger's of the same number. */
static void
test_reply_after_made_anew (void)
{
  g_autoptr (FakeMail) mail = make_mail_with_drafts ();
  g_auto (FakeAnswer) refused = { NULL }, saved = { NULL };

  do_list (mail);
  mail->uid_validity = 8;
  refused = SAVE_DRAFT (mail, REPLY);
  fake_answer_assert_error (&refused, POSTBAG_ERROR_CONFLICT, "made anew");
  g_assert_cmpuint (mail->n_applied, ==, 0);
  do_list (mail);
  saved = SAVE_DRAFT (mail, REPLY);
  g_assert_no_error (saved.error);
}

/* An account that has Drafts by its name only; @host: (nullable): of a server */
static FakeMail *
make_unmarked_drafts (const char *host)
{
  FakeMail *mail = make_mail_with_drafts ();

  ((PostbagMailbox *)mail->mailboxes->pdata[2])->special_use_is_guessed = TRUE;
  mail->account->host = g_strdup (host);
  mail->account->user = g_strdup ("me@example.org");
  return mail;
}

/* What only its name makes a mailbox for drafts is none where a server could say so. */
static void
test_drafts_by_name (void)
{
  g_autoptr (FakeMail) local = make_unmarked_drafts (NULL);
  g_auto (FakeAnswer) saved = SAVE_DRAFT (local, REPLY);
  g_autoptr (FakeMail) remote = make_unmarked_drafts ("imap.example");
  g_auto (FakeAnswer) refused = SAVE_DRAFT (remote, REPLY);
  g_autoptr (FakeMail) configured = make_unmarked_drafts ("imap.example");
  g_auto (FakeAnswer) chosen = { NULL };

  g_assert_no_error (saved.error);
  fake_answer_assert_error (&refused, POSTBAG_ERROR_NOT_FOUND, "IMAP_DRAFTS_MAILBOX");
  fake_answer_assert_error (&refused, POSTBAG_ERROR_NOT_FOUND, "Drafts");
  g_assert_cmpuint (remote->n_applied, ==, 0);
  configured->account->drafts_mailbox = g_strdup ("Drafts");
  chosen = SAVE_DRAFT (configured, REPLY);
  g_assert_no_error (chosen.error);
}

/* An account that has Trash by its name only. */
static FakeMail *
make_unmarked_trash (const char *host)
{
  FakeMail *mail = make_mail ();

  ((PostbagMailbox *)mail->mailboxes->pdata[0])->special_use_is_guessed = TRUE;
  mail->account->host = g_strdup (host);
  return mail;
}

/* Nor is what only its name makes a Trash one: it may be anybody's folder. */
static void
test_trash_by_name (void)
{
  g_autoptr (FakeMail) local = make_unmarked_trash (NULL);
  g_auto (FakeAnswer) moved = delete (local);
  g_autoptr (FakeMail) remote = make_unmarked_trash ("imap.example");
  g_auto (FakeAnswer) refused = delete (remote);
  g_autoptr (FakeMail) configured = make_unmarked_trash ("imap.example");
  g_auto (FakeAnswer) chosen = { NULL };

  g_assert_cmpstr (fake_answer_string (&moved, "moved_to"), ==, "Trash");
  fake_answer_assert_error (&refused, POSTBAG_ERROR_NOT_ALLOWED, "“Trash” is only called like one");
  fake_answer_assert_error (&refused, POSTBAG_ERROR_NOT_ALLOWED, "POSTBAG_TRASH_MAILBOX");
  g_assert_cmpuint (remote->n_asked, ==, 0);
  g_assert_cmpuint (remote->n_applied, ==, 0);
  configured->account->trash_mailbox = g_strdup ("Archive");
  chosen = delete (configured);
  g_assert_no_error (chosen.error);
  g_assert_cmpstr (fake_answer_string (&chosen, "moved_to"), ==, "Archive");
}

/* --- the question --- */

#define CALLERS "Names, as the caller of the tool wrote them:"
#define OTHERS "Names that the mail server or the configuration gave:"

/* Who chose a name is said rightly: the Trash, the default mailbox. */
static void
test_question (void)
{
  g_autoptr (FakeMail) mail = make_mail ();
  g_auto (FakeAnswer) moved = { NULL }, by_default = { NULL }, by_name = { NULL };

  moved = MOVE (mail, "{'mailbox':'INBOX','uids':[2,1],'destination':'Archive'}");
  g_assert_no_error (moved.error);
  g_assert_cmpstr (
      mail->question, ==,
      "Move 2 messages to another mailbox? They can be moved back.\nUIDs: 1, 2\n\n" CALLERS
      "\nFrom: INBOX\nTo: Archive");
  by_default = DELETE (mail, "{'uids':[5]}");
  g_assert_no_error (by_default.error);
  g_assert_cmpstr (strchr (mail->question, '\n'), ==,
                   "\nUIDs: 5\n\n" OTHERS "\nMailbox: INBOX\nMoved to: Trash");
  ((PostbagMailbox *)mail->mailboxes->pdata[0])->special_use_is_guessed = TRUE;
  by_name = DELETE (mail, "{'mailbox':'INBOX','uids':[5]}");
  g_assert_no_error (by_name.error);
  g_assert_cmpstr (strchr (mail->question, '\n'), ==,
                   "\nUIDs: 5\n\n" CALLERS "\nMailbox: INBOX\n\n" OTHERS "\nMoved to: Trash");
}

/* Nobody is asked about mail that is not there: one look where all or none is, a second one for
 * which, where some are. */
static void
test_missing (void)
{
  g_autoptr (FakeMail) mail = make_mail ();
  g_auto (FakeAnswer) all = { NULL }, deleted = { NULL }, moved = { NULL }, copied = { NULL };
  g_auto (FakeAnswer) some = { NULL };

  all = DELETE (mail, "{'uids':[4,5]}");
  g_assert_no_error (all.error);
  g_assert_cmpuint (mail->n_uid_searches, ==, 1);
  mail->n_asked = mail->n_applied = 0;
  deleted = DELETE (mail, "{'uids':[777]}");
  moved = MOVE (mail, "{'uids':[777,778],'destination':'Archive'}");
  copied = MOVE (mail, "{'uids':[777],'destination':'Archive','mode':'copy'}");
  fake_answer_assert_error (&deleted, POSTBAG_ERROR_NOT_FOUND, "Nothing was changed: 1 message");
  fake_answer_assert_error (&moved, POSTBAG_ERROR_NOT_FOUND, "(uids 777, 778) not in the mailbox");
  fake_answer_assert_error (&copied, POSTBAG_ERROR_NOT_FOUND, "not in the mailbox");
  g_assert_cmpuint (mail->n_asked, ==, 0);
  g_assert_cmpuint (mail->n_applied, ==, 0);
  g_assert_cmpuint (mail->n_uid_searches, ==, 4);
  some = MOVE (mail, "{'uids':[777,3,2],'destination':'Archive'}");
  g_assert_true (g_str_has_prefix (
      mail->question, "Move 2 messages to another mailbox? They can be moved back.\nUIDs: 2, 3\n"
                      "Also named, but not in the mailbox (any more): 777\n\n"));
  g_assert_cmpuint (mail->n_uid_searches, ==, 6);
}

/* --- what came of it --- */

static PostbagEffectReport *
refuse_all (FakeMail *mail, const PostbagEffect *effect, GError **error)
{
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND, "The server said no.");
  return NULL;
}

static PostbagEffectReport *
refuse_half (FakeMail *mail, const PostbagEffect *effect, GError **error)
{
  PostbagEffectReport *report = postbag_effect_report_new ();

  g_array_append_vals (report->copied, effect->uids->data, effect->uids->len);
  refuse_all (mail, effect, error);
  return report;
}

static PostbagEffectReport *
cancel_half (FakeMail *mail, const PostbagEffect *effect, GError **error)
{
  PostbagEffectReport *report = postbag_effect_report_new ();

  g_array_append_vals (report->done, effect->uids->data, 1);
  for (guint i = 0; i < 300; i++)
    g_ptr_array_add (report->warnings,
                     g_strdup_printf ("Message %03u lost its keywords\xe2\x80\xae.", i));
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "Cancelled.");
  return report;
}

static PostbagEffectReport *
do_one (FakeMail *mail, const PostbagEffect *effect, GError **error)
{
  PostbagEffectReport *report = postbag_effect_report_new ();

  g_array_append_vals (report->done, effect->uids->data, 1);
  g_ptr_array_add (report->warnings, g_strdup ("It lost its keywords\xe2\x80\xae."));
  return report;
}

/* In the answer itself, where whoever reads it looks: which were not there, and what was lost. */
static void
test_rest_is_visible (void)
{
  static const struct
  {
    PostbagToolHandler handler;
    const char *tool;
    const char *arguments;
  } cases[] = {
    { postbag_guarded_move_messages, "move_messages", "{'uids':[1,5,9],'destination':'Archive'}" },
    { postbag_guarded_delete_messages, "delete_messages", "{'uids':[1,5,9]}" },
    { postbag_guarded_set_message_flags, "set_message_flags", "{'uids':[1,5,9],'add':['x']}" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (FakeMail) mail = make_mail ();
      g_auto (FakeAnswer) whole =
          fake_mail_run (mail, cases[i].handler, cases[i].tool, cases[i].arguments);
      g_auto (FakeAnswer) part = { NULL };
      JsonArray *missing, *notes;

      g_assert_no_error (whole.error);
      g_assert_false (json_object_has_member (whole.root, "not_there"));
      g_assert_false (json_object_has_member (whole.root, "notes"));
      mail->apply = do_one;
      part = fake_mail_run (mail, cases[i].handler, cases[i].tool, cases[i].arguments);
      g_assert_no_error (part.error);
      g_assert_cmpuint (json_array_get_length (fake_answer_array (&part, "uids")), ==, 1);
      missing = fake_answer_array (&part, "not_there");
      g_assert_cmpuint (json_array_get_length (missing), ==, 2);
      g_assert_cmpint (json_array_get_int_element (missing, 0), ==, 5);
      g_assert_cmpint (json_array_get_int_element (missing, 1), ==, 9);
      notes = fake_answer_array (&part, "notes");
      g_assert_cmpstr (json_array_get_string_element (notes, 0), ==, "It lost its keywords.");
    }
}

/* Copied, but not marked deleted: that nothing was copied is not said. */
static void
test_partly_moved (void)
{
  g_autoptr (FakeMail) mail = make_mail ();
  g_auto (FakeAnswer) nothing = { NULL }, half = { NULL };

  do_list (mail);
  mail->apply = refuse_all;
  nothing = move (mail);
  fake_answer_assert_error (&nothing, POSTBAG_ERROR_NOT_FOUND, "Nothing was moved or copied. ");
  mail->apply = refuse_half;
  half = move (mail);
  fake_answer_assert_error (&half, POSTBAG_ERROR_NOT_FOUND, "Copied but still where they were");
  g_assert_null (strstr (half.error->message, "Nothing"));
}

/* What was lost is said beside an error, too, and leaves room for the error. */
static void
test_partly_lost (void)
{
  g_autoptr (FakeMail) mail = make_mail ();
  g_auto (FakeAnswer) half = { NULL };
  const char *message;

  do_list (mail);
  mail->apply = cancel_half;
  half = move (mail);
  g_assert_nonnull (half.error);
  message = half.error->message;
  g_assert_nonnull (strstr (message, "Cancelled. Done, uids: "));
  g_assert_nonnull (strstr (message, ". Message 000 lost its keywords. Message 001 lost"));
  g_assert_nonnull (strstr (message, " more such losses."));
  g_assert_cmpint (g_utf8_strlen (message, -1), <, POSTBAG_LIMIT_ERROR_CHARS / 2 + 200);
}

#define RENAME(mail, name)                                                                         \
  fake_mail_run (mail, postbag_guarded_manage_mailbox, "manage_mailbox",                           \
                 "{'action':'rename','mailbox':'" name "','new_name':'New'}")

/* Only what has no state is renamed without one. */
static void
test_rename_looks (void)
{
  g_autoptr (FakeMail) mail = make_mail ();
  g_auto (FakeAnswer) broken = { NULL }, holder = { NULL }, missing = { NULL };

  mail->state_error = POSTBAG_ERROR_TIMED_OUT;
  broken = RENAME (mail, "Archive");
  fake_answer_assert_error (&broken, POSTBAG_ERROR_TIMED_OUT, "the look failed");
  mail->state_error = POSTBAG_ERROR_NOT_FOUND;
  missing = RENAME (mail, "Nowhere");
  fake_answer_assert_error (&missing, POSTBAG_ERROR_NOT_FOUND, "list_mailboxes");
  g_assert_cmpuint (mail->n_asked, ==, 0);
  g_assert_cmpuint (mail->n_applied, ==, 0);
  holder = RENAME (mail, "Archive");
  g_assert_no_error (holder.error);
}

/* Whoever is asked hears what a mailbox is for, by the server's word or the configuration's. */
static void
test_purposes (void)
{
  static const struct
  {
    const char *mailbox;
    const char *words;
  } cases[] = {
    { "Trash", "mailbox? It is the Trash: without it delete_messages has nowhere to move mail.\n" },
    { "Entw", "mailbox? It is the Drafts mailbox: without it save_draft has nowhere to put" },
    { "Spam", "mailbox? It is the Junk mailbox: " },
    { "Archive", "mailbox?\n" },
  };
  g_autoptr (FakeMail) mail = make_mail ();
  g_auto (FakeAnswer) above = { NULL };

  fake_mail_add_mailbox (mail, "Entw");
  mail->account->drafts_mailbox = g_strdup ("Entw");
  fake_mail_add_mailbox (mail, "Spam")->special_use = g_strdup ("\\Junk");
  fake_mail_add_mailbox (mail, "Top")->delimiter = '/';
  fake_mail_add_mailbox (mail, "Top/Sent")->special_use = g_strdup ("\\Sent");
  ((PostbagMailbox *)mail->mailboxes->pdata[mail->mailboxes->len - 1])->delimiter = '/';
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *given =
          g_strdup_printf ("{'action':'delete','mailbox':'%s'}", cases[i].mailbox);
      g_auto (FakeAnswer) answer =
          fake_mail_run (mail, postbag_guarded_manage_mailbox, "manage_mailbox", given);

      g_assert_no_error (answer.error);
      g_assert_nonnull (strstr (mail->question, cases[i].words));
    }
  above = RENAME (mail, "Top");
  g_assert_no_error (above.error);
  g_assert_nonnull (strstr (mail->question, "renamed back. One below it is the Sent mailbox: "));
}

/* --- what was interrupted --- */

static PostbagEffectReport *
lose_connection (FakeMail *mail, const PostbagEffect *effect, GError **error)
{
  PostbagEffectReport *report = postbag_effect_report_new ();

  g_array_append_vals (report->unknown, effect->uids->data, effect->uids->len);
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE, "The connection was lost.");
  return report;
}

static guint
count (const char *text, const char *words)
{
  guint n = 0;

  for (const char *next = strstr (text, words); next != NULL; next = strstr (next + 1, words))
    n++;
  return n;
}

/* Forty changes were interrupted, with a long name each: every one is told of once, and none in
 * what an error is cut at. */
static void
test_many_notes (void)
{
  g_autofree char *folder = g_dir_make_tmp ("postbag-writes-XXXXXX", NULL);
  g_autoptr (FakeMail) mail = make_mail_in (folder);
  guint n_told = 0, n_calls = 0;

  mail->apply = lose_connection;
  for (guint i = 1; i <= 40; i++)
    {
      g_autofree char *name = g_strdup_printf ("%0150u", i);
      g_autofree char *arguments =
          g_strdup_printf ("{'uids':[%u],'destination':'%s'}", 1000 + i, name);
      g_auto (FakeAnswer) lost = { NULL };

      fake_mail_add_mailbox (mail, name);
      fake_mail_add (mail, 1000 + i, SOURCE);
      lost = MOVE (mail, arguments);
      fake_answer_assert_error (&lost, POSTBAG_ERROR_OFFLINE, "cannot be said");
    }
  mail->apply = refuse_all;
  for (; n_told < 40 && n_calls < 40; n_calls++)
    {
      g_auto (FakeAnswer) refused = set_flags (mail);

      g_assert_error (refused.error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND);
      g_assert_cmpint (g_utf8_strlen (refused.error->message, -1), <, POSTBAG_LIMIT_ERROR_CHARS);
      n_told += count (refused.error->message, "An earlier change (move");
    }
  g_assert_cmpuint (n_told, ==, 40);
  g_assert_cmpuint (n_calls, >, 1);
  remove_tree (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/guarded/writes/read-after-made-anew", test_read_after_made_anew);
  g_test_add_func ("/guarded/writes/resource-after-made-anew", test_resource_after_made_anew);
  g_test_add_func ("/guarded/writes/listed-while-asked", test_listed_while_asked);
  g_test_add_func ("/guarded/writes/told-by-the-store", test_told_by_the_store);
  g_test_add_func ("/guarded/writes/told-of-the-destination", test_told_of_the_destination);
  g_test_add_func ("/guarded/writes/answer-is-for-one-server", test_answer_is_for_one_server);
  g_test_add_func ("/guarded/writes/two-questions", test_two_questions);
  g_test_add_func ("/guarded/writes/other-destination", test_other_destination);
  g_test_add_func ("/guarded/writes/looks-at-the-destination", test_looks_at_the_destination);
  g_test_add_func ("/guarded/writes/reply-after-made-anew", test_reply_after_made_anew);
  g_test_add_func ("/guarded/writes/rest-is-visible", test_rest_is_visible);
  g_test_add_func ("/guarded/writes/partly-moved", test_partly_moved);
  g_test_add_func ("/guarded/writes/partly-lost", test_partly_lost);
  g_test_add_func ("/guarded/writes/rename-looks", test_rename_looks);
  g_test_add_func ("/guarded/writes/purposes", test_purposes);
  g_test_add_func ("/guarded/writes/drafts-by-name", test_drafts_by_name);
  g_test_add_func ("/guarded/writes/trash-by-name", test_trash_by_name);
  g_test_add_func ("/guarded/writes/question", test_question);
  g_test_add_func ("/guarded/writes/missing", test_missing);
  g_test_add_func ("/guarded/writes/many-notes", test_many_notes);
  return g_test_run ();
}
