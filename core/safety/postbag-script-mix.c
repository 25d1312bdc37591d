/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Words that mix Latin with Cyrillic (U+0400-04FF) or Greek (U+0370-03FF): what a forged name is
 * made of, and what no language writes (contracts/guarded 1.6). */

#include "safety/postbag-signals-private.h"

#include "base/postbag-limits.h"
#include "safety/postbag-clean-private.h"
#include "safety/postbag-clean.h"

enum
{
  LATIN = 1 << 0,
  CYRILLIC = 1 << 1,
  GREEK = 1 << 2,
};

/* Words that are looked at more closely: a text may repeat one of them without end. */
#define MAX_TRIES 200

static guint
find_script (gunichar c)
{
  if (c < 0x80)
    return LATIN;
  if (c >= 0x0400 && c <= 0x04ff)
    return CYRILLIC;
  if (c >= 0x0370 && c <= 0x03ff)
    return GREEK;
  return g_unichar_get_script (c) == G_UNICODE_SCRIPT_LATIN ? LATIN : 0;
}

/* @inside: a word has begun. ASCII, most of what there is, without a table. */
static gboolean
belongs_to_word (gunichar c, gboolean inside)
{
  if (c < 0x80)
    return g_ascii_isalpha ((char)c);
  return g_unichar_isalpha (c) || (inside && g_unichar_ismark (c));
}

static void
add_word (GPtrArray *words, const char *start, const char *end)
{
  g_autofree char *whole = g_strndup (start, (gsize)(end - start));
  g_autofree char *word =
      postbag_clean (whole, POSTBAG_CLEAN_LINE, POSTBAG_LIMIT_SCRIPT_MIX_CHARS, NULL);

  if (!g_ptr_array_find_with_equal_func (words, word, g_str_equal, NULL))
    g_ptr_array_add (words, g_steal_pointer (&word));
}

void
postbag_script_mix_scan (const char *text, GPtrArray *words)
{
  g_autofree char *seen = NULL;
  const char *start = NULL;
  guint scripts = 0, tries = 0;

  if (g_str_is_ascii (text))
    return;
  seen = postbag_clean_strip (text);
  for (const char *p = seen; words->len < POSTBAG_LIMIT_SCRIPT_MIX && tries < MAX_TRIES;
       p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (belongs_to_word (c, start != NULL))
        {
          start = start != NULL ? start : p;
          scripts |= find_script (c);
          continue;
        }
      if ((scripts & LATIN) != 0 && scripts != LATIN)
        {
          add_word (words, start, p);
          tries++;
        }
      start = NULL;
      scripts = 0;
      if (c == 0)
        return;
    }
}
