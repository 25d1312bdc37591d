/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* Why text was left out. Each word stands for what a person would have to do without. */
#define POSTBAG_HIDDEN_DISPLAY "display"       /* display: none, content-visibility: hidden */
#define POSTBAG_HIDDEN_ATTRIBUTE "hidden"      /* the attribute `hidden`, a closed dialog */
#define POSTBAG_HIDDEN_VISIBILITY "visibility" /* visibility: hidden or collapse */
#define POSTBAG_HIDDEN_OPACITY "opacity"       /* opacity, filter: opacity(), all levels together */
#define POSTBAG_HIDDEN_FONT_SIZE "font-size"   /* up to one pixel or point */
#define POSTBAG_HIDDEN_LINE_HEIGHT "line-height" /* lines without height in a box that cuts off */
#define POSTBAG_HIDDEN_SIZE "size"               /* a box without width or height */
#define POSTBAG_HIDDEN_CLIP "clip"               /* clip, clip-path */
#define POSTBAG_HIDDEN_OFF_SCREEN                                                                  \
  "off-screen" /* position, margin or translation out of the page                                  \
                */
#define POSTBAG_HIDDEN_TEXT_INDENT "text-indent"
#define POSTBAG_HIDDEN_TRANSFORM "transform" /* scaled to nothing */
#define POSTBAG_HIDDEN_COLOR "same-color"    /* contrast below 1.2, transparent letters */
#define POSTBAG_HIDDEN_MSO_HIDE "mso-hide"
#define POSTBAG_HIDDEN_DETAILS "details" /* folded away: `details` that is not open */
#define POSTBAG_HIDDEN_COMMENT "comment"
#define POSTBAG_HIDDEN_CONDITIONAL "conditional-comment" /* only Outlook shows it */
#define POSTBAG_HIDDEN_TITLE "title"                     /* of the page, or a tooltip */
#define POSTBAG_HIDDEN_ALT "alt" /* of no image, or longer than a description is */
#define POSTBAG_HIDDEN_TEMPLATE "template"
#define POSTBAG_HIDDEN_NOSCRIPT "noscript"
#define POSTBAG_HIDDEN_TEXTAREA "textarea"
#define POSTBAG_HIDDEN_SELECT "select"
#define POSTBAG_HIDDEN_INPUT "input" /* the value of a hidden field */
#define POSTBAG_HIDDEN_SVG "svg"     /* text, desc, foreignObject: mail programs drop it */
#define POSTBAG_HIDDEN_ANNOTATION "annotation" /* of a formula (MathML) */
#define POSTBAG_HIDDEN_FALLBACK "fallback"     /* what shows where frames or video do not */
#define POSTBAG_HIDDEN_SPOKEN "screen-reader"  /* for screen readers, beyond what is kept */
#define POSTBAG_HIDDEN_INVISIBLE "invisible-characters"
#define POSTBAG_HIDDEN_BLANK_LINES "blank-lines" /* line ends that push text out of sight */

/* Why some text was left out: one row a reason, in the order they were met. */
typedef struct
{
  const char *reason; /* POSTBAG_HIDDEN_... */
  gsize chars;        /* characters that are not blanks */
} PostbagHiddenText;

/* A link whose text looks like an address of another host than it leads to. */
typedef struct
{
  char *text; /* as shown */
  char *host; /* where it leads */
} PostbagLinkMismatch;

/**
 * PostbagHtmlReport:
 * @hidden_chars: sum of @hidden
 * @hidden: (element-type PostbagHiddenText)
 * @mismatches: (element-type PostbagLinkMismatch): bounded
 * @tracking_images: remote images that nobody can see
 * @remote_styles: style sheets that a browser would load; never loaded here
 * @cut: a bound was hit, so that some text may be here which nobody can see
 *
 * What was noticed on the way from HTML to text.
 */
typedef struct
{
  gsize hidden_chars;
  GArray *hidden;
  GPtrArray *mismatches;
  guint tracking_images;
  guint remote_styles;
  gboolean cut;
} PostbagHtmlReport;

POSTBAG_API PostbagHtmlReport *postbag_html_report_new (void);
POSTBAG_API void postbag_html_report_free (PostbagHtmlReport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagHtmlReport, postbag_html_report_free)
/* @reason: (transfer none): a constant */
POSTBAG_API void postbag_html_report_hide (PostbagHtmlReport *self, const char *reason,
                                           gsize chars);
/* A link that shows @text and leads to @host; beyond POSTBAG_LIMIT_LINK_MISMATCHES nothing is kept.
 */
POSTBAG_API void postbag_html_report_add_mismatch (PostbagHtmlReport *self, const char *text,
                                                   const char *host);
/* Counts what cleaning will take out of @text (well-formed): invisible characters, and line ends in
 * runs that push what follows out of sight. */
POSTBAG_API void postbag_html_report_count_invisible (PostbagHtmlReport *self, const char *text);
/* Sentences for who gets only the text: (transfer container) (array zero-terminated=1); constants.
 * Invisible characters are none: cleaning takes those out of any text. */
POSTBAG_API const char **postbag_html_report_list_notes (const PostbagHtmlReport *self);
/* Adds everything of @other to @self. */
POSTBAG_API void postbag_html_report_merge (PostbagHtmlReport *self,
                                            const PostbagHtmlReport *other);

/**
 * postbag_html_to_text:
 * @html: well-formed UTF-8
 * @report: (nullable): what was noticed is added to it
 *
 * HTML as the text a person would see, linear in the input, never decoded twice: libxml2's push
 * SAX behind a pre-scan that caps tags and attributes, with our own bounded stack of open
 * elements. Links are shown as `text (https://true.host/...)`.
 *
 * Returns: (transfer full): text with `\n` line ends
 */
POSTBAG_API char *postbag_html_to_text (const char *html, gsize length, PostbagHtmlReport *report);

G_END_DECLS
