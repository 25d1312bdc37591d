/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <json-glib/json-glib.h>

#include "json/postbag-schema.h"
#include "mcp/postbag-tool-private.h"

G_BEGIN_DECLS

/* What a surface has besides tools, from the files of its toolsets: resources.json,
 * prompts/NAME.json and features.json ({"logging": true, "listChanged": ["tools", "prompts",
 * "resources"]}: what the module's handlers do that a capability announces). All optional. Read at
 * first need, immutable then; nothing here opens a module. */

typedef struct
{
  PostbagToolset *toolset;
  JsonObject *object; /* the MCP Resource or ResourceTemplate with our own members */
  const char *name;
  const char *uri; /* or the template */
  gboolean lists;
  gboolean watches;
} PostbagResourceRow;

typedef struct
{
  PostbagToolset *toolset;
  JsonObject *object; /* the MCP Prompt with our own members */
  const char *name;
  JsonArray *messages;   /* (nullable): %NULL when the module makes them */
  PostbagSchema *schema; /* (nullable): of the arguments that are given */
  JsonObject *days_ago;  /* (nullable): of arguments that are days, what one left out stands for */
} PostbagPrompt;

typedef struct
{
  GPtrArray *resources; /* PostbagResourceRow, in listing order; likewise: */
  GPtrArray *templates;
  GPtrArray *prompts; /* PostbagPrompt */
  gboolean has_lists; /* any template lists resources */
  gboolean has_watches;
  gboolean has_completions;
  gboolean logs;
  gboolean list_changes[POSTBAG_LIST_N];
} PostbagCatalog;

POSTBAG_API PostbagCatalog *postbag_catalog_load (PostbagSurface *surface);
POSTBAG_API void postbag_catalog_free (PostbagCatalog *self);

/* (transfer none): any thread */
POSTBAG_API const PostbagCatalog *postbag_surface_get_catalog (PostbagSurface *self);

/* (transfer none) (nullable) */
POSTBAG_API const PostbagPrompt *postbag_catalog_find_prompt (const PostbagCatalog *self,
                                                              const char *name);
/* (transfer none) (nullable): by the template as it is listed */
POSTBAG_API const PostbagResourceRow *postbag_catalog_find_template (const PostbagCatalog *self,
                                                                     const char *uri_template);
/* (transfer none) (nullable): the row that @uri, well formed, belongs to.
 * @match: (out) (transfer full) (optional) */
POSTBAG_API const PostbagResourceRow *
postbag_catalog_match (const PostbagCatalog *self, const char *uri, PostbagResourceUri **match);
/* Whether a prompt or resource with these members says that @argument is completed. */
POSTBAG_API gboolean postbag_catalog_completes (JsonObject *object, const char *argument);

G_END_DECLS
