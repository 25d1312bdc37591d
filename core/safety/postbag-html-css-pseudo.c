/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pseudo-classes and pseudo-elements (Selectors 4, CSS Pseudo-Elements 4): which of them never hold
 * in a mail that nobody touches, which are read, and which may hold or not. */

#include <string.h>

#include "safety/postbag-html-css-selector-private.h"

/* `:not(:is(:not(a)))` */
#define MAX_TESTS_IN_TESTS 3

/* What is only so while somebody points or clicks, or is no element. */
static gboolean
is_passing (const char *name, gsize length)
{
  static const char *const words[] = { "hover",      "active",       "focus",    "visited",
                                       "target",     "focus-within", "disabled", "first-letter",
                                       "first-line", "focus-visible" };

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strlen (words[i]) == length && g_ascii_strncasecmp (words[i], name, length) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_known_element (const char *name, gsize length)
{
  static const char *const words[] = {
    "before",  "after",    "first-letter",         "first-line",    "selection",      "placeholder",
    "marker",  "backdrop", "file-selector-button", "target-text",   "highlight",      "part",
    "slotted", "cue",      "spelling-error",       "grammar-error", "details-content"
  };

  if (name[0] == '-')
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strlen (words[i]) == length && g_ascii_strncasecmp (words[i], name, length) == 0)
      return TRUE;
  return FALSE;
}

/* Others of Selectors 4 and of browsers: they may match or not. What is none of them makes the
 * selector invalid. */
static gboolean
is_known_pseudo (const char *name, gsize length)
{
  static const char *const words[] = {
    "matches",  "any",           "lang",       "dir",
    "enabled",  "read-only",     "read-write", "placeholder-shown",
    "default",  "indeterminate", "valid",      "invalid",
    "in-range", "out-of-range",  "required",   "optional",
    "blank",    "open"
  };

  if (name[0] == '-')
    return TRUE; /* a browser's own */
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strlen (words[i]) == length && g_ascii_strncasecmp (words[i], name, length) == 0)
      return TRUE;
  return FALSE;
}

/* `p:root` is no element of a mail. */
static void
require_root (PostbagCssSelectorReader *self, PostbagCssCompound *compound)
{
  guint32 html = postbag_css_intern_name (self->sheet, '\0', "html", 4);

  self->never |= compound->name != 0 && compound->name != html;
  compound->name = html;
}

/* Behind the bracket that closes the one at @text. */
static const char *
skip_brackets (const char *text)
{
  guint depth = 0;

  for (; *text != '\0'; text++)
    {
      depth += *text == '(' ? 1u : *text == ')' ? -1u : 0u;
      if (depth == 0)
        return text + 1;
    }
  return text;
}

/* --- :not(), :is(), :where() --- */

typedef enum
{
  NO_TEST,
  TEST_NOT,
  TEST_IS,
  TEST_WHERE,
} TestKind;

