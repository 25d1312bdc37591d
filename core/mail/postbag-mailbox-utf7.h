/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* Modified UTF-7, how mailbox names travel without UTF8=ACCEPT and how Maildir programs write them
 * as folders (RFC 3501 section 5.1.3). */

/**
 * postbag_mailbox_utf7_encode:
 * @name: well-formed UTF-8
 *
 * Returns: (transfer full): printable ASCII
 */
POSTBAG_API char *postbag_mailbox_utf7_encode (const char *name);

/**
 * postbag_mailbox_utf7_decode:
 * @length: bytes, or -1 when @raw ends with a NUL
 *
 * Printable ASCII has to stand for itself, so that two names never mean one mailbox.
 *
 * Returns: (transfer full) (nullable): UTF-8, or %NULL when @raw is not modified UTF-7
 */
POSTBAG_API char *postbag_mailbox_utf7_decode (const char *raw, gssize length);

G_END_DECLS
