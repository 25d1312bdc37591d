/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mime/postbag-message.h"
#include "postbag-guarded-attachments.h"
#include "toolset/postbag-mail-call.h"

G_BEGIN_DECLS

/* One attachment that passed the declaration gate: fetched, judged by its bytes, handed over
 * (contract 1.7, rules 7 to 13). */

typedef struct
{
  PostbagMailCall *mail;
  guint32 uid;
  guint32 uid_validity; /* of the mailbox that has the message; 0: not known */
  const char *version;  /* (nullable): of the message */
  const PostbagGuardedLimits *limits;
  PostbagGuardedMode mode;
  const char *member; /* (nullable): of an archive */
  gint64 offset;
  gint64 max_chars;
  const PostbagAttachment *attachment;
  PostbagMessage *message; /* (nullable): what the part is read out of: no server numbers it */
} PostbagGuardedRequest;

gboolean postbag_guarded_return_attachment (const PostbagGuardedRequest *request,
                                            PostbagResult *result, GError **error);

/**
 * postbag_guarded_fetch_attachment:
 * @notes: (out) (transfer full) (element-type utf8): what is odd about it
 *
 * Returns: (transfer full) (nullable): the bytes, past the same gates and under the same ceilings,
 *   or %NULL with the same errors
 */
GBytes *postbag_guarded_fetch_attachment (const PostbagGuardedRequest *request, GPtrArray **notes,
                                          GError **error);

G_END_DECLS
