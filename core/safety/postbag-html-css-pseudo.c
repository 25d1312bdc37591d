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
                                       "checked",    "target",       "before",   "after",
                                       "empty",      "focus-within", "disabled", "first-letter",
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
  static const char *const words[] = { "has",
                                       "matches",
                                       "any",
                                       "lang",
                                       "dir",
                                       "first-child",
                                       "last-child",
                                       "only-child",
                                       "nth-child",
                                       "nth-last-child",
                                       "first-of-type",
                                       "last-of-type",
                                       "only-of-type",
                                       "nth-of-type",
                                       "nth-last-of-type",
                                       "enabled",
                                       "read-only",
                                       "read-write",
                                       "placeholder-shown",
                                       "default",
                                       "indeterminate",
                                       "valid",
                                       "invalid",
                                       "in-range",
                                       "out-of-range",
                                       "required",
                                       "optional",
                                       "blank",
                                       "scope",
                                       "defined",
                                       "open" };

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

/* One selector of the list in the brackets. An invalid one is passed over (sections 4.2 and 4.4),
 * but makes `:not()` invalid. */
static gboolean
read_alternative (PostbagCssSelectorReader *self, char *text, PostbagCssTest *test,
                  guint32 *specificity)
{
  PostbagCssSelectorReader reader = { .sheet = self->sheet, .depth = self->depth + 1 };
  PostbagCssCompound compound = { 0 };

  reader.at = text + strspn (text, " ");
  g_strchomp (text);
  if (!postbag_css_read_compound (&reader, &compound))
    return !test->negated;
  self->maybe |= reader.maybe || *reader.at != '\0'; /* of more than one element */
  if (!reader.never)
    g_array_append_val (test->alternatives, compound);
  if (is_more_specific (reader.specificity, specificity))
    memcpy (specificity, reader.specificity, sizeof reader.specificity);
  return TRUE;
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
  test->alternatives = g_array_new (FALSE, FALSE, sizeof (PostbagCssCompound));
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

/* --- pseudo-classes --- */

gboolean
postbag_css_read_pseudo (PostbagCssSelectorReader *self, PostbagCssCompound *compound)
{
  gboolean element = self->at[1] == ':';
  const char *name = self->at + (element ? 2 : 1);
  gsize length = postbag_css_measure_name (name);
  TestKind test = element ? NO_TEST : find_test (name, length);

  if (length == 0)
    return FALSE;
  self->at = name + length;
  if (*self->at == '(')
    self->at = skip_brackets (self->at);
  if (test != NO_TEST)
    return name[length] == '('
           && read_test (self, compound, test, name + length + 1,
                         self->at - (self->at[-1] == ')' ? 1 : 0));
  if (length == 4 && g_ascii_strncasecmp (name, "link", 4) == 0 && !element)
    return postbag_css_add_class (self, compound, ':', "link", 4);
  if (length == 8 && g_ascii_strncasecmp (name, "any-link", 8) == 0 && !element)
    return postbag_css_add_class (self, compound, ':', "link", 4);
  if (element ? is_known_element (name, length) : is_passing (name, length))
    self->never = TRUE;
  else if (length == 4 && g_ascii_strncasecmp (name, "root", 4) == 0)
    require_root (self, compound);
  else if (!element && is_known_pseudo (name, length))
    self->maybe = TRUE;
  else
    return FALSE;
  self->specificity[1]++;
  return TRUE;
}
