/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an inline style says about being seen. CSS comments and escapes (`\64isplay`) are undone
 * first. A font size of zero and a hidden visibility are inherited and can be undone further in,
 * which newsletters do all the time; `display: none` and `opacity: 0` cannot. */

#include "safety/postbag-html-private.h"

#include <string.h>

/* Longer styles are cut: nothing in the wild comes near. */
#define MAX_STYLE 4096

/* Smaller than this, in pixels or points, nobody reads it. */
#define SMALLEST_FONT 1.0
#define FAINTEST_OPACITY 0.05

/* Decodes the escape behind a backslash: characters consumed. */
static gsize
append_escape (GString *out, const char *text)
{
  gsize digits = 0;
  gunichar c = 0;

  while (digits < 6 && g_ascii_isxdigit (text[digits]))
    c = c * 16 + (gunichar)g_ascii_xdigit_value (text[digits++]);
  if (digits == 0)
    {
      if (text[0] == '\0')
        return 0;
      g_string_append_c (out, g_ascii_tolower (text[0]));
      return 1;
    }
  if (c > 0 && c < 0x80)
    g_string_append_c (out, g_ascii_tolower ((char)c));
  else
    g_string_append_c (out, '?');
  return digits + (text[digits] == ' ' ? 1 : 0);
}

/* (transfer full): lower case, without comments, escapes and blanks */
static char *
normalise (const char *style)
{
  GString *out = g_string_new (NULL);
  const char *end = style + strnlen (style, MAX_STYLE);

  for (const char *p = style; p < end;)
    {
      if (p[0] == '/' && p[1] == '*')
        {
          const char *close = strstr (p + 2, "*/");

          p = close != NULL ? close + 2 : end;
        }
      else if (*p == '\\')
        p += 1 + append_escape (out, p + 1);
      else
        {
          if (!g_ascii_isspace (*p))
            g_string_append_c (out, g_ascii_tolower (*p));
          p++;
        }
    }
  return g_string_free (out, FALSE);
}

static PostbagHtmlSight
judge_font_size (const char *value)
{
  char *unit;
  double size = g_ascii_strtod (value, &unit);

  if (unit == value)
    return POSTBAG_HTML_SEEN; /* small, medium, ... */
  if (size == 0
      || (size <= SMALLEST_FONT
          && (g_str_has_prefix (unit, "px") || g_str_has_prefix (unit, "pt"))))
    return POSTBAG_HTML_UNSEEN;
  if (g_str_has_prefix (unit, "em") || g_str_has_prefix (unit, "%")
      || g_str_has_prefix (unit, "ex"))
    return POSTBAG_HTML_INHERIT; /* a multiple of the parent's */
  return POSTBAG_HTML_SEEN;
}

static void
read_declaration (const char *name, const char *value, PostbagHtmlStyle *result)
{
  if (strcmp (name, "display") == 0)
    result->removed |= g_str_has_prefix (value, "none");
  else if (strcmp (name, "visibility") == 0)
    result->visible = g_str_has_prefix (value, "hidden") || g_str_has_prefix (value, "collapse")
                          ? POSTBAG_HTML_UNSEEN
                          : POSTBAG_HTML_SEEN;
  else if (strcmp (name, "opacity") == 0)
    {
      char *end;
      double opacity = g_ascii_strtod (value, &end);

      result->removed |= end != value && opacity * (*end == '%' ? 0.01 : 1) <= FAINTEST_OPACITY;
    }
  else if (strcmp (name, "font-size") == 0)
    result->font_size = judge_font_size (value);
  else if (strcmp (name, "font") == 0
           && (g_str_has_prefix (value, "0/") || g_str_has_prefix (value, "0px")))
    result->font_size = POSTBAG_HTML_UNSEEN;
}

void
postbag_html_read_style (const char *style, PostbagHtmlStyle *result)
{
  g_autofree char *normal = normalise (style);
  char *declaration = normal;

  while (declaration != NULL)
    {
      char *next = strchr (declaration, ';');
      char *colon;

      if (next != NULL)
        *next++ = '\0';
      colon = strchr (declaration, ':');
      if (colon != NULL)
        {
          *colon = '\0';
          read_declaration (declaration, colon + 1, result);
        }
      declaration = next;
    }
}
