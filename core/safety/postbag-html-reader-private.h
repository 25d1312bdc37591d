/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/postbag-limits.h"
#include "safety/postbag-html-private.h"
#include "safety/postbag-html-tree-private.h"

G_BEGIN_DECLS

typedef enum
{
  POSTBAG_HTML_INLINE,
  POSTBAG_HTML_BLOCK,
  POSTBAG_HTML_PARAGRAPH,
  POSTBAG_HTML_BREAK,
  POSTBAG_HTML_RULE,
  POSTBAG_HTML_TABLE,
  POSTBAG_HTML_ROW,
  POSTBAG_HTML_CELL,
  POSTBAG_HTML_ITEM,
  POSTBAG_HTML_LIST,
  POSTBAG_HTML_ORDERED,
  POSTBAG_HTML_QUOTE,
  POSTBAG_HTML_PRE,
  POSTBAG_HTML_LINK,
  POSTBAG_HTML_AREA,
  POSTBAG_HTML_IMAGE,
  POSTBAG_HTML_INPUT,
  POSTBAG_HTML_FONT,
  POSTBAG_HTML_BODY,
  POSTBAG_HTML_DETAILS,
  POSTBAG_HTML_SUMMARY,
  POSTBAG_HTML_DIALOG,
  POSTBAG_HTML_DROPPED,
} PostbagHtmlKind;

/* What an element's name means: @reason is why its content is not shown where that is so. */
PostbagHtmlKind postbag_html_find_kind (const char *name, const char **reason);

/* Values of an element's attributes, %NULL where it has none. */
typedef struct
{
  const char *value[POSTBAG_HTML_N_ATTRIBUTES];
  guint64 tests; /* of the style sheet that they pass */
} PostbagHtmlAttributes;

/* An open element. */
typedef struct
{
  PostbagHtmlKind kind;
  PostbagHtmlSight sight;
  const char *gone;   /* (nullable): why it is gone, but for its style */
  const char *unseen; /* (nullable): why its text is not seen */
  gboolean folded;    /* a `details` that shows only its summary */
  gboolean tiny;      /* an image of a pixel */
  guint variables;    /* custom properties that hold in it */
  char *after;        /* (nullable) (owned): text that its end is to show */
} PostbagHtmlElement;

typedef struct
{
  PostbagHtmlWriter *writer;
  PostbagHtmlReport *report;
  PostbagHtmlScan *scan;
  PostbagHtmlTree *tree; /* (nullable) */
  gsize generated;       /* characters that style sheets put in */
  PostbagCssVariables *variables;
  GArray *texts; /* PostbagCssText: of the element at the top */
  guint depth;
  guint overflow; /* elements open beyond the stack; their text counts as their parent's */
  char *href;     /* (nullable): of the open link, as written */
  char *url;      /* (nullable): where it leads */
  gsize link_mark;
  gboolean link_seen; /* something of it is shown */
  guint conversions;  /* hosts that may still be written in both ways */
  guint relatives;    /* links that may still count from the base */
  guint spoken_depth; /* the element that began text for screen readers, 0: none */
  gboolean labelled;  /* it was said that it is that */
  gsize spoken_chars;
  /* Last, since they are not cleared: what is beyond the depth says nothing. */
  PostbagHtmlElement stack[POSTBAG_HTML_STACK]; /* [0] is outside of everything */
  PostbagCssNode nodes[POSTBAG_HTML_STACK];
} PostbagHtmlReader;

static inline PostbagHtmlElement *
postbag_html_reader_get_top (PostbagHtmlReader *self)
{
  return &self->stack[self->depth];
}

/* Whether the box at the top is seen: what has no letters cares for nothing else. */
static inline const char *
postbag_html_reader_judge_box (PostbagHtmlReader *self)
{
  PostbagHtmlElement *top = postbag_html_reader_get_top (self);

  return top->gone != NULL ? top->gone : postbag_html_sight_judge_box (&top->sight);
}

/* --- styles, postbag-html-element.c --- */

/* Says what selectors look at in the element at the top of the stack. */
void postbag_html_reader_read_node (PostbagHtmlReader *self, const char *name,
                                    const PostbagHtmlAttributes *attributes);

/* Works out what is seen of the element that was just put on the stack. */
void postbag_html_reader_apply_style (PostbagHtmlReader *self, const char *name,
                                      const PostbagHtmlAttributes *attributes);

/* --- text of style sheets, postbag-html-generate.c --- */

/* Writes what stands in front of the content of the element that has just begun, and keeps what
 * stands behind it. */
void postbag_html_reader_generate (PostbagHtmlReader *self,
                                   const PostbagHtmlAttributes *attributes);
void postbag_html_reader_end_generated (PostbagHtmlReader *self);

/* --- what an element writes, postbag-html-layout.c --- */

/* Text that is seen. */
void postbag_html_reader_write (PostbagHtmlReader *self, const char *text);

void postbag_html_reader_begin (PostbagHtmlReader *self, const PostbagHtmlAttributes *attributes);
void postbag_html_reader_end (PostbagHtmlReader *self);
void postbag_html_reader_end_link (PostbagHtmlReader *self);
/* Text at the top of the stack: written, or counted with the reason why not. */
void postbag_html_reader_text (PostbagHtmlReader *self, const char *text, gsize length);

G_END_DECLS
