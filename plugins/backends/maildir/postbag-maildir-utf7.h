/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* (transfer full) (nullable): UTF-8 of a mailbox name in modified UTF-7 (RFC 3501, 5.1.3), or %NULL
 * when it is not that: 8-bit bytes, an unfinished shift, a shifted printable ASCII character, a
 * lone surrogate, a control character. */
char *postbag_maildir_utf7_decode (const char *name, gsize length);

G_END_DECLS
