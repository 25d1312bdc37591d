/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* manage_mailbox (contract 1.11): creating needs no question, renaming a second call, deleting a
 * person. A mailbox that holds mail is deleted only where the account may purge. */

#include "postbag-guarded-handlers.h"

#include <string.h>

#include "toolset/postbag-mail-change.h"

static gboolean
is_listed (PostbagMailCall *mail, const char *path)
{
  g_autoptr (GPtrArray) mailboxes = postbag_store_list_mailboxes (
      mail->store, FALSE, NULL, postbag_mail_call_get_cancellable (mail), NULL);

  for (guint i = 0; mailboxes != NULL && i < mailboxes->len; i++)
    if (strcmp (((const PostbagMailbox *)g_ptr_array_index (mailboxes, i))->path, path) == 0)
      return TRUE;
  return FALSE;
}

/* What only holds others has no state, which is no reason to rename whatever has that name then. */
static gboolean
find_state (PostbagMailCall *mail, PostbagEffect *effect, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (PostbagMailboxState) state = postbag_store_get_state (
      mail->store, effect->mailbox, postbag_mail_call_get_cancellable (mail), &failure);

  effect->uid_validity = state != NULL ? state->uid_validity : 0;
  if (state != NULL
      || (g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND)
          && is_listed (mail, effect->mailbox)))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&failure));
  return postbag_mail_call_explain (mail, 0, error);
}

/* --- what it is for --- */

static const struct
{
  const char *use; /* RFC 6154 */
  const char *words;
} purposes[] = {
  { "\\Trash", "the Trash: without it delete_messages has nowhere to move mail." },
  { "\\Drafts", "the Drafts mailbox: without it save_draft has nowhere to put drafts." },
  { "\\Sent", "the Sent mailbox: mail programs keep there what was sent." },
  { "\\Junk", "the Junk mailbox: spam is sorted into it." },
  { "\\Archive", "the Archive: mail programs put there what is to be kept." },
};

/* By what the configuration or the server says; a name alone counts only where nothing else can
 * say it. */
static gboolean
is_for (PostbagMailCall *mail, const PostbagMailbox *mailbox, const char *use)
{
  const PostbagAccount *account = mail->account;
  const char *configured = strcmp (use, "\\Trash") == 0    ? account->trash_mailbox
                           : strcmp (use, "\\Drafts") == 0 ? account->drafts_mailbox
                                                           : NULL;

  if (g_strcmp0 (configured, mailbox->path) == 0)
    return TRUE;
  return mailbox->special_use != NULL && g_ascii_strcasecmp (mailbox->special_use, use) == 0
         && (!mailbox->special_use_is_guessed || account->host == NULL);
}

static gboolean
is_below (const PostbagMailbox *mailbox, const char *path)
{
  gsize length = strlen (path);

  return mailbox->delimiter != 0 && strncmp (mailbox->path, path, length) == 0
         && mailbox->path[length] == mailbox->delimiter;
}

/* (transfer full) (nullable): @sentence, and what the mailbox is, or, @with_those_below, what goes
 * with it */
static char *
add_purposes (PostbagMailCall *mail, const char *sentence, gboolean with_those_below,
              GError **error)
{
  g_autoptr (GPtrArray) mailboxes = postbag_store_list_mailboxes (
      mail->store, FALSE, NULL, postbag_mail_call_get_cancellable (mail), error);
  GString *out = mailboxes != NULL ? g_string_new (sentence) : NULL;

  for (guint i = 0; mailboxes != NULL && i < mailboxes->len; i++)
    {
      const PostbagMailbox *mailbox = g_ptr_array_index (mailboxes, i);
      gboolean is_it = strcmp (mailbox->path, mail->mailbox) == 0;

      if (!is_it && !(with_those_below && is_below (mailbox, mail->mailbox)))
        continue;
      for (gsize k = 0; k < G_N_ELEMENTS (purposes); k++)
        if (is_for (mail, mailbox, purposes[k].use))
          g_string_append_printf (out, " %s is %s", is_it ? "It" : "One below it",
                                  purposes[k].words);
    }
  return out != NULL ? g_string_free (out, FALSE) : NULL;
}

/* --- questions --- */

