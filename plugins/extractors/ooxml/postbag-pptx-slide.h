/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-teller.h"

#include "postbag-ooxml-package.h"

G_BEGIN_DECLS

/* What was noticed in all slides. */
typedef struct
{
  PostbagTeller teller;
  PostbagZip *zip;
  gboolean has_charts;
} PostbagPptxDeck;

/* One slide, or the notes of one. */
typedef struct
{
  char *title;
  char *text;
  gboolean is_hidden;
} PostbagPptxSlide;

void postbag_pptx_slide_clear (PostbagPptxSlide *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PostbagPptxSlide, postbag_pptx_slide_clear)

/**
 * postbag_pptx_slide_read:
 * @relations: of @part
 * @slide: (out): what was read, also where a fault ended it
 */
gboolean postbag_pptx_slide_read (PostbagPptxDeck *deck, const char *part,
                                  PostbagRelations *relations, PostbagPptxSlide *slide,
                                  GError **error);

G_END_DECLS
