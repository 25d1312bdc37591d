/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-pdf-outside.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"

#include "postbag-pdf-dictionary.h"
#include "postbag-pdf-maps.h"

/* Under a name of ours: later versions of the library have a cleanup themselves. */
typedef PopplerPage Page;
typedef PopplerDocument Document;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Page, g_object_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Document, g_object_unref)

#define LARGE 20000 /* points: of the second reading's pages, each way from nought */
#define BOX_BYTES 160
#define SOME_NUMBER 60000 /* of an object, where nobody says how many there are */
#define MARGIN 1.0

static const char *const boxes[] = { "/MediaBox", "/CropBox" };

static const guint8 *
find_word (const guint8 *at, const guint8 *end, const char *word)
{
  return at < end ? memmem (at, (gsize)(end - at), word, strlen (word)) : NULL;
}

static const guint8 *
find_last_word (const guint8 *data, gsize length, const char *word)
{
  return (const guint8 *)g_strrstr_len ((const char *)data, (gssize)length, word);
}

/* --- boxes --- */

/* The array behind the name, or %NULL. @end: behind its bracket */
static const guint8 *
find_array (const guint8 *at, const guint8 *limit, const guint8 **end)
{
  gsize length = MIN ((gsize)(limit - at), BOX_BYTES);

  limit = at + length;
  while (at < limit && postbag_pdf_is_blank (*at))
    at++;
  if (at >= limit || *at != '[')
    return NULL;
  *end = memchr (at, ']', (gsize)(limit - at));
  if (*end == NULL)
    return NULL;
  (*end)++;
  return at;
}

typedef void (*BoxFunction) (const guint8 *name, gsize name_length, const guint8 *array,
                             const guint8 *end, gpointer user_data);

static void
for_each_box (const guint8 *data, gsize length, BoxFunction function, gpointer user_data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (boxes); i++)
    for (const guint8 *at = data; (at = find_word (at, data + length, boxes[i])) != NULL; at++)
      {
        gsize name_length = strlen (boxes[i]);
        const guint8 *end;
        const guint8 *array = find_array (at + name_length, data + length, &end);

        if (array != NULL)
          function (at, name_length, array, end, user_data);
      }
}

static void
take_numbers (const guint8 *name, gsize name_length, const guint8 *array, const guint8 *end,
              gpointer user_data)
{
  double *farthest = user_data;
  PostbagPdfWords words = { .at = array + 1, .end = end - 1 };

  while (postbag_pdf_words_next (&words))
    *farthest = MAX (*farthest, ABS (g_ascii_strtod (words.text, NULL)));
}

double
postbag_pdf_outside_find_farthest (const guint8 *data, gsize length)
{
  double farthest = 0;

  for_each_box (data, length, take_numbers, &farthest);
  return farthest;
}

/* --- the second reading --- */

typedef struct
{
  const guint8 *original;
  GByteArray *copy;
  guint number; /* of the object that is the large box */
} Widening;

/* In its place, so that nothing else moves: the name, and where the box is. */
static void
widen (const guint8 *name, gsize name_length, const guint8 *array, const guint8 *end,
       gpointer user_data)
{
  Widening *widening = user_data;
  gsize room = (gsize)(end - name) - name_length;
  g_autofree char *reference = g_strdup_printf (" %u 0 R", widening->number);
  guint8 *to = widening->copy->data + (name - widening->original) + name_length;

  if (strlen (reference) > room)
    return;
  memset (to, ' ', room);
  memcpy (to, reference, strlen (reference));
}

/* Behind the last "/Size" stands one more than the largest number of an object. */
static guint
find_size (const guint8 *data, gsize length)
{
  const guint8 *size = find_last_word (data, length, "/Size");
  PostbagPdfWords words;

  if (size == NULL)
    return SOME_NUMBER;
  words = (PostbagPdfWords){ .at = size + 5, .end = MIN (size + 5 + BOX_BYTES, data + length) };
  postbag_pdf_words_next (&words);
  return (guint)CLAMP (g_ascii_strtoll (words.text, NULL, 10), 1, 9999999);
}

