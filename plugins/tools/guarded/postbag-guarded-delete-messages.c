/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* delete_messages (contract 1.10): to the Trash mailbox, unless the account may purge; then for
 * good, and only these messages. The question names what would really happen. */

#include "postbag-guarded-handlers.h"

#include "safety/postbag-clean.h"
#include "toolset/postbag-mail-change.h"

/* The other way out. */
#define ADVICE                                                                                       \
  "Deleting for good is not allowed here; the person who runs Postbag can allow “purge” in the " \
  "configuration."

static void
refuse_trash (const char *guessed, GError **error)
{
  g_autofree char *quoted = guessed != NULL ? postbag_clean_quote (guessed) : NULL;

  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
               "%s%s%s. Nothing was changed. Use move_messages with a mailbox that the person "
               "names; or the person who runs Postbag sets one with POSTBAG_TRASH_MAILBOX, or "
               "“trash-mailbox” in the configuration. " ADVICE,
               quoted != NULL ? "The mail server does not say which mailbox is the Trash; "
                              : "There is no Trash mailbox to move the messages to",
               quoted != NULL ? quoted : "", quoted != NULL ? " is only called like one" : "");
}

/* (transfer full) (nullable) */
static char *
find_trash (PostbagMailCall *mail, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autofree char *guessed = NULL;
  g_autofree char *trash = postbag_mail_find_special_use (
      mail, "\\Trash", mail->account->trash_mailbox, &guessed, &failure);

  if (failure != NULL)
    g_propagate_error (error, g_steal_pointer (&failure));
  else if (trash == NULL)
    refuse_trash (guessed, error);
  return g_steal_pointer (&trash);
}

/* What is in the Trash mailbox can only go for good. */
static gboolean
check_place (const PostbagEffect *effect, GError **error)
{
  g_autoptr (GError) failure = NULL;

  if (postbag_effect_check_place (effect, &failure))
    return TRUE;
  g_set_error (error, failure->domain, failure->code, "%s " ADVICE, failure->message);
  return FALSE;
}

static PostbagEffect *
create_effect (PostbagMailCall *mail, const GArray *uids, GError **error)
{
  g_autoptr (PostbagEffect) effect = NULL;
  g_autofree char *trash = NULL;

  if (mail->account->may & POSTBAG_MAY_PURGE)
    return postbag_mail_change_new (mail, POSTBAG_EFFECT_PURGE, uids, error);
  if ((mail->account->may & POSTBAG_MAY_ORGANISE) == 0)
    {
      g_set_error (
          error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
          "The account “%s” is read-only. Nothing was changed. The person who runs Postbag "
          "can allow changes in the configuration.",
          mail->account->name);
      return NULL;
    }
  trash = find_trash (mail, error);
  effect = trash != NULL ? postbag_mail_change_new (mail, POSTBAG_EFFECT_MOVE, uids, error) : NULL;
  if (effect == NULL)
    return NULL;
  effect->destination = g_steal_pointer (&trash);
  return check_place (effect, error) ? g_steal_pointer (&effect) : NULL;
}

static gboolean
ask (PostbagMailCall *mail, PostbagEffect *effect, const PostbagArgs *args, GError **error)
{
  gboolean for_good = effect->kind == POSTBAG_EFFECT_PURGE;
  const PostbagMailName names[] = { { "Mailbox", effect->mailbox, "mailbox" },
                                    { for_good ? NULL : "Moved to", effect->destination, NULL },
                                    { NULL } };
  const char *sentence =
      for_good ? "Delete {messages} for good? This cannot be undone."
               : "Delete {messages}, by moving to the Trash mailbox? From there they can be moved "
                 "back until the mail server empties it.";

  return postbag_mail_change_ask (mail, effect, args, "delete", sentence, names, FALSE, error);
}

gboolean
postbag_guarded_delete_messages (PostbagCall *call, const PostbagArgs *args, PostbagResult *result,
                                 GError **error)
{
  g_autoptr (PostbagMailCall) mail = postbag_mail_call_new (call, args, error);
  g_autoptr (GArray) uids = mail != NULL ? postbag_mail_call_get_uids (mail, args, error) : NULL;
  g_autoptr (PostbagEffect) effect = uids != NULL ? create_effect (mail, uids, error) : NULL;
  g_autoptr (PostbagEffectReport) report = NULL;

  if (effect == NULL || !ask (mail, effect, args, error))
    return FALSE;
  report = postbag_mail_change_apply (mail, effect, error);
  if (report == NULL)
    return FALSE;
  postbag_result_string (result, "action", "deleted");
  postbag_result_string (result, "mailbox", mail->mailbox);
  postbag_mail_change_write_uids (result, effect, report);
  if (effect->destination != NULL)
    postbag_result_string (result, "moved_to", effect->destination);
  postbag_mail_change_write_interrupted (mail, result);
  return TRUE;
}
