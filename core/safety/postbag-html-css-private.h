/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The part of CSS that decides whether text is seen: which declarations apply to an element and
 * what they say. Nothing is ever loaded. What is not understood never hides anything. */

/* In normalised CSS: the digit behind it was written as an escape. */
#define POSTBAG_CSS_ESCAPED '\1'
/* In its strings: the byte behind it, less its highest bit, is no letter of a name. UTF-8 has no
 * such byte. */
#define POSTBAG_CSS_QUOTED '\xff'

/* What a condition says of the rules inside its block. */
typedef enum
{
  POSTBAG_CSS_FAILS,
  POSTBAG_CSS_HOLDS,
  POSTBAG_CSS_DOUBTFUL, /* not understood: like a selector that may match or not */
} PostbagCssVerdict;

typedef enum
{
  POSTBAG_CSS_DISPLAY,     /* keyword 1: none, 2: in a line, 3: a box of boxes (flex, grid) */
  POSTBAG_CSS_VISIBILITY,  /* keyword 1: hidden; inherited */
  POSTBAG_CSS_CONTENT,     /* content-visibility, keyword 1: hidden */
  POSTBAG_CSS_OPACITY,     /* 0 to 1 */
  POSTBAG_CSS_FILTER,      /* the opacity() in it */
  POSTBAG_CSS_FONT_SIZE,   /* inherited */
  POSTBAG_CSS_LINE_HEIGHT, /* inherited */
  POSTBAG_CSS_OVERFLOW,    /* keyword 0: visible, 1: cuts off, 2: until one scrolls */
  POSTBAG_CSS_HEIGHT,
  POSTBAG_CSS_MAX_HEIGHT,
  POSTBAG_CSS_WIDTH,
  POSTBAG_CSS_MAX_WIDTH,
  POSTBAG_CSS_CLIP,      /* keyword 1: nothing is left */
  POSTBAG_CSS_CLIP_PATH, /* the same */
  POSTBAG_CSS_POSITION,  /* keyword 1: absolute or fixed, 2: relative or sticky */
  POSTBAG_CSS_LEFT,
  POSTBAG_CSS_TOP,
  POSTBAG_CSS_RIGHT,
  POSTBAG_CSS_BOTTOM,
  POSTBAG_CSS_MARGIN_LEFT,
  POSTBAG_CSS_MARGIN_TOP,
  POSTBAG_CSS_PADDING_LEFT,
  POSTBAG_CSS_PADDING_TOP,
  POSTBAG_CSS_PADDING_RIGHT,
  POSTBAG_CSS_PADDING_BOTTOM,
  POSTBAG_CSS_FLOAT,           /* keyword 1: at a side, which makes a box of anything */
  POSTBAG_CSS_SCALE,           /* as POSTBAG_CSS_TRANSFORM */
  POSTBAG_CSS_TRANSLATE,       /* the same */
  POSTBAG_CSS_ROTATE,          /* the same */
  POSTBAG_CSS_ZOOM,            /* the same */
  POSTBAG_CSS_SPACING,         /* between letters; inherited */
  POSTBAG_CSS_TEXT_INDENT,     /* inherited */
  POSTBAG_CSS_TRANSFORM,       /* keyword 1: to nothing, 2: out of the page, 3: by its own size */
  POSTBAG_CSS_COLOR,           /* inherited */
  POSTBAG_CSS_TEXT_FILL,       /* inherited */
  POSTBAG_CSS_BACKGROUND,      /* the color */
  POSTBAG_CSS_IMAGE,           /* background-image, keyword 1: there is one, 2: of one color */
  POSTBAG_CSS_IMAGE_SIZE,      /* keyword 1: the image is not said to fill the box */
  POSTBAG_CSS_MASK,            /* keyword 1: lets nothing through */
  POSTBAG_CSS_GROW,            /* keyword 1: an item takes what room there is */
  POSTBAG_CSS_SECURITY,        /* keyword 1: dots instead of letters; inherited */
  POSTBAG_CSS_BACKGROUND_CLIP, /* keyword 1: seen through the letters */
  POSTBAG_CSS_SHADOW,          /* or outline of the letters: its color; inherited */
  POSTBAG_CSS_MSO_HIDE,        /* keyword 1: all */
  POSTBAG_CSS_N_PROPERTIES,
} PostbagCssProperty;

