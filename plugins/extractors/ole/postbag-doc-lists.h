/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-ole-readers.h"

G_BEGIN_DECLS

/* The lists of a Word document, and how far their numbers have come. */
typedef struct _PostbagDocLists PostbagDocLists;

/* @lists: the definitions, with what stands behind them; @length: of the definitions alone.
 * @overrides: which of them paragraphs name, and what begins anew */
PostbagDocLists *postbag_doc_lists_new (const PostbagOleBytes *lists, gsize length,
                                        const PostbagOleBytes *overrides);
void postbag_doc_lists_free (PostbagDocLists *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagDocLists, postbag_doc_lists_free)
/* Counts one item further. Returns: (transfer full) (nullable): its marker ("-", "1.", "b)"); %NULL
 * where it is no item. @is_bullet: (out) */
char *postbag_doc_lists_count (PostbagDocLists *self, gint list, gint level, gboolean *is_bullet);

G_END_DECLS
