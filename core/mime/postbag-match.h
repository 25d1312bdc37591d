/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-needle.h"
#include "mime/postbag-message.h"

G_BEGIN_DECLS

/* Looking into messages for the texts of a PostbagSearch, where no server and no index does: one
 * meaning for all stores. Values are compared decoded. */

/* Whether one of the fields of that name holds @needle. */
POSTBAG_API gboolean postbag_message_matches_field (PostbagMessage *self, const char *field,
                                                    PostbagNeedle *needle);
/* The same for "From", "To", "Cc", ... as lists of addresses. */
POSTBAG_API gboolean postbag_message_matches_addresses (PostbagMessage *self, const char *field,
                                                        PostbagNeedle *needle);
/* Whether one of the text parts holds @needle. */
POSTBAG_API gboolean postbag_message_matches_body (PostbagMessage *self, PostbagNeedle *needle);

/* Whether one of the header fields at the start of @source does, each as "Name: value". */
POSTBAG_API gboolean postbag_mime_header_matches (GBytes *source, PostbagNeedle *needle);
/* Whether one text part does. @bytes: after transfer decoding; @charset: (nullable) */
POSTBAG_API gboolean postbag_mime_text_matches (GBytes *bytes, const char *type,
                                                const char *charset, PostbagNeedle *needle);

G_END_DECLS
