/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "safety/postbag-html-css-sheet-private.h"
#include "safety/postbag-html-private.h"

G_BEGIN_DECLS

typedef struct _PostbagHtmlTree PostbagHtmlTree;

/* (nullable): %NULL where no selector of @sheet asks where an element stands */
PostbagHtmlTree *postbag_html_tree_new (PostbagCssSheet *sheet);
void postbag_html_tree_free (PostbagHtmlTree *self);

/* An element starts at @depth: says in @nodes[@depth] where it stands. */
void postbag_html_tree_start (PostbagHtmlTree *self, const char *name, PostbagCssNode *nodes,
                              guint depth);
/* The sheet has matched it. */
void postbag_html_tree_note (PostbagHtmlTree *self, guint depth);

/* The page is gone through once before it is read: what comes later is known then. */
gboolean postbag_html_tree_wants_survey (const PostbagHtmlTree *self);
void postbag_html_tree_begin_survey (PostbagHtmlTree *self);
void postbag_html_tree_text (PostbagHtmlTree *self, guint depth);
/* Notes whose `:has()` @nodes[@depth] fulfils. */
void postbag_html_tree_mark (PostbagHtmlTree *self, const PostbagCssNode *nodes, guint depth);
void postbag_html_tree_end (PostbagHtmlTree *self, guint depth);
void postbag_html_tree_end_survey (PostbagHtmlTree *self);

G_END_DECLS
