/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-odf-extractor.h"

#include "plugin/postbag-plugin.h"

POSTBAG_PLUGIN_EXPORT (EXTRACTOR, "odf", &postbag_odf_extractor)
