/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Declarations: `name: value` (CSS Syntax 3), for the few properties that decide what is seen. A
 * value that is not valid for its property is no declaration at all, so that an earlier one
 * stands. */

#include <string.h>

#include "safety/postbag-html-css-private.h"

/* --- numbers and lengths --- */

/* What percentages and parts of the window count from: an ordinary reading pane. */
#define WINDOW_WIDTH 1000
#define WINDOW_HEIGHT 800
#define ROOT_FONT 16

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
  { "rem", POSTBAG_CSS_PIXELS, ROOT_FONT },
  { "ex", POSTBAG_CSS_EMS, 0.5f },
  { "ch", POSTBAG_CSS_EMS, 0.5f },
  { "pc", POSTBAG_CSS_PIXELS, 16 },
  { "in", POSTBAG_CSS_PIXELS, 96 },
  { "cm", POSTBAG_CSS_PIXELS, 96 / 2.54f },
  { "mm", POSTBAG_CSS_PIXELS, 9.6f / 2.54f },
  { "vw", POSTBAG_CSS_PIXELS, WINDOW_WIDTH / 100.0f },
  { "vh", POSTBAG_CSS_PIXELS, WINDOW_HEIGHT / 100.0f },
};

/* A number without a unit is taken as pixels: mail is mostly shown in quirks mode. */
const char *
postbag_css_read_length (const char *text, PostbagCssDeclaration *result)
{
  double number;
  const char *end = postbag_css_read_number (text, &number);
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
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if (strncmp (end, units[i].name, length) == 0 && units[i].name[length] == '\0')
      {
        result->number *= units[i].factor;
        result->unit = units[i].unit;
        return end + length;
      }
  return NULL;
}

static void
set_keyword (PostbagCssDeclaration *result, float number)
{
  result->unit = POSTBAG_CSS_KEYWORD;
  result->number = number;
}

/* calc(), var(), min() ...: valid, but not known here */
static gboolean
is_function (const char *value)
{
  return strchr (value, '(') != NULL && g_ascii_isalpha (value[value[0] == '-' ? 1 : 0]);
}

/* --- values, one function a kind --- */

static gboolean
read_word (const char *value, const char *const *words, float number, PostbagCssDeclaration *result)
{
  for (; *words != NULL; words++)
    if (strcmp (value, *words) == 0)
      {
        set_keyword (result, number);
        return TRUE;
      }
  return FALSE;
}

static gboolean
read_display (const char *value, PostbagCssDeclaration *result)
{
  static const char *const shown[] = { "block",     "inline",   "flex",  "grid", "table",
                                       "list-item", "contents", "flow",  "run-", "ruby",
                                       "math",      "-webkit-", "-moz-", "-ms-" };

  set_keyword (result, strcmp (value, "none") == 0);
  if (result->number > 0)
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (shown); i++)
    if (g_str_has_prefix (value, shown[i]))
      return TRUE;
  return FALSE;
}

static gboolean
read_visibility (const char *value, PostbagCssDeclaration *result)
{
  static const char *const hidden[] = { "hidden", "collapse", NULL };
  static const char *const shown[] = { "visible", "auto", NULL };

  return read_word (value, hidden, 1, result) || read_word (value, shown, 0, result);
}

static gboolean
read_opacity (const char *value, PostbagCssDeclaration *result)
{
  double number;
  const char *end = postbag_css_read_number (value, &number);

  if (end == NULL || (*end != '\0' && strcmp (end, "%") != 0))
    return FALSE;
  result->unit = POSTBAG_CSS_PIXELS;
  result->number = (float)CLAMP (*end == '%' ? number / 100 : number, 0, 1);
  return TRUE;
}

static gboolean
read_filter (const char *value, PostbagCssDeclaration *result)
{
  const char *opacity = strstr (value, "opacity(");
  double number = 1;
  const char *end = opacity != NULL ? postbag_css_read_number (opacity + 8, &number) : NULL;

  if (end != NULL && *end == '%')
    number /= 100;
  result->unit = POSTBAG_CSS_PIXELS;
  result->number = (float)CLAMP (number, 0, 1);
  return TRUE;
}

static gboolean
read_size (const char *value, PostbagCssDeclaration *result)
{
  const char *end = postbag_css_read_length (value, result);

  if (end != NULL)
    return *end == '\0';
  set_keyword (result, 0);
  return g_ascii_isalpha (value[0]) || value[0] == '-';
}

