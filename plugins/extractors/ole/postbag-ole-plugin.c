/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-ole-extractor.h"

#include "plugin/postbag-plugin.h"

POSTBAG_PLUGIN_EXPORT (EXTRACTOR, "ole", &postbag_ole_extractor)
