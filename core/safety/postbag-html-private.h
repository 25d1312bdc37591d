/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-limits.h"

#include "safety/postbag-html-css-private.h"
#include "safety/postbag-html.h"

G_BEGIN_DECLS

/* --- attributes that are looked at --- */

/* Open elements; the page's own two stand around everything. */
#define POSTBAG_HTML_STACK (POSTBAG_LIMIT_HTML_DEPTH + 3)

typedef enum
{
  POSTBAG_HTML_HREF,
  POSTBAG_HTML_STYLE,
  POSTBAG_HTML_HIDDEN,
  POSTBAG_HTML_ALT,
  POSTBAG_HTML_START,
  POSTBAG_HTML_ID,
  POSTBAG_HTML_CLASS,
  POSTBAG_HTML_SRC,
  POSTBAG_HTML_WIDTH,
  POSTBAG_HTML_HEIGHT,
  POSTBAG_HTML_BGCOLOR,
  POSTBAG_HTML_COLOR,
  POSTBAG_HTML_SIZE,
  POSTBAG_HTML_TITLE,
  POSTBAG_HTML_TYPE,
  POSTBAG_HTML_VALUE,
  POSTBAG_HTML_ARIA_HIDDEN,
  POSTBAG_HTML_OPEN,
  POSTBAG_HTML_BACKGROUND,
  POSTBAG_HTML_TEXT,
  POSTBAG_HTML_POPOVER,
  POSTBAG_HTML_MEDIA,
  POSTBAG_HTML_REL,
  POSTBAG_HTML_N_ATTRIBUTES,
} PostbagHtmlAttribute;

/* POSTBAG_HTML_N_ATTRIBUTES when @name is none of them. */
PostbagHtmlAttribute postbag_html_find_attribute (const char *name, gsize length);
const char *postbag_html_get_attribute_name (PostbagHtmlAttribute attribute);

/* --- pre-scan: tag soup to a clean, bounded stream, postbag-html-prescan.c and -reference.c --- */

/* Names that no mail can have: the sender's own `html` and `body`, which libxml2 would merge with
 * those around everything. Where selectors count elements, `style_` and the like stand for those
 * that are left out. */
#define POSTBAG_HTML_OWN_HTML "html_"
#define POSTBAG_HTML_OWN_BODY "body_"

typedef struct
{
  char *stream;
  PostbagCssSheet *sheet;
  GUri *base; /* (nullable): what links count from */
  gboolean has_html;
  gboolean has_body;
} PostbagHtmlScan;

/* @html as a stream with comments, declarations, scripts and styles gone, tags and attributes
 * capped, only the attributes that matter (each once, quoted), character references decoded once
 * and `&` and `<` of the text escaped again; end tags without a start and starts nested deeper than
 * POSTBAG_LIMIT_HTML_DEPTH left out. Style sheets are read on the way; what is left out of the text
 * is counted in @report. Linear. */
PostbagHtmlScan *postbag_html_prescan (const char *html, gsize length, PostbagHtmlReport *report);
void postbag_html_scan_free (PostbagHtmlScan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagHtmlScan, postbag_html_scan_free)

/* Characters of @text that are not blanks; with @outside_tags, of what stands outside `<...>`. */
gsize postbag_html_count_chars (const char *text, gsize length, gboolean outside_tags);

/* Decodes the character reference at @text (which starts with `&`) and appends it: bytes consumed,
 * 0 when it is none. In an @attribute a name needs its semicolon: `?a=1&copy=2` is an address. */
gsize postbag_html_append_reference (GString *out, const char *text, gsize length,
                                     gboolean attribute);

/* @text with its references decoded; in an @attribute as above */
void postbag_html_decode (GString *plain, const char *text, gsize length, gboolean attribute);
/* Text for libxml2, which decodes it once more. */
void postbag_html_append_escaped (GString *out, const char *text, gsize length);
/* The same of @text, decoded first. */
void postbag_html_append_decoded (GString *out, const char *text, gsize length, gboolean attribute);

/* --- what is seen, postbag-html-sight.c --- */

