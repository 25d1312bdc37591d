/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "mail/postbag-mail-types.h"
#include "mime/postbag-message.h"
#include "mime/postbag-mime-warnings-private.h"

G_BEGIN_DECLS

/* The pieces of core/mime, each a pure function of bytes. Where one takes @warnings (nullable), it
 * adds to them what it met. */

/* --- bytes that somebody else owns --- */

typedef struct
{
  const char *data; /* not NUL-terminated */
  gsize length;
} PostbagSlice;

PostbagSlice postbag_slice_trim (PostbagSlice slice);
gboolean postbag_slice_equals (PostbagSlice slice, const char *text); /* ASCII case is ignored */

/* --- header fields (RFC 5322 section 2.2), postbag-header.c --- */

typedef struct
{
  PostbagSlice name;
  PostbagSlice value; /* folded, at most POSTBAG_LIMIT_HEADER_BYTES */
} PostbagHeader;

/* Reads the header block at the start of @bytes: bounded in lines and bytes; lines that are no
 * field are skipped. (transfer full) (element-type PostbagHeader)
 * @body: (out): offset of the body; 0 where there is no header block at all */
GArray *postbag_headers_scan (const char *bytes, gsize length, gsize *body,
                              PostbagWarnings *warnings);
/* (nullable): the @index-th field of that name, top first */
const PostbagHeader *postbag_headers_find (GArray *headers, const char *name, guint index);
/* (transfer full): without line ends, trimmed; NUL and bare CR become blanks */
char *postbag_header_unfold (PostbagSlice value, gsize *length);

/* --- charsets, postbag-charset.c --- */

/* (transfer full): raw header bytes: UTF-8 if they are, else @fallback (nullable), else
 * windows-1252 */
char *postbag_charset_guess (const char *bytes, gsize length, const char *fallback,
                             PostbagWarnings *warnings);
/* (transfer full): what postbag_mime_to_utf8() gives */
char *postbag_charset_convert (const char *bytes, gsize length, const char *charset,
                               PostbagWarnings *warnings);

/* --- encoded words (RFC 2047), postbag-rfc2047.c --- */

/* Bytes of the encoded word that starts at @text, 0 if none does. */
gsize postbag_rfc2047_measure (const char *text, gsize length);
/* (transfer full): one line, UTF-8. @fallback: charset of raw 8-bit bytes, nullable. */
char *postbag_rfc2047_decode (const char *text, gsize length, const char *fallback,
                              PostbagWarnings *warnings);

/* --- transfer encodings, postbag-transfer-decode.c --- */

/* Each appends to @out; FALSE when more than @max_bytes would stand there. */

/* @junk: (out) (nullable): bytes that are neither digits, padding nor blanks */
gboolean postbag_transfer_decode_base64 (const char *bytes, gsize length, gsize max_bytes,
                                         GByteArray *out, gsize *junk, PostbagWarnings *warnings);
gboolean postbag_transfer_decode_quoted_printable (const char *bytes, gsize length, gsize max_bytes,
                                                   GByteArray *out, PostbagWarnings *warnings);
/* (transfer full) (nullable): what postbag_mime_decode() gives */
GBytes *postbag_transfer_decode (GBytes *encoded, const char *encoding, gsize max_bytes,
                                 PostbagWarnings *warnings, GError **error);
/* Whether the encoding's name is one we know. */
gboolean postbag_transfer_is_known (const char *encoding);
/* 7bit, 8bit or binary */
gboolean postbag_transfer_is_identity (const char *encoding);
/* RFC 2047 section 4.2 */
void postbag_transfer_decode_q (const char *bytes, gsize length, GByteArray *out);

/* --- parameters (RFC 2045 section 5.1, RFC 2231), postbag-rfc2231.c --- */

typedef struct
{
  char *value;           /* lower case: the type, disposition or mechanism */
  GPtrArray *parameters; /* PostbagParameter, names lower case, values decoded, each name once */
  GPtrArray *duplicates; /* PostbagParameter: further values of a name in the same form */
  GPtrArray *variants;   /* PostbagParameter: other values in a form that yields to another */
  gboolean split;        /* some value came in pieces or percent-encoded (RFC 2231) */
  gboolean refused;      /* a file name with a NUL was left out */
  PostbagWarnings warnings;
} PostbagParameters;

/* (transfer full) */
PostbagParameters *postbag_parameters_parse (PostbagSlice raw);
void postbag_parameters_free (PostbagParameters *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagParameters, postbag_parameters_free)
/* (transfer none) (nullable) */
const char *postbag_parameters_get (const PostbagParameters *self, const char *name);
/* (transfer none) (nullable): the first of @list (duplicates or variants) of that name */
const char *postbag_parameters_find (GPtrArray *list, const char *name);

/* --- addresses and dates (RFC 5322 sections 3.4 and 3.3) --- */

/* Appends PostbagAddress to @out, at most POSTBAG_LIMIT_ADDRESSES in all. */
void postbag_address_parse (PostbagSlice raw, const char *fallback, GPtrArray *out,
                            PostbagWarnings *warnings);
