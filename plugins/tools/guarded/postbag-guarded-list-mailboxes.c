/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* list_mailboxes (contract 1.3): each path verbatim, since other tools need it, beside a cleaned
 * copy that can be quoted. */

#include "postbag-guarded-handlers.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "postbag-guarded-list.h"
#include "safety/postbag-clean.h"
#include "toolset/postbag-mail-call.h"
#include "toolset/postbag-mail-format.h"

static char *
clean_name (const char *name)
{
  return postbag_clean (name, POSTBAG_CLEAN_LINE, POSTBAG_LIMIT_NAME_CHARS, NULL);
}

static void
write_cleaned (PostbagResult *result, const char *name, const char *value)
{
  g_autofree char *cleaned = clean_name (value);

  postbag_result_string (result, name, cleaned);
}

static void
write_names (PostbagResult *result, const PostbagMailbox *mailbox)
{
  g_autofree char *display_name = clean_name (mailbox->path);
  const char *level = mailbox->delimiter != 0 ? strrchr (mailbox->path, mailbox->delimiter) : NULL;

  postbag_result_string (result, "path", mailbox->path);
  postbag_result_string (result, "display_name", display_name);
  if (!g_str_equal (display_name, mailbox->path))
    {
      g_autofree char *escaped = postbag_clean_escape (mailbox->path, POSTBAG_LIMIT_NAME_CHARS);

      postbag_result_string (result, "name_warning", escaped);
    }
  write_cleaned (result, "name", level != NULL && level[1] != '\0' ? level + 1 : mailbox->path);
}

static gboolean
write_mailbox (PostbagResult *result, const PostbagMailbox *mailbox)
{
  char delimiter[] = { mailbox->delimiter, '\0' };

  postbag_result_begin_item (result);
  write_names (result, mailbox);
  if (mailbox->delimiter != 0)
    write_cleaned (result, "delimiter", delimiter);
  if (mailbox->special_use != NULL)
    write_cleaned (result, "specialUse", mailbox->special_use);
  postbag_result_boolean (result, "subscribed", mailbox->subscribed);
  postbag_result_boolean (result, "selectable", mailbox->selectable);
  if (mailbox->has_status)
    {
      postbag_result_int (result, "messages", mailbox->messages);
      postbag_result_int (result, "unseen", mailbox->unseen);
      postbag_result_int (result, "uidNext", mailbox->uid_next);
    }
  return postbag_result_end_item (result);
}

static void
write_note (PostbagResult *result, gint64 status_omitted)
{
  g_autoptr (GString) note = g_string_new (
      "path is verbatim and not cleaned, because the other tools need it as it is; quote "
      "display_name instead. name_warning marks a path that holds characters which cannot be seen "
      "or that was otherwise changed for display.");

  if (status_omitted > 0)
    g_string_append (note, " Some mailboxes are listed without counts, since counting all of them "
                           "would have taken too long or was refused.");
  postbag_result_string (result, "note", note->str);
}

static void
write_totals (PostbagResult *result, gint64 returned, gint64 total, gint64 status_omitted)
{
  postbag_result_int (result, "total_mailboxes", total);
  if (status_omitted > 0)
    postbag_result_int (result, "status_omitted", status_omitted);
  if (returned < total)
    postbag_mail_write_truncated (result, "There are more mailboxes than one answer can list.",
                                  returned, total - returned,
                                  "A mailbox that is not listed can still be used when its exact "
                                  "name is known.");
}

gboolean
postbag_guarded_list_mailboxes (PostbagCall *call, const PostbagArgs *args, PostbagResult *result,
                                GError **error)
{
  g_autoptr (PostbagMailCall) mail = postbag_mail_call_new (call, args, error);
  g_autoptr (GPtrArray) mailboxes = NULL;
  gint64 total = 0, returned = 0, status_omitted = 0;

  if (mail == NULL)
    return FALSE;
  mailboxes = postbag_store_list_mailboxes (mail->store, TRUE, &total,
                                            postbag_mail_call_get_cancellable (mail), error);
  if (mailboxes == NULL)
    return FALSE;

  postbag_guarded_write_origin (result);
  postbag_result_string (result, "default_mailbox", mail->account->mailbox);
  postbag_result_begin_array (result, "mailboxes");
  for (guint i = 0; i < mailboxes->len; i++)
    {
      const PostbagMailbox *mailbox = g_ptr_array_index (mailboxes, i);

      if (!write_mailbox (result, mailbox))
        break;
      returned++;
      status_omitted += mailbox->selectable && !mailbox->has_status ? 1 : 0;
    }
  postbag_result_end_array (result);
  write_note (result, status_omitted);
  write_totals (result, returned, MAX (total, (gint64)mailboxes->len), status_omitted);
  return TRUE;
}
