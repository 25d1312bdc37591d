/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Resources: lists from the toolsets' files and, for families that can be enumerated, from their
 * handlers; reading through the handlers. Everything that touches a toolset runs on the pool. */

#include "mcp/postbag-catalog-private.h"
#include "mcp/postbag-cursor-private.h"
#include "mcp/postbag-resources-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"
#include "json/postbag-result-private.h"
#include "mcp/postbag-uri-template-private.h"
#include "safety/postbag-clean.h"

/* --- the module's rows --- */

const PostbagResourceEntry *
postbag_resources_find_entry (const PostbagResourceRow *row, GError **error)
{
  const PostbagToolsetImplementation *implementation =
      postbag_toolset_get_implementation (row->toolset, error);

  if (implementation == NULL)
    return NULL;
  if (implementation->size >= G_STRUCT_OFFSET (PostbagToolsetImplementation, complete))
    {
      for (gsize i = 0; i < implementation->n_resources; i++)
        {
          if (strcmp (implementation->resources[i].name, row->name) == 0)
            return &implementation->resources[i];
        }
    }
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_INTERNAL,
               "The module of the toolset “%s” has no resource “%s”, though its file names it. "
               "Reinstall Postbag.",
               postbag_toolset_get_name (row->toolset), row->name);
  return NULL;
}

/* --- resources/list --- */

struct _PostbagResourceList
{
  PostbagRevision revision;
  GPtrArray *uris;  /* (element-type utf8): keys of the cursor */
  GPtrArray *texts; /* (element-type GBytes): the JSON of each */
};

static void
init_list (PostbagResourceList *self, PostbagRevision revision)
{
  self->revision = revision;
  self->uris = g_ptr_array_new_with_free_func (g_free);
  self->texts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
}

static void
clear_list (PostbagResourceList *self)
{
  g_ptr_array_unref (self->uris);
  g_ptr_array_unref (self->texts);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PostbagResourceList, clear_list)

static void
write_member (PostbagJsonWriter *writer, PostbagRevision revision, const char *name,
              const char *value)
{
  if (value == NULL || !postbag_revision_has_member (revision, POSTBAG_OBJECT_RESOURCE, name))
    return;
  postbag_json_writer_key (writer, name);
  postbag_json_writer_string (writer, value);
}

gboolean
postbag_resource_list_add (PostbagResourceList *self, const PostbagResourceFacts *facts)
{
  g_autoptr (PostbagJsonWriter) writer = NULL;

  if (self->uris->len >= POSTBAG_LIMIT_RESOURCES)
    return FALSE;
  /* What resources/read would refuse is none. */
  if (!postbag_resource_uri_is_well_formed (facts->uri))
    return TRUE;
  writer = postbag_json_writer_new ();
  postbag_json_writer_begin_object (writer);
  write_member (writer, self->revision, "uri", facts->uri);
  write_member (writer, self->revision, "name", facts->name);
  write_member (writer, self->revision, "title", facts->title);
  write_member (writer, self->revision, "description", facts->description);
  write_member (writer, self->revision, "mimeType", facts->mime_type);
  if (facts->size >= 0)
    {
      postbag_json_writer_key (writer, "size");
      postbag_json_writer_int (writer, facts->size);
    }
  postbag_json_writer_end_object (writer);
  g_ptr_array_add (self->uris, g_strdup (facts->uri));
  g_ptr_array_add (self->texts, postbag_json_writer_finish (writer));
  return TRUE;
}

static void
add_fixed (PostbagResourceList *self, const PostbagResourceRow *row)
{
  g_autoptr (PostbagJsonWriter) writer = postbag_json_writer_new ();

  postbag_definition_write_object (writer, row->object, POSTBAG_OBJECT_RESOURCE, self->revision);
  g_ptr_array_add (self->uris, g_strdup (row->uri));
  g_ptr_array_add (self->texts, postbag_json_writer_finish (writer));
}

static gboolean
add_listed (PostbagResourceList *self, PostbagCall *call, const PostbagResourceRow *row,
            GError **error)
{
  const PostbagResourceEntry *entry = postbag_resources_find_entry (row, error);

  if (entry == NULL)
    return FALSE;
  call->toolset = row->toolset;
  return entry->list == NULL || entry->list (call, self, error);
}

