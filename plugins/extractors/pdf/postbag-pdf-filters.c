/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-pdf-filters.h"

#include <string.h>

#include "postbag-pdf-dictionary.h"

#define PIECE (64 * 1024)
#define LZW_CLEAR 256
#define LZW_END 257
#define LZW_CODES 4096

typedef struct
{
  const guint8 *at, *end;
  gboolean early_change;
  gsize most;
  GByteArray *out;
} Stream;

static gboolean
put (Stream *stream, const guint8 *bytes, gsize length)
{
  if (length > stream->most - stream->out->len)
    return FALSE;
  g_byte_array_append (stream->out, bytes, (guint)length);
  return TRUE;
}

/* --- the five filters --- */

static gboolean
decode_flate (Stream *stream)
{
  g_autoptr (GZlibDecompressor) zlib = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB);
  g_autofree guint8 *piece = g_malloc (PIECE);
  GConverterResult result = G_CONVERTER_CONVERTED;

  while (result == G_CONVERTER_CONVERTED && stream->at < stream->end)
    {
      gsize n_read = 0, n_written = 0;

      result =
          g_converter_convert (G_CONVERTER (zlib), stream->at, (gsize)(stream->end - stream->at),
                               piece, PIECE, G_CONVERTER_NO_FLAGS, &n_read, &n_written, NULL);
      if (result == G_CONVERTER_ERROR)
        break;
      stream->at += n_read;
      if (!put (stream, piece, n_written))
        return FALSE;
    }
  return TRUE;
}

/* A string of LZW is the one of @prefix and a byte. */
typedef struct
{
  guint16 prefix;
  guint8 byte;
  guint16 length;
} LzwString;

typedef struct
{
  LzwString strings[LZW_CODES];
  guint n; /* codes in use */
  guint width;
  int last; /* -1: none since the table was cleared */
  guint32 bits;
  guint n_bits;
} Lzw;

static void
clear_lzw (Lzw *lzw)
{
  lzw->n = LZW_END + 1;
  lzw->width = 9;
  lzw->last = -1;
}

static int
read_lzw_code (Lzw *lzw, Stream *stream)
{
  while (lzw->n_bits < lzw->width)
    {
      if (stream->at >= stream->end)
        return LZW_END;
      lzw->bits = lzw->bits << 8 | *stream->at++;
      lzw->n_bits += 8;
    }
  lzw->n_bits -= lzw->width;
  return (int)(lzw->bits >> lzw->n_bits & ((1u << lzw->width) - 1));
}

static guint8
write_lzw_string (Lzw *lzw, guint code, guint8 *end)
{
  while (lzw->strings[code].length > 1)
    {
      *--end = lzw->strings[code].byte;
      code = lzw->strings[code].prefix;
    }
  *--end = lzw->strings[code].byte;
  return *end;
}

static void
add_lzw_string (Lzw *lzw, Stream *stream, guint8 byte)
{
  guint grown = stream->early_change ? 1 : 0;

  if (lzw->n >= LZW_CODES || lzw->last < 0)
    return;
  lzw->strings[lzw->n++] =
      (LzwString){ (guint16)lzw->last, byte, (guint16)(lzw->strings[lzw->last].length + 1) };
  if (lzw->width < 12 && lzw->n + grown >= 1u << lzw->width)
    lzw->width++;
}

/* The code is in the table, or is the one that it makes now: the last string and its own first
 * byte. */
static gboolean
take_lzw_code (Lzw *lzw, Stream *stream, guint code)
{
  guint8 bytes[LZW_CODES];
  guint8 *end = bytes + sizeof bytes;
  gboolean is_new = code == lzw->n;
  guint from = is_new ? (guint)lzw->last : code;
  gsize length = lzw->strings[from].length;
  guint8 first = write_lzw_string (lzw, from, end - (is_new ? 1 : 0));

  if (is_new)
    *(end - 1) = first;
  length += is_new ? 1 : 0;
  add_lzw_string (lzw, stream, first);
  lzw->last = (int)code;
  return put (stream, end - length, length);
}

