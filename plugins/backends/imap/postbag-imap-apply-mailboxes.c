/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* New messages and mailboxes (RFC 9051 sections 6.3.4 to 6.3.8 and 6.3.12; RFC 7889). A mailbox is
 * never made because a message wants to go there. */

#include "postbag-imap-apply.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-text.h"

/* --- append --- */

/* What STATUS says (RFC 7889 section 3.1). A server that does not say refuses by itself. */
static gboolean
ask_limit (PostbagImapApply *self, gint64 *limit, GError **error)
{
  g_autoptr (GPtrArray) commands =
      g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_imap_command_free);
  g_autoptr (GPtrArray) outcomes = NULL;
  PostbagImapCommand *command = postbag_imap_apply_command (self, "STATUS", self->effect->mailbox);
  const PostbagImapMailboxStatus *status;

  postbag_imap_command_add_words (command, "(APPENDLIMIT)");
  g_ptr_array_add (commands, command);
  outcomes = postbag_imap_writer_look (self->writer, commands, error);
  if (outcomes == NULL)
    return FALSE;
  status = postbag_imap_apply_find_status (g_ptr_array_index (outcomes, 0));
  if (status != NULL)
    *limit = status->append_limit;
  return TRUE;
}

/* One number for all mailboxes, or a word that each has one of its own. -1: none is known */
static gboolean
find_limit (PostbagImapApply *self, gint64 *limit, GError **error)
{
  const char *value = postbag_imap_writer_get_value (self->writer, "APPENDLIMIT");

  *limit = -1;
  if (value == NULL && postbag_imap_writer_has (self->writer, "APPENDLIMIT"))
    return ask_limit (self, limit, error);
  if (value != NULL && !postbag_text_parse_int (value, 0, G_MAXINT64, limit))
    *limit = -1;
  return TRUE;
}

static gboolean
check_message (PostbagImapApply *self, GError **error)
{
  gsize length;
  const char *data = g_bytes_get_data (self->effect->message, &length);
  gint64 limit;

  if (!find_limit (self, &limit, error))
    return FALSE;
  if (limit >= 0 && length > (guint64)limit)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
                   "The message has %" G_GSIZE_FORMAT
                   " bytes, the mail server takes %" G_GINT64_FORMAT
                   " in the mailbox “%s”. Nothing was sent; make it smaller.",
                   length, limit, self->effect->mailbox);
      return FALSE;
    }
  if (length == 0 || memchr (data, '\0', length) == NULL)
    return TRUE;
  g_set_error_literal (
      error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
      "The message holds a NUL byte, which no mail server takes. Nothing was sent.");
  return FALSE;
}

static gboolean
takes_utf8 (PostbagImapApply *self)
{
  return postbag_imap_writer_is_utf8 (self->writer)
         && (postbag_imap_writer_has (self->writer, "UTF8=ACCEPT")
             || postbag_imap_writer_has (self->writer, "UTF8=ONLY"));
}

/* Where that was enabled such a message goes as one (RFC 6855 section 4). */
static gboolean
has_utf8_header (GBytes *message)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (message, &length);
  const guint8 *end = length > 0 ? memmem (data, length, "\r\n\r\n", 4) : NULL;

  for (const guint8 *next = data; next < (end != NULL ? end : data + length); next++)
    if (*next >= 0x80)
      return TRUE;
  return FALSE;
}

static PostbagImapCommand *
create_append (PostbagImapApply *self)
{
  const PostbagEffect *effect = self->effect;
  PostbagImapCommand *command = postbag_imap_apply_command (self, "APPEND", effect->mailbox);
  g_auto (GStrv) flags =
      postbag_flags_to_strings (effect->add_flags, (const char *const *)effect->add_keywords);

  postbag_imap_command_add_open (command);
  for (char **flag = flags; *flag != NULL; flag++)
    postbag_imap_command_add_flag (command, *flag);
  postbag_imap_command_add_close (command);
  if (takes_utf8 (self) && has_utf8_header (effect->message))
    {
      postbag_imap_command_add_words (command, "UTF8");
      postbag_imap_command_add_open (command);
      postbag_imap_command_add_literal8 (command, effect->message);
      postbag_imap_command_add_close (command);
    }
  else
    postbag_imap_command_add_literal (command, effect->message);
  return command;
}

