/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "describe.h"

#include "postbag-imap-set.h"

static void
add_text (GString *out, const char *name, const char *text)
{
  g_autofree char *shown = text != NULL ? g_strescape (text, NULL) : NULL;

  if (text != NULL)
    g_string_append_printf (out, " %s=\"%s\"", name, shown);
}

static void
add_words (GString *out, const char *name, char *const *words)
{
  g_autofree char *joined = words != NULL ? g_strjoinv (",", (char **)words) : NULL;

  add_text (out, name, joined);
}

static void
add_number (GString *out, const char *name, gint64 number)
{
  g_string_append_printf (out, " %s=%" G_GINT64_FORMAT, name, number);
}

static void
add_set (GString *out, const char *name, const GArray *set)
{
  g_autofree char *text = postbag_imap_set_to_string (set);

  add_text (out, name, text);
}

static void
add_addresses (GString *out, const char *name, const GPtrArray *addresses)
{
  for (guint i = 0; i < addresses->len; i++)
    {
      const PostbagAddress *address = g_ptr_array_index (addresses, i);

      add_text (out, name, address->name);
      add_text (out, name, address->address);
    }
}

static void
add_part (GString *out, const PostbagPart *part)
{
  g_string_append (out, " (");
  add_text (out, "number", part->number);
  add_text (out, "type", part->type);
  add_text (out, "encoding", part->encoding);
  add_text (out, "charset", part->charset);
  add_text (out, "disposition", part->disposition);
  add_text (out, "filename", part->filename);
  add_text (out, "id", part->content_id);
  add_number (out, "size", part->size);
  for (guint i = 0; part->children != NULL && i < part->children->len; i++)
    add_part (out, g_ptr_array_index (part->children, i));
  g_string_append (out, ")");
}

static void
add_envelope (GString *out, const PostbagImapEnvelope *envelope)
{
  add_text (out, "date", envelope->date);
  add_text (out, "subject", envelope->subject);
  add_addresses (out, "from", envelope->from);
  add_addresses (out, "sender", envelope->sender);
  add_addresses (out, "reply-to", envelope->reply_to);
  add_addresses (out, "to", envelope->to);
  add_addresses (out, "cc", envelope->cc);
  add_addresses (out, "bcc", envelope->bcc);
  add_text (out, "in-reply-to", envelope->in_reply_to);
  add_text (out, "message-id", envelope->message_id);
}

static void
add_section (GString *out, const PostbagImapSection *section)
{
  add_text (out, "section", section->name);
  add_number (out, "origin", section->origin);
  if (section->bytes != NULL)
    {
      g_autofree char *sum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA1, section->bytes);

      add_number (out, "length", (gint64)g_bytes_get_size (section->bytes));
      add_text (out, "sha1", sum);
    }
}

static void
add_fetch (GString *out, const PostbagImapFetch *fetch)
{
  add_number (out, "number", fetch->number);
  add_number (out, "uid", fetch->uid);
  add_words (out, "flags", fetch->flags);
  add_words (out, "labels", fetch->labels);
  add_number (out, "modseq", (gint64)fetch->modseq);
  add_number (out, "size", fetch->size);
  add_number (out, "received", fetch->internal_date);
  if (fetch->envelope != NULL)
    add_envelope (out, fetch->envelope);
  if (fetch->structure != NULL)
    add_part (out, fetch->structure);
  for (guint i = 0; i < fetch->sections->len; i++)
    add_section (out, g_ptr_array_index (fetch->sections, i));
  if (fetch->is_damaged)
    g_string_append (out, " damaged");
}

static void
add_status (GString *out, const PostbagImapStatus *status)
{
  add_number (out, "condition", status->condition);
  add_text (out, "code", status->code);
  add_text (out, "arguments", status->arguments);
  add_number (out, "number", (gint64)status->number);
  add_words (out, "words", status->words);
  add_text (out, "text", status->text);
}

static void
add_namespaces (GString *out, const char *name, const GPtrArray *entries)
{
  for (guint i = 0; i < entries->len; i++)
    {
      const PostbagImapNamespaceEntry *entry = g_ptr_array_index (entries, i);

      add_text (out, name, entry->prefix);
      add_number (out, "delimiter", entry->delimiter);
    }
}

static void
add_mailbox (GString *out, const PostbagImapReply *reply)
{
  if (reply->kind == POSTBAG_IMAP_REPLY_LIST)
    {
      add_text (out, "name", reply->list->name);
      add_number (out, "delimiter", reply->list->delimiter);
      add_words (out, "attributes", reply->list->attributes);
      return;
    }
  add_text (out, "name", reply->mailbox_status->name);
  add_number (out, "messages", reply->mailbox_status->messages);
  add_number (out, "unseen", reply->mailbox_status->unseen);
}

static void
add_search (GString *out, const PostbagImapSearchResult *search)
{
  add_text (out, "tag", search->tag);
  add_set (out, "numbers", search->numbers);
  add_number (out, "count", search->count);
  add_number (out, "modseq", (gint64)search->modseq);
}

void
describe_reply (const PostbagImapReply *reply, GString *out)
{
  g_string_append_printf (out, "%d %u", reply->kind, reply->number);
  add_text (out, "tag", reply->tag);
  switch ((int)reply->kind)
    {
    case POSTBAG_IMAP_REPLY_STATUS:
    case POSTBAG_IMAP_REPLY_CONTINUATION:
      add_status (out, reply->status);
      break;
    case POSTBAG_IMAP_REPLY_CAPABILITY:
    case POSTBAG_IMAP_REPLY_ENABLED:
    case POSTBAG_IMAP_REPLY_FLAGS:
      add_words (out, "words", reply->words);
      break;
    case POSTBAG_IMAP_REPLY_LIST:
    case POSTBAG_IMAP_REPLY_MAILBOX_STATUS:
      add_mailbox (out, reply);
      break;
    case POSTBAG_IMAP_REPLY_SEARCH:
    case POSTBAG_IMAP_REPLY_ESEARCH:
      add_search (out, reply->search);
      break;
    case POSTBAG_IMAP_REPLY_VANISHED:
      add_set (out, "uids", reply->vanished->uids);
      break;
    case POSTBAG_IMAP_REPLY_FETCH:
      add_fetch (out, reply->fetch);
      break;
    case POSTBAG_IMAP_REPLY_NAMESPACE:
      add_namespaces (out, "personal", reply->namespaces->personal);
      add_namespaces (out, "other", reply->namespaces->other);
      add_namespaces (out, "shared", reply->namespaces->shared);
      break;
    default:
      break;
    }
  g_string_append_c (out, '\n');
}
