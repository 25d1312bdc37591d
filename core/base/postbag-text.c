/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "base/postbag-text.h"

#include <string.h>

#define REPLACEMENT "\357\277\275"

/* How many bytes at @bytes, which is no ASCII, form one character, or one maximal subpart of an
 * ill-formed sequence (Unicode 15, table 3-7), at least 1. */
static gsize
measure_sequence (const guint8 *bytes, gsize length, gboolean *well_formed)
{
  guint8 first = bytes[0];
  guint8 low = 0x80, high = 0xbf;
  gsize wanted, seen = 1;

  *well_formed = FALSE;
  if (first < 0xc2 || first > 0xf4)
    return 1;
  wanted = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first == 0xe0)
    low = 0xa0;
  else if (first == 0xed)
    high = 0x9f;
  else if (first == 0xf0)
    low = 0x90;
  else if (first == 0xf4)
    high = 0x8f;
  while (seen < wanted && seen < length && bytes[seen] >= low && bytes[seen] <= high)
    {
      seen++;
      low = 0x80;
      high = 0xbf;
    }
  *well_formed = seen == wanted;
  return seen;
}

/* How many bytes from @bytes on are ASCII without NUL, which most of mail is: a word at a time. */
static gsize
measure_ascii (const char *bytes, gsize length)
{
  const guint64 ones = 0x0101010101010101u, highs = 0x8080808080808080u;
  gsize i = 0;

  for (; i + sizeof (guint64) <= length; i += sizeof (guint64))
    {
      guint64 word;

      memcpy (&word, bytes + i, sizeof word);
      /* a byte of 0x80 and more, or a NUL, from which one cannot be taken */
      if (((word | (word - ones)) & highs) != 0)
        break;
    }
  while (i < length && (gint8)bytes[i] > 0)
    i++;
  return i;
}

gsize
postbag_text_measure_valid (const char *bytes, gsize length)
{
  gsize i = 0;

  for (;;)
    {
      gboolean well_formed;
      gsize count;

      i += measure_ascii (bytes + i, length - i);
      if (i == length)
        return i;
      count = measure_sequence ((const guint8 *)bytes + i, length - i, &well_formed);
      if (!well_formed)
        return i;
      i += count;
    }
}

/* Every byte but those that continue a character: a loop that the compiler makes wide. */
gsize
postbag_text_count_chars (const char *text, gsize length)
{
  gsize count = 0;

  for (gsize i = 0; i < length; i++)
    count += ((guchar)text[i] & 0xc0) != 0x80;
  return count;
}

char *
postbag_text_make_valid (const char *bytes, gssize length)
{
  gsize left = length < 0 ? strlen (bytes) : (gsize)length;
  gsize valid;
  GString *text;

  if (left == 0)
    return g_strdup (""); /* @bytes may be %NULL: an empty GBytes */
  valid = postbag_text_measure_valid (bytes, left);
  if (valid == left)
    return g_strndup (bytes, left);

  text = g_string_sized_new (left + 16);
  for (;;)
    {
      gboolean well_formed;
      gsize bad;

      if (valid > 0)
        g_string_append_len (text, bytes, (gssize)valid);
      left -= valid;
      if (left == 0)
        break;
      bytes += valid;
      bad = measure_sequence ((const guint8 *)bytes, left, &well_formed);
      g_string_append_len (text, REPLACEMENT, sizeof (REPLACEMENT) - 1);
      bytes += bad;
      left -= bad;
      valid = postbag_text_measure_valid (bytes, left);
    }
  return g_string_free (text, FALSE);
}

char *
postbag_text_cut (const char *text, gsize max_chars, gboolean *was_cut)
{
  gsize length = strnlen (text, max_chars);
  const char *end = text;

  /* There are no more characters than bytes. */
  if (length < max_chars)
    end += length;
  else
    for (gsize i = 0; i < max_chars && *end != '\0'; i++)
      end = g_utf8_next_char (end);
  if (was_cut != NULL)
    *was_cut = *end != '\0';
  return g_strndup (text, (gsize)(end - text));
}

char *
postbag_text_slice (const char *text, gsize offset, gsize count)
{
  const char *start = text;

  for (gsize i = 0; i < offset && *start != '\0'; i++)
    start = g_utf8_next_char (start);
  return postbag_text_cut (start, count, NULL);
}

/* Whether nothing before @c composes with it or is reordered past it (UAX #15: every character that
 * does is a mark or a Hangul vowel or final consonant). */
static gboolean
is_boundary (gunichar c)
{
  return c < 0x300
         || (!g_unichar_ismark (c) && g_unichar_combining_class (c) == 0
             && (c < 0x1160 || c > 0x11ff));
}

