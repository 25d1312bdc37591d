/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-imap-framer.h"
#include "postbag-imap-reply.h"

G_BEGIN_DECLS

/**
 * postbag_imap_parse:
 * @frame: one reply; spools of its literals are taken
 * @utf8_names: whether mailbox names are plain UTF-8 (after ENABLE UTF8=ACCEPT or IMAP4rev2),
 *   instead of modified UTF-7
 *
 * Reads one reply. Forgiving where real servers need it: an item that cannot be read is left out
 * and says so, an unknown reply is of the kind UNKNOWN.
 *
 * Returns: (transfer full) (nullable): %NULL with POSTBAG_ERROR_BAD_DATA when the bytes are no IMAP
 *   reply at all (an SMTP or web server, for instance)
 */
PostbagImapReply *postbag_imap_parse (PostbagImapFrame *frame, gboolean utf8_names, GError **error);

G_END_DECLS
