/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* What bytes say of their own charset. */

/* (nullable): of a byte order mark at their beginning: "utf-16" */
POSTBAG_API const char *postbag_charset_find_mark (const char *bytes, gsize length);
/* (transfer full) (nullable): of a meta element in the first 2 KiB of HTML */
POSTBAG_API char *postbag_charset_sniff_html (const char *bytes, gsize length);

/**
 * postbag_charset_decode_file:
 * @declared: (nullable): what somebody says of them
 *
 * What can be proved (a mark, valid UTF-8) wins: programs guess the labels of files.
 *
 * Returns: (transfer full): well-formed UTF-8 without a mark and without U+0000; undecodable bytes
 *   become U+FFFD
 */
POSTBAG_API char *postbag_charset_decode_file (const char *bytes, gsize length,
                                               const char *declared);

G_END_DECLS
