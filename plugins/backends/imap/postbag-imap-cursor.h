/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "postbag-imap-framer.h"

G_BEGIN_DECLS

/* Walks over one framed reply, token by token (RFC 9051 section 4). Nothing here fails hard: a
 * function that finds something else than it wants says so by its return value and leaves the
 * cursor where it was, so that the caller decides what can be forgiven. Every call either moves on
 * or returns %FALSE, which keeps all loops over it linear. */

typedef struct
{
  const PostbagImapFrame *frame;
  const char *text;
  gsize length;
  gsize position;
  guint literal; /* index of the next literal */
} PostbagImapCursor;

void postbag_imap_cursor_init (PostbagImapCursor *self, const PostbagImapFrame *frame);

gboolean postbag_imap_cursor_is_at_end (const PostbagImapCursor *self);
/* The next character, 0 at the end. */
char postbag_imap_cursor_peek (const PostbagImapCursor *self);
/* Skips blanks (and control characters, which have no meaning in a reply). */
void postbag_imap_cursor_skip_blanks (PostbagImapCursor *self);
/* Skips blanks, then takes @character if it is next. */
gboolean postbag_imap_cursor_accept (PostbagImapCursor *self, char character);
/* Skips blanks, then takes @word if it is the next atom, whatever its case. */
gboolean postbag_imap_cursor_accept_word (PostbagImapCursor *self, const char *word);
/* The rest: (transfer full): well-formed UTF-8, at most @max_chars. */
char *postbag_imap_cursor_read_rest (PostbagImapCursor *self, gsize max_chars);

/* Each skips blanks first. */

/* A run of characters other than blanks, brackets `(` `)`, quotes and controls; with @stops, other
 * than these too. (transfer full) (nullable): well-formed; %NULL when there is none. */
char *postbag_imap_cursor_read_atom (PostbagImapCursor *self, const char *stops);
/* Digits up to @maximum and nothing else behind them but the end of the token. */
gboolean postbag_imap_cursor_read_number (PostbagImapCursor *self, guint64 maximum,
                                          guint64 *number);

/**
 * postbag_imap_cursor_read_bytes:
 * @bytes: (out) (transfer full) (nullable): %NULL for NIL
 * @spool: (out) (optional) (transfer full): of a literal that went there; @bytes is %NULL then
 *
 * Reads a quoted string, a literal, NIL, or, being forgiving, an atom.
 */
gboolean postbag_imap_cursor_read_nstring_bytes (PostbagImapCursor *self, GBytes **bytes,
                                                 gpointer *spool);
/* The same as text: bytes that are not UTF-8 are kept as they are, a NUL becomes a blank; cut at
 * POSTBAG_LIMIT_IMAP_STRING_BYTES. */
gboolean postbag_imap_cursor_read_nstring (PostbagImapCursor *self, char **text);
/* The same where NIL is a word like any other (RFC 9051, astring). (transfer full) (nullable) */
char *postbag_imap_cursor_read_astring (PostbagImapCursor *self);

/* Skips one value of any kind, brackets and all, however deep. */
gboolean postbag_imap_cursor_skip_value (PostbagImapCursor *self);
/* Skips values up to and including the `)` that closes the list the cursor is in. */
gboolean postbag_imap_cursor_skip_list_rest (PostbagImapCursor *self);

G_END_DECLS
