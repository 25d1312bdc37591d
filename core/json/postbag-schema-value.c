/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "json/postbag-schema-private.h"

#include <math.h>
#include <string.h>

#include "base/postbag-limits.h"

guint
postbag_value_get_types (JsonNode *value)
{
  double number;

  if (JSON_NODE_HOLDS_OBJECT (value))
    return POSTBAG_VALUE_OBJECT;
  if (JSON_NODE_HOLDS_ARRAY (value))
    return POSTBAG_VALUE_ARRAY;
  if (!JSON_NODE_HOLDS_VALUE (value))
    return POSTBAG_VALUE_NULL;
  switch (json_node_get_value_type (value))
    {
    case G_TYPE_BOOLEAN:
      return POSTBAG_VALUE_BOOLEAN;
    case G_TYPE_INT64:
      return POSTBAG_VALUE_INTEGER | POSTBAG_VALUE_NUMBER;
    case G_TYPE_DOUBLE:
      number = json_node_get_double (value);
      return POSTBAG_VALUE_NUMBER | (trunc (number) == number ? POSTBAG_VALUE_INTEGER : 0u);
    default:
      return POSTBAG_VALUE_STRING;
    }
}

/* --- order of numbers --- */

static gint
compare_doubles (double a, double b)
{
  return a < b ? -1 : a > b ? 1 : 0;
}

static gint
compare_int_to_double (gint64 a, double b)
{
  gint64 whole;

  if (b >= 0x1p63)
    return -1;
  if (b < -0x1p63)
    return 1;
  whole = (gint64)b;
  if (a != whole)
    return a < whole ? -1 : 1;
  return compare_doubles (0, b - trunc (b));
}

gint
postbag_value_compare_numbers (JsonNode *a, JsonNode *b)
{
  gboolean a_is_int = json_node_get_value_type (a) == G_TYPE_INT64;
  gboolean b_is_int = json_node_get_value_type (b) == G_TYPE_INT64;

  if (!a_is_int && !b_is_int)
    return compare_doubles (json_node_get_double (a), json_node_get_double (b));
  if (!b_is_int)
    return compare_int_to_double (json_node_get_int (a), json_node_get_double (b));
  if (!a_is_int)
    return -compare_int_to_double (json_node_get_int (b), json_node_get_double (a));
  return json_node_get_int (a) < json_node_get_int (b)
             ? -1
             : json_node_get_int (a) > json_node_get_int (b);
}

/* --- multiples --- */

/* mantissa * 10^exponent, the sign left out; no trailing zeros in the mantissa. */
typedef struct
{
  guint64 mantissa;
  gint exponent;
} Decimal;

static void
strip_zeros (Decimal *decimal)
{
  while (decimal->mantissa != 0 && decimal->mantissa % 10 == 0)
    {
      decimal->mantissa /= 10;
      decimal->exponent++;
    }
}

/* The shortest decimal that reads back as the double: what its author wrote, up to 17 digits. */
static void
parse_double (double number, Decimal *decimal)
{
  static const char *const formats[] = { "%.14e", "%.15e", "%.16e" };
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  const char *at = text;
  gint fraction = 0;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_ascii_formatd (text, sizeof text, formats[i], number);
      if (g_ascii_strtod (text, NULL) == number)
        break;
    }
  decimal->mantissa = 0;
  for (; *at != 'e'; at++)
    {
      if (*at != '.')
        decimal->mantissa = decimal->mantissa * 10 + (guint64)g_ascii_digit_value (*at);
      fraction += *at != '.' && at > text + 1;
    }
  decimal->exponent = (gint)g_ascii_strtoll (at + 1, NULL, 10) - fraction;
}

static Decimal
read_decimal (JsonNode *value)
{
  Decimal decimal = { 0 };

  if (json_node_get_value_type (value) == G_TYPE_DOUBLE)
    {
      parse_double (fabs (json_node_get_double (value)), &decimal);
    }
  else
    {
      gint64 number = json_node_get_int (value);

      decimal.mantissa = number < 0 ? -(guint64)number : (guint64)number;
    }
  strip_zeros (&decimal);
  return decimal;
}

/* a * b mod m without 128-bit integers. */
static guint64
multiply_modulo (guint64 a, guint64 b, guint64 m)
{
  guint64 result = 0;

  for (a %= m; b > 0; b >>= 1)
    {
      if ((b & 1) != 0)
        result = result >= m - a ? result - (m - a) : result + a;
      a = a >= m - a ? a - (m - a) : a + a;
    }
  return result;
}

