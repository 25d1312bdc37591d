/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mime/postbag-message.h"
#include "toolset/postbag-mail-call.h"

G_BEGIN_DECLS

/**
 * postbag_mail_fetch_part:
 * @part: a leaf with a number
 * @max_bytes: bound on the bytes after transfer decoding, enforced on what really arrives
 * @complete: (out) (nullable): when given, a part that is larger is cut instead of refused, and
 *   this says so
 *
 * Returns: (transfer full) (nullable): the decoded bytes, or %NULL with %POSTBAG_ERROR_TOO_LARGE or
 *   the store's error
 */
POSTBAG_API GBytes *postbag_mail_fetch_part (PostbagMailCall *self, guint32 uid,
                                             const PostbagPart *part, gsize max_bytes,
                                             gboolean *complete, GError **error);

/**
 * postbag_mail_read_body:
 * @fetched: the message or its first bytes
 * @message: @fetched's source, parsed
 * @structure: of the whole message
 *
 * The readable text. Where the part that holds it runs past the bytes at hand, that one part is
 * fetched, up to POSTBAG_LIMIT_MESSAGE_SOURCE_BYTES: a message's text costs its text, never its
 * attachments.
 *
 * Returns: (transfer full) (nullable): not cleaned
 */
POSTBAG_API PostbagBody *postbag_mail_read_body (PostbagMailCall *self,
                                                 const PostbagFetchedMessage *fetched,
                                                 PostbagMessage *message,
                                                 const PostbagPart *structure, GError **error);

G_END_DECLS
