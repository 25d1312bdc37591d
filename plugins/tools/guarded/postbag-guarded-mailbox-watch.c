/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hearing of a mailbox's news: whose mailbox a URI means, and the store's watch on it. */

#include "postbag-guarded-resources.h"

PostbagMailCall *
postbag_guarded_open_mailbox (PostbagCall *call, const PostbagResourceUri *uri, GError **error)
{
  const char *name = postbag_resource_uri_get_variable (uri, "name");

  if (!postbag_mail_check_mailbox ("name", name, error))
    return NULL;
  return postbag_mail_call_new_for (call, postbag_resource_uri_get_variable (uri, "account"), name,
                                    error);
}

typedef struct
{
  PostbagStore *store;
  PostbagSubscription *subscription;
  guint id;
} Watch;

static void
tell (const char *mailbox, gpointer user_data)
{
  postbag_subscription_tell (user_data);
}

/* A mailbox that is not there is found out now: a store that polls would never say. */
static gboolean
look (PostbagMailCall *mail, GError **error)
{
  g_autoptr (PostbagMailboxState) state = postbag_store_get_state (
      mail->store, mail->mailbox, postbag_mail_call_get_cancellable (mail), error);

  return state != NULL || postbag_mail_call_explain (mail, 0, error);
}

gpointer
postbag_guarded_watch_mailbox (PostbagCall *call, const PostbagResourceUri *uri,
                               PostbagSubscription *subscription, GError **error)
{
  g_autoptr (PostbagMailCall) mail = postbag_guarded_open_mailbox (call, uri, error);
  Watch *self;
  guint id;

  if (mail == NULL || !look (mail, error))
    return NULL;
  id = postbag_store_watch (mail->store, mail->mailbox, tell, subscription, error);
  if (id == 0)
    return NULL;
  self = g_new0 (Watch, 1);
  self->store = g_object_ref (mail->store);
  self->subscription = postbag_subscription_ref (subscription);
  self->id = id;
  return self;
}

/* The accounts hold the store, too, for longer than any session: it is not closed here. */
void
postbag_guarded_unwatch_mailbox (gpointer watch)
{
  Watch *self = watch;

  postbag_store_unwatch (self->store, self->id);
  postbag_subscription_unref (self->subscription);
  g_object_unref (self->store);
  g_free (self);
}
