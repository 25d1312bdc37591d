/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

#include "base/postbag-api.h"

G_BEGIN_DECLS

/* Folding for detectors alone, never for what is shown: compatibility characters and lookalikes
 * become the ASCII they look like, accents and what nobody sees are dropped. */

typedef struct
{
  gunichar letter;
  char ascii;
} PostbagConfusable;

/* Sorted by letter; lower case. */
extern const PostbagConfusable postbag_confusables[];
extern const gsize postbag_n_confusables;

/* The ASCII letter or digit that the lower-case @c looks like (UTS 39), else 0. */
char postbag_fold_find_lookalike (gunichar c);

/* (transfer full): any bytes; ASCII keeps its case, line ends stay, other controls go. Linear. */
POSTBAG_API char *postbag_fold (const char *text);
/* The same of a @text that is known to be well-formed. */
char *postbag_fold_valid (const char *text);

/* (transfer full): @domain (any bytes) as a person is shown it: `xn--` labels decoded, where they
 * can be, and well-formed */
POSTBAG_API char *postbag_fold_decode_domain (const char *domain);

/* (transfer full): what a domain looks like: two domains of equal skeletons cannot be told apart at
 * a glance. @domain in either form of RFC 5890; lower case, ASCII where every letter has one. */
POSTBAG_API char *postbag_fold_domain (const char *domain);

G_END_DECLS