typedef enum
{
  POSTBAG_CSS_KEYWORD, /* also lengths nobody can know: auto, calc() */
  POSTBAG_CSS_PIXELS,
  POSTBAG_CSS_EMS,
  POSTBAG_CSS_PERCENT,
  POSTBAG_CSS_MIXED, /* pixels, and ems beside them */
  POSTBAG_CSS_INHERIT,
} PostbagCssUnit;

typedef struct
{
  float number;
  float ems;       /* of what is mixed */
  guint32 rgba;    /* of a color */
  guint8 property; /* PostbagCssProperty */
  guint8 unit;     /* PostbagCssUnit */
  guint8 important;
  guint8 unknown; /* a color that cannot be known: var(), or a selector that may match */
} PostbagCssDeclaration;

/* A declaration that says something only when its element is known: a custom property, what holds a
 * var(), and `content`. */
typedef struct
{
  const char *name; /* lower case, where it is not custom; in the strings of the sheet, as @text */
  const char *text;
  guint64 priority;
  guint8 important;
  guint8 unknown; /* it may hold or not */
} PostbagCssText;

/* What won so far, property by property. */
typedef struct
{
  GArray *texts;         /* (nullable): PostbagCssText, where they are kept */
  GStringChunk *strings; /* (nullable): for them */
  gboolean content;      /* `content` is kept, too */
  guint64 set;           /* bit for each property; what else is here counts only where it is set */
  guint64 priority[POSTBAG_CSS_N_PROPERTIES];
  PostbagCssDeclaration value[POSTBAG_CSS_N_PROPERTIES];
} PostbagCssCascade;

/* Attributes of HTML count less than any rule, inline style more than any selector. */
#define POSTBAG_CSS_PRIORITY_HINT G_GUINT64_CONSTANT (0)
#define POSTBAG_CSS_PRIORITY_INLINE (G_GUINT64_CONSTANT (1) << 60)

/* Nothing said yet. @texts, @strings: (nullable): else what holds a var() is not known */
void postbag_css_cascade_init (PostbagCssCascade *self, GArray *texts, GStringChunk *strings);
void postbag_css_cascade_add (PostbagCssCascade *self, const PostbagCssDeclaration *declaration,
                              guint64 priority);
/* (nullable): what @property is, %NULL where nothing was said or the parent decides */
const PostbagCssDeclaration *postbag_css_cascade_get (const PostbagCssCascade *self,
                                                      PostbagCssProperty property);

/* --- colors, postbag-html-color.c --- */

/* CSS Color 4 and 5: names, #rgb[a], #rrggbb[aa], rgb(), hsl(), lab() ..., color-mix(); lower case
 */
gboolean postbag_css_read_color (const char *text, guint32 *rgba);
/* The old attributes (`bgcolor=ffffff`). */
gboolean postbag_css_read_legacy_color (const char *text, guint32 *rgba);
guint32 postbag_css_blend (guint32 over, guint32 under);
/* WCAG 2 contrast of two opaque colors, 1 to 21 */
double postbag_css_contrast (guint32 a, guint32 b);

/* --- values, postbag-html-css-value.c --- */

/* (transfer full): @css without comments, escapes, addresses and what strings could disturb; runs
 * of blanks are one */
char *postbag_css_normalise (const char *css, gsize length);
/* (transfer full): what stands in a string of it */
char *postbag_css_unquote (const char *text, gsize length);
/* Reads `name: value; ...` out of normalised @block, which it changes. What is no valid value of
 * a known property is passed over, as browsers do. */
void postbag_css_read_block (char *block, guint64 priority, PostbagCssCascade *cascade);
/* Reads @value as what @text turned out to say (changed). */
void postbag_css_read_text (const PostbagCssText *text, char *value, PostbagCssCascade *cascade);
/* The name of a custom property in front of @text: its length, or 0 */
gsize postbag_css_measure_custom_name (const char *text);
/* A length like `12px` or `50%` in front of @text; %NULL when it is none, else what follows. */
const char *postbag_css_read_length (const char *text, PostbagCssDeclaration *result);
/* calc() and its like in front of @text, the same; postbag-html-css-math.c */
const char *postbag_css_read_math (const char *text, PostbagCssDeclaration *result);
/* A number, without what C would take besides (hexadecimal, inf). */
const char *postbag_css_read_number (const char *text, double *result);

