/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-pdf-dictionary.h"

#include <string.h>

/* --- words --- */

static gboolean
is_in (guint8 byte, const char *set)
{
  return byte != 0 && strchr (set, byte) != NULL;
}

/* Asked of each byte of a document: no call. */
gboolean
postbag_pdf_is_blank (guint8 byte)
{
  return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t' || byte == '\f' || byte == 0;
}

static void
skip_string (PostbagPdfWords *words)
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
skip_blanks (PostbagPdfWords *words)
{
  for (; words->at < words->end; words->at++)
    {
      if (*words->at == '%')
        while (words->at + 1 < words->end && !is_in (words->at[1], "\r\n"))
          words->at++;
      else if (!postbag_pdf_is_blank (*words->at))
        break;
    }
}

/* One letter of a name: it may be written as # and two digits. */
static char
read_letter (PostbagPdfWords *words)
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
read_regular (PostbagPdfWords *words)
{
  guint n = 0;

  while (words->at < words->end && !postbag_pdf_is_blank (*words->at)
         && !is_in (*words->at, "/<>[](){}%"))
    {
      char letter = read_letter (words);

      if (n < POSTBAG_PDF_WORD_BYTES - 1)
        words->text[n++] = letter;
    }
  words->text[n] = '\0';
}

gboolean
postbag_pdf_words_next (PostbagPdfWords *words)
{
  words->kind = POSTBAG_PDF_WORD_OTHER;
  skip_blanks (words);
  if (words->at >= words->end)
    words->kind = POSTBAG_PDF_WORD_NONE;
  else if (*words->at == '/')
    {
      words->kind = POSTBAG_PDF_WORD_NAME;
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
  return words->kind != POSTBAG_PDF_WORD_NONE;
}

gboolean
postbag_pdf_words_is (const PostbagPdfWords *words, const char *text)
{
  return words->kind == POSTBAG_PDF_WORD_OTHER && strcmp (words->text, text) == 0;
}

/* --- a dictionary --- */

static void
add_filter (PostbagPdfDictionary *dictionary, const PostbagPdfWords *words)
{
  if (words->kind != POSTBAG_PDF_WORD_NAME)
    return;
  if (dictionary->n_filters == POSTBAG_PDF_MAX_FILTERS)
    dictionary->has_too_many_filters = TRUE;
  else
    g_strlcpy (dictionary->filters[dictionary->n_filters++], words->text, POSTBAG_PDF_WORD_BYTES);
}

static void
read_filters (PostbagPdfDictionary *dictionary, PostbagPdfWords *words)
{
  if (!postbag_pdf_words_next (words))
    return;
  add_filter (dictionary, words);
  if (postbag_pdf_words_is (words, "["))
    while (postbag_pdf_words_next (words) && words->kind == POSTBAG_PDF_WORD_NAME)
      add_filter (dictionary, words);
}

/* A number, or the number of an object, a generation and R. */
static void
read_length (PostbagPdfDictionary *dictionary, PostbagPdfWords *words)
{
  PostbagPdfWords ahead;

  postbag_pdf_words_next (words);
  dictionary->length = g_ascii_strtoll (words->text, NULL, 10);
  ahead = *words;
  if (postbag_pdf_words_next (&ahead) && g_ascii_isdigit (*ahead.text)
      && postbag_pdf_words_next (&ahead) && postbag_pdf_words_is (&ahead, "R"))
    dictionary->length_object = dictionary->length;
}

/* A picture's type is XObject, where it has one. */
static void
read_type (PostbagPdfDictionary *dictionary, PostbagPdfWords *words)
{
  postbag_pdf_words_next (words);
  dictionary->is_object_stream =
      words->kind == POSTBAG_PDF_WORD_NAME && strcmp (words->text, "ObjStm") == 0;
  dictionary->is_no_picture |=
      words->kind == POSTBAG_PDF_WORD_NAME && strcmp (words->text, "XObject") != 0;
}

static gboolean
read_name_is (PostbagPdfWords *words, const char *name)
{
  postbag_pdf_words_next (words);
  return words->kind == POSTBAG_PDF_WORD_NAME && strcmp (words->text, name) == 0;
}

/* Whoever says twice what it is has something to hide: readers differ in which one they take. */
static void
read_subtype (PostbagPdfDictionary *dictionary, PostbagPdfWords *words)
{
  gboolean is_picture = read_name_is (words, "Image");

  dictionary->is_form |= strcmp (words->text, "Form") == 0;
  dictionary->is_picture = is_picture;
  dictionary->is_no_picture |= !is_picture;
}

static void
read_key (PostbagPdfDictionary *dictionary, PostbagPdfWords *words, int depth)
{
  if (strcmp (words->text, "EarlyChange") == 0)
    {
      postbag_pdf_words_next (words);
      dictionary->late_change = postbag_pdf_words_is (words, "0");
    }
  if (depth != 1)
    return;
  if (strcmp (words->text, "Filter") == 0)
    read_filters (dictionary, words);
  else if (strcmp (words->text, "Length") == 0)
    read_length (dictionary, words);
  else if (strcmp (words->text, "Subtype") == 0)
    read_subtype (dictionary, words);
  else if (strcmp (words->text, "Type") == 0)
    read_type (dictionary, words);
}

void
postbag_pdf_dictionary_read (PostbagPdfDictionary *self, const guint8 *start, const guint8 *end)
{
  PostbagPdfWords words = { .at = start, .end = end };
  int depth = 0;

  *self = (PostbagPdfDictionary){ .length = -1, .length_object = -1 };
  while (postbag_pdf_words_next (&words))
    {
      if (postbag_pdf_words_is (&words, "<<"))
        depth++;
      else if (postbag_pdf_words_is (&words, ">>"))
        depth--;
      else if (words.kind == POSTBAG_PDF_WORD_NAME)
        read_key (self, &words, depth);
    }
  self->is_picture &= !self->is_no_picture;
}