/* (transfer full): "N G R" behind the last @key; empty where it is not there */
static char *
dup_reference (const guint8 *data, gsize length, const char *key, guint n_words)
{
  const guint8 *at = find_last_word (data, length, key);
  GString *out = g_string_new (NULL);
  PostbagPdfWords words;

  if (at == NULL)
    return g_string_free (out, FALSE);
  at += strlen (key);
  words = (PostbagPdfWords){ .at = at, .end = MIN (at + BOX_BYTES, data + length) };
  for (guint i = 0; i < n_words && postbag_pdf_words_next (&words); i++)
    g_string_append_printf (out, " %s", words.text);
  return g_string_free (out, FALSE);
}

static void
append (GByteArray *bytes, const char *text)
{
  g_byte_array_append (bytes, (const guint8 *)text, (guint)strlen (text));
}

/* (transfer full) (nullable): the document with large pages: an update of it (ISO 32000-1, 7.5.6)
 * that adds one object */
static GByteArray *
make_large (const guint8 *data, gsize length)
{
  g_autofree char *root = dup_reference (data, length, "/Root", 3);
  g_autofree char *last = dup_reference (data, length, "startxref", 1);
  g_autofree char *object = NULL, *update = NULL;
  Widening widening = { .original = data, .number = find_size (data, length) };
  gsize start;

  if (*root == '\0' || find_last_word (data, length, "/Encrypt") != NULL)
    return NULL;
  widening.copy = g_byte_array_sized_new ((guint)length + 1024);
  g_byte_array_append (widening.copy, data, (guint)length);
  for_each_box (data, length, widen, &widening);
  append (widening.copy, "\n");
  start = widening.copy->len;
  object = g_strdup_printf ("%u 0 obj[-%d -%d %d %d]endobj\n", widening.number, LARGE, LARGE, LARGE,
                            LARGE);
  append (widening.copy, object);
  if (*last == '\0') /* the library looks for all objects itself */
    return widening.copy;
  update =
      g_strdup_printf ("xref\n%u 1\n%010" G_GSIZE_FORMAT " 00000 n \ntrailer<</Size %u/Prev%s"
                       "/Root%s>>\nstartxref\n%u\n%%%%EOF\n",
                       widening.number, start, widening.number + 1, last, root, widening.copy->len);
  append (widening.copy, update);
  return widening.copy;
}

static gboolean
is_outside (const PopplerRectangle *letter, const PopplerRectangle *box)
{
  double x = (letter->x1 + letter->x2) / 2 - LARGE;
  double y = LARGE - (letter->y1 + letter->y2) / 2;

  return x < box->x1 || x > box->x2 || y < box->y1 || y > box->y2;
}

/* A run ends at the end of its line. */
static gint64
count_page (PopplerPage *page, PopplerPage *large)
{
  g_autofree char *raw = poppler_page_get_text (large);
  g_autofree char *text = postbag_text_make_valid (raw != NULL ? raw : "", -1);
  g_autofree PopplerRectangle *letters = NULL;
  const char *at = text;
  PopplerRectangle box;
  double width, height;
  guint n_letters = 0;
  gint64 count = 0;
  gboolean was_outside = FALSE;

  poppler_page_get_crop_box (page, &box);
  poppler_page_get_size (large, &width, &height);
  if (width < 2 * LARGE - MARGIN || height < 2 * LARGE - MARGIN
      || !poppler_page_get_text_layout (large, &letters, &n_letters))
    return 0;
  for (guint i = 0; i < n_letters && *at != '\0'; i++, at = g_utf8_next_char (at))
    {
      gboolean outside = *at != '\n' && is_outside (&letters[i], &box);

      count += outside && !was_outside;
      was_outside = outside;
    }
  return count;
}

gint64
postbag_pdf_outside_count (PopplerDocument *document, const guint8 *data, gsize length)
{
  g_autoptr (GByteArray) bytes = make_large (data, length);
  g_autoptr (Document) large =
      bytes != NULL ? postbag_pdf_open (bytes->data, bytes->len, NULL) : NULL;
  int pages = poppler_document_get_n_pages (document);
  gint64 count = 0;

  if (large == NULL || poppler_document_get_n_pages (large) != pages)
    return 0;
  for (int i = 0; i < MIN (pages, POSTBAG_LIMIT_DOCUMENT_PAGES); i++)
    {
      g_autoptr (Page) page = poppler_document_get_page (document, i);
      g_autoptr (Page) wide = poppler_document_get_page (large, i);

      if (page != NULL && wide != NULL)
        count += count_page (page, wide);
    }
  return count;
}
