/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "json/postbag-schema.h"

G_BEGIN_DECLS

/* A compiled schema is a graph of subschemas: one for each place in the source that is a schema,
 * its keywords already read, `$ref` already resolved to a pointer. Nothing in it changes after
 * postbag_schema_compile(). What borrows from the source (names, numbers, enumerations) lives as
 * long as PostbagSchema.root and .documents. */

typedef enum
{
  POSTBAG_VALUE_NULL = 1 << 0,
  POSTBAG_VALUE_BOOLEAN = 1 << 1,
  POSTBAG_VALUE_INTEGER = 1 << 2, /* 5.0 too (2020-12 core, 4.2.3) */
  POSTBAG_VALUE_NUMBER = 1 << 3,
  POSTBAG_VALUE_STRING = 1 << 4,
  POSTBAG_VALUE_ARRAY = 1 << 5,
  POSTBAG_VALUE_OBJECT = 1 << 6,
} PostbagValueType;

typedef struct _PostbagSubschema PostbagSubschema;

/* A schema resource: the root, or what an embedded `$id` starts (2020-12 core, 9.2.1). */
typedef struct
{
  char *uri;
  JsonNode *root;
  gboolean no_assertions;      /* its dialect leaves the validation vocabulary out */
  GHashTable *anchors;         /* name -> PostbagSubschema */
  GHashTable *dynamic_anchors; /* name -> PostbagSubschema */
} PostbagSchemaResource;

/* Whether @text is of the format; @text has no NUL. */
typedef gboolean (*PostbagFormatFunc) (const char *text);

typedef struct
{
  const char *name;
  PostbagFormatFunc check;
  const char *hint; /* what is expected, for a problem's text */
} PostbagFormat;

typedef struct
{
  GRegex *regex;
  PostbagSubschema *schema;
} PostbagPatternProperty;

struct _PostbagSubschema
{
  const PostbagSchemaResource *resource;
  char *pointer;  /* where it stands; only while compiling */
  gint always;    /* 0: false, 1: true, -1: the keywords below decide */
  gboolean exact; /* x-postbag-exact: never mended */

  guint types;            /* PostbagValueType; 0: any */
  JsonArray *enumeration; /* (nullable) */
  JsonNode *constant;     /* (nullable) */
  JsonNode *minimum;      /* (nullable), like the numbers below */
  JsonNode *maximum;
  JsonNode *exclusive_minimum;
  JsonNode *exclusive_maximum;
  JsonNode *multiple_of;
  gint64 min_length; /* -1: absent, like the counts below */
  gint64 max_length;
  gint64 min_items;
  gint64 max_items;
  gint64 min_contains;
  gint64 max_contains;
  gint64 min_properties;
  gint64 max_properties;
  gboolean unique_items;
  GRegex *pattern;                /* (nullable) */
  const char *pattern_text;       /* as its author wrote it */
  const PostbagFormat *format;    /* (nullable) */
  JsonArray *required;            /* (nullable): strings */
  JsonObject *dependent_required; /* (nullable): arrays of strings */

  GHashTable *properties;        /* (nullable): name -> PostbagSubschema */
  GArray *pattern_properties;    /* (nullable): PostbagPatternProperty */
  GHashTable *dependent_schemas; /* (nullable): name -> PostbagSubschema */
  GPtrArray *prefix_items;       /* (nullable) */
  GPtrArray *all_of;             /* (nullable) */
  GPtrArray *any_of;             /* (nullable) */
  GPtrArray *one_of;             /* (nullable) */
  PostbagSubschema *additional_properties;
  PostbagSubschema *property_names;
  PostbagSubschema *items;
  PostbagSubschema *contains;
  PostbagSubschema *unevaluated_properties;
  PostbagSubschema *unevaluated_items;
  PostbagSubschema *negated;   /* not */
  PostbagSubschema *condition; /* if */
  PostbagSubschema *then_schema;
  PostbagSubschema *else_schema;
  PostbagSubschema *reference;         /* $ref */
  PostbagSubschema *dynamic_reference; /* $dynamicRef as resolved without the dynamic scope */
  char *dynamic_name; /* (nullable): the anchor that the dynamic scope may redefine */
};

