/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Flags, copy, move and removal of messages that are known to be there (RFC 9051 sections 6.4.6 to
 * 6.4.9; RFC 4315, RFC 6851). EXPUNGE without UIDs is never sent: it would take along what others
 * have marked. */

#include "postbag-imap-apply.h"

#include <string.h>

#include "base/postbag-error.h"
#include "postbag-imap-set.h"
#include "postbag-imap-summary.h"
#include "safety/postbag-clean.h"

static void
append_all (GArray *to, const GArray *from)
{
  g_array_append_vals (to, from->data, from->len);
}

static PostbagImapCommand *
create_command (PostbagImapApply *self, const char *name)
{
  g_autoptr (GArray) set = postbag_imap_set_new ();
  PostbagImapCommand *command = postbag_imap_command_new (name);

  for (guint i = 0; i < self->there->len; i++)
    {
      guint32 uid = g_array_index (self->there, guint32, i);

      postbag_imap_set_add (set, uid, uid);
    }
  postbag_imap_command_add_set (command, set);
  return command;
}

static PostbagImapCommand *
create_transfer (PostbagImapApply *self, const char *name)
{
  PostbagImapCommand *command = create_command (self, name);

  postbag_imap_store_add_mailbox (self->store, command, self->effect->destination,
                                  postbag_imap_writer_is_utf8 (self->writer));
  return command;
}

/* --- flags --- */

static gboolean
is_listed (char **list, const char *flag)
{
  for (; list != NULL && *list != NULL; list++)
    if (g_ascii_strcasecmp (*list, flag) == 0)
      return TRUE;
  return FALSE;
}

/* A server that has no PERMANENTFLAGS keeps all (RFC 9051 section 7.1). */
static gboolean
check_kept (PostbagImapApply *self, char **flags, GError **error)
{
  for (; self->permanent_flags != NULL && *flags != NULL; flags++)
    {
      g_autofree char *quoted = postbag_clean_quote (*flags);

      if (is_listed (self->permanent_flags, *flags)
          || (**flags != '\\' && is_listed (self->permanent_flags, "\\*")))
        continue;
      g_set_error (
          error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
          "The mail server does not keep the flag %s in this mailbox. Nothing was changed; "
          "use a flag that get_server_info lists.",
          quoted);
      return FALSE;
    }
  return TRUE;
}

static PostbagImapCommand *
create_store (PostbagImapApply *self, const char *item, char **flags)
{
  PostbagImapCommand *command = create_command (self, "UID STORE");

  postbag_imap_command_add_words (command, item);
  postbag_imap_command_add_open (command);
  for (; *flags != NULL; flags++)
    postbag_imap_command_add_flag (command, *flags);
  postbag_imap_command_add_close (command);
  return command;
}

/* A server may say OK and forget: what it says the flags are now counts, where it says so. */
static gboolean
check_stored (PostbagImapApply *self, const PostbagImapOutcome *outcome, char **flags,
              gboolean is_set, GError **error)
{
  for (guint i = 0; i < outcome->replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (outcome->replies, i);

      if (reply->kind != POSTBAG_IMAP_REPLY_FETCH || !reply->fetch->has_flags
          || reply->fetch->uid == 0)
        continue;
      for (char **flag = flags; *flag != NULL; flag++)
        if (is_listed (reply->fetch->flags, *flag) != is_set)
          {
            g_autofree char *quoted = postbag_clean_quote (*flag);

            g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED,
                         "The mail server said yes, but did not %s the flag %s of message %u.",
                         is_set ? "set" : "remove", quoted, reply->fetch->uid);
            return FALSE;
          }
    }
  return TRUE;
}

