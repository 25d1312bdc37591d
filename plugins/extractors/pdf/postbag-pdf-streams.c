/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library unpacks a stream as far as it goes: megabytes become gigabytes within a second. So
 * what the streams of a document become is measured first.
 *
 * This is no parser of PDF: it goes through the bytes once, from one word "stream" behind a
 * dictionary to the next, and reads what stands between the word "obj" before it and that
 * dictionary's end. What hides from it (a filter that is named by reference, a stream in an
 * encrypted document) meets the limits of the cage. Pictures are left out: no text needs them, so
 * nobody unpacks them, and they are honestly large. */

#include "postbag-pdf-streams.h"

#include <string.h>

#include "base/postbag-limits.h"

#include "postbag-pdf-filters.h"

#define MAX_FILTERS 8 /* in one stream; honest ones have two at the most */
#define WORD_BYTES 32

typedef struct
{
  const guint8 *start, *at, *end;
  GHashTable *numbers; /* (nullable): of an object, to what it is, where that is a number */
  gsize left;
  GByteArray *in, *out;
} Measure;

typedef struct
{
  char filters[MAX_FILTERS][WORD_BYTES];
  guint n_filters;
  gint64 length;
  gint64 length_object; /* -1: it is told here */
  gboolean late_change, is_picture;
} Dictionary;

/* --- words --- */

typedef enum
{
  WORD_NONE, /* the end */
  WORD_NAME,
  WORD_OTHER, /* numbers, brackets, keywords */
} WordKind;

typedef struct
{
  const guint8 *at, *end;
  WordKind kind;
  char text[WORD_BYTES]; /* cut */
} Words;

static gboolean
is_in (guint8 byte, const char *set)
{
  return byte != 0 && strchr (set, byte) != NULL;
}

static gboolean
is_blank (guint8 byte)
{
  return byte == 0 || is_in (byte, "\t\n\f\r ");
}

static void
skip_string (Words *words)
{
  guint depth = 0;

  for (; words->at < words->end; words->at++)
    {
      if (*words->at == '(')
        depth++;
      else if (*words->at == ')' && --depth == 0)
        break;
      else if (*words->at == '\\' && words->at + 1 < words->end)
        words->at++;
    }
  if (words->at < words->end)
    words->at++;
}

static void
skip_blanks (Words *words)
{
  for (; words->at < words->end; words->at++)
    {
      if (*words->at == '%')
        while (words->at + 1 < words->end && !is_in (words->at[1], "\r\n"))
          words->at++;
      else if (!is_blank (*words->at))
        break;
    }
}

/* One letter of a name: it may be written as # and two digits. */
static char
read_letter (Words *words)
{
  guint8 letter = *words->at++;

  if (letter == '#' && words->end - words->at >= 2 && g_ascii_isxdigit (words->at[0])
      && g_ascii_isxdigit (words->at[1]))
    {
      letter = (guint8)(g_ascii_xdigit_value ((char)words->at[0]) * 16
                        + g_ascii_xdigit_value ((char)words->at[1]));
      words->at += 2;
    }
  return (char)letter;
}

static void
read_regular (Words *words)
{
  guint n = 0;

  while (words->at < words->end && !is_blank (*words->at) && !is_in (*words->at, "/<>[](){}%"))
    {
      char letter = read_letter (words);

      if (n < WORD_BYTES - 1)
        words->text[n++] = letter;
    }
  words->text[n] = '\0';
}

static gboolean
read_word (Words *words)
{
  words->kind = WORD_OTHER;
  skip_blanks (words);
  if (words->at >= words->end)
    words->kind = WORD_NONE;
  else if (*words->at == '/')
    {
      words->kind = WORD_NAME;
      words->at++;
      read_regular (words);
    }
  else if (*words->at == '(')
    {
      skip_string (words);
      *words->text = '\0';
    }
  else if (is_in (*words->at, "<>[]{})"))
    {
      gsize n =
          words->end - words->at >= 2 && *words->at != '[' && words->at[0] == words->at[1] ? 2 : 1;

      memcpy (words->text, words->at, n);
      words->text[n] = '\0';
      words->at += n;
    }
  else
    read_regular (words);
  return words->kind != WORD_NONE;
}

