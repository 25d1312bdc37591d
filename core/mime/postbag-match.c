/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "mime/postbag-match.h"

#include <string.h>

#include "base/postbag-limits.h"
#include "base/postbag-text.h"

/* --- header --- */

/* The field at *@at, unfolded and without its line ends; *@at is behind it then. */
static GString *
take_field (const char **at, const char *end)
{
  GString *field = g_string_new (NULL);

  do
    {
      const char *newline = memchr (*at, '\n', (gsize)(end - *at));
      gsize line = (gsize)((newline != NULL ? newline : end) - *at);

      while (line > 0 && (*at)[line - 1] == '\r')
        line--;
      if (field->len < POSTBAG_LIMIT_HEADER_BYTES)
        g_string_append_len (field, *at, (gssize)line);
      *at = newline != NULL ? newline + 1 : end;
    }
  while (*at < end && (**at == ' ' || **at == '\t'));
  return field;
}

gboolean
postbag_mime_header_matches (GBytes *source, PostbagNeedle *needle)
{
  gsize length;
  const char *at = g_bytes_get_data (source, &length);
  const char *end = at + MIN (length, POSTBAG_LIMIT_HEADER_BLOCK_BYTES);

  for (guint n = 0; at < end && *at != '\r' && *at != '\n' && n < POSTBAG_LIMIT_HEADER_LINES; n++)
    {
      g_autoptr (GString) field = take_field (&at, end);
      g_autofree char *valid = postbag_text_make_valid (field->str, (gssize)field->len);
      g_autofree char *decoded = postbag_message_decode_header (valid);

      if (postbag_needle_is_in (needle, decoded))
        return TRUE;
    }
  return FALSE;
}

gboolean
postbag_message_matches_field (PostbagMessage *self, const char *field, PostbagNeedle *needle)
{
  for (guint i = 0; i < POSTBAG_LIMIT_HEADER_LINES; i++)
    {
      const char *raw = postbag_message_get_header (self, field, i);
      g_autofree char *decoded = raw != NULL ? postbag_message_decode_header (raw) : NULL;

      if (raw == NULL)
        return FALSE;
      if (postbag_needle_is_in (needle, decoded))
        return TRUE;
    }
  return FALSE;
}

gboolean
postbag_message_matches_addresses (PostbagMessage *self, const char *field, PostbagNeedle *needle)
{
  return postbag_needle_is_in_addresses (needle, postbag_message_get_addresses (self, field));
}

/* --- body --- */

gboolean
postbag_mime_text_matches (GBytes *bytes, const char *type, const char *charset,
                           PostbagNeedle *needle)
{
  g_autoptr (PostbagBody) body = postbag_mime_text_from_bytes (bytes, type, charset);

  return body != NULL && postbag_needle_is_in (needle, body->text);
}

static gboolean
match_part (PostbagMessage *self, const PostbagPart *part, PostbagNeedle *needle)
{
  g_autoptr (GBytes) bytes = NULL;

  if (part->number == NULL || !g_str_has_prefix (part->type, "text/"))
    return FALSE;
  bytes =
      postbag_message_decode_part (self, part->number, POSTBAG_LIMIT_MESSAGE_SOURCE_BYTES, NULL);
  return bytes != NULL && postbag_mime_text_matches (bytes, part->type, part->charset, needle);
}

gboolean
postbag_message_matches_body (PostbagMessage *self, PostbagNeedle *needle)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  g_ptr_array_add (stack, (gpointer)postbag_message_get_structure (self));
  while (stack->len > 0)
    {
      const PostbagPart *part = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      if (part == NULL)
        continue;
      if (match_part (self, part, needle))
        return TRUE;
      for (guint i = 0; part->children != NULL && i < part->children->len; i++)
        g_ptr_array_add (stack, g_ptr_array_index (part->children, i));
    }
  return FALSE;
}
