/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Selectors (Selectors 4): types, classes, ids, `*`, attributes, descendants, children and
 * siblings. Some pseudo-classes are not followed: a selector with one of them may match or not, so
 * it hides nothing, but makes the colors it sets unknown.
 *
 * What stands left of a `+` or `~` becomes a selector of its own: the elements it matches are noted
 * as they come, and what follows asks for the note. */

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-html-css-selector-private.h"

/* An identifier (CSS Syntax 3, section 4.3.9): none starts with a digit or is only a hyphen. */
gsize
postbag_css_measure_name (const char *text)
{
  gsize length = 0, first = text[0] == '-' ? 1 : 0;

  while (g_ascii_isalnum (text[length]) || text[length] == '-' || text[length] == '_'
         || text[length] == '?' || text[length] == POSTBAG_CSS_ESCAPED
         || (guchar)text[length] >= 0x80)
    length++;
  return g_ascii_isdigit (text[first]) || length == first ? 0 : length;
}

guint32
postbag_css_intern_name (PostbagCssSheet *self, char prefix, const char *name, gsize length)
{
  g_autoptr (GString) key = g_string_sized_new (length + 1);
  guint32 number;

  if (prefix != '\0')
    g_string_append_c (key, prefix);
  for (gsize i = 0; i < length; i++)
    {
      if (name[i] == POSTBAG_CSS_QUOTED && i + 1 < length)
        g_string_append_c (key, (char)((guchar)name[++i] & 0x7f));
      else if (name[i] != POSTBAG_CSS_ESCAPED)
        g_string_append_c (key, name[i]);
    }
  if (prefix == '\0' || (self->quirks && prefix != '='))
    g_string_ascii_down (key);
  number = GPOINTER_TO_UINT (g_hash_table_lookup (self->names, key->str));
  if (number != 0)
    return number;
  number = g_hash_table_size (self->names) + 1;
  g_hash_table_insert (self->names, g_string_chunk_insert (self->strings, key->str),
                       GUINT_TO_POINTER (number));
  return number;
}

gboolean
postbag_css_add_class (PostbagCssSelectorReader *self, PostbagCssCompound *compound, char prefix,
                       const char *name, gsize length)
{
  if (length == 0)
    return FALSE;
  self->specificity[1]++;
  if (compound->n_classes >= POSTBAG_CSS_COMPOUND_CLASSES)
    self->maybe = TRUE;
  else
    compound->classes[compound->n_classes++] =
        postbag_css_intern_name (self->sheet, prefix, name, length);
  return TRUE;
}

static gboolean
add_id (PostbagCssSelectorReader *self, PostbagCssCompound *compound, const char *name,
        gsize length)
{
  if (length == 0)
    return FALSE;
  compound->id = postbag_css_intern_name (self->sheet, '#', name, length);
  self->specificity[0]++;
  return TRUE;
}

void
postbag_css_need (PostbagCssSelectorReader *self, guint needs)
{
  self->needs |= needs;
  self->sheet->needs |= needs;
}

/* Browsers put bodies into tables that have none. */
static void
note_table (PostbagCssSelectorReader *self)
{
  gsize length = postbag_css_measure_name (self->at);

  if (length == 5 && g_ascii_strncasecmp (self->at, "tbody", 5) == 0)
    postbag_css_need (self, POSTBAG_CSS_NEEDS_TREE);
  else if (length == 5 && g_ascii_strncasecmp (self->at, "table", 5) == 0
           && self->at[5 + strspn (self->at + 5, " ")] == '>')
    postbag_css_need (self, POSTBAG_CSS_NEEDS_TREE);
}

gboolean
postbag_css_read_compound (PostbagCssSelectorReader *self, PostbagCssCompound *compound)
{
  const char *start = self->at;

  while (*self->at != '\0' && strchr (" >+~", *self->at) == NULL)
    {
      char c = *self->at;
      gsize length = postbag_css_measure_name (self->at + 1);
      gboolean read = TRUE;

      self->never |= self->pseudo != POSTBAG_CSS_ELEMENT; /* `::before:hover` */
      if (c == '*' && self->at == start)
        self->at++;
      else if (c == '.' || c == '#')
        {
          read = c == '.' ? postbag_css_add_class (self, compound, '.', self->at + 1, length)
                          : add_id (self, compound, self->at + 1, length);
          self->at += 1 + length;
        }
      else if (c == '[')
        read = postbag_css_read_attribute (self, compound);
      else if (c == ':')
        read = postbag_css_read_pseudo (self, compound);
      else if (self->at == start && postbag_css_measure_name (self->at) > 0)
        {
          compound->name = postbag_css_intern_name (self->sheet, '\0', self->at,
                                                    postbag_css_measure_name (self->at));
          note_table (self);
          self->specificity[2]++;
          self->at += postbag_css_measure_name (self->at);
        }
      else
        read = FALSE;
      if (!read)
        return FALSE;
    }
  return self->at > start;
}

/* Skips what joins two compounds: ` `, `>`, `+` or `~`. NUL: more than one, or nothing follows. */
static char
read_combinator (PostbagCssSelectorReader *self)
{
  char joint = ' ';

  for (; *self->at != '\0' && strchr (" >+~", *self->at) != NULL; self->at++)
    if (*self->at != ' ')
      {
        if (joint != ' ')
          return '\0';
        joint = *self->at;
      }
  return *self->at == '\0' ? '\0' : joint;
}

static void note_sibling (PostbagCssSelectorReader *self, const char *start, gsize length,
                          char joint);

