/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-number-format.h"

#include <math.h>
#include <string.h>

#include "extract/postbag-number-format-private.h"

#define LONGEST_CODE 255 /* what Office takes */
#define MOST_DECIMALS 30
#define SECTIONS 4

typedef PostbagFormatToken Token;

typedef struct
{
  GArray *tokens;
  gboolean is_date;
  gboolean has_condition;
  char comparison[3];
  double operand;
} Section;

const char *
postbag_number_format_get_builtin (guint id)
{
  static const char *const codes[] = {
    [1] = "0",
    [2] = "0.00",
    [3] = "#,##0",
    [4] = "#,##0.00",
    [9] = "0%",
    [10] = "0.00%",
    [11] = "0.00E+00",
    [12] = "# ?/?",
    [13] = "# ?\?/??",
    [14] = "yyyy-mm-dd",
    [15] = "d-mmm-yy",
    [16] = "d-mmm",
    [17] = "mmm-yy",
    [18] = "h:mm AM/PM",
    [19] = "h:mm:ss AM/PM",
    [20] = "h:mm",
    [21] = "h:mm:ss",
    [22] = "yyyy-mm-dd hh:mm",
    [37] = "#,##0_);(#,##0)",
    [38] = "#,##0_);(#,##0)",
    [39] = "#,##0.00_);(#,##0.00)",
    [40] = "#,##0.00_);(#,##0.00)",
    [41] = "#,##0;-#,##0;\"-\"",
    [42] = "$#,##0;-$#,##0;$\"-\"",
    [43] = "#,##0.00;-#,##0.00;\"-\"",
    [44] = "$#,##0.00;-$#,##0.00;$\"-\"",
    [45] = "mm:ss",
    [46] = "[h]:mm:ss",
    [47] = "mm:ss.0",
    [48] = "##0.0E+0",
    [49] = "@",
  };

  if ((id >= 27 && id <= 36) || (id >= 50 && id <= 58))
    return "yyyy-mm-dd"; /* dates of East Asia */
  return id < G_N_ELEMENTS (codes) ? codes[id] : NULL;
}

/* --- General --- */

static void
drop_end_zeros (GString *out, gsize start)
{
  if (memchr (out->str + start, '.', out->len - start) == NULL)
    return;
  while (out->str[out->len - 1] == '0')
    g_string_truncate (out, out->len - 1);
  if (out->str[out->len - 1] == '.')
    g_string_truncate (out, out->len - 1);
}

static void
append_double (GString *out, const char *format, double value)
{
  char buffer[400];

  g_string_append (out, g_ascii_formatd (buffer, sizeof buffer, format, value));
}

/* All digits of a whole number (it may be an order's), ten decimals at most of another. */
static void
append_general (GString *out, double value)
{
  gsize start = out->len;
  double size = fabs (value);

  if (!isfinite (value))
    g_string_append (out, "#NUM!");
  else if (size < 1e15 && value == floor (value))
    append_double (out, "%.0f", value);
  else if (size >= 1e-4 && size < 1e11)
    {
      char format[8];
      gint before = size < 1 ? 1 : (gint)floor (log10 (size)) + 1;

      g_snprintf (format, sizeof format, "%%.%df", CLAMP (15 - before, 0, 10));
      append_double (out, format, value);
      drop_end_zeros (out, start);
    }
  else
    append_double (out, "%.9G", value);
}

/* --- reading a code --- */

static void
add (GArray *tokens, PostbagFormatKind kind, gunichar value, guint count)
{
  Token token = { kind, value, count };

  g_array_append_val (tokens, token);
}

static const char *
add_letters (GArray *tokens, const char *at, const char *end)
{
  for (; at < end; at = g_utf8_next_char (at))
    add (tokens, POSTBAG_FORMAT_LITERAL, g_utf8_get_char (at), 1);
  return end;
}

