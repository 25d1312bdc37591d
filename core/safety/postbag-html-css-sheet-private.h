/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "safety/postbag-html-css-private.h"

G_BEGIN_DECLS

#define POSTBAG_CSS_COMPOUND_CLASSES 6
#define POSTBAG_CSS_COMPOUND_PLACES 3
#define POSTBAG_CSS_COMPOUNDS 16
#define POSTBAG_CSS_COMPOUND_TESTS 4

/* Compounds that are joined: the subject first, then outwards. */
typedef struct
{
  struct _PostbagCssCompound *compounds; /* owned */
  guint n_compounds;
} PostbagCssChain;

/* `:is(a, .b)`, `:where(...)`, or with @negated `:not(...)` */
typedef struct
{
  gboolean negated;
  GArray *alternatives; /* PostbagCssChain */
} PostbagCssTest;

/* `:nth-child(2n + 1)` and its like: @step and @offset */
typedef enum
{
  POSTBAG_CSS_CHILD,
  POSTBAG_CSS_LAST_CHILD,
  POSTBAG_CSS_OF_TYPE,
  POSTBAG_CSS_LAST_OF_TYPE,
  POSTBAG_CSS_EMPTY,
} PostbagCssPlaceKind;

typedef struct
{
  guint8 kind; /* PostbagCssPlaceKind */
  gint32 step;
  gint32 offset;
} PostbagCssPlace;

/* `[name^="value" i]` */
typedef struct
{
  char *name;    /* lower case */
  char *value;   /* %NULL: it need only be there */
  char relation; /* NUL: the same; or `~|^$*` in front of the `=` */
  gboolean ignores_case;
} PostbagCssAttributeTest;

/* `:has(> a b, + c)`, worked out while the page is surveyed. */
typedef struct
{
  char relation; /* ` `, `>`, `+` or `~` */
  guint number;  /* bit of the node that is to have it */
  PostbagCssChain chain;
} PostbagCssHas;

/* `td#a.b.c`: 0 where any will do */
typedef struct _PostbagCssCompound
{
  guint32 name;
  guint32 id;
  guint32 classes[POSTBAG_CSS_COMPOUND_CLASSES];           /* also `[class=...]` and `:link` */
  const PostbagCssTest *tests[POSTBAG_CSS_COMPOUND_TESTS]; /* (transfer none) */
  PostbagCssPlace places[POSTBAG_CSS_COMPOUND_PLACES];
  guint64 attributes; /* bits of the attribute tests that it passes */
  guint64 has;        /* bits of the `:has()` that hold */
  guint16 sibling;    /* number of what matches a sibling before it, 0: none */
  guint8 n_classes;
  guint8 n_tests;
  guint8 n_places;
  gboolean adjacent; /* that sibling is the one right before it */
  gboolean child;    /* parent of the one before it, else any ancestor */
} PostbagCssCompound;

typedef struct
{
  PostbagCssDeclaration declaration;
  guint64 priority;
} PostbagCssRuleValue;

/* All rules with one selector: of each property the declaration that wins among them. */
typedef struct
{
  PostbagCssChain chain;
  gboolean maybe;  /* something in it is not understood: it may or may not match */
  guint8 needs;    /* POSTBAG_CSS_NEEDS_...: what it asks of the page */
  guint16 sibling; /* its own number, 0: no selector asks for such a sibling */
  guint8 pseudo;   /* PostbagCssPseudo */
  GArray *values;  /* PostbagCssRuleValue */
  GArray *texts;   /* (nullable): PostbagCssText */
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
  guint needs;          /* POSTBAG_CSS_NEEDS_... */
  gsize put_in;         /* bytes of values that may still be put in for variables */
  gsize nested;         /* bytes that nested rules may still be written out to */
  guint16 n_siblings;   /* selectors of what stands left of `+` or `~` */
  guint given;          /* of what is needed, what is there */
  guint64 matched[POSTBAG_CSS_SIBLING_WORDS]; /* those of the element that was matched last */
  GArray *attributes;                         /* PostbagCssAttributeTest */
  GArray *texts;                              /* PostbagCssText, of the rule that is read */
  GArray *has;                                /* PostbagCssHas */
  guint n_has;                                /* bits that are taken */
  GHashTable *by_text;                        /* selector as written to PostbagCssSelector */
  gboolean generates;                         /* a rule has a `content` */
  GPtrArray *index[POSTBAG_CSS_N_PSEUDOS];    /* (nullable) GPtrArray of selectors for each number;
                                                 [0]: universal */
};

/* To behind the comma that ends the selector at @text, which is cut off there; %NULL: it was the
 * last. */
char *postbag_css_cut_selector (char *text);

void postbag_css_chain_clear (PostbagCssChain *self);

/* (transfer full) (nullable): the list of selectors @inner of a rule inside one with the list
 * @outer; %NULL: it is too long, postbag-html-css-nest.c */
char *postbag_css_nest_selectors (const char *outer, const char *inner);

/* Reads one selector of a list (changed) and gives the one that stands for it: (transfer none)
 * (nullable), %NULL: it is invalid, never matches, or a bound was hit. @invalid: (inout): set where
 * this is no selector, which makes the whole list invalid (Selectors 4, section 4.1). */
PostbagCssSelector *postbag_css_sheet_intern_selector (PostbagCssSheet *self, char *text,
                                                       gboolean *invalid);

G_END_DECLS