/* Characters that are NFC by themselves and change nothing beside them (UAX #15: quick check “yes”,
 * combining class 0), in blocks that mail is full of. A text of these is composed already. */
static gboolean
is_composed (gunichar c)
{
  return c < 0x300                       /* Latin */
         || (c >= 0x400 && c <= 0x482)   /* Cyrillic */
         || (c >= 0x2010 && c <= 0x2027) /* dashes, quotation marks, bullets */
         || (c >= 0x3041 && c <= 0x3096) /* Hiragana */
         || (c >= 0x30a1 && c <= 0x30fa) /* Katakana */
         || (c >= 0x4e00 && c <= 0x9fff) /* Han */
         || (c >= 0xac00 && c <= 0xd7a3) /* Hangul */
         || c == 0xfffd;                 /* what stands for bytes that were no text */
}

/* GLib's composition moves the rest of its buffer at each step, and its sorting of marks compares
 * neighbours, so both get small pieces: of the first length where there is a boundary, else of the
 * second. */
#define PIECE_BYTES 128
#define LONGEST_PIECE_BYTES 4096

static gboolean
ends_piece (const char *piece, const char *at)
{
  gsize length = (gsize)(at - piece);

  return length >= LONGEST_PIECE_BYTES || (length > 0 && *at == '\0')
         || (length >= PIECE_BYTES && is_boundary (g_utf8_get_char (at)));
}

char *
postbag_text_compose (char *text)
{
  g_autofree char *source = text;
  const char *piece = source;
  gboolean as_is = TRUE;
  GString *out;

  if (g_str_is_ascii (source))
    return g_steal_pointer (&source);
  out = g_string_sized_new (strlen (source) + 1);
  for (const char *p = source;; p = g_utf8_next_char (p))
    {
      if (ends_piece (piece, p))
        {
          g_autofree char *composed =
              as_is ? NULL : g_utf8_normalize (piece, p - piece, G_NORMALIZE_NFC);

          g_string_append_len (out, as_is ? piece : composed, as_is ? p - piece : -1);
          piece = p;
          as_is = TRUE;
        }
      if (*p == '\0')
        break;
      as_is = as_is && is_composed (g_utf8_get_char (p));
    }
  return g_string_free (out, FALSE);
}

static char
fold (char c)
{
  return c == '_' ? '-' : g_ascii_tolower (c);
}

/* Optimal string alignment distance: one for each insertion, deletion, substitution or swap of
 * neighbours. Words of at most 64 bytes: longer ones are never "nearly" one of ours. */
static guint
measure_distance (const char *a, const char *b)
{
  gsize a_length = strlen (a), b_length = strlen (b);
  guint rows[3][65];
  guint *above = rows[0], *previous = rows[1], *row = rows[2];

  if (a_length > 64 || b_length > 64)
    return G_MAXUINT;
  for (gsize j = 0; j <= b_length; j++)
    row[j] = (guint)j;
  for (gsize i = 1; i <= a_length; i++)
    {
      guint *oldest = above;

      above = previous;
      previous = row;
      row = oldest;
      row[0] = (guint)i;
      for (gsize j = 1; j <= b_length; j++)
        {
          gboolean same = fold (a[i - 1]) == fold (b[j - 1]);

          row[j] = MIN (MIN (previous[j], row[j - 1]) + 1, previous[j - 1] + !same);
          if (i > 1 && j > 1 && fold (a[i - 1]) == fold (b[j - 2])
              && fold (a[i - 2]) == fold (b[j - 1]))
            row[j] = MIN (row[j], above[j - 2] + 1);
        }
    }
  return row[b_length];
}

const char *
postbag_text_nearest (const char *word, const char *const *candidates)
{
  const char *nearest = NULL;
  guint best = strlen (word) <= 4 ? 2 : 3; /* one past the largest distance that counts */

  for (; *candidates != NULL; candidates++)
    {
      guint distance = measure_distance (word, *candidates);

      if (distance < best)
        {
          best = distance;
          nearest = *candidates;
        }
    }
  return nearest;
}

gboolean
postbag_text_parse_int (const char *text, gint64 minimum, gint64 maximum, gint64 *value)
{
  const char *digits = text[0] == '-' ? text + 1 : text;
  gint64 parsed;

  if (*digits == '\0' || strspn (digits, "0123456789") != strlen (digits))
    return FALSE;
  if (!g_ascii_string_to_signed (text, 10, minimum, maximum, &parsed, NULL))
    return FALSE;
  *value = parsed;
  return TRUE;
}
