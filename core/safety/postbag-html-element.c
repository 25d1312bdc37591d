/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an element is, and what is seen of it: attributes of the old days first, then the style
 * sheets, then its own style (HTML section 15, CSS Cascade 4). */

#include <string.h>

#include "safety/postbag-html-reader-private.h"

static const struct
{
  const char *name;
  PostbagHtmlKind kind;
  const char *reason;
} kinds[] = {
  { "a", POSTBAG_HTML_LINK, NULL },
  { "address", POSTBAG_HTML_BLOCK, NULL },
  { "annotation", POSTBAG_HTML_DROPPED, POSTBAG_HIDDEN_ANNOTATION },
  { "annotation-xml", POSTBAG_HTML_DROPPED, POSTBAG_HIDDEN_ANNOTATION },
  { "area", POSTBAG_HTML_AREA, NULL },
  { "article", POSTBAG_HTML_BLOCK, NULL },
  { "aside", POSTBAG_HTML_BLOCK, NULL },
  { "audio", POSTBAG_HTML_DROPPED, POSTBAG_HIDDEN_FALLBACK },
  { "blockquote", POSTBAG_HTML_QUOTE, NULL },
  { "body", POSTBAG_HTML_BODY, NULL },
  { "body_", POSTBAG_HTML_BODY, NULL },
  { "br", POSTBAG_HTML_BREAK, NULL },
  { "canvas", POSTBAG_HTML_DROPPED, POSTBAG_HIDDEN_FALLBACK },
  { "center", POSTBAG_HTML_BLOCK, NULL },
  { "datalist", POSTBAG_HTML_DROPPED, POSTBAG_HIDDEN_SELECT },
  { "dd", POSTBAG_HTML_BLOCK, NULL },
  { "details", POSTBAG_HTML_DETAILS, NULL },
  { "dialog", POSTBAG_HTML_DIALOG, NULL },
  { "div", POSTBAG_HTML_BLOCK, NULL },
  { "dl", POSTBAG_HTML_BLOCK, NULL },
  { "dt", POSTBAG_HTML_BLOCK, NULL },
  { "fieldset", POSTBAG_HTML_BLOCK, NULL },
  { "figcaption", POSTBAG_HTML_BLOCK, NULL },
  { "figure", POSTBAG_HTML_BLOCK, NULL },
  { "font", POSTBAG_HTML_FONT, NULL },
  { "footer", POSTBAG_HTML_BLOCK, NULL },
  { "form", POSTBAG_HTML_BLOCK, NULL },
  { "h1", POSTBAG_HTML_PARAGRAPH, NULL },
  { "h2", POSTBAG_HTML_PARAGRAPH, NULL },
  { "h3", POSTBAG_HTML_PARAGRAPH, NULL },
  { "h4", POSTBAG_HTML_PARAGRAPH, NULL },
  { "h5", POSTBAG_HTML_PARAGRAPH, NULL },
  { "h6", POSTBAG_HTML_PARAGRAPH, NULL },
  { "header", POSTBAG_HTML_BLOCK, NULL },
  { "hr", POSTBAG_HTML_RULE, NULL },
  { "img", POSTBAG_HTML_IMAGE, NULL },
  { "input", POSTBAG_HTML_INPUT, NULL },
  { "legend", POSTBAG_HTML_BLOCK, NULL },
  { "li", POSTBAG_HTML_ITEM, NULL },
  { "listing", POSTBAG_HTML_PRE, NULL },
  { "main", POSTBAG_HTML_BLOCK, NULL },
  { "meter", POSTBAG_HTML_DROPPED, POSTBAG_HIDDEN_FALLBACK },
  { "mphantom", POSTBAG_HTML_DROPPED, POSTBAG_HIDDEN_VISIBILITY },
  { "nav", POSTBAG_HTML_BLOCK, NULL },
  { "noscript", POSTBAG_HTML_DROPPED, POSTBAG_HIDDEN_NOSCRIPT },
  { "object", POSTBAG_HTML_DROPPED, POSTBAG_HIDDEN_FALLBACK },
  { "ol", POSTBAG_HTML_ORDERED, NULL },
  { "option", POSTBAG_HTML_BLOCK, NULL },
  { "p", POSTBAG_HTML_PARAGRAPH, NULL },
  { "plaintext", POSTBAG_HTML_PRE, NULL },
  { "pre", POSTBAG_HTML_PRE, NULL },
  { "progress", POSTBAG_HTML_DROPPED, POSTBAG_HIDDEN_FALLBACK },
  { "rp", POSTBAG_HTML_DROPPED, POSTBAG_HIDDEN_FALLBACK },
  { "section", POSTBAG_HTML_BLOCK, NULL },
  { "select", POSTBAG_HTML_DROPPED, POSTBAG_HIDDEN_SELECT },
  { "summary", POSTBAG_HTML_SUMMARY, NULL },
  { "svg", POSTBAG_HTML_DROPPED, POSTBAG_HIDDEN_SVG },
  { "table", POSTBAG_HTML_TABLE, NULL },
  { "td", POSTBAG_HTML_CELL, NULL },
  { "template", POSTBAG_HTML_DROPPED, POSTBAG_HIDDEN_TEMPLATE },
  { "th", POSTBAG_HTML_CELL, NULL },
  { "tr", POSTBAG_HTML_ROW, NULL },
  { "ul", POSTBAG_HTML_LIST, NULL },
  { "video", POSTBAG_HTML_DROPPED, POSTBAG_HIDDEN_FALLBACK },
};

