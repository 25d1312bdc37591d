/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * PostbagImapCommand:
 *
 * One command to the server, put together from typed arguments. Whatever the values are, what comes
 * out is exactly one command: words are constants of ours, values are quoted, become literals, or
 * are refused. A refused value makes postbag_imap_command_serialize() fail; nothing is sent then.
 *
 * Arguments are separated by blanks by themselves; there is none behind `(` nor before `)`.
 */
typedef struct _PostbagImapCommand PostbagImapCommand;

/* @name: a constant, e.g. "UID FETCH" */
PostbagImapCommand *postbag_imap_command_new (const char *name);
void postbag_imap_command_free (PostbagImapCommand *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagImapCommand, postbag_imap_command_free)

/* Constants of ours only: `(UID FLAGS)`, `RETURN (COUNT)`; printable ASCII without quotes, `{` and
 * backslash. Anything else is a programming error. */
void postbag_imap_command_add_words (PostbagImapCommand *self, const char *words);
void postbag_imap_command_add_open (PostbagImapCommand *self);
void postbag_imap_command_add_close (PostbagImapCommand *self);
/* Numbers, printed again. */
void postbag_imap_command_add_number (PostbagImapCommand *self, guint64 number);
/* (element-type PostbagImapRange): must not be empty */
void postbag_imap_command_add_set (PostbagImapCommand *self, const GArray *set);
/* `4-Mar-2024`, in English whatever the locale */
void postbag_imap_command_add_date (PostbagImapCommand *self, const GDate *date);
/* Any text without NUL: quoted where that is possible, else a literal. */
void postbag_imap_command_add_string (PostbagImapCommand *self, const char *text);
/* The same, of which nothing may ever be shown. */
void postbag_imap_command_add_secret (PostbagImapCommand *self, const char *text);
/* A mailbox name in UTF-8, written in modified UTF-7, or as it is with @utf8_names. */
void postbag_imap_command_add_mailbox (PostbagImapCommand *self, const char *name,
                                       gboolean utf8_names);
/* A mailbox name as the server itself wrote it. */
void postbag_imap_command_add_raw_mailbox (PostbagImapCommand *self, const char *raw);
/* `\Seen`, or a keyword: printable ASCII without blanks, brackets, quotes, `{`, `%`, `*`, `]` and,
 * but for the first character of a system flag, backslash (RFC 9051, flag). */
void postbag_imap_command_add_flag (PostbagImapCommand *self, const char *flag);
/* The name of a header field (RFC 5322 section 3.6.8). */
void postbag_imap_command_add_field (PostbagImapCommand *self, const char *field);
/* A part number with what follows it, `BODY.PEEK[1.2]<0.1024>`: @number: (nullable): digits with
 * dots between them, %NULL for the whole message; @suffix: (nullable): "MIME", "HEADER", "TEXT";
 * @length: 0 for all */
void postbag_imap_command_add_section (PostbagImapCommand *self, const char *number,
                                       const char *suffix, guint64 offset, guint64 length);
/* The decoded content of a part (RFC 3516), `BINARY.PEEK[2]<0.1024>` */
void postbag_imap_command_add_binary (PostbagImapCommand *self, const char *number, guint64 offset,
                                      guint64 length);
/* Bytes of a message, as a literal. */
void postbag_imap_command_add_literal (PostbagImapCommand *self, GBytes *bytes);
/* The same as a literal8 (RFC 3516): only within what takes one. */
void postbag_imap_command_add_literal8 (PostbagImapCommand *self, GBytes *bytes);

/* Literals without waiting (RFC 7888): none, up to 4096 bytes (LITERAL-), all (LITERAL+). */
typedef enum
{
  POSTBAG_IMAP_LITERALS_WAIT,
  POSTBAG_IMAP_LITERALS_SMALL,
  POSTBAG_IMAP_LITERALS_ALL,
} PostbagImapLiterals;

/**
 * PostbagImapSegment:
 * @bytes: to be written in one piece
 * @wait: whether the server has to answer `+` before the next segment may be written
 */
typedef struct
{
  GBytes *bytes;
  gboolean wait;
} PostbagImapSegment;

/**
 * postbag_imap_command_serialize:
 * @tag: letters and digits
 *
 * Returns: (transfer full) (nullable) (element-type PostbagImapSegment): what to write, or %NULL
 *   with POSTBAG_ERROR_INVALID_ARGUMENT when a value was refused
 */
GPtrArray *postbag_imap_command_serialize (PostbagImapCommand *self, const char *tag,
                                           PostbagImapLiterals literals, GError **error);

/* For the log: the command without the values of its strings. (transfer full) */
char *postbag_imap_command_describe (PostbagImapCommand *self);

G_END_DECLS
