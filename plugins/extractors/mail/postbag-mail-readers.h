/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extractor.h"

G_BEGIN_DECLS

/* The letter itself, or the member that @input asks for. */
gboolean postbag_message_read (const PostbagExtractInput *input, PostbagExtractOutput *output,
                               GError **error);
gboolean postbag_tnef_read (const PostbagExtractInput *input, PostbagExtractOutput *output,
                            GError **error);

G_END_DECLS
