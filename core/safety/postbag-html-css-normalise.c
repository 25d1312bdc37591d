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

/* Section 4.3.7. What is no letter of a name becomes one that no name has. */
static void
append_escape (Normaliser *self)
{
  gunichar c = 0;
  guint digits = 0;

  self->at++;
  if (self->at >= self->end)
    return;
  for (; digits < 6 && self->at < self->end && g_ascii_isxdigit (*self->at); digits++)
    c = c * 16 + (gunichar)g_ascii_xdigit_value (*self->at++);
  if (digits == 0)
    {
      c = (guchar)*self->at++;
      if (c == '\n' || c >= 0x80)
        return; /* the character itself follows, or nothing */
    }
  else if (self->at < self->end && is_blank (*self->at))
    self->at += self->at[0] == '\r' && self->at + 1 < self->end && self->at[1] == '\n' ? 2 : 1;
  if (c < 0x80 && g_ascii_isdigit ((char)c))
    g_string_append_c (self->out, POSTBAG_CSS_ESCAPED); /* a name may start with this digit */
  if (c < 0x80)
    g_string_append_c (self->out, c > 0 && is_name ((char)c) ? (char)c : '?');
  else
    g_string_append_unichar (self->out, g_unichar_validate (c) ? c : 0xfffd);
}

/* A string goes on to its quote or, broken, to the end of its line. */
static void
append_string (Normaliser *self)
{
  char quote = *self->at++;

  g_string_append_c (self->out, '"');
  while (self->at < self->end && *self->at != quote && *self->at != '\n')
    {
      if (*self->at == '\\' && self->at + 1 < self->end)
        {
          self->at += 2;
          g_string_append_c (self->out, '?');
          continue;
        }
      g_string_append_c (self->out, is_name (*self->at) || *self->at == ' ' ? *self->at : '?');
      self->at++;
    }
  if (self->at < self->end && *self->at == quote)
    self->at++;
  g_string_append_c (self->out, '"');
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

  if (c == '/' && starts_with (self, "/*"))
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
