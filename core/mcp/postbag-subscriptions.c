/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who wants to hear of what: resources/subscribe and unsubscribe up to 2025-11-25, where changes of
 * lists are told to every client, and subscriptions/listen of 2026-07-28, a request that stays open
 * and names all it wants to hear. */

#include "mcp/postbag-resources-private.h"
#include "mcp/postbag-watch-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "mcp/postbag-uri-template-private.h"

#define SUBSCRIPTION_ID_KEY "io.modelcontextprotocol/subscriptionId"

static const struct
{
  const char *filter;
  const char *method;
} lists[POSTBAG_LIST_N] = {
  [POSTBAG_LIST_TOOLS] = { "toolsListChanged", "notifications/tools/list_changed" },
  [POSTBAG_LIST_PROMPTS] = { "promptsListChanged", "notifications/prompts/list_changed" },
  [POSTBAG_LIST_RESOURCES] = { "resourcesListChanged", "notifications/resources/list_changed" },
};

static void
write_subscription_member (PostbagJsonWriter *writer, const char *listen_id)
{
  postbag_json_writer_key (writer, SUBSCRIPTION_ID_KEY);
  postbag_json_writer_raw (writer, listen_id, strlen (listen_id));
}

void
postbag_session_write_subscription_id (PostbagJsonWriter *writer, const char *listen_id)
{
  if (listen_id == NULL)
    return;
  postbag_json_writer_key (writer, "_meta");
  postbag_json_writer_begin_object (writer);
  write_subscription_member (writer, listen_id);
  postbag_json_writer_end_object (writer);
}

/* --- what both kinds of request hold until it is settled --- */

typedef struct
{
  GPtrArray *watches; /* PostbagWatch: begun by the worker, not part of the session yet */
  GPtrArray *uris;    /* (element-type utf8): agreed to, of a listen that is open */
  gboolean lists[POSTBAG_LIST_N];
  gboolean has_uris;  /* the listen names resources, if only to none that there are */
  gboolean withdrawn; /* unsubscribed again meanwhile */
  gboolean failed;
} Subscribing;

static Subscribing *
new_subscribing (void)
{
  Subscribing *self = g_new0 (Subscribing, 1);

  self->watches = g_ptr_array_new ();
  self->uris = g_ptr_array_new_with_free_func (g_free);
  return self;
}

/* Its watches were taken out on the main thread, or were never begun. */
static void
free_subscribing (gpointer data)
{
  Subscribing *self = data;

  for (guint i = 0; i < self->watches->len; i++)
    postbag_watch_free (self->watches->pdata[i]);
  g_ptr_array_unref (self->watches);
  g_ptr_array_unref (self->uris);
  g_free (self);
}

static void
drop_watches (Subscribing *self)
{
  for (guint i = 0; i < self->watches->len; i++)
    postbag_watch_free (self->watches->pdata[i]);
  g_ptr_array_set_size (self->watches, 0);
}

/* --- resources/subscribe, resources/unsubscribe --- */

static GBytes *
produce_subscribed (PostbagCall *call)
{
  Subscribing *self = call->data;
  PostbagWatch *watch = self->watches->pdata[0];
  g_autoptr (GError) error = NULL;
  PostbagJsonWriter *writer;

  if (!postbag_watch_start (watch, call, &error))
    {
      self->failed = TRUE;
      return postbag_call_make_protocol_error (call, error,
                                               postbag_resource_uri_get_text (watch->uri));
    }
  writer = postbag_call_begin_response (call);
  postbag_call_write_tail (call, writer, NULL);
  return postbag_call_end_response (call, writer);
}

static gboolean
settle_subscribed (PostbagCall *call, PostbagSession *session)
{
  Subscribing *self = call->data;
  PostbagWatch *watch;

  if (call->finished || self->failed || self->withdrawn)
    {
      drop_watches (self);
      return FALSE;
    }
  watch = postbag_watch_adopt (g_ptr_array_steal_index (self->watches, 0));
  watch->is_legacy = TRUE;
  return FALSE;
}

static const PostbagOperation subscribe_operation = { .produce = produce_subscribed,
                                                      .settle = settle_subscribed,
                                                      .free_data = free_subscribing };

static void
answer_empty (PostbagSession *self, const PostbagRequest *request)
{
  postbag_session_end_result (self, request, postbag_session_begin_result (self, request));
}

