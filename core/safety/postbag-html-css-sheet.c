/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Style sheets: rules, which of them are for a screen, and which of them match an element. Rules
 * with equal selectors are kept as one, and looked up by the id, class or type of their subject;
 * what matching costs beyond that is bounded by a budget for the whole message. */

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-html-css-sheet-private.h"

/* Groups of rules (`@media`) inside each other. */
#define MAX_GROUPS 32

/* Where the rules of no `@layer` stand among those of the layers: behind them all. */
#define NO_LAYER 255

/* Where in the sheet a rule stands. */
typedef struct
{
  guint depth;
  guint8 layer[MAX_GROUPS + 1];
  gboolean doubtful[MAX_GROUPS + 1]; /* the condition around it is not understood */
} Place;

static void
free_list (gpointer data)
{
  if (data != NULL)
    g_ptr_array_unref (data);
}

static void
free_selector (gpointer data)
{
  PostbagCssSelector *self = data;

  g_free (self->compounds);
  g_array_unref (self->values);
  g_free (self);
}

static void
free_test (gpointer data)
{
  PostbagCssTest *self = data;

  g_array_unref (self->alternatives);
  g_free (self);
}

PostbagCssSheet *
postbag_css_sheet_new (gboolean quirks)
{
  PostbagCssSheet *self = g_new0 (PostbagCssSheet, 1);

  self->quirks = quirks;
  self->order = 1;
  self->work = POSTBAG_LIMIT_CSS_STEPS;
  self->strings = g_string_chunk_new (1024);
  self->layers = g_hash_table_new (g_str_hash, g_str_equal);
  self->names = g_hash_table_new (g_str_hash, g_str_equal);
  self->selectors = g_ptr_array_new_with_free_func (free_selector);
  self->tests = g_ptr_array_new_with_free_func (free_test);
  self->by_text = g_hash_table_new (g_str_hash, g_str_equal);
  self->index = g_ptr_array_new_with_free_func (free_list);
  g_ptr_array_add (self->index, NULL);
  return self;
}

void
postbag_css_sheet_free (PostbagCssSheet *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->index);
  g_hash_table_unref (self->by_text);
  g_ptr_array_unref (self->selectors);
  g_ptr_array_unref (self->tests);
  g_hash_table_unref (self->names);
  g_hash_table_unref (self->layers);
  g_string_chunk_free (self->strings);
  g_free (self);
}

guint
postbag_css_sheet_count_imports (const PostbagCssSheet *self)
{
  return self->imports;
}

gboolean
postbag_css_sheet_is_cut (const PostbagCssSheet *self)
{
  return self->cut;
}

gboolean
postbag_css_sheet_is_empty (const PostbagCssSheet *self)
{
  return self->selectors->len == 0;
}

/* --- rules --- */

static void
keep_value (PostbagCssSelector *selector, const PostbagCssDeclaration *declaration,
            guint64 priority)
{
  PostbagCssRuleValue row = { *declaration, priority };

  for (guint i = 0; i < selector->values->len; i++)
    {
      PostbagCssRuleValue *known = &g_array_index (selector->values, PostbagCssRuleValue, i);

      if (known->declaration.property != declaration->property)
        continue;
      if (known->declaration.important < declaration->important
          || (known->declaration.important == declaration->important
              && known->priority <= priority))
        *known = row;
      return;
    }
  g_array_append_val (selector->values, row);
}

/* CSS Cascade 5, section 6: layer (the other way round for what is important), specificity, then
 * order. Less than POSTBAG_CSS_PRIORITY_INLINE. */
static guint64
rank (const PostbagCssSelector *selector, guint8 layer, gboolean important, guint order)
{
  guint64 priority = important ? NO_LAYER - layer : layer;

  for (guint i = 0; i < 3; i++)
    priority = priority << 8 | MIN (selector->specificity[i], 255);
  return priority << 24 | order;
}

static void
add_to_selector (PostbagCssSelector *selector, const PostbagCssCascade *rule, guint8 layer,
                 gboolean doubtful, guint order)
{
  for (guint i = 0; i < POSTBAG_CSS_N_PROPERTIES; i++)
    {
      PostbagCssDeclaration value;

      if ((rule->set & (G_GUINT64_CONSTANT (1) << i)) == 0)
        continue;
      value = rule->value[i];
      if (selector->maybe || doubtful)
        {
          if (i != POSTBAG_CSS_COLOR && i != POSTBAG_CSS_TEXT_FILL && i != POSTBAG_CSS_BACKGROUND
              && i != POSTBAG_CSS_IMAGE)
            continue;
          value.unknown = TRUE;
          value.unit = POSTBAG_CSS_PIXELS;
        }
      keep_value (selector, &value, rank (selector, layer, value.important, order));
    }
}

