/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where elements stand among their siblings, for the selectors that ask: how many there are before
 * one, which of a sheet's selectors those match, and, once the page was surveyed, how many come
 * behind it and what it holds. There is one of these only for a sheet that asks. */

#include "safety/postbag-html-tree-private.h"

#include <string.h>

#include "base/postbag-limits.h"

/* Different names among the children of one element that are counted apart. */
#define MAX_TYPES 32

typedef struct
{
  guint32 type;
  guint32 count;
} TypeCount;

/* The children of an open element so far. */
typedef struct
{
  guint32 serial; /* of the element */
  guint32 last;   /* of its last child */
  guint32 children;
  guint32 n_types;
  TypeCount types[MAX_TYPES];
  guint64 previous[POSTBAG_CSS_SIBLING_WORDS]; /* what the last child matches */
  guint64 earlier[POSTBAG_CSS_SIBLING_WORDS];  /* what any of them does */
} Level;

/* What the survey found out about an element. */
typedef struct
{
  guint64 has;
  guint32 children;
  guint32 previous; /* its sibling */
  guint32 types_at; /* in the list of counts */
  guint16 n_types;
  gboolean text;
} Record;

struct _PostbagHtmlTree
{
  PostbagCssSheet *sheet;
  guint needs;
  gboolean surveys;
  gboolean overflows; /* there are more elements than are kept */
  guint32 serial;
  GHashTable *types; /* (nullable): names to numbers from 1 on */
  GStringChunk *names;
  GArray *counts;  /* TypeCount */
  GArray *records; /* Record; [0]: outside of everything */
  Level levels[POSTBAG_HTML_STACK];
};

static void
begin_level (PostbagHtmlTree *self, guint depth, guint32 serial)
{
  Level *level = &self->levels[depth];

  level->serial = serial;
  level->last = 0;
  level->children = 0;
  level->n_types = 0;
  memset (level->previous, 0, sizeof level->previous);
  memset (level->earlier, 0, sizeof level->earlier);
}

PostbagHtmlTree *
postbag_html_tree_new (PostbagCssSheet *sheet)
{
  guint needs = postbag_css_sheet_get_needs (sheet);
  PostbagHtmlTree *self;

  if ((needs & POSTBAG_CSS_NEEDS_ORDER) == 0
      || !postbag_css_sheet_is_given (sheet, POSTBAG_CSS_NEEDS_TREE))
    return NULL;
  self = g_new (PostbagHtmlTree, 1);
  memset (self, 0, offsetof (PostbagHtmlTree, levels));
  self->sheet = sheet;
  self->needs = needs;
  self->types = g_hash_table_new (g_str_hash, g_str_equal);
  self->names = g_string_chunk_new (256);
  self->counts = g_array_new (FALSE, FALSE, sizeof (TypeCount));
  self->records = g_array_new (FALSE, TRUE, sizeof (Record));
  begin_level (self, 0, 0);
  postbag_css_sheet_give (sheet, POSTBAG_CSS_NEEDS_ORDER | POSTBAG_CSS_NEEDS_TYPES);
  return self;
}

void
postbag_html_tree_free (PostbagHtmlTree *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->types);
  g_string_chunk_free (self->names);
  g_array_unref (self->counts);
  g_array_unref (self->records);
  g_free (self);
}

gboolean
postbag_html_tree_wants_survey (const PostbagHtmlTree *self)
{
  return (self->needs & POSTBAG_CSS_NEEDS_SURVEY) != 0;
}

void
postbag_html_tree_begin_survey (PostbagHtmlTree *self)
{
  self->surveys = TRUE;
  g_array_set_size (self->records, 1);
}

void
postbag_html_tree_end_survey (PostbagHtmlTree *self)
{
  self->surveys = FALSE;
  self->serial = 0;
  begin_level (self, 0, 0);
  if (!self->overflows)
    postbag_css_sheet_give (self->sheet, POSTBAG_CSS_NEEDS_SURVEY);
}

/* (nullable) */
static Record *
get_record (PostbagHtmlTree *self, guint32 serial)
{
  return serial < self->records->len ? &g_array_index (self->records, Record, serial) : NULL;
}

/* --- types --- */

static guint32
number_type (PostbagHtmlTree *self, const char *name)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->types, name));

  if (number != 0)
    return number;
  number = g_hash_table_size (self->types) + 1;
  g_hash_table_insert (self->types, g_string_chunk_insert (self->names, name),
                       GUINT_TO_POINTER (number));
  return number;
}

/* (nullable) */
static TypeCount *
find_type (TypeCount *list, guint count, guint32 type)
{
  for (guint i = 0; i < count; i++)
    if (list[i].type == type)
      return &list[i];
  return NULL;
}

/* The place of one more child of @type; 0: there are too many types. */
static guint32
count_type (Level *level, guint32 type)
{
  TypeCount *known = find_type (level->types, level->n_types, type);

  if (known == NULL && level->n_types >= MAX_TYPES)
    return 0;
  if (known == NULL)
    {
      known = &level->types[level->n_types++];
      *known = (TypeCount){ type, 0 };
    }
  return ++known->count;
}

