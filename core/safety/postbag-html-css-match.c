/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which selectors match an element. The ancestors of it are there; of its siblings only what was
 * noted about them: which of the selectors left of a `+` or `~` they match, and how many there are.
 * What costs more than a step each is bounded by a budget for the whole message. */

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-html-css-sheet-private.h"

guint
postbag_css_sheet_get_needs (const PostbagCssSheet *self)
{
  return self->needs;
}

void
postbag_css_sheet_give (PostbagCssSheet *self, guint given)
{
  self->given |= given;
}

gboolean
postbag_css_sheet_is_given (const PostbagCssSheet *self, guint needs)
{
  return (needs & ~self->given) == 0;
}

const guint64 *
postbag_css_sheet_get_matched (const PostbagCssSheet *self)
{
  return self->matched;
}

GStringChunk *
postbag_css_sheet_get_strings (PostbagCssSheet *self)
{
  return self->strings;
}

static void
spend (PostbagCssSheet *self, gsize steps)
{
  self->work -= MIN (self->work, steps);
}

/* --- what there is of an element --- */

static guint32
find_number (const PostbagCssSheet *self, GString *key, char prefix, const char *name, gsize length)
{
  g_string_truncate (key, 0);
  if (prefix != '\0')
    g_string_append_c (key, prefix);
  g_string_append_len (key, name, (gssize)length);
  if ((prefix == '.' || prefix == '#') && self->quirks)
    g_string_ascii_down (key);
  return GPOINTER_TO_UINT (g_hash_table_lookup (self->names, key->str));
}

static void
add_node_class (PostbagCssNode *node, guint32 number)
{
  if (number != 0 && node->n_classes < POSTBAG_CSS_NODE_CLASSES)
    node->classes[node->n_classes++] = number;
}

void
postbag_css_sheet_read_node (const PostbagCssSheet *self, const char *name, const char *id,
                             const char *classes, gboolean link, PostbagCssNode *node)
{
  g_autoptr (GString) key = NULL;

  node->name = GPOINTER_TO_UINT (g_hash_table_lookup (self->names, name));
  node->id = 0;
  node->n_classes = 0;
  if (id == NULL && classes == NULL && !link)
    return;
  key = g_string_new (NULL);
  if (id != NULL)
    node->id = find_number (self, key, '#', id, strlen (id));
  if (link)
    add_node_class (node, find_number (self, key, ':', "link", 4));
  if (classes != NULL)
    add_node_class (node, find_number (self, key, '=', classes, strlen (classes)));
  while (classes != NULL && *classes != '\0' && node->n_classes < POSTBAG_CSS_NODE_CLASSES)
    {
      gsize length;
      guint32 number;

      classes += strspn (classes, " \t\n\r\f");
      length = strcspn (classes, " \t\n\r\f");
      number = length > 0 ? find_number (self, key, '.', classes, length) : 0;
      add_node_class (node, number);
      classes += length;
    }
}

/* --- attributes (Selectors 4, section 6) --- */

gboolean
postbag_css_sheet_wants_attribute (const PostbagCssSheet *self, const char *name)
{
  for (guint i = 0; i < self->attributes->len; i++)
    if (strcmp (g_array_index (self->attributes, PostbagCssAttributeTest, i).name, name) == 0)
      return TRUE;
  return FALSE;
}

gboolean
postbag_css_sheet_wants_any (const PostbagCssSheet *self, guint64 seen)
{
  for (guint i = 0; i < self->attributes->len; i++)
    {
      const char *name = g_array_index (self->attributes, PostbagCssAttributeTest, i).name;

      if ((seen & postbag_css_hash_attribute (name, strlen (name))) != 0)
        return TRUE;
    }
  return FALSE;
}

/* @size: of both, which stand in front of each other */
static gboolean
equals (const char *one, const char *other, gsize size, gboolean ignores_case)
{
  return ignores_case ? g_ascii_strncasecmp (one, other, size) == 0
                      : memcmp (one, other, size) == 0;
}

static gboolean
contains (const char *text, gsize length, const char *word, gsize size, gboolean ignores_case)
{
  g_autofree char *low = NULL, *low_word = NULL;

  if (!ignores_case)
    return memmem (text, length, word, size) != NULL;
  low = g_ascii_strdown (text, (gssize)length);
  low_word = g_ascii_strdown (word, (gssize)size);
  return memmem (low, length, low_word, size) != NULL;
}

static gboolean
has_word (const char *text, const char *word, gsize size, gboolean ignores_case)
{
  while (*text != '\0')
    {
      gsize length;

      text += strspn (text, " \t\n\r\f");
      length = strcspn (text, " \t\n\r\f");
      if (length == size && equals (text, word, size, ignores_case))
        return TRUE;
      text += length;
    }
  return FALSE;
}

