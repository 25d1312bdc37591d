/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"
#include "json/postbag-json-writer.h"

G_BEGIN_DECLS

/* The protocol's revisions: one internal model, and here what of it each revision can say. A new
 * revision is a row in the table of postbag-revision.c. */

typedef enum
{
  POSTBAG_REVISION_NONE, /* nothing negotiated yet */
  POSTBAG_REVISION_2024_11_05,
  POSTBAG_REVISION_2025_03_26,
  POSTBAG_REVISION_2025_06_18,
  POSTBAG_REVISION_2025_11_25,
  POSTBAG_REVISION_2026_07_28,
  POSTBAG_REVISION_N
} PostbagRevision;

/**
 * PostbagRevisionFacts:
 * @date: its name on the wire
 * @modern: stateless: envelope in each request, `resultType` in each result
 * @batches: a line may be an array of messages
 * @structured_content: results may carry structuredContent
 * @answers_without_id: an error may leave without an id
 */
typedef struct
{
  const char *date;
  gboolean modern;
  gboolean batches;
  gboolean structured_content;
  gboolean answers_without_id;
} PostbagRevisionFacts;

POSTBAG_API const PostbagRevisionFacts *postbag_revision_get_facts (PostbagRevision revision);
/* POSTBAG_REVISION_NONE for a date that is no revision. */
POSTBAG_API PostbagRevision postbag_revision_from_date (const char *date);
/* What `initialize` answers: the revision asked for where we speak it in the legacy way, else our
 * latest legacy one. */
POSTBAG_API PostbagRevision postbag_revision_negotiate (const char *date);

/* What definition files describe and each revision knows a part of. */
typedef enum
{
  POSTBAG_OBJECT_TOOL,
  POSTBAG_OBJECT_RESOURCE, /* templates included */
  POSTBAG_OBJECT_PROMPT,
  POSTBAG_OBJECT_PROMPT_ARGUMENT,
} PostbagRevisionObject;

/* Whether the revision's object has that member. */
POSTBAG_API gboolean postbag_revision_has_member (PostbagRevision revision,
                                                  PostbagRevisionObject object, const char *member);

/* Writes {name, version, ...} of this server as the revision knows it, once for each client. */
POSTBAG_API void postbag_revision_write_server_info (PostbagRevision revision,
                                                     PostbagJsonWriter *writer);
/* `resultType`, where the revision has it. @result_type: "complete" or "input_required" */
POSTBAG_API void postbag_revision_write_result_type (PostbagRevision revision,
                                                     PostbagJsonWriter *writer,
                                                     const char *result_type);
/* The revision's own members of a result's `_meta`, inside that object. */
POSTBAG_API void postbag_revision_write_meta_members (PostbagRevision revision,
                                                      PostbagJsonWriter *writer);
/* What every result of the revision ends with (`resultType`, `_meta`), inside the result's object:
 * both of the above. */
POSTBAG_API void postbag_revision_write_result_tail (PostbagRevision revision,
                                                     PostbagJsonWriter *writer,
                                                     const char *result_type);
/* The same for server/discover, which is where a client of 2026-07-28 learns all about us; every
 * other result goes without the icons. */
POSTBAG_API void postbag_revision_write_discover_tail (PostbagRevision revision,
                                                       PostbagJsonWriter *writer);
/* `ttlMs` and `cacheScope`, where the revision has them. */
POSTBAG_API void postbag_revision_write_cache_hints (PostbagRevision revision,
                                                     PostbagJsonWriter *writer);
/* The array of the dates that a modern client may choose from. */
POSTBAG_API void postbag_revision_write_supported (PostbagJsonWriter *writer);

G_END_DECLS