static gboolean
read_font_size (const char *value, PostbagCssDeclaration *result)
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
  const char *end = postbag_css_read_length (value, result);

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
  result->number = ROOT_FONT;
  return is_function (value);
}

static gboolean
read_overflow (const char *value, PostbagCssDeclaration *result)
{
  set_keyword (result, strstr (value, "hidden") != NULL || strstr (value, "clip") != NULL
                           || strstr (value, "auto") != NULL || strstr (value, "scroll") != NULL);
  return result->number > 0 || g_str_has_prefix (value, "visible");
}

static gboolean
read_position (const char *value, PostbagCssDeclaration *result)
{
  static const char *const off[] = { "absolute", "fixed", NULL };
  static const char *const moved[] = { "relative", "sticky", "-webkit-sticky", NULL };
  static const char *const none[] = { "static", NULL };

  return read_word (value, off, 1, result) || read_word (value, moved, 2, result)
         || read_word (value, none, 0, result);
}

static gboolean
read_text_color (const char *value, PostbagCssDeclaration *result)
{
  result->unit = POSTBAG_CSS_PIXELS;
  if (postbag_css_read_color (value, &result->rgba))
    return TRUE;
  if (strcmp (value, "currentcolor") == 0)
    result->unit = POSTBAG_CSS_INHERIT;
  else if (is_function (value) || g_str_equal (value, "windowtext"))
    result->unknown = TRUE;
  else
    return FALSE;
  return TRUE;
}

static gboolean
read_image (const char *value, PostbagCssDeclaration *result)
{
  set_keyword (result, strcmp (value, "none") != 0);
  return result->number == 0 || is_function (value);
}

static gboolean
read_mso_hide (const char *value, PostbagCssDeclaration *result)
{
  set_keyword (result, strcmp (value, "all") == 0);
  return TRUE;
}

typedef gboolean (*ReadValue) (const char *value, PostbagCssDeclaration *result);

static const struct
{
  const char *name;
  guint8 property;
  ReadValue read;
} properties[] = {
  { "-webkit-clip-path", POSTBAG_CSS_CLIP_PATH, postbag_css_read_clip_path },
  { "-webkit-text-fill-color", POSTBAG_CSS_TEXT_FILL, read_text_color },
  { "-webkit-transform", POSTBAG_CSS_TRANSFORM, postbag_css_read_transform },
  { "background-color", POSTBAG_CSS_BACKGROUND, read_text_color },
  { "background-image", POSTBAG_CSS_IMAGE, read_image },
  { "bottom", POSTBAG_CSS_BOTTOM, read_size },
  { "clip", POSTBAG_CSS_CLIP, postbag_css_read_clip },
  { "clip-path", POSTBAG_CSS_CLIP_PATH, postbag_css_read_clip_path },
  { "color", POSTBAG_CSS_COLOR, read_text_color },
  { "content-visibility", POSTBAG_CSS_CONTENT, read_visibility },
  { "display", POSTBAG_CSS_DISPLAY, read_display },
  { "filter", POSTBAG_CSS_FILTER, read_filter },
  { "font-size", POSTBAG_CSS_FONT_SIZE, read_font_size },
  { "height", POSTBAG_CSS_HEIGHT, read_size },
  { "left", POSTBAG_CSS_LEFT, read_size },
  { "line-height", POSTBAG_CSS_LINE_HEIGHT, read_size },
  { "margin-left", POSTBAG_CSS_MARGIN_LEFT, read_size },
  { "margin-top", POSTBAG_CSS_MARGIN_TOP, read_size },
  { "max-height", POSTBAG_CSS_MAX_HEIGHT, read_size },
  { "max-width", POSTBAG_CSS_MAX_WIDTH, read_size },
  { "mso-hide", POSTBAG_CSS_MSO_HIDE, read_mso_hide },
  { "opacity", POSTBAG_CSS_OPACITY, read_opacity },
  { "overflow", POSTBAG_CSS_OVERFLOW, read_overflow },
  { "overflow-x", POSTBAG_CSS_OVERFLOW, read_overflow },
  { "overflow-y", POSTBAG_CSS_OVERFLOW, read_overflow },
  { "position", POSTBAG_CSS_POSITION, read_position },
  { "right", POSTBAG_CSS_RIGHT, read_size },
  { "text-indent", POSTBAG_CSS_TEXT_INDENT, read_size },
  { "top", POSTBAG_CSS_TOP, read_size },
  { "transform", POSTBAG_CSS_TRANSFORM, postbag_css_read_transform },
  { "visibility", POSTBAG_CSS_VISIBILITY, read_visibility },
  { "width", POSTBAG_CSS_WIDTH, read_size },
};

