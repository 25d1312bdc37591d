/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rules in rules (CSS Nesting 1): the selectors of the inner one, written as if it stood alone. */

#include <string.h>

#include "base/postbag-limits.h"
#include "safety/postbag-html-css-sheet-private.h"

/* `&` stands for all of the outer list, and is as specific as the strongest of it (section 3.1):
 * one that stands alone in front need not be wrapped to mean that. */
static void
append_outer (GString *out, const char *outer, gboolean leads)
{
  if (leads && strchr (outer, ',') == NULL)
    g_string_append (out, outer);
  else
    g_string_append_printf (out, ":is(%s)", outer);
}

static void
append_inner (GString *out, const char *outer, const char *inner)
{
  const char *mark = strchr (inner, '&');

  if (mark == NULL)
    {
      append_outer (out, outer, TRUE);
      g_string_append_printf (out, " %s", inner);
      return;
    }
  for (const char *at = inner; *at != '\0'; at++)
    {
      if (*at != '&')
        g_string_append_c (out, *at);
      else if (out->len <= POSTBAG_LIMIT_CSS_SELECTOR_BYTES)
        append_outer (out, outer, at == inner && !g_ascii_isalpha (at[1]));
    }
}

char *
postbag_css_nest_selectors (const char *outer, const char *inner)
{
  g_autofree char *list = g_strdup (inner);
  g_autoptr (GString) out = g_string_new (NULL);
  char *text = list;

  while (text != NULL && out->len <= POSTBAG_LIMIT_CSS_SELECTOR_BYTES)
    {
      char *next = postbag_css_cut_selector (text);

      if (out->len > 0)
        g_string_append_c (out, ',');
      append_inner (out, outer, g_strstrip (text));
      text = next;
    }
  if (out->len > POSTBAG_LIMIT_CSS_SELECTOR_BYTES)
    return NULL;
  return g_string_free (g_steal_pointer (&out), FALSE);
}
