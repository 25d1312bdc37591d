/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* Every string that a sender, a server or a colleague chose passes through here before it reaches a
 * model: NFC, invisible and control characters and Unicode tags removed, Markdown images defused,
 * blanks collapsed, cut at a bound with a visible remark. U+200C and U+200D stay between joining
 * letters and in emoji. CR never survives. Linear. */

typedef enum
{
  POSTBAG_CLEAN_LINE,     /* one line: line ends become a blank */
  POSTBAG_CLEAN_TEXT,     /* lines kept, three or more line ends become two */
  POSTBAG_CLEAN_DOCUMENT, /* like text, but tabs and runs of blanks are kept */
} PostbagCleanMode;

/**
 * postbag_clean:
 * @text: (nullable): any UTF-8; ill-formed sequences become U+FFFD
 * @max_chars: bound in code points, the remark included
 * @total_chars: (out) (optional): characters before the cut
 *
 * Returns: (transfer full): never %NULL
 */
POSTBAG_API char *postbag_clean (const char *text, PostbagCleanMode mode, gsize max_chars,
                                 gsize *total_chars);

/**
 * PostbagCleanLoss:
 * @invisible: characters that a reader does not see and that are removed
 * @line_ends: line ends of runs so long that they push what follows out of sight
 */
typedef struct
{
  gsize invisible;
  gsize line_ends;
} PostbagCleanLoss;

/* Adds what cleaning @text (well-formed) takes out of it. Linear. */
POSTBAG_API void postbag_clean_measure_loss (const char *text, PostbagCleanLoss *loss);

/* (transfer full): one line, for errors, audit and dialogues: the same characters written as
 * `\uXXXX` instead of removed; cut at @max_chars with "…" */
POSTBAG_API char *postbag_clean_escape (const char *text, gsize max_chars);

/* (transfer full): a foreign text inside an error: cleaned, cut at POSTBAG_LIMIT_QUOTE_CHARS, in
 * “quotation marks” */
POSTBAG_API char *postbag_clean_quote (const char *text);

/* (transfer full): what a mail server says inside an error: the same, invisible characters spelled
 * out; a web page, which a proxy sends in the server's place, is only named */
POSTBAG_API char *postbag_clean_quote_server (const char *text);

/* (transfer full): a file name as it is shown (contracts/guarded 4.1): `../../etc/passwd` becomes
 * `_.._etc_passwd`, empty becomes "(unnamed)" */
POSTBAG_API char *postbag_clean_filename (const char *name);

G_END_DECLS
