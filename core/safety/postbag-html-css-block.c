/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Declarations: `name: value` (CSS Syntax 3), shorthands among them, and which of several wins. A
 * value that is not valid for its property is no declaration at all. */

#include <string.h>

#include "safety/postbag-html-css-value-private.h"

/* --- the cascade --- */

#define PRIORITY_IMPORTANT (G_GUINT64_CONSTANT (1) << 61)

void
postbag_css_cascade_init (PostbagCssCascade *self, GArray *texts, GStringChunk *strings)
{
  self->texts = texts;
  self->strings = strings;
  self->content = FALSE;
  self->set = 0;
}

void
postbag_css_cascade_add (PostbagCssCascade *self, const PostbagCssDeclaration *declaration,
                         guint64 priority)
{
  guint i = declaration->property;
  guint64 bit = G_GUINT64_CONSTANT (1) << i;

  if (i >= POSTBAG_CSS_N_PROPERTIES)
    return;
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
  if ((self->set & (G_GUINT64_CONSTANT (1) << property)) == 0
      || self->value[property].unit == POSTBAG_CSS_INHERIT)
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
      if (!postbag_css_read_font_size (word, &size))
        continue;
      add (cascade, POSTBAG_CSS_FONT_SIZE, size, priority);
      if (slash == NULL || !postbag_css_read_size (slash + 1, &line))
        postbag_css_set_keyword (&line, 0);
      add (cascade, POSTBAG_CSS_LINE_HEIGHT, line, priority);
      return;
    }
}

/* A shadow or an outline of letters: its color, KEYWORD where it is not to be seen beside them. Of
 * several at once one is taken to be seen. */
static void
read_shadow (char *value, PostbagCssDeclaration base, guint64 priority, PostbagCssCascade *cascade)
{
  PostbagCssDeclaration shadow = base;
  gboolean moved = FALSE;
  guint colors = 0;
  char *word;

  postbag_css_set_keyword (&shadow, 0);
  while ((word = next_word (&value)) != NULL)
    {
      PostbagCssDeclaration read = base;
      gsize length = strlen (word);

      if (length > 0 && word[length - 1] == ',')
        word[length - 1] = '\0';
      if (postbag_css_read_text_color (word, &read) && read.unit == POSTBAG_CSS_PIXELS)
        {
          shadow = read;
          colors++;
        }
      else if (postbag_css_read_any_length (word, &read) != NULL)
        moved |= read.number < 0 || read.number > 0;
    }
  shadow.unknown |= colors > 1;
  if (!moved)
    postbag_css_set_keyword (&shadow, 0);
  add (cascade, POSTBAG_CSS_SHADOW, shadow, priority);
}

/* A color, an image, both or neither. */
static void
read_background (char *value, PostbagCssDeclaration base, guint64 priority,
                 PostbagCssCascade *cascade)
{
  PostbagCssDeclaration color = base, image = base;
  gboolean partly = strchr (value, '/') != NULL || strstr (value, "repeat") != NULL;
  char *word;

  color.unit = POSTBAG_CSS_PIXELS;
  postbag_css_set_keyword (&image, 0);
  while ((word = next_word (&value)) != NULL)
    {
      PostbagCssDeclaration read = base;

      if (postbag_css_read_text_color (word, &read) && !read.unknown)
        color = read;
      else if (postbag_css_is_image (word))
        postbag_css_set_keyword (&image, image.number == 0 && !partly
                                                 && postbag_css_read_flat_image (word, &image.rgba)
                                             ? 2
                                             : 1);
      else if (strchr (word, '(') != NULL && !postbag_css_is_unknown_length (word) && !read.unknown)
        return; /* nothing that browsers know */
    }
  add (cascade, POSTBAG_CSS_BACKGROUND, color, priority);
  add (cascade, POSTBAG_CSS_IMAGE, image, priority);
}

/* Up to four lengths: how many, 0 when one is none. */
static guint
read_sides (char *value, const PostbagCssDeclaration *base, PostbagCssDeclaration *side)
{
  guint count = 0;
  char *word;

  while (count < 4 && (word = next_word (&value)) != NULL)
    {
      side[count] = *base;
      if (!postbag_css_read_size (word, &side[count++]))
        return 0;
    }
  return count;
}

