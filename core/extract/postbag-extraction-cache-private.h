/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extraction.h"

G_BEGIN_DECLS

/* The last results by what they were made of: the document's digest, its type, member and charset,
 * the limits, the version of the readers. Bounded in bytes and entries; the least recently used
 * goes first. Any thread. Nobody reads a result without having the document's bytes. */

typedef struct _PostbagExtractionCache PostbagExtractionCache;

PostbagExtractionCache *postbag_extraction_cache_new (const char *version);
void postbag_extraction_cache_free (PostbagExtractionCache *self);
/* (transfer full): what a result of @request is known by */
char *postbag_extraction_cache_make_key (PostbagExtractionCache *self,
                                         const PostbagExtractRequest *request);
/* Whether a document of that size is there at all: %FALSE costs no digest. */
gboolean postbag_extraction_cache_may_have (PostbagExtractionCache *self, gsize length);
/* (transfer full) (nullable) */
PostbagExtractedText *postbag_extraction_cache_find (PostbagExtractionCache *self, const char *key);
/* @length: of the document */
void postbag_extraction_cache_keep (PostbagExtractionCache *self, const char *key, gsize length,
                                    PostbagExtractedText *text);
guint postbag_extraction_cache_count (PostbagExtractionCache *self);

G_END_DECLS