static gboolean
store (PostbagImapApply *self, const char *item, char **flags, gboolean is_set, GError **error)
{
  g_autoptr (PostbagImapCommand) command = NULL;
  g_autoptr (PostbagImapOutcome) outcome = NULL;
  gboolean is_unknown = FALSE;

  if (*flags == NULL)
    return TRUE;
  command = create_store (self, item, flags);
  outcome = postbag_imap_apply_run (self, command, &is_unknown, error);
  if (is_unknown)
    append_all (self->report->unknown, self->there);
  if (outcome == NULL)
    return FALSE;
  postbag_imap_apply_step (self, is_set ? "flags were added" : "flags were removed");
  return check_stored (self, outcome, flags, is_set, error);
}

gboolean
postbag_imap_apply_flags (PostbagImapApply *self, GError **error)
{
  const PostbagEffect *effect = self->effect;
  g_auto (GStrv) add =
      postbag_flags_to_strings (effect->add_flags, (const char *const *)effect->add_keywords);
  g_auto (GStrv) remove =
      postbag_flags_to_strings (effect->remove_flags, (const char *const *)effect->remove_keywords);

  if (!check_kept (self, add, error))
    return FALSE;
  if (store (self, "+FLAGS", add, TRUE, error) && store (self, "-FLAGS", remove, FALSE, error))
    {
      append_all (self->report->done, self->there);
      return TRUE;
    }
  /* One half may be done: then "nothing happened" would be wrong. */
  if (self->report->steps->len > 0 && self->report->unknown->len == 0)
    append_all (self->report->unknown, self->there);
  return FALSE;
}

/* --- copy --- */

static gboolean
copy (PostbagImapApply *self, GError **error)
{
  g_autoptr (PostbagImapCommand) command = create_transfer (self, "UID COPY");
  gboolean is_unknown = FALSE;
  g_autoptr (PostbagImapOutcome) outcome =
      postbag_imap_apply_run (self, command, &is_unknown, error);

  if (is_unknown)
    append_all (self->report->unknown, self->there);
  if (outcome == NULL)
    return FALSE;
  postbag_imap_apply_map (self, outcome);
  postbag_imap_apply_step (self, "copied to “%s”", self->effect->destination);
  return TRUE;
}

gboolean
postbag_imap_apply_copy (PostbagImapApply *self, GError **error)
{
  if (!copy (self, error))
    return FALSE;
  append_all (self->report->done, self->there);
  return TRUE;
}

/* --- removal --- */

static gboolean
mark (PostbagImapApply *self, const char *item, gboolean *is_unknown, GError **error)
{
  static const char *const deleted[] = { "\\Deleted", NULL };
  g_autoptr (PostbagImapCommand) command = create_store (self, item, (char **)deleted);
  g_autoptr (PostbagImapOutcome) outcome =
      postbag_imap_apply_run (self, command, is_unknown, error);

  return outcome != NULL;
}

/* Marks and expunges exactly these. Where the second half is refused the marks go again, of those
 * that had none before, so that nobody else's EXPUNGE takes them. */
static gboolean
expunge (PostbagImapApply *self, gboolean *is_unknown, GError **error)
{
  g_autoptr (PostbagImapCommand) command = NULL;
  g_autoptr (PostbagImapOutcome) outcome = NULL;

  if (!mark (self, "+FLAGS.SILENT", is_unknown, error))
    return FALSE;
  command = create_command (self, "UID EXPUNGE");
  outcome = postbag_imap_apply_run (self, command, is_unknown, error);
  if (outcome != NULL)
    {
      postbag_imap_apply_step (self, "removed from “%s”", self->effect->mailbox);
      return TRUE;
    }
  if (*is_unknown)
    return FALSE;
  for (guint i = self->there->len; i > 0; i--)
    if (is_listed (g_ptr_array_index (self->flags_there, i - 1), "\\Deleted"))
      {
        g_array_remove_index (self->there, i - 1);
        g_ptr_array_remove_index (self->flags_there, i - 1);
      }
  if (self->there->len > 0 && postbag_imap_writer_is_open (self->writer)
      && mark (self, "-FLAGS.SILENT", NULL, NULL))
    postbag_imap_apply_step (self, "the mark for deletion was taken back");
  return FALSE;
}

