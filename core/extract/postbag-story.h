/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-markdown.h"

G_BEGIN_DECLS

/**
 * PostbagStory:
 *
 * What a document tells beside its text and where it would stand in the way: a note in the middle
 * of a paragraph, a text box, a slide before its title is known. It is written like any other
 * Markdown, kept, and told later. Bounded: one by POSTBAG_LIMIT_STORY_BYTES, all that share a
 * budget by POSTBAG_LIMIT_STORIES_BYTES.
 */
typedef struct _PostbagStory PostbagStory;

/* @budget: bytes that are left for all; kept by the caller */
PostbagStory *postbag_story_new (gsize *budget);
void postbag_story_free (PostbagStory *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagStory, postbag_story_free)
/* (transfer none) */
PostbagMarkdown *postbag_story_get_markdown (PostbagStory *self);
/* (transfer full): ends it and gives its text; @self is freed */
char *postbag_story_finish (PostbagStory *self, gboolean *was_cut);

/* ` (https://host/...)` behind the words of a link, where it leads out and says so itself. */
void postbag_story_add_link (PostbagMarkdown *markdown, const char *target);
/* A paragraph of its own: @label (nullable), a blank, @text. Blank text leaves nothing. */
void postbag_story_tell (PostbagMarkdown *markdown, const char *label, const char *text);
/* @value: `true`, `1`, `on`, or there without one, as schemas of both families write it */
gboolean postbag_story_is_on (const char *value);
/* Letters of that size in points, and smaller ones, nobody sees (contracts/guarded 4.2). */
#define POSTBAG_STORY_SMALLEST_LETTER 2
/* The remark about text that is there, and that nobody sees, in every format. */
#define POSTBAG_STORY_UNSEEN                                                                       \
  "Some of the text is white or too small to be seen by somebody who looks at it."
/* A remark about the document, where it holds. */
void postbag_story_note_if (PostbagExtractOutput *output, gboolean is_so, const char *words);

G_END_DECLS
