/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-pdf-extractor.h"

#include "plugin/postbag-plugin.h"

POSTBAG_PLUGIN_EXPORT (EXTRACTOR, "pdf", &postbag_pdf_extractor)
