/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* save_draft (contract 1.12): a plain text message into the Drafts mailbox, for a person to look at
 * and send. Nothing here can send it. */

#include "postbag-guarded-handlers.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "mime/postbag-compose.h"
#include "mime/postbag-message.h"
#include "safety/postbag-clean.h"
#include "toolset/postbag-mail-change.h"

typedef struct
{
  const char **to; /* containers are ours, strings the arguments' */
  const char **cc;
  const char **bcc;
  char **written;           /* (nullable): all of them, as they stand in the draft */
  PostbagMessage *original; /* (nullable) */
  char **references;        /* (nullable) */
} Parts;

static void
clear_parts (Parts *self)
{
  g_free (self->to);
  g_free (self->cc);
  g_free (self->bcc);
  g_strfreev (self->written);
  postbag_message_free (self->original);
  g_strfreev (self->references);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Parts, clear_parts)

/* --- what is answered --- */

/* The conversation so far, then the message itself. */
static char **
collect_references (PostbagMessage *original)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  const char *id = postbag_message_get_message_id (original);

  for (const char *const *next = postbag_message_get_references (original); *next != NULL; next++)
    if (g_strcmp0 (*next, id) != 0)
      g_strv_builder_add (builder, *next);
  if (id != NULL)
    g_strv_builder_add (builder, id);
  return g_strv_builder_end (builder);
}

static gboolean
load_original (PostbagMailCall *mail, const PostbagArgs *args, Parts *parts, GError **error)
{
  gint64 value = postbag_args_get_int (args, "reply_to_uid", 0);
  g_autoptr (PostbagFetchedMessage) message = NULL;
  guint32 shown = 0;

  if (!postbag_args_has (args, "reply_to_uid"))
    return TRUE;
  if (value < 1 || value > G_MAXUINT32)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
                   "No message can have the uid %" G_GINT64_FORMAT
                   ". Nothing was saved. Call list_messages and use a uid that it shows.",
                   value);
      return FALSE;
    }
  message = postbag_store_fetch_message (mail->store, mail->mailbox, (guint32)value,
                                         POSTBAG_LIMIT_PREFIX_BYTES,
                                         postbag_mail_call_get_cancellable (mail), error);
  if (message == NULL)
    return postbag_mail_call_explain (mail, (guint32)value, error);
  /* A mailbox that was made anew has another message of that number, by somebody else. */
  postbag_mail_call_remember (mail, message->uid_validity, FALSE);
  if (!postbag_mail_call_recall (mail, &shown, error))
    return FALSE;
  parts->original = postbag_message_parse (message->source);
  parts->references = collect_references (parts->original);
  return TRUE;
}

/* --- where it goes --- */

static void
refuse_drafts (const char *guessed, GError **error)
{
  g_autofree char *quoted = guessed != NULL ? postbag_clean_quote (guessed) : NULL;

  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
               "The mail server names no mailbox for drafts%s%s%s. Nothing was saved. The person "
               "who runs Postbag can set one with IMAP_DRAFTS_MAILBOX, or “drafts-mailbox” in the "
               "configuration.",
               quoted != NULL ? "; " : "", quoted != NULL ? quoted : "",
               quoted != NULL ? " is only called like one" : "");
}

/* (transfer full) (nullable) */
static char *
find_drafts (PostbagMailCall *mail, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autofree char *guessed = NULL;
  g_autofree char *drafts = postbag_mail_find_special_use (
      mail, "\\Drafts", mail->account->drafts_mailbox, &guessed, &failure);

  if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  else if (drafts == NULL)
    refuse_drafts (guessed, error);
  return g_steal_pointer (&drafts);
}

/* --- the message --- */

/* (transfer full) (nullable): all recipients, as they are written into the message */
static char **
write_addresses (const Parts *parts, GError **error)
{
  const char **const lists[] = { parts->to, parts->cc, parts->bcc };
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    for (guint j = 0; lists[i] != NULL && lists[i][j] != NULL; j++)
      {
        g_autofree char *address = postbag_compose_check_address (lists[i][j], error);

        if (address == NULL)
          return NULL;
        g_strv_builder_add (builder, address);
      }
  return g_strv_builder_end (builder);
}

