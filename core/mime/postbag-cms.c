/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The content of an opaque signature (S/MIME, RFC 8551 section 3.5.2): the wrapper is walked as far
 * as the content and no further (ITU-T X.690). Nothing is verified here, and nothing recurses:
 * definite and indefinite lengths are followed with a counter. */

#include "mime/postbag-mime-private.h"

#include <string.h>

#define SEQUENCE 0x30
#define SET 0x31
#define INTEGER 0x02
#define OBJECT_IDENTIFIER 0x06
#define OCTET_STRING 0x04
#define CONSTRUCTED_OCTET_STRING 0x24
#define EXPLICIT_0 0xa0

/* Elements that are looked at in one wrapper: one for each kilobyte of what real programs write. */
#define MAX_ELEMENTS 1000000

typedef struct
{
  const guint8 *data;
  gsize length;
  gsize at;
} Reader;

typedef struct
{
  guint8 tag;
  gboolean indefinite;
  gsize length; /* 0 when indefinite */
} Element;

/* Reads the head of the element at the reader and stands behind it. */
static gboolean
read_head (Reader *self, Element *element)
{
  gsize left = self->length - self->at;
  const guint8 *bytes = self->data + self->at;
  guint count;

  if (left < 2 || (bytes[0] & 0x1f) == 0x1f)
    return FALSE; /* no tag above 30 stands in front of the content */
  *element = (Element){ bytes[0], bytes[1] == 0x80, bytes[1] < 0x80 ? bytes[1] : 0 };
  count = bytes[1] > 0x80 ? bytes[1] & 0x7fU : 0;
  if (count > 4 || left < 2 + (gsize)count)
    return FALSE;
  for (guint i = 0; i < count; i++)
    element->length = element->length << 8 | bytes[2 + i];
  self->at += 2 + count;
  return element->length <= self->length - self->at;
}

static gboolean
enter (Reader *self, guint8 tag)
{
  Element element;

  return read_head (self, &element) && element.tag == tag;
}

static gboolean
is_end (const Element *element)
{
  return element->tag == 0 && !element->indefinite && element->length == 0;
}

/* Stands behind the element at the reader, whatever is in it. */
static gboolean
skip (Reader *self, guint8 tag)
{
  Element element;
  guint open = 0;

  if (!read_head (self, &element) || element.tag != tag)
    return FALSE;
  for (guint n = 0; n < MAX_ELEMENTS; n++)
    {
      if (element.indefinite)
        open++;
      else if (is_end (&element) && open > 0)
        open--;
      else
        self->at += element.length;
      if (open == 0)
        return TRUE;
      if (!read_head (self, &element))
        return FALSE;
    }
  return FALSE;
}

static gboolean
enter_oid (Reader *self, const char *oid, gsize size)
{
  Element element;

  if (!read_head (self, &element) || element.tag != OBJECT_IDENTIFIER || element.length != size
      || memcmp (self->data + self->at, oid, size) != 0)
    return FALSE;
  self->at += size;
  return TRUE;
}

/* 1.2.840.113549.1.7.2 and .1 */
static gboolean
find_content (Reader *self)
{
  static const char signed_data[] = "\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02";
  static const char data[] = "\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01";

  return enter (self, SEQUENCE) && enter_oid (self, signed_data, sizeof signed_data - 1)
         && enter (self, EXPLICIT_0) && enter (self, SEQUENCE) && skip (self, INTEGER)
         && skip (self, SET) && enter (self, SEQUENCE) && enter_oid (self, data, sizeof data - 1)
         && enter (self, EXPLICIT_0);
}

/* One octet string, in pieces or not. A definite outer one ends where it says, an indefinite one
 * with as many ends as were begun. */
static gboolean
read_octets (Reader *self, gsize max_bytes, GByteArray *out)
{
  Element element;
  gsize end;
  guint open = 0;
  gboolean endless;

  if (!read_head (self, &element))
    return FALSE;
  endless = element.indefinite;
  end = element.indefinite ? self->length : self->at + element.length;
  for (guint n = 0; n < MAX_ELEMENTS; n++)
    {
      if (element.tag == CONSTRUCTED_OCTET_STRING)
        open += element.indefinite ? 1 : 0; /* its pieces come next */
      else if (is_end (&element) && open > 0)
        open--;
      else if (element.tag != OCTET_STRING || element.indefinite
               || out->len + element.length > max_bytes)
        return FALSE;
      else
        {
          g_byte_array_append (out, self->data + self->at, (guint)element.length);
          self->at += element.length;
        }
      if (self->at >= end || (open == 0 && endless))
        return open == 0;
      if (!read_head (self, &element))
        return FALSE;
    }
  return FALSE;
}

GBytes *
postbag_cms_read_content (const guint8 *bytes, gsize length, gsize max_bytes)
{
  Reader reader = { bytes, length, 0 };
  g_autoptr (GByteArray) out = g_byte_array_new ();

  if (bytes == NULL || !find_content (&reader) || !read_octets (&reader, max_bytes, out))
    return NULL;
  return g_byte_array_free_to_bytes (g_steal_pointer (&out));
}