static gboolean
is_other (const Words *words, const char *text)
{
  return words->kind == WORD_OTHER && strcmp (words->text, text) == 0;
}

/* --- a dictionary --- */

static void
add_filter (Dictionary *dictionary, const Words *words)
{
  if (words->kind == WORD_NAME && dictionary->n_filters < MAX_FILTERS)
    strcpy (dictionary->filters[dictionary->n_filters++], words->text);
}

static void
read_filters (Dictionary *dictionary, Words *words)
{
  if (!read_word (words))
    return;
  add_filter (dictionary, words);
  if (is_other (words, "["))
    while (read_word (words) && words->kind == WORD_NAME)
      add_filter (dictionary, words);
}

/* A number, or the number of an object, a generation and R. */
static void
read_length (Dictionary *dictionary, Words *words)
{
  Words ahead;

  read_word (words);
  dictionary->length = g_ascii_strtoll (words->text, NULL, 10);
  ahead = *words;
  if (read_word (&ahead) && g_ascii_isdigit (*ahead.text) && read_word (&ahead)
      && is_other (&ahead, "R"))
    dictionary->length_object = dictionary->length;
}

static void
read_key (Dictionary *dictionary, Words *words, int depth)
{
  if (strcmp (words->text, "EarlyChange") == 0)
    {
      read_word (words);
      dictionary->late_change = is_other (words, "0");
    }
  if (depth != 1)
    return;
  if (strcmp (words->text, "Filter") == 0)
    read_filters (dictionary, words);
  else if (strcmp (words->text, "Length") == 0)
    read_length (dictionary, words);
  else if (strcmp (words->text, "Subtype") == 0)
    {
      read_word (words);
      dictionary->is_picture = words->kind == WORD_NAME && strcmp (words->text, "Image") == 0;
    }
}

static void
read_dictionary (Dictionary *dictionary, const guint8 *start, const guint8 *end)
{
  Words words = { .at = start, .end = end };
  int depth = 0;

  *dictionary = (Dictionary){ .length = -1, .length_object = -1 };
  while (read_word (&words))
    {
      if (is_other (&words, "<<"))
        depth++;
      else if (is_other (&words, ">>"))
        depth--;
      else if (words.kind == WORD_NAME)
        read_key (dictionary, &words, depth);
    }
}

/* --- where a stream ends --- */

static const guint8 *
find_word (const guint8 *at, const guint8 *end, const char *word)
{
  return at < end ? memmem (at, (gsize)(end - at), word, strlen (word)) : NULL;
}

static const guint8 *
find_last_word (const guint8 *start, const guint8 *end, const char *word)
{
  return (const guint8 *)g_strrstr_len ((const char *)start, end - start, word);
}

/* The next words: not more than a few, so that looking from many places stays linear. */
static Words
look_at (const Measure *measure, const guint8 *at)
{
  gsize length = MIN ((gsize)(measure->end - at), 2 * WORD_BYTES);

  return (Words){ .at = at, .end = at + length };
}

/* The number of the object whose "obj" stands at @at; -1: none */
static gint64
read_object_number (const guint8 *start, const guint8 *at)
{
  const guint8 *digit = at;

  for (guint i = 0; i < 2; i++)
    {
      while (digit > start && is_blank (digit[-1]) && at - digit < 2 * WORD_BYTES)
        digit--;
      while (digit > start && g_ascii_isdigit (digit[-1]) && at - digit < 2 * WORD_BYTES)
        digit--;
    }
  return g_ascii_isdigit (*digit) ? g_ascii_strtoll ((const char *)digit, NULL, 10) : -1;
}

