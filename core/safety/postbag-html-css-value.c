/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The values of the few properties that decide what is seen. One that is not valid for its property
 * is refused, so that an earlier declaration stands. */

#include <string.h>

#include "safety/postbag-html-css-value-private.h"

/* --- numbers and lengths --- */

/* What percentages and parts of the window count from: an ordinary reading pane. */
#define WINDOW_WIDTH 1000
#define WINDOW_HEIGHT 800

const char *
postbag_css_read_number (const char *text, double *result)
{
  gboolean negative = *text == '-', digits = FALSE;
  double value = 0, place = 1;

  if (*text == '-' || *text == '+')
    text++;
  for (; g_ascii_isdigit (*text); text++, digits = TRUE)
    value = MIN (value * 10 + (*text - '0'), 1e9);
  if (*text == '.' && g_ascii_isdigit (text[1]))
    for (text++; g_ascii_isdigit (*text); text++, digits = TRUE)
      value += (*text - '0') * (place /= 10);
  if (!digits)
    return NULL;
  if (*text == 'e' && (text[1] == '-' || text[1] == '+') && g_ascii_isdigit (text[2]))
    {
      gboolean down = text[1] == '-';
      guint power = 0;

      for (text += 2; g_ascii_isdigit (*text); text++)
        power = MIN (power * 10 + (guint)(*text - '0'), 30);
      while (power-- > 0)
        value = down ? value / 10 : MIN (value * 10, 1e9);
    }
  *result = negative ? -value : value;
  return text;
}

static const struct
{
  const char *name;
  guint8 unit;
  float factor;
} units[] = {
  { "px", POSTBAG_CSS_PIXELS, 1 },
  { "pt", POSTBAG_CSS_PIXELS, 4 / 3.0f },
  { "em", POSTBAG_CSS_EMS, 1 },
  { "rem", POSTBAG_CSS_PIXELS, POSTBAG_CSS_ROOT_FONT },
  { "ex", POSTBAG_CSS_EMS, 0.5f },
  { "ch", POSTBAG_CSS_EMS, 0.5f },
  { "pc", POSTBAG_CSS_PIXELS, 16 },
  { "in", POSTBAG_CSS_PIXELS, 96 },
  { "cm", POSTBAG_CSS_PIXELS, 96 / 2.54f },
  { "mm", POSTBAG_CSS_PIXELS, 9.6f / 2.54f },
  { "vw", POSTBAG_CSS_PIXELS, WINDOW_WIDTH / 100.0f },
  { "vh", POSTBAG_CSS_PIXELS, WINDOW_HEIGHT / 100.0f },
  { "vmin", POSTBAG_CSS_PIXELS, WINDOW_HEIGHT / 100.0f },
  { "vmax", POSTBAG_CSS_PIXELS, WINDOW_WIDTH / 100.0f },
  { "vi", POSTBAG_CSS_PIXELS, WINDOW_WIDTH / 100.0f },
  { "vb", POSTBAG_CSS_PIXELS, WINDOW_HEIGHT / 100.0f },
  { "q", POSTBAG_CSS_PIXELS, 0.96f / 1.016f },
  { "lh", POSTBAG_CSS_EMS, 1.2f },
  { "rlh", POSTBAG_CSS_PIXELS, POSTBAG_CSS_ROOT_FONT * 1.2f },
  { "cap", POSTBAG_CSS_EMS, 0.7f },
  { "ic", POSTBAG_CSS_EMS, 1 },
};

/* `dvh`, `svw`, `lvmin`: of the window, too. */
static const char *
skip_window_size (const char *unit, gsize *length)
{
  if (*length < 3 || strchr ("dsl", unit[0]) == NULL || unit[1] != 'v')
    return unit;
  (*length)--;
  return unit + 1;
}

/* A number without a unit is taken as pixels: mail is mostly shown in quirks mode. */
const char *
postbag_css_read_length (const char *text, PostbagCssDeclaration *result)
{
  double number;
  const char *end = postbag_css_read_number (text, &number), *unit;
  gsize length = 0;

  if (end == NULL)
    return NULL;
  result->number = (float)number;
  result->unit = *end == '%' ? POSTBAG_CSS_PERCENT : POSTBAG_CSS_PIXELS;
  if (*end == '%')
    return end + 1;
  while (g_ascii_isalpha (end[length]))
    length++;
  if (length == 0)
    return end;
  unit = skip_window_size (end, &length);
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (strncmp (unit, units[i].name, length) == 0 && units[i].name[length] == '\0')
      {
        result->number *= units[i].factor;
        result->unit = units[i].unit;
        return unit + length;
      }
  return NULL;
}