static gboolean
take_condition (Section *section, const char *inside, gsize length)
{
  g_autofree char *text = g_strndup (inside, length);
  gsize comparison = strspn (text, "<>=");

  if (comparison == 0 || comparison > 2)
    return FALSE;
  section->has_condition = TRUE;
  memcpy (section->comparison, text, comparison);
  section->operand = g_ascii_strtod (text + comparison, NULL);
  return TRUE;
}

/* `[Red]`, `[$€-407]`, `[>=100]`, `[h]` */
static const char *
read_brackets (Section *section, const char *at)
{
  const char *end = strchr (at, ']');
  const char *inside = at + 1;
  gsize length;

  if (end == NULL)
    return at + strlen (at);
  length = (gsize)(end - inside);
  if (*inside == '$')
    {
      gsize letters = MIN (strcspn (inside, "-]"), length);

      add_letters (section->tokens, inside + 1, inside + letters);
    }
  else if (length > 0 && strchr ("hHmMsS", *inside) != NULL
           && strspn (inside, (char[]){ g_ascii_tolower (*inside), g_ascii_toupper (*inside), 0 })
                  == length)
    {
      add (section->tokens, POSTBAG_FORMAT_ELAPSED, (gunichar)g_ascii_tolower (*inside),
           (guint)length);
      section->is_date = TRUE;
    }
  else
    take_condition (section, inside, length);
  return end + 1;
}

static const char *
read_quoted (Section *section, const char *at)
{
  const char *end = strchr (at + 1, '"');

  if (end == NULL)
    end = at + strlen (at);
  add_letters (section->tokens, at + 1, end);
  return *end == '"' ? end + 1 : end;
}

/* `y`, `m`, `d`, `h`, `s`, `e`: runs of one letter */
static const char *
read_date_letters (Section *section, const char *at)
{
  char letter = g_ascii_tolower (*at);
  guint count = 0;
  PostbagFormatKind kind = letter == 'y' || letter == 'e' ? POSTBAG_FORMAT_YEAR
                           : letter == 'm'                ? POSTBAG_FORMAT_MONTH
                           : letter == 'd'                ? POSTBAG_FORMAT_DAY
                           : letter == 'h'                ? POSTBAG_FORMAT_HOUR
                                                          : POSTBAG_FORMAT_SECOND;

  while (g_ascii_tolower (at[count]) == letter)
    count++;
  add (section->tokens, kind, 0, letter == 'e' ? 4 : count);
  section->is_date = TRUE;
  return at + count;
}

static const char *
skip_char (const char *at)
{
  return *at != '\0' ? g_utf8_next_char (at) : at;
}

/* A sign that stands for itself, or for a digit. */
static const char *
read_sign (Section *section, const char *at)
{
  static const struct
  {
    char sign;
    PostbagFormatKind kind;
  } signs[] = {
    { '0', POSTBAG_FORMAT_DIGIT }, { '#', POSTBAG_FORMAT_DIGIT }, { '?', POSTBAG_FORMAT_DIGIT },
    { '.', POSTBAG_FORMAT_POINT }, { ',', POSTBAG_FORMAT_GROUP }, { '%', POSTBAG_FORMAT_PERCENT },
    { '/', POSTBAG_FORMAT_SLASH }, { '@', POSTBAG_FORMAT_TEXT },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (signs); i++)
    if (*at == signs[i].sign)
      {
        add (section->tokens, signs[i].kind, (guchar)*at, 1);
        return at + 1;
      }
  return add_letters (section->tokens, at, g_utf8_next_char (at));
}

static const char *
read_word (Section *section, const char *at)
{
  if (g_ascii_strncasecmp (at, "General", 7) == 0)
    {
      add (section->tokens, POSTBAG_FORMAT_GENERAL, 0, 1);
      return at + 7;
    }
  if (g_ascii_strncasecmp (at, "AM/PM", 5) == 0 || g_ascii_strncasecmp (at, "A/P", 3) == 0)
    {
      add (section->tokens, POSTBAG_FORMAT_MERIDIEM, 0, 1);
      section->is_date = TRUE;
      return at + (g_ascii_tolower (at[1]) == 'm' ? 5 : 3);
    }
  if ((*at == 'E' || *at == 'e') && (at[1] == '+' || at[1] == '-'))
    {
      add (section->tokens, POSTBAG_FORMAT_EXPONENT, (guchar)at[1], 1);
      return at + 2;
    }
  return strchr ("yYmMdDhHsSeE", *at) != NULL ? read_date_letters (section, at)
                                              : read_sign (section, at);
}

