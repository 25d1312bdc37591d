/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-pdf-alpha.h"

#include <string.h>

#include "postbag-pdf-dictionary.h"

#define MOST_PLACES 64
#define STATE_BYTES 1024 /* of one graphics state */
#define NOUGHT 0.01

typedef enum
{
  UNKNOWN, /* it is told elsewhere, or is no graphics state */
  SEEN,
  TRANSPARENT,
} Answer;

static PostbagPdfWords
look_at (const guint8 *at, const guint8 *end)
{
  return (PostbagPdfWords){ .at = at, .end = at + MIN ((gsize)(end - at), STATE_BYTES) };
}

/* Behind its "<<". */
static Answer
judge_state (PostbagPdfWords *words)
{
  Answer answer = SEEN;
  guint depth = 1;

  while (depth > 0 && postbag_pdf_words_next (words))
    {
      if (postbag_pdf_words_is (words, "<<"))
        depth++;
      else if (postbag_pdf_words_is (words, ">>"))
        depth--;
      else if (depth == 1 && words->kind == POSTBAG_PDF_WORD_NAME && strcmp (words->text, "ca") == 0
               && postbag_pdf_words_next (words))
        answer = g_ascii_isdigit (words->text[0]) || words->text[0] == '.'
                     ? (g_ascii_strtod (words->text, NULL) < NOUGHT ? TRANSPARENT : SEEN)
                     : SEEN;
    }
  return answer;
}

/* The object of that number; the last one counts. */
static Answer
judge_object (const guint8 *data, gsize length, const char *number)
{
  g_autofree char *head = g_strdup_printf ("%s 0 obj", number);
  const guint8 *end = data + length;
  Answer answer = UNKNOWN;
  guint places = 0;

  for (const guint8 *at = data;
       (at = memmem (at, (gsize)(end - at), head, strlen (head))) != NULL && places < MOST_PLACES;
       at += strlen (head), places++)
    {
      PostbagPdfWords words = look_at (at + strlen (head), end);

      if ((at == data || !g_ascii_isdigit (at[-1])) && postbag_pdf_words_next (&words)
          && postbag_pdf_words_is (&words, "<<"))
        answer = judge_state (&words);
    }
  return answer;
}

/* Behind the name, in the dictionary of resources. */
static Answer
judge_place (const guint8 *data, gsize length, const guint8 *at)
{
  PostbagPdfWords words = look_at (at, data + length);
  g_autofree char *number = NULL;

  if (!postbag_pdf_words_next (&words))
    return UNKNOWN;
  if (postbag_pdf_words_is (&words, "<<"))
    return judge_state (&words);
  if (words.kind != POSTBAG_PDF_WORD_OTHER || !g_ascii_isdigit (words.text[0]))
    return UNKNOWN;
  number = g_strdup (words.text);
  return postbag_pdf_words_next (&words) && postbag_pdf_words_is (&words, "0")
                 && postbag_pdf_words_next (&words) && postbag_pdf_words_is (&words, "R")
             ? judge_object (data, length, number)
             : UNKNOWN;
}

gboolean
postbag_pdf_alpha_is_nought (const guint8 *data, gsize length, const char *name)
{
  g_autofree char *key = g_strconcat ("/", name, NULL);
  const guint8 *end = data + length;
  gboolean is_nought = FALSE;
  guint places = 0;

  if (length == 0)
    return FALSE;
  for (const guint8 *at = data; (at = memmem (at, (gsize)(end - at), key, strlen (key))) != NULL;)
    {
      Answer answer;

      at += strlen (key);
      if (places++ == MOST_PLACES)
        return FALSE;
      if (at < end && !postbag_pdf_is_blank (*at) && strchr ("</", *at) == NULL)
        continue; /* a longer name */
      answer = judge_place (data, length, at);
      if (answer == SEEN)
        return FALSE;
      is_nought |= answer == TRANSPARENT;
    }
  return is_nought;
}