enum
{
  POSTBAG_HTML_IS_CELL = 1 << 0,   /* of a table, or a row */
  POSTBAG_HTML_IS_LINK = 1 << 1,   /* buttons are hidden from Outlook, which draws its own */
  POSTBAG_HTML_IS_HIDDEN = 1 << 2, /* has the attribute */
  POSTBAG_HTML_IS_MUTE = 1 << 3,   /* aria-hidden: screen readers pass it over */
  POSTBAG_HTML_IS_INLINE = 1 << 4, /* stands in a line unless told otherwise */
  POSTBAG_HTML_IS_TABLE = 1 << 5,
  POSTBAG_HTML_IS_ITEM = 1 << 6, /* of a box that lays out boxes */
};

/* What an element hands down. */
typedef struct
{
  const char *removed; /* (nullable): why it is gone with all that is in it */
  float opacity;
  float font_size;
  float text_indent;
  guint32 color;
  guint32 background;
  gboolean invisible;
  gboolean flat;        /* lines have no height */
  gboolean cut_off;     /* in a box as high as its lines, which shows nothing beyond */
  gboolean spoken;      /* for screen readers */
  gboolean holds_items; /* what stands in it becomes a box */
  gboolean clips;       /* something around it cuts off */
  float clip_width;     /* of what cuts off, as far as it is known */
  float clip_height;
  float pushed_right; /* from where that begins */
  float pushed_down;
  gboolean dotted; /* dots instead of letters */
  float spacing;   /* between letters, in their size */
  gboolean filled; /* the color is of the letters' inside */
  gboolean color_unknown;
  gboolean color_seen_through; /* the background stands in for it */
  gboolean background_unknown;
  gboolean same_color;
  guint32 shadow; /* of the letters; nothing where it is transparent */
  gboolean shadow_unknown;
} PostbagHtmlSight;

/* Black on white, all to be seen. */
void postbag_html_sight_init (PostbagHtmlSight *self);
/* @self: what the parent hands down */
void postbag_html_sight_apply (PostbagHtmlSight *self, const PostbagCssCascade *cascade,
                               guint flags);
/* (nullable): why the element, or its text, is not seen */
const char *postbag_html_sight_judge_box (const PostbagHtmlSight *self);
const char *postbag_html_sight_judge_text (const PostbagHtmlSight *self);

/* --- links, postbag-html-link.c --- */

/* (transfer full) (nullable): the address that @href leads to, its true host in front; %NULL for
 * what is no address a reader could use (`javascript:`, `data:`, `#top`). @base: (nullable): what
 * others count from, while @relatives lasts */
char *postbag_html_link_resolve (const char *href, GUri *base, guint *relatives);
/* (transfer full): @url as it is shown: a host of other letters in both ways of writing it, while
 * @conversions lasts */
char *postbag_html_link_show (const char *url, guint *conversions);
/* Reports it when @text names another host than @url leads to. */
void postbag_html_link_compare (const char *text, const char *url, const char *href,
                                PostbagHtmlReport *report);

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
/* Line ends that were asked for and left out because nobody scrolls so far. */
gsize postbag_html_writer_count_lost (PostbagHtmlWriter *self);

/* --- open elements, postbag-html-open.c --- */

/* @names ends with %NULL. Called for each tag: most names differ in their first letter. */
gboolean postbag_html_is_one_of (const char *name, const char *const *names);

typedef struct _PostbagHtmlOpen PostbagHtmlOpen;

PostbagHtmlOpen *postbag_html_open_new (void);
void postbag_html_open_free (PostbagHtmlOpen *self);
/* (nullable) */
const char *postbag_html_open_get_top (const PostbagHtmlOpen *self);
gboolean postbag_html_open_contains (const PostbagHtmlOpen *self, const char *name);
/* Opens @name and ends what it ends without being asked to; FALSE: it would be nested too deep. */
gboolean postbag_html_open_start (PostbagHtmlOpen *self, const char *name);
/* Ends @name and what is open inside it; FALSE: it is not open. */
gboolean postbag_html_open_end (PostbagHtmlOpen *self, const char *name);

G_END_DECLS
