/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Colors as CSS Color 4 writes them, and how well one is told from another (WCAG 2.2, "contrast
 * ratio"). */

#include <math.h>
#include <string.h>

#include "safety/postbag-html-css-private.h"

/* CSS Color 4, section 6.1; sorted. */
static const struct
{
  const char *name;
  guint32 rgb;
} names[] = {
  { "aliceblue", 0xf0f8ff },
  { "antiquewhite", 0xfaebd7 },
  { "aqua", 0x00ffff },
  { "aquamarine", 0x7fffd4 },
  { "azure", 0xf0ffff },
  { "beige", 0xf5f5dc },
  { "bisque", 0xffe4c4 },
  { "black", 0x000000 },
  { "blanchedalmond", 0xffebcd },
  { "blue", 0x0000ff },
  { "blueviolet", 0x8a2be2 },
  { "brown", 0xa52a2a },
  { "burlywood", 0xdeb887 },
  { "cadetblue", 0x5f9ea0 },
  { "chartreuse", 0x7fff00 },
  { "chocolate", 0xd2691e },
  { "coral", 0xff7f50 },
  { "cornflowerblue", 0x6495ed },
  { "cornsilk", 0xfff8dc },
  { "crimson", 0xdc143c },
  { "cyan", 0x00ffff },
  { "darkblue", 0x00008b },
  { "darkcyan", 0x008b8b },
  { "darkgoldenrod", 0xb8860b },
  { "darkgray", 0xa9a9a9 },
  { "darkgreen", 0x006400 },
  { "darkgrey", 0xa9a9a9 },
  { "darkkhaki", 0xbdb76b },
  { "darkmagenta", 0x8b008b },
  { "darkolivegreen", 0x556b2f },
  { "darkorange", 0xff8c00 },
  { "darkorchid", 0x9932cc },
  { "darkred", 0x8b0000 },
  { "darksalmon", 0xe9967a },
  { "darkseagreen", 0x8fbc8f },
  { "darkslateblue", 0x483d8b },
  { "darkslategray", 0x2f4f4f },
  { "darkslategrey", 0x2f4f4f },
  { "darkturquoise", 0x00ced1 },
  { "darkviolet", 0x9400d3 },
  { "deeppink", 0xff1493 },
  { "deepskyblue", 0x00bfff },
  { "dimgray", 0x696969 },
  { "dimgrey", 0x696969 },
  { "dodgerblue", 0x1e90ff },
  { "firebrick", 0xb22222 },
  { "floralwhite", 0xfffaf0 },
  { "forestgreen", 0x228b22 },
  { "fuchsia", 0xff00ff },
  { "gainsboro", 0xdcdcdc },
  { "ghostwhite", 0xf8f8ff },
  { "gold", 0xffd700 },
  { "goldenrod", 0xdaa520 },
  { "gray", 0x808080 },
  { "green", 0x008000 },
  { "greenyellow", 0xadff2f },
  { "grey", 0x808080 },
  { "honeydew", 0xf0fff0 },
  { "hotpink", 0xff69b4 },
  { "indianred", 0xcd5c5c },
  { "indigo", 0x4b0082 },
  { "ivory", 0xfffff0 },
  { "khaki", 0xf0e68c },
  { "lavender", 0xe6e6fa },
  { "lavenderblush", 0xfff0f5 },
  { "lawngreen", 0x7cfc00 },
  { "lemonchiffon", 0xfffacd },
  { "lightblue", 0xadd8e6 },
  { "lightcoral", 0xf08080 },
  { "lightcyan", 0xe0ffff },
  { "lightgoldenrodyellow", 0xfafad2 },
  { "lightgray", 0xd3d3d3 },
  { "lightgreen", 0x90ee90 },
  { "lightgrey", 0xd3d3d3 },
  { "lightpink", 0xffb6c1 },
  { "lightsalmon", 0xffa07a },
  { "lightseagreen", 0x20b2aa },
  { "lightskyblue", 0x87cefa },
  { "lightslategray", 0x778899 },
  { "lightslategrey", 0x778899 },
  { "lightsteelblue", 0xb0c4de },
  { "lightyellow", 0xffffe0 },
  { "lime", 0x00ff00 },
  { "limegreen", 0x32cd32 },
  { "linen", 0xfaf0e6 },
  { "magenta", 0xff00ff },
  { "maroon", 0x800000 },
  { "mediumaquamarine", 0x66cdaa },
  { "mediumblue", 0x0000cd },
  { "mediumorchid", 0xba55d3 },
  { "mediumpurple", 0x9370db },
  { "mediumseagreen", 0x3cb371 },
  { "mediumslateblue", 0x7b68ee },
  { "mediumspringgreen", 0x00fa9a },
  { "mediumturquoise", 0x48d1cc },
  { "mediumvioletred", 0xc71585 },
  { "midnightblue", 0x191970 },
  { "mintcream", 0xf5fffa },
  { "mistyrose", 0xffe4e1 },
  { "moccasin", 0xffe4b5 },
  { "navajowhite", 0xffdead },
  { "navy", 0x000080 },
  { "oldlace", 0xfdf5e6 },
  { "olive", 0x808000 },
  { "olivedrab", 0x6b8e23 },
  { "orange", 0xffa500 },
  { "orangered", 0xff4500 },
  { "orchid", 0xda70d6 },
  { "palegoldenrod", 0xeee8aa },
  { "palegreen", 0x98fb98 },
  { "paleturquoise", 0xafeeee },
  { "palevioletred", 0xdb7093 },
  { "papayawhip", 0xffefd5 },
  { "peachpuff", 0xffdab9 },
  { "peru", 0xcd853f },
  { "pink", 0xffc0cb },
  { "plum", 0xdda0dd },
  { "powderblue", 0xb0e0e6 },
  { "purple", 0x800080 },
  { "rebeccapurple", 0x663399 },
  { "rebeccapurple", 0x663399 },
  { "red", 0xff0000 },
  { "rosybrown", 0xbc8f8f },
  { "royalblue", 0x4169e1 },
  { "saddlebrown", 0x8b4513 },
  { "salmon", 0xfa8072 },
  { "sandybrown", 0xf4a460 },
  { "seagreen", 0x2e8b57 },
  { "seashell", 0xfff5ee },
  { "sienna", 0xa0522d },
  { "silver", 0xc0c0c0 },
  { "skyblue", 0x87ceeb },
  { "slateblue", 0x6a5acd },
  { "slategray", 0x708090 },
  { "slategrey", 0x708090 },
  { "snow", 0xfffafa },
  { "springgreen", 0x00ff7f },
  { "steelblue", 0x4682b4 },
  { "tan", 0xd2b48c },
  { "teal", 0x008080 },
  { "thistle", 0xd8bfd8 },
  { "tomato", 0xff6347 },
  { "turquoise", 0x40e0d0 },
  { "violet", 0xee82ee },
  { "wheat", 0xf5deb3 },
  { "white", 0xffffff },
  { "whitesmoke", 0xf5f5f5 },
  { "yellow", 0xffff00 },
  { "yellowgreen", 0x9acd32 },
};

static gboolean
find_name (const char *text, guint32 *rgba)
{
  gsize low = 0, high = G_N_ELEMENTS (names);

  while (low < high)
    {
      gsize middle = (low + high) / 2;
      int order = strcmp (text, names[middle].name);

      if (order == 0)
        {
          *rgba = names[middle].rgb << 8 | 0xff;
          return TRUE;
        }
      if (order < 0)
        high = middle;
      else
        low = middle + 1;
    }
  return FALSE;
}

/* #rgb, #rgba, #rrggbb, #rrggbbaa, without the # */
static gboolean
read_hex (const char *text, guint32 *rgba)
{
  gsize length = strlen (text);
  guint32 value = 0;

  if (length != 3 && length != 4 && length != 6 && length != 8)
    return FALSE;
  for (gsize i = 0; i < length; i++)
    {
      guint32 digit;

      if (!g_ascii_isxdigit (text[i]))
        return FALSE;
      digit = (guint32)g_ascii_xdigit_value (text[i]);
      value = value << 4 | digit;
      if (length <= 4)
        value = value << 4 | digit;
    }
  *rgba = length == 3 || length == 6 ? value << 8 | 0xff : value;
  return TRUE;
}

/* The next of a function's values; percentages are told by @percent. `none` is nothing (section
 * 4.4). */
static const char *
read_component (const char *text, double *value, gboolean *percent)
{
  const char *end;

  while (*text == ' ' || *text == ',' || *text == '/')
    text++;
  *percent = FALSE;
  if (g_str_has_prefix (text, "none"))
    {
      *value = 0;
      return text + 4;
    }
  end = postbag_css_read_number (text, value);
  if (end == NULL)
    return NULL;
  *percent = *end == '%';
  if (g_str_has_prefix (end, "deg"))
    return end + 3;
  if (g_str_has_prefix (end, "turn"))
    {
      *value *= 360;
      return end + 4;
    }
  if (g_str_has_prefix (end, "grad"))
    {
      *value *= 0.9;
      return end + 4;
    }
  if (g_str_has_prefix (end, "rad"))
    {
      *value *= 180 / G_PI;
      return end + 3;
    }
  return *percent ? end + 1 : end;
}

/* Three values and the alpha that may follow, up to the bracket; @whole: what 100% is of each. */
static gboolean
read_components (const char *text, const double *whole, double *value)
{
  value[3] = 1;
  for (guint i = 0; i < 4; i++)
    {
      gboolean percent;
      const char *end = read_component (text, &value[i], &percent);

      if (end == NULL && i < 3)
        return FALSE;
      if (end == NULL)
        break;
      if (percent)
        value[i] *= (i == 3 ? 1 : whole[i]) / 100;
      text = end;
    }
  while (*text == ' ')
    text++;
  return *text == ')';
}

static guint32
pack (double red, double green, double blue, double alpha)
{
  return (guint32)(CLAMP (red, 0, 255) + 0.5) << 24 | (guint32)(CLAMP (green, 0, 255) + 0.5) << 16
         | (guint32)(CLAMP (blue, 0, 255) + 0.5) << 8 | (guint32)(CLAMP (alpha, 0, 1) * 255 + 0.5);
}

/* Section 7.1 */
static double
mix_hue (double hue, double saturation, double lightness, double n)
{
  double k = fmod (n + hue / 30, 12);

  return (lightness
          - saturation * MIN (lightness, 1 - lightness) * MAX (-1, MIN (MIN (k - 3, 9 - k), 1)))
         * 255;
}

static guint32
convert_rgb (const double *value)
{
  return pack (value[0], value[1], value[2], value[3]);
}

static guint32
convert_hsl (const double *value)
{
  double hue = fmod (fmod (value[0], 360) + 360, 360);
  double saturation = CLAMP (value[1] / 100, 0, 1), lightness = CLAMP (value[2] / 100, 0, 1);

  return pack (mix_hue (hue, saturation, lightness, 0), mix_hue (hue, saturation, lightness, 8),
               mix_hue (hue, saturation, lightness, 4), value[3]);
}

/* White and black mixed into a hue (section 8.1). */
static guint32
convert_hwb (const double *value)
{
  double hue = fmod (fmod (value[0], 360) + 360, 360);
  double white = CLAMP (value[1] / 100, 0, 1), black = CLAMP (value[2] / 100, 0, 1);
  double sum = MAX (white + black, 1), rest = 1 - (white + black) / sum;
  double rgb[3];

  for (guint i = 0; i < 3; i++)
    rgb[i] = mix_hue (hue, 1, 0.5, i == 0 ? 0 : i == 1 ? 8 : 4) * rest + 255 * white / sum;
  return pack (rgb[0], rgb[1], rgb[2], value[3]);
}

/* Section 10.2: out of linear light */
static double
bend (double light)
{
  if (light <= 0.0031308)
    return 255 * 12.92 * MAX (light, 0);
  return 255 * (1.055 * pow (MIN (light, 1), 1 / 2.4) - 0.055);
}

static guint32
convert_linear (const double *value)
{
  return pack (bend (value[0]), bend (value[1]), bend (value[2]), value[3]);
}

/* Of other primaries than those of sRGB, too: what is near to each other there is so here. */
static guint32
convert_srgb (const double *value)
{
  return pack (value[0] * 255, value[1] * 255, value[2] * 255, value[3]);
}

/* Section 9.3, and 10.8 for the matrices */
static guint32
convert_oklab (const double *value)
{
  double l = value[0] + 0.3963377774 * value[1] + 0.2158037573 * value[2];
  double m = value[0] - 0.1055613458 * value[1] - 0.0638541728 * value[2];
  double s = value[0] - 0.0894841775 * value[1] - 1.2914855480 * value[2];
  double linear[4] = { 0, 0, 0, value[3] };

  l = l * l * l;
  m = m * m * m;
  s = s * s * s;
  linear[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
  linear[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
  linear[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
  return convert_linear (linear);
}

static double
unbend_lab (double t)
{
  return t > 6 / 29.0 ? t * t * t : 3 * (6 / 29.0) * (6 / 29.0) * (t - 4 / 29.0);
}

/* Section 9.2: under D50 */
static guint32
convert_lab (const double *value)
{
  double y = (value[0] + 16) / 116;
  double light[3] = { 0.9642956764 * unbend_lab (y + value[1] / 500), unbend_lab (y),
                      0.8251046025 * unbend_lab (y - value[2] / 200) };
  double linear[4] = { 0, 0, 0, value[3] };

  linear[0] = 3.1338561 * light[0] - 1.6168667 * light[1] - 0.4906146 * light[2];
  linear[1] = -0.9787684 * light[0] + 1.9161415 * light[1] + 0.0334540 * light[2];
  linear[2] = 0.0719453 * light[0] - 0.2289914 * light[1] + 1.4052427 * light[2];
  return convert_linear (linear);
}

static void
unroll (const double *value, double *result)
{
  result[0] = value[0];
  result[1] = value[1] * cos (value[2] * G_PI / 180);
  result[2] = value[1] * sin (value[2] * G_PI / 180);
  result[3] = value[3];
}

static guint32
convert_lch (const double *value)
{
  double lab[4];

  unroll (value, lab);
  return convert_lab (lab);
}

static guint32
convert_oklch (const double *value)
{
  double lab[4];

  unroll (value, lab);
  return convert_oklab (lab);
}

static gboolean
read_function (const char *text, guint32 *rgba)
{
  static const struct
  {
    const char *name;
    double whole[3]; /* of a percentage */
    guint32 (*convert) (const double *value);
  } functions[] = {
    { "rgb(", { 255, 255, 255 }, convert_rgb },
    { "rgba(", { 255, 255, 255 }, convert_rgb },
    { "hsl(", { 100, 100, 100 }, convert_hsl },
    { "hsla(", { 100, 100, 100 }, convert_hsl },
    { "hwb(", { 100, 100, 100 }, convert_hwb },
    { "lab(", { 100, 125, 125 }, convert_lab },
    { "lch(", { 100, 150, 100 }, convert_lch },
    { "oklab(", { 1, 0.4, 0.4 }, convert_oklab },
    { "oklch(", { 1, 0.4, 100 }, convert_oklch },
    { "color(srgb ", { 1, 1, 1 }, convert_srgb },
    { "color(srgb-linear ", { 1, 1, 1 }, convert_linear },
    { "color(display-p3 ", { 1, 1, 1 }, convert_srgb },
    { "color(a98-rgb ", { 1, 1, 1 }, convert_srgb },
    { "color(rec2020 ", { 1, 1, 1 }, convert_srgb },
  };
  double value[4];

  for (gsize i = 0; i < G_N_ELEMENTS (functions); i++)
    if (g_str_has_prefix (text, functions[i].name))
      {
        if (!read_components (text + strlen (functions[i].name), functions[i].whole, value))
          return FALSE;
        *rgba = functions[i].convert (value);
        return TRUE;
      }
  return FALSE;
}

/* --- colors made of two --- */

/* Colors in colors are read no deeper. */
#define MAX_COLORS_IN_COLORS 4

static gboolean read_color (const char *text, guint32 *rgba, guint depth);

/* To the comma at @text that is in no bracket of its own, or to the bracket that closes. */
static const char *
find_comma (const char *text)
{
  guint depth = 0;

  for (; *text != '\0' && (depth > 0 || (*text != ',' && *text != ')')); text++)
    depth += *text == '(' ? 1u : *text == ')' ? -1u : 0u;
  return text;
}

/* `red 30%`: the share is -1 where it is not told. */
static gboolean
read_share (const char *text, const char *end, guint32 *rgba, double *share, guint depth)
{
  g_autofree char *copy = g_strstrip (g_strndup (text, (gsize)(end - text)));
  char *percent = strrchr (copy, '%'), *blank = strrchr (copy, ' ');
  gboolean first = g_ascii_isdigit (copy[0]);
  const char *number;

  *share = -1;
  if (first)
    blank = strchr (copy, ' ');
  if (percent != NULL && blank != NULL && (first || percent[1] == '\0')
      && strchr (blank, ')') == NULL)
    {
      *blank = '\0';
      number = first ? copy : blank + 1;
      if (postbag_css_read_number (number, share) == NULL)
        return FALSE;
      return read_color (first ? blank + 1 : copy, rgba, depth);
    }
  return read_color (copy, rgba, depth);
}

/* color-mix (CSS Color 5, section 3), as sRGB mixes; other spaces differ in what lies between. */
static gboolean
read_mix (const char *text, guint32 *rgba, guint depth)
{
  const char *first = find_comma (text), *second, *end;
  guint32 color[2];
  double share[2], sum, alpha, value[4];

  if (*first != ',' || !g_str_has_prefix (text, "in "))
    return FALSE;
  second = find_comma (first + 1);
  if (*second != ',')
    return FALSE;
  end = find_comma (second + 1);
  if (*end != ')' || !read_share (first + 1, second, &color[0], &share[0], depth)
      || !read_share (second + 1, end, &color[1], &share[1], depth))
    return FALSE;
  share[0] = share[0] < 0 ? (share[1] < 0 ? 50 : 100 - share[1]) : share[0];
  share[1] = share[1] < 0 ? 100 - share[0] : share[1];
  sum = share[0] + share[1];
  if (sum <= 0)
    return FALSE;
  share[0] /= sum;
  share[1] /= sum;
  alpha = share[0] * (color[0] & 0xff) + share[1] * (color[1] & 0xff);
  for (guint i = 0; i < 3; i++)
    value[i] = (share[0] * (color[0] & 0xff) * (color[0] >> (24 - 8 * i) & 0xff)
                + share[1] * (color[1] & 0xff) * (color[1] >> (24 - 8 * i) & 0xff))
               / MAX (alpha, 1e-9);
  *rgba = pack (value[0], value[1], value[2], alpha / 255 * MIN (sum / 100, 1));
  return TRUE;
}

/* light-dark(): the page is light. */
static gboolean
read_light (const char *text, guint32 *rgba, guint depth)
{
  const char *comma = find_comma (text);
  g_autofree char *light = NULL;

  if (*comma != ',')
    return FALSE;
  light = g_strstrip (g_strndup (text, (gsize)(comma - text)));
  return read_color (light, rgba, depth);
}

static gboolean
read_color (const char *text, guint32 *rgba, guint depth)
{
  if (text[0] == '#')
    return read_hex (text + 1, rgba);
  if (depth < MAX_COLORS_IN_COLORS && g_str_has_prefix (text, "color-mix("))
    return read_mix (text + strlen ("color-mix("), rgba, depth + 1);
  if (depth < MAX_COLORS_IN_COLORS && g_str_has_prefix (text, "light-dark("))
    return read_light (text + strlen ("light-dark("), rgba, depth + 1);
  if (strchr (text, '(') != NULL)
    return read_function (text, rgba);
  if (strcmp (text, "canvas") == 0 || strcmp (text, "canvastext") == 0)
    {
      *rgba = text[6] == '\0' ? 0xffffffff : 0x000000ff;
      return TRUE;
    }
  if (strcmp (text, "transparent") == 0)
    {
      *rgba = 0;
      return TRUE;
    }
  return find_name (text, rgba);
}

gboolean
postbag_css_read_color (const char *text, guint32 *rgba)
{
  return read_color (text, rgba, 0);
}

/* HTML section 2.3.6, as far as mail has it */
gboolean
postbag_css_read_legacy_color (const char *text, guint32 *rgba)
{
  char lower[32];
  gsize length = 0;

  while (*text == ' ')
    text++;
  for (; length < sizeof lower - 1 && text[length] != '\0' && text[length] != ' '; length++)
    lower[length] = g_ascii_tolower (text[length]);
  lower[length] = '\0';
  return length > 0
         && (postbag_css_read_color (lower, rgba) || (length == 6 && read_hex (lower, rgba)));
}

guint32
postbag_css_blend (guint32 over, guint32 under)
{
  guint32 alpha = over & 0xff, result = 0xff;

  for (guint shift = 8; shift < 32; shift += 8)
    {
      guint32 mixed = ((over >> shift & 0xff) * alpha + (under >> shift & 0xff) * (255 - alpha));

      result |= (mixed + 127) / 255 << shift;
    }
  return result;
}

/* Relative luminance. The curve is looked up: a page may change color at each word. */
static double
measure_luminance (guint32 rgba)
{
  static gsize started = 0;
  static double curve[256];

  if (g_once_init_enter (&started))
    {
      for (guint i = 0; i < 256; i++)
        curve[i] = i <= 10 ? i / 255.0 / 12.92 : pow ((i / 255.0 + 0.055) / 1.055, 2.4);
      g_once_init_leave (&started, 1);
    }
  return 0.2126 * curve[rgba >> 24] + 0.7152 * curve[rgba >> 16 & 0xff]
         + 0.0722 * curve[rgba >> 8 & 0xff];
}

double
postbag_css_contrast (guint32 a, guint32 b)
{
  double first = measure_luminance (a), second = measure_luminance (b);

  return (MAX (first, second) + 0.05) / (MIN (first, second) + 0.05);
}
