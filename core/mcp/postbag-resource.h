/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"
#include "mcp/postbag-call.h"

G_BEGIN_DECLS

/* Resources of a toolset. Which there are stands in schemas/<toolset>/resources.json, so that they
 * are listed without opening the module:
 *
 *   {"resources": [{"name": ..., "uri": ..., "title": ..., "description": ..., "mimeType": ...}],
 *    "resourceTemplates": [{"name": "mailbox", "uriTemplate": "imap://{account}/mailbox/{name}",
 *      "x-postbag": {"tools": ["list_messages"], "list": true, "watch": true,
 *                    "complete": ["account", "name"]}}]}
 *
 * `tools`: it is there only when all of these are on the surface. `list`, `watch`, `complete`: what
 * the module's row of that name can do, so that capabilities are told before it is opened. In a
 * template each `{variable}` stands for one segment, percent-encoded (RFC 6570 level 1). */

/**
 * PostbagResourceUri:
 *
 * A URI that a client asked for, already matched against the row's template: well formed
 * (RFC 3986), bounded, without `.` and `..` segments, its variables decoded to valid UTF-8 without
 * control characters.
 */
typedef struct _PostbagResourceUri PostbagResourceUri;

/* (transfer none): as the client wrote it */
POSTBAG_API const char *postbag_resource_uri_get_text (const PostbagResourceUri *self);
/* (transfer none) (nullable): decoded, never empty; %NULL when the template has no such variable */
POSTBAG_API const char *postbag_resource_uri_get_variable (const PostbagResourceUri *self,
                                                           const char *name);
/**
 * postbag_resource_uri_expand:
 * @uri_template: as in resources.json
 * @values: (array zero-terminated=1): name, value, name, value, ...
 *
 * Returns: (transfer full): the URI with each variable's value percent-encoded; one without a value
 *   is left empty
 */
POSTBAG_API char *postbag_resource_uri_expand (const char *uri_template, const char *const *values);

/**
 * PostbagContents:
 *
 * What reading a resource gives: one or more entries. Strings are written as they are (repaired
 * when not UTF-8): cleaning and fencing them is the handler's duty, with core/safety.
 */
typedef struct _PostbagContents PostbagContents;

/* @uri: (nullable): the one asked for. @mime_type: (nullable) */
POSTBAG_API void postbag_contents_add_text (PostbagContents *self, const char *uri,
                                            const char *mime_type, const char *text);
POSTBAG_API void postbag_contents_add_blob (PostbagContents *self, const char *uri,
                                            const char *mime_type, GBytes *data);
/* A member of the result's `_meta`; @key without a prefix: `postbag/` is added. */
POSTBAG_API void postbag_contents_meta_string (PostbagContents *self, const char *key,
                                               const char *value);

/* One resource of resources/list. */
typedef struct
{
  const char *uri;
  const char *name;        /* cleaned by the handler */
  const char *title;       /* (nullable) */
  const char *description; /* (nullable) */
  const char *mime_type;   /* (nullable) */
  gint64 size;             /* bytes; -1 when unknown */
} PostbagResourceFacts;

typedef struct _PostbagResourceList PostbagResourceList;

/* One whose URI resources/read would refuse (a segment `..`, a control character) is left out.
 *
 * Returns: %FALSE when the list is full (POSTBAG_LIMIT_RESOURCES): @facts was not added, stop. */
POSTBAG_API gboolean postbag_resource_list_add (PostbagResourceList *self,
                                                const PostbagResourceFacts *facts);

/**
 * PostbagSubscription:
 *
 * Who wants to hear of a resource's changes. A watch keeps a reference and may tell of a change at
 * any time and from any thread, also while or after it is ended; how often clients hear of it is
 * bounded here.
 */
typedef struct _PostbagSubscription PostbagSubscription;

POSTBAG_API PostbagSubscription *postbag_subscription_ref (PostbagSubscription *self);
POSTBAG_API void postbag_subscription_unref (PostbagSubscription *self);
POSTBAG_API void postbag_subscription_tell (PostbagSubscription *self);

/**
 * PostbagResourceEntry:
 * @name: of a resource or a template in resources.json
 * @read: the contents of one of them. Errors reach the client as protocol errors:
 *   %POSTBAG_ERROR_NOT_FOUND for what is not there
 * @list: (nullable): the template's resources that resources/list shows, in an order that stays
 *   the same; where the file says `list`
 * @watch: (nullable): (transfer full): begins to tell @subscription of changes; what it returns
 *   goes to @unwatch; %NULL with @error. Where the file says `watch`; the same resource is watched
 *   once however many clients subscribe
 * @unwatch: ends it; on the main thread, must not block
 *
 * Straight-line code like a tool's handler: @read, @list and @watch run on a worker thread, block,
 * and may be cancelled. postbag_call_get_tool() is empty there.
 */
typedef struct
{
  const char *name;
  gboolean (*read) (PostbagCall *call, const PostbagResourceUri *uri, PostbagContents *contents,
                    GError **error);
  gboolean (*list) (PostbagCall *call, PostbagResourceList *list, GError **error);
  gpointer (*watch) (PostbagCall *call, const PostbagResourceUri *uri,
                     PostbagSubscription *subscription, GError **error);
  void (*unwatch) (gpointer watch);
} PostbagResourceEntry;

G_END_DECLS