/* Whether @address is an addr-spec that mail can be sent to (RFC 5321, RFC 6531). */
gboolean postbag_address_is_valid (const char *address);
/* Seconds since 1970 UTC, or POSTBAG_DATE_UNKNOWN. */
gint64 postbag_date_parse (const char *text);

/* --- the tree, postbag-structure.c --- */

typedef struct
{
  PostbagPart *part;
  guint source; /* of the structure's sources */
  gsize offset; /* of its body, encoded */
  gsize length;
  guint depth;
  gboolean closed;    /* a boundary ended it, not the end of the source */
  gboolean flowed;    /* RFC 3676 */
  gboolean delete_sp; /* RFC 3676 */
} PostbagSpan;

typedef struct
{
  PostbagPart *root;
  GPtrArray *sources; /* GBytes: the message, then what was decoded to look inside it */
  GArray *spans;      /* PostbagSpan, of leaves and of message/rfc822 */
  PostbagWarnings warnings;
} PostbagStructure;

PostbagStructure *postbag_structure_build (GBytes *source);
void postbag_structure_free (PostbagStructure *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagStructure, postbag_structure_free)
/* (transfer full): the octets of a span as they stand there */
GBytes *postbag_structure_get_octets (PostbagStructure *self, const PostbagSpan *span);

/* --- what one entity's own header fields say, postbag-part-describe.c --- */

typedef struct
{
  PostbagPart *part;     /* (transfer full): no number, no children */
  GPtrArray *boundaries; /* (nullable): char *: of a multipart, the likeliest first */
  char *other_type;      /* (nullable): the type of a second Content-Type field */
  gboolean typed;        /* a Content-Type field is there */
  gboolean flowed;
  gboolean delete_sp;
} PostbagDescription;

void postbag_part_describe (GArray *headers, PostbagDescription *description,
                            PostbagWarnings *warnings);
void postbag_description_clear (PostbagDescription *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PostbagDescription, postbag_description_clear)

/* --- files inside a text, postbag-uuencode.c --- */

typedef struct
{
  gsize offset; /* of the line that begins it */
  gsize length; /* to the end of the line that ends it */
  char *name;
  const char *encoding; /* "x-uuencode" or "x-yenc" */
} PostbagTextBlock;

/* (transfer full) (nullable) (element-type PostbagTextBlock): at most @max */
GArray *postbag_text_blocks_find (const char *bytes, gsize length, guint max);
/* (transfer full): the text without them, a line for each in its place */
GBytes *postbag_text_blocks_remove (GBytes *text, GArray *blocks);

/* --- opaque signatures, postbag-cms.c --- */

/* (transfer full) (nullable): the content of a SignedData (RFC 5652 section 5.1) whose wrapper is
 * plain BER; %NULL where there is none, or more than @max_bytes */
GBytes *postbag_cms_read_content (const guint8 *bytes, gsize length, gsize max_bytes);

/* --- single fields, postbag-summary.c --- */

/* (transfer full) (nullable): the first field of that name, decoded */
char *postbag_summary_decode_field (GArray *headers, const char *name, const char *fallback,
                                    PostbagWarnings *warnings);
GPtrArray *postbag_summary_find_addresses (GArray *headers, const char *name, const char *fallback,
                                           PostbagWarnings *warnings);
gint64 postbag_summary_find_date (GArray *headers);
/* (transfer full) (nullable) */
char *postbag_summary_find_message_id (GArray *headers);
/* (transfer full) (array zero-terminated=1) */
char **postbag_summary_find_references (GArray *headers);

/* --- ambiguous header fields, postbag-header-judge.c --- */

PostbagWarnings postbag_headers_judge (GArray *headers, const char *fallback);

/* (transfer full) (nullable): postbag_message_decode_part(), and what was met on the way */
GBytes *postbag_message_decode_part_noting (PostbagMessage *self, const char *number,
                                            gsize max_bytes, PostbagWarnings *warnings,
                                            GError **error);

/* --- choice of the body, postbag-body-choice.c --- */

typedef gboolean (*PostbagIsBlankFunc) (const PostbagPart *part, gpointer user_data);

/* (transfer full) (element-type PostbagPart): the text parts a person sees, in order */
GPtrArray *postbag_body_choose_parts (const PostbagPart *structure, PostbagIsBlankFunc is_blank,
                                      gpointer user_data);
/* The first multipart/alternative a person sees that holds a text in both forms: its texts of each
 * form. FALSE, and nothing is set, where there is none. @plain, @html: (out) (transfer full) */
gboolean postbag_body_choose_alternatives (const PostbagPart *structure,
                                           PostbagIsBlankFunc is_blank, gpointer user_data,
                                           GPtrArray **plain, GPtrArray **html);
/* (transfer full): what postbag_mime_text_from_bytes() gives, without its warnings */
PostbagBody *postbag_body_read (GBytes *bytes, const char *type, const char *charset,
                                PostbagWarnings *warnings);
/* (transfer full): RFC 3676 paragraphs joined */
char *postbag_body_unflow (const char *text, gboolean delete_sp);

G_END_DECLS