static gboolean
passes_attribute (const PostbagCssAttributeTest *test, const char *value)
{
  gsize length = strlen (value), size = test->value != NULL ? strlen (test->value) : 0;
  gboolean fits = size <= length, folds = test->ignores_case;

  if (test->value == NULL)
    return TRUE;
  switch (test->relation)
    {
    case '~':
      return size > 0 && has_word (value, test->value, size, folds);
    case '|':
      return fits && equals (value, test->value, size, folds)
             && (value[size] == '\0' || value[size] == '-');
    case '^':
      return size > 0 && fits && equals (value, test->value, size, folds);
    case '$':
      return size > 0 && fits && equals (value + length - size, test->value, size, folds);
    case '*':
      return size > 0 && contains (value, length, test->value, size, folds);
    default:
      return size == length && equals (value, test->value, size, folds);
    }
}

/* In steps, as they are spent; folding letters takes a step each. */
static gsize
measure_test (const PostbagCssAttributeTest *test, const char *value)
{
  gsize bytes = strlen (value) + (test->value != NULL ? strlen (test->value) : 0);

  return 1 + (test->ignores_case ? bytes : bytes / 64);
}

guint64
postbag_css_sheet_test_attribute (PostbagCssSheet *self, const char *name, const char *value)
{
  guint64 passed = 0;

  for (guint i = 0; i < self->attributes->len; i++)
    {
      const PostbagCssAttributeTest *test =
          &g_array_index (self->attributes, PostbagCssAttributeTest, i);

      if (strcmp (test->name, name) != 0)
        continue;
      spend (self, measure_test (test, value));
      if (self->work > 0 && passes_attribute (test, value))
        passed |= G_GUINT64_CONSTANT (1) << i;
    }
  return passed;
}

/* --- compounds --- */

static guint match_chain (PostbagCssSheet *self, const PostbagCssChain *chain,
                          const PostbagCssNode *nodes, guint depth);

/* Tests stand in tests no deeper than they are read. */
static gboolean
passes_test (PostbagCssSheet *self, const PostbagCssTest *test, const PostbagCssNode *nodes,
             guint depth)
{
  for (guint i = 0; i < test->alternatives->len; i++)
    {
      spend (self, 1);
      if (match_chain (self, &g_array_index (test->alternatives, PostbagCssChain, i), nodes, depth)
          > 0)
        return !test->negated;
    }
  return test->negated;
}

/* Section 14.1 of Selectors 4: whether place = step * n + offset for an n from 0 on. */
static gboolean
is_at_place (const PostbagCssNode *node, const PostbagCssPlace *place)
{
  gint64 distance;

  if (place->kind == POSTBAG_CSS_EMPTY)
    return node->empty;
  if (node->place[place->kind] == 0)
    return FALSE; /* not known */
  distance = (gint64)node->place[place->kind] - place->offset;
  if (place->step == 0)
    return distance == 0;
  return distance % place->step == 0 && distance / place->step >= 0;
}

static gboolean
has_bit (const guint64 *words, guint number)
{
  return (words[number / 64] >> (number % 64) & 1) != 0;
}

static gboolean
has_classes (const PostbagCssCompound *compound, const PostbagCssNode *node)
{
  for (guint i = 0; i < compound->n_classes; i++)
    {
      gboolean found = FALSE;

      for (guint j = 0; j < node->n_classes && !found; j++)
        found = node->classes[j] == compound->classes[i];
      if (!found)
        return FALSE;
    }
  return TRUE;
}

static gboolean
matches_compound (PostbagCssSheet *self, const PostbagCssCompound *compound,
                  const PostbagCssNode *nodes, guint depth)
{
  const PostbagCssNode *node = &nodes[depth];

  if ((compound->name != 0 && compound->name != node->name)
      || (compound->id != 0 && compound->id != node->id))
    return FALSE;
  if (compound->attributes != 0 && (compound->attributes & ~node->attributes) != 0)
    return FALSE;
  if (compound->has != 0 && (compound->has & ~node->has) != 0)
    return FALSE;
  if (compound->sibling != 0
      && !has_bit (compound->adjacent ? node->previous : node->earlier, compound->sibling - 1u))
    return FALSE;
  if (!has_classes (compound, node))
    return FALSE;
  for (guint i = 0; i < compound->n_places; i++)
    if (!is_at_place (node, &compound->places[i]))
      return FALSE;
  for (guint i = 0; i < compound->n_tests; i++)
    if (!passes_test (self, compound->tests[i], nodes, depth))
      return FALSE;
  return TRUE;
}

/* --- chains --- */

