/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-mail-extractor.h"

#include "plugin/postbag-plugin.h"

POSTBAG_PLUGIN_EXPORT (EXTRACTOR, "mail", &postbag_mail_extractor)