gboolean
postbag_imap_apply_purge (PostbagImapApply *self, GError **error)
{
  g_autoptr (GArray) there = g_array_copy (self->there);
  gboolean is_unknown = FALSE;

  if (!postbag_imap_writer_has (self->writer, "UIDPLUS"))
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                           "This mail server cannot delete single messages (it has no UIDPLUS); "
                           "what others have marked would go with them. Nothing was changed. Move "
                           "the messages to the Trash mailbox instead.");
      return FALSE;
    }
  if (expunge (self, &is_unknown, error))
    {
      append_all (self->report->done, there);
      return TRUE;
    }
  if (is_unknown)
    append_all (self->report->unknown, there);
  return FALSE;
}

/* --- move --- */

static gboolean
fail_copied (PostbagImapApply *self, GError **error)
{
  g_autofree char *destination = postbag_clean_quote (self->effect->destination);

  append_all (self->report->copied, self->there);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
               "The messages were copied to %s, but not removed: this mail server cannot remove "
               "single messages (it has neither MOVE nor UIDPLUS). They are in both mailboxes now.",
               destination);
  return FALSE;
}

static gboolean
move_in_steps (PostbagImapApply *self, GError **error)
{
  g_autoptr (GArray) there = g_array_copy (self->there);
  gboolean is_unknown = FALSE;

  if (!copy (self, error))
    return FALSE;
  if (!postbag_imap_writer_has (self->writer, "UIDPLUS"))
    return fail_copied (self, error);
  if (expunge (self, &is_unknown, error))
    {
      append_all (self->report->done, there);
      return TRUE;
    }
  append_all (is_unknown ? self->report->unknown : self->report->copied, there);
  return FALSE;
}

/* After a MOVE that was refused: a server may have moved some before it stopped. */
static void
look_who_left (PostbagImapApply *self)
{
  g_autoptr (GPtrArray) commands =
      g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_imap_command_free);
  g_autoptr (GHashTable) still = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) outcomes = NULL;
  PostbagImapCommand *command = create_command (self, "UID FETCH");
  const PostbagImapOutcome *outcome;

  postbag_imap_command_add_words (command, "(UID)");
  g_ptr_array_add (commands, command);
  outcomes = postbag_imap_writer_look_here (self->writer, commands);
  if (outcomes == NULL)
    {
      append_all (self->report->unknown, self->there);
      return;
    }
  outcome = g_ptr_array_index (outcomes, 0);
  for (guint i = 0; i < outcome->replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (outcome->replies, i);

      if (reply->kind == POSTBAG_IMAP_REPLY_FETCH)
        g_hash_table_add (still, GUINT_TO_POINTER (reply->fetch->uid));
    }
  for (guint i = 0; i < self->there->len; i++)
    {
      guint32 uid = g_array_index (self->there, guint32, i);

      if (!postbag_imap_outcome_is_ok (outcome))
        g_array_append_val (self->report->unknown, uid);
      else if (!g_hash_table_contains (still, GUINT_TO_POINTER (uid)))
        g_array_append_val (self->report->done, uid);
    }
}

gboolean
postbag_imap_apply_move (PostbagImapApply *self, GError **error)
{
  g_autoptr (PostbagImapCommand) command = NULL;
  g_autoptr (PostbagImapOutcome) outcome = NULL;
  gboolean is_unknown = FALSE;

  if (!postbag_imap_writer_has (self->writer, "MOVE"))
    return move_in_steps (self, error);
  command = create_transfer (self, "UID MOVE");
  outcome = postbag_imap_apply_run (self, command, &is_unknown, error);
  if (outcome != NULL)
    {
      postbag_imap_apply_map (self, outcome);
      append_all (self->report->done, self->there);
      postbag_imap_apply_step (self, "moved to “%s”", self->effect->destination);
      return TRUE;
    }
  if (is_unknown)
    append_all (self->report->unknown, self->there);
  else if (postbag_imap_writer_is_open (self->writer))
    look_who_left (self);
  return FALSE;
}
