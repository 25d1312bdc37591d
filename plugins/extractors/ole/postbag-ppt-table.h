/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-ppt-text.h"

G_BEGIN_DECLS

/* A table of a slide: cells come in any order, each with its place. */
typedef struct _PostbagPptTable PostbagPptTable;

/* @budget: bytes that are left for all stories; kept by the caller */
PostbagPptTable *postbag_ppt_table_new (gsize *budget);
void postbag_ppt_table_free (PostbagPptTable *self);
void postbag_ppt_table_add (PostbagPptTable *self, gint32 left, gint32 top,
                            const PostbagPptText *text, GHashTable *links);
/* Rows from the top, cells from the left; what a merged cell covers is empty. Returns: whether
 * anything was cut */
gboolean postbag_ppt_table_write (PostbagPptTable *self, PostbagMarkdown *markdown);

G_END_DECLS
