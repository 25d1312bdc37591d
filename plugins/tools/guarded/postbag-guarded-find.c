/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From a uid to the attachment that may be fetched: structure, walk, declaration gate (contract
 * 1.7, rules 1 to 5). Whoever hands over attachments comes this way, the tool and the resource
 * alike: nothing is fetched before the declaration passed, and no part that the walk does not list
 * can ever be fetched. */

#include "postbag-guarded-find.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

void
postbag_guarded_finding_clear (PostbagGuardedFinding *self)
{
  g_clear_pointer (&self->attachments, g_ptr_array_unref);
  g_clear_pointer (&self->structure, postbag_part_free);
  g_clear_pointer (&self->message, postbag_message_free);
}

static const PostbagAttachment *
find_attachment (GPtrArray *attachments, const char *part_id, guint32 uid, GError **error)
{
  for (guint i = 0; i < attachments->len; i++)
    {
      const PostbagAttachment *attachment = g_ptr_array_index (attachments, i);

      if (g_strcmp0 (attachment->part->number, part_id) == 0)
        return attachment;
    }
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND,
               "Message %u has no attachment with part_id %s. Call get_attachments with this uid "
               "and without part_id to see what there is; the text of the message comes from "
               "get_message.",
               uid, part_id);
  return NULL;
}

static gboolean
check_declaration (const PostbagAttachment *attachment, GError **error)
{
  g_autofree char *reasons = NULL;

  if (attachment->allowed)
    return TRUE;
  g_ptr_array_add (attachment->notes, NULL);
  reasons = g_strjoinv (" ", (char **)attachment->notes->pdata);
  g_ptr_array_remove_index (attachment->notes, attachment->notes->len - 1);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_ALLOWED,
               "Part %s cannot be fetched: %s Nothing was downloaded.", attachment->part->number,
               reasons);
  return FALSE;
}

/* (transfer full) (nullable): the message, if get_message lists its parts from its source: it may
 * have opened what a server does not number (an encoded message, a file inside a text) */
static PostbagMessage *
read_whole (const PostbagGuardedRequest *request)
{
  PostbagMailCall *mail = request->mail;
  g_autoptr (PostbagFetchedMessage) fetched = postbag_store_fetch_message (
      mail->store, mail->mailbox, request->uid, POSTBAG_LIMIT_PREFIX_BYTES,
      postbag_mail_call_get_cancellable (mail), NULL);

  if (fetched == NULL || !fetched->complete || fetched->source == NULL)
    return NULL;
  return postbag_message_parse (fetched->source);
}

static gboolean
fetch_structure (PostbagGuardedFinding *self, const PostbagGuardedRequest *request, GError **error)
{
  PostbagMailCall *mail = request->mail;

  self->structure = postbag_store_fetch_structure (mail->store, mail->mailbox, request->uid,
                                                   postbag_mail_call_get_cancellable (mail), error);
  return self->structure != NULL || postbag_mail_call_explain (mail, request->uid, error);
}

gboolean
postbag_guarded_find_all (PostbagGuardedFinding *self, const PostbagGuardedRequest *request,
                          GError **error)
{
  if (!fetch_structure (self, request, error))
    return FALSE;
  self->attachments = postbag_guarded_walk (self->structure, request->limits, POSTBAG_GUARDED_AUTO);
  return TRUE;
}

gboolean
postbag_guarded_find_one (PostbagGuardedFinding *self, PostbagGuardedRequest *request,
                          const char *part_id, GError **error)
{
  if (!fetch_structure (self, request, error))
    return FALSE;
  request->uid_validity = self->structure->uid_validity;
  request->version = self->structure->version;
  self->attachments = postbag_guarded_walk (self->structure, request->limits, request->mode);
  if (find_attachment (self->attachments, part_id, request->uid, NULL) == NULL)
    self->message = read_whole (request);
  if (self->message != NULL)
    {
      request->message = self->message;
      g_ptr_array_unref (self->attachments);
      self->attachments = postbag_guarded_walk (postbag_message_get_structure (self->message),
                                                request->limits, request->mode);
    }
  request->attachment = find_attachment (self->attachments, part_id, request->uid, error);
  return request->attachment != NULL && check_declaration (request->attachment, error);
}
