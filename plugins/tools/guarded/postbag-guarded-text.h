/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "json/postbag-result.h"
#include "safety/postbag-fence.h"

G_BEGIN_DECLS

/* Results whose text block is laid out: preamble, metadata, our remarks, fenced text, reminder
 * (contract 1.6, 4.3). */

/**
 * PostbagGuardedText:
 * @header: (nullable): lines in front of the text, never cut
 * @text: cleaned
 * @total: characters of @text
 * @shown: how many of them fit
 *
 * A text of a stranger's, its fence, and how much of it an answer can hold.
 */
typedef struct
{
  PostbagFence *fence;
  const char *what;
  const char *header;
  const char *text;
  gsize total;
  gsize shown;
} PostbagGuardedText;

/* Finds @shown: at most @max_chars, halved until header, text and fence fit @budget characters. */
void postbag_guarded_text_fit (PostbagGuardedText *self, gsize max_chars, gsize budget);

/* (transfer full): header and the shown text. Nothing of ours: it stands inside the fence. */
char *postbag_guarded_text_make_body (const PostbagGuardedText *self);

/* (transfer full): our remark in front of the fence, "" where all is shown */
char *postbag_guarded_text_make_note (const PostbagGuardedText *self);

/* The member `body`, and `body_truncated` where not all is shown. */
void postbag_guarded_text_write_body (const PostbagGuardedText *self, PostbagResult *result);
void postbag_guarded_text_write_truncated (const PostbagGuardedText *self, PostbagResult *result);

/**
 * postbag_guarded_make_preface:
 * @shapes: (element-type utf8): names of suspicious shapes that were found
 * @caveat: what the JSON is
 *
 * Returns: (transfer full): the preamble, a warning where @shapes has any, the caveat, what @result
 *   holds so far as JSON
 */
char *postbag_guarded_make_preface (PostbagResult *result, GPtrArray *shapes, const char *caveat);

G_END_DECLS
