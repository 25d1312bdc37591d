/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file name as it is shown (contracts/guarded 4.1). How it is written on disk is
 * postbag-save.c's. */

#include "safety/postbag-clean.h"

#include "base/postbag-limits.h"
#include "base/postbag-text.h"
#include "safety/postbag-clean-private.h"

/* Separators, also those that compatibility normalisation folds into one. */
static gboolean
is_separator (gunichar c)
{
  return c == '/' || c == '\\' || c == 0xff0f || c == 0xff3c || c == 0xfe68;
}

static char *
replace_separators (const char *name)
{
  GString *out = g_string_new (NULL);

  for (const char *p = name; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (is_separator (c))
        g_string_append_c (out, '_');
      else
        g_string_append_unichar (out, c);
    }
  return g_string_free (out, FALSE);
}

static const char *
skip_dots_and_blanks (const char *name)
{
  while (*name != '\0'
         && (postbag_clean_fold_punctuation (g_utf8_get_char (name)) == '.'
             || postbag_clean_is_blank (g_utf8_get_char (name))))
    name = g_utf8_next_char (name);
  return name;
}

char *
postbag_clean_filename_whole (const char *name)
{
  g_autofree char *clean = postbag_clean (name, POSTBAG_CLEAN_LINE, G_MAXSIZE, NULL);
  g_autofree char *flat = replace_separators (clean);
  const char *start = skip_dots_and_blanks (flat);

  return g_strdup (*start != '\0' ? start : "(unnamed)");
}

char *
postbag_clean_filename (const char *name)
{
  g_autofree char *whole = postbag_clean_filename_whole (name);
  g_autofree char *cut = NULL;
  gboolean was_cut;

  cut = postbag_text_cut (whole, POSTBAG_LIMIT_FILENAME_CHARS, &was_cut);
  return was_cut ? g_strconcat (cut, "…", NULL) : g_steal_pointer (&cut);
}
