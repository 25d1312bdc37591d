/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-archive-extractor.h"

#include "plugin/postbag-plugin.h"

POSTBAG_PLUGIN_EXPORT (EXTRACTOR, "archive", &postbag_archive_extractor)