/* The account's address, or its user where that is one. A login that is none is no sender, and a
 * local folder may have neither: then the mail program that sends the draft puts its own. */
static gboolean
find_sender (PostbagMailCall *mail, const char **from, GError **error)
{
  const PostbagAccount *account = mail->account;
  g_autofree char *address = NULL;

  *from = account->address;
  if (account->address != NULL || (account->user == NULL && account->host == NULL))
    return TRUE;
  if (account->user == NULL || *account->user == '\0')
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_LOGIN,
                   "The account “%s” has no user, so a draft would have no sender. Nothing was "
                   "saved. The person who runs Postbag can set it with IMAP_USER.",
                   account->name);
      return FALSE;
    }
  address = postbag_compose_check_address (account->user, NULL);
  if (address != NULL)
    *from = account->user;
  return TRUE;
}

static const char *
choose_note (PostbagMailCall *mail)
{
  const char *from = NULL;

  if (find_sender (mail, &from, NULL) && from == NULL)
    return "The draft was saved, not sent: this server cannot send. It has no sender yet: the "
           "person's mail program puts it when they send it from there, or POSTBAG_ADDRESS sets it "
           "for later drafts.";
  return "The draft was saved, not sent: this server cannot send. The person reads it in their "
         "mail program and sends it from there.";
}

static GBytes *
compose (PostbagMailCall *mail, const PostbagArgs *args, Parts *parts, GError **error)
{
  PostbagClock *clock = postbag_call_get_clock (mail->call);
  PostbagDraft draft = { .to = parts->to,
                         .cc = parts->cc,
                         .bcc = parts->bcc,
                         .subject = postbag_args_get_string (args, "subject"),
                         .body = postbag_args_get_string (args, "body"),
                         .date = postbag_clock_get_real_us (clock) / G_USEC_PER_SEC,
                         .references = (const char *const *)parts->references };

  parts->written = write_addresses (parts, error);
  if (parts->written == NULL || !find_sender (mail, &draft.from, error))
    return NULL;
  if (parts->original != NULL)
    draft.in_reply_to = postbag_message_get_message_id (parts->original);
  return postbag_compose (&draft, error);
}

static PostbagEffect *
create_effect (const char *drafts, GBytes *message)
{
  PostbagEffect *effect = postbag_effect_new (POSTBAG_EFFECT_APPEND, drafts);

  effect->message = g_bytes_ref (message);
  effect->add_flags = POSTBAG_FLAG_DRAFT | POSTBAG_FLAG_SEEN;
  return effect;
}

static gboolean
read_parts (PostbagMailCall *mail, const PostbagArgs *args, Parts *parts, GError **error)
{
  parts->to = postbag_args_dup_strings (args, "to");
  parts->cc = postbag_args_dup_strings (args, "cc");
  parts->bcc = postbag_args_dup_strings (args, "bcc");
  return load_original (mail, args, parts, error);
}

gboolean
postbag_guarded_save_draft (PostbagCall *call, const PostbagArgs *args, PostbagResult *result,
                            GError **error)
{
  g_autoptr (PostbagMailCall) mail = postbag_mail_call_new (call, args, error);
  g_auto (Parts) parts = { 0 };
  g_autoptr (GBytes) message = NULL;
  g_autofree char *drafts = NULL;
  g_autoptr (PostbagEffect) effect = NULL;
  g_autoptr (PostbagEffectReport) report = NULL;

  if (mail == NULL || !read_parts (mail, args, &parts, error))
    return FALSE;
  message = compose (mail, args, &parts, error);
  drafts = message != NULL ? find_drafts (mail, error) : NULL;
  if (drafts == NULL)
    return FALSE;
  effect = create_effect (drafts, message);
  report = postbag_mail_change_apply (mail, effect, error);
  if (report == NULL)
    return FALSE;
  postbag_result_string (result, "action", "draft_saved");
  postbag_result_string (result, "mailbox", drafts);
  postbag_result_strings (result, "recipients", (const char *const *)parts.written);
  postbag_result_string (result, "note", choose_note (mail));
  postbag_mail_change_write_interrupted (mail, result);
  return TRUE;
}