/* Shapes: whether nothing is left of a box, postbag-html-css-shape.c */
gboolean postbag_css_read_clip (const char *value, PostbagCssDeclaration *result);
gboolean postbag_css_read_clip_path (const char *value, PostbagCssDeclaration *result);
gboolean postbag_css_read_transform (const char *value, PostbagCssDeclaration *result);
/* The properties that are one function of it. */
gboolean postbag_css_read_scale (const char *value, PostbagCssDeclaration *result);
gboolean postbag_css_read_translate (const char *value, PostbagCssDeclaration *result);
gboolean postbag_css_read_rotate (const char *value, PostbagCssDeclaration *result);
gboolean postbag_css_read_zoom (const char *value, PostbagCssDeclaration *result);
/* Gradients: whether @value is one of a single color. */
gboolean postbag_css_read_flat_image (const char *value, guint32 *rgba);
gboolean postbag_css_read_mask (const char *value, PostbagCssDeclaration *result);

/* Whether a media query (normalised, lower case) holds on a light screen of ordinary size,
 * postbag-html-css-media.c */
gboolean postbag_css_media_matches (const char *query);
/* The same for the condition of `@supports`. */
PostbagCssVerdict postbag_css_supports_judge (const char *condition);
/* Whether @name is a property that is read here, and @value a value of it. */
PostbagCssVerdict postbag_css_judge_declaration (char *name, char *value);

/* --- rules, postbag-html-css-sheet.c and postbag-html-css-selector.c --- */

#define POSTBAG_CSS_NODE_CLASSES 32
#define POSTBAG_CSS_SIBLING_WORDS 4

/* What selectors of a sheet look at, beside names, classes and ids. */
enum
{
  POSTBAG_CSS_NEEDS_ORDER = 1 << 0,      /* which child an element is, and what is before it */
  POSTBAG_CSS_NEEDS_TYPES = 1 << 1,      /* which of its type */
  POSTBAG_CSS_NEEDS_SURVEY = 1 << 2,     /* what comes later */
  POSTBAG_CSS_NEEDS_ATTRIBUTES = 1 << 3, /* other attributes */
  POSTBAG_CSS_NEEDS_TREE = 1 << 4,       /* all elements that browsers have */
};

/* What selectors look at in an element, in numbers of the sheet; 0: no rule speaks of it. */
typedef struct
{
  guint32 name;
  guint32 id;
  guint32 n_classes;
  guint32 classes[POSTBAG_CSS_NODE_CLASSES];
  guint64 attributes; /* bits of the tests that it passes */
  /* what follows says something only where the sheet needs it */
  guint64 has;      /* bits of the `:has()` that hold */
  guint32 place[4]; /* among its siblings, by PostbagCssPlaceKind, from 1 on */
  gboolean empty;
  guint64 previous[POSTBAG_CSS_SIBLING_WORDS]; /* what the sibling right before it matches */
  guint64 earlier[POSTBAG_CSS_SIBLING_WORDS];  /* what those before it match */
} PostbagCssNode;

typedef struct _PostbagCssSheet PostbagCssSheet;

/* @quirks: without a doctype, letter case of classes and ids does not matter */
PostbagCssSheet *postbag_css_sheet_new (gboolean quirks);
void postbag_css_sheet_free (PostbagCssSheet *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagCssSheet, postbag_css_sheet_free)
/* @media: (nullable): of the element that holds @css */
void postbag_css_sheet_add (PostbagCssSheet *self, const char *css, gsize length,
                            const char *media);
/* `@import` seen so far */
guint postbag_css_sheet_count_imports (const PostbagCssSheet *self);
/* Whether a bound was hit: some rules were not looked at. */
gboolean postbag_css_sheet_is_cut (const PostbagCssSheet *self);
gboolean postbag_css_sheet_is_empty (const PostbagCssSheet *self);

/* Where texts for a cascade are kept. */
GStringChunk *postbag_css_sheet_get_strings (PostbagCssSheet *self);

