/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a server sends, one table of what to do with it. Data is handed to every request on the wire
 * that wants it, not only to the first: servers answer several commands before they say that any of
 * them is done, and answer once what was asked twice. A mailbox's data goes to nobody behind the
 * command that selects another one. */

#include "postbag-imap-connection-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "postbag-imap-parser.h"
#include "postbag-imap-set.h"
#include "safety/postbag-clean.h"

static gboolean
fail_unexpected (PostbagImapConnection *self, const char *what)
{
  postbag_imap_connection_fail (self, FALSE,
                                g_error_new (POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA,
                                             "The mail server %s sent %s. The connection was "
                                             "closed; call again.",
                                             self->place, what));
  return FALSE;
}

/* A selection is at the head: whatever comes now is about the new mailbox. */
static void
start_selection (PostbagImapConnection *self, guint generation)
{
  self->selected_generation = generation;
  self->uid_validity = 0;
  self->uid_next = 0;
  self->messages = 0;
  g_clear_pointer (&self->permanent_flags, g_strfreev);
}

static void
notice_selection (PostbagImapConnection *self)
{
  const PostbagImapPending *head = g_queue_peek_head (&self->pending);

  if (head != NULL && head->index == POSTBAG_IMAP_PENDING_SELECTS
      && self->selected_generation != head->generation)
    start_selection (self, head->generation);
}

/* --- data --- */

static gboolean
keep_reply (PostbagImapConnection *self, PostbagImapRequest *request, PostbagImapReply *reply,
            gsize size)
{
  if (g_atomic_int_get (&request->cancelled))
    return TRUE;
  if (request->replies->len >= POSTBAG_LIMIT_IMAP_REPLIES)
    {
      request->dropped++;
      return TRUE;
    }
  request->kept += size;
  if (request->kept > POSTBAG_LIMIT_IMAP_REQUEST_BYTES)
    {
      postbag_imap_connection_fail (
          self, FALSE,
          g_error_new (POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
                       "The mail server %s answered with more than %d bytes. Ask for less.",
                       self->place, POSTBAG_LIMIT_IMAP_REQUEST_BYTES));
      return FALSE;
    }
  g_ptr_array_add (request->replies, postbag_imap_reply_ref (reply));
  return TRUE;
}

/* Whether the reply answers this very command, as far as it says. */
static gboolean
fits_tag (const PostbagImapPending *pending, const PostbagImapReply *reply)
{
  return reply->kind != POSTBAG_IMAP_REPLY_ESEARCH || reply->search->tag == NULL
         || strcmp (reply->search->tag, pending->tag) == 0;
}

static gboolean
offer (PostbagImapConnection *self, PostbagImapReply *reply, gsize size)
{
  const PostbagImapRequest *last = NULL;
  gboolean taken = FALSE;

  for (GList *link = self->pending.head; link != NULL; link = link->next)
    {
      PostbagImapPending *pending = link->data;

      if (pending->index == POSTBAG_IMAP_PENDING_SELECTS && link != self->pending.head)
        break;
      if (pending->index < 0 || pending->request == last || !fits_tag (pending, reply)
          || !postbag_imap_request_wants (pending->request, reply))
        continue;
      last = pending->request;
      taken = TRUE;
      if (!keep_reply (self, pending->request, reply, size))
        return FALSE;
    }
  if (!taken && ++self->unasked > POSTBAG_LIMIT_IMAP_UNASKED)
    return fail_unexpected (self, "too much that nobody asked for");
  return TRUE;
}

static void
take_exists (PostbagImapConnection *self, const PostbagImapReply *reply)
{
  self->messages = reply->number;
}

static void
take_expunge (PostbagImapConnection *self, const PostbagImapReply *reply)
{
  if (self->messages > 0)
    self->messages--;
}

/* What changes the state of the connection, whether asked for or not. */
static const struct
{
  PostbagImapReplyKind kind;
  void (*take) (PostbagImapConnection *self, const PostbagImapReply *reply);
} table[] = {
  { POSTBAG_IMAP_REPLY_EXISTS, take_exists },
  { POSTBAG_IMAP_REPLY_EXPUNGE, take_expunge },
};

static gboolean
take_data (PostbagImapConnection *self, PostbagImapReply *reply, gsize size)
{
  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    if (table[i].kind == reply->kind)
      table[i].take (self, reply);
  return offer (self, reply, size);
}

/* --- status --- */

static void
take_code (PostbagImapConnection *self, const PostbagImapStatus *status)
{
  if (status->code == NULL)
    return;
  if (strcmp (status->code, "UIDVALIDITY") == 0 && status->number > 0
      && status->number <= G_MAXUINT32)
    {
      /* Another one within a selection: what was read under the first is worthless. */
      if (self->uid_validity != 0 && self->uid_validity != status->number)
        g_clear_pointer (&self->selecting, g_free);
      self->uid_validity = (guint32)status->number;
    }
  else if (strcmp (status->code, "UIDNEXT") == 0 && status->number <= G_MAXUINT32)
    self->uid_next = (guint32)status->number;
  else if (strcmp (status->code, "PERMANENTFLAGS") == 0)
    {
      g_strfreev (self->permanent_flags);
      self->permanent_flags = g_strdupv (status->words);
    }
}