/* Returns: behind the section, at `;` or the end */
static const char *
read_section (Section *section, const char *at)
{
  while (*at != '\0' && *at != ';')
    switch (*at)
      {
      case '"':
        at = read_quoted (section, at);
        break;
      case '[':
        at = read_brackets (section, at);
        break;
      case '\\':
        at = add_letters (section->tokens, at + 1, skip_char (at + 1));
        break;
      case '_': /* as wide as the next letter */
        add (section->tokens, POSTBAG_FORMAT_LITERAL, ' ', 1);
        at = skip_char (at + 1);
        break;
      case '*': /* fills with the next letter */
        at = skip_char (at + 1);
        break;
      default:
        at = read_word (section, at);
        break;
      }
  return at;
}

/* `m` behind hours or in front of seconds are minutes. */
static void
settle_minutes (GArray *tokens)
{
  gboolean after_hour = FALSE;
  Token *month = NULL;

  for (guint i = 0; i < tokens->len; i++)
    {
      Token *token = &g_array_index (tokens, Token, i);

      if (token->kind == POSTBAG_FORMAT_SECOND && month != NULL)
        month->kind = POSTBAG_FORMAT_MINUTE;
      if (token->kind == POSTBAG_FORMAT_MONTH && after_hour && token->count <= 2)
        token->kind = POSTBAG_FORMAT_MINUTE;
      if (token->kind >= POSTBAG_FORMAT_YEAR)
        {
          after_hour = token->kind == POSTBAG_FORMAT_HOUR
                       || (token->kind == POSTBAG_FORMAT_ELAPSED && token->value == 'h');
          month = token->kind == POSTBAG_FORMAT_MONTH && token->count <= 2 ? token : NULL;
        }
    }
}

static guint
read_code (Section *sections, const char *code)
{
  guint count = 0;

  while (count < SECTIONS)
    {
      Section *section = &sections[count++];

      section->tokens = g_array_new (FALSE, FALSE, sizeof (Token));
      code = read_section (section, code);
      settle_minutes (section->tokens);
      if (*code == '\0')
        break;
      code++;
    }
  return count;
}

/* --- which section --- */

static gboolean
meets (const Section *section, double value)
{
  const char *comparison = section->comparison;

  if (strcmp (comparison, "<") == 0)
    return value < section->operand;
  if (strcmp (comparison, "<=") == 0)
    return value <= section->operand;
  if (strcmp (comparison, ">") == 0)
    return value > section->operand;
  if (strcmp (comparison, ">=") == 0)
    return value >= section->operand;
  if (strcmp (comparison, "<>") == 0)
    return value != section->operand;
  return value == section->operand;
}

static gboolean
is_for_text (const Section *section)
{
  gboolean text = FALSE;

  for (guint i = 0; i < section->tokens->len; i++)
    text |= g_array_index (section->tokens, Token, i).kind == POSTBAG_FORMAT_TEXT;
  return text;
}

/* @is_absolute: the section shows the sign itself, if it wants to */
static Section *
choose (Section *sections, guint count, double value, gboolean *is_absolute)
{
  *is_absolute = FALSE;
  if (count > 3)
    count = 3;
  if (count > 1 && is_for_text (&sections[count - 1]))
    count--;
  if (sections[0].has_condition)
    {
      for (guint i = 0; i < count; i++)
        if (!sections[i].has_condition || meets (&sections[i], value))
          return &sections[i];
      return NULL;
    }
  *is_absolute = count > 1 && value < 0;
  if (count > 1 && value < 0)
    return &sections[1];
  return count > 2 && value == 0 ? &sections[2] : &sections[0];
}

