/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* The fence (contracts/guarded 4.3): untrusted text between two marker lines with a nonce that is
 * fresh for each call, every line inside prefixed with the nonce's mark. A forged end marker stays
 * inside and is itself marked. */

typedef struct _PostbagFence PostbagFence;

POSTBAG_API PostbagFence *postbag_fence_new (void); /* a fresh nonce */
POSTBAG_API void postbag_fence_free (PostbagFence *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagFence, postbag_fence_free)

/* (transfer full): explanation, begin marker, marked lines of @text (already cleaned), end marker,
 * reminder. @what: ours, e.g. "e-mail content" */
POSTBAG_API char *postbag_fence_wrap (PostbagFence *self, const char *what, const char *text);
/* Characters the fence adds around @text. */
POSTBAG_API gsize postbag_fence_overhead (PostbagFence *self, const char *what, const char *text);

/* The sentence that introduces untrusted results laid out as text. */
POSTBAG_API const char *postbag_fence_get_preamble (void);

G_END_DECLS
