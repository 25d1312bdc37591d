/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attribute selectors (Selectors 4, section 6): `[name]`, `[name=value]` and what compares parts of
 * the value. Each different one is a test with a number; elements have a bit for those they pass.
 */

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-html-css-selector-private.h"

/* Bits there are. */
#define MAX_TESTS 64

/* The rest of `[name=value]`, taken apart. */
typedef struct
{
  const char *name;
  gsize name_length;
  char relation;
  const char *value; /* (nullable) */
  gsize value_length;
  gboolean quoted;
  char flag; /* `i`, `s`, NUL: none */
} Parts;

/* HTML section 4.16.2: attributes whose values are compared without letter case. */
static gboolean
has_folding_name (const char *name)
{
  static const char *const names[] = {
    "accept",     "accept-charset", "align",     "alink",    "axis",     "bgcolor", "charset",
    "checked",    "clear",          "codetype",  "color",    "compact",  "declare", "defer",
    "dir",        "direction",      "disabled",  "enctype",  "face",     "frame",   "hreflang",
    "http-equiv", "lang",           "language",  "link",     "media",    "method",  "multiple",
    "nohref",     "noresize",       "noshade",   "nowrap",   "readonly", "rel",     "rev",
    "rules",      "scope",          "scrolling", "selected", "shape",    "target",  "text",
    "type",       "valign",         "valuetype", "vlink",    NULL
  };

  return g_strv_contains (names, name);
}

/* Takes the text between the brackets, which starts at @text, apart. FALSE: it is no selector. */
static gboolean
take_apart (const char *text, const char *close, Parts *parts)
{
  text += strspn (text, " ");
  parts->name = text;
  parts->name_length = postbag_css_measure_name (text);
  text += parts->name_length;
  text += strspn (text, " ");
  if (parts->name_length == 0)
    return FALSE;
  if (text == close)
    return TRUE;
  if (strchr ("~|^$*", *text) != NULL)
    parts->relation = *text++;
  if (*text++ != '=')
    return FALSE;
  text += strspn (text, " ");
  parts->quoted = *text == '"';
  parts->value = text + (parts->quoted ? 1 : 0);
  parts->value_length =
      parts->quoted ? strcspn (parts->value, "\"") : postbag_css_measure_name (parts->value);
  text = parts->value + parts->value_length;
  if (parts->quoted ? *text++ != '"' : parts->value_length == 0)
    return FALSE;
  text += strspn (text, " ");
  if (text < close)
    parts->flag = g_ascii_tolower (*text++);
  text += strspn (text, " ");
  return text == close && (parts->flag == '\0' || parts->flag == 'i' || parts->flag == 's');
}

/* The bit of the test, made where it is new; 0: there are too many. */
static guint64
intern_test (PostbagCssSheet *sheet, const PostbagCssAttributeTest *test)
{
  PostbagCssAttributeTest kept = *test;

  for (guint i = 0; i < sheet->attributes->len; i++)
    {
      const PostbagCssAttributeTest *known =
          &g_array_index (sheet->attributes, PostbagCssAttributeTest, i);

      if (strcmp (known->name, test->name) == 0 && known->relation == test->relation
          && known->ignores_case == test->ignores_case
          && g_strcmp0 (known->value, test->value) == 0)
        return G_GUINT64_CONSTANT (1) << i;
    }
  if (sheet->attributes->len >= MAX_TESTS)
    return 0;
  kept.name = g_string_chunk_insert_const (sheet->strings, test->name);
  kept.value = test->value != NULL ? g_string_chunk_insert (sheet->strings, test->value) : NULL;
  g_array_append_val (sheet->attributes, kept);
  return G_GUINT64_CONSTANT (1) << (sheet->attributes->len - 1);
}

static void
require_test (PostbagCssSelectorReader *self, PostbagCssCompound *compound,
              const PostbagCssAttributeTest *test)
{
  guint64 bit = intern_test (self->sheet, test);

  compound->attributes |= bit;
  self->maybe |= bit == 0;
  self->sheet->cut |= bit == 0;
  postbag_css_need (self, POSTBAG_CSS_NEEDS_ATTRIBUTES);
  self->specificity[1]++;
}

gboolean
postbag_css_require_attribute (PostbagCssSelectorReader *self, PostbagCssCompound *compound,
                               const char *name)
{
  PostbagCssAttributeTest test = { .name = (char *)name };

  require_test (self, compound, &test);
  return TRUE;
}

/* `[class=x]` is all of the attribute: elements are looked up by it, as by their classes. */
static gboolean
read_class (PostbagCssSelectorReader *self, PostbagCssCompound *compound, const Parts *parts)
{
  return postbag_css_add_class (self, compound, '=', parts->value, parts->value_length);
}

gboolean
postbag_css_read_attribute (PostbagCssSelectorReader *self, PostbagCssCompound *compound)
{
  const char *close = strchr (self->at, ']');
  Parts parts = { 0 };
  g_autofree char *name = NULL;
  g_autofree char *value = NULL;
  PostbagCssAttributeTest test = { 0 };

  if (close == NULL || !take_apart (self->at + 1, close, &parts))
    return FALSE;
  self->at = close + 1;
  name = g_ascii_strdown (parts.name, (gssize)parts.name_length);
  if (strcmp (name, "class") == 0 && parts.relation == '\0' && parts.value_length > 0
      && parts.flag == '\0')
    return read_class (self, compound, &parts);
  value = parts.value != NULL ? postbag_css_unquote (parts.value, parts.value_length) : NULL;
  test.name = name;
  test.value = value;
  test.relation = parts.relation;
  test.ignores_case = parts.flag == 'i' || (parts.flag == '\0' && has_folding_name (name));
  require_test (self, compound, &test);
  return TRUE;
}
