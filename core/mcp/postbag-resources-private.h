/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mcp/postbag-catalog-private.h"
#include "mcp/postbag-session-private.h"

G_BEGIN_DECLS

/* What reading and watching resources share. */

/* (transfer none) (nullable): the module's row; opens the module: worker thread only */
POSTBAG_API const PostbagResourceEntry *postbag_resources_find_entry (const PostbagResourceRow *row,
                                                                      GError **error);
/* (transfer none) (nullable): the row of the params' uri; %NULL after an error was sent.
 * @match: (out) (transfer full) */
POSTBAG_API const PostbagResourceRow *postbag_resources_find (PostbagSession *self,
                                                              const PostbagRequest *request,
                                                              PostbagResourceUri **match);

G_END_DECLS