static gboolean
collect (PostbagResourceList *self, PostbagCall *call, GError **error)
{
  const PostbagCatalog *catalog = postbag_surface_get_catalog (call->engine->surface);

  for (guint i = 0; i < catalog->resources->len; i++)
    add_fixed (self, catalog->resources->pdata[i]);
  for (guint i = 0; i < catalog->templates->len; i++)
    {
      const PostbagResourceRow *row = catalog->templates->pdata[i];

      if (row->lists && !add_listed (self, call, row, error))
        return FALSE;
    }
  return TRUE;
}

static void
write_texts (PostbagJsonWriter *writer, const char *member, GPtrArray *texts, guint first,
             guint end)
{
  postbag_json_writer_key (writer, member);
  postbag_json_writer_begin_array (writer);
  for (guint i = first; i < end; i++)
    {
      gsize length;
      const char *text = g_bytes_get_data (texts->pdata[i], &length);

      postbag_json_writer_raw (writer, text, length);
    }
  postbag_json_writer_end_array (writer);
}

static GBytes *
produce_list (PostbagCall *call)
{
  g_auto (PostbagResourceList) list = { 0 };
  g_autoptr (GError) error = NULL;
  PostbagCursorList cursor = { call->engine, call->principal, "resources-cursor", NULL, FALSE };
  PostbagJsonWriter *writer;
  guint first, end;

  init_list (&list, call->revision);
  if (!collect (&list, call, &error))
    return postbag_call_make_protocol_error (call, error, NULL);
  cursor.keys = list.uris;
  if (!postbag_cursor_read (&cursor, call->params, &first))
    return postbag_jsonrpc_make_error (call->id, POSTBAG_JSONRPC_INVALID_PARAMS,
                                       POSTBAG_CURSOR_REFUSAL, NULL);
  end = postbag_cursor_get_end (&cursor, first);
  writer = postbag_call_begin_response (call);
  write_texts (writer, "resources", list.texts, first, end);
  postbag_cursor_write_next (&cursor, end, writer);
  postbag_revision_write_cache_hints (call->revision, writer);
  postbag_call_write_tail (call, writer, NULL);
  return postbag_call_end_response (call, writer);
}

static const PostbagOperation list_operation = { .produce = produce_list };

static void
handle_list (PostbagSession *self, const PostbagRequest *request)
{
  PostbagCall *call =
      postbag_session_make_call (self, request, &list_operation, NULL, "resources/list", NULL);

  if (call != NULL)
    postbag_session_submit_call (self, call);
}

/* --- resources/templates/list --- */

static void
handle_templates_list (PostbagSession *self, const PostbagRequest *request)
{
  const PostbagCatalog *catalog = postbag_surface_get_catalog (self->engine->surface);
  g_auto (PostbagResourceList) list = { 0 };
  PostbagCursorList cursor = { self->engine, self->principal, "templates-cursor", NULL, TRUE };
  PostbagJsonWriter *writer;
  guint first, end;

  init_list (&list, request->revision);
  for (guint i = 0; i < catalog->templates->len; i++)
    add_fixed (&list, catalog->templates->pdata[i]);
  cursor.keys = list.uris;
  if (!postbag_cursor_read (&cursor, request->params, &first))
    {
      postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, NULL,
                                  POSTBAG_CURSOR_REFUSAL);
      return;
    }
  end = postbag_cursor_get_end (&cursor, first);
  writer = postbag_session_begin_result (self, request);
  write_texts (writer, "resourceTemplates", list.texts, first, end);
  postbag_cursor_write_next (&cursor, end, writer);
  postbag_revision_write_cache_hints (request->revision, writer);
  postbag_session_end_result (self, request, writer);
}

/* --- which resource --- */

/* (nullable): of the params */
static const char *
get_uri (const PostbagRequest *request)
{
  const char *uri = NULL;

  if (request->params == NULL || !postbag_json_get_string (request->params, "uri", &uri)
      || postbag_json_document_is_flagged (request->document,
                                           json_object_get_member (request->params, "uri")))
    return NULL;
  return uri;
}

