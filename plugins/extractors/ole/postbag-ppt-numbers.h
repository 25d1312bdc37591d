/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-ppt-records.h"

G_BEGIN_DECLS

#define POSTBAG_PPT_LEVELS 9
#define POSTBAG_PPT_NUMBERINGS 16

/* The numbers of a text's paragraphs: how they count stands in a record of its own, since
 * PowerPoint 2000; which paragraph counts how, the format of its letters tells. */
typedef struct
{
  const PostbagOleBytes *styles;
  gsize at;    /* of the next run of letters */
  gsize until; /* letters of this one */
  guint index;
  struct
  {
    gboolean is_numbered;
    guint start;
  } numberings[POSTBAG_PPT_NUMBERINGS];
  gint64 values[POSTBAG_PPT_LEVELS]; /* of the last item of a level, 0 for none */
} PostbagPptNumbers;

/* @at: where in @styles the runs of letters begin. @numbering: the record's content, empty where
 * there is none */
void postbag_ppt_numbers_open (PostbagPptNumbers *self, const PostbagOleBytes *styles, gsize at,
                               const PostbagOleBytes *numbering);
/* The number of the next item, whose letter at @place is asked; 0 where it has none. Places
 * ascend. */
gint64 postbag_ppt_numbers_count (PostbagPptNumbers *self, gsize place, guint level);

/* The record within a list of tagged blocks of bytes; an empty one where there is none. @type:
 * POSTBAG_PPT_NUMBERING, POSTBAG_PPT_NUMBERINGS_OF_SLIDES */
PostbagOleBytes postbag_ppt_find_tagged (const PostbagOleBytes *container, guint type);

G_END_DECLS
