/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Strings of a workbook ([MS-XLS] 2.5.293, 2.5.294). The shared ones go on over records; where one
 * is split inside its letters, a byte tells anew whether they take one byte or two. */

#include "postbag-xls-parts.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "mime/postbag-message.h"

#define FLAG_WIDE 1
#define FLAG_EXTENDED 4
#define FLAG_RICH 8

typedef struct
{
  const PostbagOleBytes *stream;
  gsize next; /* record behind this one */
  PostbagXlsRecord record;
  gsize at; /* inside the record */
  gboolean ended;
} Cursor;

gboolean
postbag_xls_next (const PostbagOleBytes *stream, gsize *at, PostbagXlsRecord *record)
{
  gsize length;

  if (*at > stream->length || stream->length - *at < 4)
    return FALSE;
  length = postbag_ole_u16 (stream, *at + 2);
  record->type = postbag_ole_u16 (stream, *at);
  record->bytes.data = stream->data + *at + 4;
  record->bytes.length = MIN (length, stream->length - *at - 4);
  *at += 4 + record->bytes.length;
  return TRUE;
}

char *
postbag_xls_string (const PostbagOleBytes *bytes, gsize at, guint length, gboolean wide,
                    guint code_page)
{
  guint flags = wide ? postbag_ole_u8 (bytes, at) : 0;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *charset = NULL;
  gsize left;

  at += wide;
  if ((flags & FLAG_RICH) != 0)
    at += 2;
  if ((flags & FLAG_EXTENDED) != 0)
    at += 4;
  left = at < bytes->length ? bytes->length - at : 0;
  if (!wide)
    {
      charset = g_strdup_printf ("cp%u", code_page);
      return postbag_mime_to_utf8 ((const char *)bytes->data + MIN (at, bytes->length),
                                   MIN (length, left), charset);
    }
  for (guint i = 0; i < length && (flags & FLAG_WIDE) == 0 && i < left; i++)
    {
      guint16 unit = bytes->data[at + i];

      postbag_ole_append_units (text, &unit, 1);
    }
  if ((flags & FLAG_WIDE) != 0)
    return postbag_ole_dup_units (bytes, at, length);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Into the next CONTINUE record, where this one is at its end. */
static gboolean
has_more (Cursor *cursor)
{
  while (!cursor->ended && cursor->at >= cursor->record.bytes.length)
    {
      cursor->ended = !postbag_xls_next (cursor->stream, &cursor->next, &cursor->record)
                      || cursor->record.type != POSTBAG_XLS_CONTINUE;
      cursor->at = 0;
    }
  return !cursor->ended;
}

static guint32
take_number (Cursor *cursor, guint size)
{
  guint32 number = 0;

  for (guint i = 0; i < size && has_more (cursor); i++)
    number |= postbag_ole_u8 (&cursor->record.bytes, cursor->at++) << (8 * i);
  return number;
}

static void
skip (Cursor *cursor, guint64 count)
{
  while (count > 0 && has_more (cursor))
    {
      gsize step = MIN (count, cursor->record.bytes.length - cursor->at);

      cursor->at += step;
      count -= step;
    }
}

static char *
take_string (Cursor *cursor)
{
  guint length = take_number (cursor, 2), flags = take_number (cursor, 1);
  guint64 runs = (flags & FLAG_RICH) != 0 ? take_number (cursor, 2) : 0;
  guint64 extension = (flags & FLAG_EXTENDED) != 0 ? take_number (cursor, 4) : 0;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree guint16 *units = g_new0 (guint16, MAX (length, 1));
  guint count = 0;

  for (; count < length; count++)
    {
      if (cursor->at >= cursor->record.bytes.length)
        {
          if (!has_more (cursor))
            break;
          flags = take_number (cursor, 1);
        }
      units[count] = (guint16)take_number (cursor, (flags & FLAG_WIDE) != 0 ? 2 : 1);
    }
  skip (cursor, 4 * runs + extension);
  postbag_ole_append_units (text, units, count);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

GPtrArray *
postbag_xls_shared_strings (const PostbagOleBytes *stream, gsize at, const PostbagXlsRecord *first)
{
  GPtrArray *strings = g_ptr_array_new_with_free_func (g_free);
  Cursor cursor = { stream, at, *first, 4, FALSE };
  guint32 count = take_number (&cursor, 4);

  while (strings->len < MIN (count, POSTBAG_LIMIT_SHARED_STRINGS) && has_more (&cursor))
    g_ptr_array_add (strings, take_string (&cursor));
  return strings;
}
