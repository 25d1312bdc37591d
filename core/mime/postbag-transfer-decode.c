/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Transfer encodings (RFC 2045 sections 6.7 and 6.8, RFC 2047 section 4), read the way people's
 * programs read them: bytes outside the alphabet are skipped, padding ends a group and not the
 * data, a missing end is no error; each such thing is a warning. */

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

/* The value of each digit (RFC 4648 section 4), -1: it is none. */
static const gint8 base64_digits[256] = {
  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, /* 0x00 */
  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, /* 0x10 */
  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 62, -1, -1, -1, 63, /* + / */
  52, 53, 54, 55, 56, 57, 58, 59, 60, 61, -1, -1, -1, -1, -1, -1, /* 0 to 9 */
  -1, 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, /* A to O */
  15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, -1, -1, -1, -1, -1, /* P to Z */
  -1, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, /* a to o */
  41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, -1, -1, -1, -1, -1, /* p to z */
  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, /* 0x80 */
  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, /* 0x90 */
  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, /* 0xa0 */
  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, /* 0xb0 */
  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, /* 0xc0 */
  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, /* 0xd0 */
  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, /* 0xe0 */
  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, /* 0xf0 */
};

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

static gboolean
is_base64_space (char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* How base64 data comes along. */
typedef struct
{
  GByteArray *out;
  gsize max_bytes;
  guint32 group;
  guint digits;
  gboolean padded; /* padding has been met: this should be the end */
  gboolean malformed;
} Base64;

static gboolean
take_digit (Base64 *self, int digit)
{
  self->malformed |= self->padded;
  self->group = self->group << 6 | (guint32)digit;
  if (++self->digits < 4)
    return TRUE;
  if (!append (self->out, self->max_bytes,
               (guint8[]){ (guint8)(self->group >> 16), (guint8)(self->group >> 8),
                           (guint8)self->group },
               3))
    return FALSE;
  self->group = 0;
  self->digits = 0;
  return TRUE;
}

static gboolean
take_padding (Base64 *self)
{
  if (!flush_group (self->out, self->max_bytes, self->group, self->digits))
    return FALSE;
  self->malformed |= self->digits == 1 || (self->digits == 0 && !self->padded);
  self->group = 0;
  self->digits = 0;
  self->padded = TRUE;
  return TRUE;
}

/* Groups of four digits that stand next to each other, as nearly all of them do. Returns: how many
 * bytes were read. */
static gsize
take_groups (Base64 *self, const guint8 *bytes, gsize length)
{
  guint8 chunk[3 * 256];
  gsize room = (self->max_bytes - MIN (self->max_bytes, self->out->len)) / 3;
  gsize groups = MIN (MIN (length / 4, room), G_N_ELEMENTS (chunk) / 3), i;

  for (i = 0; i < groups; i++)
    {
      int a = base64_digits[bytes[4 * i]], b = base64_digits[bytes[4 * i + 1]];
      int c = base64_digits[bytes[4 * i + 2]], d = base64_digits[bytes[4 * i + 3]];

      if ((a | b | c | d) < 0)
        break;
      chunk[3 * i] = (guint8)(a << 2 | b >> 4);
      chunk[3 * i + 1] = (guint8)(b << 4 | c >> 2);
      chunk[3 * i + 2] = (guint8)(c << 6 | d);
    }
  if (i > 0)
    {
      self->malformed |= self->padded;
      g_byte_array_append (self->out, chunk, (guint)(3 * i));
    }
  return 4 * i;
}

/* @out will hold this much: it need not grow step by step. */
static void
reserve (GByteArray *out, gsize length, gsize max_bytes)
{
  guint before = out->len;
  gsize all = MIN (before + length / 4 * 3, MIN (max_bytes, G_MAXUINT32 / 2));

  if (all <= before)
    return;
  g_byte_array_set_size (out, (guint)all);
  g_byte_array_set_size (out, before);
}

gboolean
postbag_transfer_decode_base64 (const char *bytes, gsize length, gsize max_bytes, GByteArray *out,
                                gsize *junk, PostbagWarnings *warnings)
{
  Base64 self = { .out = out, .max_bytes = max_bytes };
  gsize foreign = 0;

  reserve (out, length, max_bytes);
  for (gsize i = 0; i < length; i++)
    {
      int digit;

      if (self.digits == 0)
        i += take_groups (&self, (const guint8 *)bytes + i, length - i);
      if (i >= length)
        break;
      digit = base64_digits[(guint8)bytes[i]];
      if (digit >= 0 ? !take_digit (&self, digit) : bytes[i] == '=' && !take_padding (&self))
        return FALSE;
      if (digit < 0 && !is_base64_space (bytes[i]) && bytes[i] != '=')
        foreign++;
    }
  if (foreign > 0 || self.malformed || self.digits > 0)
    postbag_warnings_add (warnings, POSTBAG_WARNING_MALFORMED_BASE64);
  if (junk != NULL)
    *junk = foreign;
  return flush_group (out, max_bytes, self.group, self.digits);
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
decode_escapes (const char *line, gsize length, gsize max_bytes, GByteArray *out,
                PostbagWarnings *warnings)
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
      else if (byte == '=')
        postbag_warnings_add (warnings, POSTBAG_WARNING_MALFORMED_QUOTED_PRINTABLE);
      if (!append (out, max_bytes, &byte, 1))
        return FALSE;
    }
  return TRUE;
}

