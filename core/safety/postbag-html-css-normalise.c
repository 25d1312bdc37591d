/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tokens of CSS Syntax 3 that could hide what follows them: comments, strings, escapes and
 * addresses. What is left can be cut at `{`, `}`, `;` and `,` without a second look. */

#include <string.h>

#include "safety/postbag-html-css-private.h"

typedef struct
{
  const char *at;
  const char *end;
  GString *out;
} Normaliser;

static gboolean
is_name (char c)
{
  return g_ascii_isalnum (c) || c == '-' || c == '_' || (guchar)c >= 0x80;
}

static gboolean
is_blank (char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static char
get_last (const Normaliser *self)
{
  return self->out->len > 0 ? self->out->str[self->out->len - 1] : ' ';
}

static void
append_blank (Normaliser *self)
{
  if (get_last (self) != ' ')
    g_string_append_c (self->out, ' ');
}

/* Two names do not grow together where a comment stood between them. */
static void
skip_comment (Normaliser *self)
{
  const char *close = memmem (self->at + 2, (gsize)(self->end - self->at - 2), "*/", 2);

  self->at = close != NULL ? close + 2 : self->end;
  if (self->at < self->end && is_name (*self->at) && is_name (get_last (self)))
    append_blank (self);
}

/* Section 4.3.7: the character that is escaped at the backslash, 0: none */
static gunichar
read_escape (Normaliser *self)
{
  gunichar c = 0;
  guint digits = 0;

  self->at++;
  if (self->at >= self->end)
    return 0;
  for (; digits < 6 && self->at < self->end && g_ascii_isxdigit (*self->at); digits++)
    c = c * 16 + (gunichar)g_ascii_xdigit_value (*self->at++);
  if (digits == 0)
    {
      c = (guchar)*self->at++;
      return c == '\n' || c >= 0x80 ? 0 : c; /* the rest of the character follows */
    }
  if (self->at < self->end && is_blank (*self->at))
    self->at += self->at[0] == '\r' && self->at + 1 < self->end && self->at[1] == '\n' ? 2 : 1;
  return c == 0 || !g_unichar_validate (c) ? 0xfffd : c;
}

/* What is no letter of a name becomes one that no name has. */
static void
append_escape (Normaliser *self)
{
  const char *start = self->at;
  gunichar c = read_escape (self);

  if (c == 0)
    {
      if (self->at > start + 1 && (guchar)self->at[-1] >= 0x80)
        self->at--; /* stands for itself */
      return;
    }
  if (c < 0x80 && g_ascii_isdigit ((char)c))
    g_string_append_c (self->out, POSTBAG_CSS_ESCAPED); /* a name may start with this digit */
  if (c < 0x80)
    g_string_append_c (self->out, is_name ((char)c) ? (char)c : '?');
  else
    g_string_append_unichar (self->out, c);
}

static void
append_quoted (Normaliser *self, char c)
{
  if (is_name (c) || c == ' ')
    {
      g_string_append_c (self->out, c);
      return;
    }
  g_string_append_c (self->out, POSTBAG_CSS_QUOTED);
  g_string_append_c (self->out, (char)((guchar)c | 0x80));
}

/* A string goes on to its quote or, broken, to the end of its line. */
static void
append_string (Normaliser *self)
{
  char quote = *self->at++;

  g_string_append_c (self->out, '"');
  while (self->at < self->end && *self->at != quote && *self->at != '\n')
    {
      gunichar c;

      if (*self->at != '\\')
        {
          append_quoted (self, *self->at++);
          continue;
        }
      c = read_escape (self);
      if (c >= 0x80)
        g_string_append_unichar (self->out, c);
      else if (c > 0)
        append_quoted (self, (char)c);
      else if ((guchar)self->at[-1] >= 0x80)
        self->at--;
    }
  if (self->at < self->end && *self->at == quote)
    self->at++;
  g_string_append_c (self->out, '"');
}

char *
postbag_css_unquote (const char *text, gsize length)
{
  GString *out = g_string_sized_new (length);

  for (gsize i = 0; i < length; i++)
    {
      if (text[i] == POSTBAG_CSS_QUOTED && i + 1 < length)
        g_string_append_c (out, (char)((guchar)text[++i] & 0x7f));
      else if (text[i] != POSTBAG_CSS_ESCAPED)
        g_string_append_c (out, text[i]);
    }
  return g_string_free (out, FALSE);
}

/* `url(` without quotes: to the bracket */
static void
append_address (Normaliser *self)
{
  const char *p = self->at + 4;

  while (p < self->end && is_blank (*p))
    p++;
  g_string_append (self->out, "url(");
  self->at += 4;
  if (p < self->end && (*p == '"' || *p == '\''))
    return;
  p = memchr (self->at, ')', (gsize)(self->end - self->at));
  self->at = p != NULL ? p : self->end;
}

static gboolean
starts_with (const Normaliser *self, const char *word)
{
  gsize length = strlen (word);

  return (gsize)(self->end - self->at) >= length
         && g_ascii_strncasecmp (self->at, word, length) == 0;
}

static void
append_next (Normaliser *self)
{
  char c = *self->at;

  if (g_ascii_isalnum (c) && (c | 0x20) != 'u')
    {
      self->at++;
      g_string_append_c (self->out, c); /* most of it */
    }
  else if (c == '/' && starts_with (self, "/*"))
    skip_comment (self);
  else if (c == '\\')
    append_escape (self);
  else if (c == '"' || c == '\'')
    append_string (self);
  else if ((c == 'u' || c == 'U') && starts_with (self, "url(") && !is_name (get_last (self)))
    append_address (self);
  else if ((c == '<' && starts_with (self, "<!--")) || (c == '-' && starts_with (self, "-->")))
    {
      self->at += c == '<' ? 4 : 3;
      append_blank (self);
    }
  else if (is_blank (c))
    {
      self->at++;
      append_blank (self);
    }
  else
    {
      self->at++;
      if (c != '\0')
        g_string_append_c (self->out, c != POSTBAG_CSS_ESCAPED ? c : '?');
    }
}

char *
postbag_css_normalise (const char *css, gsize length)
{
  Normaliser self = { css, css + length, g_string_sized_new (length + 1) };

  while (self.at < self.end)
    append_next (&self);
  return g_string_free (self.out, FALSE);
}
