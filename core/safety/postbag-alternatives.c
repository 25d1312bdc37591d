/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The two alternatives of one text, word by word: a person sees one of them, a program may read the
 * other. Order, case, links and punctuation do not count; a word that stands more often in one of
 * them counts for what is too many. */

#include "safety/postbag-signals.h"

#include <string.h>

#include "safety/postbag-fold-private.h"

/* A longer word is compared by its beginning. */
#define MAX_WORD 32

typedef struct
{
  const char *at;
  char word[MAX_WORD * 4 + 1];
  gsize characters;
} Reader;

static gboolean
is_address (const char *at)
{
  switch (*at)
    {
    case 'h':
    case 'H':
      return g_ascii_strncasecmp (at, "http://", 7) == 0
             || g_ascii_strncasecmp (at, "https://", 8) == 0;
    case 'm':
    case 'M':
      return g_ascii_strncasecmp (at, "mailto:", 7) == 0;
    default:
      return FALSE;
    }
}

/* ASCII, most of what there is, without a table. */
static gboolean
is_word_character (gunichar c)
{
  return c < 0x80 ? g_ascii_isalnum ((char)c) : g_unichar_isalnum (c);
}

static gsize
append_lower (char *word, gunichar c)
{
  if (c >= 0x80)
    return (gsize)g_unichar_to_utf8 (g_unichar_tolower (c), word);
  *word = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : (char)c;
  return 1;
}

static void
skip_to_word (Reader *reader)
{
  while (*reader->at != '\0')
    {
      if (is_address (reader->at))
        reader->at += strcspn (reader->at, " \t\n<>\"");
      else if (is_word_character (g_utf8_get_char (reader->at)))
        return;
      else
        reader->at = g_utf8_next_char (reader->at);
    }
}

/* The next word, lower case; addresses are passed over, since plain text spells them differently.
 */
static gboolean
read_word (Reader *reader)
{
  gsize length = 0;

  skip_to_word (reader);
  reader->characters = 0;
  for (gunichar c = g_utf8_get_char (reader->at); is_word_character (c);
       c = g_utf8_get_char (reader->at))
    {
      if (++reader->characters <= MAX_WORD)
        length += append_lower (reader->word + length, c);
      reader->at = g_utf8_next_char (reader->at);
    }
  reader->word[length] = '\0';
  return reader->characters > 0;
}

static GHashTable *
count_words (const char *text)
{
  GHashTable *counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Reader reader = { .at = text };

  while (read_word (&reader))
    {
      guint count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, reader.word));

      g_hash_table_insert (counts, g_strdup (reader.word), GUINT_TO_POINTER (count + 1));
    }
  return counts;
}

/* Characters of the words of @text that @counts does not have; takes those it has out of it. */
static gsize
measure_rest (const char *text, GHashTable *counts)
{
  Reader reader = { .at = text };
  gsize characters = 0;

  while (read_word (&reader))
    {
      guint count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, reader.word));

      if (count == 0)
        characters += reader.characters;
      else
        g_hash_table_insert (counts, g_strdup (reader.word), GUINT_TO_POINTER (count - 1));
    }
  return characters;
}

void
postbag_alternatives_compare (const char *plain, const char *html, gsize *only_plain,
                              gsize *only_html)
{
  g_autofree char *one = postbag_fold (plain);
  g_autofree char *other = postbag_fold (html);
  g_autoptr (GHashTable) plain_words = count_words (one);
  g_autoptr (GHashTable) html_words = count_words (other);

  *only_plain = measure_rest (one, html_words);
  *only_html = measure_rest (other, plain_words);
}
