/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "postbag-msg-properties.h"

#include <string.h>

#include "base/postbag-text.h"
#include "mime/postbag-message.h"

#include "postbag-ole-file.h"

#define ENTRY_BYTES 16
#define UTF_8 65001

void
postbag_msg_properties_open (PostbagMsgProperties *self, GsfInfile *storage, gsize head,
                             guint code_page)
{
  self->storage = storage;
  self->numbers = postbag_ole_read_stream (storage, "__properties_version1.0");
  self->head = head;
  self->code_page = code_page;
}

void
postbag_msg_properties_close (PostbagMsgProperties *self)
{
  g_clear_pointer (&self->numbers, g_bytes_unref);
}

gboolean
postbag_msg_get_number (const PostbagMsgProperties *self, guint id, guint type, guint64 *value)
{
  PostbagOleBytes bytes = { NULL, 0 };

  if (self->numbers != NULL)
    bytes.data = g_bytes_get_data (self->numbers, &bytes.length);
  for (gsize at = self->head; at + ENTRY_BYTES <= bytes.length; at += ENTRY_BYTES)
    if (postbag_ole_u32 (&bytes, at) == (id << 16 | type))
      {
        *value = postbag_ole_u32 (&bytes, at + 8);
        if (type == POSTBAG_MAPI_TYPE_TIME)
          *value |= (guint64)postbag_ole_u32 (&bytes, at + 12) << 32;
        return TRUE;
      }
  return FALSE;
}

/* (transfer full) */
static char *
make_name (guint id, guint type)
{
  return g_strdup_printf ("__substg1.0_%04X%04X", id, type);
}

GBytes *
postbag_msg_read_bytes (const PostbagMsgProperties *self, guint id, guint type)
{
  g_autofree char *name = make_name (id, type);

  return postbag_ole_read_stream (self->storage, name);
}

/* Strings may end with a NUL that is not theirs. */
char *
postbag_msg_decode (GBytes *bytes, guint code_page)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  g_autofree char *charset = g_strdup_printf ("cp%u", code_page);

  length = strnlen (data, length);
  return code_page == UTF_8 ? postbag_text_make_valid (data, (gssize)length)
                            : postbag_mime_to_utf8 (data, length, charset);
}

static char *
decode_unicode (GBytes *bytes)
{
  PostbagOleBytes units;
  gsize count = 0;

  units.data = g_bytes_get_data (bytes, &units.length);
  while (count < units.length / 2 && postbag_ole_u16 (&units, 2 * count) != 0)
    count++;
  return postbag_ole_dup_units (&units, 0, count);
}

char *
postbag_msg_dup_string (const PostbagMsgProperties *self, guint id)
{
  g_autoptr (GBytes) unicode = postbag_msg_read_bytes (self, id, POSTBAG_MAPI_TYPE_UNICODE),
                     narrow = NULL;
  g_autofree char *text = NULL;

  if (unicode != NULL)
    text = decode_unicode (unicode);
  else
    narrow = postbag_msg_read_bytes (self, id, POSTBAG_MAPI_TYPE_STRING);
  if (narrow != NULL)
    text = postbag_msg_decode (narrow, self->code_page);
  return text != NULL && *text != '\0' ? g_steal_pointer (&text) : NULL;
}

gint64
postbag_msg_get_size (const PostbagMsgProperties *self, guint id)
{
  g_autofree char *name = make_name (id, POSTBAG_MAPI_TYPE_BINARY);

  return postbag_ole_get_size (self->storage, name);
}

GsfInfile *
postbag_msg_open_object (const PostbagMsgProperties *self, guint id)
{
  g_autofree char *name = make_name (id, POSTBAG_MAPI_TYPE_OBJECT);

  return postbag_ole_open_storage (self->storage, name);
}