void
postbag_css_set_keyword (PostbagCssDeclaration *result, float number)
{
  result->unit = POSTBAG_CSS_KEYWORD;
  result->number = number;
}

static gboolean
has_prefix_of (const char *value, const char *const *prefixes)
{
  for (; *prefixes != NULL; prefixes++)
    if (g_str_has_prefix (value, *prefixes))
      return TRUE;
  return FALSE;
}

/* calc(), var(), min() ...: valid, but not known here. A variable may stand anywhere in a value. */
gboolean
postbag_css_is_unknown_length (const char *value)
{
  static const char *const functions[] = {
    "calc(", "min(", "max(", "clamp(",       "-webkit-calc(", "-moz-calc(", "round(",
    "mod(",  "rem(", "abs(", "fit-content(", "anchor",        NULL
  };

  return has_prefix_of (value, functions) || strstr (value, "var(") != NULL
         || strstr (value, "env(") != NULL;
}

/* A length, or calc() and its like. */
const char *
postbag_css_read_any_length (const char *value, PostbagCssDeclaration *result)
{
  const char *end = postbag_css_read_length (value, result);

  return end != NULL ? end : postbag_css_read_math (value, result);
}

/* --- values, one function a kind --- */

gboolean
postbag_css_read_word (const char *value, const char *const *words, float number,
                       PostbagCssDeclaration *result)
{
  for (; *words != NULL; words++)
    if (strcmp (value, *words) == 0)
      {
        postbag_css_set_keyword (result, number);
        return TRUE;
      }
  return FALSE;
}

