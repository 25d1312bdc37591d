/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Clips and transformations after which nothing is left of a box. */

#include <string.h>

#include "safety/postbag-html-css-private.h"

#define MAX_NUMBERS 64

/* Further than this out of its place nobody looks. */
#define FAR 500

static void
set_keyword (PostbagCssDeclaration *result, float number)
{
  result->unit = POSTBAG_CSS_KEYWORD;
  result->number = number;
}

/* The lengths between the brackets behind @text, words left out: how many. */
static guint
read_list (const char *text, PostbagCssDeclaration *list, guint size)
{
  guint count = 0;

  text = strchr (text, '(');
  if (text == NULL)
    return 0;
  text++;
  while (*text != '\0' && *text != ')' && count < size)
    {
      const char *end = postbag_css_read_length (text, &list[count]);

      if (end != NULL)
        count++;
      text = end != NULL ? end : text + strcspn (text, " ,)");
      text += strspn (text, " ,/");
    }
  return count;
}

/* CSS 2.1, section 11.1.2: rect(top, right, bottom, left) */
gboolean
postbag_css_read_clip (const char *value, PostbagCssDeclaration *result)
{
  PostbagCssDeclaration side[4] = { 0 };
  gboolean rect = g_str_has_prefix (value, "rect(");

  set_keyword (result, 0);
  if (!rect)
    return strcmp (value, "auto") == 0;
  if (read_list (value, side, 4) == 4
      && (side[1].number - side[3].number <= 1 || side[2].number - side[0].number <= 1))
    set_keyword (result, 1);
  return TRUE;
}

/* CSS Shapes 1: one to four sides, as in a margin */
static gboolean
is_empty_inset (const char *value)
{
  PostbagCssDeclaration side[4] = { 0 };
  guint count = read_list (value, side, 4);
  float top, right, bottom, left;

  if (count == 0)
    return FALSE;
  for (guint i = 0; i < count; i++)
    if (side[i].unit != POSTBAG_CSS_PERCENT)
      side[i].number = side[i].number >= 5000 ? 100 : 0;
  top = side[0].number;
  right = side[count > 1 ? 1 : 0].number;
  bottom = side[count > 2 ? 2 : 0].number;
  left = side[count > 3 ? 3 : count > 1 ? 1 : 0].number;
  return top + bottom >= 100 || left + right >= 100;
}

static gboolean
is_empty_polygon (const char *value)
{
  PostbagCssDeclaration at[MAX_NUMBERS] = { 0 };
  guint count = read_list (value, at, MAX_NUMBERS);
  gboolean same_x = TRUE, same_y = TRUE;

  for (guint i = 2; i < count; i++)
    if (at[i].number != at[i % 2].number)
      *(i % 2 == 0 ? &same_x : &same_y) = FALSE;
  return count > 0 && (same_x || same_y);
}

gboolean
postbag_css_read_clip_path (const char *value, PostbagCssDeclaration *result)
{
  PostbagCssDeclaration radius = { .number = 1 };
  gboolean empty = FALSE;

  if (g_str_has_prefix (value, "inset("))
    empty = is_empty_inset (value);
  else if (g_str_has_prefix (value, "polygon("))
    empty = is_empty_polygon (value);
  else if (g_str_has_prefix (value, "circle(") || g_str_has_prefix (value, "ellipse("))
    empty =
        postbag_css_read_length (strchr (value, '(') + 1, &radius) != NULL && radius.number <= 0;
  set_keyword (result, empty ? 1 : 0);
  return TRUE;
}

static gboolean
is_zero (const PostbagCssDeclaration *list, guint count, guint at)
{
  return at < count && list[at].number > -0.02f
         && list[at].number < (list[at].unit == POSTBAG_CSS_PERCENT ? 2.0f : 0.02f);
}

static gboolean
is_far (const PostbagCssDeclaration *list, guint count, guint at)
{
  float number;

  if (at >= count)
    return FALSE;
  number = list[at].unit == POSTBAG_CSS_EMS ? list[at].number * 16 : list[at].number;
  return number <= -FAR || number >= 10 * FAR;
}

/* A quarter turn, by which nobody sees more than an edge; up to a degree beside it. */
static gboolean
is_edgewise (const char *angle)
{
  static const struct
  {
    const char *unit;
    double degrees;
  } units[] = { { "deg", 1 }, { "grad", 0.9 }, { "rad", 180 / G_PI }, { "turn", 360 } };
  double number, rest;
  const char *end = postbag_css_read_number (angle, &number);

  for (gsize i = 0; end != NULL && i < G_N_ELEMENTS (units); i++)
    if (g_str_has_prefix (end, units[i].unit))
      {
        rest = number * units[i].degrees + 90;
        rest -= 180 * (double)(gint64)(rest / 180);
        return ABS (rest) < 1 || ABS (rest) > 179;
      }
  return FALSE;
}

/* Percentages are of the box itself: twice as much takes it out of any page, as much out of what
 * cuts off around it. */
static float
judge_translation (const PostbagCssDeclaration *list, guint count)
{
  float result = 0;

  for (guint i = 0; i < count; i++)
    if (list[i].unit == POSTBAG_CSS_PERCENT)
      result = list[i].number <= -200 ? 2 : ABS (list[i].number) >= 100 ? MAX (result, 3) : result;
    else if (is_far (list, count, i))
      return 2;
  return result;
}

