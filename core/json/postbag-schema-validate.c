/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Evaluation (2020-12 core, 7). The recursion follows the schema as much as the value, and ends at
 * POSTBAG_LIMIT_SCHEMA_DEPTH; all evaluations together are counted as well. Where one of these
 * bounds is met, the verdict is "not valid", whatever `not` or `anyOf` around it would make of it.
 *
 * With nobody asking for problems the first failure ends an evaluation. */

#include "json/postbag-schema-evaluation-private.h"

#include "base/postbag-error.h"
#include "base/postbag-limits.h"

/* --- marks --- */

void
postbag_marks_add_name (PostbagMarks *marks, const char *name)
{
  if (marks == NULL)
    return;
  if (marks->names == NULL)
    marks->names = g_hash_table_new (g_str_hash, g_str_equal);
  g_hash_table_add (marks->names, (gpointer)name);
}

void
postbag_marks_add_index (PostbagMarks *marks, guint index)
{
  if (marks == NULL)
    return;
  if (marks->indices == NULL)
    marks->indices = g_hash_table_new (NULL, NULL);
  g_hash_table_add (marks->indices, GUINT_TO_POINTER (index));
}

void
postbag_marks_add_items (PostbagMarks *marks, guint items)
{
  if (marks != NULL)
    marks->items = MAX (marks->items, items);
}

void
postbag_marks_merge (PostbagMarks *marks, const PostbagMarks *others)
{
  GHashTableIter iter;
  gpointer key;

  if (marks == NULL)
    return;
  postbag_marks_add_items (marks, others->items);
  if (others->names != NULL)
    {
      g_hash_table_iter_init (&iter, others->names);
      while (g_hash_table_iter_next (&iter, &key, NULL))
        postbag_marks_add_name (marks, key);
    }
  if (others->indices != NULL)
    {
      g_hash_table_iter_init (&iter, others->indices);
      while (g_hash_table_iter_next (&iter, &key, NULL))
        postbag_marks_add_index (marks, GPOINTER_TO_UINT (key));
    }
}

void
postbag_marks_clear (PostbagMarks *marks)
{
  g_clear_pointer (&marks->names, g_hash_table_unref);
  g_clear_pointer (&marks->indices, g_hash_table_unref);
}

/* --- helpers --- */

/* Whether to go on behind a failure: only for more problems. */
gboolean
postbag_evaluation_goes_on (const PostbagEvaluation *context, gboolean valid)
{
  return valid || context->problems != NULL;
}

gboolean
postbag_evaluate_member (const PostbagEvaluation *context, const PostbagSubschema *schema,
                         const char *name, JsonNode *value)
{
  PostbagPlace place = { .parent = context->place, .name = name };
  PostbagEvaluation inner = *context;

  inner.place = &place;
  return postbag_evaluate (&inner, schema, value, NULL);
}

gboolean
postbag_evaluate_entry (const PostbagEvaluation *context, const PostbagSubschema *schema,
                        guint index, JsonNode *value)
{
  PostbagPlace place = { .parent = context->place, .index = index };
  PostbagEvaluation inner = *context;

  inner.place = &place;
  return postbag_evaluate (&inner, schema, value, NULL);
}

/* The same, with problems going elsewhere (or nowhere). */
gboolean
postbag_evaluate_aside (const PostbagEvaluation *context, const PostbagSubschema *schema,
                        JsonNode *value, PostbagMarks *marks, PostbagProblems *problems)
{
  PostbagEvaluation inner = *context;

  inner.problems = problems;
  return postbag_evaluate (&inner, schema, value, marks);
}

/* Sets the overrun when the work for it was too much. */
gboolean
postbag_evaluation_matches (const PostbagEvaluation *context, const GRegex *pattern,
                            const char *text)
{
  gboolean exhausted = FALSE;
  gboolean matched = postbag_schema_pattern_match (pattern, text, &exhausted);

  if (exhausted)
    context->run->overrun = "a text is too long or too intricate for its pattern; shorten it";
  return matched;
}

/* --- one subschema --- */