static void
handle_subscribe (PostbagSession *self, const PostbagRequest *request)
{
  g_autoptr (PostbagResourceUri) uri = NULL;
  const PostbagResourceRow *row = postbag_resources_find (self, request, &uri);
  Subscribing *subscribing;
  PostbagWatch *watch;
  PostbagCall *call;

  if (row == NULL)
    return;
  watch = g_hash_table_lookup (self->watches, postbag_resource_uri_get_text (uri));
  if (watch != NULL)
    {
      watch->is_legacy = TRUE;
      answer_empty (self, request);
      return;
    }
  if (g_hash_table_size (self->watches) >= POSTBAG_LIMIT_WATCHES)
    {
      postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INTERNAL_ERROR, NULL,
                                  "At most %d resources are watched at once. Unsubscribe from "
                                  "others first.",
                                  POSTBAG_LIMIT_WATCHES);
      return;
    }
  subscribing = new_subscribing ();
  g_ptr_array_add (subscribing->watches, postbag_watch_new (self, row, g_steal_pointer (&uri)));
  call = postbag_session_make_call (self, request, &subscribe_operation, subscribing,
                                    "resources/subscribe", row->toolset);
  if (call != NULL)
    postbag_session_submit_call (self, call);
}

/* A subscription that is being begun is over before it is. */
static void
withdraw (PostbagSession *self, const char *uri)
{
  g_autoptr (GList) calls = g_hash_table_get_values (self->calls);

  for (GList *link = calls; link != NULL; link = link->next)
    {
      PostbagCall *call = link->data;
      Subscribing *subscribing = call->data;
      const PostbagWatch *watch;

      if (call->operation != &subscribe_operation)
        continue;
      watch = subscribing->watches->pdata[0];
      if (strcmp (postbag_resource_uri_get_text (watch->uri), uri) == 0)
        subscribing->withdrawn = TRUE;
    }
}

static void
handle_unsubscribe (PostbagSession *self, const PostbagRequest *request)
{
  PostbagWatch *watch;
  const char *uri = NULL;

  if (request->params == NULL || !postbag_json_get_string (request->params, "uri", &uri))
    {
      postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, NULL,
                                  "“resources/unsubscribe” needs the uri of a resource.");
      return;
    }
  watch = g_hash_table_lookup (self->watches, uri);
  if (watch != NULL)
    {
      watch->is_legacy = FALSE;
      postbag_watch_release (watch);
    }
  withdraw (self, uri);
  answer_empty (self, request);
}

/* --- subscriptions/listen --- */

static GBytes *
produce_listening (PostbagCall *call)
{
  Subscribing *self = call->data;

  for (guint i = 0; i < self->watches->len; i++)
    postbag_watch_start (self->watches->pdata[i], call, NULL);
  return NULL;
}

static void
listen_to (Subscribing *self, PostbagCall *call, PostbagWatch *watch)
{
  g_ptr_array_add (watch->listens, call);
  g_ptr_array_add (self->uris, g_strdup (postbag_resource_uri_get_text (watch->uri)));
}

static void
write_agreed (PostbagJsonWriter *writer, const Subscribing *self)
{
  postbag_json_writer_key (writer, "notifications");
  postbag_json_writer_begin_object (writer);
  for (int i = 0; i < POSTBAG_LIST_N; i++)
    {
      if (!self->lists[i])
        continue;
      postbag_json_writer_key (writer, lists[i].filter);
      postbag_json_writer_boolean (writer, TRUE);
    }
  if (self->has_uris)
    {
      postbag_json_writer_key (writer, "resourceSubscriptions");
      postbag_json_writer_begin_array (writer);
      for (guint i = 0; i < self->uris->len; i++)
        postbag_json_writer_string (writer, self->uris->pdata[i]);
      postbag_json_writer_end_array (writer);
    }
  postbag_json_writer_end_object (writer);
}

static void
acknowledge (PostbagSession *session, PostbagCall *call)
{
  PostbagJsonWriter *writer =
      postbag_jsonrpc_begin_message (NULL, "notifications/subscriptions/acknowledged");

  write_agreed (writer, call->data);
  postbag_session_write_subscription_id (writer, call->id);
  postbag_session_send (session, postbag_jsonrpc_end (writer));
}

/* The acknowledgement leaves first: a watch tells nothing while this runs. */
static gboolean
settle_listening (PostbagCall *call, PostbagSession *session)
{
  Subscribing *self = call->data;

  if (call->finished)
    {
      drop_watches (self);
      return FALSE;
    }
  while (self->watches->len > 0)
    {
      PostbagWatch *watch = g_ptr_array_steal_index (self->watches, 0);

      if (watch->handle != NULL)
        listen_to (self, call, postbag_watch_adopt (watch));
      else
        postbag_watch_free (watch);
    }
  acknowledge (session, call);
  return TRUE;
}

static void
end_listening (PostbagCall *call, PostbagSession *session)
{
  Subscribing *self = call->data;

  for (guint i = 0; i < self->uris->len; i++)
    {
      PostbagWatch *watch = g_hash_table_lookup (session->watches, self->uris->pdata[i]);

      g_ptr_array_remove (watch->listens, call);
      postbag_watch_release (watch);
    }
}

