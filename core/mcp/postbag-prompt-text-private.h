/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mcp/postbag-catalog-private.h"

G_BEGIN_DECLS

/* The messages of a prompt's file with its arguments put in. */

/* Writes the array. @arguments: all strings, checked */
POSTBAG_API void postbag_prompt_write_messages (const PostbagPrompt *prompt, JsonObject *arguments,
                                                PostbagRevision revision,
                                                PostbagJsonWriter *writer);

G_END_DECLS