/* In this order; the last one needs what the others marked. */
static const PostbagCheckFunc checks[] = {
  postbag_check_number,  postbag_check_string,    postbag_check_references,
  postbag_check_all_of,  postbag_check_any_of,    postbag_check_one_of,
  postbag_check_negated, postbag_check_condition, postbag_check_dependent_schemas,
  postbag_check_object,  postbag_check_array,     postbag_check_unevaluated,
};

static gboolean
run_checks (const PostbagEvaluation *context, const PostbagSubschema *schema, JsonNode *value,
            PostbagMarks *marks)
{
  gboolean valid = TRUE;

  /* After these a second problem of the same value is only noise. */
  if (!postbag_check_type (context, schema, value, marks)
      || !postbag_check_enumeration (context, schema, value, marks)
      || !postbag_check_constant (context, schema, value, marks))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (checks) && postbag_evaluation_goes_on (context, valid); i++)
    valid = checks[i](context, schema, value, marks) && valid;
  return valid;
}

static gboolean
evaluate_boolean (const PostbagEvaluation *context, const PostbagSubschema *schema, JsonNode *value)
{
  g_autofree char *found = NULL;

  if (schema->always == 1)
    return TRUE;
  if (context->problems == NULL)
    return FALSE;
  found = postbag_problems_describe (value);
  postbag_problems_add (context->problems, context->place, "nothing is allowed here, found %s",
                        found);
  return FALSE;
}

gboolean
postbag_evaluate (const PostbagEvaluation *context, const PostbagSubschema *schema, JsonNode *value,
                  PostbagMarks *marks)
{
  PostbagScope scope = { .parent = context->scope, .resource = schema->resource };
  PostbagEvaluation inner = *context;
  PostbagMarks own = { 0 };
  gboolean needed =
      marks != NULL || schema->unevaluated_properties != NULL || schema->unevaluated_items != NULL;
  gboolean valid;

  if (schema->always >= 0)
    return evaluate_boolean (context, schema, value);
  if (++inner.depth > POSTBAG_LIMIT_SCHEMA_DEPTH)
    context->run->overrun = "it is nested too deeply to be checked; send a flatter value";
  else if (++context->run->steps > POSTBAG_LIMIT_SCHEMA_STEPS)
    context->run->overrun = "it is too large to be checked; send a smaller value";
  if (context->run->overrun != NULL)
    return FALSE;
  if (context->scope == NULL || context->scope->resource != schema->resource)
    inner.scope = &scope;
  valid = run_checks (&inner, schema, value, needed ? &own : NULL);
  if (valid)
    postbag_marks_merge (marks, &own);
  postbag_marks_clear (&own);
  return valid;
}

gboolean
postbag_subschema_validate (const PostbagSubschema *schema, JsonNode *value,
                            PostbagProblems *problems)
{
  const PostbagPlace root = { 0 };
  PostbagEvaluationRun run = { 0 };
  PostbagEvaluation context = { .run = &run, .place = &root, .problems = problems };
  gboolean valid = postbag_evaluate (&context, schema, value, NULL);

  /* What was found on the way may come from the bound only. */
  if (run.overrun != NULL && problems != NULL)
    {
      g_ptr_array_set_size (problems->lines, 0);
      problems->more = FALSE;
      postbag_problems_add (problems, &root, "%s", run.overrun);
    }
  return valid && run.overrun == NULL;
}

gboolean
postbag_schema_validate (PostbagSchema *self, JsonNode *value, GError **error)
{
  g_autoptr (PostbagProblems) problems = NULL;
  g_autofree char *text = NULL;

  if (postbag_subschema_validate (self->top, value, NULL))
    return TRUE;
  problems = postbag_problems_new (POSTBAG_LIMIT_SCHEMA_PROBLEMS);
  postbag_subschema_validate (self->top, value, problems);
  if (problems->more)
    g_ptr_array_add (problems->lines, g_strdup ("… and more, once these are mended"));
  g_ptr_array_add (problems->lines, NULL);
  text = g_strjoinv ("\n", (char **)problems->lines->pdata);
  g_set_error_literal (error, POSTBAG_ERROR, POSTBAG_ERROR_INVALID_ARGUMENT, text);
  return FALSE;
}
