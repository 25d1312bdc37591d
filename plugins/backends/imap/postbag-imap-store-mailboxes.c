/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Mailboxes: LIST with everything in one answer where the server can (RFC 5258, 5819, 6154), else
 * LIST and LSUB, and STATUS for as many as time allows. */

#include "postbag-imap-store-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "mail/postbag-mailbox-utf7.h"

/* STATUS commands in one write. */
#define STATUS_BATCH 20
#define STATUS_ITEMS "(MESSAGES UNSEEN UIDNEXT UIDVALIDITY)"

static gboolean
has_attribute (char *const *attributes, const char *name)
{
  for (; *attributes != NULL; attributes++)
    if (g_ascii_strcasecmp (*attributes, name) == 0)
      return TRUE;
  return FALSE;
}

static const char *
find_special_use (char *const *attributes)
{
  static const char *const uses[] = { "\\Drafts",  "\\Sent",    "\\Trash", "\\Junk",
                                      "\\Archive", "\\Flagged", "\\All",   "\\Important" };

  for (gsize i = 0; i < G_N_ELEMENTS (uses); i++)
    if (has_attribute (attributes, uses[i]))
      return uses[i];
  return NULL;
}

/* A name that our own writing of it would not give back is remembered as it came. */
static void
remember_raw_name (PostbagImapStore *self, const PostbagImapListEntry *entry, gboolean utf8)
{
  g_autofree char *derived =
      utf8 ? g_strdup (entry->name) : postbag_mailbox_utf7_encode (entry->name);

  if (strcmp (derived, entry->raw) == 0 || strcmp (entry->name, "INBOX") == 0)
    return;
  g_mutex_lock (&self->lock);
  if (g_hash_table_size (self->raw_names) < POSTBAG_LIMIT_MAILBOXES)
    g_hash_table_insert (self->raw_names, g_strdup (entry->name), g_strdup (entry->raw));
  g_mutex_unlock (&self->lock);
}

static PostbagMailbox *
create_mailbox (const PostbagImapListEntry *entry)
{
  PostbagMailbox *mailbox = postbag_mailbox_new (entry->name);

  mailbox->delimiter = entry->delimiter;
  mailbox->special_use = g_strdup (find_special_use (entry->attributes));
  mailbox->selectable = !has_attribute (entry->attributes, "\\Noselect")
                        && !has_attribute (entry->attributes, "\\NonExistent");
  mailbox->subscribed = has_attribute (entry->attributes, "\\Subscribed");
  return mailbox;
}

static void
take_status (PostbagMailbox *mailbox, const PostbagImapMailboxStatus *status)
{
  if (status->messages < 0 || status->unseen < 0)
    return;
  mailbox->has_status = TRUE;
  mailbox->messages = status->messages;
  mailbox->unseen = status->unseen;
  mailbox->uid_next = (guint32)MAX (status->uid_next, 0);
  mailbox->uid_validity = (guint32)MAX (status->uid_validity, 0);
}

static void
take_reply (PostbagImapStore *self, const PostbagImapReply *reply, gboolean utf8,
            GPtrArray *mailboxes, GHashTable *by_name, gint64 *total)
{
  const char *name =
      reply->kind == POSTBAG_IMAP_REPLY_LIST ? reply->list->name : reply->mailbox_status->name;
  PostbagMailbox *mailbox = g_hash_table_lookup (by_name, name);

  if (reply->kind == POSTBAG_IMAP_REPLY_MAILBOX_STATUS)
    {
      if (mailbox != NULL)
        take_status (mailbox, reply->mailbox_status);
      return;
    }
  if (reply->list->is_lsub)
    {
      if (mailbox != NULL)
        mailbox->subscribed = TRUE;
      return;
    }
  if (mailbox != NULL)
    return;
  (*total)++;
  if (mailboxes->len >= POSTBAG_LIMIT_MAILBOXES)
    return;
  mailbox = create_mailbox (reply->list);
  g_ptr_array_add (mailboxes, mailbox);
  g_hash_table_insert (by_name, mailbox->path, mailbox);
  remember_raw_name (self, reply->list, utf8);
}

static void
add_list_commands (PostbagImapRequest *request, const PostbagImapFeatures *features,
                   gboolean with_status)
{
  PostbagImapCommand *command = postbag_imap_request_add (request, "LIST");

  postbag_imap_command_add_string (command, "");
  postbag_imap_command_add_string (command, "*");
  if ((features->has & POSTBAG_IMAP_HAS_LIST_EXTENDED) == 0)
    {
      command = postbag_imap_request_add (request, "LSUB");
      postbag_imap_command_add_string (command, "");
      postbag_imap_command_add_string (command, "*");
      return;
    }
  postbag_imap_command_add_words (command, "RETURN");
  postbag_imap_command_add_open (command);
  postbag_imap_command_add_words (command, "SUBSCRIBED");
  if (features->has & POSTBAG_IMAP_HAS_SPECIAL_USE)
    postbag_imap_command_add_words (command, "SPECIAL-USE");
  if (with_status && (features->has & POSTBAG_IMAP_HAS_LIST_STATUS))
    postbag_imap_command_add_words (command, "STATUS " STATUS_ITEMS);
  postbag_imap_command_add_close (command);
}

