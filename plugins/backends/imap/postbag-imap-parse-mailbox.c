/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* LIST, STATUS, NAMESPACE and QUOTA replies (RFC 9051 section 7.3, RFC 9208). */

#include "postbag-imap-parser-private.h"

#include <string.h>

#include "base/postbag-limits.h"

/* `("CHILDINFO" ("SUBSCRIBED"))` and whatever else stands behind the name (RFC 5258). */
static void
read_list_extension (PostbagImapCursor *cursor, PostbagImapListEntry *entry)
{
  if (!postbag_imap_cursor_accept (cursor, '('))
    return;
  while (!postbag_imap_cursor_accept (cursor, ')'))
    {
      g_autofree char *name = postbag_imap_cursor_read_astring (cursor);

      if (name == NULL)
        return;
      if (g_ascii_strcasecmp (name, "CHILDINFO") == 0 && entry->child_info == NULL)
        entry->child_info = postbag_imap_parse_word_list (cursor, TRUE);
      else if (!postbag_imap_cursor_skip_value (cursor))
        return;
    }
}

gboolean
postbag_imap_parse_list (PostbagImapCursor *cursor, PostbagImapReply *reply, gboolean utf8_names)
{
  PostbagImapListEntry *entry = g_new0 (PostbagImapListEntry, 1);

  reply->kind = POSTBAG_IMAP_REPLY_LIST;
  reply->list = entry;
  entry->attributes = postbag_imap_parse_word_list (cursor, TRUE);
  if (!postbag_imap_parse_delimiter (cursor, &entry->delimiter)
      || !postbag_imap_parse_mailbox (cursor, utf8_names, &entry->name, &entry->raw))
    return FALSE;
  read_list_extension (cursor, entry);
  return TRUE;
}

static void
read_status_item (PostbagImapCursor *cursor, PostbagImapMailboxStatus *status, const char *item)
{
  const struct
  {
    const char *name;
    gint64 *value;
    guint64 maximum;
  } items[] = {
    { "MESSAGES", &status->messages, G_MAXUINT32 },
    { "UNSEEN", &status->unseen, G_MAXUINT32 },
    { "RECENT", &status->recent, G_MAXUINT32 },
    { "UIDNEXT", &status->uid_next, G_MAXUINT32 },
    { "UIDVALIDITY", &status->uid_validity, G_MAXUINT32 },
    { "SIZE", &status->size, G_MAXINT64 },
    { "DELETED", &status->deleted, G_MAXUINT32 },
    { "HIGHESTMODSEQ", &status->modseq, G_MAXINT64 },
    { "APPENDLIMIT", &status->append_limit, G_MAXINT64 },
  };
  guint64 number;

  for (gsize i = 0; i < G_N_ELEMENTS (items); i++)
    if (g_ascii_strcasecmp (item, items[i].name) == 0
        && postbag_imap_cursor_read_number (cursor, items[i].maximum, &number))
      {
        *items[i].value = (gint64)number;
        return;
      }
  postbag_imap_cursor_skip_value (cursor);
}

gboolean
postbag_imap_parse_mailbox_status (PostbagImapCursor *cursor, PostbagImapReply *reply,
                                   gboolean utf8_names)
{
  PostbagImapMailboxStatus *status = g_new0 (PostbagImapMailboxStatus, 1);

  reply->kind = POSTBAG_IMAP_REPLY_MAILBOX_STATUS;
  reply->mailbox_status = status;
  status->messages = status->unseen = status->recent = -1;
  status->uid_next = status->uid_validity = status->size = status->deleted = status->modseq = -1;
  status->append_limit = -1;
  if (!postbag_imap_parse_mailbox (cursor, utf8_names, &status->name, &status->raw)
      || !postbag_imap_cursor_accept (cursor, '('))
    return FALSE;
  while (!postbag_imap_cursor_accept (cursor, ')'))
    {
      g_autofree char *item = postbag_imap_cursor_read_atom (cursor, NULL);

      if (item == NULL)
        break;
      read_status_item (cursor, status, item);
    }
  return TRUE;
}

