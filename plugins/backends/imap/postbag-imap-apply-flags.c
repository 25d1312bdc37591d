/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Flags and keywords (RFC 9051 section 6.4.6). A STORE that was refused may have changed some of
 * the messages (RFC 2180 section 4.2), and one that was accepted none: where the answer leaves a
 * doubt, the flags are looked at before anything is said. */

#include "postbag-imap-apply.h"

#include "base/postbag-error.h"
#include "postbag-imap-summary.h"
#include "safety/postbag-clean.h"

/* A server that has no PERMANENTFLAGS keeps all (RFC 9051 section 7.1). */
static gboolean
check_kept (PostbagImapApply *self, char **flags, GError **error)
{
  for (; self->permanent_flags != NULL && *flags != NULL; flags++)
    {
      g_autofree char *quoted = postbag_clean_quote (*flags);

      if (postbag_imap_apply_is_listed (self->permanent_flags, *flags)
          || (**flags != '\\' && postbag_imap_apply_is_listed (self->permanent_flags, "\\*")))
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

PostbagImapCommand *
postbag_imap_apply_create_store (PostbagImapApply *self, const char *item, char *const *flags)
{
  PostbagImapCommand *command = postbag_imap_apply_create (self, "UID STORE");

  postbag_imap_command_add_words (command, item);
  postbag_imap_command_add_open (command);
  for (; *flags != NULL; flags++)
    postbag_imap_command_add_flag (command, *flags);
  postbag_imap_command_add_close (command);
  return command;
}

/* A server may say OK and forget: what it says the flags are now counts, where it says so. What
 * others change meanwhile on messages that are not ours is told in between. */
static gboolean
check_stored (PostbagImapApply *self, const PostbagImapOutcome *outcome, char **flags,
              gboolean is_set, GError **error)
{
  for (guint i = 0; i < outcome->replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (outcome->replies, i);

      if (reply->kind != POSTBAG_IMAP_REPLY_FETCH || !reply->fetch->has_flags
          || !postbag_imap_apply_holds (self->there, reply->fetch->uid))
        continue;
      for (char **flag = flags; *flag != NULL; flag++)
        if (postbag_imap_apply_is_listed (reply->fetch->flags, *flag) != is_set)
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
  command = postbag_imap_apply_create_store (self, item, flags);
  outcome = postbag_imap_apply_run (self, command, &is_unknown, error);
  if (is_unknown)
    postbag_imap_apply_append_uids (self->report->unknown, self->there);
  if (outcome == NULL)
    return FALSE;
  postbag_imap_apply_step (self, is_set ? "flags were added" : "flags were removed");
  return check_stored (self, outcome, flags, is_set, error);
}

/* --- looking again --- */

static gboolean
are_all (char *const *list, char *const *flags, gboolean is_set)
{
  for (; *flags != NULL; flags++)
    if (postbag_imap_apply_is_listed (list, *flags) != is_set)
      return FALSE;
  return TRUE;
}

static gboolean
are_same (char *const *list, char *const *other, char *const *flags)
{
  for (; *flags != NULL; flags++)
    if (postbag_imap_apply_is_listed (list, *flags) != postbag_imap_apply_is_listed (other, *flags))
      return FALSE;
  return TRUE;
}

/* (nullable): the last that was said of its flags */
static const PostbagImapFetch *
find_flags (const PostbagImapOutcome *outcome, guint32 uid)
{
  for (guint i = outcome->replies->len; i > 0; i--)
    {
      const PostbagImapReply *reply = g_ptr_array_index (outcome->replies, i - 1);

      if (reply->kind == POSTBAG_IMAP_REPLY_FETCH && reply->fetch->uid == uid
          && reply->fetch->has_flags)
        return reply->fetch;
    }
  return NULL;
}

/* As asked, as before, or something between; one that is gone is none of these. */
static void
sort_messages (PostbagImapApply *self, const PostbagImapOutcome *outcome, char **add, char **remove)
{
  for (guint i = 0; i < self->there->len; i++)
    {
      guint32 uid = g_array_index (self->there, guint32, i);
      char **before = g_ptr_array_index (self->flags_there, i);
      const PostbagImapFetch *now = find_flags (outcome, uid);

      if (now == NULL)
        continue;
      if (are_all (now->flags, add, TRUE) && are_all (now->flags, remove, FALSE))
        g_array_append_val (self->report->done, uid);
      else if (!are_same (now->flags, before, add) || !are_same (now->flags, before, remove))
        g_array_append_val (self->report->unknown, uid);
    }
}

static void
look_again (PostbagImapApply *self, char **add, char **remove)
{
  g_autoptr (PostbagImapOutcome) outcome =
      postbag_imap_apply_look_at (self, self->there, "(UID FLAGS)");

  if (outcome != NULL)
    sort_messages (self, outcome, add, remove);
  else
    postbag_imap_apply_append_uids (self->report->unknown, self->there);
}

gboolean
postbag_imap_apply_flags (PostbagImapApply *self, GError **error)
{
  const PostbagEffect *effect = self->effect;
  g_auto (GStrv) add =
      postbag_flags_to_strings (effect->add_flags, (const char *const *)effect->add_keywords);
  g_auto (GStrv) remove =
      postbag_flags_to_strings (effect->remove_flags, (const char *const *)effect->remove_keywords);
  g_autoptr (GError) failure = NULL;

  if (!check_kept (self, add, error))
    return FALSE;
  if (store (self, "+FLAGS", add, TRUE, &failure)
      && store (self, "-FLAGS", remove, FALSE, &failure))
    {
      postbag_imap_apply_append_uids (self->report->done, self->there);
      return TRUE;
    }
  /* What was refused before it was sent changed nothing. */
  if (self->report->unknown->len == 0
      && (self->report->steps->len > 0
          || !g_error_matches (failure, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT)))
    look_again (self, add, remove);
  g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}
