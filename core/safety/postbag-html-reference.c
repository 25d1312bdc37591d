/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Character references (HTML section 13.2.5.72 and after it; contracts/guarded 4.5): decoded once,
 * in one pass, and written again for libxml2. */

#include <libxml/HTMLparser.h>

#include "safety/postbag-html-private.h"

#define MAX_REFERENCE 10

/* HTML section 13.2.5.80: numbers 0x80 to 0x9f mean windows-1252. */
static gunichar
map_c1 (gunichar c)
{
  static const gunichar table[32] = {
    0x20ac, 0xfffd, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0xfffd, 0x017d, 0xfffd, 0xfffd, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0xfffd, 0x017e, 0x0178,
  };

  return c >= 0x80 && c <= 0x9f ? table[c - 0x80] : c;
}

static gsize
append_number (GString *out, const char *text, gsize length)
{
  gboolean hex = length > 2 && (text[2] == 'x' || text[2] == 'X');
  gsize i = hex ? 3 : 2, start = i;
  gunichar c = 0;

  for (; i < length && (hex ? g_ascii_isxdigit (text[i]) : g_ascii_isdigit (text[i])); i++)
    c = c > 0x10ffff ? c : c * (hex ? 16 : 10) + (gunichar)g_ascii_xdigit_value (text[i]);
  if (i == start)
    return 0;
  c = map_c1 (c);
  g_string_append_unichar (out, c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0xfffd : c);
  return i + (i < length && text[i] == ';' ? 1 : 0);
}

gsize
postbag_html_append_reference (GString *out, const char *text, gsize length, gboolean attribute)
{
  char name[MAX_REFERENCE + 1];
  const htmlEntityDesc *entity;
  gsize i = 0;

  if (length > 1 && text[1] == '#')
    return append_number (out, text, length);
  while (i < MAX_REFERENCE && i + 1 < length && g_ascii_isalnum (text[i + 1]))
    {
      name[i] = text[i + 1];
      i++;
    }
  name[i] = '\0';
  entity = i > 0 ? htmlEntityLookup ((const xmlChar *)name) : NULL;
  if (entity == NULL || (attribute && (i + 1 >= length || text[i + 1] != ';')))
    return 0;
  g_string_append_unichar (out, entity->value);
  return i + 1 + (i + 1 < length && text[i + 1] == ';' ? 1 : 0);
}

void
postbag_html_append_escaped (GString *out, const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    {
      guchar c = (guchar)text[i];

      if (c == '&')
        g_string_append (out, "&amp;");
      else if (c == '<')
        g_string_append (out, "&lt;");
      else if (c == '"')
        g_string_append (out, "&quot;");
      else if (c >= ' ' || c == '\n' || c == '\t')
        g_string_append_c (out, (char)c);
      else if (c == '\f')
        g_string_append_c (out, ' ');
    }
}

void
postbag_html_decode (GString *plain, const char *text, gsize length, gboolean attribute)
{
  for (gsize i = 0; i < length;)
    {
      gsize used = 0;

      if (text[i] == '&')
        used = postbag_html_append_reference (plain, text + i, length - i, attribute);

      if (used == 0)
        g_string_append_c (plain, text[i]);
      i += MAX (used, 1);
    }
}

void
postbag_html_append_decoded (GString *out, const char *text, gsize length, gboolean attribute)
{
  g_autoptr (GString) plain = NULL;
  const char *reference = length > 0 ? memchr (text, '&', length) : NULL;

  if (reference == NULL)
    {
      postbag_html_append_escaped (out, text, length);
      return;
    }
  plain = g_string_sized_new (length);
  postbag_html_decode (plain, text, length, attribute);
  postbag_html_append_escaped (out, plain->str, plain->len);
}