/* One STATUS each for @mailboxes from *@next on. A refused one has no counts, and that is all. */
static gboolean
ask_batch (PostbagImapStore *self, GPtrArray *mailboxes, guint *next, GHashTable *by_name,
           gboolean utf8, GCancellable *cancellable, GError **error)
{
  g_autoptr (PostbagImapRequest) request =
      postbag_imap_store_create_request (self, NULL, 1u << POSTBAG_IMAP_REPLY_MAILBOX_STATUS);
  gint64 total = 0;

  for (; *next < mailboxes->len && request->commands->len < STATUS_BATCH; (*next)++)
    {
      const PostbagMailbox *mailbox = g_ptr_array_index (mailboxes, *next);
      PostbagImapCommand *command;

      if (!mailbox->selectable)
        continue;
      command = postbag_imap_request_add (request, "STATUS");
      postbag_imap_store_add_mailbox (self, command, mailbox->path, utf8);
      postbag_imap_command_add_words (command, STATUS_ITEMS);
    }
  if (request->commands->len == 0)
    return TRUE;
  if (!postbag_imap_pool_run (self->pool, request, cancellable, error))
    return FALSE;
  for (guint i = 0; i < request->replies->len; i++)
    take_reply (self, g_ptr_array_index (request->replies, i), utf8, mailboxes, by_name, &total);
  return TRUE;
}

static gboolean
ask_status (PostbagImapStore *self, GPtrArray *mailboxes, GHashTable *by_name, gboolean utf8,
            GCancellable *cancellable, GError **error)
{
  gint64 end = g_get_monotonic_time () + POSTBAG_LIMIT_MAILBOX_STATUS_SECONDS * G_USEC_PER_SEC;
  guint next = 0;

  while (next < mailboxes->len && next < POSTBAG_LIMIT_MAILBOX_STATUS
         && g_get_monotonic_time () < end)
    if (!ask_batch (self, mailboxes, &next, by_name, utf8, cancellable, error))
      return FALSE;
  return TRUE;
}

GPtrArray *
postbag_imap_store_list_mailboxes (gpointer data, gboolean with_status, gint64 *total,
                                   GCancellable *cancellable, GError **error)
{
  PostbagImapStore *self = data;
  g_autoptr (PostbagImapFeatures) features =
      postbag_imap_pool_get_features (self->pool, cancellable, error);
  g_autoptr (PostbagImapRequest) request = postbag_imap_store_create_request (
      self, NULL, 1u << POSTBAG_IMAP_REPLY_LIST | 1u << POSTBAG_IMAP_REPLY_MAILBOX_STATUS);
  g_autoptr (GPtrArray) mailboxes =
      g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_mailbox_free);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  gint64 count = 0;

  if (features == NULL)
    return NULL;
  add_list_commands (request, features, with_status);
  if (!postbag_imap_store_run (self, request, cancellable, error))
    return NULL;
  for (guint i = 0; i < request->replies->len; i++)
    take_reply (self, g_ptr_array_index (request->replies, i), features->utf8, mailboxes, by_name,
                &count);
  if (with_status
      && (~features->has & (POSTBAG_IMAP_HAS_LIST_EXTENDED | POSTBAG_IMAP_HAS_LIST_STATUS)) != 0
      && !ask_status (self, mailboxes, by_name, features->utf8, cancellable, error))
    return NULL;
  if (total != NULL)
    *total = count + (gint64)request->dropped;
  return g_steal_pointer (&mailboxes);
}

PostbagMailboxState *
postbag_imap_store_get_state (gpointer data, const char *mailbox, GCancellable *cancellable,
                              GError **error)
{
  PostbagImapStore *self = data;
  g_autoptr (PostbagImapRequest) request = postbag_imap_store_create_request (self, mailbox, 0);
  PostbagMailboxState *state;

  request->reselect = TRUE;
  if (!postbag_imap_store_run (self, request, cancellable, error))
    return NULL;
  state = g_new0 (PostbagMailboxState, 1);
  state->uid_validity = request->uid_validity;
  state->uid_next = request->uid_next;
  state->messages = request->messages;
  state->permanent_flags = request->permanent_flags != NULL
                               ? g_steal_pointer (&request->permanent_flags)
                               : g_new0 (char *, 1);
  return state;
}