static gboolean
read_display (const char *value, PostbagCssDeclaration *result)
{
  static const struct
  {
    const char *word;
    float number;
  } words[] = {
    { "none", 1 },
    { "inline", 2 },
    { "contents", 2 },
    { "ruby", 2 },
    { "run-in", 2 },
    { "inline flow", 2 },
    { "flex", 3 },
    { "inline-flex", 3 },
    { "grid", 3 },
    { "inline-grid", 3 },
    { "-webkit-flex", 3 },
    { "-webkit-inline-flex", 3 },
    { "-webkit-box", 3 },
    { "-webkit-inline-box", 3 },
    { "block flex", 3 },
    { "inline flex", 3 },
    { "block grid", 3 },
    { "inline grid", 3 },
    { "block", 0 },
    { "inline-block", 0 },
    { "list-item", 0 },
    { "flow-root", 0 },
    { "flow", 0 },
    { "block flow", 0 },
    { "block flow-root", 0 },
    { "inline flow-root", 0 },
    { "table", 0 },
    { "inline-table", 0 },
    { "table-row", 0 },
    { "table-cell", 0 },
    { "table-row-group", 0 },
    { "table-header-group", 0 },
    { "table-footer-group", 0 },
    { "table-column", 0 },
    { "table-column-group", 0 },
    { "table-caption", 0 },
    { "math", 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strcmp (value, words[i].word) == 0)
      {
        postbag_css_set_keyword (result, words[i].number);
        return TRUE;
      }
  postbag_css_set_keyword (result, 0);
  return strstr (value, "var(") != NULL;
}

static gboolean
read_visibility (const char *value, PostbagCssDeclaration *result)
{
  static const char *const hidden[] = { "hidden", "collapse", NULL };
  static const char *const shown[] = { "visible", "auto", NULL };

  return postbag_css_read_word (value, hidden, 1, result)
         || postbag_css_read_word (value, shown, 0, result);
}

static gboolean
read_opacity (const char *value, PostbagCssDeclaration *result)
{
  const char *end = postbag_css_read_any_length (value, result);

  if (end == NULL && postbag_css_is_unknown_length (value))
    result->number = 1;
  else if (end == NULL || *end != '\0')
    return FALSE;
  if (result->unit == POSTBAG_CSS_PERCENT)
    result->number /= 100;
  else if (result->unit != POSTBAG_CSS_PIXELS && end != NULL)
    return FALSE;
  result->unit = POSTBAG_CSS_PIXELS;
  result->number = CLAMP (result->number, 0, 1);
  return TRUE;
}

/* `blur(20px)`: more than half the size of ordinary letters leaves nothing to read. */
static gboolean
is_smeared (const char *value)
{
  PostbagCssDeclaration radius = { 0 };

  return g_str_has_prefix (value, "blur(")
         && postbag_css_read_length (value + 5 + strspn (value + 5, " "), &radius) != NULL
         && radius.number * (radius.unit == POSTBAG_CSS_EMS ? POSTBAG_CSS_ROOT_FONT : 1) >= 10;
}

static gboolean
read_filter (const char *value, PostbagCssDeclaration *result)
{
  static const char *const functions[] = { "blur(",      "brightness(", "contrast(", "drop-shadow(",
                                           "grayscale(", "hue-rotate(", "invert(",   "opacity(",
                                           "saturate(",  "sepia(",      "url(",      "alpha(",
                                           NULL };
  double all = 1, number = 1;

  while (strcmp (value, "none") != 0 && *value != '\0')
    {
      const char *end;

      if (!has_prefix_of (value, functions))
        return FALSE;
      end = g_str_has_prefix (value, "opacity(")
                ? postbag_css_read_number (value + 8 + strspn (value + 8, " "), &number)
                : NULL;
      if (end != NULL)
        all *= CLAMP (*end == '%' ? number / 100 : number, 0, 1);
      all *= is_smeared (value) ? 0 : 1;
      value = strchr (value, ')') != NULL ? strchr (value, ')') + 1 : "";
      value += strspn (value, ") ");
    }
  result->unit = POSTBAG_CSS_PIXELS;
  result->number = (float)all;
  return TRUE;
}

gboolean
postbag_css_read_size (const char *value, PostbagCssDeclaration *result)
{
  const char *end = postbag_css_read_any_length (value, result);

  if (end != NULL)
    return *end == '\0';
  postbag_css_set_keyword (result, 0);
  return g_ascii_isalpha (value[0]) || value[0] == '-';
}

gboolean
postbag_css_read_font_size (const char *value, PostbagCssDeclaration *result)
{
  static const struct
  {
    const char *name;
    guint8 unit;
    float number;
  } words[] = {
    { "medium", POSTBAG_CSS_PIXELS, 16 },    { "small", POSTBAG_CSS_PIXELS, 13 },
    { "x-small", POSTBAG_CSS_PIXELS, 10 },   { "xx-small", POSTBAG_CSS_PIXELS, 9 },
    { "large", POSTBAG_CSS_PIXELS, 18 },     { "x-large", POSTBAG_CSS_PIXELS, 24 },
    { "xx-large", POSTBAG_CSS_PIXELS, 32 },  { "smaller", POSTBAG_CSS_EMS, 0.83f },
    { "xxx-large", POSTBAG_CSS_PIXELS, 48 }, { "larger", POSTBAG_CSS_EMS, 1.2f },
  };
  const char *end = postbag_css_read_any_length (value, result);

  if (end != NULL && result->unit == POSTBAG_CSS_MIXED)
    return *end == '\0';
  if (end != NULL && g_ascii_isalpha (value[0]))
    result->number = MAX (result->number, 0); /* a sum below nothing is nothing */
  if (end != NULL)
    return *end == '\0' && result->number >= 0;
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strcmp (value, words[i].name) == 0)
      {
        result->unit = words[i].unit;
        result->number = words[i].number;
        return TRUE;
      }
  result->unit = POSTBAG_CSS_PIXELS;
  result->number = POSTBAG_CSS_ROOT_FONT;
  return postbag_css_is_unknown_length (value);
}

