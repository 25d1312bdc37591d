/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"
#include "json/postbag-args.h"
#include "mcp/postbag-call.h"

G_BEGIN_DECLS

/* Completion of an argument of a prompt or of a variable of a resource template: of those that
 * prompts/<name>.json ("x-postbag": {"complete": [...]}) or resources.json say it of. */

/**
 * PostbagCompletion:
 * @is_prompt: of a prompt, not of a resource template
 * @name: the prompt's or the template's
 * @argument: the one that is being typed
 * @value: what was typed so far, may be empty
 * @context: the arguments that are settled already, all strings; may be empty
 */
typedef struct
{
  gboolean is_prompt;
  const char *name;
  const char *argument;
  const char *value;
  const PostbagArgs *context;
} PostbagCompletion;

typedef struct _PostbagCompletionList PostbagCompletionList;

/* The best first. The client gets the first 100 and how many there were. */
POSTBAG_API void postbag_completion_list_add (PostbagCompletionList *self, const char *value);

/**
 * PostbagCompleteFunc:
 *
 * On a worker thread; cancellable; an answer that takes long is worth nothing.
 */
typedef gboolean (*PostbagCompleteFunc) (PostbagCall *call, const PostbagCompletion *completion,
                                         PostbagCompletionList *list, GError **error);

G_END_DECLS
