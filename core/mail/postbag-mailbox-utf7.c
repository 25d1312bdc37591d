/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mail/postbag-mailbox-utf7.h"

#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,";

typedef struct
{
  GString *text;
  guint32 bits;
  guint count; /* of bits not yet written, 0 to 5 between units */
} Encoder;

static void
encode_unit (Encoder *encoder, guint unit)
{
  encoder->bits = encoder->bits << 16 | unit;
  encoder->count += 16;
  while (encoder->count >= 6)
    {
      encoder->count -= 6;
      g_string_append_c (encoder->text, alphabet[encoder->bits >> encoder->count & 63]);
    }
  encoder->bits &= (1u << encoder->count) - 1;
}

static void
encode_character (Encoder *encoder, gunichar character)
{
  if (character >= 0x10000)
    {
      encode_unit (encoder, 0xd800 + (character - 0x10000) / 0x400);
      encode_unit (encoder, 0xdc00 + (character - 0x10000) % 0x400);
    }
  else
    encode_unit (encoder, character);
}

/* Ends a base64 run: the last bits padded with zeros, and `-`. */
static void
end_run (Encoder *encoder)
{
  if (encoder->count > 0)
    g_string_append_c (encoder->text, alphabet[encoder->bits << (6 - encoder->count) & 63]);
  g_string_append_c (encoder->text, '-');
  encoder->bits = 0;
  encoder->count = 0;
}

char *
postbag_mailbox_utf7_encode (const char *name)
{
  Encoder encoder = { .text = g_string_new (NULL) };
  gboolean in_run = FALSE;

  for (const char *next = name; *next != '\0'; next = g_utf8_next_char (next))
    {
      gunichar character = g_utf8_get_char (next);
      gboolean direct = character >= 0x20 && character <= 0x7e;

      if (in_run && direct)
        end_run (&encoder);
      if (!in_run && !direct)
        g_string_append_c (encoder.text, '&');
      in_run = !direct;
      if (!direct)
        encode_character (&encoder, character);
      else if (character == '&')
        g_string_append (encoder.text, "&-");
      else
        g_string_append_c (encoder.text, (char)character);
    }
  if (in_run)
    end_run (&encoder);
  return g_string_free (encoder.text, FALSE);
}

/* Appends a UTF-16 unit; @high keeps the first half of a pair. */
static gboolean
decode_unit (GString *text, guint unit, guint *high)
{
  if (*high != 0)
    {
      if (unit < 0xdc00 || unit > 0xdfff)
        return FALSE;
      g_string_append_unichar (text, 0x10000 + (*high - 0xd800) * 0x400 + (unit - 0xdc00));
      *high = 0;
      return TRUE;
    }
  if (unit >= 0xd800 && unit <= 0xdbff)
    {
      *high = unit;
      return TRUE;
    }
  if (unit == 0 || (unit >= 0x20 && unit <= 0x7e) || (unit >= 0xdc00 && unit <= 0xdfff))
    return FALSE;
  g_string_append_unichar (text, unit);
  return TRUE;
}

/* Decodes the run behind `&` up to and including its `-`; returns where it ends, or NULL. */
static const char *
decode_run (GString *text, const char *raw, const char *end)
{
  guint32 bits = 0;
  guint count = 0, high = 0;

  for (; raw < end && *raw != '-'; raw++)
    {
      const char *place = memchr (alphabet, *raw, strlen (alphabet));

      if (place == NULL)
        return NULL;
      bits = (bits << 6 | (guint32)(place - alphabet)) & 0xffffff;
      count += 6;
      if (count >= 16)
        {
          count -= 16;
          if (!decode_unit (text, bits >> count & 0xffff, &high))
            return NULL;
        }
    }
  /* What is left over is padding: fewer bits than one letter's, all zero. */
  if (raw == end || high != 0 || count >= 6 || (bits & ((1u << count) - 1)) != 0)
    return NULL;
  return raw + 1;
}

char *
postbag_mailbox_utf7_decode (const char *raw, gssize length)
{
  const char *end = raw + (length >= 0 ? (gsize)length : strlen (raw));
  g_autoptr (GString) text = g_string_sized_new ((gsize)(end - raw));

  while (raw < end)
    {
      if (*raw < 0x20 || *raw > 0x7e) /* signed or not: 8-bit bytes are out */
        return NULL;
      if (*raw != '&')
        g_string_append_c (text, *raw++);
      else if (raw + 1 < end && raw[1] == '-')
        {
          g_string_append_c (text, '&');
          raw += 2;
        }
      else
        {
          raw = decode_run (text, raw + 1, end);
          if (raw == NULL)
            return NULL;
        }
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}
