/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* JSON Schema's patterns are ECMA-262's with the `u` flag. GRegex (PCRE) differs where classes are
 * concerned (`\d` is Unicode's there, ASCII here), in `$` (before a last line break there) and in a
 * few escapes: those are rewritten, everything else goes through as it is. */

#include "json/postbag-schema-private.h"

#include <string.h>

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

/* Inside of brackets; outside they are put in brackets. */
static const struct
{
  char letter;
  const char *members;
} classes[] = {
  { 'd', "0-9" },
  { 'D', "\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}" },
  { 'w', "A-Za-z0-9_" },
  { 'W', "\\x{0}-\\x{2f}\\x{3a}-\\x{40}\\x{5b}-\\x{5e}\\x{60}\\x{7b}-\\x{10ffff}" },
  { 's', "\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}"
         "\\x{205f}\\x{3000}\\x{feff}" },
  { 'S', "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}"
         "\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}"
         "\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}" },
};

/* Long names of the general categories (UAX 44, table 12); PCRE knows the short ones. */
static const char *const categories[][2] = {
  { "Letter", "L" },
  { "Cased_Letter", "L&" },
  { "Uppercase_Letter", "Lu" },
  { "Lowercase_Letter", "Ll" },
  { "Titlecase_Letter", "Lt" },
  { "Modifier_Letter", "Lm" },
  { "Other_Letter", "Lo" },
  { "Mark", "M" },
  { "Nonspacing_Mark", "Mn" },
  { "Spacing_Mark", "Mc" },
  { "Enclosing_Mark", "Me" },
  { "Number", "N" },
  { "Decimal_Number", "Nd" },
  { "digit", "Nd" },
  { "Letter_Number", "Nl" },
  { "Other_Number", "No" },
  { "Punctuation", "P" },
  { "punct", "P" },
  { "Symbol", "S" },
  { "Math_Symbol", "Sm" },
  { "Currency_Symbol", "Sc" },
  { "Separator", "Z" },
  { "Space_Separator", "Zs" },
  { "Other", "C" },
  { "Control", "Cc" },
  { "cntrl", "Cc" },
  { "Format", "Cf" },
  { "Private_Use", "Co" },
};

typedef struct
{
  const char *at;
  GString *text;
  gboolean in_brackets;
  const char *problem; /* (nullable) */
} Translation;

static gboolean
translate_class (Translation *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    {
      if (*self->at != classes[i].letter)
        continue;
      self->at++;
      g_string_append_printf (self->text, self->in_brackets ? "%s" : "[%s]", classes[i].members);
      return TRUE;
    }
  return FALSE;
}

/* At `p{...}` or `P{...}`. */
static void
translate_property (Translation *self)
{
  const char *start = self->at + 2;
  const char *end = strchrnul (start, '}');
  g_autofree char *name = g_strndup (start, (gsize)(end - start));
  const char *equals = strchr (name, '=');
  const char *known = equals != NULL ? equals + 1 : name;

  for (guint i = 0; i < G_N_ELEMENTS (categories); i++)
    {
      if (strcmp (known, categories[i][0]) == 0)
        known = categories[i][1];
    }
  g_string_append_printf (self->text, "\\%c{%s}", *self->at, known);
  self->at = *end == '}' ? end + 1 : end;
}

/* At `u`: `uXXXX` or `u{X...}`. */
static gboolean
translate_code_point (Translation *self)
{
  const char *digits = self->at[1] == '{' ? self->at + 2 : self->at + 1;
  gsize length = strspn (digits, "0123456789abcdefABCDEF");

  if (self->at[1] == '{' ? digits[length] != '}' : length < 4)
    return FALSE;
  if (self->at[1] != '{')
    length = 4;
  g_string_append_printf (self->text, "\\x{%.*s}", (gint)MIN (length, 8), digits);
  self->at = digits + length + (self->at[1] == '{');
  return TRUE;
}

/* Behind a backslash. */
static void
translate_escape (Translation *self)
{
  if (g_ascii_isalpha (*self->at) && strchr ("bBcdDfknpPrsStuvwWx", *self->at) == NULL)
    self->problem = "there is no such escape in ECMA-262";
  if (translate_class (self))
    return;
  if ((*self->at == 'p' || *self->at == 'P') && self->at[1] == '{')
    {
      translate_property (self);
      return;
    }
  if (*self->at == 'u' && translate_code_point (self))
    return;
  g_string_append_c (self->text, '\\');
  if (*self->at == 'v') /* a class of blanks in PCRE */
    {
      g_string_append (self->text, "x{b}");
      self->at++;
    }
  else if (*self->at != '\0')
    {
      g_string_append_c (self->text, *self->at++);
    }
}

/* Behind `(`: of PCRE's groups those that ECMA-262 has too. */
static void
check_group (Translation *self)
{
  const char *kind = self->at + 1;

  if (*self->at == '*')
    self->problem = "there is nothing that `*` could repeat";
  if (*self->at != '?' || *kind == ':' || *kind == '=' || *kind == '!')
    return;
  if (*kind != '<' || (kind[1] != '=' && kind[1] != '!' && !g_ascii_isalpha (kind[1])))
    self->problem = "there is no such group in ECMA-262";
}

/* Behind `[`. `[]` is nothing and `[^]` anything; PCRE would go on to the next `]`. */
static void
open_brackets (Translation *self)
{
  gboolean negated = *self->at == '^';

  self->at += negated;
  if (*self->at == ']')
    {
      self->at++;
      g_string_append (self->text, negated ? "(?s:.)" : "(?!)");
      return;
    }
  self->in_brackets = TRUE;
  g_string_append (self->text, negated ? "[^" : "[");
}

static void
translate_character (Translation *self)
{
  char c = *self->at++;

  if (c == '\\')
    {
      translate_escape (self);
      return;
    }
  if (self->in_brackets)
    {
      self->in_brackets = c != ']';
      /* `[` inside of brackets would begin a POSIX class. */
      g_string_append (self->text, c == '[' ? "\\" : "");
      g_string_append_c (self->text, c);
      return;
    }
  if (c == '$')
    {
      g_string_append (self->text, "\\z");
      return;
    }
  if (c == '[')
    {
      open_brackets (self);
      return;
    }
  if (c == '(')
    check_group (self);
  g_string_append_c (self->text, c);
}

static char *
translate (const char *pattern, GError **error)
{
  Translation translation = { .at = pattern, .text = g_string_new (NULL) };

  g_string_append_printf (translation.text, "(*LIMIT_MATCH=%u)(*LIMIT_DEPTH=%u)",
                          POSTBAG_LIMIT_PATTERN_STEPS, POSTBAG_LIMIT_PATTERN_STEPS);
  while (*translation.at != '\0' && translation.problem == NULL)
    translate_character (&translation);
  if (translation.problem == NULL)
    return g_string_free (translation.text, FALSE);
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_BAD_DATA, "%s: “%.*s”", translation.problem,
               (gint)(translation.at - pattern), pattern);
  g_string_free (translation.text, TRUE);
  return NULL;
}

GRegex *
postbag_schema_pattern_new (const char *pattern, GError **error)
{
  g_autofree char *translated = translate (pattern, error);

  return translated != NULL ? g_regex_new (translated, 0, 0, error) : NULL;
}

gboolean
postbag_schema_pattern_match (const GRegex *regex, const char *text, gboolean *exhausted)
{
  g_autoptr (GError) error = NULL;
  gsize length = strlen (text);

  if (length > POSTBAG_LIMIT_PATTERN_TEXT_BYTES)
    {
      *exhausted = TRUE;
      return FALSE;
    }
  if (g_regex_match_full (regex, text, (gssize)length, 0, 0, NULL, &error))
    return TRUE;
  if (error != NULL)
    *exhausted = TRUE;
  return FALSE;
}
