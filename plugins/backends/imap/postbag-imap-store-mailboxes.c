/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Mailboxes: LIST with everything in one answer where the server can (RFC 5258, 5819, 6154), else
 * LIST and LSUB, and STATUS for as many as time allows. Namespaces (RFC 2342) that a list of
 * everything leaves out, as it may with other users' and shared ones, are listed by their prefix;
 * which these are is asked once. */

#include "postbag-imap-store-private.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "mail/postbag-mailbox-utf7.h"
#include "mail/postbag-special-use.h"

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

/* What is being listed. */
typedef struct
{
  PostbagImapStore *store;
  const PostbagImapFeatures *features;
  gboolean with_status;
  GCancellable *cancellable;
  GPtrArray *mailboxes; /* PostbagMailbox */
  GHashTable *by_name;  /* path -> PostbagMailbox */
  gint64 total;
} Listing;

static void
take_list_entry (Listing *listing, const PostbagImapListEntry *entry)
{
  PostbagMailbox *mailbox = g_hash_table_lookup (listing->by_name, entry->name);

  if (mailbox != NULL)
    mailbox->subscribed |= entry->is_lsub;
  if (mailbox != NULL || entry->is_lsub)
    return;
  listing->total++;
  if (listing->mailboxes->len >= POSTBAG_LIMIT_MAILBOXES)
    return;
  mailbox = create_mailbox (entry);
  g_ptr_array_add (listing->mailboxes, mailbox);
  g_hash_table_insert (listing->by_name, mailbox->path, mailbox);
  remember_raw_name (listing->store, entry, listing->features->utf8);
}

static void
take_reply (Listing *listing, const PostbagImapReply *reply)
{
  PostbagMailbox *mailbox;

  if (reply->kind == POSTBAG_IMAP_REPLY_LIST)
    take_list_entry (listing, reply->list);
  if (reply->kind != POSTBAG_IMAP_REPLY_MAILBOX_STATUS)
    return;
  mailbox = g_hash_table_lookup (listing->by_name, reply->mailbox_status->name);
  if (mailbox != NULL)
    take_status (mailbox, reply->mailbox_status);
}

static void
take_replies (Listing *listing, const PostbagImapRequest *request)
{
  for (guint i = 0; i < request->replies->len; i++)
    take_reply (listing, g_ptr_array_index (request->replies, i));
  listing->total += (gint64)request->dropped;
}

/* --- namespaces --- */

/* Prefixes that a list of everything leaves out, as on the wire; %NULL: not asked yet. */
static char **
recall_prefixes (PostbagImapStore *self)
{
  char **prefixes;

  g_mutex_lock (&self->lock);
  prefixes = g_strdupv (self->prefixes);
  g_mutex_unlock (&self->lock);
  return prefixes;
}

static void
remember_prefixes (PostbagImapStore *self, char **prefixes)
{
  g_mutex_lock (&self->lock);
  g_strfreev (self->prefixes);
  self->prefixes = g_strdupv (prefixes);
  g_mutex_unlock (&self->lock);
}

static gboolean
is_listed (const Listing *listing, const char *prefix)
{
  for (guint i = 0; i < listing->mailboxes->len; i++)
    if (g_str_has_prefix (((PostbagMailbox *)listing->mailboxes->pdata[i])->path, prefix))
      return TRUE;
  return FALSE;
}

static void
collect_prefixes (const Listing *listing, const GPtrArray *namespaces, GStrvBuilder *builder,
                  guint *count)
{
  for (guint i = 0; i < namespaces->len && *count < POSTBAG_LIMIT_IMAP_NAMESPACES; i++)
    {
      const PostbagImapNamespaceEntry *entry = g_ptr_array_index (namespaces, i);
      g_autofree char *raw = NULL;

      /* A wildcard in a prefix cannot be told from one of ours. */
      if (strpbrk (entry->prefix, "*%") != NULL || is_listed (listing, entry->prefix))
        continue;
      raw = listing->features->utf8 ? g_strdup (entry->prefix)
                                    : postbag_mailbox_utf7_encode (entry->prefix);
      g_strv_builder_add (builder, raw);
      (*count)++;
    }
}

/* What was left out, from the answer to NAMESPACE and the list of everything. (transfer full) */
static char **
find_prefixes (const Listing *listing, const PostbagImapRequest *request)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  guint count = 0;

  for (guint i = 0; i < request->replies->len; i++)
    {
      const PostbagImapReply *reply = g_ptr_array_index (request->replies, i);

      if (reply->kind != POSTBAG_IMAP_REPLY_NAMESPACE)
        continue;
      collect_prefixes (listing, reply->namespaces->personal, builder, &count);
      collect_prefixes (listing, reply->namespaces->other, builder, &count);
      collect_prefixes (listing, reply->namespaces->shared, builder, &count);
      break;
    }
  return g_strv_builder_end (builder);
}

/* --- LIST --- */

