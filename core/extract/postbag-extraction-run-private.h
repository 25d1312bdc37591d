/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-extraction-process-private.h"

G_BEGIN_DECLS

/* One document through one child. @wall_ms: when it is ended. @reason: set where the reader said
 * why there is no text. Returns: (transfer full) (nullable): the checked text, or %NULL with @fate
 * or @reason telling why */
PostbagExtractedText *postbag_child_read (PostbagChild *child, const PostbagExtractRequest *request,
                                          gint64 wall_ms, GCancellable *cancellable,
                                          PostbagExtractReason *reason, PostbagExtractFate *fate);

G_END_DECLS
