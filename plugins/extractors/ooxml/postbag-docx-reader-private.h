/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-teller.h"

#include "postbag-docx-styles.h"
#include "postbag-ooxml-package.h"

G_BEGIN_DECLS

#define POSTBAG_DOCX_FIELDS 32 /* in each other; deeper ones show their code as text */

typedef struct
{
  char *style;
  gint64 list; /* -1: none is set here */
  gint level;
  gint outline; /* -1 */
  gboolean is_open;
  gboolean is_counted; /* its list went on */
  gboolean mark_deleted;
  PostbagLook look; /* of its style */
} PostbagDocxParagraph;

typedef struct
{
  PostbagLook look;
  gboolean counted;
} PostbagDocxRun;

/* A text box: what it stands in waits. */
typedef struct
{
  PostbagDocxParagraph paragraph;
  PostbagDocxRun run;
  PostbagStory *story;
  PostbagMarkdown *markdown;
} PostbagDocxBox;

/* Footnotes, endnotes or comments: which ids were met, in their order. */
typedef struct
{
  GHashTable *numbers;
  const char *word;
} PostbagDocxNotes;

typedef struct
{
  PostbagTeller teller;
  PostbagZip *zip;
  PostbagDocxStyles *styles;
  PostbagRelations *relations; /* of the part being read */

  PostbagDocxParagraph paragraph;
  PostbagDocxRun run;
  gboolean in_properties; /* of a paragraph: its mark's, not a run's */
  gboolean in_run;
  gboolean in_text;
  gboolean in_code; /* of a field: the words of it */
  gboolean join_next;
  GPtrArray *boxes; /* (element-type PostbagDocxBox) */

  guint fields;
  gboolean field_code[POSTBAG_DOCX_FIELDS];
  GString *code;      /* of the outermost field */
  char *field_target; /* where it leads */
  GPtrArray *targets; /* of open hyperlinks; may be NULL */

  gint spanned; /* cells to leave empty after this one */

  PostbagDocxNotes footnotes, endnotes, comments;
  const PostbagDocxNotes *telling; /* whose part is read */

  gboolean has_charts, has_unknown_signs, has_inserts;
} PostbagDocxReader;

/* Words of a run, or of none (a formula). */
void postbag_docx_say (PostbagDocxReader *self, const char *text, gsize length);
void postbag_docx_end_paragraph (PostbagDocxReader *self);
void postbag_docx_clear_paragraph (PostbagDocxParagraph *paragraph);

/* The tables of what to do at which element. */
extern const PostbagXmlHandler postbag_docx_handler;

G_END_DECLS
