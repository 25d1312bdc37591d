/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* RTF compressed as [MS-OXRTFCP] has it: runs of bytes that stood in the last 4096, which begin
 * with what most RTF begins with. */

#include <string.h>

#include "base/postbag-limits.h"
#include "extract/postbag-letter.h"

#define HEADER_BYTES 16
#define WINDOW_BYTES 4096
#define COMPRESSED 0x75465a4c
#define PLAIN 0x414c454d

static const char start[] =
    "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern "
    "\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0"
    "\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

typedef struct
{
  const guint8 *data;
  gsize length;
  gsize at;
  guint8 window[WINDOW_BYTES];
  guint end; /* where the next byte goes */
  GByteArray *out;
} Inflater;

static guint32
read_word (const guint8 *data)
{
  return (guint32)data[0] | (guint32)data[1] << 8 | (guint32)data[2] << 16 | (guint32)data[3] << 24;
}

static void
put (Inflater *self, guint8 byte)
{
  g_byte_array_append (self->out, &byte, 1);
  self->window[self->end] = byte;
  self->end = (self->end + 1) % WINDOW_BYTES;
}

/* Returns: %FALSE at the end */
static gboolean
copy_run (Inflater *self)
{
  guint reference, offset, length;

  if (self->length - self->at < 2)
    return FALSE;
  reference = (guint)self->data[self->at] << 8 | self->data[self->at + 1];
  self->at += 2;
  offset = reference >> 4;
  length = (reference & 0xf) + 2;
  if (offset == self->end)
    return FALSE;
  for (guint i = 0; i < length; i++)
    put (self, self->window[(offset + i) % WINDOW_BYTES]);
  return TRUE;
}

/* A control byte says of the next eight things which are runs. Each gives at most 17 bytes. */
static void
inflate (Inflater *self, gsize most)
{
  while (self->at < self->length && self->out->len < most)
    {
      guint8 control = self->data[self->at++];

      for (guint i = 0; i < 8 && self->at < self->length; i++)
        {
          if ((control >> i & 1) == 0)
            put (self, self->data[self->at++]);
          else if (!copy_run (self))
            return;
        }
    }
}

GBytes *
postbag_letter_inflate_rtf (const guint8 *data, gsize length)
{
  Inflater self = { .data = data, .length = length, .at = HEADER_BYTES };
  guint32 kind = length >= HEADER_BYTES ? read_word (data + 8) : 0;

  if (kind == PLAIN)
    return g_bytes_new (data + HEADER_BYTES, length - HEADER_BYTES);
  if (kind != COMPRESSED || read_word (data + 4) > POSTBAG_LIMIT_LETTER_RTF_BYTES)
    return NULL;
  self.out = g_byte_array_new ();
  memcpy (self.window, start, sizeof start - 1);
  self.end = sizeof start - 1;
  inflate (&self, read_word (data + 4));
  return g_byte_array_free_to_bytes (self.out);
}