/* Of two words, one for each direction, the one that cuts off counts. */
static gboolean
read_overflow (const char *value, PostbagCssDeclaration *result)
{
  static const char *const cutting[] = { "hidden", "clip", NULL };
  static const char *const scrolling[] = { "auto", "scroll", "overlay", NULL };
  static const char *const visible[] = { "visible", NULL };
  g_auto (GStrv) words = g_strsplit (value, " ", 3);
  guint count = g_strv_length (words);
  float most = 0;

  for (guint i = 0; i < count; i++)
    {
      if (!postbag_css_read_word (words[i], cutting, 1, result)
          && !postbag_css_read_word (words[i], scrolling, 2, result)
          && !postbag_css_read_word (words[i], visible, 0, result))
        return FALSE;
      most = most == 1 || result->number == 0 ? most : result->number;
    }
  postbag_css_set_keyword (result, most);
  return count == 1 || count == 2;
}

static gboolean
read_float (const char *value, PostbagCssDeclaration *result)
{
  static const char *const sides[] = { "left", "right", "inline-start", "inline-end", NULL };
  static const char *const none[] = { "none", NULL };

  return postbag_css_read_word (value, sides, 1, result)
         || postbag_css_read_word (value, none, 0, result);
}

/* Of the two directions one that cuts off makes the other one cut off, too (CSS Overflow 3, section
 * 3.1). */
static gboolean
read_overflow_side (const char *value, PostbagCssDeclaration *result)
{
  if (!read_overflow (value, result) || strchr (value, ' ') != NULL)
    return FALSE;
  if (result->number == 0)
    result->property = POSTBAG_CSS_N_PROPERTIES; /* says nothing that counts */
  return TRUE;
}

static gboolean
read_position (const char *value, PostbagCssDeclaration *result)
{
  static const char *const off[] = { "absolute", "fixed", NULL };
  static const char *const moved[] = { "relative", "sticky", "-webkit-sticky", NULL };
  static const char *const none[] = { "static", NULL };

  return postbag_css_read_word (value, off, 1, result)
         || postbag_css_read_word (value, moved, 2, result)
         || postbag_css_read_word (value, none, 0, result);
}

gboolean
postbag_css_read_text_color (const char *value, PostbagCssDeclaration *result)
{
  static const char *const functions[] = {
    "var(",   "env(",   "attr(", "color-mix(",   "light-dark(",     "lab(", "lch(", "oklab(",
    "oklch(", "color(", "hwb(",  "device-cmyk(", "contrast-color(", NULL
  };
  static const char *const system[] = { "windowtext",    "buttontext", "buttonface",  "linktext",
                                        "visitedtext",   "activetext", "highlight",   "fieldtext",
                                        "highlighttext", "graytext",   "accentcolor", "field",
                                        "mark",          "marktext",   NULL };

  result->unit = POSTBAG_CSS_PIXELS;
  if (postbag_css_read_color (value, &result->rgba))
    return TRUE;
  if (strcmp (value, "currentcolor") == 0)
    result->unit = POSTBAG_CSS_INHERIT;
  else if (has_prefix_of (value, functions) || strstr (value, "var(") != NULL
           || strstr (value, "calc(") != NULL || strstr (value, "from ") != NULL
           || g_strv_contains (system, value))
    result->unknown = TRUE;
  else
    return FALSE;
  return TRUE;
}

gboolean
postbag_css_is_image (const char *value)
{
  static const char *const functions[] = { "url(",
                                           "src(",
                                           "linear-gradient(",
                                           "radial-gradient(",
                                           "conic-gradient(",
                                           "repeating-",
                                           "image(",
                                           "image-set(",
                                           "cross-fade(",
                                           "element(",
                                           "paint(",
                                           "var(",
                                           "-webkit-",
                                           "-moz-",
                                           "-o-",
                                           "-ms-",
                                           NULL };

  return has_prefix_of (value, functions) && strchr (value, '(') != NULL;
}

static gboolean
read_image (const char *value, PostbagCssDeclaration *result)
{
  postbag_css_set_keyword (result, strcmp (value, "none") != 0);
  if (postbag_css_read_flat_image (value, &result->rgba))
    result->number = 2;
  return result->number == 0 || postbag_css_is_image (value);
}

static gboolean
read_background_clip (const char *value, PostbagCssDeclaration *result)
{
  postbag_css_set_keyword (result, strstr (value, "text") != NULL);
  return TRUE;
}

static gboolean
read_mso_hide (const char *value, PostbagCssDeclaration *result)
{
  postbag_css_set_keyword (result, strcmp (value, "all") == 0);
  return TRUE;
}

