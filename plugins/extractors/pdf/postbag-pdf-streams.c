/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The library unpacks a stream as far as it goes: megabytes become gigabytes within a second. So
 * what the streams of a document become is measured first.
 *
 * This is no parser of PDF: it goes through the bytes once, from one word "stream" behind a
 * dictionary to the next, and reads what stands between the word "obj" before it and that
 * dictionary's end. What hides from it (a filter that is named by reference, a stream in an
 * encrypted document) meets the limits of the cage. Pictures are left out, but for those that a
 * page or a font names as what it is made of, and those in the middle of a page's content: no text
 * needs the others, so nobody unpacks them, and they are honestly large. */

#include "postbag-pdf-streams.h"

#include <string.h>

#include "base/postbag-limits.h"

#include "postbag-pdf-dictionary.h"
#include "postbag-pdf-drawn.h"
#include "postbag-pdf-filters.h"
#include "postbag-pdf-outside.h"
#include "postbag-pdf-pictures.h"

#define LOOK_BYTES 64 /* "endstream", or a number and "endobj", and some blanks */

/* Two pages share the stream, and it comes behind another one in each. */
#define AMBIGUOUS (-1)

typedef struct _Measure
{
  const guint8 *start, *at, *end;
  GHashTable *numbers; /* (nullable): of an object, to what it is, where that is a number */
  gsize left;
  gint64 object; /* whose stream it is; -1: unknown */
  PostbagPdfDrawn *drawn;
  gsize drawn_left;
  GByteArray *in, *out;
  guint8 *contents;      /* a bit for each object that is named by one of content_names */
  GHashTable *before;    /* of an object, to the one whose drawing it goes on with */
  gint64 drawn_last;     /* the object whose stream was drawn last */
  gboolean has_pictures; /* that were left out */
  gboolean (*is_measured) (struct _Measure *self, const PostbagPdfDictionary *dictionary);
} Measure;

/* --- where a stream ends --- */

static const guint8 *
find_word (const guint8 *at, const guint8 *end, const char *word)
{
  return at < end ? memmem (at, (gsize)(end - at), word, strlen (word)) : NULL;
}

static const guint8 *
find_last_word (const guint8 *start, const guint8 *end, const char *word)
{
  gsize length = strlen (word);

  for (gsize n = (gsize)(end - start); n >= length; n--)
    if (memcmp (start + n - length, word, length) == 0)
      return start + n - length;
  return NULL;
}

/* The next words: not more than a few, so that looking from many places stays linear. */
static PostbagPdfWords
look_at (const Measure *measure, const guint8 *at)
{
  gsize length = MIN ((gsize)(measure->end - at), LOOK_BYTES);

  return (PostbagPdfWords){ .at = at, .end = at + length };
}

/* The number of the object whose "obj" stands at @at; -1: none */
static gint64
read_object_number (const guint8 *start, const guint8 *at)
{
  const guint8 *digit = at;

  for (guint i = 0; i < 2; i++)
    {
      while (digit > start && postbag_pdf_is_blank (digit[-1]) && at - digit < LOOK_BYTES)
        digit--;
      while (digit > start && g_ascii_isdigit (digit[-1]) && at - digit < LOOK_BYTES)
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
      PostbagPdfWords words = look_at (measure, at += 3);

      if (number < 0 || !postbag_pdf_words_next (&words) || !g_ascii_isdigit (*words.text))
        continue;
      gint64 value = g_ascii_strtoll (words.text, NULL, 10);

      if (postbag_pdf_words_next (&words) && postbag_pdf_words_is (&words, "endobj"))
        g_hash_table_insert (measure->numbers, g_memdup2 (&number, sizeof number),
                             g_memdup2 (&value, sizeof value));
    }
}

static gint64
get_length (Measure *measure, const PostbagPdfDictionary *dictionary)
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
find_stream_end (Measure *measure, const PostbagPdfDictionary *dictionary, const guint8 *data)
{
  gint64 length = get_length (measure, dictionary);
  const guint8 *end;

  if (length >= 0 && length <= measure->end - data)
    {
      PostbagPdfWords words = look_at (measure, data + length);

      if (postbag_pdf_words_next (&words) && postbag_pdf_words_is (&words, "endstream"))
        return data + length;
    }
  end = find_word (data, measure->end, "endstream");
  return end != NULL ? end : measure->end;
}

/* --- what pages and fonts are made of --- */

#define MOST_OBJECTS 8388607 /* ISO 32000-1, C.2 */
#define CONTENTS_BYTES ((MOST_OBJECTS + 1) / 8)

/* The last also in front of its 2 or 3. */
static const char *const content_names[] = { "/Contents", "/ToUnicode", "/Encoding", "/CIDToGIDMap",
                                             "/FontFile" };

