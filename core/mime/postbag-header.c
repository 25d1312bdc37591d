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

/* A block of header fields on its way. */
typedef struct
{
  GArray *headers;
  gboolean open; /* a field may go on in the next line */
  gboolean is_body;
  PostbagWarnings *warnings;
} Scan;

/* A field with its continuation lines gets longer by the line at its end. */
static void
extend_field (Scan *self, gsize length)
{
  PostbagHeader *last = &g_array_index (self->headers, PostbagHeader, self->headers->len - 1);

  last->value.length += length;
  if (last->value.length <= POSTBAG_LIMIT_HEADER_BYTES)
    return;
  last->value.length = POSTBAG_LIMIT_HEADER_BYTES;
  postbag_warnings_add (self->warnings, POSTBAG_WARNING_LIMIT_HEADER);
}

static void
note_controls (Scan *self, const char *line, gsize length)
{
  const char *end = line + length;
  const char *cr = memchr (line, '\r', length);

  if (memchr (line, '\0', length) != NULL
      || (cr != NULL && cr + 1 != end && !(cr + 2 == end && cr[1] == '\n')))
    postbag_warnings_add (self->warnings, POSTBAG_WARNING_HEADER_CONTROL);
}

static void
take_line (Scan *self, const char *line, gsize length)
{
  PostbagHeader header;

  note_controls (self, line, length);
  if (line[0] == ' ' || line[0] == '\t')
    {
      if (self->open)
        extend_field (self, length);
      return;
    }
  self->open = split_field (line, length, &header);
  if (self->open && self->headers->len >= POSTBAG_LIMIT_HEADER_LINES)
    {
      self->open = FALSE;
      postbag_warnings_add (self->warnings, POSTBAG_WARNING_LIMIT_HEADER);
    }
  else if (self->open)
    {
      g_array_append_val (self->headers, header);
      extend_field (self, 0);
    }
  else if (self->headers->len == 0)
    self->is_body = TRUE;
  else
    postbag_warnings_add (self->warnings, POSTBAG_WARNING_MALFORMED_HEADER);
}

/* A mailbox file's `From sender date`, not a field `From :`. */
static gboolean
is_separator (const char *bytes, gsize length)
{
  gsize at = 5;

  if (length < 5 || memcmp (bytes, "From ", 5) != 0)
    return FALSE;
  while (at < length && (bytes[at] == ' ' || bytes[at] == '\t'))
    at++;
  return at == length || bytes[at] != ':';
}

/* The field that is open goes on where nothing is read of it: what is left of `a@b.example.org` can
 * be another valid address, so nothing is. */
static void
drop_open_field (Scan *self)
{
  if (self->open)
    g_array_set_size (self->headers, self->headers->len - 1);
  self->open = FALSE;
}

/* A line past the limit on header blocks. */
static void
leave_line (Scan *self, const char *line)
{
  if (line[0] == ' ' || line[0] == '\t')
    drop_open_field (self);
  self->open = FALSE;
  postbag_warnings_add (self->warnings, POSTBAG_WARNING_LIMIT_HEADER);
}

/* The source ended before the header block did. So long a source may be the first bytes of a
 * message. */
static void
finish_without_end (Scan *self, gsize length)
{
  if (length < POSTBAG_LIMIT_PREFIX_BYTES)
    return;
  drop_open_field (self);
  postbag_warnings_add (self->warnings, POSTBAG_WARNING_LIMIT_HEADER);
}

GArray *
postbag_headers_scan (const char *bytes, gsize length, gsize *body, PostbagWarnings *warnings)
{
  Scan self = { g_array_new (FALSE, FALSE, sizeof (PostbagHeader)), FALSE, FALSE, warnings };
  gsize position = 0;
  gboolean ended = FALSE;

  if (is_separator (bytes, length))
    position = measure_line (bytes, length, 0);
  while (position < length && !ended && !self.is_body)
    {
      const char *line = bytes + position;
      gsize line_length = measure_line (bytes, length, position);

      if (is_empty_line (line, line_length))
        ended = TRUE;
      else if (position < POSTBAG_LIMIT_HEADER_BLOCK_BYTES)
        take_line (&self, line, line_length);
      else
        leave_line (&self, line);
      position += line_length;
    }
  if (!ended && !self.is_body)
    finish_without_end (&self, length);
  *body = self.is_body ? 0 : position; /* what does not start with a field is all body */
  return self.headers;
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