/* --- numbers --- */

/* What the digits of a section ask for. */
typedef struct
{
  gint point;    /* token, or the number of tokens */
  gint exponent; /* token, or -1 */
  gint slash;
  gint first, last; /* digits in front of the point */
  guint whole, decimals;
  gboolean grouped;
  double scale;
} Shape;

static const Token *
get (GArray *tokens, gint i)
{
  return &g_array_index (tokens, Token, i);
}

static void
measure_digits (Shape *shape, GArray *tokens)
{
  for (gint i = 0; i < (gint)tokens->len; i++)
    {
      if (get (tokens, i)->kind != POSTBAG_FORMAT_DIGIT
          || (shape->exponent >= 0 && i > shape->exponent))
        continue;
      if (i > shape->point)
        shape->decimals++;
      else
        {
          shape->whole++;
          shape->first = shape->first < 0 ? i : shape->first;
          shape->last = i;
        }
    }
}

static Shape
measure (GArray *tokens)
{
  Shape shape = { .exponent = -1, .slash = -1, .first = -1, .last = -1, .scale = 1 };

  shape.point = (gint)tokens->len;
  for (gint i = (gint)tokens->len - 1; i >= 0; i--)
    {
      PostbagFormatKind kind = get (tokens, i)->kind;

      if (kind == POSTBAG_FORMAT_POINT)
        shape.point = i;
      else if (kind == POSTBAG_FORMAT_EXPONENT)
        shape.exponent = i;
      else if (kind == POSTBAG_FORMAT_SLASH)
        shape.slash = i;
      else if (kind == POSTBAG_FORMAT_PERCENT)
        shape.scale *= 100;
    }
  if (shape.exponent >= 0 && shape.point > shape.exponent)
    shape.point = shape.exponent;
  measure_digits (&shape, tokens);
  for (gint i = 0; i < (gint)tokens->len; i++)
    if (get (tokens, i)->kind == POSTBAG_FORMAT_GROUP && shape.first >= 0)
      {
        if (i > shape.first && i < shape.last)
          shape.grouped = TRUE;
        else if (i > shape.last)
          shape.scale /= 1000;
      }
  shape.decimals = MIN (shape.decimals, MOST_DECIMALS);
  return shape;
}

/* A half goes up, as people and sheets round: 1.005 is a little less in binary. */
static char *
write_digits (double value, guint decimals)
{
  char format[8];
  char buffer[400];

  if (fabs (value) < 1e15)
    value *= 1 + 4e-16;
  g_snprintf (format, sizeof format, "%%.%uf", decimals);
  return g_strdup (g_ascii_formatd (buffer, sizeof buffer, format, fabs (value)));
}

/* The digits in front of the point, from the right; what has no place stands at the first one. */
static void
append_whole (GString *out, GArray *tokens, const Shape *shape, const char *digits, gsize length)
{
  guint place = shape->whole; /* placeholders that are left */
  gsize shown = 0;

  if (length == 1 && digits[0] == '0')
    length = 0;
  for (gint i = 0; i < MIN (shape->point, (gint)tokens->len); i++)
    {
      const Token *token = get (tokens, i);
      gsize until;

      if (token->kind == POSTBAG_FORMAT_LITERAL)
        g_string_append_unichar (out, token->value);
      else if (token->kind == POSTBAG_FORMAT_PERCENT)
        g_string_append_c (out, '%');
      if (token->kind != POSTBAG_FORMAT_DIGIT)
        continue;
      place--;
      until = length > place ? length - place : 0;
      if (until == shown && token->value != '#' && length <= place)
        {
          g_string_append_c (out, token->value == '0' ? '0' : ' ');
          if (shape->grouped && place > 0 && place % 3 == 0 && token->value == '0')
            g_string_append_c (out, ',');
        }
      for (; shown < until; shown++)
        {
          g_string_append_c (out, digits[shown]);
          if (shape->grouped && length - shown > 1 && (length - shown - 1) % 3 == 0)
            g_string_append_c (out, ',');
        }
    }
}

