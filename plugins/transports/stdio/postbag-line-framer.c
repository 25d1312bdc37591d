/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-line-framer.h"

#include <string.h>

/* A buffer that grew beyond this for one long line is given back after it. */
#define KEPT_BUFFER_BYTES (64 * 1024)

struct _PostbagLineFramer
{
  gsize max_bytes;
  PostbagLineFunc take_line;
  gpointer user_data;
  GByteArray *partial; /* (nullable): the beginning of a line */
  gboolean skipping;   /* inside a line that is too long */
};

PostbagLineFramer *
postbag_line_framer_new (gsize max_bytes, PostbagLineFunc take_line, gpointer user_data)
{
  PostbagLineFramer *self = g_new0 (PostbagLineFramer, 1);

  self->max_bytes = max_bytes;
  self->take_line = take_line;
  self->user_data = user_data;
  return self;
}

void
postbag_line_framer_free (PostbagLineFramer *self)
{
  g_clear_pointer (&self->partial, g_byte_array_unref);
  g_free (self);
}

static gboolean
is_blank (const char *line, gsize length)
{
  for (gsize i = 0; i < length; i++)
    {
      if (line[i] != ' ' && line[i] != '\t')
        return FALSE;
    }
  return TRUE;
}

static void
emit_line (PostbagLineFramer *self, const char *line, gsize length)
{
  if (length > 0 && line[length - 1] == '\r')
    length--;
  if (!is_blank (line, length))
    self->take_line (line, length, self->user_data);
}

static gsize
count_partial (PostbagLineFramer *self)
{
  return self->partial != NULL ? self->partial->len : 0;
}

static void
add_partial (PostbagLineFramer *self, const char *bytes, gsize length)
{
  if (self->skipping || length == 0)
    return;
  if (length > self->max_bytes - count_partial (self))
    {
      self->skipping = TRUE;
      g_clear_pointer (&self->partial, g_byte_array_unref);
      return;
    }
  if (self->partial == NULL)
    self->partial = g_byte_array_new ();
  g_byte_array_append (self->partial, (const guint8 *)bytes, (guint)length);
}

static void
emit_partial (PostbagLineFramer *self)
{
  g_autoptr (GByteArray) line = g_steal_pointer (&self->partial);

  if (self->skipping)
    {
      self->skipping = FALSE;
      self->take_line (NULL, 0, self->user_data);
      return;
    }
  if (line == NULL)
    return;
  emit_line (self, (const char *)line->data, line->len);
  if (line->len > KEPT_BUFFER_BYTES || self->partial != NULL)
    return;
  self->partial = g_steal_pointer (&line);
  g_byte_array_set_size (self->partial, 0);
}

void
postbag_line_framer_push (PostbagLineFramer *self, const char *bytes, gsize length)
{
  while (length > 0)
    {
      const char *end = memchr (bytes, '\n', length);
      gsize taken = end != NULL ? (gsize)(end - bytes) : length;

      if (end != NULL && !self->skipping && count_partial (self) == 0 && taken <= self->max_bytes)
        emit_line (self, bytes, taken);
      else
        {
          add_partial (self, bytes, taken);
          if (end != NULL)
            emit_partial (self);
        }
      if (end != NULL)
        taken++;
      bytes += taken;
      length -= taken;
    }
}

void
postbag_line_framer_finish (PostbagLineFramer *self)
{
  emit_partial (self);
}
