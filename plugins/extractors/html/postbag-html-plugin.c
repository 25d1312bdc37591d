/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-html-extractor.h"

#include "plugin/postbag-plugin.h"

POSTBAG_PLUGIN_EXPORT (EXTRACTOR, "html", &postbag_html_extractor)
