/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "safety/postbag-html-css-private.h"

G_BEGIN_DECLS

#define POSTBAG_CSS_COMPOUND_CLASSES 6
#define POSTBAG_CSS_COMPOUNDS 16
#define POSTBAG_CSS_COMPOUND_TESTS 4

/* `:is(a, .b)`, `:where(...)`, or with @negated `:not(...)` */
typedef struct
{
  gboolean negated;
  GArray *alternatives; /* PostbagCssCompound */
} PostbagCssTest;

/* `td#a.b.c`: 0 where any will do */
typedef struct
{
  guint32 name;
  guint32 id;
  guint32 classes[POSTBAG_CSS_COMPOUND_CLASSES];           /* also `[class=...]` and `:link` */
  const PostbagCssTest *tests[POSTBAG_CSS_COMPOUND_TESTS]; /* (transfer none) */
  guint8 n_classes;
  guint8 n_tests;
  gboolean child; /* parent of the one before it, else any ancestor */
} PostbagCssCompound;

typedef struct
{
  PostbagCssDeclaration declaration;
  guint64 priority;
} PostbagCssRuleValue;

/* All rules with one selector: of each property the declaration that wins among them. */
typedef struct
{
  PostbagCssCompound *compounds; /* the subject first, then outwards */
  guint n_compounds;
  gboolean maybe; /* something in it is not understood: it may or may not match */
  GArray *values; /* PostbagCssRuleValue */
  guint32 specificity[3];
} PostbagCssSelector;

struct _PostbagCssSheet
{
  gboolean quirks;
  gboolean cut;
  guint imports;
  guint order;  /* of the next rule */
  guint64 work; /* what is left */
  GStringChunk *strings;
  GHashTable *layers;   /* names of `@layer` to their numbers from 1 on */
  GHashTable *names;    /* types, ".class", "#id", "=class attribute", ":link" to numbers */
  GPtrArray *selectors; /* owned */
  GPtrArray *tests;     /* PostbagCssTest, owned */
  GHashTable *by_text;  /* selector as written to PostbagCssSelector */
  GPtrArray *index;     /* (nullable) GPtrArray of selectors for each number; [0]: universal */
};

/* To behind the comma that ends the selector at @text, which is cut off there; %NULL: it was the
 * last. */
char *postbag_css_cut_selector (char *text);

/* Reads one selector of a list (changed) and gives the one that stands for it: (transfer none)
 * (nullable), %NULL: it is invalid, never matches, or a bound was hit. @invalid: (inout): set where
 * this is no selector, which makes the whole list invalid (Selectors 4, section 4.1). */
PostbagCssSelector *postbag_css_sheet_intern_selector (PostbagCssSheet *self, char *text,
                                                       gboolean *invalid);

G_END_DECLS