/* top [right [bottom [left]]] */
static void
read_margin (char *value, PostbagCssDeclaration base, guint64 priority, PostbagCssCascade *cascade)
{
  PostbagCssDeclaration side[4];
  guint count = read_sides (value, &base, side);

  if (count == 0)
    return;
  add (cascade, POSTBAG_CSS_MARGIN_TOP, side[0], priority);
  add (cascade, POSTBAG_CSS_MARGIN_LEFT, side[count == 4 ? 3 : count > 1 ? 1 : 0], priority);
}

static void
read_inset (char *value, PostbagCssDeclaration base, guint64 priority, PostbagCssCascade *cascade)
{
  PostbagCssDeclaration side[4];
  guint count = read_sides (value, &base, side);

  if (count == 0)
    return;
  add (cascade, POSTBAG_CSS_TOP, side[0], priority);
  add (cascade, POSTBAG_CSS_RIGHT, side[count > 1 ? 1 : 0], priority);
  add (cascade, POSTBAG_CSS_BOTTOM, side[count > 2 ? 2 : 0], priority);
  add (cascade, POSTBAG_CSS_LEFT, side[count == 4 ? 3 : count > 1 ? 1 : 0], priority);
}

static void
read_padding (char *value, PostbagCssDeclaration base, guint64 priority, PostbagCssCascade *cascade)
{
  PostbagCssDeclaration side[4];
  guint count = read_sides (value, &base, side);

  if (count == 0)
    return;
  add (cascade, POSTBAG_CSS_PADDING_TOP, side[0], priority);
  add (cascade, POSTBAG_CSS_PADDING_RIGHT, side[count > 1 ? 1 : 0], priority);
  add (cascade, POSTBAG_CSS_PADDING_BOTTOM, side[count > 2 ? 2 : 0], priority);
  add (cascade, POSTBAG_CSS_PADDING_LEFT, side[count == 4 ? 3 : count > 1 ? 1 : 0], priority);
}

/* start [end], of one direction */
static void
read_pair (char *value, const PostbagCssDeclaration *base, PostbagCssProperty start,
           PostbagCssProperty end, guint64 priority, PostbagCssCascade *cascade)
{
  PostbagCssDeclaration side[4];
  guint count = read_sides (value, base, side);

  if (count == 0 || count > 2)
    return;
  add (cascade, start, side[0], priority);
  if (end != POSTBAG_CSS_N_PROPERTIES)
    add (cascade, end, side[count - 1], priority);
}

static void
read_inset_block (char *value, PostbagCssDeclaration base, guint64 priority,
                  PostbagCssCascade *cascade)
{
  read_pair (value, &base, POSTBAG_CSS_TOP, POSTBAG_CSS_BOTTOM, priority, cascade);
}

static void
read_inset_inline (char *value, PostbagCssDeclaration base, guint64 priority,
                   PostbagCssCascade *cascade)
{
  read_pair (value, &base, POSTBAG_CSS_LEFT, POSTBAG_CSS_RIGHT, priority, cascade);
}

static void
read_margin_block (char *value, PostbagCssDeclaration base, guint64 priority,
                   PostbagCssCascade *cascade)
{
  read_pair (value, &base, POSTBAG_CSS_MARGIN_TOP, POSTBAG_CSS_N_PROPERTIES, priority, cascade);
}

static void
read_margin_inline (char *value, PostbagCssDeclaration base, guint64 priority,
                    PostbagCssCascade *cascade)
{
  read_pair (value, &base, POSTBAG_CSS_MARGIN_LEFT, POSTBAG_CSS_N_PROPERTIES, priority, cascade);
}

static void
read_padding_block (char *value, PostbagCssDeclaration base, guint64 priority,
                    PostbagCssCascade *cascade)
{
  read_pair (value, &base, POSTBAG_CSS_PADDING_TOP, POSTBAG_CSS_PADDING_BOTTOM, priority, cascade);
}

