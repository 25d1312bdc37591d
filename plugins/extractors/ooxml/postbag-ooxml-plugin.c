/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-ooxml-extractor.h"

#include "plugin/postbag-plugin.h"

POSTBAG_PLUGIN_EXPORT (EXTRACTOR, "ooxml", &postbag_ooxml_extractor)
