/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "safety/postbag-html-css-sheet-private.h"

G_BEGIN_DECLS

/* Where the reading of one selector stands. */
typedef struct
{
  PostbagCssSheet *sheet;
  const char *at;
  PostbagCssCompound compounds[POSTBAG_CSS_COMPOUNDS];
  guint n_compounds; /* outermost first while reading */
  gboolean maybe;    /* something in it is not understood */
  gboolean never;    /* it matches nothing */
  guint needs;       /* POSTBAG_CSS_NEEDS_... */
  gboolean in_has;   /* it is worked out before that is known */
  guint16 sibling;   /* of the next compound, as PostbagCssCompound has it */
  gboolean adjacent;
  guint8 pseudo; /* PostbagCssPseudo */
  guint depth;   /* of tests in tests */
  guint32 specificity[3];
} PostbagCssSelectorReader;

/* An identifier (CSS Syntax 3, section 4.3.9) in front of @text: its length, or 0 */
gsize postbag_css_measure_name (const char *text);

/* The number of @prefix and @name, made where it is new. @prefix is `.`, `#`, `=`, `:` or NUL. */
guint32 postbag_css_intern_name (PostbagCssSheet *self, char prefix, const char *name,
                                 gsize length);

/* @prefix: `.`, or what else the element's classes are looked up by. FALSE: it has no letters. */
gboolean postbag_css_add_class (PostbagCssSelectorReader *self, PostbagCssCompound *compound,
                                char prefix, const char *name, gsize length);

/* All of a selector; FALSE: it is none. Its compounds are outermost first, from where the last
 * sibling stands. */
gboolean postbag_css_read_selector (PostbagCssSelectorReader *self);
/* What was read, the subject first. */
void postbag_css_take_chain (const PostbagCssSelectorReader *self, PostbagCssChain *chain);
/* `[name=value]`, postbag-html-css-attribute.c; FALSE: this is no selector. */
gboolean postbag_css_read_attribute (PostbagCssSelectorReader *self, PostbagCssCompound *compound);
/* `[name]` */
gboolean postbag_css_require_attribute (PostbagCssSelectorReader *self,
                                        PostbagCssCompound *compound, const char *name);
/* An+B (CSS Syntax 3, section 6) in front of @text: what follows, %NULL when it is none. */
const char *postbag_css_read_nth (const char *text, PostbagCssPlace *place);

/* What is read matches only where the page tells @needs (POSTBAG_CSS_NEEDS_...). */
void postbag_css_need (PostbagCssSelectorReader *self, guint needs);

/* One compound, up to a combinator or the end; FALSE: this is no selector. */
gboolean postbag_css_read_compound (PostbagCssSelectorReader *self, PostbagCssCompound *compound);

/* What stands behind a colon, postbag-html-css-pseudo.c; FALSE: this is no selector. */
gboolean postbag_css_read_pseudo (PostbagCssSelectorReader *self, PostbagCssCompound *compound);

G_END_DECLS