/* What begins with @prefix, as on the wire. */
static void
add_list_commands (PostbagImapRequest *request, const Listing *listing, const char *prefix)
{
  guint has = listing->features->has;
  PostbagImapCommand *command = postbag_imap_request_add (request, "LIST");
  g_autofree char *pattern = g_strconcat (prefix, "*", NULL);

  postbag_imap_command_add_string (command, "");
  postbag_imap_command_add_string (command, pattern);
  if ((has & POSTBAG_IMAP_HAS_LIST_EXTENDED) == 0)
    {
      command = postbag_imap_request_add (request, "LSUB");
      postbag_imap_command_add_string (command, "");
      postbag_imap_command_add_string (command, pattern);
      return;
    }
  postbag_imap_command_add_words (command, "RETURN");
  postbag_imap_command_add_open (command);
  postbag_imap_command_add_words (command, "SUBSCRIBED");
  if (has & POSTBAG_IMAP_HAS_SPECIAL_USE)
    postbag_imap_command_add_words (command, "SPECIAL-USE");
  if (listing->with_status && (has & POSTBAG_IMAP_HAS_LIST_STATUS))
    postbag_imap_command_add_words (command, "STATUS " STATUS_ITEMS);
  postbag_imap_command_add_close (command);
}

static PostbagImapRequest *
create_list_request (PostbagImapStore *self)
{
  return postbag_imap_store_create_request (self, NULL,
                                            1u << POSTBAG_IMAP_REPLY_LIST
                                                | 1u << POSTBAG_IMAP_REPLY_MAILBOX_STATUS
                                                | 1u << POSTBAG_IMAP_REPLY_NAMESPACE);
}

/* Whatever begins with one of @prefixes; a refusal means that there is nothing. */
static gboolean
list_prefixes (Listing *listing, char *const *prefixes, GError **error)
{
  g_autoptr (PostbagImapRequest) request = create_list_request (listing->store);

  if (*prefixes == NULL)
    return TRUE;
  for (; *prefixes != NULL; prefixes++)
    add_list_commands (request, listing, *prefixes);
  if (!postbag_imap_pool_run (listing->store->pool, request, listing->cancellable, error))
    return FALSE;
  take_replies (listing, request);
  return TRUE;
}

/* The list of everything has to work; what comes with it in one write may be refused. */
static gboolean
check_list (Listing *listing, const PostbagImapRequest *request, guint needed, GError **error)
{
  for (guint i = 0; i < needed && i < request->statuses->len; i++)
    {
      const PostbagImapStatus *status = g_ptr_array_index (request->statuses, i);

      if (status != NULL && status->condition != POSTBAG_IMAP_OK)
        return postbag_imap_store_fail_refused (listing->store, request, status, error);
    }
  return TRUE;
}

static gboolean
list_everything (Listing *listing, GError **error)
{
  PostbagImapStore *self = listing->store;
  g_auto (GStrv) known = recall_prefixes (self);
  g_auto (GStrv) found = NULL;
  g_autoptr (PostbagImapRequest) request = create_list_request (self);
  gboolean asks = known == NULL && (listing->features->has & POSTBAG_IMAP_HAS_NAMESPACE) != 0;
  guint needed;

  add_list_commands (request, listing, "");
  needed = request->commands->len;
  if (asks)
    postbag_imap_request_add (request, "NAMESPACE");
  for (char **prefix = known; prefix != NULL && *prefix != NULL; prefix++)
    add_list_commands (request, listing, *prefix);
  if (!postbag_imap_pool_run (self->pool, request, listing->cancellable, error)
      || !check_list (listing, request, needed, error))
    return FALSE;
  take_replies (listing, request);
  if (!asks)
    return TRUE;
  found = find_prefixes (listing, request);
  remember_prefixes (self, found);
  return list_prefixes (listing, found, error);
}

/* --- what they are for --- */

/* Where nothing is marked, by names; what the server marks is all there is otherwise. */
static void
guess_special_uses (Listing *listing)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_sized_new (listing->mailboxes->len);
  g_autoptr (GPtrArray) uses = NULL;
  char delimiter = 0;

  for (guint i = 0; i < listing->mailboxes->len; i++)
    {
      const PostbagMailbox *mailbox = g_ptr_array_index (listing->mailboxes, i);

      if (mailbox->special_use != NULL)
        return;
      if (delimiter == 0)
        delimiter = mailbox->delimiter;
      g_ptr_array_add (paths, mailbox->path);
    }
  uses = postbag_special_use_guess (paths, delimiter);
  for (guint i = 0; i < uses->len; i++)
    {
      PostbagMailbox *mailbox = g_ptr_array_index (listing->mailboxes, i);

      if (!mailbox->selectable || uses->pdata[i] == NULL)
        continue;
      mailbox->special_use = g_strdup (uses->pdata[i]);
      mailbox->special_use_is_guessed = TRUE;
    }
}

/* --- STATUS --- */

