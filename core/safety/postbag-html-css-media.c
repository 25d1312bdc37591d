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

/* min-width, max-device-width, width, height ... */
static gboolean
judge_size (const char *name, const char *rest)
{
  char sign = g_str_has_prefix (name, "min-") ? '>' : g_str_has_prefix (name, "max-") ? '<' : '=';
  double screen, pixels;

  if (sign != '=')
    name += 4;
  if (g_str_has_prefix (name, "device-"))
    name += 7;
  if (!g_str_has_prefix (name, "width") && !g_str_has_prefix (name, "height"))
    return FALSE;
  screen = name[0] == 'w' ? SCREEN_WIDTH : SCREEN_HEIGHT;
  if (*rest == '\0')
    return TRUE;
  if (*rest == '<' || *rest == '>')
    sign = *rest;
  return read_pixels (rest + 1, &pixels) && compare (screen, sign, pixels);
}

/* `feature`, `feature: value`, `width >= 600px` */
static gboolean
judge_feature (char *feature)
{
  static const char *const held[] = {
    "prefers-color-scheme:light",
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
    "prefers-contrast:no-preference",
  };
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
  return judge_size (feature, feature + name);
}

/* One part between `and`s. */
static gboolean
judge_part (char *part)
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
      held = judge_feature (part);
    }
  else
    held = strcmp (part, "screen") == 0 || strcmp (part, "all") == 0 || part[0] == '\0';
  return held != negated;
}

/* `only screen and (max-width: 600px)`; `not` in front negates all of it. */
static gboolean
judge_query (char *query)
{
  gboolean negated = FALSE, held = TRUE;

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
      char *next = strstr (query, "and");

      while (
          next != NULL
          && (next == query || strchr (" )", next[-1]) == NULL || strchr (" (", next[3]) == NULL))
        next = strstr (next + 3, "and");
      if (next != NULL)
        {
          *next = '\0';
          next += 3;
        }
      held = judge_part (query);
      query = next;
    }
  return held != negated;
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

      if (next != NULL)
        *next++ = '\0';
      if (judge_query (part))
        return TRUE;
      part = next;
    }
  return FALSE;
}

/* Browsers support nearly everything that is asked for; `not` asks for those that do not. */
gboolean
postbag_css_supports_matches (const char *condition)
{
  condition += strspn (condition, " ");
  return g_ascii_strncasecmp (condition, "not", 3) != 0;
}