/* Objects that share a bit are only measured more often. */
static gboolean
is_content (const Measure *measure, gint64 object)
{
  gint64 bit = object % (8 * CONTENTS_BYTES);

  return object >= 0 && (measure->contents[bit / 8] >> (bit % 8) & 1) != 0;
}

/* @before: 0: it begins a page. Of a hostile document the first ones are enough. */
static void
set_before (Measure *measure, gint64 object, gint64 before)
{
  gpointer key = GINT_TO_POINTER ((gint)object), known;

  if (g_hash_table_lookup_extended (measure->before, key, NULL, &known))
    before = GPOINTER_TO_INT (known) == before ? before : AMBIGUOUS;
  else if (g_hash_table_size (measure->before) >= POSTBAG_LIMIT_PDF_DRAWN_STREAMS)
    return;
  g_hash_table_insert (measure->before, key, GINT_TO_POINTER ((gint)before));
}

/* One object or a list of them, each with its generation; no byte is looked at twice. */
static const guint8 *
take_contents (Measure *measure, const guint8 *at, const guint8 *end, gboolean of_page)
{
  gint64 before = 0;
  guint n_numbers = 0;

  for (; at < end; at++)
    {
      gint64 object = 0;

      if (*at == '%')
        while (at + 1 < end && at[1] != '\r' && at[1] != '\n')
          at++;
      else if (g_ascii_isdigit (*at))
        {
          for (; at < end && g_ascii_isdigit (*at); at++)
            object = (object * 10 + *at - '0') % (8 * CONTENTS_BYTES);
          at--;
          measure->contents[object / 8] |= (guint8)(1 << object % 8);
          if (of_page && n_numbers++ % 2 == 0)
            {
              set_before (measure, object, before);
              before = object;
            }
        }
      else if (*at != '[' && *at != 'R' && !postbag_pdf_is_blank (*at))
        break;
    }
  return at;
}

static void
find_contents (Measure *measure, const guint8 *at, const guint8 *end)
{
  for (gsize i = 0; i < G_N_ELEMENTS (content_names); i++)
    for (const guint8 *next = at; (next = find_word (next, end, content_names[i])) != NULL;)
      next = take_contents (measure, next + strlen (content_names[i]), end, i == 0);
}

/* The list may be an object of its own. */
static void
find_listed_contents (Measure *measure)
{
  const guint8 *at = measure->start;

  while ((at = find_word (at, measure->end, "obj")) != NULL)
    {
      gint64 number = read_object_number (measure->start, at);
      PostbagPdfWords words = look_at (measure, at += 3);

      if (number >= 0 && is_content (measure, number) && postbag_pdf_words_next (&words)
          && postbag_pdf_words_is (&words, "["))
        at = take_contents (measure, words.at, measure->end, TRUE);
    }
}

/* --- the whole --- */

static gboolean
refuse (GError **error)
{
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_TOO_LARGE,
                       "Its streams become too long.");
  return FALSE;
}

/* Streams stand in a file in any order, and two pages may share one. */
static PostbagPdfDrawnPlace
get_place (const Measure *measure, const PostbagPdfDictionary *dictionary)
{
  gpointer before;

  if (dictionary->is_form || measure->object < 0 || measure->object > MOST_OBJECTS
      || !g_hash_table_lookup_extended (measure->before, GINT_TO_POINTER ((gint)measure->object),
                                        NULL, &before)
      || GPOINTER_TO_INT (before) == AMBIGUOUS)
    return POSTBAG_PDF_DRAWN_ANYWHERE;
  if (before == NULL)
    return POSTBAG_PDF_DRAWN_BEGINS;
  return GPOINTER_TO_INT (before) == measure->drawn_last ? POSTBAG_PDF_DRAWN_GOES_ON
                                                         : POSTBAG_PDF_DRAWN_ANYWHERE;
}

static void
look_at_drawing (Measure *measure, const PostbagPdfDictionary *dictionary, const guint8 *data,
                 gsize length)
{
  length = MIN (length, measure->drawn_left);
  measure->drawn_left -= length;
  if (postbag_pdf_drawn_look (measure->drawn, get_place (measure, dictionary), data, length))
    measure->drawn_last = measure->object;
}

/* What the library will make of it, without making it. */
static gboolean
charge (Measure *measure, guint64 bytes, GError **error)
{
  if (bytes > MIN (measure->left, POSTBAG_LIMIT_PDF_STREAM_BYTES))
    return refuse (error);
  measure->left -= bytes;
  return TRUE;
}