/* properties[] is sorted. */
static gssize
find_property (const char *name)
{
  gsize low = 0, high = G_N_ELEMENTS (properties);

  while (low < high)
    {
      gsize middle = (low + high) / 2;
      int order = strcmp (name, properties[middle].name);

      if (order == 0)
        return (gssize)middle;
      if (order < 0)
        high = middle;
      else
        low = middle + 1;
    }
  return -1;
}

/* --- the cascade --- */

#define PRIORITY_IMPORTANT (G_GUINT64_CONSTANT (1) << 61)

void
postbag_css_cascade_add (PostbagCssCascade *self, const PostbagCssDeclaration *declaration,
                         guint64 priority)
{
  guint i = declaration->property;
  guint32 bit = 1u << i;

  if (declaration->important)
    priority |= PRIORITY_IMPORTANT;
  if ((self->set & bit) != 0 && self->priority[i] > priority)
    return;
  self->set |= bit;
  self->priority[i] = priority;
  self->value[i] = *declaration;
}

const PostbagCssDeclaration *
postbag_css_cascade_get (const PostbagCssCascade *self, PostbagCssProperty property)
{
  if ((self->set & (1u << property)) == 0 || self->value[property].unit == POSTBAG_CSS_INHERIT)
    return NULL;
  return &self->value[property];
}

/* --- shorthands --- */

static void
add (PostbagCssCascade *cascade, PostbagCssProperty property, PostbagCssDeclaration value,
     guint64 priority)
{
  value.property = (guint8)property;
  postbag_css_cascade_add (cascade, &value, priority);
}

/* The next word of @text (changed), brackets kept together; @text moves on. */
static char *
next_word (char **text)
{
  char *start = *text, *p;
  guint depth = 0;

  while (*start == ' ')
    start++;
  if (*start == '\0')
    return NULL;
  for (p = start; *p != '\0' && (depth > 0 || *p != ' '); p++)
    depth += *p == '(' ? 1u : *p == ')' && depth > 0 ? -1u : 0u;
  *text = *p != '\0' ? p + 1 : p;
  *p = '\0';
  return start;
}

/* `[style] size[/line-height] family`: a bare number other than zero is a weight */
static void
read_font (char *value, PostbagCssDeclaration base, guint64 priority, PostbagCssCascade *cascade)
{
  char *word;

  while ((word = next_word (&value)) != NULL)
    {
      PostbagCssDeclaration size = base, line = base;
      char *slash = strchr (word, '/');

      if (slash != NULL)
        *slash = '\0';
      if (g_ascii_isdigit (word[strlen (word) - (word[0] != '\0' ? 1 : 0)])
          && strspn (word, "0.+-") != strlen (word))
        continue;
      if (!read_font_size (word, &size))
        continue;
      add (cascade, POSTBAG_CSS_FONT_SIZE, size, priority);
      if (slash == NULL || !read_size (slash + 1, &line))
        set_keyword (&line, 0);
      add (cascade, POSTBAG_CSS_LINE_HEIGHT, line, priority);
      return;
    }
}

/* A color, an image, both or neither. */
static void
read_background (char *value, PostbagCssDeclaration base, guint64 priority,
                 PostbagCssCascade *cascade)
{
  PostbagCssDeclaration color = base, image = base;
  char *word;

  color.unit = POSTBAG_CSS_PIXELS;
  set_keyword (&image, 0);
  while ((word = next_word (&value)) != NULL)
    {
      PostbagCssDeclaration read = base;

      if (read_text_color (word, &read) && !read.unknown)
        color = read;
      else if (is_function (word))
        set_keyword (&image, 1);
    }
  add (cascade, POSTBAG_CSS_BACKGROUND, color, priority);
  add (cascade, POSTBAG_CSS_IMAGE, image, priority);
}