gboolean
postbag_css_read_selector (PostbagCssSelectorReader *self)
{
  const char *start = self->at;

  while (*self->at != '\0')
    {
      PostbagCssCompound compound = { .sibling = self->sibling, .adjacent = self->adjacent };
      const char *end;
      char joint;

      self->sibling = 0;
      if (self->pseudo != POSTBAG_CSS_ELEMENT)
        return FALSE; /* nothing stands in it */
      if (self->n_compounds >= POSTBAG_CSS_COMPOUNDS
          || !postbag_css_read_compound (self, &compound))
        return FALSE;
      self->compounds[self->n_compounds++] = compound;
      if (*self->at == '\0')
        break;
      end = self->at;
      joint = read_combinator (self);
      if (joint == '\0')
        return FALSE;
      self->compounds[self->n_compounds - 1].child = joint == '>';
      if (joint == '+' || joint == '~')
        {
          note_sibling (self, start, (gsize)(end - start), joint);
          self->n_compounds = 0;
        }
    }
  return self->n_compounds > 0;
}

/* The rarest thing the subject must have. */
static guint32
choose_key (const PostbagCssCompound *subject)
{
  if (subject->id != 0)
    return subject->id;
  if (subject->n_classes > 0)
    return subject->classes[subject->n_classes - 1];
  return subject->name;
}

static void
add_to_index (PostbagCssSheet *self, PostbagCssSelector *selector)
{
  guint32 key = choose_key (&selector->chain.compounds[0]);
  GPtrArray *index = self->index[selector->pseudo];
  GPtrArray *list;

  if (key >= index->len)
    g_ptr_array_set_size (index, (gint)key + 1);
  list = g_ptr_array_index (index, key);
  if (list == NULL)
    list = index->pdata[key] = g_ptr_array_new ();
  g_ptr_array_add (list, selector);
}

void
postbag_css_take_chain (const PostbagCssSelectorReader *self, PostbagCssChain *chain)
{
  chain->n_compounds = self->n_compounds;
  chain->compounds = g_new (PostbagCssCompound, self->n_compounds);
  for (guint i = 0; i < self->n_compounds; i++)
    chain->compounds[i] = self->compounds[self->n_compounds - 1 - i];
}

void
postbag_css_chain_clear (PostbagCssChain *self)
{
  g_clear_pointer (&self->compounds, g_free);
  self->n_compounds = 0;
}

static PostbagCssSelector *
make_selector (const PostbagCssSelectorReader *reader, const char *text)
{
  PostbagCssSheet *sheet = reader->sheet;
  PostbagCssSelector *self = g_new0 (PostbagCssSelector, 1);

  postbag_css_take_chain (reader, &self->chain);
  self->maybe = reader->maybe;
  self->needs = (guint8)reader->needs;
  self->pseudo = reader->pseudo;
  memcpy (self->specificity, reader->specificity, sizeof self->specificity);
  self->values = g_array_new (FALSE, FALSE, sizeof (PostbagCssRuleValue));
  g_ptr_array_add (sheet->selectors, self);
  g_hash_table_insert (sheet->by_text, g_string_chunk_insert (sheet->strings, text), self);
  add_to_index (sheet, self);
  return self;
}

/* What was read so far, from @start on, is asked of a sibling of what comes next. */
static void
note_sibling (PostbagCssSelectorReader *self, const char *start, gsize length, char joint)
{
  PostbagCssSheet *sheet = self->sheet;
  g_autofree char *text = NULL;
  PostbagCssSelector *known;

  self->adjacent = joint == '+';
  if (self->maybe || self->never)
    return;
  text = g_strndup (start, length);
  known = g_hash_table_lookup (sheet->by_text, text);
  if ((known == NULL || known->sibling == 0)
      && (sheet->n_siblings >= 64 * POSTBAG_CSS_SIBLING_WORDS || self->in_has
          || sheet->selectors->len >= POSTBAG_LIMIT_CSS_SELECTORS))
    {
      sheet->cut |= !self->in_has;
      self->maybe = TRUE;
      return;
    }
  if (known == NULL)
    known = make_selector (self, text);
  if (known->sibling == 0)
    known->sibling = ++sheet->n_siblings;
  self->sibling = known->sibling;
  postbag_css_need (self, POSTBAG_CSS_NEEDS_ORDER | POSTBAG_CSS_NEEDS_TREE);
}

char *
postbag_css_cut_selector (char *text)
{
  guint depth = 0;

  for (; *text != '\0'; text++)
    {
      if (*text == '(' || *text == '[')
        depth++;
      else if ((*text == ')' || *text == ']') && depth > 0)
        depth--;
      else if (*text == ',' && depth == 0)
        {
          *text = '\0';
          return text + 1;
        }
    }
  return NULL;
}

PostbagCssSelector *
postbag_css_sheet_intern_selector (PostbagCssSheet *self, char *text, gboolean *invalid)
{
  PostbagCssSelectorReader reader = { .sheet = self };
  PostbagCssSelector *selector;

  while (*text == ' ')
    text++;
  g_strchomp (text);
  selector = g_hash_table_lookup (self->by_text, text);
  if (selector != NULL)
    return selector;
  if (self->selectors->len >= POSTBAG_LIMIT_CSS_SELECTORS
      || strlen (text) > POSTBAG_LIMIT_CSS_SELECTOR_BYTES)
    {
      self->cut = TRUE;
      return NULL;
    }
  reader.at = text;
  if (!postbag_css_read_selector (&reader))
    {
      *invalid = TRUE;
      return NULL;
    }
  if (reader.never)
    return NULL;
  return make_selector (&reader, text);
}