/* One function of a list; @value starts at its name. */
static float
judge_transform (const char *value)
{
  PostbagCssDeclaration list[16] = { 0 };
  guint count = read_list (value, list, 16);

  if (g_str_has_prefix (value, "scalez"))
    return 0;
  if (g_str_has_prefix (value, "scale"))
    return is_zero (list, count, 0) || is_zero (list, MIN (count, 2), 1) ? 1 : 0;
  if (g_str_has_prefix (value, "rotatex(") || g_str_has_prefix (value, "rotatey("))
    return is_edgewise (value + strlen ("rotatex(")) ? 1 : 0;
  if (g_str_has_prefix (value, "matrix("))
    {
      if ((is_zero (list, count, 0) && is_zero (list, count, 1))
          || (is_zero (list, count, 2) && is_zero (list, count, 3)))
        return 1;
      return is_far (list, count, 4) || is_far (list, count, 5) ? 2 : 0;
    }
  if (g_str_has_prefix (value, "matrix3d("))
    {
      if ((is_zero (list, count, 0) && is_zero (list, count, 1))
          || (is_zero (list, count, 4) && is_zero (list, count, 5)))
        return 1;
      return is_far (list, count, 12) || is_far (list, count, 13) ? 2 : 0;
    }
  if (g_str_has_prefix (value, "translate") && !g_str_has_prefix (value, "translatez"))
    return judge_translation (list, MIN (count, 2));
  return 0;
}

/* CSS Transforms 1 */
gboolean
postbag_css_read_transform (const char *value, PostbagCssDeclaration *result)
{
  set_keyword (result, 0);
  for (guint i = 0; i < MAX_NUMBERS && *value != '\0' && result->number == 0; i++)
    {
      const char *close = strchr (value, ')');

      set_keyword (result, judge_transform (value));
      value = close != NULL ? close + 1 : "";
      value += strspn (value, " ");
    }
  return TRUE;
}

static gboolean
read_as_function (const char *name, const char *value, PostbagCssDeclaration *result)
{
  g_autofree char *call = g_strdup_printf ("%s(%s)", name, value);

  set_keyword (result, strchr (value, '(') == NULL ? judge_transform (call) : 0);
  return TRUE;
}

gboolean
postbag_css_read_scale (const char *value, PostbagCssDeclaration *result)
{
  return read_as_function ("scale", value, result);
}

gboolean
postbag_css_read_translate (const char *value, PostbagCssDeclaration *result)
{
  return read_as_function ("translate", value, result);
}

/* `x 90deg` */
gboolean
postbag_css_read_rotate (const char *value, PostbagCssDeclaration *result)
{
  gboolean tilts = (value[0] == 'x' || value[0] == 'y') && value[1] == ' ';

  return read_as_function (tilts ? "rotatex" : "rotate", tilts ? value + 2 : value, result);
}

/* Zero is as if nothing were said. */
gboolean
postbag_css_read_zoom (const char *value, PostbagCssDeclaration *result)
{
  double number;
  const char *end = postbag_css_read_number (value, &number);

  if (end != NULL && *end == '%')
    number /= 100;
  set_keyword (result, end != NULL && number > 0 && number < 0.08 ? 1 : 0);
  return end != NULL || strcmp (value, "normal") == 0;
}

/* --- gradients and masks --- */

#define MAX_STOPS 32

/* Colors between the brackets of the gradient at @value; @count: (out). FALSE: it is none, or holds
 * something that is not read here. */
static gboolean
read_stops (const char *value, guint32 *colors, guint *count)
{
  const char *open = strchr (value, '(');
  g_autofree char *list = NULL;
  char *at;

  *count = 0;
  if (open == NULL || strstr (value, "gradient(") == NULL || strstr (value, "var(") != NULL)
    return FALSE;
  list = g_strdup (open + 1);
  for (at = list; *at != '\0' && *at != ')';)
    {
      char *start = at + strspn (at, " ,");
      guint depth = 0;
      char stop;

      for (at = start; *at != '\0' && (depth > 0 || strchr (" ,)", *at) == NULL); at++)
        depth += *at == '(' ? 1u : *at == ')' ? -1u : 0u;
      stop = *at;
      *at = '\0';
      if (*count >= MAX_STOPS)
        return FALSE;
      if (postbag_css_read_color (start, &colors[*count]))
        (*count)++;
      else if (strchr (start, '(') != NULL)
        return FALSE; /* a color that is not known, or a calculated place */
      if (stop == ')' || stop == '\0')
        return TRUE;
      at++;
    }
  return TRUE;
}

gboolean
postbag_css_read_flat_image (const char *value, guint32 *rgba)
{
  guint32 colors[MAX_STOPS];
  guint count;

  if (!read_stops (value, colors, &count) || count == 0)
    return FALSE;
  for (guint i = 1; i < count; i++)
    if (colors[i] != colors[0])
      return FALSE;
  *rgba = colors[0];
  return TRUE;
}

/* CSS Masking 1: what is transparent in the mask is gone. */
gboolean
postbag_css_read_mask (const char *value, PostbagCssDeclaration *result)
{
  guint32 colors[MAX_STOPS];
  guint count;
  gboolean empty = read_stops (value, colors, &count) && count > 0;

  for (guint i = 0; i < count && empty; i++)
    empty = (colors[i] & 0xff) <= 0xff / 20;
  set_keyword (result, empty ? 1 : 0);
  return TRUE;
}