static TestKind
find_test (const char *name, gsize length)
{
  static const struct
  {
    const char *name;
    TestKind kind;
  } tests[] = {
    { "not", TEST_NOT },        { "is", TEST_IS },       { "where", TEST_WHERE },
    { "-webkit-any", TEST_IS }, { "-moz-any", TEST_IS },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    if (strlen (tests[i].name) == length && g_ascii_strncasecmp (tests[i].name, name, length) == 0)
      return tests[i].kind;
  return NO_TEST;
}

static gboolean
is_more_specific (const guint32 *one, const guint32 *other)
{
  for (guint i = 0; i < 3; i++)
    if (one[i] != other[i])
      return one[i] > other[i];
  return FALSE;
}

/* A reader for what stands in brackets, where @self stands. */
static PostbagCssSelectorReader
descend (const PostbagCssSelectorReader *self, char *text)
{
  PostbagCssSelectorReader reader = { .sheet = self->sheet,
                                      .at = text + strspn (text, " "),
                                      .depth = self->depth + 1,
                                      .in_has = self->in_has };

  g_strchomp (text);
  return reader;
}

/* One selector of the list in the brackets. An invalid one is passed over (sections 4.2 and 4.4),
 * but makes `:not()` invalid. */
static gboolean
read_alternative (PostbagCssSelectorReader *self, char *text, PostbagCssTest *test,
                  guint32 *specificity)
{
  PostbagCssSelectorReader reader = descend (self, text);
  PostbagCssChain chain;

  if (!postbag_css_read_selector (&reader))
    return !test->negated;
  self->maybe |= reader.maybe;
  self->needs |= reader.needs;
  if (!reader.never)
    {
      postbag_css_take_chain (&reader, &chain);
      g_array_append_val (test->alternatives, chain);
    }
  if (is_more_specific (reader.specificity, specificity))
    memcpy (specificity, reader.specificity, sizeof reader.specificity);
  return TRUE;
}

static void
clear_chain (gpointer data)
{
  postbag_css_chain_clear (data);
}

/* What stands in the brackets, up to @end. */
static gboolean
read_test (PostbagCssSelectorReader *self, PostbagCssCompound *compound, TestKind kind,
           const char *start, const char *end)
{
  g_autofree char *list = g_strndup (start, (gsize)(end - start));
  PostbagCssTest *test;
  guint32 specificity[3] = { 0 };
  char *text = list;

  if (self->depth >= MAX_TESTS_IN_TESTS || compound->n_tests >= POSTBAG_CSS_COMPOUND_TESTS)
    {
      self->maybe = TRUE;
      return TRUE;
    }
  test = g_new0 (PostbagCssTest, 1);
  test->negated = kind == TEST_NOT;
  test->alternatives = g_array_new (FALSE, FALSE, sizeof (PostbagCssChain));
  g_array_set_clear_func (test->alternatives, clear_chain);
  g_ptr_array_add (self->sheet->tests, test);
  compound->tests[compound->n_tests++] = test;
  while (text != NULL)
    {
      char *next = postbag_css_cut_selector (text);

      if (!read_alternative (self, text, test, specificity))
        return FALSE;
      text = next;
    }
  for (guint i = 0; i < 3 && kind != TEST_WHERE; i++)
    self->specificity[i] += specificity[i];
  return TRUE;
}

/* --- :has() --- */

/* `> a b`: siblings and chains of which several places may count are not followed. */
static gboolean
read_relative (PostbagCssSelectorReader *self, char *text, guint number, guint32 *specificity)
{
  PostbagCssSelectorReader reader = descend (self, text);
  PostbagCssHas has = { .relation = ' ', .number = number };
  gboolean joined = TRUE;

  reader.in_has = TRUE;
  if (*reader.at != '\0' && strchr (">+~", *reader.at) != NULL)
    {
      has.relation = *reader.at++;
      reader.at += strspn (reader.at, " ");
    }
  if (!postbag_css_read_selector (&reader))
    return FALSE;
  for (guint i = 0; i + 1 < reader.n_compounds; i++)
    joined &= reader.compounds[i].child;
  self->maybe |= reader.maybe || (has.relation != ' ' && !joined);
  self->needs |= reader.needs;
  if (is_more_specific (reader.specificity, specificity))
    memcpy (specificity, reader.specificity, sizeof reader.specificity);
  if (reader.never || self->maybe)
    return TRUE;
  postbag_css_take_chain (&reader, &has.chain);
  g_array_append_val (self->sheet->has, has);
  return TRUE;
}

static gboolean
read_has (PostbagCssSelectorReader *self, PostbagCssCompound *compound, const char *start,
          const char *end)
{
  g_autofree char *list = g_strndup (start, (gsize)(end - start));
  guint32 specificity[3] = { 0 };
  PostbagCssSheet *sheet = self->sheet;
  char *text = list;
  guint number = sheet->n_has, before = sheet->has->len;

  if (self->in_has)
    return FALSE; /* section 4.5 */
  if (number >= POSTBAG_CSS_HAS_TESTS || sheet->has->len >= POSTBAG_CSS_HAS_TESTS)
    {
      self->maybe = sheet->cut = TRUE;
      return TRUE;
    }
  while (text != NULL)
    {
      char *next = postbag_css_cut_selector (text);

      if (!read_relative (self, text, number, specificity))
        {
          g_array_set_size (sheet->has, before);
          return FALSE;
        }
      text = next;
    }
  for (guint i = 0; i < 3; i++)
    self->specificity[i] += specificity[i];
  if (self->maybe)
    {
      g_array_set_size (sheet->has, before);
      return TRUE;
    }
  sheet->n_has++;
  compound->has |= G_GUINT64_CONSTANT (1) << number;
  postbag_css_need (self,
                    POSTBAG_CSS_NEEDS_ORDER | POSTBAG_CSS_NEEDS_TREE | POSTBAG_CSS_NEEDS_SURVEY);
  return TRUE;
}

/* --- places among siblings --- */

static void
require_place (PostbagCssSelectorReader *self, PostbagCssCompound *compound, PostbagCssPlace place)
{
  gboolean later = place.kind != POSTBAG_CSS_CHILD && place.kind != POSTBAG_CSS_OF_TYPE;

  postbag_css_need (self, POSTBAG_CSS_NEEDS_ORDER | POSTBAG_CSS_NEEDS_TREE);
  if (place.kind == POSTBAG_CSS_OF_TYPE || place.kind == POSTBAG_CSS_LAST_OF_TYPE)
    postbag_css_need (self, POSTBAG_CSS_NEEDS_TYPES);
  if (later)
    postbag_css_need (self, POSTBAG_CSS_NEEDS_SURVEY);
  if (compound->n_places >= POSTBAG_CSS_COMPOUND_PLACES || (later && self->in_has))
    self->maybe = TRUE;
  else
    compound->places[compound->n_places++] = place;
}

static gboolean
is_digit_or_sign (char c)
{
  return g_ascii_isdigit (c) || c == '+' || c == '-';
}

const char *
postbag_css_read_nth (const char *text, PostbagCssPlace *place)
{
  double number = 1;
  const char *end;

  text += strspn (text, " ");
  if (g_ascii_strncasecmp (text, "odd", 3) == 0 || g_ascii_strncasecmp (text, "even", 4) == 0)
    {
      gboolean odd = (text[0] | 0x20) == 'o';

      place->step = 2;
      place->offset = odd ? 1 : 0;
      return text + (odd ? 3 : 4);
    }
  end = postbag_css_read_number (text, &number);
  if (end == NULL)
    {
      end = text + (*text == '-' || *text == '+' ? 1 : 0);
      number = *text == '-' ? -1 : 1;
      if ((*end | 0x20) != 'n')
        return NULL;
    }
  number = CLAMP (number, -1e6, 1e6);
  if ((*end | 0x20) != 'n')
    {
      place->step = 0;
      place->offset = (gint32)number;
      return end;
    }
  place->step = (gint32)number;
  end++;
  end += strspn (end, " ");
  if (*end == '+' || *end == '-')
    {
      gboolean down = *end == '-';

      end += 1 + strspn (end + 1, " ");
      if (!is_digit_or_sign (*end) || (end = postbag_css_read_number (end, &number)) == NULL)
        return NULL;
      place->offset = (gint32)CLAMP (down ? -number : number, -1e6, 1e6);
    }
  return end;
}

static const struct
{
  const char *name;
  guint8 kinds[2]; /* both of them */
  guint n_kinds;
  gboolean brackets;
} places[] = {
  { "first-child", { POSTBAG_CSS_CHILD }, 1, FALSE },
  { "last-child", { POSTBAG_CSS_LAST_CHILD }, 1, FALSE },
  { "only-child", { POSTBAG_CSS_CHILD, POSTBAG_CSS_LAST_CHILD }, 2, FALSE },
  { "nth-child", { POSTBAG_CSS_CHILD }, 1, TRUE },
  { "nth-last-child", { POSTBAG_CSS_LAST_CHILD }, 1, TRUE },
  { "first-of-type", { POSTBAG_CSS_OF_TYPE }, 1, FALSE },
  { "last-of-type", { POSTBAG_CSS_LAST_OF_TYPE }, 1, FALSE },
  { "only-of-type", { POSTBAG_CSS_OF_TYPE, POSTBAG_CSS_LAST_OF_TYPE }, 2, FALSE },
  { "nth-of-type", { POSTBAG_CSS_OF_TYPE }, 1, TRUE },
  { "nth-last-of-type", { POSTBAG_CSS_LAST_OF_TYPE }, 1, TRUE },
  { "empty", { POSTBAG_CSS_EMPTY }, 1, FALSE },
};

typedef enum
{
  NOT_READ,
  READ,
  INVALID,
} Outcome;

/* @name: what stands behind the colon; self->at: behind all of it */
static Outcome
read_place (PostbagCssSelectorReader *self, PostbagCssCompound *compound, const char *name,
            gsize length)
{
  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      PostbagCssPlace place = { .offset = 1 };

      if (strlen (places[i].name) != length
          || g_ascii_strncasecmp (places[i].name, name, length) != 0)
        continue;
      if (places[i].brackets != (name[length] == '('))
        return INVALID;
      if (places[i].brackets)
        {
          const char *end;

          place.offset = 0;
          end = postbag_css_read_nth (name + length + 1, &place);
          if (end == NULL)
            return INVALID;
          end += strspn (end, " ");
          self->maybe |= g_ascii_strncasecmp (end, "of ", 3) == 0;
          if (*end != ')' && !self->maybe)
            return INVALID;
        }
      for (guint k = 0; k < places[i].n_kinds; k++)
        {
          place.kind = places[i].kinds[k];
          require_place (self, compound, place);
        }
      return READ;
    }
  return NOT_READ;
}