struct _PostbagSchema
{
  gatomicrefcount references;
  JsonNode *root;
  PostbagSchemaFlags flags;
  PostbagSubschema *top;
  GPtrArray *subschemas; /* (element-type PostbagSubschema): owns them */
  GPtrArray *resources;  /* (element-type PostbagSchemaResource): owns them */
  GPtrArray *documents;  /* (element-type JsonNode): keeps the other documents that are used */
};

PostbagSubschema *postbag_subschema_new (void);
void postbag_subschema_free (PostbagSubschema *self);

/* --- postbag-schema-reference.c --- */

PostbagSchemaResource *postbag_schema_resource_new (char *uri, JsonNode *root);
void postbag_schema_resource_free (PostbagSchemaResource *self);
/* (transfer full) (nullable): @reference against @base, the fragment cut off into @fragment
 * (unescaped, "" when there is none) */
char *postbag_schema_resolve_uri (const char *base, const char *reference, char **fragment);
/* (transfer none) (nullable): what the JSON pointer (RFC 6901) names below @root */
JsonNode *postbag_schema_follow_pointer (JsonNode *root, const char *pointer);
/* (transfer full): @pointer with one more token */
char *postbag_schema_extend_pointer (const char *pointer, const char *token);

/* --- postbag-schema-value.c --- */

/* The types that @value has: an integer is a number too. */
guint postbag_value_get_types (JsonNode *value);
/* By JSON Schema's rules (2020-12 core, 4.2.2): 1 equals 1.0, the order of members is nothing. */
gboolean postbag_value_equal (JsonNode *a, JsonNode *b);
/* Exact, also between an integer and a double. <0, 0, >0 */
gint postbag_value_compare_numbers (JsonNode *a, JsonNode *b);
/* Exact for the decimals that the numbers stand for: 0.3 is a multiple of 0.1. */
gboolean postbag_value_is_multiple (JsonNode *value, JsonNode *divisor);
/* Whether two entries are equal; then @first < @second are their indices. */
gboolean postbag_value_find_equal (JsonArray *array, guint *first, guint *second);

/* --- postbag-schema-pattern.c --- */

/* (transfer full) (nullable): an ECMA-262 pattern (unicode), as a regex with bounded work */
GRegex *postbag_schema_pattern_new (const char *pattern, GError **error);
/* Whether @text matches; %FALSE too where the bound on the work was met: then @exhausted is set. */
gboolean postbag_schema_pattern_match (const GRegex *regex, const char *text, gboolean *exhausted);

/* --- postbag-schema-format.c --- */

/* (nullable): %NULL for a format that is not asserted */
const PostbagFormat *postbag_schema_find_format (const char *name);

/* --- postbag-schema-problems.c --- */

/* Where in the value: a chain of stack frames from the inside to the root. */
typedef struct _PostbagPlace PostbagPlace;
struct _PostbagPlace
{
  const PostbagPlace *parent; /* %NULL: the root, which has neither name nor index */
  const char *name;           /* or NULL */
  guint index;
};

typedef struct
{
  GPtrArray *lines;
  guint limit;
  gboolean more; /* some did not fit */
} PostbagProblems;

PostbagProblems *postbag_problems_new (guint limit);
void postbag_problems_free (PostbagProblems *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PostbagProblems, postbag_problems_free)
/* @self may be %NULL: then nobody wants to know. */
void postbag_problems_add (PostbagProblems *self, const PostbagPlace *place, const char *format,
                           ...) G_GNUC_PRINTF (3, 4);
void postbag_problems_add_all (PostbagProblems *self, const PostbagProblems *others);
/* (transfer full): foreign text: invisible and control characters as \uXXXX, cut */
char *postbag_problems_quote (const char *text);
/* (transfer full): `string "x"`, `integer 5`, `array` */
char *postbag_problems_describe (JsonNode *value);
/* (transfer full): a value as compact JSON, cleaned and cut */
char *postbag_problems_write (JsonNode *value);
/* (transfer full): `"a", "b" or "c"` */
char *postbag_problems_list_values (JsonArray *values);
/* (transfer full): what to say of the unknown member @name of an object with members @known */
char *postbag_problems_describe_unknown (const PostbagPlace *place, const char *name,
                                         GPtrArray *known);

/* --- postbag-schema-validate.c --- */

/* Whether @value fits @schema; @problems may be %NULL. */
gboolean postbag_subschema_validate (const PostbagSubschema *schema, JsonNode *value,
                                     PostbagProblems *problems);

G_END_DECLS
