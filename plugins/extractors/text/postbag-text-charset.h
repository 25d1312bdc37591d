/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * postbag_text_decode:
 * @declared: (nullable): the charset that the sender declared
 *
 * Returns: (transfer full): well-formed UTF-8 without a byte order mark; undecodable bytes become
 *   U+FFFD
 */
char *postbag_text_decode (const char *bytes, gsize length, const char *declared);

G_END_DECLS
