/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the framer has to know of a reply's text while it is still coming. */

/* Whether a literal may be announced at the end of the lines of @text: in untagged data only.
 * Status replies, tagged or not, and continuations end with words for a person (RFC 9051,
 * resp-text), which may look like anything. */
gboolean postbag_imap_text_may_hold_literals (const GString *text);

/* Cuts the unfinished number list in @text (SEARCH, SORT, ESEARCH, VANISHED) behind a whole number.
 * Returns: (transfer full) (nullable): how the next piece begins, the head repeated; %NULL when
 * @text is no such list, and is then unchanged. */
GString *postbag_imap_text_cut_list (GString *text);

G_END_DECLS
