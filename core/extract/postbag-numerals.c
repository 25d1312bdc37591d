/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-numerals.h"

#define LARGEST_ROMAN 3999
#define LARGEST_LETTERS (26 * 8)

static void
append_roman (GString *out, gint64 number)
{
  static const struct
  {
    gint64 value;
    const char *letters;
  } steps[] = {
    { 1000, "m" }, { 900, "cm" }, { 500, "d" }, { 400, "cd" }, { 100, "c" },
    { 90, "xc" },  { 50, "l" },   { 40, "xl" }, { 10, "x" },   { 9, "ix" },
    { 5, "v" },    { 4, "iv" },   { 1, "i" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++)
    while (number >= steps[i].value)
      {
        g_string_append (out, steps[i].letters);
        number -= steps[i].value;
      }
}

static void
append_letters (GString *out, gint64 number)
{
  for (gint64 i = 0; i <= (number - 1) / 26; i++)
    g_string_append_c (out, (char)('a' + (number - 1) % 26));
}

void
postbag_numerals_append (GString *out, gint64 number, PostbagNumerals kind)
{
  gsize start = out->len;
  gboolean is_roman = kind == POSTBAG_NUMERALS_ROMAN || kind == POSTBAG_NUMERALS_UPPER_ROMAN;

  if (kind == POSTBAG_NUMERALS_DECIMAL || number < 1
      || number > (is_roman ? LARGEST_ROMAN : LARGEST_LETTERS))
    g_string_append_printf (out, "%" G_GINT64_FORMAT, number);
  else if (is_roman)
    append_roman (out, number);
  else
    append_letters (out, number);
  if (kind == POSTBAG_NUMERALS_UPPER_ROMAN || kind == POSTBAG_NUMERALS_UPPER_LETTERS)
    for (gsize i = start; i < out->len; i++)
      out->str[i] = g_ascii_toupper (out->str[i]);
}
