/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A style sheet, and an inline style, of any bytes: nothing is said about elements that the bounds
 * do not allow. */

#include <string.h>

#include "base/postbag-text.h"
#include "safety/postbag-html-css-private.h"

#include "fuzz.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *css = postbag_text_make_valid ((const char *)data, (gssize)size);
  g_autofree char *block = postbag_css_normalise (css, strlen (css));
  g_autoptr (PostbagCssSheet) sheet = postbag_css_sheet_new (size % 2 == 0);
  PostbagCssNode nodes[4] = { 0 };
  PostbagCssFound found[POSTBAG_CSS_HAS_TESTS];
  PostbagCssCascade cascade;
  PostbagCssVariables *variables = postbag_css_variables_new (sheet);
  g_autoptr (GArray) texts = g_array_new (FALSE, FALSE, sizeof (PostbagCssText));

  postbag_css_cascade_init (&cascade, texts, postbag_css_sheet_get_strings (sheet));
  postbag_css_sheet_add (sheet, css, strlen (css), NULL);
  postbag_css_sheet_add (sheet, "div > .a b, #i td:not(.b){color:red}", 36, css);
  postbag_css_sheet_give (sheet, G_MAXUINT);
  for (guint i = 1; i < G_N_ELEMENTS (nodes); i++)
    {
      postbag_css_sheet_read_node (sheet, i == 3 ? "td" : "div", "i", "a b c", i == 1, &nodes[i]);
      nodes[i].attributes = postbag_css_sheet_test_attribute (sheet, "class", "a b c")
                            | postbag_css_sheet_test_attribute (sheet, "x", css);
      nodes[i].place[0] = nodes[i].place[1] = i;
      postbag_css_sheet_find_has (sheet, nodes, i, found);
    }
  postbag_css_sheet_match (sheet, nodes, 3, &cascade);
  postbag_css_read_block (block, POSTBAG_CSS_PRIORITY_INLINE, &cascade);
  postbag_css_variables_apply (variables, texts, &cascade);
  postbag_css_variables_free (variables);
  for (guint i = 0; i < POSTBAG_CSS_N_PROPERTIES; i++)
    if ((cascade.set & (G_GUINT64_CONSTANT (1) << i)) != 0)
      g_assert_cmpuint (cascade.value[i].property, ==, i);
  return 0;
}
