/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extractor.h"

G_BEGIN_DECLS

extern const PostbagExtractorImplementation postbag_ole_extractor;

G_END_DECLS