gboolean
postbag_transfer_decode_quoted_printable (const char *bytes, gsize length, gsize max_bytes,
                                          GByteArray *out, PostbagWarnings *warnings)
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
      if (!decode_escapes (bytes + start, text - start, max_bytes, out, warnings)
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

/* A line of a text and where the next one starts. */
static gsize
read_line (const char *bytes, gsize length, gsize start, gsize *next)
{
  const char *newline = memchr (bytes + start, '\n', length - start);
  gsize end = newline != NULL ? (gsize)(newline - bytes) : length;

  *next = newline != NULL ? end + 1 : length;
  return end > start && bytes[end - 1] == '\r' ? end - 1 : end;
}

static gboolean
decode_uuencode (const char *bytes, gsize length, gsize max_bytes, GByteArray *out,
                 PostbagWarnings *warnings)
{
  gboolean inside = FALSE, ended = FALSE;

  for (gsize start = 0, next; start < length && !ended; start = next)
    {
      const char *line = bytes + start;
      gsize end = read_line (bytes, length, start, &next);

      if (!inside)
        inside = end - start > 6 && memcmp (line, "begin ", 6) == 0;
      else if (end - start == 3 && memcmp (line, "end", 3) == 0)
        ended = TRUE;
      else if (end > start && !decode_uu_line (line, end - start, max_bytes, out))
        return FALSE;
    }
  if (!ended)
    postbag_warnings_add (warnings, POSTBAG_WARNING_MALFORMED_UUENCODE);
  return TRUE;
}

/* One line of yEnc: every byte moved by 42, `=` in front of one that is moved by 64 more. */
static gboolean
decode_y_line (const char *line, gsize length, gsize max_bytes, GByteArray *out)
{
  for (gsize i = 0; i < length; i++)
    {
      guint8 byte = (guint8)line[i];

      if (byte == '=' && i + 1 < length)
        byte = (guint8)((guint8)line[++i] - 64);
      byte = (guint8)(byte - 42);
      if (!append (out, max_bytes, &byte, 1))
        return FALSE;
    }
  return TRUE;
}

static gboolean
decode_yenc (const char *bytes, gsize length, gsize max_bytes, GByteArray *out,
             PostbagWarnings *warnings)
{
  gboolean inside = FALSE, ended = FALSE;

  for (gsize start = 0, next; start < length && !ended; start = next)
    {
      const char *line = bytes + start;
      gsize end = read_line (bytes, length, start, &next);

      if (end - start >= 7 && memcmp (line, "=ybegin", 7) == 0)
        inside = TRUE;
      else if (end - start >= 5 && memcmp (line, "=yend", 5) == 0)
        ended = TRUE;
      else if (inside && !(end - start >= 6 && memcmp (line, "=ypart", 6) == 0)
               && !decode_y_line (line, end - start, max_bytes, out))
        return FALSE;
    }
  if (!ended)
    postbag_warnings_add (warnings, POSTBAG_WARNING_MALFORMED_UUENCODE);
  return TRUE;
}

/* --- by name --- */

typedef enum
{
  IDENTITY,
  BASE64,
  QUOTED_PRINTABLE,
  UUENCODE,
  YENC,
  UNKNOWN
} Encoding;

static Encoding
find_encoding (const char *name)
{
  static const struct
  {
    const char *name;
    Encoding encoding;
  } names[] = {
    { "7bit", IDENTITY },       { "8bit", IDENTITY },   { "binary", IDENTITY },
    { "base64", BASE64 },       { "x-base64", BASE64 }, { "quoted-printable", QUOTED_PRINTABLE },
    { "x-uuencode", UUENCODE }, { "x-uue", UUENCODE },  { "uuencode", UUENCODE },
    { "uue", UUENCODE },        { "x-yenc", YENC },
  };

  for (gsize i = 0; name != NULL && i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i].name, name) == 0)
      return names[i].encoding;
  return UNKNOWN;
}

gboolean
postbag_transfer_is_known (const char *encoding)
{
  return find_encoding (encoding) != UNKNOWN;
}

gboolean
postbag_transfer_is_identity (const char *encoding)
{
  return find_encoding (encoding) == IDENTITY;
}

static gboolean
decode_into (GByteArray *out, const char *bytes, gsize length, Encoding encoding, gsize max_bytes,
             PostbagWarnings *warnings)
{
  switch (encoding)
    {
    case BASE64:
      return postbag_transfer_decode_base64 (bytes, length, max_bytes, out, NULL, warnings);
    case QUOTED_PRINTABLE:
      return postbag_transfer_decode_quoted_printable (bytes, length, max_bytes, out, warnings);
    case UUENCODE:
      return decode_uuencode (bytes, length, max_bytes, out, warnings);
    case YENC:
      return decode_yenc (bytes, length, max_bytes, out, warnings);
    case IDENTITY:
    case UNKNOWN:
      break;
    }
  return length <= max_bytes;
}

GBytes *
postbag_transfer_decode (GBytes *encoded, const char *encoding, gsize max_bytes,
                         PostbagWarnings *warnings, GError **error)
{
  gsize length;
  const char *bytes = g_bytes_get_data (encoded, &length);
  Encoding known = find_encoding (encoding);
  g_autoptr (GByteArray) out = g_byte_array_new ();

  if (!decode_into (out, bytes != NULL ? bytes : "", length, known, max_bytes, warnings))
    {
      g_set_error (error, POSTBAG_ERROR, POSTBAG_ERROR_TOO_LARGE,
                   "The part has more than %" G_GSIZE_FORMAT
                   " bytes after decoding. Ask for it in pieces, or raise the limit.",
                   max_bytes);
      return NULL;
    }
  if (known == IDENTITY || known == UNKNOWN)
    return g_bytes_ref (encoded);
  return g_byte_array_free_to_bytes (g_steal_pointer (&out));
}

GBytes *
postbag_mime_decode (GBytes *encoded, const char *encoding, gsize max_bytes, GError **error)
{
  return postbag_transfer_decode (encoded, encoding, max_bytes, NULL, error);
}