static const PostbagOperation listen_operation = { .produce = produce_listening,
                                                   .settle = settle_listening,
                                                   .end = end_listening,
                                                   .free_data = free_subscribing };

static gboolean
is_asked_for (Subscribing *self, const char *uri)
{
  for (guint i = 0; i < self->watches->len; i++)
    {
      const PostbagWatch *watch = self->watches->pdata[i];

      if (strcmp (postbag_resource_uri_get_text (watch->uri), uri) == 0)
        return TRUE;
    }
  return FALSE;
}

/* What is none of ours, cannot be watched or is one too many is not agreed to. */
static void
ask_for (Subscribing *self, PostbagSession *session, const char *uri)
{
  const PostbagCatalog *catalog = postbag_surface_get_catalog (session->engine->surface);
  g_autoptr (PostbagResourceUri) match = NULL;
  const PostbagResourceRow *row;

  if (!postbag_resource_uri_is_well_formed (uri) || is_asked_for (self, uri)
      || g_hash_table_size (session->watches) + self->watches->len >= POSTBAG_LIMIT_WATCHES)
    return;
  row = postbag_catalog_match (catalog, uri, &match);
  if (row != NULL && row->watches)
    g_ptr_array_add (self->watches, postbag_watch_new (session, row, g_steal_pointer (&match)));
}

static gboolean
read_uris (Subscribing *self, PostbagSession *session, JsonObject *filter)
{
  JsonArray *uris = NULL;

  self->has_uris = json_object_has_member (filter, "resourceSubscriptions");
  if (!self->has_uris)
    return TRUE;
  if (!postbag_json_get_array (filter, "resourceSubscriptions", &uris))
    return FALSE;
  for (guint i = 0; i < json_array_get_length (uris); i++)
    {
      JsonNode *node = json_array_get_element (uris, i);

      if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_STRING)
        return FALSE;
      ask_for (self, session, json_node_get_string (node));
    }
  return TRUE;
}

static gboolean
read_filter (Subscribing *self, PostbagSession *session, JsonObject *params)
{
  const PostbagCatalog *catalog = postbag_surface_get_catalog (session->engine->surface);
  JsonObject *filter = NULL;

  if (!postbag_json_get_object (params, "notifications", &filter))
    return FALSE;
  for (int i = 0; i < POSTBAG_LIST_N; i++)
    {
      if (!json_object_has_member (filter, lists[i].filter))
        continue;
      if (!postbag_json_get_boolean (filter, lists[i].filter, &self->lists[i]))
        return FALSE;
      self->lists[i] = self->lists[i] && catalog->list_changes[i];
    }
  return read_uris (self, session, filter);
}

static guint
count_listens (PostbagSession *self)
{
  g_autoptr (GList) calls = g_hash_table_get_values (self->calls);
  guint count = 0;

  for (GList *link = calls; link != NULL; link = link->next)
    count += ((PostbagCall *)link->data)->operation == &listen_operation;
  return count;
}

static void
handle_listen (PostbagSession *self, const PostbagRequest *request)
{
  Subscribing *subscribing = new_subscribing ();
  PostbagCall *call;

  if (!read_filter (subscribing, self, request->params))
    {
      free_subscribing (subscribing);
      postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, NULL,
                                  "“subscriptions/listen” needs notifications: an object of "
                                  "booleans and resourceSubscriptions, a list of URIs.");
      return;
    }
  call = postbag_session_make_call (self, request, &listen_operation, subscribing,
                                    "subscriptions/listen", NULL);
  if (call == NULL)
    return;
  if (count_listens (self) < POSTBAG_LIMIT_LISTENS)
    {
      postbag_session_submit_call (self, call);
      return;
    }
  postbag_call_unref (call);
  postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INTERNAL_ERROR, NULL,
                              "At most %d subscriptions are open at once. Cancel others first.",
                              POSTBAG_LIMIT_LISTENS);
}

/* --- the end --- */

static void
send_teardown (PostbagSession *self, PostbagCall *call)
{
  PostbagJsonWriter *writer = postbag_jsonrpc_begin_message (NULL, "notifications/cancelled");

  postbag_json_writer_key (writer, "requestId");
  postbag_json_writer_raw (writer, call->id, strlen (call->id));
  postbag_json_writer_key (writer, "reason");
  postbag_json_writer_string (writer, "The server ends.");
  postbag_session_write_subscription_id (writer, call->id);
  postbag_session_send (self, postbag_jsonrpc_end (writer));
  writer = postbag_jsonrpc_begin_result (call->id);
  postbag_revision_write_result_type (call->revision, writer, "complete");
  postbag_json_writer_key (writer, "_meta");
  postbag_json_writer_begin_object (writer);
  write_subscription_member (writer, call->id);
  postbag_revision_write_meta_members (call->revision, writer);
  postbag_json_writer_end_object (writer);
  postbag_session_send (self, postbag_jsonrpc_end (writer));
}

