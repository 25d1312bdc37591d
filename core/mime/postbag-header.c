/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Header fields as slices of the source: nothing is copied, nothing is trusted. A field name may be
 * followed by blanks before the colon (obsolete syntax, RFC 5322 section 4.5). */

#include "mime/postbag-mime-private.h"

#include <string.h>

#include "base/postbag-limits.h"

static gboolean
is_blank (char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

PostbagSlice
postbag_slice_trim (PostbagSlice slice)
{
  while (slice.length > 0 && is_blank (slice.data[0]))
    {
      slice.data++;
      slice.length--;
    }
  while (slice.length > 0 && is_blank (slice.data[slice.length - 1]))
    slice.length--;
  return slice;
}

gboolean
postbag_slice_equals (PostbagSlice slice, const char *text)
{
  return strlen (text) == slice.length && g_ascii_strncasecmp (slice.data, text, slice.length) == 0;
}

/* One line with its line end, from @position on. */
static gsize
measure_line (const char *bytes, gsize length, gsize position)
{
  const char *end = memchr (bytes + position, '\n', length - position);

  return end != NULL ? (gsize)(end - bytes) + 1 - position : length - position;
}

static gboolean
is_empty_line (const char *line, gsize length)
{
  return length == 0 || line[0] == '\n' || (line[0] == '\r' && (length == 1 || line[1] == '\n'));
}

/* Splits a line at its colon. FALSE when it is no field. */
static gboolean
split_field (const char *line, gsize length, PostbagHeader *header)
{
  gsize name = 0, colon;

  while (name < length && line[name] > ' ' && line[name] < 0x7f && line[name] != ':')
    name++;
  colon = name;
  while (colon < length && (line[colon] == ' ' || line[colon] == '\t'))
    colon++;
  if (name == 0 || colon == length || line[colon] != ':')
    return FALSE;
  header->name = (PostbagSlice){ line, name };
  header->value = (PostbagSlice){ line + colon + 1, length - colon - 1 };
  return TRUE;
}

/* A field with its continuation lines gets longer by the line at its end. */
static void
extend_field (PostbagHeader *header, gsize length)
{
  header->value.length = MIN (header->value.length + length, POSTBAG_LIMIT_HEADER_BYTES);
}

GArray *
postbag_headers_scan (const char *bytes, gsize length, gsize *body)
{
  GArray *headers = g_array_new (FALSE, FALSE, sizeof (PostbagHeader));
  PostbagHeader *last = NULL; /* NULL too after a line that is no field */
  gsize position = 0;

  if (length >= 5 && memcmp (bytes, "From ", 5) == 0) /* a mailbox file's separator */
    position = measure_line (bytes, length, 0);
  while (position < length && position < POSTBAG_LIMIT_HEADER_BLOCK_BYTES)
    {
      const char *line = bytes + position;
      gsize line_length = measure_line (bytes, length, position);
      PostbagHeader header;

      if (is_empty_line (line, line_length))
        {
          position += line_length;
          break;
        }
      position += line_length;
      if (line[0] == ' ' || line[0] == '\t')
        {
          if (last != NULL)
            extend_field (last, line_length);
          continue;
        }
      last = NULL;
      if (headers->len < POSTBAG_LIMIT_HEADER_LINES && split_field (line, line_length, &header))
        {
          g_array_append_val (headers, header);
          last = &g_array_index (headers, PostbagHeader, headers->len - 1);
          extend_field (last, 0);
        }
      else if (headers->len == 0)
        {
          position = 0; /* what does not start with a field is all body */
          break;
        }
    }
  *body = position;
  return headers;
}

const PostbagHeader *
postbag_headers_find (GArray *headers, const char *name, guint index)
{
  for (guint i = 0; i < headers->len; i++)
    {
      const PostbagHeader *header = &g_array_index (headers, PostbagHeader, i);

      if (postbag_slice_equals (header->name, name) && index-- == 0)
        return header;
    }
  return NULL;
}

const PostbagHeader *
postbag_headers_find_last (GArray *headers, const char *name)
{
  for (guint i = headers->len; i > 0; i--)
    {
      const PostbagHeader *header = &g_array_index (headers, PostbagHeader, i - 1);

      if (postbag_slice_equals (header->name, name))
        return header;
    }
  return NULL;
}

char *
postbag_header_unfold (PostbagSlice value, gsize *length)
{
  PostbagSlice trimmed = postbag_slice_trim (value);
  GString *out = g_string_sized_new (trimmed.length + 1);

  for (gsize i = 0; i < trimmed.length; i++)
    {
      char c = trimmed.data[i];

      if (c == '\r' && i + 1 < trimmed.length && trimmed.data[i + 1] == '\n')
        continue;
      if (c != '\n') /* a blank follows it, else the field would have ended */
        g_string_append_c (out, c == '\0' || c == '\r' ? ' ' : c);
    }
  if (length != NULL)
    *length = out->len;
  return g_string_free (out, FALSE);
}