static void
read_padding_inline (char *value, PostbagCssDeclaration base, guint64 priority,
                     PostbagCssCascade *cascade)
{
  read_pair (value, &base, POSTBAG_CSS_PADDING_LEFT, POSTBAG_CSS_PADDING_RIGHT, priority, cascade);
}

/* --- a block --- */

/* inherit, initial ...: what they leave of @property */
static gboolean
read_global (const char *value, PostbagCssDeclaration *result)
{
  static const char *const words[] = { "inherit", "unset", "revert", "revert-layer", NULL };
  gboolean initial = strcmp (value, "initial") == 0;

  if (!initial && !postbag_css_read_word (value, words, 0, result))
    return FALSE;
  switch (result->property)
    {
    case POSTBAG_CSS_COLOR:
    case POSTBAG_CSS_VISIBILITY:
    case POSTBAG_CSS_FONT_SIZE:
    case POSTBAG_CSS_LINE_HEIGHT:
    case POSTBAG_CSS_TEXT_INDENT:
      postbag_css_set_keyword (
          result, result->property == POSTBAG_CSS_FONT_SIZE ? POSTBAG_CSS_ROOT_FONT : 0);
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
  return g_ascii_strcasecmp (g_strstrip (mark), "important") == 0 && strchr (value, '!') == NULL;
}

static void
lower (char *text)
{
  for (; *text != '\0'; text++)
    *text = g_ascii_tolower (*text);
}

/* `all: unset`: of every property */
static void
read_all (char *value, PostbagCssDeclaration base, guint64 priority, PostbagCssCascade *cascade)
{
  for (guint i = 0; i < POSTBAG_CSS_N_PROPERTIES; i++)
    {
      PostbagCssDeclaration result = base;

      result.property = (guint8)i;
      if (!read_global (value, &result))
        return;
      if (i == POSTBAG_CSS_DISPLAY && strncmp (value, "revert", 6) != 0)
        postbag_css_set_keyword (&result, 2); /* all elements stand in a line at first */
      postbag_css_cascade_add (cascade, &result, priority);
    }
}

typedef void (*ReadShorthand) (char *value, PostbagCssDeclaration base, guint64 priority,
                               PostbagCssCascade *cascade);

/* (nullable) */
static ReadShorthand
find_shorthand (const char *name)
{
  static const struct
  {
    const char *name;
    ReadShorthand read;
  } shorthands[] = {
    { "all", read_all },
    { "background", read_background },
    { "font", read_font },
    { "inset", read_inset },
    { "inset-block", read_inset_block },
    { "inset-inline", read_inset_inline },
    { "margin", read_margin },
    { "margin-block", read_margin_block },
    { "margin-inline", read_margin_inline },
    { "padding", read_padding },
    { "padding-block", read_padding_block },
    { "padding-inline", read_padding_inline },
    { "text-shadow", read_shadow },
    { "-webkit-text-stroke", read_shadow },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (shorthands); i++)
    if (strcmp (shorthands[i].name, name) == 0)
      return shorthands[i].read;
  return NULL;
}

/* What reads a property: one of them, or neither. */
typedef struct
{
  const PostbagCssReader *reader;
  ReadShorthand shorthand;
} Property;

static gboolean
find_property (const char *name, Property *property)
{
  property->reader = postbag_css_find_reader (name);
  property->shorthand = property->reader == NULL ? find_shorthand (name) : NULL;
  return property->reader != NULL || property->shorthand != NULL;
}

static void
read_value (const Property *property, char *value, gboolean important, guint64 priority,
            PostbagCssCascade *cascade)
{
  PostbagCssDeclaration result = { .important = important ? 1 : 0 };

  lower (value);
  if (property->shorthand != NULL)
    {
      property->shorthand (value, result, priority, cascade);
      return;
    }
  result.property = property->reader->property;
  if (read_global (value, &result) || property->reader->read (value, &result))
    postbag_css_cascade_add (cascade, &result, priority);
}

static void
read_declaration (const char *name, char *value, gboolean important, guint64 priority,
                  PostbagCssCascade *cascade)
{
  Property property;

  if (find_property (name, &property))
    read_value (&property, value, important, priority, cascade);
}

PostbagCssVerdict
postbag_css_judge_declaration (char *name, char *value)
{
  PostbagCssCascade cascade;
  gboolean important;

  postbag_css_cascade_init (&cascade, NULL, NULL);
  lower (name);
  if (take_important (value, &important))
    read_declaration (name, value, FALSE, 0, &cascade);
  return cascade.set != 0 ? POSTBAG_CSS_HOLDS : POSTBAG_CSS_DOUBTFUL;
}

/* A value that is none of its property's is as if nobody had said it (CSS Variables 1, section
 * 3.1). */
void
postbag_css_read_text (const PostbagCssText *text, char *value, PostbagCssCascade *cascade)
{
  PostbagCssCascade read;

  g_strstrip (value);
  postbag_css_cascade_init (&read, NULL, NULL);
  read_declaration (text->name, value, text->important != 0, text->priority, &read);
  if (read.set == 0)
    {
      char unset[] = "unset";

      read_declaration (text->name, unset, text->important != 0, text->priority, &read);
    }
  for (guint i = 0; i < POSTBAG_CSS_N_PROPERTIES; i++)
    if ((read.set >> i & 1) != 0)
      postbag_css_cascade_add (cascade, &read.value[i], text->priority);
}

/* --- what is kept as text --- */

gsize
postbag_css_measure_custom_name (const char *text)
{
  gsize length = 2;

  if (text[0] != '-' || text[1] != '-')
    return 0;
  while (text[length] != '\0' && strchr (" ,():;{}", text[length]) == NULL)
    length++;
  return length;
}

/* FALSE: @value says something as it stands. */
static gboolean
keep_text (const char *name, const char *value, gboolean important, guint64 priority,
           PostbagCssCascade *cascade)
{
  PostbagCssText text = { .priority = priority, .important = important ? 1 : 0 };

  if (!(name[0] == '-' && name[1] == '-') && strcasestr (value, "var(") == NULL
      && !(cascade->content && strcmp (name, "content") == 0))
    return FALSE;
  text.name = g_string_chunk_insert_const (cascade->strings, name);
  text.text = g_string_chunk_insert (cascade->strings, value);
  g_array_append_val (cascade->texts, text);
  return TRUE;
}

/* What comes later in a block counts: of what was kept from @first on, too. */
static void
drop_texts (GArray *texts, guint first, const char *name, gboolean important)
{
  for (guint i = texts->len; i > first; i--)
    {
      const PostbagCssText *text = &g_array_index (texts, PostbagCssText, i - 1);

      if (strcmp (text->name, name) == 0 && (important || !text->important))
        g_array_remove_index (texts, i - 1);
    }
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

/* Whether a declaration of @block may have to be kept as text: both a custom property and a var()
 * hold two hyphens. */
static gboolean
may_hold_texts (const char *block, const PostbagCssCascade *cascade)
{
  return cascade->texts != NULL
         && (strstr (block, "--") != NULL
             || (cascade->content && strcasestr (block, "content") != NULL));
}

/* @texts: some of the block's may have to be kept, from @first on */
static void
take_declaration (char *name, char *value, gboolean texts, guint first, guint64 priority,
                  PostbagCssCascade *cascade)
{
  gboolean important, known;
  Property property;

  if (name[0] != '-' || name[1] != '-')
    lower (name);
  known = find_property (name, &property);
  if ((!known && !texts) || !take_important (value, &important)
      || (texts && keep_text (name, value, important, priority, cascade)) || !known)
    return;
  if (texts)
    drop_texts (cascade->texts, first, name, important);
  read_value (&property, value, important, priority, cascade);
}

void
postbag_css_read_block (char *block, guint64 priority, PostbagCssCascade *cascade)
{
  gboolean texts = may_hold_texts (block, cascade);
  guint first = texts ? cascade->texts->len : 0;

  while (*block != '\0')
    {
      char *end = block + strcspn (block, ";");
      char *colon = memchr (block, ':', (gsize)(end - block));
      char *next = *end != '\0' ? end + 1 : end;

      if (colon != NULL)
        {
          char *value = trim (colon + 1, end);

          take_declaration (trim (block, colon), value, texts, first, priority, cascade);
        }
      block = next;
    }
}