/* One STATUS each for mailboxes from *@next on. A refused one has no counts, and that is all. */
static gboolean
ask_batch (Listing *listing, guint *next, GError **error)
{
  g_autoptr (PostbagImapRequest) request = postbag_imap_store_create_request (
      listing->store, NULL, 1u << POSTBAG_IMAP_REPLY_MAILBOX_STATUS);

  for (; *next < listing->mailboxes->len && request->commands->len < STATUS_BATCH; (*next)++)
    {
      const PostbagMailbox *mailbox = g_ptr_array_index (listing->mailboxes, *next);
      PostbagImapCommand *command;

      if (!mailbox->selectable)
        continue;
      command = postbag_imap_request_add (request, "STATUS");
      postbag_imap_store_add_mailbox (listing->store, command, mailbox->path,
                                      listing->features->utf8);
      postbag_imap_command_add_words (command, STATUS_ITEMS);
    }
  if (request->commands->len == 0)
    return TRUE;
  if (!postbag_imap_pool_run (listing->store->pool, request, listing->cancellable, error))
    return FALSE;
  take_replies (listing, request);
  return TRUE;
}

static gboolean
ask_status (Listing *listing, GError **error)
{
  gint64 end = g_get_monotonic_time () + POSTBAG_LIMIT_MAILBOX_STATUS_SECONDS * G_USEC_PER_SEC;
  guint next = 0;

  while (next < listing->mailboxes->len && next < POSTBAG_LIMIT_MAILBOX_STATUS
         && g_get_monotonic_time () < end)
    if (!ask_batch (listing, &next, error))
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
  g_autoptr (GPtrArray) mailboxes =
      g_ptr_array_new_with_free_func ((GDestroyNotify)postbag_mailbox_free);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  Listing listing = { self, features, with_status, cancellable, mailboxes, by_name, 0 };

  if (features == NULL || !list_everything (&listing, error))
    return NULL;
  guess_special_uses (&listing);
  if (with_status
      && (~features->has & (POSTBAG_IMAP_HAS_LIST_EXTENDED | POSTBAG_IMAP_HAS_LIST_STATUS)) != 0
      && !ask_status (&listing, error))
    return NULL;
  if (total != NULL)
    *total = listing.total;
  return g_steal_pointer (&mailboxes);
}

/* --- the state of one --- */

/* Whether nobody would notice that we selected the mailbox: the mark of recent messages goes to the
 * first session that selects (RFC 3501 section 2.3.2; IMAP4rev2 has none). */
static gboolean
is_unmarked (PostbagImapStore *self, const PostbagImapFeatures *features, const char *mailbox,
             GCancellable *cancellable)
{
  g_autoptr (PostbagImapRequest) request =
      postbag_imap_store_create_request (self, NULL, 1u << POSTBAG_IMAP_REPLY_MAILBOX_STATUS);
  PostbagImapCommand *command = postbag_imap_request_add (request, "STATUS");

  if ((features->has & POSTBAG_IMAP_HAS_REV2) == POSTBAG_IMAP_HAS_REV2)
    return TRUE;
  postbag_imap_store_add_mailbox (self, command, mailbox, features->utf8);
  postbag_imap_command_add_words (command, "(RECENT)");
  if (!postbag_imap_store_run (self, request, cancellable, NULL) || request->replies->len != 1)
    return FALSE;
  return ((PostbagImapReply *)request->replies->pdata[0])->mailbox_status->recent == 0;
}

/* Servers say of a mailbox that is only examined that nothing can be stored. For an account that
 * may store, what can be is asked for by selecting, and the mailbox left at once. (transfer full)
 * (nullable) */
static char **
ask_permanent_flags (PostbagImapStore *self, const char *mailbox, GCancellable *cancellable)
{
  g_autoptr (PostbagImapFeatures) features =
      postbag_imap_pool_get_features (self->pool, cancellable, NULL);
  g_autoptr (PostbagImapRequest) request = postbag_imap_store_create_request (self, NULL, 0);
  gboolean leaves;
  PostbagImapCommand *command;

  if (features == NULL || !is_unmarked (self, features, mailbox, cancellable))
    return NULL;
  leaves = (features->has & POSTBAG_IMAP_HAS_UNSELECT) != 0;
  request->deselects = TRUE;
  request->exclusive = TRUE;
  command = postbag_imap_request_add (request, "SELECT");
  postbag_imap_store_add_mailbox (self, command, mailbox, features->utf8);
  command = postbag_imap_request_add (request, leaves ? "UNSELECT" : "EXAMINE");
  if (!leaves)
    postbag_imap_store_add_mailbox (self, command, mailbox, features->utf8);
  if (!postbag_imap_store_run (self, request, cancellable, NULL))
    return NULL;
  return g_steal_pointer (&request->permanent_flags);
}

static gboolean
says_nothing (char *const *flags)
{
  return flags == NULL || flags[0] == NULL;
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
  /* A watch that begins now tells of what comes from now on, or from when it was last listed. */
  if (postbag_imap_store_recall_count (self, mailbox) < 0)
    postbag_imap_store_remember_count (self, mailbox, request->messages);
  state->permanent_flags = g_steal_pointer (&request->permanent_flags);
  if (self->may_store && says_nothing (state->permanent_flags))
    {
      g_strfreev (state->permanent_flags);
      state->permanent_flags = ask_permanent_flags (self, mailbox, cancellable);
    }
  if (state->permanent_flags == NULL)
    state->permanent_flags = g_new0 (char *, 1);
  return state;
}
