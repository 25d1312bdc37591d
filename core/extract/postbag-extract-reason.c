/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-extractor.h"

G_DEFINE_QUARK (postbag - extract - error - quark, postbag_extract_error)

/* contracts/guarded 4.2 */
static const char *const words[POSTBAG_EXTRACT_N_REASONS] = {
  [POSTBAG_EXTRACT_NO_TEXT_LAYER] = "no-text-layer",
  [POSTBAG_EXTRACT_ENCRYPTED] = "encrypted",
  [POSTBAG_EXTRACT_NOT_A_DOCUMENT] = "not-a-document",
  [POSTBAG_EXTRACT_CORRUPT] = "corrupt",
  [POSTBAG_EXTRACT_TOO_MANY_PARTS] = "too-many-parts",
  [POSTBAG_EXTRACT_TOO_LARGE] = "too-large",
  [POSTBAG_EXTRACT_TIMEOUT] = "timeout",
  [POSTBAG_EXTRACT_OUT_OF_MEMORY] = "out-of-memory",
  [POSTBAG_EXTRACT_BUSY] = "busy",
  [POSTBAG_EXTRACT_INTERNAL] = "internal",
  /* What is wrong with a file inside has no word of its own; the message says it. */
  [POSTBAG_EXTRACT_NO_SUCH_MEMBER] = "not-a-document",
  [POSTBAG_EXTRACT_UNREADABLE_MEMBER] = "not-a-document",
};

const char *
postbag_extract_reason_get_word (PostbagExtractReason reason)
{
  if ((guint)reason >= POSTBAG_EXTRACT_N_REASONS)
    reason = POSTBAG_EXTRACT_INTERNAL;
  return words[reason];
}