/* --- custom properties, postbag-html-css-variable.c --- */

typedef struct _PostbagCssVariables PostbagCssVariables;

PostbagCssVariables *postbag_css_variables_new (PostbagCssSheet *sheet);
void postbag_css_variables_free (PostbagCssVariables *self);
/* What @texts say of an element: its variables are set, and what holds some goes to @cascade.
 * Returns: how many there are now */
guint postbag_css_variables_apply (PostbagCssVariables *self, const GArray *texts,
                                   PostbagCssCascade *cascade);
/* (transfer full) (nullable): @text with variables put in; %NULL: it is invalid, or @unknown */
char *postbag_css_variables_put_in (PostbagCssVariables *self, const char *text, gboolean *unknown);
/* The element that began with @size of them has ended. */
void postbag_css_variables_truncate (PostbagCssVariables *self, guint size);

/* @id, @classes: (nullable): the attributes; @link: it leads somewhere */
void postbag_css_sheet_read_node (const PostbagCssSheet *self, const char *name, const char *id,
                                  const char *classes, gboolean link, PostbagCssNode *node);
/* What the rest of the page is to tell of its elements: POSTBAG_CSS_NEEDS_... */
guint postbag_css_sheet_get_needs (const PostbagCssSheet *self);
/* It tells @given; rules that ask for what it does not tell are not looked at. */
void postbag_css_sheet_give (PostbagCssSheet *self, guint given);
gboolean postbag_css_sheet_is_given (const PostbagCssSheet *self, guint needs);
/* Whether a test asks for the attribute @name (lower case). */
gboolean postbag_css_sheet_wants_attribute (const PostbagCssSheet *self, const char *name);
/* One bit for a name, in any letter case; names share them. */
static inline guint64
postbag_css_hash_attribute (const char *name, gsize length)
{
  return G_GUINT64_CONSTANT (1) << ((((guchar)name[0] & 0x1f) * 7u + length) & 63);
}
/* Whether one asks for an attribute that is among @seen, bits of names. */
gboolean postbag_css_sheet_wants_any (const PostbagCssSheet *self, guint64 seen);
/* Bits of the tests that an attribute passes. */
guint64 postbag_css_sheet_test_attribute (PostbagCssSheet *self, const char *name,
                                          const char *value);
/* Bits of selectors that may stand left of `+` or `~` and match the element that was matched last.
 */
const guint64 *postbag_css_sheet_get_matched (const PostbagCssSheet *self);

/* Whom a `:has()` speaks of, where @nodes[@depth] is what it asks for. */
typedef struct
{
  guint number;  /* bit of PostbagCssNode.has */
  char relation; /* ` `: all that @depth stands in, `>`: its parent, `+`, `~`: siblings before it */
  guint depth;
} PostbagCssFound;

/* @found: room for POSTBAG_CSS_HAS_TESTS; returns how many there are */
#define POSTBAG_CSS_HAS_TESTS 64
guint postbag_css_sheet_find_has (PostbagCssSheet *self, const PostbagCssNode *nodes, guint depth,
                                  PostbagCssFound *found);
/* Pseudo-elements that hold text of their own. */
typedef enum
{
  POSTBAG_CSS_ELEMENT, /* none of them */
  POSTBAG_CSS_BEFORE,
  POSTBAG_CSS_AFTER,
  POSTBAG_CSS_N_PSEUDOS,
} PostbagCssPseudo;

/* Whether a rule says what such an element holds. */
gboolean postbag_css_sheet_generates (const PostbagCssSheet *self);
/* Adds what the rules say of that element of @nodes[@depth]. */
void postbag_css_sheet_match_pseudo (PostbagCssSheet *self, PostbagCssPseudo pseudo,
                                     const PostbagCssNode *nodes, guint depth,
                                     PostbagCssCascade *cascade);
/* Adds what the rules say of @nodes[@depth], whose ancestors are @nodes[1] to @nodes[@depth - 1].
 * All calls together do a bounded amount of work. */
void postbag_css_sheet_match (PostbagCssSheet *self, const PostbagCssNode *nodes, guint depth,
                              PostbagCssCascade *cascade);

G_END_DECLS
