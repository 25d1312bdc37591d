/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* Text helpers. A "character" is a Unicode code point everywhere in Postbag. */

/**
 * postbag_text_measure_valid:
 * @bytes: any bytes, need not end in NUL
 *
 * Returns: how many of the first bytes are well-formed UTF-8 without U+0000; @length: all of them
 */
POSTBAG_API gsize postbag_text_measure_valid (const char *bytes, gsize length);

/* Characters in @length bytes of well-formed UTF-8. */
POSTBAG_API gsize postbag_text_count_chars (const char *text, gsize length);

/**
 * postbag_text_make_valid:
 * @bytes: any bytes, need not end in NUL
 * @length: how many, or -1 when NUL-terminated
 *
 * Returns: (transfer full): well-formed UTF-8 without U+0000: each maximal ill-formed subsequence
 *   (Unicode 15, section 3.9) and each NUL becomes U+FFFD
 */
POSTBAG_API char *postbag_text_make_valid (const char *bytes, gssize length);

/**
 * postbag_text_cut:
 * @text: well-formed UTF-8
 * @max_chars: bound in code points
 * @was_cut: (out) (optional): whether anything was dropped
 *
 * Returns: (transfer full): the first @max_chars characters of @text
 */
POSTBAG_API char *postbag_text_cut (const char *text, gsize max_chars, gboolean *was_cut);

/**
 * postbag_text_slice:
 * @text: well-formed UTF-8
 * @offset: first character, may lie past the end
 * @count: how many
 *
 * Returns: (transfer full): characters [@offset, @offset + @count) as far as they exist
 */
POSTBAG_API char *postbag_text_slice (const char *text, gsize offset, gsize count);

/**
 * postbag_text_compose:
 * @text: (transfer full): well-formed UTF-8
 *
 * Returns: (transfer full): @text in NFC, in linear time, which g_utf8_normalize() is not; only a
 *   run of more than a thousand marks or Hangul letters may be left as it is at one place
 */
POSTBAG_API char *postbag_text_compose (char *text);

/**
 * postbag_text_nearest:
 * @word: what was written
 * @candidates: (array zero-terminated=1): the known words
 *
 * Returns: (transfer none) (nullable): the candidate within edit distance 2 (1 for words of up
 *   to 4 bytes; letter case and `-`/`_` count as equal, a swap of neighbours as one) that is
 *   nearest, the first of equals
 */
POSTBAG_API const char *postbag_text_nearest (const char *word, const char *const *candidates);

/**
 * postbag_text_parse_int:
 * @text: decimal digits with an optional leading `-`, nothing else
 *
 * Returns: whether @text is an integer in [@minimum, @maximum]; then @value is set
 */
POSTBAG_API gboolean postbag_text_parse_int (const char *text, gint64 minimum, gint64 maximum,
                                             gint64 *value);

G_END_DECLS
