/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "extract/postbag-teller.h"

#include "postbag-odf-styles.h"

G_BEGIN_DECLS

#define POSTBAG_ODF_LEVELS 10

typedef struct
{
  guint heading; /* 0: none */
  gboolean is_open;
  gboolean ends_with_blank;
} PostbagOdfParagraph;

/* What stands in a paragraph and is told elsewhere: what it stands in waits. */
typedef struct
{
  PostbagOdfParagraph paragraph;
  guint depth; /* of paragraphs */
  guint list_level;
  char *list_style;
  gint64 *numbers; /* (nullable): and what they were: a list of this style inside counts anew */
  gint64 counts[POSTBAG_ODF_LEVELS];
  gboolean item_waits;
  PostbagStory *story;
  PostbagMarkdown *markdown;
  char *label; /* (nullable): it is a note, told at the end */
} PostbagOdfBox;

/* An element that may hide its words: text, a paragraph, a link. */
typedef struct
{
  PostbagLook look;
  gboolean left_out; /* whatever a style inside says */
  gboolean counted;
  char *target;
} PostbagOdfSpan;

typedef struct
{
  PostbagTeller teller;
  PostbagZip *zip;
  PostbagOdfStyles *styles;
  gboolean is_presentation; /* what is asked for */

  PostbagOdfParagraph paragraph;
  guint depth; /* of paragraphs: a box in one has its own */
  GArray *spans;
  GPtrArray *boxes;
  GPtrArray *ends; /* notes and comments, for the end */
  guint notes, endnotes, comments;
  gboolean is_endnote, in_author;
  GString *author;

  guint list_level;    /* open lists */
  char *list_style;    /* of the outermost */
  GHashTable *counts;  /* of list styles: gint64[], for lists that go on */
  gint64 *numbers;     /* of the open list */
  gboolean item_waits; /* the item's first paragraph */

  gboolean in_margin; /* a header or footer: only those of styles.xml are told */
  const char *margin;
  PostbagStory *margin_story;
  GHashTable *margins;

  PostbagStory *title, *slide, *remarks; /* of the open slide */
  gboolean slide_hidden, has_slide;
  gboolean has_paint; /* something on the slide is not white */
  guint white_runs;   /* on it: seen or not, as what is behind them */
  guint slides, declared;
  gboolean too_many;

  gboolean has_objects;
} PostbagOdfReader;

/* For content.xml, and for the headers and footers in styles.xml. */
extern const PostbagXmlHandler postbag_odf_text_handler;

void postbag_odf_free_box (gpointer data);
void postbag_odf_clear_span (gpointer data);

/* Of slides (postbag-odp-slide.c) */
void postbag_odf_start_slide (PostbagXml *xml, gpointer user_data);
void postbag_odf_end_slide (gpointer user_data);
void postbag_odf_start_remarks (PostbagXml *xml, gpointer user_data);
void postbag_odf_end_remarks (gpointer user_data);
void postbag_odf_see_picture (PostbagXml *xml, gpointer user_data);
/* A shape begins: what it is filled with is behind its words, and may be behind others. */
void postbag_odf_see_shape (PostbagXml *xml, gpointer user_data);
void postbag_odf_start_frame (PostbagXml *xml, gpointer user_data);
void postbag_odf_end_frame (gpointer user_data);

G_END_DECLS
