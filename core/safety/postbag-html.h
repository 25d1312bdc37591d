/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/**
 * postbag_html_to_text:
 * @html: well-formed UTF-8
 * @hidden_chars: (out) (optional): characters left out because a reader would not see them
 *
 * HTML as the text a person would see, linear in the input, never decoded twice: libxml2's push
 * SAX behind a pre-scan that caps tags and attributes, with our own bounded stack of open
 * elements. Links are shown as `text (https://true.host/...)`.
 *
 * Returns: (transfer full): text with `\n` line ends
 */
POSTBAG_API char *postbag_html_to_text (const char *html, gsize length, gsize *hidden_chars);

G_END_DECLS
