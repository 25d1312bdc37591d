/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-imap-store-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "mail/postbag-secret.h"
#include "postbag-imap-apply.h"
#include "postbag-imap-watcher.h"
#include "safety/postbag-clean.h"

PostbagImapStore *
postbag_imap_store_new (const PostbagAccount *account, const PostbagImapTimes *times)
{
  PostbagImapStore *self = g_new0 (PostbagImapStore, 1);

  self->pool = postbag_imap_pool_new (account, times);
  self->times = times != NULL ? *times : postbag_imap_times;
  self->writer = postbag_imap_writer_new (self->pool, &self->times);
  self->may_store = (account->may & POSTBAG_MAY_ORGANISE) != 0;
  self->raw_names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->changed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_mutex_init (&self->lock);
  self->watch_times = postbag_imap_watch_times;
  if (account->poll_s > 0)
    self->watch_times.poll = MIN (account->poll_s, 3600) * 1000;
  self->hints = postbag_imap_hints_new ();
  self->watcher = postbag_imap_watcher_new (self, &self->watch_times);
  return self;
}

static gpointer
open_store (const PostbagAccount *account, const char *state_dir, GError **error)
{
  if (account->host == NULL || account->host[0] == '\0' || account->port == 0)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT,
                   "The account “%s” names no mail server. Set its host and port.", account->name);
      return NULL;
    }
  if (account->user == NULL
      || (postbag_secret_get_kind (account) == POSTBAG_SECRET_NONE
          && g_strcmp0 (account->auth, "external") != 0))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_LOGIN,
                   "The account “%s” has no user name, or nothing to log in with. Set “user” and "
                   "“password”, or one of “password-command”, “password-file”, “token-command”, "
                   "“token-file”.",
                   account->name);
      return NULL;
    }
  return postbag_imap_store_new (account, NULL);
}