/* The specification has both: a cancellation on teardown, and a result that ends the request. */
void
postbag_session_end_listens (PostbagSession *self)
{
  g_autoptr (GList) calls = g_hash_table_get_values (self->calls);

  for (GList *link = calls; link != NULL; link = link->next)
    {
      PostbagCall *call = link->data;

      if (call->operation != &listen_operation)
        continue;
      if (call->open)
        send_teardown (self, call);
      postbag_session_drop_call (self, call);
    }
}

void
postbag_session_drop_subscriptions (PostbagSession *self)
{
  g_autoptr (GList) watches = g_hash_table_get_values (self->watches);

  for (GList *link = watches; link != NULL; link = link->next)
    {
      PostbagWatch *watch = link->data;

      watch->is_legacy = FALSE;
      postbag_watch_release (watch);
    }
}

/* --- lists that changed --- */

static void
send_list_changed (PostbagSession *self, PostbagListKind kind, const char *listen_id)
{
  PostbagJsonWriter *writer = postbag_jsonrpc_begin_message (NULL, lists[kind].method);

  postbag_session_write_subscription_id (writer, listen_id);
  postbag_session_send (self, postbag_jsonrpc_end (writer));
}

static void
tell_listens (PostbagSession *self, PostbagListKind kind)
{
  g_autoptr (GList) calls = g_hash_table_get_values (self->calls);

  for (GList *link = calls; link != NULL; link = link->next)
    {
      PostbagCall *call = link->data;

      if (call->operation == &listen_operation && call->open
          && ((const Subscribing *)call->data)->lists[kind])
        send_list_changed (self, kind, call->id);
    }
}

static void
tell_list_changed (gpointer user_data)
{
  PostbagListNews *news = user_data;
  PostbagSession *self = news->session;

  if (!postbag_session_wants_input (self))
    {
      news->throttle.is_due = TRUE;
      return;
    }
  if (self->initialized)
    send_list_changed (self, news->kind, NULL);
  tell_listens (self, news->kind);
}

void
postbag_session_init_news (PostbagSession *self)
{
  for (int i = 0; i < POSTBAG_LIST_N; i++)
    {
      PostbagListNews *news = &self->news[i];

      news->session = self;
      news->kind = (PostbagListKind)i;
      news->throttle = (PostbagThrottle){ .fire = tell_list_changed,
                                          .user_data = news,
                                          .interval_ms = POSTBAG_LIMIT_UPDATE_INTERVAL_MS };
    }
}

void
postbag_session_clear_news (PostbagSession *self)
{
  for (int i = 0; i < POSTBAG_LIST_N; i++)
    postbag_throttle_clear (&self->news[i].throttle);
}

void
postbag_engine_tell_list_changed (PostbagEngine *self, PostbagListKind kind)
{
  const PostbagCatalog *catalog = postbag_surface_get_catalog (self->surface);

  for (guint i = 0; catalog->list_changes[kind] && i < self->sessions->len; i++)
    postbag_throttle_request (&((PostbagSession *)self->sessions->pdata[i])->news[kind].throttle);
}

/* --- the feature --- */

static gboolean
has_news (PostbagSession *self)
{
  const PostbagCatalog *catalog = postbag_surface_get_catalog (self->engine->surface);

  return catalog->has_watches || catalog->list_changes[POSTBAG_LIST_TOOLS]
         || catalog->list_changes[POSTBAG_LIST_PROMPTS]
         || catalog->list_changes[POSTBAG_LIST_RESOURCES];
}

static gboolean
has_watches (PostbagSession *self)
{
  return postbag_surface_get_catalog (self->engine->surface)->has_watches;
}

static const PostbagMethod subscribe_methods[] = {
  { "resources/subscribe", POSTBAG_ERA_LEGACY, handle_subscribe },
  { "resources/unsubscribe", POSTBAG_ERA_LEGACY, handle_unsubscribe },
};

const PostbagFeature postbag_feature_subscribe = {
  .is_there = has_watches,
  .methods = subscribe_methods,
  .n_methods = G_N_ELEMENTS (subscribe_methods),
};

static const PostbagMethod listen_methods[] = {
  { "subscriptions/listen", POSTBAG_ERA_MODERN, handle_listen },
};

const PostbagFeature postbag_feature_listen = {
  .is_there = has_news,
  .methods = listen_methods,
  .n_methods = G_N_ELEMENTS (listen_methods),
};
