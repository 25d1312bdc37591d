/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extraction.h"
#include "json/postbag-result.h"
#include "mcp/postbag-call.h"
#include "safety/postbag-attachment-policy.h"

G_BEGIN_DECLS

/* What the configuration says about attachments, and the walk under it (contract 1.7 rule 2 and 3,
 * 4.1). */

typedef enum
{
  POSTBAG_GUARDED_AUTO,
  POSTBAG_GUARDED_INLINE,
  POSTBAG_GUARDED_FILE,
  POSTBAG_GUARDED_TEXT,
} PostbagGuardedMode;

/* One ceiling, and the variable that a refusal names. */
typedef struct
{
  gint64 bytes;
  const char *variable;
} PostbagGuardedCeiling;

typedef struct
{
  const char *directory; /* (nullable): where files may be saved */
  const char *const *types;
  PostbagExtraction *extraction; /* (nullable): where documents become text */
  PostbagGuardedCeiling ceilings[POSTBAG_GUARDED_TEXT + 1]; /* of each mode but auto */
} PostbagGuardedLimits;

/* @limits borrows from the call's settings. */
void postbag_guarded_limits_load (PostbagGuardedLimits *limits, PostbagCall *call);

/* Whether mode "text" can read it: text, and documents that the cage has a reader for. */
gboolean postbag_guarded_is_extractable (const PostbagGuardedLimits *limits,
                                         const PostbagAttachment *attachment);

/* (transfer full) (element-type PostbagAttachment): judged by the ceiling of @mode; auto asks
 * whether any mode can reach it. */
GPtrArray *postbag_guarded_walk (const PostbagPart *structure, const PostbagGuardedLimits *limits,
                                 PostbagGuardedMode mode);

/* One item of the array that is open; whether it fitted. */
gboolean postbag_guarded_write_attachment (PostbagResult *result,
                                           const PostbagGuardedLimits *limits,
                                           const PostbagAttachment *attachment);

/* The member "notes". */
void postbag_guarded_write_notes (PostbagResult *result, GPtrArray *notes);

G_END_DECLS
