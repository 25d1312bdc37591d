/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-teller.h"

#include "postbag-ooxml-package.h"

G_BEGIN_DECLS

/* What the styles and lists of a text say about a paragraph (ECMA-376 part 1, 17.7 and 17.9). */
typedef struct _PostbagDocxStyles PostbagDocxStyles;

/* What stands in front of an item. */
typedef struct
{
  guint level;  /* from 0 */
  char *marker; /* "-", "1.", "b)" */
  gboolean is_bullet;
} PostbagDocxItem;

/* (transfer full): @relations of the main part; what is missing says nothing */
PostbagDocxStyles *postbag_docx_styles_read (PostbagZip *zip, PostbagRelations *relations);
void postbag_docx_styles_free (PostbagDocxStyles *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagDocxStyles, postbag_docx_styles_free)

/* 1 to 9, or 0 where the style is of no heading */
guint postbag_docx_styles_get_heading (PostbagDocxStyles *self, const char *style);
/* What the style, or one that it is made of, says */
PostbagLook postbag_docx_styles_get_look (PostbagDocxStyles *self, const char *style);
/* The same of a paragraph, where neither says anything: what all the document says */
PostbagLook postbag_docx_styles_get_paragraph_look (PostbagDocxStyles *self, const char *style);
/* (transfer none) (nullable): the style of a paragraph that names none */
const char *postbag_docx_styles_get_default (PostbagDocxStyles *self);
/* What the open element says: vanish, color, sz. */
void postbag_docx_look_take_hidden (PostbagLook *look, PostbagXml *xml);
void postbag_docx_look_take_color (PostbagLook *look, PostbagXml *xml);
void postbag_docx_look_take_size (PostbagLook *look, PostbagXml *xml);
/* Which list @style puts a paragraph in: -1 none. @level: (inout): set where the style sets it */
gint64 postbag_docx_styles_get_list (PostbagDocxStyles *self, const char *style, gint *level);
/* Counts one item further. @number -1 or unknown: %FALSE, and no item. */
gboolean postbag_docx_styles_count_item (PostbagDocxStyles *self, gint64 number, gint level,
                                         PostbagDocxItem *item);

G_END_DECLS
