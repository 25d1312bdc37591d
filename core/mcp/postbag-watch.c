/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mcp/postbag-watch-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "mcp/postbag-resources-private.h"
#include "mcp/postbag-uri-template-private.h"

struct _PostbagSubscription
{
  gatomicrefcount references;
  GMutex lock;
  PostbagWatch *watch;   /* with lock; (nullable): over */
  gboolean is_scheduled; /* with lock: the main thread will look */
};

PostbagSubscription *
postbag_subscription_ref (PostbagSubscription *self)
{
  g_atomic_ref_count_inc (&self->references);
  return self;
}

void
postbag_subscription_unref (PostbagSubscription *self)
{
  if (!g_atomic_ref_count_dec (&self->references))
    return;
  g_mutex_clear (&self->lock);
  g_free (self);
}

static gboolean
deliver (gpointer user_data)
{
  PostbagSubscription *self = user_data;
  PostbagWatch *watch;

  g_mutex_lock (&self->lock);
  self->is_scheduled = FALSE;
  watch = self->watch;
  g_mutex_unlock (&self->lock);
  if (watch != NULL)
    postbag_throttle_request (&watch->throttle);
  return G_SOURCE_REMOVE;
}

void
postbag_subscription_tell (PostbagSubscription *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  g_autoptr (GSource) source = NULL;

  if (self->watch == NULL || self->is_scheduled)
    return;
  self->is_scheduled = TRUE;
  source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, deliver, postbag_subscription_ref (self),
                         (GDestroyNotify)postbag_subscription_unref);
  g_source_attach (source, NULL);
}

/* --- telling the client --- */

static void
send_updated (PostbagWatch *self, const char *listen_id)
{
  PostbagJsonWriter *writer =
      postbag_jsonrpc_begin_message (NULL, "notifications/resources/updated");

  postbag_json_writer_key (writer, "uri");
  postbag_json_writer_string (writer, postbag_resource_uri_get_text (self->uri));
  postbag_session_write_subscription_id (writer, listen_id);
  postbag_session_send (self->session, postbag_jsonrpc_end (writer));
}

static void
tell_client (gpointer user_data)
{
  PostbagWatch *self = user_data;

  if (!self->is_legacy && self->listens->len == 0)
    {
      self->was_missed = TRUE;
      return;
    }
  /* A client that does not read hears of it when it does. */
  if (!postbag_session_wants_input (self->session))
    {
      self->throttle.is_due = TRUE;
      return;
    }
  if (self->is_legacy)
    send_updated (self, NULL);
  for (guint i = 0; i < self->listens->len; i++)
    send_updated (self, ((PostbagCall *)self->listens->pdata[i])->id);
}

/* --- its life --- */

PostbagWatch *
postbag_watch_new (PostbagSession *session, const PostbagResourceRow *row, PostbagResourceUri *uri)
{
  PostbagWatch *self = g_new0 (PostbagWatch, 1);

  self->session = session;
  self->row = row;
  self->uri = uri;
  self->listens = g_ptr_array_new ();
  self->throttle = (PostbagThrottle){ .fire = tell_client,
                                      .user_data = self,
                                      .interval_ms = POSTBAG_LIMIT_UPDATE_INTERVAL_MS };
  self->subscription = g_new0 (PostbagSubscription, 1);
  g_atomic_ref_count_init (&self->subscription->references);
  g_mutex_init (&self->subscription->lock);
  self->subscription->watch = self;
  return self;
}

void
postbag_watch_free (PostbagWatch *self)
{
  const PostbagResourceEntry *entry;

  g_mutex_lock (&self->subscription->lock);
  self->subscription->watch = NULL;
  g_mutex_unlock (&self->subscription->lock);
  entry = self->handle != NULL ? postbag_resources_find_entry (self->row, NULL) : NULL;
  if (entry != NULL && entry->unwatch != NULL)
    entry->unwatch (self->handle);
  postbag_throttle_clear (&self->throttle);
  postbag_subscription_unref (self->subscription);
  postbag_resource_uri_free (self->uri);
  g_ptr_array_unref (self->listens);
  g_free (self);
}

gboolean
postbag_watch_start (PostbagWatch *self, PostbagCall *call, GError **error)
{
  const PostbagResourceEntry *entry = postbag_resources_find_entry (self->row, error);

  if (entry == NULL)
    return FALSE;
  if (entry->watch == NULL)
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_SUPPORTED,
                   "This resource cannot be watched. Read it again instead.");
      return FALSE;
    }
  call->toolset = self->row->toolset;
  self->handle = entry->watch (call, self->uri, self->subscription, error);
  return self->handle != NULL;
}

PostbagWatch *
postbag_watch_adopt (PostbagWatch *self)
{
  const char *text = postbag_resource_uri_get_text (self->uri);
  PostbagWatch *other = g_hash_table_lookup (self->session->watches, text);

  if (other != NULL)
    {
      postbag_watch_free (self);
      return other;
    }
  g_hash_table_insert (self->session->watches, (gpointer)text, self);
  if (self->was_missed)
    self->throttle.is_due = TRUE; /* its interval has begun */
  return self;
}

void
postbag_watch_release (PostbagWatch *self)
{
  if (self->is_legacy || self->listens->len > 0)
    return;
  g_hash_table_remove (self->session->watches, postbag_resource_uri_get_text (self->uri));
  postbag_watch_free (self);
}
