/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "safety/postbag-html-css-private.h"

G_BEGIN_DECLS

/* What sizes count from where nothing else is said. */
#define POSTBAG_CSS_ROOT_FONT 16

/* What reads the value of one property. */
typedef struct
{
  const char *name;
  guint8 property;
  gboolean (*read) (const char *value, PostbagCssDeclaration *result);
} PostbagCssReader;

/* (nullable): @name in lower case */
const PostbagCssReader *postbag_css_find_reader (const char *name);

void postbag_css_set_keyword (PostbagCssDeclaration *result, float number);
/* Whether @value is one of @words: then it is the keyword @number. */
gboolean postbag_css_read_word (const char *value, const char *const *words, float number,
                                PostbagCssDeclaration *result);
/* A length, or calc() and its like, in front of @value: %NULL when it is none, else what follows.
 */
const char *postbag_css_read_any_length (const char *value, PostbagCssDeclaration *result);
/* calc(), var(), min() ...: valid, but not known here. A variable may stand anywhere in a value. */
gboolean postbag_css_is_unknown_length (const char *value);
gboolean postbag_css_is_image (const char *value);
gboolean postbag_css_read_size (const char *value, PostbagCssDeclaration *result);
gboolean postbag_css_read_font_size (const char *value, PostbagCssDeclaration *result);
gboolean postbag_css_read_text_color (const char *value, PostbagCssDeclaration *result);

G_END_DECLS
