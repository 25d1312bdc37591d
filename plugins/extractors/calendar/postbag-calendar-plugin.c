/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-calendar-extractor.h"

#include "plugin/postbag-plugin.h"

POSTBAG_PLUGIN_EXPORT (EXTRACTOR, "calendar", &postbag_calendar_extractor)