/* kinds[] is sorted. */
PostbagHtmlKind
postbag_html_find_kind (const char *name, const char **reason)
{
  gsize low = 0, high = G_N_ELEMENTS (kinds);

  *reason = NULL;
  while (low < high)
    {
      gsize middle = (low + high) / 2;
      int order = strcmp (name, kinds[middle].name);

      if (order == 0)
        {
          *reason = kinds[middle].reason;
          return kinds[middle].kind;
        }
      if (order < 0)
        high = middle;
      else
        low = middle + 1;
    }
  return POSTBAG_HTML_INLINE;
}

/* --- attributes that stand for a style --- */

static void
hint (PostbagCssCascade *cascade, PostbagCssProperty property, PostbagCssUnit unit, float number,
      guint32 rgba)
{
  PostbagCssDeclaration value = { .number = number, .rgba = rgba };

  value.property = (guint8)property;
  value.unit = (guint8)unit;
  postbag_css_cascade_add (cascade, &value, POSTBAG_CSS_PRIORITY_HINT);
}

static void
hint_color (PostbagCssCascade *cascade, PostbagCssProperty property, const char *text)
{
  guint32 rgba;

  if (text != NULL && postbag_css_read_legacy_color (text, &rgba))
    hint (cascade, property, POSTBAG_CSS_PIXELS, 0, rgba);
}

/* `<font size>`: 1 to 7, or so many steps from 3 */
static void
hint_font_size (PostbagCssCascade *cascade, const char *text)
{
  static const float sizes[] = { 10, 13, 16, 18, 24, 32, 48 };
  double number;

  if (text == NULL)
    return;
  text += strspn (text, " ");
  if (postbag_css_read_number (text, &number) == NULL)
    return;
  if (*text == '+' || *text == '-')
    number += 3;
  hint (cascade, POSTBAG_CSS_FONT_SIZE, POSTBAG_CSS_PIXELS, sizes[(int)CLAMP (number, 1, 7) - 1],
        0);
}

static void
hint_size (PostbagCssCascade *cascade, PostbagCssProperty property, const char *text)
{
  PostbagCssDeclaration value = { 0 };

  if (text == NULL || postbag_css_read_length (text + strspn (text, " "), &value) == NULL)
    return;
  hint (cascade, property, (PostbagCssUnit)value.unit, value.number, 0);
}