static gboolean
take_untagged_status (PostbagImapConnection *self, const PostbagImapStatus *status)
{
  if (status->condition == POSTBAG_IMAP_BYE)
    {
      if (self->farewell == NULL)
        self->farewell = postbag_clean_quote_server (status->text);
      postbag_imap_connection_fail (
          self, TRUE,
          g_error_new (POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                       "The mail server %s closed the connection: %s. Call again.", self->place,
                       self->farewell));
      return FALSE;
    }
  if (status->condition == POSTBAG_IMAP_BAD && self->blocked != NULL)
    {
      g_autofree char *text = postbag_clean_quote_server (status->text);

      postbag_imap_connection_fail (self, FALSE,
                                    g_error_new (POSTBAG_ERROR, POSTBAG_ERROR_REMOTE_REFUSED,
                                                 "The mail server %s refused the data: %s.",
                                                 self->place, text));
      return FALSE;
    }
  take_code (self, status);
  if (++self->unasked > POSTBAG_LIMIT_IMAP_UNASKED)
    return fail_unexpected (self, "too much that nobody asked for");
  return TRUE;
}

static PostbagImapPending *
find_pending (PostbagImapConnection *self, const char *tag)
{
  for (GList *link = self->pending.head; link != NULL; link = link->next)
    {
      PostbagImapPending *pending = link->data;

      if (strcmp (pending->tag, tag) == 0)
        return pending;
    }
  return NULL;
}

/* The selection failed: nothing is selected, unless a later command selects. */
static void
end_selection (PostbagImapConnection *self, const PostbagImapPending *pending,
               PostbagImapStatus *status)
{
  if (status->condition == POSTBAG_IMAP_OK)
    {
      postbag_imap_status_free (status);
      return;
    }
  if (self->generation == pending->generation)
    g_clear_pointer (&self->selecting, g_free);
  self->failed_generation = pending->generation;
  postbag_imap_status_free (self->failure);
  self->failure = status;
}

static gboolean
take_tagged (PostbagImapConnection *self, PostbagImapReply *reply)
{
  PostbagImapPending *pending = find_pending (self, reply->tag);
  PostbagImapStatus *status = reply->status;

  if (pending == NULL)
    return fail_unexpected (self, "an answer to a command that was not sent");
  /* A command that waits for `+` may be refused, but not be done. */
  if (pending->segment == 0
      || (pending->segment < pending->segments->len && status->condition == POSTBAG_IMAP_OK))
    return fail_unexpected (self, "an answer to a command that was not yet sent");
  self->unasked = 0;
  take_code (self, status);
  reply->kind = POSTBAG_IMAP_REPLY_UNKNOWN;
  reply->status = NULL;
  if (pending->index == POSTBAG_IMAP_PENDING_SELECTS)
    end_selection (self, pending, status);
  else if (pending->index == POSTBAG_IMAP_PENDING_REFRESHES)
    postbag_imap_status_free (status);
  else
    pending->request->statuses->pdata[pending->index] = status;
  /* Behind its first command, which selects; what leaves the mailbox again may say other ones. */
  if (pending->request->deselects && pending->index == 0)
    pending->request->permanent_flags = g_strdupv (self->permanent_flags);
  postbag_imap_connection_end_pending (self, pending);
  return TRUE;
}

static gboolean
take_continuation (PostbagImapConnection *self)
{
  if (self->blocked == NULL)
    return fail_unexpected (self, "a go-ahead that nobody asked for");
  self->blocked = NULL;
  postbag_imap_connection_write (self);
  return !self->is_closed;
}

/* --- bytes --- */

static gboolean
take_frame (PostbagImapConnection *self, PostbagImapFrame *frame)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PostbagImapReply) reply = NULL;
  gsize size = frame->text->len;

  for (guint i = 0; i < frame->literals->len; i++)
    {
      GBytes *bytes = g_array_index (frame->literals, PostbagImapLiteral, i).bytes;

      size += bytes != NULL ? g_bytes_get_size (bytes) : 0;
    }
  reply = postbag_imap_parse (frame, self->features->utf8, &error);
  if (reply == NULL)
    {
      postbag_imap_connection_fail (self, FALSE, g_steal_pointer (&error));
      return FALSE;
    }
  notice_selection (self);
  if (reply->kind == POSTBAG_IMAP_REPLY_CONTINUATION)
    return take_continuation (self);
  /* Numbers cost what their ranges cost, not what the line was. */
  if (reply->kind == POSTBAG_IMAP_REPLY_SEARCH || reply->kind == POSTBAG_IMAP_REPLY_ESEARCH)
    size = reply->search->numbers->len * sizeof (PostbagImapRange);
  if (reply->kind != POSTBAG_IMAP_REPLY_STATUS)
    return take_data (self, reply, size);
  if (reply->tag == NULL)
    return take_untagged_status (self, reply->status);
  return take_tagged (self, reply);
}

/* What comes for a cancelled request is thrown away, up to a bound. */
static gboolean
count_drained (PostbagImapConnection *self, gsize length)
{
  const PostbagImapPending *head = g_queue_peek_head (&self->pending);

  if (head == NULL || !g_atomic_int_get (&head->request->cancelled))
    return TRUE;
  head->request->drained += length;
  if (head->request->drained <= POSTBAG_LIMIT_IMAP_DRAIN_BYTES)
    return TRUE;
  postbag_imap_connection_fail (self, TRUE,
                                g_error_new (POSTBAG_ERROR, POSTBAG_ERROR_OFFLINE,
                                             "The connection to %s was closed over a cancelled "
                                             "call. Call again.",
                                             self->place));
  return FALSE;
}

gboolean
postbag_imap_connection_take (PostbagImapConnection *self, const guint8 *data, gsize length)
{
  if (!count_drained (self, length))
    return FALSE;
  while (length > 0)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (PostbagImapFrame) frame =
          postbag_imap_framer_read (self->framer, &data, &length, &error);

      if (error != NULL)
        {
          postbag_imap_connection_fail (self, FALSE, g_steal_pointer (&error));
          return FALSE;
        }
      if (frame != NULL && !take_frame (self, frame))
        return FALSE;
    }
  return TRUE;
}