/* --- elements --- */

static void
set_places (PostbagHtmlTree *self, Level *parent, const char *name, PostbagCssNode *node)
{
  const Record *around = get_record (self, parent->serial);
  guint32 type = (self->needs & POSTBAG_CSS_NEEDS_TYPES) != 0 ? number_type (self, name) : 0;
  TypeCount *all = NULL;

  node->place[POSTBAG_CSS_CHILD] = ++parent->children;
  node->place[POSTBAG_CSS_OF_TYPE] = type != 0 ? count_type (parent, type) : 0;
  node->place[POSTBAG_CSS_LAST_CHILD] = node->place[POSTBAG_CSS_LAST_OF_TYPE] = 0;
  if (self->surveys || around == NULL)
    return;
  node->place[POSTBAG_CSS_LAST_CHILD] = around->children - parent->children + 1;
  if (type != 0 && around->n_types > 0)
    all = find_type (&g_array_index (self->counts, TypeCount, around->types_at), around->n_types,
                     type);
  if (all != NULL)
    node->place[POSTBAG_CSS_LAST_OF_TYPE] = all->count - node->place[POSTBAG_CSS_OF_TYPE] + 1;
}

static void
add_record (PostbagHtmlTree *self, guint32 previous)
{
  Record record = { .previous = previous };

  if (self->records->len > POSTBAG_LIMIT_CSS_ELEMENTS)
    self->overflows = TRUE;
  else
    g_array_append_val (self->records, record);
}

void
postbag_html_tree_start (PostbagHtmlTree *self, const char *name, PostbagCssNode *nodes,
                         guint depth)
{
  PostbagCssNode *node = &nodes[depth];
  Level *parent = &self->levels[depth - 1];
  guint32 serial = ++self->serial;
  const Record *record;

  if (self->surveys)
    add_record (self, parent->last);
  record = get_record (self, serial);
  parent->last = serial;
  set_places (self, parent, name, node);
  node->has = record != NULL ? record->has : 0;
  node->empty = record != NULL && !self->surveys && record->children == 0 && !record->text;
  memcpy (node->previous, parent->previous, sizeof node->previous);
  memcpy (node->earlier, parent->earlier, sizeof node->earlier);
  memset (parent->previous, 0, sizeof parent->previous);
  begin_level (self, depth, serial);
}

void
postbag_html_tree_note (PostbagHtmlTree *self, guint depth)
{
  Level *parent = &self->levels[depth - 1];
  const guint64 *matched = postbag_css_sheet_get_matched (self->sheet);

  for (guint i = 0; i < POSTBAG_CSS_SIBLING_WORDS; i++)
    {
      parent->previous[i] = matched[i];
      parent->earlier[i] |= matched[i];
    }
}

/* --- the survey --- */

void
postbag_html_tree_text (PostbagHtmlTree *self, guint depth)
{
  Record *record = get_record (self, self->levels[depth].serial);

  if (record != NULL)
    record->text = TRUE;
}

void
postbag_html_tree_end (PostbagHtmlTree *self, guint depth)
{
  const Level *level = &self->levels[depth];
  Record *record = get_record (self, level->serial);

  if (record == NULL)
    return;
  record->children = level->children;
  record->types_at = self->counts->len;
  record->n_types = (guint16)level->n_types;
  g_array_append_vals (self->counts, level->types, level->n_types);
}

/* FALSE: it was known already, and so are those beyond it. */
static gboolean
set_has (PostbagHtmlTree *self, guint32 serial, guint number)
{
  Record *record = serial != 0 ? get_record (self, serial) : NULL;
  guint64 bit = G_GUINT64_CONSTANT (1) << number;

  if (record == NULL || (record->has & bit) != 0)
    return FALSE;
  record->has |= bit;
  return TRUE;
}

static guint32
get_previous (PostbagHtmlTree *self, guint32 serial)
{
  const Record *record = get_record (self, serial);

  return record != NULL ? record->previous : 0;
}

static void
mark (PostbagHtmlTree *self, const PostbagCssFound *found)
{
  guint32 sibling;

  switch (found->relation)
    {
    case '>':
      set_has (self, self->levels[found->depth - 1].serial, found->number);
      break;
    case '+':
    case '~':
      sibling = get_previous (self, self->levels[found->depth].serial);
      while (set_has (self, sibling, found->number) && found->relation == '~')
        sibling = get_previous (self, sibling);
      break;
    default:
      for (guint depth = found->depth - 1; depth > 0; depth--)
        if (!set_has (self, self->levels[depth].serial, found->number))
          break;
      break;
    }
}

void
postbag_html_tree_mark (PostbagHtmlTree *self, const PostbagCssNode *nodes, guint depth)
{
  PostbagCssFound found[POSTBAG_CSS_HAS_TESTS];
  guint count = postbag_css_sheet_find_has (self->sheet, nodes, depth, found);

  for (guint i = 0; i < count; i++)
    mark (self, &found[i]);
}
