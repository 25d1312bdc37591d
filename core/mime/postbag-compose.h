/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/**
 * PostbagDraft:
 * @from: (nullable): our address
 * @to, @cc, @bcc: (nullable) (array zero-terminated=1): bare addresses
 * @subject: one line
 * @body: text; any line ends
 * @date: seconds since 1970
 * @in_reply_to: (nullable): the id of the message that is answered, with its angle brackets
 * @references: (nullable) (array zero-terminated=1): ids of the conversation, oldest first
 */
typedef struct
{
  const char *from;
  const char *const *to;
  const char *const *cc;
  const char *const *bcc;
  const char *subject;
  const char *body;
  gint64 date;
  const char *in_reply_to;
  const char *const *references;
} PostbagDraft;

/**
 * postbag_compose_check_address:
 *
 * The choke point that every address we write passes (RFC 5321 sections 2.4, 4.1.2 and 4.5.3; RFC
 * 5322 section 3.4.1): one `@`, a local part of printable ASCII without anything that has a meaning
 * in a header, a domain with a dot in it, at most 254 bytes. What a reader could take for an
 * encoded word (RFC 2047 section 5) is no local part.
 *
 * Returns: (transfer full) (nullable): the address as it is written: a domain in other letters as
 *   its ASCII form, a local part in quotes exactly where its dots want them; %NULL with
 *   %POSTBAG_ERROR_INVALID_ARGUMENT
 */
POSTBAG_API char *postbag_compose_check_address (const char *address, GError **error);

/**
 * postbag_compose:
 *
 * A whole message (RFC 5322) of one text part, lines ending in CRLF and at most 998 octets long.
 * Nothing in a value can end its field. Ids that are not well shaped are left out; @references
 * keeps its last 20.
 *
 * Returns: (transfer full) (nullable): %NULL with %POSTBAG_ERROR_INVALID_ARGUMENT
 */
POSTBAG_API GBytes *postbag_compose (const PostbagDraft *draft, GError **error);

G_END_DECLS
