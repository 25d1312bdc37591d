/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Transfer encodings (RFC 2045 sections 6.7 and 6.8, RFC 2047 section 4), read the way people's
 * programs read them: bytes outside the alphabet are skipped, padding ends a group and not the
 * data, a missing end is no error. GMime 3.2.13 drops what follows a padded line. */

#include "mime/postbag-message.h"
#include "mime/postbag-mime-private.h"

#include <string.h>

#include "base/postbag-error.h"

static gboolean
append (GByteArray *out, gsize max_bytes, const guint8 *bytes, guint length)
{
  if (out->len + (gsize)length > max_bytes)
    return FALSE;
  g_byte_array_append (out, bytes, length);
  return TRUE;
}

static int
decode_base64_digit (char c)
{
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Writes the whole bytes of an unfinished group of @digits digits. */
static gboolean
flush_group (GByteArray *out, gsize max_bytes, guint32 group, guint digits)
{
  guint8 bytes[2];

  if (digits < 2)
    return TRUE;
  group <<= 6 * (4 - digits);
  bytes[0] = (guint8)(group >> 16);
  bytes[1] = (guint8)(group >> 8);
  return append (out, max_bytes, bytes, digits - 1);
}

gboolean
postbag_transfer_decode_base64 (const char *bytes, gsize length, gsize max_bytes, GByteArray *out)
{
  guint32 group = 0;
  guint digits = 0;

  for (gsize i = 0; i < length; i++)
    {
      int digit = decode_base64_digit (bytes[i]);

      if (digit >= 0)
        {
          group = group << 6 | (guint32)digit;
          if (++digits < 4)
            continue;
          if (!append (out, max_bytes,
                       (guint8[]){ (guint8)(group >> 16), (guint8)(group >> 8), (guint8)group }, 3))
            return FALSE;
        }
      else if (bytes[i] != '=')
        continue;
      else if (!flush_group (out, max_bytes, group, digits))
        return FALSE;
      group = 0;
      digits = 0;
    }
  return flush_group (out, max_bytes, group, digits);
}

/* The byte of `=XX` at @bytes, or -1. */
static int
decode_hex (const char *bytes, gsize length)
{
  if (length < 3 || !g_ascii_isxdigit (bytes[1]) || !g_ascii_isxdigit (bytes[2]))
    return -1;
  return g_ascii_xdigit_value (bytes[1]) * 16 + g_ascii_xdigit_value (bytes[2]);
}

/* A `=` that starts no escape stands for itself. */
static gboolean
decode_escapes (const char *line, gsize length, gsize max_bytes, GByteArray *out)
{
  for (gsize i = 0; i < length; i++)
    {
      guint8 byte = (guint8)line[i];
      int escaped = byte == '=' ? decode_hex (line + i, length - i) : -1;

      if (escaped >= 0)
        {
          byte = (guint8)escaped;
          i += 2;
        }
      if (!append (out, max_bytes, &byte, 1))
        return FALSE;
    }
  return TRUE;
}

gboolean
postbag_transfer_decode_quoted_printable (const char *bytes, gsize length, gsize max_bytes,
                                          GByteArray *out)
{
  for (gsize start = 0, next; start < length; start = next)
    {
      const char *newline = memchr (bytes + start, '\n', length - start);
      gsize end = newline != NULL ? (gsize)(newline - bytes) : length;
      gsize text;

      next = newline != NULL ? end + 1 : length;
      if (newline != NULL && end > start && bytes[end - 1] == '\r')
        end--;
      /* blanks at the end of a line came from a transport (RFC 2045 section 6.7, rule 3) */
      for (text = end; text > start && (bytes[text - 1] == ' ' || bytes[text - 1] == '\t');)
        text--;
      if (text > start && bytes[text - 1] == '=')
        {
          text--; /* a soft line break */
          end = next;
        }
      if (!decode_escapes (bytes + start, text - start, max_bytes, out)
          || !append (out, max_bytes, (const guint8 *)bytes + end, (guint)(next - end)))
        return FALSE;
    }
  return TRUE;
}

void
postbag_transfer_decode_q (const char *bytes, gsize length, GByteArray *out)
{
  for (gsize i = 0; i < length; i++)
    {
      guint8 byte = bytes[i] == '_' ? ' ' : (guint8)bytes[i];
      int escaped = byte == '=' ? decode_hex (bytes + i, length - i) : -1;

      if (escaped >= 0)
        {
          byte = (guint8)escaped;
          i += 2;
        }
      g_byte_array_append (out, &byte, 1);
    }
}

/* One line of uuencode: a length, then groups of four characters for three bytes. */
static gboolean
decode_uu_line (const char *line, gsize length, gsize max_bytes, GByteArray *out)
{
  gsize wanted = (gsize)((line[0] - ' ') & 0x3f);

  for (gsize i = 1; i < length && wanted > 0; i += 4)
    {
      guint32 group = 0;
      guint8 three[3];
      guint take = (guint)MIN (wanted, 3);

      for (gsize j = i; j < i + 4; j++)
        group = group << 6 | (j < length ? (guint32)(line[j] - ' ') & 0x3f : 0);
      three[0] = (guint8)(group >> 16);
      three[1] = (guint8)(group >> 8);
      three[2] = (guint8)group;
      if (!append (out, max_bytes, three, take))
        return FALSE;
      wanted -= take;
    }
  return TRUE;
}

static gboolean
decode_uuencode (const char *bytes, gsize length, gsize max_bytes, GByteArray *out)
{
  gboolean inside = FALSE;

  for (gsize start = 0, next; start < length; start = next)
    {
      const char *newline = memchr (bytes + start, '\n', length - start);
      gsize end = newline != NULL ? (gsize)(newline - bytes) : length;
      const char *line = bytes + start;

      next = newline != NULL ? end + 1 : length;
      if (end > start && bytes[end - 1] == '\r')
        end--;
      if (!inside)
        inside = end - start > 6 && memcmp (line, "begin ", 6) == 0;
      else if (end - start == 3 && memcmp (line, "end", 3) == 0)
        break;
      else if (end > start && !decode_uu_line (line, end - start, max_bytes, out))
        return FALSE;
    }
  return TRUE;
}

GBytes *
postbag_mime_decode (GBytes *encoded, const char *encoding, gsize max_bytes, GError **error)
{
  gsize length;
  const char *bytes = g_bytes_get_data (encoded, &length);
  g_autoptr (GByteArray) out = NULL;
  gboolean fits;

  out = g_byte_array_new ();
  if (g_strcmp0 (encoding, "base64") == 0)
    fits = postbag_transfer_decode_base64 (bytes, length, max_bytes, out);
  else if (g_strcmp0 (encoding, "quoted-printable") == 0)
    fits = postbag_transfer_decode_quoted_printable (bytes, length, max_bytes, out);
  else if (g_strcmp0 (encoding, "x-uuencode") == 0 || g_strcmp0 (encoding, "x-uue") == 0
           || g_strcmp0 (encoding, "uuencode") == 0)
    fits = decode_uuencode (bytes, length, max_bytes, out);
  else if (length <= max_bytes)
    return g_bytes_ref (encoded);
  else
    fits = FALSE;
  if (fits)
    return g_byte_array_free_to_bytes (g_steal_pointer (&out));
  g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
               "The part has more than %" G_GSIZE_FORMAT
               " bytes after decoding. Ask for it in pieces, or raise the limit.",
               max_bytes);
  return NULL;
}