static void
free_namespace_entry (gpointer data)
{
  PostbagImapNamespaceEntry *entry = data;

  g_free (entry->prefix);
  g_free (entry);
}

/* `(("prefix" "/" extensions...)...)` or NIL. */
static GPtrArray *
read_namespaces (PostbagImapCursor *cursor, gboolean utf8_names)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func (free_namespace_entry);

  if (!postbag_imap_cursor_accept (cursor, '('))
    {
      postbag_imap_cursor_skip_value (cursor);
      return entries;
    }
  while (postbag_imap_cursor_accept (cursor, '('))
    {
      PostbagImapNamespaceEntry *entry;
      g_autofree char *name = NULL, *raw = NULL;
      char delimiter;

      if (!postbag_imap_parse_mailbox (cursor, utf8_names, &name, &raw)
          || !postbag_imap_parse_delimiter (cursor, &delimiter)
          || !postbag_imap_cursor_skip_list_rest (cursor))
        return entries;
      if (entries->len >= POSTBAG_LIMIT_IMAP_WORDS)
        continue;
      entry = g_new0 (PostbagImapNamespaceEntry, 1);
      entry->prefix = g_steal_pointer (&name);
      entry->delimiter = delimiter;
      g_ptr_array_add (entries, entry);
    }
  postbag_imap_cursor_skip_list_rest (cursor);
  return entries;
}

gboolean
postbag_imap_parse_namespace (PostbagImapCursor *cursor, PostbagImapReply *reply,
                              gboolean utf8_names)
{
  PostbagImapNamespace *namespaces = g_new0 (PostbagImapNamespace, 1);

  reply->kind = POSTBAG_IMAP_REPLY_NAMESPACE;
  reply->namespaces = namespaces;
  namespaces->personal = read_namespaces (cursor, utf8_names);
  namespaces->other = read_namespaces (cursor, utf8_names);
  namespaces->shared = read_namespaces (cursor, utf8_names);
  return TRUE;
}

static void
free_quota_resource (gpointer data)
{
  PostbagImapQuotaResource *resource = data;

  g_free (resource->name);
  g_free (resource);
}

gboolean
postbag_imap_parse_quota (PostbagImapCursor *cursor, PostbagImapReply *reply)
{
  PostbagImapQuota *quota = g_new0 (PostbagImapQuota, 1);

  reply->kind = POSTBAG_IMAP_REPLY_QUOTA;
  reply->quota = quota;
  quota->resources = g_ptr_array_new_with_free_func (free_quota_resource);
  quota->name = postbag_imap_cursor_read_astring (cursor);
  if (quota->name == NULL || !postbag_imap_cursor_accept (cursor, '('))
    return FALSE;
  while (!postbag_imap_cursor_accept (cursor, ')'))
    {
      g_autofree char *name = postbag_imap_cursor_read_atom (cursor, NULL);
      PostbagImapQuotaResource *resource;
      guint64 used, limit;

      if (name == NULL || quota->resources->len >= POSTBAG_LIMIT_IMAP_WORDS
          || !postbag_imap_cursor_read_number (cursor, G_MAXINT64, &used)
          || !postbag_imap_cursor_read_number (cursor, G_MAXINT64, &limit))
        break;
      resource = g_new0 (PostbagImapQuotaResource, 1);
      resource->name = g_ascii_strup (name, -1);
      resource->used = used;
      resource->limit = limit;
      g_ptr_array_add (quota->resources, resource);
    }
  return TRUE;
}

gboolean
postbag_imap_parse_quota_root (PostbagImapCursor *cursor, PostbagImapReply *reply,
                               gboolean utf8_names)
{
  PostbagImapQuota *quota = g_new0 (PostbagImapQuota, 1);
  g_autofree char *raw = NULL;

  reply->kind = POSTBAG_IMAP_REPLY_QUOTA_ROOT;
  reply->quota = quota;
  if (!postbag_imap_parse_mailbox (cursor, utf8_names, &quota->name, &raw))
    return FALSE;
  quota->roots = postbag_imap_parse_words (cursor, NULL, FALSE);
  return TRUE;
}
