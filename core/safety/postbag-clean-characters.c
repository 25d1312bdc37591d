/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which characters a reader does not see, and which of those nevertheless carry meaning. */

#include "safety/postbag-clean-private.h"

typedef struct
{
  gunichar first;
  gunichar last;
} Range;

/* Default_Ignorable_Code_Point of Unicode 15 with the interlinear marks; sorted. */
static const Range invisible[] = {
  { 0x00ad, 0x00ad },   { 0x034f, 0x034f }, { 0x061c, 0x061c },   { 0x115f, 0x1160 },
  { 0x17b4, 0x17b5 },   { 0x180b, 0x180f }, { 0x200b, 0x200f },   { 0x202a, 0x202e },
  { 0x2060, 0x206f },   { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
  { 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },
  { 0xe0000, 0xe0fff },
};

/* Characters that carry an emoji presentation or stand in a joined sequence; sorted. Wider than
 * Extended_Pictographic where that saves rows. */
static const Range pictographs[] = {
  { 0x00a9, 0x00a9 }, { 0x00ae, 0x00ae }, { 0x203c, 0x203c }, { 0x2049, 0x2049 },
  { 0x2122, 0x2122 }, { 0x2139, 0x2139 }, { 0x2194, 0x21aa }, { 0x231a, 0x23ff },
  { 0x24c2, 0x24c2 }, { 0x25aa, 0x27bf }, { 0x2934, 0x2935 }, { 0x2b05, 0x2b55 },
  { 0x3030, 0x3030 }, { 0x303d, 0x303d }, { 0x3297, 0x3299 }, { 0x1f000, 0x1faff },
};

static gboolean
find_in_ranges (const Range *ranges, gsize count, gunichar c)
{
  for (gsize i = 0; i < count && ranges[i].first <= c; i++)
    if (c <= ranges[i].last)
      return TRUE;
  return FALSE;
}

gboolean
postbag_clean_is_invisible (gunichar c)
{
  return c >= 0xad && find_in_ranges (invisible, G_N_ELEMENTS (invisible), c);
}

gboolean
postbag_clean_is_control (gunichar c)
{
  return (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c <= 0x9f);
}

gboolean
postbag_clean_is_blank (gunichar c)
{
  if (c < 0x80)
    return c == ' ' || c == '\t';
  return g_unichar_type (c) == G_UNICODE_SPACE_SEPARATOR || c == 0x2800;
}

gsize
postbag_clean_measure_letter (const char *text)
{
  guchar lead = (guchar)text[0];
  gsize length;

  if ((lead >= 0xc3 && lead <= 0xc8) || lead == 0xd0 || lead == 0xd1)
    length = 2;
  else if (lead >= 0xe4 && lead <= 0xe9)
    length = 3;
  else
    return 0;
  for (gsize i = 1; i < length; i++)
    if (((guchar)text[i] & 0xc0) != 0x80)
      return 0;
  return length;
}

static gboolean
is_pictograph (gunichar c)
{
  return find_in_ranges (pictographs, G_N_ELEMENTS (pictographs), c);
}

/* Scripts in which U+200C and U+200D choose the shape of a letter (Unicode 15, sections 9 to 16).
 */
static gboolean
is_joining_script (GUnicodeScript script)
{
  switch (script)
    {
    case G_UNICODE_SCRIPT_ARABIC:
    case G_UNICODE_SCRIPT_SYRIAC:
    case G_UNICODE_SCRIPT_NKO:
    case G_UNICODE_SCRIPT_MANDAIC:
    case G_UNICODE_SCRIPT_MONGOLIAN:
    case G_UNICODE_SCRIPT_ADLAM:
    case G_UNICODE_SCRIPT_DEVANAGARI:
    case G_UNICODE_SCRIPT_BENGALI:
    case G_UNICODE_SCRIPT_GURMUKHI:
    case G_UNICODE_SCRIPT_GUJARATI:
    case G_UNICODE_SCRIPT_ORIYA:
    case G_UNICODE_SCRIPT_TAMIL:
    case G_UNICODE_SCRIPT_TELUGU:
    case G_UNICODE_SCRIPT_KANNADA:
    case G_UNICODE_SCRIPT_MALAYALAM:
    case G_UNICODE_SCRIPT_SINHALA:
    case G_UNICODE_SCRIPT_MYANMAR:
    case G_UNICODE_SCRIPT_KHMER:
    case G_UNICODE_SCRIPT_TIBETAN:
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
postbag_clean_keeps_joiner (gunichar previous, gunichar joiner, gunichar next)
{
  GUnicodeScript script;

  if (joiner == 0xfe0f)
    return is_pictograph (previous);
  if (joiner == 0x200d && is_pictograph (next) && (previous == 0xfe0f || is_pictograph (previous)))
    return TRUE;
  if (joiner != 0x200c && joiner != 0x200d)
    return FALSE;
  script = g_unichar_get_script (previous);
  if (script == G_UNICODE_SCRIPT_INHERITED)
    return is_joining_script (g_unichar_get_script (next));
  return is_joining_script (script) && g_unichar_get_script (next) == script;
}

char
postbag_clean_fold_punctuation (gunichar c)
{
  if (c < 0x80)
    return (char)c;
  if (c >= 0xff01 && c <= 0xff5e)
    return (char)(c - 0xff01 + '!');
  switch (c)
    {
    case 0x203c: /* double exclamation mark */
    case 0x2048: /* question exclamation mark */
    case 0xfe15:
    case 0xfe57:
      return '!';
    case 0xfe47:
      return '[';
    case 0xfe48:
      return ']';
    case 0x207d:
    case 0x208d:
    case 0xfe35:
    case 0xfe59:
      return '(';
    case 0xfe64:
      return '<';
    case 0xfe65:
      return '>';
    case 0xfe13:
    case 0xfe55:
      return ':';
    case 0xfe68:
      return '\\';
    case 0x2024:
    case 0x2025:
    case 0x2026:
    case 0xfe52:
      return '.';
    default:
      return 0;
    }
}
