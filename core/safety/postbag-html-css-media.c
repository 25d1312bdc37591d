/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Media queries (Media Queries 4) as a light screen of ordinary size answers them. A feature that
 * is not known here does not hold. */

#include <string.h>

#include "safety/postbag-html-css-private.h"

#define SCREEN_WIDTH 1000
#define SCREEN_HEIGHT 800
#define MAX_QUERY 1024

static gboolean
compare (double screen, char sign, double number)
{
  switch (sign)
    {
    case '<':
      return screen <= number;
    case '>':
      return screen >= number;
    default:
      return screen == number;
    }
}

/* `600px` in pixels */
static gboolean
read_pixels (const char *text, double *pixels)
{
  PostbagCssDeclaration length = { 0 };

  text += strspn (text, " =");
  if (postbag_css_read_length (text, &length) == NULL)
    return FALSE;
  *pixels = length.unit == POSTBAG_CSS_EMS ? length.number * 16 : length.number;
  return TRUE;
}

/* @name behind `min-`, `max-` and `device-` */
static const char *
skip_prefixes (const char *name)
{
  if (g_str_has_prefix (name, "min-") || g_str_has_prefix (name, "max-"))
    name += 4;
  return g_str_has_prefix (name, "device-") ? name + 7 : name;
}

static gboolean
is_size (const char *name)
{
  name = skip_prefixes (name);
  return g_str_has_prefix (name, "width") || g_str_has_prefix (name, "height");
}

/* min-width, max-device-width, width, height ... */
static gboolean
judge_size (const char *name, const char *rest)
{
  char sign = g_str_has_prefix (name, "min-") ? '>' : g_str_has_prefix (name, "max-") ? '<' : '=';
  double screen, pixels;

  if (!is_size (name))
    return FALSE;
  name = skip_prefixes (name);
  screen = name[0] == 'w' ? SCREEN_WIDTH : SCREEN_HEIGHT;
  if (*rest == '\0')
    return TRUE;
  if (*rest == '<' || *rest == '>')
    sign = *rest;
  return read_pixels (rest + 1, &pixels) && compare (screen, sign, pixels);
}

/* Features of Media Queries 5 that do not hold here, whatever their value. */
static gboolean
is_known_feature (const char *name)
{
  static const char *const known[] = { "color",
                                       "hover",
                                       "pointer",
                                       "any-hover",
                                       "any-pointer",
                                       "update",
                                       "grid",
                                       "orientation",
                                       "scripting",
                                       "prefers-",
                                       "resolution",
                                       "min-resolution",
                                       "max-resolution",
                                       "-webkit-",
                                       "monochrome",
                                       "display-mode",
                                       "inverted-colors",
                                       "forced-colors",
                                       "dynamic-range",
                                       "color-gamut",
                                       "aspect-ratio",
                                       "min-aspect-ratio",
                                       "max-aspect-ratio",
                                       "overflow-",
                                       "-ms-high-contrast" };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_has_prefix (name, known[i]))
      return TRUE;
  return FALSE;
}

/* `feature`, `feature: value`, `width >= 600px`. @unknown: (out): it is none that browsers know,
 * and neither it nor its opposite holds. */
static gboolean
judge_feature (char *feature, gboolean *unknown)
{
  static const char *const held[] = { "prefers-color-scheme:light",
                                      "prefers-reduced-motion:no-preference",
                                      "orientation:landscape",
                                      "hover:hover",
                                      "pointer:fine",
                                      "any-hover:hover",
                                      "color",
                                      "hover",
                                      "scripting:none",
                                      "-webkit-min-device-pixel-ratio:0",
                                      "min-resolution:1dppx",
                                      "any-pointer:fine",
                                      "update:fast",
                                      "grid:0",
                                      "prefers-contrast:no-preference" };
  char *out = feature;
  gsize name;

  for (const char *p = feature; *p != '\0'; p++)
    if (*p != ' ')
      *out++ = *p;
  *out = '\0';
  for (gsize i = 0; i < G_N_ELEMENTS (held); i++)
    if (strcmp (feature, held[i]) == 0)
      return TRUE;
  name = strcspn (feature, ":<>=");
  *unknown = !is_size (feature) && !is_known_feature (feature);
  return judge_size (feature, feature + name);
}

/* One part between `and`s. */
static gboolean
judge_part (char *part, gboolean *unknown)
{
  gboolean negated = FALSE, held;

  g_strstrip (part);
  if (g_str_has_prefix (part, "not ") || g_str_has_prefix (part, "not("))
    {
      negated = TRUE;
      part = g_strchug (part + 3);
    }
  if (part[0] == '(')
    {
      part++;
      part[strcspn (part, ")")] = '\0';
      held = judge_feature (part, unknown);
    }
  else
    held = strcmp (part, "screen") == 0 || strcmp (part, "all") == 0 || part[0] == '\0';
  return held != negated;
}

/* The word @word between blanks or brackets: (transfer none) (nullable) */
static char *
find_word (char *text, const char *word)
{
  gsize length = strlen (word);
  char *found = strstr (text, word);

  while (found != NULL
         && (found == text || strchr (" )", found[-1]) == NULL
             || strchr (" (", found[length]) == NULL))
    found = strstr (found + length, word);
  return found;
}

/* `only screen and (max-width: 600px)`; `not` in front negates all of it. */
static gboolean
judge_query (char *query)
{
  gboolean negated = FALSE, held = TRUE, unknown = FALSE;

  g_strstrip (query);
  if (g_str_has_prefix (query, "only "))
    query += 5;
  else if (g_str_has_prefix (query, "not "))
    {
      negated = TRUE;
      query += 4;
    }
  while (query != NULL && held)
    {
      char *next = find_word (query, "and");

      if (next != NULL)
        {
          *next = '\0';
          next += 3;
        }
      held = judge_part (query, &unknown);
      query = next;
    }
  return held != negated && !unknown;
}

gboolean
postbag_css_media_matches (const char *query)
{
  g_autofree char *copy = g_ascii_strdown (query, (gssize)strnlen (query, MAX_QUERY));

  g_strstrip (copy);
  if (copy[0] == '\0')
    return TRUE;
  for (char *part = copy; part != NULL;)
    {
      char *next = strchr (part, ',');
      char *word = find_word (part, "or");

      if (word != NULL && (next == NULL || word < next))
        {
          *word = '\0';
          next = word + 1;
        }
      if (next != NULL)
        *next++ = '\0';
      if (judge_query (part))
        return TRUE;
      part = next;
    }
  return FALSE;
}

/* One declaration in brackets, or `not` and one: what is read here, browsers support. */
PostbagCssVerdict
postbag_css_supports_judge (const char *condition)
{
  g_autofree char *copy = g_ascii_strdown (condition, (gssize)strnlen (condition, MAX_QUERY));
  char *text = g_strstrip (copy), *colon, *close;
  gboolean negated = g_str_has_prefix (text, "not ") || g_str_has_prefix (text, "not(");

  text += negated ? 3 : 0;
  text += strspn (text, " ");
  colon = strchr (text, ':');
  close = strchr (text, ')');
  if (text[0] != '(' || colon == NULL || close == NULL || close[1] != '\0'
      || strchr (text + 1, '(') != NULL)
    return POSTBAG_CSS_DOUBTFUL;
  *colon = *close = '\0';
  if (postbag_css_judge_declaration (g_strstrip (text + 1), g_strstrip (colon + 1))
      != POSTBAG_CSS_HOLDS)
    return POSTBAG_CSS_DOUBTFUL;
  return negated ? POSTBAG_CSS_FAILS : POSTBAG_CSS_HOLDS;
}
