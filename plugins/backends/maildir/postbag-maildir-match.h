/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Substring without regard to case: both sides case-folded and composed alike (Unicode), with a
 * short way for ASCII. Not to be shared between threads. */
typedef struct _PostbagMaildirNeedle PostbagMaildirNeedle;

/* @text: (nullable): %NULL gives %NULL */
PostbagMaildirNeedle *postbag_maildir_needle_new (const char *text);
void postbag_maildir_needle_free (PostbagMaildirNeedle *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagMaildirNeedle, postbag_maildir_needle_free)

/* @text: (nullable): well-formed UTF-8. The empty needle is in everything that is there. */
gboolean postbag_maildir_needle_is_in (PostbagMaildirNeedle *self, const char *text);
/* The same in a packed address list. */
gboolean postbag_maildir_needle_is_in_addresses (PostbagMaildirNeedle *self, const char *packed);

G_END_DECLS
