/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* calc(), min(), max() and clamp() (CSS Values 4, section 10), worked out while one goes through
 * the text, with a stack of bounded depth. What is deeper, or holds something that cannot be known
 * (a variable, a percentage beside a length), has no value here. */

#include <string.h>

#include "safety/postbag-html-css-private.h"

#define MAX_BRACKETS 16

typedef enum
{
  SUM,
  LEAST,
  MOST,
  CLAMPED,
} Function;

/* An open bracket. */
typedef struct
{
  Function function;
  guint values;  /* behind how many commas */
  double result; /* of the values before */
  double sum;    /* of the terms before this one */
  double term;
  char sign;      /* in front of the term: + or - */
  char operator;  /* in front of the factor: * or /, NUL: a term begins */
  gboolean ready; /* a factor has been read, an operator may follow */
} Bracket;

static void
begin_value (Bracket *self)
{
  self->sum = self->term = 0;
  self->sign = '+';
  self->operator= '\0';
  self->ready = FALSE;
}

static void
take_factor (Bracket *self, double number)
{
  if (self->operator== '*')
    self->term *= number;
  else if (self->operator== '/')
    self->term = number != 0 ? self->term / number : 1e9;
  else
    self->term = number;
  self->ready = TRUE;
}

static void
end_term (Bracket *self, char sign)
{
  self->sum += self->sign == '-' ? -self->term : self->term;
  self->sign = sign;
  self->operator= '\0';
  self->ready = FALSE;
}

static void
end_value (Bracket *self)
{
  double value;

  end_term (self, '+');
  value = self->sum;
  if (self->values == 0)
    self->result = value;
  else if (self->function == LEAST || (self->function == CLAMPED && self->values == 2))
    self->result = MIN (self->result, value);
  else
    self->result = MAX (self->result, value); /* the least of a clamp() wins below */
  self->values++;
  begin_value (self);
}

/* The function whose bracket opens at the end of what is at @text: its length, 0 when it is none.
 */
static gsize
read_function (const char *text, Function *function)
{
  static const struct
  {
    const char *name;
    Function function;
  } functions[] = { { "(", SUM },      { "calc(", SUM }, { "-webkit-calc(", SUM },
                    { "min(", LEAST }, { "max(", MOST }, { "clamp(", CLAMPED } };

  for (gsize i = 0; i < G_N_ELEMENTS (functions); i++)
    if (g_str_has_prefix (text, functions[i].name))
      {
        *function = functions[i].function;
        return strlen (functions[i].name);
      }
  return 0;
}

/* A number or a length at @text: what follows it, %NULL when it is none or of another kind. */
static const char *
read_factor (const char *text, double *number, guint8 *unit)
{
  PostbagCssDeclaration value = { 0 };
  const char *end = postbag_css_read_length (text, &value);
  gboolean plain = end != NULL && g_ascii_isdigit (end[-1]);

  if (end == NULL || (!plain && *unit != POSTBAG_CSS_KEYWORD && *unit != value.unit))
    return NULL;
  if (!plain)
    *unit = value.unit;
  *number = value.number;
  return end;
}

static gboolean
take_operator (Bracket *top, char c)
{
  if (!top->ready)
    return FALSE;
  if (c == '+' || c == '-')
    end_term (top, c);
  else if (c == '*' || c == '/')
    {
      top->operator= c;
      top->ready = FALSE;
    }
  else if (c == ',' && top->function != SUM)
    end_value (top);
  else
    return FALSE;
  return TRUE;
}

const char *
postbag_css_read_math (const char *text, PostbagCssDeclaration *result)
{
  Bracket stack[MAX_BRACKETS] = { 0 };
  guint depth = 0;
  guint8 unit = POSTBAG_CSS_KEYWORD;

  do
    {
      Function function = SUM;
      gsize opens = depth == 0 || !stack[depth - 1].ready ? read_function (text, &function) : 0;
      double number;

      if (opens > 0 && depth < MAX_BRACKETS)
        {
          stack[depth] = (Bracket){ .function = function };
          begin_value (&stack[depth++]);
          text += opens;
        }
      else if (depth == 0)
        return NULL;
      else if (*text == ')' && stack[depth - 1].ready)
        {
          end_value (&stack[depth - 1]);
          number = stack[--depth].result;
          if (depth > 0)
            take_factor (&stack[depth - 1], number);
          result->number = (float)CLAMP (number, -1e9, 1e9);
          text++;
        }
      else if (stack[depth - 1].ready)
        {
          if (!take_operator (&stack[depth - 1], *text))
            return NULL;
          text++;
        }
      else
        {
          text = read_factor (text, &number, &unit);
          if (text == NULL)
            return NULL;
          take_factor (&stack[depth - 1], number);
        }
      text += depth > 0 ? strspn (text, " ") : 0;
    }
  while (depth > 0);
  result->unit = unit == POSTBAG_CSS_KEYWORD ? POSTBAG_CSS_PIXELS : unit;
  return text;
}