/* An invalid selector makes the list invalid, for a reader that knows all selectors. */
static void
add_rule (PostbagCssSheet *self, char *selectors, char *block, const Place *place)
{
  g_autoptr (GPtrArray) list = NULL;
  PostbagCssCascade rule;
  char *nested = strchr (block, '{');
  gboolean invalid = FALSE;

  rule.set = 0;
  if (nested != NULL)
    *nested = '\0';
  postbag_css_read_block (block, 0, &rule);
  if (rule.set == 0)
    return;
  list = g_ptr_array_new ();
  while (selectors != NULL)
    {
      char *next = postbag_css_cut_selector (selectors);
      PostbagCssSelector *selector = postbag_css_sheet_intern_selector (self, selectors, &invalid);

      if (selector != NULL)
        g_ptr_array_add (list, selector);
      selectors = next;
    }
  for (guint i = 0; i < list->len; i++)
    add_to_selector (g_ptr_array_index (list, i), &rule, place->layer[place->depth],
                     invalid || place->doubtful[place->depth], self->order);
  self->order++;
}

/* --- the sheet --- */

/* The brace that closes the block at @text, or the end. */
static char *
find_block_end (char *text)
{
  guint depth = 1;

  for (;;)
    {
      text += strcspn (text, "{}");
      if (*text == '\0')
        return text;
      depth += *text == '{' ? 1u : -1u;
      if (depth == 0)
        return text;
      text++;
    }
}

static gboolean
starts_word (const char *text, const char *word)
{
  gsize length = strlen (word);

  return g_ascii_strncasecmp (text, word, length) == 0 && !g_ascii_isalnum (text[length])
         && text[length] != '-';
}

/* Whether the rules inside the block behind @prelude hold here. */
static PostbagCssVerdict
judge_group (const char *prelude)
{
  if (starts_word (prelude, "@media"))
    return postbag_css_media_matches (prelude + 6) ? POSTBAG_CSS_HOLDS : POSTBAG_CSS_FAILS;
  if (starts_word (prelude, "@supports"))
    return postbag_css_supports_judge (prelude + 9);
  if (starts_word (prelude, "@layer"))
    return POSTBAG_CSS_HOLDS;
  return starts_word (prelude, "@scope") || starts_word (prelude, "@container")
             ? POSTBAG_CSS_DOUBTFUL
             : POSTBAG_CSS_FAILS;
}

/* The number of the layer called @name, or of one without a name: in the order in which they are
 * first heard of. 0: there are too many. */
static guint8
number_layer (PostbagCssSheet *self, const char *name, gsize length)
{
  g_autofree char *key = g_strstrip (g_strndup (name, length));
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (self->layers, key));

  if (*key != '\0' && number != 0)
    return (guint8)number;
  number = g_hash_table_size (self->layers) + 1;
  if (number >= NO_LAYER)
    return 0;
  if (*key == '\0')
    {
      g_free (key);
      key = g_strdup_printf ("%u", number); /* no name is a number */
    }
  g_hash_table_insert (self->layers, g_string_chunk_insert (self->strings, key),
                       GUINT_TO_POINTER (number));
  return (guint8)number;
}

/* `@layer one, two;` only says in which order they stand. */
static void
declare_layers (PostbagCssSheet *self, const char *names)
{
  while (*names != '\0')
    {
      gsize length = strcspn (names, ",");

      number_layer (self, names, length);
      names += length + (names[length] == ',' ? 1 : 0);
    }
}

/* Layers in layers are not told apart. */
static void
enter_group (PostbagCssSheet *self, Place *place, const char *prelude, PostbagCssVerdict verdict)
{
  guint outer = place->depth++, inner = place->depth;

  place->layer[inner] = place->layer[outer];
  place->doubtful[inner] = place->doubtful[outer] || verdict == POSTBAG_CSS_DOUBTFUL;
  if (!starts_word (prelude, "@layer"))
    return;
  place->doubtful[inner] |= place->layer[outer] != NO_LAYER;
  place->layer[inner] = number_layer (self, prelude + 6, strlen (prelude + 6));
  place->doubtful[inner] |= place->layer[inner] == 0;
}

/* Where the prelude at @text ends: at a brace, or at the `;` of an at-rule. A `}` that closes
 * nothing belongs to the prelude, which it spoils. */
static char *
find_prelude_end (char *text, guint depth)
{
  gboolean at_rule = *text == '@';

  for (;;)
    {
      text += strcspn (text, "{};");
      if (*text == '\0' || *text == '{' || (*text == ';' && at_rule) || (*text == '}' && depth > 0))
        return text;
      text++;
    }
}

static char *
handle_block (PostbagCssSheet *self, char *prelude, char *block, Place *place)
{
  PostbagCssVerdict verdict = POSTBAG_CSS_FAILS;
  char *end;

  if (prelude[0] == '@' && place->depth < MAX_GROUPS)
    verdict = judge_group (prelude);
  if (verdict != POSTBAG_CSS_FAILS)
    {
      enter_group (self, place, prelude, verdict);
      return block;
    }
  end = find_block_end (block);
  if (prelude[0] != '@')
    {
      char *next = *end != '\0' ? end + 1 : end;

      *end = '\0';
      add_rule (self, prelude, block, place);
      return next;
    }
  return *end != '\0' ? end + 1 : end;
}

