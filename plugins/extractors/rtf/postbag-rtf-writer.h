/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-markdown.h"

G_BEGIN_DECLS

/* Where the text of an RTF file goes: paragraphs, headings, items and tables in order; text boxes
 * behind the paragraph that they hang on; notes, comments and page margins at the end. */

typedef enum
{
  POSTBAG_RTF_BODY,
  POSTBAG_RTF_BOX,
  POSTBAG_RTF_ASIDE,
  POSTBAG_RTF_MARKER, /* what stands in front of an item */
  POSTBAG_RTF_AUTHOR, /* of the comment that follows */
  POSTBAG_RTF_N_PLACES
} PostbagRtfPlace;

typedef struct
{
  gboolean in_table;
  int outline; /* level of a heading from 1, 0 for none */
  int level;   /* of an item, from 0 */
} PostbagRtfParagraph;

typedef struct _PostbagRtfWriter PostbagRtfWriter;

PostbagRtfWriter *postbag_rtf_writer_new (PostbagExtractOutput *output);
/* Writes what is left first. */
void postbag_rtf_writer_free (PostbagRtfWriter *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagRtfWriter, postbag_rtf_writer_free)

gboolean postbag_rtf_writer_is_full (PostbagRtfWriter *self);
void postbag_rtf_writer_text (PostbagRtfWriter *self, PostbagRtfPlace place,
                              const PostbagRtfParagraph *paragraph, const char *text);
/* A line end inside a paragraph. */
void postbag_rtf_writer_break (PostbagRtfWriter *self, PostbagRtfPlace place);
void postbag_rtf_writer_end_paragraph (PostbagRtfWriter *self, PostbagRtfPlace place);
void postbag_rtf_writer_end_cell (PostbagRtfWriter *self, PostbagRtfPlace place,
                                  const PostbagRtfParagraph *paragraph);
void postbag_rtf_writer_end_row (PostbagRtfWriter *self, PostbagRtfPlace place);
/* Text for POSTBAG_RTF_ASIDE follows: "Footnote", ... @reference: whether the text tells where it
 * belongs. The author that was written last is named, and forgotten. */
void postbag_rtf_writer_begin_aside (PostbagRtfWriter *self, PostbagRtfPlace place,
                                     const PostbagRtfParagraph *paragraph, const char *what,
                                     gboolean reference);
/* The next marker, author or box starts empty. */
void postbag_rtf_writer_begin (PostbagRtfWriter *self, PostbagRtfPlace place);

G_END_DECLS