/* @digits: behind the point */
static void
append_decimals (GString *out, GArray *tokens, const Shape *shape, const char *digits)
{
  gsize needed = strlen (digits);
  gsize used = 0;
  gint end = shape->exponent >= 0 ? shape->exponent : (gint)tokens->len;

  while (needed > 0 && digits[needed - 1] == '0')
    needed--;
  if (shape->point < end && get (tokens, shape->point)->kind == POSTBAG_FORMAT_POINT)
    g_string_append_c (out, '.');
  for (gint i = shape->point; i < end; i++)
    {
      const Token *token = get (tokens, i);

      if (token->kind == POSTBAG_FORMAT_LITERAL)
        g_string_append_unichar (out, token->value);
      else if (token->kind == POSTBAG_FORMAT_PERCENT)
        g_string_append_c (out, '%');
      else if (token->kind == POSTBAG_FORMAT_DIGIT && used < shape->decimals)
        {
          if (used < needed || token->value == '0')
            g_string_append_c (out, digits[used]);
          used++;
        }
    }
}

static void
append_fixed (GString *out, GArray *tokens, const Shape *shape, double value)
{
  g_autofree char *digits = write_digits (value, shape->decimals);
  gsize whole = strcspn (digits, ".");

  append_whole (out, tokens, shape, digits, whole);
  if (shape->point < (gint)tokens->len)
    append_decimals (out, tokens, shape, digits[whole] == '.' ? digits + whole + 1 : "");
}

static void
append_scientific (GString *out, GArray *tokens, const Shape *shape, double value)
{
  gint step = MAX ((gint)shape->whole, 1);
  gint exponent = value != 0 ? (gint)floor (log10 (fabs (value))) : 0;
  guint width = 0;
  double mantissa;

  exponent = (gint)floor ((double)exponent / step) * step;
  mantissa = value / pow (10, exponent);
  /* 9.999 becomes 10.00 */
  if (fabs (mantissa) * (1 + 1e-15) + 0.5 * pow (10, -(double)shape->decimals) >= pow (10, step))
    {
      exponent += step;
      mantissa = value / pow (10, exponent);
    }
  append_fixed (out, tokens, shape, mantissa);
  for (gint i = shape->exponent + 1; i < (gint)tokens->len; i++)
    width += get (tokens, i)->kind == POSTBAG_FORMAT_DIGIT;
  g_string_append_c (out, 'E');
  if (exponent < 0 || get (tokens, shape->exponent)->value == '+')
    g_string_append_c (out, exponent < 0 ? '-' : '+');
  g_string_append_printf (out, "%0*d", (int)MIN (width, 9), ABS (exponent));
}

/* --- fractions --- */

/* The denominator that is asked for: fixed, or the best of so many digits. */
static gint
find_denominator (GArray *tokens, gint slash, double part)
{
  gint digits = 0, fixed = 0, best = 1;
  double nearest = 2;

  for (gint i = slash + 1; i < (gint)tokens->len && digits < 4; i++)
    {
      const Token *token = get (tokens, i);

      if (token->kind == POSTBAG_FORMAT_LITERAL && token->value >= '0' && token->value <= '9')
        fixed = MIN (fixed * 10 + (gint)(token->value - '0'), 9999);
      else if (token->kind == POSTBAG_FORMAT_DIGIT)
        {
          digits++;
          if (fixed > 0)
            fixed = MIN (fixed * 10, 9999);
        }
    }
  if (fixed > 0)
    return fixed;
  for (gint i = 1; i < (gint)pow (10, CLAMP (digits, 1, 4)); i++)
    {
      double distance = fabs (part - round (part * i) / i);

      if (distance < nearest - 1e-12)
        {
          nearest = distance;
          best = i;
        }
    }
  return best;
}

