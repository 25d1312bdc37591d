/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A detector must not be fooled by a zero-width split, fullwidth letters or a Cyrillic "а". One
 * pass, character by character, so that it is linear whatever comes (composing is not). */

#include "safety/postbag-fold-private.h"

#include <gio/gio.h>
#include <string.h>

#include "base/postbag-text.h"
#include "safety/postbag-clean-private.h"

/* Signs that stand for more are whole phrases (U+FDFA): no letters of a word. */
#define MAX_DECOMPOSITION 8
/* A domain has at most 253 characters (RFC 1035 section 2.3.4). */
#define MAX_DOMAIN 255

char
postbag_fold_find_lookalike (gunichar c)
{
  gsize low = 0, high = postbag_n_confusables;

  while (low < high)
    {
      gsize middle = (low + high) / 2;

      if (postbag_confusables[middle].letter == c)
        return postbag_confusables[middle].ascii;
      if (postbag_confusables[middle].letter < c)
        low = middle + 1;
      else
        high = middle;
    }
  return 0;
}

/* What stands for punctuation outside ASCII: its nearest ASCII relative, or a blank. */
static char
fold_punctuation (gunichar c)
{
  switch (g_unichar_type (c))
    {
    case G_UNICODE_DASH_PUNCTUATION:
      return '-';
    case G_UNICODE_CLOSE_PUNCTUATION:
      return ')';
    case G_UNICODE_INITIAL_PUNCTUATION:
    case G_UNICODE_FINAL_PUNCTUATION:
      return c == 0x2019 ? '\'' : '"';
    case G_UNICODE_OTHER_PUNCTUATION:
      return c == 0x2022 || c == 0x2023 ? '*' : c == 0x3002 ? '.' : ' ';
    default:
      return c == 0x2212 ? '-' : ' ';
    }
}

static void
append_folded (GString *out, gunichar c)
{
  gunichar lower;
  char lookalike;

  if (c < 0x80)
    {
      g_string_append_c (out, (char)c);
      return;
    }
  if (g_unichar_ismark (c))
    return;
  if (!g_unichar_isalnum (c))
    {
      g_string_append_c (out, fold_punctuation (c));
      return;
    }
  lower = g_unichar_tolower (c);
  lookalike = postbag_fold_find_lookalike (lower);
  if (lookalike == 0)
    g_string_append_unichar (out, lower);
  else
    g_string_append_c (out, lower != c ? g_ascii_toupper (lookalike) : lookalike);
}

static void
fold_anew (GString *out, gunichar c)
{
  gunichar pieces[MAX_DECOMPOSITION];
  gsize count;

  if (postbag_clean_is_control (c) || postbag_clean_is_invisible (c))
    return;
  if (c == 0x2028 || c == 0x2029)
    c = '\n';
  count = g_unichar_fully_decompose (c, TRUE, pieces, G_N_ELEMENTS (pieces));
  if (count > G_N_ELEMENTS (pieces))
    {
      g_string_append_c (out, ' ');
      return;
    }
  for (gsize i = 0; i < count; i++)
    append_folded (out, pieces[i]);
}

/* What characters became. A text uses few, and looking one up in the tables of Unicode takes longer
 * than all that is done with it. */
#define CACHE_SLOTS 256
#define MAX_FOLDED 15

typedef struct
{
  gunichar character;
  guint8 length;
  char folded[MAX_FOLDED];
} Slot;

static void
fold_character (GString *out, Slot *cache, gunichar c)
{
  Slot *slot = &cache[c % CACHE_SLOTS];
  gsize before = out->len;

  if (slot->character == c)
    {
      g_string_append_len (out, slot->folded, slot->length);
      return;
    }
  fold_anew (out, c);
  if (out->len - before > MAX_FOLDED)
    return;
  slot->character = c;
  slot->length = (guint8)(out->len - before);
  memcpy (slot->folded, out->str + before, slot->length);
}

char *
postbag_fold_valid (const char *text)
{
  GString *out = g_string_sized_new (strlen (text) + 1);
  Slot cache[CACHE_SLOTS] = { 0 }; /* no character is 0 */

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    {
      guchar c = (guchar)*p;

      if (c < 0x80 && (c >= ' ' || c == '\n' || c == '\t') && c != 0x7f)
        g_string_append_c (out, (char)c);
      else
        fold_character (out, cache, g_utf8_get_char (p));
    }
  return g_string_free (out, FALSE);
}

char *
postbag_fold (const char *text)
{
  g_autofree char *valid = postbag_text_make_valid (text != NULL ? text : "", -1);

  return postbag_fold_valid (valid);
}

/* Letters that a quick eye takes for others, within ASCII. */
static void
replace_pairs (GString *text)
{
  static const char *const pairs[][2] = {
    { "rn", "m" },
    { "vv", "w" },
    { "0", "o" },
    { "1", "l" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    g_string_replace (text, pairs[i][0], pairs[i][1], 0);
}

char *
postbag_fold_decode_domain (const char *domain)
{
  g_autofree char *cut = g_strndup (domain, MAX_DOMAIN);
  g_autofree char *valid = postbag_text_make_valid (cut, -1);
  char *unicode = g_hostname_to_unicode (valid);

  return unicode != NULL ? unicode : g_steal_pointer (&valid);
}

char *
postbag_fold_domain (const char *domain)
{
  g_autofree char *unicode = postbag_fold_decode_domain (domain);
  g_autofree char *folded = postbag_fold (unicode);
  g_autofree char *lower = g_utf8_strdown (folded, -1);
  GString *text = g_string_new (lower);

  replace_pairs (text);
  return g_string_free (text, FALSE);
}