/* Once for a document, when the first length stands elsewhere. */
static void
find_numbers (Measure *measure)
{
  const guint8 *at = measure->start;

  measure->numbers = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  while ((at = find_word (at, measure->end, "obj")) != NULL
         && g_hash_table_size (measure->numbers) < POSTBAG_LIMIT_PDF_NUMBERS)
    {
      gint64 number = read_object_number (measure->start, at);
      Words words = look_at (measure, at += 3);

      if (number < 0 || !read_word (&words) || !g_ascii_isdigit (*words.text))
        continue;
      gint64 value = g_ascii_strtoll (words.text, NULL, 10);

      if (read_word (&words) && is_other (&words, "endobj"))
        g_hash_table_insert (measure->numbers, g_memdup2 (&number, sizeof number),
                             g_memdup2 (&value, sizeof value));
    }
}

static gint64
get_length (Measure *measure, const Dictionary *dictionary)
{
  const gint64 *value;

  if (dictionary->length_object < 0)
    return dictionary->length;
  if (measure->numbers == NULL)
    find_numbers (measure);
  value = g_hash_table_lookup (measure->numbers, &dictionary->length_object);
  return value != NULL ? *value : -1;
}

/* What it says of its length counts where that is true. */
static const guint8 *
find_stream_end (Measure *measure, const Dictionary *dictionary, const guint8 *data)
{
  gint64 length = get_length (measure, dictionary);
  const guint8 *end;

  if (length >= 0 && length <= measure->end - data)
    {
      Words words = look_at (measure, data + length);

      if (read_word (&words) && is_other (&words, "endstream"))
        return data + length;
    }
  end = find_word (data, measure->end, "endstream");
  return end != NULL ? end : measure->end;
}

/* --- the whole --- */

static gboolean
refuse (GError **error)
{
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_TOO_LARGE,
                       "Its streams become too long.");
  return FALSE;
}

static gboolean
measure_stream (Measure *measure, const Dictionary *dictionary, const guint8 *data,
                const guint8 *end, GError **error)
{
  gsize length = (gsize)(end - data);

  if (dictionary->is_picture)
    return TRUE;
  for (guint i = 0; i < dictionary->n_filters; i++)
    {
      const char *filter = dictionary->filters[i];
      gsize most = MIN (measure->left, POSTBAG_LIMIT_PDF_STREAM_BYTES);
      GByteArray *made = measure->out;

      if (!postbag_pdf_filter_is_known (filter))
        return TRUE;
      if (!postbag_pdf_filter_decode (filter, data, length, !dictionary->late_change, most, made))
        return refuse (error);
      measure->left -= made->len;
      data = made->data;
      length = made->len;
      measure->out = measure->in;
      measure->in = made;
    }
  return TRUE;
}

/* "stream" behind a dictionary, and a line end behind it */
static gboolean
is_stream (const Measure *measure, const guint8 *at)
{
  const guint8 *before = at;

  while (before > measure->at && is_blank (before[-1]))
    before--;
  return before > measure->at && before[-1] == '>' && at + 6 < measure->end
         && is_in (at[6], "\r\n");
}

static const guint8 *
find_stream (Measure *measure, const guint8 *at)
{
  while ((at = find_word (at, measure->end, "stream")) != NULL && !is_stream (measure, at))
    at += 6;
  return at;
}

static gboolean
measure_streams (Measure *measure, GError **error)
{
  const guint8 *at;

  while ((at = find_stream (measure, measure->at)) != NULL)
    {
      const guint8 *object = find_last_word (measure->at, at, "obj");
      const guint8 *data = at + (at[6] == '\r' && at + 7 < measure->end && at[7] == '\n' ? 8 : 7);
      Dictionary dictionary;

      read_dictionary (&dictionary, object != NULL ? object + 3 : measure->at, at);
      measure->at = find_stream_end (measure, &dictionary, data);
      if (!measure_stream (measure, &dictionary, data, measure->at, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
postbag_pdf_streams_check (const guint8 *data, gsize length, GError **error)
{
  Measure measure = { .start = data,
                      .at = data,
                      .end = data + length,
                      .left = POSTBAG_LIMIT_PDF_STREAMS_BYTES,
                      .in = g_byte_array_new (),
                      .out = g_byte_array_new () };
  gboolean fine = measure_streams (&measure, error);

  g_byte_array_unref (measure.in);
  g_byte_array_unref (measure.out);
  g_clear_pointer (&measure.numbers, g_hash_table_unref);
  return fine;
}