/* top [right [bottom [left]]] */
static void
read_margin (char *value, PostbagCssDeclaration base, guint64 priority, PostbagCssCascade *cascade)
{
  PostbagCssDeclaration side[4];
  guint count = 0;
  char *word;

  while (count < 4 && (word = next_word (&value)) != NULL)
    {
      side[count] = base;
      if (!read_size (word, &side[count++]))
        return;
    }
  if (count == 0)
    return;
  add (cascade, POSTBAG_CSS_MARGIN_TOP, side[0], priority);
  add (cascade, POSTBAG_CSS_MARGIN_LEFT, side[count == 4 ? 3 : count > 1 ? 1 : 0], priority);
}

/* --- a block --- */

/* inherit, initial ...: what they leave of @property */
static gboolean
read_global (const char *value, PostbagCssDeclaration *result)
{
  static const char *const words[] = { "inherit", "unset", "revert", "revert-layer", NULL };
  gboolean initial = strcmp (value, "initial") == 0;

  if (!initial && !read_word (value, words, 0, result))
    return FALSE;
  switch (result->property)
    {
    case POSTBAG_CSS_COLOR:
    case POSTBAG_CSS_VISIBILITY:
    case POSTBAG_CSS_FONT_SIZE:
    case POSTBAG_CSS_LINE_HEIGHT:
    case POSTBAG_CSS_TEXT_INDENT:
      set_keyword (result, result->property == POSTBAG_CSS_FONT_SIZE ? ROOT_FONT : 0);
      result->rgba = 0xff;
      if (!initial)
        result->unit = POSTBAG_CSS_INHERIT;
      break;
    default:
      result->unit = POSTBAG_CSS_INHERIT; /* nothing said */
      break;
    }
  return TRUE;
}

/* Cuts `!important` off @value. FALSE: something else stands behind the `!`. */
static gboolean
take_important (char *value, gboolean *important)
{
  char *mark = strrchr (value, '!');

  *important = mark != NULL;
  if (mark == NULL)
    return TRUE;
  *mark++ = '\0';
  g_strchomp (value);
  return strcmp (g_strstrip (mark), "important") == 0 && strchr (value, '!') == NULL;
}

static void
lower (char *text)
{
  for (; *text != '\0'; text++)
    *text = g_ascii_tolower (*text);
}

static void
read_declaration (char *name, char *value, guint64 priority, PostbagCssCascade *cascade)
{
  PostbagCssDeclaration result = { 0 };
  gboolean important;
  gssize index;

  lower (name);
  index = find_property (name);
  if (index < 0 && strcmp (name, "font") != 0 && strcmp (name, "background") != 0
      && strcmp (name, "margin") != 0)
    return;
  lower (value);
  if (!take_important (value, &important))
    return;
  result.important = important ? 1 : 0;
  if (index < 0)
    {
      if (name[0] == 'f')
        read_font (value, result, priority, cascade);
      else if (name[0] == 'b')
        read_background (value, result, priority, cascade);
      else
        read_margin (value, result, priority, cascade);
      return;
    }
  result.property = properties[index].property;
  if (read_global (value, &result) || properties[index].read (value, &result))
    postbag_css_cascade_add (cascade, &result, priority);
}

PostbagCssVerdict
postbag_css_judge_declaration (char *name, char *value)
{
  PostbagCssCascade cascade;

  cascade.set = 0;
  read_declaration (name, value, 0, &cascade);
  return cascade.set != 0 ? POSTBAG_CSS_HOLDS : POSTBAG_CSS_DOUBTFUL;
}

/* @text without blanks around it, in place and without moving it. */
static char *
trim (char *text, char *end)
{
  while (text < end && *text == ' ')
    text++;
  while (end > text && end[-1] == ' ')
    end--;
  *end = '\0';
  return text;
}

void
postbag_css_read_block (char *block, guint64 priority, PostbagCssCascade *cascade)
{
  while (*block != '\0')
    {
      char *end = block + strcspn (block, ";");
      char *colon = memchr (block, ':', (gsize)(end - block));
      char *next = *end != '\0' ? end + 1 : end;

      if (colon != NULL)
        {
          char *value = trim (colon + 1, end);

          read_declaration (trim (block, colon), value, priority, cascade);
        }
      block = next;
    }
}
