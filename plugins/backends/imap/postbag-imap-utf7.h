/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Modified UTF-7, how mailbox names travel without UTF8=ACCEPT (RFC 3501 section 5.1.3). */

/* (transfer full): @name must be well-formed UTF-8 */
char *postbag_imap_utf7_encode (const char *name);

/* (transfer full) (nullable): %NULL when @raw is not modified UTF-7 (a bad base64 run, half a
 * surrogate pair, U+0000, bytes above 0x7f). Other ways to write a name than the canonical one are
 * read too: whoever writes the name back compares with postbag_imap_utf7_encode(). */
char *postbag_imap_utf7_decode (const char *raw);

G_END_DECLS
