/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-teller.h"

#include "postbag-ppt-records.h"

G_BEGIN_DECLS

/* What was noticed in all slides. */
typedef struct
{
  PostbagTeller teller;
  GHashTable *links;      /* (element-type utf8): targets by their ids */
  GHashTable *numberings; /* PostbagOleBytes of texts in the list of slides */
} PostbagPptDeck;

/* Takes down how the texts in the list of slides count. @records: that say so */
void postbag_ppt_deck_take_numberings (PostbagPptDeck *self, const PostbagOleBytes *records);

/* One slide, or the notes of one. */
typedef struct
{
  char *title;
  char *text;
} PostbagPptSlide;

void postbag_ppt_slide_clear (PostbagPptSlide *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PostbagPptSlide, postbag_ppt_slide_clear)

/**
 * postbag_ppt_slide_read:
 * @id: of the slide in the list of them, 0 for notes
 * @container: the record of a slide or of notes
 * @outline: records of the texts that stand in the list of slides, not with their shapes
 * @slide: (out)
 */
void postbag_ppt_slide_read (PostbagPptDeck *deck, guint32 id, const PostbagOleBytes *container,
                             const PostbagOleBytes *outline, PostbagPptSlide *slide);

G_END_DECLS
