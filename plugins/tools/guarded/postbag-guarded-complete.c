/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Completion of the prompts' `mailbox` and of a mailbox's URI: the accounts, and the mailboxes that
 * list_mailboxes shows, first those whose path begins with what was typed, then those whose last
 * level does. Where that tool is not offered nothing is suggested, since a suggestion would tell
 * the same. A name that is not shown as it is written is never suggested: nobody could tell what
 * they choose. */

#include "postbag-guarded-resources.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "safety/postbag-clean.h"
#include "toolset/postbag-mail-call.h"

static gboolean
is_plain (const char *path)
{
  g_autofree char *cleaned =
      postbag_clean (path, POSTBAG_CLEAN_LINE, POSTBAG_LIMIT_NAME_CHARS, NULL);

  return g_str_equal (cleaned, path) && postbag_mail_check_mailbox ("mailbox", path, NULL);
}

/* @typed: folded */
static gboolean
begins_with (const char *name, const char *typed)
{
  g_autofree char *folded = g_utf8_casefold (name, -1);

  return g_str_has_prefix (folded, typed);
}

static gboolean
matches (const PostbagMailbox *mailbox, const char *typed, gboolean by_level)
{
  const char *level = mailbox->delimiter != 0 ? strrchr (mailbox->path, mailbox->delimiter) : NULL;
  gboolean by_path;

  if (!mailbox->selectable || !is_plain (mailbox->path))
    return FALSE;
  by_path = begins_with (mailbox->path, typed);
  if (!by_level)
    return by_path;
  return !by_path && level != NULL && begins_with (level + 1, typed);
}

/* @usual: the mailbox that is meant when none is given: the first; the others follow. */
static void
suggest (PostbagCompletionList *list, GPtrArray *mailboxes, const char *typed, const char *usual)
{
  for (guint round = 0; round < 3; round++)
    for (guint i = 0; i < mailboxes->len; i++)
      {
        const PostbagMailbox *mailbox = g_ptr_array_index (mailboxes, i);
        gboolean is_usual = postbag_mailbox_is_same (mailbox->path, usual);

        if (is_usual == (round == 0)
            && (matches (mailbox, typed, round == 2)
                || (round == 0 && matches (mailbox, typed, TRUE))))
          postbag_completion_list_add (list, mailbox->path);
      }
}

static void
suggest_accounts (PostbagCall *call, PostbagCompletionList *list, const char *typed)
{
  PostbagAccounts *accounts = postbag_call_get_service (call, POSTBAG_TYPE_ACCOUNTS);
  g_autofree const char **names = accounts != NULL ? postbag_accounts_list (accounts) : NULL;

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    if (begins_with (names[i], typed))
      postbag_completion_list_add (list, names[i]);
}

static gboolean
suggest_mailboxes (PostbagMailCall *mail, PostbagCompletionList *list, const char *typed,
                   GError **error)
{
  gint64 total = 0;
  g_autoptr (GPtrArray) mailboxes = postbag_store_list_mailboxes (
      mail->store, FALSE, &total, postbag_mail_call_get_cancellable (mail), error);

  if (mailboxes == NULL)
    return FALSE;
  suggest (list, mailboxes, typed, mail->account->mailbox);
  return TRUE;
}

/* (transfer full) (nullable): of the account that was chosen before; %NULL without @error where
 * there is no such account, which then has no mailboxes */
static PostbagMailCall *
open_account (PostbagCall *call, const PostbagArgs *context, GError **error)
{
  g_autoptr (GError) inner = NULL;
  const char *name =
      postbag_args_has (context, "account") ? postbag_args_get_string (context, "account") : NULL;
  PostbagMailCall *mail = postbag_mail_call_new_for (call, name, NULL, &inner);

  if (mail == NULL && !g_error_matches (inner, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND))
    g_propagate_error (error, g_steal_pointer (&inner));
  return mail;
}

gboolean
postbag_guarded_complete (PostbagCall *call, const PostbagCompletion *completion,
                          PostbagCompletionList *list, GError **error)
{
  g_autofree char *typed = g_utf8_casefold (completion->value, -1);
  g_autoptr (PostbagMailCall) mail = NULL;
  g_autoptr (GError) inner = NULL;

  if (!postbag_call_has_tool (call, "list_mailboxes"))
    return TRUE;
  if (g_str_equal (completion->argument, "account"))
    {
      suggest_accounts (call, list, typed);
      return TRUE;
    }
  if (!g_str_equal (completion->argument, "mailbox") && !g_str_equal (completion->argument, "name"))
    return TRUE;
  mail = open_account (call, completion->context, &inner);
  if (mail != NULL)
    return suggest_mailboxes (mail, list, typed, error);
  if (inner == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&inner));
  return FALSE;
}
