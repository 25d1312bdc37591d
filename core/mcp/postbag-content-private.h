/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "json/postbag-json-writer.h"
#include "json/postbag-result-private.h"
#include "mcp/postbag-revision-private.h"

G_BEGIN_DECLS

/* Content blocks of results and prompts, as the revision has them: what it lacks (audio before
 * 2025-03-26, resource links before 2025-06-18) becomes a text that says what is there. */

POSTBAG_API void postbag_content_write_text (PostbagJsonWriter *writer, const char *text,
                                             gsize length);
POSTBAG_API void postbag_content_write_block (PostbagJsonWriter *writer, PostbagRevision revision,
                                              const PostbagResultBlock *block);
/* @block: a whole content block of a data file */
POSTBAG_API void postbag_content_write_object (PostbagJsonWriter *writer, PostbagRevision revision,
                                               JsonObject *block);

G_END_DECLS
