/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Completion of the prompts' `mailbox`: the mailboxes that list_mailboxes shows, first those whose
 * path begins with what was typed, then those whose last level does. Where that tool is not offered
 * nothing is suggested, since a suggestion would tell the same. A name that is not shown as it is
 * written is never suggested: nobody could tell what they choose. */

#include "postbag-guarded-handlers.h"

#include <string.h>

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

static void
suggest (PostbagCompletionList *list, GPtrArray *mailboxes, const char *typed, gboolean by_level)
{
  for (guint i = 0; i < mailboxes->len; i++)
    {
      const PostbagMailbox *mailbox = g_ptr_array_index (mailboxes, i);

      if (matches (mailbox, typed, by_level))
        postbag_completion_list_add (list, mailbox->path);
    }
}

gboolean
postbag_guarded_complete (PostbagCall *call, const PostbagCompletion *completion,
                          PostbagCompletionList *list, GError **error)
{
  g_autoptr (JsonObject) none = json_object_new ();
  g_autoptr (PostbagArgs) args = postbag_args_new (none);
  g_autoptr (PostbagMailCall) mail = NULL;
  g_autoptr (GPtrArray) mailboxes = NULL;
  g_autofree char *typed = g_utf8_casefold (completion->value, -1);
  gint64 total = 0;

  if (!g_str_equal (completion->argument, "mailbox")
      || !postbag_call_has_tool (call, "list_mailboxes"))
    return TRUE;
  mail = postbag_mail_call_new (call, args, error);
  if (mail == NULL)
    return FALSE;
  mailboxes = postbag_store_list_mailboxes (mail->store, FALSE, &total,
                                            postbag_mail_call_get_cancellable (mail), error);
  if (mailboxes == NULL)
    return FALSE;
  suggest (list, mailboxes, typed, FALSE);
  suggest (list, mailboxes, typed, TRUE);
  return TRUE;
}
