/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* move_messages (contract 1.9): both modes ask a person. A copy cannot be unseen by whoever reads
 * the destination, so it is asked for as well, and an answer for one is none for the other. */

#include "postbag-guarded-handlers.h"

#include <string.h>

#include "toolset/postbag-mail-change.h"

static gboolean
ask (PostbagMailCall *mail, PostbagEffect *effect, const PostbagArgs *args, gboolean is_copy,
     GError **error)
{
  const PostbagMailName names[] = { { "From", effect->mailbox, "mailbox" },
                                    { "To", effect->destination, "destination" },
                                    { NULL } };
  const char *sentence =
      is_copy
          ? "Copy {messages} to another mailbox? The originals stay; whoever can read the other "
            "mailbox sees the copies."
          : "Move {messages} to another mailbox? They can be moved back.";

  return postbag_mail_change_ask (mail, effect, args, is_copy ? "copy" : "move", sentence, names,
                                  FALSE, error);
}

gboolean
postbag_guarded_move_messages (PostbagCall *call, const PostbagArgs *args, PostbagResult *result,
                               GError **error)
{
  g_autoptr (PostbagMailCall) mail = postbag_mail_call_new (call, args, error);
  g_autoptr (GArray) uids = mail != NULL ? postbag_mail_call_get_uids (mail, args, error) : NULL;
  const char *mode = postbag_args_has (args, "mode") ? postbag_args_get_string (args, "mode") : "";
  gboolean is_copy = strcmp (mode, "copy") == 0;
  const char *destination = postbag_args_get_string (args, "destination");
  g_autoptr (PostbagEffect) effect = NULL;
  g_autoptr (PostbagEffectReport) report = NULL;

  if (uids == NULL || !postbag_mail_check_mailbox ("destination", destination, error))
    return FALSE;
  effect = postbag_mail_change_new (mail, is_copy ? POSTBAG_EFFECT_COPY : POSTBAG_EFFECT_MOVE, uids,
                                    error);
  if (effect == NULL)
    return FALSE;
  effect->destination = g_strdup (destination);
  if (!ask (mail, effect, args, is_copy, error))
    return FALSE;
  report = postbag_mail_change_apply (mail, effect, error);
  if (report == NULL)
    return FALSE;
  postbag_result_string (result, "action", is_copy ? "copied" : "moved");
  postbag_result_string (result, "source", mail->mailbox);
  postbag_result_string (result, "destination", destination);
  postbag_mail_change_write_uids (result, effect, report);
  postbag_mail_change_write_interrupted (mail, result);
  return TRUE;
}