static void
append_fraction (GString *out, GArray *tokens, const Shape *shape, double value)
{
  gboolean has_whole = FALSE;
  double whole, part;
  gint denominator, numerator;

  value = fabs (value);
  for (gint i = shape->first; i >= 0 && i < shape->slash; i++)
    has_whole |= get (tokens, i)->kind == POSTBAG_FORMAT_LITERAL;
  if (value > 1e9)
    {
      append_general (out, value);
      return;
    }
  whole = has_whole ? floor (value) : 0;
  part = value - whole;
  denominator = find_denominator (tokens, shape->slash, part);
  numerator = (gint)CLAMP (round (part * denominator), 0, (double)G_MAXINT32);
  if (has_whole && numerator == denominator)
    {
      whole++;
      numerator = 0;
    }
  if (whole > 0 || (has_whole && numerator == 0))
    append_double (out, "%.0f", whole);
  if (has_whole && numerator == 0)
    return;
  g_string_append_printf (out, "%s%d/%d", whole > 0 ? " " : "", numerator, denominator);
}

/* --- one value --- */

static gboolean
has_kind (GArray *tokens, PostbagFormatKind kind)
{
  for (guint i = 0; i < tokens->len; i++)
    if (g_array_index (tokens, Token, i).kind == kind)
      return TRUE;
  return FALSE;
}

static void
append_around_general (GString *out, GArray *tokens, double value)
{
  for (guint i = 0; i < tokens->len; i++)
    {
      const Token *token = get (tokens, (gint)i);

      if (token->kind == POSTBAG_FORMAT_GENERAL || token->kind == POSTBAG_FORMAT_TEXT)
        append_general (out, fabs (value));
      else if (token->kind == POSTBAG_FORMAT_LITERAL)
        g_string_append_unichar (out, token->value);
    }
}

static gboolean
is_zero (const char *text)
{
  return strpbrk (text, "123456789") == NULL && strpbrk (text, "0") != NULL;
}

static void
append_number (GString *out, Section *section, double value, gboolean is_absolute)
{
  GArray *tokens = section->tokens;
  Shape shape = measure (tokens);
  gsize start = out->len;

  if (has_kind (tokens, POSTBAG_FORMAT_GENERAL) || has_kind (tokens, POSTBAG_FORMAT_TEXT))
    append_around_general (out, tokens, value);
  else if (shape.slash >= 0 && shape.whole > 0)
    append_fraction (out, tokens, &shape, value);
  else if (shape.exponent >= 0)
    append_scientific (out, tokens, &shape, value * shape.scale);
  else
    append_fixed (out, tokens, &shape, value * shape.scale);
  if (value < 0 && !is_absolute && !is_zero (out->str + start))
    g_string_insert_c (out, (gssize)start, '-');
}

static void
clear_sections (Section *sections)
{
  for (guint i = 0; i < SECTIONS; i++)
    g_clear_pointer (&sections[i].tokens, g_array_unref);
}

/* Windows' own long date and time. */
static const char *
replace_system_code (const char *code)
{
  if (g_ascii_strncasecmp (code, "[$-F800]", 8) == 0)
    return "yyyy-mm-dd";
  return g_ascii_strncasecmp (code, "[$-F400]", 8) == 0 ? "hh:mm:ss" : code;
}

char *
postbag_number_format (const char *code, double value, gboolean epoch_1904)
{
  GString *out = g_string_new (NULL);
  Section sections[SECTIONS] = { { NULL } };
  Section *section;
  gboolean is_absolute = FALSE;
  guint count;

  if (code == NULL || *code == '\0' || strlen (code) > LONGEST_CODE || !isfinite (value))
    {
      append_general (out, value);
      return g_string_free (out, FALSE);
    }
  count = read_code (sections, replace_system_code (code));
  section = choose (sections, count, value, &is_absolute);
  if (section == NULL)
    append_general (out, value);
  else if (section->is_date)
    {
      if (!postbag_date_format (section->tokens, value, epoch_1904, out))
        append_general (out, value);
    }
  else
    append_number (out, section, value, is_absolute);
  clear_sections (sections);
  return g_strstrip (g_string_free (out, FALSE));
}
