/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "extract/postbag-xml-input.h"

#include <string.h>

#include "base/postbag-limits.h"

/* From one "<" to the next; one inside a tag is an error of its own. What is in front of the first
 * is none. */
typedef struct
{
  gboolean is_new;  /* nothing behind its "<" was seen */
  gboolean is_open; /* its ">" was not seen */
  char quote;       /* of the value that is open, else NUL */
  guint attributes;
} Tag;

/* Shorter ones have no more attributes than are allowed: each takes a="" and a blank. */
#define SHORT_TAG (4 * POSTBAG_LIMIT_XML_ATTRIBUTES)

struct _PostbagXmlInput
{
  PostbagZipReading *reading;
  const char *piece; /* what was not given out yet */
  gsize left;
  Tag tag;

  gboolean is_detected, is_utf16, is_big_endian;
  GByteArray *units; /* not converted yet: half a unit, half a pair */
  char *text;        /* that the piece lies in */
};

static gboolean
fail (GError **error, const char *message)
{
  g_set_error_literal (error, POSTBAG_EXTRACT_ERROR, POSTBAG_EXTRACT_CORRUPT, message);
  return FALSE;
}

/* --- attributes --- */

static gboolean
count_attributes (Tag *tag, const char *data, gsize size)
{
  const char *end = data + size;

  if (tag->is_new && size > 0)
    *tag = (Tag){ .is_open = *data != '!' && *data != '?' };
  while (tag->is_open && data < end)
    {
      if (tag->quote != '\0')
        {
          data = memchr (data, tag->quote, (gsize)(end - data));
          if (data == NULL)
            return TRUE;
          tag->quote = '\0';
        }
      else if (*data == '>')
        tag->is_open = FALSE;
      else if ((*data == '"' || *data == '\'')
               && (tag->quote = *data, ++tag->attributes > POSTBAG_LIMIT_XML_ATTRIBUTES))
        return FALSE;
      data++;
    }
  return TRUE;
}

/* Of tags that are short the last one in a row is looked for, and the others are passed over. */
static const char *
pass_short_tags (const char *at, const char *end)
{
  const char *next = at;

  while (next != NULL)
    {
      at = next;
      next = memrchr (at, '<', MIN (SHORT_TAG, (gsize)(end - at)));
      if (next != NULL)
        next++;
    }
  return at;
}

/* A tag that is cut by the end of the piece goes on in the next. What looks like a tag in a comment
 * is counted as one. */
static gboolean
check_tags (Tag *tag, const char *data, gsize size)
{
  const char *end = data + size;

  while (TRUE)
    {
      const char *next = memchr (data, '<', (gsize)(end - data));

      if (!count_attributes (tag, data, (gsize)((next != NULL ? next : end) - data)))
        return FALSE;
      if (next == NULL)
        return TRUE;
      data = pass_short_tags (next + 1, end);
      *tag = (Tag){ .is_new = TRUE };
    }
}

/* --- UTF-16 --- */

static gunichar2 *
copy_units (PostbagXmlInput *self, glong count)
{
  const guint8 *bytes = self->units->data;
  gunichar2 *units = g_new (gunichar2, (gsize)count + 1);
  gsize high = self->is_big_endian ? 0 : 1;

  for (glong i = 0; i < count; i++)
    units[i] = (gunichar2)(bytes[2 * i + high] << 8 | bytes[2 * i + 1 - high]);
  return units;
}

/* At most one unit waits for its other half, and half a unit. */
static gboolean
convert (PostbagXmlInput *self, GError **error)
{
  g_autofree gunichar2 *units = NULL;
  glong count, taken, given;

  g_byte_array_append (self->units, (const guint8 *)self->piece, (guint)self->left);
  count = (glong)self->units->len / 2;
  units = copy_units (self, count);
  g_free (self->text);
  self->text = g_utf16_to_utf8 (units, count, &taken, &given, NULL);
  if (self->text == NULL || count - taken > 1)
    return fail (error, "It is no UTF-16.");
  g_byte_array_remove_range (self->units, 0, 2 * (guint)taken);
  self->piece = self->text;
  self->left = (gsize)given;
  return TRUE;
}

/* --- pieces --- */

/* By its first bytes (XML 1.0, appendix F): others hide their tags from what is in front of the
 * parser. */
static gboolean
detect_encoding (PostbagXmlInput *self, GError **error)
{
  static const char starts[] = { '<', '\xef', ' ', '\t', '\r', '\n' };
  static const struct
  {
    char bytes[2];
    gboolean is_big_endian;
  } marks[] = {
    { { '\xff', '\xfe' }, FALSE },
    { { '\xfe', '\xff' }, TRUE },
    { { '<', '\0' }, FALSE },
    { { '\0', '<' }, TRUE },
  };

  self->is_detected = TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (marks) && self->left >= 2; i++)
    if (memcmp (self->piece, marks[i].bytes, 2) == 0)
      {
        self->is_utf16 = TRUE;
        self->is_big_endian = marks[i].is_big_endian;
      }
  return self->is_utf16 || memchr (starts, *self->piece, sizeof starts) != NULL
         || fail (error, "It is no XML.");
}

/* Nothing is left at the end. A piece may be converted to nothing. */
static gboolean
get_piece (PostbagXmlInput *self, GError **error)
{
  do
    {
      if (!postbag_zip_reading_next (self->reading, &self->piece, &self->left, error))
        return FALSE;
      if (self->left == 0)
        return self->units->len == 0 || fail (error, "It ends too early.");
      if (!self->is_detected && !detect_encoding (self, error))
        return FALSE;
      if (self->is_utf16 && !convert (self, error))
        return FALSE;
    }
  while (self->left == 0);
  return check_tags (&self->tag, self->piece, self->left)
         || fail (error, "A tag has too many attributes.");
}

PostbagXmlInput *
postbag_xml_input_open (PostbagZip *zip, const char *name, GError **error)
{
  g_autoptr (PostbagZipReading) reading = postbag_zip_open (zip, name, error);
  g_autoptr (PostbagXmlInput) self = NULL;

  if (reading == NULL)
    return NULL;
  self = g_new0 (PostbagXmlInput, 1);
  self->reading = g_steal_pointer (&reading);
  self->units = g_byte_array_new ();
  return get_piece (self, error) ? g_steal_pointer (&self) : NULL;
}

void
postbag_xml_input_free (PostbagXmlInput *self)
{
  postbag_zip_reading_free (self->reading);
  g_byte_array_unref (self->units);
  g_free (self->text);
  g_free (self);
}

gboolean
postbag_xml_input_is_converted (PostbagXmlInput *self)
{
  return self->is_utf16;
}

int
postbag_xml_input_read (PostbagXmlInput *self, char *buffer, int size, GError **error)
{
  gsize given;

  if (self->left == 0 && !get_piece (self, error))
    return -1;
  given = MIN (self->left, (gsize)size);
  if (given == 0)
    return 0;
  memcpy (buffer, self->piece, given);
  self->piece += given;
  self->left -= given;
  return (int)given;
}