static void
refuse_uri (PostbagSession *self, const PostbagRequest *request, const char *uri)
{
  g_autofree char *data = postbag_call_describe_uri (uri);
  g_autofree char *shown = postbag_clean_quote (uri);
  gboolean is_modern = postbag_revision_get_facts (request->revision)->modern;

  postbag_session_send_error (
      self, request->id,
      is_modern ? POSTBAG_JSONRPC_INVALID_PARAMS : POSTBAG_JSONRPC_RESOURCE_NOT_FOUND, data,
      "There is no resource %s. List the resources and their templates to see which there are.",
      shown);
}

const PostbagResourceRow *
postbag_resources_find (PostbagSession *self, const PostbagRequest *request,
                        PostbagResourceUri **match)
{
  const PostbagResourceRow *row = NULL;
  const char *uri = get_uri (request);

  if (uri == NULL)
    {
      postbag_session_send_error (self, request->id, POSTBAG_JSONRPC_INVALID_PARAMS, NULL,
                                  "“%s” needs the uri of a resource.", request->method);
      return NULL;
    }
  if (postbag_resource_uri_is_well_formed (uri))
    row = postbag_catalog_match (postbag_surface_get_catalog (self->engine->surface), uri, match);
  if (row == NULL)
    refuse_uri (self, request, uri);
  return row;
}

/* --- resources/read --- */

typedef struct
{
  const PostbagResourceRow *row;
  PostbagResourceUri *uri;
} Reading;

static void
free_reading (gpointer data)
{
  Reading *reading = data;

  postbag_resource_uri_free (reading->uri);
  g_free (reading);
}

struct _PostbagContents
{
  PostbagJsonWriter *writer; /* inside the array of contents */
  const char *uri;
  guint count;
  gboolean is_too_large; /* something was left out */
  JsonObject *meta;      /* (nullable) */
};

static void
begin_contents (PostbagContents *self, const char *uri, const char *mime_type)
{
  postbag_json_writer_begin_object (self->writer);
  postbag_json_writer_key (self->writer, "uri");
  postbag_json_writer_string (self->writer, uri != NULL ? uri : self->uri);
  if (mime_type != NULL)
    {
      postbag_json_writer_key (self->writer, "mimeType");
      postbag_json_writer_string (self->writer, mime_type);
    }
  self->count++;
}

void
postbag_contents_add_text (PostbagContents *self, const char *uri, const char *mime_type,
                           const char *text)
{
  begin_contents (self, uri, mime_type);
  postbag_json_writer_key (self->writer, "text");
  postbag_json_writer_string (self->writer, text != NULL ? text : "");
  postbag_json_writer_end_object (self->writer);
}

/* Before it is encoded: base64 makes four characters of three bytes. */
static gboolean
has_room (PostbagContents *self, gsize length)
{
  gsize used = postbag_json_writer_get_length (self->writer);

  self->is_too_large = self->is_too_large || used > POSTBAG_LIMIT_ANSWER_BYTES
                       || length > (POSTBAG_LIMIT_ANSWER_BYTES - used) / 4 * 3;
  return !self->is_too_large;
}

void
postbag_contents_add_blob (PostbagContents *self, const char *uri, const char *mime_type,
                           GBytes *data)
{
  gsize length;
  const guint8 *bytes = g_bytes_get_data (data, &length);

  self->count += has_room (self, length) ? 0 : 1;
  if (self->is_too_large)
    return;
  begin_contents (self, uri, mime_type);
  postbag_json_writer_key (self->writer, "blob");
  postbag_json_writer_base64 (self->writer, bytes, length);
  postbag_json_writer_end_object (self->writer);
}

void
postbag_contents_meta_string (PostbagContents *self, const char *key, const char *value)
{
  g_autofree char *name = strchr (key, '/') != NULL
                              ? g_strdup (key)
                              : g_strconcat (POSTBAG_RESULT_META_PREFIX, key, NULL);

  if (self->meta == NULL)
    self->meta = json_object_new ();
  json_object_set_string_member (self->meta, name, value);
}

static GBytes *
finish_contents (PostbagCall *call, PostbagContents *contents, PostbagJsonWriter *writer)
{
  g_autoptr (GError) error = NULL;

  if (contents->count == 0)
    g_set_error (&error, POSTBAG_ERROR, POSTBAG_ERROR_NOT_FOUND, "The resource has no contents.");
  else if (contents->is_too_large
           || postbag_json_writer_get_length (writer) > POSTBAG_LIMIT_ANSWER_BYTES)
    g_set_error (&error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
                 "The resource is larger than the 8 MiB that clients take in one answer. Use a "
                 "tool that pages or saves it instead.");
  if (error != NULL)
    {
      postbag_json_writer_free (writer);
      return postbag_call_make_protocol_error (call, error, contents->uri);
    }
  postbag_json_writer_end_array (writer);
  postbag_revision_write_cache_hints (call->revision, writer);
  postbag_call_write_tail (call, writer, contents->meta);
  return postbag_call_end_response (call, writer);
}

