/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "postbag-imap-cursor.h"

G_BEGIN_DECLS

/* Parameters of a content type or disposition, as BODYSTRUCTURE lists them: names and values in
 * turn, undecoded. */

/* `("name" "value" ...)` or NIL; anything else is skipped. (transfer full) (element-type
 * PostbagParameter): at most POSTBAG_LIMIT_PARAMETERS; a NIL value is "". */
GPtrArray *postbag_imap_parse_parameters (PostbagImapCursor *cursor);

/**
 * postbag_imap_parameters_find:
 * @name: lower case
 *
 * Finds a parameter in its plain, extended (`name*`) or continued (`name*0`, `name*0*`) form
 * (RFC 2231); the extended one wins.
 *
 * Returns: (transfer full) (nullable): the value as a header value, that is with encoded words
 *   (RFC 2047) for what has another charset than UTF-8
 */
char *postbag_imap_parameters_find (const GPtrArray *parameters, const char *name);

G_END_DECLS
