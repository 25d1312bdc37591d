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

/* The next of a function's values; percentages are told by @percent. */
static const char *
read_component (const char *text, double *value, gboolean *percent)
{
  const char *end;

  while (*text == ' ' || *text == ',' || *text == '/')
    text++;
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
  return *percent ? end + 1 : end;
}

static guint32
pack (double red, double green, double blue, double alpha)
{
  return (guint32)(CLAMP (red, 0, 255) + 0.5) << 24 | (guint32)(CLAMP (green, 0, 255) + 0.5) << 16
         | (guint32)(CLAMP (blue, 0, 255) + 0.5) << 8 | (guint32)(CLAMP (alpha, 0, 1) * 255 + 0.5);
}

/* CSS Color 4, section 7.1 */
static double
mix_hue (double hue, double saturation, double lightness, double n)
{
  double k = fmod (n + hue / 30, 12);

  return (lightness
          - saturation * MIN (lightness, 1 - lightness) * MAX (-1, MIN (MIN (k - 3, 9 - k), 1)))
         * 255;
}

static guint32
pack_hsl (double hue, double saturation, double lightness, double alpha)
{
  hue = fmod (fmod (hue, 360) + 360, 360);
  saturation = CLAMP (saturation / 100, 0, 1);
  lightness = CLAMP (lightness / 100, 0, 1);
  return pack (mix_hue (hue, saturation, lightness, 0), mix_hue (hue, saturation, lightness, 8),
               mix_hue (hue, saturation, lightness, 4), alpha);
}

/* rgb(), rgba(), hsl(), hsla(): with commas or blanks, alpha in either */
static gboolean
read_function (const char *text, guint32 *rgba)
{
  gboolean hsl = text[0] == 'h';
  double value[4] = { 0, 0, 0, 1 };
  gboolean percent;

  text = strchr (text, '(');
  if (text == NULL)
    return FALSE;
  text++;
  for (guint i = 0; i < 4; i++)
    {
      const char *end = read_component (text, &value[i], &percent);

      if (end == NULL && i < 3)
        return FALSE;
      if (end == NULL)
        break;
      if (percent && i == 3)
        value[i] /= 100;
      else if (percent && !hsl)
        value[i] *= 2.55;
      text = end;
    }
  while (*text == ' ')
    text++;
  if (*text != ')')
    return FALSE;
  *rgba = hsl ? pack_hsl (value[0], value[1], value[2], value[3])
              : pack (value[0], value[1], value[2], value[3]);
  return TRUE;
}

/* hwb(): white and black mixed into a hue; what is mixed to grey needs no hue. */
static gboolean
read_hwb (const char *text, guint32 *rgba)
{
  double value[4] = { 0, 0, 0, 1 };
  gboolean percent = FALSE;

  for (guint i = 0; i < 4; i++)
    {
      const char *end = read_component (text, &value[i], &percent);

      if (end == NULL && i < 3)
        return FALSE;
      if (end == NULL)
        break;
      value[i] *= percent && i == 3 ? 0.01 : 1;
      text = end;
    }
  if (value[1] + value[2] < 100)
    return FALSE; /* a color of its own: not known here */
  value[1] = value[1] / (value[1] + value[2]) * 255;
  *rgba = pack (value[1], value[1], value[1], value[3]);
  return TRUE;
}

/* color(srgb ...) */
static gboolean
read_srgb (const char *text, guint32 *rgba)
{
  double value[4] = { 0, 0, 0, 1 };
  gboolean percent = FALSE;

  for (guint i = 0; i < 4; i++)
    {
      const char *end = read_component (text, &value[i], &percent);

      if (end == NULL && i < 3)
        return FALSE;
      if (end == NULL)
        break;
      value[i] *= percent ? 0.01 : 1;
      text = end;
    }
  *rgba = pack (value[0] * 255, value[1] * 255, value[2] * 255, value[3]);
  return TRUE;
}

/* lab(), lch(), oklab(), oklch(): at the ends of lightness there is only white and black. */
static gboolean
read_lightness (const char *text, double most, guint32 *rgba)
{
  double lightness;
  gboolean percent = FALSE;

  if (read_component (text, &lightness, &percent) == NULL)
    return FALSE;
  lightness /= percent ? 100 : most;
  if (lightness > 0.01 && lightness < 0.99)
    return FALSE;
  *rgba = lightness < 0.5 ? 0x000000ff : 0xffffffff;
  return TRUE;
}

/* What is neither rgb() nor hsl(), as far as it can be told without the mathematics of it. */
static gboolean
read_other_function (const char *text, guint32 *rgba)
{
  if (g_str_has_prefix (text, "hwb("))
    return read_hwb (text + 4, rgba);
  if (g_str_has_prefix (text, "color(srgb ") || g_str_has_prefix (text, "color(display-p3 "))
    return read_srgb (strchr (text, ' '), rgba);
  if (g_str_has_prefix (text, "lab(") || g_str_has_prefix (text, "lch("))
    return read_lightness (text + 4, 100, rgba);
  if (g_str_has_prefix (text, "oklab(") || g_str_has_prefix (text, "oklch("))
    return read_lightness (text + 6, 1, rgba);
  return FALSE;
}

gboolean
postbag_css_read_color (const char *text, guint32 *rgba)
{
  if (text[0] == '#')
    return read_hex (text + 1, rgba);
  if (read_other_function (text, rgba))
    return TRUE;
  if (g_str_has_prefix (text, "rgb") || g_str_has_prefix (text, "hsl"))
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