static gboolean
look_into (Measure *measure, const PostbagPdfDictionary *dictionary, const guint8 *data,
           gsize length, GError **error)
{
  guint64 pictures;

  if (length == 0)
    return TRUE;
  if (dictionary->is_object_stream)
    {
      find_contents (measure, data, data + length);
      return TRUE;
    }
  look_at_drawing (measure, dictionary, data, length);
  pictures = postbag_pdf_picture_measure_inline (data, length, POSTBAG_LIMIT_PDF_STREAM_BYTES);
  if (pictures > measure->left)
    return refuse (error);
  measure->left -= pictures;
  return TRUE;
}

static gboolean
measure_stream (Measure *measure, const PostbagPdfDictionary *dictionary, const guint8 *data,
                const guint8 *end, GError **error)
{
  gsize length = (gsize)(end - data);

  if (dictionary->has_too_many_filters)
    return refuse (error);
  for (guint i = 0; i < dictionary->n_filters; i++)
    {
      const char *filter = dictionary->filters[i];
      gsize most = MIN (measure->left, POSTBAG_LIMIT_PDF_STREAM_BYTES);
      GByteArray *made = measure->out;

      if (postbag_pdf_picture_is_codec (filter))
        return charge (measure, postbag_pdf_picture_measure (filter, data, length), error);
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
  return look_into (measure, dictionary, data, length, error);
}

/* The streams are gone through three times: those that name the contents of pages, all others, and
 * the pictures among the contents. */
static gboolean
is_object_stream (Measure *measure, const PostbagPdfDictionary *dictionary)
{
  measure->has_pictures |= dictionary->is_picture;
  return dictionary->is_object_stream && !dictionary->is_picture;
}

static gboolean
is_other_stream (Measure *measure, const PostbagPdfDictionary *dictionary)
{
  return !dictionary->is_object_stream && !dictionary->is_picture;
}

static gboolean
is_picture_of_content (Measure *measure, const PostbagPdfDictionary *dictionary)
{
  return dictionary->is_picture && is_content (measure, measure->object);
}

/* "stream" behind a dictionary, and a line end behind it */
static gboolean
is_stream (const Measure *measure, const guint8 *at)
{
  const guint8 *before = at;

  while (before > measure->at && postbag_pdf_is_blank (before[-1]))
    before--;
  return before > measure->at && before[-1] == '>' && at + 6 < measure->end
         && (at[6] == '\r' || at[6] == '\n');
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

  measure->at = measure->start;
  while ((at = find_stream (measure, measure->at)) != NULL)
    {
      const guint8 *object = find_last_word (measure->at, at, "obj");
      const guint8 *data = at + (at[6] == '\r' && at + 7 < measure->end && at[7] == '\n' ? 8 : 7);
      PostbagPdfDictionary dictionary;

      postbag_pdf_dictionary_read (&dictionary, object != NULL ? object + 3 : measure->at, at);
      measure->at = find_stream_end (measure, &dictionary, data);
      measure->object = object != NULL ? read_object_number (measure->start, object) : -1;
      if (measure->is_measured (measure, &dictionary)
          && !measure_stream (measure, &dictionary, data, measure->at, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
measure_all (Measure *measure, GError **error)
{
  find_contents (measure, measure->start, measure->end);
  measure->is_measured = is_object_stream;
  if (!measure_streams (measure, error))
    return FALSE;
  find_listed_contents (measure);
  measure->is_measured = is_other_stream;
  if (!measure_streams (measure, error))
    return FALSE;
  measure->is_measured = is_picture_of_content;
  return !measure->has_pictures || measure_streams (measure, error);
}

gboolean
postbag_pdf_streams_check (const guint8 *data, gsize length, PostbagPdfFindings *findings,
                           GError **error)
{
  g_autoptr (PostbagPdfDrawn) drawn =
      postbag_pdf_drawn_new (postbag_pdf_outside_find_farthest (data, length));
  Measure measure = { .start = data,
                      .at = data,
                      .end = data + length,
                      .left = POSTBAG_LIMIT_PDF_STREAMS_BYTES,
                      .drawn_left = POSTBAG_LIMIT_PDF_DRAWN_BYTES,
                      .drawn = drawn,
                      .in = g_byte_array_new (),
                      .out = g_byte_array_new (),
                      .contents = g_malloc0 (CONTENTS_BYTES),
                      .before = g_hash_table_new (NULL, NULL),
                      .drawn_last = -1 };
  gboolean fine = measure_all (&measure, error);

  findings->draws_outside = postbag_pdf_drawn_is_outside (drawn);
  findings->hidden = postbag_pdf_drawn_count_hidden (drawn, measure.has_pictures)
                     + postbag_pdf_drawn_count_transparent (drawn, data, length);
  g_byte_array_unref (measure.in);
  g_byte_array_unref (measure.out);
  g_free (measure.contents);
  g_hash_table_unref (measure.before);
  g_clear_pointer (&measure.numbers, g_hash_table_unref);
  return fine;
}