static void
close_store (gpointer data)
{
  PostbagImapStore *self = data;

  postbag_imap_watcher_free (self->watcher);
  postbag_imap_writer_free (self->writer);
  postbag_imap_pool_free (self->pool);
  postbag_imap_hints_free (self->hints);
  g_hash_table_unref (self->raw_names);
  g_hash_table_unref (self->counts);
  g_hash_table_unref (self->changed);
  g_strfreev (self->charsets);
  g_strfreev (self->prefixes);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static char **
get_capabilities (gpointer data, GCancellable *cancellable, GError **error)
{
  PostbagImapStore *self = data;
  g_autoptr (PostbagImapFeatures) features =
      postbag_imap_pool_get_features (self->pool, cancellable, error);

  return features != NULL ? g_steal_pointer (&features->words) : NULL;
}

/* What RFC 9208 knows that people have a limit for. */
static void
describe_quota (const PostbagImapQuota *quota, GString *facts)
{
  for (guint i = 0; i < quota->resources->len; i++)
    {
      const PostbagImapQuotaResource *resource = g_ptr_array_index (quota->resources, i);
      gboolean is_storage = strcmp (resource->name, "STORAGE") == 0;

      if (is_storage || strcmp (resource->name, "MESSAGE") == 0)
        g_string_append_printf (facts, "%s%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " %s",
                                facts->len > 0 ? ", " : "", resource->used, resource->limit,
                                is_storage ? "KiB" : "messages");
    }
}

/* How full INBOX is, where the server tells. */
static void
tell_quota (PostbagImapStore *self, PostbagStepFunc told, gpointer user_data,
            GCancellable *cancellable)
{
  g_autoptr (PostbagImapFeatures) features =
      postbag_imap_pool_get_features (self->pool, cancellable, NULL);
  g_autoptr (PostbagImapRequest) request =
      postbag_imap_request_new (NULL, 1u << POSTBAG_IMAP_REPLY_QUOTA);
  g_autoptr (GString) facts = g_string_new (NULL);

  if (features == NULL || (features->has & POSTBAG_IMAP_HAS_QUOTA) == 0)
    return;
  postbag_imap_command_add_mailbox (postbag_imap_request_add (request, "GETQUOTAROOT"), "INBOX",
                                    features->utf8);
  if (!postbag_imap_store_run (self, request, cancellable, NULL))
    return;
  for (guint i = 0; i < request->replies->len && facts->len < POSTBAG_LIMIT_QUOTE_CHARS; i++)
    describe_quota (((PostbagImapReply *)request->replies->pdata[i])->quota, facts);
  if (facts->len > 0)
    told ("quota", facts->str, user_data);
}

/* How much INBOX holds, where the server tells (RFC 8438). */
static void
tell_size (PostbagImapStore *self, PostbagStepFunc told, gpointer user_data,
           GCancellable *cancellable)
{
  g_autoptr (PostbagImapFeatures) features =
      postbag_imap_pool_get_features (self->pool, cancellable, NULL);
  g_autoptr (PostbagImapRequest) request =
      postbag_imap_request_new (NULL, 1u << POSTBAG_IMAP_REPLY_MAILBOX_STATUS);
  const PostbagImapMailboxStatus *status;
  g_autofree char *facts = NULL;
  PostbagImapCommand *command;

  if (features == NULL || (features->has & POSTBAG_IMAP_HAS_STATUS_SIZE) == 0)
    return;
  command = postbag_imap_request_add (request, "STATUS");
  postbag_imap_command_add_mailbox (command, "INBOX", features->utf8);
  postbag_imap_command_add_words (command, "(MESSAGES SIZE)");
  if (!postbag_imap_store_run (self, request, cancellable, NULL) || request->replies->len == 0)
    return;
  status = ((PostbagImapReply *)request->replies->pdata[0])->mailbox_status;
  if (status->messages < 0 || status->size < 0)
    return;
  facts = g_strdup_printf ("%" G_GINT64_FORMAT " messages of %" G_GINT64_FORMAT
                           " bytes in all in INBOX",
                           status->messages, status->size);
  told ("size", facts, user_data);
}

static gboolean
diagnose (gpointer data, PostbagStepFunc told, gpointer user_data, GCancellable *cancellable,
          GError **error)
{
  PostbagImapStore *self = data;

  if (!postbag_imap_pool_diagnose (self->pool, told, user_data, cancellable, error))
    return FALSE;
  tell_size (self, told, user_data, cancellable);
  tell_quota (self, told, user_data, cancellable);
  return TRUE;
}

/* INBOX in any case is one mailbox. */
static const char *
get_name (const char *mailbox)
{
  return g_ascii_strcasecmp (mailbox, "INBOX") == 0 ? "INBOX" : mailbox;
}

void
postbag_imap_store_note_change (PostbagImapStore *self, const char *mailbox)
{
  gint64 now = g_get_monotonic_time ();

  g_mutex_lock (&self->lock);
  if (g_hash_table_size (self->changed) >= POSTBAG_LIMIT_MAILBOXES)
    g_hash_table_remove_all (self->changed);
  g_hash_table_replace (self->changed, g_strdup (get_name (mailbox)), g_memdup2 (&now, sizeof now));
  g_mutex_unlock (&self->lock);
}

/* With the lock. Servers may answer a NOOP with another command behind it before they look. */
static gboolean
was_changed (PostbagImapStore *self, const char *mailbox)
{
  const gint64 *when = g_hash_table_lookup (self->changed, get_name (mailbox));

  return when != NULL
         && g_get_monotonic_time () - *when < POSTBAG_LIMIT_IMAP_CHANGED_MS * (gint64)1000;
}

PostbagImapRequest *
postbag_imap_store_create_request (PostbagImapStore *self, const char *mailbox, guint wanted)
{
  PostbagImapRequest *request = postbag_imap_request_new (mailbox, wanted);

  if (mailbox == NULL)
    return request;
  g_mutex_lock (&self->lock);
  request->reselect = was_changed (self, mailbox);
  request->raw_mailbox = g_strdup (g_hash_table_lookup (self->raw_names, mailbox));
  g_mutex_unlock (&self->lock);
  return request;
}

void
postbag_imap_store_add_mailbox (PostbagImapStore *self, PostbagImapCommand *command,
                                const char *mailbox, gboolean utf8)
{
  const char *raw;

  g_mutex_lock (&self->lock);
  raw = g_hash_table_lookup (self->raw_names, mailbox);
  if (raw != NULL)
    postbag_imap_command_add_raw_mailbox (command, raw);
  else
    postbag_imap_command_add_mailbox (command, mailbox, utf8);
  g_mutex_unlock (&self->lock);
}

gint64
postbag_imap_store_recall_count (PostbagImapStore *self, const char *mailbox)
{
  gpointer value;
  gint64 count = -1;

  g_mutex_lock (&self->lock);
  if (g_hash_table_lookup_extended (self->counts, mailbox, NULL, &value))
    count = GPOINTER_TO_UINT (value);
  g_mutex_unlock (&self->lock);
  return count;
}

static guint
watch (gpointer data, const char *mailbox, PostbagChangeFunc changed, gpointer user_data,
       GError **error)
{
  PostbagImapStore *self = data;

  return postbag_imap_watcher_add (self->watcher, mailbox, changed, user_data, error);
}

static void
unwatch (gpointer data, guint id)
{
  PostbagImapStore *self = data;

  postbag_imap_watcher_remove (self->watcher, id);
}

/* What a caller can do about a refusal, by its code (RFC 5530). */
static PostbagErrorCode
classify (const PostbagImapRequest *request, const PostbagImapStatus *status)
{
  static const struct
  {
    const char *code;
    PostbagErrorCode error;
  } codes[] = {
    { "NONEXISTENT", POSTBAG_ERROR_NOT_FOUND },       { "TRYCREATE", POSTBAG_ERROR_NOT_FOUND },
    { "NOPERM", POSTBAG_ERROR_NOT_ALLOWED },          { "EXPIRED", POSTBAG_ERROR_LOGIN_REFUSED },
    { "PRIVACYREQUIRED", POSTBAG_ERROR_NOT_ALLOWED }, { "CANNOT", POSTBAG_ERROR_NOT_SUPPORTED },
    { "BADCHARSET", POSTBAG_ERROR_NOT_SUPPORTED },    { "CORRUPTION", POSTBAG_ERROR_BAD_DATA },
  };

  for (gsize i = 0; status->code != NULL && i < G_N_ELEMENTS (codes); i++)
    if (strcmp (status->code, codes[i].code) == 0)
      return codes[i].error;
  if (postbag_imap_status_is_temporary (status))
    return POSTBAG_ERROR_BUSY;
  /* A mailbox that cannot be selected, without a reason that says otherwise, is not there. */
  if (status == request->refused && status->code == NULL && status->condition == POSTBAG_IMAP_NO)
    return POSTBAG_ERROR_NOT_FOUND;
  return POSTBAG_ERROR_REMOTE_REFUSED;
}

gboolean
postbag_imap_store_fail_refused (PostbagImapStore *self, const PostbagImapRequest *request,
                                 const PostbagImapStatus *status, GError **error)
{
  PostbagErrorCode code = classify (request, status);
  g_autofree char *text = postbag_clean_quote_server (status->text);
  g_autofree char *mailbox =
      request->mailbox != NULL ? postbag_clean_quote (request->mailbox) : NULL;
  g_autofree char *where =
      mailbox != NULL ? g_strdup_printf (" about the mailbox %s", mailbox) : g_strdup ("");

  g_set_error (error, POSTBAG_ERROR, code, "The mail server %s said no%s: %s%s%.40s%s. %s",
               postbag_imap_pool_get_place (self->pool), where, text,
               status->code != NULL ? " [" : "", status->code != NULL ? status->code : "",
               status->code != NULL ? "]" : "", postbag_error_get_facts ((int)code)->next);
  return FALSE;
}

gboolean
postbag_imap_store_check (PostbagImapStore *self, const PostbagImapRequest *request, GError **error)
{
  if (request->refused != NULL)
    return postbag_imap_store_fail_refused (self, request, request->refused, error);
  for (guint i = 0; i < request->statuses->len; i++)
    {
      const PostbagImapStatus *status = g_ptr_array_index (request->statuses, i);

      if (status != NULL && status->condition != POSTBAG_IMAP_OK)
        return postbag_imap_store_fail_refused (self, request, status, error);
    }
  return TRUE;
}

gboolean
postbag_imap_store_run (PostbagImapStore *self, PostbagImapRequest *request,
                        GCancellable *cancellable, GError **error)
{
  return postbag_imap_pool_run (self->pool, request, cancellable, error)
         && postbag_imap_store_check (self, request, error);
}

const PostbagStoreImplementation postbag_imap_store = {
  .size = sizeof (PostbagStoreImplementation),
  .open = open_store,
  .close = close_store,
  .list_mailboxes = postbag_imap_store_list_mailboxes,
  .get_state = postbag_imap_store_get_state,
  .search = postbag_imap_store_search,
  .fetch_message = postbag_imap_store_fetch_message,
  .fetch_structure = postbag_imap_store_fetch_structure,
  .fetch_part = postbag_imap_store_fetch_part,
  .get_capabilities = get_capabilities,
  .watch = watch,
  .unwatch = unwatch,
  .apply = postbag_imap_store_apply,
  .diagnose = diagnose,
  .fetch_content = postbag_imap_store_fetch_content,
};