static GBytes *
answer_with_error (PostbagCall *call, const GError *error, const char *uri)
{
  if (call->pending != NULL && g_error_matches (error, POSTBAG_ERROR, POSTBAG_ERROR_NEEDS_INPUT))
    return postbag_call_answer_with_question (call);
  postbag_call_set_pending (call, NULL);
  return postbag_call_make_protocol_error (call, error, uri);
}

static GBytes *
produce_contents (PostbagCall *call)
{
  Reading *reading = call->data;
  PostbagContents contents = { .uri = postbag_resource_uri_get_text (reading->uri) };
  g_autoptr (GError) error = NULL;
  const PostbagResourceEntry *entry = postbag_resources_find_entry (reading->row, &error);
  PostbagJsonWriter *writer;
  GBytes *response;

  if (entry == NULL)
    return answer_with_error (call, error, contents.uri);
  writer = postbag_call_begin_response (call);
  postbag_json_writer_key (writer, "contents");
  postbag_json_writer_begin_array (writer);
  contents.writer = writer;
  postbag_call_set_pending (call, NULL);
  if (entry->read (call, reading->uri, &contents, &error))
    response = finish_contents (call, &contents, writer);
  else
    {
      postbag_json_writer_free (writer);
      response = answer_with_error (call, error, contents.uri);
    }
  g_clear_pointer (&contents.meta, json_object_unref);
  return response;
}

static const PostbagOperation read_operation = { .produce = produce_contents,
                                                 .free_data = free_reading };

static void
handle_read (PostbagSession *self, const PostbagRequest *request)
{
  g_autoptr (PostbagResourceUri) uri = NULL;
  const PostbagResourceRow *row = postbag_resources_find (self, request, &uri);
  g_autofree char *subject = NULL;
  PostbagCall *call;
  Reading *reading;

  if (row == NULL)
    return;
  subject = g_strconcat ("resources/read ", postbag_resource_uri_get_text (uri), NULL);
  reading = g_new0 (Reading, 1);
  reading->row = row;
  reading->uri = g_steal_pointer (&uri);
  call = postbag_session_make_call (self, request, &read_operation, reading, subject, row->toolset);
  if (call != NULL)
    postbag_session_submit_call (self, call);
}

/* --- the feature --- */

static gboolean
has_resources (PostbagSession *self)
{
  const PostbagCatalog *catalog = postbag_surface_get_catalog (self->engine->surface);

  return catalog->resources->len + catalog->templates->len > 0;
}

static void
write_capability (PostbagSession *self, PostbagRevision revision, PostbagJsonWriter *writer)
{
  const PostbagCatalog *catalog = postbag_surface_get_catalog (self->engine->surface);

  postbag_json_writer_key (writer, "resources");
  postbag_json_writer_begin_object (writer);
  if (catalog->has_watches)
    {
      postbag_json_writer_key (writer, "subscribe");
      postbag_json_writer_boolean (writer, TRUE);
    }
  if (catalog->list_changes[POSTBAG_LIST_RESOURCES])
    {
      postbag_json_writer_key (writer, "listChanged");
      postbag_json_writer_boolean (writer, TRUE);
    }
  postbag_json_writer_end_object (writer);
}

static const PostbagMethod methods[] = {
  { "resources/list", POSTBAG_ERA_LEGACY | POSTBAG_ERA_MODERN, handle_list },
  { "resources/templates/list", POSTBAG_ERA_LEGACY | POSTBAG_ERA_MODERN, handle_templates_list },
  { "resources/read", POSTBAG_ERA_LEGACY | POSTBAG_ERA_MODERN, handle_read },
};

const PostbagFeature postbag_feature_resources = {
  .is_there = has_resources,
  .methods = methods,
  .n_methods = G_N_ELEMENTS (methods),
  .write_capability = write_capability,
};
