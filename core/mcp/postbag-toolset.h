/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-error.h"
#include "json/postbag-args.h"
#include "json/postbag-result.h"
#include "mcp/postbag-call.h"
#include "mcp/postbag-completion.h"
#include "mcp/postbag-prompt.h"
#include "mcp/postbag-resource.h"

G_BEGIN_DECLS

/* A toolset: the handlers of the tools whose definitions stand in schemas/<toolset>/, and of the
 * resources, completions and prompts that stand there. */

/**
 * PostbagToolHandler:
 *
 * Straight-line code on a worker thread; blocks; may be cancelled; its arguments are validated.
 *
 * Returns: whether @result is complete; else %FALSE with @error in %POSTBAG_ERROR
 */
typedef gboolean (*PostbagToolHandler) (PostbagCall *call, const PostbagArgs *args,
                                        PostbagResult *result, GError **error);

typedef struct
{
  const char *name; /* as in the manifest's Tools and in schemas/<toolset>/<name>.json */
  PostbagToolHandler handler;
} PostbagToolEntry;

typedef struct
{
  guint32 size;
  const PostbagToolEntry *tools;
  gsize n_tools;
  /* (nullable): once, before the first call, on a worker thread */
  gboolean (*start) (GError **error);

  /* Appended; a module whose @size ends before one has none. */
  const PostbagResourceEntry *resources; /* see postbag-resource.h */
  gsize n_resources;
  PostbagCompleteFunc complete;      /* (nullable): see postbag-completion.h */
  const PostbagPromptEntry *prompts; /* see postbag-prompt.h */
  gsize n_prompts;
} PostbagToolsetImplementation;

G_END_DECLS
