/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What applies other subschemas to the same value: references, combinations, conditions. */

#include "json/postbag-schema-evaluation-private.h"

#include "base/postbag-limits.h"

/* Branches of anyOf whose reason to fail is told. */
#define MAX_REASONS 3

/* --- in place: references, combinations, conditions --- */

/* What the outermost resource in the dynamic scope says of the anchor (2020-12 core, 8.2.3.2). */
static const PostbagSubschema *
find_dynamic (const PostbagEvaluation *context, const PostbagSubschema *schema)
{
  const PostbagSubschema *target = schema->dynamic_reference;

  if (schema->dynamic_name == NULL)
    return target;
  for (const PostbagScope *scope = context->scope; scope != NULL; scope = scope->parent)
    {
      const PostbagSubschema *found =
          g_hash_table_lookup (scope->resource->dynamic_anchors, schema->dynamic_name);

      if (found != NULL)
        target = found;
    }
  return target;
}

gboolean
postbag_check_references (const PostbagEvaluation *context, const PostbagSubschema *schema,
                          JsonNode *value, PostbagMarks *marks)
{
  gboolean valid =
      schema->reference == NULL || postbag_evaluate (context, schema->reference, value, marks);

  if (schema->dynamic_reference != NULL && postbag_evaluation_goes_on (context, valid))
    valid = postbag_evaluate (context, find_dynamic (context, schema), value, marks) && valid;
  return valid;
}

gboolean
postbag_check_all_of (const PostbagEvaluation *context, const PostbagSubschema *schema,
                      JsonNode *value, PostbagMarks *marks)
{
  gboolean valid = TRUE;

  for (guint i = 0; schema->all_of != NULL && i < schema->all_of->len
                    && postbag_evaluation_goes_on (context, valid);
       i++)
    valid =
        postbag_evaluate (context, g_ptr_array_index (schema->all_of, i), value, marks) && valid;
  return valid;
}

/* The branches of anyOf or oneOf, held against one value. */
typedef struct
{
  guint matched;
  guint first, second;      /* branches that match */
  guint fitting;            /* branches that at least take the value's type */
  PostbagProblems *closest; /* (nullable): problems of the last of them */
  GString *reasons;         /* (nullable): first problems of the first branches */
  guint n_reasons;
} Attempt;

static gboolean
takes_type (const PostbagSubschema *schema, JsonNode *value)
{
  for (guint i = 0; i < POSTBAG_LIMIT_SCHEMA_DEPTH && schema->types == 0; i++)
    {
      if (schema->reference == NULL)
        return TRUE;
      schema = schema->reference;
    }
  return (schema->types & postbag_value_get_types (value)) != 0;
}

static void
note_failure (Attempt *attempt, const PostbagSubschema *branch, JsonNode *value,
              PostbagProblems *problems)
{
  if (attempt->n_reasons < MAX_REASONS && problems->lines->len > 0)
    {
      if (attempt->reasons == NULL)
        attempt->reasons = g_string_new (NULL);
      g_string_append_printf (attempt->reasons, "%s(%s)", attempt->n_reasons > 0 ? " or " : "",
                              (const char *)g_ptr_array_index (problems->lines, 0));
      attempt->n_reasons++;
    }
  if (!takes_type (branch, value))
    {
      postbag_problems_free (problems);
      return;
    }
  attempt->fitting++;
  postbag_problems_free (attempt->closest);
  attempt->closest = problems;
}

static void
try_branch (const PostbagEvaluation *context, const PostbagSubschema *branch, guint index,
            JsonNode *value, PostbagMarks *marks, Attempt *attempt)
{
  PostbagProblems *problems =
      context->problems != NULL ? postbag_problems_new (context->problems->limit) : NULL;

  if (postbag_evaluate_aside (context, branch, value, marks, problems))
    {
      attempt->matched++;
      if (attempt->matched == 1)
        attempt->first = index;
      else if (attempt->matched == 2)
        attempt->second = index;
      postbag_problems_free (problems);
    }
  else if (problems != NULL)
    {
      note_failure (attempt, branch, value, problems);
    }
}