gboolean
postbag_value_is_multiple (JsonNode *value, JsonNode *divisor)
{
  Decimal a = read_decimal (value);
  Decimal b = read_decimal (divisor);
  guint64 rest;

  if (a.mantissa == 0)
    return TRUE;
  rest = a.mantissa % b.mantissa;
  for (; a.exponent > b.exponent && rest != 0; a.exponent--)
    rest = multiply_modulo (rest, 10, b.mantissa);
  if (a.exponent >= b.exponent)
    return rest == 0;
  for (; b.exponent > a.exponent; b.exponent--)
    {
      if (b.mantissa > G_MAXUINT64 / 10)
        return FALSE;
      b.mantissa *= 10;
    }
  return a.mantissa % b.mantissa == 0;
}

/* --- equality --- */

static void write_canonical (GString *text, JsonNode *value, guint depth);

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static void
write_canonical_object (GString *text, JsonObject *object, guint depth)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  JsonObjectIter iter;
  const char *name;

  json_object_iter_init (&iter, object);
  while (json_object_iter_next (&iter, &name, NULL))
    g_ptr_array_add (names, (gpointer)name);
  g_ptr_array_sort (names, compare_names);
  g_string_append_printf (text, "o%u:", names->len);
  for (guint i = 0; i < names->len; i++)
    {
      name = g_ptr_array_index (names, i);
      g_string_append_printf (text, "%" G_GSIZE_FORMAT ":%s", strlen (name), name);
      write_canonical (text, json_object_get_member (object, name), depth + 1);
    }
}

static void
write_canonical_number (GString *text, double number)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  if (trunc (number) == number && number >= -0x1p63 && number < 0x1p63)
    g_string_append_printf (text, "i%" G_GINT64_FORMAT ";", (gint64)number);
  else
    g_string_append_printf (text, "d%s;", g_ascii_dtostr (digits, sizeof digits, number));
}

static void
write_canonical_scalar (GString *text, JsonNode *value)
{
  const char *string;

  switch (JSON_NODE_HOLDS_VALUE (value) ? json_node_get_value_type (value) : G_TYPE_INVALID)
    {
    case G_TYPE_BOOLEAN:
      g_string_append_c (text, json_node_get_boolean (value) ? 't' : 'f');
      return;
    case G_TYPE_INT64:
      g_string_append_printf (text, "i%" G_GINT64_FORMAT ";", json_node_get_int (value));
      return;
    case G_TYPE_DOUBLE:
      write_canonical_number (text, json_node_get_double (value));
      return;
    case G_TYPE_STRING:
      string = json_node_get_string (value);
      g_string_append_printf (text, "s%" G_GSIZE_FORMAT ":%s", strlen (string), string);
      return;
    default:
      g_string_append_c (text, 'n');
    }
}

/* Equal values, and only they, give equal texts. The recursion ends at the reader's bound. */
static void
write_canonical (GString *text, JsonNode *value, guint depth)
{
  JsonArray *array;

  if (depth > POSTBAG_LIMIT_JSON_DEPTH)
    return;
  if (JSON_NODE_HOLDS_OBJECT (value))
    {
      write_canonical_object (text, json_node_get_object (value), depth);
      return;
    }
  if (!JSON_NODE_HOLDS_ARRAY (value))
    {
      write_canonical_scalar (text, value);
      return;
    }
  array = json_node_get_array (value);
  g_string_append_printf (text, "a%u:", json_array_get_length (array));
  for (guint i = 0; i < json_array_get_length (array); i++)
    write_canonical (text, json_array_get_element (array, i), depth + 1);
}

static char *
dup_canonical (JsonNode *value)
{
  GString *text = g_string_new (NULL);

  write_canonical (text, value, 0);
  return g_string_free (text, FALSE);
}

gboolean
postbag_value_equal (JsonNode *a, JsonNode *b)
{
  guint types = postbag_value_get_types (a);
  g_autofree char *a_text = NULL;
  g_autofree char *b_text = NULL;

  if (types != postbag_value_get_types (b))
    return FALSE;
  if (types == POSTBAG_VALUE_STRING)
    return strcmp (json_node_get_string (a), json_node_get_string (b)) == 0;
  a_text = dup_canonical (a);
  b_text = dup_canonical (b);
  return strcmp (a_text, b_text) == 0;
}

typedef struct
{
  char *text;
  guint index;
} Entry;

static gint
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *first = a, *second = b;
  gint order = strcmp (first->text, second->text);

  return order != 0 ? order : first->index < second->index ? -1 : 1;
}

static void
clear_entry (gpointer data)
{
  g_free (((Entry *)data)->text);
}

/* By sorting: a table of hashes could be made to collide. */
gboolean
postbag_value_find_equal (JsonArray *array, guint *first, guint *second)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));

  g_array_set_clear_func (entries, clear_entry);
  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      Entry entry = { dup_canonical (json_array_get_element (array, i)), i };

      g_array_append_val (entries, entry);
    }
  g_array_sort (entries, compare_entries);
  for (guint i = 1; i < entries->len; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);

      if (strcmp (entry[-1].text, entry[0].text) != 0)
        continue;
      *first = entry[-1].index;
      *second = entry[0].index;
      return TRUE;
    }
  return FALSE;
}