/* --- pseudo-classes --- */

/* What all elements are that nobody writes into. */
static gboolean
is_held (const char *name, gsize length)
{
  return (length == 7 && g_ascii_strncasecmp (name, "defined", 7) == 0)
         || (length == 9 && g_ascii_strncasecmp (name, "read-only", 9) == 0);
}

/* Those that are one word. FALSE: this is no selector. */
static gboolean
read_word (PostbagCssSelectorReader *self, PostbagCssCompound *compound, const char *name,
           gsize length)
{
  if (length == 4 && g_ascii_strncasecmp (name, "link", 4) == 0)
    return postbag_css_add_class (self, compound, ':', "link", 4);
  if (length == 8 && g_ascii_strncasecmp (name, "any-link", 8) == 0)
    return postbag_css_add_class (self, compound, ':', "link", 4);
  if (length == 7 && g_ascii_strncasecmp (name, "checked", 7) == 0)
    return postbag_css_require_attribute (self, compound, "checked");
  if (is_passing (name, length))
    self->never = TRUE;
  else if ((length == 4 && g_ascii_strncasecmp (name, "root", 4) == 0)
           || (length == 5 && g_ascii_strncasecmp (name, "scope", 5) == 0))
    require_root (self, compound);
  else if (!is_held (name, length) && is_known_pseudo (name, length))
    self->maybe = TRUE;
  else if (!is_held (name, length))
    return FALSE;
  self->specificity[1]++;
  return TRUE;
}