static gboolean
decode_lzw (Stream *stream)
{
  g_autofree Lzw *lzw = g_new0 (Lzw, 1);
  int code;

  for (guint i = 0; i < 256; i++)
    lzw->strings[i] = (LzwString){ 0, (guint8)i, 1 };
  clear_lzw (lzw);
  while ((code = read_lzw_code (lzw, stream)) != LZW_END)
    {
      if (code == LZW_CLEAR)
        clear_lzw (lzw);
      else if (code > (int)lzw->n || (code == (int)lzw->n && lzw->last < 0))
        break;
      else if (!take_lzw_code (lzw, stream, (guint)code))
        return FALSE;
    }
  return TRUE;
}

static gboolean
decode_run_length (Stream *stream)
{
  while (stream->at < stream->end && *stream->at != 128)
    {
      guint8 run[128];
      gsize length = *stream->at++;
      const guint8 *bytes = stream->at;

      if (length > 128 && stream->at < stream->end)
        {
          length = 257 - length;
          memset (run, *stream->at++, length);
          bytes = run;
        }
      else
        {
          length = MIN (length + 1, (gsize)(stream->end - stream->at));
          stream->at += length;
        }
      if (!put (stream, bytes, length))
        return FALSE;
    }
  return TRUE;
}

static gboolean
put_ascii85 (Stream *stream, guint64 value, guint n_digits)
{
  guint8 bytes[4];

  for (guint i = n_digits; i < 5; i++)
    value = value * 85 + 84;
  for (guint i = 0; i < 4; i++)
    bytes[i] = (guint8)(value >> (24 - 8 * i));
  return put (stream, bytes, n_digits - 1);
}

static gboolean
decode_ascii85 (Stream *stream)
{
  guint64 value = 0;
  guint n_digits = 0;

  for (; stream->at < stream->end && *stream->at != '~'; stream->at++)
    {
      if (*stream->at == 'z' && n_digits == 0)
        n_digits = 5;
      else if (*stream->at >= '!' && *stream->at <= 'u')
        {
          value = value * 85 + (*stream->at - '!');
          n_digits++;
        }
      else if (!postbag_pdf_is_blank (*stream->at))
        break;
      if (n_digits < 5)
        continue;
      if (!put_ascii85 (stream, value, n_digits))
        return FALSE;
      value = n_digits = 0;
    }
  return n_digits < 2 || put_ascii85 (stream, value, n_digits);
}

static gboolean
decode_ascii_hex (Stream *stream)
{
  int high = -1;

  for (; stream->at < stream->end && *stream->at != '>'; stream->at++)
    {
      int digit = g_ascii_xdigit_value ((char)*stream->at);
      guint8 byte;

      if (digit < 0)
        continue;
      byte = (guint8)(high * 16 + digit);
      if (high >= 0 && !put (stream, &byte, 1))
        return FALSE;
      high = high < 0 ? digit : -1;
    }
  return TRUE;
}

static const struct
{
  const char *name, *short_name;
  gboolean (*decode) (Stream *stream);
} filters[] = {
  { "FlateDecode", "Fl", decode_flate },          { "LZWDecode", "LZW", decode_lzw },
  { "RunLengthDecode", "RL", decode_run_length }, { "ASCII85Decode", "A85", decode_ascii85 },
  { "ASCIIHexDecode", "AHx", decode_ascii_hex },
};

static int
find_filter (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (filters); i++)
    if (strcmp (name, filters[i].name) == 0 || strcmp (name, filters[i].short_name) == 0)
      return (int)i;
  return -1;
}

gboolean
postbag_pdf_filter_is_known (const char *name)
{
  return find_filter (name) >= 0;
}

gboolean
postbag_pdf_filter_decode (const char *name, const guint8 *data, gsize length,
                           gboolean early_change, gsize most, GByteArray *out)
{
  int filter = find_filter (name);
  Stream stream = { .at = data, .early_change = early_change, .most = most, .out = out };

  g_byte_array_set_size (out, 0);
  if (filter < 0 || length == 0)
    return TRUE;
  stream.end = data + length;
  return filters[filter].decode (&stream);
}
