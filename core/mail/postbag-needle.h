/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "mail/postbag-mail-types.h"

G_BEGIN_DECLS

/**
 * PostbagNeedle:
 *
 * A text that is looked for without regard to case: both sides case-folded and composed alike
 * (Unicode), with a short way for ASCII. What a search means is the same wherever it is made.
 * Not to be shared between threads.
 */
typedef struct _PostbagNeedle PostbagNeedle;

/* @text: (nullable): %NULL gives %NULL */
POSTBAG_API PostbagNeedle *postbag_needle_new (const char *text);
POSTBAG_API void postbag_needle_free (PostbagNeedle *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagNeedle, postbag_needle_free)

/* @text: (nullable): decoded, well-formed UTF-8. The empty needle is in everything that is there.
 */
POSTBAG_API gboolean postbag_needle_is_in (PostbagNeedle *self, const char *text);
/* In a name, an address, or the list as it is shown: "Name <address>, ..." */
POSTBAG_API gboolean postbag_needle_is_in_addresses (PostbagNeedle *self,
                                                     const GPtrArray *addresses);
/* Whether it holds a character that only the shown form of an address list has. */
POSTBAG_API gboolean postbag_needle_spans_addresses (const PostbagNeedle *self);

G_END_DECLS