/* APPENDUID (RFC 4315): validity, uid */
static void
take_uid (PostbagImapApply *self, const PostbagImapOutcome *outcome)
{
  const PostbagImapStatus *status = postbag_imap_outcome_find_code (outcome, "APPENDUID");
  g_auto (GStrv) words = NULL;
  PostbagUidPair pair = { 0, 0 };
  gint64 uid, uid_validity;

  if (status == NULL || status->arguments == NULL)
    return;
  words = g_strsplit (status->arguments, " ", 3);
  if (g_strv_length (words) != 2
      || !postbag_text_parse_int (words[0], 1, G_MAXUINT32, &uid_validity)
      || !postbag_text_parse_int (words[1], 1, G_MAXUINT32, &uid))
    return;
  pair.to = (guint32)uid;
  g_array_append_val (self->report->uid_map, pair);
}

gboolean
postbag_imap_apply_append (PostbagImapApply *self, GError **error)
{
  g_autoptr (PostbagImapCommand) command = NULL;
  g_autoptr (PostbagImapOutcome) outcome = NULL;
  gboolean is_unknown = FALSE;
  guint32 no_uid = 0;

  if (!check_message (self, error))
    return FALSE;
  command = create_append (self);
  outcome = postbag_imap_apply_run (self, command, &is_unknown, error);
  if (is_unknown)
    g_array_append_val (self->report->unknown, no_uid);
  if (outcome == NULL)
    return FALSE;
  take_uid (self, outcome);
  postbag_imap_apply_step (self, "saved in “%s”", self->effect->mailbox);
  return TRUE;
}

/* --- mailboxes --- */

static const struct
{
  const char *command;
  const char *step;
} mailbox_kinds[POSTBAG_EFFECT_N_KINDS] = {
  [POSTBAG_EFFECT_CREATE_MAILBOX] = { "CREATE", "the mailbox was made" },
  [POSTBAG_EFFECT_RENAME_MAILBOX] = { "RENAME", "the mailbox was renamed" },
  [POSTBAG_EFFECT_DELETE_MAILBOX] = { "DELETE", "the mailbox was removed" },
  [POSTBAG_EFFECT_SUBSCRIBE] = { "SUBSCRIBE", "the mailbox was subscribed to" },
  [POSTBAG_EFFECT_UNSUBSCRIBE] = { "UNSUBSCRIBE", "the mailbox was unsubscribed from" },
};

static gboolean
has_attribute (const PostbagImapListEntry *entry, const char *name)
{
  return postbag_imap_apply_is_listed (entry->attributes, name);
}

/* (nullable): the mailbox itself among what LIST says */
static const PostbagImapListEntry *
find_entry (PostbagImapApply *self, const PostbagImapOutcome *outcome)
{
  for (guint i = 0; i < outcome->replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (outcome->replies, i);

      if (reply->kind == POSTBAG_IMAP_REPLY_LIST
          && strcmp (reply->list->name, self->effect->mailbox) == 0)
        return reply->list;
    }
  return NULL;
}

/* (transfer full) (nullable): what came of @command, which changes nothing, where that is `OK` */
static GPtrArray *
look (PostbagImapApply *self, PostbagImapCommand *command, GError **error)
{
  g_autoptr (GPtrArray) commands =
      g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_imap_command_free);
  g_autoptr (GPtrArray) outcomes = NULL;
  const PostbagImapOutcome *outcome;

  g_ptr_array_add (commands, command);
  outcomes = postbag_imap_writer_look (self->writer, commands, error);
  if (outcomes == NULL)
    return NULL;
  outcome = g_ptr_array_index (outcomes, 0);
  if (postbag_imap_outcome_is_ok (outcome))
    return g_steal_pointer (&outcomes);
  postbag_imap_apply_fail (self, self->effect->mailbox, outcome->status, TRUE, error);
  return NULL;
}

static PostbagImapCommand *
create_list (PostbagImapApply *self, const char *pattern)
{
  PostbagImapCommand *command = postbag_imap_command_new ("LIST");

  postbag_imap_command_add_string (command, "");
  postbag_imap_store_add_mailbox (self->store, command, pattern,
                                  postbag_imap_writer_is_utf8 (self->writer));
  return command;
}

static gboolean
has_any_below (PostbagImapApply *self, char delimiter, gboolean *has_any, GError **error)
{
  g_autofree char *pattern = g_strdup_printf ("%s%c%%", self->effect->mailbox, delimiter);
  g_autoptr (GPtrArray) outcomes = look (self, create_list (self, pattern), error);
  const PostbagImapOutcome *outcome;

  if (outcomes == NULL)
    return FALSE;
  outcome = g_ptr_array_index (outcomes, 0);
  for (guint i = 0; i < outcome->replies->len; i++)
    *has_any |= ((PostbagImapReply *)outcome->replies->pdata[i])->kind == POSTBAG_IMAP_REPLY_LIST;
  return TRUE;
}

