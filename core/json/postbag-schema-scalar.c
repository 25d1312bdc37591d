/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* type, enum, const, and what is asked of numbers and strings. */

#include "json/postbag-schema-evaluation-private.h"

/* --- type, enum, const --- */

static char *
list_types (guint types)
{
  static const char *const names[] = { "null",   "boolean", "integer", "number",
                                       "string", "array",   "object" };
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      if ((types & (1u << i)) != 0)
        g_string_append_printf (text, "%s%s", text->len > 0 ? " or " : "", names[i]);
    }
  return g_string_free (text, FALSE);
}

gboolean
postbag_check_type (const PostbagEvaluation *context, const PostbagSubschema *schema,
                    JsonNode *value, PostbagMarks *marks)
{
  g_autofree char *expected = NULL;
  g_autofree char *found = NULL;

  if (schema->types == 0 || (schema->types & postbag_value_get_types (value)) != 0)
    return TRUE;
  if (context->problems == NULL)
    return FALSE;
  expected = list_types (schema->types);
  found = postbag_problems_describe (value);
  postbag_problems_add (context->problems, context->place, "expected %s, found %s", expected,
                        found);
  return FALSE;
}

static void
report_enumeration (const PostbagEvaluation *context, const PostbagSubschema *schema,
                    JsonNode *value)
{
  g_autofree char *expected = postbag_problems_list_values (schema->enumeration);
  g_autofree char *found = postbag_problems_describe (value);

  postbag_problems_add (context->problems, context->place, "expected %s%s, found %s",
                        json_array_get_length (schema->enumeration) > 1 ? "one of " : "", expected,
                        found);
}

gboolean
postbag_check_enumeration (const PostbagEvaluation *context, const PostbagSubschema *schema,
                           JsonNode *value, PostbagMarks *marks)
{
  if (schema->enumeration == NULL)
    return TRUE;
  for (guint i = 0; i < json_array_get_length (schema->enumeration); i++)
    {
      if (postbag_value_equal (json_array_get_element (schema->enumeration, i), value))
        return TRUE;
    }
  if (context->problems != NULL)
    report_enumeration (context, schema, value);
  return FALSE;
}

gboolean
postbag_check_constant (const PostbagEvaluation *context, const PostbagSubschema *schema,
                        JsonNode *value, PostbagMarks *marks)
{
  g_autofree char *expected = NULL;
  g_autofree char *found = NULL;

  if (schema->constant == NULL || postbag_value_equal (schema->constant, value))
    return TRUE;
  if (context->problems == NULL)
    return FALSE;
  expected = postbag_problems_write (schema->constant);
  found = postbag_problems_describe (value);
  postbag_problems_add (context->problems, context->place, "expected %s, found %s", expected,
                        found);
  return FALSE;
}

/* --- numbers --- */

static gboolean
report_number (const PostbagEvaluation *context, const char *expected, JsonNode *bound,
               JsonNode *value)
{
  g_autofree char *wanted = NULL;
  g_autofree char *found = NULL;

  if (context->problems == NULL)
    return FALSE;
  wanted = postbag_problems_write (bound);
  found = postbag_problems_write (value);
  postbag_problems_add (context->problems, context->place, "expected %s %s, found %s", expected,
                        wanted, found);
  return FALSE;
}

gboolean
postbag_check_number (const PostbagEvaluation *context, const PostbagSubschema *schema,
                      JsonNode *value, PostbagMarks *marks)
{
  if ((postbag_value_get_types (value) & POSTBAG_VALUE_NUMBER) == 0)
    return TRUE;
  if (schema->minimum != NULL && postbag_value_compare_numbers (value, schema->minimum) < 0)
    return report_number (context, "at least", schema->minimum, value);
  if (schema->maximum != NULL && postbag_value_compare_numbers (value, schema->maximum) > 0)
    return report_number (context, "at most", schema->maximum, value);
  if (schema->exclusive_minimum != NULL
      && postbag_value_compare_numbers (value, schema->exclusive_minimum) <= 0)
    return report_number (context, "more than", schema->exclusive_minimum, value);
  if (schema->exclusive_maximum != NULL
      && postbag_value_compare_numbers (value, schema->exclusive_maximum) >= 0)
    return report_number (context, "less than", schema->exclusive_maximum, value);
  if (schema->multiple_of != NULL && !postbag_value_is_multiple (value, schema->multiple_of))
    return report_number (context, "a multiple of", schema->multiple_of, value);
  return TRUE;
}

/* --- counts and strings --- */

gboolean
postbag_check_count (const PostbagEvaluation *context, gint64 minimum, gint64 maximum, gint64 found,
                     const char *singular, const char *plural)
{
  gboolean few = minimum >= 0 && found < minimum;
  gboolean many = maximum >= 0 && found > maximum;
  gint64 bound = few ? minimum : maximum;

  if (!few && !many)
    return TRUE;
  postbag_problems_add (context->problems, context->place,
                        "expected at %s %" G_GINT64_FORMAT " %s, found %" G_GINT64_FORMAT,
                        few ? "least" : "most", bound, bound == 1 ? singular : plural, found);
  return FALSE;
}

static gboolean
report_text (const PostbagEvaluation *context, const char *expected, const char *detail,
             JsonNode *value)
{
  g_autofree char *found = NULL;

  if (context->problems == NULL)
    return FALSE;
  found = postbag_problems_describe (value);
  postbag_problems_add (context->problems, context->place, "expected %s%s, found %s", expected,
                        detail, found);
  return FALSE;
}

gboolean
postbag_check_string (const PostbagEvaluation *context, const PostbagSubschema *schema,
                      JsonNode *value, PostbagMarks *marks)
{
  const char *text;

  if (postbag_value_get_types (value) != POSTBAG_VALUE_STRING)
    return TRUE;
  text = json_node_get_string (value);
  if ((schema->min_length >= 0 || schema->max_length >= 0)
      && !postbag_check_count (context, schema->min_length, schema->max_length,
                               g_utf8_strlen (text, -1), "character", "characters"))
    return FALSE;
  if (schema->pattern != NULL && !postbag_evaluation_matches (context, schema->pattern, text))
    return report_text (context, "text that matches ", schema->pattern_text, value);
  if (schema->format != NULL && !schema->format->check (text))
    return report_text (context, schema->format->hint, "", value);
  return TRUE;
}