static void
report_no_branch (const PostbagEvaluation *context, const Attempt *attempt, guint branches)
{
  if (context->problems == NULL)
    return;
  if (attempt->fitting == 1)
    postbag_problems_add_all (context->problems, attempt->closest);
  else
    postbag_problems_add (context->problems, context->place,
                          "none of the %u allowed forms fits: %s%s", branches,
                          attempt->reasons != NULL ? attempt->reasons->str : "nothing is allowed",
                          branches > attempt->n_reasons ? " or …" : "");
}

static void
clear_attempt (Attempt *attempt)
{
  postbag_problems_free (attempt->closest);
  if (attempt->reasons != NULL)
    g_string_free (attempt->reasons, TRUE);
}

gboolean
postbag_check_any_of (const PostbagEvaluation *context, const PostbagSubschema *schema,
                      JsonNode *value, PostbagMarks *marks)
{
  Attempt attempt = { 0 };

  if (schema->any_of == NULL)
    return TRUE;
  /* With marks every branch that matches counts. */
  for (guint i = 0; i < schema->any_of->len && (attempt.matched == 0 || marks != NULL); i++)
    try_branch (context, g_ptr_array_index (schema->any_of, i), i, value, marks, &attempt);
  if (attempt.matched == 0)
    report_no_branch (context, &attempt, schema->any_of->len);
  clear_attempt (&attempt);
  return attempt.matched > 0;
}

gboolean
postbag_check_one_of (const PostbagEvaluation *context, const PostbagSubschema *schema,
                      JsonNode *value, PostbagMarks *marks)
{
  Attempt attempt = { 0 };

  if (schema->one_of == NULL)
    return TRUE;
  for (guint i = 0; i < schema->one_of->len && attempt.matched < 2; i++)
    try_branch (context, g_ptr_array_index (schema->one_of, i), i, value, marks, &attempt);
  if (attempt.matched == 0)
    report_no_branch (context, &attempt, schema->one_of->len);
  else if (attempt.matched > 1)
    postbag_problems_add (
        context->problems, context->place,
        "exactly one of the %u allowed forms has to fit, but numbers %u and %u do",
        schema->one_of->len, attempt.first + 1, attempt.second + 1);
  clear_attempt (&attempt);
  return attempt.matched == 1;
}

gboolean
postbag_check_negated (const PostbagEvaluation *context, const PostbagSubschema *schema,
                       JsonNode *value, PostbagMarks *marks)
{
  const PostbagSubschema *negated = schema->negated;
  g_autofree char *words = NULL;

  if (negated == NULL || !postbag_evaluate_aside (context, negated, value, NULL, NULL))
    return TRUE;
  if (context->problems == NULL)
    return FALSE;
  if (negated->required != NULL && json_array_get_length (negated->required) > 0)
    {
      words = postbag_problems_list_values (negated->required);
      postbag_problems_add (context->problems, context->place, "%s cannot be given%s", words,
                            json_array_get_length (negated->required) > 1 ? " together" : " here");
      return FALSE;
    }
  words = postbag_problems_describe (value);
  postbag_problems_add (context->problems, context->place, "%s is what is not allowed here", words);
  return FALSE;
}

gboolean
postbag_check_condition (const PostbagEvaluation *context, const PostbagSubschema *schema,
                         JsonNode *value, PostbagMarks *marks)
{
  const PostbagSubschema *branch;

  if (schema->condition == NULL)
    return TRUE;
  branch = postbag_evaluate_aside (context, schema->condition, value, marks, NULL)
               ? schema->then_schema
               : schema->else_schema;
  return branch == NULL || postbag_evaluate (context, branch, value, marks);
}

gboolean
postbag_check_dependent_schemas (const PostbagEvaluation *context, const PostbagSubschema *schema,
                                 JsonNode *value, PostbagMarks *marks)
{
  gboolean valid = TRUE;
  JsonObjectIter iter;
  const char *name;

  if (schema->dependent_schemas == NULL || !JSON_NODE_HOLDS_OBJECT (value))
    return TRUE;
  json_object_iter_init_ordered (&iter, json_node_get_object (value));
  while (postbag_evaluation_goes_on (context, valid)
         && json_object_iter_next_ordered (&iter, &name, NULL))
    {
      const PostbagSubschema *dependent = g_hash_table_lookup (schema->dependent_schemas, name);

      if (dependent != NULL)
        valid = postbag_evaluate (context, dependent, value, marks) && valid;
    }
  return valid;
}
