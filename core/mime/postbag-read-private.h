/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/**
 * postbag_read_message_file:
 * @path: a file that holds one message
 * @json: as one JSON object instead of text
 *
 * What Postbag makes of a message, without any account: for `postbag read` and for tests. Cleaned
 * like every result.
 *
 * Returns: (transfer full) (nullable): the text to print, with its last line end
 */
POSTBAG_API char *postbag_read_message_file (const char *path, gboolean json, GError **error);

/* (transfer full): the same of bytes in memory */
POSTBAG_API char *postbag_read_message_bytes (GBytes *source, gboolean json);

G_END_DECLS
