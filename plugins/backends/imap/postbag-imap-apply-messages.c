/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Copy, move and removal of messages that are known to be there (RFC 9051 sections 6.4.7 to 6.4.9;
 * RFC 4315, RFC 6851). EXPUNGE without UIDs is never sent: it would take along what others
 * have marked. */

#include "postbag-imap-apply.h"

#include "base/postbag-error.h"

static PostbagImapCommand *
create_transfer (PostbagImapApply *self, const char *name)
{
  PostbagImapCommand *command = postbag_imap_apply_create (self, name);

  postbag_imap_store_add_mailbox (self->store, command, self->effect->destination,
                                  postbag_imap_writer_is_utf8 (self->writer));
  return command;
}

/* Between the last look and the command another mailbox can get the name: COPYUID tells. */
static gboolean
check_arrival (PostbagImapApply *self, GError **error)
{
  const PostbagEffect *effect = self->effect;

  if (self->arrived_in == 0 || postbag_effect_check_destination (effect, self->arrived_in, NULL))
    return TRUE;
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_CONFLICT,
               "The messages arrived in “%s”, but just then another mailbox had got that name: "
               "not the one that was asked for. Look there, and take them back if that is wrong.",
               effect->destination);
  return FALSE;
}

/* A server that names other messages than those that it was asked to copy may have copied those. */
static gboolean
check_copied (PostbagImapApply *self, GError **error)
{
  if (!self->is_contradicted)
    return TRUE;
  g_set_error (
      error, POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED,
      "The mail server copied messages to “%s”, but which cannot be said: what it answered "
      "(COPYUID) does not fit what it was asked for. The originals were kept, nothing is "
      "lost. Look there before you try again.",
      self->effect->destination);
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
    postbag_imap_apply_append_uids (self->report->unknown, self->there);
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
  postbag_imap_apply_append_uids (
      self->is_contradicted ? self->report->unknown : self->report->done, self->there);
  return check_arrival (self, error) && check_copied (self, error);
}

/* --- removal --- */

static gboolean
mark (PostbagImapApply *self, const char *item, gboolean *is_unknown, GError **error)
{
  static char *const deleted[] = { "\\Deleted", NULL };
  g_autoptr (PostbagImapCommand) command = postbag_imap_apply_create_store (self, item, deleted);
  g_autoptr (PostbagImapOutcome) outcome =
      postbag_imap_apply_run_in_source (self, command, is_unknown, error);

  return outcome != NULL;
}

/* After a refusal the marks go again, of those that had none before, so that nobody else's EXPUNGE
 * takes them; a refused STORE may have set some, too (RFC 2180 section 4.2). */
static void
unmark (PostbagImapApply *self, GError **error)
{
  for (guint i = self->there->len; i > 0; i--)
    if (postbag_imap_apply_is_listed (g_ptr_array_index (self->flags_there, i - 1), "\\Deleted"))
      {
        g_array_remove_index (self->there, i - 1);
        g_ptr_array_remove_index (self->flags_there, i - 1);
      }
  if (self->there->len == 0)
    return;
  if (postbag_imap_writer_is_open (self->writer) && mark (self, "-FLAGS.SILENT", NULL, NULL))
    {
      postbag_imap_apply_step (self, "the mark for deletion was taken back");
      return;
    }
  postbag_imap_apply_step (self, "the mark for deletion could not be taken back");
  g_prefix_error (error, "The messages may still be marked \\Deleted: remove that flag if they are "
                         "to stay. ");
}

/* Marks and expunges exactly these. */
static gboolean
expunge (PostbagImapApply *self, gboolean *is_unknown, GError **error)
{
  g_autoptr (PostbagImapCommand) command = NULL;
  g_autoptr (PostbagImapOutcome) outcome = NULL;

  if (mark (self, "+FLAGS.SILENT", is_unknown, error))
    {
      command = postbag_imap_apply_create (self, "UID EXPUNGE");
      outcome = postbag_imap_apply_run_in_source (self, command, is_unknown, error);
    }
  if (outcome != NULL)
    {
      postbag_imap_apply_step (self, "removed from “%s”", self->effect->mailbox);
      return TRUE;
    }
  if (!*is_unknown)
    unmark (self, error);
  return FALSE;
}

/* After a MOVE or EXPUNGE that was refused: a server may have done some before it stopped. Those
 * that are still there are left in @there, which nobody can say go to the report as unknown. */
static void
look_who_left (PostbagImapApply *self, GArray *there)
{
  g_autoptr (GHashTable) still = postbag_imap_apply_find_there (self, there);

  if (still == NULL)
    {
      postbag_imap_apply_append_uids (self->report->unknown, there);
      g_array_set_size (there, 0);
      return;
    }
  for (guint i = there->len; i > 0; i--)
    {
      guint32 uid = g_array_index (there, guint32, i - 1);

      if (g_hash_table_contains (still, GUINT_TO_POINTER (uid)))
        continue;
      g_array_insert_val (self->report->done, 0, uid);
      g_array_remove_index (there, i - 1);
    }
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
      postbag_imap_apply_append_uids (self->report->done, there);
      return TRUE;
    }
  if (is_unknown)
    postbag_imap_apply_append_uids (self->report->unknown, there);
  else
    look_who_left (self, there);
  return FALSE;
}

/* --- move --- */

/* Without UIDPLUS nothing could be removed afterwards, and each try would leave another copy. */
static gboolean
check_can_remove (PostbagImapApply *self, GError **error)
{
  if (postbag_imap_writer_has (self->writer, "UIDPLUS"))
    return TRUE;
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                       "This mail server cannot move messages: it has neither MOVE nor UIDPLUS, so "
                       "that they would be copied and could not be removed. Nothing was changed. "
                       "Copy them instead, and remove them with a mail program.");
  return FALSE;
}

static gboolean
move_in_steps (PostbagImapApply *self, GError **error)
{
  g_autoptr (GArray) there = NULL;
  gboolean is_unknown = FALSE;

  if (!check_can_remove (self, error) || !copy (self, error))
    return FALSE;
  there = g_array_copy (self->there);
  if (!check_arrival (self, error) || !check_copied (self, error))
    {
      postbag_imap_apply_append_uids (self->report->copied, there);
      return FALSE;
    }
  if (expunge (self, &is_unknown, error))
    {
      postbag_imap_apply_append_uids (self->report->done, there);
      return TRUE;
    }
  if (!is_unknown)
    look_who_left (self, there);
  postbag_imap_apply_append_uids (is_unknown ? self->report->unknown : self->report->copied, there);
  return FALSE;
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
      postbag_imap_apply_append_uids (self->report->done, self->there);
      postbag_imap_apply_step (self, "moved to “%s”", self->effect->destination);
      return check_arrival (self, error);
    }
  if (is_unknown)
    postbag_imap_apply_append_uids (self->report->unknown, self->there);
  else if (postbag_imap_writer_is_open (self->writer))
    look_who_left (self, self->there);
  return FALSE;
}
