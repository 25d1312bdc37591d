/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-text-extractor.h"

#include "plugin/postbag-plugin.h"

POSTBAG_PLUGIN_EXPORT (EXTRACTOR, "text", &postbag_text_extractor)