void
postbag_css_sheet_add (PostbagCssSheet *self, const char *css, gsize length, const char *media)
{
  g_autofree char *normal = NULL;
  char *p;
  Place place = { .layer = { NO_LAYER } };

  if (media != NULL && !postbag_css_media_matches (media))
    return;
  normal = postbag_css_normalise (css, length);
  p = normal;
  while (*p != '\0')
    {
      char *prelude = p + strspn (p, " ");
      char *end = find_prelude_end (prelude, place.depth);
      char stop = *end;

      if (stop == '\0')
        break;
      *end = '\0';
      p = end + 1;
      if (stop == '{')
        p = handle_block (self, prelude, p, &place);
      else if (stop == '}')
        place.depth--;
      else if (starts_word (prelude, "@layer"))
        declare_layers (self, prelude + 6);
      else if (starts_word (prelude, "@import"))
        self->imports++;
    }
}

/* --- matching --- */

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

static gboolean matches_compound (PostbagCssSheet *self, const PostbagCssCompound *compound,
                                  const PostbagCssNode *node);

/* Tests stand in tests no deeper than they are read. */
static gboolean
passes_test (PostbagCssSheet *self, const PostbagCssTest *test, const PostbagCssNode *node)
{
  for (guint i = 0; i < test->alternatives->len; i++)
    {
      self->work -= self->work > 0 ? 1 : 0;
      if (matches_compound (self, &g_array_index (test->alternatives, PostbagCssCompound, i), node))
        return !test->negated;
    }
  return test->negated;
}

static gboolean
matches_compound (PostbagCssSheet *self, const PostbagCssCompound *compound,
                  const PostbagCssNode *node)
{
  if ((compound->name != 0 && compound->name != node->name)
      || (compound->id != 0 && compound->id != node->id))
    return FALSE;
  for (guint i = 0; i < compound->n_classes; i++)
    {
      gboolean found = FALSE;

      for (guint j = 0; j < node->n_classes && !found; j++)
        found = node->classes[j] == compound->classes[i];
      if (!found)
        return FALSE;
    }
  for (guint i = 0; i < compound->n_tests; i++)
    if (!passes_test (self, compound->tests[i], node))
      return FALSE;
  return TRUE;
}

/* Compounds from @first on that are joined as parents, against @nodes[@depth] and outwards. */
static gboolean
matches_chain (PostbagCssSheet *self, const PostbagCssSelector *selector, guint first, guint last,
               const PostbagCssNode *nodes, guint depth)
{
  for (guint i = first; i < last; i++)
    {
      guint up = i - first;

      self->work -= self->work > 0 ? 1 : 0;
      if (up >= depth || !matches_compound (self, &selector->compounds[i], &nodes[depth - up]))
        return FALSE;
    }
  return TRUE;
}

/* Chains of parents, innermost first; taking the nearest place for each leaves the most room for
 * the next, so nothing is tried twice. */
static gboolean
matches_selector (PostbagCssSheet *self, const PostbagCssSelector *selector,
                  const PostbagCssNode *nodes, guint depth)
{
  guint first = 0;

  while (first < selector->n_compounds)
    {
      guint last = first + 1;

      while (last < selector->n_compounds && selector->compounds[last].child)
        last++;
      while (depth > 0 && !matches_chain (self, selector, first, last, nodes, depth))
        depth = first > 0 ? depth - 1 : 0;
      if (depth == 0 || self->work == 0)
        return FALSE;
      depth -= last - first;
      first = last;
    }
  return TRUE;
}

static void
match_list (PostbagCssSheet *self, guint32 key, const PostbagCssNode *nodes, guint depth,
            PostbagCssCascade *cascade)
{
  GPtrArray *list = key < self->index->len ? g_ptr_array_index (self->index, key) : NULL;

  for (guint i = 0; list != NULL && i < list->len; i++)
    {
      const PostbagCssSelector *selector = g_ptr_array_index (list, i);

      if (self->work == 0)
        {
          self->cut = TRUE;
          return;
        }
      if (!matches_selector (self, selector, nodes, depth))
        continue;
      for (guint v = 0; v < selector->values->len; v++)
        {
          const PostbagCssRuleValue *row =
              &g_array_index (selector->values, PostbagCssRuleValue, v);

          postbag_css_cascade_add (cascade, &row->declaration, row->priority);
        }
      self->work -= MIN (self->work, selector->values->len);
    }
}

void
postbag_css_sheet_match (PostbagCssSheet *self, const PostbagCssNode *nodes, guint depth,
                         PostbagCssCascade *cascade)
{
  const PostbagCssNode *node = &nodes[depth];

  match_list (self, 0, nodes, depth, cascade);
  if (node->name != 0)
    match_list (self, node->name, nodes, depth, cascade);
  if (node->id != 0)
    match_list (self, node->id, nodes, depth, cascade);
  for (guint i = 0; i < node->n_classes; i++)
    match_list (self, node->classes[i], nodes, depth, cascade);
}