static void
add_hints (PostbagHtmlKind kind, const PostbagHtmlAttributes *attributes,
           PostbagCssCascade *cascade)
{
  const char *const *value = attributes->value;

  if (value[POSTBAG_HTML_HIDDEN] != NULL
      && g_ascii_strcasecmp (value[POSTBAG_HTML_HIDDEN], "until-found") == 0)
    hint (cascade, POSTBAG_CSS_CONTENT, POSTBAG_CSS_KEYWORD, 1, 0);
  else if (value[POSTBAG_HTML_HIDDEN] != NULL || value[POSTBAG_HTML_POPOVER] != NULL
           || (kind == POSTBAG_HTML_DIALOG && value[POSTBAG_HTML_OPEN] == NULL))
    hint (cascade, POSTBAG_CSS_DISPLAY, POSTBAG_CSS_KEYWORD, 1, 0);
  hint_color (cascade, POSTBAG_CSS_BACKGROUND, value[POSTBAG_HTML_BGCOLOR]);
  if (value[POSTBAG_HTML_BACKGROUND] != NULL && value[POSTBAG_HTML_BACKGROUND][0] != '\0')
    hint (cascade, POSTBAG_CSS_IMAGE, POSTBAG_CSS_KEYWORD, 1, 0);
  if (kind == POSTBAG_HTML_LINK && value[POSTBAG_HTML_HREF] != NULL)
    hint (cascade, POSTBAG_CSS_COLOR, POSTBAG_CSS_PIXELS, 0, 0x0000eeff);
  if (kind == POSTBAG_HTML_BODY)
    hint_color (cascade, POSTBAG_CSS_COLOR, value[POSTBAG_HTML_TEXT]);
  if (kind == POSTBAG_HTML_FONT)
    {
      hint_color (cascade, POSTBAG_CSS_COLOR, value[POSTBAG_HTML_COLOR]);
      hint_font_size (cascade, value[POSTBAG_HTML_SIZE]);
    }
  if (kind == POSTBAG_HTML_TABLE || kind == POSTBAG_HTML_IMAGE)
    {
      hint_size (cascade, POSTBAG_CSS_WIDTH, value[POSTBAG_HTML_WIDTH]);
      hint_size (cascade, POSTBAG_CSS_HEIGHT, value[POSTBAG_HTML_HEIGHT]);
    }
}

/* --- the cascade --- */

void
postbag_html_reader_read_node (PostbagHtmlReader *self, const char *name,
                               const PostbagHtmlAttributes *attributes)
{
  PostbagCssNode *node = &self->nodes[self->depth];
  PostbagHtmlKind kind = postbag_html_reader_get_top (self)->kind;
  gsize length = strlen (name);
  g_autofree char *place = NULL;

  if (strcmp (name, POSTBAG_HTML_OWN_BODY) == 0)
    name = "body";
  else if (strcmp (name, POSTBAG_HTML_OWN_HTML) == 0)
    name = "html";
  else if ((self->scan->has_body && strcmp (name, "body") == 0)
           || (self->scan->has_html && strcmp (name, "html") == 0))
    name = ""; /* the mail has its own inside */
  else if (length > 0 && name[length - 1] == '_')
    name = place = g_strndup (name, length - 1); /* of what was left out */
  postbag_css_sheet_read_node (
      self->scan->sheet, name, attributes->value[POSTBAG_HTML_ID],
      attributes->value[POSTBAG_HTML_CLASS],
      kind == POSTBAG_HTML_LINK && attributes->value[POSTBAG_HTML_HREF] != NULL, node);
  node->attributes = attributes->tests;
  if (self->tree != NULL)
    postbag_html_tree_start (self->tree, name, self->nodes, self->depth);
}

static void
match (PostbagHtmlReader *self, PostbagCssCascade *cascade)
{
  postbag_css_sheet_match (self->scan->sheet, self->nodes, self->depth, cascade);
  if (self->tree != NULL)
    postbag_html_tree_note (self->tree, self->depth);
}

