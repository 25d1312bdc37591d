/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Selectors (Selectors 4): types, classes, ids, `*`, descendants and children, and `:not()`,
 * `:is()` and `:where()` of what speaks of one element. Attributes other than class and id,
 * siblings and most pseudo-classes are not followed: a selector with one of them may match or not,
 * so it hides nothing, but makes the colors it sets unknown. */

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
    if (name[i] != POSTBAG_CSS_ESCAPED)
      g_string_append_c (key, name[i]);
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

/* Attributes of HTML are compared letter by letter, also where classes and ids are not. `[class=x]`
 * is all of the attribute, `[class~="x"]` and `[id=x]` are other words for `.x` and `#x`. */
static gboolean
add_attribute (PostbagCssSelectorReader *self, PostbagCssCompound *compound, gboolean id,
               gboolean word, const char *value, gsize length)
{
  if (!id && !word)
    return postbag_css_add_class (self, compound, '=', value, length);
  if (self->sheet->quirks)
    {
      self->maybe = TRUE;
      return TRUE;
    }
  if (!id)
    return postbag_css_add_class (self, compound, '.', value, length);
  compound->id = postbag_css_intern_name (self->sheet, '#', value, length);
  self->specificity[1]++;
  return TRUE;
}

static gboolean
read_attribute (PostbagCssSelectorReader *self, PostbagCssCompound *compound)
{
  const char *close = strchr (self->at, ']');
  const char *name = self->at + 1, *value;
  gboolean word;
  gsize length;

  if (close == NULL)
    return FALSE;
  self->at = close + 1;
  name += strspn (name, " ");
  length = postbag_css_measure_name (name);
  value = name + length + strspn (name + length, " ");
  word = value[0] == '~';
  value += word ? 1 : 0;
  if (*value == '=')
    {
      gboolean id = length == 2 && g_ascii_strncasecmp (name, "id", 2) == 0;
      gboolean class = length == 5 && g_ascii_strncasecmp (name, "class", 5) == 0;

      value += 1 + strspn (value + 1, " \"");
      length = class && !word && value[-1] == '"' ? strcspn (value, "\"]")
                                                  : postbag_css_measure_name (value);
      if ((id || class) && !(id && word) && length > 0 && strchr (" \"]", value[length]) != NULL
          && value + length + strspn (value + length, "\" ") == close)
        return add_attribute (self, compound, id, word, value, length);
    }
  self->maybe = TRUE;
  return TRUE;
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

      if (c == '*' && self->at == start)
        self->at++;
      else if (c == '.' || c == '#')
        {
          read = c == '.' ? postbag_css_add_class (self, compound, '.', self->at + 1, length)
                          : add_id (self, compound, self->at + 1, length);
          self->at += 1 + length;
        }
      else if (c == '[')
        read = read_attribute (self, compound);
      else if (c == ':')
        read = postbag_css_read_pseudo (self, compound);
      else if (self->at == start && postbag_css_measure_name (self->at) > 0)
        {
          compound->name = postbag_css_intern_name (self->sheet, '\0', self->at,
                                                    postbag_css_measure_name (self->at));
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

static gboolean
read_selector (PostbagCssSelectorReader *self)
{
  gboolean child = FALSE;

  while (*self->at != '\0')
    {
      PostbagCssCompound compound = { 0 };
      char joint;

      if (self->n_compounds >= POSTBAG_CSS_COMPOUNDS
          || !postbag_css_read_compound (self, &compound))
        return FALSE;
      self->compounds[self->n_compounds++] = compound;
      if (*self->at == '\0')
        break;
      joint = read_combinator (self);
      if (joint == '\0')
        return FALSE;
      child = joint == '>';
      self->compounds[self->n_compounds - 1].child = child;
      if (joint == '+' || joint == '~')
        {
          /* the sibling and all that is left of it are not followed */
          self->maybe = TRUE;
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
  guint32 key = choose_key (&selector->compounds[0]);
  GPtrArray *list;

  if (key >= self->index->len)
    g_ptr_array_set_size (self->index, (gint)key + 1);
  list = g_ptr_array_index (self->index, key);
  if (list == NULL)
    list = self->index->pdata[key] = g_ptr_array_new ();
  g_ptr_array_add (list, selector);
}

static PostbagCssSelector *
make_selector (PostbagCssSelectorReader *reader)
{
  PostbagCssSelector *self = g_new0 (PostbagCssSelector, 1);

  self->n_compounds = reader->n_compounds;
  self->compounds = g_new (PostbagCssCompound, self->n_compounds);
  for (guint i = 0; i < self->n_compounds; i++)
    self->compounds[i] = reader->compounds[self->n_compounds - 1 - i];
  self->maybe = reader->maybe;
  memcpy (self->specificity, reader->specificity, sizeof self->specificity);
  self->values = g_array_new (FALSE, FALSE, sizeof (PostbagCssRuleValue));
  return self;
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
  if (self->selectors->len >= POSTBAG_LIMIT_CSS_SELECTORS)
    {
      self->cut = TRUE;
      return NULL;
    }
  reader.at = text;
  if (!read_selector (&reader))
    {
      *invalid = TRUE;
      return NULL;
    }
  if (reader.never)
    return NULL;
  selector = make_selector (&reader);
  g_ptr_array_add (self->selectors, selector);
  g_hash_table_insert (self->by_text, g_string_chunk_insert (self->strings, text), selector);
  add_to_index (self, selector);
  return selector;
}
