/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-request.h"

#include "base/postbag-error.h"
#include "postbag-imap-set.h"

static void
create_results (PostbagImapRequest *self)
{
  self->replies = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_imap_reply_unref);
  self->statuses = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_imap_status_free);
}

static void
clear_results (PostbagImapRequest *self)
{
  g_clear_pointer (&self->replies, g_ptr_array_unref);
  g_clear_pointer (&self->statuses, g_ptr_array_unref);
  g_clear_pointer (&self->refused, postbag_imap_status_free);
  g_clear_pointer (&self->permanent_flags, g_strfreev);
  g_clear_error (&self->error);
}

PostbagImapRequest *
postbag_imap_request_new (const char *mailbox, guint wanted)
{
  PostbagImapRequest *self = g_new0 (PostbagImapRequest, 1);

  g_atomic_ref_count_init (&self->references);
  self->mailbox = g_strdup (mailbox);
  self->wanted = wanted;
  self->commands = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_imap_command_free);
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  create_results (self);
  return self;
}

PostbagImapRequest *
postbag_imap_request_ref (PostbagImapRequest *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
postbag_imap_request_unref (PostbagImapRequest *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->references))
    return;
  clear_results (self);
  g_free (self->mailbox);
  g_free (self->raw_mailbox);
  g_ptr_array_unref (self->commands);
  g_clear_pointer (&self->uids, g_array_unref);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
}

PostbagImapCommand *
postbag_imap_request_add (PostbagImapRequest *self, const char *name)
{
  PostbagImapCommand *command = postbag_imap_command_new (name);

  g_ptr_array_add (self->commands, command);
  return command;
}

void
postbag_imap_request_reset (PostbagImapRequest *self)
{
  clear_results (self);
  create_results (self);
  self->was_selected = FALSE;
  self->is_broken = FALSE;
  self->pending = 0;
  self->kept = 0;
  self->dropped = 0;
  self->drained = 0;
  self->done = FALSE;
}

static gboolean
holds_uid (const GArray *uids, guint32 uid)
{
  for (guint i = 0; i < uids->len; i++)
    {
      const PostbagImapRange *range = &g_array_index (uids, PostbagImapRange, i);

      if (uid >= range->first && uid <= range->last)
        return TRUE;
    }
  return FALSE;
}

gboolean
postbag_imap_request_wants (const PostbagImapRequest *self, const PostbagImapReply *reply)
{
  if ((self->wanted & 1u << reply->kind) == 0)
    return FALSE;
  return reply->kind != POSTBAG_IMAP_REPLY_FETCH || self->uids == NULL
         || holds_uid (self->uids, reply->fetch->uid);
}

void
postbag_imap_request_finish (PostbagImapRequest *self, GError *error)
{
  g_mutex_lock (&self->lock);
  if (self->done)
    g_clear_error (&error);
  else
    self->error = error;
  self->done = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

void
postbag_imap_request_abandon (PostbagImapRequest *self)
{
  g_atomic_int_set (&self->cancelled, 1);
}

static void
wake_up (GCancellable *cancellable, PostbagImapRequest *self)
{
  g_atomic_int_set (&self->cancelled, 1);
  g_mutex_lock (&self->lock);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

gboolean
postbag_imap_request_wait (PostbagImapRequest *self, GCancellable *cancellable, GError **error)
{
  gulong handler = 0;
  gboolean is_done;

  if (cancellable != NULL)
    handler =
        g_cancellable_connect (cancellable, G_CALLBACK (wake_up), postbag_imap_request_ref (self),
                               (GDestroyNotify)postbag_imap_request_unref);
  g_mutex_lock (&self->lock);
  while (!self->done && !g_atomic_int_get (&self->cancelled))
    g_cond_wait (&self->changed, &self->lock);
  is_done = self->done;
  g_mutex_unlock (&self->lock);
  g_cancellable_disconnect (cancellable, handler);

  if (!is_done)
    {
      g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_CANCELLED,
                           "The call was cancelled while the mail server was being asked.");
      return FALSE;
    }
  if (self->error == NULL)
    return TRUE;
  if (error != NULL)
    *error = g_error_copy (self->error);
  return FALSE;
}
