/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* Why some text was left out: one row a reason, in the order they were met. */
typedef struct
{
  const char *reason; /* a word of ours: "display", "font-size", "same-color", ... */
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
} PostbagHtmlReport;

POSTBAG_API PostbagHtmlReport *postbag_html_report_new (void);
POSTBAG_API void postbag_html_report_free (PostbagHtmlReport *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagHtmlReport, postbag_html_report_free)
/* @reason: (transfer none): a constant */
POSTBAG_API void postbag_html_report_hide (PostbagHtmlReport *self, const char *reason,
                                           gsize chars);
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
