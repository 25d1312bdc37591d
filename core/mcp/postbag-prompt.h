/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"
#include "json/postbag-args.h"
#include "mcp/postbag-call.h"

G_BEGIN_DECLS

/* Prompts are data files, schemas/<toolset>/prompts/<name>.json: an MCP Prompt object with
 *
 *   "x-postbag": {"schema": {"properties": {"since": {"format": "date"}}}, "days_ago": {"since":
 * 3}, "tools": ["list_messages"], "complete": ["mailbox"], "messages": [{"role": "user", "text":
 * ["Look at {mailbox}.",
 *                               {"if": "topic", "text": "Only what is about:\n{topic}"}]}]}
 *
 * `tools`: it is listed only when all of these are on the surface. `text`: lines; one with `if` is
 * there only when that argument was given (`unless`: when it was not). `{argument}` is replaced by
 * its value, cleaned and bounded. `schema`: of the arguments that are given and not empty; what it
 * refuses is an error. `days_ago`: an argument that is left out is the day so long ago. Instead of
 * `text` a message may have `content`: a content block of MCP, in whose strings arguments are
 * replaced too. */

/**
 * PostbagPromptMessages:
 *
 * For the rare prompt whose file has no `messages` and that is made by code.
 */
typedef struct _PostbagPromptMessages PostbagPromptMessages;

/* @role: "user" or "assistant" */
POSTBAG_API void postbag_prompt_messages_add_text (PostbagPromptMessages *self, const char *role,
                                                   const char *text);

/**
 * PostbagPromptEntry:
 * @get: on a worker thread, blocks, may be cancelled, may ask like a tool. @args: all strings, the
 *   required ones are there
 */
typedef struct
{
  const char *name;
  gboolean (*get) (PostbagCall *call, const PostbagArgs *args, PostbagPromptMessages *messages,
                   GError **error);
} PostbagPromptEntry;

G_END_DECLS
