/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What GMime gets to see: a copy of the source, byte for byte as long, with some of it overwritten.
 *
 * The words "message" and "digest" are spoilt, so that it takes an inner message for a plain leaf
 * (postbag-structure.c says why). And since it builds an object for every part, field and parameter
 * before anybody can count them (a kilobyte for the eight bytes of a part, 300 bytes for the four
 * of a parameter), what goes beyond the limits becomes lines of `x`, which it passes over in a
 * header block. Only positions are taken from GMime, so nobody misses what was overwritten: bytes
 * come from the source. */

#include "mime/postbag-mime-private.h"

#include <string.h>

#include "base/postbag-limits.h"

typedef struct
{
  guint boundaries;
  guint fields;
  guint block_fields;  /* in this header block */
  gsize field_bytes;   /* of this field */
  gsize content_bytes; /* of all fields whose parameters are read */
  gboolean in_header;
  gboolean in_content_field;
} Budget;

/* Spoils @word wherever it stands, in any case (Boyer-Moore-Horspool). */
static void
spoil_word (char *bytes, gsize length, const char *word)
{
  gsize size = strlen (word);
  gsize skip[256];

  for (gsize i = 0; i < G_N_ELEMENTS (skip); i++)
    skip[i] = size;
  for (gsize i = 0; i + 1 < size; i++)
    {
      skip[(guchar)word[i]] = size - 1 - i;
      skip[(guchar)g_ascii_toupper (word[i])] = size - 1 - i;
    }
  for (gsize at = 0; at + size <= length; at += skip[(guchar)bytes[at + size - 1]])
    if (g_ascii_strncasecmp (bytes + at, word, size) == 0)
      bytes[at] = 'x';
}

static gsize
get_room (gsize used, gsize limit)
{
  return used < limit ? limit - used : 0;
}

/* GMime makes no field of any other line. */
static gboolean
is_field (const char *line, gsize length)
{
  gsize at = 0;

  while (at < length && (guchar)line[at] > ' ' && line[at] != ':')
    at++;
  while (at > 0 && at < length && (line[at] == ' ' || line[at] == '\t'))
    at++;
  return at > 0 && at < length && line[at] == ':';
}

/* How many bytes of a line of a header block may stay. */
static gsize
measure_field_line (Budget *self, const char *line, gsize length)
{
  gsize room;

  if (line[0] != ' ' && line[0] != '\t')
    {
      if (!is_field (line, length))
        return length;
      self->fields++;
      self->block_fields++;
      self->field_bytes = 0;
      self->in_content_field = length > 8 && g_ascii_strncasecmp (line, "content-", 8) == 0;
    }
  if (self->fields > POSTBAG_LIMIT_MIME_FIELDS || self->block_fields > POSTBAG_LIMIT_HEADER_LINES)
    return 0;
  room = get_room (self->field_bytes, POSTBAG_LIMIT_HEADER_BYTES);
  if (self->in_content_field)
    room = MIN (room, get_room (self->content_bytes, POSTBAG_LIMIT_HEADER_BLOCK_BYTES));
  self->field_bytes += length;
  self->content_bytes += self->in_content_field ? length : 0;
  return MIN (room, length);
}

/* How many bytes of @line may stay; @length does not count its line end. Any line that starts like
 * a boundary may be one, and a header block may follow it. */
static gsize
measure_line (Budget *self, const char *line, gsize length)
{
  if (length >= 2 && line[0] == '-' && line[1] == '-')
    {
      self->in_header = TRUE;
      self->block_fields = 0;
      self->in_content_field = FALSE;
      return ++self->boundaries <= POSTBAG_LIMIT_MIME_BOUNDARIES ? length : 0;
    }
  if (!self->in_header)
    return length;
  if (length == 0 || (length == 1 && line[0] == '\r'))
    {
      self->in_header = FALSE;
      return length;
    }
  return measure_field_line (self, line, length);
}

/* Whether nothing had to be overwritten. */
static gboolean
keep_in_budget (char *bytes, gsize length)
{
  Budget budget = { .in_header = TRUE };
  gboolean complete = TRUE;

  for (gsize start = 0, next; start < length; start = next)
    {
      const char *newline = memchr (bytes + start, '\n', length - start);
      gsize end = newline != NULL ? (gsize)(newline - bytes) : length;
      gsize kept = measure_line (&budget, bytes + start, end - start);

      next = end + 1;
      if (kept == end - start)
        continue;
      memset (bytes + start + kept, 'x', end - start - kept);
      if (kept > 0)
        bytes[start + kept] = '\n'; /* the rest is a line of its own, and no field */
      complete = FALSE;
    }
  return complete;
}

GByteArray *
postbag_gmime_copy_new (const char *bytes, gsize length, gboolean *complete)
{
  GByteArray *copy = g_byte_array_sized_new ((guint)length);

  g_byte_array_append (copy, (const guint8 *)bytes, (guint)length);
  spoil_word ((char *)copy->data, length, "message");
  spoil_word ((char *)copy->data, length, "digest");
  *complete = keep_in_budget ((char *)copy->data, length);
  return copy;
}
