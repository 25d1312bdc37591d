/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-reply.h"

#include <string.h>

PostbagImapReply *
postbag_imap_reply_new (void)
{
  PostbagImapReply *self = g_new0 (PostbagImapReply, 1);

  g_atomic_ref_count_init (&self->references);
  return self;
}

PostbagImapReply *
postbag_imap_reply_ref (PostbagImapReply *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
postbag_imap_status_free (PostbagImapStatus *self)
{
  if (self == NULL)
    return;
  g_free (self->code);
  g_free (self->arguments);
  g_strfreev (self->words);
  g_free (self->text);
  g_free (self);
}

static void
free_list_entry (PostbagImapListEntry *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->raw);
  g_strfreev (self->attributes);
  g_strfreev (self->child_info);
  g_free (self);
}

static void
free_mailbox_status (PostbagImapMailboxStatus *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_free (self->raw);
  g_free (self);
}

void
postbag_imap_search_result_free (PostbagImapSearchResult *self)
{
  if (self == NULL)
    return;
  g_free (self->tag);
  g_clear_pointer (&self->numbers, g_array_unref);
  g_free (self);
}

static void
free_vanished (PostbagImapVanished *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->uids, g_array_unref);
  g_free (self);
}

PostbagImapEnvelope *
postbag_imap_envelope_new (void)
{
  PostbagImapEnvelope *self = g_new0 (PostbagImapEnvelope, 1);
  GPtrArray **lists[] = { &self->from, &self->sender, &self->reply_to,
                          &self->to,   &self->cc,     &self->bcc };

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    *lists[i] = g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_address_free);
  return self;
}

void
postbag_imap_envelope_free (PostbagImapEnvelope *self)
{
  if (self == NULL)
    return;
  g_free (self->date);
  g_free (self->subject);
  g_ptr_array_unref (self->from);
  g_ptr_array_unref (self->sender);
  g_ptr_array_unref (self->reply_to);
  g_ptr_array_unref (self->to);
  g_ptr_array_unref (self->cc);
  g_ptr_array_unref (self->bcc);
  g_free (self->in_reply_to);
  g_free (self->message_id);
  g_free (self);
}

void
postbag_imap_section_free (PostbagImapSection *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_clear_pointer (&self->bytes, g_bytes_unref);
  if (self->spool != NULL && self->free_spool != NULL)
    self->free_spool (self->spool);
  g_free (self);
}

void
postbag_imap_fetch_free (PostbagImapFetch *self)
{
  if (self == NULL)
    return;
  g_strfreev (self->flags);
  g_strfreev (self->labels);
  postbag_imap_envelope_free (self->envelope);
  g_clear_pointer (&self->structure, postbag_part_free);
  g_clear_pointer (&self->sections, g_ptr_array_unref);
  g_free (self);
}

static void
free_namespaces (PostbagImapNamespace *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->personal, g_ptr_array_unref);
  g_clear_pointer (&self->other, g_ptr_array_unref);
  g_clear_pointer (&self->shared, g_ptr_array_unref);
  g_free (self);
}

static void
free_quota (PostbagImapQuota *self)
{
  if (self == NULL)
    return;
  g_free (self->name);
  g_clear_pointer (&self->resources, g_ptr_array_unref);
  g_strfreev (self->roots);
  g_free (self);
}

static void
free_value (PostbagImapReply *self)
{
  switch (self->kind)
    {
    case POSTBAG_IMAP_REPLY_STATUS:
    case POSTBAG_IMAP_REPLY_CONTINUATION:
      postbag_imap_status_free (self->status);
      break;
    case POSTBAG_IMAP_REPLY_CAPABILITY:
    case POSTBAG_IMAP_REPLY_ENABLED:
    case POSTBAG_IMAP_REPLY_FLAGS:
      g_strfreev (self->words);
      break;
    case POSTBAG_IMAP_REPLY_LIST:
      free_list_entry (self->list);
      break;
    case POSTBAG_IMAP_REPLY_MAILBOX_STATUS:
      free_mailbox_status (self->mailbox_status);
      break;
    case POSTBAG_IMAP_REPLY_SEARCH:
    case POSTBAG_IMAP_REPLY_ESEARCH:
      postbag_imap_search_result_free (self->search);
      break;
    case POSTBAG_IMAP_REPLY_VANISHED:
      free_vanished (self->vanished);
      break;
    case POSTBAG_IMAP_REPLY_FETCH:
      postbag_imap_fetch_free (self->fetch);
      break;
    case POSTBAG_IMAP_REPLY_NAMESPACE:
      free_namespaces (self->namespaces);
      break;
    case POSTBAG_IMAP_REPLY_QUOTA:
    case POSTBAG_IMAP_REPLY_QUOTA_ROOT:
      free_quota (self->quota);
      break;
    case POSTBAG_IMAP_REPLY_UNKNOWN:
    case POSTBAG_IMAP_REPLY_EXISTS:
    case POSTBAG_IMAP_REPLY_RECENT:
    case POSTBAG_IMAP_REPLY_EXPUNGE:
      break;
    }
}

void
postbag_imap_reply_clear (PostbagImapReply *self)
{
  free_value (self);
  self->kind = POSTBAG_IMAP_REPLY_UNKNOWN;
  self->status = NULL;
}

void
postbag_imap_reply_unref (PostbagImapReply *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->references))
    return;
  free_value (self);
  g_free (self->tag);
  g_free (self);
}

const PostbagImapSection *
postbag_imap_fetch_find_section (const PostbagImapFetch *self, const char *name, gint64 origin,
                                 gboolean is_binary)
{
  for (guint i = 0; i < self->sections->len; i++)
    {
      const PostbagImapSection *section = g_ptr_array_index (self->sections, i);

      if (section->is_binary == is_binary && g_ascii_strcasecmp (section->name, name) == 0
          && (section->origin == origin || (section->origin < 0 && origin == 0)))
        return section;
    }
  return NULL;
}

gboolean
postbag_imap_status_is_temporary (const PostbagImapStatus *self)
{
  static const char *const temporary[] = { "UNAVAILABLE", "INUSE",     "THROTTLED",
                                           "LIMIT",       "SERVERBUG", NULL };

  return self->code != NULL && g_strv_contains (temporary, self->code);
}
