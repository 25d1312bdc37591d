/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-mail-types.h"
#include "postbag-imap-command.h"

G_BEGIN_DECLS

/* PostbagSearch as keys of SEARCH (RFC 9051 section 6.4.4). */

/* Whether some text is not ASCII: such a search names its charset, and no other does, since there
 * are servers that refuse every charset. */
gboolean postbag_imap_search_needs_charset (const PostbagSearch *search);

/**
 * postbag_imap_search_add_keys:
 * @utf8: whether UTF8=ACCEPT is enabled: a charset must not be named then (RFC 6855 section 3)
 *
 * Appends `CHARSET UTF-8`, where needed, and all keys; `ALL` when there is none.
 */
void postbag_imap_search_add_keys (PostbagImapCommand *command, const PostbagSearch *search,
                                   gboolean utf8);

/* @search with its texts in @charset, whose name comes from the server: (transfer full) (nullable):
 * %NULL when they cannot be written in it. */
PostbagSearch *postbag_imap_search_convert (const PostbagSearch *search, const char *charset);
/* Appends `CHARSET` with @charset, and all keys of what was converted to it. */
void postbag_imap_search_add_converted (PostbagImapCommand *command, const PostbagSearch *converted,
                                        const char *charset);

/* What to ask a server that takes no charset: @search without its texts that are not ASCII.
 * (transfer full) */
PostbagSearch *postbag_imap_search_widen (const PostbagSearch *search);
/* The rest, to be compared here: those texts alone, and all of the header fields of which one must
 * match where one of them is such a text. (transfer full) */
PostbagSearch *postbag_imap_search_get_foreign (const PostbagSearch *search);

G_END_DECLS
