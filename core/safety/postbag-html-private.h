/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* --- pre-scan: tag soup to a clean, bounded stream, postbag-html-prescan.c --- */

/* (transfer full): @html with comments, declarations, scripts and styles gone, tags and attributes
 * capped, only the attributes that matter (each once, quoted), character references decoded once
 * and `&` and `<` of the text escaped again; end tags without a start and starts nested deeper than
 * POSTBAG_LIMIT_HTML_DEPTH left out. Linear. */
char *postbag_html_prescan (const char *html, gsize length);

/* Decodes the character reference at @text (which starts with `&`) and appends it: bytes consumed,
 * 0 when it is none. In an @attribute a name needs its semicolon: `?a=1&copy=2` is an address. */
gsize postbag_html_append_reference (GString *out, const char *text, gsize length,
                                     gboolean attribute);

/* --- inline style, postbag-html-style.c --- */

typedef enum
{
  POSTBAG_HTML_INHERIT,
  POSTBAG_HTML_SEEN,
  POSTBAG_HTML_UNSEEN,
} PostbagHtmlSight;

typedef struct
{
  gboolean removed;           /* the subtree cannot be seen: display, opacity */
  PostbagHtmlSight visible;   /* visibility, inherited */
  PostbagHtmlSight font_size; /* inherited */
} PostbagHtmlStyle;

void postbag_html_read_style (const char *style, PostbagHtmlStyle *result);

/* --- the text that comes out, postbag-html-writer.c --- */

typedef struct _PostbagHtmlWriter PostbagHtmlWriter;

PostbagHtmlWriter *postbag_html_writer_new (void);
char *postbag_html_writer_finish (PostbagHtmlWriter *self); /* (transfer full); frees @self */
/* Blanks collapse unless inside a pre. */
void postbag_html_writer_text (PostbagHtmlWriter *self, const char *text, gsize length);
/* At least @newlines line ends before the next text: 1 for a block, 2 for a paragraph. */
void postbag_html_writer_block (PostbagHtmlWriter *self, guint newlines);
void postbag_html_writer_break (PostbagHtmlWriter *self); /* one more line end */
void postbag_html_writer_cell (PostbagHtmlWriter *self);  /* another cell of the row */
void postbag_html_writer_quote (PostbagHtmlWriter *self, int change);
void postbag_html_writer_pre (PostbagHtmlWriter *self, int change);
/* @start: number of an ordered list's first item, -1 for a list with dashes */
void postbag_html_writer_begin_list (PostbagHtmlWriter *self, int start);
void postbag_html_writer_end_list (PostbagHtmlWriter *self);
void postbag_html_writer_item (PostbagHtmlWriter *self);
/* Text written since a link began is compared with its address. */
gsize postbag_html_writer_mark (PostbagHtmlWriter *self);
const char *postbag_html_writer_since (PostbagHtmlWriter *self, gsize mark);

G_END_DECLS
