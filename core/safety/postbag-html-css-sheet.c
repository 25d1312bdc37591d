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

/* Custom properties, and what holds some, of one selector. */
#define MAX_TEXTS 1000

/* Where in the sheet a rule stands. */
typedef struct
{
  guint depth;
  guint8 layer[MAX_GROUPS + 1];
  gboolean doubtful[MAX_GROUPS + 1]; /* the condition around it is not understood */
  char *outer[MAX_GROUPS + 1];       /* (nullable): selectors of the rule around it */
  gboolean owns[MAX_GROUPS + 1];     /* that is no copy of the one around it */
  GString *declarations;             /* of that rule, not added yet */
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

  postbag_css_chain_clear (&self->chain);
  g_array_unref (self->values);
  g_clear_pointer (&self->texts, g_array_unref);
  g_free (self);
}

static void
free_test (gpointer data)
{
  PostbagCssTest *self = data;

  g_array_unref (self->alternatives);
  g_free (self);
}

static void
clear_has (gpointer data)
{
  PostbagCssHas *self = data;

  postbag_css_chain_clear (&self->chain);
}

PostbagCssSheet *
postbag_css_sheet_new (gboolean quirks)
{
  PostbagCssSheet *self = g_new0 (PostbagCssSheet, 1);

  self->quirks = quirks;
  self->order = 1;
  self->work = POSTBAG_LIMIT_CSS_STEPS;
  self->nested = POSTBAG_LIMIT_CSS_NESTED_BYTES;
  self->put_in = POSTBAG_LIMIT_CSS_PUT_IN_BYTES;
  self->strings = g_string_chunk_new (1024);
  self->layers = g_hash_table_new (g_str_hash, g_str_equal);
  self->names = g_hash_table_new (g_str_hash, g_str_equal);
  self->selectors = g_ptr_array_new_with_free_func (free_selector);
  self->tests = g_ptr_array_new_with_free_func (free_test);
  self->by_text = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < POSTBAG_CSS_N_PSEUDOS; i++)
    {
      self->index[i] = g_ptr_array_new_with_free_func (free_list);
      g_ptr_array_add (self->index[i], NULL);
    }
  self->attributes = g_array_new (FALSE, FALSE, sizeof (PostbagCssAttributeTest));
  self->texts = g_array_new (FALSE, FALSE, sizeof (PostbagCssText));
  self->has = g_array_new (FALSE, FALSE, sizeof (PostbagCssHas));
  g_array_set_clear_func (self->has, clear_has);
  return self;
}

void
postbag_css_sheet_free (PostbagCssSheet *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->has);
  g_array_unref (self->texts);
  g_array_unref (self->attributes);
  for (guint i = 0; i < POSTBAG_CSS_N_PSEUDOS; i++)
    g_ptr_array_unref (self->index[i]);
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

/* Names are kept once, so that they can be told apart by where they stand. */
static void
keep_text (PostbagCssSheet *sheet, PostbagCssSelector *selector, const PostbagCssText *text)
{
  for (guint i = 0; i < selector->texts->len; i++)
    {
      PostbagCssText *known = &g_array_index (selector->texts, PostbagCssText, i);

      if (known->name != text->name || known->unknown != text->unknown)
        continue;
      if (known->important < text->important
          || (known->important == text->important && known->priority <= text->priority))
        *known = *text;
      return;
    }
  if (selector->texts->len < MAX_TEXTS)
    g_array_append_val (selector->texts, *text);
  else
    sheet->cut = TRUE;
}

