/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-rtf-extractor.h"

#include "plugin/postbag-plugin.h"

POSTBAG_PLUGIN_EXPORT (EXTRACTOR, "rtf", &postbag_rtf_extractor)
