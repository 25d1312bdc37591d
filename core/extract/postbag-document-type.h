/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/**
 * postbag_document_settle_type:
 * @bytes: (nullable): not there yet
 * @declared: (nullable): the content type that came with it
 * @filename: (nullable): as the sender called it
 *
 * What a document is: what was declared, if that says anything; else what its name says; else what
 * its first bytes say. Which reader gets it hangs on this; whether it is true the reader finds out.
 *
 * Returns: (transfer none) (nullable): a content type in lower case, %NULL when nothing tells
 */
POSTBAG_API const char *postbag_document_settle_type (GBytes *bytes, const char *declared,
                                                      const char *filename);

/* (transfer none) (nullable): the short word of contracts for a type: "pdf", "docx", ... */
POSTBAG_API const char *postbag_document_get_word (const char *content_type);

/* Whether documents of that type have files inside that a request can name. */
POSTBAG_API gboolean postbag_document_holds_files (const char *content_type);

G_END_DECLS