/* Of a background: what is smaller than its box, or stands in one place, fills nothing. */
static gboolean
read_image_size (const char *value, PostbagCssDeclaration *result)
{
  static const char *const full[] = { "auto", "cover", "100% 100%", "repeat", NULL };

  if (!postbag_css_read_word (value, full, 0, result))
    postbag_css_set_keyword (result, 1);
  return TRUE;
}

/* `flex: 1`, `flex: auto`, `flex-grow: 1` */
static gboolean
read_grow (const char *value, PostbagCssDeclaration *result)
{
  double number = strcmp (value, "auto") == 0 ? 1 : 0;

  postbag_css_read_number (value, &number);
  postbag_css_set_keyword (result, number > 0 ? 1 : 0);
  return TRUE;
}

/* Any word but `none` puts a sign in place of each letter. */
static gboolean
read_security (const char *value, PostbagCssDeclaration *result)
{
  static const char *const signs[] = { "disc", "circle", "square", NULL };
  static const char *const none[] = { "none", NULL };

  return postbag_css_read_word (value, signs, 1, result)
         || postbag_css_read_word (value, none, 0, result);
}

static const PostbagCssReader properties[] = {
  { "-moz-transform", POSTBAG_CSS_TRANSFORM, postbag_css_read_transform },
  { "-webkit-background-clip", POSTBAG_CSS_BACKGROUND_CLIP, read_background_clip },
  { "-webkit-clip-path", POSTBAG_CSS_CLIP_PATH, postbag_css_read_clip_path },
  { "-webkit-filter", POSTBAG_CSS_FILTER, read_filter },
  { "-webkit-mask", POSTBAG_CSS_MASK, postbag_css_read_mask },
  { "-webkit-mask-image", POSTBAG_CSS_MASK, postbag_css_read_mask },
  { "-webkit-text-fill-color", POSTBAG_CSS_TEXT_FILL, postbag_css_read_text_color },
  { "-webkit-text-security", POSTBAG_CSS_SECURITY, read_security },
  { "-webkit-transform", POSTBAG_CSS_TRANSFORM, postbag_css_read_transform },
  { "background-clip", POSTBAG_CSS_BACKGROUND_CLIP, read_background_clip },
  { "background-color", POSTBAG_CSS_BACKGROUND, postbag_css_read_text_color },
  { "background-image", POSTBAG_CSS_IMAGE, read_image },
  { "background-position", POSTBAG_CSS_IMAGE_SIZE, read_image_size },
  { "background-repeat", POSTBAG_CSS_IMAGE_SIZE, read_image_size },
  { "background-size", POSTBAG_CSS_IMAGE_SIZE, read_image_size },
  { "block-size", POSTBAG_CSS_HEIGHT, postbag_css_read_size },
  { "bottom", POSTBAG_CSS_BOTTOM, postbag_css_read_size },
  { "clip", POSTBAG_CSS_CLIP, postbag_css_read_clip },
  { "clip-path", POSTBAG_CSS_CLIP_PATH, postbag_css_read_clip_path },
  { "color", POSTBAG_CSS_COLOR, postbag_css_read_text_color },
  { "content-visibility", POSTBAG_CSS_CONTENT, read_visibility },
  { "display", POSTBAG_CSS_DISPLAY, read_display },
  { "filter", POSTBAG_CSS_FILTER, read_filter },
  { "flex", POSTBAG_CSS_GROW, read_grow },
  { "flex-grow", POSTBAG_CSS_GROW, read_grow },
  { "float", POSTBAG_CSS_FLOAT, read_float },
  { "font-size", POSTBAG_CSS_FONT_SIZE, postbag_css_read_font_size },
  { "height", POSTBAG_CSS_HEIGHT, postbag_css_read_size },
  { "inline-size", POSTBAG_CSS_WIDTH, postbag_css_read_size },
  { "inset-block-end", POSTBAG_CSS_BOTTOM, postbag_css_read_size },
  { "inset-block-start", POSTBAG_CSS_TOP, postbag_css_read_size },
  { "inset-inline-end", POSTBAG_CSS_RIGHT, postbag_css_read_size },
  { "inset-inline-start", POSTBAG_CSS_LEFT, postbag_css_read_size },
  { "left", POSTBAG_CSS_LEFT, postbag_css_read_size },
  { "letter-spacing", POSTBAG_CSS_SPACING, postbag_css_read_size },
  { "line-height", POSTBAG_CSS_LINE_HEIGHT, postbag_css_read_size },
  { "margin-block-start", POSTBAG_CSS_MARGIN_TOP, postbag_css_read_size },
  { "margin-inline-start", POSTBAG_CSS_MARGIN_LEFT, postbag_css_read_size },
  { "margin-left", POSTBAG_CSS_MARGIN_LEFT, postbag_css_read_size },
  { "margin-top", POSTBAG_CSS_MARGIN_TOP, postbag_css_read_size },
  { "mask", POSTBAG_CSS_MASK, postbag_css_read_mask },
  { "mask-image", POSTBAG_CSS_MASK, postbag_css_read_mask },
  { "max-block-size", POSTBAG_CSS_MAX_HEIGHT, postbag_css_read_size },
  { "max-height", POSTBAG_CSS_MAX_HEIGHT, postbag_css_read_size },
  { "max-inline-size", POSTBAG_CSS_MAX_WIDTH, postbag_css_read_size },
  { "max-width", POSTBAG_CSS_MAX_WIDTH, postbag_css_read_size },
  { "mso-hide", POSTBAG_CSS_MSO_HIDE, read_mso_hide },
  { "opacity", POSTBAG_CSS_OPACITY, read_opacity },
  { "overflow", POSTBAG_CSS_OVERFLOW, read_overflow },
  { "overflow-block", POSTBAG_CSS_OVERFLOW, read_overflow_side },
  { "overflow-inline", POSTBAG_CSS_OVERFLOW, read_overflow_side },
  { "overflow-x", POSTBAG_CSS_OVERFLOW, read_overflow_side },
  { "overflow-y", POSTBAG_CSS_OVERFLOW, read_overflow_side },
  { "padding-block-end", POSTBAG_CSS_PADDING_BOTTOM, postbag_css_read_size },
  { "padding-block-start", POSTBAG_CSS_PADDING_TOP, postbag_css_read_size },
  { "padding-bottom", POSTBAG_CSS_PADDING_BOTTOM, postbag_css_read_size },
  { "padding-inline-end", POSTBAG_CSS_PADDING_RIGHT, postbag_css_read_size },
  { "padding-inline-start", POSTBAG_CSS_PADDING_LEFT, postbag_css_read_size },
  { "padding-left", POSTBAG_CSS_PADDING_LEFT, postbag_css_read_size },
  { "padding-right", POSTBAG_CSS_PADDING_RIGHT, postbag_css_read_size },
  { "padding-top", POSTBAG_CSS_PADDING_TOP, postbag_css_read_size },
  { "position", POSTBAG_CSS_POSITION, read_position },
  { "right", POSTBAG_CSS_RIGHT, postbag_css_read_size },
  { "rotate", POSTBAG_CSS_ROTATE, postbag_css_read_rotate },
  { "scale", POSTBAG_CSS_SCALE, postbag_css_read_scale },
  { "text-indent", POSTBAG_CSS_TEXT_INDENT, postbag_css_read_size },
  { "top", POSTBAG_CSS_TOP, postbag_css_read_size },
  { "transform", POSTBAG_CSS_TRANSFORM, postbag_css_read_transform },
  { "translate", POSTBAG_CSS_TRANSLATE, postbag_css_read_translate },
  { "visibility", POSTBAG_CSS_VISIBILITY, read_visibility },
  { "width", POSTBAG_CSS_WIDTH, postbag_css_read_size },
  { "zoom", POSTBAG_CSS_ZOOM, postbag_css_read_zoom },
};

/* properties[] is sorted. */
const PostbagCssReader *
postbag_css_find_reader (const char *name)
{
  gsize low = 0, high = G_N_ELEMENTS (properties);

  while (low < high)
    {
      gsize middle = (low + high) / 2;
      int order = strcmp (name, properties[middle].name);

      if (order == 0)
        return &properties[middle];
      if (order < 0)
        high = middle;
      else
        low = middle + 1;
    }
  return NULL;
}