static void
add_style (const char *style, PostbagCssCascade *cascade)
{
  g_autofree char *normal = NULL;

  if (style == NULL)
    return;
  normal = postbag_css_normalise (style, strlen (style));
  postbag_css_read_block (normal, POSTBAG_CSS_PRIORITY_INLINE, cascade);
}

static gboolean
is_pixel (const PostbagCssCascade *cascade, PostbagCssProperty property)
{
  const PostbagCssDeclaration *value = postbag_css_cascade_get (cascade, property);

  return value != NULL && value->unit == POSTBAG_CSS_PIXELS && value->number <= 1;
}

/* Elements that are laid out as text and are boxes nevertheless (HTML section 15.3). */
static gboolean
is_box (const char *name)
{
  static const char *const boxes[] = { "button",   "caption", "col",    "colgroup", "dir",
                                       "hgroup",   "html",    "html_",  "marquee",  "menu",
                                       "optgroup", "search",  "tbody",  "textarea", "tfoot",
                                       "thead",    "math",    "iframe", "embed",    "rt",
                                       NULL };

  return postbag_html_is_one_of (name, boxes);
}

static guint
collect_flags (const char *name, PostbagHtmlKind kind, const PostbagHtmlAttributes *attributes)
{
  const char *muted = attributes->value[POSTBAG_HTML_ARIA_HIDDEN];
  guint flags = 0;

  if ((kind == POSTBAG_HTML_INLINE && !is_box (name)) || kind == POSTBAG_HTML_LINK
      || kind == POSTBAG_HTML_FONT)
    flags |= POSTBAG_HTML_IS_INLINE;
  if (kind == POSTBAG_HTML_CELL || kind == POSTBAG_HTML_ROW)
    flags |= POSTBAG_HTML_IS_CELL;
  if (kind == POSTBAG_HTML_LINK && attributes->value[POSTBAG_HTML_HREF] != NULL)
    flags |= POSTBAG_HTML_IS_LINK;
  if (kind == POSTBAG_HTML_TABLE)
    flags |= POSTBAG_HTML_IS_TABLE;
  if (kind == POSTBAG_HTML_DIALOG || attributes->value[POSTBAG_HTML_HIDDEN] != NULL
      || attributes->value[POSTBAG_HTML_POPOVER] != NULL)
    flags |= POSTBAG_HTML_IS_HIDDEN;
  if (muted != NULL && g_ascii_strcasecmp (muted, "true") == 0)
    flags |= POSTBAG_HTML_IS_MUTE;
  return flags;
}

void
postbag_html_reader_apply_style (PostbagHtmlReader *self, const char *name,
                                 const PostbagHtmlAttributes *attributes)
{
  PostbagHtmlElement *element = postbag_html_reader_get_top (self);
  PostbagCssCascade cascade;
  gboolean gone = element->gone != NULL || element->sight.removed != NULL;
  gboolean sheet = !postbag_css_sheet_is_empty (self->scan->sheet);

  g_array_set_size (self->texts, 0);
  postbag_css_cascade_init (&cascade, self->texts,
                            postbag_css_sheet_get_strings (self->scan->sheet));
  if (sheet && (!gone || self->tree != NULL))
    postbag_html_reader_read_node (self, name, attributes);
  if (gone && self->tree != NULL)
    match (self, &cascade); /* its siblings may ask for it */
  if (!gone)
    {
      add_hints (element->kind, attributes, &cascade);
      if (sheet)
        match (self, &cascade);
      add_style (attributes->value[POSTBAG_HTML_STYLE], &cascade);
      if (self->texts->len > 0)
        element->variables = postbag_css_variables_apply (self->variables, self->texts, &cascade);
      element->tiny =
          element->kind == POSTBAG_HTML_IMAGE
          && (is_pixel (&cascade, POSTBAG_CSS_WIDTH) || is_pixel (&cascade, POSTBAG_CSS_HEIGHT));
      postbag_html_sight_apply (&element->sight, &cascade,
                                collect_flags (name, element->kind, attributes));
    }
  element->unseen =
      element->gone != NULL ? element->gone : postbag_html_sight_judge_text (&element->sight);
}
