/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-ole-readers.h"

#include <string.h>

static guint32
read_number (const PostbagOleBytes *bytes, gsize at, guint size)
{
  guint32 number = 0;

  if (at > bytes->length || bytes->length - at < size)
    return 0;
  for (guint i = size; i > 0; i--)
    number = number << 8 | bytes->data[at + i - 1];
  return number;
}

guint32
postbag_ole_u8 (const PostbagOleBytes *bytes, gsize at)
{
  return read_number (bytes, at, 1);
}

guint32
postbag_ole_u16 (const PostbagOleBytes *bytes, gsize at)
{
  return read_number (bytes, at, 2);
}

guint32
postbag_ole_u32 (const PostbagOleBytes *bytes, gsize at)
{
  return read_number (bytes, at, 4);
}

double
postbag_ole_double (const PostbagOleBytes *bytes, gsize at)
{
  guint64 bits = postbag_ole_u32 (bytes, at) | (guint64)postbag_ole_u32 (bytes, at + 4) << 32;
  double number;

  memcpy (&number, &bits, sizeof number);
  return number;
}

void
postbag_ole_append_units (GString *text, const guint16 *units, gsize length)
{
  for (gsize i = 0; i < length; i++)
    {
      gunichar c = units[i];

      if (c >= 0xd800 && c <= 0xdbff && i + 1 < length && units[i + 1] >= 0xdc00
          && units[i + 1] <= 0xdfff)
        {
          c = 0x10000 + ((c - 0xd800) << 10) + (units[i + 1] - 0xdc00u);
          i++;
        }
      g_string_append_unichar (text, c != 0 && g_unichar_validate (c) ? c : 0xfffd);
    }
}

char *
postbag_ole_dup_units (const PostbagOleBytes *bytes, gsize at, gsize count)
{
  gsize left = at < bytes->length ? (bytes->length - at) / 2 : 0;
  gsize length = MIN (count, left);
  g_autofree guint16 *units = g_new (guint16, MAX (length, 1));
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < length; i++)
    units[i] = (guint16)postbag_ole_u16 (bytes, at + 2 * i);
  postbag_ole_append_units (text, units, length);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
