/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-guarded-content.h"

G_BEGIN_DECLS

/* What a message's attachments were found in; owns what a request borrows. */
typedef struct
{
  PostbagPart *structure;
  GPtrArray *attachments;  /* (element-type PostbagAttachment) */
  PostbagMessage *message; /* (nullable): what they were read out of: no server numbers them */
} PostbagGuardedFinding;

void postbag_guarded_finding_clear (PostbagGuardedFinding *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PostbagGuardedFinding, postbag_guarded_finding_clear)

/* All of them, each judged by whether any mode can reach it. */
gboolean postbag_guarded_find_all (PostbagGuardedFinding *self,
                                   const PostbagGuardedRequest *request, GError **error);

/**
 * postbag_guarded_find_one:
 * @request: its mail, uid, limits and mode are set
 *
 * Returns: whether @request now has the attachment with that @part_id and its declaration passed;
 *   %FALSE with %POSTBAG_ERROR_NOT_FOUND or %POSTBAG_ERROR_NOT_ALLOWED
 */
gboolean postbag_guarded_find_one (PostbagGuardedFinding *self, PostbagGuardedRequest *request,
                                   const char *part_id, GError **error);

G_END_DECLS
