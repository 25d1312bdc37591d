/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-ooxml-package.h"

G_BEGIN_DECLS

/* Whether the open element is the colour of paper: as a value, or as what themes call it. */
gboolean postbag_pptx_paint_is_white_color (PostbagXml *xml);

/**
 * postbag_pptx_paint_is_white:
 * @part: a slide
 *
 * Whether nothing but white is on it behind its words: no picture, no filled shape, no background
 * of its own, of its layout or of its master. Where white words may stand on something they are
 * seen.
 */
gboolean postbag_pptx_paint_is_white (PostbagZip *zip, const char *part,
                                      PostbagRelations *relations);

G_END_DECLS