/* `::before`, which may have one colon, too (Selectors 4, section 3.6.1). */
static PostbagCssPseudo
find_pseudo (const char *name, gsize length)
{
  if (length == 6 && g_ascii_strncasecmp (name, "before", 6) == 0)
    return POSTBAG_CSS_BEFORE;
  return length == 5 && g_ascii_strncasecmp (name, "after", 5) == 0 ? POSTBAG_CSS_AFTER
                                                                    : POSTBAG_CSS_ELEMENT;
}

gboolean
postbag_css_read_pseudo (PostbagCssSelectorReader *self, PostbagCssCompound *compound)
{
  gboolean element = self->at[1] == ':';
  const char *name = self->at + (element ? 2 : 1);
  gsize length = postbag_css_measure_name (name);
  const char *last;
  TestKind test = element ? NO_TEST : find_test (name, length);
  Outcome place;

  if (length == 0)
    return FALSE;
  self->at = name + length;
  if (*self->at == '(')
    self->at = skip_brackets (self->at);
  last = self->at - (self->at[-1] == ')' ? 1 : 0);
  if (element || find_pseudo (name, length) != POSTBAG_CSS_ELEMENT)
    {
      self->pseudo = (guint8)find_pseudo (name, length);
      self->never |= self->pseudo == POSTBAG_CSS_ELEMENT || self->depth > 0;
      self->specificity[2]++;
      return is_known_element (name, length);
    }
  if (test != NO_TEST)
    return name[length] == '(' && read_test (self, compound, test, name + length + 1, last);
  if (length == 3 && g_ascii_strncasecmp (name, "has", 3) == 0)
    return name[length] == '(' && read_has (self, compound, name + length + 1, last);
  place = read_place (self, compound, name, length);
  if (place == INVALID)
    return FALSE;
  if (place == NOT_READ)
    return read_word (self, compound, name, length);
  self->specificity[1]++;
  return TRUE;
}
