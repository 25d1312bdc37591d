/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "json/postbag-result.h"
#include "toolset/postbag-mail-call.h"

G_BEGIN_DECLS

/* What handlers of tools that change mail share: the uids of the call, the question to the person,
 * the effect, and the truth about what came of it. */

/* (transfer full) (nullable): the argument `uids`, sorted, each once; %NULL with
 * %POSTBAG_ERROR_NOT_FOUND for a number that no message can have */
POSTBAG_API GArray *postbag_mail_call_get_uids (PostbagMailCall *self, const PostbagArgs *args,
                                                GError **error);

/**
 * postbag_mail_change_new:
 *
 * A change of the call's mailbox. Where @uids is given it is bound to the UIDVALIDITY that this
 * caller was shown; a mailbox that was never listed is looked at first.
 *
 * Returns: (transfer full) (nullable)
 */
POSTBAG_API PostbagEffect *postbag_mail_change_new (PostbagMailCall *self, PostbagEffectKind kind,
                                                    const GArray *uids, GError **error);

/**
 * PostbagMailName:
 * @label: "From", "Mailbox", ...
 * @name: what is shown behind it
 * @argument: (nullable): the argument that gave it; %NULL, or one that was not given: the server or
 *   the configuration did
 */
typedef struct
{
  const char *label;
  const char *name;
  const char *argument;
} PostbagMailName;

/**
 * postbag_mail_change_ask:
 * @key: see PostbagQuestion
 * @sentence: what would happen, ours; `{messages}` in it becomes how many of the uids are there,
 *   "3 messages"
 * @names: (array zero-terminated=1): of mailboxes; ends with one without a label
 * @token_only: a second call is enough
 *
 * Asks a person for @effect, having made sure that nothing but their answer is missing. The answer
 * holds for exactly this account, operation, names and uids. Nobody is asked about messages of
 * which none is there: %POSTBAG_ERROR_NOT_FOUND.
 *
 * Returns: whether they said yes; then @effect says so, too
 */
POSTBAG_API gboolean postbag_mail_change_ask (PostbagMailCall *self, PostbagEffect *effect,
                                              const PostbagArgs *args, const char *key,
                                              const char *sentence, const PostbagMailName *names,
                                              gboolean token_only, GError **error);

/* Of a change that was made without postbag_mail_change_apply(): its entry in the journal is kept
 * until this call's answer has left. */
POSTBAG_API void postbag_mail_change_keep_until_told (PostbagMailCall *self,
                                                      PostbagReceipt **receipt);

/**
 * postbag_mail_change_apply:
 *
 * Does it. Where only a part was done, or nobody can say, the error tells which, how to find out,
 * and what that part lost. A change by uids that finds none of them is %POSTBAG_ERROR_NOT_FOUND.
 * One that would repeat what was interrupted earlier and not told of yet is
 * %POSTBAG_ERROR_CONFLICT, once, and the error tells of it; so it is when a person is asked for it.
 *
 * Returns: (transfer full) (nullable): set only where all that was there is as asked
 */
POSTBAG_API PostbagEffectReport *
postbag_mail_change_apply (PostbagMailCall *self, const PostbagEffect *effect, GError **error);

/* `uids` of the answer: those that are as asked; `not_there`, where some were not; `notes`, where
 * something did not come along. */
POSTBAG_API void postbag_mail_change_write_uids (PostbagResult *result, const PostbagEffect *effect,
                                                 const PostbagEffectReport *report);

/* @note: whole sentences for whoever reads the answer, in its text and, by @key, in `_meta`: the
 * last thing that a handler writes. */
POSTBAG_API void postbag_mail_change_write_note (PostbagResult *result, const char *key,
                                                 const char *note);
/* What was interrupted earlier on this account, as a note in the result's text and `_meta`: the
 * last thing that a handler writes. */
POSTBAG_API void postbag_mail_change_write_interrupted (PostbagMailCall *self,
                                                        PostbagResult *result);

/* "3 messages (uids 1, 2, 3)": (transfer full): at most 20 uids */
POSTBAG_API char *postbag_mail_format_uids (const GArray *uids);

/**
 * postbag_mail_find_special_use:
 * @use: RFC 6154, e.g. "\\Trash"
 * @configured: (nullable): the one that the configuration names
 * @guessed: (out) (transfer full) (nullable): one that has nothing but a name for it:
 * not good enough where there is a server that could say it, as names are different in each
 * language and anybody's folder can have one; a folder of this machine has nothing but names
 *
 * Returns: (transfer full) (nullable): where such mail goes; %NULL without @error where nobody says
 */
POSTBAG_API char *postbag_mail_find_special_use (PostbagMailCall *self, const char *use,
                                                 const char *configured, char **guessed,
                                                 GError **error);

G_END_DECLS
