/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "mail/postbag-mail-types.h"

G_BEGIN_DECLS

/* The pieces of core/mime, each a pure function of bytes. */

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
GArray *postbag_headers_scan (const char *bytes, gsize length, gsize *body);
/* (nullable): the @index-th field of that name, top first */
const PostbagHeader *postbag_headers_find (GArray *headers, const char *name, guint index);
/* (nullable): the last one */
const PostbagHeader *postbag_headers_find_last (GArray *headers, const char *name);
/* (transfer full): without line ends, trimmed; NUL and bare CR become blanks */
char *postbag_header_unfold (PostbagSlice value, gsize *length);

/* --- charsets, postbag-charset.c --- */

/* (transfer full): raw header bytes: UTF-8 if they are, else @fallback (nullable), else
 * windows-1252 */
char *postbag_charset_guess (const char *bytes, gsize length, const char *fallback);
/* (transfer full) (nullable): the charset of a meta element in the first 2 KiB of HTML */
char *postbag_charset_sniff_html (const char *bytes, gsize length);

/* --- encoded words (RFC 2047), postbag-rfc2047.c --- */

/* Bytes of the encoded word that starts at @text, 0 if none does. */
gsize postbag_rfc2047_measure (const char *text, gsize length);
/* (transfer full): one line, UTF-8. @fallback: charset of raw 8-bit bytes, nullable. */
char *postbag_rfc2047_decode (const char *text, gsize length, const char *fallback);

/* --- transfer encodings, postbag-transfer-decode.c --- */

/* Each appends to @out; FALSE when more than @max_bytes would stand there. */
gboolean postbag_transfer_decode_base64 (const char *bytes, gsize length, gsize max_bytes,
                                         GByteArray *out);
gboolean postbag_transfer_decode_quoted_printable (const char *bytes, gsize length, gsize max_bytes,
                                                   GByteArray *out);
/* RFC 2047 section 4.2 */
void postbag_transfer_decode_q (const char *bytes, gsize length, GByteArray *out);

/* --- parameters (RFC 2045 section 5.1, RFC 2231), postbag-rfc2231.c --- */

typedef struct
{
  char *value;           /* lower case: the type, disposition or mechanism */
  GPtrArray *parameters; /* PostbagParameter, names lower case, values decoded, each name once */
} PostbagParameters;

/* (transfer full) */
PostbagParameters *postbag_parameters_parse (PostbagSlice raw);
void postbag_parameters_free (PostbagParameters *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagParameters, postbag_parameters_free)
/* (transfer none) (nullable) */
const char *postbag_parameters_get (const PostbagParameters *self, const char *name);

/* --- addresses and dates (RFC 5322 sections 3.4 and 3.3) --- */

/* Appends PostbagAddress to @out, at most POSTBAG_LIMIT_ADDRESSES in all. */
void postbag_address_parse (PostbagSlice raw, const char *fallback, GPtrArray *out);
/* Seconds since 1970 UTC, or POSTBAG_DATE_UNKNOWN. */
gint64 postbag_date_parse (const char *text);

/* --- the tree, postbag-structure.c --- */

typedef struct
{
  const PostbagPart *part;
  gsize offset; /* of its body, encoded */
  gsize length;
  gboolean closed;    /* a boundary ended it, not the end of the source */
  gboolean flowed;    /* RFC 3676 */
  gboolean delete_sp; /* RFC 3676 */
} PostbagSpan;

typedef struct
{
  PostbagPart *root;
  GArray *spans;     /* PostbagSpan, of leaves and of message/rfc822 */
  gboolean complete; /* FALSE: a limit on depth or count was hit */
} PostbagStructure;

/* (transfer full): @bytes as GMime may see them, of the same length. @complete: (out): FALSE when a
 * limit was hit */
GByteArray *postbag_gmime_copy_new (const char *bytes, gsize length, gboolean *complete);

PostbagStructure *postbag_structure_build (GBytes *source);
void postbag_structure_free (PostbagStructure *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagStructure, postbag_structure_free)
/* (transfer full): of one entity's own header fields; children are not looked at. @span: (out) */
PostbagPart *postbag_structure_describe (GArray *headers, PostbagSpan *span);

/* --- single fields, postbag-summary.c --- */

/* (transfer full) (nullable): the first field of that name, decoded */
char *postbag_summary_decode_field (GArray *headers, const char *name, const char *fallback);
GPtrArray *postbag_summary_find_addresses (GArray *headers, const char *name, const char *fallback);
gint64 postbag_summary_find_date (GArray *headers);
/* (transfer full) (nullable) */
char *postbag_summary_find_message_id (GArray *headers);
/* (transfer full) (array zero-terminated=1) */
char **postbag_summary_find_references (GArray *headers);

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
/* (transfer full): RFC 3676 paragraphs joined */
char *postbag_body_unflow (const char *text, gboolean delete_sp);

G_END_DECLS
