/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-api.h"
#include "mail/postbag-mail-types.h"
#include "safety/postbag-html.h"

G_BEGIN_DECLS

/* Everything here is bounded by the MIME limits, linear in the bytes it is given, and works on
 * worker threads without a lock. */

/**
 * PostbagMessage:
 *
 * One parsed message (RFC 5322, RFC 2045). Decoded strings are well-formed UTF-8, not cleaned.
 */
typedef struct _PostbagMessage PostbagMessage;

/**
 * postbag_message_parse:
 * @source: the message, or its first bytes
 *
 * Any bytes give a message: what is not one has no headers and a body.
 *
 * Returns: (transfer full)
 */
POSTBAG_API PostbagMessage *postbag_message_parse (GBytes *source);
POSTBAG_API void postbag_message_free (PostbagMessage *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMessage, postbag_message_free)

/* (transfer none) (nullable): decoded (RFC 2047), unfolded; the first where there are several */
POSTBAG_API const char *postbag_message_get_subject (PostbagMessage *self);
/* (transfer none) (element-type PostbagAddress): "From", "Sender", "Reply-To", "To", "Cc", "Bcc";
 * of all fields of that name, at most POSTBAG_LIMIT_ADDRESSES; groups flattened */
POSTBAG_API GPtrArray *postbag_message_get_addresses (PostbagMessage *self, const char *field);
/* Seconds since 1970 UTC, or POSTBAG_DATE_UNKNOWN. RFC 5322 section 3.3 with the obsolete forms. */
POSTBAG_API gint64 postbag_message_get_date (PostbagMessage *self);
/* (transfer none) (nullable): with its angle brackets */
POSTBAG_API const char *postbag_message_get_message_id (PostbagMessage *self);
/* (transfer none) (array zero-terminated=1): ids of References then In-Reply-To, well-shaped
 * (`<...>`, 1..255 non-space non-angle characters inside), unique, at most 50, oldest first */
POSTBAG_API const char *const *postbag_message_get_references (PostbagMessage *self);
/* (transfer none) (nullable): the @index-th field of that name, top first: unfolded, raw (made
 * well-formed), not decoded */
POSTBAG_API const char *postbag_message_get_header (PostbagMessage *self, const char *field,
                                                    guint index);
/* (transfer full): decoded (RFC 2047) */
POSTBAG_API char *postbag_message_decode_header (const char *raw);

/* (transfer none) (array zero-terminated=1): one code for each ambiguity of the header fields and
 * of the tree, "duplicate_header:from", ...; each once. Of a source that is only the first bytes
 * of a message "unclosed_multipart" says nothing. */
POSTBAG_API const char *const *postbag_message_get_warnings (PostbagMessage *self);
/* (transfer none) (nullable): what a code of postbag_message_get_warnings() or of
 * PostbagBody.warnings means, in a sentence; %NULL of an unknown one */
POSTBAG_API const char *postbag_mime_explain_warning (const char *code);

/* (transfer none): the tree with part numbers */
POSTBAG_API const PostbagPart *postbag_message_get_structure (PostbagMessage *self);

/* (transfer full) (nullable): one part's bytes after transfer decoding; %NULL when there is no such
 * part (POSTBAG_ERROR_NOT_FOUND) or more than @max_bytes (POSTBAG_ERROR_TOO_LARGE) */
POSTBAG_API GBytes *postbag_message_decode_part (PostbagMessage *self, const char *number,
                                                 gsize max_bytes, GError **error);

/* (transfer full) (nullable): one part's octets as they stand in the source, still
 * transfer-encoded; %NULL when there is no such part, or it is a multipart */
POSTBAG_API GBytes *postbag_message_get_part_octets (PostbagMessage *self, const char *number);

/**
 * PostbagBody:
 * @text: the readable text, line ends `\n`, well-formed, not cleaned
 * @part: (nullable): number of the part it came from
 * @is_html: converted from HTML
 * @report: of what nobody can see in it, and in the HTML it was converted from
 * @warnings: (nullable) (array zero-terminated=1): codes of what was mended or ambiguous in the
 *   parts it was made of
 * @complete: %FALSE when the part runs past the end of the source that was parsed
 */
typedef struct
{
  char *text;
  char *part;
  gboolean is_html;
  PostbagHtmlReport *report;
  char **warnings;
  gboolean complete;
} PostbagBody;

/* (transfer full): plain text if non-blank, else HTML as text, else "" with @part %NULL */
POSTBAG_API PostbagBody *postbag_message_choose_body (PostbagMessage *self);
POSTBAG_API void postbag_body_free (PostbagBody *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagBody, postbag_body_free)

/**
 * postbag_message_read_alternatives:
 * @plain: (out) (transfer full): the plain form
 * @html: (out) (transfer full): the HTML form as text
 *
 * Both forms of a message that offers its text as plain text and as HTML (RFC 2046 section 5.1.4).
 *
 * Returns: %FALSE, and sets nothing, where it does not
 */
POSTBAG_API gboolean postbag_message_read_alternatives (PostbagMessage *self, PostbagBody **plain,
                                                        PostbagBody **html);
/* Whether a message of that structure does, as far as sizes tell. */
POSTBAG_API gboolean postbag_part_has_alternatives (const PostbagPart *structure);

/* The number of the part postbag_message_choose_body() would take, from a structure alone:
 * (transfer none) (nullable) */
POSTBAG_API const PostbagPart *postbag_part_choose_body (const PostbagPart *structure);

/* Readable text of one text part: (transfer full); @bytes: after transfer decoding. */
POSTBAG_API PostbagBody *postbag_mime_text_from_bytes (GBytes *bytes, const char *type,
                                                       const char *charset);

/* Transfer decoding in one go: (transfer full) (nullable). @encoding: "base64", "quoted-printable",
 * "x-uuencode", "x-yenc", anything else is the bytes as they are. POSTBAG_ERROR_TOO_LARGE past
 * @max_bytes. */
POSTBAG_API GBytes *postbag_mime_decode (GBytes *encoded, const char *encoding, gsize max_bytes,
                                         GError **error);

/* (transfer full): the text in UTF-8; unknown charsets as UTF-8, else windows-1252; undecodable
 * bytes become U+FFFD. @charset nullable. */
POSTBAG_API char *postbag_mime_to_utf8 (const char *bytes, gsize length, const char *charset);

/* The envelope part of a summary (subject, from, to, date, message_id) and has_attachments:
 * (transfer full). @source: the message or its first bytes. uid, flags and sizes are the caller's.
 */
POSTBAG_API PostbagSummary *postbag_mime_summarize (GBytes *source);

G_END_DECLS
