/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ole-fixture.h"

void
ole_append (GByteArray *bytes, guint64 number, guint size)
{
  for (guint i = 0; i < size; i++)
    {
      guint8 byte = (guint8)(number >> (8 * i));

      g_byte_array_append (bytes, &byte, 1);
    }
}

void
ole_try_damaged (ExtractReader reader, GByteArray *stream)
{
  for (guint i = 0; i < stream->len; i++)
    {
      /* A copy of its own size, so that a read past the end is seen. */
      g_autofree guint8 *data = g_memdup2 (stream->data, i);
      const GByteArray cut = { data, i };
      g_autoptr (ExtractResult) shorter = extract_run_reader (reader, &cut);
      g_autoptr (ExtractResult) changed = NULL;

      stream->data[i] ^= 0xff;
      changed = extract_run_reader (reader, stream);
      stream->data[i] ^= 0xff;
    }
}
