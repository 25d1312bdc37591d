/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extraction.h"

G_BEGIN_DECLS

/* The last results by what they were made of: the document's digest, its type, member and charset,
 * the limits, the version of the readers. Bounded in bytes and entries; the least recently used
 * goes first. Any thread. Nobody reads a result without having the document's bytes, or having had
 * them from the same place of the same mail. */

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
/* @request: what @text was made of; its origin, where it has one, leads there from now on. */
void postbag_extraction_cache_keep (PostbagExtractionCache *self, const char *key,
                                    const PostbagExtractRequest *request,
                                    PostbagExtractedText *text);
/* (transfer full) (nullable): by @request's origin; see postbag_extraction_recall() */
PostbagExtractedText *postbag_extraction_cache_recall (PostbagExtractionCache *self,
                                                       const PostbagExtractRequest *request,
                                                       gsize *length, const char **detected);
guint postbag_extraction_cache_count (PostbagExtractionCache *self);

G_END_DECLS