/* Compounds from @first on that are joined as parents, against @nodes[@depth] and outwards. */
static gboolean
matches_parents (PostbagCssSheet *self, const PostbagCssChain *chain, guint first, guint last,
                 const PostbagCssNode *nodes, guint depth)
{
  for (guint i = first; i < last; i++)
    {
      guint up = i - first;

      spend (self, 1);
      if (up >= depth || !matches_compound (self, &chain->compounds[i], nodes, depth - up))
        return FALSE;
    }
  return TRUE;
}

/* Parents joined, innermost first; taking the nearest place for each leaves the most room for the
 * next, so nothing is tried twice. Returns: the depth of the outermost, 0: it does not match */
static guint
match_chain (PostbagCssSheet *self, const PostbagCssChain *chain, const PostbagCssNode *nodes,
             guint depth)
{
  guint first = 0;

  while (first < chain->n_compounds)
    {
      guint last = first + 1;

      while (last < chain->n_compounds && chain->compounds[last].child)
        last++;
      while (depth > 0 && !matches_parents (self, chain, first, last, nodes, depth))
        depth = first > 0 ? depth - 1 : 0;
      if (depth == 0 || self->work == 0)
        return 0;
      depth -= last - first;
      first = last;
    }
  return depth + 1;
}

/* --- the element --- */

static void
take_selector (PostbagCssSheet *self, const PostbagCssSelector *selector,
               PostbagCssCascade *cascade)
{
  if (selector->sibling != 0)
    self->matched[(selector->sibling - 1u) / 64] |= G_GUINT64_CONSTANT (1)
                                                    << (selector->sibling - 1u) % 64;
  for (guint v = 0; v < selector->values->len; v++)
    {
      const PostbagCssRuleValue *row = &g_array_index (selector->values, PostbagCssRuleValue, v);

      postbag_css_cascade_add (cascade, &row->declaration, row->priority);
    }
  if (selector->texts != NULL && cascade->texts != NULL)
    {
      g_array_append_vals (cascade->texts, selector->texts->data, selector->texts->len);
      spend (self, selector->texts->len);
    }
  spend (self, selector->values->len);
}

static void
match_list (PostbagCssSheet *self, PostbagCssPseudo pseudo, guint32 key,
            const PostbagCssNode *nodes, guint depth, PostbagCssCascade *cascade)
{
  const GPtrArray *index = self->index[pseudo];
  GPtrArray *list = key < index->len ? g_ptr_array_index (index, key) : NULL;

  for (guint i = 0; list != NULL && i < list->len; i++)
    {
      const PostbagCssSelector *selector = g_ptr_array_index (list, i);

      if (self->work == 0)
        {
          self->cut = TRUE;
          return;
        }
      if (selector->needs != 0 && !postbag_css_sheet_is_given (self, selector->needs))
        {
          self->cut = TRUE; /* the page was too long */
          spend (self, 1);
          continue;
        }
      if (match_chain (self, &selector->chain, nodes, depth) > 0 && self->work > 0)
        take_selector (self, selector, cascade);
    }
}

void
postbag_css_sheet_match_pseudo (PostbagCssSheet *self, PostbagCssPseudo pseudo,
                                const PostbagCssNode *nodes, guint depth,
                                PostbagCssCascade *cascade)
{
  const PostbagCssNode *node = &nodes[depth];

  match_list (self, pseudo, 0, nodes, depth, cascade);
  if (node->name != 0)
    match_list (self, pseudo, node->name, nodes, depth, cascade);
  if (node->id != 0)
    match_list (self, pseudo, node->id, nodes, depth, cascade);
  for (guint i = 0; i < node->n_classes; i++)
    match_list (self, pseudo, node->classes[i], nodes, depth, cascade);
}

void
postbag_css_sheet_match (PostbagCssSheet *self, const PostbagCssNode *nodes, guint depth,
                         PostbagCssCascade *cascade)
{
  if (self->n_siblings > 0)
    memset (self->matched, 0, sizeof self->matched);
  postbag_css_sheet_match_pseudo (self, POSTBAG_CSS_ELEMENT, nodes, depth, cascade);
}

gboolean
postbag_css_sheet_generates (const PostbagCssSheet *self)
{
  return self->generates;
}

guint
postbag_css_sheet_find_has (PostbagCssSheet *self, const PostbagCssNode *nodes, guint depth,
                            PostbagCssFound *found)
{
  guint count = 0;

  for (guint i = 0; i < self->has->len && count < POSTBAG_CSS_HAS_TESTS; i++)
    {
      const PostbagCssHas *has = &g_array_index (self->has, PostbagCssHas, i);
      guint top;

      spend (self, 1);
      top = match_chain (self, &has->chain, nodes, depth);
      if (top > 0)
        found[count++] = (PostbagCssFound){ has->number, has->relation, top };
    }
  self->cut |= self->work == 0;
  return count;
}
