/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-imap-cursor.h"
#include "postbag-imap-reply.h"

G_BEGIN_DECLS

/* The pieces of the parser, one file each. A function gets the cursor behind the reply's name; it
 * returns %FALSE when nothing of use could be read, and what it allocated so far stays in @reply.
 */

/* postbag-imap-parse-words.c: `a b c` or `(a b c)` with anything but blanks and brackets inside
 * the words; NIL is left out with @skip_nil. At most POSTBAG_LIMIT_IMAP_WORDS, the rest is dropped.
 * (transfer full): never %NULL */
char **postbag_imap_parse_words (PostbagImapCursor *cursor, const char *stops, gboolean skip_nil);
char **postbag_imap_parse_word_list (PostbagImapCursor *cursor, gboolean skip_nil);
/* A delimiter: `"/"`, `"\\"`, NIL. */
gboolean postbag_imap_parse_delimiter (PostbagImapCursor *cursor, char *delimiter);
/* A mailbox name: UTF-8 in @name, as it came in @raw. */
gboolean postbag_imap_parse_mailbox (PostbagImapCursor *cursor, gboolean utf8_names, char **name,
                                     char **raw);

/* postbag-imap-parse-status.c: behind OK, NO, ... or `+` */
PostbagImapStatus *postbag_imap_parse_status (PostbagImapCursor *cursor,
                                              PostbagImapCondition condition);

/* postbag-imap-parse-mailbox.c */
gboolean postbag_imap_parse_list (PostbagImapCursor *cursor, PostbagImapReply *reply,
                                  gboolean utf8_names);
gboolean postbag_imap_parse_mailbox_status (PostbagImapCursor *cursor, PostbagImapReply *reply,
                                            gboolean utf8_names);
gboolean postbag_imap_parse_namespace (PostbagImapCursor *cursor, PostbagImapReply *reply,
                                       gboolean utf8_names);
gboolean postbag_imap_parse_quota (PostbagImapCursor *cursor, PostbagImapReply *reply);
gboolean postbag_imap_parse_quota_root (PostbagImapCursor *cursor, PostbagImapReply *reply,
                                        gboolean utf8_names);

/* postbag-imap-parse-numbers.c */
gboolean postbag_imap_parse_search (PostbagImapCursor *cursor, PostbagImapReply *reply);
gboolean postbag_imap_parse_esearch (PostbagImapCursor *cursor, PostbagImapReply *reply);
gboolean postbag_imap_parse_vanished (PostbagImapCursor *cursor, PostbagImapReply *reply);

/* postbag-imap-parse-envelope.c */
PostbagImapEnvelope *postbag_imap_parse_envelope (PostbagImapCursor *cursor);

/* postbag-imap-parse-body.c: BODYSTRUCTURE or BODY, numbered; (nullable) */
PostbagPart *postbag_imap_parse_body (PostbagImapCursor *cursor);

/* postbag-imap-parse-fetch.c */
void postbag_imap_parse_fetch (PostbagImapCursor *cursor, PostbagImapReply *reply);

/* postbag-imap-parse-date.c: `17-Jul-1996 02:44:25 -0700`, the day blank-padded or not; seconds
 * since 1970 or POSTBAG_DATE_UNKNOWN */
gint64 postbag_imap_parse_date_time (const char *text);

G_END_DECLS
