/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-maildir-utf7.h"

static int
get_sextet (char character)
{
  if (character >= 'A' && character <= 'Z')
    return character - 'A';
  if (character >= 'a' && character <= 'z')
    return character - 'a' + 26;
  if (character >= '0' && character <= '9')
    return character - '0' + 52;
  if (character == '+')
    return 62;
  return character == ',' ? 63 : -1;
}

/* What may not be shifted: ASCII has to stand for itself, or two names would mean one mailbox. */
static gboolean
append_unit (GString *text, guint16 unit, guint16 *high)
{
  if (*high != 0)
    {
      if (unit < 0xdc00 || unit > 0xdfff)
        return FALSE;
      g_string_append_unichar (text, 0x10000u + ((*high - 0xd800u) << 10) + (unit - 0xdc00u));
      *high = 0;
      return TRUE;
    }
  if (unit >= 0xd800 && unit <= 0xdbff)
    {
      *high = unit;
      return TRUE;
    }
  if (unit < 0xa0 || (unit >= 0xdc00 && unit <= 0xdfff))
    return FALSE;
  g_string_append_unichar (text, unit);
  return TRUE;
}

/* @at: behind the `&`. Returns what follows the `-`, or %NULL. */
static const char *
decode_shifted (const char *at, const char *end, GString *text)
{
  guint32 bits = 0;
  guint n_bits = 0;
  guint16 high = 0;

  for (; at < end && *at != '-'; at++)
    {
      int sextet = get_sextet (*at);

      if (sextet < 0)
        return NULL;
      bits = (bits << 6) | (guint32)sextet;
      n_bits += 6;
      if (n_bits < 16)
        continue;
      n_bits -= 16;
      if (!append_unit (text, (guint16)(bits >> n_bits), &high))
        return NULL;
      bits &= (1u << n_bits) - 1;
    }
  return at < end && high == 0 && n_bits < 6 && bits == 0 ? at + 1 : NULL;
}

char *
postbag_maildir_utf7_decode (const char *name, gsize length)
{
  g_autoptr (GString) text = g_string_sized_new (length);
  const char *at = name, *end = name + length;

  while (at < end)
    {
      if (*at < 0x20 || *at > 0x7e) /* signed or not: 8-bit bytes are out */
        return NULL;
      if (*at != '&')
        g_string_append_c (text, *at++);
      else if (at + 1 < end && at[1] == '-')
        {
          g_string_append_c (text, '&');
          at += 2;
        }
      else
        {
          at = decode_shifted (at + 1, end, text);
          if (at == NULL)
            return NULL;
        }
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}