/* What may hold or not sets no more than the colors that are read of it as it stands. */
static void
add_texts (PostbagCssSheet *sheet, PostbagCssSelector *selector, const GArray *texts, guint8 layer,
           gboolean doubtful, guint order)
{
  for (guint i = 0; i < texts->len; i++)
    {
      PostbagCssText text = g_array_index (texts, PostbagCssText, i);

      if (selector->texts == NULL)
        selector->texts = g_array_new (FALSE, FALSE, sizeof (PostbagCssText));
      text.priority = rank (selector, layer, text.important != 0, order);
      text.unknown = selector->maybe || doubtful ? 1 : 0;
      if (!text.unknown || text.name[0] == '-')
        keep_text (sheet, selector, &text);
      sheet->generates |= selector->pseudo != POSTBAG_CSS_ELEMENT && !text.unknown
                          && strcmp (text.name, "content") == 0;
      if (text.unknown && text.name[0] != '-' && strcmp (text.name, "content") != 0)
        {
          g_autofree char *value = g_strdup (text.text);
          PostbagCssCascade rule;

          postbag_css_cascade_init (&rule, NULL, NULL);
          postbag_css_read_text (&text, value, &rule);
          add_to_selector (selector, &rule, layer, TRUE, order);
        }
    }
}

/* An invalid selector makes the list invalid, for a reader that knows all selectors. */
static void
add_rule (PostbagCssSheet *self, char *selectors, char *block, const Place *place)
{
  g_autoptr (GPtrArray) list = NULL;
  PostbagCssCascade rule;
  gboolean invalid = FALSE;

  g_array_set_size (self->texts, 0);
  postbag_css_cascade_init (&rule, self->texts, self->strings);
  rule.content = TRUE;
  postbag_css_read_block (block, 0, &rule);
  if (rule.set == 0 && self->texts->len == 0)
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
    {
      PostbagCssSelector *selector = g_ptr_array_index (list, i);
      gboolean doubtful = invalid || place->doubtful[place->depth];

      add_to_selector (selector, &rule, place->layer[place->depth], doubtful, self->order);
      add_texts (self, selector, self->texts, place->layer[place->depth], doubtful, self->order);
    }
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

static guint
enter (Place *place)
{
  guint outer = place->depth++, inner = place->depth;

  place->layer[inner] = place->layer[outer];
  place->doubtful[inner] = place->doubtful[outer];
  place->outer[inner] = place->outer[outer];
  place->owns[inner] = FALSE;
  return inner;
}

static void
leave (Place *place)
{
  if (place->owns[place->depth])
    g_free (place->outer[place->depth]);
  place->depth--;
}

/* Layers in layers are not told apart. */
static void
enter_group (PostbagCssSheet *self, Place *place, const char *prelude, PostbagCssVerdict verdict)
{
  guint outer = place->depth, inner = enter (place);

  place->doubtful[inner] |= verdict == POSTBAG_CSS_DOUBTFUL;
  if (!starts_word (prelude, "@layer"))
    return;
  place->doubtful[inner] |= place->layer[outer] != NO_LAYER;
  place->layer[inner] = number_layer (self, prelude + 6, strlen (prelude + 6));
  place->doubtful[inner] |= place->layer[inner] == 0;
}

/* Where the prelude at @text ends: at a brace, or at the `;` of an at-rule or, @in_rule, of a
 * declaration. A `}` that closes nothing belongs to the prelude, which it spoils. */
static char *
find_prelude_end (char *text, guint depth, gboolean in_rule)
{
  gboolean at_rule = *text == '@' || in_rule;

  for (;;)
    {
      text += strcspn (text, "{};");
      if (*text == '\0' || *text == '{' || (*text == ';' && at_rule) || (*text == '}' && depth > 0))
        return text;
      text++;
    }
}

/* --- rules in rules --- */

static gboolean
may_nest (PostbagCssSheet *self, gsize bytes)
{
  self->cut |= bytes > self->nested;
  if (bytes > self->nested)
    return FALSE;
  self->nested -= bytes;
  return TRUE;
}

/* Declarations between nested rules stand where they stand (CSS Nesting 1, section 4). */
static void
flush_declarations (PostbagCssSheet *self, Place *place)
{
  const char *outer = place->outer[place->depth];
  g_autofree char *selectors = NULL;

  if (place->declarations->len == 0)
    return;
  if (outer != NULL && may_nest (self, strlen (outer)))
    {
      selectors = g_strdup (outer);
      add_rule (self, selectors, place->declarations->str, place);
    }
  g_string_truncate (place->declarations, 0);
}

/* (transfer full) (nullable): the selectors of the rule that starts with @prelude. */
static char *
resolve_selectors (PostbagCssSheet *self, const Place *place, const char *prelude)
{
  const char *outer = place->outer[place->depth];
  char *resolved = postbag_css_nest_selectors (outer != NULL ? outer : ":root", prelude);

  self->cut |= resolved == NULL;
  if (resolved == NULL || may_nest (self, strlen (resolved)))
    return resolved;
  g_free (resolved);
  return NULL;
}

/* A rule whose block starts at @block: what is to be read next. One that holds no other rule is
 * read at once. */
static char *
handle_rule (PostbagCssSheet *self, char *prelude, char *block, Place *place)
{
  g_autofree char *resolved = NULL;
  char *end = block + strcspn (block, "{}");
  gboolean holds_rules = *end == '{';
  gboolean nests = place->outer[place->depth] != NULL || strchr (prelude, '&') != NULL;

  if (nests)
    resolved = resolve_selectors (self, place, prelude);
  if (holds_rules && place->depth < MAX_GROUPS && (resolved != NULL || !nests))
    {
      guint inner = enter (place);

      place->outer[inner] = nests ? g_steal_pointer (&resolved) : g_strdup (prelude);
      place->owns[inner] = TRUE;
      return block;
    }
  if (holds_rules)
    end = find_block_end (block);
  else if (resolved != NULL || !nests)
    {
      char stop = *end;

      *end = '\0';
      add_rule (self, nests ? resolved : prelude, block, place);
      *end = stop;
    }
  return *end != '\0' ? end + 1 : end;
}

static char *
handle_block (PostbagCssSheet *self, char *prelude, char *block, Place *place)
{
  PostbagCssVerdict verdict = POSTBAG_CSS_FAILS;
  char *end;

  flush_declarations (self, place);
  if (prelude[0] == '@' && place->depth < MAX_GROUPS)
    verdict = judge_group (prelude);
  if (verdict != POSTBAG_CSS_FAILS)
    {
      enter_group (self, place, prelude, verdict);
      return block;
    }
  if (prelude[0] != '@' && !(prelude[0] == '-' && prelude[1] == '-'))
    return handle_rule (self, prelude, block, place);
  end = find_block_end (block);
  return *end != '\0' ? end + 1 : end;
}

/* What ended at @stop without a block. */
static void
handle_statement (PostbagCssSheet *self, const char *text, char stop, Place *place)
{
  if (place->outer[place->depth] != NULL && text[0] != '@')
    g_string_append_printf (place->declarations, "%s;", text);
  else if (stop == ';' && starts_word (text, "@layer"))
    declare_layers (self, text + 6);
  else if (stop == ';' && starts_word (text, "@import"))
    self->imports++;
  if (stop != '}')
    return;
  flush_declarations (self, place);
  leave (place);
}

void
postbag_css_sheet_add (PostbagCssSheet *self, const char *css, gsize length, const char *media)
{
  g_autofree char *normal = NULL;
  g_autoptr (GString) declarations = NULL;
  char *p;
  Place place = { .layer = { NO_LAYER } };

  if (media != NULL && !postbag_css_media_matches (media))
    return;
  normal = postbag_css_normalise (css, length);
  place.declarations = declarations = g_string_new (NULL);
  p = normal;
  while (*p != '\0')
    {
      char *prelude = p + strspn (p, " ");
      char *end = find_prelude_end (prelude, place.depth, place.outer[place.depth] != NULL);
      char stop = *end;

      if (stop == '\0')
        {
          handle_statement (self, prelude, stop, &place);
          break;
        }
      *end = '\0';
      p = end + 1;
      if (stop == '{')
        p = handle_block (self, prelude, p, &place);
      else
        handle_statement (self, prelude, stop, &place);
    }
  flush_declarations (self, &place);
  while (place.depth > 0)
    leave (&place);
}
