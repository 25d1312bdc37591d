/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-markdown.h"

#include "postbag-ppt-records.h"

G_BEGIN_DECLS

/* Kinds of text ([MS-PPT] 2.13.33). */
enum
{
  POSTBAG_PPT_TITLE = 0,
  POSTBAG_PPT_BODY = 1,
  POSTBAG_PPT_NOTES_TEXT = 2,
  POSTBAG_PPT_OTHER = 4,
  POSTBAG_PPT_CENTER_BODY = 5,
  POSTBAG_PPT_CENTER_TITLE = 6,
  POSTBAG_PPT_HALF_BODY = 7,
  POSTBAG_PPT_QUARTER_BODY = 8,
};

/* One text: its letters, and what the records behind them say of them. */
typedef struct
{
  guint kind;
  gboolean is_wide;
  PostbagOleBytes letters;
  PostbagOleBytes styles;
  PostbagOleBytes marks;     /* all records of the text */
  PostbagOleBytes numbering; /* of its paragraphs, which stands elsewhere */
} PostbagPptText;

/* How a text is written. */
typedef enum
{
  POSTBAG_PPT_AS_TITLE, /* one line */
  POSTBAG_PPT_AS_ITEMS, /* paragraphs are items, but for those that say that they are none */
  POSTBAG_PPT_AS_FREE,  /* they are, where they say so */
  POSTBAG_PPT_AS_PLAIN, /* never */
} PostbagPptLayout;

/* Reads from a header on, until the next one. @at: where one may be; left behind the text's
 * records. Returns: %FALSE at the end of @records */
gboolean postbag_ppt_text_next (const PostbagOleBytes *records, gsize *at, PostbagPptText *text);
/* @links: (element-type utf8): targets by their ids */
void postbag_ppt_text_write (const PostbagPptText *self, PostbagPptLayout layout, GHashTable *links,
                             PostbagMarkdown *markdown);

G_END_DECLS
