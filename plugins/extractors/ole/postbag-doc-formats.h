/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "postbag-ole-readers.h"

G_BEGIN_DECLS

/* How the text of a Word document is formatted, as far as a reader of the text should know. */

typedef struct
{
  guint style;
  guint heading; /* 1 to 9, or 0 */
  gint list;     /* -1: none is set; 0: none */
  gint level;    /* of the list, -1 */
  gboolean in_table, ends_row;
} PostbagDocParagraph;

typedef struct
{
  guint style;
  gboolean is_hidden, is_deleted;
  gboolean is_unseen; /* white or tiny */
} PostbagDocCharacters;

/* Lists of changes ([MS-DOC] 2.9.114), over what was so far. @style_is_hidden: for those that say
 * "as the style has it" */
void postbag_doc_change_paragraph (PostbagDocParagraph *self, const PostbagOleBytes *changes);
void postbag_doc_change_characters (PostbagDocCharacters *self, const PostbagOleBytes *changes,
                                    gboolean style_is_hidden);

/* Bytes of the text that are formatted alike. */
typedef struct
{
  gsize from, to;
  gboolean is_known;
  guint style; /* of paragraphs */
  PostbagOleBytes changes;
} PostbagDocRun;

/* Where the runs stand: pages of 512 bytes, and a table of them. */
typedef struct
{
  const PostbagOleBytes *document;
  PostbagOleBytes pages;
  gboolean of_paragraphs;
  PostbagDocRun last;
} PostbagDocRuns;

/* @entry: of the document's list of places, where the table is */
void postbag_doc_runs_open (PostbagDocRuns *self, const PostbagOleBytes *document,
                            const PostbagOleBytes *table, gsize entry, gboolean of_paragraphs);
/* (transfer none): the run at @place, valid until the next call */
const PostbagDocRun *postbag_doc_runs_find (PostbagDocRuns *self, gsize place);

/* The bytes that an entry of the document's list of places leads to, within @table. */
PostbagOleBytes postbag_doc_get_part (const PostbagOleBytes *document, const PostbagOleBytes *table,
                                      gsize entry);

/* What styles say, with those that they are based on: by their numbers. */
typedef struct
{
  PostbagDocParagraph paragraph;
  PostbagDocCharacters characters;
} PostbagDocStyle;

/* (transfer full) (element-type PostbagDocStyle) */
GArray *postbag_doc_read_styles (const PostbagOleBytes *sheet);

G_END_DECLS
