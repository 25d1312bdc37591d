/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "json/postbag-schema-private.h"

G_BEGIN_DECLS

/* What the files of the evaluation share. It is split by what is judged: scalars, applicators,
 * containers; postbag-schema-validate.c has the frame around them. */

typedef struct
{
  guint steps;
  const char *overrun; /* (nullable): the bound that was met */
} PostbagEvaluationRun;

/* The dynamic scope: the resources entered so far. */
typedef struct _PostbagScope PostbagScope;
struct _PostbagScope
{
  const PostbagScope *parent;
  const PostbagSchemaResource *resource;
};

typedef struct
{
  PostbagEvaluationRun *run;
  const PostbagScope *scope;
  const PostbagPlace *place;
  PostbagProblems *problems; /* (nullable) */
  guint depth;
} PostbagEvaluation;

/* What subschemas have already judged of an object or array, for the `unevaluated` keywords.
 * Functions that add to marks do nothing for %NULL: nobody needs them then. */
typedef struct
{
  GHashTable *names;   /* (nullable): member names */
  GHashTable *indices; /* (nullable): entries beyond `items` */
  guint items;         /* all entries in front of it */
} PostbagMarks;

void postbag_marks_add_name (PostbagMarks *marks, const char *name);
void postbag_marks_add_index (PostbagMarks *marks, guint index);
void postbag_marks_add_items (PostbagMarks *marks, guint items);
void postbag_marks_merge (PostbagMarks *marks, const PostbagMarks *others);
void postbag_marks_clear (PostbagMarks *marks);

gboolean postbag_evaluate (const PostbagEvaluation *context, const PostbagSubschema *schema,
                           JsonNode *value, PostbagMarks *marks);
gboolean postbag_evaluate_member (const PostbagEvaluation *context, const PostbagSubschema *schema,
                                  const char *name, JsonNode *value);
gboolean postbag_evaluate_entry (const PostbagEvaluation *context, const PostbagSubschema *schema,
                                 guint index, JsonNode *value);
/* The value itself, with problems going elsewhere (or nowhere). */
gboolean postbag_evaluate_aside (const PostbagEvaluation *context, const PostbagSubschema *schema,
                                 JsonNode *value, PostbagMarks *marks, PostbagProblems *problems);
/* Whether to go on behind a failure: only for more problems. */
gboolean postbag_evaluation_goes_on (const PostbagEvaluation *context, gboolean valid);
/* Sets the overrun when the work for it was too much. */
gboolean postbag_evaluation_matches (const PostbagEvaluation *context, const GRegex *pattern,
                                     const char *text);

/* Each judges by its keywords alone and reports what does not fit. */
typedef gboolean (*PostbagCheckFunc) (const PostbagEvaluation *context,
                                      const PostbagSubschema *schema, JsonNode *value,
                                      PostbagMarks *marks);

gboolean postbag_check_type (const PostbagEvaluation *context, const PostbagSubschema *schema,
                             JsonNode *value, PostbagMarks *marks);
gboolean postbag_check_enumeration (const PostbagEvaluation *context,
                                    const PostbagSubschema *schema, JsonNode *value,
                                    PostbagMarks *marks);
gboolean postbag_check_constant (const PostbagEvaluation *context, const PostbagSubschema *schema,
                                 JsonNode *value, PostbagMarks *marks);
gboolean postbag_check_number (const PostbagEvaluation *context, const PostbagSubschema *schema,
                               JsonNode *value, PostbagMarks *marks);
gboolean postbag_check_string (const PostbagEvaluation *context, const PostbagSubschema *schema,
                               JsonNode *value, PostbagMarks *marks);
gboolean postbag_check_references (const PostbagEvaluation *context, const PostbagSubschema *schema,
                                   JsonNode *value, PostbagMarks *marks);
gboolean postbag_check_all_of (const PostbagEvaluation *context, const PostbagSubschema *schema,
                               JsonNode *value, PostbagMarks *marks);
gboolean postbag_check_any_of (const PostbagEvaluation *context, const PostbagSubschema *schema,
                               JsonNode *value, PostbagMarks *marks);
gboolean postbag_check_one_of (const PostbagEvaluation *context, const PostbagSubschema *schema,
                               JsonNode *value, PostbagMarks *marks);
gboolean postbag_check_negated (const PostbagEvaluation *context, const PostbagSubschema *schema,
                                JsonNode *value, PostbagMarks *marks);
gboolean postbag_check_condition (const PostbagEvaluation *context, const PostbagSubschema *schema,
                                  JsonNode *value, PostbagMarks *marks);
gboolean postbag_check_dependent_schemas (const PostbagEvaluation *context,
                                          const PostbagSubschema *schema, JsonNode *value,
                                          PostbagMarks *marks);
gboolean postbag_check_object (const PostbagEvaluation *context, const PostbagSubschema *schema,
                               JsonNode *value, PostbagMarks *marks);
gboolean postbag_check_array (const PostbagEvaluation *context, const PostbagSubschema *schema,
                              JsonNode *value, PostbagMarks *marks);
gboolean postbag_check_unevaluated (const PostbagEvaluation *context,
                                    const PostbagSubschema *schema, JsonNode *value,
                                    PostbagMarks *marks);

gboolean postbag_check_count (const PostbagEvaluation *context, gint64 minimum, gint64 maximum,
                              gint64 found, const char *singular, const char *plural);

G_END_DECLS
