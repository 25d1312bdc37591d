/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extraction.h"
#include "postbag-guarded-content.h"

G_BEGIN_DECLS

/* Attachments that the cage turns into text (contract 1.7, 4.2). */

/* (transfer none) (nullable): the type under which it is read, %NULL where no reader knows it. */
const char *postbag_guarded_document_get_type (const PostbagGuardedLimits *limits,
                                               const PostbagAttachment *attachment);

/**
 * postbag_guarded_document_recall:
 * @length, @detected: (out): how many bytes it has, and what they are
 *
 * What this part gave, where the same caller has read it before: reading on costs no download. The
 * message is still there, and its mailbox the same, when this is asked: its structure has just been
 * fetched.
 *
 * Returns: (transfer full) (nullable)
 */
PostbagExtractedText *postbag_guarded_document_recall (const PostbagGuardedRequest *request,
                                                       gsize *length, const char **detected);

/**
 * postbag_guarded_document_read:
 * @detected: (nullable): what the bytes are
 * @text: (out) (transfer full) (nullable): %NULL for a text where the readers cannot be locked in:
 *   the reader of mail can do that, too
 *
 * Returns: %FALSE with an error that names the other ways to the bytes
 */
gboolean postbag_guarded_document_read (const PostbagGuardedRequest *request, GBytes *bytes,
                                        const char *detected, PostbagExtractedText **text,
                                        GError **error);

/* (transfer full) (nullable): a plain text as it stands, in whatever charset it is really in; %NULL
 * where the reader of mail knows as much: it is UTF-8, or no plain text. */
PostbagExtractedText *postbag_guarded_document_decode (const PostbagGuardedRequest *request,
                                                       GBytes *bytes);

/* The members `extracted_from` and one of `page_count`, `slide_count`, `sheet_count`. */
void postbag_guarded_document_write_facts (PostbagResult *result, const char *type,
                                           const PostbagExtractedText *text);

/* (transfer full) (nullable): where the resource reaches the attachment, which knows one mailbox of
 * one account */
char *postbag_guarded_make_attachment_uri (const PostbagGuardedRequest *request);

G_END_DECLS
