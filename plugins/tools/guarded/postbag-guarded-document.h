/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extraction.h"
#include "postbag-guarded-content.h"

G_BEGIN_DECLS

/* Attachments that the cage turns into text (contract 1.7, 4.2). */

/* (transfer none) (nullable): the type under which a document is read, %NULL where nobody reads it
 * or the mail reader itself does (text, HTML). */
const char *postbag_guarded_document_get_type (const PostbagGuardedLimits *limits,
                                               const PostbagAttachment *attachment);

/**
 * postbag_guarded_document_read:
 * @detected: (nullable): what the bytes are
 * @notes: (element-type utf8): gets the reader's remarks
 *
 * Returns: (transfer full) (nullable): or %NULL with an error that names the other ways to the
 *   bytes
 */
PostbagExtractedText *postbag_guarded_document_read (const PostbagGuardedRequest *request,
                                                     GBytes *bytes, const char *detected,
                                                     GPtrArray *notes, GError **error);

/* The members `extracted_from` and one of `page_count`, `slide_count`, `sheet_count`. */
void postbag_guarded_document_write_facts (PostbagResult *result, const char *type,
                                           const PostbagExtractedText *text);

G_END_DECLS
