/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "safety/postbag-signals.h"

G_BEGIN_DECLS

/* Adds the words of @text (well-formed) that mix Latin with Cyrillic or Greek to @words (char *),
 * at most POSTBAG_LIMIT_SCRIPT_MIX in all, each once, cleaned. */
void postbag_script_mix_scan (const char *text, GPtrArray *words);

/* Whether the display name of @address, or its quoted local part, carries another address, or a
 * domain that has nothing to do with its own. */
POSTBAG_API gboolean postbag_sender_name_misleads (const PostbagAddress *address);

/* Adds what the sender's names and domains give away to the warnings of @security. */
void postbag_sender_examine (const PostbagSecurityInput *input, PostbagSecurity *security);

G_END_DECLS