/* Mailboxes below should stay (RFC 9051 section 6.3.5), and with some servers do not. Whether there
 * are any, most say in the list (RFC 3348). */
static gboolean
check_no_children (PostbagImapApply *self, GError **error)
{
  g_autoptr (GPtrArray) outcomes = look (self, create_list (self, self->effect->mailbox), error);
  const PostbagImapListEntry *entry;
  gboolean has_any;

  if (outcomes == NULL)
    return FALSE;
  entry = find_entry (self, g_ptr_array_index (outcomes, 0));
  if (entry == NULL || entry->delimiter == 0 || has_attribute (entry, "\\HasNoChildren")
      || has_attribute (entry, "\\Noinferiors"))
    return TRUE;
  has_any = has_attribute (entry, "\\HasChildren");
  if (!has_any && !has_any_below (self, entry->delimiter, &has_any, error))
    return FALSE;
  if (!has_any)
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
               "There are mailboxes below “%s”, and some mail servers would delete them with it. "
               "Nothing was changed. Delete or rename those below it first.",
               self->effect->mailbox);
  return FALSE;
}

static gboolean
has_condition (const PostbagEffect *effect)
{
  if (effect->kind == POSTBAG_EFFECT_DELETE_MAILBOX
      && (effect->only_empty || effect->messages_told > 0))
    return TRUE;
  return effect->uid_validity != 0;
}

/* IMAP has no "delete it if it is still as it was": looked at right before, over the same
 * connection. What comes within that round trip is lost with the mailbox. */
static gboolean
check_unchanged (PostbagImapApply *self, GError **error)
{
  const PostbagImapMailboxStatus *status;
  g_autoptr (GPtrArray) outcomes = NULL;
  PostbagImapCommand *command;

  if (!has_condition (self->effect))
    return TRUE;
  command = postbag_imap_apply_command (self, "STATUS", self->effect->mailbox);
  postbag_imap_command_add_words (command, "(MESSAGES UIDNEXT UIDVALIDITY)");
  outcomes = look (self, command, error);
  if (outcomes == NULL)
    return FALSE;
  status = postbag_imap_apply_find_status (g_ptr_array_index (outcomes, 0));
  if (status != NULL && status->messages >= 0)
    return postbag_effect_check_mailbox (self->effect, (guint32)MAX (status->uid_validity, 0),
                                         status->messages, (guint32)MAX (status->uid_next, 0),
                                         error);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED,
               "The mail server does not say what is in the mailbox “%s”, so that it is not "
               "certain what would be changed. Nothing was changed.",
               self->effect->mailbox);
  return FALSE;
}

/* Before what takes a mailbox away from its name. */
static gboolean
prepare (PostbagImapApply *self, GError **error)
{
  gboolean is_deletion = self->effect->kind == POSTBAG_EFFECT_DELETE_MAILBOX;

  if (!is_deletion && self->effect->kind != POSTBAG_EFFECT_RENAME_MAILBOX)
    return TRUE;
  /* SELECT may still hold it open. */
  return postbag_imap_writer_renew (self->writer, error)
         && (!is_deletion || check_no_children (self, error)) && check_unchanged (self, error);
}

gboolean
postbag_imap_apply_mailbox (PostbagImapApply *self, GError **error)
{
  const PostbagEffect *effect = self->effect;
  g_autoptr (PostbagImapCommand) command = NULL;
  g_autoptr (PostbagImapOutcome) outcome = NULL;
  gboolean is_unknown = FALSE;
  guint32 no_uid = 0;

  if (!prepare (self, error))
    return FALSE;
  command = postbag_imap_apply_command (self, mailbox_kinds[effect->kind].command, effect->mailbox);
  if (effect->kind == POSTBAG_EFFECT_RENAME_MAILBOX)
    postbag_imap_store_add_mailbox (self->store, command, effect->destination,
                                    postbag_imap_writer_is_utf8 (self->writer));
  outcome = postbag_imap_apply_run (self, command, &is_unknown, error);
  if (is_unknown)
    g_array_append_val (self->report->unknown, no_uid);
  if (outcome == NULL)
    return FALSE;
  postbag_imap_apply_step (self, "%s", mailbox_kinds[effect->kind].step);
  return TRUE;
}
