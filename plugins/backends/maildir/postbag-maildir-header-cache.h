/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-maildir-headers.h"

G_BEGIN_DECLS

/* Headers by UIDVALIDITY and UID, in a file beside the map of UIDs: it can be lost, then it fills
 * again. Without a file a bounded number is kept in memory. */

typedef struct _PostbagMaildirHeaderCache PostbagMaildirHeaderCache;

PostbagMaildirHeaderCache *postbag_maildir_header_cache_open (const char *state_dir);
void postbag_maildir_header_cache_free (PostbagMaildirHeaderCache *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMaildirHeaderCache, postbag_maildir_header_cache_free)

typedef struct
{
  guint32 uid;
  PostbagMaildirHeaders *headers; /* (nullable) */
  gboolean is_new;                /* not in the cache yet */
} PostbagMaildirCached;

/* Fills in the headers of @items (PostbagMaildirCached) as far as they are known. */
void postbag_maildir_header_cache_get (PostbagMaildirHeaderCache *self, guint32 uid_validity,
                                       GArray *items);
/* Keeps those of @items that are new. */
void postbag_maildir_header_cache_put (PostbagMaildirHeaderCache *self, guint32 uid_validity,
                                       GArray *items);

/* (transfer full): an array of PostbagMaildirCached that frees the headers */
GArray *postbag_maildir_cached_new (void);

G_END_DECLS
