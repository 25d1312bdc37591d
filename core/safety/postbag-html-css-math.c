/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* calc(), min(), max() and clamp() (CSS Values 4, section 10), worked out while one goes through
 * the text, with a stack of bounded depth. What is deeper, or holds something that cannot be known
 * (a variable, a percentage beside a length), has no value here. Pixels and sizes of letters may
 * stand in one sum: they are kept apart. */

#include <string.h>

#include "safety/postbag-html-css-value-private.h"

#define MAX_BRACKETS 16

typedef enum
{
  SUM,
  LEAST,
  MOST,
  CLAMPED,
} Function;

typedef struct
{
  double number;
  double ems;
} Amount;

/* An open bracket. */
typedef struct
{
  Function function;
  guint values;  /* behind how many commas */
  Amount result; /* of the values before */
  Amount sum;    /* of the terms before this one */
  Amount term;
  char sign;      /* in front of the term: + or - */
  char operator;  /* in front of the factor: * or /, NUL: a term begins */
  gboolean ready; /* a factor has been read, an operator may follow */
} Bracket;

static void
begin_value (Bracket *self)
{
  self->sum = self->term = (Amount){ 0 };
  self->sign = '+';
  self->operator= '\0';
  self->ready = FALSE;
}

/* One of the two is a plain number, or there would be an area. */
static Amount
multiply (Amount one, Amount other)
{
  return (Amount){ one.number * other.number, one.ems * other.number + one.number * other.ems };
}

static void
take_factor (Bracket *self, Amount factor)
{
  if (self->operator== '*')
    self->term = multiply (self->term, factor);
  else if (self->operator== '/')
    self->term = multiply (self->term, (Amount){ factor.number != 0 ? 1 / factor.number : 1e9, 0 });
  else
    self->term = factor;
  self->ready = TRUE;
}

static void
end_term (Bracket *self, char sign)
{
  double factor = self->sign == '-' ? -1 : 1;

  self->sum.number += factor * self->term.number;
  self->sum.ems += factor * self->term.ems;
  self->sign = sign;
  self->operator= '\0';
  self->ready = FALSE;
}

/* Where letters have their ordinary size. */
static double
estimate (Amount amount)
{
  return amount.number + amount.ems * POSTBAG_CSS_ROOT_FONT;
}

static void
end_value (Bracket *self)
{
  gboolean less;

  end_term (self, '+');
  less = estimate (self->sum) < estimate (self->result);
  if (self->values == 0
      || (self->function == LEAST || (self->function == CLAMPED && self->values == 2) ? less
                                                                                      : !less))
    self->result = self->sum; /* the least of a clamp() wins below */
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

/* A number or a length at @text: what follows it, %NULL when it is none or of another kind.
 * @unit: PERCENT and PIXELS do not go together, unless one is nothing. */
static const char *
read_factor (const char *text, Amount *amount, guint8 *unit)
{
  PostbagCssDeclaration value = { 0 };
  const char *end = postbag_css_read_length (text, &value);
  guint8 kind = value.unit == POSTBAG_CSS_EMS ? POSTBAG_CSS_PIXELS : value.unit;
  gboolean plain;

  if (end == NULL)
    return NULL;
  plain = g_ascii_isdigit (end[-1]) || (value.number <= 0 && value.number >= 0);
  if (!plain && *unit != POSTBAG_CSS_KEYWORD && *unit != kind)
    return NULL;
  if (!plain)
    *unit = kind;
  amount->number = value.unit == POSTBAG_CSS_EMS ? 0 : value.number;
  amount->ems = value.unit == POSTBAG_CSS_EMS ? value.number : 0;
  return end;
}

static void
keep_result (Amount amount, guint8 unit, PostbagCssDeclaration *result)
{
  gboolean mixed = amount.ems < 0 || amount.ems > 0;

  result->number = (float)CLAMP (amount.number, -1e9, 1e9);
  result->ems = (float)CLAMP (amount.ems, -1e9, 1e9);
  result->unit = mixed                         ? POSTBAG_CSS_MIXED
                 : unit == POSTBAG_CSS_KEYWORD ? POSTBAG_CSS_PIXELS
                                               : unit;
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
      Amount amount = { 0 };

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
          amount = stack[--depth].result;
          if (depth > 0)
            take_factor (&stack[depth - 1], amount);
          else
            keep_result (amount, unit, result);
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
          text = read_factor (text, &amount, &unit);
          if (text == NULL)
            return NULL;
          take_factor (&stack[depth - 1], amount);
        }
      text += depth > 0 ? strspn (text, " ") : 0;
    }
  while (depth > 0);
  return text;
}
