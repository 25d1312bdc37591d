/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-teller.h"

G_BEGIN_DECLS

/* The letters of namespaces in every table here: `o` office, `t` text, `T` table, `s` style,
 * `f` formats, `d` drawing, `p` presentation, `x` links, `D` Dublin Core, `m` manifest, `v` SVG. */
extern const PostbagXmlSpace postbag_odf_spaces[];

/* What styles and lists say (OpenDocument 1.3 part 3, 16). */
typedef struct _PostbagOdfStyles PostbagOdfStyles;

/* (transfer full): those of the document and of its content; what is missing says nothing */
PostbagOdfStyles *postbag_odf_styles_read (PostbagZip *zip);
void postbag_odf_styles_free (PostbagOdfStyles *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagOdfStyles, postbag_odf_styles_free)

/* What the style, or one that it is made of, says */
PostbagLook postbag_odf_styles_get_look (PostbagOdfStyles *self, const char *style);
/* What holds where no style says anything */
PostbagLook postbag_odf_styles_get_default_look (PostbagOdfStyles *self);
/* A text, sheet, table or slide of that style is not shown. */
gboolean postbag_odf_styles_is_hidden (PostbagOdfStyles *self, const char *style);
/* A shape or slide of that style is filled with anything but white. */
gboolean postbag_odf_styles_is_painted (PostbagOdfStyles *self, const char *style);
/* A master of slides, or something on one, is. */
gboolean postbag_odf_styles_has_painted_master (PostbagOdfStyles *self);
/* (transfer none) (nullable): the list style that a paragraph style brings */
const char *postbag_odf_styles_get_list (PostbagOdfStyles *self, const char *style);
/* (transfer full): what stands in front of the item. @numbers: of each level from 0 to @level */
char *postbag_odf_styles_mark (PostbagOdfStyles *self, const char *list, guint level,
                               const gint64 *numbers);
/* Where the numbers of a level begin. */
gint64 postbag_odf_styles_get_start (PostbagOdfStyles *self, const char *list, guint level);

G_END_DECLS