static gboolean
ask_rename (PostbagMailCall *mail, PostbagEffect *effect, const PostbagArgs *args, GError **error)
{
  const PostbagMailName names[] = { { "Mailbox", effect->mailbox, "mailbox" },
                                    { "New name", effect->destination, "new_name" },
                                    { NULL } };
  g_autofree char *sentence = NULL;

  if (!find_state (mail, effect, error))
    return FALSE;
  sentence = add_purposes (mail, "Rename a mailbox, and those below it? It can be renamed back.",
                           TRUE, error);
  return sentence != NULL
         && postbag_mail_change_ask (mail, effect, args, "rename", sentence, names, TRUE, error);
}

static gboolean
ask_delete (PostbagMailCall *mail, PostbagEffect *effect, const PostbagArgs *args, GError **error)
{
  const PostbagMailName names[] = { { "Mailbox", effect->mailbox, "mailbox" }, { NULL } };
  g_autoptr (PostbagMailboxState) state = postbag_store_get_state (
      mail->store, effect->mailbox, postbag_mail_call_get_cancellable (mail), error);
  g_autofree char *plain = NULL, *sentence = NULL;

  if (state == NULL)
    return postbag_mail_call_explain (mail, 0, error);
  effect->uid_validity = state->uid_validity;
  effect->only_empty = state->messages == 0;
  effect->messages_told = state->messages;
  effect->uid_next_told = state->uid_next;
  plain = state->messages == 0
              ? g_strdup ("Delete an empty mailbox?")
              : g_strdup_printf ("Delete a mailbox with the %" G_GINT64_FORMAT
                                 " messages in it, for good? This cannot be undone.",
                                 state->messages);
  sentence = add_purposes (mail, plain, FALSE, error);
  return sentence != NULL
         && postbag_mail_change_ask (mail, effect, args,
                                     effect->only_empty ? "delete_empty" : "delete_mailbox",
                                     sentence, names, FALSE, error);
}

static gboolean
check_no_inbox (PostbagMailCall *mail, GError **error)
{
  if (g_ascii_strcasecmp (mail->mailbox, "INBOX") != 0)
    return TRUE;
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
                       "The inbox can be neither renamed nor deleted. Nothing was changed.");
  return FALSE;
}

static gboolean
read_new_name (const PostbagArgs *args, PostbagEffect *effect, GError **error)
{
  const char *name =
      postbag_args_has (args, "new_name") ? postbag_args_get_string (args, "new_name") : NULL;

  if (name == NULL)
    {
      g_set_error_literal (
          error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
          "new_name: to rename a mailbox, give its new path. Nothing was changed.");
      return FALSE;
    }
  if (!postbag_mail_check_mailbox ("new_name", name, error))
    return FALSE;
  effect->destination = g_strdup (name);
  return TRUE;
}

/* (transfer full) (nullable): the effect, agreed to where it has to be */
static PostbagEffect *
prepare (PostbagMailCall *mail, const PostbagArgs *args, const char *action, GError **error)
{
  g_autoptr (PostbagEffect) effect = NULL;

  if (strcmp (action, "create") == 0)
    return postbag_mail_change_new (mail, POSTBAG_EFFECT_CREATE_MAILBOX, NULL, error);
  if (!check_no_inbox (mail, error))
    return NULL;
  if (strcmp (action, "rename") == 0)
    {
      effect = postbag_mail_change_new (mail, POSTBAG_EFFECT_RENAME_MAILBOX, NULL, error);
      return read_new_name (args, effect, error) && ask_rename (mail, effect, args, error)
                 ? g_steal_pointer (&effect)
                 : NULL;
    }
  effect = postbag_mail_change_new (mail, POSTBAG_EFFECT_DELETE_MAILBOX, NULL, error);
  return ask_delete (mail, effect, args, error) ? g_steal_pointer (&effect) : NULL;
}

gboolean
postbag_guarded_manage_mailbox (PostbagCall *call, const PostbagArgs *args, PostbagResult *result,
                                GError **error)
{
  g_autoptr (PostbagMailCall) mail = postbag_mail_call_new (call, args, error);
  const char *action = postbag_args_get_string (args, "action");
  g_autoptr (PostbagEffect) effect = mail != NULL ? prepare (mail, args, action, error) : NULL;
  g_autoptr (PostbagEffectReport) report = NULL;

  if (effect == NULL)
    return FALSE;
  report = postbag_mail_change_apply (mail, effect, error);
  if (report == NULL)
    return FALSE;
  postbag_result_string (result, "action", action);
  postbag_result_string (result, "mailbox", mail->mailbox);
  if (effect->destination != NULL)
    postbag_result_string (result, "new_name", effect->destination);
  postbag_mail_change_write_interrupted (mail, result);
  return TRUE;
}
