/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-pdf-pictures.h"

#include <string.h>

#include "postbag-pdf-dictionary.h"

#define INLINE_WORDS 64        /* of one's dictionary */
#define LARGEST_SIDE (1 << 28) /* larger ones are as much too large */
#define LARGEST_JPX_SIDE (1 << 20)
#define HEAD_BYTES 65536
#define JPX_SAMPLE_BYTES 4 /* as its library holds it */

static const struct
{
  const char *name, *shorter;
} codecs[] = {
  { "DCTDecode", "DCT" },
  { "JPXDecode", "" },
  { "JBIG2Decode", "" },
  { "CCITTFaxDecode", "CCF" },
};

static gboolean
is_codec (const char *filter, const char *name, const char *shorter)
{
  return *filter != '\0' && (strcmp (filter, name) == 0 || strcmp (filter, shorter) == 0);
}

gboolean
postbag_pdf_picture_is_codec (const char *filter)
{
  for (gsize i = 0; i < G_N_ELEMENTS (codecs); i++)
    if (is_codec (filter, codecs[i].name, codecs[i].shorter))
      return TRUE;
  return FALSE;
}

/* --- heads --- */

static guint
read_16 (const guint8 *at)
{
  return (guint)at[0] << 8 | at[1];
}

static guint64
read_32 (const guint8 *at)
{
  return (guint64)read_16 (at) << 16 | read_16 (at + 2);
}

/* The frame header of JPEG (ITU T.81, B.2.2). */
static guint64
measure_dct (const guint8 *data, gsize length)
{
  const guint8 *end = data + MIN (length, HEAD_BYTES);
  const guint8 *at = length > 2 ? data + 2 : end;

  while (end - at >= 10 && at[0] == 0xff)
    {
      guint8 kind = at[1];

      if (kind >= 0xc0 && kind <= 0xcf && kind != 0xc4 && kind != 0xc8 && kind != 0xcc)
        return (guint64)read_16 (at + 5) * read_16 (at + 7) * at[9];
      at += kind == 0xff ? 1 : MIN (end - at, 2 + (gssize)read_16 (at + 2));
    }
  return G_MAXUINT64;
}

/* The marker SIZ of JPEG 2000 (ITU T.800, A.5.1), which is the first. */
static guint64
measure_jpx (const guint8 *data, gsize length)
{
  static const guint8 start[] = { 0xff, 0x4f, 0xff, 0x51 };
  gsize searched = MIN (length, HEAD_BYTES);
  const guint8 *at = memmem (data, searched, start, sizeof start);
  guint64 width, height;

  if (at == NULL || (gsize)(data + searched - at) < 42)
    return G_MAXUINT64;
  width = read_32 (at + 8);
  height = read_32 (at + 12);
  if (width > LARGEST_JPX_SIDE || height > LARGEST_JPX_SIDE)
    return G_MAXUINT64;
  return width * height * read_16 (at + 40) * JPX_SAMPLE_BYTES;
}

/* How long a fax or JBIG2 becomes is not in one place, and no honest one is anything but a picture.
 */
guint64
postbag_pdf_picture_measure (const char *filter, const guint8 *data, gsize length)
{
  if (length == 0)
    return 0;
  if (is_codec (filter, "DCTDecode", "DCT"))
    return measure_dct (data, length);
  if (is_codec (filter, "JPXDecode", ""))
    return measure_jpx (data, length);
  return G_MAXUINT64;
}

/* --- in the content --- */

typedef struct
{
  guint64 width, height, bits, components;
} Inline;

static guint64
read_number (PostbagPdfWords *words, gint64 least, gint64 most)
{
  gint64 number;

  postbag_pdf_words_next (words);
  number = g_ascii_strtoll (words->text, NULL, 10);
  return (guint64)CLAMP (number, least, most);
}

static gboolean
is_key (const PostbagPdfWords *words, const char *shorter, const char *name)
{
  return strcmp (words->text, shorter) == 0 || strcmp (words->text, name) == 0;
}

static void
take_key (Inline *picture, PostbagPdfWords *words)
{
  if (is_key (words, "W", "Width"))
    picture->width = read_number (words, 0, LARGEST_SIDE);
  else if (is_key (words, "H", "Height"))
    picture->height = read_number (words, 0, LARGEST_SIDE);
  else if (is_key (words, "BPC", "BitsPerComponent"))
    picture->bits = read_number (words, 1, 16);
  else if (is_key (words, "IM", "ImageMask"))
    {
      postbag_pdf_words_next (words);
      if (postbag_pdf_words_is (words, "true"))
        picture->bits = picture->components = 1;
    }
  else if (is_key (words, "CS", "ColorSpace"))
    {
      postbag_pdf_words_next (words);
      if (is_key (words, "G", "DeviceGray") || postbag_pdf_words_is (words, "["))
        picture->components = 1; /* an array is of palette colours */
    }
}

/* Behind "BI". @end: (out): where its bytes begin; %NULL: it is no picture */
static guint64
measure_one (const guint8 *at, const guint8 *limit, const guint8 **end)
{
  PostbagPdfWords words = { .at = at, .end = limit };
  Inline picture = { .bits = 8, .components = 4 };

  *end = NULL;
  for (guint i = 0; i < INLINE_WORDS && postbag_pdf_words_next (&words); i++)
    {
      if (words.kind == POSTBAG_PDF_WORD_NAME)
        take_key (&picture, &words);
      else if (postbag_pdf_words_is (&words, "ID"))
        {
          *end = words.at;
          return picture.height * ((picture.width * picture.components * picture.bits + 7) / 8);
        }
    }
  return 0;
}

static gboolean
is_word (const guint8 *data, const guint8 *at, const guint8 *end)
{
  return (at == data || postbag_pdf_is_blank (at[-1]))
         && (end - at == 2 || at[2] == '/' || postbag_pdf_is_blank (at[2]));
}

guint64
postbag_pdf_picture_measure_inline (const guint8 *data, gsize length, guint64 most)
{
  const guint8 *end = length > 0 ? data + length : data;
  const guint8 *at = data;
  guint64 all = 0;

  while (at < end && (at = memmem (at, (gsize)(end - at), "BI", 2)) != NULL)
    {
      const guint8 *behind = NULL;
      guint64 bytes = is_word (data, at, end) ? measure_one (at + 2, end, &behind) : 0;

      if (bytes > most)
        return G_MAXUINT64;
      all += bytes;
      at = behind != NULL ? behind : at + 2;
    }
  return all;
}
